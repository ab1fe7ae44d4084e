//! Work without the GIL, if there is enough of it.

use pyo3::prelude::*;

/// Least bytes for which work releases the GIL. Between two busy threads, the switch takes longer
/// than to parse fewer.
const MIN_DETACHED: usize = 16 << 10;

/// Does work on `size` bytes, and releases the GIL if they are many. The work waits for no mutex.
pub fn detached<T: Send>(py: Python<'_>, size: usize, work: impl FnOnce() -> T + Send) -> T {
    if size < MIN_DETACHED { work() } else { py.detach(work) }
}
