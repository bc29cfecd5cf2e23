//! Who keeps locks that others wait for.
//!
//! MariaDB documentation: Metadata Locking; InnoDB Lock Modes; KILL; WAIT and NOWAIT; METADATA_LOCK_INFO Plugin.

use std::collections::BTreeSet;

use narrows_model::{CauseShare, LockKept, QueuedSession, Urgency};

use super::observe_again;
use crate::queue::LockQueue;
use crate::queue_words::{
    self, has_ended, last_statement, on, queue, table, transaction_age, waits,
};
use crate::words::{age, joined, percent, sessions_that};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// See [`LockKept::LEAST_NS`].
const KEPT_NS: f64 = LockKept::LEAST_NS;
/// A DDL statement that waits for longer than the `lock_wait_timeout` that is advised for it, ns.
const DDL_WAITS_NS: f64 = 2e9;
/// Behind a statement that works, one waiter is ordinary.
const LEAST_BEHIND_ACTIVE: usize = 2;
/// Share of session time in row locks from which on they are the trouble.
const ROW_LOCKS: f64 = 0.3;
/// Sessions in such a wait, mean, of which fewer are no queue.
const LEAST_WAITERS: f64 = 0.5;
/// One deadlock while observed is an accident.
const LEAST_DEADLOCKS: f64 = 2.0;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "mariadb-ddl-queue",
        urgency: Urgency::Now,
        has_reason: true,
        what: "A statement that changes a table waits for its metadata lock, and all others queue behind it",
        decides: "a session in `Waiting for table metadata lock` runs ALTER, DROP, TRUNCATE, RENAME, OPTIMIZE, LOCK or CREATE INDEX, has waited for 2 s or more, and others wait behind it (at the moment with the longest queue)",
        against: "The session at the head may be a report that ends soon; without the plugin METADATA_LOCK_INFO the head is concluded from the ages of transactions and statements",
        reference: "MariaDB documentation: Metadata Locking; lock_wait_timeout; METADATA_LOCK_INFO Plugin",
        supersedes: &["mariadb-hot-row", "mariadb-purge-held"],
        find: ddl_queue,
    },
    CauseRule {
        id: "mariadb-idle-in-transaction-blocks",
        urgency: Urgency::Now,
        has_reason: true,
        what: "A session that sleeps in an open transaction keeps locks that others wait for",
        decides: "the session at the head of a lock queue (INNODB_LOCK_WAITS, or a metadata lock) is in `Sleep` for 5 s or more with a transaction open (at the moment with the longest queue)",
        against: "A person at a terminal, or a client that computes and will go on; who waits behind a DDL statement counts there",
        reference: "MariaDB documentation: Information Schema INNODB_TRX Table; idle_transaction_timeout",
        supersedes: &["mariadb-hot-row", "mariadb-purge-held"],
        find: idle_in_transaction_blocks,
    },
    CauseRule {
        id: "mariadb-lock-queue",
        urgency: Urgency::Now,
        has_reason: true,
        what: "A working session keeps locks that others wait for",
        decides: "the session at the head of a lock queue is in a statement, its transaction is 5 s old or older, and 2 or more sessions wait behind it",
        against: "The statement may be wanted, and its end near: killing it loses its work, and what it changed has to be rolled back",
        reference: "MariaDB documentation: Information Schema INNODB_LOCK_WAITS Table; KILL",
        supersedes: &["mariadb-hot-row"],
        find: lock_queue,
    },
    CauseRule {
        id: "mariadb-hot-row",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Many transactions change the same rows, one after the other",
        decides: "sessions whose transaction is in LOCK WAIT are 30 % of session time or more, with half a session or more, and nobody keeps the lock for 5 s",
        against: "A holder that sleeps in its transaction or works for long looks the same and is named instead; a change without an index locks every row that it reads",
        reference: "MariaDB documentation: InnoDB Lock Modes; Innodb_row_lock_time",
        supersedes: &[],
        find: hot_row,
    },
    CauseRule {
        id: "mariadb-deadlocks",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Transactions wait for each other and are rolled back",
        decides: "Innodb_deadlocks grew by 2 or more while observed",
        against: "Where the client repeats the transaction, the loss is the work of one of them",
        reference: "MariaDB documentation: Innodb_deadlocks; innodb_print_all_deadlocks",
        supersedes: &[],
        find: deadlocks,
    },
];

