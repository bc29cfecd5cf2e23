//! Looks at an experiment that grows: each one is a chance to be wrong, and all of them together keep the promise of one.

/// Of the level that is left the next look may use so much: the first look loses little, and there are always looks left.
const USED: f64 = 0.8;

/// The level at which a test may call a difference at that look, the first being 1, so that with any number of looks at a growing set of
/// runs at most `level` of experiments without a difference get one.
///
/// A look uses four fifths of what those before it left: of 5 % the first has 4 %, the second 0.8 %, the third 0.16 %. The sum over
/// all looks is `level`, so that the promise holds by Boole's inequality: it needs no plan of when to look and no law of how looks belong
/// together, and costs some of what such a law would give. Assumes that how many runs are added does not follow from the result that
/// was seen: who adds as many as its p-value seems to lack bends the test itself (Proschan & Hunsberger, *Biometrics* 51, 1995).
/// Source: an error-spending function in the sense of Lan & DeMets, *Biometrika* 70, 1983, spent look by look.
pub fn level_of_look(level: f64, look: u32) -> f64 {
    let before = i32::try_from(look.max(1) - 1).unwrap_or(i32::MAX);
    level * USED * (1.0 - USED).powi(before)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::Noise;
    use crate::{Design, difference};

    #[test]
    fn all_looks_together_use_the_level() {
        let sum: f64 = (1..=30).map(|look| level_of_look(0.05, look)).sum();
        assert!((sum - 0.05).abs() < 1e-12, "{sum}");
        let first_three = [1, 2, 3].map(|look| level_of_look(0.05, look));
        assert!(first_three.iter().zip([0.04, 0.008, 0.0016]).all(|(a, b)| (a - b).abs() < 1e-12));
        assert_eq!(level_of_look(0.05, 0), level_of_look(0.05, 1));
    }

    /// Experiments on equal sides whose owner adds six pairs and looks again until a difference is shown or there were five looks.
    fn wrong_of(experiments: u32, level: impl Fn(u32) -> f64) -> u32 {
        let mut noise = Noise(91);
        let mut wrong = 0;
        for _ in 0..experiments {
            let (mut a, mut b) = (Vec::new(), Vec::new());
            let shown = (1..=5).any(|look| {
                for _ in 0..6 {
                    a.push((0.05 * noise.draw()).exp());
                    b.push((0.05 * noise.draw()).exp());
                }
                let found = difference(&a, &b, Design::Paired).unwrap();
                found.p_value().unwrap() < level(look)
            });
            wrong += u32::from(shown);
        }
        wrong
    }

    #[test]
    fn whoever_looks_until_it_is_significant_is_wrong_no_oftener() {
        // 100 of 2,000 are promised; four standard errors are 39.
        let corrected = wrong_of(2000, |look| level_of_look(0.05, look));
        assert!(corrected <= 139, "{corrected}");
        // Without the correction it is what everybody warns of.
        let uncorrected = wrong_of(2000, |_| 0.05);
        assert!(uncorrected > 200, "{uncorrected}");
    }
}
