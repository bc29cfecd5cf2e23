//! The highest rate at which a percentile of latency stays within a limit, measured.
//!
//! The stages in their order: what the generator reaches without a device ([`ramp::generator`]); the closed loop by depth, for
//! the latency of one operation alone and the ceiling ([`ramp()`]); 1 MiB reads ([`large()`]); the search by open loops
//! ([`search()`], which drives [`narrows_engine::RateSearch`]); the curve ([`curve()`]); the closed loop once more
//! ([`again()`]). All windows go on in the blocks where the one before ended, each with a seed of its own.
//!
//! Not here: what a window must show to pass (the engine), whether the figures are true (validity rules; the answer names the
//! measurements it [rests on](Calibration::rests_on)), files and consent (the caller). Method: the book's chapter "Calibrate".

mod again;
mod answer;
mod bench;
mod bound;
mod curve;
mod disturbance;
mod large;
mod plan;
mod ramp;
mod search;
pub(crate) mod seen;
mod windows;
mod words;

use narrows_engine::Context;
use narrows_model::{Calibration, Measurement};
use narrows_observe::Watch;

pub use plan::{CalibratePlan, CalibrationTarget, LogStream, planned_calibrate};

use crate::BlockError;
use again::again;
use answer::{Stages, answer};
use bench::Bench;
use curve::curve;
use large::large;
use ramp::ramp;
use search::search;

/// An answer and what it rests on.
#[derive(Debug, Clone)]
pub struct Calibrated {
    /// The answer, for `Run::calibrations`.
    pub calibration: Calibration,
    /// Its windows, for `Run::measurements`: validity rules judge them, and the answer falls with them.
    pub measurements: Vec<Measurement>,
}

/// Searches for the highest rate at which `plan.goal` is kept on `target`.
///
/// Ends within `plan.budget`, whatever is decided by then, as long as windows last no longer than asked. How a search ended
/// without an answer is no error: [`Calibration::end`] says it.
///
/// # Errors
/// [`BlockError::Stopped`] within a fraction of a second of being asked; [`BlockError::Scenario`] where the plan can't be run on
/// this target (it writes what may only be read, has a log and no place for it); or what failed.
pub fn calibrate(
    ctx: &Context<'_>,
    target: &CalibrationTarget,
    watch: &Watch,
    plan: &CalibratePlan,
) -> Result<Calibrated, BlockError> {
    plan.check(target)?;
    let mut bench = Bench::new(ctx, target, watch, plan);
    let id = plan.id();
    let generator_per_s = ramp::generator(&mut bench)?;
    let ramp = ramp(&mut bench)?;
    let large = if plan.large { large(&mut bench, &id)? } else { None };
    if ramp.ceiling_per_s <= 0.0 {
        return Err(BlockError::Scenario {
            stream: "load".to_string(),
            reason: "no operation completed in the closed loop's windows".to_string(),
            hint: "allow more time (--minutes), or see the kernel log (dmesg)",
        });
    }
    let searched = search(&mut bench, &ramp)?;
    let around = searched.outcome.passed_per_s().unwrap_or(ramp.ceiling_per_s);
    let curve = curve(&mut bench, &ramp, around, searched.outcome.kept_per_s(), &id)?;
    let again = again(&mut bench, (&ramp, large.as_ref()), &id)?;
    Ok(answer(plan, Stages { generator_per_s, ramp, large, searched, curve, again }))
}
