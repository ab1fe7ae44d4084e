//! Memory for whole columns: in huge pages, and kept for the next document.
//!
//! A new page costs the kernel more than all that is ever done with the 4 KiB in it: a sitemap
//! of 43 MB, read into new memory, waited half of its time for pages. So big blocks lie in pages
//! of 2 MiB, where Linux has them to give, and those that are freed are kept for whoever comes
//! next, up to [`MOST_KEPT`] in all.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{copy_nonoverlapping, null_mut, write_bytes};
use std::sync::Mutex;

/// Bytes that are kept at most. (Glibc keeps as many of what it is given back.)
const MOST_KEPT: usize = 64 << 20;

/// Blocks are bigger than two to the power of so many bytes; others are the system's.
const FIRST: u32 = 16;

/// Sizes of blocks that are kept: four to each doubling, up to 64 MiB.
const SIZES: usize = 40;

/// Blocks of each size that are kept at most.
const PLACES: usize = 16;

const PAGE: usize = 4096;
const HUGE_PAGE: usize = 2 << 20;

/// The allocator: big blocks are ours, the others the system's.
pub struct Memory;

static KEPT: Mutex<Kept> =
    Mutex::new(Kept { blocks: [[0; PLACES]; SIZES], counts: [0; SIZES], bytes: 0 });

/// Blocks that nobody uses, by size.
struct Kept {
    /// Addresses.
    blocks: [[usize; PLACES]; SIZES],
    counts: [usize; SIZES],
    bytes: usize,
}

/// A size that blocks have.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Size {
    bytes: usize,
    /// Which one it is, from the smallest on.
    shelf: usize,
}

/// The size that a big block really has; none where the block is the system's.
fn size_of(layout: Layout) -> Option<Size> {
    let size = layout.size();
    if !cfg!(target_os = "linux") || size <= 1 << FIRST || layout.align() > PAGE {
        return None;
    }
    let doubling = (size - 1).ilog2();
    let quarter = 1 << (doubling - 2);
    let bytes = size.checked_next_multiple_of(quarter)?;
    // Five to eight quarters.
    let shelf = 4 * (doubling - FIRST) as usize + bytes / quarter - 5;
    Some(Size { bytes, shelf })
}

/// Takes a block from those that are kept. Whoever finds the lock taken does without: nobody
/// waits here, not even a process that was forked while another thread held it.
fn take(size: Size) -> Option<*mut u8> {
    let mut kept = KEPT.try_lock().ok()?;
    let place = kept.counts.get(size.shelf)?.checked_sub(1)?;
    kept.counts[size.shelf] = place;
    kept.bytes -= size.bytes;
    Some(kept.blocks[size.shelf][place] as *mut u8)
}

/// Keeps a block, if there is room for it.
fn keep(block: *mut u8, size: Size) -> bool {
    let Ok(mut kept) = KEPT.try_lock() else {
        return false;
    };
    if size.shelf >= SIZES || kept.bytes + size.bytes > MOST_KEPT {
        return false;
    }
    let place = kept.counts[size.shelf];
    if place == PLACES {
        return false;
    }
    kept.blocks[size.shelf][place] = block as usize;
    kept.counts[size.shelf] += 1;
    kept.bytes += size.bytes;
    true
}

#[cfg(target_os = "linux")]
mod pages {
    use super::{HUGE_PAGE, null_mut};

    /// New zeroed memory.
    pub fn map(size: usize) -> *mut u8 {
        let margin = if size >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping where the kernel likes touches nothing that is in use.
        let start = unsafe { libc::mmap(null_mut(), size + margin, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return null_mut();
        }
        let start = start.cast::<u8>();
        let before = start.align_offset(HUGE_PAGE);
        if margin > 0 {
            let block = start.wrapping_add(before);
            unmap(start, before);
            unmap(block.wrapping_add(size), margin - before);
            prefer_huge(block, size);
            return block;
        }
        start
    }

    pub fn unmap(block: *mut u8, size: usize) {
        if size > 0 {
            // SAFETY: whoever calls has mapped these bytes and has no more use for them.
            unsafe { libc::munmap(block.cast(), size) };
        }
    }

    /// Asks for huge pages under memory that is about to be filled.
    pub fn prefer_huge(block: *mut u8, size: usize) {
        let before = block.align_offset(HUGE_PAGE);
        let inside = size.saturating_sub(before) / HUGE_PAGE * HUGE_PAGE;
        if inside > 0 {
            // SAFETY: advice changes no memory; it may be refused, and nothing depends on it.
            unsafe {
                libc::madvise(block.wrapping_add(before).cast(), inside, libc::MADV_HUGEPAGE)
            };
        }
    }
}

#[cfg(not(target_os = "linux"))]
mod pages {
    pub fn map(_: usize) -> *mut u8 {
        super::null_mut()
    }
    pub fn unmap(_: *mut u8, _: usize) {}
    pub fn prefer_huge(_: *mut u8, _: usize) {}
}

pub use pages::prefer_huge;

// SAFETY: which of two allocators a block comes from, and its size, follow from its layout alone,
// so that a block goes back where it came from; blocks of ours are mapped for one owner at a time.
unsafe impl GlobalAlloc for Memory {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match size_of(layout) {
            Some(size) => take(size).unwrap_or_else(|| pages::map(size.bytes)),
            // SAFETY: as our caller promises.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(size) = size_of(layout) else {
            // SAFETY: as our caller promises.
            return unsafe { System.alloc_zeroed(layout) };
        };
        match take(size) {
            Some(block) => {
                // SAFETY: the block has at least as many bytes, and nobody else has it.
                unsafe { write_bytes(block, 0, layout.size()) };
                block
            }
            None => pages::map(size.bytes),
        }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        match size_of(layout) {
            Some(size) if keep(block, size) => {}
            Some(size) => pages::unmap(block, size.bytes),
            // SAFETY: as our caller promises.
            None => unsafe { System.dealloc(block, layout) },
        }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as our caller promises.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (size_of(layout), size_of(wanted)) {
            // SAFETY: as our caller promises.
            (None, None) => unsafe { System.realloc(block, layout, size) },
            (old, new) if old == new => block,
            _ => {
                // SAFETY: as our caller promises; both blocks have the bytes that are copied.
                unsafe {
                    let moved = self.alloc(wanted);
                    if !moved.is_null() {
                        copy_nonoverlapping(block, moved, layout.size().min(size));
                        self.dealloc(block, layout);
                    }
                    moved
                }
            }
        }
    }
}
