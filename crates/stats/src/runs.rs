//! Numbers over repeats: the median of fresh runs, its 95 % interval, and the ratio of two sets of
//! runs.
//!
//! A repeat is one value. What happened inside a run (autocorrelation, tails) belongs to
//! [`crate::effective_sample_size`] and [`crate::quantile_interval`]; noise within a run never
//! stands in for noise between runs.

use narrows_model::{Interval, IntervalMethod};

use crate::special::{binomial_cdf, student_t_quantile};

/// The middle value, or the mean of the two middle ones.
///
/// `None` for no samples, or when one is not a finite number: an unknown value has no place in an
/// order.
pub fn median(samples: &[f64]) -> Option<f64> {
    let sorted = sorted_finite(samples)?;
    let n = sorted.len();
    match n {
        0 => None,
        _ if n % 2 == 1 => Some(sorted[n / 2]),
        _ => Some(sorted[n / 2 - 1] + (sorted[n / 2] - sorted[n / 2 - 1]) / 2.0),
    }
}

/// 95 % interval of the mean of independent runs (low, high), after Student; `None` below two finite samples. Where the runs are
/// skewed it is only about right, and errs to the low side of a long upper tail.
pub fn mean_interval_95(samples: &[f64]) -> Option<(f64, f64)> {
    let n = samples.len();
    if n < 2 || samples.iter().any(|sample| !sample.is_finite()) {
        return None;
    }
    let mean = samples.iter().sum::<f64>() / n as f64;
    let squares: f64 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
    let df = (n - 1) as f64;
    let half = student_t_quantile(0.975, df) * (squares / df / n as f64).sqrt();
    Some((mean - half, mean + half))
}

/// A 95 % interval for the median of the runs, by the strongest method that exists for their
/// number.
///
/// - **n ≥ 6: order statistics.** The k-th smallest and k-th largest run, with the largest k whose
///   coverage 1 − 2·P(Bin(n, ½) < k) is at least 95 %. Assumes only that the runs are independent
///   and alike. It exists from n = 6, where it is smallest to largest with 96.9 %. Source: Conover,
///   *Practical Nonparametric Statistics*, 3rd ed., 3.2; benchstat uses it.
/// - **3 ≤ n ≤ 5, all above zero: Student's t on the logarithms.** Assumes log-normal runs, whose
///   median is the geometric mean; with three runs this cannot be checked, so the method is stored
///   beside the interval. Source: Student 1908; on logarithms as in Limpert, Stahel & Abbt,
///   *BioScience* 51, 2001.
/// - otherwise `None`: fewer than three runs, or three to five of which one is zero or negative, or
///   one is not finite.
///
/// Identical runs give an interval of no width: it says that the spread is below the resolution of
/// the value, not that there is none.
pub fn interval_95(samples: &[f64]) -> Option<Interval> {
    let sorted = sorted_finite(samples)?;
    let n = sorted.len();
    if let Some(k) = median_rank(n) {
        return Some(Interval {
            low: sorted[k - 1],
            high: sorted[n - k],
            method: IntervalMethod::OrderStatistic,
        });
    }
    let logs = Logs::of(&sorted).filter(|logs| logs.n >= 3.0)?;
    let half = student_t_quantile(0.975, logs.n - 1.0) * (logs.variance / logs.n).sqrt();
    Some(Interval {
        low: (logs.mean - half).exp(),
        high: (logs.mean + half).exp(),
        method: IntervalMethod::LogT,
    })
}

/// The mean by logarithms, whose ratio [`ratio`] is. `None` where there are no runs, or one is not above zero.
pub fn geometric_mean(samples: &[f64]) -> Option<f64> {
    Logs::of(samples).map(|logs| logs.mean.exp())
}

/// The ratio of two sets of runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RatioEstimate {
    /// Numerator over denominator; 1 is no difference.
    pub value: f64,
    /// 95 % interval of the ratio, where both sides have three runs or more. It excludes 1 where a
    /// difference is shown.
    pub interval_95: Option<Interval>,
}

