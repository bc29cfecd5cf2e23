//! The commit log as a batch server.
//!
//! A flush serves everybody who waits for it, so the flush demand of a commit falls as load rises and the
//! flush's utilisation is near 1 with two sessions already: capacity over demand means nothing here. What a log
//! can do at a number of sessions is measured, on the ladder `log.commit.N` (N committers that do nothing but
//! commit), and read off at the workload's own number of sessions.

use narrows_model::{Measurement, Run, condition, family, metric};

use crate::estimate::Estimate;
use crate::threshold::INTERPOLATED;

/// What ends the id of a lone writer's flush after a workload.
const LONE: &str = ".lone";
/// What a lone writer of the log layer appends and flushes, bytes.
const PAGE_BYTES: f64 = 8192.0;

/// The ladder's bound at a number of sessions.
#[derive(Debug, Clone)]
pub(crate) struct LogBound {
    /// Commits per second.
    pub rate: Estimate,
    /// The step, or the lower of the two between which it was interpolated.
    pub measurement: String,
    /// Bytes of its flushes, where known.
    pub flush_bytes: Option<f64>,
}

/// The ladder as (committers, step), ascending; unusable steps are left out.
fn ladder(run: &Run) -> Vec<(f64, &Measurement)> {
    let mut steps: Vec<_> = run
        .measurements
        .iter()
        .filter(|m| m.usable())
        .filter_map(|m| Some((family::LOG_COMMIT.rest(&m.id)?.parse::<u32>().ok()?, m)))
        .map(|(committers, m)| (f64::from(committers), m))
        .collect();
    steps.sort_by(|a, b| a.0.total_cmp(&b.0));
    steps
}

/// What the log layer committed per second with `sessions` committers: the step itself, or between two steps
/// a straight line in the logarithms of both. Outside the ladder nothing is known.
pub(crate) fn bound(run: &Run, sessions: f64) -> Option<LogBound> {
    let steps = ladder(run);
    let rate = |m: &Measurement| m.metric(metric::THROUGHPUT).and_then(Estimate::of);
    let above = steps.iter().position(|(n, _)| *n >= sessions)?;
    let (n_high, high) = steps[above];
    let flush_bytes =
        |m: &Measurement| m.value(metric::FLUSH_BYTES).or_else(|| m.number(condition::BLOCK_BYTES));
    if n_high == sessions {
        return Some(LogBound {
            rate: rate(high)?,
            measurement: high.id.to_string(),
            flush_bytes: flush_bytes(high),
        });
    }
    let (n_low, low) = *steps.get(above.checked_sub(1)?)?;
    let share = (sessions / n_low).ln() / (n_high / n_low).ln();
    let (a, b) = (rate(low)?, rate(high)?);
    if a.value <= 0.0 || b.value <= 0.0 {
        return None;
    }
    let value = (a.value.ln() * (1.0 - share) + b.value.ln() * share).exp();
    let relative = a.relative().zip(b.relative()).map(|(a, b)| a.max(b).hypot(INTERPOLATED));
    Some(LogBound {
        rate: Estimate { value, half: relative.map(|r| r * value) },
        measurement: low.id.to_string(),
        flush_bytes: flush_bytes(low).zip(flush_bytes(high)).map(|(a, b)| (a * b).sqrt()),
    })
}

/// The log layer's flushes by the server's own method: beside writes where that was measured.
pub(crate) fn append<'a>(run: &'a Run, workload: &Measurement) -> Option<&'a Measurement> {
    appends(run, workload).next()
}

fn appends<'a>(run: &'a Run, workload: &Measurement) -> impl Iterator<Item = &'a Measurement> {
    let method = match workload.text(condition::SYNC_METHOD) {
        Some("open_dsync" | "open_datasync" | "dsync") => "dsync",
        _ => "fdatasync",
    };
    let found = move |state| run.measurement(&format!("log.append.{method}.{state}"));
    ["busy", "idle"].into_iter().filter_map(found).filter(|m| m.usable())
}

