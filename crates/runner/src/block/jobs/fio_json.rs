//! The results in fio's own layout, for tools that were made for it.
//!
//! As in fio, a group that is reported as one is one entry, else each clone is. Times, switches and faults are those of
//! its threads in the window. What is not known is empty: batches have no sizes, and submissions no stamps of their own unless the job asks for
//! them (`slat_percentiles=1`). Without these `clat` counts from where `lat` does, which in an open loop is when the operation was due.

use narrows_fio::json::{
    Device, DirectionResult, JobResult, Latencies, Layout, RunResult, Sampled, Search, Steadiness,
    Syncs, document,
};
use narrows_fio::{Job, Plan, Steady, SteadyValue, Unified};
use narrows_io::Op;
use narrows_layer_block::{Counted, Load, SplitLatency, StreamOutcome, Verdict};
use narrows_stats::Recorder;

use super::by_priority;
use super::calls;
use super::execute::Done;
use crate::json_text;

/// fio takes one sample of rates in this time.
const SAMPLE_NS: u64 = 500_000_000;

/// The document, with a line end.
pub fn text(plan: &Plan, done: &[Done], devices: Vec<Device>, plus: bool) -> String {
    let layout = if plus { Layout::JsonPlus } else { Layout::Json };
    let now = jiff::Timestamp::now();
    let run = RunResult {
        version: env!("CARGO_PKG_VERSION").to_string(),
        timestamp_ms: now.as_millisecond().max(0) as u64,
        time: now.strftime("%a %b %e %H:%M:%S %Y").to_string(),
        global_options: plan.global_options.clone(),
        jobs: entries(plan, done),
        devices,
    };
    json_text(&document(&run, layout)).expect("its keys are strings")
}

fn entries(plan: &Plan, done: &[Done]) -> Vec<JobResult> {
    let mut entries: Vec<JobResult> = Vec::new();
    let mut told: Vec<usize> = Vec::new();
    for one in done {
        let job = &plan.jobs[one.job];
        if job.group_reporting {
            if told.contains(&job.group) {
                continue;
            }
            told.push(job.group);
            let members: Vec<&Done> = done
                .iter()
                .filter(|other| {
                    let other = &plan.jobs[other.job];
                    other.group == job.group && other.group_reporting
                })
                .collect();
            let outcomes: Vec<StreamOutcome> = members
                .iter()
                .map(|member| as_in_fio(&plan.jobs[member.job], &member.whole))
                .collect();
            let clones: u32 = members.iter().map(|member| plan.jobs[member.job].clones).sum();
            let whole = StreamOutcome::combined(&job.name, &outcomes, true, false);
            let back: Vec<StreamOutcome> =
                members.iter().filter_map(|member| member.read_back.whole.clone()).collect();
            let back = StreamOutcome::combined(&job.name, &back, true, false);
            let found: Vec<&Verdict> = members
                .iter()
                .flat_map(|member| member.verdicts.iter().map(|(_, verdict)| verdict))
                .collect();
            entries.extend(
                whole.map(|whole| entry(job, one, (&whole, back.as_ref(), &found), clones)),
            );
            continue;
        }
        // A clone's files are one entry.
        let mut clones: Vec<Option<u32>> = one.parts.iter().map(|(clone, _)| *clone).collect();
        clones.dedup();
        for clone in clones {
            let own: Vec<StreamOutcome> = one
                .parts
                .iter()
                .filter(|(other, _)| *other == clone)
                .map(|(_, outcome)| as_in_fio(job, outcome))
                .collect();
            let count = if clone.is_some() { 1 } else { job.clones };
            let back: Vec<StreamOutcome> = one
                .read_back
                .parts
                .iter()
                .filter(|(other, _)| *other == clone)
                .map(|(_, outcome)| outcome.clone())
                .collect();
            let back = StreamOutcome::combined(&job.name, &back, true, false);
            let whole = StreamOutcome::combined(&job.name, &own, true, false);
            let found = one.verdicts.iter().filter(|(other, _)| *other == clone);
            let found: Vec<&Verdict> = found.map(|(_, verdict)| verdict).collect();
            entries
                .extend(whole.map(|whole| entry(job, one, (&whole, back.as_ref(), &found), count)));
        }
    }
    entries
}

/// With its kinds of operation as fio counts them.
fn as_in_fio(job: &Job, outcome: &StreamOutcome) -> StreamOutcome {
    match calls::counted_as(job) {
        Some(op) => outcome.clone().counted_as(op),
        None => outcome.clone(),
    }
}

