//! What nobody waits for yet.
//!
//! PostgreSQL documentation: Preventing Transaction ID Wraparound Failures; Replication Slots; Continuous Archiving.

use narrows_model::{Consumers, Urgency};

use crate::sql::literal;
use crate::words::{bytes, count, percent};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Age of the oldest transaction id at which the server takes no more writes: 3 million before half of what 32 bits count (1 million in 13).
const LAST_ID: f64 = 2_147_483_648.0 - 3e6;
/// Age of the oldest id from which on vacuum has failed to freeze for long: five times autovacuum_freeze_max_age's default.
const OLD: f64 = 1e9;
/// The same over `autovacuum_freeze_max_age`, where that is set higher.
const OVER_MAX_AGE: f64 = 1.2;
/// Whatever is set, this age is near the end.
const NEAR_END: f64 = 1.9e9;
/// WAL kept by a slot that nobody reads, bytes, where `max_wal_size` is unknown.
const KEPT_WAL: f64 = 1024.0 * 1024.0 * 1024.0;
/// Of max_connections, the share open at once.
const CONNECTIONS: f64 = 0.9;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "wraparound-near",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "The oldest transaction id is old: freezing doesn't keep up",
        decides: "the age of the oldest database is 1 billion or more and 1.2 times autovacuum_freeze_max_age; or 1.9 billion",
        against: "At autovacuum_freeze_max_age a vacuum starts, which is no danger yet",
        reference: "PostgreSQL documentation: Preventing Transaction ID Wraparound Failures; vacuum_failsafe_age",
        supersedes: &[],
        find: wraparound_near,
    },
    CauseRule {
        id: "slot-keeps-wal",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "A replication slot that nobody reads keeps WAL",
        decides: "an inactive slot keeps as much WAL as max_wal_size or more (1 GB where that is unknown)",
        against: "Its consumer may be down for a restart only",
        reference: "PostgreSQL documentation: Replication Slots; max_slot_wal_keep_size",
        supersedes: &[],
        find: slot_keeps_wal,
    },
    CauseRule {
        id: "archiver-failing",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "WAL files can't be archived, and stay in pg_wal",
        decides: "archive_command failed, and so did its last attempt",
        against: "The archive may be back at the next attempt, a minute later",
        reference: "PostgreSQL documentation: Continuous Archiving; pg_stat_archiver",
        supersedes: &[],
        find: archiver_failing,
    },
    CauseRule {
        id: "connections-near-limit",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "Almost all connections are in use",
        decides: "90 % of max_connections or more open at once",
        against: "A pool of fixed size may fill them on purpose",
        reference: "PostgreSQL documentation: max_connections, superuser_reserved_connections",
        supersedes: &[],
        find: connections_near_limit,
    },
];

fn wraparound_near(server: &ObservedServer) -> Vec<CauseDraft> {
    let reserves = server.consumers.reserves.as_ref();
    let Some((database, age)) = reserves.and_then(|reserves| reserves.oldest_database.as_ref())
    else {
        return Vec::new();
    };
    let most = server.number("autovacuum_freeze_max_age").unwrap_or(0.0);
    let old = *age >= OLD && *age >= OVER_MAX_AGE * most || *age >= NEAR_END;
    if !old {
        return Vec::new();
    }
    vec![CauseDraft {
        summary: format!("database {database}: its oldest transaction id is {} transactions old, and {} are left", count(*age), count((LAST_ID - age).max(0.0))),
        evidence: format!("{} of the ids in use; at 100 % the server takes no more writes", percent((age / LAST_ID).clamp(0.0, 1.0))),
        against: "a vacuum may be under way: SELECT * FROM pg_stat_progress_vacuum".to_string(),
        action: "end what holds the horizon (old transactions, prepared ones, slots), then VACUUM the tables with the oldest relfrozenxid in that database, by plain VACUUM: FULL and FREEZE do more than is needed. (INDEX_CLEANUP off, TRUNCATE off) is faster where little time is left".to_string(),
        statement: Some("SELECT oid::regclass, age(relfrozenxid) FROM pg_class WHERE relkind IN ('r', 'm', 't') ORDER BY 2 DESC LIMIT 10".to_string()),
        undo: "nothing to take back".to_string(),
        verify: "SELECT datname, age(datfrozenxid) FROM pg_database: it falls".to_string(),
        ..CauseDraft::default()
    }]
}

fn slot_keeps_wal(server: &ObservedServer) -> Vec<CauseDraft> {
    let slots = server.consumers.reserves.iter().flat_map(|reserves| &reserves.unread_slots);
    let least = server.bytes("max_wal_size").unwrap_or(KEPT_WAL);
    let found = slots.take(Consumers::KEPT).filter(|(_, kept)| *kept >= least).map(|(slot, kept)| CauseDraft {
        summary: format!("replication slot {slot}, which nobody reads, keeps {} of WAL", bytes(*kept)),
        evidence: format!("inactive; {} kept behind it in pg_wal", bytes(*kept)),
        against: "its consumer may be on its way back; a dropped slot means to make it anew".to_string(),
        action: "bring its consumer back; where that is gone for good, drop the slot. max_slot_wal_keep_size limits what a slot may keep".to_string(),
        statement: literal(slot).map(|slot| format!("SELECT pg_drop_replication_slot({slot})")),
        undo: "none: the consumer has to be made anew".to_string(),
        verify: "SELECT slot_name, active, wal_status FROM pg_replication_slots; free space of pg_wal".to_string(),
        subjects: vec![draft::session(slot)],
        ..CauseDraft::default()
    });
    found.collect()
}

fn archiver_failing(server: &ObservedServer) -> Vec<CauseDraft> {
    let failures =
        server.consumers.reserves.as_ref().and_then(|reserves| reserves.archive_failures);
    let Some(failures) = failures.filter(|n| *n >= 1.0) else { return Vec::new() };
    vec![CauseDraft {
        summary: format!("WAL is not archived: {} attempts failed, the last one too", count(failures)),
        evidence: "pg_stat_archiver: the last failure is later than the last success".to_string(),
        against: "the archive may be back at the next attempt".to_string(),
        action: "the server's log has what archive_command or archive_library said; free space of pg_wal and of the archive".to_string(),
        undo: "nothing to take back".to_string(),
        verify: "SELECT last_archived_time, last_failed_time FROM pg_stat_archiver".to_string(),
        ..CauseDraft::default()
    }]
}

fn connections_near_limit(server: &ObservedServer) -> Vec<CauseDraft> {
    let seen = &server.seen.sessions;
    let (Some(open), Some(allowed)) = (seen.most_open, seen.allowed.filter(|n| *n > 0.0)) else {
        return Vec::new();
    };
    if open < CONNECTIONS * allowed {
        return Vec::new();
    }
    vec![CauseDraft {
        summary: format!("{open:.0} of {allowed:.0} connections in use"),
        evidence: seen.unused.map_or(format!("max_connections = {allowed:.0}"), |unused| format!("{unused:.0} of them did nothing while observed")),
        against: "a pool of fixed size may fill them on purpose".to_string(),
        action: "fewer connections: a pooler, smaller pools, an end to those that nobody uses; max_connections higher needs a restart and memory".to_string(),
        undo: "the sizes of the pools, back".to_string(),
        verify: "SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'".to_string(),
        ..CauseDraft::default()
    }]
}
