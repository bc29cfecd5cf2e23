//! Threads that keep processors busy beside the streams of a scenario, or alone: fio's `ioengine=cpuio`.
//!
//! They do no operations and have no figures. What they use of processors is taken out of what the streams' operations cost.

use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::Scope;
use std::time::Duration;

use narrows_engine::{Rng, Stop, now_ns};
use narrows_facts::{affinity, process};

use crate::BlockError;

/// A sleeper looks so often whether all is over, ns.
const LOOK_NS: u64 = 100_000_000;
/// How often a busy thread says what it has used, ns.
const TELL_NS: u64 = 1_000_000;
/// Numbers that are sorted at a time; some hundred microseconds.
const SORTED: usize = 4096;

/// What a busy processor does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BusyWork {
    /// Looks at the clock.
    Spin,
    /// Sorts numbers, which takes more power.
    Sort,
}

/// Threads that are busy for a share of the time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuLoad {
    /// How many.
    pub threads: u32,
    /// How long each is busy at a time.
    pub busy: Duration,
    /// How long it sleeps then.
    pub idle: Duration,
    /// What it does.
    pub work: BusyWork,
    /// Where they may run; empty: everywhere.
    pub cpus: Vec<u32>,
    /// Whether each stays on one of these.
    pub one_cpu_each: bool,
    /// How long they go on from their beginning; `None`: as long as the streams beside them.
    pub lasts: Option<Duration>,
}

/// Busy threads, and what they have used.
#[derive(Debug)]
pub(crate) struct CpuLoads<'a> {
    loads: &'a [CpuLoad],
    /// Of each thread, ns.
    used_ns: Box<[AtomicU64]>,
}

/// When a busy thread ends: at that time, unless it is asked to before.
struct Until<'a> {
    end_ns: &'a (dyn Fn() -> u64 + Sync),
    stop: &'a Stop,
}

impl Until<'_> {
    fn is_over(&self, now_ns: u64) -> bool {
        now_ns >= (self.end_ns)() || self.stop.is_set()
    }
}

