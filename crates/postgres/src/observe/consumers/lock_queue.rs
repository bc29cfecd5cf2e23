//! Who waits for whom: the sessions of a moment that wait for locks, and those at the heads of their queues.
//!
//! Asked beside the question of who holds the lock ([`crate::monitor::lock_queue`]), at the same pace, and only where that finds a longer
//! queue than the one known: `pg_locks` holds all partitions of the lock manager at once while it is read, and `pg_blocking_pids` a
//! lock of them all. Not at all while more sessions wait for the lock manager than for locks.
//!
//! Source: PostgreSQL documentation, "pg_locks", `pg_blocking_pids`; its source's README of the lock manager ("tuple": whoever is
//! next for a row holds that lock while it waits for the transaction that changed it).

use std::collections::{BTreeMap, BTreeSet};

use narrows_engine::now_ns;
use narrows_model::QueuedSession;

use super::normalise::SentTexts;
use super::{number, text};
use crate::monitor::samples::{Processes, numbers};
use crate::monitor::session::SamplingSession;
use crate::wire::{Row, WireError, one_line};

/// Asks.
const READ: &str = "EXECUTE narrows_queue";

/// Of a hundred who wait at most, and of those ahead of each the first eight, for the reasons of the question about holders.
const PREPARE: &str = "PREPARE narrows_queue AS \
WITH all_of_them AS MATERIALIZED (SELECT pid, state, wait_event_type, wait_event, state_change, xact_start, usesysid, application_name, \
backend_type, query FROM pg_catalog.pg_stat_get_activity(NULL)), \
waits AS MATERIALIZED (SELECT pid, (pg_catalog.pg_blocking_pids(pid))[1:8] AS behind \
FROM (SELECT pid FROM all_of_them WHERE wait_event_type = 'Lock' LIMIT 100) waiting), \
those AS (SELECT pid FROM waits WHERE behind <> '{}' UNION SELECT pg_catalog.unnest(behind) FROM waits), \
locks AS MATERIALIZED (SELECT pid, mode, granted, CASE WHEN database = (SELECT oid FROM pg_catalog.pg_database \
WHERE datname = pg_catalog.current_database()) THEN relation END AS relation FROM pg_catalog.pg_locks \
WHERE NOT granted OR locktype = 'tuple') \
SELECT those.pid, pg_catalog.array_to_string(waits.behind, ' '), a.state, extract(epoch FROM clock_timestamp() - a.state_change), \
extract(epoch FROM clock_timestamp() - a.xact_start), a.wait_event_type || ':' || a.wait_event, \
(SELECT min(mode) FROM locks WHERE locks.pid = those.pid AND NOT granted AND waits.pid IS NOT NULL), \
(SELECT min(pg_catalog.quote_ident(n.nspname) || '.' || pg_catalog.quote_ident(c.relname)) FROM locks \
JOIN pg_catalog.pg_class c ON c.oid = locks.relation JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
WHERE locks.pid = those.pid AND waits.pid IS NOT NULL), \
pg_catalog.pg_get_userbyid(a.usesysid), a.application_name, a.backend_type, pg_catalog.left(a.query, 4096) \
FROM those LEFT JOIN waits ON waits.pid = those.pid LEFT JOIN all_of_them a ON a.pid = those.pid";

/// Whether more sessions wait for the lock manager than for locks: then it is not asked to look through them all.
pub(in crate::observe) fn manager_is_busy(rows: &[Row]) -> bool {
    let count = |of: &dyn Fn(&Processes) -> bool| -> u64 {
        rows.iter().map(Processes::from).filter(of).map(|found| found.count).sum()
    };
    let manager = |found: &Processes| {
        found.kind == "LWLock" && found.event.replace('_', "").eq_ignore_ascii_case("lockmanager")
    };
    count(&manager) > count(&|found| found.kind == "Lock")
}

/// Asks about queues longer than the one known.
#[derive(Debug, Default)]
pub(in crate::observe) struct LockQueueProbe {
    /// Whether the server takes the question.
    pub(super) prepared: bool,
    /// Whether its lock manager has enough to do, when last seen.
    pub(in crate::observe) manager_is_busy: bool,
    /// How texts are kept.
    texts: SentTexts,
    pub(super) longest: LongestQueue,
}

