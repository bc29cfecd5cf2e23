//! A figure of both looks, and whether it changed: by the 95 % intervals that the windows of each look give.
//!
//! The interval of a ratio follows from those of its parts on logarithms, that of a difference from them as they are (method of variance
//! estimates recovery). Source: Zou and Donner, *Statistics in Medicine* 27, 2008. It assumes independent looks and no law of the windows
//! beyond that which gave the intervals.

use narrows_model::{Interval, IntervalMethod, Unit};
use serde::Serialize;

/// What differs by less is as good as the same between two looks, where nobody asked for a larger margin.
pub(crate) const LEAST_MARGIN: f64 = 0.1;

/// A figure with its interval.
pub(crate) type Value = (f64, Option<Interval>);

/// Whether a figure changed from one look to the other.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Changed {
    /// It grew.
    Up,
    /// It fell.
    Down,
    /// It differs by less than the margin, if at all.
    Same,
    /// The intervals allow either, or there is none.
    Unknown,
}

impl Changed {
    /// As it is printed.
    pub fn word(self) -> &'static str {
        match self {
            Changed::Up => "up",
            Changed::Down => "down",
            Changed::Same => "same",
            Changed::Unknown => "unknown",
        }
    }
}

/// A figure of both looks.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ObservedFigure {
    /// What it is.
    pub name: String,
    /// Unit of the values.
    pub unit: Unit,
    /// Of the first look.
    pub base: f64,
    /// Its 95 % interval over the windows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base_95: Option<Interval>,
    /// Of the other.
    pub other: f64,
    /// Its 95 % interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub other_95: Option<Interval>,
    /// The other over the first; absent where the first is nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// Its 95 % interval; absent where a look has none, or one that reaches zero.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ratio_95: Option<Interval>,
    /// What can be said of it.
    pub changed: Changed,
}

impl ObservedFigure {
    /// The name of the rate.
    pub const RATE: &'static str = "transactions per second";
    /// The name of a transaction's time.
    pub const TIME: &'static str = "time per transaction";
    /// The name of its CPU time.
    pub const CPU: &'static str = "CPU time per transaction";

    /// `None` where a look lacks it.
    pub(crate) fn of(
        name: &str,
        unit: Unit,
        base: Option<Value>,
        other: Option<Value>,
        margin: f64,
    ) -> Option<ObservedFigure> {
        let ((a, a_95), (b, b_95)) = (base?, other?);
        if !(a.is_finite() && b.is_finite()) {
            return None;
        }
        // An interval around another figure says nothing of this one.
        let around = |value: f64, interval: Option<Interval>| {
            interval.filter(|i| i.low <= value && value <= i.high)
        };
        let (base_95, other_95) = (around(a, a_95), around(b, b_95));
        let ratio_95 = ratio((a, base_95), (b, other_95));
        Some(ObservedFigure {
            name: name.to_string(),
            unit,
            base: a,
            base_95,
            other: b,
            other_95,
            ratio: (a > 0.0).then(|| b / a),
            ratio_95,
            changed: changed(ratio_95, difference((a, base_95), (b, other_95)), margin),
        })
    }

    /// The same, or without a word where one of the looks can't tell.
    pub(crate) fn told(self, can_tell: bool) -> ObservedFigure {
        let changed = if can_tell { self.changed } else { Changed::Unknown };
        ObservedFigure { changed, ..self }
    }
}

fn changed(ratio: Option<Interval>, difference: Option<(f64, f64)>, margin: f64) -> Changed {
    if let Some(ratio) = ratio
        && ratio.high <= 1.0 + margin
        && ratio.low >= 1.0 / (1.0 + margin)
    {
        return Changed::Same;
    }
    match (ratio, difference) {
        (Some(ratio), _) if ratio.low > 1.0 => Changed::Up,
        (Some(ratio), _) if ratio.high < 1.0 => Changed::Down,
        (None, Some((low, _))) if low > 0.0 => Changed::Up,
        (None, Some((_, high))) if high < 0.0 => Changed::Down,
        _ => Changed::Unknown,
    }
}

