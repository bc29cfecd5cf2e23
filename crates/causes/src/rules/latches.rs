//! Locks inside the server by their names: what each protects and what changes it.
//!
//! PostgreSQL documentation: Monitoring Database Activity, Wait Events. Names are those of 13 and later, whatever their case.

use narrows_model::{ActivityState, Urgency};

use crate::law::LOCKS;
use crate::rules::locks::{at_events, most_in};
use crate::words::{joined, percent, sessions_that};
use crate::{CauseDraft, CauseRule, ObservedServer};

/// Share of session time from which on one of these is worth a word: less comes with any busy server.
const SHARE: f64 = 0.1;
/// Sessions in such a wait, mean, of which fewer are no queue.
const LEAST_WAITERS: f64 = 0.2;

const WAIT_EVENTS: &str = "PostgreSQL documentation: Monitoring Database Activity, Wait Events";
const DECIDES: &str = "a tenth of session time or more, with 0.2 sessions or more";

/// One lock of the server, or several of one kind.
struct Latch {
    id: &'static str,
    events: &'static [&'static str],
    /// What waiting for it means, behind the number of sessions: `12 sessions wait for …`.
    means: &'static str,
    against: &'static str,
    action: &'static str,
    undo: &'static str,
}

const LATCHES: &[Latch] = &[
    Latch {
        id: "subtransactions",
        events: &["LWLock:SubtransSLRU", "LWLock:SubtransBuffer", "LWLock:SubtransControlLock"],
        means: "the parents of subtransactions: a transaction has more than 64 savepoints, beside a snapshot that is held for long",
        against: "without a long transaction beside them, many savepoints are cheap",
        action: "take out savepoints that stand around each statement (JDBC autosave=always, EXCEPTION blocks in loops of PL/pgSQL, ORM); end the long transaction. From 17 on subtransaction_buffers can be raised (restart)",
        undo: "the change in the application, back",
    },
    Latch {
        id: "multixact",
        events: &[
            "LWLock:MultiXactOffsetSLRU",
            "LWLock:MultiXactMemberSLRU",
            "LWLock:MultiXactOffsetBuffer",
            "LWLock:MultiXactMemberBuffer",
            "LWLock:MultiXactGen",
            "LWLock:MultiXactTruncation",
        ],
        means: "the lists of transactions that lock the same row: many share one row, mostly children of one parent by a foreign key, or FOR SHARE",
        against: "after a time with many such locks it passes once vacuum has frozen them",
        action: "avoid FOR SHARE and updates of the parent row that many children refer to; vacuum the tables that are locked. From 17 on multixact_member_buffers and multixact_offset_buffers can be raised (restart)",
        undo: "the change in the application, back",
    },
    Latch {
        id: "lock-manager",
        events: &["LWLock:LockManager", "LWLock:lock_manager"],
        means: "the table of locks: statements lock more tables, partitions and indexes than the 16 that a backend keeps by itself (before 18)",
        against: "a storm of connections, and more active sessions than CPUs, make it worse than it is",
        action: "let the planner leave out partitions (the key in WHERE), drop indexes that nobody uses, prepare statements; fewer connections. From 18 on the number follows max_locks_per_transaction (restart)",
        undo: "the change, back",
    },
    Latch {
        id: "procarray",
        events: &[
            "LWLock:ProcArray",
            "LWLock:ProcArrayLock",
            "IPC:ProcArrayGroupUpdate",
            "LWLock:XidGen",
        ],
        means: "the list of running transactions, which each snapshot is made from",
        against: "full CPUs look the same: whoever holds it is not running",
        action: "fewer sessions at once by a pooler in transaction mode; fewer, larger transactions. Version 14 made snapshots far cheaper with many connections",
        undo: "the pooler's settings, back",
    },
    Latch {
        id: "wal-insert",
        events: &["LWLock:WALInsert", "LWLock:WALBufMapping", "LWLock:wal_insert"],
        means: "one of the 8 places to copy into wal_buffers",
        against: "where wal_buffers is full, the flush behind it is what is slow",
        action: "write less WAL: fewer indexes, COPY or many rows in an INSERT, UNLOGGED for what can be lost; wal_buffers = 64MB (restart) where it is smaller",
        undo: "the old value, and a restart",
    },
    Latch {
        id: "buffer-content",
        events: &[
            "LWLock:BufferContent",
            "LWLock:buffer_content",
            "Buffer:BufferExclusive",
            "Buffer:BufferShared",
        ],
        means: "one page in memory that all change or read: the last leaf of an index on a rising key, or the page of a hot row",
        against: "chains of versions of a hot row, or dead rows, give the same wait",
        action: "find its table by the statement: spread inserts (hash partitions, a key that doesn't rise), fewer indexes, hot rows on pages of their own (fillfactor)",
        undo: "the schema, back",
    },
    Latch {
        id: "extension-lock",
        events: &["Lock:extend"],
        means: "the right to make a table larger",
        against: "a single load by many sessions passes; from 16 on tables grow by many pages at once",
        action: "load by COPY or with many rows in an INSERT, in fewer sessions; partitions, so that they grow apart",
        undo: "the change in the application, back",
    },
];

