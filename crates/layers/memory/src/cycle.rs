//! One random cycle over all lines.
//!
//! Sattolo's algorithm (S. Sattolo, "An algorithm to generate a random cyclic permutation", 1986): each of the
//! (n-1)! cyclic permutations with equal probability. A plain random permutation would fall into short cycles,
//! of which a walk sees only one, and that one may fit a cache.

use narrows_engine::{Rng, Stop, Stopped};

/// Elements between two looks at the stop token: some 20 ms where every access misses the caches.
const PIECE: u64 = 1 << 17;

/// Successor of each of `n` elements on one cycle through all of them. `n` must fit 32 bits: 256 GiB of lines.
pub fn sattolo(n: usize, rng: &mut Rng, stop: &Stop) -> Result<Vec<u32>, Stopped> {
    let count = u32::try_from(n).expect("more lines than 32 bits can number");
    let mut next: Vec<u32> = (0..count).collect();
    for i in (1..n).rev() {
        // `below(i)`, not `below(i + 1)`: that an element never stays in place is what makes one cycle.
        let j = rng.below(i as u64) as usize;
        next.swap(i, j);
        if (i as u64).is_multiple_of(PIECE) {
            stop.check()?;
        }
    }
    Ok(next)
}

/// Where a walk of `steps` from `start` ends.
pub fn walk(next: &[u32], start: u32, steps: u64, stop: &Stop) -> Result<u32, Stopped> {
    let mut at = start;
    for step in 0..steps {
        at = next[at as usize];
        if step.is_multiple_of(PIECE) {
            stop.check()?;
        }
    }
    Ok(at)
}

#[cfg(test)]
mod tests {
    use narrows_engine::{Rng, Stop};
    use proptest::prelude::{any, prop_assert_eq, prop_assert_ne, proptest};

    use super::{sattolo, walk};

    /// The slow, obvious check: follow the links and mark what was seen.
    fn cycle_length(next: &[u32], start: u32) -> usize {
        let mut seen = vec![false; next.len()];
        let mut at = start;
        let mut length = 0;
        while !seen[at as usize] {
            seen[at as usize] = true;
            length += 1;
            at = next[at as usize];
        }
        if at == start { length } else { 0 }
    }

    proptest! {
        #[test]
        fn one_cycle_through_everything(n in 1usize..3000, seed in any::<u64>(), start in any::<u32>()) {
            let next = sattolo(n, &mut Rng::new(seed), &Stop::new()).unwrap();
            prop_assert_eq!(cycle_length(&next, start % n as u32), n);
        }

        #[test]
        fn a_walk_of_the_whole_length_comes_home(n in 2usize..500, seed in any::<u64>()) {
            let next = sattolo(n, &mut Rng::new(seed), &Stop::new()).unwrap();
            prop_assert_eq!(walk(&next, 1, n as u64, &Stop::new()).unwrap(), 1);
            prop_assert_ne!(walk(&next, 1, n as u64 - 1, &Stop::new()).unwrap(), 1);
        }
    }

    #[test]
    fn every_cyclic_order_of_four_comes_up_equally_often() {
        let mut rng = Rng::new(42);
        let mut seen = std::collections::BTreeMap::new();
        for _ in 0..60_000 {
            *seen.entry(sattolo(4, &mut rng, &Stop::new()).unwrap()).or_insert(0u32) += 1;
        }
        // (4-1)! = 6 cycles of 10,000 each; standard deviation 91, five of them allowed.
        assert_eq!(seen.len(), 6);
        assert!(seen.values().all(|&n| (9_545..10_455).contains(&n)), "{seen:?}");
    }

    #[test]
    fn a_stop_is_seen_while_building() {
        let stop = Stop::new();
        stop.set();
        assert!(sattolo(1 << 20, &mut Rng::new(1), &stop).is_err());
        assert!(walk(&[0], 0, 1 << 20, &stop).is_err());
    }

    #[test]
    fn the_check_itself_sees_a_split_cycle() {
        assert_eq!(cycle_length(&[1, 0, 3, 2], 0), 2);
        assert_eq!(cycle_length(&[1, 2, 1], 0), 0);
    }
}
