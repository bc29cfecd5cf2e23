//! The curve that samples say.

use super::sample::Sample;

/// A share of all references, with its doubt.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// The middle of the samples.
    pub median: f64,
    /// The lowest of all samples, whichever way they are turned into a ratio.
    pub low: f64,
    /// The highest.
    pub high: f64,
}

/// How many of the references a cache of LRU order would miss, by its size.
#[derive(Debug, Clone)]
pub struct MissCurve {
    samples: Vec<SampleCurve>,
    references: u64,
}

#[derive(Debug, Clone)]
struct SampleCurve {
    /// Depths with the references at or above each, ascending.
    hits: Vec<(u64, f64)>,
    cold: f64,
    total: f64,
    rate: f64,
}

impl SampleCurve {
    fn missed(&self, pages: u64) -> f64 {
        let after = self.hits.partition_point(|(depth, _)| *depth <= pages);
        let hits = after.checked_sub(1).map_or(0.0, |at| self.hits[at].1);
        self.total - hits
    }
}

impl MissCurve {
    pub(super) fn of(samples: &[Sample], references: u64) -> Option<MissCurve> {
        if references == 0 {
            return None;
        }
        let curve = |sample: &Sample| {
            let (hits, cold, total) = sample.counts();
            // A sample without a reference has no say.
            (total > 0.0).then(|| SampleCurve { hits, cold, total, rate: sample.rate() })
        };
        let samples: Vec<_> = samples.iter().filter_map(curve).collect();
        (!samples.is_empty()).then_some(MissCurve { samples, references })
    }

    /// The share of references that a cache of so many pages would miss, first references of a page among them.
    pub fn at(&self, pages: u64) -> Ratio {
        self.ratio(|sample| sample.missed(pages))
    }

    /// The share of references that were the first of their page: no size makes them hits. A short history has many, and its curve lies too
    /// high for them.
    pub fn first_references(&self) -> Ratio {
        self.ratio(|sample| sample.cold)
    }

    /// References that it is of.
    pub fn references(&self) -> u64 {
        self.references
    }

    /// The smallest share of pages that a sample is of; 1 where the curve is exact.
    pub fn sampled_share(&self) -> f64 {
        self.samples.iter().map(|sample| sample.rate).fold(1.0, f64::min)
    }

    /// The sizes at which the curve of some sample falls, ascending, pages.
    pub fn sizes(&self) -> Vec<u64> {
        let depths = self.samples.iter().flat_map(|sample| &sample.hits);
        let mut sizes: Vec<u64> = depths.map(|(depth, _)| *depth).collect();
        sizes.sort_unstable();
        sizes.dedup();
        sizes
    }

    fn ratio(&self, counted: impl Fn(&SampleCurve) -> f64) -> Ratio {
        let all = self.references as f64;
        let share = |count: f64, of: f64| (count / of).clamp(0.0, 1.0);
        let mut plain = Vec::with_capacity(self.samples.len());
        let (mut low, mut high) = (1.0f64, 0.0f64);
        for sample in &self.samples {
            let count = counted(sample);
            plain.push(share(count, sample.total));
            for ratio in [share(count, sample.total), share(count, all)] {
                (low, high) = (low.min(ratio), high.max(ratio));
            }
        }
        plain.sort_unstable_by(f64::total_cmp);
        let middle = plain.len() / 2;
        let median = if plain.len() % 2 == 1 {
            plain[middle]
        } else {
            f64::midpoint(plain[middle - 1], plain[middle])
        };
        Ratio { median, low, high }
    }
}
