//! What a cache would serve of the reads that a server's buffer pool leaves over.
//!
//! The pool keeps what is popular, so the reads that reach storage are less skewed than the accesses, and a tier behind it serves fewer of
//! them. How many accesses become reads was counted without the tier; which ones depends on the pool's policy. Two ends are taken: a pool that
//! is LRU, and one that keeps the most popular blocks and nothing else. PostgreSQL's clock sweep, which counts up to five uses of a block, lies
//! between them. Behind each, the tier is LRU (least) or keeps the most popular of what it is asked for (most).
//!
//! Of two LRU caches one behind the other: a block reaches the second if it was not asked for within the first one's `T`, and is found
//! there if it came within the second one's `T` before that (Martina, Garetto, Leonardi, A unified approach to the performance analysis of
//! caching systems, IEEE INFOCOM 2014, caches in tandem).

use narrows_cost::Range;

use crate::popularity::{Group, Popularity, lru_reads, most_popular};

/// Halvings until a figure is known to more digits than anybody prints.
const HALVINGS: u32 = 200;

/// A server's lookups, each of a block of a table by the index on it, and what its pool leaves of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PooledLookups {
    /// Which blocks of the table are looked up how often.
    pub law: Popularity,
    /// Blocks of the table that are looked up.
    pub blocks: u64,
    /// Blocks of the index from which each lookup asks for one, all alike; its upper levels are always in the pool.
    pub index_blocks: u64,
    /// Reads of one lookup, as they were counted: what the pool did not have.
    pub reads: f64,
}

impl PooledLookups {
    /// The share of these reads that a cache of so many blocks serves once it is warm: least, most, and the middle.
    pub fn hits(&self, cached: u64) -> Range {
        let cached = cached as f64;
        let ends = [self.behind_lru(), self.behind_popular()].map(|left| left.served(cached));
        let least = ends.iter().map(|(least, _)| *least).fold(1.0, f64::min);
        let most = ends.iter().map(|(_, most)| *most).fold(least, f64::max);
        Range::between(least, most)
    }

    /// What is asked of the pool, for one lookup.
    fn asked(&self) -> Vec<Group> {
        let mut asked = self.law.groups(self.blocks);
        let index = self.index_blocks as f64;
        if self.index_blocks > 0 {
            asked.push(Group { blocks: index, each: 1.0 / index });
        }
        asked.sort_by(|a, b| b.each.total_cmp(&a.each));
        asked
    }

    fn behind_lru(&self) -> StorageReads {
        let asked = self.asked();
        let missed = |g: &Group, age: f64| g.each * (-g.each * age).exp();
        let reads = |age: f64| asked.iter().map(|g| g.blocks * missed(g, age)).sum::<f64>();
        let (mut low, mut high) = (0.0, 1.0);
        while reads(high) > self.reads && high < 1e18 {
            high *= 2.0;
        }
        for _ in 0..HALVINGS {
            let middle = (low + high) / 2.0;
            if reads(middle) > self.reads { low = middle } else { high = middle }
        }
        let age = if self.reads >= reads(0.0) { 0.0 } else { high };
        StorageReads {
            asked: asked.iter().map(|g| (g.each, missed(g, age), g.blocks)).collect(),
            age,
        }
    }

    fn behind_popular(&self) -> StorageReads {
        let asked = self.asked();
        let mut kept = (asked.iter().map(|g| g.blocks * g.each).sum::<f64>() - self.reads).max(0.0);
        let mut left = Vec::new();
        for group in asked {
            let taken = (kept / group.each).min(group.blocks);
            kept -= taken * group.each;
            left.push((group.each, group.each, group.blocks - taken));
        }
        StorageReads { asked: left, age: 0.0 }
    }
}

/// What reaches storage.
struct StorageReads {
    /// Groups of blocks: how often each is asked of the pool, how often of storage, and their number.
    asked: Vec<(f64, f64, f64)>,
    /// The pool's `T`.
    age: f64,
}

