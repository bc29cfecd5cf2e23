//! What the server's processes are found doing, asked again and again.

use std::collections::BTreeMap;

use narrows_model::{Interval, IntervalMethod, LiveWait, LiveWaitKind, LiveWaits};

use crate::wire::Row;

/// Sessions at work, and what the server's own processes do to the log. `ClientRead` and the like are nobody's work.
///
/// Planned once, and of the function below the view `pg_stat_activity`, without its joins: until the answer is made, whoever
/// asks takes a processor from those who are asked about, and on a small machine that shows in what they do.
pub(super) const PREPARE: &str = "\
PREPARE narrows_waits AS \
SELECT backend_type, wait_event_type, wait_event, count(*) FROM pg_catalog.pg_stat_get_activity(NULL) \
WHERE pid <> pg_catalog.pg_backend_pid() AND CASE WHEN backend_type = 'client backend' \
THEN state IN ('active', 'fastpath function call') \
ELSE wait_event_type IN ('IO', 'LWLock', 'IPC') AND wait_event ILIKE 'wal%' END \
GROUP BY 1, 2, 3";

/// Asks.
pub(super) const SQL: &str = "EXECUTE narrows_waits";

/// Names that are shown of what isn't the log.
const NAMES_SHOWN: usize = 3;
/// Heavyweight locks that are kept until the transaction has ended, or longer. Not those on a relation's extension, a page
/// of an index, a speculative insertion or the oldest transaction: they are let go of at once (PostgreSQL
/// documentation, "Wait Events of Type Lock"; source, `src/backend/storage/lmgr/README`).
const KEPT_LOCKS: [&str; 8] = [
    "transactionid",
    "tuple",
    "relation",
    "virtualxid",
    "object",
    "advisory",
    "userlock",
    "applytransaction",
];

/// From the server's words. Names were recased in version 17 (`WALSync` became `WalSync`); `WALWrite` is a write where it
/// is IO, and a lock where it is an LWLock.
pub(super) fn kind(class: &str, event: &str) -> LiveWaitKind {
    match (class, event.to_ascii_lowercase().as_str()) {
        ("", _) => LiveWaitKind::Running,
        ("IO", "walsync" | "walsyncmethodassign") => LiveWaitKind::Flush,
        ("IO", "walwrite") => LiveWaitKind::Write,
        ("IO", "walinitwrite" | "walinitsync") => LiveWaitKind::NewFile,
        ("LWLock", "walwrite") => LiveWaitKind::Behind,
        ("LWLock", "walinsert") => LiveWaitKind::Insert,
        ("LWLock", "walbufmapping") => LiveWaitKind::Buffers,
        ("IPC" | "LWLock", "syncrep") => LiveWaitKind::Standby,
        (_, "commitdelay") => LiveWaitKind::Delay,
        ("Lock", lock) if KEPT_LOCKS.contains(&lock) => LiveWaitKind::Lock,
        _ => LiveWaitKind::Elsewhere,
    }
}

/// One window's sums.
#[derive(Debug, Clone, Default)]
struct Window {
    samples: u64,
    sessions: BTreeMap<LiveWaitKind, u64>,
    own: BTreeMap<LiveWaitKind, u64>,
}

/// All windows so far.
#[derive(Debug, Clone, Default)]
pub(super) struct Sampled {
    windows: Vec<Window>,
    elsewhere: BTreeMap<String, u64>,
    locks: BTreeMap<String, u64>,
}

impl Sampled {
    /// What follows belongs to the next window.
    pub(super) fn next_window(&mut self) {
        self.windows.push(Window::default());
    }

    /// The window in hand doesn't end: it is forgotten.
    pub(super) fn drop_window(&mut self) {
        self.windows.pop();
    }

    /// Whether each window has samples.
    pub(super) fn seen(&self) -> Vec<bool> {
        self.windows.iter().map(|window| window.samples > 0).collect()
    }

    /// One answer to [`SQL`].
    pub(super) fn take(&mut self, rows: &[Row]) {
        let Some(window) = self.windows.last_mut() else { return };
        window.samples += 1;
        for row in rows {
            let text = |column: usize| row.get(column).and_then(|c| c.as_deref()).unwrap_or("");
            let (who, class, event) = (text(0), text(1), text(2));
            let processes: u64 = text(3).parse().unwrap_or(0);
            let kind = kind(class, event);
            if who != "client backend" {
                if kind.is_log() {
                    *window.own.entry(kind).or_default() += processes;
                }
                continue;
            }
            *window.sessions.entry(kind).or_default() += processes;
            let names = match kind {
                LiveWaitKind::Elsewhere => &mut self.elsewhere,
                LiveWaitKind::Lock => &mut self.locks,
                _ => continue,
            };
            *names.entry(format!("{class}:{event}")).or_default() += processes;
        }
    }

    /// Means over all samples. Windows without any are left out; the others give intervals where they are long enough to be
    /// repeats of each other (`apart`).
    pub(super) fn waits(&self, apart: bool) -> LiveWaits {
        let windows: Vec<&Window> = self.windows.iter().filter(|w| w.samples > 0).collect();
        let samples: u64 = windows.iter().map(|w| w.samples).sum();
        let means = |of: fn(&Window) -> &BTreeMap<LiveWaitKind, u64>| -> Vec<LiveWait> {
            let wait = |kind: LiveWaitKind| {
                let count = |w: &Window| of(w).get(&kind).copied().unwrap_or(0);
                let all: u64 = windows.iter().map(|w| count(w)).sum();
                let means: Vec<f64> =
                    windows.iter().map(|w| count(w) as f64 / w.samples as f64).collect();
                (all > 0).then(|| LiveWait {
                    kind,
                    backends: all as f64 / samples as f64,
                    interval_95: interval(&means).filter(|_| apart),
                    windows: means,
                })
            };
            LiveWaitKind::ALL.into_iter().filter_map(wait).collect()
        };
        LiveWaits {
            samples,
            sessions: means(|w| &w.sessions),
            own: means(|w| &w.own),
            elsewhere: most(&self.elsewhere, samples),
            locks: most(&self.locks, samples),
        }
    }
}

