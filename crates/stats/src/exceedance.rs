//! Which share of a window's operations took longer than a limit, and how sure that is when slow operations come
//! in clumps.
//!
//! "p99 ≤ X" and "at most 1 % take longer than X" are the same statement, but the second can be counted: it needs
//! no histogram, has no resolution, and its independence can be judged from the counts of slices. A queue that is
//! full is full for everybody in it, so that a hundred slow operations may be worth five independent ones.
//!
//! It speaks of one window. Whether the next window would say the same is a question for repeats
//! ([`crate::median_side`]).

use crate::effective_sample_size;
use crate::special::beta_quantile;

/// Below this many slow operations their clumping cannot be estimated.
const FEW: u64 = 20;
/// What is assumed then: they came in clumps of ten.
const ASSUMED_CLUMPING: f64 = 10.0;

/// Operations of one slice of a window, by the time at which they were due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Slice {
    /// All that were due in it.
    pub operations: u64,
    /// Those that took longer than the limit.
    pub over: u64,
}

/// The share of operations over a limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Exceedance {
    /// Operations in the window.
    pub operations: u64,
    /// Those over the limit.
    pub over: u64,
    /// The share of them, in [0, 1].
    pub share: f64,
    /// 95 % interval of that share (low, high) for this window's load and state.
    pub interval_95: (f64, f64),
    /// How many slow operations are worth one independent one; at least 1.
    pub clumping: f64,
    /// Whether the clumping was seen in the slices, not assumed.
    pub clumping_seen: bool,
}

impl Exceedance {
    /// Slow operations that were independent, about.
    pub fn independent(&self) -> f64 {
        self.over as f64 / self.clumping
    }
}

/// The share over the limit from the slices of one window.
///
/// The variance of the total of slow operations is estimated by its slices: the squared residuals `over − share ×
/// operations`, raised by m over their effective sample size where neighbouring slices are alike (batch means after
/// Geyer's sequence). Its ratio to the binomial variance is the clumping D; the interval is Clopper–Pearson's
/// for over/D of operations/D. With fewer than 20 slow operations, or slices that are all alike, D is
/// taken as 10. It exists from ten slices that saw an operation, for a stationary window: a drift reads as clumping, which widens the
/// interval. Source: Kish, *Survey Sampling*, 1965 (design effect); Clopper & Pearson 1934.
pub fn exceedance(slices: &[Slice]) -> Option<Exceedance> {
    let operations: u64 = slices.iter().map(|slice| slice.operations).sum();
    let over: u64 = slices.iter().map(|slice| slice.over).sum();
    let seen = slices.iter().filter(|slice| slice.operations > 0).count();
    if seen < 10 || over > operations {
        return None;
    }
    let n = operations as f64;
    let share = over as f64 / n;
    let measured = (over >= FEW && over < operations).then(|| clumping(slices, share)).flatten();
    let clumping = measured.unwrap_or(ASSUMED_CLUMPING).clamp(1.0, n);
    let (hits, misses) = (over as f64 / clumping, (operations - over) as f64 / clumping);
    let low = if over == 0 { 0.0 } else { beta_quantile(hits, misses + 1.0, 0.025) };
    let high = if over == operations { 1.0 } else { beta_quantile(hits + 1.0, misses, 0.975) };
    Some(Exceedance {
        operations,
        over,
        share,
        interval_95: (low, high),
        clumping,
        clumping_seen: measured.is_some(),
    })
}

/// Variance of the total over the binomial one; `None` where the residuals have no spread.
fn clumping(slices: &[Slice], share: f64) -> Option<f64> {
    let rest: Vec<f64> =
        slices.iter().map(|slice| slice.over as f64 - share * slice.operations as f64).collect();
    let m = rest.len() as f64;
    let alike = m / effective_sample_size(&rest)?;
    let squares: f64 = rest.iter().map(|r| r * r).sum();
    let operations: u64 = slices.iter().map(|slice| slice.operations).sum();
    let binomial = operations as f64 * share * (1.0 - share);
    (binomial > 0.0).then(|| squares * m / (m - 1.0) * alike / binomial)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alike(n: usize, operations: u64, over: impl Fn(usize) -> u64) -> Vec<Slice> {
        (0..n).map(|i| Slice { operations, over: over(i) }).collect()
    }

    #[test]
    fn it_is_absent_where_nothing_can_be_known() {
        assert_eq!(exceedance(&[]), None);
        assert_eq!(exceedance(&alike(9, 100, |_| 1)), None);
        assert_eq!(exceedance(&alike(50, 0, |_| 0)), None);
        assert_eq!(exceedance(&alike(50, 3, |_| 4)), None);
    }

    #[test]
    fn none_over_is_not_zero_doubt() {
        let none = exceedance(&alike(50, 200, |_| 0)).unwrap();
        // 10,000 operations worth 1000: 1 − 0.025^(1/1000).
        assert_eq!((none.share, none.interval_95.0), (0.0, 0.0));
        assert!((none.interval_95.1 - 0.003_682).abs() < 1e-5, "{none:?}");
        let all = exceedance(&alike(50, 200, |_| 200)).unwrap();
        assert!(all.interval_95.1 == 1.0 && all.interval_95.0 > 0.99);
    }

    #[test]
    fn clumps_are_counted_once() {
        // The same 1 %: a hundred slow in every tenth slice, or about ten in each.
        let clumped = exceedance(&alike(100, 1000, |i| if i % 10 == 3 { 100 } else { 0 })).unwrap();
        let spread = exceedance(&alike(100, 1000, |i| 7 + (i as u64 * 13) % 7)).unwrap();
        assert!((clumped.share - 0.01).abs() < 1e-12 && (spread.share - 0.01).abs() < 1e-3);
        assert!((50.0..200.0).contains(&clumped.clumping), "{clumped:?}");
        assert_eq!(spread.clumping, 1.0, "less than binomial spread is not rewarded");
        let width = |e: &Exceedance| e.interval_95.1 - e.interval_95.0;
        assert!(width(&clumped) > 5.0 * width(&spread));
        assert!(clumped.independent() < 20.0);
    }
}
