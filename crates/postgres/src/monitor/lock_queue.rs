//! Who holds the locks that others wait for: the session at the head of the longest queue.
//!
//! A session may wait behind one that waits itself, as behind an ALTER TABLE that waits for a reader to end: whom to ask is whoever
//! stands at the head and waits for no lock.

use std::collections::BTreeMap;

use narrows_model::{ActivityState, LockHolder, LockHolders};

use crate::observe::process_state;
use crate::wire::{Row, one_line};

/// What a session can be doing (PostgreSQL documentation, `pg_stat_activity`, `state`).
const STATES: [&str; 5] = [
    "active",
    "idle",
    "idle in transaction",
    "idle in transaction (aborted)",
    "fastpath function call",
];

/// Of a hundred who wait at most, because each answer takes a lock of the lock manager's; and of each one of those ahead of it, because
/// all of them are everybody ahead in the queue, so that of thousands it would be millions.
pub(crate) const PREPARE: &str = "PREPARE narrows_holders AS \
     WITH all_of_them AS MATERIALIZED (SELECT * FROM pg_catalog.pg_stat_get_activity(NULL)), \
     waits AS (SELECT pid, (pg_catalog.pg_blocking_pids(pid))[1] AS holder \
     FROM (SELECT pid FROM all_of_them WHERE wait_event_type = 'Lock' LIMIT 100) waiting) \
     SELECT waits.pid, waits.holder, h.state, extract(epoch FROM clock_timestamp() - h.state_change), \
     extract(epoch FROM clock_timestamp() - h.xact_start), h.wait_event_type || ':' || h.wait_event \
     FROM waits LEFT JOIN all_of_them h ON h.pid = waits.holder WHERE waits.holder IS NOT NULL";

/// Asks.
pub(crate) const SQL: &str = "EXECUTE narrows_holders";

/// Who has most sessions behind it, those behind others that wait for it among them; `None` where nobody waits.
pub(crate) fn holder(rows: &[Row]) -> Option<LockHolder> {
    let number = |row: &Row, column: usize| row.get(column)?.as_deref()?.parse::<u32>().ok();
    let ahead: BTreeMap<u32, (u32, &Row)> =
        rows.iter().filter_map(|row| Some((number(row, 0)?, (number(row, 1)?, row)))).collect();
    let mut behind: BTreeMap<u32, u32> = BTreeMap::new();
    for (first, _) in ahead.values() {
        let mut head = *first;
        // A circle is a deadlock that the server hasn't broken yet.
        for _ in 0..ahead.len() {
            match ahead.get(&head) {
                Some((next, _)) => head = *next,
                None => break,
            }
        }
        *behind.entry(head).or_default() += 1;
    }
    let (pid, behind) = behind.into_iter().max_by_key(|(_, n)| *n)?;
    let row = ahead.values().find(|(holder, _)| *holder == pid).map(|(_, row)| *row)?;
    let text = |column: usize| row.get(column).and_then(|cell| cell.as_deref());
    let ns = |column: usize| text(column)?.parse::<f64>().ok().map(|s| s.max(0.0) * 1e9);
    Some(LockHolder {
        pid,
        state: text(2).filter(|state| STATES.contains(state)).unwrap_or_default().to_string(),
        state_age_ns: ns(3),
        transaction_age_ns: ns(4),
        // Between two statements every session waits for its client.
        waits_for: text(5).filter(|_| text(2) == Some("active")).map(one_line),
        behind: f64::from(behind),
    })
}

/// Counts what a holder was found doing.
pub(crate) fn count(holders: &mut LockHolders, holder: &LockHolder) {
    holders.answers += 1;
    if holder.is_idle_in_transaction() {
        holders.for_client += 1;
    }
    if holder.state != "active" {
        return;
    }
    let (kind, event) =
        holder.waits_for.as_deref().unwrap_or_default().split_once(':').unwrap_or_default();
    match process_state::wait(kind, event) {
        ActivityState::Log => holders.in_flush += 1,
        ActivityState::Running => holders.on_cpu += 1,
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::monitor::fake::row;

    const READER: [&str; 4] = ["idle in transaction", "26.1", "27.5", "Client:ClientRead"];

    fn waits(pid: &'static str, behind: &'static str, holder: [&'static str; 4]) -> Row {
        row([&[pid, behind][..], &holder].concat())
    }

    #[test]
    fn whoever_waits_behind_one_that_waits_is_behind_its_holder() {
        let alter = ["active", "20", "20", "Lock:relation"];
        let mut rows = vec![waits("50", "40", READER)];
        let ids: [&'static str; 10] = ["61", "62", "63", "64", "65", "66", "67", "68", "69", "70"];
        rows.extend(ids.map(|pid| waits(pid, "50", alter)));
        let found = holder(&rows).unwrap();
        assert_eq!((found.pid, found.behind), (40, 11.0));
        assert_eq!(found.state, "idle in transaction");
        assert_eq!((found.state_age_ns, found.transaction_age_ns), (Some(26.1e9), Some(27.5e9)));
        assert_eq!(found.waits_for, None, "its client is what it waits for");
    }

    #[test]
    fn holders_are_counted_by_what_they_do() {
        let mut holders = LockHolders::default();
        let in_flush = ["active", "0", "0", "IO:WALSync"];
        let follower = ["active", "0", "0", "LWLock:WALWrite"];
        let on_cpu = ["active", "0", "0", ""];
        let reads = ["active", "0", "0", "IO:DataFileRead"];
        let prepared = ["", "", "", ""];
        for doing in [in_flush, in_flush, follower, on_cpu, READER, reads, prepared] {
            count(&mut holders, &holder(&[waits("1", "9", doing)]).unwrap());
        }
        let expected = LockHolders { answers: 7, in_flush: 3, on_cpu: 1, for_client: 1 };
        assert_eq!(holders, expected);
    }

    #[test]
    fn of_two_queues_the_longer_one_is_told_and_a_circle_ends() {
        let writer = ["active", "0.2", "0.2", "IO:WALSync"];
        let rows = [waits("1", "9", writer), waits("2", "9", writer), waits("3", "8", READER)];
        let found = holder(&rows).unwrap();
        assert_eq!((found.pid, found.behind), (9, 2.0));
        assert_eq!(found.waits_for.as_deref(), Some("IO:WALSync"));
        let circle = [waits("1", "2", writer), waits("2", "1", writer)];
        assert!(holder(&circle).is_some());
        assert_eq!(holder(&[]), None);
        // A prepared transaction has no process.
        let prepared = holder(&[waits("1", "0", ["", "", "", ""])]).unwrap();
        assert_eq!((prepared.pid, prepared.state.as_str()), (0, ""));
    }
}
