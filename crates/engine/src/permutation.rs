//! Each of `0..n` once, in an order that looks random, without a map of what was drawn: a keyed bijection of the numbers
//! below the next power of two, walked until the value falls below `n` (cycle walking; Black and Rogaway, "Ciphers
//! with arbitrary finite domains", 2002). At most two steps on average.
//!
//! The bijection: three times a key is added, the sum multiplied with an odd key, and its upper half folded into its
//! lower one (as in the finishing steps of common hash functions, modulo a power of two). Each of the three can be
//! undone, so no two numbers meet. Not for secrets.
//!
//! A bit map for 16 TB in 4 KiB blocks would take 512 MB; this takes six numbers.

use crate::rng::splitmix;

const ROUNDS: usize = 3;

/// A permutation of `0..n`.
#[derive(Debug, Clone)]
pub struct Permutation {
    n: u64,
    mask: u64,
    fold_bits: u32,
    /// What is added, and the odd factor.
    keys: [(u64, u64); ROUNDS],
}

impl Permutation {
    /// The permutation of `0..n` that belongs to `seed`; `n` must not be zero.
    pub fn new(n: u64, seed: u64) -> Self {
        assert!(n > 0, "a permutation of nothing has no first element");
        let bits = (u64::BITS - (n - 1).leading_zeros()).max(1);
        let mut state = seed;
        Permutation {
            n,
            mask: u64::MAX >> (u64::BITS - bits),
            fold_bits: bits.div_ceil(2),
            keys: std::array::from_fn(|_| (splitmix(&mut state), splitmix(&mut state) | 1)),
        }
    }

    /// How many there are.
    pub fn len(&self) -> u64 {
        self.n
    }

    /// Never: a permutation holds at least one element.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The `i`-th element; `i` is taken modulo `n`, so that a walk may go round.
    #[inline]
    pub fn at(&self, i: u64) -> u64 {
        let mut value = if i < self.n { i } else { i % self.n };
        loop {
            value = self.mix(value);
            if value < self.n {
                return value;
            }
        }
    }

    #[inline]
    fn mix(&self, mut value: u64) -> u64 {
        for (add, factor) in self.keys {
            value = value.wrapping_add(add).wrapping_mul(factor) & self.mask;
            value ^= value >> self.fold_bits;
        }
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_element_comes_once() {
        for n in [1, 2, 3, 5, 16, 17, 1000, 4096, 65_537] {
            for seed in [0, 1, u64::MAX] {
                let permutation = Permutation::new(n, seed);
                let mut seen = vec![false; n as usize];
                for i in 0..n {
                    let value = permutation.at(i) as usize;
                    assert!(!std::mem::replace(&mut seen[value], true), "n {n} seed {seed}");
                }
            }
        }
    }

    #[test]
    fn no_part_of_the_order_prefers_a_part_of_the_numbers() {
        for (n, seed) in [(1 << 20, 1), (700_000, 2), (1_000_003, 3), (5000, 4)] {
            let permutation = Permutation::new(n, seed);
            // The n / 16 numbers that come first, by the sixteenth of the range they fall into, and by their lowest bits.
            let (mut high, mut low) = ([0f64; 16], [0f64; 16]);
            for i in 0..n / 16 {
                let value = permutation.at(i);
                high[(value * 16 / n) as usize] += 1.0;
                low[(value % 16) as usize] += 1.0;
            }
            let expected = n as f64 / 256.0;
            for counts in [high, low] {
                let chi2: f64 = counts.iter().map(|c| (c - expected).powi(2) / expected).sum();
                // 15 degrees of freedom: one in a million lies beyond 57.
                assert!(chi2 < 57.0, "n {n}: {chi2} {counts:?}");
            }
        }
    }

    #[test]
    fn gaps_between_successive_numbers_are_spread_as_by_chance() {
        let n = 1u64 << 20;
        for seed in 0..8 {
            let permutation = Permutation::new(n, seed);
            let mut by_distance = [0u32; 8];
            for i in 0..80_000 {
                let gap = permutation.at(i + 1).wrapping_sub(permutation.at(i)) & (n - 1);
                by_distance[(gap * 8 / n) as usize] += 1;
            }
            // 10,000 each by chance.
            assert!(by_distance.iter().all(|c| (8_500..11_500).contains(c)), "{by_distance:?}");
        }
    }

    #[test]
    fn neighbours_do_not_stay_neighbours() {
        let permutation = Permutation::new(1 << 20, 42);
        let near = (0..10_000)
            .filter(|&i| permutation.at(i).abs_diff(permutation.at(i + 1)) < 1 << 10)
            .count();
        // By chance two of 2^20 fall within 2^10 of each other in about 0.2 % of the cases.
        assert!(near < 60, "{near}");
    }
}
