//! The log layer: what a durable append costs, and how many commits per second committers get that share flushes.
//!
//! Everything happens on a recycled segment (allocated and fully written before), buffered, with the flush methods a
//! server uses. Single appends are measured idle and beside a checkpoint-like stream of writes to the data files,
//! because interference is what hurts in production. The commit ladder is the capacity of the log as a batch
//! server: one figure for each number of committers. After a workload that committed, the flush is measured again as the workload had it.
//!
//! Not here: whether a flush that returned is durable. That only a power failure shows; the latency and the
//! drive's own count of flushes are recorded so that the validity rules can doubt them.
//!
//! Everything is created inside the folders given and removed on success, failure and stop.

mod after;
mod append;
mod busy;
mod collect;
mod commit;
mod error;
mod ladder;
mod medium;
mod page;
mod places;
mod reads;
mod segment;
mod streams;
mod writer;

pub use after::{Committed, after, planned as planned_after};
pub use append::SyncMethod;
pub use error::LogError;
pub use ladder::{
    Absent, ForeignStep, LEADER, LadderPlace, LadderPlan, LadderStep, LadderTier, Laddered, Layout,
    Method, WriteVariant, measure_ladder, measure_namespace_ladder, planned_ladder,
};
pub use medium::{LogGround, LogNamespace, LogQueue};
pub use places::{LogMediumSpec, Placed, Places, PlacesPlan, Worked, on_places, planned_places};
pub use streams::{Held, Holding, StreamsMeasured, StreamsPlan, planned_streams, streams};
pub use writer::{
    Batch, CommitLog, CommitPlan, CommitRate, CommitSizes, Delay, Flushed, Flusher, Law, Queue,
    SizesError, Style, Work, closed_law, commit_rate, open_law, planned_commits,
};

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::time::Duration;

use narrows_engine::{Context, Phase, repeat_of};
use narrows_facts::affinity;
use narrows_model::{Layer, Measurement, PlannedStep, condition};
use narrows_observe::Watch;
use serde_json::json;

use append::Appender;
use busy::{BusyWriter, Counts};
use collect::Collected;
use commit::Ladder;
use medium::LogMedium as _;
use page::{PAGE, Pages};
use segment::Segment;
pub use segment::check_dir;

/// Size of the recycled segment: four of PostgreSQL's default ones, so that a lap lasts longer than a drive's
/// shortest memory of what was written.
#[cfg(not(test))]
pub const SEGMENT_BYTES: u64 = 64 << 20;
/// In tests of this crate: laps are shorter, and what is filled first is little.
#[cfg(test)]
pub const SEGMENT_BYTES: u64 = 4 << 20;
/// A window ends early rather than write more than this rate would: the budget of bytes that the plan prints holds.
const MOST_BYTES_PER_S: f64 = 200e6;
/// For plans: a tenth of a window to warm up, and how fast files are written.
const WARMED: f64 = 1.1;
const FILL_BYTES_PER_S: f64 = 500e6;
/// Pages read back at the end.
const READ_BACK: u64 = 64;

/// What to measure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogPlan {
    /// For each step of the ladder: committers, and log bytes per commit.
    pub commit_bytes: Vec<(u32, u64)>,
    /// The server's processors; writers and committers run on them.
    pub cpus: Vec<u32>,
    /// Size of the file that the load beside the log writes to; 0 leaves those measurements out.
    pub busy_file_bytes: u64,
}

