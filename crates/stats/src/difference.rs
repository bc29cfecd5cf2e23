//! Whether one set of runs differs from another, whether both are as good as the same, and how small a difference could have been found.
//!
//! A run is one value: whoever has windows of one run has one run. All of it is on logarithms, so that the answer for rates is the one for
//! times, and half is as far as twice.

use narrows_model::{Interval, IntervalMethod};

use crate::runs::{Logs, sorted_finite};
use crate::special::{student_t_cdf, student_t_quantile};

/// Fewest runs of a side, or fewest pairs, with a test.
pub const FEWEST_RUNS: usize = 3;
/// Differences of the stated size are found so often.
const POWER: f64 = 0.8;
/// The scatter that the stated size reckons with is not exceeded so often, as far as the runs tell.
const ASSURED: f64 = 0.8;
/// Orders that are counted out one by one, at most.
const MOST_ORDERS: u64 = 200_000;

/// How two sets of runs belong together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Design {
    /// Each for itself: Welch's t on logarithms. Assumes independent, log-normal runs, not equal spread. Source: Welch 1947;
    /// degrees of freedom after Satterthwaite 1946.
    Independent,
    /// Run i of both was made in the same stretch of time: Student's t on the logarithms of the pairs' ratios. Assumes independent
    /// pairs with log-normal ratios. Source: Student 1908.
    Paired,
}

/// Pairs that show a growth in 80 of 100 experiments at that level of significance (two-sided), where the logarithms of the ratios of `pilot`
/// pairs scatter by `scatter` (standard deviation): at least [`FEWEST_RUNS`], at most 10,000. It reckons with the upper end of what so few
/// pairs say of their scatter. Source: as [`Difference::smallest_found`].
pub fn pairs_needed(scatter: f64, pilot: u32, growth: f64, significance: f64) -> u32 {
    let scatter = scatter * wider(f64::from(pilot.max(2)) - 1.0);
    let enough = |pairs: &u32| {
        let df = f64::from(*pairs) - 1.0;
        let reach =
            student_t_quantile(1.0 - significance / 2.0, df) + student_t_quantile(POWER, df);
        reach * scatter / f64::from(*pairs).sqrt() <= growth.ln_1p()
    };
    (FEWEST_RUNS as u32..10_000).find(enough).unwrap_or(10_000)
}

/// How one set of runs compares with another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The one over the other, of geometric means; 1 is no difference.
    pub ratio: f64,
    /// What the runs' scatter leaves open; `None` below [`FEWEST_RUNS`].
    pub scatter: Option<Scatter>,
    design: Design,
}

/// What the scatter of runs leaves open of a difference of logarithms.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scatter {
    /// Standard error of the difference.
    pub standard_error: f64,
    /// Degrees of freedom of that error.
    pub df: f64,
}

/// Compares `other` with `base`, each with one value per run.
///
/// `None` where a side is empty, a run is not above zero and finite, or pairs don't pair.
pub fn difference(base: &[f64], other: &[f64], design: Design) -> Option<Difference> {
    sorted_finite(base)?;
    sorted_finite(other)?;
    let (centre, scatter) = match design {
        Design::Independent => {
            let (a, b) = (Logs::of(base)?, Logs::of(other)?);
            let enough = base.len().min(other.len()) >= FEWEST_RUNS;
            (b.mean - a.mean, enough.then(|| welch(&a, &b)))
        }
        Design::Paired => {
            if base.len() != other.len() || base.iter().any(|v| *v <= 0.0) {
                return None;
            }
            let pairs: Vec<f64> = other.iter().zip(base).map(|(b, a)| b / a).collect();
            let logs = Logs::of(&pairs)?;
            let scatter =
                Scatter { standard_error: (logs.variance / logs.n).sqrt(), df: logs.n - 1.0 };
            (logs.mean, (pairs.len() >= FEWEST_RUNS).then_some(scatter))
        }
    };
    Some(Difference { ratio: centre.exp(), scatter, design })
}

fn welch(a: &Logs, b: &Logs) -> Scatter {
    let (va, vb) = (a.variance / a.n, b.variance / b.n);
    let both = va + vb;
    let df = match both > 0.0 {
        true => both.powi(2) / (va * va / (a.n - 1.0) + vb * vb / (b.n - 1.0)),
        false => a.n + b.n - 2.0,
    };
    Scatter { standard_error: both.sqrt(), df }
}

