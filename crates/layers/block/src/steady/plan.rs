//! What is repeated until it lasts, and how much that may write: decided and printed before the first write.

use std::time::Duration;

use narrows_engine::steady_state::{Ending, MOST_ROUNDS};
use narrows_io::Access;
use narrows_model::{Layer, PlannedStep};
use narrows_units::Bytes;

use crate::scenario::{Mix, Place};

/// Assumed while planning only.
const WRITE_BYTES_PER_S: f64 = 400e6;

/// What to repeat.
#[derive(Debug, Clone)]
pub struct SteadyPlan {
    /// Bytes of an operation.
    pub block_bytes: u32,
    /// What the operations do; a mix that writes, else nothing wears.
    pub mix: Mix,
    /// Where they go.
    pub place: Place,
    /// Operations in flight.
    pub depth: u32,
    /// Length of a round; SNIA's is a minute.
    pub round: Duration,
    /// When the rounds end.
    pub ending: Ending,
    /// Bytes of the medium: a device's own size; for a file that of the device below it. `None`: unknown.
    pub capacity_bytes: Option<u64>,
    /// How often the region is written through before the first round: SNIA's two for a device, one (at random places) for
    /// a file.
    pub passes: f64,
    /// Most bytes that preconditioning and rounds may write together.
    pub budget_bytes: u64,
    /// By which way to the device.
    pub access: Access,
    /// Processors the threads are bound to; empty: wherever the process may run.
    pub cpus: Vec<u32>,
}

/// The steps, with the longest they take and the most they write; `region_bytes` is the length of what is written
/// through, `file_bytes` what a file that is written first holds (zero for a device).
pub fn planned_steady(plan: &SteadyPlan, region_bytes: u64, file_bytes: u64) -> Vec<PlannedStep> {
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Block,
        what,
        expected_s,
        writes_bytes,
    };
    let mut steps = Vec::new();
    if file_bytes > 0 {
        let fill_s = file_bytes as f64 / WRITE_BYTES_PER_S;
        steps.push(step(format!("write a file of {}", Bytes(file_bytes)), fill_s, file_bytes));
    }
    let through = plan.precondition_bytes(region_bytes);
    let through_s = through as f64 / WRITE_BYTES_PER_S;
    steps.push(step(format!("write through: {}", Bytes(through)), through_s, through));
    let rounds = match plan.ending {
        Ending::After(rounds) => rounds,
        Ending::WhenShown => MOST_ROUNDS,
    };
    let rounds_s = rounds as f64 * plan.round.as_secs_f64();
    let writes = plan.budget_bytes.saturating_sub(through);
    steps.push(step(format!("up to {rounds} rounds until the rate lasts"), rounds_s, writes));
    steps
}

impl SteadyPlan {
    /// What preconditioning writes, within the budget.
    pub fn precondition_bytes(&self, region_bytes: u64) -> u64 {
        let wanted = (region_bytes as f64 * self.passes.max(0.0)) as u64;
        wanted.min(self.budget_bytes)
    }
}
