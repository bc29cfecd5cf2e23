//! Every figure of a run, unrounded: one row per metric, in the unit of the `unit` column; an interval that does not exist is two empty
//! cells, not zeros.
//!
//! The verdicts and findings first, their words in `text`: `verdict` and `grade` of each workload, `finding` with its weight in
//! `validity`. Then all metrics of all measurements, what servers were seen to do, the calibrations with their curves and what was
//! predicted of places for the log; invalid ones too, marked as such in `validity`. Points whose queue grew are there with `bounded` 0; their
//! latencies only restate the length of the window.

use narrows_model::{
    ActivityState, Calibration, Comparison, CurvePoint, Finding, Interval, Layer, Measurement,
    Observation, Unit, Verdict,
};
use serde_json::{Value, to_value};

use crate::document::Sheet;
use crate::report::Report;
use crate::words;

const HEADS: [&str; 11] = [
    "measurement",
    "layer",
    "validity",
    "metric",
    "unit",
    "value",
    "low",
    "high",
    "n",
    "samples",
    "text",
];

/// One figure.
#[derive(Clone, Copy)]
struct Record<'a> {
    about: &'a str,
    layer: &'a str,
    validity: &'a str,
    name: &'a str,
    unit: &'a str,
    value: f64,
    interval: Option<&'a Interval>,
    samples: &'a [f64],
    /// Repeats behind it.
    n: usize,
}

impl Record<'_> {
    fn cells(&self) -> Vec<String> {
        let end = |pick: fn(&Interval) -> f64| {
            self.interval.map_or(String::new(), |interval| pick(interval).to_string())
        };
        let samples: Vec<String> = self.samples.iter().map(f64::to_string).collect();
        vec![
            self.about.to_string(),
            self.layer.to_string(),
            self.validity.to_string(),
            self.name.to_string(),
            self.unit.to_string(),
            self.value.to_string(),
            end(|i| i.low),
            end(|i| i.high),
            self.n.to_string(),
            samples.join(" "),
            String::new(),
        ]
    }
}

/// What is said in words and not in figures.
fn words_of(about: &str, layer: &str, validity: &str, name: &str, text: String) -> Vec<String> {
    let mut cells = vec![String::new(); HEADS.len()];
    for (cell, word) in cells.iter_mut().zip([about, layer, validity, name]) {
        *cell = word.to_string();
    }
    cells[HEADS.len() - 1] = text;
    cells
}

/// All rows.
pub(super) fn records(report: &Report) -> Sheet {
    let run = &report.run;
    let mut sheet = Sheet::new(&HEADS);
    let rows = &mut sheet.rows;
    run.verdicts.iter().for_each(|of| verdict(rows, report, of));
    run.findings.iter().for_each(|of| finding(rows, report, of));
    run.measurements.iter().for_each(|m| measurement(rows, m));
    for m in &run.measurements {
        if let Some(notice) = m.workload.get(narrows_model::condition::DERIVED) {
            let validity = words::validity(m.validity);
            rows.push(words_of(&m.id, m.layer.word(), validity, "derived", notice.to_string()));
        }
    }
    run.calibrations.iter().for_each(|c| calibration(rows, c));
    for seen in &run.observations {
        let of = run.measurement(&seen.measurement);
        observed(rows, seen, of.map_or("valid", |m| words::validity(m.validity)));
    }
    run.comparison.iter().for_each(|of| comparison(rows, of));
    sheet
}

fn measurement(rows: &mut Vec<Vec<String>>, m: &Measurement) {
    for metric in &m.metrics {
        let record = Record {
            about: &m.id,
            layer: m.layer.word(),
            validity: words::validity(m.validity),
            name: &metric.name,
            unit: &word(&metric.unit),
            value: metric.value,
            interval: metric.interval_95.as_ref(),
            samples: &metric.samples,
            n: metric.samples.len(),
        };
        rows.push(record.cells());
    }
}

/// A workload's bottleneck and how sure it is, under the measurement that it is about.
fn verdict(rows: &mut Vec<Vec<String>>, report: &Report, verdict: &Verdict) {
    let of = report.run.measurement(&verdict.measurement);
    let validity = of.map_or("valid", |m| words::validity(m.validity));
    let layer = Layer::Database.word();
    for (name, text) in
        [("verdict", verdict.phrase.as_str()), ("grade", words::grade(verdict.grade))]
    {
        rows.push(words_of(&verdict.measurement, layer, validity, name, text.to_string()));
    }
}

/// A finding under the measurement that it is about; of the machine or the run under none.
fn finding(rows: &mut Vec<Vec<String>>, report: &Report, finding: &Finding) {
    let about = finding.measurement.as_deref().unwrap_or_default();
    let layer = report.run.measurement(about).map_or("", |m| m.layer.word());
    let text = format!("{}: {}: {}", finding.id, finding.summary, finding.evidence);
    rows.push(words_of(about, layer, words::severity(finding.severity), "finding", text));
}

/// As the run file spells it.
fn word(value: &impl serde::Serialize) -> String {
    match to_value(value) {
        Ok(Value::String(word)) => word,
        _ => String::new(),
    }
}

