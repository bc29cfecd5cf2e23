//! Seeds that differ wherever two things shall not be alike.

use narrows_engine::Rng;

/// Keeps the seeds of streams, threads and orders apart.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A seed of its own for each stream (from 1) and thread (from 1; 0 is what its threads share).
pub(crate) fn seed_of(seed: u64, stream: u64, thread: u64) -> u64 {
    Rng::new(seed ^ stream.wrapping_mul(SPREAD) ^ (thread << 48)).next_u64()
}

/// `0..n` in random order (Fisher and Yates).
pub(crate) fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_keeps_everybody_and_changes_places() {
        let mut rng = Rng::new(5);
        let order = shuffled(50, &mut rng);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
        assert_ne!(order, sorted);
        assert_ne!(order, shuffled(50, &mut rng));
    }
}
