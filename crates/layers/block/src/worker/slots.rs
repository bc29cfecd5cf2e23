//! Slots that are not in flight: first in, first out, so that a pool's payloads repeat as late as possible.

/// A ring of free slots.
pub(super) struct Free {
    ring: Box<[u32]>,
    head: usize,
    count: usize,
}

impl Free {
    /// The slots from `first` on.
    pub(super) fn new(first: u32, slots: u32) -> Self {
        Free { ring: (first..first + slots).collect(), head: 0, count: slots as usize }
    }

    #[inline]
    pub(super) fn take(&mut self) -> u32 {
        debug_assert!(self.count > 0, "there are at least as many slots as operations in flight");
        let slot = self.ring[self.head];
        self.head = if self.head + 1 == self.ring.len() { 0 } else { self.head + 1 };
        self.count -= 1;
        slot
    }

    #[inline]
    pub(super) fn give(&mut self, slot: u32) {
        let mut at = self.head + self.count;
        if at >= self.ring.len() {
            at -= self.ring.len();
        }
        self.ring[at] = slot;
        self.count += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_come_back_in_the_order_they_were_given() {
        let mut free = Free::new(0, 3);
        let first: Vec<u32> = (0..3).map(|_| free.take()).collect();
        assert_eq!(first, [0, 1, 2]);
        for slot in [2, 0, 1] {
            free.give(slot);
        }
        assert_eq!([free.take(), free.take()], [2, 0]);
        free.give(0);
        assert_eq!([free.take(), free.take()], [1, 0]);
    }
}
