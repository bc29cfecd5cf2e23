//! Zipf's law over any number of ranks without a table: rank k is drawn with a probability proportional to
//! k^-theta.
//!
//! Method: rejection-inversion (W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates from monotone
//! discrete distributions", ACM TOMACS 6(3), 1996). The integral of x^-theta over [k - 1/2, k + 1/2] lies above the
//! weight of k, because the function is convex; a uniform point under the integral is inverted, and rejected where it
//! falls into the gap. Fewer than one draw in ten is rejected at any theta and n; it takes two logarithms or
//! exponentials. Works for every theta from 0 (uniform) on, 1 included.

use crate::Rng;

/// Below this distance from zero a series replaces the quotient that loses its digits.
const NEAR_ZERO: f64 = 1e-8;

/// Ranks 1 to n by Zipf's law.
#[derive(Debug, Clone)]
pub struct Zipf {
    ranks: f64,
    theta: f64,
    /// The integral up to the upper edge of the last rank.
    whole: f64,
    /// Where the first rank, which is always accepted whole, begins.
    begin: f64,
    /// Distance to the right of a rank within which a point needs no comparison.
    sure: f64,
}

impl Zipf {
    /// `ranks` of them, at least one; `theta` must be finite and not negative.
    pub fn new(ranks: u64, theta: f64) -> Self {
        assert!(ranks > 0, "a distribution over nothing has no first rank");
        assert!(theta >= 0.0 && theta.is_finite(), "Zipf's exponent is at least zero");
        let mut zipf = Zipf { ranks: ranks as f64, theta, whole: 0.0, begin: 0.0, sure: 0.0 };
        zipf.whole = zipf.integral(zipf.ranks + 0.5);
        zipf.begin = zipf.integral(1.5) - 1.0;
        zipf.sure = 2.0 - zipf.inverse(zipf.integral(2.5) - zipf.weight(2.0));
        zipf
    }

    /// A rank from 0 (the most likely) to n - 1.
    #[inline]
    pub fn rank(&self, rng: &mut Rng) -> u64 {
        loop {
            let under = self.whole + rng.unit_f64() * (self.begin - self.whole);
            let x = self.inverse(under);
            let rank = (x + 0.5).floor().clamp(1.0, self.ranks);
            if rank - x <= self.sure || under >= self.integral(rank + 0.5) - self.weight(rank) {
                return rank as u64 - 1;
            }
        }
    }

    fn weight(&self, x: f64) -> f64 {
        (-self.theta * x.ln()).exp()
    }

    /// The integral of x^-theta from 1: (x^(1-theta) - 1) / (1 - theta), ln x for theta = 1.
    fn integral(&self, x: f64) -> f64 {
        let log = x.ln();
        let t = (1.0 - self.theta) * log;
        log * if t.abs() > NEAR_ZERO { t.exp_m1() / t } else { 1.0 + t / 2.0 }
    }

    fn inverse(&self, area: f64) -> f64 {
        // Rounding may put the argument of the logarithm below zero.
        let t = (area * (1.0 - self.theta)).max(-1.0);
        (area * if t.abs() > NEAR_ZERO { t.ln_1p() / t } else { 1.0 - t / 2.0 }).exp()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_come_as_often_as_the_law_says() {
        const DRAWS: u32 = 400_000;
        for ranks in [1u64, 2, 10, 1000] {
            for theta in [0.0, 0.5, 0.99, 1.0, 1.2, 2.5] {
                let zipf = Zipf::new(ranks, theta);
                let mut rng = Rng::new(ranks ^ theta.to_bits());
                let mut seen = vec![0u32; ranks as usize];
                for _ in 0..DRAWS {
                    seen[zipf.rank(&mut rng) as usize] += 1;
                }
                let weights: Vec<f64> = (1..=ranks).map(|k| (k as f64).powf(-theta)).collect();
                let whole: f64 = weights.iter().sum();
                for (rank, (&count, weight)) in seen.iter().zip(&weights).enumerate() {
                    let expected = f64::from(DRAWS) * weight / whole;
                    let off = (f64::from(count) - expected).abs();
                    // Six standard deviations; one more for the smallest expectations, which are not normal.
                    let bound = 6.0 * expected.sqrt() + 6.0;
                    assert!(off < bound, "n {ranks} theta {theta} rank {rank}: {count} {expected}");
                }
            }
        }
    }

    #[test]
    fn a_trillion_ranks_need_no_table() {
        let zipf = Zipf::new(1 << 40, 0.9);
        let mut rng = Rng::new(1);
        let ranks: Vec<u64> = (0..10_000).map(|_| zipf.rank(&mut rng)).collect();
        assert!(ranks.iter().all(|&rank| rank < 1 << 40));
        // The first 2^20 ranks have (2^2 - 1) / (2^4 - 1) = 20 % of the weight, by the integral.
        let head = ranks.iter().filter(|&&rank| rank < 1 << 20).count();
        assert!((1700..2600).contains(&head), "{head}");
    }
}
