//! Structures: several columns of texts side by side, and lists of them.

use super::bits::Bits;
use super::list::List;
use super::texts::Texts;

/// A structure of `N` texts, each of which may be absent.
#[derive(Clone, Debug)]
pub struct Record<const N: usize> {
    /// The columns, in the order of the fields.
    pub fields: [Texts; N],
}

impl<const N: usize> Default for Record<N> {
    fn default() -> Self {
        Self { fields: std::array::from_fn(|_| Texts::default()) }
    }
}

impl<const N: usize> Record<N> {
    /// Makes room for so many times what there is.
    pub fn reserve_times(&mut self, times: usize) {
        self.fields.iter_mut().for_each(|field| field.reserve_times(times));
    }

    /// Forgets the rows from this one on.
    pub fn truncate(&mut self, rows: usize) {
        self.fields.iter_mut().for_each(|field| field.truncate(rows));
    }

    /// Fills in the rows that are missing at the end.
    pub fn close(&mut self, rows: usize) {
        self.fields.iter_mut().for_each(|field| field.close(rows));
    }
}

/// Lists of texts, none of them absent.
#[derive(Clone, Debug, Default)]
pub struct TextList {
    /// Which texts belong to which row.
    pub list: List,
    /// The texts.
    pub texts: Texts,
}

impl TextList {
    /// Adds a text to the list of a row.
    pub fn push(&mut self, row: usize, text: &[u8]) {
        let item = self.list.push(row);
        self.texts.set(item, text);
    }

    /// Forgets the rows from this one on.
    pub fn truncate(&mut self, rows: usize) {
        let items = self.list.truncate(rows);
        self.texts.truncate(items);
    }

    /// Fills in the rows that are missing at the end.
    pub fn close(&mut self, rows: usize) {
        self.list.close(rows);
        self.texts.close(self.list.items());
    }
}

/// Lists of structures of texts.
#[derive(Clone, Debug, Default)]
pub struct RecordList<const N: usize> {
    /// Which structures belong to which row.
    pub list: List,
    /// The structures.
    pub items: Record<N>,
}

impl<const N: usize> RecordList<N> {
    /// Adds a structure to the list of a row.
    pub fn push(&mut self, row: usize, texts: [Option<&[u8]>; N]) {
        let item = self.list.push(row);
        for (field, text) in self.items.fields.iter_mut().zip(texts) {
            field.set_some(item, text);
        }
    }

    /// Forgets the rows from this one on.
    pub fn truncate(&mut self, rows: usize) {
        let items = self.list.truncate(rows);
        self.items.truncate(items);
    }

    /// Fills in the rows that are missing at the end.
    pub fn close(&mut self, rows: usize) {
        self.list.close(rows);
        self.items.close(self.list.items());
    }
}

/// A structure of texts that may be absent as a whole.
#[derive(Clone, Debug, Default)]
pub struct OptionalRecord<const N: usize> {
    /// Which rows have one.
    pub valid: Bits,
    /// The structures.
    pub items: Record<N>,
    rows: usize,
}

impl<const N: usize> OptionalRecord<N> {
    /// Says that a row has one.
    pub fn set_present(&mut self, row: usize) {
        self.valid.set(row);
        self.rows = row + 1;
    }

    /// Forgets the rows from this one on.
    pub fn truncate(&mut self, rows: usize) {
        if self.rows > rows {
            self.valid.truncate(rows);
            self.items.truncate(rows);
            self.rows = rows;
        }
    }

    /// Fills in the rows that are missing at the end.
    pub fn close(&mut self, rows: usize) {
        self.valid.close(rows);
        self.items.close(rows);
    }
}
