//! The order of the whole: file, check, search, then all workloads' repeats, interleaved.

use std::path::Path;
use std::time::Duration;

use narrows_engine::{Context, Phase, Rng, repeat_of};
use narrows_io::{Access, Blueprint, Entropy, FillStep, Op, TestFile};
use narrows_model::{Layer, Measurement};
use narrows_observe::Watch;
use narrows_units::Bytes;

use crate::BlockError;
use crate::block_workload::{BlockWorkload, Depth, IoPath};
use crate::knee;
use crate::plan::{self, BlockPlan};
use crate::seed::{seed_of, shuffled};
use crate::workload::Workload;

/// Sectors that are read back before anything is measured.
const SECTORS_CHECKED: u32 = 1000;
/// Progress of the fill is shown in so many steps.
const FILL_STEPS: u64 = 20;
const CALIBRATION: Duration = Duration::from_millis(50);
const CALIBRATION_DEPTH: u32 = 32;

/// Writes a file of `bytes` in `dir` (a scratch folder) for [`measure`]; the file goes with the value.
///
/// # Errors
/// [`BlockError::Stopped`], or what the file system refused, with a hint; nothing is left behind.
pub fn prepare(
    ctx: &Context<'_>,
    dir: &Path,
    bytes: u64,
    seed: u64,
) -> Result<TestFile, BlockError> {
    prepare_with(ctx, dir, bytes, seed, Entropy::default())
}

/// As [`prepare`], with contents of which compression and deduplication save what `entropy` says.
///
/// # Errors
/// As [`prepare`].
pub fn prepare_with(
    ctx: &Context<'_>,
    dir: &Path,
    bytes: u64,
    seed: u64,
    entropy: Entropy,
) -> Result<TestFile, BlockError> {
    let tell = |phase, detail: &str| ctx.progress.phase(Layer::Block, phase, detail);
    let mut shown = None;
    let mut watch = |step: FillStep| {
        match step {
            FillStep::Writing { done, total } => {
                let part = done * FILL_STEPS / total.max(1);
                if shown != Some(part) {
                    shown = Some(part);
                    tell(Phase::Fill, &format!("{} of {}", Bytes(done), Bytes(total)));
                }
            }
            FillStep::Syncing => tell(Phase::Fill, "making it durable"),
            FillStep::Verifying => tell(Phase::Verify, "what was written"),
        }
        ctx.stop.check().map_err(|_| narrows_io::Error::Stopped)
    };
    let blueprint = Blueprint { dir, bytes, seed, entropy, space: None };
    let file = TestFile::create(blueprint, &mut watch)?;
    let contents = file.sample_contents(SECTORS_CHECKED, ctx.seed)?;
    if contents.zeros + contents.wrong > 0 {
        return Err(BlockError::NotThere {
            path: file.path().to_path_buf(),
            sampled: contents.sampled,
            zeros: contents.zeros,
            wrong: contents.wrong,
        });
    }
    Ok(file)
}

/// Measures every workload on `file` by the best way to be had, and by the server's.
///
/// What the file system can't do (direct I/O), or the file doesn't allow (writing), is absent. Needs a file that
/// [`prepare`] made; one that is sparse or foreign is measured as well, and the metrics say so.
///
/// # Errors
/// [`BlockError::Stopped`] within a fraction of a second of being asked; or what failed. The file is the caller's.
pub fn measure(
    ctx: &Context<'_>,
    file: &TestFile,
    watch: &Watch,
    plan: &BlockPlan,
) -> Result<Vec<Measurement>, BlockError> {
    measure_by(ctx, file, watch, plan, &Access::best())
}

/// As [`measure`], by a given way instead of the best one.
///
/// # Errors
/// As [`measure`].
pub fn measure_by(
    ctx: &Context<'_>,
    file: &TestFile,
    watch: &Watch,
    plan: &BlockPlan,
    access: &Access,
) -> Result<Vec<Measurement>, BlockError> {
    let tell = |phase, detail: &str| ctx.progress.phase(Layer::Block, phase, detail);
    if let Err(reason) = file.direct() {
        tell(Phase::Prepare, &format!("only through the page cache: {reason}"));
    }
    let cells = possible(ctx, file, plan);
    let generator_ns_per_op = calibrate(ctx, file)?;
    let mut workloads = Vec::new();
    for (number, cell) in (0..).zip(&cells) {
        // None reads what another has just read in the same order.
        let seed = seed_of(ctx.seed, number + 1, 0);
        let knee = match cell.depth {
            Depth::Knee => Some(knee::find(ctx, file, access, plan, cell, seed, watch.tags())?),
            Depth::One | Depth::Sessions => None,
        };
        workloads.push(Workload::new(cell, knee, seed, access, plan));
    }

    let mut rng = Rng::new(ctx.seed);
    let repeats = ctx.repeats.max(1);
    let mut allowance = plan.write_allowance(ctx.quick, repeats);
    for repeat in 0..repeats {
        for at in shuffled(workloads.len(), &mut rng) {
            ctx.stop.check()?;
            let workload = &mut workloads[at];
            let what = repeat_of(workload.id(), repeat, repeats, workload.so_far());
            tell(Phase::Measure, &what);
            workload.window(ctx, file, watch, &mut allowance)?;
        }
    }
    let known = (generator_ns_per_op, plan.capacity_bytes);
    Ok(workloads.into_iter().map(|workload| workload.into_measurement(file, known)).collect())
}

/// The workloads that this file and its file system allow.
fn possible(ctx: &Context<'_>, file: &TestFile, plan: &BlockPlan) -> Vec<BlockWorkload> {
    plan::cells(plan, ctx.quick)
        .into_iter()
        .filter(|cell| cell.op == Op::Read || file.writable())
        .filter(|cell| cell.way == IoPath::Buffered || file.direct().is_ok())
        .collect()
}

/// What the generator alone costs per operation, ns.
fn calibrate(ctx: &Context<'_>, file: &TestFile) -> Result<Option<f64>, BlockError> {
    let null = Access::null();
    let once = crate::random_read_once(ctx, file, &null, 8192, CALIBRATION_DEPTH, CALIBRATION)?;
    Ok((once.throughput_per_s > 0.0).then(|| 1e9 / once.throughput_per_s))
}
