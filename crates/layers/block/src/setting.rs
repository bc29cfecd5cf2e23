//! A workload of the catalogue with everything decided, as a stream.

use std::time::Duration;

use narrows_engine::Context;
use narrows_io::Access;
use narrows_observe::Watch;

use crate::BlockError;
use crate::block_workload::{BlockWorkload, IoPath, Order};
use crate::outcome::StreamOutcome;
use crate::plan::BlockPlan;
use crate::run::run_scenario;
use crate::scenario::{
    AccessPattern, Distribution, Limit, Load, Mix, Region, Route, Scenario, Sizes, Stream, Then,
};

/// How a workload is run.
#[derive(Debug, Clone)]
pub(crate) struct Setting<'a> {
    pub cell: &'a BlockWorkload,
    pub depth: u32,
    pub threads: u32,
    pub seed: u64,
    pub access: Access,
    pub cpus: &'a [u32],
    /// CPUs of several generators, one each; empty: as one.
    pub generator_cpus: &'a [u32],
}

impl<'a> Setting<'a> {
    /// `best` is the best way there is; `generators` threads where a thread can keep several operations in flight.
    pub(crate) fn new(
        cell: &'a BlockWorkload,
        depth: u32,
        generators: u32,
        seed: u64,
        best: &Access,
        plan: &'a BlockPlan,
    ) -> Self {
        let access = match cell.way {
            IoPath::Best => best.clone(),
            IoPath::Buffered | IoPath::Direct => Access::blocking(),
        };
        let threads = Stream::threads_for(&access, depth, generators);
        let several = access.depth_per_thread().is_none() && threads > 1;
        let generator_cpus = if several { plan.generator_cpus.as_slice() } else { &[] };
        Setting { cell, depth, threads, seed, access, cpus: &plan.cpus, generator_cpus }
    }

    /// The stream; `cursor` is how far earlier windows got, `most` the operations after which the window closes.
    pub(crate) fn stream(&self, region: Region, cursor: u64, most: Option<u64>) -> Stream {
        let cell = self.cell;
        Stream {
            name: cell.id.clone(),
            region,
            mix: Mix::only(cell.op),
            sizes: Sizes::all(cell.block_bytes),
            place: match cell.order {
                Order::Random => AccessPattern::Random(Distribution::OnceEach),
                Order::Sequential => AccessPattern::Sequential,
            },
            load: Load::Closed { depth: self.depth },
            access: self.access.clone(),
            route: match cell.way {
                IoPath::Best | IoPath::Direct => Route::Direct,
                IoPath::Buffered => Route::Buffered,
            },
            threads: self.threads,
            cpus: match self.generator_cpus {
                [] => self.cpus.to_vec(),
                each => each.to_vec(),
            },
            one_cpu_each: !self.generator_cpus.is_empty(),
            io_priority: None,
            buffer_nodes: None,
            sync_after: None,
            limit: most.map(|operations| Limit { operations, then: Then::CloseWindow }),
            ends_after: None,
            think: None,
            cursor,
            order_seed: Some(self.seed),
            over_ns: None,
            time_submissions: false,
            verify: None,
            flow: None,
            priorities: None,
            serialize: None,
            begin: None,
            ended: None,
            judged: Vec::new(),
            depth_search: None,
        }
    }
}

/// One window of one stream.
pub(crate) fn run_once(
    ctx: &Context<'_>,
    stream: Stream,
    watch: &Watch,
    (warm_up, length): (Duration, Duration),
) -> Result<StreamOutcome, BlockError> {
    let scenario = Scenario::of(stream, warm_up, length, ctx.seed);
    let mut outcomes = run_scenario(ctx, &scenario, watch)?;
    Ok(outcomes.remove(0))
}
