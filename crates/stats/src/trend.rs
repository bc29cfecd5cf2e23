//! Whether a series drifts: Mann–Kendall's test, with the Theil–Sen slope as its size.
//!
//! It asks of ranks only, so that one spike moves nothing. It does not say why, nor whether the
//! drift matters: a significant slope of 0.1 % per window is a small thing, and the caller weighs
//! both.

use crate::effective_sample_size;
use crate::special::normal_two_sided;

/// Longest series without ties for which the null distribution is counted out.
const EXACT_UP_TO: usize = 50;
/// Longest series of which all pairs of points give a slope.
const ALL_SLOPES_UP_TO: usize = 1_000;

/// The drift of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Kendall's tau-b with time: 1 rises always, −1 falls always, 0 neither.
    pub tau: f64,
    /// How often a series without drift shows as much, two-sided.
    pub p_value: f64,
    /// Theil–Sen: median slope, in the series' unit per step.
    pub slope: f64,
}

/// Mann–Kendall's test of a series without gaps, with the Theil–Sen slope.
///
/// Assumes that samples are independent apart from the drift; neighbours that are alike (throughput
/// each 100 ms) make it cry wolf: use [`drift`] there. The p-value is exact up to 50 samples
/// without ties, else normal with the variance corrected for ties and continuity. It exists from
/// four samples, with ties from ten; `None` below, or when a sample is not finite. A constant
/// series has p = 1.
///
/// Above 1000 samples the slope is Theil's incomplete one (pairs half the series apart). Source:
/// Mann 1945; Kendall, *Rank Correlation Methods*, 1975; Sen 1968; Theil 1950; ties as in Gilbert
/// 1987, section 16.4; counting by merge sort after Knight 1966.
pub fn mann_kendall(series: &[f64]) -> Option<Trend> {
    let score = Score::of(series)?;
    Some(Trend { tau: score.tau(), p_value: score.p_value(1.0), slope: slope(series) })
}

/// Mann–Kendall's test where neighbouring samples are alike: the variance is raised by n over the
/// effective sample size of what remains when the Theil–Sen line is taken out.
///
/// It exists from 20 samples, with the normal distribution wherever there is something to correct.
/// Short strongly correlated series still alarm more often than 5 % says (their correlation is
/// underestimated), but several times less often than [`mann_kendall`]. Source: Yue & Wang, *Water
/// Resources Management* 18, 2004.
pub fn drift(series: &[f64]) -> Option<Trend> {
    let score = Score::of(series).filter(|_| series.len() >= 20)?;
    let slope = slope(series);
    let rest: Vec<f64> = series.iter().enumerate().map(|(i, v)| v - slope * i as f64).collect();
    // What remains of a straight line is rounding, and has no correlation to correct for.
    let inflation = effective_sample_size(&rest).map_or(1.0, |size| series.len() as f64 / size);
    Some(Trend { tau: score.tau(), p_value: score.p_value(inflation), slope })
}

/// Kendall's S of a series with time, and what its distribution without drift depends on.
struct Score {
    n: usize,
    pairs: f64,
    /// Sizes of the groups of equal values, of two and more.
    ties: Vec<f64>,
    tied_pairs: f64,
    /// Rising less falling pairs.
    s: f64,
}

impl Score {
    /// `None` where no null distribution is at hand for this length and these ties.
    fn of(series: &[f64]) -> Option<Self> {
        let n = series.len();
        if n < 4 || series.iter().any(|v| !v.is_finite()) {
            return None;
        }
        let pairs = n as f64 * (n as f64 - 1.0) / 2.0;
        let ties = tie_sizes(series);
        let tied_pairs: f64 = ties.iter().map(|t| t * (t - 1.0) / 2.0).sum();
        if tied_pairs > 0.0 && tied_pairs < pairs && n < 10 {
            return None;
        }
        let s = pairs - tied_pairs - 2.0 * inversions(series) as f64;
        Some(Self { n, pairs, ties, tied_pairs, s })
    }

    fn constant(&self) -> bool {
        self.tied_pairs == self.pairs
    }

    fn tau(&self) -> f64 {
        if self.constant() {
            0.0
        } else {
            self.s / (self.pairs * (self.pairs - self.tied_pairs)).sqrt()
        }
    }

    /// How often |S| is as large without drift; a `variance_inflation` above 1 asks for the normal
    /// distribution.
    fn p_value(&self, variance_inflation: f64) -> f64 {
        if self.constant() {
            return 1.0;
        }
        if self.ties.is_empty() && self.n <= EXACT_UP_TO && variance_inflation == 1.0 {
            return exact_p(self.n, self.s.abs());
        }
        let term = |t: f64| t * (t - 1.0) * (2.0 * t + 5.0);
        let ties: f64 = self.ties.iter().map(|t| term(*t)).sum();
        let variance = (term(self.n as f64) - ties) / 18.0 * variance_inflation;
        normal_two_sided((self.s.abs() - 1.0).max(0.0) / variance.sqrt())
    }
}

