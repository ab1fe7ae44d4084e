//! Columns of instants and of floats.

use super::bits::Bits;
use super::reserve::reserve_times;

macro_rules! numbers {
    ($(#[$doc:meta])* $name:ident, $type:ty) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default)]
        pub struct $name {
            values: Vec<$type>,
            valid: Bits,
        }

        impl $name {
            /// Sets the value of a row.
            #[inline]
            pub fn set(&mut self, row: usize, value: $type) {
                if self.values.len() < row {
                    self.values.resize(row, <$type>::default());
                }
                self.values.push(value);
                self.valid.set(row);
            }

            /// Adds the rows of a closed column from row `first` on.
            pub fn append(&mut self, first: usize, other: &Self) {
                if other.valid.count() > 0 {
                    self.values.resize(first, <$type>::default());
                    self.values.extend_from_slice(&other.values);
                    self.valid.extend(first, other.values.len(), Some(other.valid.bytes()));
                }
            }

            /// Returns the value of a row.
            #[inline]
            #[must_use]
            pub fn get(&self, row: usize) -> Option<$type> {
                if self.valid.get(row) { self.values.get(row).copied() } else { None }
            }

            /// Reserves space for `times` times the current content.
            pub fn reserve_times(&mut self, times: usize) {
                reserve_times(&mut self.values, times);
            }

            /// Discards the rows from `rows` on.
            pub fn truncate(&mut self, rows: usize) {
                if self.values.len() > rows {
                    self.values.truncate(rows);
                    self.valid.truncate(rows);
                }
            }

            /// Fills in missing rows up to `rows`, unless there is no value at all.
            pub fn close(&mut self, rows: usize) {
                if self.valid.count() > 0 && self.values.len() < rows {
                    self.values.resize(rows, <$type>::default());
                }
                self.valid.close(rows);
            }

            /// Returns the values. The value of a null row is unspecified.
            #[must_use]
            pub fn values(&self) -> &[$type] {
                &self.values
            }

            /// Returns the validity bitmap.
            #[must_use]
            pub fn valid(&self) -> &Bits {
                &self.valid
            }
        }
    };
}

numbers! {
    /// Nullable instants, in microseconds since 1970-01-01 UTC.
    Instants, i64
}

numbers! {
    /// Nullable floats.
    Floats, f64
}
