//! The oracle for laws without a closed form: the same queue simulated for millions of operations, by events, with
//! its own code, and one set of random numbers for all rates.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use narrows_engine::Rng;
use narrows_engine::rate_search::Goal;

use crate::Law;

/// The share of `operations` Poisson arrivals at M/G/k that took longer than `limit_ns`; the first tenth is left out.
pub fn share_over(
    channels: u32,
    law: Law,
    rate_per_s: f64,
    limit_ns: f64,
    operations: u64,
    seed: u64,
) -> f64 {
    // Gaps and services come from generators of their own, so that each operation keeps its luck at every rate.
    let (mut gaps, mut services) = (Rng::new(seed), Rng::new(!seed));
    let mut idle = channels.max(1);
    let mut queue: VecDeque<f64> = VecDeque::new();
    // Ends of services, earliest first: positive floats order like their bits.
    let mut ends: BinaryHeap<Reverse<u64>> = BinaryHeap::new();
    let (mut arrival_ns, mut arrived, mut started, mut over) = (0.0, 0u64, 0u64, 0u64);
    let skip = operations / 10;
    let mut begin = |at_ns: f64, came_ns: f64, ends: &mut BinaryHeap<Reverse<u64>>| {
        let end_ns = at_ns + law.draw_ns(&mut services);
        started += 1;
        over += u64::from(started > skip && end_ns - came_ns > limit_ns);
        ends.push(Reverse(end_ns.to_bits()));
    };
    while arrived < operations {
        let next_ns = arrival_ns + gaps.exponential(1e9 / rate_per_s);
        while let Some(end_ns) = ends.peek().map(|bits| f64::from_bits(bits.0))
            && end_ns <= next_ns
        {
            ends.pop();
            match queue.pop_front() {
                Some(came_ns) => begin(end_ns, came_ns, &mut ends),
                None => idle += 1,
            }
        }
        arrival_ns = next_ns;
        arrived += 1;
        if idle > 0 {
            idle -= 1;
            begin(arrival_ns, arrival_ns, &mut ends);
        } else {
            queue.push_back(arrival_ns);
        }
    }
    over as f64 / (started - skip) as f64
}

/// The highest rate within the goal, by false position on the logarithm of the share, to 1 in 1000.
pub fn highest_rate(channels: u32, law: Law, goal: &Goal, operations: u64, seed: u64) -> f64 {
    let ceiling = f64::from(channels) / law.mean_ns() * 1e9;
    let limit_ns = goal.limit_ns as f64;
    let miss = |rate: f64| {
        let share = share_over(channels, law, rate, limit_ns, operations, seed);
        // Half an operation stands for none.
        (share.max(0.5 / operations as f64) / goal.allowed_over()).ln()
    };
    let (mut low, mut high) = (ceiling * 0.3, ceiling * 0.995);
    let (mut below, mut above) = (miss(low), miss(high));
    assert!(below < 0.0 && above > 0.0, "the answer lies outside of 30 % to 99.5 % of the ceiling");
    while high / low > 1.001 {
        // The Illinois variant: an end that stays loses half of its weight.
        let rate =
            ((low * above - high * below) / (above - below)).clamp(low * 1.0003, high / 1.0003);
        let at = miss(rate);
        if at <= 0.0 {
            (low, below, above) = (rate, at, above / 2.0);
        } else {
            (high, above, below) = (rate, at, below / 2.0);
        }
    }
    (low * high).sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::truth::{mdk_over, mmk_over};

    #[test]
    fn it_agrees_with_the_closed_forms() {
        for (channels, load) in [(1, 0.7), (8, 0.85)] {
            let rate = f64::from(channels) * load * 1e4;
            let found = share_over(channels, Law::Exponential(1e5), rate, 5e5, 1_000_000, 3);
            let truth = mmk_over(channels, 1e5, rate, 5e5);
            assert!((found / truth - 1.0).abs() < 0.05, "M/M/{channels}: {found} beside {truth}");
            let found = share_over(channels, Law::Constant(1e5), rate, 2.2e5, 1_000_000, 4);
            let truth = mdk_over(channels, 1e5, rate, 2.2e5);
            assert!((found / truth - 1.0).abs() < 0.08, "M/D/{channels}: {found} beside {truth}");
        }
    }
}
