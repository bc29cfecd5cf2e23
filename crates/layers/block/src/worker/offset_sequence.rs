//! Where the next operation goes, for one thread: a [`AccessPattern`] made concrete for a region, a number of threads and the
//! lengths that occur.

use narrows_engine::{Permutation, Rng, Zipf};

use super::jumps::Jumps;
use super::listed_walk::ListedWalk;
use super::sequential_walk::SequentialWalk;
use super::zone_walk::ZoneWalk;
use crate::scenario::{AccessPattern, Distribution, Zone};

/// The offsets of one thread; endless.
#[derive(Debug, Clone)]
pub(super) struct Walk {
    /// Where the region begins in the file, bytes.
    base: u64,
    way: OffsetRule,
}

#[derive(Debug, Clone)]
enum OffsetRule {
    /// One after the other in a part of the region, round and round.
    Line(SequentialWalk),
    /// Blocks by one law, with what it needs for each length.
    Blocks(Box<[Grain]>),
    /// The same, with runs in order between jumps, or with an alignment of their own.
    Jumps(Box<Jumps>),
    /// In one zone after the other.
    Zones(Box<ZoneWalk>),
    /// Along a list of blocks.
    Listed(Box<ListedWalk>),
}

/// Places for operations of one length.
#[derive(Debug, Clone)]
pub(super) struct Grain {
    /// Of one place, or from one to the next where they are aligned otherwise.
    bytes: u64,
    blocks: u64,
    law: Law,
}

#[derive(Debug, Clone)]
enum Law {
    /// Positions `next`, `next + step`, … of a permutation of all blocks.
    OnceEach {
        permutation: Permutation,
        next: u64,
        step: u64,
    },
    Uniform,
    Zipf {
        zipf: Zipf,
        scatter: Permutation,
    },
    HotSpot {
        hot: u64,
        accesses_share: f64,
        scatter: Permutation,
    },
    /// Each zone's upper edge in the accesses, its first block, and how many it has.
    Zoned(Box<[(f64, u64, u64)]>),
}

/// What a walk is made for.
#[derive(Debug, Clone, Copy)]
pub(super) struct SequenceSetup<'a> {
    pub place: &'a AccessPattern,
    /// Begin and length of the region, bytes.
    pub region: (u64, u64),
    /// This thread's number and how many there are.
    pub thread: (u32, u32),
    /// The lengths that occur, bytes, distinct.
    pub lengths: &'a [u32],
    /// How far each thread of earlier windows got.
    pub cursor: u64,
    /// Of the order, the same for all threads.
    pub seed: u64,
}

impl Walk {
    pub(super) fn new(setup: &SequenceSetup<'_>) -> Self {
        let (base, region_bytes) = setup.region;
        let largest = u64::from(setup.lengths.iter().copied().max().unwrap_or(1));
        let way = match setup.place {
            AccessPattern::Sequential => {
                line(region_bytes / largest, largest, setup.thread, setup.cursor)
            }
            // A record has its places itself.
            AccessPattern::SameOffsets | AccessPattern::Recorded(_) => {
                line(region_bytes / largest, largest, (0, 1), setup.cursor)
            }
            AccessPattern::Stepped { gap_bytes } => {
                OffsetRule::Line(SequentialWalk::new((0, region_bytes), *gap_bytes, 0))
            }
            AccessPattern::Jumping(jumping) => {
                OffsetRule::Jumps(Box::new(Jumps::new(jumping, setup)))
            }
            AccessPattern::Random(distribution) => OffsetRule::Blocks(
                setup
                    .lengths
                    .iter()
                    .map(|&bytes| Grain::new(distribution, bytes, region_bytes, setup))
                    .collect(),
            ),
            AccessPattern::Zones(zones) => {
                OffsetRule::Zones(Box::new(ZoneWalk::new(zones, region_bytes, setup.seed)))
            }
            AccessPattern::Listed(list) => {
                let reach = (region_bytes, largest);
                let walk = ListedWalk::new(list, setup.thread, reach, setup.cursor);
                OffsetRule::Listed(Box::new(walk))
            }
            AccessPattern::TrimThenWrite(place) => {
                return Walk::new(&SequenceSetup { place, ..*setup });
            }
        };
        Walk { base, way }
    }

