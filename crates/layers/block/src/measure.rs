//! The order of the whole: file, check, search, then all workloads' repeats, interleaved.

use std::collections::HashMap;
use std::path::Path;
use std::time::Duration;

use narrows_engine::{Context, Phase, Rng};
use narrows_io::{Access, Blueprint, Entropy, FillStep, Op, TestFile};
use narrows_model::{Better, Layer, Measurement, Series, Unit, condition, metric};
use narrows_observe::Watch;
use narrows_units::Bytes;
use serde_json::json;

use crate::BlockError;
use crate::cell::{Cell, Depth, Order, Way};
use crate::knee::{self, Knee};
use crate::plan::{self, BlockPlan, WARM_UP};
use crate::record::Record;
use crate::scenario::Region;
use crate::setting::{Setting, run_once};
use crate::steady::write_state;

/// Sectors that are read back before anything is measured.
const SECTORS_CHECKED: u32 = 1000;
/// Tries to empty the page cache before a window that needs it empty.
const EVICTIONS: u32 = 3;
/// A window of writes may always have so many.
const FEWEST_WRITES: u64 = 16;
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
        tell(
            Phase::Verify,
            &format!(
                "of {} sectors {} are zeros and {} are not what was written",
                contents.sampled, contents.zeros, contents.wrong
            ),
        );
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
    let cells: Vec<Cell> = plan::cells(plan, ctx.quick)
        .into_iter()
        .filter(|cell| cell.op == Op::Read || file.writable())
        .filter(|cell| cell.way == Way::Buffered || file.direct().is_ok())
        .collect();
    if let Err(reason) = file.direct() {
        tell(Phase::Prepare, &format!("only through the page cache: {reason}"));
    }
    let unwritten = file.unwritten_share();
    let generator_ns_per_op = calibrate(ctx, file)?;

    let mut knees: HashMap<(Op, Order, u32), Knee> = HashMap::new();
    for (number, cell) in (0..).zip(&cells) {
        if cell.depth == Depth::Knee {
            tell(Phase::WarmUp, &format!("depth for {}", cell.id));
            let knee = knee::find(ctx, file, access, plan, cell, seed_of(ctx, number))?;
            knees.insert(cell.shape(), knee);
        }
    }

    let settings: Vec<Setting<'_>> = (0..)
        .zip(&cells)
        .map(|(number, cell)| {
            let (depth, generators) = match cell.depth {
                Depth::One => (1, 1),
                Depth::Knee => {
                    let knee = &knees[&cell.shape()];
                    (knee.depth, knee.generators)
                }
                Depth::Sessions => (plan.sessions.max(1), 1),
            };
            Setting::new(cell, depth, generators, seed_of(ctx, number), access, &plan.cpus)
        })
        .collect();
    let mut records: Vec<Record> = settings.iter().map(|_| Record::new()).collect();
    let mut cursors: Vec<u64> = settings
        .iter()
        .map(|setting| match setting.cell.depth {
            Depth::Knee => knees[&setting.cell.shape()].cursor,
            Depth::One | Depth::Sessions => 0,
        })
        .collect();

    let mut rng = Rng::new(ctx.seed);
    let repeats = ctx.repeats.max(1);
    let mut allowance = plan.write_allowance(ctx.quick, repeats);
    for repeat in 0..repeats {
        for at in shuffled(settings.len(), &mut rng) {
            let setting = &settings[at];
            let cell = setting.cell;
            ctx.stop.check()?;
            tell(Phase::Measure, &format!("{}, repeat {} of {repeats}", cell.id, repeat + 1));
            let resident = match cell.way {
                Way::Buffered => empty_cache(file, ctx)?,
                Way::Best | Way::Direct => None,
            };
            let block = u64::from(cell.block_bytes);
            let most = match (cell.op, cell.way) {
                (Op::Write, _) => Some((allowance.next_bytes() / block).max(FEWEST_WRITES)),
                // A block read twice would come from the page cache the second time.
                (Op::Read, Way::Buffered) => Some(file.bytes() / block),
                (Op::Read | Op::Trim | Op::Sync, _) => None,
            };
            let stream = setting.stream(Region::of(file), cursors[at], most);
            let outcome = run_once(ctx, stream, watch, (WARM_UP, ctx.window))?;
            cursors[at] = outcome.cursor;
            if cell.op == Op::Write {
                allowance.used(outcome.issued * block);
            }
            let record = &mut records[at];
            record.add(&outcome);
            for (name, share) in
                [(metric::RESIDENT_BEFORE, resident), (metric::UNWRITTEN, unwritten)]
            {
                if let Some(share) = share {
                    record.note(name, Unit::Ratio, Better::Less, share);
                }
            }
            if cell.way == Way::Buffered {
                // Direct I/O beside cached pages takes another way through the kernel.
                let _ = narrows_facts::file::evict(file.buffered_file());
            }
        }
    }

    Ok(records
        .into_iter()
        .zip(&settings)
        .map(|(record, setting)| {
            let knee = (setting.cell.depth == Depth::Knee).then(|| &knees[&setting.cell.shape()]);
            complete(record, file, setting, knee, (generator_ns_per_op, plan.capacity_bytes))
        })
        .collect())
}

