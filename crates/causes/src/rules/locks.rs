//! Who keeps locks that others wait for.
//!
//! PostgreSQL documentation: Explicit Locking; Viewing Locks; System Administration Functions, `pg_blocking_pids`.

use std::collections::BTreeSet;

use narrows_model::{
    ActivityState, ConsumerKind, HorizonKind, LockKept, QueuedSession, SampledGroup, Urgency,
    cancels_waiting,
};

use crate::law::LOCKS;
use crate::queue::LockQueue;
use crate::queue_words::{
    self, has_ended, last_statement, on, queue, table, transaction_age, waits,
};
use crate::sql::{identifier, literal};
use crate::statements::StatementLoad;
use crate::words::{age, joined, percent, sessions, sessions_that};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

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
        has_reason: true,
        what: "A statement waits for a strong lock on a table, and all others queue behind it",
        decides: "a session waits for `Lock:relation` in AccessExclusive, Exclusive, ShareRowExclusive or Share mode for 2 s or more while others wait behind it (at the moment with the longest queue). Urgent, and with a statement, where the queue was seen in the last 5 s; else it is one of before",
        against: "The session at the head may be a report that ends soon; an autovacuum at the head ends by itself after deadlock_timeout unless it prevents wraparound",
        reference: "PostgreSQL documentation: Explicit Locking, Table-Level Locks; lock_timeout",
        supersedes: &["hot-row"],
        find: ddl_queue,
    },
    CauseRule {
        id: "idle-in-transaction-blocks",
        urgency: Urgency::Now,
        has_reason: true,
        what: "A session idle in transaction keeps locks that others wait for",
        decides: "the session at the head of a lock queue has been idle in transaction for 5 s or more (at the moment with the longest queue). Urgent, and with a statement, where the queue was seen in the last 5 s; else it is one of before",
        against: "A person at a terminal, or a client that computes and will go on; who waits behind a DDL statement alone counts there",
        reference: "PostgreSQL documentation: idle_in_transaction_session_timeout",
        supersedes: &["hot-row", "horizon-held", "chatty-transactions"],
        find: idle_in_transaction_blocks,
    },
    CauseRule {
        id: "prepared-transaction-blocks",
        urgency: Urgency::Now,
        has_reason: true,
        what: "A prepared transaction keeps locks that others wait for",
        decides: "the head of a lock queue has no process (number 0 in `pg_blocking_pids`). Urgent, and with a statement, where the queue was seen in the last 5 s; else it is one of before",
        against: "Its transaction manager may be about to end it",
        reference: "PostgreSQL documentation: PREPARE TRANSACTION; pg_prepared_xacts",
        supersedes: &["hot-row"],
        find: prepared_transaction_blocks,
    },
    CauseRule {
        id: "lock-queue",
        urgency: Urgency::Now,
        has_reason: true,
        what: "A session in a long transaction keeps locks that others wait for, or one outside any transaction an advisory lock",
        decides: "the transaction of the session at the head of a lock queue is 5 s old or older, or the session has been idle, in no transaction, for 5 s or more; and 2 or more sessions wait behind it. Urgent, and with a statement, where the queue was seen in the last 5 s; else it is one of before",
        against: "The statement may be wanted, and its end near: cancelling loses its work. Where services elect a leader by an advisory lock, all others wait for it on purpose",
        reference: LOCKING,
        supersedes: &["hot-row"],
        find: lock_queue,
    },
    CauseRule {
        id: "hot-row",
        urgency: Urgency::Performance,
        has_reason: true,
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
        has_reason: true,
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
        has_reason: true,
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
    let names = [&session.user, &session.application, &session.backend_type];
    queue_words::who("pid", &names.map(String::as_str), session)
}

/// When a queue was seen, and what follows from that: what is gone is told as what was, and nobody is to be stopped for it.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Queue {
    /// In the last seconds.
    There,
    /// So long before the end, ns.
    Gone(f64),
    /// At some moment: nothing tells whether it is still there.
    Once,
}