impl<'a> CpuLoads<'a> {
    pub fn of(loads: &'a [CpuLoad]) -> CpuLoads<'a> {
        let threads: u32 = loads.iter().map(|load| load.threads).sum();
        CpuLoads { loads, used_ns: (0..threads).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Processor time of all of them so far, ns.
    pub fn used_ns(&self) -> u64 {
        self.used_ns.iter().map(|used| used.load(Ordering::Relaxed)).sum()
    }

    /// Starts them; they end at the time that `end_ns` says then, or are stopped.
    ///
    /// # Errors
    /// A thread that can't be started; the others end by `end_ns`, which the caller then moves.
    pub fn start<'scope>(
        &'scope self,
        scope: &'scope Scope<'scope, '_>,
        end_ns: &'scope (dyn Fn() -> u64 + Sync),
        stop: &'scope Stop,
    ) -> Result<(), BlockError> {
        let threads = self.loads.iter().flat_map(|load| (0..load.threads).map(move |n| (load, n)));
        for ((load, number), used) in threads.zip(&self.used_ns) {
            let until = Until { end_ns, stop };
            std::thread::Builder::new()
                .name(format!("cpuio-{number}"))
                .spawn_scoped(scope, move || one(load, number, used, &until))
                .map_err(|source| BlockError::Thread {
                    action: "start a thread that keeps a CPU busy".to_string(),
                    source,
                    hint: "raise the limit of processes (ulimit -u, pids cgroup), or use fewer",
                })?;
        }
        Ok(())
    }
}

/// One thread, until it is over.
fn one(load: &CpuLoad, number: u32, used: &AtomicU64, until: &Until<'_>) {
    if !load.cpus.is_empty() {
        let own = number as usize % load.cpus.len();
        let cpus = if load.one_cpu_each { &load.cpus[own..=own] } else { &load.cpus };
        // Looked at before: the CPUs are of this process's own set.
        let _ = affinity::pin(cpus);
    }
    let began_ns = now_ns();
    let lasts_ns = load.lasts.map_or(u64::MAX, |lasts| lasts.as_nanos() as u64);
    let own_end_ns = began_ns.saturating_add(lasts_ns);
    let mut work = Work { kind: load.work, rng: Rng::new(u64::from(number)), numbers: Vec::new() };
    let (busy_ns, idle_ns) = (load.busy.as_nanos() as u64, load.idle.as_nanos() as u64);
    let over = |now_ns: u64| now_ns >= own_end_ns || until.is_over(now_ns);
    let (mut now, mut told_ns) = (began_ns, began_ns);
    while !over(now) {
        let busy_until_ns = now.saturating_add(busy_ns);
        while now < busy_until_ns && !over(now) {
            work.some();
            now = now_ns();
            if now.saturating_sub(told_ns) >= TELL_NS {
                used.store(process::thread_cpu_ns(), Ordering::Relaxed);
                told_ns = now;
            }
        }
        let idle_until_ns = now.saturating_add(idle_ns).min(own_end_ns);
        while now < idle_until_ns && !over(now) {
            std::thread::sleep(Duration::from_nanos((idle_until_ns - now).min(LOOK_NS)));
            now = now_ns();
        }
    }
    used.store(process::thread_cpu_ns(), Ordering::Relaxed);
}

struct Work {
    kind: BusyWork,
    rng: Rng,
    numbers: Vec<u64>,
}

impl Work {
    /// A part that is short beside any time that is asked for.
    fn some(&mut self) {
        match self.kind {
            BusyWork::Spin => (0..64).for_each(|_| std::hint::spin_loop()),
            BusyWork::Sort => {
                self.numbers.clear();
                self.numbers.extend((0..SORTED).map(|_| self.rng.next_u64()));
                self.numbers.sort_unstable();
                std::hint::black_box(&self.numbers);
            }
        }
    }
}

/// Keeps processors busy with nothing beside it, for that long at most. What they used, ns.
///
/// # Errors
/// [`BlockError::Stopped`] when asked to end, and a thread that can't be started.
pub fn keep_busy(loads: &[CpuLoad], longest: Duration, stop: &Stop) -> Result<u64, BlockError> {
    let all = CpuLoads::of(loads);
    let began_ns = now_ns();
    let end_ns = AtomicU64::new(began_ns.saturating_add(longest.as_nanos() as u64));
    let ends = || end_ns.load(Ordering::Relaxed);
    let started = std::thread::scope(|scope| {
        let started = all.start(scope, &ends, stop);
        if started.is_err() {
            end_ns.store(0, Ordering::Relaxed);
        }
        started
    });
    started?;
    stop.check()?;
    Ok(all.used_ns())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(threads: u32, work: BusyWork) -> CpuLoad {
        CpuLoad {
            threads,
            busy: Duration::from_millis(2),
            idle: Duration::from_millis(2),
            work,
            cpus: Vec::new(),
            one_cpu_each: false,
            lasts: Some(Duration::from_millis(20)),
        }
    }

    #[test]
    fn what_is_busy_uses_processors_and_ends_by_itself() {
        for work in [BusyWork::Spin, BusyWork::Sort] {
            // Far longer than it lasts: a thread that did not end by itself would keep the test.
            let used_ns = keep_busy(&[load(2, work)], Duration::from_secs(3600), &Stop::new());
            assert!(used_ns.unwrap() > 0, "{work:?}");
        }
    }

    #[test]
    fn who_is_asked_to_end_ends() {
        let stop = Stop::new();
        stop.set();
        let endless = CpuLoad { lasts: None, ..load(1, BusyWork::Spin) };
        let ended = keep_busy(&[endless], Duration::from_secs(3600), &stop);
        assert!(matches!(ended, Err(BlockError::Stopped(_))), "{ended:?}");
    }

    #[test]
    fn processor_time_counts_only_what_was_busy() {
        let sleepy = CpuLoad { idle: Duration::from_secs(3600), ..load(1, BusyWork::Spin) };
        let used_ns = keep_busy(&[sleepy], Duration::from_secs(3600), &Stop::new()).unwrap();
        // It was busy for 2 ms of its 20; what it used is no more than that and a sort's length.
        assert!(used_ns < 15_000_000, "{used_ns}");
    }
}
