//! The allocator of the engine: that of the system, with huge pages for large blocks.
//!
//! The columns of a document of 40 MB are 50 MB of new memory, because the system's allocator
//! returns blocks of this size to the kernel. In pages of 4 KB the kernel needs half as long to
//! provide them as the parser needs to fill them, for each document again.
//!
//! There is no state: a block is a mapping of its own, and ends with it. An allocator that keeps
//! memory for each thread depends on the start and end of threads that an extension module does
//! not control: mimalloc 3.3 ended half of the processes with a thousand short-lived threads.

#[cfg(target_os = "linux")]
mod large {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::ptr::null_mut;

    use super::{HUGE_PAGE, advise};

    const PAGE: usize = 4096;

    #[global_allocator]
    static ALLOCATOR: Allocator = Allocator;

    struct Allocator;

    // SAFETY: the size and alignment of a layout decide who has its block; each call with a block
    // gets the layout that it was allocated with.
    unsafe impl GlobalAlloc for Allocator {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            if is_large(layout) { map(layout.size()) } else { unsafe { System.alloc(layout) } }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            if is_large(layout) {
                map(layout.size())
            } else {
                unsafe { System.alloc_zeroed(layout) }
            }
        }

        unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
            if is_large(layout) {
                unmap(block, rounded(layout.size()));
            } else {
                unsafe { System.dealloc(block, layout) }
            }
        }

        unsafe fn realloc(&self, block: *mut u8, old: Layout, size: usize) -> *mut u8 {
            // SAFETY: the caller promises a size that is valid with this alignment.
            let new = unsafe { Layout::from_size_align_unchecked(size, old.align()) };
            if !is_large(old) && !is_large(new) {
                return unsafe { System.realloc(block, old, size) };
            }
            if is_large(old) && is_large(new) {
                let moved = resize(block, rounded(old.size()), rounded(size));
                if !moved.is_null() {
                    return moved;
                }
            }
            unsafe {
                let moved = self.alloc(new);
                if !moved.is_null() {
                    moved.copy_from_nonoverlapping(block, old.size().min(size));
                    self.dealloc(block, old);
                }
                moved
            }
        }
    }

    /// Returns whether a block has a mapping of its own: it has room for a huge page.
    fn is_large(layout: Layout) -> bool {
        layout.size() >= HUGE_PAGE && layout.align() <= HUGE_PAGE
    }

    fn rounded(size: usize) -> usize {
        size.next_multiple_of(PAGE) // a layout has at most `isize::MAX` bytes
    }

    /// Returns a new mapping of zeros that begins at a huge page, or null.
    fn map(size: usize) -> *mut u8 {
        let size = rounded(size);
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new anonymous mapping replaces no other.
        let start = unsafe { libc::mmap(null_mut(), size + HUGE_PAGE, access, kind, -1, 0) };
        if start == libc::MAP_FAILED {
            return null_mut();
        }
        let start = start.cast::<u8>();
        let before = start.align_offset(HUGE_PAGE);
        let block = start.wrapping_add(before);
        unmap(start, before);
        unmap(block.wrapping_add(size), HUGE_PAGE - before);
        advise(block, size);
        block
    }

    /// Changes the size of a mapping; returns null if the kernel refuses, and the mapping stays.
    fn resize(block: *mut u8, old: usize, size: usize) -> *mut u8 {
        // SAFETY: the mapping belongs to the caller. The kernel moves pages, not bytes.
        let moved = unsafe { libc::mremap(block.cast(), old, size, libc::MREMAP_MAYMOVE) };
        if moved == libc::MAP_FAILED {
            return null_mut();
        }
        advise(moved.cast(), size);
        moved.cast()
    }

    fn unmap(start: *mut u8, size: usize) {
        if size > 0 {
            // SAFETY: this part of a mapping belongs to the caller, and nothing refers to it.
            unsafe { libc::munmap(start.cast(), size) };
        }
    }
}

/// Size of a huge page of x86-64, and of `AArch64` with pages of 4 KB.
#[cfg(target_os = "linux")]
const HUGE_PAGE: usize = 2 << 20;

/// Requests huge pages for the whole pages of a block that is about to be filled.
#[cfg(target_os = "linux")]
pub fn prefer_huge(block: *mut u8, size: usize) {
    let before = block.align_offset(HUGE_PAGE);
    let inside = size.saturating_sub(before) / HUGE_PAGE * HUGE_PAGE;
    if inside > 0 {
        advise(block.wrapping_add(before), inside);
    }
}

/// Requests huge pages for a part of memory that begins at a page.
#[cfg(target_os = "linux")]
fn advise(start: *mut u8, size: usize) {
    // SAFETY: this advice changes no memory, and the kernel may refuse it.
    unsafe { libc::madvise(start.cast(), size, libc::MADV_HUGEPAGE) };
}

#[cfg(not(target_os = "linux"))]
pub fn prefer_huge(_: *mut u8, _: usize) {}
