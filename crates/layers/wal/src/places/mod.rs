//! Logs on several places, measured in turns: a short ladder of each, and the emulated log writer under sessions that work between
//! their commits as a database's do.
//!
//! The caller decides whose turn it is, so that a database's own windows can stand between those of the log. A place in memory
//! is measured like any other; that nothing is durable there is for the caller to say.

mod on;

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use narrows_engine::{Context, Phase};
use narrows_model::{Layer, Measurement, PlannedStep};
use narrows_observe::Watch;

use crate::commit::SegmentFlusher;
use crate::page::Pages;
use crate::segment::Segment;
use crate::writer::{CommitLog, Delay, Style, Work};
use crate::{Absent, LogError, SEGMENT_BYTES, most_bytes};
use on::On;

/// A place for a log.
#[derive(Debug)]
pub struct LogMediumSpec {
    /// `wal_1`: part of the ids.
    pub name: String,
    /// A folder of ours on it.
    pub folder: PathBuf,
    /// The folder that was asked about; kept with every measurement.
    pub asked: String,
    /// The device under it; `None` where there is none.
    pub device: Option<PathBuf>,
    /// Its drives' counters, and the machine's.
    pub watch: Watch,
}

/// What is the same on all places.
#[derive(Debug, Clone)]
pub struct PlacesPlan {
    /// Sessions.
    pub sessions: u32,
    /// Log bytes of a commit.
    pub bytes_per_commit: u64,
    /// Processors of sessions and log.
    pub cpus: Vec<u32>,
    /// Processors of their clients.
    pub client_cpus: Vec<u32>,
}

/// One window of sessions that work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Worked {
    /// Commits per second.
    pub rate_per_s: f64,
    /// Processor time of the sessions per commit, ns: their work and their part of the flushes.
    pub session_cpu_ns: f64,
    /// Processor time of their clients per commit, ns.
    pub client_cpu_ns: f64,
}

/// The places, ready to be measured.
pub struct Places<'a> {
    on: Vec<On<'a>>,
    plan: &'a PlacesPlan,
    /// While it is set, logs only write.
    free: &'a AtomicBool,
}

/// What the places gave.
#[derive(Debug, Default)]
pub struct Placed {
    /// `log.rung.NAME.STEP` and `log.working.NAME`.
    pub measurements: Vec<Measurement>,
    /// Steps that a place doesn't offer.
    pub absent: Vec<Absent>,
}

/// Makes a log on each place, lets `act` measure them, and removes them.
///
/// # Errors
/// A folder that is missing, read-only or full; what `act` gives. Nothing is left behind.
pub fn on_places<E: From<LogError>>(
    ctx: &Context,
    places: &[LogMediumSpec],
    plan: &PlacesPlan,
    act: impl FnOnce(&mut Places<'_>) -> Result<(), E>,
) -> Result<Placed, E> {
    ctx.progress.phase(Layer::Log, Phase::Fill, "segments");
    let pages = Pages::new(ctx.seed);
    let free = AtomicBool::new(false);
    let mut segments = Vec::new();
    for place in places {
        let (dir, seed) = (&place.folder, ctx.seed);
        let segment = Segment::create_anywhere(dir, "log-segment", SEGMENT_BYTES, seed, ctx.stop)?;
        segments.push((segment, AtomicU64::new(0)));
    }
    let logs: Vec<CommitLog<SegmentFlusher<'_>>> = segments
        .iter()
        .map(|(segment, written)| {
            let flusher = SegmentFlusher::new(segment, &pages, written);
            CommitLog::new(flusher.with_free(&free), Style::Leader, Delay::default())
        })
        .collect();
    let mut on = Vec::new();
    let mut absent = Vec::new();
    for ((place, (segment, written)), log) in places.iter().zip(&segments).zip(&logs) {
        on.push(On::open(place, plan, (segment, written, log), &pages, &mut absent)?);
    }
    let mut all = Places { on, plan, free: &free };
    act(&mut all)?;
    let measurements = all.on.into_iter().flat_map(|on| on.into_measurements(plan)).collect();
    Ok(Placed { measurements, absent })
}

impl Places<'_> {
    /// One window of each step of a place's short ladder.
    ///
    /// # Errors
    /// A write that failed, or a stop.
    pub fn steps(&mut self, ctx: &Context, at: usize) -> Result<(), LogError> {
        self.on[at].steps(ctx, self.plan)
    }

    /// One window of sessions that do `work` between their commits.
    ///
    /// # Errors
    /// As [`Places::steps`].
    pub fn working(&mut self, ctx: &Context, at: usize, work: Work) -> Result<Worked, LogError> {
        self.on[at].working(ctx, self.plan, (work, true))
    }

    /// The same on the first place with commits that are written and not flushed, thrown away but for what it cost.
    ///
    /// # Errors
    /// As [`Places::steps`].
    pub fn free(&mut self, ctx: &Context, work: Work) -> Result<Worked, LogError> {
        self.free.store(true, Ordering::Relaxed);
        let worked = self.on[0].working(ctx, self.plan, (work, false));
        self.free.store(false, Ordering::Relaxed);
        // What was only written is flushed now, and not in the next window.
        worked.and_then(|worked| self.on[0].flush().map(|()| worked))
    }
}

/// What so many windows of `window` each on every place take and write: `steps` of the ladder, `working` of the sessions.
pub fn planned_places(
    (steps, step_window_s): (u64, f64),
    (working, working_ctx): (u64, &Context),
    places: u64,
) -> PlannedStep {
    let window_s = working_ctx.window.as_secs_f64();
    let windows_s =
        steps as f64 * step_window_s * 3.9 + working as f64 * (window_s * 1.25 + on::OVERHEAD_S);
    let step_ctx =
        Context { window: std::time::Duration::from_secs_f64(step_window_s), ..*working_ctx };
    // The steps write at most as much as their windows may, warm-up included.
    let writes = 3 * steps * most_bytes(&step_ctx) + working * most_bytes(working_ctx) * 5 / 4;
    PlannedStep {
        layer: Layer::Log,
        what: format!("{places} locations: a short ladder and the emulated WAL writer, in turns"),
        expected_s: places as f64 * (windows_s + SEGMENT_BYTES as f64 / 500e6),
        writes_bytes: places * (writes + SEGMENT_BYTES),
    }
}

#[cfg(test)]
mod tests;
