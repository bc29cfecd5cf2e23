//! Where a series changes from one level to another: a limit that sets in, a cache that is full, credits that are spent.
//!
//! Pettitt's test asks of ranks only, so that one spike moves nothing, and needs no law of the noise. It finds one
//! change, the clearest; its place can be some samples nearer to the middle than it was. It does not tell a step from a
//! slope (a drift has a clearest place, too), nor why the level changed: the caller looks at the size of the step and at
//! how level the series is behind it.

use crate::{effective_sample_size, median};

/// Fewest samples: with fewer the approximate p-value is never small.
const FEWEST: usize = 10;

/// The clearest change of level in a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Samples before the change; the series' sample of this index is the first one after it.
    pub at: usize,
    /// Median before.
    pub before: f64,
    /// Median after.
    pub after: f64,
    /// Median absolute deviation before, over the median; infinite where that is zero.
    pub spread_before: f64,
    /// The same after.
    pub spread_after: f64,
    /// How often a series without change shows one as clear, at most.
    pub p_value: f64,
}

/// Pettitt's test for one change of level at an unknown place.
///
/// K is the largest over t of |Σ sign(x_j − x_i)| with i ≤ t < j; p = 2·exp(−6K²/(n³ + n²)), which is close where it is
/// below 0.5 and errs upwards for short series. Assumes that samples are independent apart from the change: where the
/// two parts, each less its mean, are correlated, the exponent is divided by n over their effective sample size.
///
/// It exists from ten samples, of which the most clear step reaches p = 0.07; from 20, p = 0.002. `None` for fewer, when
/// a sample is not finite, and when all are equal. Source: Pettitt, *Applied Statistics* 28, 1979; the correction as in
/// [`crate::trend::drift`].
pub fn step(series: &[f64]) -> Option<Step> {
    clearest(series, |first, second| {
        let n = (first.len() + second.len()) as f64;
        effective_sample_size(&rest(first, second)).map_or(1.0, |size| n / size)
    })
}

/// The same for samples that are known to be independent, as runs on different days are: several changes in one series look like a
/// correlation, which would hide all of them. Its place is where two levels leave least (squares of ranks).
pub fn step_of_independent(series: &[f64]) -> Option<Step> {
    let found = clearest(series, |_, _| 1.0)?;
    let at = least_squares(series).unwrap_or(found.at);
    let (first, second) = series.split_at(at);
    let (before, after) = (median(first)?, median(second)?);
    let (spread_before, spread_after) = (spread(first, before)?, spread(second, after)?);
    Some(Step { at, before, after, spread_before, spread_after, ..found })
}

/// The split after which two levels leave least of the ranks' squares: one odd sample has one rank.
fn least_squares(series: &[f64]) -> Option<usize> {
    let ranks = ranks(series);
    let (n, all) = (ranks.len() as f64, ranks.iter().sum::<f64>());
    let (mut sum, mut best) = (0.0, None);
    for (at, rank) in (1..ranks.len()).zip(&ranks) {
        sum += rank;
        let t = at as f64;
        // What both means explain; the sum of squares less it is what they leave.
        let explained = sum * sum / t + (all - sum) * (all - sum) / (n - t);
        if best.is_none_or(|(_, most)| explained > most) {
            best = Some((at, explained));
        }
    }
    best.map(|(at, _)| at)
}

