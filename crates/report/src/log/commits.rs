//! Sessions that commit again at once: what they wait for.

use narrows_model::{Measurement, Metric, Run, Validity, condition, family, metric};

use crate::notes::{NoteMark, Notes};

/// So many sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct CommitsRow {
    /// Sessions.
    pub sessions: f64,
    /// Whether the figures may be trusted; of invalid ones there are none.
    pub validity: Validity,
    /// Commits per second.
    pub rate_per_s: Option<f64>,
    /// Commits that share one write.
    pub commits_per_flush: Option<f64>,
    /// Mean wait of a commit, ns: *log file sync*.
    pub sync_ns: Option<f64>,
    /// 99 % of the waits, ns.
    pub sync_p99_ns: Option<f64>,
    /// Mean time of write and flush, ns: *log file parallel write*.
    pub write_ns: Option<f64>,
    /// Mean time until the flush began that covered a commit, ns.
    pub queued_ns: Option<f64>,
    /// Mean time from the flush's return until the session ran, ns.
    pub wake_up_ns: Option<f64>,
    /// Share of the wait that passes after the flush has returned.
    pub wake_up_share: Option<f64>,
    /// Mean wait by the law of group commit, ns.
    pub model_ns: Option<f64>,
    /// Footnotes.
    pub notes: Vec<NoteMark>,
}

/// The rows by number of sessions.
pub(crate) fn rows(run: &Run, notes: &mut Notes) -> Vec<CommitsRow> {
    let closed = |m: &&Measurement| {
        let rest = family::LOG_CALIBRATE.rest(&m.id);
        rest.is_some_and(|rest| rest.contains(".sessions."))
    };
    let mut rows: Vec<CommitsRow> = Vec::new();
    for m in run.measurements.iter().filter(closed) {
        let marks = notes.marks(run, &[&m.id]);
        rows.push(row(m, marks));
    }
    rows.sort_by(|a, b| a.sessions.total_cmp(&b.sessions));
    rows
}

fn row(m: &Measurement, notes: Vec<NoteMark>) -> CommitsRow {
    let value = |name: Metric| m.value(name).filter(|_| m.validity != Validity::Invalid);
    CommitsRow {
        sessions: m.number(condition::SESSIONS).unwrap_or(0.0),
        validity: m.validity,
        rate_per_s: value(metric::THROUGHPUT),
        commits_per_flush: value(metric::COMMITS_PER_FLUSH),
        sync_ns: value(metric::LOG_FILE_SYNC_MEAN),
        sync_p99_ns: value(metric::LATENCY_P99),
        write_ns: value(metric::PARALLEL_WRITE_MEAN),
        queued_ns: value(metric::QUEUED_MEAN),
        wake_up_ns: value(metric::WAKE_UP_MEAN),
        wake_up_share: value(metric::WAKE_UP_SHARE),
        model_ns: value(metric::MODEL_LATENCY_MEAN),
        notes,
    }
}
