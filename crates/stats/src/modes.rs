//! The humps of a distribution of latencies: where they lie and how much lies in each.
//!
//! A drive that answers in 130 µs and every hundredth time in 2 ms has two of them, and neither a mean nor a median says so.
//! The recorder's counts are put into bins of equal width on a logarithmic scale (eight per octave, 9 % each) and
//! smoothed a little. A maximum counts as a hump of its own if the valley beside it is less than half as high, if that
//! difference is more than four standard deviations of counts (Poisson), and if at least ten values and one of a
//! thousand lie in it; else it is a part of its higher neighbour.
//!
//! Assumes that values are independent; where slow ones come in bursts, a hump says how many there were, not how often they
//! come back. Source: watersheds by persistence (Edelsbrunner, Letscher and Zomorodian 2002), in one dimension.

use crate::Recorder;

/// Bins of an octave.
const PER_OCTAVE: f64 = 8.0;
/// Weights of a bin and its neighbours; their sum is one.
const KERNEL: [f64; 5] = [1.0 / 9.0, 2.0 / 9.0, 3.0 / 9.0, 2.0 / 9.0, 1.0 / 9.0];
/// Variance of a smoothed count over that of a single one: the sum of the squared weights.
const VARIANCE: f64 = 19.0 / 81.0;
/// A valley is lower than so much of the lower of its two maxima.
const VALLEY: f64 = 0.5;
/// Standard deviations that a valley must lie below it.
const DEVIATIONS: f64 = 4.0;
/// Least number of values in a hump.
const LEAST: f64 = 10.0;
/// And least share of all.
const LEAST_SHARE: f64 = 0.001;

/// One hump.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Mode {
    /// Where it is highest, ns.
    pub at_ns: f64,
    /// Share of all values that lie in it.
    pub share: f64,
}

/// Counts on a logarithmic scale, from the first bin that holds something to the last.
#[derive(Debug, Clone, PartialEq)]
pub struct LogBins {
    first: i32,
    counts: Vec<f64>,
}

impl LogBins {
    /// Of everything that was recorded; a recorder's bucket over a bin's edge is shared out between both. `None` where nothing was.
    pub fn of(recorder: &Recorder) -> Option<LogBins> {
        let largest = recorder.max()? as f64;
        let place = |ns: f64| ns.max(1.0).log2() * PER_OCTAVE;
        let mut bins: std::collections::BTreeMap<i32, f64> = std::collections::BTreeMap::new();
        for (low, high, count) in recorder.buckets() {
            // What lies beyond the last bucket is only known to be no larger than the largest.
            let low = place((low as f64).min(largest));
            let high = place((high as f64 + 1.0).min(largest + 1.0)).max(low);
            let (from, to) = (low.floor() as i32, high.floor() as i32);
            for bin in from..=to {
                let inside = high.min(f64::from(bin + 1)) - low.max(f64::from(bin));
                let share = if high > low { inside / (high - low) } else { 1.0 };
                if share > 0.0 {
                    *bins.entry(bin).or_default() += count as f64 * share;
                }
            }
        }
        let (first, last) = (*bins.keys().next()?, *bins.keys().next_back()?);
        let counts = (first..=last).map(|bin| bins.get(&bin).copied().unwrap_or(0.0)).collect();
        Some(LogBins { first, counts })
    }

    /// All bins: their middle (geometric), ns, and how many values lie in each.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.counts.iter().enumerate().map(|(i, count)| (self.middle(i), *count))
    }

    /// A bin's width, as a factor.
    pub fn width() -> f64 {
        (1.0 / PER_OCTAVE).exp2()
    }

    fn middle(&self, i: usize) -> f64 {
        ((f64::from(self.first) + i as f64 + 0.5) / PER_OCTAVE).exp2()
    }

    /// The humps from left to right; at least one.
    pub fn modes(&self) -> Vec<Mode> {
        let smooth = self.smoothed();
        let all: f64 = self.counts.iter().sum();
        let mut humps = maxima(&smooth);
        while let Some(weakest) = self.weakest(&smooth, &humps, all) {
            humps.remove(weakest);
        }
        let edges = edges(&smooth, &humps);
        humps
            .iter()
            .zip(edges.windows(2))
            .map(|(peak, between)| {
                let inside: f64 = self.counts[between[0]..between[1]].iter().sum();
                Mode { at_ns: self.middle(*peak), share: inside / all }
            })
            .collect()
    }

    fn smoothed(&self) -> Vec<f64> {
        let at = |i: i64| usize::try_from(i).ok().and_then(|i| self.counts.get(i)).copied();
        (0..self.counts.len() as i64)
            .map(|i| (-2..).zip(KERNEL).map(|(d, weight)| weight * at(i + d).unwrap_or(0.0)).sum())
            .collect()
    }

    /// The maximum that is least a hump of its own, if any is none: the lower one at the shallowest valley.
    fn weakest(&self, smooth: &[f64], humps: &[usize], all: f64) -> Option<usize> {
        if humps.len() < 2 {
            return None;
        }
        let edges = edges(smooth, humps);
        let inside = |i: usize| self.counts[edges[i]..edges[i + 1]].iter().sum::<f64>();
        let mut weakest: Option<(f64, usize)> = None;
        for i in 0..humps.len() - 1 {
            let valley = smooth[edges[i + 1]];
            let (left, right) = (smooth[humps[i]], smooth[humps[i + 1]]);
            let (lower, peak) = if left < right { (i, left) } else { (i + 1, right) };
            let depth = valley / peak;
            let noise = DEVIATIONS * ((peak + valley) * VARIANCE).sqrt();
            let few = inside(lower) < LEAST.max(all * LEAST_SHARE);
            let none = depth > VALLEY || peak - valley < noise || few;
            if none && weakest.is_none_or(|(deepest, _)| depth > deepest) {
                weakest = Some((depth, lower));
            }
        }
        weakest.map(|(_, i)| i)
    }
}