impl Difference {
    /// 95 % interval of the ratio.
    pub fn interval_95(&self) -> Option<Interval> {
        let Scatter { standard_error, df } = self.scatter?;
        let half = student_t_quantile(0.975, df) * standard_error;
        let method = match self.design {
            Design::Independent => IntervalMethod::LogT,
            Design::Paired => IntervalMethod::PairedLogT,
        };
        let centre = self.ratio.ln();
        Some(Interval { low: (centre - half).exp(), high: (centre + half).exp(), method })
    }

    /// How often sides that don't differ show as much, two-sided.
    pub fn p_value(&self) -> Option<f64> {
        let scatter = self.scatter?;
        Some(2.0 * scatter.beyond(self.ratio.ln().abs()))
    }

    /// How often sides that differ by a factor of 1 + `margin` or more look as alike as these: two one-sided tests, the larger of both.
    ///
    /// Source: Schuirmann, *Journal of Pharmacokinetics and Biopharmaceutics* 15, 1987.
    pub fn p_equivalent(&self, margin: f64) -> Option<f64> {
        let scatter = self.scatter?;
        let (centre, far) = (self.ratio.ln(), (1.0 + margin).ln());
        Some(scatter.beyond(far + centre).max(scatter.beyond(far - centre)))
    }

    /// The smallest growth, as a share, that such runs show in 80 of 100 experiments at that level of significance (two-sided).
    ///
    /// It reckons with the upper end of what the runs say of their scatter (80 %, one-sided, by the chi-square law after Wilson & Hilferty
    /// 1931), so that a lucky agreement of few runs promises nothing. Source: Julious, *Sample Sizes for Clinical Trials*, 2010, 3.2.
    pub fn smallest_found(&self, significance: f64) -> Option<f64> {
        let Scatter { standard_error, df } = self.scatter?;
        let reach =
            student_t_quantile(1.0 - significance / 2.0, df) + student_t_quantile(POWER, df);
        Some((reach * standard_error * wider(df)).exp_m1())
    }

    /// Where there is one run of each: how far runs of one configuration may scatter (standard deviation, as a share) before this
    /// difference is no longer significant at 5 %; what nobody knows who has made one of each.
    pub fn scatter_that_hides_it(&self) -> f64 {
        let normal = 1.959_963_984_540_054;
        (self.ratio.ln().abs() / (normal * 2f64.sqrt())).exp_m1()
    }
}

impl Scatter {
    /// P(T > distance / standard error).
    fn beyond(&self, distance: f64) -> f64 {
        if self.standard_error == 0.0 {
            // Identical runs: what is not nothing is certain, as far as the values resolve.
            return match distance.total_cmp(&0.0) {
                std::cmp::Ordering::Greater => 0.0,
                std::cmp::Ordering::Equal => 0.5,
                std::cmp::Ordering::Less => 1.0,
            };
        }
        1.0 - student_t_cdf(distance / self.standard_error, self.df)
    }
}

/// Upper end over estimate of a standard deviation with so many degrees of freedom.
fn wider(df: f64) -> f64 {
    // The lower 20 % quantile of a normal law.
    let z = -0.841_621_233_572_914;
    debug_assert!((ASSURED - 0.8).abs() < f64::EPSILON, "z belongs to it");
    let part = 2.0 / (9.0 * df);
    let chi_square = df * (1.0 - part + z * part.sqrt()).max(0.05).powi(3);
    (df / chi_square).sqrt()
}

/// Ratio of `other` over `base` by a median: of independent runs that of all ratios of one of each, of pairs that of all means of two of
/// their ratios. It asks for no law of the runs, and one odd run hardly moves it.
///
/// `None` where a side is empty, a run is not above zero and finite, or pairs don't pair. Source: Hodges & Lehmann, *Annals of
/// Mathematical Statistics* 34, 1963, both estimators; on logarithms.
pub fn hodges_lehmann(base: &[f64], other: &[f64], design: Design) -> Option<f64> {
    if base.iter().chain(other).any(|v| !v.is_finite() || *v <= 0.0) {
        return None;
    }
    let logs: Vec<f64> = match design {
        Design::Independent => {
            other.iter().flat_map(|b| base.iter().map(move |a| (b / a).ln())).collect()
        }
        Design::Paired if base.len() == other.len() => {
            let ratios: Vec<f64> = other.iter().zip(base).map(|(b, a)| (b / a).ln()).collect();
            let mean = |(at, first): (usize, &f64)| -> Vec<f64> {
                ratios[at..].iter().map(|second| (first + second) / 2.0).collect()
            };
            ratios.iter().enumerate().flat_map(mean).collect()
        }
        Design::Paired => return None,
    };
    crate::median(&logs).map(f64::exp)
}

