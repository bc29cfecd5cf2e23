//! Clients: how many, how they connect, how they use a transaction, how fast they read.
//!
//! PostgreSQL documentation: Connections and Authentication; Monitoring Database Activity.

use narrows_model::Urgency;

use crate::rules::locks::{at_events, most_in};
use crate::words::{age, count, joined, percent, sessions, sessions_that};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Connections per transaction from which on sessions are there for a few transactions only.
const SHORT_LIVED: f64 = 0.2;
/// Connections per second, of which fewer are health checks: each takes some 3 ms of CPU time.
const CONNECTIONS_PER_S: f64 = 10.0;
/// Active sessions for each CPU, and of these waiting for one, from which on they only wait for each other.
const ACTIVE_PER_CPU: f64 = 8.0;
const QUEUED_PER_CPU: f64 = 4.0;
/// Calls of one statement in a transaction, from which on it is called once for each row of another.
const CALLS: f64 = 10.0;
/// Such a call is short, ns.
const SHORT_NS: f64 = 1e6;
/// Sessions idle in transaction, mean, of which fewer are no trouble.
const LEAST_IDLE: f64 = 0.5;
/// Share of session time in sending to the client from which on that is what is slow.
const SENDING: f64 = 0.2;
/// Sessions there, mean, of which fewer are one person's.
const LEAST_SENDING: f64 = 0.5;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "connection-churn",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Clients connect for a few transactions only",
        decides: "10 connections per second or more, and one for each 5 transactions or fewer",
        against: "Health checks are fewer; a pooler in front of another is not seen",
        reference: "PostgreSQL documentation: How Connections Are Established; pg_stat_database.sessions",
        supersedes: &["procarray", "lock-manager"],
        find: connection_churn,
    },
    CauseRule {
        id: "too-many-active",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Far more sessions are active than CPUs can run",
        decides: "8 active sessions or more for each CPU that the server may use, and 4 or more of these waiting for a CPU",
        against: "Throughput gains nothing by a smaller pool, or little; answers come sooner. Slow statements keep sessions active: they come first",
        reference: "Little 1961, L = λW; PostgreSQL documentation: max_connections",
        supersedes: &["procarray", "lock-manager", "buffer-content", "wal-insert"],
        find: too_many_active,
    },
    CauseRule {
        id: "chatty-transactions",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Transactions consist of many short statements, and wait for the client in between",
        decides: "one statement is called 10 times or more for each transaction, for less than 1 ms each and at most one row, and as many sessions are idle in transaction as active, half a session or more",
        against: "A batch job may go in small steps on purpose; a network with long ways makes few statements slow too",
        reference: "PostgreSQL documentation: libpq, Pipeline Mode; pg_stat_database.idle_in_transaction_time",
        supersedes: &[],
        find: chatty_transactions,
    },
    CauseRule {
        id: "slow-reader",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Clients take their rows more slowly than the server sends them",
        decides: "`Client:ClientWrite` is 20 % of session time or more, with half a session or more",
        against: "The network in between may be slow, and not the client",
        reference: "PostgreSQL documentation: Monitoring Database Activity, wait event ClientWrite",
        supersedes: &["statement-dominates", "table-scan-report"],
        find: slow_reader,
    },
];

fn connection_churn(server: &ObservedServer) -> Vec<CauseDraft> {
    let connections = server.seen.counted.connections;
    let rate = server.seen.per_s(connections).filter(|rate| *rate >= CONNECTIONS_PER_S);
    let each = server.seen.per_transaction(connections).filter(|each| *each >= SHORT_LIVED);
    let (Some(rate), Some(each)) = (rate, each) else { return Vec::new() };
    vec![CauseDraft {
        summary: format!("{} connections per second, each for {} transactions", count(rate), sessions(1.0 / each)),
        evidence: joined([
            connections.map(|n| format!("{} connections in {}", count(n), age(server.seen.interval_ns))),
            server.seen.sessions.open.map(|open| format!("{} sessions open, mean", sessions(open))),
        ]),
        against: "how much CPU time a connection takes depends on TLS and passwords (SCRAM), and is not counted apart".to_string(),
        action: "keep connections: a pool in the application, or a pooler (PgBouncer) in front".to_string(),
        undo: "let clients connect to the server itself again".to_string(),
        verify: "narrows observe URL: connections per second, CPU time per transaction".to_string(),
        ..CauseDraft::default()
    }]
}

