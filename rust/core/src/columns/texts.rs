//! A column of texts.

use super::bits::Bits;
use super::reserve::reserve_times;

/// Bytes that all texts of a column may have, for their ends are 32-bit numbers in Arrow.
const MAX_BYTES: usize = i32::MAX as usize;

/// Texts, some of them absent.
#[derive(Clone, Debug)]
pub struct Texts {
    /// Where each text ends (and, first, where the first begins).
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
    /// Gives a row its text, which is UTF-8; what is too much for the column is left out.
    #[inline]
    pub fn set(&mut self, row: usize, text: &[u8]) {
        if self.bytes.len() + text.len() <= MAX_BYTES {
            self.bytes.extend_from_slice(text);
            self.end(row);
        }
    }

    /// Gives a row a text that stands at the start of a longer one. (A copy of fixed size takes
    /// less time than the call of a function that asks for the size.)
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

    /// Gives a row its text, where there is one.
    #[inline]
    pub fn set_some(&mut self, row: usize, text: Option<&[u8]>) {
        if let Some(text) = text {
            self.set(row, text);
        }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "a call took 3 % of the time of a parse")]
    fn end(&mut self, row: usize) {
        if self.ends.len() <= row {
            let last = self.ends[self.ends.len() - 1];
            self.ends.resize(row + 1, last);
        }
        self.ends.push(i32::try_from(self.bytes.len()).unwrap_or(i32::MAX));
        self.valid.set(row);
    }

    /// Gives rows from `first` on their texts, which lie as in Arrow: where each ends, and, first,
    /// where the first begins; the bytes; which rows have one, if not all have.
    pub fn extend(&mut self, first: usize, ends: &[i32], bytes: &[u8], valid: Option<&[u8]>) {
        let place = |end: &i32| usize::try_from(*end).unwrap_or(0);
        let (Some(start), Some(end)) = (ends.first().map(place), ends.last().map(place)) else {
            return;
        };
        let rows = ends.len() - 1;
        let shift = i32::try_from(self.bytes.len() + (end - start)).map(|_| self.bytes.len());
        let Ok(shift) = shift.and_then(i32::try_from) else {
            // Too much for the column: as many as fit, one by one.
            for (row, span) in ends.windows(2).enumerate() {
                if valid.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1) {
                    self.set(first + row, &bytes[place(&span[0])..place(&span[1])]);
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

    /// The text of a row.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> Option<&[u8]> {
        if !self.valid.get(row) {
            return None;
        }
        let (start, end) = (*self.ends.get(row)?, *self.ends.get(row + 1)?);
        self.bytes.get(usize::try_from(start).ok()?..usize::try_from(end).ok()?)
    }

    /// Forgets the rows from this one on.
    #[inline]
    pub fn truncate(&mut self, rows: usize) {
        if self.ends.len() > rows + 1 {
            self.ends.truncate(rows + 1);
            self.bytes.truncate(usize::try_from(self.ends[rows]).unwrap_or(0));
            self.valid.truncate(rows);
        }
    }

    /// Fills in the rows that are missing at the end, unless there is no text at all.
    pub fn close(&mut self, rows: usize) {
        if !self.is_all_null() && self.ends.len() <= rows {
            let last = self.ends[self.ends.len() - 1];
            self.ends.resize(rows + 1, last);
        }
        self.valid.close(rows);
    }

    /// Whether no row has a text; there may be no ends then.
    #[must_use]
    pub fn is_all_null(&self) -> bool {
        self.valid.count() == 0
    }

    /// Which rows have a text.
    #[must_use]
    pub fn valid(&self) -> &Bits {
        &self.valid
    }

    /// Where each text ends, and, first, where the first begins.
    #[must_use]
    pub fn ends(&self) -> &[i32] {
        &self.ends
    }

    /// All texts, one behind the other.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Makes room for so many times what there is.
    pub fn reserve_times(&mut self, times: usize) {
        if !self.is_all_null() {
            reserve_times(&mut self.ends, times);
            reserve_times(&mut self.bytes, times);
        }
    }
}
