//! From a window of the open loop to what the search judges.

use narrows_engine::rate_search::{Backlog, Cap, Goal, RateSeen};
use narrows_stats::Slice;

use crate::outcome::StreamOutcome;

/// What the window of an open loop showed; `None` for a closed one.
///
/// The cap on operations in flight is far above what the limit of latency allows. Where it holds back more operations than may
/// be over the limit, the rate has failed; a stall that held back a few is in the latencies of those. A cap that memory kept below what
/// so many operations have in flight at the limit (Little's law) convicts nobody.
///
/// Lateness is the generator's and the machine's. What fell due while a call to the device held up the sending thread, and nothing shows
/// that the machine stood still, waited for the device: that is in its latency, and in no lateness.
pub(crate) fn seen(outcome: &StreamOutcome, goal: &Goal, usable: bool) -> Option<RateSeen> {
    let open = outcome.open.as_ref()?;
    let per_s = |count: u64| count as f64 * 1e9 / outcome.window_ns.max(1) as f64;
    let latency = outcome.latency_with_stragglers();
    let cap = if open.held as f64 > goal.allowed_over() * open.due as f64 {
        let needed = per_s(open.due) * goal.limit_ns as f64 / 1e9;
        if f64::from(outcome.load.in_flight()) < needed { Cap::TooSmall } else { Cap::Hit }
    } else {
        Cap::Kept
    };
    let by_device = open.held_up.by_device();
    let (lateness, _) = open.of_generator();
    let slices = outcome
        .slices
        .iter()
        .map(|slice| Slice { operations: slice.due, over: slice.over })
        .collect();
    Some(RateSeen {
        due_per_s: per_s(open.due),
        // What waits because enough is in flight, or for a call to return, is not the generator's.
        sent_per_s: if open.held > 0 || by_device { per_s(open.due) } else { per_s(open.sent) },
        achieved_per_s: outcome.throughput_per_s(),
        slices,
        quantile_ns: latency.quantile(goal.quantile),
        mean_ns: latency.mean(),
        lateness_ns: if open.held > 0 { None } else { lateness.quantile(goal.quantile) },
        lateness_median_ns: lateness.quantile(0.5),
        backlog: Backlog::of(&outcome.waiting_by_slice(), open.due, cap),
        usable,
    })
}
