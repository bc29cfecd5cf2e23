//! Blocks in memory, which several threads read and write.
//!
//! The mapping is cut into stripes with a lock each, taken in ascending order one after another: a block is always read as a
//! whole write left it, which is all that NVMe promises of concurrent commands. What goes out by [`RamDisk::pointer`] is
//! read by the kernel without that lock.

use std::io;
use std::ops::Range;
use std::ptr::NonNull;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Size of a stripe, bytes: a large page, and a multiple of every block size.
const STRIPE: usize = 2 << 20;
/// Number of locks; stripes share them.
const LOCKS: usize = 256;

/// An anonymous mapping.
#[derive(Debug)]
pub(crate) struct RamDisk {
    base: NonNull<u8>,
    size: usize,
    /// The mapping: `base` is the first address in it where a stripe may begin.
    mapping: NonNull<u8>,
    locks: Box<[Mutex<()>]>,
}

// SAFETY: every access of ours to the bytes is under the lock of their stripe.
unsafe impl Send for RamDisk {}
// SAFETY: as above.
unsafe impl Sync for RamDisk {}

impl RamDisk {
    /// Memory of `size` bytes, all zeros. The kernel gives pages when they are first written.
    ///
    /// # Errors
    /// Where the kernel has no such range.
    pub(crate) fn new(size: usize) -> io::Result<RamDisk> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let mapped = size.checked_add(STRIPE).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: a fresh anonymous mapping at an address of the kernel's choice touches nothing that exists.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), mapped, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let mapping = NonNull::new(address.cast::<u8>()).expect("a successful mmap is not null");
        let skipped = mapping.as_ptr().align_offset(STRIPE).min(STRIPE);
        // SAFETY: within the mapping, which has a stripe more than is needed.
        let base = unsafe { mapping.add(skipped) };
        // SAFETY: the range is within the mapping. Advice may be refused; nothing depends on it.
        unsafe { libc::madvise(base.as_ptr().cast(), size, libc::MADV_HUGEPAGE) };
        let locks = (0..LOCKS).map(|_| Mutex::new(())).collect();
        Ok(RamDisk { base, size, mapping, locks })
    }

    /// Copies bytes from `offset` on.
    pub(crate) fn read(&self, offset: u64, out: &mut [u8]) {
        self.each_stripe(offset, out.len(), |range, memory| {
            // SAFETY: `memory` is valid for the range's length and under its lock; `out` is ours.
            unsafe { out.as_mut_ptr().add(range.start).copy_from(memory, range.len()) };
        });
    }

    /// Appends bytes from `offset` on to `out`.
    pub(crate) fn append_to(&self, offset: u64, bytes: usize, out: &mut Vec<u8>) {
        out.reserve(bytes);
        let start = out.len();
        self.each_stripe(offset, bytes, |range, memory| {
            // SAFETY: `memory` is valid for the range's length and under its lock; `reserve` made room for `bytes` behind
            // `start`.
            unsafe { out.as_mut_ptr().add(start + range.start).copy_from(memory, range.len()) };
        });
        // SAFETY: the stripes covered all of these bytes.
        unsafe { out.set_len(start + bytes) };
    }

    /// Writes bytes from `offset` on.
    pub(crate) fn write(&self, offset: u64, bytes: &[u8]) {
        self.each_stripe(offset, bytes.len(), |range, memory| {
            // SAFETY: as above.
            unsafe { memory.copy_from(bytes.as_ptr().add(range.start), range.len()) };
        });
    }

    /// Has bytes read as zeros. Memory of whole stripes goes back to the kernel, which takes less time than to write it.
    pub(crate) fn zero(&self, offset: u64, bytes: u64) {
        let bytes = usize::try_from(bytes).expect("checked to lie within the mapping");
        self.each_stripe(offset, bytes, |range, memory| {
            // SAFETY: as above. A page of an anonymous mapping that was given back reads as zeros (madvise(2)).
            unsafe {
                let whole = range.len() == STRIPE;
                if !whole || libc::madvise(memory.cast(), STRIPE, libc::MADV_DONTNEED) != 0 {
                    memory.write_bytes(0, range.len());
                }
            }
        });
    }

    /// Whether the bytes from `offset` on are these.
    pub(crate) fn equals(&self, offset: u64, bytes: &[u8]) -> bool {
        let mut equal = true;
        self.each_stripe(offset, bytes.len(), |range, memory| {
            // SAFETY: as above; nobody writes the stripe while its lock is held.
            let stored = unsafe { std::slice::from_raw_parts(memory, range.len()) };
            equal &= stored == &bytes[range];
        });
        equal
    }

    /// Where the bytes from `offset` on lie, for the kernel to send.
    ///
    /// # Panics
    /// Where they don't lie within.
    pub(crate) fn pointer(&self, offset: u64, bytes: usize) -> *const u8 {
        let offset = self.check(offset, bytes);
        // SAFETY: within the mapping, as was just checked.
        unsafe { self.base.as_ptr().add(offset) }
    }

    /// Calls `act` for each piece that lies in one stripe, under the stripe's lock, with where it lies in the request and
    /// in memory.
    fn each_stripe(&self, offset: u64, bytes: usize, mut act: impl FnMut(Range<usize>, *mut u8)) {
        let first = self.check(offset, bytes);
        let mut done = 0;
        while done < bytes {
            let at = first + done;
            let length = (STRIPE - at % STRIPE).min(bytes - done);
            let _lock = self.lock(at / STRIPE);
            // SAFETY: within the mapping, as was checked.
            let memory = unsafe { self.base.as_ptr().add(at) };
            act(done..done + length, memory);
            done += length;
        }
    }

    fn check(&self, offset: u64, bytes: usize) -> usize {
        let offset = usize::try_from(offset).expect("an offset within a mapping");
        let end = offset.checked_add(bytes).expect("no end beyond the address space");
        assert!(end <= self.size, "blocks are checked before they are moved");
        offset
    }

    fn lock(&self, stripe: usize) -> MutexGuard<'_, ()> {
        // Bytes have no state that a panic could have left half done.
        self.locks[stripe % LOCKS].lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for RamDisk {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, unmapped once; no pointer to it outlives the namespace that owns it.
        unsafe { libc::munmap(self.mapping.as_ptr().cast(), self.size + STRIPE) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_over_stripes_is_read_back() {
        let disk = RamDisk::new(8 << 20).unwrap();
        let pattern: Vec<u8> = (0..200_000).map(|index| (index % 251) as u8).collect();
        let offset = STRIPE as u64 - 512;
        disk.write(offset, &pattern);
        let mut read = Vec::new();
        disk.append_to(offset, pattern.len(), &mut read);
        assert!(read == pattern && disk.equals(offset, &pattern));
        disk.zero(offset, 512);
        assert!(!disk.equals(offset, &pattern));
        let mut appended = vec![1, 2];
        disk.append_to(offset + 512, 1000, &mut appended);
        assert_eq!(appended[..2], [1, 2]);
        assert_eq!(appended[2..], pattern[512..1512]);
        read.clear();
        disk.append_to(0, 512, &mut read);
        assert_eq!(read, [0; 512]);
        // A whole stripe, and less at both ends of it.
        disk.write(STRIPE as u64 - 1, &vec![7; STRIPE + 2]);
        disk.zero(STRIPE as u64, STRIPE as u64);
        assert!(disk.equals(STRIPE as u64, &vec![0; STRIPE]));
        assert!(disk.equals(STRIPE as u64 - 1, &[7]) && disk.equals(2 * STRIPE as u64, &[7]));
    }

    #[test]
    #[should_panic(expected = "checked before they are moved")]
    fn nothing_is_read_beyond_the_end() {
        let disk = RamDisk::new(4096).unwrap();
        disk.append_to(4095, 2, &mut Vec::new());
    }
}
