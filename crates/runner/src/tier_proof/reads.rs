//! Sessions that read one block after the other, from storage without the tier and with it, in turns; nothing is written to what is named as
//! a device or a namespace.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_cost::Range;
use narrows_engine::{Context, Phase, repeat_of};
use narrows_layer_block::{
    AccessPattern, Distribution, Record, Region, Scenario, Stream, run_scenario,
};
use narrows_model::{Layer, Measurement, Plan, PlannedStep, Platform, Run, condition, family};
use narrows_observe::Watch;
use narrows_tier_forecast::{Popularity, READS_ALONE, READS_BETWEEN, READS_OFF, READS_ON};
use narrows_units::{Bytes, Nanos};
use serde_json::json;

use super::one_session::{self, OneSession};
use crate::block::folder;
use crate::block::target::{self, BlockTarget, Opened};
use crate::exit::Answers;
use crate::failure::Failure;
use crate::guard;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::block::TargetRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// Blocks that the one session reads whose reads are hits: few beside any tier.
pub(super) const HIT_BLOCKS: u64 = 64;
/// Before each window of sessions.
const WARM_UP: Duration = Duration::from_millis(500);
/// How fast files are written, for a plan.
const FILL_BYTES_PER_S: f64 = 500e6;

/// What is read, by whom, and what the tier is.
#[derive(Debug, Clone)]
pub struct ReadProofRequest {
    /// Storage without the tier.
    pub off: TargetRequest,
    /// The same storage with it.
    pub on: TargetRequest,
    /// What the tier holds, bytes.
    pub tier_bytes: u64,
    /// What is read of each side, from its beginning, bytes.
    pub working_set_bytes: u64,
    /// Bytes of a read.
    pub block_bytes: u32,
    /// Which blocks are read how often.
    pub law: Popularity,
    /// Sessions, each with one read at a time.
    pub sessions: u32,
    /// For so long the tier is read before anything counts.
    pub warm_up: Nanos,
    /// Windows on each side.
    pub repeats: u32,
    /// Length of a window.
    pub window: Nanos,
    /// How and where to.
    pub options: RunOptions,
}

impl ReadProofRequest {
    /// The share of reads that the tier serves, by their law.
    pub(super) fn hits(&self) -> Range {
        let blocks = |bytes: u64| bytes / u64::from(self.block_bytes);
        self.law.hits(blocks(self.working_set_bytes), blocks(self.tier_bytes))
    }
}

/// Both sides.
pub struct ReadTierProof {
    request: ReadProofRequest,
    off: BlockTarget,
    on: BlockTarget,
    prepared: Prepared,
    whole: bool,
}

impl Program for ReadTierProof {
    type Request = ReadProofRequest;

    fn options(request: &ReadProofRequest) -> &RunOptions {
        &request.options
    }

    fn storage(request: &ReadProofRequest) -> Vec<String> {
        let sides = [&request.off, &request.on].into_iter();
        let named = sides.filter_map(|side| match side {
            TargetRequest::ReadDevice(device) => Some(device.clone()),
            _ => None,
        });
        named.collect()
    }

    fn plan(request: &ReadProofRequest, _: &dyn Ui) -> Result<ReadTierProof> {
        sizes(request)?;
        let (off, on) = (target::find(&request.off)?, target::find(&request.on)?);
        if off.name() == on.name() {
            return Err(Failure::hinted(
                format!("{} is named as OFF and as ON", off.name()),
                "name the storage without the tier first, and the same with it behind that",
            ));
        }
        let mut platform = off.machine();
        platform.roles.extend(on.machine().roles);
        let prepared = prepared(request, (&off, &on), platform);
        Ok(ReadTierProof { request: request.clone(), off, on, prepared, whole: false })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn folders(&self) -> Vec<PathBuf> {
        [&self.off, &self.on].into_iter().flat_map(BlockTarget::folders).collect()
    }

    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        self.off.guard(load_here)?;
        self.on.guard(load_here)?;
        guard::storage(&self.prepared.platform, &self.folders(), load_here, ui)
    }

