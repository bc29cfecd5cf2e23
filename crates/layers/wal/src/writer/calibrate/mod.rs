//! The highest rate of commits at which a percentile of their wait stays within a limit, measured.
//!
//! The stages: sessions in a closed loop, by their number ([`closed()`]); the search by open loops and the curve around its
//! answer ([`search`]). All on one recycled segment. Not here: what a window must show to pass (the engine), whether the figures are
//! true (validity rules).

mod bench;
mod closed;
mod plan;
mod search;
mod windows;
mod words;

use std::sync::atomic::AtomicU64;

use narrows_engine::rate_search::Outcome;
use narrows_engine::{Context, Phase};
use narrows_model::{
    Calibration, CalibrationEnd, CalibrationGoal, Interval, IntervalMethod, Layer, Measurement,
    Validity,
};
use narrows_observe::Watch;

pub use plan::{CommitPlan, planned_commits};

use super::CommitLog;
use crate::commit::SegmentFlusher;
use crate::page::{PAGE, Pages};
use crate::{LogError, LogGround, READ_BACK, SEGMENT_BYTES, on_server_cpus};
use bench::Bench;
use closed::{Closed, closed};
use search::{Curve, Searched, curve, search};
use windows::CalibrationWindows;

/// An answer and what it rests on.
#[derive(Debug, Clone)]
pub struct CommitRate {
    /// The answer, for `Run::calibrations`.
    pub calibration: Calibration,
    /// Its windows, for `Run::measurements`: validity rules judge them, and the answer falls with them.
    pub measurements: Vec<Measurement>,
}

/// Searches for the highest rate of commits to a log on that ground at which `plan.goal` is kept.
///
/// # Errors
/// A folder that is missing, read-only, full or in memory; a flush that failed; a stop. Nothing is left behind.
pub fn commit_rate(
    ctx: &Context,
    ground: LogGround<'_>,
    watch: &Watch,
    plan: &CommitPlan,
) -> Result<CommitRate, LogError> {
    on_server_cpus(&plan.cpus, || {
        ctx.progress.phase(Layer::Log, Phase::Fill, "segment");
        let segment = ground.medium((0, "log-segment"), SEGMENT_BYTES, ctx.seed, ctx.stop)?;
        let segment = &*segment;
        let pages = Pages::new(ctx.seed);
        let written = AtomicU64::new(0);
        let flusher = SegmentFlusher::new(segment, &pages, &written);
        let log = CommitLog::new(flusher, plan.style, plan.delay);
        let mut bench = Bench::new(ctx, plan, (&log, segment, &written), watch);
        let closed = closed(&mut bench)?;
        if closed.ceiling_per_s() <= 0.0 {
            return Err(LogError::NoCommit { dir: ground.name().to_path_buf() });
        }
        let searched = search(&mut bench, &closed)?;
        let around = searched.outcome.passed_per_s().unwrap_or(closed.ceiling_per_s());
        let curve = curve(&mut bench, around, searched.outcome.kept_per_s())?;
        ctx.progress.phase(Layer::Log, Phase::Verify, "the end of the log");
        let end = log.flushed().next_multiple_of(PAGE as u64);
        let verified = segment.verify(&pages, end, READ_BACK)?;
        let finish = |kept: CalibrationWindows, id: String| {
            kept.into_measurement(id, plan, segment, verified)
        };
        Ok(answer(plan, closed, searched, curve, &finish))
    })
}

fn answer(
    plan: &CommitPlan,
    closed: Closed,
    searched: Searched,
    curve: Curve,
    finish: &impl Fn(CalibrationWindows, String) -> Measurement,
) -> CommitRate {
    let id = plan.id();
    let found = match &searched.outcome {
        Outcome::Found(answer) => Some(answer.clone()),
        _ => None,
    };
    let mut calibration = Calibration {
        id: id.clone(),
        goal: CalibrationGoal {
            what: words::what(plan),
            block_bytes: plan.sizes.mean().round() as u32,
            read_share: 0.0,
            quantile: plan.goal.quantile,
            limit_ns: plan.goal.limit_ns,
            arrivals: plan.arrivals.word().to_string(),
            beside: None,
        },
        end: CalibrationEnd::from(&searched.outcome),
        sentence: words::sentence(plan, &searched),
        rate_per_s: searched.outcome.kept_per_s(),
        interval_95: found.as_ref().map(|answer| {
            let (low, high) = answer.interval_95();
            Interval { low, high, method: IntervalMethod::OrderStatistic }
        }),
        quantiles_ns: found.as_ref().map(|a| a.quantiles_ns.clone()).unwrap_or_default(),
        repeats: found.as_ref().map_or((0, 0), |answer| answer.repeats),
        latency_mean_ns: searched.mean_ns(),
        alone_ns: closed.alone_ns(),
        ceiling_per_s: Some(closed.ceiling_per_s()),
        ceiling_depth: Some(closed.sessions),
        knee_per_s: curve.knee_per_s,
        curve: curve.points.clone(),
        ramp: closed.points(),
        cpu_per_op_ns: closed.cpu_per_op_ns(),
        burst_per_s: found.as_ref().and_then(|answer| answer.burst_per_s),
        thin: found.as_ref().is_some_and(|answer| answer.thin),
        pooled: found.as_ref().is_some_and(|answer| answer.pooled),
        windows: searched.windows,
        unusable_windows: searched.unusable,
        generator_per_s: None,
        bound: words::bound(&closed),
        bandwidth_bytes_per_s: None,
        bandwidth_depth: None,
        process_bandwidth_bytes_per_s: None,
        oracle: None,
        rests_on: Vec::new(),
        validity: Validity::Valid,
    };
    let mut measurements = closed.into_measurements(&id, finish);
    let (confirmed, rests_on) = searched.into_measurements(&id, finish);
    calibration.rests_on = rests_on;
    measurements.extend(confirmed);
    measurements.extend(curve.into_measurements(&id, finish));
    CommitRate { calibration, measurements }
}

#[cfg(test)]
mod tests;
