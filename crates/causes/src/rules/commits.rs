//! What commits wait for, what WAL consists of, and transactions that end in vain.
//!
//! PostgreSQL documentation: Write Ahead Log; Replication settings; WAL Configuration.

use narrows_model::Urgency;

use crate::figures::share_of;
use crate::law::COMMITS;
use crate::sql::literal;
use crate::words::{age, bytes, count, joined, percent, sessions, sessions_that};
use crate::{CauseDraft, CauseRule, ObservedServer};

/// Most of the sessions' time.
const MOST: f64 = 0.5;
/// Sessions that wait, mean, of which fewer are no standstill.
const LEAST_WAITERS: f64 = 0.5;
/// A commit that waits for a standby for longer than this on average hangs, ns: a standby on another continent answers in a second.
const HANGS_NS: f64 = 10e9;
/// Share of session time from which on a standby's answers are worth a word.
const STANDBY: f64 = 0.2;
/// Share of session time in commits from which on `commit_delay` matters.
const DELAYED: f64 = 0.1;
/// `commit_delay` that no drive's flush is shorter than, µs: less of it is lost in the flush.
const LEAST_DELAY_US: f64 = 100.0;
/// Of WAL, the share of full-page images from which on they are what it consists of.
const MOSTLY_IMAGES: f64 = 0.5;
/// One requested checkpoint is a backup's.
const LEAST_REQUESTED: f64 = 2.0;
/// The largest `max_wal_size` proposed, bytes: recovery after a crash reads it.
const LARGEST_WAL: f64 = 256.0 * 1024.0 * 1024.0 * 1024.0;
/// And over that of now: images swell the rate that it is reckoned from, and become fewer.
const LARGEST_STEP: f64 = 8.0;
const MB: f64 = 1024.0 * 1024.0;
/// Share of transactions rolled back from which on that is no exception.
const ROLLED_BACK: f64 = 0.3;
/// So many of them.
const LEAST_ROLLED_BACK: f64 = 100.0;
/// Of these, the part that wrote from which on they are work that was done in vain.
const WROTE: f64 = 0.5;

const SYNC_REP: &[&str] = &["IPC:SyncRep", "LWLock:SyncRep"];
const FLUSH: &[&str] = &["IO:WalSync", "IO:WalWrite", "LWLock:WALWrite"];

pub(super) const RULES: &[CauseRule] = &[
    CauseRule {
        id: "standby-missing",
        urgency: Urgency::Now,
        has_reason: true,
        what: "Commits wait for a synchronous standby that does not answer",
        decides: "`SyncRep` is half of session time or more, and either no WAL sender runs or commits wait for 10 s or more on average",
        against: "A standby that restarts is back in a minute; the number of WAL senders counts copies being made and subscribers too",
        reference: "PostgreSQL documentation: Synchronous Replication; synchronous_standby_names",
        supersedes: &[
            "standby-slow",
            "flushes",
            "commit-delay",
            "lock-queue",
            "hot-row",
            "too-many-active",
        ],
        find: standby_missing,
    },
    CauseRule {
        id: "standby-slow",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Commits wait for a standby's answer",
        decides: "`SyncRep` is 20 % of session time or more, with a WAL sender",
        against: "That is what a commit on two servers costs: at least the way there and back and a flush there",
        reference: "PostgreSQL documentation: Synchronous Replication; synchronous_commit",
        supersedes: &["flushes"],
        find: standby_slow,
    },
    CauseRule {
        id: "commit-delay",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Commits wait for a setting (`commit_delay`)",
        decides: "`commit_delay` is 100 µs or more and longer than a flush where its time is known, and waits for WAL are a tenth of session time or more",
        against: "With very many sessions it lets more commits share a flush: compare the rate with and without",
        reference: "PostgreSQL documentation: WAL Configuration; commit_delay, commit_siblings",
        supersedes: &["flushes"],
        find: commit_delay,
    },
    CauseRule {
        id: "flushes",
        urgency: Urgency::Performance,
        has_reason: false,
        what: "Commits wait for WAL flushes, and no setting explains it",
        decides: "`WALSync` and `WALWrite` are half of session time or more, and the verdict names the commit wait",
        against: "With durable commits that is what a commit costs; group commit shares flushes already",
        reference: "PostgreSQL documentation: Write Ahead Log, Asynchronous Commit",
        supersedes: &[],
        find: flushes,
    },
    CauseRule {
        id: "checkpoints-frequent",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Checkpoints are made because WAL grows beyond `max_wal_size`, and most WAL is full-page images",
        decides: "2 requested checkpoints or more, more than timed ones; full-page images are half of WAL or more; WAL written within checkpoint_timeout would be half of max_wal_size or more. Proposed is what the rate asks for, 8 times the size of now at most",
        against: "A backup, a restart or CHECKPOINT requests one too; a single bulk load passes. Images may be compressed, and their share is then too large",
        reference: "PostgreSQL documentation: WAL Configuration; max_wal_size, full_page_writes",
        supersedes: &["flushes"],
        find: checkpoints_frequent,
    },
    CauseRule {
        id: "rolled-back",
        urgency: Urgency::Performance,
        has_reason: true,
        what: "Much of the work is rolled back",
        decides: "30 % of transactions or more are rolled back, and 100 of them or more. A statement that dominates is told beside it unless half of them wrote: so many more transaction ids than commits. What they took is not counted apart, so that no share and no gain is said",
        against: "Some drivers and pools end transactions that only read by ROLLBACK, which costs nothing",
        reference: "PostgreSQL documentation: Transaction Isolation, Serializable Isolation Level",
        supersedes: &["statement-dominates"],
        find: rolled_back,
    },
];

