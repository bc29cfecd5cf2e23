//! Counting what has come back.

use std::io;

use narrows_io::{Completion, Op};

use super::{Flight, Hot, Syncing};
use crate::worker::clock::Clock;
use crate::worker::tally::{Expected, row};

/// What one reaped batch adds to the current slice.
#[derive(Debug, Default)]
struct Batch {
    operations: u64,
    bytes: u64,
    latency_sum_ns: u64,
    latency_max_ns: u64,
    over: u64,
}

impl<C: Clock> Hot<'_, C> {
    /// Counts what has come back.
    #[inline]
    pub(super) fn take_in(&mut self) {
        let out = std::mem::take(&mut self.out);
        let mut batch = Batch::default();
        for completion in &out {
            self.land(completion, &mut batch);
        }
        self.in_flight -= out.len() as u32;
        if self.orders.think.is_some() {
            let ours = out.iter().filter(|completion| {
                completion.result >= 0 && self.flights[completion.slot as usize].op != Op::Sync
            });
            self.completed += ours.count() as u64;
        }
        if batch.operations > 0 {
            let at = (self.now - self.window.start_ns) / self.orders.slice_ns;
            if let Some(slice) = self.tally.slices.get_mut(at as usize) {
                slice.operations += batch.operations;
                slice.bytes += batch.bytes;
                slice.latency_sum_ns += batch.latency_sum_ns;
                slice.latency_max_ns = slice.latency_max_ns.max(batch.latency_max_ns);
                slice.over += batch.over;
            }
        }
        self.out = out;
        self.out.clear();
        if self.depth_state.is_some() {
            self.search_depth(batch.operations, batch.over);
        }
        if !self.orders.judged.is_empty() {
            self.be_judged(batch.operations, batch.latency_sum_ns);
        }
    }

    /// Tells who ends it by what it does, and hears whether that is so.
    fn be_judged(&mut self, operations: u64, latency_sum_ns: u64) {
        if !self.counting {
            return;
        }
        let times_ns = (self.window.start_ns, self.now);
        for judged in &self.orders.judged {
            // A turn in which nothing came back is nobody's rate.
            if operations > 0 {
                judged.tell(times_ns, &self.tally.kinds, latency_sum_ns);
            }
            if self.now >= judged.ends_ns() {
                self.own_end_ns = self.own_end_ns.min(self.now);
            }
        }
    }

    #[inline]
    fn land(&mut self, completion: &Completion, batch: &mut Batch) {
        let slot = completion.slot;
        let flight = self.flights[slot as usize];
        match flight.op {
            Op::Write => self.writes.give(slot),
            Op::Read | Op::Trim => self.reads.give(slot),
            Op::Sync => {
                self.reads.give(slot);
                self.syncing = self.orders.sync_after.map(|writes| Syncing::After(writes.max(1)));
            }
        }
        self.leaves(&flight);
        let beside = self.landed_verified(completion, &flight);
        let moved = match completion.bytes() {
            Ok(moved) => moved,
            Err(error) => return self.failed(&flight, error),
        };
        if beside {
            return self.count_beside(slot, &flight, moved);
        }
        if !self.counting {
            return;
        }
        let latency_ns = self.now.saturating_sub(flight.from_ns);
        let kind = row(&mut self.tally.kinds, flight.op);
        kind.operations += 1;
        kind.latency.record(latency_ns);
        if let Some(priorities) = &mut self.priorities {
            priorities.record(slot, flight.op, latency_ns);
        }
        if let Some(submissions) = &self.submissions {
            submissions.record(kind, (slot, &flight), self.now);
        }
        let done = kind.operations;
        if flight.op == Op::Sync {
            return;
        }
        let bytes = if flight.op.moves_data() { moved } else { flight.bytes };
        kind.bytes += u64::from(bytes);
        kind.asked_bytes += u64::from(flight.bytes);
        kind.short += u64::from(bytes < flight.bytes);
        batch.operations += 1;
        batch.bytes += u64::from(bytes);
        batch.latency_sum_ns += latency_ns;
        batch.latency_max_ns = batch.latency_max_ns.max(latency_ns);
        if let Some(open) = &mut self.tally.open {
            let late_ns = flight.sent_ns.saturating_sub(flight.from_ns);
            let own_late_ns = flight.sent_ns.saturating_sub(flight.ready_ns);
            open.lateness.record(late_ns);
            open.own_lateness.record(own_late_ns);
            open.on_time.record(latency_ns.saturating_sub(late_ns));
            open.own_on_time.record(latency_ns.saturating_sub(own_late_ns));
        }
        self.count_over(&flight, latency_ns, batch);
        if self.orders.verifying.is_some() {
            return;
        }
        if flight.op == Op::Read && bytes > 0 && Expected::is_turn(done) {
            let expected = self.orders.expected;
            let buffer = self.path.buffer(slot);
            let read = (bytes as usize).min(buffer.len());
            expected.look(&mut self.tally, &buffer[..read], flight.offset);
        }
        if flight.op == Op::Write && Expected::is_turn(done) {
            self.tally.wrote.keep(flight.offset);
        }
    }

    /// Counts an operation that took too long: an open loop in the slice in which it was due, a closed one where it
    /// completed.
    #[inline]
    fn count_over(&mut self, flight: &Flight, latency_ns: u64, batch: &mut Batch) {
        if self.orders.over_ns.is_none_or(|over_ns| latency_ns <= over_ns) {
            return;
        }
        if self.tally.open.is_none() {
            batch.over += 1;
        } else {
            self.over_at(flight.from_ns);
        }
    }

    pub(super) fn over_at(&mut self, due_ns: u64) {
        let Some(since_ns) = due_ns.checked_sub(self.window.start_ns) else { return };
        if let Some(slice) = self.tally.slices.get_mut((since_ns / self.orders.slice_ns) as usize) {
            slice.over += 1;
        }
    }

    #[cold]
    fn failed(&mut self, flight: &Flight, error: io::Error) {
        if self.counting {
            row(&mut self.tally.kinds, flight.op).failed += 1;
        }
        self.tally.failed(flight.offset, error);
    }
}
