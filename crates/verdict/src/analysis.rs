//! Everything that the law says about one measurement before any test: demands, bounds, the time of an operation
//! with and without queues.

use narrows_model::{
    Bottleneck, Interval, Measurement, Metric, Provenance, Run, condition, metric,
};

use crate::bound::{BoundLaw, Candidate};
use crate::capacity::{Capacities, capacities};
use crate::choice::Choice;
use crate::demand::Demand;
use crate::estimate::Estimate;
use crate::intervention::Intervention;
use crate::log;
use crate::observed::Observed;
use crate::processors;
use crate::session::{Parts, TimeComponent};
use crate::test::effect;
use crate::threshold::{
    BARELY_HELD_UP, CLEAR_GAIN, HOLDER_FLUSHES, MOSTLY_STOPPED, SLOWER_INSIDE, UNCHANGED,
    WORKERS_BUSY,
};
use crate::windows::{self, WholeLaw, WindowLaw};

/// A flush that takes longer inside the server than in the log layer.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct SlowInside {
    /// How many times as long.
    pub times: f64,
    /// In the server, ns.
    pub flush_ns: f64,
    /// Whether both are the least that it can be: the server does not time its flushes, and its commits' waits tell.
    pub at_least: bool,
}

/// What `synchronous_commit = off` showed of a lock in front of which sessions wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LockHeld {
    /// Through a flush: without one the rate rises by more than the processor time that is saved with it.
    ThroughFlush,
    /// Not through a flush: nobody is in one meanwhile, or the rate stays without it.
    OnCpu,
    /// It wasn't tried, or its interval allows both.
    NotKnown,
}

/// Everything that the law says about one measurement, before any test.
#[derive(Debug, Clone)]
pub(crate) struct Analysis<'a> {
    pub run: &'a Run,
    pub demand: Demand<'a>,
    pub capacities: Capacities,
    /// The time of one operation, queues included; or what is missing of it.
    pub parts: Result<Parts, Vec<&'static str>>,
    /// The same without queues at saturated resources.
    pub unqueued: Option<Parts>,
    /// The session bound, where there is one.
    pub session: Option<Candidate>,
    /// A flush that is slow inside the server.
    pub inside: Option<SlowInside>,
    /// Through what the lock is held that most of the time goes to; `None` where it goes elsewhere.
    pub lock_held: Option<LockHeld>,
    /// That others use CPUs which they may only have because the server leaves them.
    pub leftovers: Option<String>,
    /// The same law on each window; empty where it cannot be applied to them.
    pub windows: Vec<WindowLaw>,
    /// Of the measurement that this is one window of.
    whole: Option<WholeLaw>,
    pub choice: Option<Choice>,
}

impl<'a> Analysis<'a> {
    pub fn of(run: &'a Run, demand: Demand<'a>) -> Self {
        let mut analysis = Analysis::before_choice(run, demand, None);
        analysis.windows = windows::laws(&analysis);
        analysis.choice = analysis.choose();
        analysis
    }

    /// Demands, bounds and the time of an operation; no place is named yet. A window is judged as the whole was: `whole` says
    /// which resources are saturated there.
    pub fn before_choice(run: &'a Run, mut demand: Demand<'a>, whole: Option<WholeLaw>) -> Self {
        if let Some(observed) = &mut demand.observed {
            observed.look_up(run, demand.measurement);
            observed.take_off_runnable(&mut demand.time, &demand.throughput);
        }
        let capacities = capacities(run, &demand);
        let parts = complete_parts(&demand);
        let mut analysis = Analysis {
            run,
            demand,
            capacities,
            parts,
            unqueued: None,
            session: None,
            inside: None,
            lock_held: None,
            leftovers: None,
            windows: Vec::new(),
            whole,
            choice: None,
        };
        if let Ok(parts) = &analysis.parts {
            let unqueued = parts.without_queues(&analysis.ceilings(parts), analysis.stopped_ns());
            analysis.inside = flush_inside(run, &analysis.demand, Some(&unqueued));
            analysis.lock_held = analysis.lock_held(&unqueued);
            analysis.session = analysis.session_bound(&unqueued);
            analysis.unqueued = Some(unqueued);
            analysis.give_back_leftovers();
        } else {
            analysis.inside = flush_inside(run, &analysis.demand, None);
        }
        analysis
    }

    /// All bounds, lowest first.
    pub fn bounds(&self) -> Vec<&Candidate> {
        let mut all: Vec<_> = self.capacities.candidates.iter().chain(&self.session).collect();
        all.sort_by(|a, b| a.rate.value.total_cmp(&b.rate.value));
        all
    }

