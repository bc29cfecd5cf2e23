//! Submissions that are timed: what is queued is handed over by a call that waits for nothing, and that call has its own time.

use super::{Flight, Hot};
use crate::BlockError;
use crate::outcome::Counted;
use crate::worker::clock::Clock;

/// What was submitted since the last such call, and when each slot's operation had been handed over.
#[derive(Debug)]
pub(super) struct Submissions {
    queued: Vec<u32>,
    handed_over_ns: Box<[u64]>,
}

impl Submissions {
    pub(super) fn new(slots: u32) -> Submissions {
        let slots = slots as usize;
        Submissions {
            queued: Vec::with_capacity(slots),
            handed_over_ns: vec![0; slots].into_boxed_slice(),
        }
    }

    /// Records both parts of an operation that ended.
    pub(super) fn record(&self, kind: &mut Counted, (slot, flight): (u32, &Flight), now_ns: u64) {
        let Some(split) = &mut kind.split else { return };
        let handed_over_ns = self.handed_over_ns[slot as usize];
        split.submission.record(handed_over_ns.saturating_sub(flight.sent_ns));
        split.completion.record(now_ns.saturating_sub(handed_over_ns));
    }
}

impl<C: Clock> Hot<'_, C> {
    /// Queues an operation.
    #[inline]
    pub(super) fn submit(&mut self, slot: u32, flight: Flight) {
        self.flights[slot as usize] = flight;
        let Flight { op, offset, bytes, .. } = flight;
        if let Some(priorities) = &mut self.priorities {
            priorities.give(slot, (op, bytes), self.path);
        }
        self.path.submit(op, slot, offset, bytes);
        if let Some(submissions) = &mut self.submissions {
            submissions.queued.push(slot);
        }
        self.in_flight += 1;
    }

    /// Hands over what is queued while more is to follow.
    pub(super) fn hand_over_part(&mut self) -> Result<(), BlockError> {
        if self.submissions.is_some() {
            return self.hand_over().map(drop);
        }
        Ok(self.path.reap(0, &mut self.out)?)
    }

    /// Hands over what is queued, where that is timed. Whether nothing came back with it, so that the loop has to wait.
    #[inline]
    pub(super) fn hand_over(&mut self) -> Result<bool, BlockError> {
        let Some(submissions) = self.submissions.as_mut().filter(|of| !of.queued.is_empty()) else {
            return Ok(true);
        };
        let began_ns = self.clock.now_ns();
        self.path.reap(0, &mut self.out)?;
        let handed_over_ns = self.clock.now_ns();
        for slot in submissions.queued.drain(..) {
            submissions.handed_over_ns[slot as usize] = handed_over_ns;
        }
        if self.tally.open.is_some() {
            self.returned(began_ns, 0);
            if self.in_flight >= self.orders.depth {
                // What becomes due meanwhile waits for the device, not for the generator.
                self.capped_ns = handed_over_ns;
            }
        }
        Ok(self.out.is_empty())
    }
}