/// Measures `log.append.{fdatasync,dsync}.{idle,busy}` in `dir` (the load beside it in `data_dir`) and then the
/// ladder, `log.commit.N`.
///
/// # Errors
/// A folder that is missing, read-only, full or in memory; a refused O_DSYNC; a stop. Nothing is left behind.
pub fn measure(
    ctx: &Context,
    dir: &Path,
    data_dir: &Path,
    watch: &Watch,
    plan: &LogPlan,
) -> Result<Vec<Measurement>, LogError> {
    let mut measurements = on_server_cpus(&plan.cpus, || {
        ctx.progress.phase(Layer::Log, Phase::Fill, "segment");
        let segment = Segment::create(dir, "log-segment", SEGMENT_BYTES, ctx.seed, ctx.stop)?;
        let beside = match plan.busy_file_bytes / PAGE as u64 * PAGE as u64 {
            0 => None,
            bytes => {
                ctx.progress.phase(Layer::Log, Phase::Fill, "file beside the log");
                Some(Segment::create(data_dir, "log-beside", bytes, ctx.seed ^ 1, ctx.stop)?)
            }
        };
        appends(ctx, &segment, beside.as_ref(), &plan.cpus, watch)
    })?;
    for (committers, bytes) in &plan.commit_bytes {
        measurements.push(commit_ladder(ctx, dir, watch, *committers, *bytes, &plan.cpus)?);
    }
    Ok(measurements)
}

/// Measures `log.commit.N`: `committers` threads on `cpus` commit `bytes_per_commit` each and share flushes.
///
/// # Errors
/// As [`measure`].
pub fn commit_ladder(
    ctx: &Context,
    dir: &Path,
    watch: &Watch,
    committers: u32,
    bytes_per_commit: u64,
    cpus: &[u32],
) -> Result<Measurement, LogError> {
    ctx.progress.phase(Layer::Log, Phase::Fill, "segment");
    let segment = Segment::create(dir, "log-segment", SEGMENT_BYTES, ctx.seed, ctx.stop)?;
    let pages = Pages::new(ctx.seed);
    let ladder = Ladder {
        committers: committers.max(1),
        bytes_per_commit: bytes_per_commit.max(1),
        cpus,
        most_bytes: most_bytes(ctx),
    };
    on_server_cpus(cpus, || commit::measure(ctx, &ladder, &segment, &pages, watch))
}

/// How long a step of [`commit_ladder`] takes, for a plan, seconds.
pub fn planned_step_s(repeats: u32, window: Duration) -> f64 {
    f64::from(repeats.max(1)) * window.as_secs_f64() * WARMED
        + SEGMENT_BYTES as f64 / FILL_BYTES_PER_S
}

/// What [`measure`] will do, for how long, and what it may write.
pub fn planned(ctx: &Context, plan: &LogPlan) -> Vec<PlannedStep> {
    let window_s = ctx.window.as_secs_f64();
    let repeats = u64::from(ctx.repeats.max(1));
    let step = |what: String, windows: u64, files: u64, beside_s: f64| {
        let beside = (beside_s * (busy::WRITES_PER_S * PAGE as u64) as f64) as u64;
        PlannedStep {
            layer: Layer::Log,
            what,
            expected_s: windows as f64 * window_s * WARMED + files as f64 / FILL_BYTES_PER_S,
            writes_bytes: (windows as f64 * most_bytes(ctx) as f64 * WARMED) as u64
                + files
                + beside,
        }
    };
    let busy = plan.busy_file_bytes > 0;
    let kinds = if busy { 4 } else { 2 };
    let beside_s = if busy { repeats as f64 * 2.0 * window_s * WARMED } else { 0.0 };
    let mut steps = vec![step(
        format!("durable appends of 8 KiB{}", if busy { ", idle and beside writes" } else { "" }),
        repeats * kinds,
        SEGMENT_BYTES + plan.busy_file_bytes,
        beside_s,
    )];
    for (committers, bytes) in &plan.commit_bytes {
        let what = format!("{committers} committers of {bytes} bytes sharing flushes");
        steps.push(step(what, repeats, SEGMENT_BYTES, 0.0));
    }
    steps
}

/// What one window may write.
fn most_bytes(ctx: &Context) -> u64 {
    (ctx.window.as_secs_f64() * MOST_BYTES_PER_S) as u64
}

/// Runs on a thread that has the server's processors, so that the caller's own affinity stays what it was.
fn on_server_cpus<T: Send>(
    cpus: &[u32],
    work: impl FnOnce() -> Result<T, LogError> + Send,
) -> Result<T, LogError> {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                affinity::pin(cpus)
                    .map_err(|reason| LogError::Pin { cpus: cpus.to_vec(), reason })?;
                work()
            })
            .join()
            .expect("the measuring thread does not panic")
    })
}