    /// The bound of one place.
    pub fn bound(&self, place: BoundLaw) -> Option<&Candidate> {
        self.capacities.candidates.iter().find(|candidate| candidate.place == place)
    }

    /// What each part would take if it did not queue in front of something saturated, ns.
    fn ceilings(&self, parts: &Parts) -> Vec<(TimeComponent, f64)> {
        let rate = self.demand.rate();
        let mut ceilings = Vec::new();
        let saturated = |c: &&Candidate| match &self.whole {
            Some(whole) => whole.saturated.contains(&c.place),
            None => c.is_saturated(rate),
        };
        for candidate in self.capacities.candidates.iter().filter(saturated) {
            match candidate.place {
                BoundLaw::Drives
                | BoundLaw::ReadPath
                | BoundLaw::ReadBytes
                | BoundLaw::ReadLimit => {
                    ceilings.push((TimeComponent::Read, self.lone_read_ns().unwrap_or(0.0)));
                }
                BoundLaw::Mix => ceilings.extend([
                    (TimeComponent::Read, self.lone_read_ns().unwrap_or(0.0)),
                    (TimeComponent::Flush, 0.0),
                ]),
                BoundLaw::Writes | BoundLaw::WriteLimit => {
                    ceilings.push((TimeComponent::Flush, 0.0))
                }
                BoundLaw::Client => {
                    let own_ns = self.demand.client_cpu_ns.map_or(0.0, |ns| ns.value);
                    ceilings.push((TimeComponent::Client, own_ns));
                }
                BoundLaw::Thread => ceilings.extend(parts.largest_wait().map(|part| (part, 0.0))),
                BoundLaw::Cpu
                | BoundLaw::ReadsInFlight
                | BoundLaw::Link
                | BoundLaw::Log
                | BoundLaw::Session => {}
            }
        }
        ceilings
    }

    /// Of an operation's time, what its session was stopped by a quota for, ns; 0 where none stopped it in most periods.
    ///
    /// On Linux 6.18 (measured) a stopped process is in no run queue: it was woken, has not run since, and is sampled in the wait it
    /// was woken from. That the server's CPUs stood still meanwhile is counted: a server that has used up its quota used them
    /// for the rest of the time, as many as it had sessions for.
    fn stopped_ns(&self) -> f64 {
        let cpu = &self.demand.cpu;
        let full = self
            .bound(BoundLaw::Cpu)
            .filter(|c| c.narrow == Bottleneck::CpuQuota && c.is_saturated(self.demand.rate()));
        let (Some(quota), Some(set)) = (full, cpu.set) else { return 0.0 };
        let Some(periods) = cpu.throttled_share.filter(|share| *share > MOSTLY_STOPPED) else {
            return 0.0;
        };
        // Somebody's sessions may have had nothing to do meanwhile; ours always have, or pause.
        if self.demand.observed.is_some() {
            return 0.0;
        }
        let at_once = (set - cpu.taken.unwrap_or(0.0)).min(self.demand.servers);
        let stopped = periods.min(1.0) * (1.0 - quota.capacity.value / at_once).max(0.0);
        let round_ns = self.demand.servers / self.demand.rate() * 1e9;
        stopped * (round_ns - self.demand.think_ns).max(0.0)
    }

    /// Time an operation's reads take when nobody else reads, ns.
    fn lone_read_ns(&self) -> Option<f64> {
        let blocks = self.demand.io.block_reads?.value;
        let ids = ["block.read.random.8k.server_d1", "block.read.random.8k.d1"];
        ids.iter()
            .filter_map(|id| self.run.measurement(id).filter(|m| m.usable()))
            .find_map(|m| m.value(metric::LATENCY_MEAN))
            .map(|latency_ns| latency_ns * blocks)
    }

    /// The session bound for parts without queues, of as many sessions as they belong to.
    pub fn session_bound(&self, unqueued: &Parts) -> Option<Candidate> {
        let (part, _) = *unqueued.by_size().first()?;
        let narrow = self.narrow_of(part, unqueued);
        let per_op = unqueued.residence();
        let unit = if self.demand.workload.is_scan() { "workers" } else { "sessions" };
        let servers = unqueued.servers;
        let what = if servers == 1.0 { &unit[..unit.len() - 1] } else { unit };
        let by_report = self.demand.observed.as_ref().is_some_and(|o| o.report().is_some());
        let what = if by_report { format!("active {what}") } else { what.to_string() };
        Candidate::new(
            BoundLaw::Session,
            narrow,
            format!("{} {what} (mostly {})", self.demand.count_in_words(servers), part.words()),
            (Estimate::exact(servers), unit),
            per_op.times(1e-9),
            Provenance::Measured,
        )
        .map(|candidate| candidate.resting_on(self.demand.measurement.id.to_string()))
    }

