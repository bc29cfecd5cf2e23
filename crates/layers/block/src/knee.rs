//! Finding the depth at which throughput stops growing, and the generator threads that takes, by short probes.
//!
//! One thread is enough for most devices, and one thread's figure says what a core costs; more are taken only where
//! the one is busy all the time and more give more.

use narrows_engine::{Context, KneeSearch, Phase, after_window};
use narrows_io::{Access, Method, TestFile};
use narrows_model::Layer;
use narrows_observe::Watch;

use crate::BlockError;
use crate::block_workload::BlockWorkload;
use crate::outcome::StreamOutcome;
use crate::plan::{BlockPlan, MAX_BLOCKING_DEPTH, PROBE_WARM_UP, probe_length, probes_per_depth};
use crate::processors::processors;
use crate::scenario::Region;
use crate::setting::{Setting, run_once};

/// A thread that uses more of a processor than this, or whose processor is idle for less than the rest, is the narrow place itself.
const BUSY: f64 = 0.9;
/// More threads must give so much more.
const GAIN: f64 = 1.03;

/// What the search found.
#[derive(Debug, Clone)]
pub(crate) struct Knee {
    pub depth: u32,
    pub generators: u32,
    /// The deepest queue that was tried, where throughput still grew on the way to it.
    pub capped_at: Option<u32>,
    /// Depth and operations per second of each probe.
    pub curve: Vec<(u32, f64)>,
    /// How far the probes got in the blocks.
    pub cursor: u64,
    /// Operations that the probes submitted.
    pub issued: u64,
}

/// Searches for the knee of the workload `cell` (its depth is ignored), on drives whose queues hold `tags` requests.
pub(crate) fn find(
    ctx: &Context<'_>,
    file: &TestFile,
    access: &Access,
    plan: &BlockPlan,
    cell: &BlockWorkload,
    seed: u64,
    tags: Option<u64>,
) -> Result<Knee, BlockError> {
    let blocks = file.bytes() / u64::from(cell.block_bytes);
    let mut deepest =
        plan.max_depth_of(cell.block_bytes).min(u32::try_from(blocks).unwrap_or(u32::MAX));
    if access.method() == Method::Blocking {
        deepest = deepest.min(MAX_BLOCKING_DEPTH);
    }
    // What the drives' queues don't hold waits in the host: more is no deeper queue of theirs.
    deepest = deepest.min(held(tags));
    let most = (cell.op == narrows_io::Op::Write)
        .then(|| (plan.probe_write_bytes(ctx.quick) / u64::from(cell.block_bytes)).max(16));
    let watch = Watch::cpus();
    let mut cursor = 0;
    let mut issued = 0;
    let mut once = |depth: u32, generators: u32| -> Result<StreamOutcome, BlockError> {
        let setting = Setting::new(cell, depth, generators, seed, access, plan);
        let stream = setting.stream(Region::of(file), cursor, most);
        let times = (PROBE_WARM_UP, probe_length(ctx.quick));
        let outcome = run_once(ctx, stream, &watch, times)?;
        cursor = outcome.cursor;
        issued += outcome.issued;
        Ok(outcome)
    };

    let mut probe = |depth: u32, generators: u32| -> Result<StreamOutcome, BlockError> {
        let mut best = once(depth, generators)?;
        for _ in 1..probes_per_depth(ctx.quick) {
            let other = once(depth, generators)?;
            if other.throughput_per_s() > best.throughput_per_s() {
                best = other;
            }
        }
        Ok(best)
    };

    let mut search = KneeSearch::new(deepest);
    let mut busiest = Vec::new();
    let mut last = None;
    while let Some(depth) = search.next_depth() {
        let detail = after_window(&format!("depth for {}, QD{depth}", cell.id), last);
        ctx.progress.phase(Layer::Block, Phase::WarmUp, &detail);
        let outcome = probe(depth, 1)?;
        busiest.push((depth, outcome.busy()));
        last = Some(outcome.live_value());
        search.saw(depth, outcome.throughput_per_s());
    }
    let mut depth = search.chosen().unwrap_or(1);
    let mut curve = search.curve().to_vec();
    let rate_at = |curve: &[(u32, f64)], depth| {
        curve.iter().find(|probe| probe.0 == depth).map_or(0.0, |probe| probe.1)
    };
    let mut rate = rate_at(&curve, depth);
    let mut busy = busiest.iter().find(|probe| probe.0 == depth).map_or(0.0, |probe| probe.1);
    let mut generators = 1;
    let processors = processors(&plan.cpus);
    while access.method() == Method::IoUring && busy > BUSY && generators * 2 <= processors {
        let more = generators * 2;
        let mut best = None;
        // The one thread may have ended the search too early: go on in depth with two.
        let mut tried = depth;
        while tried <= deepest {
            let outcome = probe(tried, more)?;
            let gave = outcome.throughput_per_s();
            if gave < best.map_or(rate, |(_, best, _)| best) * GAIN {
                break;
            }
            best = Some((tried, gave, outcome.busy()));
            tried = tried.saturating_mul(2);
        }
        let Some(better) = best else { break };
        (depth, rate, busy) = better;
        generators = more;
        curve.push((depth, rate));
    }
    curve.sort_by_key(|probe| probe.0);
    // The least depth that suffices is chosen: the deepest one only where the one before it gave visibly less.
    let capped_at = (depth == deepest && depth > 1).then_some(deepest);
    Ok(Knee { depth, generators, capped_at, curve, cursor, issued })
}

/// The deepest queue that hardware queues of so many requests hold; any, where that is unknown.
pub(crate) fn held(tags: Option<u64>) -> u32 {
    tags.and_then(|tags| u32::try_from(tags).ok()).unwrap_or(u32::MAX).max(1)
}
