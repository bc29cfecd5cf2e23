//! Which block comes next. Several threads of one workload share out the blocks so that none is touched twice
//! before each was touched once.

use narrows_engine::Permutation;

use crate::cell::Order;

/// The blocks of one thread, in order; endless.
#[derive(Debug, Clone)]
pub(crate) struct Offsets {
    block_bytes: u64,
    walk: Walk,
}

#[derive(Debug, Clone)]
enum Walk {
    /// Positions `next`, `next + step`, … of a permutation of all blocks.
    Random { permutation: Permutation, next: u64, step: u64 },
    /// A part of the file from its first block on, round and round.
    Sequential { first: u64, blocks: u64, next: u64 },
}

impl Offsets {
    /// For thread `thread` of `threads`, on a file of `blocks` blocks (at least one per thread). `cursor` is how far
    /// each thread of an earlier window of the same workload got, so that the next window goes on from there.
    pub(crate) fn new(
        order: Order,
        (thread, threads): (u32, u32),
        (blocks, block_bytes): (u64, u32),
        cursor: u64,
        seed: u64,
    ) -> Self {
        let (thread, threads) = (u64::from(thread), u64::from(threads));
        let walk = match order {
            Order::Random => Walk::Random {
                permutation: Permutation::new(blocks, seed),
                next: cursor * threads + thread,
                step: threads,
            },
            Order::Sequential => {
                let edge =
                    |i: u64| (u128::from(blocks) * u128::from(i) / u128::from(threads)) as u64;
                let (first, end) = (edge(thread), edge(thread + 1));
                let blocks = (end - first).max(1);
                Walk::Sequential { first, blocks, next: cursor % blocks }
            }
        };
        Offsets { block_bytes: u64::from(block_bytes), walk }
    }

    /// Byte offset of the next operation.
    #[inline]
    pub(crate) fn next(&mut self) -> u64 {
        let block = match &mut self.walk {
            Walk::Random { permutation, next, step } => {
                let block = permutation.at(*next);
                *next += *step;
                block
            }
            Walk::Sequential { first, blocks, next } => {
                let block = *first + *next;
                *next += 1;
                if *next == *blocks {
                    *next = 0;
                }
                block
            }
        };
        block * self.block_bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    /// Windows of uneven length by several threads, as one long list of blocks.
    fn walk(order: Order, threads: u32, blocks: u64, windows: &[u64]) -> Vec<u64> {
        let mut seen = Vec::new();
        let mut cursor = 0;
        for &each in windows {
            for thread in 0..threads {
                let mut offsets =
                    Offsets::new(order, (thread, threads), (blocks, 8192), cursor, 11);
                for _ in 0..each {
                    let offset = offsets.next();
                    assert_eq!(offset % 8192, 0);
                    assert!(offset < blocks * 8192);
                    seen.push(offset / 8192);
                }
            }
            cursor += each;
        }
        seen
    }

    #[test]
    fn every_block_comes_once_before_any_comes_twice() {
        for order in [Order::Random, Order::Sequential] {
            for threads in [1, 3, 8] {
                let blocks = u64::from(threads) * 50;
                let seen = walk(order, threads, blocks, &[20, 7, 23]);
                let distinct: HashSet<_> = seen.iter().collect();
                assert_eq!((seen.len(), distinct.len()), (blocks as usize, blocks as usize));
            }
        }
    }

    #[test]
    fn sequential_threads_keep_to_their_part_also_when_it_wraps() {
        for (blocks, threads) in [(10, 3), (7, 7), (1000, 6)] {
            let mut parts: Vec<HashSet<u64>> = Vec::new();
            for thread in 0..threads {
                let mut offsets =
                    Offsets::new(Order::Sequential, (thread, threads), (blocks, 1), 5, 0);
                parts.push((0..3 * blocks).map(|_| offsets.next()).collect());
            }
            let total: usize = parts.iter().map(HashSet::len).sum();
            let all: HashSet<_> = parts.iter().flatten().collect();
            assert_eq!((total, all.len()), (blocks as usize, blocks as usize));
        }
    }
}
