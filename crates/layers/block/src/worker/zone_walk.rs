//! In one zone of a region after the other.
//!
//! What fio 3.33 does with `zonemode=strided`: all kinds of operation together move so many bytes in a zone, then the next one
//! begins; in a zone that is shorter than that they go round. Behind the last zone comes the first, and so it does where
//! the region ends within a zone: with operations in order behind the last one that fits, at random before that zone.

use narrows_engine::{Permutation, Rng};

use crate::scenario::{StridedZones, ZoneOrder};

/// A walk through zones; endless.
#[derive(Debug, Clone)]
pub(super) struct ZoneWalk {
    zones: StridedZones,
    /// Length of the region, bytes.
    end: u64,
    /// Where the zone begins, bytes from the beginning of the region.
    start: u64,
    /// Bytes moved in it.
    moved: u64,
    /// Bytes moved since it began at the first zone.
    passed: u64,
    /// Where the next operation of each kind begins.
    at: [u64; 3],
    /// Blocks of the zone, and how many of them were used.
    once: Option<(Permutation, u64)>,
    seed: u64,
}

impl ZoneWalk {
    pub(super) fn new(zones: &StridedZones, region_bytes: u64, seed: u64) -> ZoneWalk {
        ZoneWalk {
            zones: zones.clone(),
            end: region_bytes,
            start: 0,
            moved: 0,
            passed: 0,
            at: [0; 3],
            once: None,
            seed,
        }
    }

    /// Where the next operation of that kind and length goes, bytes from the beginning of the region.
    pub(super) fn next(&mut self, kind: usize, bytes: u64, rng: &mut Rng) -> u64 {
        if self.passed >= self.zones.pass_bytes {
            self.begin_again();
        } else if self.moved >= self.zones.size_bytes {
            self.moved = 0;
            let stride = self.zones.range_bytes.saturating_add(self.zones.skip_bytes);
            self.start = self.start.saturating_add(stride);
            if self.start >= self.end {
                self.start = 0;
            }
        }
        let here = match self.place(kind, bytes, rng) {
            Some(here) => here,
            None => {
                self.begin_again();
                self.place(kind, bytes, rng).unwrap_or(0)
            }
        };
        self.at[kind] = here + bytes;
        self.moved += bytes;
        self.passed += bytes;
        here
    }

    fn begin_again(&mut self) {
        (self.start, self.moved, self.passed) = (0, 0, 0);
    }

    /// A place in the zone; none where the region ends before.
    fn place(&mut self, kind: usize, bytes: u64, rng: &mut Rng) -> Option<u64> {
        let (zone_end, turn_begins) = (
            self.start.saturating_add(self.zones.range_bytes),
            self.moved.is_multiple_of(self.zones.range_bytes),
        );
        if turn_begins {
            self.at = [self.start; 3];
            self.once = None;
        }
        // The first zone may be larger than the region.
        let usable = self.zones.range_bytes.min(self.end - self.start);
        let whole = zone_end <= self.end || self.start == 0;
        let here = match self.zones.order {
            ZoneOrder::InOrder => {
                if self.at[kind] >= zone_end {
                    self.at[kind] = self.start;
                }
                self.at[kind]
            }
            _ if !whole => return None,
            ZoneOrder::OnceEach => self.start + self.once(usable / bytes, rng) * bytes,
            ZoneOrder::Uniform { align_bytes } => {
                let align = u64::from(align_bytes[kind]).max(1);
                self.start + rng.below((usable / align).max(1)) * align
            }
        };
        (here + bytes <= self.end).then_some(here)
    }

