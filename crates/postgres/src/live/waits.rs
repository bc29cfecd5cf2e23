//! What the samples say of the log: sessions at work by what they wait for, and what the server's own processes do to the log.

use narrows_model::{LiveWait, LiveWaitKind, LiveWaits};

use crate::monitor::samples::{Processes, Sampled};
use crate::wire::Row;

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

/// Whose wait it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Whose {
    /// A session at work.
    Session(LiveWaitKind),
    /// One of the server's own processes at the log.
    Own(LiveWaitKind),
}

/// By which key processes count; `ClientRead` and the like are nobody's work.
fn whose(found: &Processes) -> Option<Whose> {
    let kind = kind(found.kind, found.event);
    if found.backend_type == "client backend" {
        let at_work = ["active", "fastpath function call"].contains(&found.state);
        return at_work.then_some(Whose::Session(kind));
    }
    // A delay or a standby is waited for by whoever commits.
    let at_it = ["IO", "LWLock", "IPC"].contains(&found.kind)
        && found.event.get(..3).is_some_and(|begin| begin.eq_ignore_ascii_case("wal"));
    (at_it && kind.is_log()).then_some(Whose::Own(kind))
}

/// One sample, taken then.
pub(super) fn take(sampled: &mut Sampled<Whose>, at_ns: u64, rows: &[Row]) {
    sampled.begin(at_ns);
    for found in rows.iter().map(Processes::from) {
        if let Some(whose) = whose(&found) {
            sampled.add_named(whose, found);
        }
    }
}

/// Whether a session was found waiting for a lock that is kept until a transaction's end.
pub(super) fn queue_for_locks(rows: &[Row]) -> bool {
    let waits = |found: Processes| whose(&found) == Some(Whose::Session(LiveWaitKind::Lock));
    rows.iter().map(Processes::from).any(waits)
}

/// Means over all samples, with intervals where windows are `apart` enough to be repeats of each other.
pub(super) fn waits(sampled: &Sampled<Whose>, apart: bool) -> LiveWaits {
    let means = sampled.means(apart);
    let of = |whose: fn(LiveWaitKind) -> Whose| -> Vec<LiveWait> {
        let wait = |kind: LiveWaitKind| {
            let mean = means.get(&whose(kind))?.clone();
            let (backends, interval_95, windows) = (mean.processes, mean.interval_95, mean.windows);
            Some(LiveWait { kind, backends, interval_95, windows })
        };
        LiveWaitKind::ALL.into_iter().filter_map(wait).collect()
    };
    LiveWaits {
        samples: sampled.samples(),
        sessions: of(Whose::Session),
        own: of(Whose::Own),
        elsewhere: sampled.names(Whose::Session(LiveWaitKind::Elsewhere)),
        locks: sampled.names(Whose::Session(LiveWaitKind::Lock)),
        holders: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

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

    /// Of a session at work, or of a process of the server's, which has no state.
    fn processes(who: &str, class: &str, event: &str, n: &str) -> Row {
        row([who, if who == "client backend" { "active" } else { "" }, class, event, n])
    }

    #[test]
    fn means_are_over_all_samples_and_intervals_over_windows() {
        let mut sampled = Sampled::default();
        for window in 0..6_u64 {
            sampled.next_window(window * 1000);
            for sample in 0..4_u64 {
                let mut rows = vec![processes("walwriter", "IO", "WalSync", "1")];
                if sample < 2 {
                    rows.push(processes("client backend", "LWLock", "WALWrite", "6"));
                }
                if window == 0 && sample == 0 {
                    rows.push(processes("client backend", "Lock", "tuple", "12"));
                }
                rows.push(processes("walsender", "IO", "WalRead", "3"));
                rows.push(row(["client backend", "idle", "Client", "ClientRead", "9"]));
                rows.push(processes("client backend", "", "", "2"));
                take(&mut sampled, window * 1000 + sample * 250 + 125, &rows);
            }
            sampled.end_window((window + 1) * 1000);
        }
        let found = waits(&sampled, true);
        assert_eq!(found.samples, 24);
        assert_eq!(found.of(LiveWaitKind::Behind), Some(3.0));
        assert_eq!(found.of(LiveWaitKind::Flush), Some(0.0), "the walwriter's is no session's");
        assert_eq!(found.active(), Some(3.0 + 2.0 + 0.5));
        assert_eq!(found.locks, [("Lock:tuple".to_string(), 0.5)]);
        assert_eq!((found.locked(), found.elsewhere.len()), (Some(0.5), 0));
        let behind = found.sessions.iter().find(|w| w.kind == LiveWaitKind::Behind).unwrap();
        let interval = behind.interval_95.unwrap();
        assert_eq!((interval.low, interval.high), (3.0, 3.0));
        let own: Vec<_> = found.own.iter().map(|w| (w.kind, w.backends)).collect();
        assert_eq!(own, [(LiveWaitKind::Flush, 1.0)], "what reads the log is not waited for");
        // Met in one window of six: the interval is that of the mean, and holds it.
        let lock = found.sessions.iter().find(|w| w.kind == LiveWaitKind::Lock).unwrap();
        let interval = lock.interval_95.unwrap();
        assert!(interval.low == 0.0 && interval.high > lock.backends, "{interval:?}");
        let close = waits(&sampled, false);
        assert!(close.sessions.iter().all(|wait| wait.interval_95.is_none()), "{close:?}");
    }

    #[test]
    fn without_samples_nothing_is_known() {
        let mut sampled = Sampled::default();
        sampled.next_window(0);
        let found = waits(&sampled, true);
        assert_eq!((found.active(), found.of(LiveWaitKind::Flush)), (None, None));
    }
}
