//! One window after another on the same target: where the places go on, how much was written, how much time is left.

use std::time::{Duration, Instant};

use narrows_engine::{Arrivals, Context, LiveValue, Phase, after_window};
use narrows_io::Op;
use narrows_model::Layer;
use narrows_observe::Watch;

use super::plan::{CalibratePlan, CalibrationTarget};
use crate::BlockError;
use crate::deepest;
use crate::knee::held;
use crate::outcome::StreamOutcome;
use crate::plan::MAX_BLOCKING_DEPTH;
use crate::run::run_scenario;
use crate::scenario::{AccessPattern, Limit, Load, Mix, Scenario, Sizes, Stream, Then};
use crate::seed::seed_of;

/// Slices of a window: enough to see how slow operations clump, long enough to hold some.
const SLICES: u32 = 40;
/// Part of a window that goes before it as warm-up.
pub(super) const WARM_UP: f64 = 0.2;
/// Writes of the log in flight: it is written by one, in order.
const LOG_DEPTH: u32 = 1;
/// What a window takes besides itself.
const OVERHEAD: Duration = Duration::from_millis(80);
/// A closed loop's window in which nothing ended is made again, so many times as long.
const LONGER: u32 = 4;
/// An open loop that got less than this share of what was due was held back.
const KEPT_UP: f64 = 0.95;
/// A closed loop of writes may always have so many.
const FEWEST_WRITES: u64 = 64;
/// Buffers of a closed loop, and of an open one.
const OPEN_BUFFER_BYTES: u64 = 256 << 20;
const LOG_NAME: &str = "log";
const DATA_NAME: &str = "load";

/// The target, and what the windows so far did on it.
pub(super) struct Bench<'a> {
    pub ctx: &'a Context<'a>,
    pub target: &'a CalibrationTarget,
    pub watch: &'a Watch,
    pub plan: &'a CalibratePlan,
    /// Generator threads of a way that keeps several operations in flight in one.
    pub generators: u32,
    started: Instant,
    windows: u64,
    cursor: u64,
    log_cursor: u64,
    written_bytes: u64,
    /// In the windows so far.
    done: WorkDone,
    /// What each window of the load showed, in their order.
    pub given: Vec<WindowRate>,
    /// Of the load in the last window.
    last: Option<LiveValue>,
}

/// Operations and bytes of windows; warm-ups are not counted.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct WorkDone {
    pub operations: u64,
    pub bytes: u64,
}

impl WorkDone {
    /// Both.
    pub(super) fn and(self, other: WorkDone) -> WorkDone {
        WorkDone { operations: self.operations + other.operations, bytes: self.bytes + other.bytes }
    }

    fn of(outcome: &StreamOutcome) -> WorkDone {
        WorkDone { operations: outcome.operations(), bytes: outcome.bytes() }
    }
}

/// What a window of the load showed of what can be had.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct WindowRate {
    /// Of all windows before it.
    pub before: WorkDone,
    /// Its own.
    pub own: WorkDone,
    /// What it got, operations per second.
    pub rate_per_s: f64,
    /// Whether more was asked for than that.
    pub limited: bool,
}

impl WindowRate {
    /// What had been done at its end.
    pub(super) fn after(&self) -> WorkDone {
        self.before.and(self.own)
    }

    fn of(outcome: &StreamOutcome, before: WorkDone) -> WindowRate {
        let rate_per_s = outcome.throughput_per_s();
        let due = outcome.open.as_ref().map_or(0, |open| open.due);
        let due_per_s = due as f64 * 1e9 / outcome.window_ns.max(1) as f64;
        WindowRate {
            before,
            own: WorkDone::of(outcome),
            rate_per_s,
            limited: rate_per_s < KEPT_UP * due_per_s,
        }
    }
}

/// A window's streams and what they gave; the load first, then the log.
pub(super) struct BenchWindow {
    pub streams: Vec<Stream>,
    pub outcomes: Vec<StreamOutcome>,
}