impl StorageReads {
    /// Of the reads, what a cache of so many blocks serves: LRU, and the best there is.
    fn served(&self, cached: f64) -> (f64, f64) {
        let all: f64 = self.asked.iter().map(|(_, reads, blocks)| reads * blocks).sum();
        if all <= 0.0 {
            return (1.0, 1.0);
        }
        let share =
            |(_, reads, blocks): &(f64, f64, f64)| Group { blocks: *blocks, each: reads / all };
        let mut groups: Vec<Group> = self.asked.iter().map(share).collect();
        let least = lru_reads(&groups, cached).map_or(1.0, |window| {
            // Both in reads of storage.
            let older = (window - self.age * all).max(0.0);
            let there = |group: &Group| -(-group.each * older).exp_m1();
            groups.iter().map(|group| group.blocks * group.each * there(group)).sum()
        });
        groups.sort_by(|a, b| b.each.total_cmp(&a.each));
        let most = most_popular(&groups, cached);
        (least.min(most), most)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    fn lookups(law: Popularity, index_blocks: u64, reads: f64) -> PooledLookups {
        PooledLookups { law, blocks: 2000, index_blocks, reads }
    }

    /// An LRU cache; whether it had the block.
    fn found(cache: &mut VecDeque<usize>, size: usize, block: usize) -> bool {
        let at = cache.iter().position(|other| *other == block);
        match at {
            Some(at) => drop(cache.remove(at)),
            None if cache.len() == size => drop(cache.pop_back()),
            None => {}
        }
        cache.push_front(block);
        at.is_some()
    }

    /// Two LRU caches, one behind the other, over draws of Zipf's law: reads of a lookup, and of these the second one's share.
    fn simulated(theta: f64, index_blocks: usize, (pool, tier): (usize, usize)) -> (f64, f64) {
        let weights = (1..=2000).map(|rank| f64::from(rank).powf(-theta));
        let sums: Vec<f64> = weights
            .scan(0.0, |sum, each| {
                *sum += each;
                Some(*sum)
            })
            .collect();
        // Knuth's linear congruential generator (MMIX); its upper bits.
        let mut state = 11u64;
        let mut unit = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let (mut first, mut second) = (VecDeque::new(), VecDeque::new());
        let (warm, all) = (20_000, 80_000);
        let (mut reads, mut served) = (0, 0);
        for lookup in 0..all {
            let point = unit() * sums[1999];
            let leaf = (unit() * index_blocks as f64) as usize;
            let row = index_blocks + sums.partition_point(|sum| *sum < point);
            for block in [leaf, row].into_iter().skip(usize::from(index_blocks == 0)) {
                if found(&mut first, pool, block) {
                    continue;
                }
                let hit = found(&mut second, tier, block);
                reads += u32::from(lookup >= warm);
                served += u32::from(hit && lookup >= warm);
            }
        }
        (f64::from(reads) / f64::from(all - warm), f64::from(served) / f64::from(reads))
    }

    #[test]
    fn two_caches_one_behind_the_other_serve_no_less_than_the_least_and_no_more_than_the_most() {
        for (theta, index, sizes) in [
            (0.99, 0, (40, 300)),
            (0.99, 12, (40, 300)),
            (0.7, 0, (100, 500)),
            (1.2, 12, (20, 200)),
        ] {
            let (reads, served) = simulated(theta, index, sizes);
            let of = lookups(Popularity::Zipf { theta }, index as u64, reads);
            let hits = of.hits(sizes.1 as u64);
            let told = format!("theta {theta}, {sizes:?}: {hits:?}, simulated {served}");
            assert!(hits.low - 0.01 < served && served < hits.high + 0.01, "{told}");
            // The LRU end is that simulation.
            let (least, _) = of.behind_lru().served(sizes.1 as f64);
            assert!((least - served).abs() < 0.02, "{told}, by tandem {least}");
        }
    }

    #[test]
    fn behind_a_pool_that_keeps_nothing_it_serves_what_it_serves_alone() {
        for law in [Popularity::Uniform, Popularity::Zipf { theta: 0.99 }] {
            let (alone, behind) = (law.hits(2000, 400), lookups(law, 0, 1.0).hits(400));
            assert!((alone.low - behind.low).abs() < 1e-6, "{alone:?} {behind:?}");
            assert!((alone.high - behind.high).abs() < 1e-6, "{alone:?} {behind:?}");
        }
    }

    #[test]
    fn a_pool_in_front_takes_the_popular_reads_away() {
        let law = Popularity::Zipf { theta: 0.99 };
        let (alone, behind) = (law.hits(2000, 400), lookups(law, 0, 0.5).hits(400));
        assert!(behind.high < alone.high - 0.05 && behind.low < alone.low - 0.1, "{behind:?}");
        // All that is left fits.
        let all = lookups(law, 0, 0.5).hits(2000);
        assert!(all.low > 0.999 && all.high > 0.999, "{all:?}");
    }
}
