//! Putting a verdict together, and proposing the test that would settle it.

use narrows_model::{
    Bottleneck, Grade, Measurement, NextLimit, OperatingPoint, Run, Sum, SumKind, SumTerm,
    Utilisation, Validity, Verdict, metric,
};

use crate::analysis::{Analysis, LockHeld};
use crate::bound::{BoundLaw, Candidate, same_place};
use crate::choice::{Choice, OneBudget};
use crate::demand::Demand;
use crate::grade::grade;
use crate::intervention::Intervention;
use crate::phrase::phrase;
use crate::prediction::separating;
use crate::session::{Parts, TimeComponent, agrees};
use crate::sharing::sharing;
use crate::test::tested;
use crate::threshold::{FINEST_ACCOUNT, MISSED_BY_MUCH, SUM_TOLERANCE};
use crate::{Workload, observed, test};

/// How many of the bounds beyond the narrow one a verdict lists as next.
const NEXT: usize = 3;

/// The verdicts on every database workload that was measured and is not invalid. Before interventions were
/// made no grade is above LIKELY; run again with their measurements in the run, it grades them.
pub fn judge(run: &Run) -> Vec<Verdict> {
    Workload::ALL
        .into_iter()
        .filter_map(|workload| Some((workload, run.measurement(workload.measurement_id())?)))
        .filter(|(_, m)| m.validity != Validity::Invalid)
        .map(|(workload, m)| match Demand::read(m, workload) {
            Ok(demand) => verdict(&Analysis::of(run, demand)),
            Err(missing) => without_demand(m, workload, missing),
        })
        .map(|verdict| observed::or_standstill(run, verdict))
        .map(|verdict| observed::of_mariadb(run, verdict))
        .collect()
}

/// Tests that a verdict can ask for, one after the other: what comes of the first can leave a second question.
pub const MOST_TESTS: usize = 2;

/// The intervention whose outcome best tells the verdict on this measurement from its rival and that this run
/// can make; `None` where no test would change the grade.
pub fn propose(run: &Run, measurement_id: &str) -> Option<Intervention> {
    // Somebody's server is only looked at.
    let workload = Workload::from_measurement_id(measurement_id)
        .filter(|workload| *workload != Workload::Observed)?;
    let m = run.measurement(measurement_id).filter(|m| m.usable())?;
    let analysis = Analysis::of(run, Demand::read(m, workload).ok()?);
    let choice = analysis.choice.as_ref()?;
    let sum = sum(&analysis, choice);
    if !choice.withheld.is_empty() || !sum.is_some_and(|sum| sum.agrees) {
        return None;
    }
    let best = separating(&analysis, choice).first().map(|prediction| prediction.intervention);
    // Whether a lock is held through a flush decides what is waited for, so that is asked first.
    let made = |i: &Intervention| run.measurement(&i.measurement_id(measurement_id)).is_some();
    if analysis.lock_held == Some(LockHeld::NotKnown) && !made(&Intervention::SyncOff) {
        return Some(Intervention::SyncOff);
    }
    // One test is made of a verdict; a second only of what the first showed it to be.
    let tested = tested(&analysis, choice).is_some();
    best.filter(|intervention| !tested && !made(intervention))
}

/// Reads among the reads and writes that a workload asked of the drives, 0 to 1, where each is far below what the drives do of that kind
/// alone and both together are not: only the drives at that mix, [`narrows_model::family::BLOCK_AFTER`], can tell.
pub fn mix_to_measure(run: &Run, measurement_id: &str) -> Option<f64> {
    let workload = Workload::from_measurement_id(measurement_id)
        .filter(|workload| *workload != Workload::Observed)?;
    let m = run.measurement(measurement_id).filter(|m| m.usable())?;
    let analysis = Analysis::of(run, Demand::read(m, workload).ok()?);
    analysis.one_budget().filter(OneBudget::in_doubt)?;
    let io = &analysis.demand.io;
    let (reads, writes) = (io.device_reads?.value, io.device_writes?.value);
    Some(reads / (reads + writes))
}

