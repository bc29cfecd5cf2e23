//! The curve of latency against rate as rows.

use narrows_model::{Calibration, CurvePoint, Run, Validity};
use narrows_stats::median;

use super::sentence::{exact_time, percentile};
use super::windows;
use crate::document::{Row, Style};
use crate::print::{rate, time};
use crate::section::{figure, ns, remark, strong};

/// The percentile that was asked for, of a point; `None` where the curve does not hold it.
pub(crate) fn sought_ns(c: &Calibration, point: &CurvePoint) -> Option<f64> {
    let is = |quantile: f64| (c.goal.quantile - quantile).abs() < 1e-9;
    match () {
        () if is(0.5) => point.latency_p50_ns,
        () if is(0.99) => point.latency_p99_ns,
        () if is(0.999) => point.latency_p999_ns,
        () => None,
    }
}

/// Whether none of its windows is invalid.
pub(super) fn stands(run: &Run, c: &Calibration) -> bool {
    let of_curve = windows(run, c).filter(|m| m.id[c.id.len().min(m.id.len())..].contains("curve"));
    of_curve.map(|m| m.validity).max() != Some(Validity::Invalid)
}

/// The rows by rate, and what is said about the curve.
pub(super) fn rows(run: &Run, c: &Calibration) -> (Vec<Row>, String) {
    if c.curve.is_empty() {
        return (Vec::new(), "not measured".to_string());
    }
    if !stands(run, c) {
        return (Vec::new(), "invalid, not shown".to_string());
    }
    let (sentinels, plain): (Vec<&CurvePoint>, Vec<&CurvePoint>) =
        c.curve.iter().partition(|point| point.sentinel);
    let mut points: Vec<CurvePoint> = plain.into_iter().cloned().collect();
    points.extend(together(&sentinels));
    points.sort_by(|a, b| a.asked_per_s.total_cmp(&b.asked_per_s));
    let knee = c.knee_per_s.and_then(|knee| {
        let far = |p: &CurvePoint| (p.asked_per_s - knee).abs();
        let nearest = points.iter().min_by(|a, b| far(a).total_cmp(&far(b)))?;
        Some(nearest.asked_per_s)
    });
    let rows = points.iter().map(|point| row(c, point, knee, sentinels.len())).collect();
    (rows, drift(&sentinels))
}

fn row(c: &Calibration, point: &CurvePoint, knee: Option<f64>, sentinels: usize) -> Row {
    let over = sought_ns(c, point).is_some_and(|ns| ns > c.goal.limit_ns as f64);
    let mut remarks = Vec::new();
    if knee == Some(point.asked_per_s) && !point.sentinel {
        remarks.push("knee".to_string());
    }
    if !point.bounded {
        remarks.push("queue grows".to_string());
    } else if over {
        remarks.push(format!(
            "{} over {}",
            percentile(c.goal.quantile),
            exact_time(c.goal.limit_ns)
        ));
    }
    if point.sentinel && sentinels > 1 {
        remarks.push(format!("median of {sentinels}"));
    }
    // Of a queue that grows the latencies only restate the length of the window.
    let kept = |ns: Option<f64>| ns.filter(|ns| point.bounded && ns.is_finite());
    let cells = vec![
        strong(figure(Some(point.asked_per_s), rate)),
        figure(Some(point.achieved_per_s), rate),
        ns(kept(point.latency_p50_ns)),
        ns(kept(point.latency_p99_ns)),
        ns(kept(point.latency_p999_ns)),
        ns(point.cpu_per_op_ns),
    ];
    Row::Cells(cells, remark(Style::Plain, &remarks.join(", "), &[]))
}

/// The repeated point as one: medians, where each of them has the figure.
fn together(points: &[&CurvePoint]) -> Option<CurvePoint> {
    let first = points.first()?;
    let all = |pick: fn(&CurvePoint) -> Option<f64>| -> Option<f64> {
        let values: Option<Vec<f64>> = points.iter().map(|point| pick(point)).collect();
        median(&values?)
    };
    Some(CurvePoint {
        order: first.order,
        sentinel: true,
        asked_per_s: first.asked_per_s,
        achieved_per_s: all(|p| Some(p.achieved_per_s)).unwrap_or(first.achieved_per_s),
        bounded: points.iter().all(|point| point.bounded),
        latency_mean_ns: all(|p| p.latency_mean_ns),
        latency_p50_ns: all(|p| p.latency_p50_ns),
        latency_p99_ns: all(|p| p.latency_p99_ns),
        latency_p999_ns: all(|p| p.latency_p999_ns),
        lateness_p99_ns: all(|p| p.lateness_p99_ns),
        cpu_per_op_ns: all(|p| p.cpu_per_op_ns),
    })
}

/// What the repeated point showed, in the order in which it was run.
fn drift(sentinels: &[&CurvePoint]) -> String {
    let mut in_order: Vec<&&CurvePoint> = sentinels.iter().collect();
    in_order.sort_by_key(|point| point.order);
    let p99: Option<Vec<f64>> = in_order.iter().map(|point| point.latency_p99_ns).collect();
    let Some(p99) = p99.filter(|p99| p99.len() > 1) else { return String::new() };
    let p99: Vec<String> = p99.into_iter().map(time).collect();
    format!(
        "{} again and again in between, to see drift: p99 {}",
        rate(in_order[0].asked_per_s),
        p99.join(", ")
    )
}
