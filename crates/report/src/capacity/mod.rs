//! HARDWARE: which measurement stands in which row, with its nearest limit.
//!
//! The rows are a table of candidates ([`SPECS`]) plus the memory rows, whose number depends on the machine's
//! nodes. A row appears where the run has one of its measurements, or says why there is none.

use narrows_model::{
    Layer, LimitBasis, LimitShare, Measurement, Metric, Run, Unit, Validity, condition, family,
    metric,
};
use narrows_units::significant;

mod memory;

use crate::notes::{NoteMark, Notes, absent};
use crate::print::{self, Units, half_width};

/// A value with its unit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// The value.
    pub value: f64,
    /// Its unit.
    pub unit: Unit,
}

/// One row of HARDWARE.
#[derive(Debug, Clone, PartialEq)]
pub struct CapacityRow {
    /// The layer.
    pub layer: Layer,
    /// `random read 8 KiB`.
    pub name: String,
    /// The measurement it shows; empty for an absent one.
    pub measurement: String,
    /// Whether it may be trusted.
    pub validity: Validity,
    /// What was measured; `None` when invalid or absent.
    pub measured: Option<Figure>,
    /// Half of the 95 % interval, relative; `None` where no method gives one for so few repeats.
    pub half_width: Option<f64>,
    /// Repeats behind the figure.
    pub repeats: u32,
    /// The nearest limit.
    pub limit: Option<Figure>,
    /// Measured over limit.
    pub share: Option<f64>,
    /// Processor time per operation, ns.
    pub cpu_per_op_ns: Option<f64>,
    /// What else a reader needs: depth, tail, pages.
    pub remark: String,
    /// Footnotes.
    pub notes: Vec<NoteMark>,
    /// Why there is no measurement.
    pub absent: Option<String>,
}

type Remark = fn(&Run, &Measurement, Units) -> Vec<String>;

/// A row: the first of `ids` that the run has is shown, by the first of `metrics` that it has.
struct Spec {
    layer: Layer,
    name: fn(&Measurement) -> String,
    ids: &'static [&'static str],
    metrics: &'static [Metric],
    remark: Remark,
}

const SPECS: &[Spec] = &[
    Spec {
        layer: Layer::Block,
        name: |m| block_name("random read", m, 8192.0),
        ids: &["block.read.random.8k.knee", "block.read.random.8k.d1"],
        metrics: &[metric::THROUGHPUT],
        remark: block_random_remark,
    },
    Spec {
        layer: Layer::Block,
        name: |m| block_name("buffered read", m, 8192.0),
        ids: &["block.read.random.8k.server_knee", "block.read.random.8k.server_d1"],
        metrics: &[metric::THROUGHPUT],
        remark: server_path_remark,
    },
    Spec {
        layer: Layer::Block,
        name: |m| block_name("sequential read", m, 1_048_576.0),
        ids: &["block.read.sequential.1m.knee", "block.read.sequential.1m.d1"],
        metrics: &[metric::BANDWIDTH],
        remark: depth_remark,
    },
    Spec {
        layer: Layer::Block,
        name: |m| block_name("random write", m, 8192.0),
        ids: &["block.write.random.8k.knee", "block.write.random.8k.d1"],
        metrics: &[metric::THROUGHPUT],
        remark: block_random_remark,
    },
    Spec {
        layer: Layer::Block,
        name: |m| block_name("sequential write", m, 1_048_576.0),
        ids: &["block.write.sequential.1m.knee", "block.write.sequential.1m.d1"],
        metrics: &[metric::BANDWIDTH],
        remark: depth_remark,
    },
    Spec {
        layer: Layer::Block,
        name: |m| {
            let after = family::BLOCK_AFTER.rest(&m.id).unwrap_or("updates");
            block_name(&format!("random, the mix of {after}"), m, 8192.0)
        },
        ids: &["block.after.update", "block.after.commit", "block.after.orders"],
        metrics: &[metric::THROUGHPUT],
        remark: mix_remark,
    },
    Spec {
        layer: Layer::Log,
        name: |m| flush_name(m, ""),
        ids: &["log.append.fdatasync.idle", "log.append.dsync.idle"],
        metrics: &[metric::LATENCY_MEAN, metric::LATENCY_P50],
        remark: flush_remark,
    },
    Spec {
        layer: Layer::Log,
        name: |m| flush_name(m, ", busy"),
        ids: &["log.append.fdatasync.busy", "log.append.dsync.busy"],
        metrics: &[metric::LATENCY_MEAN, metric::LATENCY_P50],
        remark: busy_flush_remark,
    },
    Spec {
        layer: Layer::Log,
        name: |m| {
            let after = family::LOG_AFTER.rest(&m.id).unwrap_or("updates");
            format!("flush after {after}")
        },
        ids: &["log.after.update", "log.after.commit", "log.after.orders"],
        metrics: &[metric::PARALLEL_WRITE_MEAN],
        remark: after_remark,
    },
    Spec {
        layer: Layer::Log,
        name: |m| {
            let waiting =
                m.number(condition::SESSIONS).or(m.value(metric::SESSIONS)).unwrap_or(8.0);
            format!("group commit, {} sessions", print::count(waiting))
        },
        ids: &["log.commit.8"],
        metrics: &[metric::THROUGHPUT],
        remark: commit_remark,
    },
];

