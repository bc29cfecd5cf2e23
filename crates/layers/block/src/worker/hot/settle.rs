//! The end of an open loop: what was due and never sent, and what was sent and came back late, belongs to the window in
//! which it was due. Leaving it out would flatter exactly those windows in which a queue grew.

use narrows_io::Op;

use super::{Hot, Pace, Syncing};
use crate::BlockError;
use crate::worker::clock::Clock;

/// How long it waits after the window for what it sent, ns. While the way to the device has lost its connections it waits on: what
/// stands still then is what an open loop must not leave out, and the way itself says when it gives up.
pub(super) const DRAIN_NS: u64 = 2_000_000_000;

impl<C: Clock> Hot<'_, C> {
    /// Open loop: what is left of it when the window is over.
    pub(super) fn settle_open(&mut self) -> Result<(), BlockError> {
        let end_ns = self.shared.end_ns().min(self.tally.ended_ns.unwrap_or(u64::MAX));
        let (start_ns, slice_ns) = (self.window.start_ns, self.orders.slice_ns);
        let Pace::Open(due) = &mut self.orders.pace else { return Ok(()) };
        if end_ns <= start_ns {
            return Ok(());
        }
        // Operations that the stream's own limit does not allow any more are nobody's backlog; those that its own time cut off are.
        let limited = self.tally.issued >= self.may_issue && self.cut_short_ns.is_none();
        let end_ns = self.cut_short_ns.unwrap_or(u64::MAX).min(end_ns);
        if !limited {
            let (over, slices) = (self.orders.over_ns.is_some(), &mut self.tally.slices);
            let (unsent, unsent_due) = due.unsent(start_ns, end_ns, |due_ns| {
                let slice = due_ns
                    .checked_sub(start_ns)
                    .and_then(|since_ns| slices.get_mut((since_ns / slice_ns) as usize));
                if let Some(slice) = slice {
                    slice.due += 1;
                    slice.over += u64::from(over);
                }
            });
            if let Some(open) = &mut self.tally.open {
                (open.unsent, open.unsent_due) = (unsent, unsent_due);
            }
        }
        let in_flight = self.in_flight - u32::from(self.syncing == Some(Syncing::InFlight));
        if let Some(open) = &mut self.tally.open {
            open.in_flight = u64::from(in_flight);
        }
        self.drain()
    }

    /// Waits for what was sent before the end, for a while.
    fn drain(&mut self) -> Result<(), BlockError> {
        let mut deadline_ns = self.now + DRAIN_NS;
        // What the last wait of the window brought was not counted: it was seen after the end.
        loop {
            let out = std::mem::take(&mut self.out);
            for completion in &out {
                let flight = self.flights[completion.slot as usize];
                if flight.op == Op::Sync || self.landed_verified(completion, &flight) {
                    continue;
                }
                let latency_ns = self.now.saturating_sub(flight.from_ns);
                if let (Ok(_), Some(open)) = (completion.bytes(), &mut self.tally.open) {
                    open.stragglers.record(latency_ns);
                }
                if self.orders.over_ns.is_some_and(|over_ns| latency_ns > over_ns) {
                    self.over_at(flight.from_ns);
                }
            }
            self.in_flight -= out.len() as u32;
            self.out = out;
            self.out.clear();
            if self.path.outages().is_some_and(|outages| outages.disconnected) {
                deadline_ns = self.now + DRAIN_NS;
            }
            if self.in_flight == 0 || self.now >= deadline_ns || self.shared.stop.is_set() {
                break;
            }
            self.path.reap(1, &mut self.out)?;
            self.now = self.clock.now_ns();
        }
        let syncing = u32::from(self.syncing == Some(Syncing::InFlight)).min(self.in_flight);
        let unfinished = u64::from(self.in_flight - syncing);
        if let Some(open) = &mut self.tally.open {
            open.unfinished = unfinished;
        }
        if self.orders.over_ns.is_some() && unfinished > 0 {
            // Which they are is known only by their slots; they belong to the window's end.
            let last = self.tally.slices.len().saturating_sub(1);
            if let Some(slice) = self.tally.slices.get_mut(last) {
                slice.over += unfinished;
            }
        }
        Ok(())
    }
}