fn verdict(analysis: &Analysis) -> Verdict {
    let demand = &analysis.demand;
    let mut verdict = blank(demand.measurement, demand.workload);
    let rate = demand.rate();
    verdict.throughput_per_s = rate;
    verdict.throughput_interval_95 =
        demand.measurement.metric(metric::THROUGHPUT).and_then(|m| m.interval_95);
    verdict.latency_p99_open_ns = open_p99(analysis.run, demand.workload);
    verdict.operating_point = OperatingPoint {
        sessions: demand.sessions,
        think_ns: demand.think_ns,
        workers: demand.workers,
    };
    verdict.utilisation = utilisation(analysis);
    verdict.bounds = analysis.bounds().into_iter().map(Candidate::to_bound).collect();
    verdict.sharing = sharing(analysis);
    verdict.standing = observed::standing(analysis);
    let Some(choice) = &analysis.choice else {
        verdict.reasons = analysis.capacities.reasons.clone();
        if let Err(missing) = &analysis.parts {
            verdict.reasons.push(format!("not measured: {}", missing.join(", ")));
        }
        return verdict;
    };
    let sum = sum(analysis, choice);
    let tested = tested(analysis, choice);
    let (grade, mut reasons) = grade(analysis, choice, sum.as_ref(), tested.as_ref());
    if grade != Grade::Confirmed {
        reasons.extend(analysis.capacities.reasons.clone());
    }
    verdict.narrow = choice.winner.narrow;
    verdict.or = choice.or;
    verdict.phrase = phrase(analysis, choice);
    verdict.grade = grade;
    verdict.reasons = reasons;
    verdict.next = next(analysis, choice);
    verdict.gain_at_most = gain_at_most(analysis, choice);
    verdict.gain_tested = tested
        .as_ref()
        .filter(|t| t.outcome == test::Outcome::Confirms && t.record.expected_low > 0.0)
        .map(|t| t.record.effect);
    verdict.sum = sum;
    verdict.test = tested.map(|tested| tested.record);
    verdict
}

/// A verdict that says only why there is none.
fn without_demand(m: &Measurement, workload: Workload, missing: &str) -> Verdict {
    let mut verdict = blank(m, workload);
    verdict.throughput_per_s = m.value(metric::THROUGHPUT).unwrap_or(0.0);
    verdict.reasons = vec![missing.to_string()];
    verdict
}

fn blank(m: &Measurement, workload: Workload) -> Verdict {
    Verdict {
        workload: workload.word().to_string(),
        measurement: m.id.to_string(),
        operating_point: OperatingPoint { sessions: 0, think_ns: 0.0, workers: None },
        throughput_per_s: 0.0,
        throughput_interval_95: None,
        latency_p99_open_ns: None,
        narrow: Bottleneck::Unknown,
        or: None,
        phrase: Bottleneck::Unknown.words().to_string(),
        grade: Grade::Undecided,
        reasons: Vec::new(),
        utilisation: Vec::new(),
        bounds: Vec::new(),
        sum: None,
        sharing: None,
        test: None,
        next: Vec::new(),
        gain_at_most: None,
        gain_tested: None,
        standing: None,
        what_if: Vec::new(),
    }
}

/// The 99th percentile of the open loop, where that measurement is not invalid.
fn open_p99(run: &Run, workload: Workload) -> Option<f64> {
    run.measurement(&format!("{}.open", workload.measurement_id()))
        .filter(|m| m.usable())?
        .value(metric::LATENCY_P99)
}

fn utilisation(analysis: &Analysis) -> Vec<Utilisation> {
    let rate = analysis.demand.rate();
    let known = analysis
        .capacities
        .candidates
        .iter()
        .filter(|c| c.fills_up() || c.place == BoundLaw::Log)
        .map(|c| c.to_utilisation(rate));
    let as_row = |value: Option<f64>| {
        move |(resource, label): &(Bottleneck, String)| Utilisation {
            resource: *resource,
            label: label.clone(),
            value,
        }
    };
    known
        .chain(analysis.capacities.unused.iter().map(as_row(Some(0.0))))
        .chain(analysis.capacities.unknown.iter().map(as_row(None)))
        .collect()
}

/// The sum by the law of the narrow place: a full resource's capacity over demand where that reproduces the
/// rate, the sessions' time else; the log's ladder stands in where the sessions' time is unknown.
pub(crate) fn sum(analysis: &Analysis, choice: &Choice) -> Option<Sum> {
    let session = match &analysis.demand.observed {
        Some(_) => observed::sum(analysis),
        None => analysis
            .parts
            .as_ref()
            .ok()
            .map(|parts| Sum { checked_to: checked_to(&analysis.demand, parts), ..parts.sum() }),
    };
    let winner = &choice.winner;
    if winner.place == BoundLaw::Session {
        return session;
    }
    let own = capacity_sum(analysis, winner);
    if own.agrees && winner.fills_up() {
        return Some(own);
    }
    match session {
        Some(session) if session.agrees || !own.agrees => Some(session),
        _ => Some(own),
    }
}

/// The error of the sum, as share of the sessions' time, that would have shown: by looks at the server's processes, or by the server's
/// own account of the time in statements, which knows neither those looks nor the scheduler.
fn checked_to(demand: &Demand, parts: &Parts) -> Option<f64> {
    let outside = [TimeComponent::Client, TimeComponent::Pause, TimeComponent::Between];
    let inside = parts.parts.iter().filter(|(part, _)| !outside.contains(part));
    let inside_ns: f64 = inside.map(|(_, ns)| ns.value).sum::<f64>() + parts.run_queue.value;
    let residence_ns = parts.servers / parts.rate * 1e9;
    // A scan is one statement of several processes, and the account is of one.
    let active_ns = demand.active_ns.filter(|ns| *ns > 0.0 && !demand.workload.is_scan());
    let by_account = active_ns
        .map(|active_ns| ((inside_ns - active_ns).abs() / residence_ns).max(FINEST_ACCOUNT));
    match (demand.sampled_width, by_account) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (a, b) => a.or(b),
    }
}

