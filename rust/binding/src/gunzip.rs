//! Gzip decompression by libdeflate, directly into a `bytes` object.

use libdeflate_sys as sys;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use urlset_core::gzip::header_length;

use crate::detached::detached;
use crate::py_buffer::{RawSlice, UninitBytes};

/// Decompresses valid gzip data of at most `limit` bytes. Returns None for anything else.
#[pyfunction]
pub fn gunzip<'py>(
    py: Python<'py>,
    data: &[u8],
    limit: usize,
) -> PyResult<Option<Bound<'py, PyBytes>>> {
    let size = size_hint(data).min(limit);
    // Usual case: a single member whose trailer states the size. It needs no copy.
    let buffer = UninitBytes::new(py, size)?;
    let output = buffer.slice();
    // SAFETY: the buffer has the stated size and no other owner.
    let found = detached(py, size, move || unsafe { Decompressor::new()?.member(data, output) });
    match found {
        Some(Outcome::Done { used, written }) if used == data.len() && written == size => {
            // SAFETY: the whole buffer was written.
            Ok(Some(unsafe { buffer.assume_init() }))
        }
        None | Some(Outcome::Damaged) => Ok(None),
        Some(_) => {
            let unpacked = py.detach(|| all_members(data, limit));
            Ok(unpacked.map(|unpacked| PyBytes::new(py, &unpacked)))
        }
    }
}

/// Returns the size in the trailer, limited to what deflate can expand to (1032:1). The trailer may
/// belong to another member, or be wrong.
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
            // Reuse the space that the previous member left: no byte is zeroed twice.
            if unpacked.len() < start + tried {
                unpacked.resize(start + tried, 0);
            }
            let out = &mut unpacked[start..start + tried];
            let output = RawSlice { start: out.as_mut_ptr(), size: out.len() };
            // SAFETY: the output is a slice without another user.
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

/// Result of decompressing a member.
enum Outcome {
    Done { used: usize, written: usize },
    TooSmall,
    Damaged,
}

/// Decompressor of libdeflate. The wrapper in `libdeflater` does not return how much input it used,
/// which is needed to find the end of a member.
struct Decompressor(*mut sys::libdeflate_decompressor);

impl Decompressor {
    fn new() -> Option<Self> {
        // SAFETY: the function has no preconditions; it returns null if memory is short.
        let pointer = unsafe { sys::libdeflate_alloc_decompressor() };
        (!pointer.is_null()).then_some(Self(pointer))
    }

    /// Decompresses the member at the start of `data`.
    ///
    /// # Safety
    ///
    /// `out` must have the stated size and no other user.
    unsafe fn member(&mut self, data: &[u8], out: RawSlice) -> Option<Outcome> {
        header_length(data)?;
        let (mut used, mut written) = (0, 0);
        // SAFETY: the decompressor is alive, because only `drop` frees it; the pointers and lengths
        // are those of a slice that outlives the call and of an output without another user, which
        // is written and not read; the last two point to locals.
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
