//! Rounds of the workload itself, each one window, none left out.

use std::time::Duration;

use narrows_engine::steady_state::{Medium, Round, SteadyState, SteadyVerdict};
use narrows_engine::{Context, Phase, with_value};
use narrows_model::Layer;
use narrows_observe::Watch;
use narrows_units::Bytes;

use super::plan::SteadyPlan;
use crate::BlockError;
use crate::outcome::StreamOutcome;
use crate::record::Record;
use crate::run::run_scenario;
use crate::scenario::{Limit, Load, Region, Scenario, Sizes, Stream, Then};
use crate::seed::seed_of;

/// Points of a round's finer series, at most a second each.
const FEWEST_POINTS: u32 = 10;
const SECOND: Duration = Duration::from_secs(1);

/// What all rounds showed.
pub(super) struct Rounds {
    pub verdict: SteadyVerdict,
    pub record: Record,
    pub stream: Stream,
}

/// Repeats rounds until the controller has enough. `before_bytes` were written through.
pub(super) fn rounds(
    ctx: &Context<'_>,
    region: &Region,
    watch: &Watch,
    plan: &SteadyPlan,
    before_bytes: u64,
) -> Result<Rounds, BlockError> {
    let budget_bytes = plan.budget_bytes.saturating_sub(before_bytes);
    let medium = Medium {
        capacity_bytes: plan.capacity_bytes,
        range_bytes: Some(region.bytes()),
        written_before_bytes: before_bytes,
        budget_bytes: Some(budget_bytes),
    };
    let mut state = SteadyState::new(medium, plan.ending);
    let (mut record, mut written, mut cursor) = (Record::new(), 0u64, 0);
    let template = stream(region, plan, ctx.seed);
    while state.wants_round() && written < budget_bytes {
        ctx.stop.check()?;
        let number = state.rounds().len() as u64 + 1;
        let detail = format!("round {number}, {} written", Bytes(before_bytes + written));
        let detail = with_value(&detail, record.so_far());
        ctx.progress.phase(Layer::Block, Phase::Measure, &detail);
        // The controller keeps to the budget by the round before; the first one, and one that is faster, by this.
        let left = (budget_bytes - written) as f64 / plan.write_share().max(f64::MIN_POSITIVE);
        let operations = (left / f64::from(plan.block_bytes)) as u64;
        let limit = Some(Limit { operations: operations.max(1), then: Then::CloseWindow });
        let stream = Stream { cursor, limit, ..template.clone() };
        let scenario = Scenario {
            slice: SECOND.min(plan.round / FEWEST_POINTS).max(Duration::from_millis(1)),
            ..Scenario::of(stream, Duration::ZERO, plan.round, seed_of(ctx.seed, 5, number))
        };
        let outcome = run_scenario(ctx, &scenario, watch)?.remove(0);
        cursor = outcome.cursor;
        written += outcome.written_bytes;
        let whole = outcome.window_ns >= plan.round.as_nanos() as u64;
        if !whole && number > 1 {
            // Ended by the budget: shorter than the others, it would be compared with what it is not.
            break;
        }
        record.add(&outcome);
        state.saw(round(&outcome));
    }
    Ok(Rounds { verdict: state.verdict(), record, stream: template })
}

fn round(outcome: &StreamOutcome) -> Round {
    let per_s = |operations: u64| operations as f64 * 1e9 / outcome.slice_ns.max(1) as f64;
    Round {
        value: outcome.throughput_per_s(),
        written_bytes: Some(outcome.written_bytes),
        series: outcome.slices.iter().map(|slice| per_s(slice.operations)).collect(),
    }
}

fn stream(region: &Region, plan: &SteadyPlan, seed: u64) -> Stream {
    let access = plan.access.clone();
    let depth = plan.depth.max(1);
    let reads = Stream::reads("steady", region.clone(), plan.block_bytes, depth, access);
    Stream {
        mix: plan.mix,
        sizes: Sizes::all(plan.block_bytes),
        place: plan.place.clone(),
        load: Load::Closed { depth },
        threads: Stream::threads_for(&plan.access, depth, 1),
        cpus: plan.cpus.clone(),
        order_seed: Some(seed_of(seed, 6, 0)),
        ..reads
    }
}
