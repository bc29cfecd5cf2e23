//! InnoDB's memory, log and purge.
//!
//! MariaDB documentation: innodb_buffer_pool_size; InnoDB Redo Log; InnoDB Purge; Group Commit for the Binary Log.

use narrows_model::{ActivityState, CauseShare, Urgency};

use super::observe_again;
use crate::figures::share_of;
use crate::words::{age, bytes, count, joined, percent};
use crate::{CauseDraft, CauseRule, ObservedServer, draft};

/// Pages read for each second of a session in a statement: one in 2 ms.
const READS_PER_SESSION_S: f64 = 500.0;
/// Of the pages asked for, those that were not in the pool.
const MISSES: f64 = 0.001;
/// Of the pool's pages, those that are free where it is not full.
const FREE: f64 = 0.05;
/// Of the pages read, those for which another was evicted before: InnoDB keeps innodb_lru_scan_depth pages free, in a small pool most of it.
const EVICTED: f64 = 0.5;
/// Of the age at which InnoDB stops changes to write pages out, that from which on it writes out of need (7/8 of it).
const NEAR_MAX_AGE: f64 = 0.85;
/// A redo log that is written anew in less time is small, s.
const LOG_LASTS_S: f64 = 300.0;
/// Share of session time in commits.
const COMMITS: f64 = 0.3;
/// Sessions, mean, of which fewer are nobody's trouble.
const LEAST_SESSIONS: f64 = 0.5;
/// Old versions of rows that are many, and the age of the transaction that keeps them, ns.
const HISTORY: f64 = 100_000.0;
const HOLDS_NS: f64 = 60e9;

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "mariadb-buffer-pool-small",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "The innodb_buffer_pool_size is too small for what is read again and again",
        decides: "each second of a session in a statement has 500 page reads or more (Innodb_buffer_pool_reads), one in a thousand pages asked for or more is not in the pool, less than 5 % of its pages are free or half as many pages are evicted as are read (Innodb_buffer_pool_pages_lru_freed), and half a session or more is in a statement",
        against: "A scan of a table reads more than any pool has; a pool that has just been started is not warm; how long the reads take is not counted",
        reference: "MariaDB documentation: innodb_buffer_pool_size",
        supersedes: &["mariadb-statement-dominates"],
        find: buffer_pool_small,
    },
    CauseRule {
        id: "mariadb-checkpoint-pressure",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "The redo log is so small that pages are written out of need",
        decides: "Innodb_checkpoint_age was 85 % or more of Innodb_checkpoint_max_age at the end of a window, and the log is written anew in less than 5 minutes (Innodb_lsn_current)",
        against: "A larger log takes longer to recover after a crash; where the drives can't write as much as is changed, it only defers it",
        reference: "MariaDB documentation: innodb_log_file_size; Innodb_checkpoint_age",
        supersedes: &[],
        find: checkpoint_pressure,
    },
    CauseRule {
        id: "mariadb-durable-commits",
        urgency: Urgency::Performance,
        has_reason: false,
        what: "Sessions wait for their commits to be durable",
        decides: "sessions in the stage Commit are 30 % of session time or more, with half a session or more, and innodb_flush_log_at_trx_commit is 1, or sync_binlog with log_bin",
        against: "It is what durable commits cost on that drive: narrows log measures it; a semi-synchronous replica's answer is waited for in the same stage",
        reference: "MariaDB documentation: innodb_flush_log_at_trx_commit; sync_binlog; Group Commit for the Binary Log",
        supersedes: &[],
        find: durable_commits,
    },
    CauseRule {
        id: "mariadb-purge-held",
        urgency: Urgency::Risk,
        has_reason: true,
        what: "An old transaction keeps the purge from removing old versions of rows",
        decides: "Innodb_history_list_length is 100,000 or more at the end, and a transaction is 60 s old or older",
        against: "A backup (mariadb-dump --single-transaction) or a report is meant to see the old versions; a transaction at READ COMMITTED that reads anew holds less",
        reference: "MariaDB documentation: InnoDB Purge; Innodb_history_list_length",
        supersedes: &[],
        find: purge_held,
    },
];

