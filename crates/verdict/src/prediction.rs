//! What an intervention would do to the rate if a given place were the narrow one.
//!
//! Every bound is moved as the intervention moves it; the rate follows the bound that is held to be the true one
//! until it meets the next. The result is a range, because queues form before the next resource is full, and
//! because windows scatter. A rival's prediction is made without the bound of the verdict under test: who
//! believes in the rival does not believe in that bound.

use narrows_model::{Bottleneck, Provenance, metric};

use crate::analysis::Analysis;
use crate::bound::{BoundLaw, Candidate, same_place};
use crate::choice::Choice;
use crate::estimate::Estimate;
use crate::intervention::{Intervention, Sets, fewer_cpus, is_feasible};
use crate::log;
use crate::session::TimeComponent;
use crate::threshold::{CLEAR_GAIN, EFFECT_SLACK, FAR, GAIN_EATEN, SMALLEST_GAP, UNCHANGED};

/// A range of relative changes of the rate.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Range {
    pub low: f64,
    pub high: f64,
}

impl Range {
    const UNCHANGED: Range = Range { low: -UNCHANGED, high: UNCHANGED };

    /// The range around an upper bound `effect` of the change.
    fn around(effect: f64) -> Range {
        if effect.abs() < UNCHANGED / 2.0 {
            Range::UNCHANGED
        } else if effect > 0.0 {
            Range {
                low: effect * (1.0 - GAIN_EATEN),
                high: effect * (1.0 + EFFECT_SLACK) + UNCHANGED / 2.0,
            }
        } else {
            Range {
                low: effect * (1.0 + EFFECT_SLACK) - UNCHANGED / 2.0,
                high: effect * (1.0 - EFFECT_SLACK),
            }
        }
    }

    /// What lies between two ranges; negative where they overlap.
    pub fn gap(&self, other: &Range) -> f64 {
        (self.low - other.high).max(other.low - self.high)
    }

    pub fn contains(&self, low: f64, high: f64) -> bool {
        self.low <= low && high <= self.high
    }

    pub fn excludes(&self, low: f64, high: f64) -> bool {
        high < self.low || low > self.high
    }

    /// Whether `effect` lies on this range's side of another range.
    pub fn same_side(&self, other: &Range, effect: f64) -> bool {
        (self.low > other.high && effect > other.high && effect < self.high)
            || (self.high < other.low && effect < other.low && effect > self.low)
    }

    /// Whether a test with this prediction shows nothing but an unchanged rate.
    fn is_null(&self) -> bool {
        self.low < 0.0 && self.high > 0.0
    }
}

/// What a verdict and its rival each say about one intervention.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Prediction {
    pub intervention: Intervention,
    pub verdict: Range,
    pub rival: Range,
}

/// The predictions for every feasible intervention that tells the verdict from its rival, best first: a change
/// to the narrow place itself, then one that should show rather than not, then the wider gap.
pub(crate) fn separating(analysis: &Analysis, choice: &Choice) -> Vec<Prediction> {
    let mut found: Vec<Prediction> = Intervention::ALL
        .into_iter()
        .filter(|i| is_feasible(*i, analysis.run, &analysis.demand))
        .filter_map(|i| predict(analysis, choice, i))
        .filter(|p| p.verdict.gap(&p.rival) >= SMALLEST_GAP)
        .collect();
    found.sort_by(|a, b| {
        let gap = |p: &Prediction| p.verdict.gap(&p.rival);
        let direct = |p: &Prediction| acts_on(p.intervention, choice.winner.narrow);
        direct(b)
            .cmp(&direct(a))
            .then(a.verdict.is_null().cmp(&b.verdict.is_null()))
            .then(gap(b).total_cmp(&gap(a)))
    });
    found
}

/// Whether an intervention changes the place itself.
fn acts_on(intervention: Intervention, narrow: Bottleneck) -> bool {
    match intervention {
        Intervention::FewerCpus | Intervention::MoreCpus => {
            matches!(narrow, Bottleneck::Cpu | Bottleneck::CpuTaken)
        }
        Intervention::SyncOff => same_place(narrow, Bottleneck::CommitWait),
        Intervention::WorkersX2 => narrow == Bottleneck::Workers,
        Intervention::SessionsX2 => {
            matches!(
                narrow,
                Bottleneck::ReadLatency | Bottleneck::CpuPerSession | Bottleneck::Client
            )
        }
    }
}