/// `connection 12 (app, 10.0.0.7), idle in transaction for 26.0 s`
fn who(session: &QueuedSession) -> String {
    queue_words::who("connection", &[&session.user, &session.application], session)
}

fn is_idle(session: &QueuedSession) -> bool {
    session.state.starts_with("idle in transaction")
}

fn keeps_idle(session: &QueuedSession) -> bool {
    is_idle(session) && session.state_age_ns.is_some_and(|ns| ns >= KEPT_NS)
}

fn keeps_working(session: &QueuedSession) -> bool {
    let old = session.transaction_age_ns.or(session.state_age_ns);
    !is_idle(session) && old.is_some_and(|ns| ns >= KEPT_NS)
}

/// Whether it waits for a metadata lock to change a table with it.
fn is_waiting_ddl(session: &QueuedSession) -> bool {
    const CHANGES: [&str; 8] =
        ["ALTER", "DROP", "TRUNCATE", "RENAME", "OPTIMIZE", "REPAIR", "LOCK", "CREATE"];
    let metadata =
        session.waits_for.as_deref().is_some_and(|event| event.ends_with("metadata lock"));
    let text = session.text.as_deref().unwrap_or_default();
    let first = text.split_whitespace().next().unwrap_or_default();
    let long = session.state_age_ns.is_none_or(|ns| ns >= DDL_WAITS_NS);
    metadata && long && CHANGES.iter().any(|word| first.eq_ignore_ascii_case(word))
}

/// DDL statements in the queue that others wait behind.
fn waiting_ddl<'a>(
    server: &ObservedServer<'a>,
    queue: &LockQueue<'a>,
) -> Vec<(&'a QueuedSession, Vec<&'a QueuedSession>)> {
    let all = server.consumers.lock_queue.iter().filter(|session| is_waiting_ddl(session));
    all.map(|ddl| (ddl, queue.behind(ddl.pid, &BTreeSet::new())))
        .filter(|(_, behind)| !behind.is_empty())
        .collect()
}

/// Heads that `is_one`, with those behind them; who waits behind a DDL statement counts there.
fn heads<'a>(
    server: &ObservedServer<'a>,
    is_one: impl Fn(&QueuedSession) -> bool,
) -> Vec<(&'a QueuedSession, Vec<&'a QueuedSession>)> {
    let queue = LockQueue::of(&server.consumers.lock_queue);
    let apart: BTreeSet<u32> =
        waiting_ddl(server, &queue).iter().map(|(session, _)| session.pid).collect();
    let these = queue.heads().filter(|head| head.pid != 0 && is_one(head));
    these
        .map(|head| (head, queue.behind(head.pid, &apart)))
        .filter(|(_, behind)| !behind.is_empty())
        .collect()
}

/// What is said of a head that nobody named.
fn how_known(server: &ObservedServer) -> Option<String> {
    let known = server.consumers.mariadb.as_ref()?.metadata_locks_known;
    (!known).then(|| {
        "who holds the metadata lock is concluded from ages: INSTALL SONAME 'metadata_lock_info' makes the server say it".to_string()
    })
}

