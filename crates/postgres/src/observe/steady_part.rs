//! A load that changed while it was observed: what the server does now is its last steady part, and a mean of both parts is neither.

use narrows_model::LoadChange;
use narrows_stats::median;

use super::sampling::{Edge, PollLoop, ended};
use super::window::Window;

/// Rates of windows within this factor are taken for one load: sessions report their counters up to a second late, so a window of three
/// seconds can hold a third more or less than its own. Judgement.
const ONE_LOAD: f64 = 1.5;
/// A load is taken to have changed from this factor on. Judgement: below it the mean is near either part.
const CHANGED: f64 = 2.0;
/// A part of fewer windows has no interval.
const LEAST_WINDOWS: usize = 3;

/// The window at which the last steady part of a load that changed begins, by the windows' rates; `None` where the load did not change,
/// or has not been steady since.
pub(super) fn last_steady_part(rates: &[f64]) -> Option<usize> {
    let (mut low, mut high) = (f64::INFINITY, 0.0_f64);
    let alike = |rate: &&f64| {
        (low, high) = (low.min(**rate), high.max(**rate));
        high <= low * ONE_LOAD
    };
    let steady = rates.iter().rev().take_while(alike).count();
    let (before, part) = rates.split_at(rates.len() - steady);
    let (before, now) = (median(before)?, median(part)?);
    let changed = before.max(now) >= CHANGED * before.min(now);
    (changed && part.len() >= LEAST_WINDOWS).then_some(rates.len() - steady)
}

/// The same by the counters at the windows' edges; 0 where all of it counts.
pub(super) fn last_since(edges: &[Edge]) -> usize {
    let rate = |two: &[Edge]| {
        let ns = (two[1].at_ns - two[0].at_ns) as f64;
        Some(ended(&two[0], &two[1])? / ns)
    };
    let rates: Option<Vec<f64>> = edges.windows(2).map(rate).collect();
    rates.as_deref().and_then(last_steady_part).unwrap_or(0)
}

/// Forgets the windows before the last steady part of a load that changed.
pub(super) fn keep_last(poll: &mut PollLoop, windows: &[Window]) -> Option<LoadChange> {
    let rate = |window: &Window| Some(window.transactions()? / window.ns * 1e9);
    let rates: Vec<f64> = windows.iter().map(rate).collect::<Option<_>>()?;
    let begins = last_steady_part(&rates)?;
    let after_ns = (poll.edges[begins].at_ns - poll.edges[0].at_ns) as f64;
    poll.edges.drain(..begins);
    poll.sampler.sampled.forget_windows_before(begins);
    let [before, now] = [&rates[..begins], &rates[begins..]].map(median);
    Some(LoadChange { after_ns, rate_before: before?, rate_since: now? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_that_begins_and_a_load_that_begins_leave_what_comes_after() {
        // The window in which it changed belongs to neither.
        assert_eq!(last_steady_part(&[26e3, 26e3, 14e3, 2e3, 2.1e3, 1.9e3]), Some(3));
        assert_eq!(last_steady_part(&[0.0, 0.0, 5e3, 5e3, 6e3, 5e3]), Some(2));
        // Of several changes the last counts.
        assert_eq!(last_steady_part(&[9e3, 2e3, 2e3, 2e3, 9e3, 9e3, 9e3, 9e3]), Some(4));
    }

    #[test]
    fn a_steady_load_a_stall_and_a_load_that_goes_on_changing_are_left_whole() {
        assert_eq!(last_steady_part(&[2e3, 2.2e3, 1.9e3, 2e3, 2.1e3, 2e3]), None);
        // One window of a checkpoint.
        assert_eq!(last_steady_part(&[9e3, 9e3, 2e3, 9e3, 9e3, 9e3]), None);
        // Too few windows since.
        assert_eq!(last_steady_part(&[9e3, 9e3, 9e3, 9e3, 2e3, 2e3]), None);
        assert_eq!(last_steady_part(&[9e3, 2e3, 9e3, 2e3, 9e3, 2e3]), None);
        // Half as much more is no other load.
        assert_eq!(last_steady_part(&[9e3, 9e3, 5.9e3, 5.9e3, 5.9e3, 5.9e3]), None);
        assert_eq!(last_steady_part(&[0.0; 6]), None);
        assert_eq!(last_steady_part(&[]), None);
    }
}
