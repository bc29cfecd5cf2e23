//! Commits on a real log for one window: by sessions in a closed loop, or by a schedule.
//!
//! In the open loop a pool of sessions shares one schedule. One of them at a time watches the clock; when a commit is due, it
//! leaves the watch to the next and commits. So at most one thread spins, as many commits are in flight as there are sessions, and a
//! commit that is due while all of them wait is late by the log's doing, not the generator's.
//!
//! Sessions in a closed loop commit again at once, or work between their commits as a database's do ([`Work`]).

use std::io;
use std::num::NonZeroU64;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use narrows_engine::{Arrivals, Context, Gate, Rng, Schedule, Stop, Window, now_ns};
use narrows_facts::{affinity, process};
use narrows_observe::{HostWindow, Watch};
use narrows_units::Nanos;

use super::account::{Came, Commit, Went};
use super::log::{CommitLog, Flusher, Style};
use super::sizes::CommitSizes;
use super::work::{Clients, Work, Worker};
use super::working::{serve, working};
use crate::LogError;

/// Before a commit is due its session spins for so long: a timer's wake-up comes later than that on many machines.
const SPIN_NS: u64 = 40_000;
/// After the window sessions go on sending what was due in it for so long.
const GRACE: Duration = Duration::from_millis(500);
/// Stacks of sessions: they do little, and there may be hundreds.
const STACK_BYTES: usize = 128 << 10;
/// Room for records, per second of a window.
const RECORDS_PER_S: f64 = 40_000.0;

/// How commits come.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// So many sessions, each again at once.
    Closed {
        /// Sessions.
        sessions: u32,
    },
    /// So many sessions, each again when it has done its work.
    Working {
        /// Sessions.
        sessions: u32,
        /// What each does between its commits.
        work: Work,
    },
    /// By a schedule.
    Open {
        /// Commits due per second.
        rate_per_s: f64,
        /// By which process.
        arrivals: Arrivals,
        /// Sessions that share the schedule.
        sessions: u32,
    },
}

impl Load {
    /// Threads that commit.
    pub fn sessions(self) -> u32 {
        match self {
            Load::Closed { sessions }
            | Load::Working { sessions, .. }
            | Load::Open { sessions, .. } => sessions.max(1),
        }
    }

    fn came(self) -> Came {
        match self {
            Load::Closed { .. } => Came::Closed(self.sessions()),
            Load::Working { .. } => Came::Working(self.sessions()),
            Load::Open { rate_per_s, arrivals, .. } => Came::Open {
                rate_per_s,
                sessions: self.sessions(),
                poisson: arrivals == Arrivals::Poisson,
            },
        }
    }
}

/// One window.
#[derive(Debug, Clone)]
pub struct Drive<'a> {
    /// How commits come.
    pub load: Load,
    /// How large they are.
    pub sizes: &'a CommitSizes,
    /// Where sessions and writer run.
    pub cpus: &'a [u32],
    /// Where the clients of working sessions run, a thread on each.
    pub client_cpus: &'a [u32],
    /// The same load before the window.
    pub warm_up: Duration,
    /// The window.
    pub length: Duration,
    /// Of arrivals and sizes.
    pub seed: u64,
    /// Bytes that one window may write.
    pub most_bytes: u64,
}

/// A window and what the machine's counters saw meanwhile.
#[derive(Debug)]
pub struct Driven {
    /// The records.
    pub went: Went,
    /// The counters.
    pub seen: HostWindow,
    /// A fixed piece of work before and after.
    pub sentinels: (Nanos, Nanos),
    /// Processor time of working sessions for the commits that ended in the window, ns.
    pub sessions_cpu_ns: u64,
    /// Processor time of their clients per commit, ns; not a number where there are none.
    pub client_cpu_ns: f64,
}

/// What all threads of a window share.
pub(super) struct Shared<'a, F> {
    pub(super) log: &'a CommitLog<F>,
    pub(super) how: &'a Drive<'a>,
    gate: Gate,
    /// Where the window ends; earlier than planned where its bytes are used up.
    end_ns: AtomicU64,
    clockwork: Mutex<Option<Clockwork>>,
    pub(super) clients: Clients,
    pub(super) sessions_cpu_ns: AtomicU64,
    pub(super) stop: &'a Stop,
    path: &'a Path,
}

/// The schedule, and what is due next.
struct Clockwork {
    schedule: Schedule,
    base_ns: u64,
    next_ns: u64,
}

impl Clockwork {
    fn step(&mut self) -> u64 {
        let due_ns = self.next_ns;
        self.next_ns = self.base_ns + self.schedule.next_ns();
        due_ns
    }
}