impl BenchWindow {
    /// The load's.
    pub(super) fn load(&self) -> &StreamOutcome {
        &self.outcomes[0]
    }
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        ctx: &'a Context<'a>,
        target: &'a CalibrationTarget,
        watch: &'a Watch,
        plan: &'a CalibratePlan,
    ) -> Self {
        Bench {
            ctx,
            target,
            watch,
            plan,
            generators: 1,
            started: Instant::now(),
            windows: 0,
            cursor: 0,
            log_cursor: 0,
            written_bytes: 0,
            done: WorkDone::default(),
            given: Vec::new(),
            last: None,
        }
    }

    /// Says what comes next.
    pub(super) fn tell(&self, detail: &str) {
        let detail = after_window(detail, self.last);
        self.ctx.progress.phase(Layer::Block, Phase::Measure, &detail);
    }

    /// What was done in the windows so far.
    pub(super) fn done(&self) -> WorkDone {
        self.done
    }

    /// What was done since then reached no storage.
    pub(super) fn nothing_since(&mut self, before: WorkDone) {
        self.done = before;
    }

    /// Whether so many windows of that length still end in time, with `reserve_s` seconds after them.
    pub(super) fn has_time(&self, windows: u32, length: Duration, reserve_s: f64) -> bool {
        let takes = (length.mul_f64(1.0 + WARM_UP) + OVERHEAD) * windows;
        let end = self.started.elapsed() + takes + Duration::from_secs_f64(reserve_s);
        end <= self.plan.budget
    }

    /// Whether a window of an open loop may still be written.
    pub(super) fn has_bytes(&self, rate_per_s: f64, length: Duration) -> bool {
        let Some(left) = self.left_bytes() else { return true };
        let seconds = length.as_secs_f64() * (1.0 + WARM_UP);
        let bytes = rate_per_s * seconds * f64::from(self.plan.block_bytes) * self.write_share();
        bytes <= left as f64
    }

    /// One window of the closed loop, with the log beside it if there is one. One in which no operation ended tells nothing of a rate:
    /// it is made again, longer, while there is time.
    pub(super) fn closed(&mut self, depth: u32) -> Result<BenchWindow, BlockError> {
        let mut length = self.plan.probe();
        loop {
            let shown = self.closed_for(depth, length)?;
            length *= LONGER;
            if shown.load().operations() > 0 || !self.has_time(1, length, 0.0) {
                return Ok(shown);
            }
        }
    }

    fn closed_for(&mut self, depth: u32, length: Duration) -> Result<BenchWindow, BlockError> {
        let mut stream = self.stream(Load::Closed { depth });
        if let Some(left) = self.left_bytes() {
            // Each of the windows that the ramp and its repeats may take, twice over.
            let writes = left / 32 / u64::from(self.plan.block_bytes);
            let operations = (writes as f64 / self.write_share()) as u64;
            stream.limit =
                Some(Limit { operations: operations.max(FEWEST_WRITES), then: Then::CloseWindow });
        }
        self.run(stream, (length.mul_f64(WARM_UP), length))
    }

    /// One window of the open loop.
    pub(super) fn open(
        &mut self,
        rate_per_s: f64,
        most_in_flight: u32,
        times: (Duration, Duration),
    ) -> Result<BenchWindow, BlockError> {
        let arrivals = self.plan.arrivals;
        let stream = self.stream(Load::Open { rate_per_s, arrivals, most_in_flight });
        self.run(stream, times)
    }

    /// The deepest queue that may be tried with blocks of that size.
    pub(super) fn deepest(&self, block_bytes: u32) -> u32 {
        let most = deepest::by_bytes(self.plan.drives, block_bytes).min(held(self.watch.tags()));
        self.deepest_within(block_bytes, most)
    }

    /// The most operations that an open loop may have in flight: their buffers are there before, and most are never used.
    pub(super) fn deepest_open(&self, block_bytes: u32) -> u32 {
        let usual = u32::try_from(OPEN_BUFFER_BYTES / u64::from(block_bytes.max(1)));
        let by_drives = deepest::by_bytes(self.plan.drives, block_bytes);
        self.deepest_within(block_bytes, usual.unwrap_or(u32::MAX).max(by_drives))
    }

    fn deepest_within(&self, block_bytes: u32, most: u32) -> u32 {
        let blocks = self.target.data.bytes() / u64::from(block_bytes.max(1));
        let blocking = self.plan.access.depth_per_thread().is_some();
        let most = if blocking { most.min(MAX_BLOCKING_DEPTH) } else { most };
        most.min(u32::try_from(blocks).unwrap_or(u32::MAX)).max(1)
    }

    fn stream(&self, load: Load) -> Stream {
        let plan = self.plan;
        let (data, access) = (self.target.data.clone(), plan.access.clone());
        let depth = load.in_flight();
        let reads = Stream::reads(DATA_NAME, data, plan.block_bytes, depth, access);
        let threads = Stream::threads_for(&plan.access, depth, self.generators);
        let several = plan.access.depth_per_thread().is_none() && threads > 1;
        let one_cpu_each = several && !plan.generator_cpus.is_empty();
        let cpus = if one_cpu_each { &plan.generator_cpus } else { &plan.cpus };
        Stream {
            mix: plan.mix(),
            threads,
            load,
            cpus: cpus.clone(),
            one_cpu_each,
            cursor: self.cursor,
            order_seed: Some(seed_of(self.ctx.seed, 1, 0)),
            over_ns: Some(plan.goal.limit_ns),
            ..reads
        }
    }

    fn log(&self) -> Option<Stream> {
        let (log, region) = (self.plan.beside?, self.target.log.clone()?);
        let access = self.plan.access.clone();
        let reads = Stream::reads(LOG_NAME, region, log.block_bytes, LOG_DEPTH, access);
        Some(Stream {
            mix: Mix::only(Op::Write),
            sizes: Sizes::all(log.block_bytes),
            place: AccessPattern::Sequential,
            load: Load::Open {
                rate_per_s: log.rate_per_s,
                arrivals: Arrivals::Constant,
                most_in_flight: LOG_DEPTH,
            },
            threads: 1,
            sync_after: Some(1),
            cursor: self.log_cursor,
            ..reads
        })
    }

    /// One window of the load, with the log beside it if there is one.
    fn run(
        &mut self,
        stream: Stream,
        times: (Duration, Duration),
    ) -> Result<BenchWindow, BlockError> {
        let mut streams = vec![stream];
        streams.extend(self.log());
        let before = self.done;
        let shown = self.execute(streams, times)?;
        self.given.push(WindowRate::of(shown.load(), before));
        self.cursor = shown.load().cursor;
        self.written_bytes += shown.load().written_bytes;
        if let Some(log) = shown.outcomes.get(1) {
            self.log_cursor = log.cursor;
        }
        Ok(shown)
    }

    /// One window of something else, with nothing beside it.
    pub(super) fn run_alone(
        &mut self,
        stream: Stream,
        times: (Duration, Duration),
    ) -> Result<BenchWindow, BlockError> {
        self.execute(vec![stream], times)
    }

    fn execute(
        &mut self,
        streams: Vec<Stream>,
        (warm_up, length): (Duration, Duration),
    ) -> Result<BenchWindow, BlockError> {
        self.ctx.stop.check()?;
        self.windows += 1;
        let seed = seed_of(self.ctx.seed, 2, self.windows);
        let slice = (length / SLICES).max(Duration::from_micros(100));
        let scenario = Scenario { streams, warm_up, length, slice, seed, cpu_loads: Vec::new() };
        let outcomes = run_scenario(self.ctx, &scenario, self.watch)?;
        self.last = outcomes.first().map(StreamOutcome::live_value);
        self.done = outcomes.iter().map(WorkDone::of).fold(self.done, WorkDone::and);
        Ok(BenchWindow { streams: scenario.streams, outcomes })
    }

    fn write_share(&self) -> f64 {
        f64::from(100 - self.plan.read_percent.min(100)) / 100.0
    }

    /// Bytes that may still be written; `None` where the load doesn't write.
    fn left_bytes(&self) -> Option<u64> {
        let budget = self.plan.write_budget()?;
        Some(budget.saturating_sub(self.written_bytes))
    }
}