    fn check(&self) -> Result<()> {
        let bytes = self.request.working_set_bytes;
        self.off.check(bytes)?;
        self.on.check(bytes)
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let window = Duration::from_nanos(self.request.window.0);
        let ctx = session.context(window);
        let bytes = self.request.working_set_bytes;
        let off = self.off.open(&ctx, &format!("{}-off", session.run.id), bytes, 0)?;
        let on = self.on.open(&ctx, &format!("{}-on", session.run.id), bytes, 0)?;
        let watch = folder::watch(session.platform());
        let measured = measure(&ctx, &self.request, [(&self.off, &off), (&self.on, &on)], &watch);
        off.close();
        on.close();
        session.add(measured?);
        self.whole = super::is_told(session);
        Ok(Ended::Whole)
    }

    fn answers(&self) -> Answers {
        let alone = (self.request.sessions > 1).then_some(READS_ALONE);
        // Hits back to back stand beside it: the forecast takes nothing from them.
        let sides = [READS_OFF, READS_ON, READS_BETWEEN].into_iter().chain(alone);
        Answers::Named(sides.map(|side| family::BLOCK_TIER.id(side).into()).collect())
    }

    fn concluded(&mut self, run: &Run, ui: &dyn Ui) -> Result<()> {
        if self.whole { ui.tier_proof(&super::of_run(run)?) } else { Ok(()) }
    }
}

/// Refuses a tier or a working set in which no hit can be told from a miss.
fn sizes(request: &ReadProofRequest) -> Result<()> {
    let least = HIT_BLOCKS * u64::from(request.block_bytes);
    let given = [
        ("--tier-size", request.tier_bytes, "the size of the tier that is there"),
        (
            "--working-set",
            request.working_set_bytes,
            "larger than the tier, so that some reads miss it",
        ),
    ];
    match given.into_iter().find(|(_, bytes, _)| *bytes < least) {
        None => Ok(()),
        Some((option, bytes, what)) => Err(Failure::hinted(
            format!(
                "{option} {} has fewer than {HIT_BLOCKS} reads of {}",
                Bytes(bytes).iec(),
                Bytes(u64::from(request.block_bytes)).iec()
            ),
            format!("give {what}"),
        )),
    }
}

fn prepared(
    request: &ReadProofRequest,
    (off, on): (&BlockTarget, &BlockTarget),
    platform: Platform,
) -> Prepared {
    let bytes = request.working_set_bytes;
    let fill = off.fill_bytes(bytes, 0) + on.fill_bytes(bytes, 0);
    let seconds = |nanos: Nanos| Duration::from_nanos(nanos.0).as_secs_f64();
    let windows = f64::from(request.repeats);
    let one = (one_session::BEFORE + one_session::WINDOW).as_secs_f64();
    let each = 2.0 * (seconds(request.window) + WARM_UP.as_secs_f64());
    let each = each + OneSession::windows(request) * one;
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Block,
        what,
        expected_s,
        writes_bytes,
    };
    let mut steps = Vec::new();
    if fill > 0 {
        steps.push(step("files to be read".into(), fill as f64 / FILL_BYTES_PER_S, fill));
    }
    steps.push(step("warming the tier".into(), seconds(request.warm_up), 0));
    steps.push(step(
        format!("{} sessions that read, off and on in turns", request.sessions),
        windows * each,
        0,
    ));
    let names = format!("{}, {}", off.name(), on.name());
    Prepared::storage(&names, platform, &request.options, request.repeats, fill, steps)
}

/// A side with what its windows gave.
pub(super) struct Side {
    pub(super) name: &'static str,
    pub(super) stream: Stream,
    pub(super) record: Record,
}

impl Side {
    /// The sessions that were asked for, on all of the working set.
    fn sessions(
        name: &'static str,
        request: &ReadProofRequest,
        (target, opened): (&BlockTarget, &Opened),
        seed: u64,
    ) -> Result<Side> {
        let wanted = request.working_set_bytes;
        if opened.data.bytes() < wanted {
            return Err(Failure::hinted(
                format!(
                    "{} has {}, and {} are to be read",
                    target.name(),
                    Bytes(opened.data.bytes()).iec(),
                    Bytes(wanted).iec()
                ),
                "give a smaller --working-set",
            ));
        }
        let region = opened.data.part(0, wanted)?;
        Ok(Side::of(name, region, target, request, (request.sessions, seed)))
    }