/// How many times as large the numerator's runs are as the denominator's.
///
/// The value is the ratio of geometric means (under the assumption, of medians). The interval is
/// Welch's t on the logarithms with the Welch–Satterthwaite degrees of freedom: assumes
/// independent, log-normal runs, not equal spread. It exists from three runs on each side. Source:
/// Welch 1947, Satterthwaite 1946.
///
/// Where a run is zero there are no logarithms: the value is then the ratio of medians, without an
/// interval. `None` when a side is empty, a run is negative or not finite, or the denominator's
/// median is zero.
pub fn ratio(numerator: &[f64], denominator: &[f64]) -> Option<RatioEstimate> {
    if numerator.iter().chain(denominator).any(|v| *v < 0.0) {
        return None;
    }
    let (over, under) = (median(numerator)?, median(denominator)?);
    let (Some(a), Some(b)) = (Logs::of(numerator), Logs::of(denominator)) else {
        return (under > 0.0).then(|| RatioEstimate { value: over / under, interval_95: None });
    };
    let centre = a.mean - b.mean;
    let interval_95 = (a.n >= 3.0 && b.n >= 3.0).then(|| {
        let (va, vb) = (a.variance / a.n, b.variance / b.n);
        let half = if va + vb > 0.0 {
            let df = (va + vb).powi(2) / (va * va / (a.n - 1.0) + vb * vb / (b.n - 1.0));
            student_t_quantile(0.975, df) * (va + vb).sqrt()
        } else {
            0.0
        };
        Interval {
            low: (centre - half).exp(),
            high: (centre + half).exp(),
            method: IntervalMethod::LogT,
        }
    });
    Some(RatioEstimate { value: centre.exp(), interval_95 })
}

/// How many times as large the numerator's runs are as the denominator's, run by run: sample i of both comes from
/// the same stretch of time.
///
/// Student's t on the logarithms of the pairs' ratios. What drifts slowly hits both members of a pair and falls out,
/// which is why runs that are to be compared are interleaved; where nothing drifts, the interval is about as wide
/// as [`ratio`]'s (with fewer degrees of freedom). Assumes independent pairs with log-normal ratios. From three pairs.
/// Source: Student 1908; pairing as in Box, Hunter & Hunter, *Statistics for Experimenters*, 2nd ed., 3.2.
///
/// `None` for sides of different length, no pairs, or a run that is not above zero.
pub fn paired_ratio(numerator: &[f64], denominator: &[f64]) -> Option<RatioEstimate> {
    if numerator.len() != denominator.len() || denominator.iter().any(|v| *v <= 0.0) {
        return None;
    }
    let pairs: Vec<f64> = numerator.iter().zip(denominator).map(|(a, b)| a / b).collect();
    let logs = Logs::of(&pairs)?;
    let interval_95 = (logs.n >= 3.0).then(|| {
        let half = student_t_quantile(0.975, logs.n - 1.0) * (logs.variance / logs.n).sqrt();
        Interval {
            low: (logs.mean - half).exp(),
            high: (logs.mean + half).exp(),
            method: IntervalMethod::PairedLogT,
        }
    });
    Some(RatioEstimate { value: logs.mean.exp(), interval_95 })
}

/// Mean and variance of logarithms.
pub(crate) struct Logs {
    pub n: f64,
    pub mean: f64,
    /// With n − 1; zero for a single value, which no caller uses.
    pub variance: f64,
}

impl Logs {
    /// `None` unless all values are above zero and there is one.
    pub fn of(samples: &[f64]) -> Option<Self> {
        if samples.is_empty() || samples.iter().any(|v| *v <= 0.0) {
            return None;
        }
        let n = samples.len() as f64;
        // Relative to the first: identical runs then have a variance of exactly zero.
        let first = samples[0].ln();
        let mean = samples.iter().map(|v| v.ln() - first).sum::<f64>() / n;
        let squares = samples.iter().map(|v| (v.ln() - first - mean).powi(2)).sum::<f64>();
        Some(Self { n, mean: first + mean, variance: squares / (n - 1.0).max(1.0) })
    }
}

