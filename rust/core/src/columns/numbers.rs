//! Columns of instants and of numbers.

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
            pub fn reserve_times(&mut self, times: usize) {
                reserve_times(&mut self.values, times);
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
                if self.valid.count() > 0 && self.values.len() < rows {
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