/// One flush of eight KiB by a lone writer, ns. The comparison must not accuse the server lightly, so of mean and median the slower counts.
pub(crate) fn layer_flush_ns(run: &Run, workload: &Measurement) -> Option<f64> {
    appends(run, workload).find_map(lone_flush_ns)
}

fn lone_flush_ns(append: &Measurement) -> Option<f64> {
    [metric::LATENCY_MEAN, metric::LATENCY_P50]
        .into_iter()
        .filter_map(|metric| append.value(metric))
        .fold(None, |max: Option<f64>, ns| Some(max.map_or(ns, |max| max.max(ns))))
        .filter(|ns| *ns > 0.0)
}

/// A flush outside the server, ns, with the bytes that it wrote.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct LayerFlush {
    pub ns: f64,
    pub bytes: f64,
}

/// The slowest of the log layer's flushes that the server's may be held against: one by a lone writer (before the workload, and
/// after it where that was measured), and those that as many committers share as the workload has sessions.
///
/// Where none of these wrote at least half as much as the server does per flush, each is taken to grow in proportion to its
/// bytes: a flush may take that much longer on the same drive, and the server is not to be accused for it.
pub(crate) fn flush_to_compare(
    run: &Run,
    workload: &Measurement,
    sessions: f64,
    server_bytes: Option<f64>,
) -> Option<LayerFlush> {
    let lone = appends(run, workload)
        .take(1)
        .chain(after(run, workload).filter(|m| is_lone(m)))
        .filter_map(|m| Some(LayerFlush { ns: lone_flush_ns(m)?, bytes: bytes_or_page(m) }));
    let step = ladder(run).into_iter().find(|(n, _)| *n >= sessions).map(|(_, m)| m);
    let shared = step
        .into_iter()
        .chain(after(run, workload).filter(|m| !is_lone(m)))
        .filter_map(|m| Some(LayerFlush { ns: shared_flush_ns(m)?, bytes: bytes_or_page(m) }));
    let all: Vec<LayerFlush> = lone.chain(shared).collect();
    let own = server_bytes.unwrap_or(0.0);
    let alike = all.iter().any(|flush| flush.bytes * 2.0 >= own);
    let grown = |flush: LayerFlush| match alike {
        true => flush,
        false => LayerFlush { ns: flush.ns * (own / flush.bytes).max(1.0), bytes: own },
    };
    all.into_iter().map(grown).max_by(|a, b| a.ns.total_cmp(&b.ns))
}

/// What was measured of the log after this workload had ended.
fn after<'a>(run: &'a Run, workload: &'a Measurement) -> impl Iterator<Item = &'a Measurement> {
    run.measurements.iter().filter(|m| {
        m.usable() && family::LOG_AFTER.rest(&m.id).is_some_and(|id| is_after(id, workload))
    })
}

/// `update` and `update.lone` of `database.update`.
fn is_after(rest: &str, workload: &Measurement) -> bool {
    family::DATABASE.rest(&workload.id) == Some(rest.strip_suffix(LONE).unwrap_or(rest))
}

fn is_lone(after: &Measurement) -> bool {
    after.id.ends_with(LONE)
}

/// Bytes of one flush; a lone writer's are a page.
fn bytes_or_page(m: &Measurement) -> f64 {
    let counted = m.value(metric::FLUSH_BYTES).filter(|bytes| *bytes > 0.0);
    counted.or_else(|| m.number(condition::BLOCK_BYTES)).unwrap_or(PAGE_BYTES)
}

/// The flush alone, ns, where it was timed; else from one flush's end to the next one's, where commits come without a pause.
fn shared_flush_ns(step: &Measurement) -> Option<f64> {
    if let Some(ns) = step.value(metric::FLUSH_TIME_MEAN).filter(|ns| *ns > 0.0) {
        return Some(ns);
    }
    let commits_per_s = step.value(metric::THROUGHPUT).filter(|rate| *rate > 0.0)?;
    let flushes_per_commit = step.value(metric::FLUSHES_PER_OP).filter(|n| *n > 0.0)?;
    Some(1e9 / (commits_per_s * flushes_per_commit))
}