/// P(|S| >= s) under no drift and no ties, from the distribution of inversions of a random order.
fn exact_p(n: usize, s: f64) -> f64 {
    let mut chances = vec![1.0];
    for size in 2..=n {
        // The size-th value is inserted before 0..size others with equal chance.
        let mut next = vec![0.0; chances.len() + size - 1];
        for (inversions, chance) in chances.iter().enumerate() {
            next[inversions..inversions + size].iter_mut().for_each(|c| *c += chance / size as f64);
        }
        chances = next;
    }
    let pairs = (n * (n - 1) / 2) as f64;
    let extreme = ((pairs - s) / 2.0).round() as usize;
    (2.0 * chances[..=extreme].iter().sum::<f64>()).min(1.0)
}

/// How many pairs fall (an earlier value larger than a later one), in n log n steps.
fn inversions(series: &[f64]) -> u64 {
    fn sort(values: &mut [f64], spare: &mut Vec<f64>) -> u64 {
        if values.len() < 2 {
            return 0;
        }
        let middle = values.len() / 2;
        let mut count = sort(&mut values[..middle], spare) + sort(&mut values[middle..], spare);
        spare.clear();
        let (mut left, mut right) = (0, middle);
        while left < middle && right < values.len() {
            if values[left] <= values[right] {
                spare.push(values[left]);
                left += 1;
            } else {
                // All that wait on the left are larger.
                count += (middle - left) as u64;
                spare.push(values[right]);
                right += 1;
            }
        }
        spare.extend_from_slice(&values[left..middle]);
        spare.extend_from_slice(&values[right..]);
        values.copy_from_slice(spare);
        count
    }
    sort(&mut series.to_vec(), &mut Vec::with_capacity(series.len()))
}

/// Sizes of the groups of equal values, of two and more.
fn tie_sizes(series: &[f64]) -> Vec<f64> {
    let mut sorted = series.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted.chunk_by(|a, b| a == b).filter(|g| g.len() > 1).map(|g| g.len() as f64).collect()
}

/// The median slope between pairs of points of a series of two or more.
fn slope(series: &[f64]) -> f64 {
    let n = series.len();
    let between = |i: usize, j: usize| (series[j] - series[i]) / (j - i) as f64;
    let mut slopes: Vec<f64> = if n <= ALL_SLOPES_UP_TO {
        (0..n).flat_map(|i| (i + 1..n).map(move |j| between(i, j))).collect()
    } else {
        (0..n - n / 2).map(|i| between(i, i + n / 2)).collect()
    };
    // Selection, not sorting: half a million slopes are common.
    let middle = slopes.len() / 2;
    let odd = slopes.len() % 2 == 1;
    let (smaller, upper, _) = slopes.select_nth_unstable_by(middle, f64::total_cmp);
    let below = smaller.iter().copied().max_by(f64::total_cmp).filter(|_| !odd);
    below.map_or(*upper, |below| (below + *upper) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_chances_are_those_of_the_printed_table() {
        // Gilbert 1987, table A18: P(S >= s), one-sided.
        for (n, s, p) in [
            (4, 6.0, 0.042),
            (5, 8.0, 0.042),
            (6, 11.0, 0.028),
            (7, 13.0, 0.035),
            (8, 16.0, 0.031),
            (9, 20.0, 0.022),
            (10, 21.0, 0.036),
            (10, 23.0, 0.023),
            (10, 27.0, 0.0083),
        ] {
            assert!(
                (exact_p(n, s) / 2.0 - p).abs() < 6e-4,
                "n {n}, s {s}: {}",
                exact_p(n, s) / 2.0
            );
        }
    }

    #[test]
    fn exact_and_normal_meet_where_one_takes_over() {
        let n = EXACT_UP_TO;
        let variance = (n * (n - 1) * (2 * n + 5)) as f64 / 18.0;
        for s in [5.0, 101.0, 237.0, 301.0] {
            let normal = normal_two_sided((s - 1.0) / variance.sqrt());
            assert!((exact_p(n, s) - normal).abs() < 2e-3, "s {s}");
        }
    }

    #[test]
    fn absence_and_constancy() {
        assert_eq!(mann_kendall(&[1.0, 2.0, 3.0]), None);
        assert_eq!(mann_kendall(&[1.0, 2.0, 3.0, f64::NAN]), None);
        assert_eq!(mann_kendall(&[1.0, 2.0, 2.0, 3.0, 4.0]), None);
        let flat = mann_kendall(&[7.0; 12]).unwrap();
        assert_eq!((flat.tau, flat.p_value, flat.slope), (0.0, 1.0, 0.0));
        assert_eq!(drift(&[7.0; 12]), None);
        assert_eq!(drift(&[7.0; 30]), Some(flat));
    }

    #[test]
    fn a_straight_line_is_found_with_its_slope() {
        for n in [4, 30, 60, 1_000, 1_001, 4_000] {
            let falling: Vec<f64> = (0..n).map(|i| 100.0 - 0.5 * f64::from(i)).collect();
            let found = mann_kendall(&falling).unwrap();
            assert!((found.tau + 1.0).abs() < 1e-12 && (found.slope + 0.5).abs() < 1e-9);
            assert!(found.p_value < 0.084, "n {n}");
            assert!(n < 20 || drift(&falling).unwrap().p_value < 1e-6);
        }
    }

    #[test]
    fn one_spike_is_no_drift() {
        let mut series: Vec<f64> = (0..40).map(|i| f64::from(i * 17 % 41)).collect();
        series[39] = 1e9;
        let found = mann_kendall(&series).unwrap();
        assert!(found.p_value > 0.2 && found.slope.abs() < 1.0, "{found:?}");
    }
}
