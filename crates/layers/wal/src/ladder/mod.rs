//! The ladder: what each layer adds to a durable write, from the device's flush to the database's commit.
//!
//! Every step is one operation after another by one thread, alone and beside a load on the data files (what a checkpoint writes, and
//! random reads). All steps take turns within each repeat, in an order of its own, so that a drift of the device meets all of
//! them; what a step adds is the difference to the one below it in the same repeat ([`added`]).
//!
//! A step that this machine doesn't offer is absent with its reason and ends nothing. The steps above the log's own (a database's
//! commit) are brought by the caller, because layers never call each other.

mod added;
mod counted;
pub(crate) mod durable;
pub(crate) mod flush;
mod linked;
mod namespace;
pub(crate) mod one_commit;
mod rung;
pub(crate) mod step;
pub(crate) mod window;
mod with_tier;
pub(crate) mod write_variant;

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicU64;

use narrows_engine::{Context, Phase, Rng, with_value};
use narrows_model::{Layer, Measurement, PlannedStep, Queue as DeviceQueue, condition};
use narrows_observe::Watch;
use serde_json::json;

pub use rung::LadderTier;
pub use step::LadderStep;
pub use write_variant::{Layout, Method, WriteVariant};

use crate::busy::{self, BusyWriter, Counts};
use crate::commit::SegmentFlusher;
use crate::medium::{LogMedium, LogNamespace, NamespacePart};
use crate::page::{PAGE, Pages};
use crate::reads::{self, ReadCounts, Reader};
use crate::segment::Segment;
use crate::writer::{CommitLog, Delay, Style};
use crate::{LogError, SEGMENT_BYTES, most_bytes, on_server_cpus};
use durable::DurableWrites;
use flush::DeviceFlush;
use one_commit::OneCommit;
use rung::LadderRung;
use window::{Gathered, Load};
use with_tier::TierSegments;

/// What to measure.
#[derive(Debug, Clone)]
pub struct LadderPlan {
    /// Ways and sizes; [`WriteVariant::POSTGRES`] is always among them, because the steps above stand on it.
    pub cells: Vec<WriteVariant>,
    /// The device under the log, as `/dev/nvme0n1p2`; `None` where there is none.
    pub device: Option<PathBuf>,
    /// What that device's queue says.
    pub queue: Option<DeviceQueue>,
    /// Log bytes of one commit.
    pub bytes_per_commit: u64,
    /// Processors that all of it runs on.
    pub cpus: Vec<u32>,
    /// Size of the data file that the load beside the log works on; 0 leaves that out.
    pub beside_bytes: u64,
    /// Whether there is a folder with a log tier in front ([`LadderPlace::tier`]).
    pub with_tier: bool,
}

/// Where to measure.
#[derive(Debug, Clone, Copy)]
pub struct LadderPlace<'a> {
    /// Folder of the log.
    pub log: &'a Path,
    /// Folder of the data files.
    pub data: &'a Path,
    /// Where the log's durable write is measured too.
    pub tier: Option<LadderTier<'a>>,
}

/// Something that could not be had, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Absent {
    /// The step's name.
    pub what: String,
    /// In the system's words.
    pub reason: String,
}

/// The ladder.
#[derive(Debug)]
pub struct Laddered {
    /// `log.ladder.NAME.alone` and `log.ladder.NAME.beside`, in order.
    pub measurements: Vec<Measurement>,
    /// What this machine doesn't offer.
    pub absent: Vec<Absent>,
}

/// A step from outside; it works on the thread that measures.
pub type ForeignStep = Box<dyn LadderStep + Send>;

/// The name of the step on which a database's commit stands.
pub const LEADER: &str = "leader";

