//! The ratio of two sums over the rounds, for figures of which one round alone is rough or may be zero.

use narrows_model::{Interval, IntervalMethod};
use narrows_stats::RatioEstimate;

use super::ROUNDS;

/// Student's t, 97.5 %, for as many rounds as there are, less one.
const T_975: f64 = 2.571;
const _: () = assert!(ROUNDS == 6, "the quantile above is for six rounds");

/// The sum of `over` by the sum of `under`, round by round of the same stretch of time. The interval is Student's t on what
/// the rounds deviate from that ratio (Cochran, *Sampling Techniques*, 3rd ed., 6.4). `None` for sides that lack rounds,
/// or nothing below.
pub(crate) fn pooled_ratio(over: &[f64], under: &[f64]) -> Option<RatioEstimate> {
    let rounds = ROUNDS as usize;
    let below: f64 = under.iter().sum();
    if over.len() != rounds || under.len() != rounds || below <= 0.0 {
        return None;
    }
    let value = over.iter().sum::<f64>() / below;
    let squares: f64 = over.iter().zip(under).map(|(a, b)| (a - value * b).powi(2)).sum();
    let n = rounds as f64;
    let half = T_975 * (squares / (n - 1.0) / n).sqrt() / (below / n);
    let (low, high) = ((value - half).max(0.0), value + half);
    let interval = Interval { low, high, method: IntervalMethod::Propagated };
    Some(RatioEstimate { value, interval_95: Some(interval) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_of_nothing_count_too() {
        let ratio = pooled_ratio(&[0.0, 2.0, 1.0, 0.0, 2.0, 1.0], &[4.0; 6]).unwrap();
        let interval = ratio.interval_95.unwrap();
        assert!((ratio.value - 0.25).abs() < 1e-12);
        // Deviations of ±1 four times and 0 twice: 2.571 × √(4/5/6) / 4.
        assert!(
            (interval.high - ratio.value - 2.571 * (4.0_f64 / 30.0).sqrt() / 4.0).abs() < 1e-12
        );
        assert!(interval.low > 0.0);
        assert!(
            pooled_ratio(&[1.0; 6], &[0.0; 6]).is_none() && pooled_ratio(&[1.0], &[1.0]).is_none()
        );
    }
}