/// All rows in the order of the layers; the clock comes last because nobody buys one.
pub(crate) fn rows(run: &Run, units: Units, notes: &mut Notes) -> Vec<CapacityRow> {
    let mut rows = memory::rows(run, units, notes);
    for spec in SPECS {
        let found = spec.ids.iter().find_map(|id| run.measurement(id));
        if let Some(m) = found {
            let remark = (spec.remark)(run, m, units);
            rows.push(row(run, notes, m, (spec.name)(m), spec.metrics, remark, &[&m.id]));
        } else if let Some(finding) = spec.ids.iter().find_map(|id| absent(run, id)) {
            let name = (spec.name)(&Measurement::new("", spec.layer));
            rows.push(absent_row(spec.layer, name, finding.summary.clone()));
        }
    }
    for (layer, what) in [(Layer::Block, "reads and writes"), (Layer::Log, "flush")] {
        let some = rows.iter().any(|row| row.layer == layer);
        if let Some(finding) = absent(run, layer.word()).filter(|_| !some) {
            rows.push(absent_row(layer, what.to_string(), finding.summary.clone()));
        }
    }
    rows.sort_by_key(|row| row.layer);
    if let Some(m) = run.measurement("clock.vdso") {
        let remark = clock_remark(run);
        rows.push(row(run, notes, m, "read the time".into(), &[metric::COST], remark, &[&m.id]));
    }
    rows
}

fn row(
    run: &Run,
    notes: &mut Notes,
    m: &Measurement,
    name: String,
    metrics: &[Metric],
    remark: Vec<String>,
    sources: &[&str],
) -> CapacityRow {
    let marks = notes.marks(run, sources);
    let shown = metrics.iter().find_map(|metric| m.metric(*metric));
    let mut row = CapacityRow {
        layer: m.layer,
        name,
        measurement: m.id.to_string(),
        validity: m.validity,
        measured: None,
        half_width: None,
        repeats: m.repeats,
        limit: None,
        share: None,
        cpu_per_op_ns: None,
        remark: String::new(),
        notes: marks,
        absent: None,
    };
    // An invalid figure is not printed at all: what is printed gets quoted.
    if m.validity == Validity::Invalid {
        return row;
    }
    let mut remark = remark;
    if let Some(shown) = shown {
        row.measured = Some(Figure { value: shown.value, unit: shown.unit });
        row.half_width = half_width(shown.interval_95.as_ref());
        if let Some(limit) = nearest(m, shown.unit) {
            row.limit = Some(Figure { value: limit.value, unit: limit.unit });
            row.share = Some(limit.share);
            match limit.basis {
                LimitBasis::Configured => remark.push(format!("limit set: {}", limit.id)),
                LimitBasis::Expected => remark.push("limit: as good systems".to_string()),
                // The column's own: links of PCIe and channels of memory.
                LimitBasis::Raw | LimitBasis::Protocol
                    if limit.id.starts_with("pcie:") || limit.id.starts_with("dram:") => {}
                LimitBasis::Raw | LimitBasis::Protocol => {
                    remark.push(format!("limit: {}", limit.id));
                }
            }
        }
    }
    row.cpu_per_op_ns = m.value(metric::CPU_PER_OP);
    row.remark = remark.join(", ");
    row
}

