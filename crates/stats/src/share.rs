//! How sure a share is: k of n samples saw a session waiting.

use crate::special::beta_quantile;

/// The 95 % interval of a share of which `k` hits in `n` samples were seen, as (low, high) in [0,
/// 1].
///
/// Clopper–Pearson: the shares under which neither "k or more" nor "k or fewer" hits would be rarer
/// than 2.5 %. Exact, hence a little too wide, never too narrow; for k = 0 it gives the rule of
/// three (0 to about 3.7/n). It assumes independent samples: neighbouring looks at one long wait
/// are not, so give the number of *distinct* looks (samples further apart than a typical wait), or
/// k and n both scaled down by the effective share. It exists for every n; no samples at all, or
/// more hits than samples, say nothing: (0, 1). Source: Clopper & Pearson, *Biometrika* 26, 1934.
pub fn share_interval_95(k: u64, n: u64) -> (f64, f64) {
    if n == 0 || k > n {
        return (0.0, 1.0);
    }
    let (hits, misses) = (k as f64, (n - k) as f64);
    let low = if k == 0 { 0.0 } else { beta_quantile(hits, misses + 1.0, 0.025) };
    let high = if k == n { 1.0 } else { beta_quantile(hits + 1.0, misses, 0.975) };
    (low, high)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::special::binomial_cdf;

    #[test]
    fn the_ends_agree_with_closed_forms() {
        assert_eq!(share_interval_95(0, 0), (0.0, 1.0));
        assert_eq!(share_interval_95(3, 2), (0.0, 1.0));
        for n in [1u64, 5, 100, 10_000] {
            let edge = 0.025f64.powf(1.0 / n as f64);
            let (low, high) = share_interval_95(n, n);
            assert!((low - edge).abs() < 1e-10 && high == 1.0, "n = {n}");
            let (low, high) = share_interval_95(0, n);
            assert!((high - (1.0 - edge)).abs() < 1e-10 && low == 0.0, "n = {n}");
        }
    }

    #[test]
    fn a_printed_case_comes_out() {
        // 10 of 100 in the usual tables: 4.90 % to 17.62 %.
        let (low, high) = share_interval_95(10, 100);
        assert!((low - 0.0490).abs() < 5e-5 && (high - 0.1762).abs() < 5e-5, "{low} {high}");
    }

    /// The coverage is a finite sum, so that it can be checked without a simulation.
    #[test]
    fn every_share_is_covered_by_at_least_95_percent() {
        for n in [1u64, 6, 25, 80] {
            let intervals: Vec<_> = (0..=n).map(|k| share_interval_95(k, n)).collect();
            for step in 1..200 {
                let p = f64::from(step) / 200.0;
                let chance = |k: u64| {
                    binomial_cdf(k, n, p) - if k == 0 { 0.0 } else { binomial_cdf(k - 1, n, p) }
                };
                let covered: f64 = (0..=n)
                    .filter(|k| {
                        let (low, high) = intervals[*k as usize];
                        low <= p && p <= high
                    })
                    .map(chance)
                    .sum();
                assert!(covered >= 0.95 - 1e-9, "n {n}, p {p}: {covered}");
            }
        }
    }
}
