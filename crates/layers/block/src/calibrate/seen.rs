//! From a window of the open loop to what the search judges.

use narrows_engine::rate_search::{Backlog, Goal, RateSeen};
use narrows_stats::Slice;

use crate::outcome::StreamOutcome;

/// What the window of an open loop showed; `None` for a closed one.
///
/// The cap on operations in flight is far above what the limit of latency allows. Where it holds back more operations than may
/// be over the limit, the rate has failed; a stall that held back a few is in the latencies of those.
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
