//! The open loop: operations are due by a Poisson schedule, whatever the server does.

use std::collections::VecDeque;
use std::time::Duration;

use narrows_engine::{Poisson, Stop, Window, now_ns};

use super::LoadError;
use super::result::Tally;
use super::worker::{Ended, LOOK_EVERY, Worker, check};

/// How long it waits for outstanding answers after the window, where nothing asks for longer.
const DRAIN_NS: u64 = 1_000_000_000;
const LONGEST_DRAIN_NS: u64 = 60 * DRAIN_NS;
/// Operations that may wait in the client; beyond it the loop is lost and operations are counted as skipped.
const QUEUE: usize = 1 << 18;

/// What is due and not sent, and whom it could be given to.
struct Waiting {
    due: VecDeque<u64>,
    idle: Vec<usize>,
}

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
        let mut waiting = Waiting {
            due: VecDeque::with_capacity(QUEUE),
            idle: (0..self.slots.len()).rev().collect(),
        };
        for slot in &mut self.slots {
            slot.idle_since_ns = epoch;
        }
        let mut next = epoch + schedule.next_ns();
        loop {
            check(stops)?;
            let now = now_ns();
            tally.at_border(now);
            while next <= now && next < window.end_ns {
                tally.due(next);
                if waiting.due.len() < QUEUE {
                    waiting.due.push_back(next);
                } else {
                    tally.never_sent(next, None);
                }
                next = epoch + schedule.next_ns();
            }
            self.hand_out(&mut waiting, tally, window)?;
            let all_idle = waiting.due.is_empty() && waiting.idle.len() == self.slots.len();
            if (all_idle && now >= window.end_ns) || now >= window.end_ns + drain_ns {
                break;
            }
            let timeout = if next < window.end_ns {
                Duration::from_nanos(next.saturating_sub(now_ns())).min(LOOK_EVERY)
            } else {
                LOOK_EVERY
            };
            self.answers(timeout, tally, window, |slot, Ended { index, now, good }, tally| {
                slot.idle_since_ns = now;
                tally.answered(slot.class, slot.from_ns, now, good);
                waiting.idle.push(index);
                Ok(())
            })?;
        }
        self.unanswered(&waiting.due, tally);
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
        while let Some(&index) = waiting.idle.last()
            && let Some(due) = waiting.due.pop_front()
        {
            waiting.idle.pop();
            let slot = &mut self.slots[index];
            let could = due.max(slot.idle_since_ns);
            // The schedule is the pause.
            let _ = slot.draw();
            slot.send(due)?;
            if window.contains(due) {
                tally.lateness(now_ns().saturating_sub(could));
            }
        }
        Ok(())
    }

    /// What is due, unanswered and given up on has waited at least until now.
    fn unanswered(&self, queue: &VecDeque<u64>, tally: &mut Tally) {
        let now = now_ns();
        for slot in self.slots.iter().filter(|slot| slot.busy) {
            tally.unanswered(slot.class, slot.from_ns, now);
        }
        for due in queue {
            tally.never_sent(*due, Some(now));
        }
    }
}
