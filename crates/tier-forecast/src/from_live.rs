//! What is known of somebody's PostgreSQL by an observation of its WAL (`narrows log postgres`): its transactions that write.
//!
//! Clients choose the rate of it, and CPU time is not part of the observation.

use narrows_cost::{Basis, Given, Range};
use narrows_model::{LivePart, LiveWaitKind, Run, Validity};

use crate::given::{LogNow, Refused};

/// Nanoseconds of a microsecond.
const US_NS: f64 = 1e-3;

/// The first observed WAL of a run; `None` where it observed none.
pub(crate) fn live_now(run: &Run) -> Option<Result<LogNow, Refused>> {
    run.live_logs.first().map(|_| observed(run))
}

fn observed(run: &Run) -> Result<LogNow, Refused> {
    let refused = |why: String| {
        Refused::new(
            format!("run {}: the observed WAL gives no figures: {why}", run.id),
            "observe a server at work for longer: narrows log postgres URL --for 2min",
        )
    };
    let log = run.live_logs.first().ok_or_else(|| refused("there is none".to_string()))?;
    let measurement = run.measurement(&log.measurement);
    if measurement.is_none_or(|m| m.validity == Validity::Invalid) {
        return Err(refused("its measurement is invalid or missing".to_string()));
    }
    let counted = &log.counted;
    let rate = counted.per_s(counted.wrote()).filter(|rate| *rate > 0.0);
    let rate = rate.ok_or_else(|| refused("no transaction wrote".to_string()))?;
    let Some(verdict) = log.verdict.as_ref().filter(|verdict| !verdict.parts.is_empty()) else {
        return Err(refused("what sessions waited for was not seen".to_string()));
    };
    let source = format!("run {}, {}", run.id, log.address);
    let known =
        |value: Option<f64>| Given::of(value.map(Range::exact), Basis::Measured, source.as_str());
    let sum = |wanted: fn(LiveWaitKind) -> bool| {
        let parts = verdict.parts.iter().filter(|part| wanted(part.kind));
        Given::of(Some(together(parts)), Basis::Measured, source.as_str())
    };
    let sessions: f64 = log.waits.sessions.iter().map(|wait| wait.backends).sum();
    let flush_ns = verdict.model.as_ref().map(|model| model.flush_ns);
    let flush_ns = flush_ns.or_else(|| counted.durable_mean_ns(log.sync_method()));
    let mut doubts = Vec::new();
    if measurement.is_some_and(|m| m.validity == Validity::Suspect) {
        doubts.push("the observation is suspect".to_string());
    }
    let stays = [LiveWaitKind::Standby, LiveWaitKind::Delay];
    if verdict.parts.iter().any(|part| stays.contains(&part.kind) && part.per_commit_ns > 0.0) {
        doubts.push(
            "waits for a standby and commit_delay are no part of the wait here: they stay"
                .to_string(),
        );
    }
    Ok(LogNow {
        from: format!("the WAL of {}, run {}", log.address, run.id),
        unit: "transactions that write".to_string(),
        rate_per_s: known(Some(rate)),
        sessions: known(Some(sessions).filter(|sessions| *sessions > 0.0)),
        commits: known(Some(1.0)),
        commit_wait_us: sum(|kind| {
            kind.is_at_the_log() || matches!(kind, LiveWaitKind::Behind | LiveWaitKind::NewFile)
        }),
        flush_us: known(flush_ns.filter(|ns| *ns > 0.0).map(|ns| ns * US_NS)),
        device_us: None,
        cpu_us: known(None),
        cpu_unflushed_us: None,
        cpus: known(None),
        locks_us: Some(sum(|kind| kind == LiveWaitKind::Lock)),
        locks_through_commit: None,
        unqueued_us: None,
        limits: Vec::new(),
        ladder_per_s: None,
        wal_bytes: known(counted.per_writer(counted.log_bytes)),
        asked: true,
        no_law: None,
        law_off: 0.0,
        doubts,
    })
}

/// Parts of a transaction's time together, µs, their doubts in quadrature.
fn together<'a>(parts: impl Iterator<Item = &'a LivePart>) -> Range {
    let (mut value, mut below, mut above) = (0.0, 0.0f64, 0.0f64);
    for part in parts {
        value += part.per_commit_ns;
        if let Some(interval) = &part.interval_95 {
            below = below.hypot(part.per_commit_ns - interval.low);
            above = above.hypot(interval.high - part.per_commit_ns);
        }
    }
    Range { value, low: (value - below).max(0.0), high: value + above }.times(US_NS)
}