/// Both ranges for one intervention; `None` where the law can't say.
pub(crate) fn predict(
    analysis: &Analysis,
    choice: &Choice,
    intervention: Intervention,
) -> Option<Prediction> {
    let verdict = range(analysis, &choice.winner, None, intervention)?;
    let rival = match rival(analysis, choice) {
        Some(rival) => range(analysis, &rival, Some(&choice.winner), intervention)?,
        // Without a rival the test must still show more than chance does.
        None => Range::UNCHANGED,
    };
    Some(Prediction { intervention, verdict, rival })
}

/// What the test must exclude: the candidate that can't be told apart; of something that is seen only as a wait
/// in front of it, and of processors without another bound near, that the sessions merely wait; else the second
/// lowest bound.
fn rival(analysis: &Analysis, choice: &Choice) -> Option<Candidate> {
    let named = choice.or.and_then(|or| {
        analysis.capacities.candidates.iter().chain(&analysis.session).find(|c| c.narrow == or)
    });
    if let Some(named) = named {
        return Some(named.clone());
    }
    let far = |rival: &Candidate| rival.rate.value > choice.winner.rate.value * FAR;
    let merely_waiting = match choice.winner.place {
        BoundLaw::Log | BoundLaw::ReadsInFlight => false,
        BoundLaw::Session => choice.winner.narrow == Bottleneck::Lock,
        BoundLaw::Cpu => choice.rival.as_ref().is_none_or(far),
        _ => true,
    };
    if !merely_waiting {
        return choice.rival.clone();
    }
    let servers = analysis.demand.servers;
    Candidate::new(
        BoundLaw::Session,
        Bottleneck::Unknown,
        "sessions that wait",
        (Estimate::exact(servers), "sessions"),
        Estimate::exact(servers / analysis.demand.rate()),
        Provenance::Measured,
    )
}

fn range(
    analysis: &Analysis,
    truth: &Candidate,
    denied: Option<&Candidate>,
    intervention: Intervention,
) -> Option<Range> {
    match (truth.narrow, intervention) {
        // A lock serves one at a time: more sessions queue longer, and often slow the holder.
        (Bottleneck::Lock, Intervention::SessionsX2) => {
            return Some(Range { low: -0.6, high: UNCHANGED });
        }
        // Without its flush an operation is shorter whatever else it waits for, so this tells nothing about
        // the rest; and a lock that is held until commit is held through the flush.
        (narrow, Intervention::SyncOff)
            if truth.place == BoundLaw::Session && !same_place(narrow, Bottleneck::CommitWait) =>
        {
            return None;
        }
        // The server's processes take processor time from a client that has too little.
        (Bottleneck::Client, Intervention::MoreCpus) => {
            return Some(Range { low: -0.5, high: UNCHANGED / 2.0 });
        }
        _ => {}
    }
    let rate = analysis.demand.rate();
    let own = factor(analysis, truth, intervention)?;
    let ceiling = analysis
        .bounds()
        .into_iter()
        .filter(|c| c.place != truth.place && !same_place(c.narrow, truth.narrow))
        .filter(|c| denied.is_none_or(|denied| !same_place(c.narrow, denied.narrow)))
        .filter_map(|c| Some(c.rate.value * factor(analysis, c, intervention)? / rate))
        .fold(f64::INFINITY, f64::min);
    let around = |own: f64| {
        let effect = own.min(ceiling) - 1.0;
        effect.is_finite().then(|| Range::around(effect))
    };
    let range = around(own)?;
    let of_cpus = truth.place == BoundLaw::Cpu && truth.narrow != Bottleneck::CpuQuota;
    if intervention == Intervention::MoreCpus && of_cpus && denied.is_none() {
        let most = around(own * beyond_more(analysis, truth))?;
        return Some(Range { high: range.high.max(most.high), ..range });
    }
    if intervention == Intervention::SessionsX2 && truth.place == BoundLaw::Cpu && denied.is_none()
    {
        // An operation takes more CPU time among more sessions; who has no more CPUs then does fewer.
        let rose = analysis.fell_in_test(intervention, metric::SERVER_CPU_PER_OP).min(1.0);
        let least = around(own * rose)?;
        return Some(Range { low: range.low.min(least.low), ..range });
    }
    let removes = intervention == Intervention::SyncOff && truth.place == BoundLaw::Session;
    Some(if removes { Range { low: range.low.min(CLEAR_GAIN), ..range } } else { range })
}

