//! The drives once more, right after a workload: `block.after.WORKLOAD`, random reads and writes of 8 KiB in the shares that the workload's own
//! requests had.
//!
//! What drives do of reads alone and of writes alone says little of both at once: a volume with one budget for all requests, as clouds
//! sell them, is full with half of each, and a flash drive's reads wait behind its writes.

use narrows_engine::{Context, Phase, repeat_of};
use narrows_io::{Access, TestFile};
use narrows_model::{Layer, Measurement, family};
use narrows_observe::Watch;

use crate::BlockError;
use crate::plan::{BlockPlan, WARM_UP};
use crate::record::Record;
use crate::scenario::{Limit, Load, Mix, Region, Sizes, Stream, Then};
use crate::seed::seed_of;
use crate::setting;
use crate::steady::with_role_and_state;

/// Of PostgreSQL's blocks, bytes.
const BLOCK_BYTES: u32 = 8192;
/// More repeats than this say no more about drives that were just loaded.
const MOST_REPEATS: u32 = 6;
/// The part of the budget for writes that it may use.
const BUDGET_PART: u64 = 8;

/// What a workload's requests to the drives were like, and what serves most of them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Requested<'a> {
    /// The workload's word.
    pub workload: &'a str,
    /// Reads among reads and writes, 0 to 1.
    pub read_share: f64,
    /// Requests in flight at which throughput stops growing, for reads or for writes, whichever needs more.
    pub depth: u32,
    /// Threads that this took.
    pub threads: u32,
}

/// Most bytes that [`after`] writes beside the file.
pub fn after_bytes(plan: &BlockPlan, quick: bool) -> u64 {
    plan.budget_bytes(quick) / BUDGET_PART
}

/// How long [`after`] takes beside the file, for telling it, seconds.
pub fn after_s(ctx: &Context<'_>) -> f64 {
    f64::from(ctx.repeats.clamp(1, MOST_REPEATS)) * (ctx.window + WARM_UP).as_secs_f64()
}

/// Measures that mix on `file`, which [`crate::prepare`] made.
///
/// # Errors
/// As [`crate::measure()`].
pub fn after(
    ctx: &Context<'_>,
    file: &TestFile,
    watch: &Watch,
    plan: &BlockPlan,
    requested: &Requested<'_>,
) -> Result<Measurement, BlockError> {
    let id = family::BLOCK_AFTER.id(requested.workload);
    let stream = stream(file, plan, requested, &id, ctx.seed);
    let repeats = ctx.repeats.clamp(1, MOST_REPEATS);
    let operations = most_operations(plan, ctx.quick, repeats, requested.read_share);
    let limit = Some(Limit { operations, then: Then::CloseWindow });
    let (mut record, mut cursor) = (Record::new(), 0);
    for repeat in 0..repeats {
        ctx.stop.check()?;
        let detail = repeat_of(id.as_str(), repeat, repeats, record.so_far());
        ctx.progress.phase(Layer::Block, Phase::Measure, &detail);
        let again = Stream { cursor, limit, ..stream.clone() };
        let outcome = setting::run_once(ctx, again, watch, (WARM_UP, ctx.window))?;
        cursor = outcome.cursor;
        record.add(&outcome);
    }
    Ok(with_role_and_state(record.into_measurement(id.to_string(), &stream), true))
}

/// Operations after which a window closes, so that all windows write no more than their part of the budget.
fn most_operations(plan: &BlockPlan, quick: bool, repeats: u32, read_share: f64) -> u64 {
    let writes = after_bytes(plan, quick) / u64::from(repeats) / u64::from(BLOCK_BYTES);
    let write_share = (1.0 - read_share).max(0.01);
    ((writes as f64 / write_share) as u64).max(1)
}

fn stream(
    file: &TestFile,
    plan: &BlockPlan,
    requested: &Requested<'_>,
    id: &str,
    seed: u64,
) -> Stream {
    let access = Access::best();
    let depth = requested.depth.max(1);
    let reads = Stream::reads(id, Region::of(file), BLOCK_BYTES, depth, access.clone());
    Stream {
        mix: Mix::read_percent((requested.read_share * 100.0).round() as u32),
        sizes: Sizes::all(BLOCK_BYTES),
        load: Load::Closed { depth },
        threads: Stream::threads_for(&access, depth, requested.threads.max(1)),
        cpus: plan.cpus.clone(),
        order_seed: Some(seed_of(seed, 7, 0)),
        ..reads
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_windows_write_no_more_than_their_part_of_the_budget() {
        let plan = BlockPlan { write_budget_bytes: Some(1 << 30), ..BlockPlan::default() };
        for share in [0.0, 0.5, 0.9] {
            let operations = most_operations(&plan, false, 6, share);
            let written = operations as f64 * (1.0 - share) * 6.0 * f64::from(BLOCK_BYTES);
            assert!(
                written <= (1u64 << 27) as f64 && written > 0.9 * (1u64 << 27) as f64,
                "{share}"
            );
        }
        assert!(most_operations(&plan, false, 6, 1.0) > 0);
    }
}
