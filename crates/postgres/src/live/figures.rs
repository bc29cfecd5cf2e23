//! Figures of a window, and all windows as a measurement.

use narrows_engine::Samples;
use narrows_model::{LiveCounts, LiveLog, LiveWaitKind, Measurement, condition, metric};
use serde_json::json;

use crate::monitor::counters::Changed;
use crate::monitor::sources::Count;

/// What the wait of a commit is made of where the device decides.
const AT_THE_DEVICE: [LiveWaitKind; 5] = [
    LiveWaitKind::Flush,
    LiveWaitKind::Write,
    LiveWaitKind::Behind,
    LiveWaitKind::NewFile,
    LiveWaitKind::Delay,
];
/// A commit waits for at most so many flushes on average, where they are alike.
const FLUSHES_WAITED_FOR: f64 = 1.5;

/// Whether a counter is about commits and their log.
pub(super) fn is_asked(count: Count) -> bool {
    use Count::*;
    let checkpoints = matches!(count, CheckpointsDone | CheckpointsTimed | CheckpointsRequested);
    count.is_of_the_log() || count == Commits || checkpoints
}

/// What the server counted between two readings.
pub(super) fn counts(changed: &Changed, interval_ns: f64) -> LiveCounts {
    let triggered =
        changed.get(Count::CheckpointsTimed).zip(changed.get(Count::CheckpointsRequested));
    LiveCounts {
        interval_ns,
        windows: 1,
        unseen_ns: None,
        commits: changed.get(Count::Commits),
        writers: changed.get(Count::Writers),
        log_bytes: changed.get(Count::LogBytes),
        records: changed.get(Count::LogRecords),
        full_pages: changed.get(Count::FullPages),
        buffers_full: changed.get(Count::LogBuffersFull),
        writes: changed.get(Count::LogWrites),
        written_bytes: changed.get(Count::LogWrittenBytes),
        write_ns: changed.ns(Count::LogWriteMs),
        flushes: changed.get(Count::Flushes),
        session_flushes: changed.get(Count::SessionFlushes),
        flush_ns: changed.ns(Count::FlushMs),
        checkpoints: changed
            .get(Count::CheckpointsDone)
            .or(triggered.map(|(timed, requested)| timed + requested)),
    }
}

/// The measurement beside what was observed: `windows` are the figures of its windows, or of the whole alone.
pub(super) fn measurement(log: &LiveLog, windows: &[LiveCounts]) -> Measurement {
    let mut samples = Samples::new();
    for (index, counts) in windows.iter().enumerate() {
        let whole = windows.len() == 1;
        let device: Option<f64> = (log.waits.samples > 0).then(|| {
            let of = |wait: &&narrows_model::LiveWait| AT_THE_DEVICE.contains(&wait.kind);
            let mean = |wait: &narrows_model::LiveWait| {
                if whole { wait.backends } else { wait.windows.get(index).copied().unwrap_or(0.0) }
            };
            log.waits.sessions.iter().filter(of).map(mean).sum()
        });
        add(&mut samples, log, counts, device);
        if let Some(seen) = processes_at_the_log(log, (!whole).then_some(index)) {
            samples.add(metric::FLUSH_SEEN, seen);
        }
    }
    samples.add(metric::LOOKING_SHARE, log.cost.share);
    let mut measurement = Measurement::new(super::MEASUREMENT, narrows_model::Layer::Log);
    measurement.repeats = windows.len() as u32;
    measurement.metrics = samples.into_metrics();
    measurement.workload.insert(condition::OF, json!("a running server, observed"));
    measurement.workload.insert(condition::INTERVAL_S, json!(log.counted.interval_ns / 1e9));
    measurement.conditions.insert(condition::SERVER_VERSION, json!(log.version));
    // What only our session was given is no condition of the server.
    for setting in log.settings.iter().filter(|setting| !setting.is_ours()) {
        measurement.conditions.add_setting(&setting.name, &setting.value);
    }
    measurement
}

/// Processes found at the log in that window, or in all of them.
fn processes_at_the_log(log: &LiveLog, window: Option<usize>) -> Option<f64> {
    let Some(index) = window else { return log.flush_seen() };
    let all = log.waits.sessions.iter().chain(&log.waits.own);
    let at_it = all.filter(|wait| wait.kind.is_at_the_log());
    let mean = |wait: &narrows_model::LiveWait| wait.windows.get(index).copied().unwrap_or(0.0);
    (log.waits.samples > 0).then(|| at_it.map(mean).sum())
}