    /// What it means that a part is the largest.
    pub fn narrow_of(&self, part: TimeComponent, parts: &Parts) -> Bottleneck {
        let servers = self.demand.servers;
        if self.demand.workload.is_scan() {
            let busy = parts.ns(TimeComponent::Cpu) * 1e-9 * self.demand.rate() / servers;
            if part == TimeComponent::Cpu || busy >= WORKERS_BUSY {
                let cpus = self.demand.cpu.available.map(|cpus| cpus.value);
                // As many workers as CPUs, all on CPU: more workers would find none. Workers that also wait leave theirs
                // to others meanwhile.
                let full = cpus.is_some_and(|cpus| busy * servers >= cpus * WORKERS_BUSY);
                return if full {
                    self.bound(BoundLaw::Cpu).map_or(Bottleneck::Cpu, |cpu| cpu.narrow)
                } else {
                    Bottleneck::Workers
                };
            }
        }
        // Who waits for a lock that is held through a flush waits for that flush.
        let held = part == TimeComponent::Lock && self.lock_held == Some(LockHeld::ThroughFlush);
        match part {
            _ if held => self.narrow_of(TimeComponent::Flush, parts),
            TimeComponent::Cpu => Bottleneck::CpuPerSession,
            TimeComponent::Read => Bottleneck::ReadLatency,
            TimeComponent::Flush if self.inside.is_some() => Bottleneck::CommitInsideServer,
            TimeComponent::Flush => Bottleneck::CommitWait,
            TimeComponent::Lock => Bottleneck::Lock,
            TimeComponent::Client | TimeComponent::Between | TimeComponent::Pause => {
                Bottleneck::Client
            }
            TimeComponent::Other => Bottleneck::Unknown,
        }
    }

    /// What sessions would do that did not wait for CPUs behind others, over what they do; `None` where even all CPUs of the set would
    /// end before the sessions do.
    ///
    /// Sessions queue behind each other too: that much of the run queue is taken as one CPU with such arrivals has (M/M/1,
    /// `D · U / (1 − U)`), which is too much rather than too little where there are several.
    pub fn without_others(&self) -> Option<f64> {
        let session = self.session.as_ref()?;
        let rate = self.demand.rate();
        let cpu_s = self.demand.cpu.server_ns?.value * 1e-9;
        let set = self.demand.cpu.set?;
        if session.rate.value >= set / cpu_s {
            return None;
        }
        let own = (cpu_s * rate / set).min(1.0);
        let behind_each_other_s = cpu_s * own / (1.0 - own).max(f64::EPSILON);
        let queue_s = self.parts.as_ref().ok()?.run_queue.value * 1e-9;
        let round_s = session.demand_per_op.value + queue_s;
        let behind_others_s = (queue_s - behind_each_other_s).max(0.0);
        Some(round_s / (round_s - behind_others_s))
    }

    /// Where sessions hardly wait for a CPU, what others use is no less than what the server leaves to them, and no end of what it
    /// may have: that is the whole set then. Who works at a low priority takes all that is left, and would give it back.
    fn give_back_leftovers(&mut self) {
        // A quota stops sessions in no run queue.
        let hardly = match &self.whole {
            Some(whole) => whole.gives_back,
            None => {
                !self.demand.cpu.throttled
                    && self.demand.quota_cpus(self.run).is_none()
                    && self.without_others().is_some_and(|gain| gain < BARELY_HELD_UP)
            }
        };
        let (Some(set), Some(taken)) = (self.demand.cpu.set, self.demand.cpu.taken) else { return };
        let cpu = |c: &&mut Candidate| c.place == BoundLaw::Cpu && c.narrow == Bottleneck::CpuTaken;
        let Some(cpu) = self.capacities.candidates.iter_mut().find(cpu).filter(|_| hardly) else {
            return;
        };
        let Some(whole) = cpu.changed(Estimate::exact(set), cpu.demand_per_op) else { return };
        *cpu = whole;
        cpu.narrow = Bottleneck::Cpu;
        cpu.label = format!("the server's {}", processors::words(set));
        self.leftovers = Some(format!(
            "other programs use {taken:.1} of the server's {}, for which it hardly waits: how much of that it would get is unknown",
            processors::words(set)
        ));
    }