fn buffer_pool_small(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(mariadb) = &server.consumers.mariadb else { return Vec::new() };
    let found = (|| {
        let reads = server.seen.per_s(mariadb.grew("Innodb_buffer_pool_reads"))?;
        let asked = server.seen.per_s(mariadb.grew("Innodb_buffer_pool_read_requests"))?;
        let working = server.in_state(ActivityState::Running)?;
        let free = mariadb.at_end("Innodb_buffer_pool_pages_free")?;
        let pages = mariadb.at_end("Innodb_buffer_pool_pages_total")?;
        let pool = server.number("innodb_buffer_pool_size")?;
        let evicted = server.seen.per_s(mariadb.grew("Innodb_buffer_pool_pages_lru_freed"));
        let full = free < FREE * pages || evicted.is_some_and(|n| n >= EVICTED * reads);
        let misses = share_of(reads, asked)?;
        let often = reads >= READS_PER_SESSION_S * working.sessions;
        (full && often && misses >= MISSES && working.sessions >= LEAST_SESSIONS)
            .then_some((reads, misses, working, pool))
    })();
    let Some((reads, misses, working, pool)) = found else { return Vec::new() };
    // From 10.11.12 on a start sets how far it can grow.
    let most = server.number("innodb_buffer_pool_size_max").filter(|most| *most > 0.0);
    let grows = most.is_none_or(|most| most >= 2.0 * pool);
    let waits = mariadb.grew("Innodb_buffer_pool_wait_free").filter(|n| *n >= 1.0);
    vec![CauseDraft {
        summary: format!(
            "{} pages per second are read because the innodb_buffer_pool_size of {} doesn't hold them",
            count(reads),
            bytes(pool)
        ),
        evidence: joined([
            Some(format!("{} of the pages asked for were not in it", percent(misses))),
            Some(format!("{} reads for each second of a session in a statement", count(reads / working.sessions))),
            waits.map(|n| format!("{} waits for a free page (Innodb_buffer_pool_wait_free)", count(n))),
        ]),
        against: "the share is what these sessions take in all, computing too: how long their reads take is not counted; a statement that scans would read more than any pool has".to_string(),
        action: match grows {
            true => "a larger pool, where the machine has the memory free (free -m, available): double it, and again while fewer pages are read after each step; it is changed while the server runs, waits for open transactions meanwhile, and is forgotten at a restart unless it is in the option file too",
            false => "a larger pool, where the machine has the memory free (free -m, available): innodb_buffer_pool_size and innodb_buffer_pool_size_max in the option file, and a restart; without that it can't grow beyond innodb_buffer_pool_size_max",
        }
        .to_string(),
        statement: grows.then(|| format!("SET GLOBAL innodb_buffer_pool_size = {:.0}", 2.0 * pool)),
        undo: match grows {
            true => format!("SET GLOBAL innodb_buffer_pool_size = {pool:.0}"),
            false => "the former values in the option file, and a restart".to_string(),
        },
        verify: observe_again("blocks read per second"),
        share: Some((CauseShare::SessionTime, working.share)),
        ..CauseDraft::default()
    }]
}

fn checkpoint_pressure(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(mariadb) = &server.consumers.mariadb else { return Vec::new() };
    let age = mariadb.at_most("Innodb_checkpoint_age");
    let most = mariadb.at_end("Innodb_checkpoint_max_age");
    let Some(share) = age.zip(most).and_then(|(age, most)| share_of(age, most)) else {
        return Vec::new();
    };
    let Some(log) = server.number("innodb_log_file_size").filter(|_| share >= NEAR_MAX_AGE) else {
        return Vec::new();
    };
    let written = server.seen.per_s(mariadb.grew("Innodb_lsn_current"));
    if written.is_none_or(|rate| log >= LOG_LASTS_S * rate) {
        return Vec::new();
    }
    vec![CauseDraft {
        summary: format!(
            "the redo log of {} is {} full: pages are written out so that changes can go on",
            bytes(log),
            percent(share)
        ),
        evidence: joined([
            Some("Innodb_checkpoint_age over Innodb_checkpoint_max_age, the highest at the ends of windows".to_string()),
            written.map(|rate| format!("{} of redo log per second: it is full again after {}", bytes(rate), crate::words::age(log / rate.max(1.0) * 1e9))),
        ]),
        against: "recovery after a crash reads the log: a larger one takes longer".to_string(),
        action: "a larger redo log, that holds half an hour of changes where there is room; from 10.9 on it is changed while the server runs, before that in the option file with a restart".to_string(),
        statement: Some(format!("SET GLOBAL innodb_log_file_size = {:.0}", 4.0 * log)),
        undo: format!("SET GLOBAL innodb_log_file_size = {log:.0}"),
        verify: observe_again("the age of the checkpoint"),
        ..CauseDraft::default()
    }]
}

