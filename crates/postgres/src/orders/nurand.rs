//! The skewed draw of the order-entry specification (clause 2.1.6): NURand(A, x, y) = (((r(0, A) | r(x, y)) + C) mod
//! (y - x + 1)) + x, where r is uniform and inclusive.
//!
//! The bitwise OR makes numbers with many bits set likelier, C moves the likely ones. Customers by number use A = 1023,
//! items A = 8191, last names A = 255. C is drawn once and is the same for all sessions; that of last names differs
//! between the load and a run by 65 to 119, and not by 96 or 112 (clause 2.1.6.1), so that a run's favourites are not
//! the load's.

use narrows_engine::Rng;

/// Uniform in `low..=high`.
#[inline]
pub fn between(rng: &mut Rng, low: u32, high: u32) -> u32 {
    low + rng.below(u64::from(high - low) + 1) as u32
}

/// NURand(A, x, y) with the constant `c`.
#[inline]
pub fn nurand(rng: &mut Rng, a: u32, c: u32, x: u32, y: u32) -> u32 {
    (((between(rng, 0, a) | between(rng, x, y)) + c) % (y - x + 1)) + x
}

/// The constants of one load or one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Constants {
    /// For last names, 0 to 255.
    pub last_name: u32,
    /// For customers by number, 0 to 1023.
    pub customer: u32,
    /// For items, 0 to 8191.
    pub item: u32,
}

impl Constants {
    /// For a load.
    pub fn of_load(rng: &mut Rng) -> Constants {
        Constants {
            last_name: between(rng, 0, 255),
            customer: between(rng, 0, 1023),
            item: between(rng, 0, 8191),
        }
    }

    /// For a run on what was loaded with that constant for last names.
    pub fn of_run(rng: &mut Rng, loaded_last_name: u32) -> Constants {
        let allowed: Vec<u32> =
            (0..=255).filter(|run| may_follow(loaded_last_name, *run)).collect();
        let last_name = allowed[rng.below(allowed.len() as u64) as usize];
        Constants { last_name, ..Constants::of_load(rng) }
    }
}

/// Whether a run may use the constant `run` for last names on a load made with `load`.
pub fn may_follow(load: u32, run: u32) -> bool {
    let apart = load.abs_diff(run);
    (65..=119).contains(&apart) && apart != 96 && apart != 112
}

#[cfg(test)]
mod tests {
    use super::*;

    /// How often each value comes, exactly: every pair of draws is equally likely.
    fn exact(a: u32, c: u32, x: u32, y: u32) -> Vec<f64> {
        let mut count = vec![0u64; (y - x + 1) as usize];
        for first in 0..=a {
            for second in x..=y {
                count[(((first | second) + c) % (y - x + 1)) as usize] += 1;
            }
        }
        let all = f64::from(a + 1) * f64::from(y - x + 1);
        count.into_iter().map(|n| n as f64 / all).collect()
    }

    #[test]
    fn values_come_as_often_as_the_formula_says() {
        let (a, c, x, y) = (255, 123, 0, 999);
        let expected = exact(a, c, x, y);
        let mut rng = Rng::new(11);
        let draws = 400_000;
        let mut seen = vec![0u64; 1000];
        for _ in 0..draws {
            seen[(nurand(&mut rng, a, c, x, y) - x) as usize] += 1;
        }
        // Pearson's statistic over the values that can come: its mean is their number, its deviation √(2n).
        let mut statistic = 0.0;
        let mut possible = 0;
        for (got, share) in seen.iter().zip(&expected) {
            let mean = share * f64::from(draws);
            if mean == 0.0 {
                assert_eq!(*got, 0);
                continue;
            }
            possible += 1;
            statistic += (*got as f64 - mean).powi(2) / mean;
        }
        let n = f64::from(possible);
        assert!((statistic - n).abs() < 5.0 * (2.0 * n).sqrt(), "{statistic} for {n} values");
        // A uniform draw gives every value 0.001; here the likeliest comes many times as often.
        let most = expected.iter().copied().fold(0.0, f64::max);
        assert!(most > 0.004, "{most}");
    }

    #[test]
    fn every_draw_is_in_its_range() {
        let mut rng = Rng::new(3);
        for _ in 0..100_000 {
            assert!((1..=3000).contains(&nurand(&mut rng, 1023, 1023, 1, 3000)));
            assert!((1..=100_000).contains(&nurand(&mut rng, 8191, 8191, 1, 100_000)));
        }
    }

    #[test]
    fn a_runs_last_names_are_as_far_from_the_loads_as_required() {
        for load in 0..=255 {
            let mut rng = Rng::new(u64::from(load));
            for _ in 0..50 {
                let apart = Constants::of_run(&mut rng, load).last_name.abs_diff(load);
                assert!((65..=119).contains(&apart) && apart != 96 && apart != 112, "{apart}");
            }
        }
        assert!(!may_follow(10, 10 + 96) && !may_follow(10, 10 + 112) && !may_follow(123, 123));
    }
}
