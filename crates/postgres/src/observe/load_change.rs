//! A load that changes while it is observed: figures of both parts have no common mean, so that the observation ends, and another one
//! begins with the part that has come.

use narrows_model::{LoadChange, Observation};
use narrows_stats::median;

use super::sampling::{Edge, ended};

/// Rates of windows within this factor are taken for one load: sessions report their counters up to a second late, so a window of ten
/// seconds can hold a tenth more or less than its own. Judgement.
const ONE_LOAD: f64 = 1.5;
/// A load is taken to have changed from this factor on. Judgement: below it the mean is near either part.
const CHANGED: f64 = 2.0;
/// Windows of the load that has come. Fewer may be a stall: a checkpoint, a long lock.
const SINCE: usize = 3;
/// Windows of the load that was there, without the one in which it changed.
const BEFORE: usize = 2;
/// In each of the windows that have come: a load that has ended is none to observe.
const LEAST_SINCE: f64 = 30.0;

/// What happened in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Rate {
    /// Transactions that ended.
    pub(super) ended: f64,
    /// Its length, ns.
    pub(super) ns: f64,
}

impl Rate {
    fn per_s(&self) -> f64 {
        self.ended / self.ns * 1e9
    }
}

/// By the counters at the windows' edges; `None` where the load did not change, or too little happened to tell.
pub(super) fn between(edges: &[Edge]) -> Option<LoadChange> {
    let rate = |two: &[Edge]| {
        let ns = (two[1].at_ns - two[0].at_ns) as f64;
        Some(Rate { ended: ended(&two[0], &two[1])?, ns })
    };
    load_change(&edges.windows(2).map(rate).collect::<Option<Vec<Rate>>>()?)
}

/// Whether the last windows are of another load than all before: each of these by the same factor above or below each of those.
fn load_change(windows: &[Rate]) -> Option<LoadChange> {
    let (before, since) = windows.split_at(windows.len().checked_sub(SINCE)?);
    // The last one before them may hold some of both.
    let before = &before[..before.len().checked_sub(1)?];
    let rates = |of: &[Rate]| of.iter().map(Rate::per_s).collect::<Vec<f64>>();
    let (then, now) = (rates(before), rates(since));
    let ends = |rates: &[f64]| {
        let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
        (low, rates.iter().copied().fold(0.0, f64::max))
    };
    let ((then_low, then_high), (now_low, now_high)) = (ends(&then), ends(&now));
    let changed = then_low >= CHANGED * now_high || now_low >= CHANGED * then_high;
    let busier = if then_low > now_high { before } else { since };
    let enough = busier.iter().all(|window| window.ended >= Observation::LEAST_TRANSACTIONS)
        && since.iter().all(|window| window.ended >= LEAST_SINCE);
    (before.len() >= BEFORE && changed && now_high <= ONE_LOAD * now_low && enough).then(|| {
        LoadChange {
            before_ns: windows.iter().map(|window| window.ns).sum(),
            rate_before: median(&then).unwrap_or(0.0),
            rate_since: median(&now).unwrap_or(0.0),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn changed(per_s: &[f64]) -> Option<LoadChange> {
        let window = |per_s: &f64| Rate { ended: per_s * 10.0, ns: 10e9 };
        load_change(&per_s.iter().map(window).collect::<Vec<Rate>>())
    }

    #[test]
    fn a_limit_that_begins_and_a_load_that_begins_are_changes() {
        // With and without a window that holds some of both.
        let change = changed(&[26e3, 26e3, 14e3, 2e3, 2.1e3, 1.9e3]).unwrap();
        assert_eq!((change.before_ns, change.rate_before, change.rate_since), (60e9, 26e3, 2e3));
        assert!(changed(&[26e3, 26e3, 26e3, 2e3, 2.1e3, 1.9e3]).is_some());
        let began = changed(&[0.0, 0.0, 2e3, 5e3, 6e3, 5e3]).unwrap();
        assert_eq!((began.rate_before, began.rate_since), (0.0, 5e3));
    }

    #[test]
    fn a_steady_load_stalls_and_a_load_that_has_ended_are_none() {
        assert_eq!(changed(&[2e3, 2.2e3, 1.9e3, 2e3, 2.1e3, 2e3]), None);
        // Stalls: in the middle, at the beginning, of two windows.
        assert_eq!(changed(&[9e3, 9e3, 2e3, 9e3, 9e3, 9e3]), None);
        assert_eq!(changed(&[2e3, 9e3, 9e3, 9e3, 9e3, 9e3]), None);
        assert_eq!(changed(&[9e3, 2e3, 2e3, 9e3, 9e3, 9e3]), None);
        assert_eq!(changed(&[9e3, 9e3, 9e3, 9e3, 2e3, 2e3]), None, "too early to tell");
        assert_eq!(changed(&[9e3, 2e3, 9e3, 2e3, 9e3, 2e3]), None);
        assert_eq!(changed(&[9e3, 9e3, 9e3, 2e3, 3.1e3, 2e3]), None, "not steady");
        assert_eq!(changed(&[9e3, 9e3, 9e3, 5e3, 5e3, 5e3]), None, "not by a factor of two");
        assert_eq!(changed(&[9e3, 9e3, 9e3, 0.0, 0.0, 0.0]), None, "it has ended");
        // Seldom enough for chance: 10 to 60 transactions in a window.
        assert_eq!(changed(&[1.0, 2.0, 5.0, 5.0, 6.0, 5.0]), None);
        assert_eq!(changed(&[0.0; 6]), None);
        assert_eq!(changed(&[9e3; 3]), None);
        assert_eq!(changed(&[]), None);
    }
}
