//! One operation after the other in a part of a region, each kind of operation with a place of its own, as if every kind
//! were a session; a gap may lie behind each of them.
//!
//! How a line with gaps turns at its ends is what fio 3.33 does: forward it goes back to the beginning, backward to the
//! gap's length before the end.

/// A walk in order; endless.
#[derive(Debug, Clone)]
pub(super) struct SequentialWalk {
    first: u64,
    end: u64,
    gap: i64,
    /// Where the next operation of each kind begins.
    at: [u64; 3],
}

impl SequentialWalk {
    /// From `first` to `end`, beginning at `at`; bytes from the beginning of the region.
    pub(super) fn new((first, end): (u64, u64), gap: i64, at: u64) -> Self {
        SequentialWalk { first, end, gap, at: [at; 3] }
    }

    /// Where the next operation of that kind and length goes.
    #[inline]
    pub(super) fn next(&mut self, kind: usize, bytes: u64) -> u64 {
        let at = self.at[kind];
        let here = if at + bytes > self.end { self.first } else { at };
        let next = here + bytes;
        self.at[kind] = if self.gap == 0 { next } else { self.stepped(next) };
        here
    }

    /// Behind the gap.
    fn stepped(&self, from: u64) -> u64 {
        let (gap, inside) = (self.gap.unsigned_abs(), from - self.first);
        if self.gap > 0 {
            let next = from.saturating_add(gap);
            return if next < self.end { next } else { self.first };
        }
        if from >= self.end {
            return self.first;
        }
        match inside.checked_sub(gap) {
            Some(back) => self.first + back,
            None => self.first.max(self.end.saturating_sub(gap)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BLOCK: u64 = 4096;

    fn blocks(gap_blocks: i64, count: usize) -> Vec<u64> {
        let mut line = SequentialWalk::new((0, 16 * BLOCK), gap_blocks * BLOCK as i64, 0);
        (0..count).map(|_| line.next(0, BLOCK) / BLOCK).collect()
    }

    // What fio 3.33 wrote into its I/O log for 16 blocks of 4 KiB.
    #[test]
    fn gaps_lie_where_fio_leaves_them() {
        assert_eq!(blocks(2, 7), [0, 3, 6, 9, 12, 15, 0]);
        assert_eq!(blocks(-2, 16), [0, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
        assert_eq!(
            blocks(-3, 16),
            [0, 13, 11, 9, 7, 5, 3, 1, 13, 11, 9, 7, 5, 3, 1, 13],
            "backward it comes in again from the end"
        );
        assert_eq!(blocks(-1, 4), [0; 4]);
    }

    #[test]
    fn each_kind_has_a_place_of_its_own() {
        let mut line = SequentialWalk::new((0, 4 * BLOCK), 0, 0);
        let seen: Vec<u64> =
            [0, 0, 0, 1, 0, 0, 1, 1].map(|kind| line.next(kind, BLOCK) / BLOCK).into();
        assert_eq!(seen, [0, 1, 2, 0, 3, 0, 1, 2]);
    }

    #[test]
    fn no_gap_leads_out_of_its_part() {
        for gap in [-40_000, -4096, -512, 512, 5000, 1 << 40, -(1 << 40)] {
            let mut line = SequentialWalk::new((BLOCK, 9 * BLOCK), gap, BLOCK);
            for i in 0..500 {
                let bytes = if i % 3 == 0 { 2 * BLOCK } else { BLOCK };
                let at = line.next(i % 2, bytes);
                assert!(at >= BLOCK && at + bytes <= 9 * BLOCK, "{gap} {at}");
            }
        }
    }
}
