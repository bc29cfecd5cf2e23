//! What is written: data that no storage can compress, deduplicate or mistake for another block.
//!
//! Every sector of 512 bytes opens with a tag (file id, sector number, generation, check word) and goes on with
//! pseudo-random bytes drawn from the same three numbers, so no two sectors are equal and none repeats in a
//! later generation. A reader can tell from any sector alone whether it is ours and in its place.
//!
//! In a window the payload is not drawn again (that would cost the generator as much as the write): [`stamp`]
//! renews only the tags of a buffer whose payload was drawn before, and the caller rotates over a pool of
//! buffers large enough that equal payloads lie further apart than compression looks (see `storage.md` 7.11 in
//! the references: pools of 64 MiB).
//!
//! [`stamp`]: Pattern::stamp

/// Bytes between two tags.
pub const SECTOR: usize = 512;
const TAG_WORDS: usize = 4;

/// What the tag of a sector said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tag {
    /// Ours, and written for this place; which generation.
    Ours {
        /// The write's generation; 0 is the fill.
        generation: u64,
    },
    /// Nothing but zeros in the whole sector.
    Zeros,
    /// Ours, but of another place.
    Displaced {
        /// The sector it was written for.
        sector: u64,
    },
    /// Not ours, or torn.
    Foreign,
}

/// The data of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    id: u64,
}

impl Pattern {
    /// The pattern of the file that `seed` belongs to.
    pub fn new(seed: u64) -> Self {
        // Never zero, so that a sector of zeros cannot pass for one of ours.
        Pattern { id: mix(seed) | 1 }
    }

    /// Draws a whole buffer that will be written at `offset` (a multiple of 512).
    pub fn fill(&self, buffer: &mut [u8], offset: u64, generation: u64) {
        let first = offset / SECTOR as u64;
        for (number, sector) in (first..).zip(buffer.chunks_mut(SECTOR)) {
            let mut state = mix(self.id ^ mix(number ^ mix(generation)));
            for word in sector.chunks_mut(8) {
                // SplitMix64's Weyl sequence with one multiply: fast, and far from compressible.
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z ^= z >> 29;
                word.copy_from_slice(&z.to_le_bytes()[..word.len()]);
            }
        }
        self.stamp(buffer, offset, generation);
    }

    /// Renews the tags of a buffer that will be written at `offset` (a multiple of 512).
    #[inline]
    pub fn stamp(&self, buffer: &mut [u8], offset: u64, generation: u64) {
        let first = offset / SECTOR as u64;
        for (number, sector) in (first..).zip(buffer.chunks_exact_mut(SECTOR)) {
            let words = [self.id, number, generation, self.check(number, generation)];
            for (bytes, word) in sector.chunks_exact_mut(8).zip(words) {
                bytes.copy_from_slice(&word.to_le_bytes());
            }
        }
    }

    /// What the sector at the head of `buffer`, read from `offset`, says of itself.
    #[inline]
    pub fn tag(&self, buffer: &[u8], offset: u64) -> Tag {
        let mut words = [0u64; TAG_WORDS];
        for (word, bytes) in words.iter_mut().zip(buffer.chunks_exact(8)) {
            *word = u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        }
        let [id, number, generation, check] = words;
        if id == self.id && check == self.check(number, generation) {
            if number == offset / SECTOR as u64 {
                return Tag::Ours { generation };
            }
            return Tag::Displaced { sector: number };
        }
        if buffer[..SECTOR.min(buffer.len())].iter().all(|&byte| byte == 0) {
            return Tag::Zeros;
        }
        Tag::Foreign
    }

    fn check(&self, number: u64, generation: u64) -> u64 {
        mix(self.id ^ number.rotate_left(24) ^ generation.rotate_left(48))
    }
}

fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn no_two_sectors_are_equal_in_place_or_generation() {
        let pattern = Pattern::new(1);
        let mut seen = HashSet::new();
        for generation in 0..4 {
            let mut buffer = vec![0; 1 << 20];
            pattern.fill(&mut buffer, 1 << 30, generation);
            for sector in buffer.chunks(SECTOR) {
                // Without the tag, so that the payload alone must differ.
                assert!(seen.insert(sector[32..].to_vec()));
            }
        }
    }

    #[test]
    fn bytes_are_uniform_so_that_nothing_compresses() {
        let mut buffer = vec![0; 1 << 20];
        Pattern::new(2).fill(&mut buffer, 0, 0);
        let mut counts = [0f64; 256];
        let mut total = 0.0;
        for sector in buffer.chunks(SECTOR) {
            for &byte in &sector[32..] {
                counts[byte as usize] += 1.0;
                total += 1.0;
            }
        }
        let entropy: f64 = counts.iter().map(|n| n / total).map(|p| -p * p.log2()).sum();
        assert!(entropy > 7.999, "{entropy} bits per byte");
    }

    #[test]
    fn a_tag_tells_its_place_its_generation_and_strangers() {
        let pattern = Pattern::new(3);
        let mut buffer = vec![0; 8192];
        pattern.fill(&mut buffer, 16_384, 0);
        assert_eq!(pattern.tag(&buffer, 16_384), Tag::Ours { generation: 0 });
        assert_eq!(pattern.tag(&buffer[512..], 16_896), Tag::Ours { generation: 0 });
        assert_eq!(pattern.tag(&buffer, 8192), Tag::Displaced { sector: 32 });
        pattern.stamp(&mut buffer, 8192, 7);
        assert_eq!(pattern.tag(&buffer[7680..], 8192 + 7680), Tag::Ours { generation: 7 });
        assert_eq!(Pattern::new(4).tag(&buffer, 8192), Tag::Foreign);
        assert_eq!(pattern.tag(&[0; 512], 0), Tag::Zeros);
        buffer[9] ^= 1;
        assert_eq!(pattern.tag(&buffer, 8192), Tag::Foreign);
    }
}
