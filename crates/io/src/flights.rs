//! Which slots are in flight: what makes handing their memory to the kernel sound.

/// One flag a slot, and their number.
#[derive(Debug)]
pub(crate) struct Flights {
    busy: Box<[bool]>,
    count: u32,
}

impl Flights {
    pub(crate) fn new(slots: u32) -> Self {
        Flights { busy: vec![false; slots as usize].into_boxed_slice(), count: 0 }
    }

    /// Panics where the slot is in flight already.
    #[inline]
    pub(crate) fn take_off(&mut self, slot: u32) {
        let busy = &mut self.busy[slot as usize];
        assert!(!*busy, "slot {slot} is in flight");
        *busy = true;
        self.count += 1;
    }

    /// Panics where the slot is not in flight.
    #[inline]
    pub(crate) fn land(&mut self, slot: u32) {
        let busy = &mut self.busy[slot as usize];
        assert!(*busy, "slot {slot} is not in flight");
        *busy = false;
        self.count -= 1;
    }

    #[inline]
    pub(crate) fn assert_landed(&self, slot: u32) {
        assert!(!self.busy[slot as usize], "slot {slot} is in flight");
    }

    #[inline]
    pub(crate) fn count(&self) -> u32 {
        self.count
    }
}
