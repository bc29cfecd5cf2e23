//! Who keeps locks that others wait for.
//!
//! PostgreSQL documentation: Explicit Locking; Viewing Locks; System Administration Functions, `pg_blocking_pids`.

use std::collections::{BTreeMap, BTreeSet};

use narrows_model::{
    ActivityState, ConsumerKind, HorizonKind, LockHolder, QueuedSession, SampledGroup, Urgency,
};

use crate::law::LOCKS;
use crate::queue::LockQueue;
use crate::sql::{identifier, literal};
use crate::statements::StatementLoad;
use crate::words::{age, excerpt, joined, percent, sessions, sessions_that, whole_sessions};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// No client computes for so long between two statements of a transaction that others should wait for it, ns.
const KEPT_NS: f64 = 5e9;
/// A DDL statement that waits for longer than the `lock_timeout` that is advised for it, ns.
const DDL_WAITS_NS: f64 = 2e9;
/// Behind a statement that works, one waiter is ordinary.
const LEAST_BEHIND_ACTIVE: usize = 2;
/// Share of session time in row locks from which on they are the trouble; below, they come with any update.
const ROW_LOCKS: f64 = 0.3;
/// The same for advisory locks, which nobody takes by accident.
const ADVISORY_LOCKS: f64 = 0.2;
/// Sessions in such a wait, mean, of which fewer are no queue.
const LEAST_WAITERS: f64 = 0.5;
/// One deadlock while observed is an accident.
const LEAST_DEADLOCKS: f64 = 2.0;

const LOCKING: &str = "PostgreSQL documentation: Explicit Locking";

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "ddl-queue",
        urgency: Urgency::Now,
        what: "A statement waits for a strong lock on a table, and all others queue behind it",
        decides: "a session waits for `Lock:relation` in AccessExclusive, Exclusive, ShareRowExclusive or Share mode for 2 s or more while others wait behind it (at the moment with the longest queue)",
        against: "The session at the head may be a report that ends soon; an autovacuum at the head ends by itself after deadlock_timeout unless it prevents wraparound",
        reference: "PostgreSQL documentation: Explicit Locking, Table-Level Locks; lock_timeout",
        supersedes: &["hot-row"],
        find: ddl_queue,
    },
    CauseRule {
        id: "idle-in-transaction-blocks",
        urgency: Urgency::Now,
        what: "A session idle in transaction keeps locks that others wait for",
        decides: "the session at the head of a lock queue has been idle in transaction for 5 s or more (at the moment with the longest queue)",
        against: "A person at a terminal, or a client that computes and will go on; who waits behind a DDL statement alone counts there",
        reference: "PostgreSQL documentation: idle_in_transaction_session_timeout",
        supersedes: &["hot-row", "horizon-held", "chatty-transactions"],
        find: idle_in_transaction_blocks,
    },
    CauseRule {
        id: "prepared-transaction-blocks",
        urgency: Urgency::Now,
        what: "A prepared transaction keeps locks that others wait for",
        decides: "the head of a lock queue has no process (number 0 in `pg_blocking_pids`)",
        against: "Its transaction manager may be about to end it",
        reference: "PostgreSQL documentation: PREPARE TRANSACTION; pg_prepared_xacts",
        supersedes: &["hot-row"],
        find: prepared_transaction_blocks,
    },
    CauseRule {
        id: "lock-queue",
        urgency: Urgency::Now,
        what: "A working session keeps locks that others wait for",
        decides: "the session at the head of a lock queue is in a statement, its transaction is 5 s old or older, and 2 or more sessions wait behind it",
        against: "The statement may be wanted, and its end near: cancelling loses its work",
        reference: LOCKING,
        supersedes: &["hot-row"],
        find: lock_queue,
    },
    CauseRule {
        id: "hot-row",
        urgency: Urgency::Performance,
        what: "Many transactions change the same rows, one after the other",
        decides: "`Lock:tuple` and `Lock:transactionid` are 30 % of session time or more, with half a session or more, and nobody keeps the lock",
        against: "A holder that is idle in transaction or works for long looks the same and is named instead; where holders wait for their flush, the queue is one for the WAL",
        reference: "PostgreSQL documentation: Explicit Locking, Row-Level Locks; wait events tuple, transactionid",
        supersedes: &[],
        find: hot_row,
    },
    CauseRule {
        id: "advisory-lock",
        urgency: Urgency::Performance,
        what: "Sessions queue for an advisory lock of the application",
        decides: "`Lock:advisory` is 20 % of session time or more, with half a session or more",
        against: "Migration tools take one for minutes on purpose",
        reference: "PostgreSQL documentation: Explicit Locking, Advisory Locks",
        supersedes: &[],
        find: advisory_lock,
    },
    CauseRule {
        id: "deadlocks",
        urgency: Urgency::Performance,
        what: "Transactions wait for each other and are rolled back",
        decides: "2 deadlocks or more while observed",
        against: "Where the client repeats the transaction, the loss is deadlock_timeout and the work of one of them",
        reference: "PostgreSQL documentation: Explicit Locking, Deadlocks; deadlock_timeout",
        supersedes: &[],
        find: deadlocks,
    },
];

