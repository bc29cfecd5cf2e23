//! An interval of a difference by drawing the runs again: it asks for no law of their scatter.

use narrows_model::{Interval, IntervalMethod};

use crate::difference::Design;
use crate::runs::sorted_finite;

/// Fewest runs of a side, or fewest pairs: with fewer, drawn sets are too often all of one run.
pub const FEWEST_FOR_BOOTSTRAP: usize = 8;
/// Sets that are drawn.
const SETS: usize = 4000;
/// Of the runs' own standard error, below which a drawn set is of one value, as far as the others scatter.
const ONE_VALUE: f64 = 0.01;
/// Of the drawn sets, the share that may be of one value: with more there are too few different runs.
const MOST_OF_ONE_VALUE: f64 = 0.01;

/// 95 % interval of the ratio of `other` over `base` (geometric means) by the studentized bootstrap: of sets drawn from the runs with
/// replacement, how far their difference is from the runs' own, in standard errors of each set.
///
/// Assumes independent runs that are alike, and no law of their scatter: a skewed one makes the interval skewed. It exists from
/// [`FEWEST_FOR_BOOTSTRAP`] runs of a side, or pairs. The draws follow from a fixed sequence, so that the same runs have the same interval.
/// `None` below that, where runs are not above zero and finite, where pairs don't pair, or where more than one drawn set in a hundred is of one
/// value, because most runs are alike. Source: Efron & Tibshirani,
/// *An Introduction to the Bootstrap*, 1993, 12.5; second-order correct after Hall, *Annals of Statistics* 16, 1988.
pub fn bootstrap_interval_95(base: &[f64], other: &[f64], design: Design) -> Option<Interval> {
    sorted_finite(base)?;
    sorted_finite(other)?;
    let mut draws = Draws(0x6e61_7272_6f77_7300);
    let (centre, error, mut away) = match design {
        Design::Independent => {
            let (a, b) = (logs(base)?, logs(other)?);
            let (centre, error) = independent(&a, &b)?;
            let away: Vec<f64> = (0..SETS)
                .filter_map(|_| independent(&draws.set(&a), &draws.set(&b)))
                .filter(|(_, of_set)| *of_set > error * ONE_VALUE)
                .map(|(drawn, of_set)| (drawn - centre) / of_set)
                .collect();
            (centre, error, away)
        }
        Design::Paired => {
            if base.len() != other.len() || base.iter().any(|run| *run <= 0.0) {
                return None;
            }
            let ratios: Vec<f64> = other.iter().zip(base).map(|(b, a)| b / a).collect();
            let ratios = logs(&ratios)?;
            let (centre, error) = mean_and_error(&ratios)?;
            let away: Vec<f64> = (0..SETS)
                .filter_map(|_| mean_and_error(&draws.set(&ratios)))
                .filter(|(_, of_set)| *of_set > error * ONE_VALUE)
                .map(|(drawn, of_set)| (drawn - centre) / of_set)
                .collect();
            (centre, error, away)
        }
    };
    if (away.len() as f64) < (1.0 - MOST_OF_ONE_VALUE) * SETS as f64 {
        return None;
    }
    away.sort_by(f64::total_cmp);
    let at = |share: f64| away.get((share * (away.len() as f64 - 1.0)).round() as usize).copied();
    // The far end of what was drawn bounds the other side.
    let (low, high) = (at(0.025)?, at(0.975)?);
    let [low, high] = [high, low].map(|end| (centre - end * error).exp());
    (low > 0.0 && high.is_finite()).then_some(Interval {
        low,
        high,
        method: IntervalMethod::Bootstrap,
    })
}

/// Of enough runs.
fn logs(runs: &[f64]) -> Option<Vec<f64>> {
    let enough = runs.len() >= FEWEST_FOR_BOOTSTRAP && runs.iter().all(|run| *run > 0.0);
    enough.then(|| runs.iter().map(|run| run.ln()).collect())
}

/// Difference of means of logarithms, and its standard error; `None` where there is no scatter.
fn independent(a: &[f64], b: &[f64]) -> Option<(f64, f64)> {
    let (of_a, of_b) = (moments(a), moments(b));
    let error = (of_a.1 / a.len() as f64 + of_b.1 / b.len() as f64).sqrt();
    (error > 0.0).then_some((of_b.0 - of_a.0, error))
}

