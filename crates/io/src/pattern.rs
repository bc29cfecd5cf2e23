//! What is written: data that no storage can compress, deduplicate or mistake for another block, unless it is asked
//! for ([`Entropy`]).
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
//! Where deduplication shall find something, some blocks of 4 KiB, decided by their place, are copies out of a small
//! pool: their tags name the pool's block instead of the place and have generation 0, for equal blocks cannot
//! say where they lie. A reader still knows what belongs there. Drawing them costs the generator more.
//!
//! [`stamp`]: Pattern::stamp

use narrows_facts::pattern::{check_word, mix};

use crate::Entropy;
use crate::entropy::DEDUPE_BYTES;

/// Bytes between two tags.
pub const SECTOR: usize = 512;
const TAG_WORDS: usize = 4;
const TAG_BYTES: usize = 8 * TAG_WORDS;
/// Marks the number of a sector of the pool.
const POOLED: u64 = 1 << 63;
const SECTORS_PER_BLOCK: u64 = DEDUPE_BYTES / SECTOR as u64;

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
        /// The sector it was written for; with the highest bit set one of the pool of repeated blocks.
        sector: u64,
    },
    /// Not ours, or torn.
    Foreign,
}

/// The data of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pattern {
    id: u64,
    entropy: Entropy,
}

impl Pattern {
    /// The pattern of the file that `seed` belongs to.
    pub fn new(seed: u64) -> Self {
        Pattern::with_entropy(seed, Entropy::default())
    }

    /// The same of data with that much to save. The shares belong to the pattern: a reader needs them too.
    pub fn with_entropy(seed: u64, entropy: Entropy) -> Self {
        // Never zero, so that a sector of zeros cannot pass for one of ours.
        Pattern { id: mix(seed) | 1, entropy }
    }

    /// How much there is to save.
    pub fn entropy(&self) -> Entropy {
        self.entropy
    }

    /// The number and generation that the sector `number` carries: its own, or those of a sector of the pool.
    #[inline]
    fn carried(&self, number: u64, generation: u64) -> (u64, u64) {
        if self.entropy.dedupe_percent() == 0 {
            return (number, generation);
        }
        let block = number / SECTORS_PER_BLOCK;
        match self.entropy.repeated(mix(self.id.rotate_left(32) ^ block)) {
            Some(pooled) => (POOLED | (pooled * SECTORS_PER_BLOCK + number % SECTORS_PER_BLOCK), 0),
            None => (number, generation),
        }
    }

    /// Draws a whole buffer that will be written at `offset` (a multiple of 512).
    pub fn fill(&self, buffer: &mut [u8], offset: u64, generation: u64) {
        let first = offset / SECTOR as u64;
        for (number, sector) in (first..).zip(buffer.chunks_mut(SECTOR)) {
            let (number, generation) = self.carried(number, generation);
            let drawn = self.entropy.drawn(sector.len());
            let (drawn, rest) = sector.split_at_mut(drawn);
            let mut state = mix(self.id ^ mix(number ^ mix(generation)));
            for word in drawn.chunks_mut(8) {
                // SplitMix64's Weyl sequence with one multiply: fast, and far from compressible.
                state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
                let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
                z ^= z >> 29;
                word.copy_from_slice(&z.to_le_bytes()[..word.len()]);
            }
            rest.fill(0);
            self.stamp_sector(sector, number, generation);
        }
    }

    /// Renews the tags of a buffer that will be written at `offset` (a multiple of 512) and whose payload this
    /// pattern drew before. Where blocks repeat, the payload belongs to the place and is drawn again.
    #[inline]
    pub fn stamp(&self, buffer: &mut [u8], offset: u64, generation: u64) {
        if self.entropy.dedupe_percent() > 0 {
            return self.fill(buffer, offset, generation);
        }
        let first = offset / SECTOR as u64;
        for (number, sector) in (first..).zip(buffer.chunks_exact_mut(SECTOR)) {
            self.stamp_sector(sector, number, generation);
        }
    }