/// Runs one window; `written` counts the flusher's bytes.
pub fn drive<F: Flusher + Send>(
    ctx: &Context,
    log: &CommitLog<F>,
    written: &AtomicU64,
    path: &Path,
    how: &Drive<'_>,
    watch: &Watch,
) -> Result<Driven, LogError> {
    ctx.stop.check()?;
    let seconds = (how.warm_up + how.length).as_secs_f64();
    log.reserve((RECORDS_PER_S * seconds) as usize);
    let shared = Shared {
        log,
        how,
        gate: Gate::new(how.load.sessions() as usize),
        end_ns: AtomicU64::new(u64::MAX),
        clockwork: Mutex::new(None),
        clients: Clients::new(how.load.sessions()),
        sessions_cpu_ns: AtomicU64::new(0),
        stop: ctx.stop,
        path,
    };
    let before = narrows_observe::sentinel();
    let outcome = std::thread::scope(|scope| {
        let writer = (log.style() == Style::Writer).then(|| {
            scope.spawn(|| {
                let pinned = affinity::pin(how.cpus);
                log.write();
                pinned
            })
        });
        let clients = serve(scope, &shared);
        let sessions: Vec<_> = (0..how.load.sessions())
            .map(|number| {
                let shared = &shared;
                std::thread::Builder::new()
                    .stack_size(STACK_BYTES)
                    .spawn_scoped(scope, move || session(shared, number))
            })
            .collect();
        let started = sessions.iter().all(Result::is_ok);
        if !started {
            shared.gate.fail();
        }
        let window = shared.gate.open(how.warm_up, how.length).ok();
        let seen = match window {
            Some(window) => observe(&shared, window, written, watch).map(Some),
            // The thread that failed the gate says why.
            None => Ok(None),
        };
        let mut commits = Vec::new();
        let mut failed = None;
        for session in sessions {
            match session.map(|thread| thread.join().expect("the sessions do not panic")) {
                Ok(Ok(own)) => commits.extend(own),
                Ok(Err(error)) => failed = Some(error),
                Err(reason) => {
                    failed = Some(LogError::of("starting sessions for", path, 0, reason));
                }
            }
        }
        log.close();
        shared.clients.close();
        if let Some(Err(reason)) = writer.map(|w| w.join().expect("the writer does not panic")) {
            failed = Some(LogError::Pin { cpus: how.cpus.to_vec(), reason });
        }
        for client in clients {
            if let Err(reason) = client.join().expect("the clients do not panic") {
                failed = Some(LogError::Pin { cpus: how.client_cpus.to_vec(), reason });
            }
        }
        match failed {
            Some(error) => Err(error),
            None => Ok((window.zip(seen?), commits)),
        }
    });
    log.reopen();
    let (seen, commits) = outcome?;
    ctx.stop.check()?;
    let after = narrows_observe::sentinel();
    let Some((window, seen)) = seen else { return Err(narrows_engine::Stopped.into()) };
    Ok(Driven {
        sessions_cpu_ns: shared.sessions_cpu_ns.load(Ordering::Relaxed),
        client_cpu_ns: shared.clients.cpu_per_answer_ns(),
        went: gathered(shared, window, commits, seen.self_cpus * seen.window.0 as f64),
        seen,
        sentinels: (before, after),
    })
}

fn gathered<F: Flusher>(
    shared: Shared<'_, F>,
    window: Window,
    commits: Vec<Commit>,
    cpu_ns: f64,
) -> Went {
    let ended_ns = now_ns();
    let end_ns = shared.end_ns.load(Ordering::Relaxed).min(window.end_ns);
    let mut unsent_ns = Vec::new();
    if let Some(mut clock) = shared.clockwork.into_inner().expect("no session panics with it") {
        while clock.next_ns < end_ns {
            unsent_ns.push(clock.step());
        }
    }
    unsent_ns.retain(|due| *due >= window.start_ns);
    Went {
        came: shared.how.load.came(),
        start_ns: window.start_ns,
        end_ns,
        commits,
        unsent_ns,
        ended_ns,
        flushes: shared.log.take_history(),
        cpu_ns,
    }
}

fn observe<F>(
    shared: &Shared<'_, F>,
    window: Window,
    written: &AtomicU64,
    watch: &Watch,
) -> Result<HostWindow, LogError> {
    let looked = || -> Result<HostWindow, LogError> {
        window.wait_start(shared.stop)?;
        let written_before = written.load(Ordering::Relaxed);
        let before = watch.snapshot();
        while now_ns() < window.end_ns {
            let left = Duration::from_nanos(window.end_ns.saturating_sub(now_ns()));
            shared.stop.sleep(left.min(Duration::from_millis(5)))?;
            if written.load(Ordering::Relaxed) - written_before >= shared.how.most_bytes {
                break;
            }
        }
        // Everybody's window ends together, by time or by the bytes that may be written.
        shared.end_ns.store(now_ns().min(window.end_ns), Ordering::Relaxed);
        Ok(watch.since(&before))
    };
    let seen = looked();
    if seen.is_err() {
        shared.end_ns.store(0, Ordering::Relaxed);
    }
    seen
}

