//! What flush times alone would make a commit wait.

use narrows_model::{LiveLog, LiveModel, LiveWaitKind};

/// Where flushes follow each other a commit waits for the rest of one and for its own.
const FLUSHES_WAITED_FOR: f64 = 1.5;
/// States in which the log is being written or flushed; one process at a time can be.
const AT_IT: [LiveWaitKind; 2] = [LiveWaitKind::Flush, LiveWaitKind::Write];

/// Share of the interval in which a write or flush was under way: counted by the server, or else as often as one was met.
pub(super) fn busy(log: &LiveLog) -> Option<f64> {
    log.counted.busy().or_else(|| sampled(log))
}

fn sampled(log: &LiveLog) -> Option<f64> {
    let all = log.waits.sessions.iter().chain(&log.waits.own);
    let at_it: f64 = all.filter(|wait| AT_IT.contains(&wait.kind)).map(|w| w.backends).sum();
    (log.waits.samples > 0).then_some(at_it)
}

/// `None` where the number of flushes is unknown, or none took place.
pub(super) fn model(log: &LiveLog) -> Option<LiveModel> {
    let counted = &log.counted;
    let method = log.sync_method();
    let durable = counted.durable(method).filter(|durable| *durable > 0.0)?;
    let (flush_ns, from) = match counted.durable_mean_ns(method) {
        Some(ns) => (ns, "counted"),
        None => (sampled(log)? * counted.interval_ns / durable, "sampled"),
    };
    let during = counted.per_s(counted.writers)? * flush_ns / 1e9;
    Some(LiveModel {
        flush_ns,
        from: from.to_string(),
        // Who comes while one is under way goes with the next; who finds none starts one alone.
        commits_per_flush: during + (-during).exp(),
        low_ns: flush_ns,
        high_ns: FLUSHES_WAITED_FOR * flush_ns,
    })
}