impl Queue {
    fn of(server: &ObservedServer) -> Queue {
        match (server.consumers.lock_queue_gone_ns(), server.consumers.lock_queue_age_ns) {
            (Some(ns), _) => Queue::Gone(ns),
            (None, Some(_)) => Queue::There,
            (None, None) => Queue::Once,
        }
    }
}

/// What is done at once: in words, as a statement, and what takes it back.
struct AtOnce {
    action: String,
    statement: Option<String>,
    undo: String,
}

/// What keeps it from happening again, and what takes that back; empty where it is nothing more.
#[derive(Default)]
struct Lasting {
    action: String,
    undo: String,
}

/// The cause with what is to be done: at once where its queue is there, and else only what lasts.
fn told(server: &ObservedServer, found: CauseDraft, now: AtOnce, lasting: &Lasting) -> CauseDraft {
    let seen = Queue::of(server);
    let known = |text: &String| Some(text.clone());
    let verify = "narrows observe URL: nobody waits for locks any more".to_string();
    if seen == Queue::There {
        let none = now.statement.as_ref().map(|_| {
            "where the statement returns no row, that is over meanwhile, or your role may not see it (pg_monitor)".to_string()
        });
        return CauseDraft {
            action: joined([Some(now.action), none, known(&lasting.action)]),
            statement: now.statement,
            undo: joined([Some(now.undo), known(&lasting.undo)]),
            verify,
            ..found
        };
    }
    let when = match seen {
        Queue::Gone(ns) => format!("{} before the end of the look, gone since", age(ns)),
        _ => "at a moment of the look, not known to be there since".to_string(),
    };
    // Of the time in locks it had no more than all of it.
    let (share, _) = server
        .in_state(ActivityState::Lock)
        .filter(|waits| waits.share > 0.0)
        .map_or((None, None), |waits| server.worth_of_wait(waits.share, LOCKS));
    let again = "where it comes again: narrows observe URL while it is there".to_string();
    CauseDraft {
        summary: format!("{when}: {}", found.summary),
        action: joined([known(&lasting.action), Some(again)]),
        undo: if lasting.undo.is_empty() {
            "nothing to take back".to_string()
        } else {
            lasting.undo.clone()
        },
        verify,
        share,
        urgency: Some(Urgency::Performance),
        // Nobody stands still any more.
        behind: 0.0,
        ..found
    }
}

fn keeps_idle(session: &QueuedSession) -> bool {
    session.kept() == Some(LockKept::Idle)
}

/// Whether it keeps its lock by a long transaction, or at session level.
fn keeps_otherwise(session: &QueuedSession) -> bool {
    matches!(session.kept(), Some(LockKept::Transaction | LockKept::Session))
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
        let found = CauseDraft {
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
            subjects,
            behind: behind.len() as f64,
            ..CauseDraft::default()
        };
        let now = AtOnce {
            action: format!("cancel the waiting statement of pid {}, and those that wait only for it go on{}", ddl.pid, gets_it_when(&ahead)),
            statement: Some(cancels_waiting(ddl.pid, ddl.state_age_ns.unwrap_or(DDL_WAITS_NS))),
            undo: "none: what its transaction had done is rolled back, and has to be done anew".to_string(),
        };
        let lasting = Lasting {
            action: "run such statements with SET lock_timeout = '2s', so that others wait for 2 s at most, and try again after a pause".to_string(),
            undo: String::new(),
        };
        told(server, found, now, &lasting)
    });
    found.collect()
}

/// When a DDL statement gets its lock after all: however often it tries, not before those at the head have ended.
fn gets_it_when(heads: &[&QueuedSession]) -> String {
    let ended = has_ended(("the transaction of pid", "the transactions of pids"), heads);
    ended.map_or(String::new(), |ended| format!("; it gets no lock before {ended}"))
}