/// How often a random order of the same runs shows as large a difference of mean logarithms, two-sided: every order is counted. It asks
/// for no law of the runs, only that an equal side's runs could have been the other's.
///
/// With three runs of each it is never below 0.1, with four 0.029. `None` where a side is empty, a run is not above zero and finite, or
/// there are more than 200,000 orders. Source: Fisher, *The Design of Experiments*, 1935; Edgington & Onghena, *Randomization Tests*, 2007.
pub fn permutation_p(base: &[f64], other: &[f64], design: Design) -> Option<f64> {
    if base.is_empty()
        || other.is_empty()
        || base.iter().chain(other).any(|v| !v.is_finite() || *v <= 0.0)
    {
        return None;
    }
    let logs = |runs: &[f64]| -> Vec<f64> { runs.iter().map(|v| v.ln()).collect() };
    let (a, b) = (logs(base), logs(other));
    match design {
        Design::Independent => exchanged(&a, &b),
        Design::Paired => (a.len() == b.len()).then(|| flipped(&a, &b)).flatten(),
    }
}

/// Sums of every choice of as many values as `b` has.
fn exchanged(a: &[f64], b: &[f64]) -> Option<f64> {
    let all: Vec<f64> = a.iter().chain(b).copied().collect();
    let (n, k) = (all.len(), b.len());
    let orders = binomial(n as u64, k as u64).filter(|orders| *orders <= MOST_ORDERS)?;
    let total: f64 = all.iter().sum();
    let expected = total * k as f64 / n as f64;
    let seen = (b.iter().sum::<f64>() - expected).abs();
    let mut at: Vec<usize> = (0..k).collect();
    let mut as_far = 0u64;
    loop {
        let sum: f64 = at.iter().map(|i| all[*i]).sum();
        as_far += u64::from((sum - expected).abs() >= seen * (1.0 - 1e-9));
        // The next choice in order.
        let Some(i) = (0..k).rev().find(|i| at[*i] < n - k + i) else { break };
        at[i] += 1;
        for j in i + 1..k {
            at[j] = at[j - 1] + 1;
        }
    }
    Some(as_far as f64 / orders as f64)
}

/// Sums of the pairs' differences with every choice of signs.
fn flipped(a: &[f64], b: &[f64]) -> Option<f64> {
    let pairs: Vec<f64> = b.iter().zip(a).map(|(b, a)| b - a).collect();
    let orders = 1u64.checked_shl(pairs.len() as u32).filter(|orders| *orders <= MOST_ORDERS)?;
    let seen = pairs.iter().sum::<f64>().abs();
    let as_far = (0..orders).filter(|signs| {
        let sum: f64 = pairs
            .iter()
            .enumerate()
            .map(|(i, pair)| if signs >> i & 1 == 1 { -pair } else { *pair })
            .sum();
        sum.abs() >= seen * (1.0 - 1e-9)
    });
    Some(as_far.count() as f64 / orders as f64)
}

fn binomial(n: u64, k: u64) -> Option<u64> {
    (0..k.min(n - k)).try_fold(1u64, |product, i| Some(product.checked_mul(n - i)? / (i + 1)))
}

/// P-values corrected for their number, each in its place: of all that are called significant at a level, the probability that even one
/// is not stays below that level, however they depend on each other.
///
/// Source: Holm, *Scandinavian Journal of Statistics* 6, 1979.
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    let n = p_values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| p_values[*a].total_cmp(&p_values[*b]));
    let (mut adjusted, mut most) = (vec![1.0; n], 0f64);
    for (rank, at) in order.into_iter().enumerate() {
        most = most.max((n - rank) as f64 * p_values[at]).min(1.0);
        adjusted[at] = most;
    }
    adjusted
}

