//! Drives sessions: thread per processor, closed or open loop, one common window.
//!
//! Closed loop: every session sends its next operation when it has the answer. Open loop: operations are due by
//! a Poisson schedule; an operation that finds no idle session waits in the client, and its latency counts from
//! when it was due. What is still unanswered when the drain ends is recorded with the time it has waited, so
//! that an overload shows in the percentiles instead of vanishing from them.

use std::collections::VecDeque;
use std::io;
use std::sync::Mutex;
use std::time::Duration;

use narrows_engine::{Gate, GateFailed, Poisson, Rng, Stop, Stopped, Window, now_ns};
use narrows_facts::process;
use narrows_stats::Recorder;

use crate::address::Address;
use crate::poller::Poller;
use crate::session::{Received, Session};
use crate::wire::WireError;

/// How long an open loop waits for outstanding answers after the window.
const DRAIN_NS: u64 = 1_000_000_000;
/// Operations that may wait in the client; beyond it the loop is lost and operations are counted as skipped.
const QUEUE: usize = 1 << 18;
/// How often a loop without answers looks whether it was stopped.
const LOOK_EVERY: Duration = Duration::from_millis(50);
/// Slices of the throughput series.
const SLICE_NS: u64 = 100_000_000;

/// What to drive.
#[derive(Debug, Clone)]
pub struct LoadPlan<'a> {
    /// The server.
    pub address: &'a Address,
    /// Run-time settings of every session, `name = value`.
    pub settings: &'a [String],
    /// The statement, with one `bigint` parameter.
    pub statement: &'a str,
    /// Keys are drawn uniformly from `1..=keys`.
    pub keys: u64,
    /// Sessions in all.
    pub sessions: u32,
    /// Processors for the client's threads; one thread on each, not more threads than sessions.
    pub cpus: &'a [u32],
    /// Operations per second in an open loop; `None` is a closed loop.
    pub open_rate_per_s: Option<f64>,
    /// Unmeasured start of the load.
    pub warm_up: Duration,
    /// The window.
    pub window: Duration,
    /// Seed.
    pub seed: u64,
}

/// What the load saw.
#[derive(Debug, Clone, Default)]
pub struct LoadResult {
    /// Operations completed in the window.
    pub operations: u64,
    /// Operations from the first to the last, warm-up and drain included.
    pub span_operations: u64,
    /// Latency of operations, ns: completed in the window (closed), due in the window (open, from when due).
    pub latency: Recorder,
    /// Open loop: how long after an operation could have been sent it was sent, ns.
    pub lateness: Recorder,
    /// Open loop: operations due in the window.
    pub due: u64,
    /// Open loop: operations never sent.
    pub skipped: u64,
    /// Answers that were errors.
    pub errors: u64,
    /// Answers without the one row that was asked for.
    pub wrong_rows: u64,
    /// The first error's text.
    pub first_error: Option<String>,
    /// Processor time of all client threads in the window, ns.
    pub cpu_ns: u64,
    /// The busiest client thread's processor time in the window, ns.
    pub busiest_cpu_ns: u64,
    /// Operations completed per 100 ms of the window.
    pub slices: Vec<u64>,
    /// Client threads.
    pub threads: u32,
}

impl LoadResult {
    fn merge(&mut self, other: &LoadResult) {
        self.operations += other.operations;
        self.span_operations += other.span_operations;
        self.latency.merge(&other.latency);
        self.lateness.merge(&other.lateness);
        self.due += other.due;
        self.skipped += other.skipped;
        self.errors += other.errors;
        self.wrong_rows += other.wrong_rows;
        self.first_error = self.first_error.take().or_else(|| other.first_error.clone());
        self.cpu_ns += other.cpu_ns;
        self.busiest_cpu_ns = self.busiest_cpu_ns.max(other.cpu_ns);
        self.threads += 1;
        self.slices.resize(self.slices.len().max(other.slices.len()), 0);
        for (sum, n) in self.slices.iter_mut().zip(&other.slices) {
            *sum += n;
        }
    }
}

/// Why a load ended without a result.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// Connecting, preparing or the connection itself.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// On request.
    #[error(transparent)]
    Stopped(#[from] Stopped),
    /// A thread couldn't be set up.
    #[error("the load's thread could not be set up: {0}")]
    Thread(io::Error),
}

