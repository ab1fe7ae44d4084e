//! Reservation of memory for a growing column.

/// Reserves space for `times` times the current length plus one eighth, because a reservation that
/// is slightly too small costs a copy of the whole column.
pub(super) fn reserve_times<T>(values: &mut Vec<T>, times: usize) {
    let additional = values.len().saturating_mul(times);
    values.reserve(additional.saturating_add(additional / 8));
}
