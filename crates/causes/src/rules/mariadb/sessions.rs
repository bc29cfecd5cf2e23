//! Connections that are made and dropped.
//!
//! MariaDB documentation: Thread Pool in MariaDB; thread_cache_size; Threads_created.

use narrows_model::Urgency;

use super::observe_again;
use crate::words::{count, joined, percent};
use crate::{CauseDraft, CauseRule, ObservedServer};

/// Connections made per second from which on they are a load.
const CONNECTIONS_PER_S: f64 = 20.0;
/// Of these, those for which a thread had to be made.
const NEW_THREADS: f64 = 0.1;
/// Statements of a connection of which fewer are no use of one.
const STATEMENTS_EACH: f64 = 20.0;

pub(super) const RULES: &[CauseRule] = &[CauseRule {
    id: "mariadb-connection-churn",
    urgency: Urgency::Performance,
    has_reason: true,
    what: "Connections are made for a few statements each",
    decides: "20 connections or more per second, with fewer than 20 statements each (Connections, Questions)",
    against: "Health checks of a load balancer connect too, and count as connections",
    reference: "MariaDB documentation: thread_cache_size; Threads_created; Thread Pool in MariaDB",
    supersedes: &[],
    find: connection_churn,
}];

fn connection_churn(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(mariadb) = &server.consumers.mariadb else { return Vec::new() };
    let (Some(connections), Some(statements)) =
        (mariadb.grew("Connections"), mariadb.grew("Questions"))
    else {
        return Vec::new();
    };
    let rate = server.seen.per_s(Some(connections)).unwrap_or(0.0);
    if rate < CONNECTIONS_PER_S || statements >= STATEMENTS_EACH * connections {
        return Vec::new();
    }
    let created = mariadb.grew("Threads_created").unwrap_or(0.0);
    let cache = server.number("thread_cache_size");
    let uncached = created >= NEW_THREADS * connections;
    let most = server.seen.sessions.most_open.unwrap_or(0.0);
    let raised =
        cache.filter(|_| uncached).map(|cache| (2.0 * cache).max(most).clamp(64.0, 16384.0));
    vec![CauseDraft {
        summary: format!("{} connections per second, {} statements each", count(rate), count(statements / connections)),
        evidence: joined([
            Some(format!("a thread had to be made for {} of them (Threads_created)", percent((created / connections).min(1.0)))),
            cache.map(|cache| format!("thread_cache_size {}", count(cache))),
        ]),
        against: "a connection over a socket costs little; over TLS it costs most".to_string(),
        action: "keep connections open: a pool in the application, or MaxScale or ProxySQL before the server; until then threads are kept in the cache".to_string(),
        statement: raised.map(|size| format!("SET GLOBAL thread_cache_size = {size:.0}")),
        undo: cache.map_or("nothing to take back".to_string(), |cache| format!("SET GLOBAL thread_cache_size = {cache:.0}")),
        verify: observe_again("connections per second, threads created"),
        ..CauseDraft::default()
    }]
}
