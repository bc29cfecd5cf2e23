//! A look in which hardly a transaction ended: there is no rate, so that no law holds, and still it can be read off what the sessions
//! wait for. A server that hangs and one that has nothing to do look alike by their rate alone.

use narrows_model::{
    ActivityState, Bottleneck, Grade, LockHolder, Observation, ObservedSituation, Run, Step,
    Verdict,
};
use narrows_units::{Nanos, significant};

use super::how_many;
use crate::threshold::LEAST_TRANSACTIONS;

/// Fewer active sessions, mean, are none.
const AT_WORK: f64 = 0.1;
/// Most of those at work.
const MOST: f64 = 0.5;

/// What is known.
struct Standstill {
    /// Where it can be read: locks, or a commit's wait for a standby.
    narrow: Bottleneck,
    /// For the screen: what the sessions wait for.
    phrase: String,
    step: Step,
}

/// What stands still; `None` where transactions ended, or where it was not to be seen what sessions do.
fn standstill(seen: &Observation) -> Option<Standstill> {
    let ended = seen.counted.transactions()?;
    let at_work = seen.activity.sessions_at_work()?;
    if ended >= LEAST_TRANSACTIONS {
        return None;
    }
    let most = |state| seen.activity.of(state).filter(|n| *n >= MOST * at_work);
    if at_work < AT_WORK {
        return Some(idle(seen, at_work));
    }
    if let Some(waiting) = most(ActivityState::Lock) {
        return Some(locks(seen, waiting));
    }
    if let Some(waiting) = most(ActivityState::Log).filter(|_| seen.activity.waits_for_standby()) {
        return Some(standby(seen, waiting));
    }
    Some(long(seen, at_work))
}

/// The verdict, or in its place what can be read off a look without a rate.
pub(crate) fn or_standstill(run: &Run, verdict: Verdict) -> Verdict {
    let seen = run.observations.iter().find(|seen| verdict.measurement == seen.measurement);
    let still = seen.and_then(|seen| Some((seen, standstill(seen)?)));
    let Some((seen, Standstill { narrow, phrase, step })) = still else { return verdict };
    // What follows from a rate goes with it.
    let standing = ObservedSituation {
        gains: None,
        step: Some(step),
        nearest: None,
        time: None,
        sentences: Vec::new(),
        ..verdict.standing.clone().unwrap_or_default()
    };
    Verdict {
        narrow,
        or: None,
        phrase,
        grade: Grade::Undecided,
        reasons: vec![no_rate(seen)],
        gain_at_most: None,
        sum: None,
        next: Vec::new(),
        standing: Some(standing),
        ..verdict
    }
}

fn step(action: impl Into<String>, prove: &str) -> Step {
    Step { action: action.into(), prove: prove.to_string() }
}

/// `no transaction was counted in the look of 24 s: there is no rate to hold the waits against`
fn no_rate(seen: &Observation) -> String {
    let look = Nanos(seen.interval_ns.max(0.0) as u64);
    format!(
        "{} within the {look} observed: there is no rate to compare the waits with",
        counted(seen)
    )
}

fn counted(seen: &Observation) -> String {
    match seen.counted.transactions().unwrap_or(0.0).round() as u64 {
        0 => "no transaction was counted".to_string(),
        1 => "one transaction was counted".to_string(),
        n => format!("{n} transactions were counted"),
    }
}

fn open(seen: &Observation) -> String {
    seen.sessions.open.map_or("an unknown number of".to_string(), how_many)
}

fn idle(seen: &Observation, at_work: f64) -> Standstill {
    let in_transaction = seen.activity.of(ActivityState::IdleInTransaction).unwrap_or(0.0);
    let mut phrase = if at_work == 0.0 && seen.counted.transactions() == Some(0.0) {
        format!("idle: none of {} sessions was active", open(seen))
    } else {
        let at_work = significant(at_work, 2);
        format!("nearly idle: {at_work} of {} sessions active, {}", open(seen), counted(seen))
    };
    if in_transaction >= AT_WORK {
        phrase += &format!("; {} are idle in transaction", significant(in_transaction, 2));
    }
    Standstill {
        narrow: Bottleneck::Unknown,
        phrase,
        step: step(
            "nothing: the server was not used",
            if seen.report.is_some() {
                "a report of a time in which it is used"
            } else {
                "observe it when it is used"
            },
        ),
    }
}

fn locks(seen: &Observation, waiting: f64) -> Standstill {
    let holder = seen.sessions.holder.as_ref();
    let asked = waiting.min(LockHolder::ASKED);
    let kept = holder.filter(|holder| holder.keeps() && holder.behind >= MOST * asked);
    let (phrase, step) = match kept {
        Some(holder) => (
            format!(
                "locks: {} of {} sessions wait behind {}",
                holder.queue(),
                seen.sessions.most_open.map_or_else(|| open(seen), how_many),
                holder.words()
            ),
            step(holder.way_out(), "observe again: narrows observe"),
        ),
        None => (
            format!(
                "locks: {} of {} sessions wait{}",
                significant(waiting, 2),
                open(seen),
                event(seen, ActivityState::Lock)
            ),
            step(
                "find the session that holds the lock and what its transaction does meanwhile",
                "SELECT pid, pg_blocking_pids(pid) FROM pg_stat_activity",
            ),
        ),
    };
    Standstill { narrow: Bottleneck::Lock, phrase, step }
}

fn standby(seen: &Observation, waiting: f64) -> Standstill {
    let connected = match seen.sessions.log_senders {
        Some(0.0) => "and none is connected".to_string(),
        Some(n) => format!("with {n:.0} WAL senders connected"),
        None => "about which nothing is known".to_string(),
    };
    Standstill {
        narrow: Bottleneck::CommitWait,
        phrase: format!(
            "{}: {} of {} sessions wait for a standby's answer, {connected}",
            Bottleneck::CommitWait.words(),
            significant(waiting, 2),
            open(seen)
        ),
        step: step(
            "bring back a standby that synchronous_standby_names requires, or remove it from that setting",
            "SELECT * FROM pg_stat_replication",
        ),
    }
}

/// At work, and nothing ends: statements that last longer than the look, or that are not counted.
fn long(seen: &Observation, at_work: f64) -> Standstill {
    let found = ActivityState::ALL.into_iter().filter(|state| state.is_at_work());
    let of = |state: &ActivityState| seen.activity.of(*state).unwrap_or(0.0);
    let most = found.max_by(|a, b| of(a).total_cmp(&of(b)));
    let mostly = most.map_or(String::new(), |state| format!(", mostly {}", state.words()));
    Standstill {
        narrow: Bottleneck::Unknown,
        phrase: format!(
            "{}: {} of {} sessions active{mostly}, and {}",
            Bottleneck::Unknown.words(),
            significant(at_work, 2),
            open(seen),
            counted(seen)
        ),
        step: step(
            "statements last longer than the time observed, or their end is not counted",
            &if seen.report.is_some() {
                "a report of a longer interval".to_string()
            } else {
                seen.longer_look()
            },
        ),
    }
}

/// ` for Lock:advisory`, the server's own name for what most wait for in that state.
fn event(seen: &Observation, state: ActivityState) -> String {
    let found = seen.activity.found.iter().filter(|f| f.state == state);
    let events = found.filter(|f| f.class.serves_transactions()).flat_map(|f| &f.events);
    let most = events.max_by(|a, b| a.1.total_cmp(&b.1));
    most.map_or(String::new(), |(name, _)| format!(" for {name}"))
}
