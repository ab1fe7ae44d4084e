//! Room for what is to come.

/// Makes room for so many times what there is and an eighth more: to be a little short would
/// cost a copy of everything.
pub(super) fn reserve_times<T>(values: &mut Vec<T>, times: usize) {
    let room = values.len().saturating_mul(times);
    values.reserve(room.saturating_add(room / 8));
}