    /// Through what the lock is held for which most of the time goes.
    ///
    /// PostgreSQL gives up a transaction's locks when its commit has been flushed. Who holds a lock that others queue for is
    /// then found in a flush for as much of the time as the flush is of what they wait for: where hardly anybody is, the lock is
    /// not held through one.
    fn lock_held(&self, unqueued: &Parts) -> Option<LockHeld> {
        let (largest, _) = *unqueued.by_size().first()?;
        if largest != TimeComponent::Lock {
            return None;
        }
        let flushing = unqueued.ns(TimeComponent::Flush) * 1e-9 * self.demand.rate();
        if self.demand.commits_per_op().is_none() || flushing < HOLDER_FLUSHES {
            return Some(LockHeld::OnCpu);
        }
        if let Some(held) = self.demand.observed.as_ref().and_then(Observed::lock_held) {
            return Some(held);
        }
        Some(self.without_flushes().map_or(LockHeld::NotKnown, |gain| {
            let spared = self.cpu_spared() - 1.0;
            if gain.low > spared + UNCHANGED {
                LockHeld::ThroughFlush
            } else if gain.high < spared + CLEAR_GAIN {
                LockHeld::OnCpu
            } else {
                LockHeld::NotKnown
            }
        }))
    }

    /// What of an operation's time goes if a part of it goes, ns: locks that are held through flushes and those flushes go together.
    pub fn goes_with(&self, part: TimeComponent, parts: &Parts) -> f64 {
        let together = [TimeComponent::Flush, TimeComponent::Lock];
        if self.lock_held == Some(LockHeld::ThroughFlush) && together.contains(&part) {
            return together.iter().map(|part| parts.ns(*part)).sum();
        }
        parts.ns(part)
    }

    /// The relative change of the rate without flushes, where it was measured.
    fn without_flushes(&self) -> Option<Interval> {
        let own = self.demand.measurement;
        let id = Intervention::SyncOff.measurement_id(&own.id);
        let m = self.run.measurement(&id).filter(|m| m.usable())?;
        effect(self.run, m, own)?.1
    }

    /// What `synchronous_commit = off` divides the server's processor time per operation by: who waits for no flush is not put
    /// to sleep and woken for it. 1 where it was not measured.
    pub fn cpu_spared(&self) -> f64 {
        self.fell_in_test(Intervention::SyncOff, metric::SERVER_CPU_PER_OP).max(1.0)
    }

    /// By what factor a metric of an operation is less in the test with that change than beside it; 1 without the test.
    pub fn fell_in_test(&self, intervention: Intervention, of: Metric) -> f64 {
        let own = self.demand.measurement;
        let id = intervention.measurement_id(&own.id);
        let test = self.run.measurement(&id).filter(|m| m.usable());
        let before = test
            .and_then(|m| self.run.measurement(m.text(condition::BASELINE)?))
            .filter(|m| m.usable())
            .unwrap_or(own);
        let each = |m: &Measurement| m.value(of).filter(|each| *each > 0.0);
        test.and_then(|test| Some(each(before)? / each(test)?)).unwrap_or(1.0)
    }
}

/// The parts of an operation's time. Of a scan whose waits are unknown, the processors' part alone is enough
/// when it fills the workers' time.
fn complete_parts(demand: &Demand) -> Result<Parts, Vec<&'static str>> {
    Parts::of(demand).or_else(|missing| {
        let cpu = demand.time.cpu.or(demand.cpu.server_ns);
        let busy = |ns: &Estimate| ns.value * 1e-9 * demand.rate() / demand.servers;
        match cpu.filter(|ns| demand.workload.is_scan() && busy(ns) >= WORKERS_BUSY) {
            Some(ns) => Ok(Parts {
                parts: vec![(TimeComponent::Cpu, ns)],
                run_queue: demand.time.run_queue.unwrap_or(Estimate::exact(0.0)),
                servers: demand.servers,
                rate: demand.rate(),
            }),
            None => Err(missing),
        }
    })
}

fn flush_inside(run: &Run, demand: &Demand, unqueued: Option<&Parts>) -> Option<SlowInside> {
    let commits = demand.commits_per_op()?;
    if demand.observed.as_ref().is_some_and(|observed| observed.waits_for_standby()) {
        return None;
    }
    let m = demand.measurement;
    let layer = log::flush_to_compare(run, m, demand.servers, demand.io.flush_bytes)?;
    let (flush_ns, at_least) = match demand.flush_ns() {
        // Who flushed is put into the run queue when the drive has answered, and its clock goes on: that much is not the flush's.
        Some(ns) => (ns - demand.time.run_queue.map_or(0.0, |queue| queue.value), false),
        // A commit waits for the rest of the flush that is under way, and for its own: for two at most.
        None => {
            demand.observed.as_ref().filter(|observed| !observed.delays_commits())?;
            (unqueued?.ns(TimeComponent::Flush) / commits / 2.0, true)
        }
    };
    let times = flush_ns / layer.ns;
    (times >= SLOWER_INSIDE).then_some(SlowInside { times, flush_ns, at_least })
}
