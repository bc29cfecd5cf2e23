//! Seeds that differ wherever two things shall not be alike.

use narrows_engine::Rng;

/// Keeps the seeds of streams, threads and orders apart.
const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;

/// A seed of its own for each stream (from 1) and thread (from 1; 0 is what its threads share).
pub(crate) fn seed_of(seed: u64, stream: u64, thread: u64) -> u64 {
    Rng::new(seed ^ stream.wrapping_mul(SPREAD) ^ (thread << 48)).next_u64()
}
