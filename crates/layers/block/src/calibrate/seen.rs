//! From a window of the open loop to what the search judges.

use narrows_engine::rate_search::{Backlog, Goal, RateSeen};
use narrows_stats::Slice;

use crate::outcome::StreamOutcome;
use crate::scenario::Load;

/// What the window of an open loop showed; `None` for a closed one.
///
/// The cap on operations in flight is far above what the limit of latency allows. Where it holds back more operations than may
/// be over the limit, the rate has failed; a stall that held back a few is in the latencies of those.
///
/// A rate × limit that is more than the cap is another matter ([`cap_is_too_small`]).
pub(super) fn seen(outcome: &StreamOutcome, goal: &Goal, usable: bool) -> Option<RateSeen> {
    let open = outcome.open.as_ref()?;
    let per_s = |count: u64| count as f64 * 1e9 / outcome.window_ns.max(1) as f64;
    let latency = outcome.latency_with_stragglers();
    let cap_hit = open.held as f64 > goal.allowed_over() * open.due as f64;
    let slices = outcome
        .slices
        .iter()
        .map(|slice| Slice { operations: slice.due, over: slice.over })
        .collect();
    Some(RateSeen {
        due_per_s: per_s(open.due),
        // What waits because enough is in flight is not the generator's.
        sent_per_s: if open.held > 0 { per_s(open.due) } else { per_s(open.sent) },
        achieved_per_s: outcome.throughput_per_s(),
        slices,
        quantile_ns: latency.quantile(goal.quantile),
        mean_ns: latency.mean(),
        lateness_ns: if open.held > 0 { None } else { open.lateness.quantile(goal.quantile) },
        lateness_median_ns: open.lateness.quantile(0.5),
        backlog: Backlog::of(&outcome.waiting_by_slice(), open.due, cap_hit),
        usable,
    })
}

/// Whether operations were held back though none of those in flight need have been over the limit: by Little's law so many may be in
/// flight within it, and the cap allowed fewer. Such a window says nothing of the device.
pub(super) fn cap_is_too_small(outcome: &StreamOutcome, goal: &Goal) -> bool {
    let (Load::Open { rate_per_s, most_in_flight, .. }, Some(open)) = (outcome.load, &outcome.open)
    else {
        return false;
    };
    held_back(rate_per_s, most_in_flight, goal.limit_ns) && open.held > 0
}

fn held_back(rate_per_s: f64, most_in_flight: u32, limit_ns: u64) -> bool {
    f64::from(most_in_flight) < rate_per_s * limit_ns as f64 / 1e9
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cap_below_what_the_limit_allows_says_nothing_of_the_device() {
        // 10 million a second within 5 ms: 50,000 may be in flight.
        assert!(held_back(1e7, 4096, 5_000_000));
        assert!(!held_back(1e7, 65_536, 5_000_000));
        assert!(!held_back(70e3, 4096, 1_000_000));
    }
}
