//! Operations that wait for others in flight that they share bytes with.
//!
//! A loop without this pays one comparison before an operation, one when it takes it and one when it has come back.

use narrows_io::Op;

use super::{Flight, Hot};
use crate::worker::clock::Clock;
use crate::worker::operation_generator::NextOperation;

impl<C: Clock> Hot<'_, C> {
    /// Whether the next operation shares no byte with one in flight; it counts as in flight then. Else it waits, and with it
    /// all behind it, as in fio.
    #[inline]
    pub(super) fn is_clear(&mut self) -> bool {
        self.orders.ranges.is_none() || self.enters()
    }

    fn enters(&mut self) -> bool {
        let Some(ranges) = &self.orders.ranges else { return true };
        let next = match self.chosen.take() {
            Some(next) => next,
            None => self.orders.chooser.next(),
        };
        self.chosen = Some(next);
        // The same waiting as for a share of operations: others must come back first.
        // A sync that a log holds has no bytes.
        self.flow_held = next.op != Op::Sync && !ranges.enter(next.offset, next.bytes);
        if !self.flow_held {
            self.flow_since_ns = self.now;
        }
        !self.flow_held
    }

    /// What starts now.
    #[inline]
    pub(super) fn next_operation(&mut self) -> NextOperation {
        match self.chosen {
            None => self.orders.chooser.next(),
            Some(next) => {
                self.chosen = None;
                next
            }
        }
    }

    /// An operation has come back.
    #[inline]
    pub(super) fn leaves(&self, flight: &Flight) {
        if let Some(ranges) = &self.orders.ranges
            && flight.op != Op::Sync
        {
            ranges.leave(flight.offset, flight.bytes);
        }
    }
}