fn standby_missing(server: &ObservedServer) -> Vec<CauseDraft> {
    let waits = server.at_events(SYNC_REP);
    let Some(waits) = waits.filter(|w| w.reaches(MOST) && w.sessions >= LEAST_WAITERS) else {
        return Vec::new();
    };
    let senders = server.seen.sessions.log_senders;
    // Little: sessions in the wait over commits per second.
    let commits = server.seen.per_s(server.seen.counted.writers.or(server.seen.counted.commits));
    let hangs = commits.is_some_and(|rate| waits.sessions * 1e9 >= rate * HANGS_NS);
    let state = match senders {
        Some(0.0) => "none is connected".to_string(),
        Some(n) if hangs => format!("{n:.0} WAL senders run, and none that counts answers"),
        None if hangs => "none answers".to_string(),
        _ => return Vec::new(),
    };
    let names = server.setting("synchronous_standby_names").filter(|names| !names.is_empty());
    let before = names.and_then(literal);
    vec![CauseDraft {
        summary: format!(
            "{} at commit for a synchronous standby: {state}",
            sessions_that(waits.sessions, "waits", "wait")
        ),
        evidence: joined([
            Some(format!("IPC:SyncRep is {} of session time", percent(waits.share))),
            names.map(|names| format!("synchronous_standby_names = {names}")),
        ]),
        against: "it may be on its way back".to_string(),
        action: "bring back a standby that synchronous_standby_names requires. Where commits on this server alone will do until then, take it out of that setting: what is committed meanwhile is lost with this server. SELECT * FROM pg_stat_replication shows who is connected".to_string(),
        statement: Some("ALTER SYSTEM SET synchronous_standby_names = ''; SELECT pg_reload_conf()".to_string()),
        undo: match before {
            Some(before) => format!("ALTER SYSTEM SET synchronous_standby_names = {before}; SELECT pg_reload_conf()"),
            None => "ALTER SYSTEM RESET synchronous_standby_names; SELECT pg_reload_conf()".to_string(),
        },
        verify: "narrows observe URL: no session waits for IPC:SyncRep".to_string(),
        behind: waits.sessions,
        ..CauseDraft::default()
    }]
}

