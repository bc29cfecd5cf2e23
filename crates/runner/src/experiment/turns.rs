//! Whose turn it is.

use serde::{Deserialize, Serialize};

/// Pairs after which the number of pairs is decided.
pub const PILOT: u32 = 3;

/// One of the two configurations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum AbSide {
    /// The one that is compared with.
    A,
    /// The other.
    B,
}

impl AbSide {
    /// `A` or `B`.
    pub fn word(self) -> &'static str {
        match self {
            AbSide::A => "A",
            AbSide::B => "B",
        }
    }

    fn other(self) -> AbSide {
        match self {
            AbSide::A => AbSide::B,
            AbSide::B => AbSide::A,
        }
    }
}

/// Whose the run of that number is, from zero: A B, B A, A B …, or B A, A B, B A …, as the seed draws it.
pub fn turn(seed: u64, number: u32) -> AbSide {
    let drawn = if seed.count_ones().is_multiple_of(2) { AbSide::A } else { AbSide::B };
    let pair_begins = if (number / 2).is_multiple_of(2) { drawn } else { drawn.other() };
    if number.is_multiple_of(2) { pair_begins } else { pair_begins.other() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_take_turns_in_who_begins() {
        let order = |seed: u64| -> String { (0..8).map(|n| turn(seed, n).word()).collect() };
        assert_eq!(order(0), "ABBAABBA");
        assert_eq!(order(1), "BAABBAAB");
        // What rises from run to run falls out of any two pairs.
        for seed in [0, 1, 7, 12] {
            let drift: i64 = (0..4)
                .map(|n| match turn(seed, n) {
                    AbSide::A => -i64::from(n),
                    AbSide::B => i64::from(n),
                })
                .sum();
            assert_eq!(drift, 0, "{seed}");
        }
    }
}