fn capacity_sum(analysis: &Analysis, bound: &Candidate) -> Sum {
    let predicted_per_s = bound.rate.value;
    let (kind, servers, name) = match bound.place {
        BoundLaw::Log => (SumKind::Batch, analysis.demand.servers, "flush"),
        BoundLaw::Cpu => (SumKind::Capacity, bound.capacity.value, "CPU"),
        BoundLaw::Client => (SumKind::Capacity, bound.capacity.value, "client"),
        BoundLaw::ReadsInFlight => (SumKind::Capacity, analysis.demand.servers, "read"),
        _ => (SumKind::Capacity, 1.0, bound.label.as_str()),
    };
    let measured_per_s = analysis.demand.rate();
    Sum {
        kind,
        servers,
        terms: vec![SumTerm { name: name.to_string(), ns_per_op: servers / predicted_per_s * 1e9 }],
        predicted_per_s,
        measured_per_s,
        agrees: agrees(predicted_per_s, measured_per_s)
            || others_leave_nothing(analysis, bound, measured_per_s),
        checked_to: None,
    }
}

/// Whether the server and others together use the CPUs of its set. What others use is counted by the kernel's ticks, so that its error is a
/// share of the set and not of the little that they leave.
fn others_leave_nothing(analysis: &Analysis, bound: &Candidate, rate: f64) -> bool {
    let observed = analysis.demand.observed.is_some();
    let taken = observed && bound.place == BoundLaw::Cpu && bound.narrow == Bottleneck::CpuTaken;
    analysis.demand.cpu.set.filter(|_| taken && bound.is_saturated(rate)).is_some_and(|set| {
        let idle = bound.capacity.value - rate * bound.demand_per_op.value;
        idle.abs() <= SUM_TOLERANCE * set && idle.abs() <= MISSED_BY_MUCH * bound.capacity.value
    })
}

/// The bounds beyond the narrow place (both, where two can't be told apart), each place once.
fn next(analysis: &Analysis, choice: &Choice) -> Vec<NextLimit> {
    let mut next: Vec<NextLimit> = Vec::new();
    for bound in analysis.bounds() {
        let seen = next.iter().any(|n| same_place(n.resource, bound.narrow));
        let named = [Some(choice.winner.narrow), choice.or];
        if seen || named.into_iter().flatten().any(|narrow| same_place(bound.narrow, narrow)) {
            continue;
        }
        next.push(NextLimit {
            resource: bound.narrow,
            label: bound.label.clone(),
            bound_per_s: Some(bound.rate.value),
        });
    }
    next.truncate(NEXT);
    next
}

/// What the CPUs of the set would allow together, where others or a quota have a part of them: no more than that comes back.
fn given_back(analysis: &Analysis, choice: &Choice) -> Option<f64> {
    let winner = &choice.winner;
    let kept_away = matches!(winner.narrow, Bottleneck::CpuTaken | Bottleneck::CpuQuota);
    let set = analysis.demand.cpu.set.filter(|_| kept_away && winner.place == BoundLaw::Cpu)?;
    (set > winner.capacity.value).then(|| winner.rate.value * set / winner.capacity.value)
}

/// The gain if the narrow place took no time or had no end: up to the next bound of the server. Our own load generator's CPUs are
/// none of its.
fn gain_at_most(analysis: &Analysis, choice: &Choice) -> Option<f64> {
    let rate = analysis.demand.rate();
    let own = match choice.part {
        Some(part) => analysis
            .unqueued
            .as_ref()
            .and_then(|parts| parts.rate_spared(analysis.goes_with(part, parts))),
        None => None,
    };
    let others = analysis
        .bounds()
        .into_iter()
        .filter(|c| c.place != choice.winner.place && !same_place(c.narrow, choice.winner.narrow))
        .filter(|c| c.place != BoundLaw::Client)
        .map(|c| c.rate.value);
    let together = analysis.one_budget().map(|budget| rate / budget.both());
    let of_drives = choice.winner.serves_reads() || choice.winner.place == BoundLaw::Writes;
    let together = together.filter(|bound| !of_drives && *bound >= rate);
    let ceiling = others
        .chain(own)
        .chain(together)
        .chain(given_back(analysis, choice))
        .fold(f64::INFINITY, f64::min);
    ceiling.is_finite().then(|| (ceiling / rate - 1.0).max(0.0))
}