fn standby_slow(server: &ObservedServer) -> Vec<CauseDraft> {
    let waits = server.at_events(SYNC_REP).filter(|w| w.reaches(STANDBY));
    let Some(waits) = waits.filter(|_| server.seen.sessions.log_senders != Some(0.0)) else {
        return Vec::new();
    };
    let commits = server.seen.per_s(server.seen.counted.writers).filter(|rate| *rate > 0.0);
    let each =
        commits.map(|rate| format!("{} per writing transaction", age(waits.sessions / rate * 1e9)));
    let level = server.setting("synchronous_commit");
    let (share, gain_at_most) = server.worth_of_wait(waits.share, COMMITS);
    vec![CauseDraft {
        summary: format!("{} for a standby's answer at commit", sessions_that(waits.sessions, "waits", "wait")),
        evidence: joined([
            Some(format!("IPC:SyncRep is {} of session time", percent(waits.share))),
            each,
            level.map(|level| format!("synchronous_commit = {level}")),
        ]),
        against: "the way to the standby and back and its flush are the least that it costs".to_string(),
        action: "find out which part it is: narrows log postgres URL shows the standby's write and flush delays. remote_write waits for no flush there; ANY 1 (a, b) waits for the faster of two; for work that may be repeated: ALTER ROLE … SET synchronous_commit = 'local'".to_string(),
        undo: "ALTER ROLE … RESET synchronous_commit; until then commits are not on the standby when they return".to_string(),
        verify: "narrows observe URL: the share of IPC:SyncRep".to_string(),
        share,
        gain_at_most,
        ..CauseDraft::default()
    }]
}

fn mean_flush_ns(server: &ObservedServer) -> Option<f64> {
    let flushes = server.seen.counted.flushes.filter(|n| *n >= 1.0)?;
    Some(server.seen.counted.flush_ns? / flushes).filter(|ns| ns.is_finite())
}

/// `commit_delay`, µs, where it is longer than what it is to save.
fn delay_us(server: &ObservedServer) -> Option<f64> {
    let plain = server.number("commit_delay");
    let delay = plain.or_else(|| server.time_ns("commit_delay").map(|ns| ns / 1e3));
    let delay = delay.filter(|us| *us >= LEAST_DELAY_US)?;
    mean_flush_ns(server).is_none_or(|ns| delay * 1e3 >= ns).then_some(delay)
}

fn commit_delay(server: &ObservedServer) -> Vec<CauseDraft> {
    let Some(delay) = delay_us(server) else { return Vec::new() };
    let events = [FLUSH, &["Timeout:CommitDelay"]].concat();
    let Some(waits) = server.at_events(&events).filter(|w| w.reaches(DELAYED)) else {
        return Vec::new();
    };
    let siblings = server.number("commit_siblings");
    let (share, gain_at_most) = server.worth_of_wait(waits.share, COMMITS);
    vec![CauseDraft {
        summary: format!("commits wait {} for commit_delay before each flush", age(delay * 1e3)),
        evidence: joined([
            Some(format!("commit_delay = {delay:.0} µs")),
            siblings.map(|n| format!("commit_siblings = {n:.0}")),
            Some(format!("waits for WAL are {} of session time", percent(waits.share))),
            mean_flush_ns(server).map(|ns| format!("a flush takes {}", age(ns))),
        ]),
        against: "with very many sessions more commits share a flush by it".to_string(),
        action:
            "set commit_delay to 0, or to half the time of a flush (pg_test_fsync, narrows log)"
                .to_string(),
        statement: Some("ALTER SYSTEM SET commit_delay = 0; SELECT pg_reload_conf()".to_string()),
        undo: format!("ALTER SYSTEM SET commit_delay = {delay:.0}; SELECT pg_reload_conf()"),
        verify: "narrows observe URL: the share of waits for WAL, and the transaction rate"
            .to_string(),
        share,
        gain_at_most,
        ..CauseDraft::default()
    }]
}

