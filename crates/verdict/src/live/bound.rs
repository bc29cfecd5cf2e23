//! What bounds commits, and how sure that is.

use narrows_model::{Grade, LiveBound, LiveLog};

use super::cpus::{self, BesideSessions};
use super::groups::{Groups, LogBottleneck};
use super::model;
use crate::lock_holders;

/// Fewer transactions that wrote tell nothing.
const LEAST_WRITERS: f64 = 20.0;
/// Fewer questions tell nothing about states.
const LEAST_SAMPLES: u64 = 20;
/// Below this share of the time at work the log is not what sessions wait for.
pub(super) const LEAST_SHARE: f64 = 0.10;
/// States found and times counted agree within this factor.
const STATES_AGREE: f64 = 2.0;
/// From here on one flush follows the other.
const BUSY: f64 = 0.7;
/// Where questions went unanswered for more of the interval, too much of it was not seen.
const UNSEEN: f64 = 0.1;

/// Why a small share of the time may be all that holds sessions back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    /// Who waits for a row that another changed waits for that one's flush: locks are let go of after it
    /// (PostgreSQL source, `CommitTransaction`: `RecordTransactionCommit` comes before `ResourceOwnerRelease`).
    ByLocks,
    /// Few wait for the log, and they keep it busy: for them it is the end.
    InSeries,
}

pub(super) fn bound(log: &LiveLog, groups: &Groups, busy: Option<f64>) -> (LiveBound, Grade) {
    if log.counted.wrote().is_none_or(|wrote| wrote < LEAST_WRITERS) {
        return (LiveBound::Idle, Grade::Undecided);
    }
    let seen = groups.known && groups.samples >= LEAST_SAMPLES;
    let Some(share) = groups.share().filter(|_| seen) else {
        let off = log.is_set("fsync", "off");
        return (if off { LiveBound::NotWaitedFor } else { LiveBound::Unknown }, Grade::Undecided);
    };
    let (bound, likely) =
        if share < LEAST_SHARE { below(log, groups, busy) } else { above(log, groups, busy) };
    let (bound, likely) = match cpus::limit(log, groups).map(|limit| limit.beside_sessions) {
        // The CPUs are counted, whatever samples say of the log.
        Some(BesideSessions::Lower) if is_wait(bound) => (LiveBound::NotTheLog, true),
        _ if or_cpus(log, groups, bound) => (bound, false),
        _ => (bound, likely),
    };
    // What was found has to agree with what was counted, or it was not what was.
    let likely = likely && apart(log).is_none() && unseen(log).is_none();
    (bound, if likely { Grade::Likely } else { Grade::Undecided })
}

/// Whether what commits wait for can't be told from the CPUs.
pub(super) fn or_cpus(log: &LiveLog, groups: &Groups, bound: LiveBound) -> bool {
    let beside = cpus::limit(log, groups).map(|limit| limit.beside_sessions);
    let untold = [BesideSessions::Close, BesideSessions::LowerNotFull, BesideSessions::NearlyFull];
    is_wait(bound) && beside.is_some_and(|beside| untold.contains(&beside))
}

/// Whether it names what commits wait for.
fn is_wait(bound: LiveBound) -> bool {
    use LiveBound::*;
    matches!(bound, FlushTime | FlushBusy | CommitDelay | Insert | Standby | Locks)
}

/// Little of the time goes to the log.
fn below(log: &LiveLog, groups: &Groups, busy: Option<f64>) -> (LiveBound, bool) {
    let hidden = hidden(log, groups, busy);
    let off = unflushed(log, groups) || nobody_waits(log);
    // Who holds the locks was seen, so nothing hides behind them.
    let flushed = groups.ranked()[0] != LogBottleneck::Insert;
    match through_flush(log).filter(|_| hidden == Some(Hidden::ByLocks) && !off) {
        Some(true) if flushed => return (above(log, groups, busy).0, true),
        Some(false) => return (LiveBound::NotTheLog, true),
        _ => {}
    }
    let bound = match hidden {
        _ if off => LiveBound::NotWaitedFor,
        Some(Hidden::ByLocks) => LiveBound::Locks,
        Some(Hidden::InSeries) => LiveBound::Unknown,
        None => LiveBound::NotTheLog,
    };
    let shown = groups.share_interval().is_some_and(|(_, high)| high < LEAST_SHARE);
    (bound, shown && hidden.is_none())
}

