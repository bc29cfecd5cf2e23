//! What the waits are of the sessions' time, what would be gained without them at most, and what takes the rest.

use narrows_model::{LiveBound, LiveLog, LiveVerdict, LiveWaitKind};
use narrows_units::{Ratio, significant};

use super::bound;
use super::cpus;
use super::groups::{Groups, LogBottleneck};

/// Locks that less of the time at work goes to are not worth a word.
const WORTH_A_WORD: f64 = 0.02;
/// Names of other waits in a sentence.
const NAMED: usize = 3;

/// The place that a bound names.
fn place(bound: LiveBound) -> Option<LogBottleneck> {
    match bound {
        LiveBound::FlushTime | LiveBound::FlushBusy | LiveBound::CommitDelay => {
            Some(LogBottleneck::Device)
        }
        LiveBound::Insert => Some(LogBottleneck::Insert),
        LiveBound::Standby => Some(LogBottleneck::Standby),
        _ => None,
    }
}

/// More transactions by at most this share without the named place's waits; without any of the log where none is named.
///
/// Who no longer waits does the next transaction meanwhile, and what else there is to wait for grows with it. Locks are
/// held through these waits, so that what is waited for them goes too, at most. `None` where what is named may be more
/// than its share of the time, or is all of it.
pub(super) fn gain_at_most(
    log: &LiveLog,
    groups: &Groups,
    bound: LiveBound,
    busy: Option<f64>,
) -> Option<f64> {
    let waits = match (bound, place(bound)) {
        (_, Some(place)) => groups.mean(place),
        (LiveBound::NotTheLog | LiveBound::NotWaitedFor, None) => {
            groups.share()?;
            let locks_told = bound::through_flush(log) == Some(false);
            if bound::hidden(log, groups, busy).is_some() && !locks_told {
                return None;
            }
            groups.at_log()
        }
        _ => return None,
    };
    let held = waits > 0.0 && bound::through_flush(log) != Some(false);
    let locks = if held { groups.locks() } else { 0.0 };
    let share = (waits + locks) / groups.active();
    (share < 1.0).then(|| share / (1.0 - share))
}

/// `Waits for WAL flushes are 84 % of the time of 2.7 active sessions; without these …`
pub(super) fn share(log: &LiveLog, groups: &Groups, verdict: &LiveVerdict) -> Option<String> {
    let all = verdict.share?;
    let active = groups.active();
    let place = place(verdict.bound);
    let (name, share) = match place {
        Some(place) => (place.words(), groups.mean(place) / active),
        None => ("WAL", all),
    };
    let mut text = format!(
        "Waits for {name} are {} of the time of {} active sessions",
        Ratio(share),
        significant(active, 2)
    );
    let others = groups.at_log() - share * active;
    if place.is_some() && others > WORTH_A_WORD * active {
        text += &format!(", all for WAL {}", Ratio(all));
    }
    text += &gain(log, groups, verdict);
    if place.is_none() {
        text += &instead(log);
    }
    Some(format!("{text}."))
}

fn gain(log: &LiveLog, groups: &Groups, verdict: &LiveVerdict) -> String {
    let held = groups.at_log() > 0.0 && bound::through_flush(log) != Some(false);
    let locks = if held && groups.locks() > WORTH_A_WORD * groups.active() {
        ", and the locks that are held through them,"
    } else {
        ","
    };
    let then = match cpus::limit(log, groups) {
        Some(limit) if verdict.gain_at_most.is_some_and(|gain| 1.0 + gain > limit.times) => {
            format!(
                ", but the server's CPUs are full at {}x, at today's CPU time per transaction",
                significant(limit.times.max(1.0), 2)
            )
        }
        Some(_) => String::new(),
        None => ", or less if CPUs or clients cannot follow".to_string(),
    };
    match verdict.gain_at_most {
        Some(gain) if gain < 1.0 => {
            format!("; without these{locks} they could do at most {} more{then}", Ratio(gain))
        }
        Some(gain) => format!(
            "; without these{locks} commits per second would rise to at most {}x{then}",
            significant(1.0 + gain, 2)
        ),
        None if place(verdict.bound).is_some() => {
            format!("; without these{locks} another limit would follow")
        }
        None => String::new(),
    }
}

/// `. 9.0 of them run or are ready to, 3.0 wait for Lock:tuple`
fn instead(log: &LiveLog) -> String {
    let running = log.waits.of(LiveWaitKind::Running).unwrap_or(0.0);
    let mut others: Vec<&(String, f64)> =
        log.waits.locks.iter().chain(&log.waits.elsewhere).collect();
    others.sort_by(|a, b| b.1.total_cmp(&a.1));
    let others = others
        .iter()
        .take(NAMED)
        .map(|(name, n)| format!(", {} wait for {name}", significant(*n, 2)));
    format!(
        ". {} of them run or are ready to{}",
        significant(running, 2),
        others.collect::<String>()
    )
}