fn clearest(series: &[f64], inflation: impl Fn(&[f64], &[f64]) -> f64) -> Option<Step> {
    let n = series.len();
    if n < FEWEST || series.iter().any(|v| !v.is_finite()) {
        return None;
    }
    // U_t = t(n + 1) − 2·(sum of the first t ranks) is that double sum without visiting the pairs.
    let ranks = ranks(series);
    let (mut sum, mut largest, mut at) = (0.0, 0.0f64, 0);
    for (i, rank) in ranks.iter().enumerate().take(n - 1) {
        sum += rank;
        let t = (i + 1) as f64;
        let u = (t * (n as f64 + 1.0) - 2.0 * sum).abs();
        if u > largest {
            (largest, at) = (u, i + 1);
        }
    }
    if at == 0 {
        return None;
    }
    let (first, second) = series.split_at(at);
    let (before, after) = (median(first)?, median(second)?);
    let inflation = inflation(first, second);
    let cubes = (n as f64).powi(3) + (n as f64).powi(2);
    let p_value = (2.0 * (-6.0 * largest * largest / cubes / inflation).exp()).min(1.0);
    Some(Step {
        at,
        before,
        after,
        spread_before: spread(first, before)?,
        spread_after: spread(second, after)?,
        p_value,
    })
}

/// Both parts without their means: what the step leaves.
fn rest(first: &[f64], second: &[f64]) -> Vec<f64> {
    let mean = |part: &[f64]| part.iter().sum::<f64>() / part.len() as f64;
    let (a, b) = (mean(first), mean(second));
    first.iter().map(|v| v - a).chain(second.iter().map(|v| v - b)).collect()
}

/// Ranks from 1; equal values share the middle of theirs.
fn ranks(series: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..series.len()).collect();
    order.sort_by(|a, b| series[*a].total_cmp(&series[*b]));
    let mut ranks = vec![0.0; series.len()];
    let mut from = 0;
    while from < order.len() {
        let mut to = from + 1;
        while to < order.len() && series[order[to]] == series[order[from]] {
            to += 1;
        }
        let shared = (from + 1 + to) as f64 / 2.0;
        order[from..to].iter().for_each(|index| ranks[*index] = shared);
        from = to;
    }
    ranks
}

