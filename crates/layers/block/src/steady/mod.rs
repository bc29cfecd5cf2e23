//! Whether a rate of writes lasts: the region written through, then rounds of one workload until the criteria of SNIA's
//! Performance Test Specification are met, or can't be met within the budget of bytes.
//!
//! The criteria are the engine's ([`narrows_engine::SteadyState`]); here they get real rounds. Not here: whether a device may be
//! written, and which device lies below a file (the caller knows the capacity). Method: the book's chapter "Steady state".

mod plan;
mod rounds;
mod state;
mod through;
mod words;

use narrows_engine::Context;
use narrows_engine::steady_state::SteadyVerdict;
use narrows_model::{Measurement, Series, Unit, condition};
use narrows_observe::Watch;
use serde_json::json;

pub use plan::{SteadyPlan, planned_steady};
pub(crate) use state::with_role_and_state;
pub use state::write_state;

use crate::BlockError;
use crate::scenario::Region;

/// What the rounds showed.
#[derive(Debug, Clone)]
pub struct Steadied {
    /// Word, reason, and the drift of every window of five rounds.
    pub verdict: SteadyVerdict,
    /// In one sentence.
    pub sentence: String,
    /// Bytes written through before the first round.
    pub precondition_bytes: u64,
    /// One measurement with a repeat per round, `block.steady.…`, its condition `write_state` the verdict's word.
    pub measurements: Vec<Measurement>,
}

/// Writes through, then repeats rounds until the rate is steady or can't be shown to be. The region is overwritten.
///
/// # Errors
/// [`BlockError::Stopped`] within a fraction of a second of being asked; [`BlockError::Scenario`] where the plan can't be run on
/// this region; or what failed.
pub fn steady(
    ctx: &Context<'_>,
    region: &Region,
    watch: &Watch,
    plan: &SteadyPlan,
) -> Result<Steadied, BlockError> {
    plan.check(region)?;
    let (precondition_bytes, _) = through::through(ctx, region, plan)?;
    let rounds = rounds::rounds(ctx, region, watch, plan, precondition_bytes)?;
    let verdict = rounds.verdict;
    let mut measurement = rounds.record.into_measurement(plan.id(), &rounds.stream);
    let sentence = words::sentence(&verdict, measurement.repeats as usize);
    measurement.workload.insert(condition::PRECONDITION_BYTES, json!(precondition_bytes));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::ROLE, json!("data"));
    conditions.insert(condition::WRITE_STATE, json!(verdict.state.word()));
    if let Some(bytes) = verdict.written_bytes {
        conditions.insert(condition::WRITTEN_BYTES, json!(bytes));
    }
    if let Some(share) = verdict.written_share {
        conditions.insert(condition::WRITTEN_OVER_CAPACITY, json!(share));
    }
    if let Some((range, capacity)) = verdict.range_of_bytes {
        let share = range as f64 / capacity as f64;
        conditions.insert(condition::RANGE_OVER_CAPACITY, json!(share));
    }
    measurement.series.extend(drift(&verdict));
    Ok(Steadied { verdict, sentence, precondition_bytes, measurements: vec![measurement] })
}

/// Range and slope of every five rounds, as shares of their mean, by the number of their first round.
fn drift(verdict: &SteadyVerdict) -> Vec<Series> {
    let x: Vec<f64> = verdict.windows.iter().map(|window| window.first_round as f64).collect();
    if x.is_empty() {
        return Vec::new();
    }
    let series = |name: &str, values: Vec<f64>| Series {
        name: name.to_string(),
        unit: Unit::Ratio,
        repeat: 0,
        t0_ns: 0,
        interval_ns: 0,
        x: x.clone(),
        values,
    };
    vec![
        series("drift.range", verdict.windows.iter().map(|w| w.steady.range_share).collect()),
        series("drift.slope", verdict.windows.iter().map(|w| w.steady.slope_share).collect()),
    ]
}