fn mean_and_error(values: &[f64]) -> Option<(f64, f64)> {
    let (mean, variance) = moments(values);
    let error = (variance / values.len() as f64).sqrt();
    (error > 0.0).then_some((mean, error))
}

/// Mean and variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): enough for draws with replacement.
pub(crate) struct Draws(u64);

impl Draws {
    pub(crate) fn new(seed: u64) -> Draws {
        Draws(seed)
    }

    /// One of the numbers below `n`.
    pub(crate) fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next()) * u128::from(n)) >> 64) as u64
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// As many of them, with replacement.
    fn set(&mut self, of: &[f64]) -> Vec<f64> {
        let n = of.len() as u64;
        (0..n).map(|_| of[self.below(n) as usize]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::difference;
    use crate::noise::Noise;

    #[test]
    fn it_holds_what_there_is_in_about_95_of_100() {
        // Log-normal runs, and runs of which one in eight is an outlier upwards.
        for outliers in [false, true] {
            let mut noise = Noise(5);
            let mut held = 0;
            for _ in 0..1000 {
                let mut runs = |centre: f64| -> Vec<f64> {
                    (0..12)
                        .map(|_| {
                            let odd = outliers && noise.draw() > 1.15;
                            (centre + 0.05 * noise.draw() + if odd { 0.2 } else { 0.0 }).exp()
                        })
                        .collect()
                };
                let (a, b) = (runs(3.0), runs(3.1));
                let found = bootstrap_interval_95(&a, &b, Design::Independent).unwrap();
                held += u32::from((found.low..=found.high).contains(&0.1f64.exp()));
            }
            // 950; four standard errors are 28.
            assert!((922..=985).contains(&held), "{outliers}: {held}");
        }
    }

    #[test]
    fn it_agrees_with_students_where_the_law_holds() {
        let mut noise = Noise(8);
        let (mut a, mut b) = (Vec::new(), Vec::new());
        for _ in 0..200 {
            a.push((0.1 * noise.draw()).exp());
            b.push((0.2 + 0.1 * noise.draw()).exp());
        }
        for design in [Design::Independent, Design::Paired] {
            let drawn = bootstrap_interval_95(&a, &b, design).unwrap();
            let by_law = difference(&a, &b, design).unwrap().interval_95().unwrap();
            let width = by_law.high - by_law.low;
            assert!((drawn.low - by_law.low).abs() < 0.15 * width, "{drawn:?} {by_law:?}");
            assert!((drawn.high - by_law.high).abs() < 0.15 * width, "{drawn:?} {by_law:?}");
            assert_eq!(bootstrap_interval_95(&a, &b, design), Some(drawn), "the same again");
        }
    }

    #[test]
    fn few_runs_and_odd_ones_have_none() {
        let eight = [1.0, 1.1, 0.9, 1.2, 1.0, 1.1, 0.8, 1.0];
        let of = |base: &[f64], other: &[f64], design| bootstrap_interval_95(base, other, design);
        assert!(of(&eight, &eight, Design::Independent).is_some());
        assert_eq!(of(&eight[..7], &eight, Design::Independent), None);
        assert_eq!(of(&eight, &eight, Design::Paired), None, "all ratios are one");
        assert_eq!(of(&eight[..7], &eight[..7], Design::Paired), None);
        assert_eq!(of(&[1.0; 8], &[2.0; 8], Design::Independent), None, "no scatter");
        // A third of the sets of these have none of the odd one.
        let alike = [0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.3, 0.4];
        let ones = [0.1; 8];
        assert_eq!(of(&ones, &alike, Design::Independent), None);
        assert_eq!(of(&ones, &alike, Design::Paired), None);
        let some = of(&eight, &alike, Design::Independent).unwrap();
        assert!(some.low > 0.0 && some.low < some.high && some.high.is_finite(), "{some:?}");
        assert_eq!(of(&[0.0; 8], &eight, Design::Independent), None);
        assert_eq!(of(&[f64::NAN; 8], &eight, Design::Independent), None);
    }
}
