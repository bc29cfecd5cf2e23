//! What ran on storage alone, one row per load: the jobs of a job file, the windows of other storage commands.
//!
//! Only for runs of the block layer alone; elsewhere HOW WIDE says which measurements matter. What belongs to a
//! calibration stands there.

use narrows_model::{Layer, Measurement, Metric, Run, Validity, condition, family, metric};

use crate::calibration::owner;
use crate::interference::in_grid;
use crate::notes::{NoteMark, Notes};
use crate::wide::WideRow;

/// One load.
#[derive(Debug, Clone, PartialEq)]
pub struct LoadRow {
    /// The measurement's id without its layer; of one kind of operation of a mix its name behind it.
    pub name: String,
    /// Whether it may be trusted.
    pub validity: Validity,
    /// Operations per second.
    pub rate_per_s: Option<f64>,
    /// Payload bytes per second.
    pub bandwidth_bytes_per_s: Option<f64>,
    /// Mean latency, ns.
    pub latency_mean_ns: Option<f64>,
    /// Median, ns.
    pub latency_p50_ns: Option<f64>,
    /// 99 %, ns.
    pub latency_p99_ns: Option<f64>,
    /// 99.9 %, ns.
    pub latency_p999_ns: Option<f64>,
    /// Processor time per operation, ns.
    pub cpu_per_op_ns: Option<f64>,
    /// Depth or rate, and what writes are worth.
    pub remark: String,
    /// Footnotes.
    pub notes: Vec<NoteMark>,
}

/// Whether the run is about storage alone.
pub(crate) fn storage_alone(run: &Run) -> bool {
    run.plan.layers == [Layer::Block]
}

/// The rows in the order of the run; `wide` are those that are said already.
pub(crate) fn loads(run: &Run, wide: &[WideRow], notes: &mut Notes) -> Vec<LoadRow> {
    if !storage_alone(run) {
        return Vec::new();
    }
    let said = |m: &Measurement| {
        let rests = run.calibrations.iter().any(|c| c.rests_on(&m.id));
        rests
            || in_grid(m)
            || owner(&run.calibrations, &m.id).is_some()
            || wide.iter().any(|row| row.measurement == m.id)
    };
    let mut rows = Vec::new();
    for m in run.measurements.iter().filter(|m| m.layer == Layer::Block && !said(m)) {
        let marks = notes.marks(run, &[&m.id]);
        rows.extend(rows_of(m, marks));
    }
    rows
}

fn rows_of(m: &Measurement, notes: Vec<NoteMark>) -> Vec<LoadRow> {
    let name = family::BLOCK.rest(&m.id).unwrap_or(&m.id).to_string();
    let whole = LoadRow {
        name,
        validity: m.validity,
        rate_per_s: m.value(metric::THROUGHPUT),
        bandwidth_bytes_per_s: m.value(metric::BANDWIDTH),
        latency_mean_ns: m.value(metric::LATENCY_MEAN),
        latency_p50_ns: m.value(metric::LATENCY_P50),
        latency_p99_ns: m.value(metric::LATENCY_P99),
        latency_p999_ns: m.value(metric::LATENCY_P999),
        cpu_per_op_ns: m.value(metric::CPU_PER_OP),
        remark: remark(m),
        notes,
    };
    if m.validity == Validity::Invalid {
        // An invalid figure is not printed at all: what is printed gets quoted.
        let LoadRow { name, validity, remark, notes, .. } = whole;
        return vec![LoadRow { name, validity, remark, notes, ..nothing() }];
    }
    let mut rows = vec![whole];
    for (word, [rate, mean, p50, p99, p999]) in KINDS {
        if let Some(rate_per_s) = m.value(rate) {
            rows.push(LoadRow {
                name: format!("  {word}"),
                validity: m.validity,
                rate_per_s: Some(rate_per_s),
                latency_mean_ns: m.value(mean),
                latency_p50_ns: m.value(p50),
                latency_p99_ns: m.value(p99),
                latency_p999_ns: m.value(p999),
                ..nothing()
            });
        }
    }
    rows
}

/// The figures of one kind of operation: rate, mean, p50, p99, p99.9.
const KINDS: [(&str, [Metric; 5]); 3] = [
    (
        "reads",
        [
            metric::READ_THROUGHPUT,
            metric::READ_LATENCY_MEAN,
            metric::READ_LATENCY_P50,
            metric::READ_LATENCY_P99,
            metric::READ_LATENCY_P999,
        ],
    ),
    (
        "writes",
        [
            metric::WRITE_THROUGHPUT,
            metric::WRITE_LATENCY_MEAN,
            metric::WRITE_LATENCY_P50,
            metric::WRITE_LATENCY_P99,
            metric::WRITE_LATENCY_P999,
        ],
    ),
    (
        "syncs",
        [
            metric::SYNC_THROUGHPUT,
            metric::SYNC_LATENCY_MEAN,
            metric::SYNC_LATENCY_P50,
            metric::SYNC_LATENCY_P99,
            metric::SYNC_LATENCY_P999,
        ],
    ),
];

fn nothing() -> LoadRow {
    LoadRow {
        name: String::new(),
        validity: Validity::Valid,
        rate_per_s: None,
        bandwidth_bytes_per_s: None,
        latency_mean_ns: None,
        latency_p50_ns: None,
        latency_p99_ns: None,
        latency_p999_ns: None,
        cpu_per_op_ns: None,
        remark: String::new(),
        notes: Vec::new(),
    }
}

fn remark(m: &Measurement) -> String {
    let mut parts = Vec::new();
    parts.extend(m.text(condition::METHOD).map(str::to_string));
    match (m.text(condition::LOOP), m.number(condition::DEPTH).or(m.value(metric::DEPTH))) {
        (Some("open"), _) => parts.push("open loop".to_string()),
        (_, Some(depth)) => parts.push(format!("depth {}", crate::print::count(depth))),
        _ => {}
    }
    parts.extend(m.number(condition::THREADS).map(|n| crate::words::counted(n as usize, "worker")));
    parts.extend(m.text(condition::WRITE_STATE).map(str::to_string));
    parts.join(", ")
}