/// Median absolute deviation over the median.
fn spread(values: &[f64], middle: f64) -> Option<f64> {
    let deviations: Vec<f64> = values.iter().map(|v| (v - middle).abs()).collect();
    let deviation = median(&deviations)?;
    Some(if middle == 0.0 { f64::INFINITY } else { deviation / middle.abs() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Uniform in 0 to 1, from a multiplicative generator.
    fn noise(state: &mut u64) -> f64 {
        *state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (*state >> 11) as f64 / (1u64 << 53) as f64
    }

    /// K and its place by the definition, pair by pair.
    fn slow(series: &[f64]) -> (f64, usize) {
        let mut best = (0.0, 0);
        for t in 1..series.len() {
            let mut sum = 0.0f64;
            for before in &series[..t] {
                for after in &series[t..] {
                    sum += match after.total_cmp(before) {
                        std::cmp::Ordering::Greater => 1.0,
                        std::cmp::Ordering::Equal => 0.0,
                        std::cmp::Ordering::Less => -1.0,
                    };
                }
            }
            if sum.abs() > best.0 {
                best = (sum.abs(), t);
            }
        }
        best
    }

    #[test]
    fn it_agrees_with_the_definition_pair_by_pair() {
        let mut state = 7;
        for n in [10usize, 11, 25, 60] {
            for levels in [3.0, 10.0, 1e9] {
                // Few levels make many ties.
                let series: Vec<f64> =
                    (0..n).map(|i| (noise(&mut state) * levels).floor() - (i / 9) as f64).collect();
                let (k, at) = slow(&series);
                let found = step(&series).unwrap();
                assert_eq!(found.at, at, "n {n}, {levels} levels");
                if effective_sample_size(&rest(&series[..at], &series[at..]))
                    .is_none_or(|size| size == n as f64)
                {
                    let cubes = (n * n * n + n * n) as f64;
                    let p = (2.0 * (-6.0 * k * k / cubes).exp()).min(1.0);
                    assert!((found.p_value - p).abs() < 1e-12, "n {n}: {} {p}", found.p_value);
                }
            }
        }
    }

    #[test]
    fn a_step_is_found_where_it_is_with_its_levels() {
        let mut state = 3;
        let series: Vec<f64> =
            (0..60)
                .map(|i| {
                    if i < 37 {
                        1000.0 + 50.0 * noise(&mut state)
                    } else {
                        400.0 + noise(&mut state)
                    }
                })
                .collect();
        let step = step(&series).unwrap();
        assert!((35..=37).contains(&step.at), "{}", step.at);
        assert!((step.before - 1025.0).abs() < 15.0 && (step.after - 400.5).abs() < 0.5);
        assert!(step.p_value < 1e-6 && step.spread_after < 0.01 && step.spread_before < 0.05);
        // The same by hand at the limit of twenty samples: K = 10 · 10.
        let half: Vec<f64> = (0..20).map(|i| f64::from(i / 10)).collect();
        let sharp = super::step(&half).unwrap();
        assert!((sharp.p_value - 2.0 * (-60_000.0f64 / 8_400.0).exp()).abs() < 1e-12);
        assert_eq!((sharp.at, sharp.spread_before, sharp.spread_after), (10, f64::INFINITY, 0.0));
    }

    #[test]
    fn noise_alone_is_called_a_step_no_more_often_than_said() {
        const SERIES: u64 = 2000;
        let mut state = 11;
        for (n, memory) in [(20, 0.0), (60, 0.0), (60, 0.5)] {
            let mut alarms = 0;
            for _ in 0..SERIES {
                let mut last = 0.0;
                let series: Vec<f64> = (0..n)
                    .map(|_| {
                        last = memory * last + noise(&mut state);
                        last
                    })
                    .collect();
                alarms += u64::from(step(&series).unwrap().p_value < 0.05);
            }
            let (low, high) = crate::share_interval_95(alarms, SERIES);
            println!("n {n}, memory {memory}: {alarms} of {SERIES}, {low:.4} to {high:.4}");
            // Memory in short series is underestimated, so that correlated ones may alarm somewhat more often.
            assert!(
                low <= if memory == 0.0 { 0.05 } else { 0.10 },
                "n {n}, memory {memory}: {alarms}"
            );
        }
    }

    #[test]
    fn one_spike_is_no_step_and_too_little_is_no_answer() {
        let mut state = 5;
        let mut series: Vec<f64> = (0..40).map(|_| 100.0 + noise(&mut state)).collect();
        series[20] = 1e9;
        assert!(step(&series).unwrap().p_value > 0.05);
        assert_eq!(step(&series[..9]), None);
        assert_eq!(step(&[5.0; 40]), None);
        series[3] = f64::NAN;
        assert_eq!(step(&series), None);
    }

    #[test]
    fn independent_samples_have_the_place_of_the_change_and_several_of_them() {
        let jitter = |n: usize| {
            1.0 + f64::from((n as u32).wrapping_mul(2_654_435_761) >> 16) / 65_536.0 / 100.0
        };
        let levels = |levels: &[f64]| -> Vec<f64> {
            (0..20 * levels.len()).map(|n| levels[n / 20] * jitter(n)).collect()
        };
        let one = step_of_independent(&levels(&[1000.0, 800.0])).unwrap();
        assert_eq!(one.at, 20);
        let three = levels(&[1000.0, 1300.0, 900.0]);
        assert!(step(&three).unwrap().p_value > 0.05, "levels look like a correlation");
        let found = step_of_independent(&three).unwrap();
        assert!(found.p_value < 1e-4 && [20, 40].contains(&found.at), "{found:?}");
        // One odd run at the end does not move the place.
        let mut odd: Vec<f64> =
            (0..30).map(|n| if n < 15 { 100.0 } else { 110.0 } * jitter(n)).collect();
        odd[29] = 1.0;
        assert_eq!(step_of_independent(&odd).unwrap().at, 15);
        assert_eq!(step_of_independent(&[1.0; 20]), None);
        assert_eq!(step_of_independent(&[1.0; 9]), None);
    }
}