    /// Byte offset in the file of the next operation, which is of that kind (by number) and has the length of that
    /// number.
    #[inline]
    pub(super) fn next(&mut self, kind: usize, length: u16, bytes: u32, rng: &mut Rng) -> u64 {
        let inside = match &mut self.way {
            OffsetRule::Line(line) => line.next(kind, u64::from(bytes)),
            OffsetRule::Blocks(grains) => grains[usize::from(length)].next(rng),
            OffsetRule::Jumps(jumps) => jumps.next(kind, length, bytes, rng),
            OffsetRule::Zones(zones) => zones.next(kind, u64::from(bytes), rng),
            OffsetRule::Listed(listed) => listed.next(kind),
        };
        self.base + inside
    }
}

/// A part of `blocks` blocks for one of several threads.
fn line(blocks: u64, block_bytes: u64, (thread, threads): (u32, u32), cursor: u64) -> OffsetRule {
    let edge = |i: u32| (u128::from(blocks) * u128::from(i) / u128::from(threads)) as u64;
    let (first, end) = (edge(thread), edge(thread + 1).max(edge(thread) + 1));
    let at = first + cursor % (end - first);
    OffsetRule::Line(SequentialWalk::new(
        (first * block_bytes, end * block_bytes),
        0,
        at * block_bytes,
    ))
}

impl Grain {
    fn new(
        distribution: &Distribution,
        bytes: u32,
        region_bytes: u64,
        setup: &SequenceSetup<'_>,
    ) -> Self {
        Grain::aligned(distribution, bytes, 0, region_bytes, setup)
    }

    /// At multiples of `align`; 0: of the length.
    pub(super) fn aligned(
        distribution: &Distribution,
        bytes: u32,
        align: u32,
        region_bytes: u64,
        setup: &SequenceSetup<'_>,
    ) -> Self {
        let step = u64::from(if align == 0 { bytes } else { align });
        // As many as still let the last one fit.
        let blocks = (region_bytes + step).saturating_sub(u64::from(bytes)) / step;
        let blocks = blocks.max(1);
        let permutation = || Permutation::new(blocks, setup.seed);
        let law = match distribution {
            Distribution::OnceEach => {
                let (thread, threads) = (u64::from(setup.thread.0), u64::from(setup.thread.1));
                let next = setup.cursor * threads + thread;
                Law::OnceEach { permutation: permutation(), next, step: threads }
            }
            Distribution::Uniform => Law::Uniform,
            Distribution::Zipf { theta } => {
                Law::Zipf { zipf: Zipf::new(blocks, *theta), scatter: permutation() }
            }
            Distribution::HotSpot { blocks_share, accesses_share } => {
                let hot = ((blocks as f64 * blocks_share).round() as u64).clamp(1, blocks);
                Law::HotSpot { hot, accesses_share: *accesses_share, scatter: permutation() }
            }
            Distribution::Zoned(zones) => Law::Zoned(zoned(zones, blocks)),
        };
        Grain { bytes: step, blocks, law }
    }

