//! The ratio of two sums over the rounds, for figures of which one round alone is rough or may be zero.

use narrows_model::{Interval, IntervalMethod};
use narrows_stats::{RatioEstimate, mean_interval_95};

/// The sum of `over` by the sum of `under`, round by round of the same stretch of time. The interval is Student's t on what
/// the rounds deviate from that ratio (Cochran, *Sampling Techniques*, 3rd ed., 6.4). `None` for sides that lack rounds,
/// and where what is below isn't surely above zero: a ratio to it would be noise by noise.
pub(crate) fn pooled_ratio(over: &[f64], under: &[f64]) -> Option<RatioEstimate> {
    if over.len() != under.len() || mean_interval_95(under)?.0 <= 0.0 {
        return None;
    }
    let below: f64 = under.iter().sum();
    let value = over.iter().sum::<f64>() / below;
    let off: Vec<f64> = over.iter().zip(under).map(|(a, b)| a - value * b).collect();
    let (low, high) = mean_interval_95(&off)?;
    let half = (high - low) / 2.0 / (below / under.len() as f64);
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
        assert!((interval.high - ratio.value - 2.571 * (4.0_f64 / 30.0).sqrt() / 4.0).abs() < 1e-3);
        assert!(interval.low > 0.0);
    }

    #[test]
    fn nothing_is_divided_by_what_may_be_nothing() {
        assert!(pooled_ratio(&[1.0; 6], &[0.0; 6]).is_none());
        assert!(pooled_ratio(&[1.0; 6], &[1.0, -1.0, 1.0, -1.0, 1.0, 0.5]).is_none());
        assert!(pooled_ratio(&[1.0], &[1.0]).is_none() && pooled_ratio(&[], &[]).is_none());
    }
}
