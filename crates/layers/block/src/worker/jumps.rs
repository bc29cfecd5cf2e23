//! Random places with operations in order between the jumps.
//!
//! As in fio: the run is counted over all kinds together, each kind goes on where its last operation ended, and where the
//! region ends the next one jumps.

use narrows_engine::Rng;

use super::offset_sequence::{Grain, SequenceSetup};
use crate::scenario::Jumping;

/// Jumps and the runs between them; endless.
#[derive(Debug, Clone)]
pub(super) struct Jumps {
    /// For every alignment that occurs, blocks for every length.
    grains: Box<[Box<[Grain]>]>,
    /// Which of them a kind takes.
    of_kind: [u8; 3],
    jump_percent: [u8; 3],
    run: u32,
    /// Operations that the run still has.
    left: u32,
    /// Where the last operation of each kind ended.
    at: [u64; 3],
    end: u64,
}

impl Jumps {
    pub(super) fn new(jumping: &Jumping, setup: &SequenceSetup<'_>) -> Self {
        let mut aligns = jumping.align_bytes.to_vec();
        aligns.sort_unstable();
        aligns.dedup();
        let of_kind = jumping
            .align_bytes
            .map(|align| aligns.iter().position(|other| *other == align).unwrap_or(0) as u8);
        let grain = |bytes: &u32, align: u32| {
            Grain::aligned(&jumping.distribution, *bytes, align, setup.region.1, setup)
        };
        let grains = aligns
            .iter()
            .map(|&align| setup.lengths.iter().map(|bytes| grain(bytes, align)).collect())
            .collect();
        Jumps {
            grains,
            of_kind,
            jump_percent: jumping.jump_percent,
            run: jumping.run.max(1),
            left: 0,
            at: [0; 3],
            end: setup.region.1,
        }
    }

    #[inline]
    pub(super) fn next(&mut self, kind: usize, length: u16, bytes: u32, rng: &mut Rng) -> u64 {
        let bytes = u64::from(bytes);
        let here = if self.stays(kind, rng) && self.at[kind] + bytes <= self.end {
            self.at[kind]
        } else {
            self.grains[usize::from(self.of_kind[kind])][usize::from(length)].next(rng)
        };
        self.at[kind] = here + bytes;
        here
    }

    /// Whether this operation follows the one before.
    fn stays(&mut self, kind: usize, rng: &mut Rng) -> bool {
        if self.left > 0 {
            self.left -= 1;
            return true;
        }
        self.left = self.run - 1;
        let percent = u64::from(self.jump_percent[kind]);
        percent < 100 && rng.below(100) >= percent
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{AccessPattern, Distribution};
    use crate::worker::offset_sequence::Walk;

    const BLOCK: u32 = 4096;
    const BLOCKS: u64 = 1000;

    fn jumping(run: u32, percent: u8, align: u32) -> Jumping {
        Jumping {
            distribution: Distribution::Uniform,
            run,
            jump_percent: [percent; 3],
            align_bytes: [align; 3],
        }
    }

    /// Offsets of so many operations of one kind.
    fn offsets(jumping: Jumping, count: usize) -> Vec<u64> {
        let place = AccessPattern::Jumping(jumping);
        let setup = SequenceSetup {
            place: &place,
            region: (1 << 20, BLOCKS * u64::from(BLOCK)),
            thread: (0, 1),
            lengths: &[BLOCK],
            cursor: 0,
            seed: 5,
        };
        let (mut walk, mut rng) = (Walk::new(&setup), Rng::new(7));
        (0..count).map(|_| walk.next(0, 0, BLOCK, &mut rng) - (1 << 20)).collect()
    }

    fn follows(seen: &[u64]) -> usize {
        seen.windows(2).filter(|pair| pair[1] == pair[0] + u64::from(BLOCK)).count()
    }

    #[test]
    fn runs_are_as_long_as_asked_for() {
        let seen = offsets(jumping(8, 100, 0), 8000);
        for run in seen.chunks(8) {
            // Only the region's end cuts a run short.
            assert!(follows(run) == 7 || run.iter().any(|at| at / 4096 == BLOCKS - 1), "{run:?}");
        }
        // A jump leads to the neighbour once in a thousand times.
        assert!(
            seen.chunks(8).map(|run| run[0]).collect::<std::collections::HashSet<_>>().len() > 500
        );
    }

    #[test]
    fn the_share_of_jumps_is_kept() {
        for percent in [0, 25, 90] {
            let seen = offsets(jumping(1, percent, 0), 20_000);
            let share = follows(&seen) as f64 / 20_000.0;
            let wanted = f64::from(100 - percent) / 100.0;
            assert!((share - wanted).abs() < 0.02, "{percent}: {share}");
        }
    }

    #[test]
    fn aligned_places_are_multiples_of_the_alignment_and_nothing_else() {
        let seen = offsets(jumping(1, 100, 512), 20_000);
        let end = BLOCKS * u64::from(BLOCK);
        assert!(seen.iter().all(|at| at % 512 == 0 && at + u64::from(BLOCK) <= end));
        let off_block = seen.iter().filter(|at| **at % u64::from(BLOCK) != 0).count();
        // Seven of eight.
        assert!((16_500..18_500).contains(&off_block), "{off_block}");
    }

    #[test]
    fn kinds_may_be_aligned_differently() {
        let mut unlike = jumping(1, 100, 0);
        unlike.align_bytes = [512, 0, 1024];
        let place = AccessPattern::Jumping(unlike);
        let setup = SequenceSetup {
            place: &place,
            region: (0, 1 << 20),
            thread: (0, 1),
            lengths: &[BLOCK],
            cursor: 0,
            seed: 5,
        };
        let (mut walk, mut rng) = (Walk::new(&setup), Rng::new(7));
        for (kind, align) in [(0, 512), (1, u64::from(BLOCK)), (2, 1024)] {
            for _ in 0..500 {
                assert_eq!(walk.next(kind, 0, BLOCK, &mut rng) % align, 0);
            }
        }
    }
}
