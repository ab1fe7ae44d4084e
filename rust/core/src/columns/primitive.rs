//! The columns of one kind of value: bits, texts, instants, numbers, and the ends of lists.

/// Which rows have a value: one bit a row, the least significant first, as in Arrow.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    bytes: Vec<u8>,
    /// How many bits are set.
    count: usize,
}

impl Bits {
    /// Sets the bit of a row, which was not set before; rows come in rising order.
    #[inline]
    pub fn set(&mut self, row: usize) {
        let byte = row / 8;
        if byte >= self.bytes.len() {
            self.bytes.resize(byte + 1, 0);
        }
        self.bytes[byte] |= 1 << (row % 8);
        self.count += 1;
    }

    /// Whether a row has a value.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> bool {
        self.bytes.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
    }

    /// How many rows have a value.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// The bits; what is not there is not set.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Makes a bit for each row.
    pub fn close(&mut self, rows: usize) {
        self.bytes.resize(rows.div_ceil(8), 0);
    }

    /// Clears the bits from a row on.
    pub fn truncate(&mut self, rows: usize) {
        if self.bytes.len() * 8 <= rows {
            return;
        }
        let keep = rows.div_ceil(8);
        let dropped: u32 = self.bytes[keep..].iter().map(|byte| byte.count_ones()).sum();
        self.count -= dropped as usize;
        self.bytes.truncate(keep);
        if !rows.is_multiple_of(8)
            && let Some(last) = self.bytes.last_mut()
        {
            let kept = *last & ((1 << (rows % 8)) - 1);
            self.count -= (*last ^ kept).count_ones() as usize;
            *last = kept;
        }
    }
}

/// Bytes that all texts of a column may have, for their ends are 32-bit numbers in Arrow.
const MOST: usize = i32::MAX as usize;

/// Makes room for so many times what there is and an eighth more: to be a little short would
/// cost a copy of everything.
pub(super) fn reserve<T>(values: &mut Vec<T>, times: usize) {
    let room = values.len().saturating_mul(times);
    values.reserve(room.saturating_add(room / 8));
}

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
        if self.bytes.len() + text.len() <= MOST {
            self.bytes.extend_from_slice(text);
            self.end(row);
        }
    }

    /// Gives a row a short text that stands at the start of a longer one. (A copy of fixed size
    /// takes less time than the call of a function that asks for the size.)
    #[inline]
    pub fn set_short(&mut self, row: usize, longer: &[u8], length: usize) {
        let start = self.bytes.len();
        match longer.first_chunk::<32>() {
            Some(chunk) if length <= 32 && start + 32 <= MOST => {
                self.bytes.extend_from_slice(chunk);
                self.bytes.truncate(start + length);
                self.end(row);
            }
            _ => self.set(row, longer.get(..length).unwrap_or_default()),
        }
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
        if !self.is_blank() && self.ends.len() <= rows {
            let last = self.ends[self.ends.len() - 1];
            self.ends.resize(rows + 1, last);
        }
        self.valid.close(rows);
    }

    /// Whether no row has a text; there may be no ends then.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.valid.count == 0
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
    pub fn expect(&mut self, times: usize) {
        if !self.is_blank() {
            reserve(&mut self.ends, times);
            reserve(&mut self.bytes, times);
        }
    }
}

macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident, $type:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $name {
            values: Vec<$type>,
            valid: Bits,
        }

        impl $name {
            /// Gives a row its value.
            #[inline]
            pub fn set(&mut self, row: usize, value: $type) {
                if self.values.len() < row {
                    self.values.resize(row, <$type>::default());
                }
                self.values.push(value);
                self.valid.set(row);
            }

            /// The value of a row.
            #[inline]
            #[must_use]
            pub fn get(&self, row: usize) -> Option<$type> {
                if self.valid.get(row) { self.values.get(row).copied() } else { None }
            }

            /// Makes room for so many times what there is.
            pub fn expect(&mut self, times: usize) {
                reserve(&mut self.values, times);
            }

            /// Forgets the rows from this one on.
            pub fn truncate(&mut self, rows: usize) {
                if self.values.len() > rows {
                    self.values.truncate(rows);
                    self.valid.truncate(rows);
                }
            }

            /// Fills in the rows that are missing at the end, unless there is no value at all.
            pub fn close(&mut self, rows: usize) {
                if self.valid.count > 0 && self.values.len() < rows {
                    self.values.resize(rows, <$type>::default());
                }
                self.valid.close(rows);
            }

            /// The values; what stands in a row without one means nothing.
            #[must_use]
            pub fn values(&self) -> &[$type] {
                &self.values
            }

            /// Which rows have a value.
            #[must_use]
            pub fn valid(&self) -> &Bits {
                &self.valid
            }
        }
    };
}

numbers! {
    /// Instants, in microseconds since 1970-01-01 UTC, some of them absent.
    Instants, i64
}

numbers! {
    /// Numbers, some of them absent.
    Floats, f64
}

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
    pub fn expect(&mut self, times: usize) {
        reserve(&mut self.ends, times);
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
