//! What is set beside what, how long that takes, and how much it may write: decided and printed before the first operation.

use std::time::Duration;

use narrows_io::Access;
use narrows_model::{Layer, PlannedStep};
use narrows_units::Bytes;

use super::background_load::BACKGROUND_LOADS;
use crate::BlockError;
use crate::describe::size_word;
use crate::scenario::Region;

/// Of the most that a closed loop of reads reaches alone, what the columns ask for.
pub(super) const READ_SHARES: [f64; 5] = [0.1, 0.3, 0.5, 0.7, 0.9];
/// Part of a window that goes before it as warm-up.
pub(super) const WARM_UP: f64 = 0.2;
/// Starting threads, filling buffers, sentinels, counters: what a window takes besides, s.
const OVERHEAD_S: f64 = 0.08;
/// Windows of the closed loops, at most.
const PROBES: f64 = 18.0;
/// Fill is planned with that.
const FILL_BYTES_PER_S: f64 = 400e6;
/// A window this short holds too few operations for a percentile.
const SHORTEST: Duration = Duration::from_millis(20);
/// Less than that is no stream.
const LEAST_BUDGET: u64 = 64 << 20;

/// What to set beside what.
#[derive(Debug, Clone)]
pub struct InterferencePlan {
    /// Bytes of a read, a random write and a write of the log.
    pub block_bytes: u32,
    /// Windows of each cell; each round visits all cells, in an order of its own.
    pub rounds: u32,
    /// Length of a window.
    pub window: Duration,
    /// Most bytes that all windows may write; where it is little, the writes are slower than their share.
    pub budget_bytes: u64,
    /// By which way to the device.
    pub access: Access,
    /// Drives under the target: the search for the reads' ceiling goes deeper with each.
    pub drives: u32,
    /// Processors the threads are bound to; empty: wherever the process may run.
    pub cpus: Vec<u32>,
}

impl Default for InterferencePlan {
    /// 8 KiB, three rounds in three minutes, 16 GiB at most, the best way.
    fn default() -> Self {
        InterferencePlan {
            block_bytes: 8192,
            rounds: 3,
            window: Duration::ZERO,
            budget_bytes: 16 << 30,
            access: Access::best(),
            drives: 1,
            cpus: Vec::new(),
        }
        .within(Duration::from_secs(180))
    }
}

impl InterferencePlan {
    /// The same with so much time for all, writing the files not counted.
    #[must_use]
    pub fn within(mut self, budget: Duration) -> Self {
        let windows = self.windows() as f64 + PROBES / 8.0;
        let each_s = budget.as_secs_f64() / windows - OVERHEAD_S;
        self.window = Duration::from_secs_f64((each_s / (1.0 + WARM_UP)).max(0.0)).max(SHORTEST);
        self
    }

    /// `block.interference.read.8k`: measurements begin with it.
    pub fn id(&self) -> String {
        format!("block.interference.read.{}", size_word(self.block_bytes))
    }

    /// One window of a closed loop.
    pub(super) fn probe(&self) -> Duration {
        (self.window / 8).clamp(SHORTEST, Duration::from_millis(400))
    }

    fn windows(&self) -> usize {
        READ_SHARES.len() * BACKGROUND_LOADS.len() * self.rounds as usize
    }

    /// Whether it can be run on `ground`.
    pub(super) fn check(&self, ground: &InterferenceGround) -> Result<(), BlockError> {
        let refuse = |reason: &str, hint| {
            Err(BlockError::Scenario { stream: self.id(), reason: reason.to_string(), hint })
        };
        if self.rounds == 0 {
            return refuse("it has no rounds", "give one at least");
        }
        if self.budget_bytes < LEAST_BUDGET {
            return refuse(
                "it may write less than 64 MiB",
                "allow more (--budget 1g), or calibrate reads alone",
            );
        }
        if !ground.writes.writable() || !ground.log.writable() {
            return refuse(
                "it writes, and its target may only be read",
                "let narrows make the files, or consent to writing to the device",
            );
        }
        if ground.writes.overlaps(&ground.reads) || ground.log.overlaps(&ground.reads) {
            return refuse("what is written lies in what is read", "give each a region of its own");
        }
        Ok(())
    }
}

/// Where it is measured. Whoever made the files removes them.
#[derive(Debug, Clone)]
pub struct InterferenceGround {
    /// Read at random.
    pub reads: Region,
    /// Written at random.
    pub writes: Region,
    /// Written in order, round and round, each write made durable.
    pub log: Region,
}

/// The steps, with the longest they take and the most they write; `file_bytes` is what the files that are written first
/// hold, zero where there is nothing to write.
pub fn planned_interference(plan: &InterferencePlan, file_bytes: u64) -> Vec<PlannedStep> {
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Block,
        what,
        expected_s,
        writes_bytes,
    };
    let mut steps = Vec::new();
    if file_bytes > 0 {
        let fill_s = file_bytes as f64 / FILL_BYTES_PER_S;
        steps.push(step(format!("write files of {}", Bytes(file_bytes)), fill_s, file_bytes));
    }
    let each_s = |window: Duration| window.as_secs_f64() * (1.0 + WARM_UP) + OVERHEAD_S;
    let what = "reads, writes and WAL-like stream, each alone in a closed loop".to_string();
    steps.push(step(what, PROBES * each_s(plan.probe()), plan.budget_bytes / 8));
    let what = format!(
        "reads at {} rates, alone and beside {} streams of writes, {} windows",
        READ_SHARES.len(),
        BACKGROUND_LOADS.len() - 1,
        plan.windows()
    );
    let grid_s = plan.windows() as f64 * each_s(plan.window);
    steps.push(step(what, grid_s, plan.budget_bytes - plan.budget_bytes / 8));
    steps
}
