//! A figure with its doubt, and the arithmetic that carries the doubt along.
//!
//! Doubts are half widths of 95 % intervals, combined in quadrature as for independent errors (JCGM 100:2008,
//! 5.1.2). Demands and rates of one measurement share their repeats and are positively correlated, which
//! makes the result of a division too wide, never too narrow.

use narrows_model::{Interval, IntervalMethod, MetricValue};

use crate::threshold::{DOUBT_WITHOUT_INTERVAL, SMALLEST_RATIO};

/// A value and the half width of its 95 % interval, absent where no method gave one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// In the unit of what was measured.
    pub value: f64,
    /// Half the width of its 95 % interval, in the same unit.
    pub half: Option<f64>,
}

impl Estimate {
    /// Something counted or configured, without error.
    pub fn exact(value: f64) -> Self {
        Estimate { value, half: Some(0.0) }
    }

    /// A metric's value and interval. Zero in every repeat is known to be zero.
    pub fn of(metric: &MetricValue) -> Option<Self> {
        if !metric.value.is_finite() {
            return None;
        }
        let half = match &metric.interval_95 {
            Some(interval) => Some((interval.high - interval.low) / 2.0),
            None if metric.value == 0.0 => Some(0.0),
            None if is_constant(&metric.samples) => Some(0.0),
            None => None,
        };
        Some(Estimate { value: metric.value, half })
    }

    /// Half width over value.
    pub fn relative(&self) -> Option<f64> {
        if self.value == 0.0 {
            return self.half.filter(|half| *half == 0.0);
        }
        self.half.map(|half| (half / self.value).abs())
    }

    /// `self / divisor`; `None` for a divisor that is not above zero.
    pub fn over(&self, divisor: Estimate) -> Option<Estimate> {
        if divisor.value <= 0.0 {
            return None;
        }
        let value = self.value / divisor.value;
        let half = match (self.relative(), divisor.relative()) {
            (Some(a), Some(b)) => Some(value.abs() * a.hypot(b)),
            _ => None,
        };
        Some(Estimate { value, half })
    }

    /// Times a number without error.
    pub fn times(&self, factor: f64) -> Estimate {
        Estimate { value: self.value * factor, half: self.half.map(|half| half * factor.abs()) }
    }

    /// The sum. A part without an interval counts with all of itself as its doubt, which hardly matters
    /// for the small parts that usually lack one and is honest about a large one.
    pub fn sum(parts: impl Iterator<Item = Estimate>) -> Estimate {
        let (mut value, mut square) = (0.0, 0.0);
        for part in parts {
            value += part.value;
            square += part.half.unwrap_or(part.value).powi(2);
        }
        Estimate { value, half: Some(square.sqrt()) }
    }

    /// The interval, marked as carried through.
    pub fn interval(&self) -> Option<Interval> {
        let half = self.half?;
        Some(Interval {
            low: (self.value - half).max(0.0),
            high: self.value + half,
            method: IntervalMethod::Propagated,
        })
    }

    /// Whether the interval of the ratio of the two excludes 1.
    pub fn differs_from(&self, other: &Estimate) -> bool {
        if self.value <= 0.0 || other.value <= 0.0 {
            return self.value != other.value;
        }
        let ratio = (self.value / other.value).max(other.value / self.value);
        let a = self.relative().unwrap_or(DOUBT_WITHOUT_INTERVAL);
        let b = other.relative().unwrap_or(DOUBT_WITHOUT_INTERVAL);
        ratio > SMALLEST_RATIO.max(1.0 + a.hypot(b))
    }
}

fn is_constant(samples: &[f64]) -> bool {
    samples.len() > 1 && samples.windows(2).all(|pair| pair[0] == pair[1])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(value: f64, half: f64) -> Estimate {
        Estimate { value, half: Some(half) }
    }

    #[test]
    fn relative_doubts_add_in_quadrature() {
        let ratio = with(100.0, 3.0).over(with(50.0, 2.0)).unwrap();
        assert_eq!(ratio.value, 2.0);
        assert!((ratio.half.unwrap() - 2.0 * 0.05).abs() < 1e-12);
    }

    #[test]
    fn a_part_without_an_interval_is_doubted_entirely() {
        let parts = [with(100.0, 3.0), Estimate { value: 4.0, half: None }];
        let sum = Estimate::sum(parts.into_iter());
        assert_eq!(sum.value, 104.0);
        assert_eq!(sum.half, Some(5.0));
    }

    #[test]
    fn two_figures_without_intervals_need_a_third_between_them() {
        let bare = |value| Estimate { value, half: None };
        assert!(!bare(100.0).differs_from(&bare(130.0)));
        assert!(bare(100.0).differs_from(&bare(140.0)));
        assert!(with(100.0, 0.5).differs_from(&with(107.0, 0.5)));
        assert!(!with(100.0, 0.0).differs_from(&with(104.0, 0.0)), "the sum is good to 5 % only");
    }

    #[test]
    fn dividing_by_nothing_gives_nothing() {
        assert_eq!(with(1.0, 0.0).over(Estimate::exact(0.0)), None);
    }
}
