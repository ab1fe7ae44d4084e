//! Uninitialized `bytes` objects, filled in place. Large ones use huge pages.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::allocator::prefer_huge;

/// `bytes` object that is not filled yet.
pub struct UninitBytes<'py> {
    bytes: Bound<'py, PyBytes>,
    start: *mut u8,
    size: usize,
}

/// Location of a buffer, for a thread without the GIL.
#[derive(Clone, Copy)]
pub struct RawSlice {
    /// First byte.
    pub start: *mut u8,
    /// Number of bytes.
    pub size: usize,
}

// SAFETY: only the creator of the buffer refers to it, and it waits.
unsafe impl Send for RawSlice {}

impl<'py> UninitBytes<'py> {
    /// Allocates a buffer.
    pub fn new(py: Python<'py>, size: usize) -> PyResult<Self> {
        let length = ffi::Py_ssize_t::try_from(size)?;
        // SAFETY: without a source there are no preconditions; null is reported as an error;
        // otherwise the result is a `bytes` object without another reference, which may be filled.
        let (bytes, start) = unsafe {
            let object = ffi::PyBytes_FromStringAndSize(std::ptr::null(), length);
            let bytes = Bound::from_owned_ptr_or_err(py, object)?.cast_into_unchecked();
            (bytes, ffi::PyBytes_AsString(object).cast::<u8>())
        };
        prefer_huge(start, size);
        Ok(Self { bytes, start, size })
    }

    /// Returns the location of the buffer.
    pub fn slice(&self) -> RawSlice {
        RawSlice { start: self.start, size: self.size }
    }

    /// Returns the `bytes` object.
    ///
    /// # Safety
    ///
    /// All bytes must have been written.
    pub unsafe fn assume_init(self) -> Bound<'py, PyBytes> {
        self.bytes
    }
}

/// Concatenates parts.
pub fn concat<'py, const N: usize>(
    py: Python<'py>,
    parts: [&[u8]; N],
) -> PyResult<Bound<'py, PyBytes>> {
    let buffer = UninitBytes::new(py, parts.iter().map(|part| part.len()).sum())?;
    let slice = buffer.slice();
    py.detach(move || {
        // Move the whole struct, because its fields are not `Send`.
        let RawSlice { start: mut at, .. } = { slice };
        for part in parts {
            // SAFETY: the buffer has the total size of the parts and no other owner.
            at = unsafe {
                std::ptr::copy_nonoverlapping(part.as_ptr(), at, part.len());
                at.add(part.len())
            };
        }
    });
    // SAFETY: the parts fill the buffer.
    Ok(unsafe { buffer.assume_init() })
}