/// `pid 4711 (app, pgbench), idle in transaction for 26.0 s`
fn who(session: &QueuedSession) -> String {
    let mut text = format!("pid {}", session.pid);
    let names = [&session.user, &session.application, &session.backend_type];
    let names: Vec<&str> = names.iter().map(|n| n.as_str()).filter(|n| !n.is_empty()).collect();
    if !names.is_empty() {
        text += &format!(" ({})", names.join(", "));
    }
    if !session.state.is_empty() {
        text += &format!(", {}", session.state);
        text += &session.state_age_ns.map_or(String::new(), |ns| format!(" for {}", age(ns)));
    }
    text
}

/// How many wait; of so many at most was asked.
fn queue(behind: usize) -> String {
    let waiters = whole_sessions(behind);
    if behind as f64 >= LockHolder::ASKED { format!("{waiters} or more") } else { waiters }
}

/// The table that most of these wait for.
fn table<'a>(waiters: &[&'a QueuedSession]) -> Option<&'a str> {
    let mut times: BTreeMap<&str, usize> = BTreeMap::new();
    for name in waiters.iter().filter_map(|waiter| waiter.table.as_deref()) {
        *times.entry(name).or_default() += 1;
    }
    times.into_iter().max_by_key(|(_, times)| *times).map(|(name, _)| name)
}

fn on(table: Option<&str>) -> String {
    table.map_or(String::new(), |table| format!(" on {table}"))
}

fn last_statement(session: &QueuedSession) -> Option<String> {
    let text = session.text.as_deref().filter(|text| !text.is_empty())?;
    Some(format!("its statement: {}", excerpt(text)))
}

fn transaction_age(session: &QueuedSession) -> Option<String> {
    session.transaction_age_ns.map(|ns| format!("its transaction is {} old", age(ns)))
}

fn observe_again() -> String {
    "narrows observe URL: nobody waits for locks any more".to_string()
}

/// Whether it has waited for its client for longer than others should wait for it.
fn keeps_idle(session: &QueuedSession) -> bool {
    let idle = session.state.starts_with("idle in transaction");
    session.pid != 0 && idle && session.state_age_ns.is_some_and(|ns| ns >= KEPT_NS)
}

/// Whether it works in a transaction that is older than others should wait for.
fn keeps_working(session: &QueuedSession) -> bool {
    let idle = session.state.starts_with("idle in transaction");
    let old = session.transaction_age_ns.or(session.state_age_ns);
    session.pid != 0 && !idle && old.is_some_and(|ns| ns >= KEPT_NS)
}

/// DDL statements in the queue that have waited for longer than they should.
fn waiting_ddl<'a>(queue: &LockQueue<'a>) -> Vec<&'a QueuedSession> {
    let long = |session: &&QueuedSession| session.state_age_ns.is_none_or(|ns| ns >= DDL_WAITS_NS);
    queue.strong_waiters().into_iter().filter(long).collect()
}

/// Heads that `is_one`, with those behind them; who waits behind a DDL statement counts there.
fn heads<'a>(
    server: &ObservedServer<'a>,
    is_one: impl Fn(&QueuedSession) -> bool,
) -> Vec<(&'a QueuedSession, Vec<&'a QueuedSession>)> {
    let queue = LockQueue::of(&server.consumers.lock_queue);
    let apart: BTreeSet<u32> = waiting_ddl(&queue).iter().map(|session| session.pid).collect();
    let these = queue.heads().filter(|head| is_one(head));
    these
        .map(|head| (head, queue.behind(head.pid, &apart)))
        .filter(|(_, behind)| !behind.is_empty())
        .collect()
}

