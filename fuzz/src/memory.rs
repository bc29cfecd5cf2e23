//! How much memory one input makes the program hold: counted, and bounded, because a small file that takes gigabytes to read
//! is as bad as one that ends the program.

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's memory, counted.
pub struct Counted;

static HELD: AtomicUsize = AtomicUsize::new(0);
/// At this many bytes the program ends; nothing is bounded between inputs.
static MOST: AtomicUsize = AtomicUsize::new(usize::MAX);

/// Runs a check that may hold so many bytes more than are held now.
pub fn within(bytes: usize, check: impl FnOnce()) {
    MOST.store(HELD.load(Relaxed).saturating_add(bytes), Relaxed);
    check();
    MOST.store(usize::MAX, Relaxed);
}

fn took(bytes: usize) {
    let held = HELD.fetch_add(bytes, Relaxed) + bytes;
    let most = MOST.load(Relaxed);
    if held > most {
        // The message needs memory too.
        MOST.store(usize::MAX, Relaxed);
        eprintln!("this input makes the program hold {held} bytes; {most} are allowed");
        std::process::abort();
    }
}

// SAFETY: every call is passed on unchanged to the system's allocator, which keeps the contract; counting touches no memory.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise is ours.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        took(layout.size());
        // SAFETY: the caller's promise is ours.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Relaxed);
        // SAFETY: the caller's promise is ours.
        unsafe { System.dealloc(at, layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        HELD.fetch_sub(layout.size(), Relaxed);
        took(bytes);
        // SAFETY: the caller's promise is ours.
        unsafe { System.realloc(at, layout, bytes) }
    }
}
