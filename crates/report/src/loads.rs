//! What ran on storage alone, one row per load: the jobs of a job file, the windows of other storage commands.
//!
//! Only for runs of the block layer alone; elsewhere HARDWARE says which measurements matter. What belongs to a
//! calibration stands there.

use narrows_model::{Layer, Measurement, Metric, Run, Validity, condition, family, metric};

use crate::calibration::owner;
use crate::capacity::CapacityRow;
use crate::document::{Inline, Row, Style};
use crate::interference::in_grid;
use crate::notes::Notes;
use crate::print::{self, Units};
use crate::section::{self, figure, leading, ns};

/// Whether the run is about storage alone.
pub(crate) fn storage_alone(run: &Run) -> bool {
    run.plan.layers == [Layer::Block]
}

/// The rows in the order of the run; `wide` are those that are said already.
pub(crate) fn loads(run: &Run, units: Units, wide: &[CapacityRow], notes: &mut Notes) -> Vec<Row> {
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
        let said = section::remark(Style::Faint, &remark(m), &notes.marks(run, &[&m.id]));
        rows.extend(rows_of(m, units, said));
    }
    rows
}

/// The measurement, and each kind of operation of a mix.
fn rows_of(m: &Measurement, units: Units, said: Vec<Inline>) -> Vec<Row> {
    // An invalid figure is not printed at all: what is printed gets quoted.
    let value = |metric: Metric| m.value(metric).filter(|_| m.validity != Validity::Invalid);
    let row = |name: &str, [rate, mean, p50, p99, p999]: [Metric; 5], whole: bool, said| {
        let of_all = |metric| value(metric).filter(|_| whole);
        let bytes = of_all(metric::BANDWIDTH);
        let mut cells = vec![
            section::name(name, m.validity),
            leading(m.validity, value(rate), print::rate),
            figure(bytes, |bytes| units.bytes_per_s(bytes)),
        ];
        cells.extend([mean, p50, p99, p999].map(|metric| ns(value(metric))));
        cells.push(ns(of_all(metric::CPU_PER_OP)));
        Row::Cells(cells, said)
    };
    let name = family::BLOCK.rest(&m.id).unwrap_or(&m.id);
    let mut rows = vec![row(name, WHOLE, true, said)];
    let kinds = KINDS.iter().filter(|(_, metrics)| value(metrics[0]).is_some());
    rows.extend(kinds.map(|(word, of)| row(&format!("  {word}"), *of, false, Vec::new())));
    rows
}

/// Rate, mean, p50, p99, p99.9.
const WHOLE: [Metric; 5] = [
    metric::THROUGHPUT,
    metric::LATENCY_MEAN,
    metric::LATENCY_P50,
    metric::LATENCY_P99,
    metric::LATENCY_P999,
];

/// The same of each kind of operation.
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

fn remark(m: &Measurement) -> String {
    let mut parts = Vec::new();
    parts.extend(m.text(condition::METHOD).map(str::to_string));
    // Of calls the direction says which.
    if m.text(condition::METHOD) == Some("file calls") {
        parts.extend(m.text(condition::DIRECTION).map(str::to_string));
    }
    match (m.text(condition::LOOP), m.number(condition::DEPTH).or(m.value(metric::DEPTH))) {
        (Some("open"), _) => parts.push("open loop".to_string()),
        (_, Some(depth)) => parts.push(format!("depth {}", crate::print::count(depth))),
        _ => {}
    }
    parts.extend(m.number(condition::THREADS).map(|n| crate::words::counted(n as usize, "worker")));
    parts.extend(m.text(condition::WRITE_STATE).map(str::to_string));
    parts.join(", ")
}
