//! Threads for the work on one large document.

use std::num::NonZero;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// Maximum number of threads for a document.
const MAX_THREADS: usize = 4;

/// Number of threads that work on large documents. It only says how many processors are idle. A
/// child process may have counted threads that it does not have; then it uses fewer.
static BUSY: AtomicUsize = AtomicUsize::new(0);

/// Number of processors that this process may use.
static AVAILABLE: OnceLock<usize> = OnceLock::new();

/// Processors that a document uses: one, and those that were idle.
pub struct Processors(usize);

impl Processors {
    /// Takes one processor, and up to `wanted` if they are idle.
    pub fn take(wanted: usize) -> Self {
        #[cfg(test)]
        let wanted = if tests::ALONE.get() { 1 } else { wanted };
        let busy = BUSY.fetch_add(1, Ordering::Relaxed);
        let idle = available().saturating_sub(busy + 1);
        let others = idle.min(wanted.min(MAX_THREADS).saturating_sub(1));
        BUSY.fetch_add(others, Ordering::Relaxed);
        Self(1 + others)
    }

    /// Returns their number.
    pub fn count(&self) -> usize {
        self.0
    }
}

impl Drop for Processors {
    fn drop(&mut self) {
        BUSY.fetch_sub(self.0, Ordering::Relaxed);
    }
}

/// Returns [`AVAILABLE`].
fn available() -> usize {
    if cfg!(test) {
        return usize::MAX;
    }
    *AVAILABLE.get_or_init(|| thread::available_parallelism().map_or(1, NonZero::get))
}

#[cfg(test)]
pub use tests::alone;

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        pub(super) static ALONE: Cell<bool> = const { Cell::new(false) };
    }

    /// Returns what a function returns that uses one processor.
    pub fn alone<T>(function: impl FnOnce() -> T) -> T {
        ALONE.set(true);
        let returned = function();
        ALONE.set(false);
        returned
    }

    #[test]
    fn processors_are_limited() {
        let count = |wanted| Processors::take(wanted).count();
        assert_eq!([0, 1, 2, 4, 100].map(count), [1, 1, 2, 4, 4]);
        assert_eq!(alone(|| count(4)), 1);
    }
}
