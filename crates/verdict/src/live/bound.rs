//! What bounds commits, and how sure that is.

use narrows_model::{Grade, LiveBound, LiveLog};

use super::groups::{Groups, Place};
use super::model;

/// Fewer transactions that wrote tell nothing.
const LEAST_WRITERS: f64 = 20.0;
/// Fewer questions tell nothing about states.
const LEAST_SAMPLES: u64 = 20;
/// Below this share of the time at work the log is not what sessions wait for.
const LEAST_SHARE: f64 = 0.10;
/// States found and times counted agree within this factor.
pub(super) const STATES_AGREE: f64 = 2.0;
/// From here on one flush follows the other.
const BUSY: f64 = 0.7;

pub(super) fn bound(log: &LiveLog, groups: &Groups, busy: Option<f64>) -> (LiveBound, Grade) {
    if log.counted.writers.is_none_or(|writers| writers < LEAST_WRITERS) {
        return (LiveBound::Idle, Grade::Open);
    }
    if log.is_set("fsync", "off") {
        return (LiveBound::NotWaitedFor, Grade::Likely);
    }
    if !groups.known || groups.samples < LEAST_SAMPLES {
        return (LiveBound::Unknown, Grade::Open);
    }
    let Some(share) = groups.share() else { return (LiveBound::Unknown, Grade::Open) };
    let (bound, grade) = by_states(log, groups, busy, share);
    // What was found has to agree with what was counted, or it was not what was.
    let apart = model::seen_over_counted(log)
        .is_some_and(|ratio| !(1.0 / STATES_AGREE..=STATES_AGREE).contains(&ratio));
    (bound, if apart { Grade::Open } else { grade })
}

fn by_states(log: &LiveLog, groups: &Groups, busy: Option<f64>, share: f64) -> (LiveBound, Grade) {
    let interval = groups.share_interval();
    if share < LEAST_SHARE {
        let bound = if log.is_set("synchronous_commit", "off") {
            LiveBound::NotWaitedFor
        } else {
            LiveBound::NotTheLog
        };
        let shown = interval.is_some_and(|interval| interval.high < LEAST_SHARE);
        return (bound, if shown { Grade::Likely } else { Grade::Open });
    }
    let [first, second, _] = groups.ranked();
    let shown = interval.is_some_and(|interval| interval.low > LEAST_SHARE)
        && groups.told_apart(first, second);
    let bound = match first {
        Place::Insert => LiveBound::Insert,
        Place::Standby => LiveBound::Standby,
        Place::Device if busy.is_some_and(|busy| busy > BUSY) => LiveBound::FlushBusy,
        Place::Device => LiveBound::FlushTime,
    };
    (bound, if shown { Grade::Likely } else { Grade::Open })
}
