//! Blocks of a list, over and over; with a list that moves on, each time as many blocks further as it is long.
//!
//! As fio's `random_distribution=sequence`: reads, writes and trims each count for themselves.

use crate::scenario::ListedBlocks;

/// A walk along a list; endless.
#[derive(Debug, Clone)]
pub(super) struct ListedWalk {
    list: ListedBlocks,
    /// Number of the next operation of each kind, and how far it is to the one after: threads of a stream share the list.
    next: [u64; 3],
    step: u64,
    /// Blocks of the region by kind. Whoever plans ends the work before a list that moves on is through with them.
    blocks: [u64; 3],
}

impl ListedWalk {
    /// For one of several threads, and operations of at most `largest` bytes.
    pub(super) fn new(
        list: &ListedBlocks,
        (thread, threads): (u32, u32),
        (region_bytes, largest): (u64, u64),
        cursor: u64,
    ) -> ListedWalk {
        let first = cursor * u64::from(threads) + u64::from(thread);
        let blocks = list.align_bytes.map(|align| {
            let align = u64::from(align).max(1);
            // As many as still let the longest fit.
            ((region_bytes + align).saturating_sub(largest.max(align)) / align).max(1)
        });
        ListedWalk { list: list.clone(), next: [first; 3], step: threads.into(), blocks }
    }

    /// Where the next operation of that kind goes, bytes from the beginning of the region.
    pub(super) fn next(&mut self, kind: usize) -> u64 {
        let number = self.next[kind];
        self.next[kind] += self.step;
        let length = self.list.blocks.len() as u64;
        let turn = if self.list.moves_on { number / length * length } else { 0 };
        let block = self.list.blocks[(number % length) as usize].saturating_add(turn);
        block % self.blocks[kind] * u64::from(self.list.align_bytes[kind]).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn blocks(moves_on: bool, thread: (u32, u32), kinds: &[usize]) -> Vec<u64> {
        let list = ListedBlocks { blocks: vec![2, 0, 1], moves_on, align_bytes: [4096; 3] };
        let mut walk = ListedWalk::new(&list, thread, (48 << 10, 4096), 0);
        kinds.iter().map(|&kind| walk.next(kind) / 4096).collect()
    }

    // What the comments of fio's examples/sequence-distribution.fio promise.
    #[test]
    fn lists_are_gone_through_as_fio_does() {
        assert_eq!(blocks(false, (0, 1), &[0; 6]), [2, 0, 1, 2, 0, 1]);
        assert_eq!(blocks(true, (0, 1), &[0; 6]), [2, 0, 1, 5, 3, 4]);
    }

    #[test]
    fn kinds_count_for_themselves_and_threads_together() {
        assert_eq!(blocks(true, (0, 1), &[0, 1, 0, 1, 1, 1]), [2, 2, 0, 0, 1, 5]);
        assert_eq!(blocks(true, (0, 2), &[0; 3]), [2, 1, 3]);
        assert_eq!(blocks(true, (1, 2), &[0; 3]), [0, 5, 4]);
    }

    #[test]
    fn nothing_lies_behind_the_region() {
        assert!(blocks(true, (0, 1), &[0; 100]).iter().all(|block| *block < 12));
    }
}
