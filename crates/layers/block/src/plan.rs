//! What the block layer will do: decided and printed before the first operation.

use std::time::Duration;

use narrows_engine::Context;
use narrows_io::{FILE_UNIT, Op};
use narrows_model::{Layer, PlannedStep};
use narrows_units::Bytes;

use crate::block_workload::{self, Depth, IoPath};
use crate::deepest;

/// Unmeasured lead-in of every window.
pub(crate) const WARM_UP: Duration = Duration::from_millis(100);
/// One probe of a search for the knee, after its own lead-in.
const PROBE: Duration = Duration::from_millis(200);
const QUICK_PROBE: Duration = Duration::from_millis(120);
/// Probes per depth, of which the best counts: others on the machine only ever lower a rate.
const PROBES: u32 = 2;
const QUICK_PROBES: u32 = 1;
pub(crate) const PROBE_WARM_UP: Duration = Duration::from_millis(40);
/// Starting threads, filling buffers, sentinels: the part of a window that is not I/O.
const OVERHEAD: Duration = Duration::from_millis(60);
/// Assumed while planning only.
const FILL_BYTES_PER_S: f64 = 500e6;
/// Of the probes that a search may make, the share that it makes, as on a small virtual machine: it ends where throughput stops growing.
const PROBES_MADE: f64 = 0.6;
/// Of a window, the share that writes need until they have written what they may, as there.
const WRITE_WINDOW: f64 = 0.7;
/// One thread per request: where io_uring is refused, a deeper search would measure the scheduler.
pub(crate) const MAX_BLOCKING_DEPTH: u32 = 128;
const WRITE_BUDGET: u64 = 64 << 30;
const QUICK_WRITE_BUDGET: u64 = 12 << 30;
/// The part of the budget that searches may use.
const PROBE_PART: u64 = 4;

/// What to measure with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockPlan {
    /// Threads of the server's path.
    pub sessions: u32,
    /// Deepest queue that the search for the knee tries; [`crate::deepest_by_drives`] says how deep is enough.
    pub max_depth: u32,
    /// Drives under the file: buffers in flight are allowed for each.
    pub drives: u32,
    /// Processors the threads are bound to; empty: wherever the process may run.
    pub cpus: Vec<u32>,
    /// Processors of several generator threads, one each, in this order ([`crate::generator_cpus`]); empty: those above.
    pub generator_cpus: Vec<u32>,
    /// Most bytes all writes together may write after the fill; `None`: 64 GiB, or 12 GiB for a sketch.
    pub write_budget_bytes: Option<u64>,
    /// Bytes that the device below the file holds; what writes are worth depends on it. `None`: unknown.
    pub capacity_bytes: Option<u64>,
    /// Beginnings of the ids to measure; empty: all.
    pub only: Vec<String>,
}

impl Default for BlockPlan {
    /// Eight sessions, depth up to 256, any processor, the usual budget.
    fn default() -> Self {
        BlockPlan {
            sessions: 8,
            max_depth: deepest::by_drives(1),
            drives: 1,
            cpus: Vec::new(),
            generator_cpus: Vec::new(),
            write_budget_bytes: None,
            capacity_bytes: None,
            only: Vec::new(),
        }
    }
}

impl BlockPlan {
    /// The deepest queue tried for blocks of that size.
    pub(crate) fn max_depth_of(&self, block_bytes: u32) -> u32 {
        self.max_depth.max(1).min(deepest::by_bytes(self.drives, block_bytes))
    }

    /// Most bytes that all writes together may write after the fill.
    pub(crate) fn budget_bytes(&self, quick: bool) -> u64 {
        self.write_budget_bytes.unwrap_or(if quick { QUICK_WRITE_BUDGET } else { WRITE_BUDGET })
    }

    /// What the windows of the writing workloads may write.
    pub(crate) fn write_allowance(&self, quick: bool, repeats: u32) -> WriteAllowance {
        let cells = cells(self, quick);
        let writing = cells.iter().filter(|cell| cell.op == Op::Write);
        let large = writing.clone().filter(|cell| u64::from(cell.block_bytes) >= FILE_UNIT);
        let (all, large) = (writing.count() as u64, large.count() as u64);
        let budget = self.budget_bytes(quick);
        let (left_bytes, windows) = (budget - budget / PROBE_PART, all * u64::from(repeats.max(1)));
        WriteAllowance {
            left_bytes,
            windows_left: windows,
            parts: all.checked_div(large).unwrap_or(1),
            reserve_bytes: left_bytes / windows.max(1) / 2,
        }
    }

    /// Most bytes that one step of a search may write.
    pub(crate) fn probe_write_bytes(&self, quick: bool) -> u64 {
        let probes: u64 = searches(self, quick)
            .iter()
            .filter(|(op, _)| *op == Op::Write)
            .map(|(_, probes)| u64::from(*probes))
            .sum();
        self.budget_bytes(quick) / PROBE_PART / probes.max(1)
    }
}

/// Bytes that windows may still write, shared out as they come: small blocks rarely need their part, and what they
/// leave goes to the large ones.
#[derive(Debug, Clone, Copy)]
pub(crate) struct WriteAllowance {
    left_bytes: u64,
    windows_left: u64,
    /// How many equal parts one window may take: as many workloads as there are for each one of large blocks.
    parts: u64,
    /// What no window takes from one to come, so that the last ones don't starve.
    reserve_bytes: u64,
}