/// Measures every step alone and beside the load, `foreign` ones too.
///
/// # Errors
/// A folder that is missing, read-only, full or in memory; a write that failed later than at first; a stop. Nothing is left behind.
pub fn measure_ladder(
    ctx: &Context,
    place: LadderPlace<'_>,
    watch: &Watch,
    plan: &LadderPlan,
    foreign: Vec<ForeignStep>,
) -> Result<Laddered, LogError> {
    on_server_cpus(&plan.cpus, || {
        ctx.progress.phase(Layer::Log, Phase::Fill, "segment");
        let dir = place.log;
        let segment = Segment::create(dir, "log-segment", SEGMENT_BYTES, ctx.seed, ctx.stop)?;
        let beside = match plan.beside_bytes / PAGE as u64 * PAGE as u64 {
            0 => None,
            bytes => {
                ctx.progress.phase(Layer::Log, Phase::Fill, "data file beside the log");
                let seed = ctx.seed ^ 1;
                Some(Segment::create(place.data, "log-beside", bytes, seed, ctx.stop)?)
            }
        };
        let tier = place.tier.map(|tier| {
            ctx.progress.phase(Layer::Log, Phase::Fill, "segments with the tier");
            Ok::<_, LogError>((TierSegments::create(ctx, dir, tier.folder)?, tier))
        });
        let tier = tier.transpose()?;
        let pages = Pages::new(ctx.seed);
        let (mut rungs, absent) = own_steps(ctx, dir, &segment, &pages, plan)?;
        if let Some((segments, tier)) = &tier {
            rungs.extend(segments.rungs(dir, *tier, &pages)?);
        }
        let beside = beside.as_ref().map(|file| (&segment, file));
        climb(ctx, (&segment, &pages), (rungs, absent), (beside, watch), plan, foreign)
    })
}

/// Measures every step that a namespace has, alone: what a commit's write takes over the network.
///
/// # Errors
/// A namespace too small for a log; a command that failed; a stop. What was written stays on the namespace.
pub fn measure_namespace_ladder(
    ctx: &Context,
    namespace: &dyn LogNamespace,
    watch: &Watch,
    plan: &LadderPlan,
) -> Result<Laddered, LogError> {
    on_server_cpus(&plan.cpus, || {
        ctx.progress.phase(Layer::Log, Phase::Fill, "the beginning of the namespace");
        let part = NamespacePart::create(namespace, 0, SEGMENT_BYTES, ctx.seed, ctx.stop)?;
        let pages = Pages::new(ctx.seed);
        let (own, absent) =
            namespace::own_steps(&part, namespace.block_bytes(), &pages, &plan.cells);
        let rungs = own.into_iter().map(LadderRung::of).collect();
        climb(ctx, (&part, &pages), (rungs, absent), (None, watch), plan, Vec::new())
    })
}

/// All steps, from the medium's own upwards; `beside` is the log's file and the data file.
fn climb(
    ctx: &Context,
    (medium, pages): (&dyn LogMedium, &Pages),
    (own, absent): (Rungs<'_>, Vec<Absent>),
    (beside, watch): (Option<(&Segment, &Segment)>, &Watch),
    plan: &LadderPlan,
    foreign: Vec<ForeignStep>,
) -> Result<Laddered, LogError> {
    let written = AtomicU64::new(0);
    let making_ns = AtomicU64::new(0);
    let log = |style| {
        let flusher = SegmentFlusher::new(medium, pages, &written).with_making(&making_ns);
        CommitLog::new(flusher, style, Delay::default())
    };
    let (leader, writer) = (log(Style::Leader), log(Style::Writer));
    let mut rungs: Rungs<'_> = own;
    let (bytes, base) = (plan.bytes_per_commit, Some(WriteVariant::POSTGRES.name()));
    let (path, by) = (medium.path().to_path_buf(), medium.durable_by());
    let first = OneCommit::new(&leader, bytes, path.clone(), base).without_making(&making_ns);
    rungs.push(LadderRung::of(Box::new(first.durable_by(by))));
    let second = OneCommit::new(&writer, bytes, path, Some(LEADER.to_string()));
    let second = second.without_making(&making_ns);
    rungs.push(LadderRung::of(Box::new(second.durable_by(by))));
    for step in foreign {
        rungs.push(LadderRung::of(step));
    }
    let gathered = std::thread::scope(|scope| {
        let thread = scope.spawn(|| writer.write());
        let file = beside.map(|(_, file)| file);
        let gathered = take_turns(ctx, &mut rungs, file, pages, watch, plan);
        writer.close();
        thread.join().expect("the writer's thread does not panic");
        gathered
    })?;
    let mut measurements = Vec::new();
    for (rung, [alone, loaded]) in rungs.iter().zip(gathered) {
        for (gathered, state) in [(alone, "alone"), (loaded, "beside")] {
            if gathered.repeats() > 0 {
                measurements.push(one(rung, gathered, state, beside, plan));
            }
        }
    }
    added::add(&mut measurements, &|name| {
        let rung = rungs.iter().find(|rung| rung.step.name() == name)?;
        rung.step.above()
    });
    with_tier::compare(&mut measurements);
    Ok(Laddered { measurements, absent })
}

type Steps<'a> = Vec<Box<dyn LadderStep + 'a>>;

type Rungs<'a> = Vec<LadderRung<'a>>;

/// The device's flush and the writes to the file, as far as there are such.
fn own_steps<'a>(
    ctx: &Context,
    dir: &Path,
    segment: &'a Segment,
    pages: &'a Pages,
    plan: &LadderPlan,
) -> Result<(Rungs<'a>, Vec<Absent>), LogError> {
    let mut rungs: Rungs<'a> = Vec::new();
    let mut absent = Vec::new();
    let mut lowest = None;
    match plan.device.as_deref().map(|node| (node, DeviceFlush::open(node))) {
        Some((_, Ok(flush))) => {
            lowest = Some(flush.name());
            rungs.push(LadderRung::of(Box::new(flush)));
        }
        Some((node, Err(reason))) => absent.push(Absent {
            what: "flush".to_string(),
            reason: format!("{} can't be opened and flushed: {reason}", node.display()),
        }),
        None => absent.push(Absent {
            what: "flush".to_string(),
            reason: "no block device is known under the WAL folder".to_string(),
        }),
    }
    let mut cells = vec![WriteVariant::POSTGRES];
    cells.extend(plan.cells.iter().filter(|cell| **cell != WriteVariant::POSTGRES));
    for cell in cells {
        ctx.stop.check()?;
        match DurableWrites::open(cell, segment, dir, pages, lowest.clone()) {
            Ok(writes) => rungs.push(LadderRung::of(Box::new(writes))),
            // Nothing stands without it; and a drive that is full or gone refuses no single way.
            Err(reason) if cell == WriteVariant::POSTGRES || !refused(&reason) => {
                return Err(LogError::of("writing to", segment.path(), SEGMENT_BYTES, reason));
            }
            Err(reason) => {
                absent.push(Absent { what: cell.name(), reason: reason.to_string() });
            }
        }
    }
    Ok((rungs, absent))
}