fn flushes(server: &ObservedServer) -> Vec<CauseDraft> {
    let waits = server.at_events(FLUSH).filter(|w| w.reaches(MOST));
    let Some(waits) = waits.filter(|_| server.is_bound_by(COMMITS) && delay_us(server).is_none())
    else {
        return Vec::new();
    };
    let counted = &server.seen.counted;
    let shared = counted.writers.zip(counted.flushes).filter(|(_, flushes)| *flushes >= 1.0);
    let (share, gain_at_most) = server.worth_of_wait(waits.share, COMMITS);
    vec![CauseDraft {
        summary: format!("{} for WAL flushes at commit", sessions_that(waits.sessions, "waits", "wait")),
        evidence: joined([
            Some(format!("WALSync and WALWrite are {} of session time", percent(waits.share))),
            server.seen.per_s(counted.flushes).map(|rate| format!("{} flushes per second", count(rate))),
            shared.map(|(writers, flushes)| format!("{} writing transactions per flush", sessions(writers / flushes))),
            mean_flush_ns(server).map(|ns| format!("a flush takes {}", age(ns))),
        ]),
        against: "that is what durable commits cost on this drive; hardware may be the only cure".to_string(),
        action: "commit several changes in one transaction; for changes that may be lost after a crash: SET LOCAL synchronous_commit = off in their transactions. Whether the drive or the queue in front of it is slow: narrows log postgres URL".to_string(),
        undo: "leave out the SET; what was committed so is durable within three times wal_writer_delay".to_string(),
        verify: "narrows observe URL: the share of WALSync and WALWrite".to_string(),
        share,
        gain_at_most,
        ..CauseDraft::default()
    }]
}

/// A power of two of megabytes, at least.
pub(super) fn power_of_two_mb(bytes: f64) -> u64 {
    let mb = (bytes / (1024.0 * 1024.0)).ceil().clamp(1.0, 1e9) as u64;
    mb.next_power_of_two()
}

/// What `max_wal_size` is proposed.
enum Wal {
    /// A larger one, as a setting has it; so many times as now, where that is less than the rate asks for.
    Larger { size: String, step: Option<f64> },
    /// It is large enough for the rate, or as large as is ever proposed.
    Enough,
    /// What it is now is unknown.
    Unknown,
}

/// By the WAL that is written within `checkpoint_timeout`, bytes, and the size of now.
fn wanted_wal(server: &ObservedServer, in_timeout: f64, now: Option<f64>) -> Wal {
    let Some(now) = now.filter(|now| *now > 0.0) else { return Wal::Unknown };
    // WAL of one checkpoint's time and of the completion of the one before, so that the time comes first.
    let target = server.number("checkpoint_completion_target").unwrap_or(0.9).clamp(0.0, 1.0);
    let asked = power_of_two_mb((in_timeout * (1.0 + target)).min(LARGEST_WAL));
    let most = now * LARGEST_STEP / MB;
    let mb = (asked as f64).min(most).floor();
    if mb * MB <= now {
        return Wal::Enough;
    }
    let size =
        if mb % 1024.0 == 0.0 { format!("{:.0}GB", mb / 1024.0) } else { format!("{mb:.0}MB") };
    Wal::Larger { size, step: (asked as f64 > most).then_some(LARGEST_STEP) }
}

