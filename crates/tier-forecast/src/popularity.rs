//! What a cache would serve of reads whose law is known: each read independent of the others, blocks by their popularity.
//!
//! Least is what LRU serves, by the approximation of Che, Tung, Wang (Hierarchical Web Caching Systems: Modeling, Design and Experimental
//! Results, IEEE J. Sel. Areas Commun. 20(7), 2002): a block is there if it was asked for within the last `T` reads, where `T` is such that
//! as many blocks are there as fit. Most is what no cache can exceed: the most popular blocks, known beforehand. A cache that sees
//! frequencies lies between them.

use narrows_cost::Range;

/// Ranks that are summed one by one; behind them steps of a thousandth are taken together.
const ALONE: u64 = 10_000;
const STEP: f64 = 1.001;
/// Halvings until `T` is known to more digits than anybody prints.
const HALVINGS: u32 = 200;

/// Which blocks are read how often.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Popularity {
    /// All alike.
    Uniform,
    /// The k-th most popular in proportion to k to the power of -theta.
    Zipf {
        /// The exponent, from 0 on.
        theta: f64,
    },
    /// A share of the blocks gets a share of the reads; inside both all alike.
    HotSpot {
        /// Of the blocks, above 0 and below 1.
        blocks_share: f64,
        /// Of the reads.
        reads_share: f64,
    },
}

/// So many blocks, each read with this probability.
pub(crate) struct Group {
    pub blocks: f64,
    pub each: f64,
}

impl Popularity {
    /// The share of reads that a cache of so many blocks serves once it is warm: least, most, and the middle.
    pub fn hits(self, blocks: u64, cached: u64) -> Range {
        if cached >= blocks {
            return Range::exact(1.0);
        }
        if cached == 0 {
            return Range::exact(0.0);
        }
        let groups = self.groups(blocks);
        let (least, most) = (lru(&groups, cached as f64), most_popular(&groups, cached as f64));
        // Of blocks that are all alike both are the share that fits, but for rounding.
        Range::between(least.min(most), most.max(least))
    }

    /// The most popular first.
    pub(crate) fn groups(self, blocks: u64) -> Vec<Group> {
        let mut groups = match self {
            Popularity::Uniform => vec![Group { blocks: blocks as f64, each: 1.0 }],
            Popularity::HotSpot { blocks_share, reads_share } => {
                let hot = (blocks as f64 * blocks_share).round().clamp(1.0, blocks as f64 - 1.0);
                let cold = blocks as f64 - hot;
                let mut both = vec![
                    Group { blocks: hot, each: reads_share / hot },
                    Group { blocks: cold, each: (1.0 - reads_share) / cold },
                ];
                both.sort_by(|a, b| b.each.total_cmp(&a.each));
                both
            }
            Popularity::Zipf { theta } => zipf(blocks, theta),
        };
        let whole: f64 = groups.iter().map(|group| group.blocks * group.each).sum();
        groups.iter_mut().for_each(|group| group.each /= whole);
        groups
    }
}

fn zipf(blocks: u64, theta: f64) -> Vec<Group> {
    let weight = |rank: f64| (-theta * rank.ln()).exp();
    let alone =
        (1..=blocks.min(ALONE)).map(|rank| Group { blocks: 1.0, each: weight(rank as f64) });
    let mut groups: Vec<Group> = alone.collect();
    let mut first = ALONE + 1;
    while first <= blocks {
        let last = ((first as f64 * STEP) as u64).max(first).min(blocks);
        let each = weight((first + last) as f64 / 2.0);
        groups.push(Group { blocks: (last - first + 1) as f64, each });
        first = last + 1;
    }
    groups
}

/// LRU by Che's approximation.
pub(crate) fn lru(groups: &[Group], cached: f64) -> f64 {
    match lru_reads(groups, cached) {
        Some(reads) => groups.iter().map(|g| g.blocks * g.each * asked_within(g, reads)).sum(),
        None => 1.0,
    }
}

/// The probability that a block of the group is asked for within so many reads.
fn asked_within(group: &Group, reads: f64) -> f64 {
    -(-group.each * reads).exp_m1()
}