    #[inline]
    fn stamp_sector(&self, sector: &mut [u8], number: u64, generation: u64) {
        if sector.len() < TAG_BYTES {
            return;
        }
        let words = [self.id, number, generation, self.check(number, generation)];
        for (bytes, word) in sector.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
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
            if number == self.carried(offset / SECTOR as u64, generation).0 {
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
        check_word(self.id, number, generation)
    }
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
        // Whoever doesn't know the file tells it all the same.
        assert!(narrows_facts::pattern::is_ours(&buffer[512..]));
        buffer[9] ^= 1;
        assert_eq!(pattern.tag(&buffer, 8192), Tag::Foreign);
    }

    /// Bytes that gzip leaves of `data`; `None` where there is no gzip.
    fn gzipped(data: &[u8]) -> Option<usize> {
        use std::io::Write;
        use std::process::{Command, Stdio};
        let mut child = Command::new("gzip")
            .args(["-6", "-c"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .inspect_err(|error| eprintln!("SKIPPED: no gzip: {error}"))
            .ok()?;
        let mut input = child.stdin.take().unwrap();
        let data = data.to_vec();
        let writer = std::thread::spawn(move || input.write_all(&data).unwrap());
        let output = child.wait_with_output().unwrap();
        writer.join().unwrap();
        Some(output.stdout.len())
    }

    #[test]
    fn compression_saves_what_was_asked_for_also_after_new_tags() {
        for percent in [0, 25, 50, 75, 90] {
            let pattern = Pattern::with_entropy(7, Entropy::new(percent, 0));
            let mut buffer = vec![0; 1 << 20];
            pattern.fill(&mut buffer, 0, 0);
            pattern.stamp(&mut buffer, 1 << 30, 5);
            assert_eq!(pattern.tag(&buffer[4096..], (1 << 30) + 4096), Tag::Ours { generation: 5 });
            let words: HashSet<_> = buffer.chunks(8).collect();
            let distinct = words.len() as f64 / (buffer.len() / 8) as f64;
            let expected = 1.0 - f64::from(percent) / 100.0;
            // Two of a sector's 64 words, id and generation, are the same everywhere.
            assert!((distinct - expected).abs() < 0.04, "{percent} %: {distinct}");
            let Some(left) = gzipped(&buffer) else { continue };
            let left = left as f64 / buffer.len() as f64;
            assert!((left - expected).abs() < 0.05, "{percent} %: gzip left {left}");
        }
    }

    #[test]
    fn deduplication_finds_what_was_asked_for_and_every_block_knows_its_place() {
        const BLOCK: usize = DEDUPE_BYTES as usize;
        for percent in [0, 30, 80, 100] {
            let pattern = Pattern::with_entropy(8, Entropy::new(0, percent));
            let mut data = vec![0; 4096 * BLOCK];
            pattern.fill(&mut data, 0, 3);
            let distinct: HashSet<_> = data.chunks(BLOCK).collect();
            let saved = 1.0 - distinct.len() as f64 / 4096.0;
            let expected = f64::from(percent) / 100.0;
            // The pool itself is not saved: 64 of 4096 blocks.
            assert!((saved - expected).abs() < 0.04, "{percent} %: {saved}");
            for (sector, at) in data.chunks(SECTOR).zip((0..).step_by(SECTOR)) {
                assert!(matches!(pattern.tag(sector, at), Tag::Ours { .. }), "at {at}");
            }
        }
    }

    #[test]
    fn a_buffer_that_goes_from_place_to_place_repeats_only_what_it_should() {
        let pattern = Pattern::with_entropy(9, Entropy::new(0, 50));
        let mut buffer = vec![0; DEDUPE_BYTES as usize];
        let mut seen = HashSet::new();
        for place in 0..2000 {
            pattern.stamp(&mut buffer, place * DEDUPE_BYTES, place);
            seen.insert(buffer.clone());
        }
        let distinct = seen.len() as f64 / 2000.0;
        assert!((0.47..0.57).contains(&distinct), "{distinct}");
    }
}
