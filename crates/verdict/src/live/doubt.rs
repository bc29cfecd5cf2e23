//! Why a verdict is UNDECIDED.

use narrows_model::{Grade, LiveBound, LiveLog, LiveVerdict};
use narrows_units::{Ratio, significant};

use super::bound::{self, Hidden, LEAST_SHARE};
use super::cpus::{self, BesideSessions};
use super::groups::Groups;

pub(super) fn doubt(log: &LiveLog, groups: &Groups, verdict: &LiveVerdict) -> Option<String> {
    if verdict.grade != Grade::Undecided {
        return None;
    }
    if !groups.known {
        return Some(
            "What sessions wait for could not be seen, so the bottleneck is unknown.".into(),
        );
    }
    if let Some(ratio) = bound::apart(log) {
        return Some(format!(
            "Sessions were seen waiting for WAL × {} as often as the server's own times say, so the samples cannot be trusted.",
            significant(ratio, 2)
        ));
    }
    let Some(share) = verdict.share else {
        return Some("No session was active, so the bottleneck is unknown.".into());
    };
    if share < LEAST_SHARE
        && let Some(hidden) = bound::hidden(log, groups, verdict.busy)
    {
        return Some(behind(hidden, groups, verdict));
    }
    if let Some(share) = bound::unseen(log) {
        return Some(format!(
            "Samples failed for {} of the time, and what sessions did then was not seen.",
            Ratio(share)
        ));
    }
    if let Some(limit) = cpus::limit(log, groups).filter(|_| verdict.or_cpus) {
        let times = significant(limit.times, 2);
        let why = match limit.beside_sessions {
            BesideSessions::LowerNotFull => format!(
                "By this model the CPUs end first, at {times}x today's rate, but only {} of them are in use",
                Ratio(limit.busy)
            ),
            BesideSessions::NearlyFull => format!(
                "{} of the CPUs are in use: what waits for them cannot be told from what waits for WAL",
                Ratio(limit.busy)
            ),
            _ => format!("The CPUs allow {times}x today's rate, about as much as the sessions do"),
        };
        return Some(format!("{why}: narrows observe compares all limits."));
    }
    if share >= LEAST_SHARE && verdict.bound == LiveBound::NotWaitedFor {
        return Some(
            "Sessions were seen waiting for WAL all the same, in writes that nothing makes durable: what a flush would cost them is unknown."
                .into(),
        );
    }
    let Some((low, high)) = groups.share_interval() else {
        return Some(
            "Too few or too short windows to tell how much of it is chance: observe longer, 6 s at least."
                .into(),
        );
    };
    let [first, second, _] = groups.ranked();
    Some(if share >= LEAST_SHARE && !groups.told_apart(first, second) {
        format!("These windows do not tell which is more, {} or {}.", first.words(), second.words())
    } else if let Some(found) = bound::few(groups) {
        too_few(found, groups.samples, low, high)
    } else {
        format!(
            "WAL's share is {} to {} in these windows, which decides nothing.",
            Ratio(low),
            Ratio(high)
        )
    })
}

/// `600 questions found 3 sessions at work: by chance alone …`
fn too_few(found: u64, samples: u64, low: f64, high: f64) -> String {
    let sessions = if found == 1 { "session" } else { "sessions" };
    format!(
        "{samples} samples found {found} active {sessions} in all: with so few, chance alone puts WAL's share at {} to {}. Observe longer, or when there is more load.",
        Ratio(low),
        Ratio(high)
    )
}

fn behind(hidden: Hidden, groups: &Groups, verdict: &LiveVerdict) -> String {
    match hidden {
        Hidden::ByLocks => {
            // One holder at a time: as often as a session is at the log, found or counted, it is that one at most.
            let at_log = groups.at_log().max(verdict.busy.unwrap_or(0.0));
            let most = if at_log < 1.0 {
                format!(" (where all want one row, {} at most)", Ratio(at_log))
            } else {
                String::new()
            };
            format!(
                "{} sessions wait for locks, which others hold until their commit's flush has returned: how much of that time is WAL's is unknown{most}.",
                significant(groups.locks(), 2)
            )
        }
        Hidden::InSeries => {
            let busy =
                verdict.busy.map_or(String::new(), |busy| format!(" {} of the time", Ratio(busy)));
            format!(
                "WAL is busy{busy} although few wait for it: for the sessions that commit it may be the only bottleneck."
            )
        }
    }
}
