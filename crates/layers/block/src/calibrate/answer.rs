//! From what the stages gave to the answer that is stored.

use narrows_engine::calibrate_io::{self, DEFAULT_MAX_LATENCY_MS, DepthPoint};
use narrows_engine::rate_search::{Answer, Outcome};
use narrows_model::{
    Calibration, CalibrationEnd, CalibrationGoal, Interval, IntervalMethod, Measurement,
    OracleNumbers, condition,
};

use super::again::ClosingWindows;
use super::bound::bound;
use super::curve::Curve;
use super::large::Large;
use super::plan::CalibratePlan;
use super::ramp::Ramp;
use super::search::Searched;
use super::{Calibrated, words};

/// Everything that was measured.
pub(super) struct Stages {
    pub generator_per_s: Option<f64>,
    pub ramp: Ramp,
    pub large: Option<Large>,
    pub searched: Searched,
    pub curve: Curve,
    pub again: ClosingWindows,
}

/// The answer with its measurements.
pub(super) fn answer(plan: &CalibratePlan, stages: Stages) -> Calibrated {
    let Stages { generator_per_s, ramp, large, searched, curve, again } = stages;
    let id = plan.id();
    let found = match &searched.outcome {
        Outcome::Found(answer) => Some(answer.clone()),
        _ => None,
    };
    let rate_per_s = searched.outcome.kept_per_s();
    let mut calibration = Calibration {
        id: id.clone(),
        goal: goal(plan),
        end: CalibrationEnd::from(&searched.outcome),
        sentence: words::sentence(plan, &searched),
        rate_per_s,
        interval_95: found.as_ref().map(interval),
        quantiles_ns: found.as_ref().map(|a| a.quantiles_ns.clone()).unwrap_or_default(),
        repeats: found.as_ref().map_or((0, 0), |answer| answer.repeats),
        latency_mean_ns: rate_per_s.and_then(|rate| searched.mean_ns(rate)),
        alone_ns: ramp.alone_ns,
        ceiling_per_s: Some(ramp.ceiling_per_s),
        ceiling_depth: Some(ramp.depth),
        knee_per_s: curve.knee_per_s,
        curve: curve.points,
        cpu_per_op_ns: Some(ramp.cpu_per_op_ns).filter(|ns| *ns > 0.0),
        burst_per_s: found.as_ref().and_then(|answer| answer.burst_per_s),
        thin: found.as_ref().is_some_and(|answer| answer.thin),
        pooled: found.as_ref().is_some_and(|answer| answer.pooled),
        windows: searched.windows,
        unusable_windows: searched.unusable(),
        generator_per_s,
        bound: bound(&ramp, generator_per_s),
        bandwidth_bytes_per_s: large.as_ref().map(|large| large.bytes_per_s),
        bandwidth_depth: large.as_ref().map(|large| large.depth),
        process_bandwidth_bytes_per_s: large.as_ref().and_then(|l| l.process_bytes_per_s),
        oracle: oracle(plan, &ramp, large.as_ref()),
        ramp: ramp.points,
        rests_on: Vec::new(),
        validity: narrows_model::Validity::Valid,
    };
    let mut measurements: Vec<Measurement> = ramp.alone.into_measurements(&format!("{id}.alone"));
    let cap = ramp.still_grew.then_some(ramp.depth);
    for mut ceiling in ramp.ceiling.into_measurements(&format!("{id}.ceiling")) {
        if let Some(cap) = cap {
            ceiling.conditions.insert(condition::DEPTH_CAP, serde_json::json!(cap));
        }
        measurements.push(ceiling);
    }
    measurements.extend(large.map(|large| large.measurements).unwrap_or_default());
    let (confirmed, rests_on) = searched.into_measurements(&id);
    calibration.rests_on = rests_on;
    // Where no window could be used there is no answer to be contradicted.
    if calibration.unusable_windows < calibration.windows {
        calibration.rests_on.extend(again.contradict);
    }
    measurements.extend(confirmed);
    measurements.extend(curve.measurements);
    measurements.extend(again.measurements);
    Calibrated { calibration, measurements }
}

fn goal(plan: &CalibratePlan) -> CalibrationGoal {
    CalibrationGoal {
        what: words::what(plan),
        block_bytes: plan.block_bytes,
        read_share: f64::from(plan.read_percent.min(100)) / 100.0,
        quantile: plan.goal.quantile,
        limit_ns: plan.goal.limit_ns,
        arrivals: plan.arrivals.word().to_string(),
        beside: words::beside(plan),
    }
}

fn interval(answer: &Answer) -> Interval {
    let (low, high) = answer.interval_95();
    Interval { low, high, method: IntervalMethod::OrderStatistic }
}

/// Oracle's numbers are of reads that have the storage to themselves.
fn oracle(plan: &CalibratePlan, ramp: &Ramp, large: Option<&Large>) -> Option<OracleNumbers> {
    if plan.read_percent < 100 || plan.beside.is_some() {
        return None;
    }
    let points: Option<Vec<DepthPoint>> = ramp
        .points
        .iter()
        .map(|point| {
            Some(DepthPoint { rate_per_s: point.rate_per_s, mean_ns: point.latency_mean_ns? })
        })
        .collect();
    let large = large?;
    calibrate_io::derive(
        &points?,
        large.bytes_per_s,
        large.process_bytes_per_s,
        DEFAULT_MAX_LATENCY_MS,
    )
}
