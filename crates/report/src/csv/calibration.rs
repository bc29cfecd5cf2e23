//! A calibration as rows: its figures under its own id, each point of the curve under `<id>.curve.<order>`.
//!
//! Points whose queue grew are there with `bounded` 0; their latencies only restate the length of the window.

use narrows_model::{Calibration, CurvePoint, Interval, Unit};

use super::{line, unit_word};
use crate::words;

struct Row<'a> {
    about: &'a str,
    name: &'a str,
    unit: Unit,
    value: Option<f64>,
    interval: Option<&'a Interval>,
    samples: &'a [f64],
}

/// All rows of one calibration.
pub(super) fn rows(out: &mut String, c: &Calibration) {
    let per_s = Unit::OpsPerS;
    let figures = [
        ("ceiling", per_s, c.ceiling_per_s),
        ("ceiling_depth", Unit::Count, c.ceiling_depth.map(f64::from)),
        ("knee", per_s, c.knee_per_s),
        ("burst", per_s, c.burst_per_s),
        ("generator", per_s, c.generator_per_s),
        ("latency_alone", Unit::Ns, c.alone_ns),
        ("latency_mean", Unit::Ns, c.latency_mean_ns),
        ("cpu_per_op", Unit::NsPerOp, c.cpu_per_op_ns),
        ("bandwidth_1m", Unit::BytesPerS, c.bandwidth_bytes_per_s),
        ("process_bandwidth_1m", Unit::BytesPerS, c.process_bandwidth_bytes_per_s),
        ("oracle_max_iops", Unit::Count, c.oracle.map(|o| o.max_iops as f64)),
        ("oracle_latency_ms", Unit::Count, c.oracle.map(|o| o.latency_ms as f64)),
        ("oracle_max_mbps", Unit::Count, c.oracle.map(|o| o.max_mbps as f64)),
        ("oracle_max_pmbps", Unit::Count, c.oracle.and_then(|o| o.max_pmbps).map(|n| n as f64)),
    ];
    let answer = Row {
        about: &c.id,
        name: "answer",
        unit: per_s,
        value: c.answer_per_s(),
        interval: c.interval_95.as_ref(),
        samples: &[],
    };
    put(out, c, &answer);
    let worst = c.quantiles_ns.iter().copied().max_by(f64::total_cmp);
    let name = "quantile_worst";
    put(
        out,
        c,
        &Row {
            name,
            unit: Unit::Ns,
            value: worst,
            interval: None,
            samples: &c.quantiles_ns,
            ..answer
        },
    );
    for (name, unit, value) in figures {
        put(out, c, &Row { name, unit, value, interval: None, samples: &[], ..answer });
    }
    for point in &c.curve {
        curve(out, c, point);
    }
}

fn curve(out: &mut String, c: &Calibration, point: &CurvePoint) {
    let about = format!("{}.curve.{}", c.id, point.order);
    for (name, unit, value) in [
        ("asked_rate", Unit::OpsPerS, Some(point.asked_per_s)),
        ("throughput", Unit::OpsPerS, Some(point.achieved_per_s)),
        ("bounded", Unit::Count, Some(f64::from(u8::from(point.bounded)))),
        ("sentinel", Unit::Count, Some(f64::from(u8::from(point.sentinel)))),
        ("latency_mean", Unit::Ns, point.latency_mean_ns),
        ("latency_p50", Unit::Ns, point.latency_p50_ns),
        ("latency_p99", Unit::Ns, point.latency_p99_ns),
        ("latency_p999", Unit::Ns, point.latency_p999_ns),
        ("lateness_p99", Unit::Ns, point.lateness_p99_ns),
        ("cpu_per_op", Unit::NsPerOp, point.cpu_per_op_ns),
    ] {
        put(out, c, &Row { about: &about, name, unit, value, interval: None, samples: &[] });
    }
}

/// A figure that is not known has no row.
fn put(out: &mut String, c: &Calibration, row: &Row<'_>) {
    let Some(value) = row.value.filter(|value| value.is_finite()) else { return };
    let end = |pick: fn(&Interval) -> f64| {
        row.interval.map_or(String::new(), |interval| pick(interval).to_string())
    };
    let samples: Vec<String> = row.samples.iter().map(f64::to_string).collect();
    line(
        out,
        &[
            row.about.to_string(),
            "block".to_string(),
            words::validity(c.validity).to_string(),
            row.name.to_string(),
            unit_word(row.unit),
            value.to_string(),
            end(|i| i.low),
            end(|i| i.high),
            row.samples.len().max(1).to_string(),
            samples.join(" "),
        ],
    );
}