fn too_many_active(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(cpus) = server.cpus() else { return Vec::new() };
    let classes = server.seen.processes.iter().flat_map(|processes| &processes.classes);
    let queued: f64 =
        classes.filter(|c| c.class.serves_transactions()).filter_map(|c| c.run_queue).sum();
    // A session that has its next request and no CPU to take it in with is idle by the server's word.
    let active = server.active().unwrap_or(0.0).max(queued);
    if active < ACTIVE_PER_CPU * cpus || queued < QUEUED_PER_CPU * cpus {
        return Vec::new();
    }
    vec![CauseDraft {
        summary: format!("{} active sessions for {} CPUs: {} of them wait for a CPU", sessions(active), sessions(cpus), sessions(queued)),
        evidence: joined([
            server.cpus_in_use().map(|share| format!("{} of the CPUs in use", percent(share))),
            server.at_events_of("LWLock:").filter(|w| w.sessions > 0.0).map(|w| format!("LWLocks are {} of session time", percent(w.share))),
        ]),
        against: "fewer sessions give no more throughput by the law: they wait in the pool and not in the server; slow statements keep sessions active and come first".to_string(),
        action: format!("limit the pool to about two active sessions for each CPU ({:.0}), more where they wait for drives; the others wait there, without locks and snapshots", 2.0 * cpus),
        undo: "the size of the pool, back".to_string(),
        verify: "narrows observe URL: the same rate with fewer active sessions; answers are faster".to_string(),
        ..CauseDraft::default()
    }]
}

fn chatty_transactions(server: &ObservedServer) -> Vec<CauseDraft> {
    let idle = server.idle_in_transaction().filter(|idle| *idle >= LEAST_IDLE);
    let Some(idle) = idle else { return Vec::new() };
    // So little that nobody was found in a statement is little.
    let active = server.active().unwrap_or(0.0);
    let found = server.statements.iter().filter_map(|load| {
        let took = load.took?;
        let calls = server.seen.per_transaction(Some(took.calls)).filter(|n| *n >= CALLS)?;
        let short = load.per_call(|took| took.exec_ns).is_some_and(|ns| ns <= SHORT_NS);
        let row = load.per_call(|took| took.rows).is_some_and(|rows| rows <= 1.0);
        if !(short && row && idle >= active) {
            return None;
        }
        Some(CauseDraft {
            summary: format!("{} calls per transaction, one row each: {}", count(calls), load.words()),
            evidence: joined([
                Some(format!("{} sessions idle in transaction, {} active", sessions(idle), sessions(active))),
                load.per_call(|took| took.exec_ns).map(|ns| format!("{} each", age(ns))),
            ]),
            against: "a batch job may go in small steps on purpose".to_string(),
            action: "ask for all rows at once: a join, = ANY($1) with an array, COPY or many rows in an INSERT; pipeline mode of the driver where the statements have to stay".to_string(),
            undo: "the change in the application, back".to_string(),
            verify: "narrows observe URL: time idle in transaction, calls per transaction".to_string(),
            statement_id: load.id.to_string(),
            subjects: vec![draft::statement(load.id)],
            ..CauseDraft::default()
        })
    });
    found.take(1).collect()
}

fn slow_reader(server: &ObservedServer) -> Vec<CauseDraft> {
    let waits = server.at_events(&["Client:ClientWrite"]);
    let Some(waits) = waits.filter(|w| w.reaches(SENDING) && w.sessions >= LEAST_SENDING) else {
        return Vec::new();
    };
    let statement =
        most_in(server, |group| at_events(group, &["Client:ClientWrite"])).map(|(load, _)| load);
    let (share, _) = server.worth_of_wait(waits.share, &[]);
    vec![CauseDraft {
        summary: format!(
            "{} for the client to take rows{}",
            sessions_that(waits.sessions, "waits", "wait"),
            statement.map_or(String::new(), |load| format!(": {}", load.words()))
        ),
        evidence: joined([
            Some(format!("ClientWrite is {} of session time", percent(waits.share))),
            statement.and_then(|load| load.per_call(|took| took.rows)).map(|n| format!("{} rows per call", count(n))),
        ]),
        against: "the network may be slow, and not the client (retransmissions, bandwidth)".to_string(),
        action: "fewer rows and columns (LIMIT, a cursor with a fetch size); let the client read first and compute afterwards. The server isn't what is slow".to_string(),
        undo: "the change in the application, back".to_string(),
        verify: "narrows observe URL: the share of ClientWrite".to_string(),
        share,
        statement_id: statement.map_or(String::new(), |load| load.id.to_string()),
        subjects: statement.map_or(Vec::new(), |load| vec![draft::statement(load.id)]),
        ..CauseDraft::default()
    }]
}
