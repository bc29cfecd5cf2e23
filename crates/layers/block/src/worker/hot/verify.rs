//! Operations of streams whose blocks are verified, and of those that keep their share of a group.
//!
//! A loop that does neither pays one comparison an operation for this.

use narrows_io::{Completion, Op};

use super::settle::DRAIN_NS;
use super::{Flight, Hot, Pace, Syncing};
use crate::BlockError;
use crate::worker::clock::Clock;
use crate::worker::due::HEARTBEAT_NS;
use crate::worker::operation_generator::NextOperation;
use crate::worker::verifying::Landed;

/// So long a loop whose share is used up keeps its processor, and so long it sleeps from then on, ns.
const FLOW_SPIN_NS: u64 = 20_000;

impl<C: Clock> Hot<'_, C> {
    /// As `send`, with a block that is made for this write, or a read of what was written.
    pub(super) fn send_verified(&mut self, from_ns: u64, ready_ns: u64, sent_ns: u64) -> Op {
        let Some(verifying) = &mut self.orders.verifying else { return Op::Read };
        let read_back = verifying.next_read();
        let NextOperation { op, offset, bytes } = match read_back {
            Some(block) => NextOperation { op: Op::Read, offset: block.offset, bytes: block.bytes },
            None => match self.chosen.take() {
                Some(chosen) => chosen,
                None => self.orders.chooser.next(),
            },
        };
        let slot = if op == Op::Write { self.writes.take() } else { self.reads.take() };
        let (mut from_ns, mut ready_ns, mut sent_ns) = (from_ns, ready_ns, sent_ns);
        match (op, read_back) {
            (Op::Write, _) => {
                let buffer = &mut self.path.buffer(slot)[..bytes as usize];
                verifying.writes(slot, buffer, offset);
                // Making the block is the generator's time and not the device's.
                sent_ns = self.clock.now_ns();
                if matches!(self.orders.pace, Pace::Closed) {
                    (from_ns, ready_ns) = (sent_ns, sent_ns);
                }
                self.tally.written_bytes += u64::from(bytes);
                if let Some(Syncing::After(left)) = &mut self.syncing {
                    *left -= 1;
                }
            }
            (_, Some(block)) => verifying.reads_back(slot, block),
            (Op::Read, None) => verifying.reads(slot),
            (Op::Trim | Op::Sync, None) => {}
        }
        // What is read back beside is none of the work that the stream was given.
        let own = read_back.is_none() || verifying.has_list();
        self.submit(slot, Flight { offset, from_ns, ready_ns, sent_ns, bytes, op });
        self.tally.issued += u64::from(own);
        op
    }

    /// Checks what has come back; whether it was there only to be checked.
    #[inline]
    pub(super) fn landed_verified(&mut self, completion: &Completion, flight: &Flight) -> bool {
        let Some(verifying) = &mut self.orders.verifying else { return false };
        let slot = completion.slot;
        let moved = completion.bytes().ok();
        let buffer =
            verifying.looks_at(slot).then(|| &mut self.path.buffer(slot)[..flight.bytes as usize]);
        let landed = verifying.landed((slot, flight.op, flight.offset), moved, buffer);
        matches!(landed, Landed::Beside)
    }

    /// A read beside the stream's own.
    pub(super) fn count_beside(&mut self, slot: u32, flight: &Flight, moved: u32) {
        let Some(verifying) = self.orders.verifying.as_mut().filter(|_| self.counting) else {
            return;
        };
        let reads = &mut verifying.verified.reads;
        reads.operations += 1;
        reads.latency.record(self.now.saturating_sub(flight.from_ns));
        reads.bytes += u64::from(moved);
        reads.asked_bytes += u64::from(flight.bytes);
        reads.short += u64::from(moved < flight.bytes);
        if let Some(submissions) = &self.submissions {
            reads.split.get_or_insert_default();
            submissions.record(reads, (slot, flight), self.now);
        }
    }

    /// Ends the run where a mismatch has to.
    #[inline]
    pub(super) fn fatal_mismatch(&self) -> Result<(), BlockError> {
        let mismatch = self.orders.verifying.as_ref().and_then(|verifying| verifying.ends_it());
        match mismatch {
            None => Ok(()),
            Some(mismatch) => Err(BlockError::Mismatch {
                path: self.orders.name.to_path_buf(),
                mismatch: mismatch.clone(),
            }),
        }
    }

    /// Waits for what is in flight at the end, for a while: a write that has not come back can't be read back.
    pub(super) fn settle_verified(&mut self) -> Result<(), BlockError> {
        if self.orders.verifying.is_none() {
            return Ok(());
        }
        let deadline_ns = self.now.saturating_add(DRAIN_NS);
        loop {
            let out = std::mem::take(&mut self.out);
            for completion in &out {
                let flight = self.flights[completion.slot as usize];
                self.landed_verified(completion, &flight);
            }
            self.in_flight = self.in_flight.saturating_sub(out.len() as u32);
            self.out = out;
            self.out.clear();
            if self.in_flight == 0 || self.now >= deadline_ns || self.shared.stop.is_set() {
                break;
            }
            self.path.reap(1, &mut self.out)?;
            self.now = self.clock.now_ns();
        }
        self.fatal_mismatch()?;
        if let Some(verifying) = self.orders.verifying.take() {
            (self.tally.verified, self.tally.written) = verifying.into_parts();
        }
        Ok(())
    }

    /// Stopped: leaves what has come back whole by now to whoever asked for it.
    #[cold]
    pub(super) fn leave_written(&mut self) {
        for completion in std::mem::take(&mut self.out) {
            let flight = self.flights[completion.slot as usize];
            self.landed_verified(&completion, &flight);
        }
        if let Some(verifying) = self.orders.verifying.take() {
            verifying.into_parts();
        }
    }

    /// Whether its share of the group lets an operation start; it is counted then.
    #[inline]
    pub(super) fn flow_passes(&mut self) -> bool {
        let Some(flow) = &self.orders.flow else { return true };
        if self.flow_pausing {
            return false;
        }
        self.flow_held = !flow.passes();
        if !self.flow_held {
            self.flow_since_ns = self.now;
        }
        self.flow_pausing = self.flow_held && !flow.pause.is_zero();
        !self.flow_held
    }

    /// With nothing in flight: pauses, or gives the others a moment.
    #[cold]
    pub(super) fn wait_for_flow(&mut self) {
        let pause = self.orders.flow.as_ref().map(|flow| flow.pause.as_nanos() as u64);
        if self.flow_pausing {
            let until_ns = self.now.saturating_add(pause.unwrap_or(0));
            loop {
                let (now, stop_ns) = (self.clock.now_ns(), until_ns.min(self.shared.end_ns()));
                if now >= stop_ns || self.shared.stop.is_set() {
                    break;
                }
                // Without spinning at the end: who is waited for may need this processor.
                self.clock.sleep_until(stop_ns.min(now + HEARTBEAT_NS));
            }
            self.flow_pausing = false;
        } else if self.now.saturating_sub(self.flow_since_ns) < FLOW_SPIN_NS {
            self.clock.spin();
        } else {
            // Who is waited for may need this processor.
            self.clock.sleep_until(self.now + FLOW_SPIN_NS);
        }
        self.flow_held = false;
    }
}