fn add(samples: &mut Samples, log: &LiveLog, counts: &LiveCounts, device: Option<f64>) {
    let mut add = |metric, value: Option<f64>| {
        if let Some(value) = value {
            samples.add(metric, value);
        }
    };
    let method = log.sync_method();
    let over =
        |of: Option<f64>, to: Option<f64>| to.filter(|to| *to > 0.0).and_then(|to| Some(of? / to));
    let durable = counts.durable(method);
    add(metric::WINDOW, Some(counts.interval_ns));
    // A window's own commits are reported too late to tell: the whole says how many ids are commits.
    let wrote = counts.writers.map(|ids| ids / log.counted.ids_per_commit().unwrap_or(1.0));
    let writers = counts.per_s(wrote);
    add(metric::WRITING_TRANSACTIONS, writers);
    let commits = counts.per_s(counts.commits);
    add(metric::COMMITTED_TRANSACTIONS, commits);
    add(metric::LOG_RATE, counts.per_s(counts.log_bytes));
    let bytes = over(counts.log_bytes, wrote);
    add(metric::WAL_BYTES_PER_OP, bytes);
    add(metric::FLUSH_RATE, counts.per_s(durable));
    add(metric::COMMITS_PER_FLUSH, over(wrote, durable));
    let flush = over(counts.flush_ns, counts.flushes);
    add(metric::SERVER_FLUSH_TIME, flush);
    let write = over(counts.write_ns, counts.writes);
    add(metric::SERVER_WRITE_TIME, write);
    let both = counts.durable_mean_ns(method);
    add(metric::PARALLEL_WRITE_MEAN, both);
    add(metric::FLUSH_BUSY, counts.busy());
    add(metric::BUFFERS_FULL_PER_WRITE, over(counts.buffers_full, counts.writes));
    let page: Option<f64> = log.setting("block_size").and_then(|s| s.value.parse().ok());
    let pages = counts.full_pages.zip(page).map(|(pages, bytes)| pages * bytes);
    add(metric::FULL_PAGE_SHARE, over(pages, counts.log_bytes));
    // By Little's law: sessions found waiting over the rate at which they come to wait.
    let wait = over(device.map(|sessions| sessions * 1e9), writers);
    add(metric::LATENCY_MEAN, wait);
    if wait.is_some() {
        let law = both.map(|ns| ns * FLUSHES_WAITED_FOR);
        add(metric::MODEL_LATENCY_MEAN, law);
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::{LiveCost, LiveSetting, LiveWait, LiveWaits};

    use super::*;

    fn log() -> LiveLog {
        let setting = |name: &str, value: &str| LiveSetting {
            name: name.into(),
            value: value.into(),
            source: "default".into(),
        };
        let wait = |kind, windows: [f64; 2]| LiveWait {
            kind,
            backends: (windows[0] + windows[1]) / 2.0,
            interval_95: None,
            windows: windows.to_vec(),
        };
        LiveLog {
            measurement: super::super::MEASUREMENT.into(),
            address: String::new(),
            version: "17.2".into(),
            cpus: None,
            counted: LiveCounts { interval_ns: 2e9, ..LiveCounts::default() },
            waits: LiveWaits {
                holders: None,
                samples: 10,
                sessions: vec![
                    wait(LiveWaitKind::Flush, [0.5, 0.7]),
                    wait(LiveWaitKind::Behind, [1.5, 1.3]),
                    wait(LiveWaitKind::Standby, [4.0, 4.0]),
                ],
                ..LiveWaits::default()
            },
            settings: vec![setting("block_size", "8192"), setting("fsync", "on")],
            synchronous_commit_of: Vec::new(),
            standbys: Vec::new(),
            cost: LiveCost::default(),
            unknown: Vec::new(),
            verdict: None,
        }
    }

    #[test]
    fn windows_become_figures_by_littles_law() {
        let window = LiveCounts {
            interval_ns: 1e9,
            windows: 1,
            writers: Some(1000.0),
            log_bytes: Some(512_000.0),
            full_pages: Some(25.0),
            writes: Some(600.0),
            write_ns: Some(60e6),
            flushes: Some(500.0),
            flush_ns: Some(540e6),
            ..LiveCounts::default()
        };
        let m = measurement(&log(), &[window.clone(), window]);
        let value = |name| m.value(name);
        assert_eq!(m.repeats, 2);
        assert_eq!(value(metric::WAL_BYTES_PER_OP), Some(512.0));
        assert_eq!(value(metric::COMMITS_PER_FLUSH), Some(2.0));
        assert_eq!(value(metric::PARALLEL_WRITE_MEAN), Some(1.2e6));
        assert_eq!(value(metric::FLUSH_BUSY), Some(0.6));
        assert_eq!(value(metric::FULL_PAGE_SHARE), Some(0.4));
        // Two sessions at any moment, a thousand a second; the standby's share is not the device's.
        assert_eq!(value(metric::LATENCY_MEAN), Some(2e6));
        assert_eq!(value(metric::MODEL_LATENCY_MEAN), Some(1.8e6));
        assert_eq!(value(metric::COMMITTED_TRANSACTIONS), None, "unknown is not zero");
        assert_eq!(m.text(condition::FSYNC), Some("on"));
    }

    #[test]
    fn ids_that_are_no_commits_and_settings_of_ours_are_no_figures_of_the_server() {
        let window = LiveCounts {
            interval_ns: 30e9,
            windows: 1,
            writers: Some(90_000.0),
            flushes: Some(15_000.0),
            ..LiveCounts::default()
        };
        let mut log = log();
        log.counted = LiveCounts { commits: Some(45_000.0), ..window.clone() };
        log.settings.push(LiveSetting {
            name: "synchronous_commit".into(),
            value: "off".into(),
            source: "user".into(),
        });
        let m = measurement(&log, &[window]);
        assert_eq!(m.value(metric::WRITING_TRANSACTIONS), Some(1500.0));
        assert_eq!(m.value(metric::COMMITS_PER_FLUSH), Some(3.0));
        assert_eq!(m.text(condition::SYNCHRONOUS_COMMIT), None);
    }
}
