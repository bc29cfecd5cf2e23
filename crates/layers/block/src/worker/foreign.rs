//! What blocks are made of whose contents nobody here wrote: one value all over, a copy of another block, or much that is there twice.
//!
//! Storage answers such blocks from less than their bytes: unwritten ones by a constant (NVMe's DLFEAT may make it ones instead of
//! zeros), copies by deduplication, runs by compression. Whether this storage does isn't known here; a rule says that it could.

/// So much of a block is looked at.
const MOST_BYTES: usize = 16 << 10;
/// Blocks that a copy is known by.
const REMEMBERED: usize = 1 << 10;
/// Words of a block that a repeated one is known by.
const WORDS: usize = 1 << 8;

/// What one thread counted of the blocks it looked at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Foreign {
    /// One value all over, zeros not counted.
    pub constant: u64,
    /// The same as one at another place.
    pub repeated: u64,
    /// More than half of its words stand in it before.
    pub compressible: u64,
    /// Hash and offset, by the hash's end.
    seen: Vec<Option<(u64, u64)>>,
}

impl Foreign {
    /// Looks at a block that was read from `offset`.
    pub(super) fn look(&mut self, block: &[u8], offset: u64) {
        let block = &block[..block.len().min(MOST_BYTES)];
        let words = || {
            block.chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("eight")))
        };
        let Some(first) = words().next() else { return };
        if words().all(|word| word == first) {
            self.constant += 1;
            return;
        }
        let mut hash = 0u64;
        let mut known = [0u64; WORDS];
        let mut before = 0usize;
        for word in words() {
            hash = (hash.rotate_left(5) ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let at = (word.wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 56) as usize;
            before += usize::from(known[at] == word);
            known[at] = word;
        }
        self.compressible += u64::from(before * 2 > block.len() / 8);
        if self.seen.is_empty() {
            self.seen = vec![None; REMEMBERED];
        }
        let place = &mut self.seen[(hash >> 48) as usize % REMEMBERED];
        let copy = place.is_some_and(|(other, at)| other == hash && at != offset);
        self.repeated += u64::from(copy);
        if !copy {
            *place = Some((hash, offset));
        }
    }

    /// With what another thread counted.
    pub(crate) fn add(&mut self, other: &Foreign) {
        self.constant += other.constant;
        self.repeated += other.repeated;
        self.compressible += other.compressible;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_io::Pattern;

    fn counts(foreign: &Foreign) -> [u64; 3] {
        [foreign.constant, foreign.repeated, foreign.compressible]
    }

    #[test]
    fn one_value_copies_and_runs_are_told_from_data() {
        let mut foreign = Foreign::default();
        let mut data = vec![0; 8192];
        for place in 0..500u64 {
            Pattern::new(3).fill(&mut data, place * 8192, 0);
            foreign.look(&data, place * 8192);
            // The same place again is no copy.
            foreign.look(&data, place * 8192);
        }
        assert_eq!(counts(&foreign), [0, 0, 0], "data of which nothing can be saved");
        foreign.look(&data, 1 << 40);
        assert_eq!(counts(&foreign), [0, 1, 0], "a copy elsewhere");
        for value in [0xff, b'x'] {
            foreign.look(&[value; 8192], 0);
        }
        assert_eq!(counts(&foreign), [2, 1, 0]);
        let (data, rest) = data.split_at_mut(4000);
        rest.fill(b' ');
        let half = [&*data, &*rest].concat();
        foreign.look(&half, 0);
        assert_eq!(counts(&foreign), [2, 1, 1], "a page half empty");
        foreign.look(&[], 0);
        foreign.look(&[1, 2, 3], 0);
        assert_eq!(counts(&foreign), [2, 1, 1], "too little to tell");
    }
}
