//! On which side of a limit the median of the runs lies: the decision that an interval over repeats allows.

use crate::special::binomial_cdf;

/// Where the median of runs lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    /// The 95 % interval lies wholly at or below the limit.
    Below,
    /// Wholly above.
    Above,
    /// It holds the limit, or there are fewer than six runs.
    Undecided,
}

/// Decides from the number of runs at or below the limit and the number above it.
///
/// `Below` exactly when the order-statistic interval of [`crate::interval_95`] ends at or below the limit: the sign
/// test at 5 %, two-sided. It needs no values, only sides, so that a run without one (an unstable queue has no percentile) counts
/// too. Six runs must agree; of nine one may differ, of twelve two. Assumes independent runs that are alike. Source:
/// Conover, *Practical Nonparametric Statistics*, 3rd ed., 3.4.
pub fn median_side(below: u64, above: u64) -> Side {
    let n = below + above;
    let rare = |k: u64| n >= 6 && 2.0 * binomial_cdf(k, n, 0.5) <= 0.05;
    if below > above && rare(above) {
        Side::Below
    } else if above > below && rare(below) {
        Side::Above
    } else {
        Side::Undecided
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::interval_95;

    #[test]
    fn it_agrees_with_the_interval_over_runs() {
        for n in 0..40u64 {
            for below in 0..=n {
                // Distinct runs, the limit between them.
                let runs: Vec<f64> = (0..n).map(|i| 1.0 + i as f64).collect();
                let limit = below as f64 + 0.5;
                let expected = match interval_95(&runs).filter(|_| n >= 6) {
                    Some(interval) if interval.high <= limit => Side::Below,
                    Some(interval) if interval.low > limit => Side::Above,
                    _ => Side::Undecided,
                };
                assert_eq!(median_side(below, n - below), expected, "{below} of {n}");
            }
        }
    }

    #[test]
    fn how_many_may_differ() {
        assert_eq!(median_side(5, 0), Side::Undecided);
        assert_eq!(median_side(6, 0), Side::Below);
        assert_eq!(median_side(7, 1), Side::Undecided);
        assert_eq!(median_side(8, 1), Side::Below);
        assert_eq!(median_side(2, 10), Side::Above);
    }
}
