//! How many distinct bytes a stream's reads touched: what is left when blocks that were read again are taken away.
//!
//! Where each block comes once it is counted; where places are drawn it is expected from the law they are drawn by (a
//! block of probability p is met by k draws with 1 − (1 − p)^k), because a list of what was touched would cost the
//! window more than it tells. Only for operations of one length.

use crate::scenario::{AccessPattern, Distribution};

/// Ranks of Zipf's law that are taken one by one; behind them in steps of a hundredth.
const RANKS: u64 = 1000;

/// Distinct bytes of blocks of `block_bytes` in a region of `region_bytes`, after so many reads by each thread; `None`
/// where operations overlap or leave gaps, so that what they touch is no number of blocks.
pub(crate) fn bytes(
    place: &AccessPattern,
    region_bytes: u64,
    block_bytes: u32,
    reads: &[u64],
) -> Option<f64> {
    let block = u64::from(block_bytes).max(1);
    let blocks = region_bytes / block;
    blocks_touched(place, blocks, reads).map(|touched| touched * block as f64)
}

fn blocks_touched(place: &AccessPattern, blocks: u64, reads: &[u64]) -> Option<f64> {
    let all: u64 = reads.iter().sum();
    let n = blocks as f64;
    Some(match place {
        AccessPattern::Stepped { .. }
        | AccessPattern::Jumping(_)
        | AccessPattern::Zones(_)
        | AccessPattern::Listed(_)
        | AccessPattern::Recorded(_)
        | AccessPattern::TrimThenWrite(_) => return None,
        AccessPattern::Sequential => {
            let threads = reads.len() as u64;
            let edge = |i: u64| (u128::from(blocks) * u128::from(i) / u128::from(threads)) as u64;
            (0..)
                .zip(reads)
                .map(|(thread, reads)| (*reads).min(edge(thread + 1) - edge(thread)) as f64)
                .sum()
        }
        AccessPattern::SameOffsets => reads.iter().copied().max().unwrap_or(0).min(blocks) as f64,
        AccessPattern::Random(Distribution::OnceEach) => all.min(blocks) as f64,
        AccessPattern::Random(Distribution::Uniform) => drawn(n, all as f64),
        AccessPattern::Random(Distribution::HotSpot { blocks_share, accesses_share }) => {
            let hot = (n * blocks_share).round().clamp(1.0, n);
            let to_hot = if hot == n { 1.0 } else { *accesses_share };
            drawn(hot, all as f64 * to_hot) + drawn(n - hot, all as f64 * (1.0 - to_hot))
        }
        AccessPattern::Random(Distribution::Zoned(zones)) => zones
            .iter()
            .map(|zone| drawn(n * zone.space_share, all as f64 * zone.accesses_share))
            .sum(),
        AccessPattern::Random(Distribution::Zipf { theta }) => zipf(blocks, *theta, all as f64),
    })
}

/// Distinct ones after `k` draws out of `n` equally likely.
fn drawn(n: f64, k: f64) -> f64 {
    if n < 1.0 { 0.0 } else { n * met(1.0 / n, k) }
}

/// The chance that something of probability `p` comes up in `k` draws.
fn met(p: f64, k: f64) -> f64 {
    -(k * (-p).ln_1p()).exp_m1()
}

fn zipf(blocks: u64, theta: f64, k: f64) -> f64 {
    // Ranks r to r + step have nearly the same probability, that of their middle.
    let groups = || {
        let mut rank = 1;
        std::iter::from_fn(move || {
            let step =
                if rank < RANKS { 1 } else { rank / 100 }.min((blocks + 1).saturating_sub(rank));
            let middle = rank as f64 + (step as f64 - 1.0) / 2.0;
            rank += step;
            (step > 0).then(|| (step as f64, middle.powf(-theta)))
        })
    };
    let total: f64 = groups().map(|(count, weight)| count * weight).sum();
    // A lone block is always met, and 1 − p would have no logarithm.
    groups().map(|(count, weight)| count * met((weight / total).min(1.0 - 1e-12), k)).sum()
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use narrows_engine::Rng;

    use super::*;
    use crate::scenario::Zone;
    use crate::worker::offset_sequence::{SequenceSetup, Walk};

    const BLOCK: u32 = 4096;

    /// The walks themselves, with a list of what they touched.
    fn slow(place: &AccessPattern, blocks: u64, reads: &[u64]) -> f64 {
        let mut seen = HashSet::new();
        let threads = reads.len() as u32;
        for (thread, reads) in (0..).zip(reads) {
            let setup = SequenceSetup {
                place,
                region: (0, blocks * u64::from(BLOCK)),
                thread: (thread, threads),
                lengths: &[BLOCK],
                cursor: 0,
                seed: 3,
            };
            let (mut walk, mut rng) = (Walk::new(&setup), Rng::new(u64::from(thread) + 5));
            seen.extend((0..*reads).map(|_| walk.next(0, 0, BLOCK, &mut rng)));
        }
        seen.len() as f64
    }

    #[test]
    fn it_agrees_with_a_list_of_what_was_touched() {
        let zone = |accesses_share, space_share| Zone { space_share, accesses_share };
        let laws = [
            Distribution::Uniform,
            Distribution::Zipf { theta: 0.99 },
            Distribution::Zipf { theta: 1.3 },
            Distribution::HotSpot { blocks_share: 0.1, accesses_share: 0.9 },
            Distribution::Zoned(vec![zone(0.7, 0.2), zone(0.3, 0.8)]),
        ];
        for law in laws {
            let place = AccessPattern::Random(law);
            for (blocks, reads) in [(20_000, [30_000, 25_000]), (100_000, [20_000, 20_000])] {
                let (counted, expected) =
                    (slow(&place, blocks, &reads), blocks_touched(&place, blocks, &reads).unwrap());
                assert!(
                    (counted / expected - 1.0).abs() < 0.03,
                    "{place:?}, {blocks}: {counted} {expected}"
                );
            }
        }
    }

    #[test]
    fn what_is_not_drawn_is_counted() {
        let places = [
            AccessPattern::Sequential,
            AccessPattern::SameOffsets,
            AccessPattern::Random(Distribution::OnceEach),
        ];
        for place in places {
            for reads in [&[40, 40, 40][..], &[700, 700, 700], &[2000, 2000, 2000], &[5]] {
                let expected = blocks_touched(&place, 1000, reads);
                assert_eq!(Some(slow(&place, 1000, reads)), expected, "{place:?} {reads:?}");
            }
        }
        assert_eq!(bytes(&AccessPattern::SameOffsets, 1 << 20, BLOCK, &[10, 10]), Some(40_960.0));
    }
}
