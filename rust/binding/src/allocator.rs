//! Allocator for whole columns: in huge pages, and cache for the next document.
//!
//! A new page costs the kernel more than all that is ever done with the 4 KiB in it: a sitemap
//! of 43 MB, read into new memory, waited half of its time for pages. So big blocks lie in pages
//! of 2 MiB, where Linux has them to give, and those that are freed are cache for whoever comes
//! next, up to [`MAX_CACHED_BYTES`] in all.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{copy_nonoverlapping, null_mut, write_bytes};
use std::sync::Mutex;

/// Bytes that are cache at most. (Glibc keeps as many of what it is given back.)
const MAX_CACHED_BYTES: usize = 64 << 20;

/// Blocks are bigger than two to the power of so many bytes; others are the system's.
const MIN_SIZE_LOG2: u32 = 16;

/// Sizes of blocks that are cache: four to each doubling, up to 64 MiB.
const CLASSES: usize = 40;

/// Blocks of each size that are cache at most.
const BLOCKS_PER_CLASS: usize = 16;

const PAGE: usize = 4096;
const HUGE_PAGE: usize = 2 << 20;

/// The allocator: big blocks are ours, the others the system's.
pub struct Allocator;

static CACHE: Mutex<BlockCache> = Mutex::new(BlockCache {
    blocks: [[0; BLOCKS_PER_CLASS]; CLASSES],
    counts: [0; CLASSES],
    bytes: 0,
});

/// Blocks that nobody uses, by size.
struct BlockCache {
    /// Addresses.
    blocks: [[usize; BLOCKS_PER_CLASS]; CLASSES],
    counts: [usize; CLASSES],
    bytes: usize,
}

/// A size that blocks have.
#[derive(Clone, Copy, PartialEq, Eq)]
struct BlockSize {
    bytes: usize,
    /// Which one it is, from the smallest on.
    class: usize,
}

/// The size that a big block really has; none where the block is the system's.
fn size_of(layout: Layout) -> Option<BlockSize> {
    let size = layout.size();
    if !cfg!(target_os = "linux") || size <= 1 << MIN_SIZE_LOG2 || layout.align() > PAGE {
        return None;
    }
    let doubling = (size - 1).ilog2();
    let quarter = 1 << (doubling - 2);
    let bytes = size.checked_next_multiple_of(quarter)?;
    // Five to eight quarters.
    let class = 4 * (doubling - MIN_SIZE_LOG2) as usize + bytes / quarter - 5;
    Some(BlockSize { bytes, class })
}

/// Takes a block from those that are cache. Whoever finds the lock taken does without: nobody
/// waits here, not even a process that was forked while another thread held it.
fn take(size: BlockSize) -> Option<*mut u8> {
    let mut cache = CACHE.try_lock().ok()?;
    let index = cache.counts.get(size.class)?.checked_sub(1)?;
    cache.counts[size.class] = index;
    cache.bytes -= size.bytes;
    Some(cache.blocks[size.class][index] as *mut u8)
}

/// Keeps a block, if there is room for it.
fn keep(block: *mut u8, size: BlockSize) -> bool {
    let Ok(mut cache) = CACHE.try_lock() else {
        return false;
    };
    if size.class >= CLASSES || cache.bytes + size.bytes > MAX_CACHED_BYTES {
        return false;
    }
    let index = cache.counts[size.class];
    if index == BLOCKS_PER_CLASS {
        return false;
    }
    cache.blocks[size.class][index] = block as usize;
    cache.counts[size.class] += 1;
    cache.bytes += size.bytes;
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
unsafe impl GlobalAlloc for Allocator {
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