    pub(super) fn of(
        name: &'static str,
        region: Region,
        target: &BlockTarget,
        request: &ReadProofRequest,
        (depth, seed): (u32, u64),
    ) -> Side {
        let name_of_stream = format!("tier_{name}");
        let access = target.access();
        let mut stream = Stream::reads(&name_of_stream, region, request.block_bytes, depth, access);
        stream.place = AccessPattern::Random(distribution(request.law));
        // The same blocks are popular in every window, on both sides.
        stream.order_seed = Some(seed);
        Side { name, stream, record: Record::new() }
    }

    pub(super) fn window(
        &mut self,
        ctx: &Context<'_>,
        (warm_up, length): (Duration, Duration),
        watch: &Watch,
        number: u64,
    ) -> Result<()> {
        let seed = ctx.seed ^ (number << 20) ^ (self.name.len() as u64);
        let scenario = Scenario::of(self.stream.clone(), warm_up, length, seed);
        for outcome in run_scenario(ctx, &scenario, watch)? {
            self.record.add(&outcome);
        }
        Ok(())
    }

    pub(super) fn into_measurement(
        self,
        request: &ReadProofRequest,
        same_machine: bool,
    ) -> Measurement {
        let id = family::BLOCK_TIER.id(self.name);
        let mut measurement = self.record.into_measurement(id, &self.stream);
        let hits = request.hits();
        let workload = &mut measurement.workload;
        workload.insert(condition::TIER_BYTES, json!(request.tier_bytes));
        workload.insert(condition::TIER_HITS_LEAST, json!(hits.low));
        workload.insert(condition::TIER_HITS_MOST, json!(hits.high));
        if same_machine {
            measurement.conditions.insert(condition::SAME_MACHINE, true);
        }
        measurement
    }
}

/// Whether its target runs on this machine, as far as the connection shows it.
fn is_served_here(target: &BlockTarget) -> bool {
    match target {
        BlockTarget::Remote(namespace) => namespace.association().is_on_this_machine(),
        _ => false,
    }
}

fn distribution(law: Popularity) -> Distribution {
    match law {
        Popularity::Uniform => Distribution::Uniform,
        Popularity::Zipf { theta } => Distribution::Zipf { theta },
        Popularity::HotSpot { blocks_share, reads_share } => {
            Distribution::HotSpot { blocks_share, accesses_share: reads_share }
        }
    }
}

fn measure(
    ctx: &Context<'_>,
    request: &ReadProofRequest,
    [off, on]: [(&BlockTarget, &Opened); 2],
    watch: &Watch,
) -> Result<Vec<Measurement>> {
    let side = |name, place| Side::sessions(name, request, place, ctx.seed);
    let mut sides = [side(READS_OFF, off)?, side(READS_ON, on)?];
    let [off_region, on_region] = sides.each_ref().map(|side| side.stream.region.clone());
    let regions = ((off.0, &off_region), (on.0, &on_region));
    let mut one = OneSession::of(request, regions, ctx.seed)?;
    let phase = |phase: Phase, what: &str| ctx.progress.phase(Layer::Block, phase, what);
    phase(Phase::WarmUp, "the tier");
    let warm = Duration::from_nanos(request.warm_up.0);
    let scenario = Scenario::of(sides[1].stream.clone(), Duration::ZERO, warm, !ctx.seed);
    run_scenario(ctx, &scenario, watch)?;
    for repeat in 0..request.repeats {
        let mut order = [0, 1];
        if repeat % 2 == 1 {
            order.reverse();
        }
        for at in order {
            let side = &mut sides[at];
            let what = format!("reads, tier {}", side.name);
            phase(Phase::Measure, &repeat_of(&what, repeat, request.repeats, side.record.so_far()));
            side.window(ctx, (WARM_UP, ctx.window), watch, u64::from(repeat) + 1)?;
        }
        one.window(ctx, request, watch, u64::from(repeat) + 1)?;
    }
    let same_machine = is_served_here(off.0) || is_served_here(on.0);
    let both = sides.into_iter().map(|side| side.into_measurement(request, same_machine));
    Ok(both.chain(one.into_measurements(request, same_machine)).collect())
}
