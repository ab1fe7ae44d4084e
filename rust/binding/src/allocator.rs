//! Allocator for large buffers: huge pages, and a cache of freed buffers for the next document.
//!
//! A fresh page costs the kernel more time than the engine needs for the 4 KiB in it: half of the
//! time of reading a sitemap of 43 MB in fresh memory. So large buffers are mapped in pages of
//! 2 MiB where Linux has them, and freed ones are kept, up to [`MAX_CACHED_BYTES`] in all. Smaller
//! allocations are left to the system. There is no state per thread, so threads may come and go.

use std::alloc::{GlobalAlloc, Layout, System};
use std::ptr::{copy_nonoverlapping, null_mut, write_bytes};
use std::sync::Mutex;

/// Limit of the cache. (glibc keeps as many bytes of freed memory.)
const MAX_CACHED_BYTES: usize = 64 << 20;

/// Larger allocations are mapped and cached.
const MIN_SIZE_LOG2: u32 = 18;

/// Sizes of cached buffers: four to each doubling, up to 64 MiB.
const CLASSES: usize = 32;

const BUFFERS_PER_CLASS: usize = 8;

const PAGE: usize = 4096;
const HUGE_PAGE: usize = 2 << 20;

/// Allocator that maps and caches large buffers and leaves the others to the system.
pub struct Allocator;

static CACHE: Mutex<Cache> = Mutex::new(Cache {
    buffers: [[0; BUFFERS_PER_CLASS]; CLASSES],
    counts: [0; CLASSES],
    bytes: 0,
});

/// Freed buffers by size.
struct Cache {
    /// Addresses.
    buffers: [[usize; BUFFERS_PER_CLASS]; CLASSES],
    counts: [usize; CLASSES],
    bytes: usize,
}

/// Size of a mapped buffer.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Size {
    bytes: usize,
    class: usize,
}

impl Size {
    /// Rounds a size up to the next class. Returns `None` for allocations of the system.
    fn of(layout: Layout) -> Option<Self> {
        let size = layout.size();
        if !cfg!(target_os = "linux") || size <= 1 << MIN_SIZE_LOG2 || layout.align() > PAGE {
            return None;
        }
        let doubling = (size - 1).ilog2();
        let quarter = 1 << (doubling - 2);
        // Five to eight quarters. It cannot overflow, because a layout has at most `isize::MAX` bytes.
        let bytes = size.next_multiple_of(quarter);
        let class = 4 * (doubling - MIN_SIZE_LOG2) as usize + bytes / quarter - 5;
        Some(Self { bytes, class })
    }

    /// Takes a buffer from the cache, or maps one. Also says if it is zeroed.
    fn allocate(self) -> (*mut u8, bool) {
        self.take().map_or_else(|| (pages::map(self.bytes), true), |buffer| (buffer, false))
    }

    /// Takes a buffer from the cache. A thread that finds the cache locked does not wait for it: in a
    /// child process, the owner of the lock may not exist.
    fn take(self) -> Option<*mut u8> {
        let mut cache = CACHE.try_lock().ok()?;
        let index = cache.counts.get(self.class)?.checked_sub(1)?;
        cache.counts[self.class] = index;
        cache.bytes -= self.bytes;
        Some(std::ptr::with_exposed_provenance_mut(cache.buffers[self.class][index]))
    }

    /// Puts a buffer into the cache, or unmaps it.
    fn release(self, buffer: *mut u8) {
        if !self.keep(buffer) {
            pages::unmap(buffer, self.bytes);
        }
    }

    fn keep(self, buffer: *mut u8) -> bool {
        let Ok(mut cache) = CACHE.try_lock() else {
            return false;
        };
        if self.class >= CLASSES || cache.bytes + self.bytes > MAX_CACHED_BYTES {
            return false;
        }
        let index = cache.counts[self.class];
        if index == BUFFERS_PER_CLASS {
            return false;
        }
        cache.buffers[self.class][index] = buffer.expose_provenance();
        cache.counts[self.class] += 1;
        cache.bytes += self.bytes;
        true
    }
}

#[cfg(target_os = "linux")]
mod pages {
    use super::{HUGE_PAGE, null_mut};

    /// Maps zeroed memory, aligned to huge pages if it has at least one. Returns null on failure.
    pub fn map(size: usize) -> *mut u8 {
        let margin = if size >= HUGE_PAGE { HUGE_PAGE } else { 0 };
        let Some(mapped) = size.checked_add(margin) else {
            return null_mut();
        };
        let (access, kind) =
            (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
        // SAFETY: an anonymous mapping at an address of the kernel's choice affects no other memory.
        let start = unsafe { libc::mmap(null_mut(), mapped, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return null_mut();
        }
        let start = start.cast::<u8>();
        if margin == 0 {
            return start;
        }
        let before = start.align_offset(HUGE_PAGE);
        let buffer = start.wrapping_add(before);
        unmap(start, before);
        unmap(buffer.wrapping_add(size), margin - before);
        prefer_huge(buffer, size);
        buffer
    }

    /// Returns memory of [`map`] to the kernel.
    pub fn unmap(start: *mut u8, size: usize) {
        if size > 0 {
            // SAFETY: the caller has mapped these bytes and no longer uses them.
            unsafe { libc::munmap(start.cast(), size) };
        }
    }

    /// Requests huge pages for memory that is about to be filled.
    pub fn prefer_huge(start: *mut u8, size: usize) {
        let before = start.align_offset(HUGE_PAGE);
        let inside = size.saturating_sub(before) / HUGE_PAGE * HUGE_PAGE;
        if inside > 0 {
            // SAFETY: the pages belong to the caller; this advice changes no memory, and the kernel
            // may refuse it.
            unsafe {
                libc::madvise(start.wrapping_add(before).cast(), inside, libc::MADV_HUGEPAGE)
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

// SAFETY: the origin of an allocation (system, or mapped) and its size follow from its layout alone,
// so it is returned to where it came from; a mapped buffer has one owner at a time.
unsafe impl GlobalAlloc for Allocator {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        match Size::of(layout) {
            Some(size) => size.allocate().0,
            // SAFETY: by the contract of this method.
            None => unsafe { System.alloc(layout) },
        }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        let Some(size) = Size::of(layout) else {
            // SAFETY: by the contract of this method.
            return unsafe { System.alloc_zeroed(layout) };
        };
        let (buffer, is_zeroed) = size.allocate();
        if !is_zeroed {
            // SAFETY: the buffer has at least as many bytes and no other owner.
            unsafe { write_bytes(buffer, 0, layout.size()) };
        }
        buffer
    }

    unsafe fn dealloc(&self, buffer: *mut u8, layout: Layout) {
        match Size::of(layout) {
            Some(size) => size.release(buffer),
            // SAFETY: by the contract of this method.
            None => unsafe { System.dealloc(buffer, layout) },
        }
    }

    unsafe fn realloc(&self, buffer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: by the contract of this method.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (Size::of(layout), Size::of(wanted)) {
            // SAFETY: by the contract of this method.
            (None, None) => unsafe { System.realloc(buffer, layout, size) },
            (old, new) if old == new => buffer,
            _ => {
                // SAFETY: by the contract of this method; both buffers have the bytes that are copied.
                unsafe {
                    let moved = self.alloc(wanted);
                    if !moved.is_null() {
                        copy_nonoverlapping(buffer, moved, layout.size().min(size));
                        self.dealloc(buffer, layout);
                    }
                    moved
                }
            }
        }
    }
}
