//! The recorder of the hot path: a log-linear histogram of fixed size.
//!
//! Values below 128 have a bucket each; above, every power of two is cut into 64 equal buckets, so
//! that a bucket's middle is within 1/128 = 0.78 % of every value in it. 2304 buckets reach 2^41 ns
//! (36 minutes), one more counts what lies beyond, and stays visible. 18 KiB in all: it shares a
//! first-level cache with the loop that fills it. Smallest, largest and sum are kept exactly,
//! outside the buckets.
//!
//! Merging adds counts, which is exact; averaging percentiles never is.
//!
//! Not for exchange with other tools: [`Recorder::to_hdr_v2`] is.
//!
//! Source: the bucketing of HdrHistogram (Gil Tene) and fio's `io_u_plat`, reduced to one table.

/// Each power of two is cut into 2^6 buckets.
const SUB_BITS: u32 = 6;
const SUB: u64 = 1 << SUB_BITS;
/// First value that has no bucket of its own.
const OVERFLOW_FROM: u64 = 1 << 41;
/// Index of the bucket for everything from [`OVERFLOW_FROM`] on.
const OVERFLOW: usize = index(OVERFLOW_FROM);
const BUCKETS: usize = OVERFLOW + 1;

/// The bucket of a value not above [`OVERFLOW_FROM`]; no branch: `| SUB` gives all small values the
/// first width.
#[inline]
const fn index(value: u64) -> usize {
    let shift = (u64::BITS - 1 - SUB_BITS) - (value | SUB).leading_zeros();
    ((shift as u64 * SUB) + (value >> shift)) as usize
}

/// First and last value of a bucket.
const fn edges(index: usize) -> (u64, u64) {
    if index == OVERFLOW {
        return (OVERFLOW_FROM, u64::MAX);
    }
    let index = index as u64;
    let shift = (index / SUB).saturating_sub(1);
    let low = (index - shift * SUB) << shift;
    (low, low + ((1 << shift) - 1))
}

/// A distribution of `u64` values, in nanoseconds wherever narrows uses it.
#[derive(Clone)]
pub struct Recorder {
    counts: Box<[u64; BUCKETS]>,
    count: u64,
    sum: u128,
    min: u64,
    max: u64,
}

impl Recorder {
    /// An empty recorder; the only place that allocates.
    pub fn new() -> Self {
        Self { counts: Box::new([0; BUCKETS]), count: 0, sum: 0, min: u64::MAX, max: 0 }
    }

    /// Counts one value. Never allocates, never panics, whatever the value.
    #[inline]
    pub fn record(&mut self, ns: u64) {
        self.counts[index(ns.min(OVERFLOW_FROM))] += 1;
        self.count += 1;
        self.sum += u128::from(ns);
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    /// Counts one value `times` times: what a reader of stored histograms needs.
    pub(crate) fn record_times(&mut self, ns: u64, times: u64) {
        if times == 0 {
            return;
        }
        let bucket = &mut self.counts[index(ns.min(OVERFLOW_FROM))];
        *bucket = bucket.saturating_add(times);
        self.count = self.count.saturating_add(times);
        self.sum = self.sum.saturating_add(u128::from(ns) * u128::from(times));
        self.min = self.min.min(ns);
        self.max = self.max.max(ns);
    }

    /// Adds the counts of another recorder: the result is that of recording both streams into one.
    pub fn merge(&mut self, other: &Recorder) {
        for (ours, theirs) in self.counts.iter_mut().zip(other.counts.iter()) {
            *ours = ours.saturating_add(*theirs);
        }
        self.count = self.count.saturating_add(other.count);
        self.sum = self.sum.saturating_add(other.sum);
        self.min = self.min.min(other.min);
        self.max = self.max.max(other.max);
    }

    /// Forgets everything, keeping the memory; all fields at once, so that none can be left behind.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        (self.count, self.sum, self.min, self.max) = (0, 0, u64::MAX, 0);
    }

    /// How many values were recorded.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The smallest value, exactly.
    pub fn min(&self) -> Option<u64> {
        (self.count > 0).then_some(self.min)
    }

    /// The largest value, exactly, also beyond the last bucket.
    pub fn max(&self) -> Option<u64> {
        (self.count > 0).then_some(self.max)
    }

    /// The arithmetic mean from the exact sum.
    pub fn mean(&self) -> Option<f64> {
        (self.count > 0).then(|| self.sum as f64 / self.count as f64)
    }

    /// How many values lay beyond the last bucket (2^41 ns and more); their places are known only
    /// as "up to the largest".
    pub fn overflow(&self) -> u64 {
        self.counts[OVERFLOW]
    }

    /// The value that a share `q` of all values does not exceed: the ceil(q·n)-th smallest, within
    /// 0.78 %.
    ///
    /// The first and the last are exact, no answer lies outside them, and a rank in the overflow
    /// bucket answers with the largest value, which is the cautious side. `q` is clamped to [0, 1];
    /// `None` when empty or `q` is not a number.
    pub fn quantile(&self, q: f64) -> Option<u64> {
        if self.count == 0 || q.is_nan() {
            return None;
        }
        let rank = self.rank(q);
        if rank == 1 {
            return Some(self.min);
        }
        if rank == self.count {
            return Some(self.max);
        }
        Some(self.representative(self.bucket_of_rank(rank)))
    }