/// Places that are higher than what is left of them and not lower than what is right.
fn maxima(smooth: &[f64]) -> Vec<usize> {
    let at = |i: usize| smooth.get(i).copied().unwrap_or(0.0);
    let before = |i: usize| if i == 0 { 0.0 } else { at(i - 1) };
    (0..smooth.len()).filter(|i| at(*i) > before(*i) && at(*i) >= at(i + 1)).collect()
}

/// Where each hump begins and the last one ends: the lowest places between them.
fn edges(smooth: &[f64], humps: &[usize]) -> Vec<usize> {
    let lowest = |pair: &[usize]| {
        let between = pair[0]..=pair[1];
        between.min_by(|a, b| smooth[*a].total_cmp(&smooth[*b])).unwrap_or(pair[0])
    };
    let valleys = humps.windows(2).map(lowest);
    std::iter::once(0).chain(valleys).chain([smooth.len()]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Splitmix64 to a number in 0..1.
    fn unit(seed: &mut u64) -> f64 {
        *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *seed;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    /// About normal on the logarithmic scale: `n` values around `ns`.
    fn record(recorder: &mut Recorder, ns: f64, spread: f64, n: u32, seed: &mut u64) {
        for _ in 0..n {
            let sum: f64 = (0..12).map(|_| unit(seed)).sum::<f64>() - 6.0;
            recorder.record((ns * (sum * spread).exp()) as u64);
        }
    }

    fn modes_of(parts: &[(f64, f64, u32)], seed: u64) -> Vec<Mode> {
        let mut recorder = Recorder::new();
        let mut state = seed;
        for (ns, spread, n) in parts {
            record(&mut recorder, *ns, *spread, *n, &mut state);
        }
        LogBins::of(&recorder).unwrap().modes()
    }

    #[test]
    fn one_hump_stays_one_whatever_its_size() {
        for seed in 0..40 {
            for n in [50, 1000, 50_000] {
                for spread in [0.05, 0.3, 0.8] {
                    let modes = modes_of(&[(130e3, spread, n)], seed);
                    assert_eq!(modes.len(), 1, "seed {seed}, {n} values, {spread}: {modes:?}");
                    assert_eq!(modes[0].share, 1.0);
                }
            }
        }
    }

    #[test]
    fn a_second_hump_is_found_with_its_place_and_share() {
        for seed in 0..20 {
            let modes = modes_of(&[(130e3, 0.15, 9_900), (2e6, 0.2, 100)], seed);
            assert_eq!(modes.len(), 2, "seed {seed}: {modes:?}");
            assert!((modes[0].at_ns / 130e3).ln().abs() < 0.2, "{modes:?}");
            assert!((modes[1].at_ns / 2e6).ln().abs() < 0.35, "{modes:?}");
            assert!((modes[1].share - 0.01).abs() < 0.001, "{modes:?}");
        }
    }

    #[test]
    fn a_few_stragglers_are_no_hump() {
        assert_eq!(modes_of(&[(130e3, 0.15, 9_900), (20e6, 0.5, 5)], 3).len(), 1);
        // Beyond a thousandth of many values.
        assert_eq!(modes_of(&[(130e3, 0.15, 100_000), (20e6, 0.05, 40)], 3).len(), 1);
    }

    #[test]
    fn shares_add_up_and_nothing_recorded_has_none() {
        let modes = modes_of(&[(20e3, 0.1, 5_000), (200e3, 0.1, 3_000), (5e6, 0.1, 2_000)], 1);
        assert_eq!(modes.len(), 3, "{modes:?}");
        assert!((modes.iter().map(|mode| mode.share).sum::<f64>() - 1.0).abs() < 1e-9);
        assert_eq!(LogBins::of(&Recorder::new()), None);
    }

    #[test]
    fn every_value_is_in_a_bin_of_its_own_place() {
        let mut recorder = Recorder::new();
        for value in [0, 1, 5, 127, 128, 1_000, 1_000_000, u64::MAX] {
            recorder.record(value);
        }
        let bins = LogBins::of(&recorder).unwrap();
        let all: f64 = bins.points().map(|(_, count)| count).sum();
        assert!((all - 8.0).abs() < 1e-9, "{all}");
        let near = |ns: f64| {
            bins.points().filter(|(at, _)| (at / ns).ln().abs() < 0.12).map(|(_, n)| n).sum::<f64>()
        };
        assert!((near(1_000_000.0) - 1.0).abs() < 0.01 && (near(1_000.0) - 1.0).abs() < 0.01);
        assert!(!bins.modes().is_empty());
    }
}