impl LockQueueProbe {
    /// Prepares the question; a server that refuses it isn't asked.
    ///
    /// # Errors
    /// The connection broke.
    pub(in crate::observe) fn prepare(
        session: &mut SamplingSession,
        texts: SentTexts,
    ) -> Result<LockQueueProbe, WireError> {
        let prepared = session.ask_aside(PREPARE)?.is_ok();
        Ok(LockQueueProbe { prepared, texts, ..LockQueueProbe::default() })
    }

    /// Asks, where so many wait behind the session `head`; the `last` time also where as many did before, because they have waited longer.
    ///
    /// # Errors
    /// The connection broke.
    pub(in crate::observe) fn ask(
        &mut self,
        session: &mut SamplingSession,
        (head, behind): (u32, f64),
        last: bool,
    ) -> Result<(), WireError> {
        self.longest.still(head, now_ns());
        let known = self.longest.behind as f64;
        let longer = known < behind || (last && known == behind);
        if self.prepared
            && !self.manager_is_busy
            && longer
            && let Ok(rows) = session.ask_aside(READ)?
        {
            self.longest.take(&rows, self.texts, now_ns());
        }
        Ok(())
    }
}

/// The longest queue that was met.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct LongestQueue {
    /// Sessions behind its head.
    behind: usize,
    sessions: Vec<QueuedSession>,
    /// When its head was last seen with others behind it.
    seen_ns: u64,
}

impl LongestQueue {
    /// Others wait behind that session at `now_ns`.
    fn still(&mut self, head: u32, now_ns: u64) {
        if self.sessions.first().is_some_and(|first| first.pid == head) {
            self.seen_ns = now_ns;
        }
    }

    /// For how long nobody has been seen behind its head at `now_ns`; `None` without a queue.
    pub(super) fn age_ns(&self, now_ns: u64) -> Option<f64> {
        (!self.sessions.is_empty()).then(|| now_ns.saturating_sub(self.seen_ns) as f64)
    }

    /// An answer of `now_ns`: kept where its longest queue is at least as long.
    fn take(&mut self, rows: &[Row], texts: SentTexts, now_ns: u64) {
        let sessions: BTreeMap<u32, QueuedSession> = rows
            .iter()
            .filter_map(|row| session(row, texts))
            .map(|session| (session.pid, session))
            .collect();
        let mut places: Vec<(u32, usize, u32)> = Vec::new();
        for pid in sessions.keys() {
            let (head, ahead) = head(&sessions, *pid);
            places.push((head, ahead, *pid));
        }
        let mut behind: BTreeMap<u32, usize> = BTreeMap::new();
        for (head, ahead, _) in &places {
            *behind.entry(*head).or_default() += usize::from(*ahead > 0);
        }
        let most = behind.values().max().copied().unwrap_or(0);
        if most == 0 || most < self.behind {
            return;
        }
        // The longest queue first; in each its head, and whoever is next.
        places.sort_by_key(|(head, ahead, pid)| {
            (std::cmp::Reverse(behind.get(head).copied()), *head, *ahead, *pid)
        });
        (self.behind, self.seen_ns) = (most, now_ns);
        self.sessions =
            places.iter().filter_map(|(_, _, pid)| sessions.get(pid).cloned()).collect();
    }

    pub(super) fn sessions(&self) -> &[QueuedSession] {
        &self.sessions
    }
}

/// Who stands at the head of the queue that a session waits in, by whoever is first ahead of each, and how many are between.
fn head(sessions: &BTreeMap<u32, QueuedSession>, pid: u32) -> (u32, usize) {
    let (mut at, mut ahead, mut met) = (pid, 0, BTreeSet::from([pid]));
    // A circle is a deadlock that the server hasn't broken yet.
    while let Some(next) = sessions.get(&at).and_then(|session| session.behind.first())
        && met.insert(*next)
    {
        (at, ahead) = (*next, ahead + 1);
    }
    (at, ahead)
}

