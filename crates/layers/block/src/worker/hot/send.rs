//! Starting operations: the next one of a closed loop, those due of an open one, and the syncs between writes.

use narrows_io::Op;

use super::{Flight, Hot, Pace, Syncing};
use crate::BlockError;
use crate::worker::clock::Clock;
use crate::worker::operation_generator::NextOperation;

/// Up to this depth every submission of a closed loop gets its own time stamp.
const STAMP_EACH: u32 = 4;

/// Parts in which a whole queue is handed over, and operations of the least of them: a call of the kernel costs less than what a device loses
/// that waits for the last of 32.
const PARTS: u32 = 8;
const LEAST_PART: u32 = 4;

/// Of so many operations that follow each other the kernel is told at once.
fn part(depth: u32) -> u32 {
    (depth / PARTS).max(LEAST_PART)
}

impl<C: Clock> Hot<'_, C> {
    /// Closed loop: submits until the depth is reached. The kernel gets them in parts, so that the device, which has nothing to do where it
    /// answered all of its queue at once, begins with the first while the rest is made.
    #[inline]
    pub(super) fn keep_full(&mut self) -> Result<(), BlockError> {
        let stamp_each = self.orders.depth <= STAMP_EACH;
        let part = if self.in_parts { part(self.orders.depth) } else { u32::MAX };
        let mut until_handed_over = part;
        while self.in_flight < self.orders.depth
            && self.may_send()
            && self.flow_passes()
            && self.is_clear()
        {
            let sent_ns = if stamp_each { self.clock.now_ns() } else { self.now };
            self.send(sent_ns, sent_ns, sent_ns);
            until_handed_over -= 1;
            if until_handed_over == 0 && self.in_flight < self.orders.depth {
                self.hand_over_part()?;
                until_handed_over = part;
            }
        }
        Ok(())
    }

    /// Open loop: submits what is due, up to the cap.
    #[inline]
    pub(super) fn send_due(&mut self) {
        while self.in_flight < self.orders.depth && self.may_send() {
            let Pace::Open(due) = &mut self.orders.pace else { return };
            let Some(due_ns) = due.next_ns() else { return };
            if due_ns > self.now || !self.flow_passes() || !self.is_clear() {
                return;
            }
            let Pace::Open(due) = &mut self.orders.pace else { return };
            due.sent();
            // What a call held back is sent as soon as it can be.
            let ready_ns = if due_ns <= self.held_up.until_ns { self.now } else { due_ns };
            let op = self.send(due_ns, ready_ns, self.now);
            // A sync that a log holds is no operation of the rate, and none of the figures.
            if self.counting
                && op != Op::Sync
                && let Some(open) = &mut self.tally.open
            {
                open.sent += 1;
                open.held += u64::from(due_ns <= self.capped_ns);
                if due_ns >= self.window.start_ns {
                    open.due_sent += 1;
                    let slice = (due_ns - self.window.start_ns) / self.orders.slice_ns;
                    if let Some(slice) = self.tally.slices.get_mut(slice as usize) {
                        slice.due += 1;
                    }
                }
            }
        }
    }

    /// Whether another operation may start now: the limit is not reached and no sync stands before it.
    #[inline]
    fn may_send(&mut self) -> bool {
        match self.syncing {
            None | Some(Syncing::After(1..)) => {}
            Some(Syncing::After(0) | Syncing::Waiting) => {
                self.syncing = Some(Syncing::Waiting);
                if self.in_flight == 0 {
                    self.send_sync();
                }
                return false;
            }
            Some(Syncing::InFlight) => return false,
        }
        self.tally.issued < self.may_issue
    }

    /// Sends the next operation, and says what it is.
    #[inline]
    fn send(&mut self, from_ns: u64, ready_ns: u64, sent_ns: u64) -> Op {
        if self.orders.verifying.is_some() {
            return self.send_verified(from_ns, ready_ns, sent_ns);
        }
        let NextOperation { op, offset, bytes } = self.next_operation();
        let slot = if op == Op::Write { self.writes.take() } else { self.reads.take() };
        if op == Op::Write {
            if let Some((pattern, generation)) = &mut self.orders.payload {
                *generation += 1;
                let buffer = &mut self.path.buffer(slot)[..bytes as usize];
                pattern.stamp(buffer, offset, *generation);
            }
            self.tally.written_bytes += u64::from(bytes);
            if let Some(Syncing::After(left)) = &mut self.syncing {
                *left -= 1;
            }
        }
        self.submit(slot, Flight { offset, from_ns, ready_ns, sent_ns, bytes, op });
        self.tally.issued += 1;
        op
    }

    fn send_sync(&mut self) {
        let slot = self.reads.take();
        let sent_ns = self.clock.now_ns();
        let (from_ns, ready_ns, op) = (sent_ns, sent_ns, Op::Sync);
        self.submit(slot, Flight { offset: 0, from_ns, ready_ns, sent_ns, bytes: 0, op });
        self.syncing = Some(Syncing::InFlight);
    }
}
