//! Pauses of a closed loop: after so many operations, or so much time, it waits for those in flight, and then for a while, as a user who
//! looks at an answer before the next question.
//!
//! A loop without pauses pays one comparison a turn for this, which it makes anyway for its limit.

use super::Hot;
use crate::scenario::{Cell, Think};
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
            // Asked each time: another stream may close the window early, and whoever judges it may end this one.
            let judged = self.orders.judged.iter().map(Cell::ends_ns);
            self.own_end_ns = judged.fold(self.own_end_ns, u64::min);
            let stop_ns = until_ns.min(self.shared.end_ns()).min(self.own_end_ns);
            if now >= stop_ns || self.shared.stop.is_set() {
                break;
            }
            if now < spin_until_ns {
                self.clock.spin();
            } else {
                idle(self.clock, &mut self.wake_up, now, stop_ns);
            }
            now = self.clock.now_ns();
        }
        (self.now, self.paused_ns) = (now, now);
        self.pause_at = next_start(&think, self.tally.issued);
        self.allow(self.most);
    }

    /// Lets nothing more start where enough has come back, or enough time has passed: the pause begins when nothing is in flight.
    pub(super) fn begin_pause(&mut self, think: &Think) {
        if self.tally.issued >= self.may_issue {
            return;
        }
        let since = self.completed - self.completed_at_pause;
        let by_count =
            think.counts_completed && think.after.is_some_and(|after| since >= u64::from(after));
        let passed_ns = self.now.saturating_sub(self.paused_ns);
        let by_time = think.every.is_some_and(|every| passed_ns >= every.as_nanos() as u64);
        if by_count || by_time {
            self.completed_at_pause = self.completed;
            self.pause_at = self.tally.issued;
            self.allow(self.most);
        }
    }
}

/// How many operations may have started when the next pause begins, after so many; of those that count what starts.
pub(super) fn next_start(think: &Think, issued: u64) -> u64 {
    match think.after {
        Some(after) if !think.counts_completed => issued.saturating_add(u64::from(after.max(1))),
        _ => u64::MAX,
    }
}
