//! The database beside its prediction: their ratio repeat by repeat, whether it is within the doubt, and whether that says anything.

use narrows_model::{CommitFigure, Interval, Measurement, metric};

use super::place::{Base, rate};

/// A place changes nothing that matters where all of the doubt lies so near to the first place's rate.
const NO_CHANGE: f64 = 0.1;

/// Measured over predicted.
#[derive(Debug, Default)]
pub struct Proof {
    /// `None` where the windows don't pair.
    pub ratio: Option<f64>,
    /// Of the repeats' ratios; what drifts falls out.
    pub interval_95: Option<Interval>,
    /// Whether it is one, within the joint doubt.
    pub agrees: Option<bool>,
    /// Whether the prediction could have failed: see [`Proof::there`].
    pub confirms: Option<bool>,
}

impl Proof {
    /// On the first place: the database over the emulation.
    pub fn first(base: &Base<'_>) -> Proof {
        let ratio = narrows_stats::paired_ratio(rates(base.database), rates(base.emulation));
        let ratio = ratio.map(|ratio| (ratio.value, ratio.interval_95));
        Proof::of(ratio.or_else(|| {
            Some((rate(base.database)?.rate_per_s / rate(base.emulation)?.rate_per_s, None))
        }))
    }

    /// On another place. It agrees where the ratio differs from one by no more than the joint doubt: the ratio's own scatter and what
    /// the emulation may miss of the database, in quadrature. It confirms where that doubt excludes the first place's rate too, so
    /// that a place without any effect would have been told from the predicted one; or where all of it is within a tenth of the first
    /// place's rate, so that no change is what was predicted and seen.
    pub fn there(
        base: &Base<'_>,
        emulation: &Measurement,
        database: &Measurement,
        predicted: &CommitFigure,
    ) -> Proof {
        let times =
            |a: &[f64], b: &[f64]| -> Vec<f64> { a.iter().zip(b).map(|(a, b)| a * b).collect() };
        let [measured, first] = [database, base.emulation].map(rates);
        let [own, there] = [base.database, emulation].map(rates);
        let paired = [first, own, there].iter().all(|side| side.len() == measured.len());
        let ratio = narrows_stats::paired_ratio(&times(measured, first), &times(own, there))
            .filter(|_| paired)
            .map(|ratio| (ratio.value, ratio.interval_95));
        let mut proof = Proof::of(ratio);
        let (Some((value, Some(interval))), Some(own)) = (ratio, rate(base.database)) else {
            return proof;
        };
        if value <= 0.0
            || interval.low <= 0.0
            || predicted.rate_per_s <= 0.0
            || own.rate_per_s <= 0.0
        {
            return proof;
        }
        // On logarithms: half as much is as far from one as twice as much.
        let scatter = (interval.high / value).ln().max((value / interval.low).ln());
        let doubt = scatter.hypot(base.doubt.ln_1p());
        let no_change = (own.rate_per_s / predicted.rate_per_s).ln().abs();
        let agrees = value.ln().abs() <= doubt;
        proof.agrees = Some(agrees);
        proof.confirms =
            Some(agrees && (no_change > doubt || no_change + doubt <= NO_CHANGE.ln_1p()));
        proof
    }

    fn of(ratio: Option<(f64, Option<Interval>)>) -> Proof {
        Proof {
            ratio: ratio.map(|(value, _)| value),
            interval_95: ratio.and_then(|(_, interval)| interval),
            ..Proof::default()
        }
    }
}

/// Commits per second in each repeat.
pub fn rates(m: &Measurement) -> &[f64] {
    m.metric(metric::THROUGHPUT).map_or(&[], |metric| &metric.samples)
}