fn ddl_queue(server: &ObservedServer) -> Vec<CauseDraft> {
    let queue_of_locks = LockQueue::of(&server.consumers.lock_queue);
    let found = waiting_ddl(&queue_of_locks).into_iter().map(|ddl| {
        let behind = queue_of_locks.behind(ddl.pid, &BTreeSet::new());
        let ahead = queue_of_locks.ahead(ddl);
        let head = ahead.first().map(|head| if head.pid == 0 { "a prepared transaction".to_string() } else { who(head) });
        let head_words = head.as_ref().map_or(String::new(), |head| format!(" behind {head}"));
        let mode = ddl.mode.as_deref().unwrap_or_default();
        let mut subjects = vec![draft::session(ddl.pid)];
        subjects.extend(ahead.iter().map(|head| draft::session(head.pid)));
        subjects.extend(ddl.table.iter().map(|name| draft::table(name)));
        CauseDraft {
            summary: format!(
                "pid {} waits for {mode}{}{head_words}, and {} behind it",
                ddl.pid,
                on(ddl.table.as_deref()),
                waits(behind.len()),
            ),
            evidence: joined([
                Some(who(ddl)),
                last_statement(ddl),
                ahead.first().and_then(|head| last_statement(head)).map(|text| format!("at the head, {text}")),
            ]),
            against: "the session at the head may end soon, and then the DDL statement runs and lets the others go".to_string(),
            action: format!(
                "cancel the waiting statement of pid {}, not the session at the head; repeat it with SET lock_timeout = '2s', again and again until it gets the lock",
                ddl.pid
            ),
            statement: Some(format!("SELECT pg_cancel_backend({})", ddl.pid)),
            undo: "run the DDL statement again".to_string(),
            verify: observe_again(),
            subjects,
            behind: behind.len() as f64,
            ..CauseDraft::default()
        }
    });
    found.collect()
}

/// `1 session waits`, `12 sessions wait`
fn waits(behind: usize) -> String {
    format!("{} {}", queue(behind), if behind == 1 { "waits" } else { "wait" })
}

fn idle_in_transaction_blocks(server: &ObservedServer) -> Vec<CauseDraft> {
    let found = heads(server, keeps_idle).into_iter().map(|(head, behind)| {
        let role = identifier(&head.user).unwrap_or_else(|| "ROLE".to_string());
        CauseDraft {
            summary: format!(
                "{}, blocks {}{}",
                who(head),
                queue(behind.len()),
                on(table(&behind))
            ),
            evidence: joined([
                Some(format!("{} for its locks", waits(behind.len()))),
                transaction_age(head),
                last_statement(head),
            ]),
            against: "its client may still go on with the transaction".to_string(),
            action: format!(
                "end the session of pid {}; so that it does not happen again: ALTER ROLE {role} SET idle_in_transaction_session_timeout = '60s', and end transactions before anything that waits (a person, another service)",
                head.pid
            ),
            statement: Some(format!("SELECT pg_terminate_backend({})", head.pid)),
            undo: format!(
                "none: its transaction is rolled back and its client has to repeat it; the timeout: ALTER ROLE {role} RESET idle_in_transaction_session_timeout"
            ),
            verify: observe_again(),
            subjects: vec![draft::session(head.pid)],
            behind: behind.len() as f64,
            ..CauseDraft::default()
        }
    });
    found.collect()
}

