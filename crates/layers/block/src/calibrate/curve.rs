//! The curve of latency against rate, executed.

use narrows_engine::curve::{self, knees};
use narrows_engine::rate_search::Backlog;
use narrows_engine::{CurvePlan, held_quantile};
use narrows_model::{CurvePoint, Measurement};

use super::bench::{Bench, WARM_UP};
use super::ramp::Ramp;
use super::seen::seen;
use super::windows::CalibrationWindows;
use crate::BlockError;

/// Points, and the rate at which rate over latency is largest.
#[derive(Default)]
pub(super) struct Curve {
    pub points: Vec<CurvePoint>,
    pub knee_per_s: Option<f64>,
    pub measurements: Vec<Measurement>,
}

/// Around `rate_per_s`; points above `kept_per_s` have `beyond` in their ids, because there the load is meant to be more than
/// what can be kept. Ends early where time or bytes do.
pub(super) fn curve(
    bench: &mut Bench<'_>,
    ramp: &Ramp,
    rate_per_s: f64,
    kept_per_s: Option<f64>,
    id: &str,
) -> Result<Curve, BlockError> {
    let (goal, cap) = (bench.plan.goal, ramp.cap(bench));
    let length = bench.plan.curve_window();
    let mut curve = Curve::default();
    let mut sentinel = CalibrationWindows::default();
    let mut judged = Vec::new();
    let steps = CurvePlan::new(rate_per_s, bench.ctx.seed);
    for (step, order) in steps.steps().iter().zip(0..) {
        let time = bench.has_time(1, length, bench.plan.again_s());
        if !time || !bench.has_bytes(step.rate_per_s, length) {
            break;
        }
        bench.tell(&format!("curve: {:.0} per second", step.rate_per_s));
        let shown = bench.open(step.rate_per_s, cap, (length.mul_f64(WARM_UP), length))?;
        let outcome = shown.load();
        let Some(seen) = seen(outcome, &goal, true) else { break };
        let latency = outcome.latency_with_stragglers();
        let quantile = |q: f64| held_quantile(&latency, q);
        let lateness = outcome.open.as_ref().map(|open| &open.lateness);
        let bounded = seen.backlog == Backlog::Bounded;
        curve.points.push(CurvePoint {
            order,
            sentinel: step.sentinel,
            asked_per_s: step.rate_per_s,
            achieved_per_s: seen.achieved_per_s,
            bounded,
            latency_mean_ns: latency.mean(),
            latency_p50_ns: quantile(0.5),
            latency_p99_ns: quantile(0.99),
            latency_p999_ns: quantile(0.999),
            lateness_p99_ns: lateness.and_then(|lateness| held_quantile(lateness, 0.99)),
            // Between operations the generator spins, so that this says what the idle time costs.
            cpu_per_op_ns: None,
        });
        if let (true, Some(mean_ns), Some(quantile_ns)) = (bounded, seen.mean_ns, seen.quantile_ns)
        {
            judged.push(curve::CurvePoint {
                rate_per_s: seen.achieved_per_s,
                mean_ns,
                quantile_ns: quantile_ns as f64,
            });
        }
        if step.sentinel {
            sentinel.add(&shown);
            continue;
        }
        let mut alone = CalibrationWindows::default();
        alone.add(&shown);
        let share = (100.0 * step.rate_per_s / rate_per_s).round();
        let kept = kept_per_s.is_some_and(|kept| step.rate_per_s <= kept * 1.000_1);
        let place = if kept { "" } else { "beyond." };
        let name = format!("{id}.curve.{place}p{share:03}");
        curve.measurements.extend(alone.into_measurements(&name));
    }
    let place = if kept_per_s.is_some() { "" } else { "beyond." };
    curve.measurements.extend(sentinel.into_measurements(&format!("{id}.curve.{place}sentinel")));
    curve.points.sort_by(|a, b| a.asked_per_s.total_cmp(&b.asked_per_s));
    curve.knee_per_s = knees(&judged, goal.limit_ns as f64)
        .filter(|knees| knees.power_is_inside)
        .map(|knees| knees.power_per_s);
    Ok(curve)
}
