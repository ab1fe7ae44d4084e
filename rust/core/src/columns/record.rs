//! Columns of structures of texts, and of lists of them.

use super::bits::Bits;
use super::list::List;
use super::texts::Texts;

/// Structure of `N` nullable texts.
#[derive(Clone, Debug)]
pub struct Record<const N: usize> {
    /// Columns in the order of the fields.
    pub fields: [Texts; N],
}

impl<const N: usize> Default for Record<N> {
    fn default() -> Self {
        Self { fields: std::array::from_fn(|_| Texts::default()) }
    }
}

impl<const N: usize> Record<N> {
    /// Reserves space for `times` times the current content.
    pub fn reserve_times(&mut self, times: usize) {
        self.fields.iter_mut().for_each(|field| field.reserve_times(times));
    }

    /// Adds the rows of closed columns from row `first` on.
    pub fn append(&mut self, first: usize, other: &Self) {
        for (field, added) in self.fields.iter_mut().zip(&other.fields) {
            field.append(first, added);
        }
    }

    /// Discards the rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        self.fields.iter_mut().for_each(|field| field.truncate(rows));
    }

    /// Fills in missing rows up to `rows`.
    pub fn close(&mut self, rows: usize) {
        self.fields.iter_mut().for_each(|field| field.close(rows));
    }
}

/// Lists of texts without nulls.
#[derive(Clone, Debug, Default)]
pub struct TextList {
    /// Texts of each row.
    pub list: List,
    /// Texts of all rows.
    pub texts: Texts,
}

impl TextList {
    /// Adds a text to the list of a row.
    pub fn push(&mut self, row: usize, text: &[u8]) {
        let item = self.list.push(row);
        self.texts.set(item, text);
    }

    /// Adds the rows of a closed column from row `first` on.
    pub fn append(&mut self, first: usize, other: &Self) {
        if let Some(item) = self.list.append(first, &other.list) {
            self.texts.append(item, &other.texts);
        }
    }

    /// Discards the rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        let items = self.list.truncate(rows);
        self.texts.truncate(items);
    }

    /// Fills in missing rows up to `rows`.
    pub fn close(&mut self, rows: usize) {
        self.list.close(rows);
        self.texts.close(self.list.items());
    }
}

/// Lists of structures of texts.
#[derive(Clone, Debug, Default)]
pub struct RecordList<const N: usize> {
    /// Structures of each row.
    pub list: List,
    /// Structures of all rows.
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

    /// Adds the rows of a closed column from row `first` on.
    pub fn append(&mut self, first: usize, other: &Self) {
        if let Some(item) = self.list.append(first, &other.list) {
            self.items.append(item, &other.items);
        }
    }

    /// Discards the rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        let items = self.list.truncate(rows);
        self.items.truncate(items);
    }

    /// Fills in missing rows up to `rows`.
    pub fn close(&mut self, rows: usize) {
        self.list.close(rows);
        self.items.close(self.list.items());
    }
}

/// Nullable structure of texts.
#[derive(Clone, Debug, Default)]
pub struct OptionalRecord<const N: usize> {
    /// Validity bitmap of the structure.
    pub valid: Bits,
    /// Values of the structure.
    pub items: Record<N>,
    rows: usize,
}

impl<const N: usize> OptionalRecord<N> {
    /// Marks the structure of a row as present.
    pub fn set_present(&mut self, row: usize) {
        self.valid.set(row);
        self.rows = row + 1;
    }

    /// Adds the rows of a closed column from row `first` on.
    pub fn append(&mut self, first: usize, other: &Self) {
        if other.valid.count() > 0 {
            self.valid.extend(first, other.rows, Some(other.valid.bytes()));
            self.items.append(first, &other.items);
            self.rows = first + other.rows;
        }
    }

    /// Discards the rows from `rows` on.
    pub fn truncate(&mut self, rows: usize) {
        if self.rows > rows {
            self.valid.truncate(rows);
            self.items.truncate(rows);
            self.rows = rows;
        }
    }

    /// Fills in missing rows up to `rows`.
    pub fn close(&mut self, rows: usize) {
        self.valid.close(rows);
        self.items.close(rows);
    }
}
