//! What a placement should give, by the matrix of the machine and by what the platform's parts can carry.
//!
//! **Latency**: the mean over the CPUs' nodes of what each pays for its mix of nodes. **Bandwidth** of all CPUs together, which read
//! alike: no memory gives more than its own node's CPUs got from it, and no node's CPUs get more from a memory than they got alone.
//! How ways to several memories add up for one node's CPUs depends on what limits them, so there are two figures: the ways carry
//! at the same time (the most), or the CPUs' outstanding misses are shared among them, so that the times add up (the least).

use std::collections::{BTreeMap, BTreeSet};

use super::survey::NodePair;

/// Latency in ns and bandwidth in bytes/s of the cells that are known.
pub type Known = BTreeMap<NodePair, [Option<f64>; 2]>;

/// Of the bytes that the CPUs of a node read, the share of each memory.
#[derive(Debug, Clone, PartialEq)]
pub struct Mix {
    /// The CPUs' node, and the shares of the memories' nodes.
    pub of: Vec<(u32, Vec<(u32, f64)>)>,
}

/// What it should give.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Predicted {
    /// Of a load, on average, ns.
    pub ns: Option<f64>,
    /// Of all CPUs together, bytes/s: at least and at most.
    pub bytes_per_s: Option<(f64, f64)>,
}

/// By the cells; `None` where one is missing.
pub fn predict(mix: &Mix, known: &Known) -> Predicted {
    Predicted { ns: latency(mix, known), bytes_per_s: bandwidth(mix, known) }
}

fn figure(known: &Known, from: u32, to: u32, kind: usize) -> Option<f64> {
    known.get(&NodePair { from, to })?[kind]
}

fn latency(mix: &Mix, known: &Known) -> Option<f64> {
    let mut sum = 0.0;
    for (from, shares) in &mix.of {
        for (to, share) in shares.iter().filter(|(_, share)| *share > 0.0) {
            sum += share * figure(known, *from, *to, 0)?;
        }
    }
    (!mix.of.is_empty()).then(|| sum / mix.of.len() as f64)
}

/// Everybody reads as fast as he can; where a memory would have to give more than it can, all who read it get as much less.
fn bandwidth(mix: &Mix, known: &Known) -> Option<(f64, f64)> {
    let (mut least, mut most) = (Vec::new(), Vec::new());
    for (from, shares) in &mix.of {
        let (mut times, mut narrowest) = (0.0, f64::INFINITY);
        for (to, share) in shares.iter().filter(|(_, share)| *share > 0.0) {
            let way = figure(known, *from, *to, 1)?;
            times += share / way;
            narrowest = f64::min(narrowest, way / share);
        }
        least.push(1.0 / times);
        most.push(narrowest);
    }
    let all = |mut rates: Vec<f64>| {
        let memories: BTreeSet<u32> =
            mix.of.iter().flat_map(|(_, shares)| shares.iter().map(|(to, _)| *to)).collect();
        for to in memories {
            let share = |shares: &[(u32, f64)]| {
                shares.iter().find(|(of, _)| *of == to).map_or(0.0, |(_, share)| *share)
            };
            let asked =
                || mix.of.iter().zip(&rates).map(|((_, shares), rate)| rate * share(shares));
            // Who is nearest to it got the most out of it.
            let of_memory = known.iter().filter(|(cell, _)| cell.to == to);
            let gives = of_memory.filter_map(|(_, figures)| figures[1]).reduce(f64::max)?;
            let less = (gives / asked().sum::<f64>()).min(1.0);
            for ((_, shares), rate) in mix.of.iter().zip(&mut rates) {
                if share(shares) > 0.0 {
                    *rate *= less;
                }
            }
        }
        Some(rates.iter().sum::<f64>())
    };
    let (least, most) = (all(least)?, all(most)?);
    (least.is_finite() && most > 0.0).then_some((least, most))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two sockets: 80 ns and 100 GB/s near, 140 ns and 40 GB/s far.
    fn two() -> Known {
        let cell = |from, to| {
            let near = from == to;
            let figures = if near { [Some(80.0), Some(100e9)] } else { [Some(140.0), Some(40e9)] };
            (NodePair { from, to }, figures)
        };
        [cell(0, 0), cell(0, 1), cell(1, 0), cell(1, 1)].into()
    }

    fn mix(of: [[f64; 2]; 2]) -> Mix {
        let node = |from: usize| (from as u32, vec![(0, of[from][0]), (1, of[from][1])]);
        Mix { of: vec![node(0), node(1)] }
    }

    #[test]
    fn two_sockets_give_what_can_be_reckoned_by_hand() {
        let local = predict(&mix([[1.0, 0.0], [0.0, 1.0]]), &two());
        assert_eq!((local.ns, local.bytes_per_s), (Some(80.0), Some((200e9, 200e9))));
        let remote = predict(&mix([[0.0, 1.0], [1.0, 0.0]]), &two());
        assert_eq!((remote.ns, remote.bytes_per_s), (Some(140.0), Some((80e9, 80e9))));
        let interleaved = predict(&mix([[0.5, 0.5], [0.5, 0.5]]), &two());
        assert_eq!(interleaved.ns, Some(110.0));
        let (least, most) = interleaved.bytes_per_s.unwrap();
        // Half of each node's bytes goes over a way of 40 GB/s; or its halves take 1/200 + 1/80 of a second per GB.
        assert!((most / 160e9 - 1.0).abs() < 1e-9, "{most}");
        assert!((least / (2e9 / (0.5 / 100.0 + 0.5 / 40.0)) - 1.0).abs() < 1e-9, "{least}");
        // One node's memory, read by both: it gives no more than its own CPUs got.
        let cyclops = predict(&mix([[1.0, 0.0], [1.0, 0.0]]), &two());
        assert_eq!(cyclops.ns, Some(110.0));
        let (least, most) = cyclops.bytes_per_s.unwrap();
        assert!((least / 100e9 - 1.0).abs() < 1e-9 && (most / 100e9 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn what_nobody_measured_is_not_predicted() {
        let mut known = two();
        known.remove(&NodePair { from: 1, to: 0 });
        let both = mix([[0.5, 0.5], [0.5, 0.5]]);
        assert_eq!(predict(&both, &known), Predicted::default());
        assert!(predict(&mix([[0.5, 0.5], [0.0, 1.0]]), &known).ns.is_some(), "it isn't needed");
        assert_eq!(predict(&Mix { of: vec![] }, &known), Predicted::default());
    }
}