/// The rank k of the tightest symmetric pair (k-th smallest, k-th largest) that covers the median
/// with 95 %; `None` below six.
fn median_rank(n: usize) -> Option<usize> {
    let misses = |k: usize| 2.0 * binomial_cdf(k as u64 - 1, n as u64, 0.5);
    if n < 6 {
        return None;
    }
    let (mut good, mut bad) = (1, n / 2 + 1);
    while bad - good > 1 {
        let middle = good + (bad - good) / 2;
        if misses(middle) <= 0.05 {
            good = middle;
        } else {
            bad = middle;
        }
    }
    Some(good)
}

pub(crate) fn sorted_finite(samples: &[f64]) -> Option<Vec<f64>> {
    if samples.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let mut sorted = samples.to_vec();
    sorted.sort_by(f64::total_cmp);
    Some(sorted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_an_unknown_is_unknown() {
        assert_eq!(median(&[]), None);
        assert_eq!(median(&[1.0, f64::NAN]), None);
        assert_eq!(median(&[3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Some(2.5));
        assert_eq!(median(&[f64::MAX, f64::MAX]), Some(f64::MAX));
    }

    /// Sums the binomial coefficients one by one, in whole numbers.
    fn slow_rank(n: u32) -> Option<usize> {
        let (mut below, mut coefficient, mut best) = (0u128, 1u128, None);
        for k in 1..=n / 2 {
            below += coefficient;
            coefficient = coefficient * u128::from(n - k + 1) / u128::from(k);
            if 40 * below <= 1u128 << n {
                best = Some(k as usize);
            }
        }
        best
    }

    #[test]
    fn ranks_agree_with_sums_of_whole_numbers() {
        for n in 0..100 {
            assert_eq!(median_rank(n as usize), slow_rank(n), "n = {n}");
        }
        // Printed tables: Conover, table A3.
        assert_eq!([6, 9, 12, 20].map(median_rank), [Some(1), Some(2), Some(3), Some(6)]);
        assert!(median_rank(5_000).is_some_and(|k| (2_400..2_440).contains(&k)));
    }

    #[test]
    fn six_runs_give_smallest_and_largest() {
        let interval = interval_95(&[5.0, 1.0, 4.0, 2.0, 6.0, 3.0]).unwrap();
        assert_eq!((interval.low, interval.high), (1.0, 6.0));
        assert_eq!(interval.method, IntervalMethod::OrderStatistic);
    }

    #[test]
    fn the_interval_of_a_mean_agrees_with_the_printed_table() {
        // Mean 4, standard error 1, t(0.975, 4) = 2.776.
        let spread = 5f64.sqrt();
        let samples = [4.0 - spread * 2f64.sqrt(), 4.0, 4.0, 4.0, 4.0 + spread * 2f64.sqrt()];
        let (low, high) = mean_interval_95(&samples).unwrap();
        assert!(
            (low - (4.0 - 2.776)).abs() < 1e-3 && (high - (4.0 + 2.776)).abs() < 1e-3,
            "{low} {high}"
        );
        assert_eq!((mean_interval_95(&[1.0]), mean_interval_95(&[1.0, f64::NAN])), (None, None));
    }

    #[test]
    fn few_runs_give_an_interval_only_with_a_model() {
        assert_eq!(interval_95(&[1.0, 2.0]), None);
        assert_eq!(interval_95(&[1.0, 2.0, 0.0]), None);
        assert_eq!(interval_95(&[1.0, 2.0, -1.0, 4.0, 5.0]), None);
        assert_eq!(interval_95(&[1.0, f64::INFINITY, 2.0, 3.0, 4.0, 5.0, 6.0]), None);
        let interval = interval_95(&[1.0, 10.0, 100.0]).unwrap();
        assert_eq!(interval.method, IntervalMethod::LogT);
        // By hand: 10^(1 ± 4.302653 / sqrt 3).
        let half = 4.302_653 / 3f64.sqrt();
        assert!((interval.high.log10() - 1.0 - half).abs() < 1e-6);
        assert!((interval.low.log10() - 1.0 + half).abs() < 1e-6);
    }

    #[test]
    fn identical_runs_have_no_width() {
        for n in [3, 5, 6, 30] {
            let interval = interval_95(&vec![0.1; n]).unwrap();
            assert!((interval.high - interval.low).abs() < 1e-15, "n = {n}");
        }
        let same = ratio(&[0.3; 4], &[0.1; 4]).unwrap().interval_95.unwrap();
        assert!((same.low - 3.0).abs() < 1e-12 && (same.high - 3.0).abs() < 1e-12);
    }

    #[test]
    fn the_paired_ratio_agrees_with_a_calculation_by_hand() {
        // Logs of the pairs' ratios 1, 2, 3: mean 2, standard error 1 / sqrt 3, two degrees of freedom.
        let e = std::f64::consts::E;
        let found = paired_ratio(&[e, 10.0 * e.powi(2), e.powi(3)], &[1.0, 10.0, 1.0]).unwrap();
        assert!((found.value - e.powi(2)).abs() < 1e-12);
        let interval = found.interval_95.unwrap();
        assert!((interval.low.ln() - (2.0 - 4.302_653 / 3f64.sqrt())).abs() < 1e-5);
        assert_eq!(interval.method, IntervalMethod::PairedLogT);
        assert!(paired_ratio(&[1.0, 2.0], &[1.0, 2.0]).unwrap().interval_95.is_none());
        assert!(paired_ratio(&[1.0], &[1.0, 2.0]).is_none());
        assert!(paired_ratio(&[1.0, 1.0], &[0.0, 1.0]).is_none());
        assert!(paired_ratio(&[], &[]).is_none());
    }

    #[test]
    fn geometric_means_have_the_ratio() {
        let (a, b) = ([1.0, 2.0, 4.0], [1.0, 10.0, 100.0]);
        assert!((geometric_mean(&a).unwrap() - 2.0).abs() < 1e-12);
        let means = geometric_mean(&a).unwrap() / geometric_mean(&b).unwrap();
        assert!((ratio(&a, &b).unwrap().value - means).abs() < 1e-12);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
    }

    #[test]
    fn the_ratio_agrees_with_welch_by_hand() {
        // Logs 1, 2, 3 against 0, 0, 3: means 2 and 1, variances 1 and 3, se² = 4/3, df =
        // (16/9)/(1/18 + 1/2) = 3.2.
        let e = std::f64::consts::E;
        let found = ratio(&[e, e.powi(2), e.powi(3)], &[1.0, 1.0, e.powi(3)]).unwrap();
        assert!((found.value - e).abs() < 1e-12);
        let t = student_t_quantile(0.975, 3.2);
        let interval = found.interval_95.unwrap();
        assert!((interval.high.ln() - 1.0 - t * (4.0f64 / 3.0).sqrt()).abs() < 1e-9);
        assert!((interval.low.ln() - 1.0 + t * (4.0f64 / 3.0).sqrt()).abs() < 1e-9);
    }

    #[test]
    fn a_ratio_without_logarithms_has_no_interval() {
        assert_eq!(ratio(&[], &[1.0]), None);
        assert_eq!(ratio(&[1.0], &[0.0]), None);
        assert_eq!(ratio(&[1.0], &[-1.0]), None);
        assert_eq!(ratio(&[1.0, f64::NAN], &[1.0]), None);
        let zero = ratio(&[0.0, 0.0, 0.0], &[1.0, 2.0, 4.0]).unwrap();
        assert_eq!((zero.value, zero.interval_95), (0.0, None));
        let two = ratio(&[8.0, 8.0], &[2.0, 2.0]).unwrap();
        assert!((two.value - 4.0).abs() < 1e-12 && two.interval_95.is_none());
    }
}