fn prepared_transaction_blocks(server: &ObservedServer) -> Vec<CauseDraft> {
    let prepared: Vec<_> =
        server.consumers.horizon.iter().filter(|h| h.kind == HorizonKind::Prepared).collect();
    // With several, whose locks they are isn't known.
    let one = match prepared[..] {
        [one] => Some(one),
        _ => None,
    };
    let gid = one.and_then(|one| literal(&one.name));
    let found = heads(server, |head| head.pid == 0).into_iter().map(|(_, behind)| CauseDraft {
        summary: format!(
            "a prepared transaction blocks {}{}",
            queue(behind.len()),
            on(table(&behind))
        ),
        evidence: joined([
            Some(format!("{} for its locks", waits(behind.len()))),
            gid.as_ref().map(|gid| format!("the one that holds a snapshot: {gid}")),
            one.and_then(|one| one.age_ns).map(|ns| format!("prepared {} ago", age(ns))),
        ]),
        against: "check by pg_prepared_xacts and pg_locks that it is this one, and ask its owner: the other halves of it may be committed elsewhere".to_string(),
        action: "end it in its own database: COMMIT PREPARED where its transaction manager committed the rest, ROLLBACK PREPARED where not. SELECT * FROM pg_prepared_xacts names it and its owner".to_string(),
        statement: gid.as_ref().map(|gid| format!("ROLLBACK PREPARED {gid}")),
        undo: "none: what is rolled back is lost".to_string(),
        verify: observe_again(),
        behind: behind.len() as f64,
        ..CauseDraft::default()
    });
    found.collect()
}

fn lock_queue(server: &ObservedServer) -> Vec<CauseDraft> {
    let heads = heads(server, keeps_working).into_iter();
    let found = heads.filter(|(_, behind)| behind.len() >= LEAST_BEHIND_ACTIVE).map(|(head, behind)| {
        let is_client = head.backend_type.is_empty() || head.backend_type == "client backend";
        let doing = head.waits_for.as_ref().map(|event| format!("it waits for {event}"));
        CauseDraft {
            summary: format!("{}, blocks {}{}", who(head), queue(behind.len()), on(table(&behind))),
            evidence: joined([
                Some(format!("{} for its locks", waits(behind.len()))),
                doing.or_else(|| Some("it waits for nothing: it works".to_string())),
                transaction_age(head),
                last_statement(head),
            ]),
            against: if is_client {
                "the statement may be wanted and its end near"
            } else {
                "an autovacuum gives way by itself, unless it prevents wraparound: then let it end"
            }
            .to_string(),
            action: if is_client {
                format!("decide whether the statement of pid {} is worth the wait; pg_cancel_backend stops it. Long changes in short transactions, a few thousand rows each, block nobody for long", head.pid)
            } else {
                "let it end; look at it again in a minute".to_string()
            },
            statement: is_client.then(|| format!("SELECT pg_cancel_backend({})", head.pid)),
            undo: "run the statement again: what it had done is rolled back".to_string(),
            verify: observe_again(),
            subjects: vec![draft::session(head.pid)],
            behind: behind.len() as f64,
            ..CauseDraft::default()
        }
    });
    found.collect()
}

/// The statement of which most sessions were found in a state.
pub(super) fn most_in<'b, 'a>(
    server: &'b ObservedServer<'a>,
    of: impl Fn(&SampledGroup) -> f64,
) -> Option<(&'b StatementLoad<'a>, f64)> {
    let loads = server.statements.iter();
    let known = loads.filter_map(|load| Some((load, of(load.group?))));
    known.filter(|(_, n)| *n > 0.0).max_by(|a, b| a.1.total_cmp(&b.1))
}

/// Sessions of a group found in one of these waits.
pub(super) fn at_events(group: &SampledGroup, names: &[&str]) -> f64 {
    let events = group.events.iter();
    let these = events.filter(|(event, _)| names.iter().any(|n| n.eq_ignore_ascii_case(event)));
    these.map(|(_, n)| n).sum()
}