/// The log is worth a look.
fn above(log: &LiveLog, groups: &Groups, busy: Option<f64>) -> (LiveBound, bool) {
    let [first, second, _] = groups.ranked();
    let bound = match first {
        LogBottleneck::Insert => LiveBound::Insert,
        LogBottleneck::Standby => LiveBound::Standby,
        // They were found at the log, in writes that nobody makes durable: of a commit's flush that says nothing.
        LogBottleneck::Device if unflushed(log, groups) => return (LiveBound::NotWaitedFor, false),
        LogBottleneck::Device if model::commit_delay_ns(log, groups).is_some() => {
            LiveBound::CommitDelay
        }
        LogBottleneck::Device if busy.is_some_and(|busy| busy > BUSY) => LiveBound::FlushBusy,
        LogBottleneck::Device => LiveBound::FlushTime,
    };
    // Who waits for a lock that is held through a flush waits for the flush, whatever the share of those who are in one.
    let held = groups.locks() > groups.at_log() && through_flush(log) == Some(true);
    let shown = held || groups.share_interval().is_some_and(|(low, _)| low > LEAST_SHARE);
    (bound, shown && groups.told_apart(first, second))
}

/// Whether nothing is flushed, and nothing else about a commit is waited for more.
pub(super) fn unflushed(log: &LiveLog, groups: &Groups) -> bool {
    log.is_set("fsync", "off") && groups.ranked()[0] == LogBottleneck::Device
}

/// Whether commits of all return at once: our own session's setting says that of nobody else.
pub(super) fn nobody_waits(log: &LiveLog) -> bool {
    log.is_set_for_all("synchronous_commit", "off")
        && log.synchronous_commit_of.iter().all(|of| of.ends_with("= off"))
}

/// What may hide behind a small share of the time.
pub(super) fn hidden(log: &LiveLog, groups: &Groups, busy: Option<f64>) -> Option<Hidden> {
    let at_log = groups.at_log();
    // Without anybody at the log nobody holds a lock through a flush.
    if at_log > 0.0
        && groups.locks() > at_log
        && at_log + groups.locks() >= LEAST_SHARE * groups.active()
    {
        return Some(Hidden::ByLocks);
    }
    // The log writer's flushes, where no session has to wait for one, hold nobody up.
    let alone = nobody_waits(log) || unflushed(log, groups);
    let busy = if alone { Some(groups.mean(LogBottleneck::Device)) } else { busy };
    busy.filter(|busy| *busy > BUSY).map(|_| Hidden::InSeries)
}

/// Whether locks are held through flushes, as far as their holders were seen.
pub(super) fn through_flush(log: &LiveLog) -> Option<bool> {
    lock_holders::through_flush(log.waits.holders?)
}

/// How many times as often sessions were found at the log as the server's own times say, where they contradict each other.
pub(super) fn apart(log: &LiveLog) -> Option<f64> {
    model::seen_over_counted(log)
        .filter(|ratio| !(1.0 / STATES_AGREE..=STATES_AGREE).contains(ratio))
}

/// How many sessions were found at work, where windows tell the share from a tenth and so few sessions can't.
pub(super) fn few(groups: &Groups) -> Option<u64> {
    let tells = |(low, high): &(f64, f64)| *low > LEAST_SHARE || *high < LEAST_SHARE;
    groups.share_by_windows().filter(tells)?;
    groups.share_interval().filter(tells).is_none().then(|| groups.found())
}

/// The share of the interval in which questions went unanswered, where it is too much.
pub(super) fn unseen(log: &LiveLog) -> Option<f64> {
    let unseen_ns = log.counted.unseen_ns.unwrap_or(log.cost.unanswered_ns);
    let share = unseen_ns / log.counted.interval_ns;
    Some(share).filter(|share| *share > UNSEEN)
}