/// Runs the load; `during` runs on the calling thread once all sessions are open, is given the window and the
/// server processes of the sessions, and should return soon after the window ends.
pub fn run<T>(
    plan: &LoadPlan<'_>,
    stop: &Stop,
    during: impl FnOnce(&Window, &[u32]) -> Result<T, LoadError>,
) -> Result<(LoadResult, T), LoadError> {
    let threads = plan.sessions.min(plan.cpus.len().max(1) as u32).max(1);
    let gate = Gate::new(threads as usize);
    let pids = Mutex::new(Vec::new());
    let halt = Stop::new();
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads)
            .map(|index| {
                let (gate, pids, halt) = (&gate, &pids, &halt);
                scope.spawn(move || {
                    let outcome = Worker::new(plan, index, threads, pids);
                    let mut worker = match outcome {
                        Ok(worker) => worker,
                        Err(error) => {
                            gate.fail();
                            return Err(error);
                        }
                    };
                    let Ok(window) = gate.ready() else { return Ok(LoadResult::default()) };
                    worker.drive(&window, &[stop, halt])
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

struct Slot {
    session: Session,
    /// Closed loop: when sent. Open loop: when due.
    from_ns: u64,
    idle_since_ns: u64,
    busy: bool,
}

struct Worker<'a> {
    plan: &'a LoadPlan<'a>,
    slots: Vec<Slot>,
    poller: Poller,
    rng: Rng,
    schedule: Option<Poisson>,
    result: LoadResult,
    cpu_start_ns: Option<u64>,
    cpu_end_ns: Option<u64>,
}

impl<'a> Worker<'a> {
    fn new(
        plan: &'a LoadPlan<'a>,
        index: u32,
        threads: u32,
        pids: &Mutex<Vec<u32>>,
    ) -> Result<Self, LoadError> {
        if let Some(cpu) = plan.cpus.get(index as usize) {
            narrows_facts::affinity::pin(&[*cpu]).map_err(LoadError::Thread)?;
        }
        let mine = (index..plan.sessions).step_by(threads as usize);
        let poller = Poller::new().map_err(LoadError::Thread)?;
        let mut slots = Vec::new();
        for _ in mine {
            let session = Session::open(plan.address, plan.settings, plan.statement)?;
            pids.lock().expect("no worker panics holding it").push(session.pid());
            session.set_nonblocking(true).map_err(WireError::Io)?;
            poller.add(session.fd(), slots.len()).map_err(LoadError::Thread)?;
            slots.push(Slot { session, from_ns: 0, idle_since_ns: 0, busy: false });
        }
        let seed = plan.seed ^ (u64::from(index) + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        Ok(Worker {
            schedule: plan
                .open_rate_per_s
                .map(|rate| Poisson::new(rate / f64::from(threads), seed ^ 0x5c4e)),
            rng: Rng::new(seed),
            plan,
            slots,
            poller,
            result: LoadResult {
                slices: vec![0; (plan.window.as_nanos() as u64).div_ceil(SLICE_NS) as usize],
                ..LoadResult::default()
            },
            cpu_start_ns: None,
            cpu_end_ns: None,
        })
    }

    fn drive(&mut self, window: &Window, stops: &[&Stop]) -> Result<LoadResult, LoadError> {
        match self.schedule.take() {
            None => self.closed(window, stops)?,
            Some(schedule) => self.open(schedule, window, stops)?,
        }
        if let (Some(start), Some(end)) = (self.cpu_start_ns, self.cpu_end_ns) {
            self.result.cpu_ns = end.saturating_sub(start);
        }
        for slot in &mut self.slots {
            if let Some(error) = slot.session.take_error() {
                self.result.first_error.get_or_insert(error);
            }
        }
        Ok(std::mem::take(&mut self.result))
    }

    /// Takes the thread's processor time at the borders of the window, at the first event after each.
    #[inline]
    fn at_border(&mut self, now: u64, window: &Window) {
        if self.cpu_start_ns.is_none() && now >= window.start_ns {
            self.cpu_start_ns = Some(process::thread_cpu_ns());
        }
        if self.cpu_end_ns.is_none() && now >= window.end_ns {
            self.cpu_end_ns = Some(process::thread_cpu_ns());
        }
    }

    #[inline]
    fn count(&mut self, now: u64, window: &Window, rows: u32, failed: bool) {
        self.result.span_operations += 1;
        if failed {
            self.result.errors += 1;
        } else if rows > 1 {
            self.result.wrong_rows += 1;
        }
        if window.contains(now) {
            self.result.operations += 1;
            let slice = ((now - window.start_ns) / SLICE_NS) as usize;
            if let Some(n) = self.result.slices.get_mut(slice) {
                *n += 1;
            }
        }
    }

    fn closed(&mut self, window: &Window, stops: &[&Stop]) -> Result<(), LoadError> {
        let mut active = self.slots.len();
        for index in 0..self.slots.len() {
            self.send(index, now_ns())?;
        }
        while active > 0 {
            check(stops)?;
            let ready = self.poller.wait(LOOK_EVERY).map_err(LoadError::Thread)?;
            for event in 0..ready {
                let index = self.poller.event(event);
                let Received::Done { rows, failed } =
                    self.slots[index].session.receive().map_err(WireError::Io)?
                else {
                    continue;
                };
                let now = now_ns();
                self.at_border(now, window);
                self.count(now, window, rows, failed);
                if window.contains(now) {
                    self.result.latency.record(now - self.slots[index].from_ns);
                }
                if now < window.end_ns {
                    self.send(index, now)?;
                } else {
                    active -= 1;
                }
            }
        }
        Ok(())
    }

    fn open(
        &mut self,
        mut schedule: Poisson,
        window: &Window,
        stops: &[&Stop],
    ) -> Result<(), LoadError> {
        let epoch = now_ns();
        let mut queue: VecDeque<u64> = VecDeque::with_capacity(QUEUE);
        let mut idle: Vec<usize> = (0..self.slots.len()).rev().collect();
        for slot in &mut self.slots {
            slot.idle_since_ns = epoch;
        }
        let mut next = epoch + schedule.next_ns();
        loop {
            check(stops)?;
            let now = now_ns();
            self.at_border(now, window);
            while next <= now && next < window.end_ns {
                if window.contains(next) {
                    self.result.due += 1;
                }
                if queue.len() < QUEUE {
                    queue.push_back(next);
                } else {
                    self.result.skipped += 1;
                }
                next = epoch + schedule.next_ns();
            }
            while let Some(&index) = idle.last()
                && let Some(due) = queue.pop_front()
            {
                idle.pop();
                let could = due.max(self.slots[index].idle_since_ns);
                self.send(index, due)?;
                if window.contains(due) {
                    self.result.lateness.record(now_ns().saturating_sub(could));
                }
            }
            let finished =
                next >= window.end_ns && queue.is_empty() && idle.len() == self.slots.len();
            if (finished && now >= window.end_ns) || now >= window.end_ns + DRAIN_NS {
                break;
            }
            let until = if next < window.end_ns { next } else { now + 50_000_000 };
            let timeout = Duration::from_nanos(until.saturating_sub(now_ns()).min(50_000_000));
            let ready = self.poller.wait(timeout).map_err(LoadError::Thread)?;
            for event in 0..ready {
                let index = self.poller.event(event);
                let Received::Done { rows, failed } =
                    self.slots[index].session.receive().map_err(WireError::Io)?
                else {
                    continue;
                };
                let now = now_ns();
                self.at_border(now, window);
                self.count(now, window, rows, failed);
                let slot = &mut self.slots[index];
                slot.busy = false;
                slot.idle_since_ns = now;
                if window.contains(slot.from_ns) {
                    self.result.latency.record(now - slot.from_ns);
                }
                idle.push(index);
            }
        }
        self.unanswered(&queue, window);
        Ok(())
    }

    /// What is due, unanswered and given up on has waited at least until now.
    fn unanswered(&mut self, queue: &VecDeque<u64>, window: &Window) {
        let now = now_ns();
        self.result.skipped += queue.len() as u64;
        let waiting = self.slots.iter().filter(|slot| slot.busy).map(|slot| slot.from_ns);
        for due in waiting.chain(queue.iter().copied()) {
            if window.contains(due) {
                self.result.latency.record(now - due);
            }
        }
    }

    #[inline]
    fn send(&mut self, index: usize, from_ns: u64) -> Result<(), LoadError> {
        let key = self.rng.below(self.plan.keys) as i64 + 1;
        let slot = &mut self.slots[index];
        slot.from_ns = from_ns;
        slot.busy = true;
        Ok(slot.session.send(key).map_err(WireError::Io)?)
    }
}

#[inline]
fn check(stops: &[&Stop]) -> Result<(), Stopped> {
    stops.iter().try_for_each(|stop| stop.check())
}
