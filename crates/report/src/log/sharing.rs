//! How many commits share a flush, by the rate of commits: measured, and what the law of group commit says.

use narrows_model::{Measurement, Metric, Run, Validity, condition, family, metric};

/// One window or one number of sessions.
#[derive(Debug, Clone, PartialEq)]
pub struct SharingPoint {
    /// Commits per second that became durable.
    pub rate_per_s: f64,
    /// Commits of a flush.
    pub commits_per_flush: f64,
    /// By the law, from the flush times of the same window.
    pub law: Option<f64>,
    /// Sessions that commit again at once; `None` where commits arrived on a schedule.
    pub sessions: Option<f64>,
}

/// All points by rate; invalid ones are left out.
pub(crate) fn sharing(run: &Run) -> Vec<SharingPoint> {
    let ours =
        |m: &&Measurement| family::LOG_CALIBRATE.has(&m.id) && m.validity != Validity::Invalid;
    let mut points: Vec<SharingPoint> =
        run.measurements.iter().filter(ours).filter_map(point).collect();
    points.sort_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
    points
}

fn point(m: &Measurement) -> Option<SharingPoint> {
    let drawable = |value: f64| value.is_finite() && value > 0.0;
    let value = |name: Metric| m.value(name).filter(|value| drawable(*value));
    let open = m.text(condition::LOOP) == Some("open");
    Some(SharingPoint {
        rate_per_s: value(metric::THROUGHPUT)?,
        commits_per_flush: value(metric::COMMITS_PER_FLUSH)?,
        law: value(metric::MODEL_COMMITS_PER_FLUSH),
        sessions: m.number(condition::SESSIONS).filter(|_| !open),
    })
}