/// The interval of `b / a`.
fn ratio((a, a_95): Value, (b, b_95): Value) -> Option<Interval> {
    let (a_95, b_95) = (a_95?, b_95?);
    if a_95.low <= 0.0 || b_95.low <= 0.0 {
        return None;
    }
    let down = |value: f64, interval: Interval| (value / interval.low).ln();
    let up = |value: f64, interval: Interval| (interval.high / value).ln();
    let centre = (b / a).ln();
    let low = centre - down(b, b_95).hypot(up(a, a_95));
    let high = centre + up(b, b_95).hypot(down(a, a_95));
    Some(Interval { low: low.exp(), high: high.exp(), method: IntervalMethod::Propagated })
}

/// The ends of `b - a`. A part that is nothing has no interval, and none to add.
fn difference((a, a_95): Value, (b, b_95): Value) -> Option<(f64, f64)> {
    let ends = |value: f64, interval: Option<Interval>| match interval {
        Some(interval) => Some((interval.low, interval.high)),
        None => (value == 0.0).then_some((0.0, 0.0)),
    };
    let ((a_low, a_high), (b_low, b_high)) = (ends(a, a_95)?, ends(b, b_95)?);
    let centre = b - a;
    Some((centre - (b - b_low).hypot(a_high - a), centre + (b_high - b).hypot(a - a_low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(value: f64, half: f64) -> Option<Value> {
        let interval =
            Interval { low: value - half, high: value + half, method: IntervalMethod::MeanT };
        Some((value, Some(interval)))
    }

    fn of(base: Option<Value>, other: Option<Value>) -> ObservedFigure {
        ObservedFigure::of("x", Unit::NsPerOp, base, other, LEAST_MARGIN).unwrap()
    }

    #[test]
    fn intervals_of_both_looks_decide() {
        assert_eq!(of(value(100.0, 10.0), value(150.0, 10.0)).changed, Changed::Up);
        assert_eq!(of(value(150.0, 10.0), value(100.0, 10.0)).changed, Changed::Down);
        assert_eq!(of(value(100.0, 30.0), value(130.0, 30.0)).changed, Changed::Unknown);
        assert_eq!(of(value(100.0, 2.0), value(103.0, 2.0)).changed, Changed::Same);
        // As alike, but so wide that it could be a fifth.
        assert_eq!(of(value(100.0, 12.0), value(103.0, 12.0)).changed, Changed::Unknown);
        assert_eq!(of(Some((100.0, None)), Some((900.0, None))).changed, Changed::Unknown);
        assert_eq!(of(value(100.0, 1.0), value(900.0, 1.0)).told(false).changed, Changed::Unknown);
        assert_eq!(ObservedFigure::of("x", Unit::Count, None, value(1.0, 0.1), 0.1), None);
        assert_eq!(
            ObservedFigure::of("x", Unit::Count, Some((f64::NAN, None)), value(1.0, 0.1), 0.1),
            None
        );
    }

    #[test]
    fn the_interval_of_a_ratio_comes_out_by_hand() {
        let with = |value, low, high| {
            Some((value, Some(Interval { low, high, method: IntervalMethod::LogT })))
        };
        // Half a factor of 2 on both sides: the logarithms' halves are ln 2 each, together ln 2 times the root of 2.
        let figure = of(with(10.0, 5.0, 20.0), with(40.0, 20.0, 80.0));
        let interval = figure.ratio_95.unwrap();
        let half = 2f64.ln() * 2f64.sqrt();
        assert!((interval.low / (4.0 * (-half).exp()) - 1.0).abs() < 1e-12);
        assert!((interval.high / (4.0 * half.exp()) - 1.0).abs() < 1e-12);
        assert_eq!(figure.ratio, Some(4.0));
    }

    #[test]
    fn what_comes_and_goes_has_a_difference_and_no_ratio() {
        let gone = of(value(50.0, 5.0), Some((0.0, None)));
        assert_eq!((gone.changed, gone.ratio_95), (Changed::Down, None));
        let came = of(Some((0.0, None)), value(50.0, 5.0));
        assert_eq!((came.changed, came.ratio), (Changed::Up, None));
        let hardly = of(value(50.0, 60.0), Some((0.0, None)));
        assert_eq!(hardly.changed, Changed::Unknown);
        // An interval of something else is none.
        let (low, high) = (200.0, 300.0);
        let odd = Some((50.0, Some(Interval { low, high, method: IntervalMethod::MeanT })));
        assert_eq!(of(odd, value(500.0, 1.0)).changed, Changed::Unknown);
    }
}