const fn rule(
    id: &'static str,
    what: &'static str,
    against: &'static str,
    find: fn(&ObservedServer) -> Vec<CauseDraft>,
) -> CauseRule {
    CauseRule {
        id,
        urgency: Urgency::Performance,
        has_reason: true,
        what,
        decides: DECIDES,
        against,
        reference: WAIT_EVENTS,
        supersedes: &[],
        find,
    }
}

pub(super) const RULES: &[CauseRule] = &[
    rule(
        "subtransactions",
        "Sessions look up the parents of subtransactions (`SubtransSLRU`, `SubtransBuffer`)",
        "Without a long transaction beside them, many savepoints are cheap",
        |server| found(server, "subtransactions"),
    ),
    rule(
        "multixact",
        "Sessions look up who shares a row's lock (`MultiXact…`)",
        "It passes once vacuum has frozen the rows",
        |server| found(server, "multixact"),
    ),
    rule(
        "lock-manager",
        "Statements lock more relations than a backend keeps by itself (`LWLock:LockManager`)",
        "A storm of connections makes it worse than it is",
        |server| found(server, "lock-manager"),
    ),
    rule(
        "procarray",
        "Sessions queue for the list of running transactions (`ProcArray`, `XidGen`)",
        "Full CPUs look the same",
        |server| found(server, "procarray"),
    ),
    rule(
        "wal-insert",
        "Sessions queue to copy into wal_buffers (`WALInsert`, `WALBufMapping`)",
        "Where wal_buffers is full, the flush behind it is slow",
        |server| found(server, "wal-insert"),
    ),
    rule(
        "buffer-content",
        "Sessions queue for one page in memory (`BufferContent`)",
        "Chains of versions of a hot row give the same wait",
        |server| found(server, "buffer-content"),
    ),
    rule(
        "extension-lock",
        "Sessions queue to make a table larger (`Lock:extend`)",
        "One load by many sessions passes",
        |server| found(server, "extension-lock"),
    ),
];

fn found(server: &ObservedServer, id: &str) -> Vec<CauseDraft> {
    let Some(latch) = LATCHES.iter().find(|latch| latch.id == id) else { return Vec::new() };
    let waits = server.at_events(latch.events);
    let Some(waits) = waits.filter(|w| w.reaches(SHARE) && w.sessions >= LEAST_WAITERS) else {
        return Vec::new();
    };
    let statement = most_in(server, |group| at_events(group, latch.events));
    let statement = statement.or_else(|| most_in(server, |group| group.of(ActivityState::Latch)));
    let (share, gain_at_most) = server.worth_of_wait(waits.share, LOCKS);
    vec![CauseDraft {
        summary: format!("{} for {}", sessions_that(waits.sessions, "waits", "wait"), latch.means),
        evidence: joined([
            Some(format!(
                "{} of session time at {}",
                percent(waits.share),
                named(server, latch.events)
            )),
            statement.map(|(load, _)| format!("most of them in: {}", load.words())),
        ]),
        against: latch.against.to_string(),
        action: latch.action.to_string(),
        undo: latch.undo.to_string(),
        verify: format!("narrows observe URL: the share of {}", latch.events[0]),
        share,
        gain_at_most,
        statement_id: statement.map_or(String::new(), |(load, _)| load.id.to_string()),
        ..CauseDraft::default()
    }]
}

/// Those of the events that sessions were found at.
fn named(server: &ObservedServer, events: &[&str]) -> String {
    let met = |event: &&&str| server.at_events(&[event]).is_some_and(|waits| waits.sessions > 0.0);
    let met: Vec<&str> = events.iter().filter(met).copied().collect();
    met.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_has_its_line_of_the_table() {
        let ids = |latches: &[Latch]| latches.iter().map(|latch| latch.id).collect::<Vec<_>>();
        assert_eq!(ids(LATCHES), RULES.iter().map(|rule| rule.id).collect::<Vec<_>>());
    }
}
