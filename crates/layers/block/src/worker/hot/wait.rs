//! Waiting: for completions, or until the next operation is due.

use std::time::Duration;

use super::{Hot, Pace, Syncing};
use crate::BlockError;
use crate::worker::clock::Clock;
use crate::worker::due::{HEARTBEAT_NS, idle};

/// Rest of a loop that has nothing to wait for, ns.
const IDLE_NS: u64 = 200_000;

impl<C: Clock> Hot<'_, C> {
    /// Starts what was submitted and waits for completions, or until something is due.
    #[inline]
    pub(super) fn wait(&mut self) -> Result<(), BlockError> {
        if self.flow_held && self.in_flight == 0 {
            self.wait_for_flow();
            return Ok(());
        }
        if !self.hand_over()? {
            return Ok(());
        }
        if matches!(self.orders.pace, Pace::Closed) {
            if self.in_flight > 0 {
                // What came back while the depth was filled up is work enough.
                let batch = match self.out.is_empty() {
                    true => batch(self.orders.depth).min(self.in_flight),
                    false => 0,
                };
                self.path.reap(batch, &mut self.out)?;
            } else {
                self.clock.sleep_until(self.now + IDLE_NS);
            }
            return Ok(());
        }
        let held = self.in_flight >= self.orders.depth || self.cannot_send();
        if !held {
            return self.wait_due();
        }
        if self.in_flight > 0 {
            self.path.reap(1, &mut self.out)?;
            // What becomes due meanwhile waits for the device, not for the generator.
            self.capped_ns = self.clock.now_ns();
        } else {
            self.clock.sleep_until(self.now + IDLE_NS);
        }
        Ok(())
    }

    /// Whether something else than time keeps the next operation from being sent.
    #[inline]
    fn cannot_send(&self) -> bool {
        self.tally.issued >= self.may_issue
            || self.flow_held
            || matches!(
                self.syncing,
                Some(Syncing::After(0) | Syncing::Waiting | Syncing::InFlight)
            )
    }

    /// Open loop with room for more: back when the next operation is due.
    #[inline]
    fn wait_due(&mut self) -> Result<(), BlockError> {
        let Pace::Open(due) = &mut self.orders.pace else { return Ok(()) };
        let limit_ns = (self.now + HEARTBEAT_NS).min(self.shared.end_ns());
        let Some(due_ns) = due.next_ns() else {
            due.wait_turn(self.clock, &mut self.wake_up, limit_ns);
            return Ok(());
        };
        let now = self.clock.now_ns();
        if self.in_flight == 0 {
            if now < due_ns.min(limit_ns) {
                idle(self.clock, &mut self.wake_up, now, due_ns.min(limit_ns));
            }
            return Ok(());
        }
        let gap_ns = due_ns.min(limit_ns).saturating_sub(now);
        let wait_ns = gap_ns.saturating_sub(self.wake_up.early_ns());
        if wait_ns > 0 {
            self.path.reap_within(1, Duration::from_nanos(wait_ns), &mut self.out)?;
        } else {
            self.path.reap(0, &mut self.out)?;
        }
        let ended_ns = self.returned(now, wait_ns);
        if wait_ns > 0 && self.out.is_empty() {
            self.wake_up.woke(now + wait_ns, ended_ns);
        }
        Ok(())
    }
}

/// Completions to wait for at once: one while operations are few, then a small part of the depth. What is waited for is not at the
/// device meanwhile, so that this part is missing from the depth there: one in thirty-two at most, which no rule could tell from the
/// time between completion and submission. Whatever else has completed by then comes with them.
pub(crate) fn batch(depth: u32) -> u32 {
    (depth / 32).max(1)
}

#[cfg(test)]
mod tests {
    use super::batch;

    #[test]
    fn what_is_held_back_is_a_small_part_of_the_depth() {
        for depth in 1..=4096 {
            assert!(batch(depth) == 1 || batch(depth) * 32 <= depth, "{depth}");
        }
        assert_eq!((batch(1), batch(63), batch(256)), (1, 1, 8));
    }
}
