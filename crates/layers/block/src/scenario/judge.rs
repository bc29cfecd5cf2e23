//! What ends a stream by what it does: a rate that is not reached, a figure that has become steady.
//!
//! Threads write down what they have done; whoever coordinates the window looks at it from time to time, and says when their time is over.
//! The rules are fio's (`check_min_rate` of its backend, `steadystate_check`), except that a rate is taken over the time that passed,
//! where fio 3.42 multiplies by it.

mod minimum_rate;
mod steady;

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

pub use minimum_rate::{MinimumRate, Missed};
pub use steady::{SteadyRule, SteadySeen, SteadyValue};

use crate::outcome::Counted;

/// Reads, writes, trims.
pub(super) const KINDS: usize = 3;

/// What is judged.
#[derive(Debug, Clone, PartialEq)]
pub enum Rule {
    /// Less than that per second ends it.
    Minimum(MinimumRate),
    /// Being steady ends it.
    Steady(SteadyRule),
}

/// What was found.
#[derive(Debug, Clone, PartialEq)]
pub enum Verdict {
    /// A minimum was missed, and the streams ended for it; `None`: it was not.
    Minimum(Option<Missed>),
    /// What steadiness was judged by, and how it stood at the end.
    Steady(SteadySeen),
}

/// A rule for all threads of some streams together.
#[derive(Debug)]
pub struct Judge {
    cells: Box<[Progress]>,
    /// When their time is over, ns.
    ends_ns: AtomicU64,
    state: Mutex<State>,
    every: Duration,
}

#[derive(Debug)]
enum State {
    Minimum(minimum_rate::Judging),
    Steady(steady::Judging),
}

/// A stream's part in a rule.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Who judges.
    pub judge: Arc<Judge>,
    /// Threads of other streams before this one's.
    pub first: u32,
}

/// One thread's place in it.
#[derive(Debug, Clone)]
pub(crate) struct Cell {
    judge: Arc<Judge>,
    number: usize,
}

/// What one thread has done since its window began; a cache line or two of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Progress {
    began_ns: AtomicU64,
    told_ns: AtomicU64,
    ended: AtomicBool,
    operations: [AtomicU64; KINDS],
    bytes: [AtomicU64; KINDS],
    latency_sum_ns: AtomicU64,
}

/// What one thread has done at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Done {
    pub began_ns: u64,
    /// When something last came back.
    pub told_ns: u64,
    pub ended: bool,
    pub operations: [u64; KINDS],
    pub bytes: [u64; KINDS],
    pub latency_sum_ns: u64,
}

impl Judge {
    /// For so many threads.
    pub fn of(rule: Rule, threads: u32) -> Arc<Judge> {
        let (state, every) = match rule {
            Rule::Minimum(rule) => {
                let every = rule.cycle / 10;
                (State::Minimum(minimum_rate::Judging::of(rule)), every)
            }
            Rule::Steady(rule) => {
                let every = rule.interval / 100;
                (State::Steady(steady::Judging::of(rule, threads as usize)), every)
            }
        };
        Arc::new(Judge {
            cells: (0..threads).map(|_| Progress::default()).collect(),
            ends_ns: AtomicU64::new(u64::MAX),
            state: Mutex::new(state),
            every: every.clamp(Duration::from_millis(1), Duration::from_millis(50)),
        })
    }

    /// How often somebody should look.
    pub(crate) fn every(&self) -> Duration {
        self.every
    }

    /// Judges what was done up to now.
    pub(crate) fn look(&self, now_ns: u64) {
        if self.ends_ns.load(Ordering::Relaxed) != u64::MAX {
            return;
        }
        let done: Vec<Done> = self.cells.iter().map(Progress::read).collect();
        let over = match &mut *self.state() {
            State::Minimum(judging) => judging.look(&done),
            State::Steady(judging) => judging.look(now_ns, &done),
        };
        if over {
            self.ends_ns.store(now_ns, Ordering::Relaxed);
        }
    }

    /// What was found.
    pub fn verdict(&self) -> Verdict {
        match &*self.state() {
            State::Minimum(judging) => Verdict::Minimum(judging.missed()),
            State::Steady(judging) => Verdict::Steady(judging.seen()),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("no holder of it panics")
    }
}

impl Judged {
    pub(crate) fn cell(&self, thread: u32) -> Cell {
        Cell { judge: Arc::clone(&self.judge), number: (self.first + thread) as usize }
    }

    /// A thread has ended: what it doesn't do any more is nobody's slowness.
    pub(crate) fn leave(&self, thread: u32) {
        let number = (self.first + thread) as usize;
        self.judge.cells[number].ended.store(true, Ordering::Relaxed);
    }
}

impl Cell {
    /// What the thread has done from its beginning to now; the latencies are those of the last batch.
    pub(crate) fn tell(
        &self,
        (began_ns, now_ns): (u64, u64),
        kinds: &[Counted; 4],
        latency_sum_ns: u64,
    ) {
        let own = &self.judge.cells[self.number];
        for ((operations, bytes), kind) in own.operations.iter().zip(&own.bytes).zip(kinds) {
            operations.store(kind.operations, Ordering::Relaxed);
            bytes.store(kind.bytes, Ordering::Relaxed);
        }
        own.latency_sum_ns.fetch_add(latency_sum_ns, Ordering::Relaxed);
        own.began_ns.store(began_ns, Ordering::Relaxed);
        own.told_ns.store(now_ns, Ordering::Relaxed);
    }

    /// When its time is over, ns.
    pub(crate) fn ends_ns(&self) -> u64 {
        self.judge.ends_ns.load(Ordering::Relaxed)
    }
}

impl Progress {
    fn read(&self) -> Done {
        let each =
            |of: &[AtomicU64; KINDS]| std::array::from_fn(|at| of[at].load(Ordering::Relaxed));
        Done {
            began_ns: self.began_ns.load(Ordering::Relaxed),
            told_ns: self.told_ns.load(Ordering::Relaxed),
            ended: self.ended.load(Ordering::Relaxed),
            operations: each(&self.operations),
            bytes: each(&self.bytes),
            latency_sum_ns: self.latency_sum_ns.load(Ordering::Relaxed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: u64 = 1_000_000_000;

    #[test]
    fn threads_tell_and_hear_when_their_time_is_over() {
        let rule = MinimumRate {
            operations: [Some(100), None, None],
            bytes: [None; KINDS],
            cycle: Duration::from_secs(1),
        };
        let judge = Judge::of(Rule::Minimum(rule), 2);
        let judged = Judged { judge: Arc::clone(&judge), first: 0 };
        let cells = [judged.cell(0), judged.cell(1)];
        let mut kinds: [Counted; 4] = std::array::from_fn(|_| Counted::default());
        let mut at = |seconds: u64, operations: u64| {
            (kinds[0].operations, kinds[0].bytes) = (operations, operations * 512);
            cells.iter().for_each(|cell| cell.tell((SECOND, (1 + seconds) * SECOND), &kinds, 0));
            judge.look((1 + seconds) * SECOND);
            cells[0].ends_ns()
        };
        // Sixty each is enough together, forty is not; the first two seconds are nobody's.
        assert_eq!([at(1, 1), at(2, 120), at(3, 180)], [u64::MAX; 3]);
        assert_eq!(at(4, 220), 5 * SECOND);
        let missed = Missed { kind: 0, counts_bytes: false, wanted: 100, got: 80, after_s: 4.0 };
        assert_eq!(judge.verdict(), Verdict::Minimum(Some(missed)));
    }
}