fn durable_commits(server: &ObservedServer) -> Vec<CauseDraft> {
    let log = server.setting("innodb_flush_log_at_trx_commit");
    let binlog = server.setting("log_bin") == Some("ON");
    let synced = binlog && server.number("sync_binlog").is_some_and(|n| n >= 1.0);
    let durable = log == Some("1") || synced;
    let Some(waits) = server
        .in_state(ActivityState::Log)
        .filter(|w| w.reaches(COMMITS) && w.sessions >= LEAST_SESSIONS && durable)
    else {
        return Vec::new();
    };
    let grew = |name: &str| server.consumers.mariadb.as_ref().and_then(|of| of.grew(name));
    let grouped = grew("Binlog_commits").zip(grew("Binlog_group_commits"));
    let grouped = grouped.filter(|(_, groups)| binlog && *groups >= 1.0);
    vec![CauseDraft {
        summary: format!("sessions wait for durable commits for {} of their time", percent(waits.share)),
        evidence: joined([
            Some(format!("innodb_flush_log_at_trx_commit {}", log.unwrap_or("unknown"))),
            binlog.then(|| format!("log_bin with sync_binlog {}", server.setting("sync_binlog").unwrap_or("unknown"))),
            server.seen.per_s(grew("Innodb_data_fsyncs")).filter(|n| *n >= 1.0).map(|n| format!("{} flushes of files per second", count(n))),
            grouped.map(|(commits, groups)| format!("{} commits in a group", count(commits / groups))),
        ]),
        against: "it is what durability costs on that drive; a semi-synchronous replica is waited for in the same stage".to_string(),
        action: "commit several changes together where the application can; a drive with power-loss protection under the redo log and the binary log (narrows log measures both). innodb_flush_log_at_trx_commit = 2 loses up to a second of commits in a crash of the machine, and is the owner's decision".to_string(),
        undo: "nothing to take back".to_string(),
        verify: observe_again("the share of commits in session time"),
        share: Some((CauseShare::SessionTime, waits.share)),
        ..CauseDraft::default()
    }]
}

fn purge_held(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(mariadb) = &server.consumers.mariadb else { return Vec::new() };
    let history = mariadb.at_end("Innodb_history_list_length").filter(|n| *n >= HISTORY);
    let Some(history) = history else { return Vec::new() };
    let old = server.consumers.horizon.iter();
    let oldest = old
        .filter(|of| of.age_ns.is_some_and(|ns| ns >= HOLDS_NS))
        .max_by(|a, b| a.age_ns.unwrap_or(0.0).total_cmp(&b.age_ns.unwrap_or(0.0)));
    let Some(oldest) = oldest else { return Vec::new() };
    let Ok(connection) = oldest.name.parse::<u32>() else { return Vec::new() };
    let since = age(oldest.age_ns.unwrap_or(0.0));
    vec![CauseDraft {
        summary: format!(
            "the transaction of connection {connection}, open for {since}, keeps {} old versions of rows from being purged",
            count(history)
        ),
        evidence: joined([
            Some(format!("Innodb_history_list_length {}", count(history))),
            Some(oldest.state.clone()).filter(|state| !state.is_empty()).map(|state| format!("it is {state}")),
            Some(oldest.user.clone()).filter(|user| !user.is_empty()).map(|user| format!("user {user}")),
        ]),
        against: "a dump or a report is meant to see the old versions: let it end; with no old transaction the purge itself would be too slow (innodb_purge_threads)".to_string(),
        action: format!("end that transaction: its client, or connection {connection}; give long reports a replica"),
        statement: Some(format!("KILL {connection}")),
        undo: "none: its transaction is rolled back and its client has to repeat it".to_string(),
        verify: observe_again("the length of the history list goes down"),
        subjects: vec![draft::session(connection)],
        ..CauseDraft::default()
    }]
}