fn ddl_queue(server: &ObservedServer) -> Vec<CauseDraft> {
    let locks = LockQueue::of(&server.consumers.lock_queue);
    let found = waiting_ddl(server, &locks).into_iter().map(|(ddl, behind)| {
        let ahead = locks.ahead(ddl);
        let head = ahead.first().map(|head| who(head));
        let head_words = head.map_or(String::new(), |head| format!(" behind {head}"));
        let table = ddl.table.as_ref().map_or(String::new(), |table| format!(" on {table}"));
        let mut subjects = vec![draft::session(ddl.pid)];
        subjects.extend(ahead.iter().map(|head| draft::session(head.pid)));
        CauseDraft {
            summary: format!(
                "connection {} waits for a metadata lock{table}{head_words}, and {} behind it",
                ddl.pid,
                waits(behind.len()),
            ),
            evidence: joined([
                Some(who(ddl)),
                last_statement(ddl),
                ahead.first().and_then(|head| last_statement(head)).map(|text| format!("at the head, {text}")),
            ]),
            against: joined([
                Some("the session at the head may end soon, and then the DDL statement runs and lets the others go".to_string()),
                how_known(server),
            ]),
            action: way_past(server, ddl, &ahead),
            statement: Some(format!("KILL QUERY {}", ddl.pid)),
            undo: "none: what the statement had done is lost".to_string(),
            verify: observe_again("nobody waits for a metadata lock any more"),
            subjects,
            behind: behind.len() as f64,
            ..CauseDraft::default()
        }
    });
    found.collect()
}

/// How those behind a DDL statement go on, and how it gets its lock after all: however often it tries, not before those at the head have ended.
fn way_past(server: &ObservedServer, ddl: &QueuedSession, heads: &[&QueuedSession]) -> String {
    let known = server.consumers.mariadb.as_ref().is_some_and(|of| of.metadata_locks_known);
    let ends = match heads {
        [head] if is_idle(head) && known => format!(
            "it gets no lock before the transaction of connection {0} ends: by its client, or KILL {0}, which rolls it back",
            head.pid
        ),
        heads => {
            let have = has_ended(("connection", "connections"), heads);
            let have = have.unwrap_or("the transactions that use the table have ended".to_string());
            let guessed = if known {
                ""
            } else {
                " (concluded from ages: INSTALL SONAME 'metadata_lock_info' makes the server say it)"
            };
            format!("it gets no lock before {have}{guessed}")
        }
    };
    let text = ddl.text.as_deref().unwrap_or_default().to_ascii_uppercase();
    let copies = text.split_whitespace().collect::<String>().contains("ALGORITHM=COPY");
    let cheaper = if copies {
        "; ALGORITHM=COPY copies the whole table: try ALGORITHM=INSTANT, then NOCOPY"
    } else {
        ""
    };
    format!(
        "stop the waiting statement of connection {}, and those that wait only for it go on; but an online ALTER waits at its end, too, and would lose what it has copied: then end what it waits for instead; {ends}; repeat it as SET STATEMENT lock_wait_timeout=2 FOR …, so that others wait for 2 s at most, with a pause between tries{cheaper}",
        ddl.pid
    )
}

fn idle_in_transaction_blocks(server: &ObservedServer) -> Vec<CauseDraft> {
    let found = heads(server, keeps_idle).into_iter().map(|(head, behind)| {
        let metadata = behind.iter().any(|waiter| {
            waiter.waits_for.as_deref().is_some_and(|event| event.ends_with("metadata lock"))
        });
        CauseDraft {
            summary: format!("{}, blocks {}{}", who(head), queue(behind.len()), on(table(&behind))),
            evidence: joined([
                Some(format!("{} for its locks", waits(behind.len()))),
                transaction_age(head),
                behind.first().and_then(|waiter| last_statement(waiter)).map(|text| format!("the first who waits, {text}")),
            ]),
            against: joined([
                Some("its client may still go on with the transaction".to_string()),
                metadata.then(|| how_known(server)).flatten(),
            ]),
            action: format!(
                "end connection {}; so that it does not happen again: SET GLOBAL idle_transaction_timeout = 60 (for new connections), and end transactions before anything that waits (a person, another service)",
                head.pid
            ),
            statement: Some(format!("KILL {}", head.pid)),
            undo: "none: its transaction is rolled back and its client has to repeat it; the timeout: SET GLOBAL idle_transaction_timeout = 0".to_string(),
            verify: observe_again("nobody waits for locks any more"),
            subjects: vec![draft::session(head.pid)],
            behind: behind.len() as f64,
            ..CauseDraft::default()
        }
    });
    found.collect()
}