fn checkpoints_frequent(server: &ObservedServer) -> Vec<CauseDraft> {
    let counted = &server.seen.counted;
    let (Some(requested), Some(timed)) = (counted.checkpoints_requested, counted.checkpoints_timed)
    else {
        return Vec::new();
    };
    let images = counted.full_pages.zip(counted.log_bytes);
    let images = images.and_then(|(n, all)| share_of(n * server.block_bytes(), all));
    let Some(images) = images.filter(|share| *share >= MOSTLY_IMAGES) else { return Vec::new() };
    let rate = server.seen.per_s(counted.log_bytes).unwrap_or(0.0);
    let timeout_s = server.time_ns("checkpoint_timeout").unwrap_or(300e9) / 1e9;
    let allowed = server.bytes("max_wal_size");
    let asks = allowed.is_none_or(|allowed| rate * timeout_s >= allowed / 2.0);
    if requested < LEAST_REQUESTED || requested <= timed || !asks {
        return Vec::new();
    }
    let current = server.setting("max_wal_size").and_then(literal);
    let wanted = wanted_wal(server, rate * timeout_s, allowed);
    let (action, statement) = match &wanted {
        Wal::Larger { size, step } => {
            let enough = match step {
                Some(times) => format!("{times:.0} times as much as now: with rarer checkpoints there are fewer images, and less WAL than counted here; then observe again"),
                None => format!("so that checkpoint_timeout ({timeout_s:.0} s) comes first"),
            };
            (
                format!("raise max_wal_size to {size}, {enough}; that much disk under pg_wal, and recovery after a crash takes longer. wal_compression makes images smaller for CPU time"),
                Some(format!("ALTER SYSTEM SET max_wal_size = '{size}'; SELECT pg_reload_conf()")),
            )
        }
        Wal::Unknown => (
            "raise max_wal_size, twice to eight times what SHOW max_wal_size says; that much disk under pg_wal, and recovery after a crash takes longer. wal_compression makes images smaller for CPU time".to_string(),
            None,
        ),
        Wal::Enough => (
            "max_wal_size is large already: find out who requests checkpoints (log_checkpoints names the reason: wal, or force for a backup or CHECKPOINT); fewer images by wal_compression, fewer indexes and fillfactor for HOT updates".to_string(),
            None,
        ),
    };
    let (share, gain_at_most) = server.worth_of_images(images);
    vec![CauseDraft {
        summary: format!(
            "{requested:.0} checkpoints requested in {}: WAL reaches max_wal_size, and {} of it is full-page images",
            age(server.seen.interval_ns),
            percent(images)
        ),
        evidence: joined([
            Some(format!("{timed:.0} timed checkpoints")),
            Some(format!("{}/s of WAL", bytes(rate))),
            current.as_ref().map(|size| format!("max_wal_size = {size}")),
        ]),
        against: "a backup, CHECKPOINT or a single bulk load requests checkpoints too; some images stay, one for each page and checkpoint".to_string(),
        undo: match current.filter(|_| statement.is_some()) {
            Some(size) => format!("ALTER SYSTEM SET max_wal_size = {size}; SELECT pg_reload_conf()"),
            None if matches!(wanted, Wal::Enough) => "nothing to take back".to_string(),
            None => "max_wal_size of before, back; SELECT pg_reload_conf()".to_string(),
        },
        action,
        statement,
        verify: "narrows observe URL --for 10min: timed checkpoints instead of requested ones, less WAL per transaction".to_string(),
        share,
        gain_at_most,
        ..CauseDraft::default()
    }]
}

fn rolled_back(server: &ObservedServer) -> Vec<CauseDraft> {
    let counted = &server.seen.counted;
    let (Some(back), Some(all)) = (counted.rollbacks, counted.transactions()) else {
        return Vec::new();
    };
    let share =
        share_of(back, all).filter(|share| *share >= ROLLED_BACK && back >= LEAST_ROLLED_BACK);
    let Some(share) = share else { return Vec::new() };
    let level = server.setting("default_transaction_isolation");
    let strict =
        level.filter(|level| level.contains("serializable") || level.contains("repeatable"));
    let serial = server.at_events_of("LWLock:Serial").filter(|waits| waits.sessions > 0.0);
    let deadlocks = counted.deadlocks.filter(|n| *n >= 1.0);
    // Each commit had one id at most, but for savepoints.
    let wrote = counted.writers.zip(counted.commits).map(|(ids, commits)| ids - commits);
    let wrote = wrote.filter(|wrote| *wrote >= WROTE * back);
    vec![CauseDraft {
        summary: format!("{} of transactions are rolled back", percent(share)),
        evidence: joined([
            Some(format!("{} of {}", count(back), count(all))),
            wrote.map(|wrote| format!("{} more transaction ids than commits: they had written", count(wrote))),
            strict.map(|level| format!("default_transaction_isolation = {level}")),
            serial.map(|waits| format!("locks of SERIALIZABLE are {} of session time", percent(waits.share))),
            deadlocks.map(|n| format!("{n:.0} deadlocks")),
        ]),
        against: match wrote {
            Some(_) => "savepoints take ids too; what these transactions took is not counted apart",
            None => "transactions that only read and are ended by ROLLBACK look the same and cost nothing",
        }
        .to_string(),
        action: if strict.is_some() || serial.is_some() {
            "transactions fail to serialise: fewer sessions at once on the same rows, READ ONLY for those that only read, indexes for what they read (a sequential scan locks the whole table against others), a pause before each repetition"
        } else {
            "find the errors in the server's log (log_min_error_statement); errors of the application that end transactions, and timeouts, are the usual ones"
        }
        .to_string(),
        undo: "the change in the application, back".to_string(),
        verify: "SELECT datname, xact_commit, xact_rollback FROM pg_stat_database, twice".to_string(),
        tells_effects: wrote.is_none(),
        ..CauseDraft::default()
    }]
}