    /// The buckets that hold something, ascending: first value, last value (both belong to the
    /// bucket), count. The overflow bucket is (2^41, `u64::MAX`, count).
    pub fn buckets(&self) -> impl Iterator<Item = (u64, u64, u64)> + '_ {
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(index, count)| {
            let (low, high) = edges(index);
            (low, high, *count)
        })
    }

    /// The smallest and largest value that the `rank`-th smallest (from one) can have had.
    pub(crate) fn rank_edges(&self, rank: u64) -> (u64, u64) {
        let (low, high) = edges(self.bucket_of_rank(rank));
        (low.max(self.min), high.min(self.max))
    }

    /// The value by which a bucket is represented: its middle, inside what was recorded.
    fn representative(&self, index: usize) -> u64 {
        if index == OVERFLOW {
            return self.max;
        }
        let (low, high) = edges(index);
        (low + (high - low).div_ceil(2)).clamp(self.min, self.max)
    }

    /// The representative of the bucket that holds this value.
    pub(crate) fn representative_of(&self, value: u64) -> u64 {
        self.representative(index(value.min(OVERFLOW_FROM)))
    }

    fn rank(&self, q: f64) -> u64 {
        let exact = q.clamp(0.0, 1.0) * self.count as f64;
        // Without the hair's breadth 0.07 × 100 = 7.000000000000001 would become rank 8.
        ((exact * (1.0 - 1e-12)).ceil() as u64).clamp(1, self.count)
    }

    fn bucket_of_rank(&self, rank: u64) -> usize {
        let mut seen = 0u64;
        for (index, count) in self.counts.iter().enumerate() {
            seen = seen.saturating_add(*count);
            if seen >= rank {
                return index;
            }
        }
        OVERFLOW
    }
}

impl Default for Recorder {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Recorder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Recorder")
            .field("count", &self.count)
            .field("min", &self.min())
            .field("p50", &self.quantile(0.5))
            .field("p99", &self.quantile(0.99))
            .field("max", &self.max())
            .field("overflow", &self.overflow())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_tile_the_range_without_gap_or_overlap() {
        let mut next = 0u64;
        for bucket in 0..BUCKETS {
            let (low, high) = edges(bucket);
            assert_eq!(low, next, "bucket {bucket}");
            assert_eq!(index(low.min(OVERFLOW_FROM)), bucket);
            assert_eq!(index(high.min(OVERFLOW_FROM)), bucket);
            if bucket != OVERFLOW {
                assert!((high - low + 1) * SUB <= low.max(SUB), "bucket {bucket} is too wide");
            }
            next = high.wrapping_add(1);
        }
        assert_eq!(next, 0, "the last bucket ends with u64::MAX");
    }

    #[test]
    fn what_lies_beyond_the_buckets_stays_visible() {
        let mut recorder = Recorder::new();
        for value in [5, OVERFLOW_FROM - 1, OVERFLOW_FROM, u64::MAX, u64::MAX] {
            recorder.record(value);
        }
        assert_eq!(recorder.overflow(), 3);
        assert_eq!(recorder.max(), Some(u64::MAX));
        assert_eq!(recorder.buckets().last(), Some((OVERFLOW_FROM, u64::MAX, 3)));
        assert_eq!(recorder.quantile(0.6), Some(u64::MAX));
        let exact = (5.0 + 2.0 * OVERFLOW_FROM as f64 - 1.0 + 2.0 * u64::MAX as f64) / 5.0;
        assert!((recorder.mean().unwrap() / exact - 1.0).abs() < 1e-15);
    }

    #[test]
    fn a_rank_is_not_moved_by_rounding() {
        let mut recorder = Recorder::new();
        (1..=100).for_each(|value| recorder.record(value));
        for percent in 1..=100u64 {
            assert_eq!(recorder.quantile(percent as f64 / 100.0), Some(percent));
        }
        assert_eq!(recorder.quantile(-1.0), Some(1));
        assert_eq!(recorder.quantile(2.0), Some(100));
        assert_eq!(recorder.quantile(f64::NAN), None);
    }

    #[test]
    fn no_quantile_leaves_what_was_recorded() {
        // One bucket reaches from 9984 to 10111; its middle is beyond the first set and before the
        // second.
        for values in [[9_990, 9_991, 9_992], [10_100, 10_101, 10_102]] {
            let mut recorder = Recorder::new();
            values.iter().for_each(|value| recorder.record(*value));
            let middle = recorder.quantile(0.5).unwrap();
            assert!((values[0]..=values[2]).contains(&middle), "{middle} for {values:?}");
        }
    }

    #[test]
    fn nothing_recorded_gives_nothing() {
        let mut recorder = Recorder::new();
        recorder.record(7);
        recorder.clear();
        assert_eq!((recorder.count(), recorder.min(), recorder.max()), (0, None, None));
        assert_eq!((recorder.mean(), recorder.quantile(0.5)), (None, None));
        assert_eq!(recorder.buckets().count(), 0);
    }
}
