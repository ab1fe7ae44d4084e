//! Uninitialized `bytes` objects: filled in place, in huge pages when they are big.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// A `bytes` object that is not filled yet.
pub struct UninitBytes<'py> {
    bytes: Bound<'py, PyBytes>,
    start: *mut u8,
    size: usize,
}

/// Where a buffer is, for a thread that does not hold the GIL.
#[derive(Clone, Copy)]
pub struct RawSlice {
    /// The first byte.
    pub start: *mut u8,
    /// How many there are.
    pub size: usize,
}

// SAFETY: nobody but who made the buffer knows of it, and that one waits.
unsafe impl Send for RawSlice {}

impl<'py> UninitBytes<'py> {
    /// Makes buffer for so many bytes.
    pub fn new(py: Python<'py>, size: usize) -> PyResult<Self> {
        let length = ffi::Py_ssize_t::try_from(size)?;
        // SAFETY: without a source there are no conditions; null is an error, and told as one;
        // else it is an object of this type, whose bytes are ours to fill while nobody has it.
        let (bytes, start) = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), length);
            let bytes = Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked();
            (bytes, ffi::PyBytes_AsString(object).cast::<u8>())
        };
        prefer_huge(start, size);
        Ok(Self { bytes, start, size })
    }

    /// Where it is.
    pub fn slice(&self) -> RawSlice {
        RawSlice { start: self.start, size: self.size }
    }

    /// The bytes.
    ///
    /// # Safety
    ///
    /// All of them have been written.
    pub unsafe fn assume_init(self) -> Bound<'py, PyBytes> {
        self.bytes
    }
}

/// Parts, one behind the other.
pub fn concat<'py, const N: usize>(
    py: Python<'py>,
    parts: [&[u8]; N],
) -> PyResult<Bound<'py, PyBytes>> {
    let buffer = UninitBytes::new(py, parts.iter().map(|part| part.len()).sum())?;
    let slice = buffer.slice();
    py.detach(move || {
        // Whole, for its parts alone may not go to another thread.
        let RawSlice { start: mut at, .. } = { slice };
        for part in parts {
            // SAFETY: the buffer is as big as all parts, and nobody else knows of it.
            at = unsafe {
                std::ptr::copy_nonoverlapping(part.as_ptr(), at, part.len());
                at.add(part.len())
            };
        }
    });
    // SAFETY: the parts fill the buffer.
    Ok(unsafe { buffer.assume_init() })
}

/// Requests huge pages for memory that is about to be filled.
#[cfg(target_os = "linux")]
fn prefer_huge(block: *mut u8, size: usize) {
    let before = block.align_offset(HUGE_PAGE);
    let inside = size.saturating_sub(before) / HUGE_PAGE * HUGE_PAGE;
    if inside > 0 {
        // SAFETY: the pages belong to the caller; this advice changes no memory, and the kernel
        // may refuse it.
        unsafe { libc::madvise(block.wrapping_add(before).cast(), inside, libc::MADV_HUGEPAGE) };
    }
}

#[cfg(not(target_os = "linux"))]
fn prefer_huge(_: *mut u8, _: usize) {}
