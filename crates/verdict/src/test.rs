//! Reading what an intervention did, against what the verdict and its rival had predicted.

use narrows_model::{Interval, Measurement, Run, Test, condition, metric};

use crate::analysis::Analysis;
use crate::choice::Choice;
use crate::intervention::Intervention;
use crate::prediction::{Prediction, predict, separating};

/// What a test said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The effect lies in what the verdict predicts and outside of what its rival predicts.
    Confirms,
    /// It lies outside of what the verdict predicts, and not on the way there from what its rival predicts.
    Contradicts,
    /// Its interval is too wide, or missing, or reaches into both predictions.
    Unclear,
}

/// A test that was made.
#[derive(Debug, Clone)]
pub(crate) struct Tested {
    pub record: Test,
    pub outcome: Outcome,
}

/// The best test in the run for this verdict, if one was made on valid measurements.
pub(crate) fn tested(analysis: &Analysis, choice: &Choice) -> Option<Tested> {
    let best_first = separating(analysis, choice).into_iter().map(|p| p.intervention);
    let others = Intervention::ALL;
    best_first.chain(others).find_map(|intervention| read(analysis, choice, intervention))
}

fn read(analysis: &Analysis, choice: &Choice, intervention: Intervention) -> Option<Tested> {
    let own_id = &analysis.demand.measurement.id;
    let m =
        analysis.run.measurement(&intervention.measurement_id(own_id)).filter(|m| m.usable())?;
    let prediction = predict(analysis, choice, intervention)?;
    let (effect, interval_95) = effect(analysis.run, m, analysis.demand.measurement)?;
    let outcome = outcome(&prediction, effect, interval_95);
    Some(Tested {
        record: Test {
            intervention: intervention.phrase().to_string(),
            measurement: m.id.to_string(),
            effect,
            interval_95,
            expected_low: prediction.verdict.low,
            expected_high: prediction.verdict.high,
            confirms: outcome == Outcome::Confirms,
        },
        outcome,
    })
}

/// The relative change of the rate and its interval: pair by pair where test and baseline were interleaved.
pub(crate) fn effect(
    run: &Run,
    test: &Measurement,
    own: &Measurement,
) -> Option<(f64, Option<Interval>)> {
    let after = test.metric(metric::THROUGHPUT)?;
    let ratio = match test.text(condition::BASELINE) {
        Some(id) => {
            let baseline = run.measurement(id).filter(|m| m.usable())?;
            let before = baseline.metric(metric::THROUGHPUT)?;
            narrows_stats::paired_ratio(&after.samples, &before.samples)
                .or_else(|| narrows_stats::ratio(&after.samples, &before.samples))
        }
        None => narrows_stats::ratio(&after.samples, &own.metric(metric::THROUGHPUT)?.samples),
    }?;
    let shifted = ratio.interval_95.map(|interval| Interval {
        low: interval.low - 1.0,
        high: interval.high - 1.0,
        method: interval.method,
    });
    Some((ratio.value - 1.0, shifted))
}

fn outcome(prediction: &Prediction, effect: f64, interval: Option<Interval>) -> Outcome {
    let Some(Interval { low, high, .. }) = interval else {
        return if prediction.verdict.excludes(effect, effect)
            && !prediction.rival.excludes(effect, effect)
        {
            Outcome::Contradicts
        } else {
            Outcome::Unclear
        };
    };
    // Between the two: the rate moved as the verdict says, but met something unknown on the way.
    let towards = prediction.rival.excludes(low, high)
        && prediction.verdict.same_side(&prediction.rival, effect);
    if prediction.verdict.excludes(low, high) && !towards {
        Outcome::Contradicts
    } else if prediction.verdict.contains(effect, effect) && prediction.rival.excludes(low, high) {
        Outcome::Confirms
    } else {
        Outcome::Unclear
    }
}
