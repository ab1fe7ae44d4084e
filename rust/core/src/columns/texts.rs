//! Column of texts.

use super::bits::Bits;
use super::reserve::reserve_times;

/// Maximum total size of the texts of a column: Arrow stores their ends as 32-bit integers.
const MAX_BYTES: usize = i32::MAX as usize;

/// Nullable texts.
#[derive(Clone, Debug)]
pub struct Texts {
    /// Start of the first text, then the end of each text.
    ends: Vec<i32>,
    bytes: Vec<u8>,
    valid: Bits,
}

impl Default for Texts {
    fn default() -> Self {
        Self { ends: vec![0], bytes: Vec::new(), valid: Bits::default() }
    }
}

impl Texts {
    /// Sets the text of a row, which is UTF-8. A text that would overflow the column is dropped.
    #[inline]
    pub fn set(&mut self, row: usize, text: &[u8]) {
        if self.bytes.len() + text.len() <= MAX_BYTES {
            self.bytes.extend_from_slice(text);
            self.end(row);
        }
    }

    /// Sets the text of a row to the first `length` bytes of a longer slice. A copy of fixed size
    /// is faster than a call that takes the size as argument.
    #[inline]
    pub fn set_start(&mut self, row: usize, longer: &[u8], length: usize) {
        let start = self.bytes.len();
        if start + 64 > MAX_BYTES {
            self.set(row, longer.get(..length).unwrap_or_default());
            return;
        }
        match (longer.first_chunk::<32>(), longer.first_chunk::<64>()) {
            (Some(chunk), _) if length <= 32 => self.bytes.extend_from_slice(chunk),
            (_, Some(chunk)) if length <= 64 => self.bytes.extend_from_slice(chunk),
            _ => {
                self.set(row, longer.get(..length).unwrap_or_default());
                return;
            }
        }
        self.bytes.truncate(start + length);
        self.end(row);
    }

    /// Sets the text of a row, if there is one.
    #[inline]
    pub fn set_some(&mut self, row: usize, text: Option<&[u8]>) {
        if let Some(text) = text {
            self.set(row, text);
        }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a function call takes 3 % of the time of a parse")]
    fn end(&mut self, row: usize) {
        if self.ends.len() <= row {
            let last = self.ends[self.ends.len() - 1];
            self.ends.resize(row + 1, last);
        }
        self.ends.push(i32::try_from(self.bytes.len()).unwrap_or(i32::MAX));
        self.valid.set(row);
    }

    /// Adds the texts of the rows from `first` on, in the layout of Arrow: the start of the first
    /// text and the end of each, the bytes, and the validity bitmap (None if all are valid).
    pub fn extend(&mut self, first: usize, ends: &[i32], bytes: &[u8], valid: Option<&[u8]>) {
        let index = |end: &i32| usize::try_from(*end).unwrap_or(0);
        let (Some(start), Some(end)) = (ends.first().map(index), ends.last().map(index)) else {
            return;
        };
        let rows = ends.len() - 1;
        let shift = i32::try_from(self.bytes.len() + (end - start)).map(|_| self.bytes.len());
        let Ok(shift) = shift.and_then(i32::try_from) else {
            // The column would overflow: add texts one by one as long as they fit.
            for (row, span) in ends.windows(2).enumerate() {
                if valid.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1) {
                    self.set(first + row, &bytes[index(&span[0])..index(&span[1])]);
                }
            }
            return;
        };
        let last = self.ends[self.ends.len() - 1];
        self.ends.resize(first + 1, last);
        self.ends.extend(ends[1..].iter().map(|end| end - ends[0] + shift));
        self.bytes.extend_from_slice(&bytes[start..end]);
        self.valid.extend(first, rows, valid);
    }

    /// Adds the rows of a closed column from row `first` on.
    pub fn append(&mut self, first: usize, other: &Self) {
        if !other.is_all_null() {
            self.extend(first, &other.ends, &other.bytes, Some(other.valid.bytes()));
        }
    }

    /// Returns the text of a row.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        if !self.valid.get(row) {
            return None;
        }
        let (start, end) = (*self.ends.get(row)?, *self.ends.get(row + 1)?);
        self.bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// Discards the rows from `rows` on.
    #[inline]
    pub fn truncate(&mut self, rows: usize) {
        if self.ends.len() > rows + 1 {
            self.ends.truncate(rows + 1);
            self.bytes.truncate(usize::try_from(self.ends[rows]).unwrap_or(0));
            self.valid.truncate(rows);
        }
    }

    /// Fills in missing rows up to `rows`, unless there is no text at all.
    pub fn close(&mut self, rows: usize) {
        if !self.is_all_null() && self.ends.len() <= rows {
            let last = self.ends[self.ends.len() - 1];
            self.ends.resize(rows + 1, last);
        }
        self.valid.close(rows);
    }

    /// Returns whether no row has a text. The ends may be missing in this case.
    #[must_use]
    pub fn is_all_null(&self) -> bool {
        self.valid.count() == 0
    }

    /// Returns the validity bitmap.
    #[must_use]
    pub fn valid(&self) -> &Bits {
        &self.valid
    }

    /// Returns the start of the first text, then the end of each text.
    #[must_use]
    pub fn ends(&self) -> &[i32] {
        &self.ends
    }

    /// Returns the concatenated texts.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Reserves space for `times` times the current content.
    pub fn reserve_times(&mut self, times: usize) {
        if !self.is_all_null() {
            reserve_times(&mut self.ends, times);
            reserve_times(&mut self.bytes, times);
        }
    }
}
