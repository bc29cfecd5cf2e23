//! What group commit should give, from the flush time and the load alone.
//!
//! Open: commits arrive independently of each other at rate λ, a flush takes a time S of its own distribution and everything
//! queued with it. A flush of length S is followed by an idle log with probability p = E[e^(−λS)], and the next commit then
//! starts the next one at once. So a flush carries λE[S] + p commits on average, exactly; one commit in λE[S] + p, p of it, finds
//! the log idle and waits S; every other one waits for the rest of a flush under way and then for its own: E[S²]/2E[S] + E[S]
//! (the residual life of a renewal process). For λS small that is one flush time, for λS large one and a half of them.
//!
//! Closed: n sessions that commit again at once. When a flush returns, whoever queued during it is there, so that the next one begins with
//! these before the sessions that it covered are back. Two groups alternate, each of which waits for the other's flush and
//! then for its own: two flushes in a row, 2E[S] whatever their distribution, and n/2 commits per flush. (All n on one flush don't stay so: the first
//! that is back begins the next one alone, and the others are the second group.) One session waits for its own alone. It is the limit of a return that
//! is short beside a flush; where a log waits for siblings before it flushes, the wait may be shorter.
//!
//! What is left out on purpose: processors, wake-ups, locks, bandwidth. Where a measured wait is twice this, one of them is
//! the narrow place and not the device.

/// What the law says.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Law {
    /// Commits that share one flush, mean.
    pub commits_per_flush: f64,
    /// Mean wait of a commit, ns.
    pub wait_mean_ns: f64,
}

/// Commits at `rate_per_s` by a Poisson process on flushes of these lengths, ns; `None` without a flush or a rate.
pub fn open_law(rate_per_s: f64, flushes_ns: &[u64]) -> Option<Law> {
    let n = flushes_ns.len() as f64;
    if flushes_ns.is_empty() || !(rate_per_s > 0.0 && rate_per_s.is_finite()) {
        return None;
    }
    let per_ns = rate_per_s / 1e9;
    let (mut sum, mut squares, mut idle) = (0.0, 0.0, 0.0);
    for ns in flushes_ns.iter().map(|ns| *ns as f64) {
        sum += ns;
        squares += ns * ns;
        idle += (-per_ns * ns).exp();
    }
    let (mean, square, idle) = (sum / n, squares / n, idle / n);
    if mean <= 0.0 {
        return None;
    }
    let during = per_ns * mean;
    let riding_ns = square / (2.0 * mean) + mean;
    Some(Law {
        commits_per_flush: during + idle,
        wait_mean_ns: (idle * mean + during * riding_ns) / (during + idle),
    })
}

/// `sessions` that commit again at once, on flushes of that mean length, ns; `None` for none of either.
pub fn closed_law(sessions: u32, flush_mean_ns: f64) -> Option<Law> {
    if sessions == 0 || flush_mean_ns.is_nan() || flush_mean_ns <= 0.0 {
        return None;
    }
    let waits = if sessions == 1 { 1.0 } else { 2.0 };
    Some(Law {
        commits_per_flush: f64::from(sessions) / waits,
        wait_mean_ns: waits * flush_mean_ns,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ends_are_one_flush_and_one_and_a_half() {
        let flush = [1_000_000];
        let idle = open_law(0.01, &flush).unwrap();
        assert!((idle.commits_per_flush - 1.0).abs() < 1e-4, "{idle:?}");
        assert!((idle.wait_mean_ns / 1e6 - 1.0).abs() < 1e-4, "{idle:?}");
        let busy = open_law(100_000.0, &flush).unwrap();
        assert!((busy.commits_per_flush - 100.0).abs() < 1e-6, "{busy:?}");
        assert!((busy.wait_mean_ns / 1e6 - 1.5).abs() < 1e-6, "{busy:?}");
        // A flush in ten that is ten times as long makes the wait for it longer than its share.
        let uneven: Vec<u64> =
            (0..10).map(|i| if i == 0 { 10_000_000 } else { 1_000_000 }).collect();
        let mean = 1.9e6;
        let uneven = open_law(100_000.0, &uneven).unwrap();
        assert!(uneven.wait_mean_ns > 2.0 * mean, "{uneven:?}");
        assert_eq!((open_law(0.0, &flush), open_law(1.0, &[])), (None, None));
    }

    #[test]
    fn one_session_waits_for_one_flush_and_several_for_two() {
        let one = closed_law(1, 5e5).unwrap();
        assert_eq!((one.commits_per_flush, one.wait_mean_ns), (1.0, 5e5));
        let many = closed_law(30, 5e5).unwrap();
        assert_eq!((many.commits_per_flush, many.wait_mean_ns), (15.0, 1e6));
        assert_eq!(closed_law(0, 5e5), None);
    }
}
