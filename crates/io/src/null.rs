//! A path without a device, to learn what the generator itself costs: everything completes at once.

use std::time::Duration;

use crate::flights::Flights;
use crate::{Arena, Completion, DevicePath, Error, Method, Op};

/// Completes every operation at the next reap and moves no byte.
#[derive(Debug)]
pub struct NullPath {
    arena: Arena,
    flights: Flights,
    queued: Vec<(u32, i32)>,
}

impl NullPath {
    /// A path over those buffers.
    pub fn new(arena: Arena) -> Self {
        let slots = arena.slots();
        NullPath { arena, flights: Flights::new(slots), queued: Vec::with_capacity(slots as usize) }
    }
}

impl DevicePath for NullPath {
    fn method(&self) -> Method {
        Method::Null
    }

    fn slots(&self) -> u32 {
        self.arena.slots()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.flights.assert_landed(slot);
        self.arena.slot_mut(slot)
    }

    #[inline]
    fn submit(&mut self, op: Op, slot: u32, _: u64, bytes: u32) {
        self.arena.assert_fits(op, bytes);
        self.flights.take_off(slot);
        self.queued.push((slot, if op.moves_data() { bytes as i32 } else { 0 }));
    }

    #[inline]
    fn reap(&mut self, _: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        for (slot, result) in self.queued.drain(..) {
            self.flights.land(slot);
            out.push(Completion { slot, result });
        }
        Ok(())
    }

    #[inline]
    fn reap_within(
        &mut self,
        min: u32,
        _: Duration,
        out: &mut Vec<Completion>,
    ) -> Result<(), Error> {
        self.reap(min, out)
    }

    fn in_flight(&self) -> u32 {
        self.flights.count()
    }
}
