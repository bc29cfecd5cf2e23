//! What is repeated until it lasts, and how much that may write: decided and printed before the first write.

use std::time::Duration;

use narrows_engine::steady_state::{Ending, MOST_ROUNDS};
use narrows_io::{Access, Op};
use narrows_model::{Layer, PlannedStep};
use narrows_units::Bytes;

use crate::BlockError;
use crate::describe::size_word;
use crate::scenario::{AccessPattern, Distribution, Mix, Region};

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
    pub place: AccessPattern,
    /// Operations in flight.
    pub depth: u32,
    /// Length of a round; SNIA's is 1min.
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

impl Default for SteadyPlan {
    /// 8 KiB random writes, 32 in flight, rounds of a minute, written through once, 64 GiB at most.
    fn default() -> Self {
        SteadyPlan {
            block_bytes: 8192,
            mix: Mix::only(Op::Write),
            place: AccessPattern::Random(Distribution::OnceEach),
            depth: 32,
            round: Duration::from_secs(60),
            ending: Ending::WhenShown,
            capacity_bytes: None,
            passes: 1.0,
            budget_bytes: 64 << 30,
            access: Access::best(),
            cpus: Vec::new(),
        }
    }
}

impl SteadyPlan {
    /// `block.steady.write.random.8k` and the like.
    pub fn id(&self) -> String {
        let what = match self.mix.single() {
            Some(_) => self.mix.word().to_string(),
            None => format!("mixed{}", (100.0 * (1.0 - self.write_share())).round()),
        };
        format!("block.steady.{what}.{}.{}", self.place.word(), size_word(self.block_bytes))
    }

    /// Of the operations, those that write.
    pub(super) fn write_share(&self) -> f64 {
        let all = self.mix.read + self.mix.write + self.mix.trim;
        f64::from(self.mix.write) / f64::from(all.max(1))
    }

    /// Whether it can be run on `region`.
    pub(super) fn check(&self, region: &Region) -> Result<(), BlockError> {
        let refuse = |reason: &str, hint| {
            Err(BlockError::Scenario { stream: self.id(), reason: reason.to_string(), hint })
        };
        if self.mix.write == 0 {
            return refuse("nothing in it writes, so that nothing wears", "give a share of writes");
        }
        if !region.writable() {
            return refuse(
                "its target may only be read",
                "let narrows make the file, or consent to writing to the device",
            );
        }
        if self.round < Duration::from_millis(100) {
            return refuse("its rounds are too short", "give a minute for a device");
        }
        if self.precondition_bytes(region.bytes()) >= self.budget_bytes {
            return refuse(
                "the budget of bytes is used up by writing the region through",
                "allow more bytes, or use a smaller file",
            );
        }
        Ok(())
    }

    /// What preconditioning writes, within the budget.
    pub fn precondition_bytes(&self, region_bytes: u64) -> u64 {
        let wanted = (region_bytes as f64 * self.passes.max(0.0)) as u64;
        wanted.min(self.budget_bytes)
    }
}
