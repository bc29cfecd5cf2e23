//! The curve of latency against rate around a confirmed answer, and its two knees.
//!
//! Points in random order, so that a drift of the device does not look like the shape of the curve, with a sentinel
//! among them: one rate that is run again after every five points and shows whether the device stayed the same.
//!
//! Two knees: the rate at which rate over latency is largest (Kleinrock's power, which needs no limit and no tuning),
//! and the rate at which the percentile crosses the limit. Sources: Kleinrock, "Power and deterministic rules
//! of thumb", ICC 1979; Giessler et al. 1978. "Elbow" detectors are left to drawings.

use crate::Rng;

/// Points as shares of the confirmed rate; two lie beyond it, to show the crossing.
pub const SHARES: [f64; 14] =
    [0.10, 0.20, 0.30, 0.50, 0.65, 0.70, 0.80, 0.85, 0.90, 0.95, 0.97, 1.00, 1.03, 1.06];
/// The sentinel: where latencies on the screen are taken.
pub const SENTINEL_SHARE: f64 = 0.70;
/// Points between two runs of the sentinel.
const BETWEEN_SENTINELS: usize = 5;

/// One window of the curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurveStep {
    /// Operations per second.
    pub rate_per_s: f64,
    /// Whether it is a run of the sentinel.
    pub sentinel: bool,
}

/// The windows of a curve, in order.
#[derive(Debug, Clone, PartialEq)]
pub struct CurvePlan {
    steps: Vec<CurveStep>,
}

impl CurvePlan {
    /// Around a rate that was confirmed, operations per second; the order follows from the seed.
    pub fn new(rate_per_s: f64, seed: u64) -> Self {
        let mut shares = SHARES.to_vec();
        let mut rng = Rng::new(seed);
        for i in (1..shares.len()).rev() {
            shares.swap(i, rng.below(i as u64 + 1) as usize);
        }
        let sentinel = CurveStep { rate_per_s: rate_per_s * SENTINEL_SHARE, sentinel: true };
        let mut steps = vec![sentinel];
        for (i, share) in shares.iter().enumerate() {
            steps.push(CurveStep { rate_per_s: rate_per_s * share, sentinel: false });
            if (i + 1) % BETWEEN_SENTINELS == 0 || i + 1 == shares.len() {
                steps.push(sentinel);
            }
        }
        CurvePlan { steps }
    }

    /// The windows to run.
    pub fn steps(&self) -> &[CurveStep] {
        &self.steps
    }
}

/// A point of the curve as it was measured.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CurvePoint {
    /// Operations completed per second.
    pub rate_per_s: f64,
    /// Mean latency from the intended time, ns.
    pub mean_ns: f64,
    /// The goal's percentile, ns.
    pub quantile_ns: f64,
}

/// The knees of a curve. Rates are operations per second.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Knees {
    /// The measured point at which rate over mean latency is largest.
    pub power_per_s: f64,
    /// Whether points on both sides of it have less: else the knee lies beyond the curve.
    pub power_is_inside: bool,
    /// Where the percentile crosses the limit, interpolated in its logarithm; `None` when it does not.
    pub crossing_per_s: Option<f64>,
}

/// The knees of measured points in any order; `None` for fewer than three, or when a latency is not above zero.
///
/// The crossing is between the last point within the limit and the first beyond it, so that a dip after it is not taken for a second answer.
pub fn knees(points: &[CurvePoint], limit_ns: f64) -> Option<Knees> {
    let ok = |p: &CurvePoint| p.mean_ns > 0.0 && p.quantile_ns > 0.0 && p.rate_per_s.is_finite();
    if points.len() < 3 || !points.iter().all(ok) {
        return None;
    }
    let mut sorted = points.to_vec();
    sorted.sort_by(|a, b| a.rate_per_s.total_cmp(&b.rate_per_s));
    let power = |p: &CurvePoint| p.rate_per_s / p.mean_ns;
    let best =
        (0..sorted.len()).max_by(|a, b| power(&sorted[*a]).total_cmp(&power(&sorted[*b])))?;
    let beyond = sorted.iter().position(|p| p.quantile_ns > limit_ns);
    let crossing_per_s = beyond.filter(|i| *i > 0).map(|i| {
        let (a, b) = (&sorted[i - 1], &sorted[i]);
        let way = (limit_ns / a.quantile_ns).ln() / (b.quantile_ns / a.quantile_ns).ln();
        a.rate_per_s + way * (b.rate_per_s - a.rate_per_s)
    });
    Some(Knees {
        power_per_s: sorted[best].rate_per_s,
        power_is_inside: best > 0 && best + 1 < sorted.len(),
        crossing_per_s,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_points_come_once_and_the_sentinel_after_every_five() {
        for seed in 0..20 {
            let plan = CurvePlan::new(1000.0, seed);
            let steps = plan.steps();
            let mut rates: Vec<f64> =
                steps.iter().filter(|s| !s.sentinel).map(|s| s.rate_per_s).collect();
            rates.sort_by(f64::total_cmp);
            assert!(
                rates.iter().zip(SHARES).all(|(rate, share)| (rate - share * 1e3).abs() < 1e-9)
            );
            assert!(steps[0].sentinel && steps[steps.len() - 1].sentinel);
            let gaps = steps.split(|s| s.sentinel).map(<[CurveStep]>::len);
            assert!(gaps.into_iter().all(|gap| gap <= 5));
        }
        assert_ne!(CurvePlan::new(1.0, 1), CurvePlan::new(1.0, 2));
        assert_eq!(CurvePlan::new(1.0, 1), CurvePlan::new(1.0, 1));
    }

    /// M/M/1 with one operation per ms: mean 1/(µ − λ), p99 4.605 times that.
    fn mm1(shares: &[f64]) -> Vec<CurvePoint> {
        shares
            .iter()
            .map(|share| {
                let mean_ns = 1e6 / (1.0 - share);
                CurvePoint { rate_per_s: share * 1e3, mean_ns, quantile_ns: mean_ns * 100f64.ln() }
            })
            .collect()
    }

    #[test]
    fn the_power_of_one_exponential_server_is_largest_at_half_its_rate() {
        let points = mm1(&[0.9, 0.1, 0.4, 0.5, 0.6, 0.3, 0.8, 0.75]);
        let found = knees(&points, 20e6).unwrap();
        assert_eq!((found.power_per_s, found.power_is_inside), (500.0, true));
        // 4.605/(1 − ρ) = 20 at ρ = 0.770.
        assert!((found.crossing_per_s.unwrap() - 770.0).abs() < 2.5, "{found:?}");
    }

    #[test]
    fn what_lies_outside_is_not_invented() {
        let flat = mm1(&[0.1, 0.2, 0.3]);
        let found = knees(&flat, 1e9).unwrap();
        assert_eq!((found.power_is_inside, found.crossing_per_s), (false, None));
        assert_eq!(knees(&flat, 1e6).unwrap().crossing_per_s, None, "beyond from the first point");
        assert_eq!(knees(&flat[..2], 1e9), None);
    }
}
