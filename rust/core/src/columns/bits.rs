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
        let (start, shift) = (first / 8, first % 8);
        self.bytes.resize(start + (shift + rows).div_ceil(8), 0);
        for number in 0..rows.div_ceil(8) {
            let used = u8::MAX >> (8 - (rows - 8 * number).min(8));
            let byte = bits.map_or(u8::MAX, |bits| bits[number]) & used;
            self.count += byte.count_ones() as usize;
            self.bytes[start + number] |= byte << shift;
            if shift > 0
                && let Some(next) = self.bytes.get_mut(start + number + 1)
            {
                *next |= byte >> (8 - shift);
            }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_are_added_at_any_position() {
        let added = [0b1010_0110, 0b0111_0101, 0b1101_1001];
        let is_set = |row: usize| added[row / 8] >> (row % 8) & 1 == 1;
        for first in 0..20 {
            for rows in 0..24 {
                for bits in [Some(&added[..]), None] {
                    let mut extended = Bits::default();
                    (0..first).step_by(3).for_each(|row| extended.set(row));
                    let mut expected = extended.clone();
                    extended.extend(first, rows, bits);
                    let rows_set = (0..rows).filter(|row| bits.is_none() || is_set(*row));
                    rows_set.for_each(|row| expected.set(first + row));
                    expected.close(first + rows);
                    extended.close(first + rows);
                    assert_eq!(
                        (&extended.bytes, extended.count),
                        (&expected.bytes, expected.count),
                        "{first} {rows}"
                    );
                }
            }
        }
    }
}