/// What fio gives a job that found blocks which are not what was written.
const ILLEGAL_SEQUENCE: i32 = 84;

/// And one that did not reach its least rate.
const INPUT_OUTPUT: i32 = 5;

/// Of a job or clone: what it did, what was read back after it, and what ended it.
fn entry(
    job: &Job,
    done: &Done,
    (outcome, back, found): (&StreamOutcome, Option<&StreamOutcome>, &[&Verdict]),
    clones: u32,
) -> JobResult {
    let runtime_ms = outcome.window_ns / 1_000_000;
    let operations = outcome.operations();
    let wrong = outcome.verified.wrong + back.map_or(0, |back| back.verified.wrong);
    let job_runtime_ms = runtime_ms * u64::from(clones);
    let share =
        |ns: u64| (job_runtime_ms > 0).then(|| ns as f64 / 1e6 * 100.0 / job_runtime_ms as f64);
    JobResult {
        name: job.name.clone(),
        group: job.group,
        description: job.description.clone(),
        options: job.written.clone(),
        started_ms: done.started_ms,
        error: match found.iter().any(|verdict| matches!(verdict, Verdict::Minimum(Some(_)))) {
            _ if wrong > 0 => ILLEGAL_SEQUENCE,
            true => INPUT_OUTPUT,
            false => 0,
        },
        search: job.latency_target.map(|asked| Search {
            depth: outcome.depth_found.map_or(1, |found| u64::from(found.depth)),
            target_ns: asked.target.0,
            percent: asked.percent,
            window_us: asked.window.0 / 1000,
        }),
        steady: job.steady.as_ref().and_then(|steady| steadiness(steady, found)),
        elapsed_s: done.elapsed_ms.div_ceil(1000),
        read: reads(job, outcome, back),
        write: direction(job, outcome, Op::Write),
        trim: direction(job, outcome, Op::Trim),
        mixed: (job.report.unified != Unified::None).then(|| mixed(outcome)),
        only_mixed: job.report.unified == Unified::Mixed,
        sync: Syncs {
            total_ios: outcome.of(Op::Sync).operations,
            latency: latencies(&outcome.of(Op::Sync).latency),
        },
        job_runtime_ms,
        user_percent: share(outcome.usage.user_ns),
        system_percent: share(outcome.usage.system_ns),
        context_switches: Some(outcome.usage.switches),
        major_faults: Some(outcome.usage.major_faults),
        minor_faults: Some(outcome.usage.minor_faults),
        depths: match outcome.load {
            // In a closed loop the depth is what was asked for.
            Load::Closed { depth } => vec![(u64::from(depth / clones.max(1)).max(1), operations)],
            // In an open one the mean is known, by Little's law.
            Load::Open { .. } => outcome
                .in_flight()
                .map(|mean| vec![((mean.round() as u64).max(1), operations)])
                .unwrap_or_default(),
        },
        percentiles: job.report.percentiles.clone(),
        completion_percentiles: job.report.completion,
        total_percentiles: job.report.total,
        submission_percentiles: job.report.submission,
        ..JobResult::default()
    }
}

/// How steady it was.
fn steadiness(steady: &Steady, found: &[&Verdict]) -> Option<Steadiness> {
    let seen = found.iter().find_map(|verdict| match verdict {
        Verdict::Steady(seen) => Some(seen),
        Verdict::Minimum(_) => None,
    })?;
    // What was not seen is 0, at the end, as in fio.
    let samples = |which: usize| -> Vec<u64> {
        let mut values: Vec<u64> = seen.samples.iter().map(|sample| sample[which]).collect();
        values.resize(seen.rule.intervals, 0);
        values
    };
    Some(Steadiness {
        rule: steady.word(),
        duration_s: steady.duration.0 / 1_000_000_000,
        attained: seen.attained,
        criterion: format!("{:.6}{}", seen.criterion, steady.unit()),
        max_deviation: seen.deviation,
        slope: seen.slope,
        iops: samples(0),
        bandwidth_bytes: samples(1),
        latency_ns: (steady.value == SteadyValue::Latency).then(|| samples(2)),
    })
}

fn direction(job: &Job, outcome: &StreamOutcome, op: Op) -> DirectionResult {
    let kind = outcome.of(op);
    if kind.operations == 0 {
        return DirectionResult::default();
    }
    let alone = [Op::Read, Op::Write, Op::Trim]
        .into_iter()
        .all(|other| other == op || outcome.of(other).operations == 0);
    // Slices count all kinds together, so that those of a mix say nothing about one.
    let latency = (&kind.latency, kind.split.as_deref());
    let (moved, failed) = ((kind.operations, kind.bytes), (kind.short, kind.failed));
    DirectionResult {
        priorities: by_priority::in_fio(job, outcome, op, latencies),
        ..result(outcome, moved, failed, latency, alone)
    }
}