/// What only this file knows of a workload: where it comes from, its curve, what its writes are worth.
fn complete(
    record: Record,
    file: &TestFile,
    setting: &Setting<'_>,
    knee: Option<&Knee>,
    (generator_ns_per_op, capacity_bytes): (Option<f64>, Option<u64>),
) -> Measurement {
    let cell = setting.cell;
    let stream = setting.stream(Region::of(file), 0, None);
    let mut measurement = record.into_measurement(cell.id.clone(), &stream);
    measurement.workload.insert("seed".into(), json!(setting.seed));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::ROLE.into(), json!("data"));
    if cell.way == Way::Direct {
        conditions.insert(condition::METHOD.into(), json!("direct"));
    }
    if let (Way::Best, Some(cost_ns)) = (cell.way, generator_ns_per_op) {
        conditions.insert("generator_ns_per_op".into(), json!(cost_ns));
    }
    if cell.op == Op::Write {
        let searching = knee.map_or(0.0, |knee| (knee.issued * u64::from(cell.block_bytes)) as f64);
        let written = measurement.number("written_bytes").unwrap_or(0.0);
        // What the device below does after a capacity's worth of writes is seen only if so much was written.
        let before = file.bytes() + searching as u64;
        let state = write_state(&measurement, before, capacity_bytes);
        let conditions = &mut measurement.conditions;
        conditions.insert(condition::WRITE_STATE.into(), json!(state.word()));
        conditions.insert("written_bytes".into(), json!((written + searching) as u64));
    }
    if let Some(knee) = knee {
        measurement.series.push(Series {
            name: "curve.throughput".to_string(),
            unit: Unit::OpsPerS,
            repeat: 0,
            t0_ns: 0,
            interval_ns: 0,
            x: knee.curve.iter().map(|probe| f64::from(probe.0)).collect(),
            values: knee.curve.iter().map(|probe| probe.1).collect(),
        });
    }
    measurement
}

/// A seed of its own for each workload, so that none reads what another has just read in the same order.
fn seed_of(ctx: &Context<'_>, number: u64) -> u64 {
    Rng::new(ctx.seed ^ (number + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15)).next_u64()
}

/// `0..n` in random order (Fisher and Yates).
fn shuffled(n: usize, rng: &mut Rng) -> Vec<usize> {
    let mut order: Vec<usize> = (0..n).collect();
    for i in (1..n).rev() {
        order.swap(i, rng.below(i as u64 + 1) as usize);
    }
    order
}

/// Empties the page cache of the file; the share that stayed, where the kernel tells.
fn empty_cache(file: &TestFile, ctx: &Context<'_>) -> Result<Option<f64>, BlockError> {
    let cached = file.buffered_file();
    let mut share = None;
    for _ in 0..EVICTIONS {
        ctx.stop.check()?;
        narrows_facts::file::evict(cached).map_err(|source| {
            narrows_io::Error::system("empty the page cache of", file.path(), source)
        })?;
        share = narrows_facts::file::resident_share(cached).ok();
        if share.is_none_or(|share| share == 0.0) {
            break;
        }
    }
    Ok(share)
}

/// What the generator alone costs per operation, ns.
fn calibrate(ctx: &Context<'_>, file: &TestFile) -> Result<Option<f64>, BlockError> {
    let null = Access::null();
    let once = crate::random_read_once(ctx, file, &null, 8192, CALIBRATION_DEPTH, CALIBRATION)?;
    Ok((once.throughput_per_s > 0.0).then(|| 1e9 / once.throughput_per_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shuffling_keeps_everybody_and_changes_places() {
        let mut rng = Rng::new(5);
        let order = shuffled(50, &mut rng);
        let mut sorted = order.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..50).collect::<Vec<_>>());
        assert_ne!(order, sorted);
        assert_ne!(order, shuffled(50, &mut rng));
    }
}
