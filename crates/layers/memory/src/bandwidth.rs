//! Bandwidth of memory: every CPU of a team works on memory of its own, the kinds of traffic in turns.
//!
//! What is counted, and the proof that it was done, is in [`crate::traffic`] and [`crate::buffers`]; who works when, in [`crate::thread_group`].

use std::sync::mpsc;
use std::time::Duration;

use narrows_engine::{Context, LiveValue, Stop, Window};
use narrows_model::{Layer, Measurement, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::MemoryError;
use crate::buffers::Buffers;
use crate::kernel::Kernel;
use crate::mapping::{HUGE, MapError, Mapping, Pages};
use crate::sizing::Sizing;
use crate::thread_group::{Done, Failure, GroupWorker, ThreadGroup, Windows};
use crate::traffic::{Pace, Traffic};

const LONGEST_WINDOW: Duration = Duration::from_secs(1);

/// Who works where.
#[derive(Debug, Clone)]
pub struct Team {
    /// The end of the measurements' ids: `node0`, `core`, `all`.
    pub place: String,
    /// One thread on each CPU, with the node of its memory.
    pub members: Vec<Member>,
    /// Whether the nodes have to be asked for.
    pub bind: bool,
    /// What the memory is made of.
    pub pages: Pages,
}

/// One thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    /// The CPU it stays on.
    pub cpu: u32,
    /// The node whose memory it uses.
    pub node: u32,
}

impl Team {
    /// The id of what it does.
    pub fn id(&self, traffic: Traffic) -> String {
        format!("memory.bandwidth.{}.{}", traffic.word(), self.place)
    }

    /// Its CPUs.
    pub fn cpus(&self) -> Vec<u32> {
        self.members.iter().map(|member| member.cpu).collect()
    }

    /// The node of a member's memory, where it has to be asked for.
    pub fn node_of(&self, cpu: u32) -> Option<u32> {
        self.members.iter().find(|member| self.bind && member.cpu == cpu).map(|member| member.node)
    }

    /// The node, or the nodes, as conditions.
    pub fn say_nodes(&self, measurement: &mut Measurement) {
        let mut nodes: Vec<u32> = self.members.iter().map(|member| member.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        match nodes[..] {
            [node] => measurement.conditions.insert(condition::NODE, json!(node)),
            _ => measurement.conditions.insert(condition::NODES, json!(nodes)),
        };
    }
}

/// How long one window counts.
pub fn window_length(ctx: &Context) -> Duration {
    ctx.window.min(LONGEST_WINDOW)
}

/// Expected length of all windows of so many kinds of traffic, s.
pub fn expected_s(ctx: &Context, kinds: usize) -> f64 {
    ThreadGroup::expected_s(ctx, kinds, window_length(ctx))
}

/// A thread with its memory.
struct Worker<'a> {
    ground: Buffers,
    kinds: &'a [Traffic],
    stop: &'a Stop,
}

impl GroupWorker for Worker<'_> {
    type Did = Done;

    fn work(&mut self, kind: usize, window: Window) -> Done {
        self.ground.run(self.kinds[kind], Pace::default(), window, self.stop)
    }
}

/// One measurement for each kind of traffic, or why they can't be had.
pub fn measure(
    ctx: &Context,
    team: &Team,
    kinds: &[Traffic],
    sizing: &Sizing,
    watch: &Watch,
) -> Result<Result<Vec<Measurement>, MapError>, MemoryError> {
    // First touch puts it on the thread's node where nothing is bound.
    let map = |cpu, bytes| Mapping::new(bytes, team.pages, team.node_of(cpu), ctx.stop);
    measure_on(ctx, team, kinds, sizing, watch, map)
}

/// The same on memory that each thread gets by its CPU and the number of bytes.
pub fn measure_on(
    ctx: &Context,
    team: &Team,
    kinds: &[Traffic],
    sizing: &Sizing,
    watch: &Watch,
    map: impl Fn(u32, u64) -> Result<Mapping, MapError> + Sync,
) -> Result<Result<Vec<Measurement>, MapError>, MemoryError> {
    let threads = team.members.len() as u64;
    let kernel = Kernel::best();
    let writes = kinds.iter().any(|kind| *kind != Traffic::Read);
    let bytes = if writes { sizing.doubled_bytes() } else { sizing.footprint_bytes };
    let beside = if writes { Buffers::BESIDE_BYTES } else { 0 };
    let each = (bytes / threads + beside).max(Buffers::LEAST_BYTES as u64).next_multiple_of(HUGE);
    if let Err(too_many) = sizing.allows(team.members.len(), each) {
        return Ok(Err(too_many));
    }
    let (shares_to, shares) = mpsc::channel();
    let (cpus, ids) = (team.cpus(), kinds.iter().map(|kind| team.id(*kind)).collect::<Vec<_>>());
    let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: window_length(ctx) };
    let worked = crew.work(ctx, watch, LiveValue::BytesPerSecond, |cpu| {
        let mapping = map(cpu, each)?;
        let huge_share = mapping.huge_share;
        let seed = ctx.seed ^ u64::from(cpu);
        let ground = Buffers::new(mapping, kernel, writes, seed, ctx.stop)
            .map_err(|stopped| Failure::Map(stopped.into()))?;
        let _ = shares_to.send((huge_share, ground.footprint_bytes()));
        Ok(Worker { ground, kinds, stop: ctx.stop })
    })?;
    drop(shares_to);
    let about = shares
        .iter()
        .fold((1.0f64, 0), |(least, sum), (share, bytes)| (least.min(share), sum + bytes));
    Ok(worked.map(|all| {
        let both = kinds.iter().zip(all);
        both.map(|(kind, windows)| bandwidth_measurement(ctx, team, *kind, windows, about, sizing))
            .collect()
    }))
}

fn bandwidth_measurement(
    ctx: &Context,
    team: &Team,
    kind: Traffic,
    windows: Windows,
    (huge_share, footprint_bytes): (f64, u64),
    sizing: &Sizing,
) -> Measurement {
    let mut samples = windows.samples;
    for per_s in windows.per_s {
        samples.add(metric::BANDWIDTH, per_s);
    }
    let mut measurement = Measurement::new(team.id(kind), Layer::Memory);
    measurement.repeats = ctx.repeats.max(1);
    measurement.metrics = samples.into_metrics();
    let workload = &mut measurement.workload;
    workload.insert(condition::DIRECTION, json!(kind.word()));
    workload.insert(condition::PATTERN, json!("sequential"));
    workload.insert(condition::METHOD, json!(Kernel::best().word()));
    workload.insert(condition::THREADS, json!(team.members.len()));
    workload.insert(condition::CPUS, json!(team.cpus()));
    workload.insert(condition::FOOTPRINT_BYTES, json!(footprint_bytes));
    workload.insert(condition::CONVENTION, json!(kind.convention()));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::HUGE_PAGE_SHARE_LEAST, json!(huge_share));
    conditions.insert(condition::SLOWEST_OVER_FASTEST_THREAD, json!(windows.slowest_over_fastest));
    crate::add_sizing(conditions, sizing, footprint_bytes);
    team.say_nodes(&mut measurement);
    measurement
}
