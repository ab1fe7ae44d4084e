//! Offsets of list columns.

use super::reserve::reserve_times;

/// End offsets of the list of each row. The items are stored in other columns.
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
    /// Reserves space for `times` times the current content.
    pub fn reserve_times(&mut self, times: usize) {
        reserve_times(&mut self.ends, times);
    }

    /// Returns the number of items in all lists.
    #[inline]
    #[must_use]
    pub fn items(&self) -> usize {
        self.ends.last().map_or(0, |end| usize::try_from(*end).unwrap_or(0))
    }

    /// Adds an item to the list of a row and returns the number of the item.
    #[inline]
    pub fn push(&mut self, row: usize) -> usize {
        let last = self.ends[self.ends.len() - 1];
        if self.ends.len() < row + 2 {
            self.ends.resize(row + 2, last);
        }
        self.ends[row + 1] = last + 1;
        usize::try_from(last).unwrap_or(0)
    }

    /// Adds the lists of the rows from `first` on and returns the number of their first item.
    /// `ends` holds the start of the first list, then the end of each list. Returns None, without a
    /// change, if the column would overflow.
    pub fn extend(&mut self, first: usize, ends: &[i32]) -> Option<usize> {
        let start = *ends.first()?;
        let last = self.ends[self.ends.len() - 1];
        last.checked_add(ends[ends.len() - 1] - start)?;
        self.ends.resize(first + 1, last);
        self.ends.extend(ends[1..].iter().map(|end| last + (end - start)));
        usize::try_from(last).ok()
    }

    /// Adds the rows of a closed column from row `first` on and returns the number of their first
    /// item; None if there are no items, or if the column would overflow.
    pub fn append(&mut self, first: usize, other: &Self) -> Option<usize> {
        if other.items() > 0 { self.extend(first, &other.ends) } else { None }
    }

    /// Returns the numbers of the items of a row.
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

    /// Discards the rows from `rows` on and returns the number of remaining items.
    pub fn truncate(&mut self, rows: usize) -> usize {
        self.ends.truncate(rows + 1);
        self.items()
    }

    /// Adds empty lists up to `rows` rows, unless there are no items at all.
    pub fn close(&mut self, rows: usize) {
        if self.items() > 0 && self.ends.len() <= rows {
            let last = self.ends[self.ends.len() - 1];
            self.ends.resize(rows + 1, last);
        }
    }

    /// Returns the start of the first list, then the end of each list.
    #[must_use]
    pub fn ends(&self) -> &[i32] {
        &self.ends
    }
}