/// Che's `T`: within so many reads as many blocks are asked for as fit. `None` where all that are ever read do.
pub(crate) fn lru_reads(groups: &[Group], cached: f64) -> Option<f64> {
    let held = |reads: f64| groups.iter().map(|g| g.blocks * asked_within(g, reads)).sum::<f64>();
    let (mut low, mut high) = (0.0, 1.0);
    while held(high) < cached {
        // Blocks that nobody reads are never there.
        if high > 1e18 {
            return None;
        }
        high *= 2.0;
    }
    for _ in 0..HALVINGS {
        let middle = (low + high) / 2.0;
        if held(middle) < cached { low = middle } else { high = middle }
    }
    Some(high)
}

/// The most popular that fit, of groups of which the most popular come first.
pub(crate) fn most_popular(groups: &[Group], cached: f64) -> f64 {
    let (mut room, mut served) = (cached, 0.0);
    for group in groups {
        let taken = group.blocks.min(room);
        served += taken * group.each;
        room -= taken;
    }
    served.min(1.0)
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    #[test]
    fn of_blocks_that_are_all_alike_the_share_that_fits_is_served() {
        let hits = Popularity::Uniform.hits(1000, 250);
        assert!((hits.low - 0.25).abs() < 1e-6 && (hits.high - 0.25).abs() < 1e-6, "{hits:?}");
        assert_eq!(Popularity::Uniform.hits(10, 10), Range::exact(1.0));
        assert_eq!(Popularity::Uniform.hits(10, 0), Range::exact(0.0));
    }

    #[test]
    fn a_hot_spot_that_fits_is_served_at_most_and_with_lru_in_part() {
        let law = Popularity::HotSpot { blocks_share: 0.1, reads_share: 0.9 };
        let hits = law.hits(1000, 100);
        assert!((hits.high - 0.9).abs() < 1e-9, "{hits:?}");
        assert!(hits.low > 0.6 && hits.low < 0.9, "{hits:?}");
    }

    /// LRU itself over draws of the law.
    fn simulated(blocks: u64, theta: f64, cached: usize) -> f64 {
        let weights = (1..=blocks).map(|rank| (rank as f64).powf(-theta));
        let sums: Vec<f64> = weights
            .scan(0.0, |sum, each| {
                *sum += each;
                Some(*sum)
            })
            .collect();
        let whole = sums[sums.len() - 1];
        // Knuth's linear congruential generator (MMIX); its upper bits.
        let mut state = 7u64;
        let mut unit = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1u64 << 53) as f64
        };
        let mut there: VecDeque<u64> = VecDeque::new();
        let (warm, reads) = (20_000, 60_000);
        let mut served = 0;
        for read in 0..warm + reads {
            let point = unit() * whole;
            let block = sums.partition_point(|sum| *sum < point) as u64;
            match there.iter().position(|other| *other == block) {
                Some(at) => {
                    there.remove(at);
                    served += u32::from(read >= warm);
                }
                None if there.len() == cached => {
                    there.pop_back();
                }
                None => {}
            }
            there.push_front(block);
        }
        f64::from(served) / f64::from(reads)
    }

    #[test]
    fn the_least_is_what_lru_serves() {
        for (theta, cached) in [(0.7, 50), (0.99, 50), (0.99, 200), (1.2, 20)] {
            let (law, lru) = (Popularity::Zipf { theta }, simulated(1000, theta, cached));
            let hits = law.hits(1000, cached as u64);
            assert!((hits.low - lru).abs() < 0.012, "theta {theta}, {cached}: {hits:?}, LRU {lru}");
            assert!(hits.high > hits.low, "{hits:?}");
        }
    }

    #[test]
    fn ranks_that_are_taken_together_give_what_they_give_alone() {
        let law = Popularity::Zipf { theta: 0.9 };
        let whole: f64 = (1..=50_000).map(|rank| f64::from(rank).powf(-0.9)).sum();
        let first: f64 = (1..=20_000).map(|rank| f64::from(rank).powf(-0.9)).sum();
        let most = law.hits(50_000, 20_000).high;
        assert!((most - first / whole).abs() < 1e-4, "{most}");
    }
}
