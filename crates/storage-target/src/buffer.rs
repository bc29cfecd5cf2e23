//! Memory for data in flight: aligned for direct I/O, in five sizes, given back and taken again, up to a limit.
//!
//! The limit is what keeps hosts from filling the machine's memory: a command that needs a buffer where none is left waits.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

/// Alignment of each, bytes: enough for direct I/O on every device.
const ALIGNMENT: usize = 4096;
/// The sizes, bytes.
const SIZES: [usize; 5] = [4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20];

/// The largest that there is, bytes, and so the most data of a command.
pub(crate) const LARGEST: usize = SIZES[SIZES.len() - 1];

/// Memory that one owner writes and reads.
#[derive(Debug)]
pub(crate) struct Buffer {
    address: NonNull<u8>,
    class: usize,
}

// SAFETY: the memory belongs to this value alone; moving it to another thread moves that ownership.
unsafe impl Send for Buffer {}

impl Buffer {
    fn layout(class: usize) -> Layout {
        Layout::from_size_align(SIZES[class], ALIGNMENT).expect("sizes are multiples of a page")
    }

    fn new(class: usize) -> Buffer {
        let layout = Buffer::layout(class);
        // SAFETY: the layout has a size above zero.
        let address = unsafe { alloc_zeroed(layout) };
        let Some(address) = NonNull::new(address) else { handle_alloc_error(layout) };
        Buffer { address, class }
    }

    /// One of the largest size, of no pool.
    pub(crate) fn largest() -> Buffer {
        Buffer::new(SIZES.len() - 1)
    }

    /// Its size, bytes; as large as what it was taken for or larger.
    pub(crate) fn size(&self) -> usize {
        SIZES[self.class]
    }

    /// Where it begins; for the kernel, which reads or writes it while its owner keeps it.
    pub(crate) fn pointer(&self) -> *mut u8 {
        self.address.as_ptr()
    }

    /// The first `bytes` of it.
    pub(crate) fn bytes(&self, bytes: usize) -> &[u8] {
        assert!(bytes <= self.size());
        // SAFETY: within the allocation, initialized (zeroed) and borrowed from its only owner.
        unsafe { std::slice::from_raw_parts(self.address.as_ptr(), bytes) }
    }

    /// The first `bytes` of it, to write.
    pub(crate) fn bytes_mut(&mut self, bytes: usize) -> &mut [u8] {
        assert!(bytes <= self.size());
        // SAFETY: as above, and borrowed exclusively.
        unsafe { std::slice::from_raw_parts_mut(self.address.as_ptr(), bytes) }
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout in `new`, and freed once.
        unsafe { dealloc(self.address.as_ptr(), Buffer::layout(self.class)) }
    }
}

/// Buffers of one thread.
#[derive(Debug)]
pub(crate) struct BufferPool {
    free: [Vec<Buffer>; SIZES.len()],
    /// Of all that exist, in use or free.
    allocated: usize,
    limit: usize,
}

impl BufferPool {
    /// A pool of `limit` bytes at most; one buffer of the largest size is always had.
    pub(crate) fn new(limit: usize) -> BufferPool {
        BufferPool { free: Default::default(), allocated: 0, limit: limit.max(LARGEST) }
    }

    /// A buffer for `bytes`, or `None` where the limit leaves none now.
    ///
    /// # Panics
    /// For more than [`LARGEST`].
    pub(crate) fn take(&mut self, bytes: usize) -> Option<Buffer> {
        let class = class_of(bytes);
        if let Some(buffer) = self.free[class].pop() {
            return Some(buffer);
        }
        while self.allocated + SIZES[class] > self.limit {
            let other = (0..SIZES.len()).rev().find(|other| !self.free[*other].is_empty())?;
            self.allocated -= SIZES[other];
            self.free[other].pop();
        }
        Some(self.allocate(class))
    }

    /// A buffer for `bytes`, whatever the limit: for data that are on their way and can't be stopped, which the queue's size
    /// bounds.
    pub(crate) fn take_anyway(&mut self, bytes: usize) -> Buffer {
        self.take(bytes).unwrap_or_else(|| self.allocate(class_of(bytes)))
    }

    /// Of buffers that aren't free, bytes.
    pub(crate) fn in_use(&self) -> usize {
        let free = self.free.iter().flatten().map(Buffer::size);
        self.allocated - free.sum::<usize>()
    }

    fn allocate(&mut self, class: usize) -> Buffer {
        self.allocated += SIZES[class];
        Buffer::new(class)
    }

    /// Takes a buffer back.
    pub(crate) fn give(&mut self, buffer: Buffer) {
        if self.allocated > self.limit {
            self.allocated -= buffer.size();
        } else {
            self.free[buffer.class].push(buffer);
        }
    }
}

fn class_of(bytes: usize) -> usize {
    let class = SIZES.iter().position(|size| *size >= bytes);
    class.expect("no command has more data than the largest buffer")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_beyond_the_limit_waits_until_something_is_given_back() {
        let mut pool = BufferPool::new(2 << 20);
        let first = pool.take(1 << 20).unwrap();
        let second = pool.take(700_000).unwrap();
        assert_eq!(second.size(), 1 << 20);
        assert!(pool.take(1).is_none());
        pool.give(first);
        // The space of a free buffer serves another size.
        let small = pool.take(1).unwrap();
        assert_eq!(small.size(), 4096);
        assert_eq!(small.pointer() as usize % ALIGNMENT, 0);
        assert!(pool.take(1 << 20).is_none());
        drop(second);
    }

    #[test]
    fn what_can_not_wait_goes_beyond_the_limit_and_is_freed() {
        let mut pool = BufferPool::new(0);
        let all = pool.take(1 << 20).unwrap();
        let more = pool.take_anyway(8192);
        assert!(pool.allocated > pool.limit);
        pool.give(more);
        assert_eq!(pool.allocated, pool.limit);
        pool.give(all);
        assert!(pool.take(1 << 20).is_some());
    }
}
