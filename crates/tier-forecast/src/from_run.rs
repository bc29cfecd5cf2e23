//! What is known of a server by a stored run: an operation's time by its verdict's analysis, its other limits by the verdict's bounds,
//! flushes by the log layer.

use narrows_cost::{Basis, Given, Range};
use narrows_model::{
    Bottleneck, Bound, Measurement, MeasurementId, Metric, Run, Validity, Verdict, condition,
    family, metric,
};
use narrows_verdict::{Estimate, Intervention, PerOperation, Workload, per_operation};

use crate::from_live::live_now;
use crate::given::{Limit, LogNow, ReadNow, Refused};

/// Nanoseconds of a microsecond.
const US_NS: f64 = 1e-3;
/// What the id of a test ends with in which the server flushes nothing.
pub(crate) const FSYNC_OFF: &str = ".test.fsync_off";
/// Where the parts of an operation's time are further off its rate, no law is made of them; judgement.
const LAW_OFF_MOST: f64 = 0.25;

/// A flush by one writer that has nothing else to do, and how it was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct DeviceFlush {
    /// The measurement's id: two devices are compared by the same one.
    pub measurement: String,
    /// Its mean, µs.
    pub flush_us: Given,
    /// What speaks against it.
    pub suspect: Option<String>,
}

/// Flushes of the log layer by that method, each kind once, the one beside writes first; empty where it measured none.
fn flushes(run: &Run, dsync: bool) -> Vec<DeviceFlush> {
    let method = if dsync { "dsync" } else { "fdatasync" };
    let ids = [
        format!("log.append.{method}.busy"),
        format!("log.append.{method}.idle"),
        family::LOG_LADDER.id(format!("write.{method}.overwrite.8k.alone")).to_string(),
    ];
    let known = ids.into_iter().filter_map(|id| {
        let m = run.measurement(&id).filter(|m| m.validity != Validity::Invalid)?;
        let mean = estimate(m, metric::LATENCY_MEAN).filter(|ns| ns.value > 0.0)?;
        let source = format!("run {}, {id}", run.id);
        let suspect = (m.validity == Validity::Suspect)
            .then(|| format!("{id} of run {} is suspect: {}", run.id, m.findings.join(", ")));
        let flush_us = measured(mean, US_NS, &source);
        Some(DeviceFlush { measurement: id, flush_us, suspect })
    });
    known.collect()
}

/// The flush of a medium that a run measured; of the same kind as that of `like` where both have one.
///
/// # Errors
/// A run without a flush that is not invalid.
pub fn device_flush(
    medium: &Run,
    like: Option<&Run>,
    workload: Option<&str>,
) -> Result<(DeviceFlush, Option<DeviceFlush>), Refused> {
    let dsync = like.is_some_and(|run| {
        let op = chosen(run, workload, COMMITS);
        op.is_ok_and(|op| of_workload(run, op.workload).is_some_and(by_dsync))
    });
    let theirs = flushes(medium, dsync);
    let ours = like.map(|run| flushes(run, dsync)).unwrap_or_default();
    let both = theirs.iter().find_map(|there| {
        let here = ours.iter().find(|here| here.measurement == there.measurement)?;
        Some((there.clone(), Some(here.clone())))
    });
    if let Some(both) = both {
        return Ok(both);
    }
    match theirs.into_iter().next() {
        Some(first) => Ok((first, None)),
        None => Err(Refused::new(
            format!("run {} has no valid flush by one writer", medium.id),
            "measure the medium: narrows log ladder --wal DIR, or --write-to-device nvme-tcp://…",
        )),
    }
}

/// Whether the workload's server makes its WAL durable by the write itself.
fn by_dsync(m: &Measurement) -> bool {
    m.text(condition::SYNC_METHOD)
        .is_some_and(|method| matches!(method, "open_dsync" | "open_datasync" | "dsync"))
}