fn hot_row(server: &ObservedServer) -> Vec<CauseDraft> {
    let rows = server.at_events(&["Lock:tuple", "Lock:transactionid"]);
    let Some(rows) = rows.filter(|w| w.share >= ROW_LOCKS && w.sessions >= LEAST_WAITERS) else {
        return Vec::new();
    };
    let queue = LockQueue::of(&server.consumers.lock_queue);
    if queue.heads().any(|head| head.pid == 0 || keeps_idle(head) || keeps_working(head)) {
        return Vec::new();
    }
    let waiters: Vec<&QueuedSession> =
        server.consumers.lock_queue.iter().filter(|session| !session.behind.is_empty()).collect();
    let table = table(&waiters);
    let statement = most_in(server, |group| group.of(ActivityState::Lock));
    let (share, gain_at_most) = server.worth_of_wait(rows.share, LOCKS);
    let in_flush = server.seen.sessions.holders.filter(|holders| holders.answers > 0);
    let in_flush =
        in_flush.filter(|holders| 2 * holders.in_flush.min(holders.answers) > holders.answers);
    let by = statement.map_or(String::new(), |(load, _)| format!(": {}", load.words()));
    vec![CauseDraft {
        summary: format!(
            "row locks{}: {} for each other's transactions{by}",
            on(table),
            sessions_that(rows.sessions, "waits", "wait")
        ),
        evidence: joined([
            Some(format!("Lock:tuple and Lock:transactionid are {} of session time", percent(rows.share))),
            statement.map(|(_, n)| format!("{} of these sessions in that statement", sessions(n))),
            in_flush.map(|h| format!("holders waited for their WAL flush in {} of {} answers", h.in_flush, h.answers)),
        ]),
        against: match in_flush {
            Some(_) => "holders wait for their flush: a faster flush shortens the queue as well",
            None => "a holder that works for long is no hot row: its statement is then the one to shorten",
        }
        .to_string(),
        action: "hold the lock for a shorter time: make that statement the last of its transaction. Spread what all change (a counter over several rows); take work from a queue table with FOR UPDATE SKIP LOCKED".to_string(),
        undo: "the change in the application or schema, back".to_string(),
        verify: "narrows observe URL: the share of Lock:tuple and Lock:transactionid".to_string(),
        share,
        gain_at_most,
        statement_id: statement.map_or(String::new(), |(load, _)| load.id.to_string()),
        subjects: Vec::new(),
        ..CauseDraft::default()
    }]
}

fn advisory_lock(server: &ObservedServer) -> Vec<CauseDraft> {
    let waits = server.at_events(&["Lock:advisory"]);
    let Some(waits) = waits.filter(|w| w.share >= ADVISORY_LOCKS && w.sessions >= LEAST_WAITERS)
    else {
        return Vec::new();
    };
    let statement = most_in(server, |group| at_events(group, &["Lock:advisory"]));
    let application = server.consumers.sampled.iter().flat_map(|sampled| &sampled.groups);
    let application = application
        .filter(|group| group.kind == ConsumerKind::Application && !group.name.is_empty())
        .max_by(|a, b| a.of(ActivityState::Lock).total_cmp(&b.of(ActivityState::Lock)))
        .filter(|group| group.of(ActivityState::Lock) > 0.0);
    let by = application.map_or(String::new(), |group| format!(" of {}", group.name));
    let (share, gain_at_most) = server.worth_of_wait(waits.share, LOCKS);
    vec![CauseDraft {
        summary: format!("{} for an advisory lock{by}", sessions_that(waits.sessions, "waits", "wait")),
        evidence: joined([
            Some(format!("Lock:advisory is {} of session time", percent(waits.share))),
            statement.map(|(load, _)| load.words()),
        ]),
        against: "a migration tool takes one for minutes on purpose, and others wait for it once".to_string(),
        action: "shorten what runs under the lock; pg_try_advisory_xact_lock where others can go on without it; one lock for each thing that it protects. SELECT pid, classid, objid, granted FROM pg_locks WHERE locktype = 'advisory' shows holder and waiters".to_string(),
        undo: "the change in the application, back".to_string(),
        verify: "narrows observe URL: the share of Lock:advisory".to_string(),
        share,
        gain_at_most,
        statement_id: statement.map_or(String::new(), |(load, _)| load.id.to_string()),
        ..CauseDraft::default()
    }]
}

fn deadlocks(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(n) = server.seen.counted.deadlocks.filter(|n| *n >= LEAST_DEADLOCKS) else {
        return Vec::new();
    };
    let rate = server.seen.per_s(Some(n)).map(|rate| format!("{:.1} per minute", rate * 60.0));
    vec![CauseDraft {
        summary: format!("{n:.0} deadlocks: transactions lock the same rows in different order"),
        evidence: joined([Some(format!("{n:.0} deadlocks in {}", age(server.seen.interval_ns))), rate]),
        against: "where the client repeats what was rolled back, only deadlock_timeout and the work of one transaction are lost".to_string(),
        action: "lock rows in one order in all transactions (sort by key before UPDATE); the server's log has both statements of each deadlock".to_string(),
        undo: "the change in the application, back".to_string(),
        verify: "SELECT datname, deadlocks FROM pg_stat_database: it stops rising".to_string(),
        ..CauseDraft::default()
    }]
}
