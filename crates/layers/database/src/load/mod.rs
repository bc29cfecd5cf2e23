//! Drives sessions: thread per processor, closed or open loop, one common window.
//!
//! What a session does is a [`Program`], made for it by a [`Programs`]: it draws the next operation with its class and pause,
//! writes a step (one or several prepared statements with their values) into the send buffer, looks at the answer
//! and writes the next step, until the operation is right, wrong, or rolled back as planned. A transaction of several steps is
//! `BEGIN`, statements and `COMMIT` among the program's statements; the engine rolls back what an error or an early end leaves
//! open. After an error a program may have the same operation done again. [`ByKey`] is the smallest; [`Keys`] draws
//! keys for any. Latencies and counts are kept by class ([`ClassResult`]).
//!
//! Closed loop: every session sends its next operation when it has the answer, after its pause. Open loop: operations are due by
//! a Poisson schedule; an operation that finds no idle session waits in the client, and its latency counts from
//! when it was due. What is still unanswered when the drain ends is recorded with the time it has waited, what was dropped
//! because too many waited with the time to the window's end, so that an overload shows in the percentiles instead of vanishing
//! from them. Time that an operation was late while a session was idle is the client's own and counted apart as lateness.

mod by_key;
mod closed;
mod keys;
mod open;
mod plan;
mod program;
mod result;
mod slices;
mod slot;
#[cfg(test)]
mod slot_test;
#[cfg(test)]
mod threads_test;
mod waiting;
mod worker;

use std::io;
use std::sync::{Condvar, Mutex};

use narrows_engine::{Gate, GateFailed, Stop, Window};

pub use by_key::{ByKey, Expect};
pub use keys::Keys;
pub use plan::{LoadError, LoadPlan};
pub use program::{AfterAnswer, Operation, Program, Programs, Recovery, Verdict};
pub use result::{ClassResult, LoadResult};
pub use slices::{OpenSlice, OpenSlices};
use worker::Worker;

/// Runs the load; `during` runs on the calling thread once all sessions are open, is given the window and the
/// server processes of the sessions, and should return soon after the window ends.
pub fn run<T>(
    plan: &LoadPlan<'_>,
    stop: &Stop,
    during: impl FnOnce(&Window, &[u32]) -> Result<T, LoadError>,
) -> Result<(LoadResult, T), LoadError> {
    run_within(plan, u64::MAX, stop, during)
}

/// The same, and an open loop counts by slices what took longer than `limit_ns`, and waits as long for the last answers.
pub fn run_within<T>(
    plan: &LoadPlan<'_>,
    limit_ns: u64,
    stop: &Stop,
    during: impl FnOnce(&Window, &[u32]) -> Result<T, LoadError>,
) -> Result<(LoadResult, T), LoadError> {
    let threads = plan.sessions.min(plan.cpus.len().max(1) as u32).max(1);
    let gate = Gate::new(threads as usize);
    let pids = Mutex::new(Vec::new());
    let halt = Stop::new();
    let watched = Watched::default();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|index| {
                let (gate, pids, halt, watched) = (&gate, &pids, &halt, &watched);
                scope.spawn(move || {
                    let mut worker =
                        match Worker::new(plan, index, threads, limit_ns, pids, &[stop, halt]) {
                            Ok(worker) => worker,
                            Err(error) => {
                                gate.fail();
                                return Err(error);
                            }
                        };
                    let Ok(window) = gate.ready() else { return Ok(LoadResult::default()) };
                    let driven = worker.drive(&window, &[stop, halt]);
                    watched.wait();
                    driven
                })
            })
            .collect();
        let seen = match gate.open(plan.warm_up, plan.window) {
            Ok(window) => {
                let pids = pids.lock().expect("no worker panics holding it").clone();
                let seen = during(&window, &pids);
                if seen.is_err() {
                    halt.set();
                }
                Some(seen)
            }
            Err(GateFailed) => None,
        };
        watched.set();
        let mut total = LoadResult::default();
        let mut failure = None;
        for worker in workers {
            match worker.join().expect("a load thread panicked") {
                Ok(result) => total.merge(&result),
                Err(error) => failure = failure.or(Some(error)),
            }
        }
        // The observer's own error is the more telling one; a worker's follows from it.
        match (seen, failure) {
            (Some(Err(error)), _) | (_, Some(error)) => Err(error),
            (Some(Ok(seen)), None) => Ok((total, seen)),
            (None, None) => Err(LoadError::Thread(io::Error::other("no thread became ready"))),
        }
    })
}

/// Whether nobody looks at the sessions any more. Until then they stay: what a process used is gone with it.
#[derive(Default)]
struct Watched {
    over: Mutex<bool>,
    changed: Condvar,
}

impl Watched {
    fn set(&self) {
        *self.over.lock().expect("no holder panics") = true;
        self.changed.notify_all();
    }

    fn wait(&self) {
        let over = self.over.lock().expect("no holder panics");
        drop(self.changed.wait_while(over, |over| !*over));
    }
}
