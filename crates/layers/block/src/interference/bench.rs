//! One window after another: where the places of each kind of work go on, and how much was written.

use std::time::Duration;

use narrows_engine::{Context, KneeSearch, LiveValue, Phase, after_window};
use narrows_model::Layer;
use narrows_observe::Watch;

use super::background_load::{WRITE_DEPTH, Work, stream};
use super::plan::{InterferenceGround, InterferencePlan, WARM_UP};
use crate::BlockError;
use crate::deepest;
use crate::outcome::StreamOutcome;
use crate::run::run_scenario;
use crate::scenario::{Limit, Load, Scenario, Stream, Then};
use crate::seed::seed_of;

/// Slices of a window.
const SLICES: u32 = 40;
/// Windows of each closed loop at its depth.
const REPEATS: usize = 3;
/// Deepest queue of reads that is tried.
const DEEPEST: u32 = 128;
/// A closed loop of writes may always have so many.
const FEWEST_WRITES: u64 = 64;

/// The windows of one closed loop at its depth.
pub(super) struct Ceiling {
    pub stream: Stream,
    pub outcomes: Vec<StreamOutcome>,
}

impl Ceiling {
    /// The middle rate, per second.
    pub(super) fn per_s(&self) -> f64 {
        let rates: Vec<f64> = self.outcomes.iter().map(StreamOutcome::throughput_per_s).collect();
        narrows_stats::median(&rates).unwrap_or(0.0)
    }
}

pub(super) struct Bench<'a> {
    pub ctx: &'a Context<'a>,
    pub ground: &'a InterferenceGround,
    pub watch: &'a Watch,
    pub plan: &'a InterferencePlan,
    windows: u64,
    /// Of reads, random writes and log.
    cursors: [u64; 3],
    pub written_bytes: u64,
    /// Of the reads, or what ran in their place, in the last window.
    last: Option<LiveValue>,
}

impl<'a> Bench<'a> {
    pub(super) fn new(
        ctx: &'a Context<'a>,
        ground: &'a InterferenceGround,
        watch: &'a Watch,
        plan: &'a InterferencePlan,
    ) -> Self {
        let (cursors, written_bytes) = ([0; 3], 0);
        Bench { ctx, ground, watch, plan, windows: 0, cursors, written_bytes, last: None }
    }

    pub(super) fn tell(&self, detail: &str) {
        let detail = after_window(detail, self.last);
        self.ctx.progress.phase(Layer::Block, Phase::Measure, &detail);
    }

    /// The reads.
    pub(super) fn reads(&self, load: Load) -> Stream {
        let (plan, depth) = (self.plan, load.in_flight());
        let region = self.ground.reads.clone();
        let reads = Stream::reads("reads", region, plan.block_bytes, depth, plan.access.clone());
        Stream { load, cpus: plan.cpus.clone(), ..reads }
    }

    /// One window of the reads, and of `work` beside them unless that is nothing.
    pub(super) fn together(
        &mut self,
        reads: Load,
        (work, beside): (Work, Load),
        length: Duration,
    ) -> Result<(Vec<Stream>, Vec<StreamOutcome>), BlockError> {
        let mut streams = vec![self.reads(reads)];
        let mut works = vec![Work::Nothing];
        if let Some(stream) = stream(work, beside, self.plan, self.ground) {
            streams.push(stream);
            works.push(work);
        }
        self.execute(streams, &works, length)
    }

    /// The reads in a closed loop, at the depth where their rate stops growing.
    pub(super) fn read_ceiling(&mut self) -> Result<Ceiling, BlockError> {
        let blocks = self.ground.reads.bytes() / u64::from(self.plan.block_bytes.max(1));
        let by_drives = DEEPEST
            .saturating_mul(self.plan.drives.max(1))
            .min(deepest::by_bytes(self.plan.drives, self.plan.block_bytes));
        let deepest = by_drives.min(u32::try_from(blocks).unwrap_or(u32::MAX)).max(1);
        let mut search = KneeSearch::new(deepest);
        while let Some(depth) = search.next_depth() {
            self.tell(&format!("reads alone, QD{depth}"));
            let mut once = self.closed(Work::Nothing, depth, 1)?;
            search.saw(depth, once.outcomes.remove(0).throughput_per_s());
        }
        let depth = search.chosen().unwrap_or(1);
        self.tell(&format!("reads alone, QD{depth}, again"));
        self.closed(Work::Nothing, depth, REPEATS)
    }

    /// Random writes or the log in a closed loop.
    pub(super) fn write_ceiling(&mut self, work: Work) -> Result<Ceiling, BlockError> {
        let (name, depth) = match work {
            Work::Log => ("log", 1),
            Work::Nothing | Work::Writes => ("random writes", WRITE_DEPTH),
        };
        self.tell(&format!("{name} alone"));
        self.closed(work, depth, REPEATS)
    }

    fn closed(&mut self, work: Work, depth: u32, repeats: usize) -> Result<Ceiling, BlockError> {
        let load = Load::Closed { depth };
        let mut ceiling = Ceiling { stream: self.reads(load), outcomes: Vec::new() };
        for _ in 0..repeats {
            let mut stream = match stream(work, load, self.plan, self.ground) {
                None => self.reads(load),
                Some(stream) => {
                    // An eighth of the budget is for these windows, of which there are twice REPEATS.
                    let part = self.plan.budget_bytes / 8 / (2 * REPEATS as u64);
                    let operations = part / u64::from(self.plan.block_bytes.max(1));
                    let operations = operations.max(FEWEST_WRITES);
                    Stream { limit: Some(Limit { operations, then: Then::CloseWindow }), ..stream }
                }
            };
            stream.threads = Stream::threads_for(&self.plan.access, depth, 1);
            let length = self.plan.probe();
            let (mut streams, mut outcomes) = self.execute(vec![stream], &[work], length)?;
            ceiling.stream = streams.remove(0);
            ceiling.outcomes.push(outcomes.remove(0));
        }
        Ok(ceiling)
    }

    fn execute(
        &mut self,
        mut streams: Vec<Stream>,
        works: &[Work],
        length: Duration,
    ) -> Result<(Vec<Stream>, Vec<StreamOutcome>), BlockError> {
        self.ctx.stop.check()?;
        self.windows += 1;
        for (stream, work) in streams.iter_mut().zip(works) {
            stream.cursor = self.cursors[place(*work)];
            // The order stays, so that the next window goes on where this one ends.
            stream.order_seed = Some(seed_of(self.ctx.seed, 1 + place(*work) as u64, 0));
        }
        let scenario = Scenario {
            streams,
            warm_up: length.mul_f64(WARM_UP),
            length,
            slice: (length / SLICES).max(Duration::from_micros(100)),
            seed: seed_of(self.ctx.seed, 7, self.windows),
            cpu_loads: Vec::new(),
        };
        let outcomes = run_scenario(self.ctx, &scenario, self.watch)?;
        self.last = outcomes.first().map(StreamOutcome::live_value);
        for (outcome, work) in outcomes.iter().zip(works) {
            self.cursors[place(*work)] = outcome.cursor;
            self.written_bytes += outcome.written_bytes;
        }
        Ok((scenario.streams, outcomes))
    }
}

fn place(work: Work) -> usize {
    match work {
        Work::Nothing => 0,
        Work::Writes => 1,
        Work::Log => 2,
    }
}