    /// A block of the zone that was not used in this turn.
    fn once(&mut self, blocks: u64, rng: &mut Rng) -> u64 {
        let seed = self.seed;
        let (permutation, used) = self
            .once
            .get_or_insert_with(|| (Permutation::new(blocks.max(1), seed ^ rng.next_u64()), 0));
        *used += 1;
        permutation.at(*used - 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KIB: u64 = 1024;

    fn zones(range: u64, size: u64, skip: u64, order: ZoneOrder) -> StridedZones {
        StridedZones {
            range_bytes: range * KIB,
            size_bytes: size * KIB,
            skip_bytes: skip * KIB,
            pass_bytes: u64::MAX,
            order,
        }
    }

    /// Offsets in KiB of so many operations; each has its kind and its length in KiB.
    fn offsets(zones: &StridedZones, region: u64, operations: &[(usize, u64)]) -> Vec<u64> {
        let (mut walk, mut rng) = (ZoneWalk::new(zones, region * KIB, 5), Rng::new(7));
        let next = |&(kind, bytes): &(usize, u64)| walk.next(kind, bytes * KIB, &mut rng) / KIB;
        operations.iter().map(next).collect()
    }

    fn reads(bytes: u64, count: usize) -> Vec<(usize, u64)> {
        vec![(0, bytes); count]
    }

    // What fio 3.33 wrote into its I/O log, with files of these lengths.
    #[test]
    fn zones_lie_where_fio_has_them() {
        let order = ZoneOrder::InOrder;
        let plain = offsets(&zones(16, 16, 16, order), 256, &reads(4, 64));
        assert_eq!(plain[..9], [0, 4, 8, 12, 32, 36, 40, 44, 64]);
        assert_eq!(plain[28..34], [224, 228, 232, 236, 0, 4], "behind the last comes the first");
        assert_eq!(offsets(&zones(16, 8, 16, order), 256, &reads(4, 6)), [0, 4, 32, 36, 64, 68]);
        let twice = offsets(&zones(16, 32, 16, order), 128, &reads(4, 9));
        assert_eq!(twice, [0, 4, 8, 12, 0, 4, 8, 12, 32], "a small zone is gone through twice");
        let beyond = offsets(&zones(16, 16, 16, order), 256, &reads(12, 5));
        assert_eq!(beyond, [0, 12, 32, 44, 64], "what begins in a zone may end behind it");
        let cut = offsets(&zones(16, 16, 16, order), 100, &reads(4, 16));
        assert_eq!(cut, [0, 4, 8, 12, 32, 36, 40, 44, 64, 68, 72, 76, 96, 0, 4, 8]);
        let skips = offsets(&zones(16, 16, 40, order), 256, &reads(4, 21));
        assert_eq!(skips[16..], [224, 228, 232, 236, 0]);
    }

    #[test]
    fn kinds_have_places_of_their_own_and_one_zone() {
        let mix = [0, 0, 0, 1, 0, 0, 1, 1, 1, 0, 1, 0].map(|kind| (kind, 4));
        let seen = offsets(&zones(16, 16, 16, ZoneOrder::InOrder), 256, &mix);
        assert_eq!(seen, [0, 4, 8, 0, 32, 36, 32, 36, 64, 64, 68, 68]);
    }

    #[test]
    fn a_pass_ends_after_its_bytes() {
        let pass = StridedZones { pass_bytes: 24 * KIB, ..zones(16, 16, 16, ZoneOrder::InOrder) };
        assert_eq!(offsets(&pass, 256, &reads(4, 8)), [0, 4, 8, 12, 32, 36, 0, 4]);
    }

    #[test]
    fn at_random_each_block_of_a_zone_comes_once_a_turn() {
        let seen = offsets(&zones(16, 32, 16, ZoneOrder::OnceEach), 128, &reads(4, 32));
        let mut orders = Vec::new();
        for (turn, blocks) in seen.chunks(4).enumerate() {
            let mut sorted = blocks.to_vec();
            sorted.sort_unstable();
            let start = (turn as u64 / 2) * 32;
            assert_eq!(sorted, [start, start + 4, start + 8, start + 12], "{seen:?}");
            orders.push(blocks.iter().map(|block| block - start).collect::<Vec<_>>());
        }
        orders.dedup();
        assert!(orders.len() > 3, "turns have orders of their own: {orders:?}");
    }

    #[test]
    fn random_places_keep_inside_zones_that_are_whole() {
        let order = ZoneOrder::Uniform { align_bytes: [4096; 3] };
        let mut seen = offsets(&zones(16, 16, 16, order), 100, &reads(4, 4000));
        assert!(seen.iter().all(|at| at % 32 < 16), "nothing between zones");
        seen.sort_unstable();
        seen.dedup();
        assert_eq!(seen, [0, 4, 8, 12, 32, 36, 40, 44, 64, 68, 72, 76]);
    }

    #[test]
    fn no_walk_leads_out_of_its_region() {
        let orders = [ZoneOrder::InOrder, ZoneOrder::Uniform { align_bytes: [512; 3] }];
        for order in orders {
            for (range, size, skip) in [
                (16, 16, 0),
                (10, 30, 7),
                (1000, 5, 1),
                (64, 1000, 1000),
                (8, 8, u64::MAX >> 10),
                (u64::MAX >> 10, 8, u64::MAX >> 10),
            ] {
                let operations: Vec<(usize, u64)> =
                    (0..600).map(|i| (i % 3, 1 + i as u64 % 9)).collect();
                let seen = offsets(&zones(range, size, skip, order), 100, &operations);
                let fits = seen.iter().zip(&operations).all(|(at, (_, bytes))| at + bytes <= 100);
                assert!(fits, "{range} {size} {skip}: {seen:?}");
            }
        }
    }
}