/// The four kinds take turns within each repeat, so that a drift of the drive meets all of them.
fn appends(
    ctx: &Context,
    segment: &Segment,
    beside: Option<&Segment>,
    cpus: &[u32],
    watch: &Watch,
) -> Result<Vec<Measurement>, LogError> {
    let pages = Pages::new(ctx.seed);
    let mut appender = Appender::new(segment, &pages)?;
    let mut kinds: Vec<(SyncMethod, bool, Collected, (u64, u64))> = Vec::new();
    for busy in [false, true] {
        if !busy || beside.is_some() {
            for method in [SyncMethod::Fdatasync, SyncMethod::Dsync] {
                kinds.push((method, busy, Collected::default(), (0, 0)));
            }
        }
    }
    let id = |method: SyncMethod, busy: bool| {
        format!("log.append.{}.{}", method.id_part(), if busy { "busy" } else { "idle" })
    };
    let repeats = ctx.repeats.max(1);
    for repeat in 0..repeats {
        for (method, busy, collected, verified) in &mut kinds {
            let so_far = collected.append_so_far();
            let detail = repeat_of(&id(*method, *busy), repeat, repeats, so_far);
            ctx.progress.phase(Layer::Log, Phase::Measure, &detail);
            match beside.filter(|_| *busy) {
                None => {
                    let most = most_bytes(ctx);
                    appender.repeat(ctx, *method, None, most, watch, collected)?;
                }
                Some(file) => beside_writes(
                    ctx,
                    &mut appender,
                    *method,
                    (file, &pages, cpus),
                    watch,
                    collected,
                )?,
            }
            *verified = segment.verify(&pages, appender.position(), READ_BACK)?;
        }
    }
    Ok(kinds
        .into_iter()
        .map(|(method, busy, collected, verified)| {
            let rates = collected.busy_writes_per_s.clone();
            let flushes = collected.busy_flushes.clone();
            let mut measurement = collected.into_measurement(id(method, busy), segment, verified);
            let workload = &mut measurement.workload;
            workload.insert(condition::SYNC_METHOD, json!(method.word()));
            workload.insert(condition::THREADS, json!(1));
            workload.insert(condition::CPUS, json!(cpus));
            if let Some(file) = beside.filter(|_| busy) {
                workload.insert(condition::BUSY_WRITES_PER_S_WANTED, json!(busy::WRITES_PER_S));
                workload.insert(condition::BUSY_FILE_BYTES, json!(file.bytes()));
                let conditions = &mut measurement.conditions;
                conditions.insert(condition::BUSY_WRITE_BYTES, json!(PAGE));
                conditions
                    .insert(condition::BUSY_WRITES_PER_S, json!(narrows_stats::median(&rates)));
                conditions.insert(condition::BUSY_FSYNCS, json!(narrows_stats::median(&flushes)));
                conditions.insert(condition::BUSY_SAME_DEVICE, json!(same_device(segment, file)));
            }
            measurement
        })
        .collect())
}

fn beside_writes(
    ctx: &Context,
    appender: &mut Appender,
    method: SyncMethod,
    (file, pages, cpus): (&Segment, &Pages, &[u32]),
    watch: &Watch,
    collected: &mut Collected,
) -> Result<(), LogError> {
    let counts = Counts::default();
    std::thread::scope(|scope| {
        let seed = ctx.seed ^ u64::from(ctx.repeats);
        let every = busy::flush_every(ctx.window);
        let busy = BusyWriter::start(scope, file, pages, &counts, cpus, every, seed);
        appender.repeat(ctx, method, Some(&busy), most_bytes(ctx), watch, collected)?;
        busy.finish(file.path())
    })
}

/// Whether both are on one mounted device; one drive below two partitions is not seen here.
fn same_device(a: &Segment, b: &Segment) -> Option<bool> {
    Some(a.file().metadata().ok()?.dev() == b.file().metadata().ok()?.dev())
}

#[cfg(test)]
mod tests;
