//! What flush times alone would make a commit wait.

use narrows_model::{LiveLog, LiveModel};

use super::groups::{Groups, LogBottleneck};

/// Where flushes follow each other a commit waits for the rest of one and for its own.
const FLUSHES_WAITED_FOR: f64 = 1.5;
/// Where the log is busy for less of the time, the samples that met it are too few.
const WORTH_COMPARING: f64 = 0.1;
/// A wait of so many times the law's longest is not the device's doing.
const BEYOND: f64 = 2.0;

/// Share of the interval in which a write or flush was under way: counted by the server, or else as often as one was met.
pub(super) fn busy(log: &LiveLog) -> Option<f64> {
    log.counted.busy().or_else(|| log.flush_seen())
}

/// How many times as often processes were found at the log as the server's own times say; `None` where one of both is
/// unknown, or too little happened to compare.
pub(super) fn seen_over_counted(log: &LiveLog) -> Option<f64> {
    let counted = log.counted.busy().filter(|busy| *busy > WORTH_COMPARING)?;
    Some(log.flush_seen()? / counted)
}

/// `None` where the number of flushes is unknown, or none took place.
pub(super) fn model(log: &LiveLog) -> Option<LiveModel> {
    let counted = &log.counted;
    let method = log.sync_method();
    let durable = counted.durable(method).filter(|durable| *durable > 0.0)?;
    let (flush_ns, from) = match counted.durable_mean_ns(method) {
        Some(ns) => (ns, "counted"),
        None => (log.flush_seen()? * counted.interval_ns / durable, "sampled"),
    };
    let during = counted.per_s(counted.wrote())? * flush_ns / 1e9;
    Some(LiveModel {
        flush_ns,
        from: from.to_string(),
        // Who comes while one is under way goes with the next; who finds none starts one alone.
        commits_per_flush: during + (-during).exp(),
        low_ns: flush_ns,
        high_ns: FLUSHES_WAITED_FOR * flush_ns,
    })
}

/// `commit_delay`, ns, where it is what commits wait for: their wait is beyond what flushes of the time that the server counted can
/// have made it, by no more than that setting can. Who waits for others sleeps with the log's lock held, and versions before 18 give
/// that sleep no name of its own (PostgreSQL source, `XLogFlush`), so that it isn't met among the samples.
pub(super) fn commit_delay_ns(log: &LiveLog, groups: &Groups) -> Option<f64> {
    let set = log.setting("commit_delay").filter(|set| !set.is_ours())?;
    let delay_ns = set.value.parse::<f64>().ok().filter(|us| *us > 0.0)? * 1e3;
    let law = model(log).filter(|law| law.from == "counted")?;
    let rate = log.counted.per_s(log.counted.wrote()).filter(|rate| *rate > 0.0)?;
    let wait_ns = groups.mean(LogBottleneck::Device) / rate * 1e9;
    let explained = wait_ns > BEYOND * law.high_ns
        && wait_ns <= law.high_ns + FLUSHES_WAITED_FOR * (delay_ns + law.flush_ns);
    explained.then_some(delay_ns)
}