/// P-values corrected so that of all that are called significant at a level, on average that share is not; for independent or positively
/// dependent ones.
///
/// Source: Benjamini & Hochberg, *Journal of the Royal Statistical Society B* 57, 1995.
pub fn benjamini_hochberg(p_values: &[f64]) -> Vec<f64> {
    let n = p_values.len();
    let mut order: Vec<usize> = (0..n).collect();
    order.sort_by(|a, b| p_values[*b].total_cmp(&p_values[*a]));
    let (mut adjusted, mut least) = (vec![1.0; n], 1f64);
    for (from_last, at) in order.into_iter().enumerate() {
        let rank = n - from_last;
        least = least.min(n as f64 / rank as f64 * p_values[at]);
        adjusted[at] = least;
    }
    adjusted
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;

    fn runs(noise: &mut Noise, n: usize, centre: f64, spread: f64) -> Vec<f64> {
        (0..n).map(|_| (centre + spread * noise.draw()).exp()).collect()
    }

    const E: f64 = std::f64::consts::E;

    #[test]
    fn welch_by_hand_comes_out() {
        // Logs 0, 0, 3 against 1, 2, 3: means 1 and 2, se² = 4/3, df 3.2, t = 0.866.
        let base = [1.0, 1.0, E.powi(3)];
        let other = [E, E.powi(2), E.powi(3)];
        let found = difference(&base, &other, Design::Independent).unwrap();
        let scatter = found.scatter.unwrap();
        assert!((found.ratio - E).abs() < 1e-12);
        assert!((scatter.standard_error - (4.0f64 / 3.0).sqrt()).abs() < 1e-12);
        assert!((scatter.df - 3.2).abs() < 1e-9);
        let t = 1.0 / (4.0f64 / 3.0).sqrt();
        assert!((found.p_value().unwrap() - 2.0 * (1.0 - student_t_cdf(t, 3.2))).abs() < 1e-12);
        let as_ratio = crate::ratio(&other, &base).unwrap();
        let (a, b) = (found.interval_95().unwrap(), as_ratio.interval_95.unwrap());
        assert!((a.low / b.low - 1.0).abs() < 1e-9 && (a.high / b.high - 1.0).abs() < 1e-9);
    }

    #[test]
    fn pairs_by_hand_come_out() {
        let found =
            difference(&[1.0, 10.0, 1.0], &[E, 10.0 * E.powi(2), E.powi(3)], Design::Paired)
                .unwrap();
        let scatter = found.scatter.unwrap();
        assert!((found.ratio - E.powi(2)).abs() < 1e-9);
        assert!((scatter.standard_error - 1.0 / 3f64.sqrt()).abs() < 1e-12);
        assert_eq!(scatter.df, 2.0);
        assert_eq!(found.interval_95().unwrap().method, IntervalMethod::PairedLogT);
    }

    #[test]
    fn both_one_sided_tests_have_to_hold() {
        let found =
            difference(&[1.0, 1.01, 0.99, 1.0], &[1.0, 1.01, 0.99, 1.0], Design::Independent)
                .unwrap();
        let scatter = found.scatter.unwrap();
        let far = 1.02f64.ln() / scatter.standard_error;
        let slow = 1.0 - student_t_cdf(far, scatter.df);
        assert!((found.p_equivalent(0.02).unwrap() - slow).abs() < 1e-12);
        assert!(found.p_equivalent(0.1).unwrap() < 0.001);
        // Off by more than the margin: the nearer bound decides.
        let off = difference(&[1.0, 1.01, 0.99], &[1.1, 1.11, 1.09], Design::Independent).unwrap();
        assert!(off.p_equivalent(0.02).unwrap() > 0.99);
    }

    #[test]
    fn few_runs_and_odd_ones_have_no_test() {
        let one = difference(&[100.0], &[112.0], Design::Independent).unwrap();
        assert_eq!((one.scatter, one.p_value(), one.interval_95()), (None, None, None));
        assert!((one.ratio - 1.12).abs() < 1e-12);
        // ln 1.12 / 2.772: about 4.2 %.
        assert!((one.scatter_that_hides_it() - 0.0417).abs() < 5e-4);
        assert_eq!(difference(&[], &[1.0], Design::Independent), None);
        assert_eq!(difference(&[0.0], &[1.0], Design::Independent), None);
        assert_eq!(difference(&[1.0, f64::NAN], &[1.0], Design::Independent), None);
        assert_eq!(difference(&[1.0], &[1.0, 2.0], Design::Paired), None);
    }

    #[test]
    fn identical_runs_are_certain_as_far_as_they_resolve() {
        let same = difference(&[5.0; 3], &[5.0; 3], Design::Independent).unwrap();
        assert_eq!((same.p_value(), same.p_equivalent(0.01)), (Some(1.0), Some(0.0)));
        let apart = difference(&[5.0; 3], &[6.0; 3], Design::Independent).unwrap();
        assert_eq!((apart.p_value(), apart.p_equivalent(0.01)), (Some(0.0), Some(1.0)));
    }

    #[test]
    fn equal_sides_are_seldom_called_different_and_often_equivalent_where_runs_agree() {
        for (count, spread) in [(3, 0.01), (5, 0.05), (10, 0.002)] {
            let mut noise = Noise(count as u64);
            let (mut differ, mut alike) = (0, 0);
            for _ in 0..2000 {
                let (a, b) =
                    (runs(&mut noise, count, 7.0, spread), runs(&mut noise, count, 7.0, spread));
                let found = difference(&a, &b, Design::Independent).unwrap();
                differ += u32::from(found.p_value().unwrap() < 0.05);
                // At the margin itself equivalence is claimed in 5 of 100.
                let shifted: Vec<f64> = b.iter().map(|v| v * 1.02).collect();
                let at_margin = difference(&a, &shifted, Design::Independent).unwrap();
                alike += u32::from(at_margin.p_equivalent(0.02).unwrap() < 0.05);
            }
            // 100 expected; Welch is on the safe side with few runs. Four standard errors are 39.
            assert!(differ <= 139, "{count}: {differ}");
            assert!(alike <= 139, "{count}: {alike}");
        }
    }

    #[test]
    fn the_stated_difference_is_found_in_eight_of_ten() {
        for (count, spread, design) in [
            (3, 0.02, Design::Independent),
            (5, 0.02, Design::Independent),
            (5, 0.02, Design::Paired),
            (10, 0.005, Design::Independent),
        ] {
            let mut noise = Noise(40 + count as u64);
            let mut found = 0;
            for _ in 0..2000 {
                let pilot = difference(
                    &runs(&mut noise, count, 7.0, spread),
                    &runs(&mut noise, count, 7.0, spread),
                    design,
                );
                let stated = pilot.unwrap().smallest_found(0.05).unwrap();
                let (a, b) = (
                    runs(&mut noise, count, 7.0, spread),
                    runs(&mut noise, count, 7.0 + stated.ln_1p(), spread),
                );
                let p = difference(&a, &b, design).unwrap().p_value().unwrap();
                found += u32::from(p < 0.05);
            }
            assert!(found >= 1600, "{count} {design:?}: {found} of 2000");
        }
    }

    #[test]
    fn as_many_pairs_as_the_scatter_takes() {
        // Twice as fine takes about four times as many; a thousand pairs know their scatter.
        let needed = |scatter, growth| pairs_needed(scatter, 1000, growth, 0.05);
        let (coarse, fine) = (needed(0.05, 0.05), needed(0.05, 0.025));
        assert!((8..=13).contains(&coarse) && (32..=40).contains(&fine), "{coarse} {fine}");
        assert_eq!((needed(0.0, 0.05), needed(1.0, 0.0001)), (3, 10_000));
        // Three pairs know little of it, and ten tests ask for more than one.
        assert!(pairs_needed(0.05, 3, 0.05, 0.05) > 3 * coarse);
        assert!(pairs_needed(0.05, 1000, 0.05, 0.005) > coarse);
        let mut noise = Noise(77);
        let found = (0..2000).filter(|_| {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            for _ in 0..coarse {
                // Both of a pair share their moment.
                let moment = 0.2 * noise.draw();
                let each = 0.05 / 2f64.sqrt();
                a.push((moment + each * noise.draw()).exp());
                b.push((moment + each * noise.draw()).exp() * 1.05);
            }
            difference(&a, &b, Design::Paired).unwrap().p_value().unwrap() < 0.05
        });
        let found = found.count();
        assert!(found >= 1560, "{found} of 2000: 1600 less four standard errors are 1528");
    }

    #[test]
    fn every_order_is_counted() {
        // The largest of twenty orders, and the smallest: 2 of 20.
        let p = permutation_p(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0], Design::Independent).unwrap();
        assert!((p - 0.1).abs() < 1e-12, "{p}");
        let alike = permutation_p(&[1.0, 4.0], &[2.0, 2.0], Design::Independent).unwrap();
        assert!((alike - 1.0).abs() < 1e-12, "{alike}");
        // Five pairs of one sign: 2 of 32.
        let p = permutation_p(&[1.0; 5], &[2.0, 3.0, 2.0, 4.0, 2.0], Design::Paired).unwrap();
        assert!((p - 0.0625).abs() < 1e-12, "{p}");
        assert_eq!(permutation_p(&[1.0; 30], &[1.0; 30], Design::Independent), None);
        assert_eq!(permutation_p(&[], &[1.0], Design::Independent), None);
        // A slow oracle: choices by the bits of a number.
        let (a, b) = ([3.0f64, 1.0, 4.0, 1.5], [9.0f64, 2.6, 5.0]);
        let all: Vec<f64> = a.iter().chain(&b).map(|v| v.ln()).collect();
        let mean = |bits: u32| {
            let of = |chosen: bool| {
                let these: Vec<f64> = (0..7)
                    .filter(|i| (bits >> i & 1 == 1) == chosen)
                    .map(|i| all[i as usize])
                    .collect();
                these.iter().sum::<f64>() / these.len() as f64
            };
            (of(true) - of(false)).abs()
        };
        let seen = mean(0b111_0000);
        let choices: Vec<u32> = (0u32..128).filter(|bits| bits.count_ones() == 3).collect();
        let slow = choices.iter().filter(|bits| mean(**bits) >= seen - 1e-9).count();
        let p = permutation_p(&a, &b, Design::Independent).unwrap();
        assert!((p - slow as f64 / choices.len() as f64).abs() < 1e-12);
    }

    #[test]
    fn an_odd_run_hardly_moves_the_median_of_ratios() {
        for design in [Design::Independent, Design::Paired] {
            let base = [1.0; 5];
            let found = hodges_lehmann(&base, &[1.1, 1.1, 90.0, 1.1, 1.1], design).unwrap();
            assert!((found - 1.1).abs() < 1e-12, "{found}");
            assert_eq!(hodges_lehmann(&[], &[], design), None);
            assert_eq!(hodges_lehmann(&[1.0], &[0.0], design), None);
        }
        // Means of two of ln 1, ln 2, ln 4, in units of ln 2: 0, 0.5, 1, 1, 1.5, 2.
        let pairs = hodges_lehmann(&[1.0, 1.0, 5.0], &[1.0, 2.0, 20.0], Design::Paired).unwrap();
        assert!((pairs - 2.0).abs() < 1e-12, "{pairs}");
        assert_eq!(hodges_lehmann(&[1.0], &[1.0, 2.0], Design::Paired), None);
    }

    #[test]
    fn p_values_are_corrected_by_their_definitions() {
        // Holm's own table: 0.01, 0.04, 0.03, 0.005 of four.
        let p = [0.01, 0.04, 0.03, 0.005];
        let close = |found: Vec<f64>, expected: [f64; 4]| {
            found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12)
        };
        assert!(close(holm(&p), [0.03, 0.06, 0.06, 0.02]), "{:?}", holm(&p));
        assert!(close(benjamini_hochberg(&p), [0.02, 0.04, 0.04, 0.02]));
        assert_eq!((holm(&[]), benjamini_hochberg(&[])), (vec![], vec![]));
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
    }

    #[test]
    fn of_many_equal_metrics_hardly_ever_one_is_called_different() {
        let mut noise = Noise(3);
        let experiments = (0..2000).filter(|_| {
            let p: Vec<f64> = (0..12)
                .map(|_| {
                    let (a, b) = (runs(&mut noise, 4, 3.0, 0.03), runs(&mut noise, 4, 3.0, 0.03));
                    difference(&a, &b, Design::Independent).unwrap().p_value().unwrap()
                })
                .collect();
            holm(&p).iter().any(|p| *p < 0.05)
        });
        let wrong = experiments.count();
        assert!(wrong <= 139, "{wrong} of 2000");
    }
}
