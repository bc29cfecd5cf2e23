//! Pauses of a closed loop: after so many operations it waits for those in flight, and then for a while, as a user who
//! looks at an answer before the next question.
//!
//! A loop without pauses pays one comparison a turn for this, which it makes anyway for its limit.

use super::Hot;
use crate::worker::clock::Clock;
use crate::worker::due::idle;

impl<C: Clock> Hot<'_, C> {
    /// Sets how many operations the limit allows; the next pause may come before.
    pub(super) fn allow(&mut self, most: u64) {
        self.most = most;
        self.may_issue = most.min(self.pause_at);
    }

    /// Pauses, where it is time and nothing is in flight any more.
    #[cold]
    pub(super) fn rest(&mut self) {
        let Some(think) = self.orders.think else { return };
        if self.in_flight > 0 || self.tally.issued >= self.most {
            return;
        }
        let until_ns = self.now.saturating_add(think.pause.as_nanos() as u64);
        let spin_until_ns = self.now.saturating_add(think.spin.as_nanos() as u64).min(until_ns);
        let mut now = self.clock.now_ns();
        loop {
            // Asked each time: another stream may close the window early.
            let stop_ns = until_ns.min(self.shared.end_ns());
            if now >= stop_ns || self.shared.stop.is_set() {
                break;
            }
            if now < spin_until_ns {
                self.clock.spin();
            } else {
                idle(self.clock, now, stop_ns);
            }
            now = self.clock.now_ns();
        }
        self.now = now;
        self.pause_at = self.pause_at.saturating_add(u64::from(think.after.max(1)));
        self.allow(self.most);
    }
}
