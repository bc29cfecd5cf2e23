//! What would change it.

use narrows_model::{LiveBound, LiveLog, LiveStandby, LiveVerdict};
use narrows_units::Nanos;

use super::cpus::{self, BesideSessions};
use super::groups::Groups;

/// Commits that share a flush from which on waiting for more of them pays little.
const SHARED_ENOUGH: f64 = 2.0;

pub(super) fn changes(log: &LiveLog, groups: &Groups, verdict: &LiveVerdict) -> Vec<String> {
    match verdict.bound {
        LiveBound::Idle | LiveBound::Unknown => Vec::new(),
        LiveBound::NotWaitedFor => vec![
            "nothing about the WAL device shortens a commit here; for the cost of durable commits run narrows log in the WAL folder"
                .to_string(),
        ],
        LiveBound::NotTheLog if cpus_are_full(log, groups) => vec![
            "less CPU time per transaction, or more CPUs: while they are full a faster WAL device changes nothing".to_string(),
        ],
        LiveBound::NotTheLog => {
            vec!["what sessions do instead: a faster WAL device changes nothing here".to_string()]
        }
        LiveBound::Locks => vec![
            "shorter transactions where many update the same rows: update those rows last, just before the commit; pg_blocking_pids() shows the blockers"
                .to_string(),
            "a WAL device with shorter flushes, as far as those who hold the locks are in their commits: narrows log --wal DIR measures it"
                .to_string(),
            "synchronous_commit = off for these transactions, if losing them in a crash is bearable: locks are then not held through a flush"
                .to_string(),
        ],
        LiveBound::CommitDelay => vec![
            "commit_delay = 0, at once: ALTER SYSTEM SET commit_delay = 0, then SELECT pg_reload_conf(); ALTER SYSTEM RESET \
             commit_delay takes it back"
                .to_string(),
            "a commit_delay of about half a flush with commit_siblings of 5 or more, if commits should share flushes all the same"
                .to_string(),
        ],
        LiveBound::FlushTime => flush(log, verdict, false),
        LiveBound::FlushBusy => flush(log, verdict, true),
        LiveBound::Insert => vec![
            "fewer and larger WAL records: several rows per statement, fewer indexes, COPY".to_string(),
            "fewer full-page images in WAL: a longer checkpoint_timeout with max_wal_size to match".to_string(),
            "not storage: the locks are in the server's memory, and their number is fixed".to_string(),
        ],
        LiveBound::Standby => standby(log),
    }
}

fn cpus_are_full(log: &LiveLog, groups: &Groups) -> bool {
    cpus::limit(log, groups).is_some_and(|limit| limit.beside_sessions == BesideSessions::Lower)
}

fn flush(log: &LiveLog, verdict: &LiveVerdict, busy: bool) -> Vec<String> {
    let mut changes = vec![
        "a WAL device with shorter flushes, or one of its own: narrows log --wal DIR measures it, narrows log placement compares it with another"
            .to_string(),
        "fewer, larger transactions: each pays for one commit".to_string(),
    ];
    let delay = log.setting("commit_delay").is_some_and(|set| set.value != "0" && !set.is_ours());
    let shared = log
        .counted
        .durable(log.sync_method())
        .zip(log.counted.wrote())
        .filter(|(durable, _)| *durable > 0.0)
        .map(|(durable, wrote)| wrote / durable);
    if delay {
        changes.push(
            "commit_delay lengthens every commit so that more can join: compare without it"
                .to_string(),
        );
    } else if busy && shared.is_some_and(|shared| shared < SHARED_ENOUGH) {
        let half = verdict.model.as_ref().map(|model| Nanos((model.flush_ns / 2.0) as u64));
        let half = half.map_or(String::new(), |half| format!(" of about half a flush, {half}"));
        changes.push(format!("commit_delay{half}, so that more commits share a flush"));
    }
    changes.push(
        "synchronous_commit = off, for transactions whose loss in a crash is bearable: a crash loses the last ones"
            .to_string(),
    );
    changes
}

fn standby(log: &LiveLog) -> Vec<String> {
    let applied = log.is_set_for_all("synchronous_commit", "remote_apply");
    let lag = |standby: &LiveStandby| {
        let after = |ns: f64| Nanos(ns as u64).to_string();
        let (write, flush) = (after(standby.write_lag_ns?), after(standby.flush_lag_ns?));
        let replay = standby.replay_lag_ns.filter(|_| applied).map(after);
        Some(match replay {
            Some(replay) => format!(
                "{} has written after {write}, flushed after {flush} and applied after {replay}",
                standby.name
            ),
            None => format!("{} has written after {write} and flushed after {flush}", standby.name),
        })
    };
    let confirms =
        |standby: &&LiveStandby| matches!(standby.sync_state.as_deref(), Some("sync" | "quorum"));
    let lags: Vec<String> = log.standbys.iter().filter(confirms).filter_map(lag).collect();
    let seen = if lags.is_empty() { String::new() } else { format!(" ({})", lags.join("; ")) };
    let mut changes = Vec::new();
    if applied {
        changes.push(format!(
            "a standby that applies sooner{seen}: no queries there that delay it, no recovery_min_apply_delay"
        ));
        changes.push(
            "synchronous_commit = on, without waiting until the standby has applied: what was committed may not be \
             visible there yet"
                .to_string(),
        );
    } else {
        changes.push(format!("a shorter path to the standby, or a faster WAL device there{seen}"));
        changes.push(
            "synchronous_commit = remote_write, without waiting for the standby's flush: a crash of both loses commits"
                .to_string(),
        );
    }
    changes.push(
        "a quorum (ANY 1 of several) in synchronous_standby_names, so that the fastest one counts"
            .to_string(),
    );
    changes
}
