//! The highest rate at which a percentile of latency stays within a limit.

mod plan;

use narrows_engine::Context;
use narrows_model::{Calibration, Measurement};
use narrows_observe::Watch;

pub use plan::{CalibratePlan, Ground, LogStream, planned_calibrate};

use crate::BlockError;

/// An answer and what it rests on.
#[derive(Debug, Clone)]
pub struct Calibrated {
    /// The answer, for `Run::calibrations`.
    pub calibration: Calibration,
    /// Its windows, for `Run::measurements`: validity rules judge them, and the answer falls with them.
    pub measurements: Vec<Measurement>,
}

/// Searches.
///
/// # Errors
/// [`BlockError::Stopped`] within 50 ms of being asked; [`BlockError::Scenario`] where the plan can't be run on this
/// ground; or what failed.
pub fn calibrate(
    ctx: &Context<'_>,
    ground: &Ground,
    watch: &Watch,
    plan: &CalibratePlan,
) -> Result<Calibrated, BlockError> {
    let _ = (ctx, ground, watch, plan);
    Err(narrows_engine::Stopped.into())
}