/// Whether it says "not this way", and not "not at all".
fn refused(reason: &std::io::Error) -> bool {
    matches!(
        reason.raw_os_error(),
        Some(
            libc::EINVAL
                | libc::EOPNOTSUPP
                | libc::ENOSYS
                | libc::EPERM
                | libc::EACCES
                | libc::ENOMEM
        )
    )
}

/// All steps in each repeat, in an order of its own, those with a tier last; alone first in the even repeats, beside the load first in the
/// odd ones.
fn take_turns(
    ctx: &Context,
    rungs: &mut Rungs<'_>,
    beside: Option<&Segment>,
    pages: &Pages,
    watch: &Watch,
    plan: &LadderPlan,
) -> Result<Vec<[Gathered; 2]>, LogError> {
    let mut gathered: Vec<[Gathered; 2]> = rungs.iter().map(|_| Default::default()).collect();
    let with_tier = rungs.iter().any(|rung| rung.tier.is_some());
    let mut rng = Rng::new(ctx.seed ^ 0x1add);
    for repeat in 0..ctx.repeats.max(1) {
        let mut order: Vec<usize> = (0..rungs.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, rng.below(i as u64 + 1) as usize);
        }
        order.sort_by_key(|at| rungs[*at].tier.is_some());
        for state in [repeat % 2, 1 - repeat % 2] {
            match beside {
                _ if state == 0 => {
                    each(ctx, rungs, &order, None, watch, &mut gathered)?;
                }
                None => {}
                Some(file) => {
                    let (counts, reads) = (Counts::default(), ReadCounts::default());
                    let seed = rng.next_u64();
                    let every = busy::flush_every(ctx.window);
                    std::thread::scope(|scope| {
                        let cpus = &plan.cpus;
                        let load = Load {
                            writer: BusyWriter::start(
                                scope, file, pages, &counts, cpus, every, seed,
                            ),
                            reader: Reader::start(scope, file, &reads, cpus, seed ^ 2),
                        };
                        each(ctx, rungs, &order, Some(&load), watch, &mut gathered)?;
                        load.writer.finish(file.path())?;
                        load.reader.finish(file.path())
                    })?;
                }
            }
            if with_tier {
                with_tier::settle(ctx)?;
            }
        }
    }
    Ok(gathered)
}

