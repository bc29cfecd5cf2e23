//! What was promised of the cause that was named first, and what came.
//!
//! A cause bounds what its end can give: it never says what will come. A bound that was exceeded says that something else changed too, or
//! that what went had slowed other statements as well: the law has no word for work that gets in each other's way.

use narrows_model::{CauseShare, Interval};
use serde::Serialize;

use super::causes::of;
use super::{CauseChange, CauseFate, LoadChange, LoadKind, Observed, ObservedFigure};

/// A share of which nothing is left bounds nothing.
const WHOLE: f64 = 0.999;

/// By which figure a promise is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PromisedOf {
    /// Transactions per second: sessions that ask again as soon as before.
    Rate,
    /// Time per transaction: clients that choose the rate.
    Time,
    /// CPU time per transaction, likewise.
    Cpu,
}

impl PromisedOf {
    /// As it is printed.
    pub fn words(self) -> &'static str {
        match self {
            PromisedOf::Rate => "transactions per second",
            PromisedOf::Time => "time per transaction",
            PromisedOf::Cpu => "CPU time per transaction",
        }
    }
}

/// How what came stands to what was promised.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BoundOutcome {
    /// It came, within the bound.
    Within,
    /// More came than the bound allows.
    Exceeded,
    /// Nothing came that the looks could tell from none.
    NoGain,
    /// It got worse.
    Worse,
    /// The looks can't tell.
    Unknown,
}

/// A bound and what came, both as factors: how many times the rate, or by how many times a transaction's time is shorter.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Promise {
    /// The rule's id.
    pub cause: String,
    /// Its sentence before.
    pub summary: String,
    /// What became of it.
    pub fate: CauseFate,
    /// By which figure it is measured.
    pub of: PromisedOf,
    /// The bound.
    pub at_most: f64,
    /// What came; absent where a look lacks the figure.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub came: Option<f64>,
    /// Its 95 % interval over the windows of both looks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub came_95: Option<Interval>,
    /// How they stand to each other.
    pub outcome: BoundOutcome,
}

/// `None` where no cause was named, or where the one named first bounds nothing, or the statements are others.
pub(super) fn promise(
    base: &Observed<'_>,
    causes: &[CauseChange],
    figures: &[ObservedFigure],
    load: &LoadChange,
    can_tell: bool,
) -> Option<Promise> {
    let cause = of(base.run, &base.of.measurement).into_iter().next()?;
    let fate = causes.iter().find(|change| change.base_place == Some(1))?.fate;
    let shorter = cause.share.filter(|(_, share)| (0.0..WHOLE).contains(share));
    let shorter = shorter.map(|(of, share)| (of, 1.0 / (1.0 - share)));
    let faster = cause.gain_at_most.filter(|gain| gain.is_finite() && *gain > 0.0);
    let faster = faster.map(|gain| 1.0 + gain);
    let time = |least: Option<f64>| {
        let (of, at_most) = shorter?;
        let of = match of {
            CauseShare::SessionTime => PromisedOf::Time,
            CauseShare::Cpu => PromisedOf::Cpu,
            CauseShare::Reads | CauseShare::Wal => return None,
        };
        // The bound of the rate holds the error of its samples; without it that of a time does not.
        Some((of, least.map_or(at_most, |least| at_most.max(least))))
    };
    let (of, at_most) = match load.kind {
        LoadKind::ClosedLoop => faster.map(|most| (PromisedOf::Rate, most)).or_else(|| time(None)),
        LoadKind::SameRate | LoadKind::OtherRate => time(faster),
        LoadKind::OtherStatements | LoadKind::Unknown => None,
    }?;
    let name = match of {
        PromisedOf::Rate => ObservedFigure::RATE,
        PromisedOf::Time => ObservedFigure::TIME,
        PromisedOf::Cpu => ObservedFigure::CPU,
    };
    let figure = figures.iter().find(|figure| figure.name == name);
    let ratio = figure.and_then(|figure| figure.ratio).filter(|ratio| *ratio > 0.0);
    let ratio_95 = figure.and_then(|figure| figure.ratio_95);
    let (came, came_95) = match of {
        PromisedOf::Rate => (ratio, ratio_95),
        PromisedOf::Time | PromisedOf::Cpu => {
            (ratio.map(|ratio| 1.0 / ratio), ratio_95.map(turned))
        }
    };
    let outcome = if can_tell { outcome(came, came_95, at_most) } else { BoundOutcome::Unknown };
    Some(Promise {
        cause: cause.id.clone(),
        summary: cause.summary.clone(),
        fate,
        of,
        at_most,
        came,
        came_95,
        outcome,
    })
}

/// How many times as short.
fn turned(ratio: Interval) -> Interval {
    Interval { low: 1.0 / ratio.high, high: 1.0 / ratio.low, method: ratio.method }
}

fn outcome(came: Option<f64>, came_95: Option<Interval>, at_most: f64) -> BoundOutcome {
    let (Some(came), Some(interval)) = (came, came_95) else { return BoundOutcome::Unknown };
    if interval.low > at_most {
        BoundOutcome::Exceeded
    } else if interval.low > 1.0 {
        BoundOutcome::Within
    } else if interval.high < 1.0 {
        BoundOutcome::Worse
    } else if came.is_finite() && interval.high < at_most {
        BoundOutcome::NoGain
    } else {
        BoundOutcome::Unknown
    }
}

#[cfg(test)]
mod tests {
    use narrows_model::IntervalMethod;

    use super::*;

    #[test]
    fn what_came_is_held_against_the_bound_by_its_interval() {
        let of = |low: f64, high: f64, most: f64| {
            let interval = Interval { low, high, method: IntervalMethod::Propagated };
            outcome(Some((low + high) / 2.0), Some(interval), most)
        };
        assert_eq!(of(3.3, 3.9, 4.1), BoundOutcome::Within);
        // Across the bound is not beyond it.
        assert_eq!(of(3.9, 4.4, 4.1), BoundOutcome::Within);
        assert_eq!(of(4.2, 4.4, 4.1), BoundOutcome::Exceeded);
        assert_eq!(of(0.97, 1.05, 4.1), BoundOutcome::NoGain);
        assert_eq!(of(0.5, 0.7, 4.1), BoundOutcome::Worse);
        // So wide that it may be all of it or nothing.
        assert_eq!(of(0.7, 6.0, 4.1), BoundOutcome::Unknown);
        assert_eq!(outcome(Some(3.0), None, 4.1), BoundOutcome::Unknown);
        let half = turned(Interval { low: 0.25, high: 0.5, method: IntervalMethod::Propagated });
        assert_eq!((half.low, half.high), (2.0, 4.0));
    }
}