impl WriteAllowance {
    /// Most bytes the next window may write.
    pub(crate) fn next_bytes(&self) -> u64 {
        let to_come = self.windows_left.saturating_sub(1);
        let free = self.left_bytes.saturating_sub(self.reserve_bytes * to_come);
        (self.parts * (self.left_bytes / self.windows_left.max(1))).min(free)
    }

    /// A window wrote so much.
    pub(crate) fn used(&mut self, bytes: u64) {
        self.left_bytes = self.left_bytes.saturating_sub(bytes);
        self.windows_left = self.windows_left.saturating_sub(1);
    }
}

pub(crate) fn cells(plan: &BlockPlan, quick: bool) -> Vec<block_workload::BlockWorkload> {
    let mut cells = block_workload::catalogue(plan.sessions.max(1), quick);
    let wanted = |id: &str| plan.only.iter().any(|only| id.starts_with(only.as_str()));
    cells.retain(|cell| plan.only.is_empty() || wanted(&cell.id));
    cells
}

/// Direction and most probes of each search.
fn searches(plan: &BlockPlan, quick: bool) -> Vec<(Op, u32)> {
    cells(plan, quick)
        .iter()
        .filter(|cell| cell.depth == Depth::Knee)
        .map(|cell| {
            let depths = plan.max_depth_of(cell.block_bytes).ilog2() + 2;
            (cell.op, depths * probes_per_depth(quick))
        })
        .collect()
}

pub(crate) fn probe_length(quick: bool) -> Duration {
    if quick { QUICK_PROBE } else { PROBE }
}

pub(crate) fn probes_per_depth(quick: bool) -> u32 {
    if quick { QUICK_PROBES } else { PROBES }
}

/// The steps, with their time and the most they write; `file_bytes` is what [`crate::prepare`] will be asked for.
pub fn planned(ctx: &Context<'_>, plan: &BlockPlan, file_bytes: u64) -> Vec<PlannedStep> {
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Block,
        what,
        expected_s,
        writes_bytes,
    };
    let repeats = f64::from(ctx.repeats.max(1));
    let window_s = (ctx.window + WARM_UP + OVERHEAD).as_secs_f64();
    let probe_s = (probe_length(ctx.quick) + PROBE_WARM_UP + OVERHEAD).as_secs_f64();
    let cells = cells(plan, ctx.quick);
    let probes: u32 = searches(plan, ctx.quick).iter().map(|(_, probes)| probes).sum();
    let (best, server): (Vec<_>, Vec<_>) = cells.iter().partition(|cell| cell.way == IoPath::Best);
    let windows = |cells: &[&block_workload::BlockWorkload]| -> f64 {
        cells.iter().map(|cell| if cell.op == Op::Write { WRITE_WINDOW } else { 1.0 }).sum()
    };
    let budget = plan.budget_bytes(ctx.quick);
    let searches_write = searches(plan, ctx.quick).iter().any(|(op, _)| *op == Op::Write);
    let cells_write = cells.iter().any(|cell| cell.op == Op::Write);
    vec![
        step(
            format!("write a file of {}", Bytes(file_bytes)),
            file_bytes as f64 / FILL_BYTES_PER_S,
            file_bytes,
        ),
        step(
            format!(
                "find the queue depth at which throughput stops growing, up to QD{}",
                plan.max_depth
            ),
            f64::from(probes) * PROBES_MADE * probe_s,
            if searches_write { budget / PROBE_PART } else { 0 },
        ),
        step(
            format!("{} workloads by the best path", best.len()),
            windows(&best) * repeats * window_s,
            if cells_write { budget - budget / PROBE_PART } else { 0 },
        ),
        step(
            format!("{} workloads by the server's path", server.len()),
            windows(&server) * repeats * window_s,
            0,
        ),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_engine::{Silent, Stop};

    #[test]
    fn the_parts_of_the_budget_add_up_to_no_more_than_it() {
        for (quick, repeats) in [(false, 6), (true, 1)] {
            let plan = BlockPlan::default();
            // The worst case: every window takes all it may.
            let mut allowance = plan.write_allowance(quick, repeats);
            let mut windows = 0;
            while allowance.windows_left > 0 {
                let next = allowance.next_bytes();
                assert!(next >= allowance.reserve_bytes, "the last windows get their part too");
                windows += next;
                allowance.used(next);
            }
            let probes: u64 = searches(&plan, quick)
                .iter()
                .filter(|(op, _)| *op == Op::Write)
                .map(|(_, probes)| u64::from(*probes) * plan.probe_write_bytes(quick))
                .sum();
            assert!(windows > 0 && probes > 0);
            assert!(windows + probes <= plan.budget_bytes(quick));
            let (stop, window) = (Stop::new(), Duration::from_secs(1));
            let ctx = Context { stop: &stop, progress: &Silent, seed: 1, repeats, quick, window };
            let steps = planned(&ctx, &plan, 1 << 30);
            let writes: u64 = steps.iter().map(|step| step.writes_bytes).sum();
            assert_eq!(writes, plan.budget_bytes(quick) + (1 << 30));
        }
    }

    #[test]
    fn large_blocks_get_shallower_queues() {
        let plan = BlockPlan { max_depth: 1024, ..BlockPlan::default() };
        assert_eq!(plan.max_depth_of(8192), 1024);
        assert_eq!(plan.max_depth_of(1 << 20), 64);
        assert_eq!(plan.max_depth_of(1 << 30), 1);
    }
}
