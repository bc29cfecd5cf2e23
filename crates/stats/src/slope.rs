//! How large a drift can be: the interval of the Theil–Sen slope.
//!
//! The test of [`crate::trend`] says how often a series without drift looks like this one; this says how large the
//! drift is and how large it may be, so that "no drift was shown" and "no drift was shown to matter" are told apart.

use crate::effective_sample_size;

/// Longest series of which all pairs give a slope; longer ones are first averaged in pairs, fours, …
const LONGEST: usize = 300;

/// A slope with its doubt, in the series' unit per step.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Slope {
    /// Theil–Sen: the median of the slopes between all pairs.
    pub per_step: f64,
    /// 95 % interval.
    pub interval_95: (f64, f64),
}

/// The Theil–Sen slope of a series without gaps, with Sen's interval, widened where neighbours are alike.
///
/// Sen's interval takes the slopes at ranks (N ∓ 1.96·σ)/2 of N pairs, with σ² the variance of Kendall's S.
/// σ² is raised by n over the effective sample size of what is left when the line is taken out
/// (as in [`crate::trend::drift`]). Assumes a straight drift or none. It exists from 20 samples; `None` below, or when a
/// sample is not finite. Series above 300 samples are averaged in groups first. A deterministic stand-in for a block bootstrap of
/// the slope: nothing in this crate draws random numbers. Source: Sen 1968; Yue & Wang 2004.
pub fn slope(series: &[f64]) -> Option<Slope> {
    if series.len() < 20 || series.iter().any(|v| !v.is_finite()) {
        return None;
    }
    let group = series.len().div_ceil(LONGEST);
    let means: Vec<f64> =
        series.chunks_exact(group).map(|c| c.iter().sum::<f64>() / group as f64).collect();
    let n = means.len();
    let mut slopes: Vec<f64> = (0..n)
        .flat_map(|i| {
            let means = &means;
            (i + 1..n).map(move |j| (means[j] - means[i]) / (j - i) as f64)
        })
        .collect();
    let pairs = slopes.len();
    // Selection, not sorting, and of the outer ranks in what the middle one has parted: three of 44,850 slopes are asked for.
    let (smaller, upper, _) = slopes.select_nth_unstable_by(pairs / 2, f64::total_cmp);
    let below = smaller.iter().copied().max_by(f64::total_cmp).filter(|_| pairs.is_multiple_of(2));
    let middle = (below.unwrap_or(*upper) + *upper) / 2.0;
    let rest: Vec<f64> = means.iter().enumerate().map(|(i, v)| v - middle * i as f64).collect();
    let inflation = effective_sample_size(&rest).map_or(1.0, |size| n as f64 / size);
    let m = n as f64;
    let sigma = (m * (m - 1.0) * (2.0 * m + 5.0) / 18.0 * inflation).sqrt();
    let reach = 1.959_963_984_540_054 * sigma;
    let rank = |rank: f64| (rank.max(0.0) as usize).min(pairs - 1);
    let low = rank(((pairs as f64 - reach) / 2.0).floor() - 1.0);
    let high = rank(((pairs as f64 + reach) / 2.0).ceil());
    let (lower_half, upper_half) = slopes.split_at_mut(pairs / 2);
    Some(Slope {
        per_step: middle / group as f64,
        interval_95: (
            ranked(lower_half, low) / group as f64,
            ranked(upper_half, high.saturating_sub(pairs / 2)) / group as f64,
        ),
    })
}

/// The value of that rank, from 0.
fn ranked(slopes: &mut [f64], rank: usize) -> f64 {
    *slopes.select_nth_unstable_by(rank, f64::total_cmp).1
}

#[cfg(test)]
mod tests {
    use super::*;

    fn jagged(i: usize) -> f64 {
        f64::from((i as u32).wrapping_mul(2_654_435_761) >> 16) / 65_536.0
    }

    #[test]
    fn a_line_has_its_slope_and_no_doubt() {
        for n in [20, 100, 300, 301, 3000] {
            let line: Vec<f64> = (0..n).map(|i| 7.0 - 0.25 * i as f64).collect();
            let found = slope(&line).unwrap();
            for value in [found.per_step, found.interval_95.0, found.interval_95.1] {
                assert!((value + 0.25).abs() < 1e-9, "n {n}: {found:?}");
            }
        }
    }

    #[test]
    fn ranks_are_those_of_all_slopes_sorted() {
        for n in [20, 21, 22, 23, 150, 299] {
            let series: Vec<f64> = (0..n).map(|i| jagged(i * i) + 0.01 * i as f64).collect();
            let mut sorted: Vec<f64> = (0..n)
                .flat_map(|i| (i + 1..n).map(move |j| (i, j)))
                .map(|(i, j)| (series[j] - series[i]) / (j - i) as f64)
                .collect();
            sorted.sort_by(f64::total_cmp);
            let pairs = sorted.len();
            let found = slope(&series).unwrap();
            assert_eq!(found.per_step, (sorted[(pairs - 1) / 2] + sorted[pairs / 2]) / 2.0);
            let (low, high) = found.interval_95;
            let rank = |value: f64| sorted.iter().position(|slope| *slope == value).unwrap() + 1;
            // Sen's ranks, as far from the first as from the last, and this far by the variance where neighbours have nothing in common.
            assert_eq!(rank(low) + rank(high), pairs + 1, "n {n}");
            let m = n as f64;
            let reach = 1.96 * (m * (m - 1.0) * (2.0 * m + 5.0) / 18.0).sqrt();
            assert!((rank(high) - rank(low)) as f64 >= reach - 1.0, "n {n}");
        }
    }

    #[test]
    fn a_flat_series_has_zero_inside_and_a_drifting_one_has_not() {
        let flat: Vec<f64> = (0..100).map(jagged).collect();
        let (low, high) = slope(&flat).unwrap().interval_95;
        assert!(low < 0.0 && 0.0 < high, "{low} {high}");
        let drifting: Vec<f64> = (0..100).map(|i| jagged(i) + 0.02 * i as f64).collect();
        let (low, high) = slope(&drifting).unwrap().interval_95;
        assert!(0.0 < low && low < 0.02 && 0.02 < high, "{low} {high}");
        assert_eq!(slope(&flat[..19]), None);
    }
}
