//! How sure a percentile inside one window is.

use narrows_model::{Interval, IntervalMethod};

use crate::Recorder;
use crate::special::binomial_cdf;

/// A 95 % interval for the `q` quantile of what was recorded, from the ranks between which it lies.
///
/// Of n independent values the number below the true quantile is binomial (n, q): ranks l < u with
/// at most 2.5 % of it outside on each side give an interval without any assumption on the
/// distribution. Latencies are not independent (queues have memory), so n is first multiplied by
/// `effective_share`, the effective over the actual number of samples (see
/// [`crate::effective_sample_size`]); 1 claims independence and is an upper bound. The ends are the
/// outer edges of the buckets, so that the recorder's resolution is inside.
///
/// It exists from the n_effective where the sample reaches beyond the quantile with 97.5 %: 368 for
/// p99, 3688 for p99.9. `None` below, when `q` is not within (0, 1), or `effective_share` is not
/// above 0. Shares above 1 count as 1.
///
/// It speaks of this window only, not of the next run. Exact up to n·q·(1−q) = 10,000, beyond by
/// the normal distribution. Source: Conover, *Practical Nonparametric Statistics*, 3.2; Hahn &
/// Meeker, *Statistical Intervals*, 5.2.
pub fn quantile_interval(recorder: &Recorder, q: f64, effective_share: f64) -> Option<Interval> {
    if !(q > 0.0 && q < 1.0 && effective_share > 0.0) {
        return None;
    }
    let count = recorder.count();
    let effective = (count as f64 * effective_share.min(1.0)).floor() as u64;
    let (lower, upper) = rank_bounds(effective, q)?;
    // A rank among the effective samples stands at the same share of the way through all of them.
    let scale = (count as f64 + 1.0) / (effective as f64 + 1.0);
    let low = ((lower as f64 * scale).floor() as u64).clamp(1, count);
    let high = ((upper as f64 * scale).ceil() as u64).clamp(1, count);
    Some(Interval {
        low: recorder.rank_edges(low).0 as f64,
        high: recorder.rank_edges(high).1 as f64,
        method: IntervalMethod::QuantileBinomial,
    })
}

/// Ranks (from one) of n independent values between which the `q` quantile lies with 95 % or more.
fn rank_bounds(n: u64, q: f64) -> Option<(u64, u64)> {
    let variance = n as f64 * q * (1.0 - q);
    if variance > 10_000.0 {
        let half = 1.959_963_984_540_054 * variance.sqrt();
        let middle = n as f64 * q;
        return Some(((middle - half).floor() as u64, (middle + half).ceil() as u64 + 1));
    }
    // First count whose distribution function exceeds 2.5 % is the lower rank; none below it is a
    // possible rank zero.
    let lower = first(n, |k| binomial_cdf(k, n, q) > 0.025);
    let upper = first(n, |k| binomial_cdf(k, n, q) >= 0.975) + 1;
    (lower >= 1 && upper <= n).then_some((lower, upper))
}

/// The first of 0..=n for which a condition holds that stays true once true, and is true at n.
fn first(n: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let (mut low, mut high) = (0, n);
    while low < high {
        let middle = low + (high - low) / 2;
        if holds(middle) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Adds the chances one by one.
    fn slow_bounds(n: u64, q: f64) -> Option<(u64, u64)> {
        let mut chance = (1.0 - q).powi(n as i32);
        let (mut sum, mut lower, mut upper) = (0.0, None, None);
        for k in 0..=n {
            sum += chance;
            if sum > 0.025 && lower.is_none() {
                lower = Some(k);
            }
            if sum >= 0.975 && upper.is_none() {
                upper = Some(k + 1);
            }
            chance *= (n - k) as f64 / (k + 1) as f64 * q / (1.0 - q);
        }
        let (lower, upper) = (lower?, upper?);
        (lower >= 1 && upper <= n).then_some((lower, upper))
    }

    #[test]
    fn ranks_agree_with_a_plain_sum() {
        for q in [0.1, 0.5, 0.75, 0.9] {
            for n in 1..250 {
                assert_eq!(rank_bounds(n, q), slow_bounds(n, q), "n {n}, q {q}");
            }
        }
    }

    #[test]
    fn it_exists_from_the_promised_number_on() {
        for (q, n) in [(0.5, 6), (0.99, 368), (0.999, 3688)] {
            assert!(rank_bounds(n - 1, q).is_none(), "q {q}");
            assert!(rank_bounds(n, q).is_some(), "q {q}");
        }
    }

    #[test]
    fn the_normal_branch_joins_the_exact_one() {
        let n = 1_010_102; // n·q·(1−q) just above 10,000
        let (low, high) = rank_bounds(n, 0.99).unwrap();
        let inside = binomial_cdf(high - 1, n, 0.99) - binomial_cdf(low - 1, n, 0.99);
        assert!((0.95..0.952).contains(&inside), "{inside}");
    }

    #[test]
    fn ranks_are_stretched_outwards() {
        let mut recorder = Recorder::new();
        (1..=100).for_each(|value| recorder.record(value));
        // 50 effective samples: ranks 18 and 33 by the printed table; times 101/51 that is 35.6 and
        // 65.4.
        assert_eq!(rank_bounds(50, 0.5), Some((18, 33)));
        let interval = quantile_interval(&recorder, 0.5, 0.5).unwrap();
        assert_eq!((interval.low, interval.high), (35.0, 66.0));
    }

    #[test]
    fn fewer_effective_samples_widen_it() {
        let mut recorder = Recorder::new();
        (1..=100_000u64).for_each(|value| recorder.record(value * 1_000));
        let width = |share| {
            let interval = quantile_interval(&recorder, 0.5, share).unwrap();
            assert!(interval.low <= 50_000_000.0 && interval.high >= 50_000_000.0);
            interval.high - interval.low
        };
        // Ten times fewer samples, three times the width; at 100,000 the bucket is what is left.
        assert!((25e6..45e6).contains(&width(0.0003)), "{}", width(0.0003));
        assert!((5e6..9e6).contains(&width(0.01)), "{}", width(0.01));
        assert!(width(1.0) < 1.1e6 && width(1.0) == width(7.0));
        assert_eq!(quantile_interval(&recorder, 0.99, 0.003), None);
        assert_eq!(quantile_interval(&recorder, 0.99, f64::NAN), None);
        assert_eq!(quantile_interval(&recorder, 1.0, 1.0), None);
        assert_eq!(quantile_interval(&Recorder::new(), 0.5, 1.0), None);
    }
}
