//! Where the lists of rows end.

use super::reserve::reserve_times;

/// The ends of the lists of each row; what is in them lies in other columns.
#[derive(Clone, Debug)]
pub struct List {
    ends: Vec<i32>,
}

impl Default for List {
    fn default() -> Self {
        Self { ends: vec![0] }
    }
}

impl List {
    /// Makes room for so many times what there is.
    pub fn reserve_times(&mut self, times: usize) {
        reserve_times(&mut self.ends, times);
    }

    /// How many items there are in all lists.
    #[inline]
    #[must_use]
    pub fn items(&self) -> usize {
        self.ends.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
    }

    /// Adds an item to the list of a row and gives the number of the item.
    #[inline]
    pub fn push(&mut self, row: usize) -> usize {
        let last = self.ends[self.ends.len() - 1];
        if self.ends.len() < row + 2 {
            self.ends.resize(row + 2, last);
        }
        self.ends[row + 1] = last + 1;
        usize::try_from(last).unwrap_or(0)
    }

    /// Gives rows from `first` on their lists, by where each ends, and, first, where the first
    /// begins; gives the number of the first item. What would be too many for a column is none.
    pub fn extend(&mut self, first: usize, ends: &[i32]) -> Option<usize> {
        let start = *ends.first()?;
        let last = self.ends[self.ends.len() - 1];
        last.checked_add(ends[ends.len() - 1] - start)?;
        self.ends.resize(first + 1, last);
        self.ends.extend(ends[1..].iter().map(|end| last + (end - start)));
        usize::try_from(last).ok()
    }

    /// The numbers of the items in the list of a row.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> std::ops::Range<usize> {
        match self.ends.get(row..row + 2) {
            Some([start, end]) => {
                usize::try_from(*start).unwrap_or(0)..usize::try_from(*end).unwrap_or(0)
            }
            _ => 0..0,
        }
    }

    /// Forgets the rows from this one on; gives the number of items that are left.
    pub fn truncate(&mut self, rows: usize) -> usize {
        self.ends.truncate(rows + 1);
        self.items()
    }

    /// Fills in the rows that are missing at the end, unless there are no items at all.
    pub fn close(&mut self, rows: usize) {
        if self.items() > 0 && self.ends.len() <= rows {
            let last = self.ends[self.ends.len() - 1];
            self.ends.resize(rows + 1, last);
        }
    }

    /// Where the list of each row ends, and, first, where the first begins.
    #[must_use]
    pub fn ends(&self) -> &[i32] {
        &self.ends
    }
}