/// What a fabric adds to a durable write of 8 KiB, or to the smallest one that was divided.
///
/// # Errors
/// A run that divided none.
pub fn fabric_added(run: &Run) -> Result<Given, Refused> {
    let mut writes: Vec<&Measurement> = run
        .measurements
        .iter()
        .filter(|m| m.usable())
        .filter(|m| family::FABRIC_SPLIT.rest(&m.id).is_some_and(|rest| rest.starts_with("write.")))
        .collect();
    writes.sort_by_key(|m| m.id != family::FABRIC_SPLIT.id("write.8k"));
    let added = writes.iter().find_map(|m| {
        let added = Estimate::of(m.metric(metric::FABRIC_ADDED)?)?;
        Some(measured(added, US_NS, &format!("run {}, {}", run.id, m.id)))
    });
    added.ok_or_else(|| {
        Refused::new(
            format!("run {} divided no durable write over a fabric", run.id),
            "narrows fabric split --write-to-device nvme-tcp://… --serial S divides one",
        )
    })
}

/// What a run knows of a workload that commits; the named one, else updates, else the first, else an observed server's WAL.
///
/// # Errors
/// A run without one.
pub fn log_now(run: &Run, workload: Option<&str>) -> Result<LogNow, Refused> {
    let op = match (chosen(run, workload, COMMITS), workload) {
        (Ok(op), _) => op,
        (Err(refused), None) => return live_now(run).unwrap_or(Err(refused)),
        (Err(refused), Some(_)) => return Err(refused),
    };
    let m = of_workload(run, op.workload);
    let verdict = verdict(run, op.workload);
    let source = format!("run {}", run.id);
    let part = |name: &str| {
        let parts = op.time.as_ref()?.iter().find(|part| part.name == name);
        parts.map(|part| part.ns)
    };
    let commits = m.and_then(|m| estimate(m, metric::COMMITS_PER_OP)).filter(|n| n.value > 0.0);
    let each = commits.unwrap_or(Estimate::exact(1.0));
    let wait = part("flush").and_then(|ns| ns.over(each));
    let flush = m.and_then(|m| estimate(m, metric::SERVER_FLUSH_TIME)).filter(|ns| ns.value > 0.0);
    // The commit of one session waits for its own flush, the whole of it by the server's clock. Samples leave out what of it passes on the
    // CPU or waits for one.
    let wait = match (wait, flush) {
        (Some(wait), Some(flush)) if op.sessions <= 1.0 && flush.value > wait.value => Some(flush),
        _ => wait,
    };
    let device = flushes(run, m.is_some_and(by_dsync)).into_iter().find(|of| of.suspect.is_none());
    let (cpu_us, cpus) = cpus(&op, verdict, &source);
    let mut doubts = common_doubts(run, &op, verdict);
    doubts.extend(whose_cpus(verdict));
    if commits.is_none() {
        doubts.push("commits of one operation were not counted: one is taken".to_string());
    }
    let cpu_unflushed_us = unflushed_cpu(run, op.workload, &source);
    if cpu_unflushed_us.is_none() {
        doubts.push(
            "an operation is taken to need as much CPU time as now; on busier CPUs it needs less, and nothing tested how much"
                .to_string(),
        );
    }
    let now = LogNow {
        from: format!("{} of run {}", op.workload.name(), run.id),
        unit: unit(op.workload).to_string(),
        rate_per_s: measured(op.rate_per_s, 1.0, &source),
        sessions: counted(op.sessions, &source),
        commits: measured(each, 1.0, &source),
        commit_wait_us: given(wait, US_NS, &source),
        flush_us: given(flush, US_NS, &source),
        device_us: None,
        cpu_us,
        cpu_unflushed_us,
        cpus,
        locks_us: part("lock").map(|ns| measured(ns, US_NS, &source)),
        locks_through_commit: through_commit(&op, verdict),
        unqueued_us: op
            .time
            .as_ref()
            .map(|parts| measured(Estimate::sum(parts.iter().map(|part| part.ns)), US_NS, &source)),
        limits: limits(verdict, &source, |_| true),
        ladder_per_s: op.log_commits_per_s.map(|rate| measured(rate, 1.0, &source)),
        wal_bytes: given(op.wal_bytes, 1.0, &source),
        asked: op.workload == Workload::Observed,
        no_law: no_law(&op, verdict),
        law_off: law_off(verdict).unwrap_or(0.0),
        doubts,
    };
    Ok(match device {
        Some(device) => now.compared_by(device.flush_us),
        None => now,
    })
}