fn session<F: Flusher>(shared: &Shared<'_, F>, number: u32) -> Result<Vec<Commit>, LogError> {
    if let Err(reason) = affinity::pin(shared.how.cpus) {
        shared.gate.fail();
        return Err(LogError::Pin { cpus: shared.how.cpus.to_vec(), reason });
    }
    // A session that sleeps until a commit is due must not be woken together with others.
    process::wake_within_ns(NonZeroU64::new(1_000).expect("not zero"));
    let each = RECORDS_PER_S * shared.how.length.as_secs_f64();
    let mut commits = Vec::with_capacity((each / f64::from(shared.how.load.sessions())) as usize);
    let mut rng = Rng::new(shared.how.seed ^ (u64::from(number) << 40) ^ 0x5ce5);
    let Ok(window) = shared.gate.ready() else { return Ok(commits) };
    let result = match shared.how.load {
        Load::Closed { .. } => again_and_again(shared, window, &mut rng, &mut commits),
        Load::Working { work, .. } => {
            let worker = Worker::new(work, &shared.clients, number as usize);
            working(shared, window, worker, &mut rng, &mut commits)
        }
        Load::Open { .. } => by_schedule(shared, window, &mut rng, &mut commits),
    };
    // The warm-up is not wanted any more once it is over.
    commits.retain(|commit| commit.woken_ns >= window.start_ns);
    match result {
        Ok(()) => Ok(commits),
        Err(reason) => Err(LogError::of("flushing", shared.path, 0, reason)),
    }
}

impl<F> Shared<'_, F> {
    pub(super) fn end_ns(&self, window: Window) -> u64 {
        self.end_ns.load(Ordering::Relaxed).min(window.end_ns)
    }
}

fn again_and_again<F: Flusher>(
    shared: &Shared<'_, F>,
    window: Window,
    rng: &mut Rng,
    commits: &mut Vec<Commit>,
) -> io::Result<()> {
    let mut queued_ns = now_ns();
    while queued_ns < shared.end_ns(window) && !shared.stop.is_set() {
        let position = shared.log.commit(shared.how.sizes.draw(rng))?;
        let woken_ns = now_ns();
        commits.push(Commit { due_ns: queued_ns, queued_ns, position, woken_ns });
        queued_ns = woken_ns;
    }
    Ok(())
}

fn by_schedule<F: Flusher>(
    shared: &Shared<'_, F>,
    window: Window,
    rng: &mut Rng,
    commits: &mut Vec<Commit>,
) -> io::Result<()> {
    while let Some(due_ns) = next_due(shared, window) {
        let queued_ns = now_ns();
        let position = shared.log.commit(shared.how.sizes.draw(rng))?;
        commits.push(Commit { due_ns, queued_ns, position, woken_ns: now_ns() });
    }
    Ok(())
}

/// Watches the clock until a commit is due; `None` when there is none any more.
fn next_due<F>(shared: &Shared<'_, F>, window: Window) -> Option<u64> {
    let mut clockwork = shared.clockwork.lock().expect("no session panics with it");
    let clock = clockwork.get_or_insert_with(|| clockwork_of(shared.how, window));
    let due_ns = clock.next_ns;
    loop {
        let now = now_ns();
        let end_ns = shared.end_ns(window);
        let late = now >= end_ns.saturating_add(GRACE.as_nanos() as u64);
        if due_ns >= end_ns || late || shared.stop.is_set() {
            return None;
        }
        if now >= due_ns {
            return Some(clock.step());
        }
        let left_ns = due_ns - now;
        if left_ns > SPIN_NS {
            let nap = Duration::from_nanos(left_ns - SPIN_NS);
            std::thread::sleep(nap.min(Duration::from_millis(20)));
        } else {
            std::hint::spin_loop();
        }
    }
}

fn clockwork_of(how: &Drive<'_>, window: Window) -> Clockwork {
    let Load::Open { rate_per_s, arrivals, .. } = how.load else {
        unreachable!("only open loops have a schedule")
    };
    let mut schedule = Schedule::new(arrivals, rate_per_s, (0, 1), how.seed);
    let base_ns = window.start_ns.saturating_sub(how.warm_up.as_nanos() as u64);
    let next_ns = base_ns + schedule.next_ns();
    Clockwork { schedule, base_ns, next_ns }
}
