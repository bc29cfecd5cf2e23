//! Who was referenced last when, as a row of marks that can be counted from any moment on.
//!
//! A bit for each moment, and sums of 512 and of 16,384 of them: a row for 32,768 pages has 17 KiB, which stays in a core's own cache, where a
//! tree of sums would have 512 KiB and ask for a line of it at each of seventeen steps.

/// Words of a block.
const BLOCK: usize = 8;
/// Blocks of a group.
const GROUP: usize = 32;

/// Marks on moments.
#[derive(Debug, Clone)]
pub(super) struct Timeline {
    words: Vec<u64>,
    /// Marks in each block of words.
    blocks: Vec<u16>,
    /// Marks in each group of blocks.
    groups: Vec<u32>,
}

impl Timeline {
    /// A row of `moments` without a mark, and a few more.
    pub(super) fn new(moments: usize) -> Timeline {
        let groups = moments.div_ceil(64 * BLOCK * GROUP);
        Timeline {
            words: vec![0; groups * GROUP * BLOCK],
            blocks: vec![0; groups * GROUP],
            groups: vec![0; groups],
        }
    }

    /// Moments that there are.
    pub(super) fn moments(&self) -> usize {
        self.words.len() * 64
    }

    /// Sets the mark of a moment that has none; the first moment is 0.
    pub(super) fn mark(&mut self, moment: u32) {
        let word = moment as usize / 64;
        self.words[word] |= 1 << (moment % 64);
        self.blocks[word / BLOCK] += 1;
        self.groups[word / BLOCK / GROUP] += 1;
    }

    /// Takes the mark of a moment that has one.
    pub(super) fn unmark(&mut self, moment: u32) {
        let word = moment as usize / 64;
        self.words[word] &= !(1 << (moment % 64));
        self.blocks[word / BLOCK] -= 1;
        self.groups[word / BLOCK / GROUP] -= 1;
    }

    /// Marks after a moment.
    pub(super) fn after(&self, moment: u32) -> u32 {
        let word = moment as usize / 64;
        let block = word / BLOCK;
        let group = block / GROUP;
        // Two shifts: one by 64 there is not.
        let own = (self.words[word] >> (moment % 64) >> 1).count_ones();
        let words = self.words[word + 1..(block + 1) * BLOCK].iter().map(|word| word.count_ones());
        let blocks =
            self.blocks[block + 1..(group + 1) * GROUP].iter().map(|marks| u32::from(*marks));
        own + words.sum::<u32>()
            + blocks.sum::<u32>()
            + self.groups[group + 1..].iter().sum::<u32>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_counted_as_a_row_of_flags_is() {
        let mut timeline = Timeline::new(20_000);
        let moments = timeline.moments();
        assert_eq!(moments, 32_768);
        let mut flags = vec![false; moments];
        for step in 0..4000usize {
            // Everywhere, and often at both ends of words, blocks and groups.
            let moment = match step % 3 {
                0 => step * 7919 % moments,
                1 => (step * 31 % (moments / 512) * 512 + step % 2 * 511) % moments,
                _ => (step * 17 % 2 * 16_384 + step % 2 * 16_383) % moments,
            };
            if flags[moment] {
                timeline.unmark(moment as u32);
            } else {
                timeline.mark(moment as u32);
            }
            flags[moment] ^= true;
            let at = step * 104_729 % moments;
            for at in [at, moment, moments - 1, 0] {
                let marks = flags[at + 1..].iter().filter(|flag| **flag).count();
                assert_eq!(timeline.after(at as u32) as usize, marks, "step {step}, {at}");
            }
        }
    }
}