/// Reads of the job, and what was read to be verified, which fio counts with them.
fn reads(job: &Job, outcome: &StreamOutcome, back: Option<&StreamOutcome>) -> DirectionResult {
    let beside = &outcome.verified.reads;
    if beside.operations == 0 && back.is_none() {
        return direction(job, outcome, Op::Read);
    }
    let own = outcome.of(Op::Read);
    let mut all = own.clone();
    all.add(beside);
    // The time of the window counts where something was read in it.
    let mut time_ns = if all.operations > 0 { outcome.window_ns } else { 0 };
    let (short, failed) = (all.short, own.failed);
    if let Some(back) = back {
        all.add(back.of(Op::Read));
        time_ns += back.window_ns;
    }
    let latency = (&all.latency, all.split.as_deref());
    let moved = (all.operations, all.bytes);
    let mut reads = result(outcome, moved, (short, failed), latency, false);
    reads.runtime_ms = (time_ns / 1_000_000).max(u64::from(all.operations > 0));
    reads
}

/// Reads, writes and trims as one.
fn mixed(outcome: &StreamOutcome) -> DirectionResult {
    let moved = (outcome.operations(), outcome.bytes());
    let failed = outcome.failed() - outcome.of(Op::Sync).failed;
    let mut all = Counted::default();
    [Op::Read, Op::Write, Op::Trim].into_iter().for_each(|op| all.add(outcome.of(op)));
    let latency = (&all.latency, all.split.as_deref());
    result(outcome, moved, (outcome.short(), failed), latency, true)
}

fn result(
    outcome: &StreamOutcome,
    (operations, bytes): (u64, u64),
    (short_ios, drop_ios): (u64, u64),
    (latency, split): (&Recorder, Option<&SplitLatency>),
    with_samples: bool,
) -> DirectionResult {
    let total = latencies(latency);
    let sampled = |of: fn(u64, u64, f64) -> f64| Sampled {
        values: if with_samples { samples(outcome, of) } else { Vec::new() },
    };
    DirectionResult {
        io_bytes: bytes,
        total_ios: operations,
        // As in fio, a time in which something was done is no nothing.
        runtime_ms: (outcome.window_ns / 1_000_000).max(u64::from(operations > 0)),
        short_ios,
        drop_ios,
        completion: split.map_or_else(|| total.clone(), |split| latencies(&split.completion)),
        total,
        submission: split.map(|split| latencies(&split.submission)).unwrap_or_default(),
        bandwidth_kib: sampled(|_, bytes, seconds| bytes as f64 / 1024.0 / seconds),
        iops: sampled(|operations, _, seconds| operations as f64 / seconds),
        priorities: Vec::new(),
    }
}

fn samples(outcome: &StreamOutcome, of: fn(u64, u64, f64) -> f64) -> Vec<f64> {
    let each = (SAMPLE_NS / outcome.slice_ns.max(1)).max(1) as usize;
    outcome
        .slices
        .chunks_exact(each)
        .map(|slices| {
            let operations: u64 = slices.iter().map(|slice| slice.operations).sum();
            let bytes: u64 = slices.iter().map(|slice| slice.bytes).sum();
            of(operations, bytes, (each as u64 * outcome.slice_ns) as f64 / 1e9)
        })
        .collect()
}

fn latencies(recorder: &Recorder) -> Latencies {
    let longest = recorder.max().unwrap_or(0);
    Latencies {
        counts: recorder
            .buckets()
            .map(|(low, high, count)| ((low + (high - low) / 2).min(longest), count))
            .collect(),
        min_ns: recorder.min(),
        max_ns: recorder.max(),
        sum_ns: recorder.mean().map(|mean| mean * recorder.count() as f64),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_latency_is_lost_on_the_way() {
        let mut recorder = Recorder::new();
        for ns in [10, 1000, 1001, 50_000, u64::MAX / 2] {
            recorder.record(ns);
        }
        let all = latencies(&recorder);
        assert_eq!(all.counts.iter().map(|(_, count)| count).sum::<u64>(), 5);
        assert_eq!((all.min_ns, all.max_ns), (Some(10), Some(u64::MAX / 2)));
        assert!(all.counts.iter().all(|(ns, _)| *ns <= u64::MAX / 2));
    }
}
