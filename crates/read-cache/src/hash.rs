//! Numbers of pages, mixed: neighbours land anywhere.

use std::hash::{BuildHasher, Hasher};

/// Mixes all bits of a value into all bits: the finaliser of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014), a bijection.
pub(crate) fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    value ^ (value >> 31)
}

/// The same with a seed: another bijection for each.
pub(crate) fn seeded(value: u64, seed: u64) -> u64 {
    mix(mix(value.wrapping_add(0x9E37_79B9_7F4A_7C15)) ^ mix(seed.wrapping_mul(2) | 1))
}

/// For maps of pages.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct PageHash;

/// See [`PageHash`].
#[derive(Debug, Default)]
pub(crate) struct PageHasher(u64);

impl BuildHasher for PageHash {
    type Hasher = PageHasher;

    fn build_hasher(&self) -> PageHasher {
        PageHasher::default()
    }
}

impl Hasher for PageHasher {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = mix(self.0 ^ u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = mix(value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_fill_every_part_of_the_range_alike() {
        for seed in [0, 1, 77] {
            let mut parts = [0u32; 64];
            for page in 0..64_000 {
                parts[(seeded(page, seed) >> 58) as usize] += 1;
            }
            // 1,000 each; six standard deviations of a binomial are 188.
            assert!(parts.iter().all(|count| count.abs_diff(1000) < 188), "{parts:?}");
        }
        assert_ne!(seeded(1, 1), seeded(1, 2));
        let maps = (PageHash.hash_one(7u64), PageHash.hash_one(8u64));
        assert_ne!(maps.0, maps.1);
    }
}
