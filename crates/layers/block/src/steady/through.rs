//! Writing a region through before anything is measured on it: in sequence with large writes for a device, at random places
//! with the workload's own size for a file, whose blocks are then as scattered as use leaves them.

use std::time::{Duration, Instant};

use narrows_engine::{Context, Phase, Precondition};
use narrows_io::{Op, TargetKind};
use narrows_model::Layer;
use narrows_observe::Watch;
use narrows_units::Bytes;

use super::plan::SteadyPlan;
use crate::BlockError;
use crate::run::run_scenario;
use crate::scenario::{
    AccessPattern, Distribution, Limit, Load, Mix, Region, Scenario, Sizes, Stream, Then,
};
use crate::seed::seed_of;

/// SNIA's size of a preconditioning write, bytes, and how many are kept in flight.
const SEQUENTIAL_BYTES: u32 = 128 << 10;
const DEPTH: u32 = 16;
/// One step, after which progress is shown.
const STEP: Duration = Duration::from_secs(5);

/// Writes `region` through as planned; bytes written, and the time it took.
pub(super) fn through(
    ctx: &Context<'_>,
    region: &Region,
    plan: &SteadyPlan,
) -> Result<(u64, Duration), BlockError> {
    let wanted = plan.precondition_bytes(region.bytes());
    let mut progress = Precondition::new(wanted, 1.0);
    let (started, mut cursor, mut step) = (Instant::now(), 0, 0);
    while progress.left_bytes() > 0 {
        ctx.stop.check()?;
        let detail = format!(
            "{} of {} written",
            Bytes(progress.written_bytes()),
            Bytes(progress.target_bytes())
        );
        ctx.progress.phase(Layer::Block, Phase::Precondition, &detail);
        let mut stream = stream(region, plan);
        let block = u64::from(stream.sizes.largest(&stream.mix)).max(1);
        let operations = progress.left_bytes() / block;
        if operations == 0 {
            break;
        }
        stream.cursor = cursor;
        stream.limit = Some(Limit { operations, then: Then::CloseWindow });
        step += 1;
        let seed = seed_of(ctx.seed, 4, step);
        let began = Instant::now();
        let scenario = Scenario::of(stream, Duration::ZERO, STEP, seed);
        let outcome = run_scenario(ctx, &scenario, &Watch::none())?.remove(0);
        if outcome.written_bytes == 0 {
            break;
        }
        cursor = outcome.cursor;
        progress.wrote(outcome.written_bytes, began.elapsed());
    }
    Ok((progress.written_bytes(), started.elapsed()))
}

fn stream(region: &Region, plan: &SteadyPlan) -> Stream {
    let device = region.target().kind() == TargetKind::BlockDevice;
    let (block_bytes, place) = if device {
        (SEQUENTIAL_BYTES, AccessPattern::Sequential)
    } else {
        (plan.block_bytes, AccessPattern::Random(Distribution::OnceEach))
    };
    let depth = DEPTH.min((region.bytes() / u64::from(block_bytes.max(1))).clamp(1, 16) as u32);
    let reads =
        Stream::reads("precondition", region.clone(), block_bytes, depth, plan.access.clone());
    Stream {
        mix: Mix::only(Op::Write),
        sizes: Sizes::all(block_bytes),
        place,
        load: Load::Closed { depth },
        threads: Stream::threads_for(&plan.access, depth, 1),
        cpus: plan.cpus.clone(),
        ..reads
    }
}