/// What a run knows of a workload that reads; the named one, else lookups that are not cached, else the first.
///
/// # Errors
/// A run without one.
pub fn read_now(run: &Run, workload: Option<&str>) -> Result<ReadNow, Refused> {
    let op = chosen(run, workload, READS)?;
    let verdict = verdict(run, op.workload);
    let source = format!("run {}", run.id);
    let each = op.reads.filter(|reads| reads.value > 0.0);
    let per_read = |of: Option<Estimate>| of.zip(each).and_then(|(of, each)| of.over(each));
    let rate = each.map(|each| product(op.rate_per_s, each));
    // With the queue in front of drives that are full, if there is one: a cache takes it away too.
    let m = of_workload(run, op.workload);
    let read = m.and_then(|m| estimate(m, metric::WAIT_READ_PER_OP));
    let of_parts = |wanted: fn(&str) -> bool| {
        let parts = op.time.as_ref()?.iter().filter(|part| wanted(part.name));
        Some(Estimate::sum(parts.map(|part| part.ns)))
    };
    let of_read = |of: Option<Estimate>| per_read(of).map(|each| measured(each, US_NS, &source));
    let (cpu_us, cpus) = cpus(&op, verdict, &source);
    let cpu = cpu_us
        .value
        .map(|range| Estimate { value: range.value, half: Some((range.high - range.low) / 2.0) });
    // What drives allow is not what a cache in front of them does.
    let beyond_drives = |resource: Bottleneck| {
        !matches!(resource, Bottleneck::ReadRate | Bottleneck::ReadBandwidth | Bottleneck::IoLimit)
    };
    let reads = each.map_or(1.0, |each| each.value);
    let all = limits(verdict, &source, beyond_drives).into_iter().map(|limit| {
        let value = limit.per_s.value.map(|range| range.times(reads));
        Limit { per_s: Given { value, ..limit.per_s }, ..limit }
    });
    let ladder = op.log_commits_per_s.map(|rate| {
        let commits = m.and_then(|m| estimate(m, metric::COMMITS_PER_OP)).filter(|n| n.value > 0.0);
        let each = commits.map_or(1.0, |n| n.value);
        let per_s = measured(rate, reads / each, &source);
        Limit { title: "WAL alone".to_string(), per_s }
    });
    Ok(ReadNow {
        from: format!("{} of run {}", op.workload.name(), run.id),
        rate_per_s: given(rate, 1.0, &source),
        sessions: counted(op.sessions, &source),
        read_us: given(per_read(read), US_NS, &source),
        alone_us: None,
        locks_us: of_read(of_parts(|name| name == "lock")),
        flushes_us: of_read(of_parts(|name| name == "flush")),
        besides_us: of_read(of_parts(|name| name != "read")),
        cpu_us: given(per_read(cpu), 1.0, &source),
        cpus,
        block_bytes: given(per_read(op.read_bytes), 1.0, &source),
        limits: all.chain(ladder).collect(),
        asked: op.workload == Workload::Observed,
        no_law: no_law(&op, verdict),
        law_off: law_off(verdict).unwrap_or(0.0),
        doubts: common_doubts(run, &op, verdict).into_iter().chain(whose_cpus(verdict)).collect(),
    })
}