fn absent_row(layer: Layer, name: String, reason: String) -> CapacityRow {
    CapacityRow {
        layer,
        name,
        measurement: String::new(),
        validity: Validity::Valid,
        measured: None,
        half_width: None,
        repeats: 0,
        limit: None,
        share: None,
        cpu_per_op_ns: None,
        remark: String::new(),
        notes: Vec::new(),
        absent: Some(reason),
    }
}

/// The limit that binds first: the smallest in the figure's own unit, else the one with the largest share.
pub(crate) fn nearest(m: &Measurement, unit: Unit) -> Option<&LimitShare> {
    let same =
        m.limits.iter().filter(|l| l.unit == unit).min_by(|a, b| a.value.total_cmp(&b.value));
    same.or_else(|| m.limits.iter().max_by(|a, b| a.share.total_cmp(&b.share)))
}

fn block_size(m: &Measurement, asked: f64) -> String {
    print::size(m.number(condition::BLOCK_BYTES).unwrap_or(asked))
}

fn block_name(what: &str, m: &Measurement, asked: f64) -> String {
    format!("{what} {}", block_size(m, asked))
}

/// `flush 8 KiB`, and how.
fn flush_name(m: &Measurement, how: &str) -> String {
    match m.number(condition::BLOCK_BYTES).or(m.value(metric::FLUSH_BYTES)) {
        Some(bytes) => format!("flush {}{how}", print::size(bytes)),
        None => format!("flush{how}"),
    }
}

fn depth(m: &Measurement) -> Option<f64> {
    m.number(condition::DEPTH).or(m.value(metric::DEPTH)).or(m.number(condition::THREADS))
}

fn depth_remark(_: &Run, m: &Measurement, _: Units) -> Vec<String> {
    let mut remark: Vec<String> = queue(m).into_iter().collect();
    remark.extend(write_state(m));
    remark.extend(kernel_threads(m));
    remark
}

/// What threads of the kernel add to the CPU time of an I/O, where that is visible beside the generator's own.
fn kernel_threads(m: &Measurement) -> Option<String> {
    let (own, kernel) = (m.value(metric::CPU_PER_OP)?, m.value(metric::KERNEL_CPU_PER_OP)?);
    (kernel > KERNEL_SHARE * own)
        .then(|| format!("kernel threads {} CPU more", print::time(kernel)))
}

/// From this part of the generator's own CPU time on.
const KERNEL_SHARE: f64 = 0.1;

/// The depth, and whether the search ended there because it was to go no deeper: the device does at least as much.
fn queue(m: &Measurement) -> Option<String> {
    let capped = m.conditions.contains(condition::DEPTH_CAP);
    let at_least = if capped { ", at least" } else { "" };
    depth(m).map(|depth| format!("QD{}{at_least}", print::count(depth)))
}

fn mix_remark(run: &Run, m: &Measurement, units: Units) -> Vec<String> {
    let rate = |metric| m.value(metric).unwrap_or(0.0);
    let (reads, writes) = (rate(metric::READ_THROUGHPUT), rate(metric::WRITE_THROUGHPUT));
    let mut remark = Vec::new();
    if reads + writes > 0.0 {
        remark.push(format!("{:.0} % reads", 100.0 * reads / (reads + writes)));
    }
    remark.extend(depth_remark(run, m, units));
    remark
}

