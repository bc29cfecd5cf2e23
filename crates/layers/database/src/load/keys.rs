//! Which key comes next: all alike, by Zipf's law, or a hot spot.

use narrows_engine::{Permutation, Rng, Zipf};

/// Where hot keys lie is the same in every session and every run, so that they are the same rows.
const PLACES: u64 = 0x6b65_7973;

/// A law by which keys are drawn. Hot ones lie scattered over the range, so that they share blocks only by chance.
#[derive(Debug, Clone)]
pub struct Keys {
    first: i64,
    count: u64,
    law: Law,
}

#[derive(Debug, Clone)]
enum Law {
    Uniform,
    Zipf { zipf: Zipf, places: Permutation },
    Hot { keys: u64, accesses: f64, places: Permutation },
}

impl Keys {
    /// All of `count` keys from `first` on alike; at least one.
    pub fn uniform(first: i64, count: u64) -> Self {
        Keys { first, count: count.max(1), law: Law::Uniform }
    }

    /// The k-th hottest key k^-theta times as often as the hottest; `theta` finite and not negative.
    pub fn zipf(first: i64, count: u64, theta: f64) -> Self {
        let count = count.max(1);
        let law =
            Law::Zipf { zipf: Zipf::new(count, theta), places: Permutation::new(count, PLACES) };
        Keys { first, count, law }
    }

    /// A share `accesses` of the draws goes to a share `keys` of the keys (at least one key), the rest to the others; both
    /// inside [0, 1].
    pub fn hot_spot(first: i64, count: u64, accesses: f64, keys: f64) -> Self {
        let count = count.max(1);
        let hot = ((count as f64 * keys).round() as u64).clamp(1, count);
        let places = Permutation::new(count, PLACES);
        Keys { first, count, law: Law::Hot { keys: hot, accesses, places } }
    }

    /// How many keys there are.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The next one.
    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> i64 {
        let place = match &self.law {
            Law::Uniform => rng.below(self.count),
            Law::Zipf { zipf, places } => places.at(zipf.rank(rng)),
            Law::Hot { keys, accesses, places } => {
                let cold = self.count - keys;
                // A draw is above zero, so that a share of zero is never.
                let rank = if cold == 0 || rng.unit_f64() <= *accesses {
                    rng.below(*keys)
                } else {
                    keys + rng.below(cold)
                };
                places.at(rank)
            }
        };
        self.first + place as i64
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    const DRAWS: u32 = 100_000;

    /// How often each key came, most often first.
    fn drawn(keys: &Keys) -> Vec<(i64, u32)> {
        let mut rng = Rng::new(5);
        let mut seen = BTreeMap::new();
        for _ in 0..DRAWS {
            *seen.entry(keys.draw(&mut rng)).or_insert(0) += 1;
        }
        let mut seen: Vec<_> = seen.into_iter().collect();
        seen.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        seen
    }

    #[test]
    fn every_law_reaches_all_keys_of_its_range_and_no_other() {
        for keys in [
            Keys::uniform(-3, 50),
            Keys::zipf(-3, 50, 0.8),
            Keys::hot_spot(-3, 50, 0.9, 0.1),
            Keys::hot_spot(-3, 50, 0.9, 1.0),
        ] {
            let mut found: Vec<i64> = drawn(&keys).into_iter().map(|(key, _)| key).collect();
            found.sort_unstable();
            assert_eq!(found, (-3..47).collect::<Vec<_>>(), "{keys:?}");
        }
        assert_eq!(drawn(&Keys::uniform(9, 0)), [(9, DRAWS)]);
    }

    #[test]
    fn a_hot_spot_gets_its_share_and_lies_scattered() {
        let seen = drawn(&Keys::hot_spot(0, 1000, 0.8, 0.02));
        let hot: u32 = seen[..20].iter().map(|(_, count)| count).sum();
        let share = f64::from(hot) / f64::from(DRAWS);
        // Standard deviation 0.13 %; what of the rest comes more often than by chance is far below a hot key.
        assert!((share - 0.8).abs() < 0.008, "{share}");
        let mut places: Vec<i64> = seen[..20].iter().map(|(key, _)| *key).collect();
        places.sort_unstable();
        assert!(places[19] - places[0] > 300, "{places:?}");
    }

    #[test]
    fn the_hottest_of_zipf_gets_what_the_law_says_wherever_it_lies() {
        let seen = drawn(&Keys::zipf(1, 1000, 1.0));
        let whole: f64 = (1..=1000).map(|rank| 1.0 / f64::from(rank)).sum();
        let share = f64::from(seen[0].1) / f64::from(DRAWS);
        assert!((share - 1.0 / whole).abs() < 0.01, "{share}");
    }
}
