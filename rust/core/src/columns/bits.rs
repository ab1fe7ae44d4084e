//! Validity bitmap of a column.

/// Validity bitmap: one bit per row, least significant bit first, as in Arrow.
#[derive(Clone, Debug, Default)]
pub struct Bits {
    bytes: Vec<u8>,
    /// Number of set bits.
    count: usize,
}

impl Bits {
    /// Sets the bit of a row. The bit is not set yet, and rows come in ascending order.
    #[inline]
    pub fn set(&mut self, row: usize) {
        let byte = row / 8;
        if byte == self.bytes.len() {
            self.bytes.push(0);
        } else if byte > self.bytes.len() {
            self.bytes.resize(byte + 1, 0);
        }
        self.bytes[byte] |= 1 << (row % 8);
        self.count += 1;
    }

    /// Sets the bits of `rows` rows from `first` on: those set in `bits`, or all of them.
    pub fn extend(&mut self, first: usize, rows: usize, bits: Option<&[u8]>) {
        if !first.is_multiple_of(8) {
            let is_set = |row: &usize| bits.is_none_or(|bits| bits[row / 8] >> (row % 8) & 1 == 1);
            (0..rows).filter(is_set).for_each(|row| self.set(first + row));
            return;
        }
        let added = rows.div_ceil(8);
        self.bytes.resize(first / 8, 0);
        match bits {
            Some(bits) => self.bytes.extend_from_slice(&bits[..added]),
            None => self.bytes.resize(first / 8 + added, u8::MAX),
        }
        if !rows.is_multiple_of(8)
            && let Some(last) = self.bytes.last_mut()
        {
            *last &= (1 << (rows % 8)) - 1;
        }
        let added = &self.bytes[first / 8..];
        self.count += added.iter().map(|byte| byte.count_ones() as usize).sum::<usize>();
    }

    /// Returns whether a row has a value.
    #[inline]
    #[must_use]
    pub fn get(&self, row: usize) -> bool {
        self.bytes.get(row / 8).is_some_and(|byte| byte >> (row % 8) & 1 == 1)
    }

    /// Returns the number of rows with a value.
    #[must_use]
    pub fn count(&self) -> usize {
        self.count
    }

    /// Returns the bitmap. Bits past its end count as not set.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Extends the bitmap to `rows` rows.
    pub fn close(&mut self, rows: usize) {
        self.bytes.resize(rows.div_ceil(8), 0);
    }

    /// Clears the bits of all rows from `rows` on.
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