fn block_random_remark(run: &Run, m: &Measurement, _: Units) -> Vec<String> {
    let mut remark: Vec<String> = queue(m).into_iter().collect();
    remark.extend(m.value(metric::LATENCY_P99).map(|ns| format!("p99 {}", print::time(ns))));
    remark.extend(write_state(m));
    remark.extend(alone(run, m, "knee", "d1"));
    remark.extend(kernel_threads(m));
    remark
}

fn server_path_remark(run: &Run, m: &Measurement, _: Units) -> Vec<String> {
    let mut remark: Vec<String> = m
        .number(condition::THREADS)
        .or(depth(m))
        .map(|n| several(n, "reader"))
        .into_iter()
        .collect();
    remark.extend(m.value(metric::LATENCY_P99).map(|ns| format!("p99 {}", print::time(ns))));
    remark.extend(alone(run, m, "server_knee", "server_d1"));
    remark
}

/// What one request alone takes: the latency that a session waits.
fn alone(run: &Run, m: &Measurement, many: &str, one: &str) -> Option<String> {
    let place = m.id.strip_suffix(many)?;
    let lone = run.measurement(&format!("{place}{one}")).filter(|m| m.usable())?;
    let ns = lone.value(metric::LATENCY_MEAN).or(lone.value(metric::LATENCY_P50))?;
    Some(format!("QD1 {}", print::time(ns)))
}

/// A burst is said, and so is not knowing; only a sustained rate needs no word.
fn write_state(m: &Measurement) -> Option<String> {
    match m.text(condition::WRITE_STATE) {
        Some("burst") => Some("burst".to_string()),
        Some("unknown") => Some("burst or sustained".to_string()),
        _ => None,
    }
}

fn flush_remark(_: &Run, m: &Measurement, _: Units) -> Vec<String> {
    let mut remark = vec![match m.metric(metric::LATENCY_MEAN) {
        Some(_) => "mean".to_string(),
        None => "median".to_string(),
    }];
    remark.extend(m.value(metric::LATENCY_P99).map(|ns| format!("p99 {}", print::time(ns))));
    remark
}

fn busy_flush_remark(run: &Run, m: &Measurement, units: Units) -> Vec<String> {
    let mut remark = flush_remark(run, m, units);
    remark.push("data files being written".to_string());
    remark
}

/// Of how many bytes, with how many committers, and what the device takes alone by then.
fn after_remark(run: &Run, m: &Measurement, _: Units) -> Vec<String> {
    let mut remark: Vec<String> =
        m.value(metric::FLUSH_BYTES).map(print::size).into_iter().collect();
    remark.extend(m.number(condition::SESSIONS).map(|n| format!("{} waiting", print::count(n))));
    let lone = run.measurement(&format!("{}.lone", m.id)).filter(|m| m.usable());
    let alone = lone.and_then(|m| m.value(metric::LATENCY_MEAN));
    remark.extend(alone.map(|ns| format!("8 KiB alone {}", print::time(ns))));
    remark
}

fn commit_remark(_: &Run, m: &Measurement, _: Units) -> Vec<String> {
    m.value(metric::COMMITS_PER_FLUSH)
        .map(|n| format!("{} commits per flush", significant(n, 2)))
        .into_iter()
        .collect()
}

fn clock_remark(run: &Run) -> Vec<String> {
    let cost =
        |id: &str| run.measurement(id).filter(|m| m.usable()).and_then(|m| m.value(metric::COST));
    let mut remark = vec!["vDSO".to_string()];
    remark.extend(cost("clock.syscall").map(|ns| format!("syscall {}", print::time(ns))));
    remark
}

/// `1 reader`, `8 readers`.
fn several(n: f64, what: &str) -> String {
    format!("{} {what}{}", print::count(n), if n == 1.0 { "" } else { "s" })
}