/// What a workload must wait for, in a word, and whether it does.
type Waits = (&'static str, fn(&PerOperation) -> bool);

const COMMITS: Waits = ("commits", |op| has_part(op, "flush") && !op.workload.is_scan());
const READS: Waits = ("reads", |op| {
    op.reads.is_some_and(|reads| reads.value > 0.0)
        && has_part(op, "read")
        && !op.workload.is_scan()
});

/// The named workload, else updates or uncached lookups, else the first one that waits for it.
fn chosen(run: &Run, workload: Option<&str>, (what, has): Waits) -> Result<PerOperation, Refused> {
    let (all, refused) = per_operation(run);
    let names: Vec<&str> = all.iter().map(|op| op.workload.id_word()).collect();
    let list = if names.is_empty() { "none".to_string() } else { names.join(", ") };
    if let Some(name) = workload {
        let found =
            all.iter().find(|op| op.workload.id_word() == name || op.workload.word() == name);
        return found.cloned().ok_or_else(|| {
            let why = refused.iter().find(|refused| refused.measurement.ends_with(name));
            let why = why.map(|refused| format!(": {}", refused.why)).unwrap_or_default();
            Refused::new(
                format!("run {} gives no workload `{name}`{why}", run.id),
                format!("its workloads: {list}"),
            )
        });
    }
    let preferred = [Workload::Update, Workload::LookupUncached];
    let mut having: Vec<&PerOperation> = all.iter().filter(|op| has(op)).collect();
    having.sort_by_key(|op| !preferred.contains(&op.workload));
    having.first().map(|op| (*op).clone()).ok_or_else(|| {
        let why: Vec<String> = refused
            .iter()
            .map(|refused| format!("{}: {}", refused.measurement, refused.why))
            .collect();
        let why = if why.is_empty() { String::new() } else { format!(" ({})", why.join("; ")) };
        Refused::new(
            format!("run {} has no workload that waits for {what}; workloads: {list}{why}", run.id),
            "measure one with `narrows run` or `narrows db`, observe a server, or give the figures",
        )
    })
}

/// What is counted, in the plural.
fn unit(workload: Workload) -> &'static str {
    if workload == Workload::Observed { "transactions" } else { workload.plural() }
}

fn has_part(op: &PerOperation, name: &str) -> bool {
    op.time.iter().flatten().any(|part| part.name == name && part.ns.value > 0.0)
}

fn of_workload(run: &Run, workload: Workload) -> Option<&Measurement> {
    run.measurement(workload.measurement_id())
}

fn verdict(run: &Run, workload: Workload) -> Option<&Verdict> {
    let id = MeasurementId::from(workload.measurement_id());
    run.verdicts.iter().find(|verdict| id == verdict.measurement)
}

fn of_cpus(bound: &&Bound) -> bool {
    matches!(bound.resource, Bottleneck::Cpu | Bottleneck::CpuQuota | Bottleneck::CpuTaken)
}

/// Where it has less than all of them.
fn whose_cpus(verdict: Option<&Verdict>) -> Option<String> {
    let bound = verdict?.bounds.iter().find(of_cpus)?;
    (bound.resource != Bottleneck::Cpu)
        .then(|| format!("its CPUs are {} ({})", bound.label, bound.resource.words()))
}

/// CPU time of one and CPUs, as the verdict's bound has them; without one, what was counted.
fn cpus(op: &PerOperation, verdict: Option<&Verdict>, source: &str) -> (Given, Given) {
    let bound = verdict.and_then(|verdict| verdict.bounds.iter().find(of_cpus));
    let cpu_us = given(op.cpu_ns, US_NS, source);
    match bound {
        Some(bound) => (cpu_us, counted(bound.capacity, source)),
        None => (cpu_us, Given::of(None, Basis::Measured, source)),
    }
}

/// CPU time of one by a test of the same run in which no commit waited: `synchronous_commit=off`, or flushes switched off.
fn unflushed_cpu(run: &Run, workload: Workload, source: &str) -> Option<Given> {
    let id = workload.measurement_id();
    let tests = [Intervention::SyncOff.measurement_id(id), format!("{id}{FSYNC_OFF}")];
    let mut made = tests.iter().filter_map(|id| run.measurement(id));
    let test = made.find(|test| test.validity != Validity::Invalid)?;
    let cpu = estimate(test, metric::SERVER_CPU_PER_OP).filter(|cpu| cpu.value > 0.0)?;
    Some(measured(cpu, US_NS, &format!("{source}, {}", test.id)))
}

