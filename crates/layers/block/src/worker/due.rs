//! When the operations of an open loop are due, for one thread.
//!
//! Threads that keep many operations in flight have a schedule each, of a part of the rate. Threads that block take
//! turns at one: whoever is free waits for the next operation, as sessions at one door, so that one that is stuck
//! does not keep its share of the arrivals waiting behind it while others idle.

use std::sync::{Arc, Mutex, MutexGuard};

use narrows_engine::Schedule;

use super::clock::Clock;
use super::wake_up::WakeUp;
use crate::scenario::RecordedOperations;

/// Nobody sleeps longer at once, so that a stop is seen, ns.
pub(super) const HEARTBEAT_NS: u64 = 20_000_000;

/// A schedule and the operation that is next.
#[derive(Debug)]
pub(crate) struct Queue {
    times: Times,
    next_ns: u64,
}

/// Where times come from.
#[derive(Debug)]
enum Times {
    Schedule(Schedule),
    Recorded { record: Arc<RecordedOperations>, next: usize },
}

impl Times {
    #[inline]
    fn next_ns(&mut self) -> u64 {
        match self {
            Times::Schedule(schedule) => schedule.next_ns(),
            Times::Recorded { record, next } => {
                *next += 1;
                record.due_ns(*next - 1)
            }
        }
    }
}

impl Queue {
    pub(crate) fn new(schedule: Schedule) -> Self {
        Queue::of(Times::Schedule(schedule))
    }

    /// At the times of a record.
    pub(crate) fn recorded(record: Arc<RecordedOperations>) -> Self {
        Queue::of(Times::Recorded { record, next: 0 })
    }

    fn of(mut times: Times) -> Self {
        let next_ns = times.next_ns();
        Queue { times, next_ns }
    }

    #[inline]
    fn take(&mut self) -> u64 {
        std::mem::replace(&mut self.next_ns, self.times.next_ns())
    }
}

/// Whose schedule it is.
pub(crate) enum Source<'a> {
    Own(Queue),
    Shared(&'a Mutex<Queue>),
}

/// The operations due, for one thread.
pub(super) struct Due<'a> {
    source: Source<'a>,
    epoch_ns: u64,
    /// Of a shared schedule: taken, and not sent yet.
    turn_ns: Option<u64>,
}

impl<'a> Due<'a> {
    /// Times count from `epoch_ns`.
    pub(super) fn new(source: Source<'a>, epoch_ns: u64) -> Self {
        Due { source, epoch_ns, turn_ns: None }
    }

    /// When the next operation of this thread is due; `None` while that is not decided (see [`Due::wait_turn`]).
    #[inline]
    pub(super) fn next_ns(&self) -> Option<u64> {
        match &self.source {
            Source::Own(queue) => Some(self.epoch_ns + queue.next_ns),
            Source::Shared(_) => self.turn_ns,
        }
    }

    /// The next operation was sent.
    #[inline]
    pub(super) fn sent(&mut self) {
        match &mut self.source {
            Source::Own(queue) => {
                queue.take();
            }
            Source::Shared(_) => self.turn_ns = None,
        }
    }

    /// Waits for this thread's turn and then for the next operation to be due, at most until `limit_ns`. Spins at the
    /// end; of several threads only the one whose turn it is.
    pub(super) fn wait_turn(&mut self, clock: &impl Clock, wake_up: &mut WakeUp, limit_ns: u64) {
        let Source::Shared(queue) = &self.source else { return };
        let mut queue = lock(queue);
        loop {
            let due_ns = self.epoch_ns + queue.next_ns;
            let now = clock.now_ns();
            if now >= due_ns {
                queue.take();
                self.turn_ns = Some(due_ns);
                return;
            }
            if now >= limit_ns {
                return;
            }
            idle(clock, wake_up, now, due_ns.min(limit_ns));
        }
    }

    /// Takes everything that was due before `end_ns` and not sent: how many, and how many of them were due from
    /// `start_ns` on. `each` is told when each was due.
    pub(super) fn unsent(
        &mut self,
        start_ns: u64,
        end_ns: u64,
        mut each: impl FnMut(u64),
    ) -> (u64, u64) {
        let (mut all, mut inside) = (0, 0);
        let mut count = |due_ns: u64| {
            all += 1;
            inside += u64::from(due_ns >= start_ns);
            each(due_ns);
        };
        if let Some(due_ns) = self.turn_ns.take()
            && due_ns < end_ns
        {
            count(due_ns);
        }
        let epoch_ns = self.epoch_ns;
        let mut drain = |queue: &mut Queue| {
            while epoch_ns + queue.next_ns < end_ns {
                count(epoch_ns + queue.take());
            }
        };
        match &mut self.source {
            Source::Own(queue) => drain(queue),
            Source::Shared(queue) => drain(&mut lock(queue)),
        }
        (all, inside)
    }
}

/// Sleeps until shortly before `until_ns`, or spins once where that is near.
pub(super) fn idle(clock: &impl Clock, wake_up: &mut WakeUp, now: u64, until_ns: u64) {
    let gap = until_ns.saturating_sub(now);
    if gap > wake_up.early_ns() {
        let at_ns = now + (gap - wake_up.early_ns()).min(HEARTBEAT_NS);
        clock.sleep_until(at_ns);
        wake_up.woke(at_ns, clock.now_ns());
    } else {
        clock.spin();
    }
}

fn lock(queue: &Mutex<Queue>) -> MutexGuard<'_, Queue> {
    queue.lock().expect("no holder of a schedule panics")
}
