//! What is known of each slot of the device: which of its pages it is to hold, whether that was written, and its digest.
//!
//! A word for each slot, so that a read can be held against it without a lock. A slot has a new generation whenever it is given to a page,
//! before anything is written to it: who has seen the same word before and after a read has read what that page's write left there, and the
//! digest tells whether the device still has it.

use std::sync::atomic::{AtomicU64, Ordering};

use narrows_nvme::digest::digest;

/// The page's bytes are on the device.
const WRITTEN: u64 = 1 << 32;
/// Where the generation begins, which is of 31 bits.
const GENERATION: u64 = 1 << 33;

/// A slot at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct SlotState(u64);

impl SlotState {
    /// Whether its page can be read.
    pub(super) fn is_written(self) -> bool {
        self.0 & WRITTEN != 0
    }

    /// The digest of its page's bytes.
    pub(super) fn digest(self) -> u32 {
        self.0 as u32
    }

    /// Whether these are its page's bytes, by their digest (CRC-32C).
    pub(super) fn fits(self, page: &[u8]) -> bool {
        self.digest() == digest(page)
    }
}

/// All slots of a device.
#[derive(Debug)]
pub(super) struct SlotStates(Box<[AtomicU64]>);

impl SlotStates {
    /// So many, with no page.
    pub(super) fn new(slots: u64) -> SlotStates {
        SlotStates((0..slots).map(|_| AtomicU64::new(0)).collect())
    }

    pub(super) fn get(&self, place: u64) -> SlotState {
        SlotState(self.0[place as usize].load(Ordering::Acquire))
    }

    /// Gives a slot to a page with this digest, which is not written yet; under the lock of the slot's shard.
    pub(super) fn give(&self, place: u64, digest: u32) -> SlotState {
        let word = &self.0[place as usize];
        let generation = (word.load(Ordering::Acquire) / GENERATION).wrapping_add(1);
        let given = generation.wrapping_mul(GENERATION) | u64::from(digest);
        word.store(given, Ordering::Release);
        SlotState(given)
    }

    /// The device has had a page with this digest in the slot since before it was opened; before anybody reads.
    pub(super) fn take_up(&self, place: u64, digest: u32) {
        self.0[place as usize].store(GENERATION | WRITTEN | u64::from(digest), Ordering::Release);
    }

    /// The page that the slot was given to then is written, unless the slot is another's by now.
    pub(super) fn written(&self, place: u64, given: SlotState) {
        let word = &self.0[place as usize];
        let _ =
            word.compare_exchange(given.0, given.0 | WRITTEN, Ordering::AcqRel, Ordering::Acquire);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_written_only_for_whom_it_was_given_to_last() {
        let states = SlotStates::new(2);
        let page = [5; 4096];
        assert!(!states.get(1).is_written());
        let first = states.give(1, digest(&page));
        let second = states.give(1, digest(&page));
        assert_ne!(first, second);
        states.written(1, first);
        assert!(!states.get(1).is_written());
        states.written(1, second);
        let now = states.get(1);
        assert!(now.is_written() && now.fits(&page) && !now.fits(&[6; 4096]));
        // Given again, whatever was there.
        assert!(!states.give(1, digest(&page)).is_written());
        assert!(!states.get(0).is_written());
    }

    #[test]
    fn generations_go_round_without_touching_their_neighbours() {
        let states = SlotStates::new(1);
        states.0[0].store(u64::MAX, Ordering::Release);
        let given = states.give(0, 7);
        assert!(!given.is_written() && given.0 == 7);
        assert_eq!(states.give(0, u32::MAX).0, GENERATION | u64::from(u32::MAX));
    }
}
