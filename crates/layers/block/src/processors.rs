//! How many processors load generators may keep busy.

use narrows_facts::{Live, affinity, cgroup};

/// Those that threads are bound to, or else those that this process is allowed; no more than a quota of its control groups
/// leaves, which would only stop more threads more often.
pub(crate) fn processors(bound: &[u32]) -> u32 {
    let allowed = if bound.is_empty() { affinity::current().len() } else { bound.len() };
    cgroup::usable_cpus(&Live, allowed)
}
