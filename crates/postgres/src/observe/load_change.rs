//! A load that changes while it is observed: figures of both parts have no common mean, so that the observation ends, and another one
//! begins with the load that has come.

use narrows_model::{LoadChange, Observation};
use narrows_stats::median;

use super::sampling::{Edge, ended};

/// Rates of windows within this factor are taken for one load: sessions report their counters up to a second late, so a window of ten
/// seconds can hold a tenth more or less than its own. Judgement.
const ONE_LOAD: f64 = 1.5;
/// A load is taken to have changed from this factor on. Judgement: below it the mean is near either part.
const CHANGED: f64 = 2.0;
/// Windows of the load that has come. Fewer may be a stall: a checkpoint, a long lock.
pub(super) const SINCE: usize = 3;
/// In each of the windows that have come, transactions of which fewer tell nothing. Judgement.
const LEAST_SINCE: f64 = 30.0;

/// What happened in a window.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Rate {
    /// Transactions that ended.
    ended: f64,
    /// Its length, ns.
    ns: f64,
}

impl Rate {
    fn per_s(&self) -> f64 {
        self.ended / self.ns * 1e9
    }
}

/// By the counters at the windows' edges, with so many windows of the load that has come or more; `None` where the load did not change, or
/// too little happened to tell.
pub(super) fn between(edges: &[Edge], since: usize) -> Option<LoadChange> {
    let rate = |two: &[Edge]| {
        let ns = (two[1].at_ns - two[0].at_ns) as f64;
        Some(Rate { ended: ended(&two[0], &two[1])?, ns })
    };
    load_change(&edges.windows(2).map(rate).collect::<Option<Vec<Rate>>>()?, since)
}

/// Whether the last windows, which are alike, are of another load than all before: each of these by the same factor above or below each of
/// those.
fn load_change(windows: &[Rate], least_since: usize) -> Option<LoadChange> {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    let alike = |window: &&Rate| {
        (low, high) = (low.min(window.per_s()), high.max(window.per_s()));
        high <= low * ONE_LOAD
    };
    let since = windows.iter().rev().take_while(alike).count();
    let (before, since) = windows.split_at(windows.len() - since);
    // The last one before them may hold some of both.
    let before = if before.len() > 1 { &before[..before.len() - 1] } else { before };
    let rates = |of: &[Rate]| of.iter().map(Rate::per_s).collect::<Vec<f64>>();
    let (then, now) = (rates(before), rates(since));
    let least = |rates: &[f64]| rates.iter().copied().fold(f64::INFINITY, f64::min);
    let most = |rates: &[f64]| rates.iter().copied().fold(0.0, f64::max);
    let fell = least(&then) >= CHANGED * most(&now);
    let rose = least(&now) >= CHANGED * most(&then);
    let busier = if fell { before } else { since };
    let enough = busier.iter().all(|window| window.ended >= Observation::LEAST_TRANSACTIONS)
        && since.iter().all(|window| window.ended >= LEAST_SINCE);
    let long = !before.is_empty() && since.len() >= least_since;
    (long && (fell || rose) && enough).then(|| LoadChange {
        before_ns: windows.iter().map(|window| window.ns).sum(),
        rate_before: median(&then).unwrap_or(0.0),
        rate_since: median(&now).unwrap_or(0.0),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(per_s: &[f64], since: usize) -> Option<LoadChange> {
        let window = |per_s: &f64| Rate { ended: per_s * 10.0, ns: 10e9 };
        load_change(&per_s.iter().map(window).collect::<Vec<Rate>>(), since)
    }

    fn changed(per_s: &[f64]) -> Option<LoadChange> {
        with(per_s, SINCE)
    }

    #[test]
    fn a_limit_that_begins_and_a_load_that_begins_are_changes() {
        // With and without a window that holds some of both, early and late.
        let change = changed(&[26e3, 26e3, 14e3, 2e3, 2.1e3, 1.9e3]).unwrap();
        assert_eq!((change.before_ns, change.rate_before, change.rate_since), (60e9, 26e3, 2e3));
        assert!(changed(&[26e3, 26e3, 26e3, 2e3, 2.1e3, 1.9e3]).is_some());
        assert!(changed(&[21e3, 2e3, 2e3, 2e3]).is_some());
        assert!(changed(&[21e3, 2e3, 2e3, 2e3, 2e3, 2e3]).is_some());
        let began = changed(&[0.0, 0.0, 2e3, 5e3, 6e3, 5e3]).unwrap();
        assert_eq!((began.rate_before, began.rate_since), (0.0, 5e3));
        // A change that goes on, and one of which too little has come.
        assert!(with(&[26e3, 26e3, 26e3, 26e3, 14e3, 2e3], 1).is_some());
        assert!(with(&[0.0, 0.0, 0.0, 0.0, 0.0, 5e3], 1).is_some());
        assert_eq!(changed(&[26e3, 26e3, 26e3, 26e3, 14e3, 2e3]), None);
    }

    #[test]
    fn a_steady_load_stalls_and_a_load_that_has_ended_are_none() {
        assert_eq!(changed(&[2e3, 2.2e3, 1.9e3, 2e3, 2.1e3, 2e3]), None);
        // Stalls: of one window and of two, also while they last.
        for stall in [&[9e3, 9e3, 2e3, 9e3, 9e3, 9e3][..], &[9e3, 2e3, 2e3, 9e3, 9e3, 9e3]] {
            assert_eq!(changed(stall), None);
            assert_eq!(changed(&stall[..3]), None);
        }
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