/// A calibration's figures under its own id, each point of the curve under `<id>.curve.<order>`. What is not known has no row.
fn calibration(rows: &mut Vec<Vec<String>>, c: &Calibration) {
    let per_s = Unit::OpsPerS;
    let worst = c.quantiles_ns.iter().copied().max_by(f64::total_cmp);
    let none: &[f64] = &[];
    let figures = [
        ("answer", per_s, c.answer_per_s(), none),
        ("quantile_worst", Unit::Ns, worst, c.quantiles_ns.as_slice()),
        ("ceiling", per_s, c.ceiling_per_s, none),
        ("ceiling_depth", Unit::Count, c.ceiling_depth.map(f64::from), none),
        ("knee", per_s, c.knee_per_s, none),
        ("burst", per_s, c.burst_per_s, none),
        ("generator", per_s, c.generator_per_s, none),
        ("latency_alone", Unit::Ns, c.alone_ns, none),
        ("latency_mean", Unit::Ns, c.latency_mean_ns, none),
        ("cpu_per_op", Unit::NsPerOp, c.cpu_per_op_ns, none),
        ("bandwidth_1m", Unit::BytesPerS, c.bandwidth_bytes_per_s, none),
        ("process_bandwidth_1m", Unit::BytesPerS, c.process_bandwidth_bytes_per_s, none),
        ("oracle_max_iops", Unit::Count, c.oracle.map(|o| o.max_iops as f64), none),
        ("oracle_latency_ms", Unit::Count, c.oracle.map(|o| o.latency_ms as f64), none),
        ("oracle_max_mbps", Unit::Count, c.oracle.map(|o| o.max_mbps as f64), none),
        (
            "oracle_max_pmbps",
            Unit::Count,
            c.oracle.and_then(|o| o.max_pmbps).map(|n| n as f64),
            none,
        ),
    ];
    for (name, unit, value, samples) in figures {
        let interval = c.interval_95.as_ref().filter(|_| name == "answer");
        of_calibration(rows, c, &c.id, (name, unit, value), interval, samples);
    }
    for point in &c.curve {
        curve(rows, c, point);
    }
}

fn curve(rows: &mut Vec<Vec<String>>, c: &Calibration, point: &CurvePoint) {
    let about = format!("{}.curve.{}", c.id, point.order);
    for figure in [
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
        of_calibration(rows, c, &about, figure, None, &[]);
    }
}

fn of_calibration(
    rows: &mut Vec<Vec<String>>,
    c: &Calibration,
    about: &str,
    (name, unit, value): (&str, Unit, Option<f64>),
    interval: Option<&Interval>,
    samples: &[f64],
) {
    let Some(value) = value.filter(|value| value.is_finite()) else { return };
    let record = Record {
        about,
        layer: "block",
        validity: words::validity(c.validity),
        name,
        unit: &word(&unit),
        value,
        interval,
        samples,
        n: samples.len().max(1),
    };
    rows.push(record.cells());
}

/// What was predicted of each place, under `log.compare.<place>`. What was measured there has rows of its own.
fn comparison(rows: &mut Vec<Vec<String>>, comparison: &Comparison) {
    for place in &comparison.placements {
        let Some(predicted) = place.predicted.filter(|p| p.rate_per_s.is_finite()) else {
            continue;
        };
        let record = Record {
            about: &format!("log.compare.{}", place.name),
            layer: "log",
            validity: words::validity(place.validity),
            name: "predicted_throughput",
            unit: &word(&Unit::OpsPerS),
            value: predicted.rate_per_s,
            interval: predicted.interval_95.as_ref(),
            samples: &[],
            n: 1,
        };
        rows.push(record.cells());
    }
}

/// A server that was looked at: its counters, its processes at work by class and state, CPUs by class, and the history with one
/// sample for each slice, under the measurement's id with `.counted`, `.at_work`, `.cpus` and `.history`.
fn observed(rows: &mut Vec<Vec<String>>, seen: &Observation, validity: &'static str) {
    let mut put = |part: &str, name: &str, unit: &str, value: f64, interval, samples: &[f64]| {
        let about = format!("{}.{part}", seen.measurement);
        let (layer, n) = ("database", samples.len());
        let record =
            Record { about: &about, layer, validity, name, unit, value, interval, samples, n };
        rows.push(record.cells());
    };
    if let Ok(Value::Object(counts)) = to_value(seen.counted) {
        for (name, value) in &counts {
            let Some(value) = value.as_f64() else { continue };
            let unit = match name.rsplit('_').next() {
                Some("ns") => "ns",
                Some("bytes") => "bytes",
                _ => "count",
            };
            put("counted", name, unit, value, None, &[]);
        }
    }
    for found in &seen.activity.found {
        let name = format!("{}.{}", word(&found.class), word(&found.state));
        let interval = found.interval_95.as_ref();
        put("at_work", &name, "count", found.processes, interval, &found.windows);
    }
    if let Some(processes) = &seen.processes {
        let classes = processes.classes.iter().map(|of| (word(&of.class), Some(of.cpus)));
        let rest = [
            ("kernel", processes.kernel_cpus),
            ("others_here", processes.other_cpus),
            ("machine", Some(processes.in_use())),
            ("allowed", Some(processes.allowed_cpus)),
        ];
        let rest = rest.into_iter().map(|(who, cpus)| (who.to_string(), cpus));
        let unit = word(&Unit::Cpus);
        for (name, cpus) in classes.chain(rest) {
            if let Some(cpus) = cpus {
                put("cpus", &name, &unit, cpus, None, &[]);
            }
        }
    }
    // `at` has the middle of each slice, and each state how many sessions were in it then.
    let moments = &seen.activity.history;
    let at: Vec<f64> = moments.iter().map(|moment| moment.at_ns).collect();
    let Some(last) = at.last() else { return };
    put("history", "at", "ns", *last, None, &at);
    for state in ActivityState::ALL {
        let of = |found: &[(ActivityState, f64)]| {
            found.iter().find(|(other, _)| *other == state).map_or(0.0, |(_, n)| *n)
        };
        let samples: Vec<f64> = moments.iter().map(|moment| of(&moment.sessions)).collect();
        if samples.iter().any(|n| *n > 0.0) {
            let mean = samples.iter().sum::<f64>() / samples.len() as f64;
            put("history", &word(&state), "count", mean, None, &samples);
        }
    }
}