fn session(row: &Row, texts: SentTexts) -> Option<QueuedSession> {
    let said = |column: usize| text(row, column).map(one_line);
    let ns = |column: usize| number(row, column).map(|s| s.max(0.0) * 1e9);
    let mut behind: Vec<u32> = Vec::new();
    // With parallel workers a session may stand there more than once.
    for pid in numbers(text(row, 1).unwrap_or_default()) {
        if !behind.contains(&pid) {
            behind.push(pid);
        }
    }
    let active = text(row, 2).is_none_or(|state| state == "active");
    Some(QueuedSession {
        pid: text(row, 0)?.parse().ok()?,
        behind,
        state: said(2).unwrap_or_default(),
        state_age_ns: ns(3),
        transaction_age_ns: ns(4),
        // Between two statements every session waits for its client.
        waits_for: said(5).filter(|_| active),
        mode: said(6),
        table: said(7),
        user: said(8).unwrap_or_default(),
        application: said(9).unwrap_or_default(),
        backend_type: said(10).filter(|kind| kind != "client backend").unwrap_or_default(),
        text: text(row, 11).and_then(|sql| texts.kept(sql)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    fn waits(pid: &'static str, behind: &'static str) -> Row {
        let doing =
            ["active", "2.5", "3", "Lock:relation", "AccessShareLock", "public.t", "app", "web"];
        row([&[pid, behind][..], &doing, &["client backend", "SELECT 'secret' FROM t"]].concat())
    }

    fn holds(pid: &'static str) -> Row {
        let doing = ["idle in transaction", "26", "27", "Client:ClientRead", "", "", "bob", "psql"];
        row([&[pid, ""][..], &doing, &["client backend", "UPDATE t SET a = 5"]].concat())
    }

    #[test]
    fn a_queue_is_as_old_as_its_head_has_had_nobody_behind_it() {
        let mut queue = LongestQueue::default();
        assert_eq!(queue.age_ns(10), None);
        queue.take(&[waits("2", "1"), holds("1")], SentTexts::Normalised, 10);
        queue.still(9, 30);
        assert_eq!(queue.age_ns(50), Some(40.0), "others wait behind another one");
        queue.still(1, 30);
        assert_eq!(queue.age_ns(50), Some(20.0), "somebody waited behind it at 30");
    }

    #[test]
    fn a_queue_is_told_from_its_head_on_and_the_longest_first() {
        let mut queue = LongestQueue::default();
        queue.take(
            &[
                waits("3", "2"),
                waits("2", "1 1"),
                holds("1"),
                waits("9", "8"),
                holds("8"),
                waits("4", "2 1"),
            ],
            SentTexts::Normalised,
            0,
        );
        let pids: Vec<u32> = queue.sessions.iter().map(|session| session.pid).collect();
        assert_eq!((pids, queue.behind), (vec![1, 2, 3, 4, 8, 9], 3));
        let [head, next, ..] = &queue.sessions[..] else { panic!() };
        assert_eq!((head.state.as_str(), &head.waits_for), ("idle in transaction", &None));
        assert_eq!((head.state_age_ns, head.transaction_age_ns), (Some(26e9), Some(27e9)));
        assert_eq!(
            (head.mode.as_deref(), head.text.as_deref()),
            (None, Some("UPDATE t SET a = ?"))
        );
        assert_eq!((next.behind.as_slice(), next.backend_type.as_str()), (&[1][..], ""));
        assert_eq!(next.waits_for.as_deref(), Some("Lock:relation"));
        assert_eq!(next.table.as_deref(), Some("public.t"));
        assert_eq!(next.text.as_deref(), Some("SELECT ? FROM t"));
        // A shorter one doesn't take its place.
        queue.take(&[waits("3", "2"), holds("2")], SentTexts::Normalised, 0);
        assert_eq!(queue.sessions.len(), 6);
    }

    #[test]
    fn a_circle_and_a_prepared_transaction_are_queues_too() {
        let mut queue = LongestQueue::default();
        queue.take(&[waits("1", "2"), waits("2", "1")], SentTexts::Normalised, 0);
        assert_eq!(queue.sessions.len(), 2);
        let mut queue = LongestQueue::default();
        queue.take(&[waits("1", "0"), row(["0"])], SentTexts::Normalised, 0);
        assert_eq!((queue.sessions[0].pid, queue.sessions[0].state.as_str()), (0, ""));
        let mut queue = LongestQueue::default();
        queue.take(&[holds("1"), row([])], SentTexts::Normalised, 0);
        assert_eq!(queue, LongestQueue::default());
    }

    #[test]
    fn the_lock_manager_is_left_alone_where_more_wait_for_it_than_for_locks() {
        let found = |event: &'static str, n: &'static str| {
            row([
                "client backend",
                "active",
                if event == "tuple" { "Lock" } else { "LWLock" },
                event,
                n,
            ])
        };
        assert!(manager_is_busy(&[found("LockManager", "3"), found("tuple", "2")]));
        assert!(manager_is_busy(&[found("lock_manager", "1")]));
        assert!(!manager_is_busy(&[found("LockManager", "2"), found("tuple", "2")]));
        assert!(!manager_is_busy(&[found("BufferContent", "9")]));
    }
}