    #[inline]
    pub(super) fn next(&mut self, rng: &mut Rng) -> u64 {
        let block = match &mut self.law {
            Law::OnceEach { permutation, next, step } => {
                let block = permutation.at(*next);
                *next += *step;
                block
            }
            Law::Uniform => rng.below(self.blocks),
            Law::Zipf { zipf, scatter } => scatter.at(zipf.rank(rng)),
            Law::HotSpot { hot, accesses_share, scatter } => {
                let cold = self.blocks - *hot;
                let rank = if cold == 0 || rng.unit_f64() <= *accesses_share {
                    rng.below(*hot)
                } else {
                    *hot + rng.below(cold)
                };
                scatter.at(rank)
            }
            Law::Zoned(zones) => {
                let at = rng.unit_f64();
                let zone = zones.iter().find(|zone| at <= zone.0).or(zones.last());
                zone.map_or(0, |&(_, first, blocks)| first + rng.below(blocks))
            }
        };
        block * self.bytes
    }
}

/// Edges of the zones; a zone without accesses is left out, one narrower than a block gets one.
fn zoned(zones: &[Zone], blocks: u64) -> Box<[(f64, u64, u64)]> {
    let (mut space, mut accesses) = (0.0, 0.0);
    let mut edges = Vec::new();
    for zone in zones {
        let first = ((space * blocks as f64) as u64).min(blocks - 1);
        space += zone.space_share;
        let end = ((space * blocks as f64).round() as u64).clamp(first + 1, blocks);
        if zone.accesses_share > 0.0 {
            accesses += zone.accesses_share;
            edges.push((accesses, first, end - first));
        }
    }
    edges.into_boxed_slice()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{HashMap, HashSet};

    fn walk(place: &AccessPattern, thread: (u32, u32), region: (u64, u64), cursor: u64) -> Walk {
        Walk::new(&SequenceSetup { place, region, thread, lengths: &[8192], cursor, seed: 11 })
    }

    fn once_each() -> AccessPattern {
        AccessPattern::Random(Distribution::OnceEach)
    }

    /// Windows of uneven length by several threads, as one long list of blocks.
    fn blocks(place: &AccessPattern, threads: u32, blocks: u64, windows: &[u64]) -> Vec<u64> {
        let mut rng = Rng::new(1);
        let mut seen = Vec::new();
        let mut cursor = 0;
        for &each in windows {
            for thread in 0..threads {
                let mut walk = walk(place, (thread, threads), (0, blocks * 8192), cursor);
                for _ in 0..each {
                    let offset = walk.next(0, 0, 8192, &mut rng);
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
        for place in [once_each(), AccessPattern::Sequential] {
            for threads in [1, 3, 8] {
                let count = u64::from(threads) * 50;
                let seen = blocks(&place, threads, count, &[20, 7, 23]);
                let distinct: HashSet<_> = seen.iter().collect();
                assert_eq!((seen.len(), distinct.len()), (count as usize, count as usize));
            }
        }
    }

    #[test]
    fn sequential_threads_keep_to_their_part_also_when_it_wraps() {
        for (count, threads) in [(10, 3), (7, 7), (1000, 6)] {
            let mut parts: Vec<HashSet<u64>> = Vec::new();
            for thread in 0..threads {
                let mut walk =
                    walk(&AccessPattern::Sequential, (thread, threads), (0, count * 8192), 5);
                let mut rng = Rng::new(1);
                parts.push((0..3 * count).map(|_| walk.next(0, 0, 8192, &mut rng)).collect());
            }
            let total: usize = parts.iter().map(HashSet::len).sum();
            let all: HashSet<_> = parts.iter().flatten().collect();
            assert_eq!((total, all.len()), (count as usize, count as usize));
        }
    }

    #[test]
    fn clones_read_the_same() {
        let one = blocks(&AccessPattern::SameOffsets, 1, 40, &[40]);
        let four = blocks(&AccessPattern::SameOffsets, 4, 40, &[40]);
        assert_eq!(four.len(), 160);
        assert!(four.chunks(40).all(|chunk| chunk == one));
    }

    #[test]
    fn a_region_is_not_left_and_each_length_stays_at_its_multiples() {
        let lengths = [4096, 65_536];
        let laws = [
            Distribution::OnceEach,
            Distribution::Uniform,
            Distribution::Zipf { theta: 1.1 },
            Distribution::HotSpot { blocks_share: 0.1, accesses_share: 0.9 },
            Distribution::Zoned(vec![Zone { space_share: 1.0, accesses_share: 1.0 }]),
        ];
        let mut places: Vec<AccessPattern> = laws.into_iter().map(AccessPattern::Random).collect();
        places.extend([AccessPattern::Sequential, AccessPattern::SameOffsets]);
        let region = (1 << 20, 10 << 20);
        for place in &places {
            for thread in 0..3 {
                let setup = SequenceSetup {
                    place,
                    region,
                    thread: (thread, 3),
                    lengths: &lengths,
                    cursor: 17,
                    seed: 4,
                };
                let (mut walk, mut rng) = (Walk::new(&setup), Rng::new(9));
                for i in 0..5000_usize {
                    let number = i % 3 % 2;
                    let bytes = lengths[number];
                    let offset = walk.next(i % 3, number as u16, bytes, &mut rng);
                    assert!(offset >= region.0, "{place:?}");
                    assert!(offset + u64::from(bytes) <= region.0 + region.1, "{place:?}");
                    assert_eq!(offset % 4096, 0, "{place:?}");
                    if matches!(place, AccessPattern::Random(_)) {
                        assert_eq!((offset - region.0) % u64::from(bytes), 0, "{place:?}");
                    }
                }
            }
        }
    }

    /// How often each of 1000 blocks came.
    fn counts(distribution: Distribution, draws: u32) -> HashMap<u64, u32> {
        let place = AccessPattern::Random(distribution);
        let mut walk = walk(&place, (0, 1), (0, 1000 * 8192), 0);
        let mut rng = Rng::new(2);
        let mut counts = HashMap::new();
        for _ in 0..draws {
            *counts.entry(walk.next(0, 0, 8192, &mut rng) / 8192).or_default() += 1;
        }
        counts
    }

    #[test]
    fn hot_blocks_get_their_share_and_are_no_neighbours() {
        let hot = Distribution::HotSpot { blocks_share: 0.1, accesses_share: 0.9 };
        for (distribution, share) in [
            (hot, 0.9),
            // The first hundred of a thousand ranks: sum of k^-1.2 to 100 over that to 1000.
            (Distribution::Zipf { theta: 1.2 }, 3.603 / 4.336),
        ] {
            let counts = counts(distribution.clone(), 100_000);
            let mut by_count: Vec<(u32, u64)> =
                counts.iter().map(|(block, count)| (*count, *block)).collect();
            by_count.sort_unstable_by(|a, b| b.cmp(a));
            let head: u32 = by_count[..100].iter().map(|(count, _)| count).sum();
            assert!((f64::from(head) / 1e5 - share).abs() < 0.01, "{distribution:?} {head}");
            let mut places: Vec<u64> = by_count[..100].iter().map(|(_, block)| *block).collect();
            places.sort_unstable();
            let touching = places.windows(2).filter(|pair| pair[1] - pair[0] == 1).count();
            // A hundred of a thousand at random have ten neighbours on average.
            assert!(touching < 30, "{distribution:?} {touching}");
        }
    }

    #[test]
    fn zones_get_what_they_are_given() {
        let zone = |accesses_share, space_share| Zone { space_share, accesses_share };
        let zones = vec![zone(0.6, 0.1), zone(0.3, 0.2), zone(0.1, 0.7)];
        let counts = counts(Distribution::Zoned(zones), 100_000);
        let share = |from: u64, to: u64| {
            let inside = counts.iter().filter(|(block, _)| (from..to).contains(block));
            f64::from(inside.map(|(_, count)| count).sum::<u32>()) / 1e5
        };
        for (got, wanted) in [(share(0, 100), 0.6), (share(100, 300), 0.3), (share(300, 1000), 0.1)]
        {
            assert!((got - wanted).abs() < 0.01, "{got} {wanted}");
        }
    }
}