fn lock_queue(server: &ObservedServer) -> Vec<CauseDraft> {
    let heads = heads(server, keeps_working).into_iter();
    let found = heads.filter(|(_, behind)| behind.len() >= LEAST_BEHIND_ACTIVE).map(|(head, behind)| {
        CauseDraft {
            summary: format!("{}, blocks {}{}", who(head), queue(behind.len()), on(table(&behind))),
            evidence: joined([
                Some(format!("{} for its locks", waits(behind.len()))),
                transaction_age(head),
                last_statement(head),
            ]),
            against: "the statement may be wanted and its end near; rolling back takes about as long as it has worked".to_string(),
            action: format!(
                "let it end, or stop the statement of connection {}; change many rows in parts that commit apart",
                head.pid
            ),
            statement: Some(format!("KILL QUERY {}", head.pid)),
            undo: "run the statement again".to_string(),
            verify: observe_again("nobody waits for locks any more"),
            subjects: vec![draft::session(head.pid)],
            behind: behind.len() as f64,
            ..CauseDraft::default()
        }
    });
    found.collect()
}

fn hot_row(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(waits) = server.at_events(&["InnoDB row lock"]) else { return Vec::new() };
    let kept = !heads(server, |head| keeps_idle(head) || keeps_working(head)).is_empty();
    if !waits.reaches(ROW_LOCKS) || waits.sessions < LEAST_WAITERS || kept {
        return Vec::new();
    }
    let queued: Vec<&QueuedSession> =
        server.consumers.lock_queue.iter().filter(|session| !session.behind.is_empty()).collect();
    let mean = server.consumers.mariadb.as_ref().and_then(|of| {
        let (ms, n) = (of.grew("Innodb_row_lock_time")?, of.grew("Innodb_row_lock_waits")?);
        (n >= 1.0).then(|| {
            format!("a wait for a row lock takes {} (Innodb_row_lock_time)", age(ms / n * 1e6))
        })
    });
    vec![CauseDraft {
        summary: format!(
            "{} for row locks{}, {} of session time",
            sessions_that(waits.sessions, "waits", "wait"),
            on(table(&queued)),
            percent(waits.share)
        ),
        evidence: joined([Some("found in samples with their transaction in LOCK WAIT".to_string()), mean, queued.first().and_then(|session| last_statement(session))]),
        against: "a change whose condition has no index locks every row that it reads: look at its plan first".to_string(),
        action: "in the application: make the change of the row that all share the last statement before COMMIT, with no wait behind it, or spread it over several rows; the time from that change to the end of COMMIT is all that others wait for".to_string(),
        undo: "the application's former order of statements".to_string(),
        verify: observe_again("the share of row locks in session time"),
        share: Some((CauseShare::SessionTime, waits.share)),
        ..CauseDraft::default()
    }]
}

fn deadlocks(server: &ObservedServer) -> Vec<CauseDraft> {
    let grew = server.consumers.mariadb.as_ref().and_then(|of| of.grew("Innodb_deadlocks"));
    let Some(deadlocks) = grew.filter(|n| *n >= LEAST_DEADLOCKS) else { return Vec::new() };
    vec![CauseDraft {
        summary: format!("{} deadlocks while observed, each rolls a transaction back", crate::words::count(deadlocks)),
        evidence: "Innodb_deadlocks".to_string(),
        against: "a client that repeats the transaction loses little".to_string(),
        action: "have transactions take rows in one order (by key); the server's log names both statements with innodb_print_all_deadlocks".to_string(),
        statement: Some("SET GLOBAL innodb_print_all_deadlocks = ON".to_string()),
        undo: "SET GLOBAL innodb_print_all_deadlocks = OFF".to_string(),
        verify: observe_again("deadlocks"),
        ..CauseDraft::default()
    }]
}
