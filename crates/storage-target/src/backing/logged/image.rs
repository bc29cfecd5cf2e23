//! The ring's bytes in memory.

use std::io;
use std::ptr::NonNull;

use narrows_log_tier::Image;

/// An anonymous mapping as large as the ring.
#[derive(Debug)]
pub(super) struct RingImage {
    base: NonNull<u8>,
    size: usize,
}

// SAFETY: the mapping belongs to this value alone; moving it to another thread moves that ownership.
unsafe impl Send for RingImage {}

impl RingImage {
    /// Memory of `size` bytes, all zeros. The kernel gives pages when they are first written.
    pub(super) fn new(size: usize) -> io::Result<RingImage> {
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh anonymous mapping at an address of the kernel's choice touches nothing that exists.
        let address = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0) };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(address.cast::<u8>()).expect("a successful mmap is not null");
        Ok(RingImage { base, size })
    }

    /// Where bytes of the ring lie, for the kernel to write them to a medium. A record's bytes don't change before it was forgotten, and
    /// none is while a medium is still being given it.
    ///
    /// # Panics
    /// Where they don't lie within.
    pub(super) fn pointer(&self, at: u64, bytes: usize) -> *const u8 {
        self.checked(at, bytes).cast_const()
    }

    /// Copies bytes of the ring.
    pub(super) fn copy(&self, at: u64, out: &mut [u8]) {
        let from = self.checked(at, out.len());
        // SAFETY: within the mapping, as was checked; `out` is ours, and whoever writes to the image has it exclusively.
        unsafe { out.as_mut_ptr().copy_from_nonoverlapping(from, out.len()) };
    }

    fn checked(&self, at: u64, bytes: usize) -> *mut u8 {
        let at = usize::try_from(at).expect("an offset within a mapping");
        let end = at.checked_add(bytes).expect("no end beyond the address space");
        assert!(end <= self.size, "a record lies within the ring");
        // SAFETY: within the mapping, as was just checked.
        unsafe { self.base.as_ptr().add(at) }
    }
}

impl Image for RingImage {
    fn put(&mut self, at: u64, bytes: &[u8]) {
        let to = self.checked(at, bytes.len());
        // SAFETY: within the mapping, as was checked, and borrowed exclusively. The kernel reads only records that are in use, and the
        // log gives no room of theirs away.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    }
}

impl Drop for RingImage {
    fn drop(&mut self) {
        // SAFETY: the mapping of `new`, unmapped once; the disk that owns it outlives all operations on it.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.size) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_put_is_copied() {
        let mut image = RingImage::new(8192).unwrap();
        image.put(8190, &[1, 2]);
        let mut out = [9; 3];
        image.copy(8189, &mut out);
        assert_eq!(out, [0, 1, 2]);
    }

    #[test]
    #[should_panic(expected = "within the ring")]
    fn nothing_lies_beyond_the_end() {
        RingImage::new(4096).unwrap().pointer(4095, 2);
    }
}
