//! Gzip unpacked by libdeflate, all members, straight into the bytes that Python gets.

use libdeflate_sys as sys;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_core::gzip::header_length;

use crate::py_buffer::{RawSlice, UninitBytes};

/// Unpacks flawless gzip of at most `limit` bytes; None for all else.
#[pyfunction]
pub fn gunzip<'py>(
    py: Python<'py>,
    data: &[u8],
    limit: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let size = size_hint(data).min(limit);
    // One member whose trailer tells its size: what is usual needs no copy.
    let buffer = UninitBytes::new(py, size)?;
    let output = buffer.slice();
    // SAFETY: the capacity is as big as it says, and nobody else knows of it.
    let found = py.detach(move || unsafe { Decompressor::new()?.member(data, output) });
    match found {
        Some(Outcome::Done { used, written }) if used == data.len() && written == size => {
            // SAFETY: as many bytes were written as there is capacity for.
            Ok(Some(unsafe { buffer.assume_init() }))
        }
        None | Some(Outcome::Damaged) => Ok(None),
        Some(_) => {
            let unpacked = py.detach(|| all_members(data, limit));
            Ok(unpacked.map(|unpacked| PyBytes::new(py, &unpacked)))
        }
    }
}

/// The size that the trailer promises, if deflate could unpack to that: it may be another
/// member's trailer, or a lie. (1032:1 is deflate's best.)
fn size_hint(data: &[u8]) -> usize {
    let promised = data.last_chunk().map_or(0, |trailer| u32::from_le_bytes(*trailer));
    let most = data.len().saturating_mul(1032);
    usize::try_from(promised).map_or(most, |promised| promised.min(most))
}

fn all_members(data: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut unpacker = Decompressor::new()?;
    let mut unpacked = Vec::new();
    let mut start = 0;
    let mut rest = data;
    let mut size = size_hint(data).clamp(4096, 1 << 24);
    while !rest.is_empty() {
        let capacity = limit.checked_sub(start)?;
        let used = loop {
            let tried = size.min(capacity);
            // What one member left free is there for the next: nothing is made ready twice.
            if unpacked.len() < start + tried {
                unpacked.resize(start + tried, 0);
            }
            let out = &mut unpacked[start..start + tried];
            let output = RawSlice { start: out.as_mut_ptr(), size: out.len() };
            // SAFETY: the place is a slice that nobody else uses.
            match unsafe { unpacker.member(rest, output) }? {
                Outcome::Done { used, written } => {
                    start += written;
                    break used;
                }
                Outcome::TooSmall if tried < capacity => size = size.saturating_mul(2),
                _ => return None,
            }
        };
        rest = rest.get(used..)?;
    }
    unpacked.truncate(start);
    (!data.is_empty()).then_some(unpacked)
}

/// What came of unpacking one member.
enum Outcome {
    Done { used: usize, written: usize },
    TooSmall,
    Damaged,
}

/// Libdeflate's decompressor. (`libdeflater` wraps it, but does not tell how much of its input
/// it used, and so cannot see where a member ends.)
struct Decompressor(*mut sys::libdeflate_decompressor);

impl Decompressor {
    fn new() -> Option<Self> {
        // SAFETY: the function has no conditions; it returns null where memory is short.
        let pointer = unsafe { sys::libdeflate_alloc_decompressor() };
        (!pointer.is_null()).then_some(Self(pointer))
    }

    /// Unpacks the member that `data` begins with.
    ///
    /// # Safety
    ///
    /// There are as many bytes in `out` as it says, and nobody else uses them.
    unsafe fn member(&mut self, data: &[u8], out: RawSlice) -> Option<Outcome> {
        header_length(data)?;
        let (mut used, mut written) = (0, 0);
        // SAFETY: the decompressor is alive, for `drop` alone ends it; the pointers and lengths
        // are those of a slice that outlives the call and of a place that is the caller's alone,
        // which is written and not read; the last two point to locals.
        let result = unsafe {
            sys::libdeflate_gzip_decompress_ex(
                self.0,
                data.as_ptr().cast(),
                data.len(),
                out.start.cast(),
                out.size,
                &raw mut used,
                &raw mut written,
            )
        };
        Some(match result {
            sys::libdeflate_result_LIBDEFLATE_SUCCESS => Outcome::Done { used, written },
            sys::libdeflate_result_LIBDEFLATE_INSUFFICIENT_SPACE => Outcome::TooSmall,
            _ => Outcome::Damaged,
        })
    }
}

impl Drop for Decompressor {
    fn drop(&mut self) {
        // SAFETY: the pointer came from `libdeflate_alloc_decompressor` and is freed once.
        unsafe { sys::libdeflate_free_decompressor(self.0) }
    }
}
