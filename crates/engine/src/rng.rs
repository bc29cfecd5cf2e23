//! Random numbers for the hot loop: xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom number
//! generators", 2018), seeded through SplitMix64. Not for secrets.

/// A generator; two with different seeds are independent for our purposes.
#[derive(Debug, Clone)]
pub struct Rng([u64; 4]);

impl Rng {
    /// From a seed; every seed is fine, zero too.
    pub fn new(seed: u64) -> Self {
        let mut state = seed;
        Rng(std::array::from_fn(|_| splitmix(&mut state)))
    }

    /// The next 64 bits.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let s = &mut self.0;
        let result = s[1].wrapping_mul(5).rotate_left(7).wrapping_mul(9);
        let t = s[1] << 17;
        s[2] ^= s[0];
        s[3] ^= s[1];
        s[1] ^= s[2];
        s[0] ^= s[3];
        s[2] ^= t;
        s[3] = s[3].rotate_left(45);
        result
    }

    /// Uniform in `0..n`; `n` must not be zero. Multiply-shift: the bias is below n / 2^64.
    #[inline]
    pub fn below(&mut self, n: u64) -> u64 {
        ((u128::from(self.next_u64()) * u128::from(n)) >> 64) as u64
    }

    /// Uniform in (0, 1]: never zero, so that its logarithm exists.
    #[inline]
    pub fn unit_f64(&mut self) -> f64 {
        ((self.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Exponentially distributed with that mean.
    #[inline]
    pub fn exponential(&mut self, mean: f64) -> f64 {
        -mean * self.unit_f64().ln()
    }

    /// Fills a buffer; incompressible.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        let mut chunks = buffer.chunks_exact_mut(8);
        for chunk in &mut chunks {
            chunk.copy_from_slice(&self.next_u64().to_le_bytes());
        }
        let rest = chunks.into_remainder();
        let bytes = self.next_u64().to_le_bytes();
        rest.copy_from_slice(&bytes[..rest.len()]);
    }
}

/// One step of SplitMix64; also mixes seeds with labels.
pub(crate) fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn below_stays_below_and_reaches_everything() {
        let mut rng = Rng::new(7);
        let mut seen = [0u32; 10];
        for _ in 0..10_000 {
            seen[rng.below(10) as usize] += 1;
        }
        // Mean 1000, standard deviation 30: five of them.
        assert!(seen.iter().all(|&n| (850..1150).contains(&n)), "{seen:?}");
    }

    #[test]
    fn exponential_has_its_mean() {
        let mut rng = Rng::new(1);
        let mean = (0..100_000).map(|_| rng.exponential(3.0)).sum::<f64>() / 1e5;
        assert!((mean - 3.0).abs() < 0.05, "{mean}");
    }

    #[test]
    fn matches_the_published_generator() {
        // Reference: the authors' C program with state 1, 2, 3, 4.
        let mut rng = Rng([1, 2, 3, 4]);
        assert_eq!([rng.next_u64(), rng.next_u64(), rng.next_u64()], [11520, 0, 1509978240]);
    }
}