/// Where most of the time is waiting for locks, the verdict says whether they are held through the commit's flush: it names the commit then.
fn through_commit(op: &PerOperation, verdict: Option<&Verdict>) -> Option<bool> {
    let largest = op.time.as_ref()?.first().filter(|part| part.name == "lock");
    largest?;
    let named = [Bottleneck::CommitWait, Bottleneck::CommitInsideServer];
    verdict.filter(|verdict| named.contains(&verdict.narrow)).map(|_| true)
}

/// Bounds of a verdict that don't follow from the WAL's or the sessions' own time.
fn limits(verdict: Option<&Verdict>, source: &str, wanted: fn(Bottleneck) -> bool) -> Vec<Limit> {
    let of_its_own = |bound: &&Bound| {
        !of_cpus(bound)
            && !matches!(
                bound.resource,
                Bottleneck::CpuPerSession
                    | Bottleneck::ReadLatency
                    | Bottleneck::CommitWait
                    | Bottleneck::CommitInsideServer
            )
            && !matches!(bound.capacity_unit.as_str(), "sessions" | "workers")
    };
    let bounds = verdict.iter().flat_map(|verdict| &verdict.bounds).filter(of_its_own);
    let bounds = bounds.filter(|bound| wanted(bound.resource));
    let limit = |bound: &Bound| {
        let interval = bound.interval_95.as_ref();
        let range = Range {
            value: bound.bound_per_s,
            low: interval.map_or(bound.bound_per_s, |interval| interval.low),
            high: interval.map_or(bound.bound_per_s, |interval| interval.high),
        };
        let per_s = Given::of(Some(range), Basis::Measured, source);
        Limit { title: format!("{} ({})", bound.resource.words(), bound.label), per_s }
    };
    bounds.map(limit).collect()
}

/// How far the sum of an operation's time is off, relative, where it does not agree.
fn law_off(verdict: Option<&Verdict>) -> Option<f64> {
    let sum = verdict?.sum.as_ref().filter(|sum| !sum.agrees)?;
    Some((sum.predicted_per_s / sum.measured_per_s - 1.0).abs())
}

fn no_law(op: &PerOperation, verdict: Option<&Verdict>) -> Option<String> {
    if op.time.is_none() {
        return Some("parts of an operation's time were not measured".to_string());
    }
    let off = law_off(verdict).filter(|off| *off > LAW_OFF_MOST || !off.is_finite())?;
    Some(format!(
        "the parts of an operation's time differ from the measured rate by {:.0} %",
        off * 100.0
    ))
}

fn common_doubts(run: &Run, op: &PerOperation, verdict: Option<&Verdict>) -> Vec<String> {
    let mut all = Vec::new();
    all.extend(op.suspect.as_ref().map(|why| format!("the measurement is suspect: {why}")));
    if op.suspect.is_none()
        && of_workload(run, op.workload).is_some_and(|m| m.validity != Validity::Valid)
    {
        all.push("the measurement is not valid".to_string());
    }
    if verdict.is_none() {
        all.push(
            "the run has no verdict on it: no limit is known (narrows report --rejudge)"
                .to_string(),
        );
    }
    all
}

fn estimate(m: &Measurement, of: Metric) -> Option<Estimate> {
    m.metric(of).and_then(Estimate::of)
}

fn product(a: Estimate, b: Estimate) -> Estimate {
    let value = a.value * b.value;
    let half = a.relative().zip(b.relative()).map(|(a, b)| value * a.hypot(b));
    Estimate { value, half }
}

fn counted(value: f64, source: &str) -> Given {
    Given::of(Some(Range::exact(value)), Basis::Measured, source)
}

fn measured(of: Estimate, factor: f64, source: &str) -> Given {
    given(Some(of), factor, source)
}

/// What a few repeats doubt may be wider than the figure; nothing here is negative.
fn given(of: Option<Estimate>, factor: f64, source: &str) -> Given {
    let range = of.map(|of| {
        let half = of.half.unwrap_or(0.0);
        let low = (of.value - half).max(0.0);
        Range { value: of.value, low, high: of.value + half }.times(factor)
    });
    let source = match of {
        Some(of) if of.half.is_none() => format!("{source}; without an interval"),
        _ => source.to_string(),
    };
    Given::of(range, Basis::Measured, source)
}
