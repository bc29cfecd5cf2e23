//! After a stage: what its jobs wrote and verify is made durable, dropped from the page cache, read back and checked.
//!
//! A phase of its own: none of it is in the figures of the writes.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::{Context, Phase};
use narrows_io::{Op, TargetKind};
use narrows_layer_block::{
    AccessPattern, Distribution, Limit, Load, Mix, ReadList, Scenario, Stream, StreamOutcome, Then,
    Verify, WrittenBlock, run_scenario,
};
use narrows_model::Layer;
use narrows_observe::Watch;

use super::execute::make_durable;
use super::files::Files;
use super::stage::Stage;
use super::targets::Targets;

/// What is left of a runtime that was used up.
const SHORTEST: Duration = Duration::from_millis(10);

/// What reading back gave, by stream of the stage.
pub struct ReadBack {
    /// Its figures; `None` where nothing was read back.
    pub outcomes: Vec<Option<StreamOutcome>>,
    /// Blocks that were to be read back and were not.
    pub unread: Vec<u64>,
}

/// Reads back what the streams of `scenario` wrote, which is taken out of their `outcomes`.
///
/// # Errors
/// What syncing or reading gave, and the first mismatch where it is to end the run.
pub fn read_back(
    ctx: &Context<'_>,
    stage: &Stage,
    scenario: &Scenario,
    outcomes: &mut [StreamOutcome],
    watch: &Watch,
    (targets, files): (&Targets, &Files),
) -> Result<ReadBack> {
    let ends = outcomes.iter().map(|outcome| outcome.begins_ns + outcome.window_ns);
    let window_ns = ends.max().unwrap_or(0);
    let left = stage.length.saturating_sub(Duration::from_nanos(window_ns));
    let written: Vec<Vec<WrittenBlock>> =
        outcomes.iter_mut().map(|outcome| std::mem::take(&mut outcome.written)).collect();
    let mut back = ReadBack {
        outcomes: vec![None; outcomes.len()],
        unread: written.iter().map(|blocks| blocks.len() as u64).collect(),
    };
    let blocks: u64 = back.unread.iter().sum();
    // As in fio, the jobs' runtime holds for both.
    if blocks == 0 || left < SHORTEST || ctx.stop.is_set() {
        return Ok(back);
    }
    let (mut streams, mut numbers) = (Vec::new(), Vec::new());
    for (number, blocks) in written.into_iter().enumerate().filter(|(_, blocks)| !blocks.is_empty())
    {
        let source = &scenario.streams[number];
        make_durable(&stage.streams[number], targets, files, ctx.stop)?;
        let kind = source.region.target().kind();
        if !matches!(kind, TargetKind::Remote | TargetKind::NvmeGeneric) {
            narrows_facts::file::evict(source.region.target().buffered_file()).with_context(
                || format!("emptying the page cache of {}", source.region.name().display()),
            )?;
        }
        streams.push(reader(source, blocks));
        numbers.push(number);
    }
    let what = format!("read back and verify {blocks} blocks");
    ctx.progress.phase(Layer::Block, Phase::Measure, &what);
    let scenario = Scenario {
        streams,
        warm_up: Duration::ZERO,
        length: left,
        cpu_loads: Vec::new(),
        ..scenario.clone()
    };
    let read = run_scenario(ctx, &scenario, watch)?;
    for (number, outcome) in numbers.into_iter().zip(read) {
        back.unread[number] = back.unread[number].saturating_sub(outcome.verified.blocks);
        back.outcomes[number] = Some(outcome);
    }
    Ok(back)
}

/// A stream that reads those blocks as `source` wrote them: by its way and at its depth, without its pauses, syncs and rate.
fn reader(source: &Stream, blocks: Vec<WrittenBlock>) -> Stream {
    let count = blocks.len() as u64;
    let threads = source.threads.min(u32::try_from(count).unwrap_or(u32::MAX)).max(1);
    let depth = match source.load {
        Load::Closed { depth } => depth,
        Load::Open { most_in_flight, .. } => most_in_flight,
    };
    let each = source.access.depth_per_thread().unwrap_or(u32::MAX);
    let mut sizes = source.sizes.clone();
    sizes.read = source.sizes.of(Op::Write).to_vec();
    Stream {
        name: format!("{} verify", source.name),
        mix: Mix::only(Op::Read),
        sizes,
        place: match source.place.word() {
            "sequential" => AccessPattern::Sequential,
            _ => AccessPattern::Random(Distribution::OnceEach),
        },
        load: Load::Closed { depth: depth.max(threads).min(threads.saturating_mul(each)) },
        threads,
        sync_after: None,
        limit: Some(Limit { operations: count, then: Then::EndStream }),
        ends_after: None,
        begin: None,
        ended: None,
        judged: Vec::new(),
        depth_search: None,
        serialize: None,
        priorities: None,
        think: None,
        flow: None,
        cursor: 0,
        over_ns: None,
        verify: source.verify.as_ref().map(|verify| Verify {
            checks_reads: true,
            remembers: false,
            backlog: None,
            left: None,
            list: Some(Arc::new(ReadList::new(blocks))),
            ..verify.clone()
        }),
        ..source.clone()
    }
}
