//! Buffers for I/O: one anonymous mapping cut into equal slots, aligned for direct I/O.
//!
//! The kernel may write into a slot until the operation on it has completed, so an arena is owned by the path
//! that submits from it (see [`crate::DevicePath`]) and freed only after everything in flight has come back; a path
//! that cannot get its operations back leaks the mapping instead.

use std::io;
use std::ptr::NonNull;

use crate::Op;

/// At least this alignment, whatever the device would be content with.
const PAGE: usize = 4096;
/// Above this size the kernel is asked for large pages, which makes pinning cheaper.
const LARGE: usize = 2 << 20;

/// Equal, aligned slots of memory.
#[derive(Debug)]
pub struct Arena {
    base: NonNull<u8>,
    mapped: usize,
    start: usize,
    slots: u32,
    slot_bytes: u32,
    stride: usize,
}

/// Where slots lie in a mapping.
struct Layout {
    /// From slot to slot.
    stride: usize,
    /// All slots together.
    wanted: usize,
    /// Alignment of the first one.
    align_start: usize,
}

impl Layout {
    fn of(slots: u32, slot_bytes: u32, alignment: usize) -> Layout {
        let alignment = alignment.max(PAGE);
        let stride = (slot_bytes.max(1) as usize).next_multiple_of(alignment);
        let wanted = stride * slots.max(1) as usize;
        let align_start = if wanted >= LARGE { alignment.max(LARGE) } else { alignment };
        Layout { stride, wanted, align_start }
    }
}

// SAFETY: the mapping belongs to this value alone; moving the value to another thread moves that ownership.
unsafe impl Send for Arena {}

impl Arena {
    /// `slots` buffers of `slot_bytes`, each aligned to `alignment` (a power of two) and at least 4096. Every
    /// page is touched, so that no page fault falls into a window.
    pub fn new(slots: u32, slot_bytes: u32, alignment: usize) -> io::Result<Arena> {
        assert!(alignment.is_power_of_two(), "alignments are powers of two");
        let Layout { stride, wanted, align_start } = Layout::of(slots, slot_bytes, alignment);
        let mapped = wanted + align_start;
        // SAFETY: a fresh anonymous mapping at an address of the kernel's choice touches nothing that exists.
        let address = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                mapped,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if address == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let base = NonNull::new(address.cast::<u8>()).expect("a successful mmap is not null");
        let start = (base.as_ptr() as usize).next_multiple_of(align_start) - base.as_ptr() as usize;
        let mut arena = Arena { base, mapped, start, slots: slots.max(1), slot_bytes, stride };
        // Miri, which runs the tests of this file, knows no advice.
        if wanted >= LARGE && cfg!(not(miri)) {
            // SAFETY: the range lies inside the mapping. Advice may be refused; nothing depends on it.
            unsafe { libc::madvise(arena.at(0).cast(), wanted, libc::MADV_HUGEPAGE) };
        }
        for slot in 0..arena.slots {
            for byte in arena.slot_mut(slot).iter_mut().step_by(PAGE) {
                // SAFETY: a valid exclusive reference; volatile so that the touch is not optimised away.
                unsafe { std::ptr::write_volatile(byte, 0) };
            }
        }
        Ok(arena)
    }

    /// Bytes of addresses that [`Arena::new`] takes for this.
    pub fn mapped_bytes(slots: u32, slot_bytes: u32, alignment: usize) -> u64 {
        let Layout { wanted, align_start, .. } = Layout::of(slots, slot_bytes, alignment);
        (wanted + align_start) as u64
    }

    /// Number of slots.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Bytes of one slot.
    pub fn slot_bytes(&self) -> u32 {
        self.slot_bytes
    }

    fn at(&self, slot: u32) -> *mut u8 {
        assert!(slot < self.slots, "slot {slot} of {}", self.slots);
        // SAFETY: start + slots * stride <= mapped, so the result stays inside the mapping.
        unsafe { self.base.as_ptr().add(self.start + slot as usize * self.stride) }
    }

    /// Address of a slot, for the kernel.
    pub(crate) fn pointer(&self, slot: u32) -> *mut u8 {
        self.at(slot)
    }

    /// Address and length of all slots together, for registration.
    pub(crate) fn whole(&self) -> libc::iovec {
        libc::iovec { iov_base: self.at(0).cast(), iov_len: self.stride * self.slots as usize }
    }

    /// Panics where `bytes` of a slot cannot be moved.
    #[inline]
    pub(crate) fn assert_fits(&self, op: Op, bytes: u32) {
        assert!(
            bytes <= self.slot_bytes || !op.moves_data(),
            "{bytes} bytes in a slot of {}",
            self.slot_bytes
        );
    }

    /// A slot's bytes.
    pub fn slot(&self, slot: u32) -> &[u8] {
        // SAFETY: the slot lies inside the mapping, is initialised (the kernel maps zeros), and the caller's shared
        // borrow of the arena excludes `slot_mut`.
        unsafe { std::slice::from_raw_parts(self.at(slot), self.slot_bytes as usize) }
    }

    /// A slot's bytes, to be changed.
    pub fn slot_mut(&mut self, slot: u32) -> &mut [u8] {
        // SAFETY: as in `slot`, and the exclusive borrow of the arena excludes any other reference.
        unsafe { std::slice::from_raw_parts_mut(self.at(slot), self.slot_bytes as usize) }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: the mapping was made in `new` with this length and nobody else refers to it.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.mapped) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_aligned_apart_and_writable() {
        for (slots, bytes, alignment) in [(3, 512, 512), (5, 8192, 4096), (4, 1 << 20, 65_536)] {
            let mut arena = Arena::new(slots, bytes, alignment).unwrap();
            for slot in 0..slots {
                assert_eq!(arena.pointer(slot) as usize % alignment.max(4096), 0);
                arena.slot_mut(slot).fill(slot as u8 + 1);
            }
            assert_eq!(Arena::mapped_bytes(slots, bytes, alignment), arena.mapped as u64);
            for slot in 0..slots {
                assert!(arena.slot(slot).iter().all(|&byte| byte == slot as u8 + 1));
            }
        }
    }

    #[test]
    #[should_panic(expected = "slot 2 of 2")]
    fn a_slot_that_does_not_exist_is_refused() {
        Arena::new(2, 512, 512).unwrap().slot(2);
    }
}
