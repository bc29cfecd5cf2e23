//! What the server's processes are found doing, asked again and again.

use std::collections::BTreeMap;

use narrows_model::{LiveWait, LiveWaitKind, LiveWaits};

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
const ELSEWHERE_SHOWN: usize = 3;

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
}

impl Sampled {
    /// What follows belongs to the next window.
    pub(super) fn next_window(&mut self) {
        self.windows.push(Window::default());
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
            if kind == LiveWaitKind::Elsewhere {
                *self.elsewhere.entry(format!("{class}:{event}")).or_default() += processes;
            }
        }
    }

    /// Means over all samples, with intervals over the windows that have any.
    pub(super) fn waits(&self) -> LiveWaits {
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
                    interval_95: interval(&means),
                    windows: means,
                })
            };
            LiveWaitKind::ALL.into_iter().filter_map(wait).collect()
        };
        let mut elsewhere: Vec<(String, f64)> = self
            .elsewhere
            .iter()
            .map(|(name, n)| (name.clone(), *n as f64 / samples.max(1) as f64))
            .collect();
        elsewhere.sort_by(|a, b| b.1.total_cmp(&a.1));
        elsewhere.truncate(ELSEWHERE_SHOWN);
        LiveWaits { samples, sessions: means(|w| &w.sessions), own: means(|w| &w.own), elsewhere }
    }
}

/// Only the method that assumes nothing: logarithms of states that were not met don't exist.
fn interval(means: &[f64]) -> Option<narrows_model::Interval> {
    narrows_stats::interval_95(means)
        .filter(|interval| interval.method == narrows_model::IntervalMethod::OrderStatistic)
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
            ("Lock", "transactionid", Elsewhere),
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
        let waits = sampled.waits();
        assert_eq!(waits.samples, 24);
        assert_eq!(waits.of(LiveWaitKind::Behind), Some(3.0));
        assert_eq!(waits.of(LiveWaitKind::Flush), Some(0.0), "the walwriter's is no session's");
        assert_eq!(waits.active(), Some(3.0 + 2.0 + 0.5));
        assert_eq!(waits.elsewhere, [("Lock:tuple".to_string(), 0.5)]);
        let behind = waits.sessions.iter().find(|w| w.kind == LiveWaitKind::Behind).unwrap();
        let interval = behind.interval_95.unwrap();
        assert_eq!((interval.low, interval.high), (3.0, 3.0));
        let own: Vec<_> = waits.own.iter().map(|w| (w.kind, w.backends)).collect();
        assert_eq!(own, [(LiveWaitKind::Flush, 1.0)], "what reads the log is not waited for");
    }

    #[test]
    fn without_samples_nothing_is_known() {
        let mut sampled = Sampled::default();
        sampled.next_window();
        let waits = sampled.waits();
        assert_eq!((waits.active(), waits.of(LiveWaitKind::Flush)), (None, None));
    }
}
