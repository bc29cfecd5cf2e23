//! The open loop: operations are due by a Poisson schedule, whatever the server does.

use std::time::Duration;

use narrows_engine::{Poisson, Stop, Window, now_ns};

use super::LoadError;
use super::result::Tally;
use super::waiting::Waiting;
use super::worker::{Ended, LOOK_EVERY, Worker, check};

/// How long it waits for outstanding answers after the window, where nothing asks for longer.
const DRAIN_NS: u64 = 1_000_000_000;
const LONGEST_DRAIN_NS: u64 = 60 * DRAIN_NS;
/// Operations that may wait in the client; beyond it the loop is lost and operations are counted as skipped.
const QUEUE: usize = 1 << 18;

impl Worker<'_> {
    /// Until all is answered, at the latest a second after the window, or as long after it as the limit of latency.
    pub(super) fn open(
        &mut self,
        mut schedule: Poisson,
        tally: &mut Tally,
        window: &Window,
        stops: &[&Stop],
    ) -> Result<(), LoadError> {
        let epoch = now_ns();
        let drain_ns = self.limit_ns().unwrap_or(0).clamp(DRAIN_NS, LONGEST_DRAIN_NS);
        let mut waiting = Waiting::new(self.slots.len(), epoch, QUEUE);
        let mut next = epoch + schedule.next_ns();
        loop {
            check(stops)?;
            let now = now_ns();
            tally.at_border(now);
            while next <= now && next < window.end_ns {
                tally.due(next);
                if !waiting.comes(next, now) {
                    tally.dropped(next);
                }
                next = epoch + schedule.next_ns();
            }
            self.hand_out(&mut waiting, tally, window)?;
            let over = waiting.is_over(self.slots.len());
            if (over && now >= window.end_ns) || now >= window.end_ns + drain_ns {
                break;
            }
            let timeout = if next < window.end_ns {
                Duration::from_nanos(next.saturating_sub(now_ns())).min(LOOK_EVERY)
            } else {
                LOOK_EVERY
            };
            self.answers(timeout, tally, window, |slot, Ended { index, now, good }, tally| {
                tally.answered(slot.given(), now, good);
                waiting.is_idle(index, now);
                Ok(())
            })?;
        }
        self.unanswered(&waiting, tally);
        Ok(())
    }

    /// Gives what is due to sessions that have nothing to do.
    #[inline]
    fn hand_out(
        &mut self,
        waiting: &mut Waiting,
        tally: &mut Tally,
        window: &Window,
    ) -> Result<(), LoadError> {
        while let Some(turn) = waiting.next() {
            let slot = &mut self.slots[turn.index];
            // The schedule is the pause.
            let _ = slot.draw();
            slot.send(turn.due_ns)?;
            slot.late_ns = turn.lateness_ns(now_ns());
            if window.contains(turn.due_ns) {
                tally.lateness(slot.late_ns);
            }
        }
        Ok(())
    }

    /// What is due, unanswered and given up on has waited at least until now.
    fn unanswered(&self, waiting: &Waiting, tally: &mut Tally) {
        let now = now_ns();
        for slot in self.slots.iter().filter(|slot| slot.busy) {
            tally.unanswered(slot.given(), now);
        }
        for due in waiting.never_sent() {
            tally.never_sent(due, now);
        }
    }
}
