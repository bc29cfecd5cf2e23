//! The commit log as a batch server.
//!
//! A flush serves everybody who waits for it, so the flush demand of a commit falls as load rises and the
//! flush's utilisation is near 1 with two sessions already: capacity over demand means nothing here. What a log
//! can do at a number of sessions is measured, on the ladder `log.commit.N` (N committers that do nothing but
//! commit), and read off at the workload's own number of sessions.

use narrows_model::{Measurement, Run, condition, family, metric};

use crate::estimate::Estimate;
use crate::threshold::INTERPOLATED;

/// The ladder's bound at a number of sessions.
#[derive(Debug, Clone)]
pub(crate) struct LogBound {
    /// Commits per second.
    pub rate: Estimate,
    /// The rung, or the lower of the two between which it was interpolated.
    pub measurement: String,
    /// Bytes of its flushes, where known.
    pub flush_bytes: Option<f64>,
}

/// The ladder as (committers, rung), ascending; unusable rungs are left out.
fn ladder(run: &Run) -> Vec<(f64, &Measurement)> {
    let mut rungs: Vec<_> = run
        .measurements
        .iter()
        .filter(|m| m.usable())
        .filter_map(|m| Some((family::LOG_COMMIT.rest(&m.id)?.parse::<u32>().ok()?, m)))
        .map(|(committers, m)| (f64::from(committers), m))
        .collect();
    rungs.sort_by(|a, b| a.0.total_cmp(&b.0));
    rungs
}

/// What the log layer committed per second with `sessions` committers: the rung itself, or between two rungs
/// a straight line in the logarithms of both. Outside the ladder nothing is known.
pub(crate) fn bound(run: &Run, sessions: f64) -> Option<LogBound> {
    let rungs = ladder(run);
    let rate = |m: &Measurement| m.metric(metric::THROUGHPUT).and_then(Estimate::of);
    let above = rungs.iter().position(|(n, _)| *n >= sessions)?;
    let (n_high, high) = rungs[above];
    let flush_bytes =
        |m: &Measurement| m.value(metric::FLUSH_BYTES).or_else(|| m.number(condition::BLOCK_BYTES));
    if n_high == sessions {
        return Some(LogBound {
            rate: rate(high)?,
            measurement: high.id.to_string(),
            flush_bytes: flush_bytes(high),
        });
    }
    let (n_low, low) = *rungs.get(above.checked_sub(1)?)?;
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

/// One such flush, ns. The comparison must not accuse the server lightly, so of mean and median the slower counts.
pub(crate) fn layer_flush_ns(run: &Run, workload: &Measurement) -> Option<f64> {
    appends(run, workload).find_map(|m| {
        [metric::LATENCY_MEAN, metric::LATENCY_P50]
            .into_iter()
            .filter_map(|metric| m.value(metric))
            .fold(None, |max: Option<f64>, ns| Some(max.map_or(ns, |max| max.max(ns))))
            .filter(|ns| *ns > 0.0)
    })
}