fn idle_in_transaction_blocks(server: &ObservedServer) -> Vec<CauseDraft> {
    let found = heads(server, keeps_idle).into_iter().map(|(head, behind)| {
        let role = identifier(&head.user).unwrap_or_else(|| "ROLE".to_string());
        let found = CauseDraft {
            summary: format!("{}, blocks {}{}", who(head), queue(behind.len()), on(table(&behind))),
            evidence: joined([
                Some(format!("{} for its locks", waits(behind.len()))),
                transaction_age(head),
                last_statement(head),
            ]),
            against: "its client may still go on with the transaction".to_string(),
            subjects: vec![draft::session(head.pid)],
            behind: behind.len() as f64,
            ..CauseDraft::default()
        };
        let now = AtOnce {
            action: format!("end the session of pid {}", head.pid),
            statement: head.end(),
            undo: "none: its transaction is rolled back and its client has to repeat it".to_string(),
        };
        let lasting = Lasting {
            action: format!("so that it does not happen again: ALTER ROLE {role} SET idle_in_transaction_session_timeout = '60s', and end transactions before anything that waits (a person, another service)"),
            undo: format!("the timeout: ALTER ROLE {role} RESET idle_in_transaction_session_timeout"),
        };
        told(server, found, now, &lasting)
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
    let found = heads(server, |head| head.pid == 0).into_iter().map(|(_, behind)| {
        let found = CauseDraft {
            summary: format!("a prepared transaction blocks {}{}", queue(behind.len()), on(table(&behind))),
            evidence: joined([
                Some(format!("{} for its locks", waits(behind.len()))),
                gid.as_ref().map(|gid| format!("the one that holds a snapshot: {gid}")),
                one.and_then(|one| one.age_ns).map(|ns| format!("prepared {} ago", age(ns))),
            ]),
            against: "check by pg_prepared_xacts and pg_locks that it is this one, and ask its owner: the other halves of it may be committed elsewhere".to_string(),
            behind: behind.len() as f64,
            ..CauseDraft::default()
        };
        let now = AtOnce {
            action: prepared_way_out(gid.as_deref()),
            statement: Some(PREPARED.to_string()),
            undo: "none: what is rolled back is lost, and what is committed stays".to_string(),
        };
        let lasting = Lasting {
            action: "let the transaction manager end what it prepared, after a crash of its own too; without one: max_prepared_transactions = 0 (restart)".to_string(),
            undo: String::new(),
        };
        told(server, found, now, &lasting)
    });
    found.collect()
}

/// Names prepared transactions. Which of two ends is right no server knows, so that neither is a statement to paste.
pub(super) const PREPARED: &str =
    "SELECT gid, prepared, owner, database FROM pg_prepared_xacts ORDER BY prepared";

/// How a prepared transaction is ended.
pub(super) fn prepared_way_out(gid: Option<&str>) -> String {
    let gid = gid.unwrap_or("…");
    format!(
        "ask its owner, then end it in its own database: COMMIT PREPARED {gid} where its transaction manager committed the rest, ROLLBACK PREPARED {gid} where not"
    )
}

/// What a session at the head does, and what is to be done about it.
fn working(head: &QueuedSession, behind: &[&QueuedSession]) -> (String, String, AtOnce, Lasting) {
    let pid = head.pid;
    let lasting = |action: &str| Lasting { action: action.to_string(), undo: String::new() };
    if !(head.backend_type.is_empty() || head.backend_type == "client backend") {
        let now = AtOnce {
            action: "let it end; look at it again in a minute".to_string(),
            statement: None,
            undo: "nothing to take back".to_string(),
        };
        let against = if head.backend_type.starts_with("autovacuum") {
            "an autovacuum gives way by itself, unless it prevents wraparound: then let it end"
        } else {
            "it is a process of the server's own, and no client's session"
        };
        let does = "it works".to_string();
        return (does, against.to_string(), now, Lasting::default());
    }
    if head.kept() == Some(LockKept::Session) {
        let advisory =
            behind.iter().any(|waiter| waiter.waits_for.as_deref() == Some("Lock:advisory"));
        let does = if advisory {
            "it is in no transaction: it keeps an advisory lock of its session (pg_advisory_lock)"
        } else {
            "it is in no transaction: only an advisory lock of its session (pg_advisory_lock) outlasts one"
        };
        let now = AtOnce {
            action: format!("pg_advisory_unlock in the session of pid {pid}, by its application, or end that session; there is no statement of it to cancel"),
            statement: head.end(),
            undo: "none: its client has to connect again, and its other locks and prepared statements are gone".to_string(),
        };
        let against = "where services elect a leader by that lock, or a migration tool runs under it, all others wait on purpose";
        let lasting = lasting(
            "pg_advisory_xact_lock, which goes with its transaction; a session-level lock behind a pooler in transaction mode stays with whichever connection took it",
        );
        return (does.to_string(), against.to_string(), now, lasting);
    }
    let idle = head.state.starts_with("idle in transaction");
    let does = match &head.waits_for {
        Some(event) => format!("it waits for {event}"),
        None => "it waits for nothing: it works".to_string(),
    };
    let now = AtOnce {
        action: if idle {
            format!(
                "decide whether the transaction of pid {pid} is worth the wait; it is between two statements, so that only the end of its session stops it"
            )
        } else {
            format!(
                "decide whether the statement of pid {pid} is worth the wait; pg_cancel_backend stops it"
            )
        },
        statement: head.end(),
        undo: "run the transaction again: what it had done is rolled back".to_string(),
    };
    let against = "the statement may be wanted and its end near".to_string();
    let short =
        "long changes in short transactions, a few thousand rows each, block nobody for long";
    (does, against, now, lasting(short))
}

/// Heads that keep their locks otherwise than idle in transaction, with those behind them.
fn kept_otherwise<'a>(
    server: &ObservedServer<'a>,
) -> Vec<(&'a QueuedSession, Vec<&'a QueuedSession>)> {
    let heads = heads(server, keeps_otherwise).into_iter();
    heads.filter(|(_, behind)| behind.len() >= LEAST_BEHIND_ACTIVE).collect()
}

fn lock_queue(server: &ObservedServer) -> Vec<CauseDraft> {
    let found = kept_otherwise(server).into_iter().map(|(head, behind)| {
        let (does, against, now, lasting) = working(head, &behind);
        let found = CauseDraft {
            summary: format!("{}, blocks {}{}", who(head), queue(behind.len()), on(table(&behind))),
            evidence: joined([
                Some(format!("{} for its locks", waits(behind.len()))),
                Some(does),
                transaction_age(head),
                last_statement(head),
            ]),
            against,
            subjects: vec![draft::session(head.pid)],
            behind: behind.len() as f64,
            ..CauseDraft::default()
        };
        told(server, found, now, &lasting)
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
    let Some(rows) = rows.filter(|w| w.reaches(ROW_LOCKS) && w.sessions >= LEAST_WAITERS) else {
        return Vec::new();
    };
    let queue = LockQueue::of(&server.consumers.lock_queue);
    if queue.heads().any(|head| head.kept().is_some()) {
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
    let Some(waits) = waits.filter(|w| w.reaches(ADVISORY_LOCKS) && w.sessions >= LEAST_WAITERS)
    else {
        return Vec::new();
    };
    // The session that keeps it is named.
    if kept_otherwise(server).iter().any(|(head, _)| head.kept() == Some(LockKept::Session)) {
        return Vec::new();
    }
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
        summary: format!("{n:.0} deadlocks: transactions lock the same rows or tables in different order"),
        evidence: joined([Some(format!("{n:.0} deadlocks in {}", age(server.seen.interval_ns))), rate]),
        against: "where the client repeats what was rolled back, only deadlock_timeout and the work of one transaction are lost".to_string(),
        action: "lock rows in one order in all transactions (sort by key before UPDATE); the server's log has both statements of each deadlock".to_string(),
        undo: "the change in the application, back".to_string(),
        verify: "SELECT datname, deadlocks FROM pg_stat_database: it stops rising".to_string(),
        ..CauseDraft::default()
    }]
}