fn each(
    ctx: &Context,
    rungs: &mut Rungs<'_>,
    order: &[usize],
    load: Option<&Load<'_>>,
    watch: &Watch,
    gathered: &mut [[Gathered; 2]],
) -> Result<(), LogError> {
    let state = if load.is_some() { "beside" } else { "alone" };
    for &at in order {
        let rung = &mut rungs[at];
        let gathered = &mut gathered[at][usize::from(load.is_some())];
        let detail = format!("ladder: {}, {state}", rung.step.name());
        let detail = with_value(&detail, gathered.so_far());
        ctx.progress.phase(Layer::Log, Phase::Measure, &detail);
        rung.window(ctx, load, watch, gathered)?;
    }
    Ok(())
}

fn one(
    rung: &LadderRung<'_>,
    gathered: Gathered,
    state: &str,
    beside: Option<(&Segment, &Segment)>,
    plan: &LadderPlan,
) -> Measurement {
    let (step, load) = (rung.step.as_ref(), gathered.load());
    let id = format!("log.ladder.{}.{state}", step.name());
    let mut measurement = gathered.into_measurement(id);
    let workload = &mut measurement.workload;
    workload.insert(condition::THREADS, json!(1));
    workload.insert(condition::CPUS, json!(plan.cpus));
    step.describe(workload);
    if let Some(tier) = &rung.tier {
        workload.insert(condition::FOLDER, json!(tier.asked));
    }
    if let Some(without) = &rung.without_tier {
        let without = format!("log.ladder.{without}.{state}");
        measurement.conditions.insert(condition::WITHOUT_TIER, json!(without));
    }
    if let (Some((segment, file)), Some(load)) = (beside.filter(|_| state == "beside"), load) {
        workload.insert(condition::BUSY_WRITES_PER_S_WANTED, json!(busy::WRITES_PER_S));
        workload.insert(condition::BUSY_READS_PER_S_WANTED, json!(reads::READS_PER_S));
        workload.insert(condition::BUSY_FILE_BYTES, json!(file.bytes()));
        let conditions = &mut measurement.conditions;
        conditions.insert(condition::BUSY_WRITES_PER_S, json!(load.writes_per_s));
        conditions.insert(condition::BUSY_READS_PER_S, json!(load.reads_per_s));
        conditions.insert(condition::BUSY_FSYNCS, json!(load.flushes));
        if rung.tier.is_none() {
            let same = crate::same_device(segment, file);
            conditions.insert(condition::BUSY_SAME_DEVICE, json!(same));
        }
    }
    if state == "alone" {
        let queue = rung.tier.map_or(plan.queue.as_ref(), |tier| tier.queue);
        match step.durable_by() {
            Some(word) => measurement.conditions.insert(condition::DURABLE_BY, json!(word)),
            None => counted::durable_by(&mut measurement, queue),
        }
    }
    measurement
}

/// What [`measure_ladder`] will do; `foreign` is how many steps the caller brings.
pub fn planned_ladder(ctx: &Context, plan: &LadderPlan, foreign: u64) -> PlannedStep {
    let own = plan.cells.len() as u64 + 3 + foreign;
    let tier = plan.with_tier.then(|| with_tier::planned(ctx));
    let (rungs, pauses_s) = tier.map_or((0, 0.0), |tier| (tier.rungs, tier.pauses_s));
    let (tier_bytes, tier_files) = tier.map_or((0, 0), |tier| (tier.window_bytes, tier.file_bytes));
    let steps = own + rungs;
    let repeats = u64::from(ctx.repeats.max(1));
    let states = if plan.beside_bytes > 0 { 2 } else { 1 };
    let files = SEGMENT_BYTES + plan.beside_bytes + tier_files;
    let windows_s = (repeats * steps * states) as f64 * ctx.window.as_secs_f64() * window::TAKES;
    // The load writes in the second half of it only.
    let beside_s = if plan.beside_bytes > 0 { windows_s / 2.0 } else { 0.0 };
    let beside = (beside_s * (busy::WRITES_PER_S * PAGE as u64) as f64) as u64;
    let what = format!(
        "{steps} steps from the device's flush upwards{}{}",
        if plan.with_tier { ", three of them for the tier" } else { "" },
        if states == 2 { ", alone and beside a load on the data files" } else { "" }
    );
    PlannedStep {
        layer: Layer::Log,
        what,
        expected_s: windows_s + (repeats * states) as f64 * pauses_s + files as f64 / 500e6,
        writes_bytes: repeats * states * (own * most_bytes(ctx) + tier_bytes) + files + beside,
    }
}

#[cfg(test)]
mod namespace_test;
#[cfg(test)]
mod tests;
