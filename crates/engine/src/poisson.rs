//! The schedule of an open loop: arrivals by a Poisson process, as absolute times from one epoch.
//!
//! Times are summed in f64 seconds and rounded once per arrival. A generator that rounds every gap to whole
//! microseconds overshoots at database rates (150k/s asked, 181k/s sent, `storage.md` fact 3); here the mean
//! is exact to the precision of f64 at any rate.

use crate::Rng;

/// An endless schedule.
#[derive(Debug, Clone)]
pub struct Poisson {
    mean_gap_ns: f64,
    at_ns: f64,
    rng: Rng,
}

impl Poisson {
    /// Arrivals at `rate_per_s` on average; the rate must be positive.
    pub fn new(rate_per_s: f64, seed: u64) -> Self {
        assert!(rate_per_s > 0.0 && rate_per_s.is_finite(), "a schedule needs a positive rate");
        Poisson { mean_gap_ns: 1e9 / rate_per_s, at_ns: 0.0, rng: Rng::new(seed) }
    }

    /// When the next operation is due, ns from the epoch.
    #[inline]
    pub fn next_ns(&mut self) -> u64 {
        self.at_ns += self.rng.exponential(self.mean_gap_ns);
        self.at_ns as u64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_exact_at_a_thousand_and_at_millions_per_second() {
        for rate in [1e3, 150e3, 600e3, 5e6] {
            let mut schedule = Poisson::new(rate, 3);
            let n = 200_000;
            let last = (0..n).map(|_| schedule.next_ns()).last().unwrap();
            let got = f64::from(n) / (last as f64 / 1e9);
            // Standard deviation of the mean of n gaps: 1/sqrt(n) = 0.22 %.
            assert!((got / rate - 1.0).abs() < 0.012, "asked {rate}, got {got}");
        }
    }

    #[test]
    fn gaps_are_exponential() {
        // For exponential gaps the share longer than the mean is 1/e.
        let mut schedule = Poisson::new(1e6, 9);
        let mut last = 0;
        let long = (0..100_000)
            .filter(|_| {
                let at = schedule.next_ns();
                let gap = at - last;
                last = at;
                gap > 1000
            })
            .count();
        assert!((36_000..37_700).contains(&long), "{long}");
    }
}
