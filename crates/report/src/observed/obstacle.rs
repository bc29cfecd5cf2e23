//! What stands before any answer about somebody's server: a right that the role lacks, a server that stood still, a session that keeps a
//! lock. Each has a sentence of its own, and a step that comes before all others.

use narrows_model::{Grade, LockHolder, Observation, Run, Unknown, Verdict};

use super::cause_sentences;
use super::verdict::is_mariadb;
use crate::advice::NextRow;
use crate::words;

/// So many sessions behind one are worth a word.
const QUEUE: f64 = 2.0;
/// How it is seen again.
const AGAIN: &str = "observe again: narrows observe";
/// The setting without which a server tells nothing of its sessions.
const TRACKED: &str = "track_activities = on";

/// The observation that a verdict is about.
fn of<'a>(run: &'a Run, verdict: &Verdict) -> Option<&'a Observation> {
    run.observations.iter().find(|seen| seen.measurement == verdict.measurement)
}

/// What it takes to see sessions, where none was seen because of it.
fn unseen(seen: &Observation) -> Option<&Unknown> {
    let known = seen.activity.samples > 0 || seen.activity.counted;
    let hides = |unknown: &&Unknown| lacks_right(unknown) || unknown.needs == TRACKED;
    seen.unknown.iter().find(hides).filter(|_| !known)
}

/// Whether all that is missing is the role's right to see sessions.
pub(crate) fn lacks_right(unknown: &Unknown) -> bool {
    unknown.needs.starts_with("GRANT pg_monitor")
}

/// Who keeps a lock that others wait for, where nobody asked for the whole queue: that is read by the causes.
fn lock_keeper(seen: &Observation) -> Option<&LockHolder> {
    let asked = seen.consumers.as_ref().is_some_and(|of| !of.lock_queue.is_empty());
    let holder = seen.sessions.holder.as_ref().filter(|_| !asked);
    holder.filter(|holder| holder.keeps() && holder.behind >= QUEUE)
}

/// What is said of a server before its verdict, and whether that is the whole answer.
pub(crate) fn sentences(run: &Run, verdict: &Verdict) -> (Vec<String>, bool) {
    let Some(seen) = of(run, verdict) else { return (Vec::new(), false) };
    let (now, largest) = cause_sentences(run, verdict);
    if let Some(still) = still(verdict) {
        // A cause says more than that none was found.
        let still = match is_mariadb(seen) && largest.is_some() {
            true => format!("{}: {}.", server(verdict), verdict.phrase),
            false => still,
        };
        let told = if now.is_empty() { vec![still] } else { now };
        return (told.into_iter().chain(largest).collect(), true);
    }
    let undecided = verdict.grade == Grade::Undecided;
    let unseen = unseen(seen);
    let blind = unseen.map(|unknown| match lacks_right(unknown) {
        true => format!(
            "The observing role may not see what sessions do: {}, then observe again.",
            unknown.needs
        ),
        false => format!(
            "The server does not tell what its sessions do: set {}, then observe again.",
            unknown.needs
        ),
    });
    let behind = lock_keeper(seen).map(|holder| {
        format!("{} sessions wait behind {}: {}.", holder.queue(), holder.words(), holder.way_out())
    });
    (blind.into_iter().chain(now).chain(behind).collect(), undecided && unseen.is_some())
}

/// `The observed server`
fn server(verdict: &Verdict) -> String {
    words::capital(&words::workload_plural(&verdict.workload, None))
}

/// A server on which hardly anything ended, in the words of its verdict.
fn still(verdict: &Verdict) -> Option<String> {
    let step = verdict.standing.as_ref()?.step.as_ref()?;
    let server = server(verdict);
    let idle = ["idle", "nearly idle"].into_iter().find_map(|word| {
        let said = verdict.phrase.strip_prefix(word)?.strip_prefix(": ")?;
        Some(format!("{server} was {word}: {said}. Observe it while it is in use."))
    });
    let stuck = || format!("{server}: {}. {}.", verdict.phrase, words::capital(&step.action));
    Some(idle.unwrap_or_else(stuck))
}

/// What comes before all else about that verdict's server; `None` where nothing does.
pub(crate) fn first_step(run: &Run, verdict: &Verdict) -> Option<NextRow> {
    let seen = of(run, verdict)?;
    let (action, prove) = match (unseen(seen), lock_keeper(seen)) {
        (Some(unknown), _) if lacks_right(unknown) => (unknown.needs.clone(), AGAIN),
        (Some(unknown), _) => (format!("set {}", unknown.needs), AGAIN),
        // Where nothing ended the verdict's own step is about that session.
        (None, Some(holder)) if still(verdict).is_none() => (
            format!(
                "{} sessions wait behind {}: {}",
                holder.queue(),
                holder.words(),
                holder.way_out()
            ),
            "SELECT pid, pg_blocking_pids(pid) FROM pg_stat_activity",
        ),
        _ => return None,
    };
    let workloads = vec![words::workload_plural(&verdict.workload, None)];
    let (expect, prove) = ("-".to_string(), prove.to_string());
    Some(NextRow { action, expect, prove, workloads, ..NextRow::default() })
}

/// The same of all verdicts.
pub(crate) fn first_steps(run: &Run) -> Vec<NextRow> {
    run.verdicts.iter().filter_map(|verdict| first_step(run, verdict)).collect()
}