/// The names met most often, with how many sessions were found there on average.
fn most(names: &BTreeMap<String, u64>, samples: u64) -> Vec<(String, f64)> {
    let mean = |(name, n): (&String, &u64)| (name.clone(), *n as f64 / samples.max(1) as f64);
    let mut means: Vec<(String, f64)> = names.iter().map(mean).collect();
    means.sort_by(|a, b| b.1.total_cmp(&a.1));
    means.truncate(NAMES_SHOWN);
    means
}

/// Fewer windows tell too little of how they differ.
const LEAST_WINDOWS: usize = 6;

/// Of the mean, because the figure beside it is one: a state met in a few windows has a median of nothing.
fn interval(means: &[f64]) -> Option<Interval> {
    let (low, high) =
        narrows_stats::mean_interval_95(means).filter(|_| means.len() >= LEAST_WINDOWS)?;
    Some(Interval { low: low.max(0.0), high, method: IntervalMethod::MeanT })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_of_all_versions_mean_the_same() {
        use LiveWaitKind::*;
        for (class, event, meant) in [
            ("IO", "WALSync", Flush),
            ("IO", "WalSync", Flush),
            ("IO", "WALWrite", Write),
            ("IO", "WalWrite", Write),
            ("IO", "WALInitSync", NewFile),
            ("IO", "WalInitWrite", NewFile),
            ("LWLock", "WALWrite", Behind),
            ("LWLock", "WALInsert", Insert),
            ("LWLock", "WALBufMapping", Buffers),
            ("IPC", "SyncRep", Standby),
            ("Timeout", "CommitDelay", Delay),
            ("IO", "DataFileRead", Elsewhere),
            ("Lock", "transactionid", Lock),
            ("Lock", "tuple", Lock),
            ("Lock", "advisory", Lock),
            ("Lock", "extend", Elsewhere),
            ("LWLock", "LockManager", Elsewhere),
            ("", "", Running),
        ] {
            assert_eq!(kind(class, event), meant, "{class}:{event}");
        }
    }

    fn row(who: &str, class: &str, event: &str, n: &str) -> Row {
        [who, class, event, n]
            .into_iter()
            .map(|text| Some(text.to_string()).filter(|text| !text.is_empty()))
            .collect()
    }

    #[test]
    fn means_are_over_all_samples_and_intervals_over_windows() {
        let mut sampled = Sampled::default();
        for window in 0..6_u32 {
            sampled.next_window();
            for sample in 0..4_u32 {
                let mut rows = vec![row("walwriter", "IO", "WalSync", "1")];
                if sample < 2 {
                    rows.push(row("client backend", "LWLock", "WALWrite", "6"));
                }
                if window == 0 && sample == 0 {
                    rows.push(row("client backend", "Lock", "tuple", "12"));
                }
                rows.push(row("walsender", "IO", "WalRead", "3"));
                rows.push(row("client backend", "", "", "2"));
                sampled.take(&rows);
            }
        }
        let waits = sampled.waits(true);
        assert_eq!(waits.samples, 24);
        assert_eq!(waits.of(LiveWaitKind::Behind), Some(3.0));
        assert_eq!(waits.of(LiveWaitKind::Flush), Some(0.0), "the walwriter's is no session's");
        assert_eq!(waits.active(), Some(3.0 + 2.0 + 0.5));
        assert_eq!(waits.locks, [("Lock:tuple".to_string(), 0.5)]);
        assert_eq!((waits.locked(), waits.elsewhere.len()), (Some(0.5), 0));
        let behind = waits.sessions.iter().find(|w| w.kind == LiveWaitKind::Behind).unwrap();
        let interval = behind.interval_95.unwrap();
        assert_eq!((interval.low, interval.high), (3.0, 3.0));
        let own: Vec<_> = waits.own.iter().map(|w| (w.kind, w.backends)).collect();
        assert_eq!(own, [(LiveWaitKind::Flush, 1.0)], "what reads the log is not waited for");
        // Met in one window of six: the interval is that of the mean, and holds it.
        let lock = waits.sessions.iter().find(|w| w.kind == LiveWaitKind::Lock).unwrap();
        let interval = lock.interval_95.unwrap();
        assert!(interval.low == 0.0 && interval.high > lock.backends, "{interval:?}");
        let close = sampled.waits(false);
        assert!(close.sessions.iter().all(|wait| wait.interval_95.is_none()), "{close:?}");
    }

    #[test]
    fn windows_without_samples_are_left_out() {
        let mut sampled = Sampled::default();
        for samples in [1, 0, 2] {
            sampled.next_window();
            for _ in 0..samples {
                sampled.take(&[row("client backend", "", "", "2")]);
            }
        }
        assert_eq!(sampled.seen(), [true, false, true]);
        assert_eq!(sampled.waits(true).sessions[0].windows, [2.0, 2.0]);
        sampled.drop_window();
        assert_eq!(sampled.waits(true).samples, 1);
    }

    #[test]
    fn without_samples_nothing_is_known() {
        let mut sampled = Sampled::default();
        sampled.next_window();
        let waits = sampled.waits(true);
        assert_eq!((waits.active(), waits.of(LiveWaitKind::Flush)), (None, None));
    }
}