/// What an intervention multiplies a bound by; `None` where that isn't known.
fn factor(analysis: &Analysis, bound: &Candidate, intervention: Intervention) -> Option<f64> {
    let scan = analysis.demand.workload.is_scan();
    match (intervention, bound.place) {
        (Intervention::SessionsX2, BoundLaw::Session | BoundLaw::ReadsInFlight) if !scan => {
            Some(2.0)
        }
        (Intervention::SessionsX2, BoundLaw::Log) => {
            let doubled = log::bound(analysis.run, analysis.demand.servers * 2.0);
            Some(doubled.map_or(2.0, |log| log.rate.value / bound.rate.value))
        }
        (Intervention::FewerCpus, BoundLaw::Cpu) => fewer(analysis, bound),
        (Intervention::MoreCpus, BoundLaw::Cpu) => more(analysis, bound),
        (Intervention::SyncOff, BoundLaw::Session) => {
            let without = analysis.unqueued.as_ref()?.rate_spared(spared_ns(analysis)?);
            Some(without.map_or(f64::INFINITY, |rate| rate / bound.rate.value))
        }
        (Intervention::SyncOff, BoundLaw::Cpu) => Some(analysis.cpu_spared()),
        (Intervention::SyncOff, BoundLaw::Log) => Some(f64::INFINITY),
        (Intervention::WorkersX2, BoundLaw::Session) if scan => Some(2.0),
        _ => Some(1.0),
    }
}

/// What an operation takes less without its flush, ns: the flush and what is waited for behind it, and the processor time of going to
/// sleep and waking for it.
fn spared_ns(analysis: &Analysis) -> Option<f64> {
    let parts = analysis.unqueued.as_ref()?;
    let cpu_ns = parts.ns(TimeComponent::Cpu) * (1.0 - 1.0 / analysis.cpu_spared());
    Some(analysis.goes_with(TimeComponent::Flush, parts) + cpu_ns)
}

/// Fewer processors: in proportion, unless a quota is reached only later.
fn fewer(analysis: &Analysis, cpu: &Candidate) -> Option<f64> {
    let set = Sets::of(analysis.run, &analysis.demand).server?;
    let id = Intervention::FewerCpus.measurement_id(&analysis.demand.measurement.id);
    let done = analysis.run.measurement(&id).and_then(|m| m.value(metric::SERVER_CPUS));
    let left = done.or_else(|| fewer_cpus(set as usize).map(|cpus| cpus as f64))?;
    if cpu.narrow == Bottleneck::CpuQuota {
        return Some((left / cpu.capacity.value).min(1.0));
    }
    Some(left / set)
}

/// The client's processors lent to the server: together they do at most so many operations per second as
/// leave both sides their time, since the client goes on using them.
fn more(analysis: &Analysis, cpu: &Candidate) -> Option<f64> {
    if cpu.narrow == Bottleneck::CpuQuota {
        return Some(1.0);
    }
    let sets = Sets::of(analysis.run, &analysis.demand);
    let taken = analysis.demand.cpu.taken.unwrap_or(0.0);
    let all = sets.server? + sets.client? - taken;
    let both_s = cpu.demand_per_op.value + analysis.demand.client_cpu_ns?.value * 1e-9;
    Some((all / both_s / cpu.rate.value).max(1.0))
}

/// By what factor they may do more than that: an operation takes less CPU time where no other program interrupts it, as the test shows, and a
/// part of the CPUs of now is left over.
fn beyond_more(analysis: &Analysis, cpu: &Candidate) -> f64 {
    let fell = |of| analysis.fell_in_test(Intervention::MoreCpus, of).max(1.0);
    let server_s = cpu.demand_per_op.value;
    let client_s = analysis.demand.client_cpu_ns.map_or(0.0, |ns| ns.value * 1e-9);
    let in_test_s =
        server_s / fell(metric::SERVER_CPU_PER_OP) + client_s / fell(metric::CLIENT_CPU_PER_OP);
    let left_over = (cpu.rate.value / analysis.demand.rate()).max(1.0);
    (server_s + client_s) / in_test_s * left_over
}
