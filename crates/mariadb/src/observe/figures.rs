//! What was gathered, as an observation has it.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{
    HorizonHolder, HorizonKind, Interval, IntervalMethod, Layer, LiveCost, Measurement,
    MetricValue, Observation, ObservedCounts, QueuedSession, condition, metric,
};
use serde_json::json;

use super::MEASUREMENT;
use super::look::LookState;
use super::normalise::normalised;
use super::sessions::Session;

/// A transaction that is younger holds nothing back, s.
const OLD_S: f64 = 10.0;
/// Old transactions that are kept.
const HOLDERS: usize = 5;

/// How many wait behind whoever stands before most.
pub(super) fn most_behind_one(queue: &[QueuedSession]) -> Option<f64> {
    let behind = |head: &QueuedSession| {
        let mut met = BTreeSet::from([head.pid]);
        loop {
            let before = met.len();
            let next = queue.iter().filter(|s| s.behind.iter().any(|pid| met.contains(pid)));
            let next: Vec<u32> = next.map(|session| session.pid).collect();
            met.extend(next);
            if met.len() == before {
                return met.len() - 1;
            }
        }
    };
    let heads = queue.iter().filter(|session| session.behind.is_empty());
    heads.map(behind).max().filter(|n| *n > 0).map(|n| n as f64)
}

/// Transactions that keep the purge from removing old versions of rows, the oldest first.
pub(super) fn horizon(sessions: &[Session]) -> Vec<HorizonHolder> {
    let mut old: Vec<(f64, &Session)> = sessions
        .iter()
        .filter_map(|session| Some((session.transaction?.age_s, session)))
        .filter(|(age_s, _)| *age_s >= OLD_S)
        .collect();
    old.sort_by(|a, b| b.0.total_cmp(&a.0));
    let holder = |(age_s, session): (f64, &Session)| HorizonHolder {
        kind: HorizonKind::Session,
        name: session.id.to_string(),
        transactions: 0.0,
        age_ns: Some(age_s * 1e9),
        state: if session.sleeps { "idle in transaction".into() } else { session.stage.clone() },
        user: session.user.clone(),
        application: session.client.clone(),
        text: session.text.as_deref().map(normalised).filter(|text| !text.is_empty()),
    };
    old.into_iter().take(HOLDERS).map(holder).collect()
}

/// Counters that mean what those of other servers do. How many transactions ended is none: one that commits by itself is counted nowhere.
pub(super) fn counted(grown: &BTreeMap<String, f64>) -> ObservedCounts {
    let grew = |name: &str| grown.get(name).copied();
    let reads = grew("Innodb_buffer_pool_reads");
    let asked = grew("Innodb_buffer_pool_read_requests");
    ObservedCounts {
        block_reads: reads,
        block_hits: asked.zip(reads).map(|(asked, read)| (asked - read).max(0.0)),
        deadlocks: grew("Innodb_deadlocks"),
        connections: grew("Connections"),
        log_bytes: grew("Innodb_lsn_current"),
        ..ObservedCounts::default()
    }
}

pub(super) fn cost(look: &LookState, interval_ns: f64) -> LiveCost {
    let waited_ns = look.waited.as_nanos() as f64;
    let questions = look.sampled.samples() as f64 / (interval_ns / 1e9);
    LiveCost {
        statements: look.statements,
        waited_ns,
        share: if interval_ns > 0.0 { waited_ns / interval_ns } else { 0.0 },
        unanswered: look.unanswered,
        questions_per_s: Some(questions).filter(|n| n.is_finite()),
        ..LiveCost::default()
    }
}

pub(super) fn measurement(observation: &Observation, look: &LookState) -> Measurement {
    let mut measurement = Measurement::new(MEASUREMENT, Layer::Database);
    measurement.repeats = observation.windows;
    let (at_work, windows) = look.sampled.at_work();
    if look.sampled.samples() > 0 {
        let interval = narrows_stats::mean_interval_95(&windows).filter(|_| windows.len() >= 3);
        let interval = interval.map(|(low, high)| Interval {
            low: low.max(0.0),
            high,
            method: IntervalMethod::MeanT,
        });
        measurement.metrics.push(MetricValue::new(metric::SESSIONS, at_work, interval, windows));
    }
    if let Some(open) = observation.sessions.open {
        measurement.metrics.push(MetricValue::new(metric::OPEN_SESSIONS, open, None, vec![open]));
    }
    let share = observation.cost.share;
    measurement.metrics.push(MetricValue::new(metric::LOOKING_SHARE, share, None, vec![share]));
    measurement.workload.insert(condition::OF, json!("a running server, observed"));
    measurement.workload.insert(condition::INTERVAL_S, json!(observation.interval_ns / 1e9));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::SERVER_VERSION, json!(observation.version));
    for setting in &observation.settings {
        conditions.add_setting(&setting.name, &setting.value);
    }
    measurement
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_head_of_the_longest_queue_is_counted_with_those_behind_others_and_a_circle_ends() {
        let session = |pid: u32, behind: &[u32]| QueuedSession {
            pid,
            behind: behind.to_vec(),
            ..QueuedSession::default()
        };
        let queue = [session(1, &[]), session(2, &[1]), session(3, &[2]), session(9, &[])];
        assert_eq!(most_behind_one(&queue), Some(2.0));
        assert_eq!(most_behind_one(&[session(1, &[2]), session(2, &[1])]), None);
        assert_eq!(most_behind_one(&[]), None);
    }
}
