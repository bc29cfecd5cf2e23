//! The closed loop by depth: what one operation alone takes, the most the device gives, and the depth that needs.

use narrows_engine::{KneeSearch, held_quantile};
use narrows_io::{Access, Method};
use narrows_model::DepthPoint;

use super::bench::{Bench, BenchWindow};
use super::disturbance::Helpers;
use super::windows::CalibrationWindows;
use crate::BlockError;
use crate::deepest;
use crate::outcome::StreamOutcome;
use crate::processors::processors;
use crate::scenario::Stream;

/// A thread that uses more of a processor than this, or whose processor is idle for less than the rest, is the narrow place itself.
const BUSY: f64 = 0.9;
/// More threads must give so much more.
const GAIN: f64 = 1.03;
/// Windows at depth one and at the ceiling, the ramp's own among them.
const REPEATS: u32 = 3;
/// The generator without a device runs at this depth.
const NULL_DEPTH: u32 = 32;

/// What the closed loop gave.
pub(super) struct Ramp {
    /// By depth.
    pub points: Vec<DepthPoint>,
    /// One operation at a time: mean latency, ns.
    pub alone_ns: Option<f64>,
    /// The most, operations per second.
    pub ceiling_per_s: f64,
    /// The least of its windows, operations per second.
    pub ceiling_least_per_s: f64,
    /// The depth it needed.
    pub depth: u32,
    /// Whether deeper queues than could be tried might give more.
    pub still_grew: bool,
    /// Processor time per operation there, ns.
    pub cpu_per_op_ns: f64,
    /// Of the busiest generator thread, or of its processor, the share of the window there that was busy.
    pub busiest: f64,
    /// Processors in use there, of these by others, and all that there are.
    pub cpus_busy: (f64, f64, usize),
    /// What was done over the control group's limit there, where there is one.
    pub limit_share: Option<f64>,
    pub helpers: Helpers,
    pub alone: CalibrationWindows,
    pub ceiling: CalibrationWindows,
}

/// What the generator reaches without a device, operations per second.
pub(super) fn generator(bench: &mut Bench<'_>) -> Result<Option<f64>, BlockError> {
    bench.tell("the load generator without a device");
    let plan = bench.plan;
    let stream = Stream::reads(
        "generator",
        bench.target.data.clone(),
        plan.block_bytes,
        NULL_DEPTH,
        Access::null(),
    );
    let length = plan.probe() / 4;
    let before = bench.done();
    let shown =
        bench.run_alone(Stream { cpus: plan.cpus.clone(), ..stream }, (length / 5, length))?;
    bench.nothing_since(before);
    let per_s = shown.load().throughput_per_s();
    Ok((per_s > 0.0).then_some(per_s))
}

/// Finds the ceiling.
pub(super) fn ramp(bench: &mut Bench<'_>) -> Result<Ramp, BlockError> {
    let deepest = bench.plan.max_depth.max(1).min(bench.deepest(bench.plan.block_bytes));
    let mut helpers = Helpers::default();
    let mut search = KneeSearch::new(deepest);
    let mut shown: Vec<(u32, BenchWindow)> = Vec::new();
    while let Some(depth) = search.next_depth() {
        bench.tell(&format!("closed loop, QD{depth}"));
        let this = bench.closed(depth)?;
        helpers.saw(this.load());
        search.saw(depth, this.load().throughput_per_s());
        shown.push((depth, this));
    }
    let mut depth = search.chosen().unwrap_or(1);
    widen(bench, &mut depth, deepest, &mut shown, &mut helpers)?;

    let (mut alone, mut ceiling) = (CalibrationWindows::default(), CalibrationWindows::default());
    for (at, this) in &shown {
        if *at == 1 {
            alone.add(this);
        }
        if *at == depth && this.streams[0].threads == threads(bench, depth) {
            ceiling.add(this);
        }
    }
    let generators = bench.generators;
    for _ in 1..REPEATS {
        for (at, kept, threads) in [(1, &mut alone, 1), (depth, &mut ceiling, generators)] {
            bench.tell(&format!("closed loop, QD{at}, again"));
            bench.generators = threads;
            let this = bench.closed(at)?;
            helpers.saw(this.load());
            kept.add(&this);
            shown.push((at, this));
        }
    }
    bench.generators = generators;
    Ok(conclude(depth, deepest, &shown, helpers, (alone, ceiling)))
}

fn threads(bench: &Bench<'_>, depth: u32) -> u32 {
    Stream::threads_for(&bench.plan.access, depth, bench.generators)
}

/// More generator threads, where one is busy all the time and there are processors for more.
fn widen(
    bench: &mut Bench<'_>,
    depth: &mut u32,
    deepest: u32,
    shown: &mut Vec<(u32, BenchWindow)>,
    helpers: &mut Helpers,
) -> Result<(), BlockError> {
    let best = |shown: &[(u32, BenchWindow)], depth: u32| {
        let at = shown.iter().filter(|(at, _)| *at == depth).map(|(_, this)| this.load());
        let faster = |a: &&StreamOutcome, b: &&StreamOutcome| {
            a.throughput_per_s().total_cmp(&b.throughput_per_s())
        };
        at.max_by(faster).map_or((0.0, 0.0), |o| (o.throughput_per_s(), o.busy()))
    };
    let processors = processors(&bench.plan.cpus);
    let several = bench.plan.access.method() != Method::Blocking;
    loop {
        let (rate, busy) = best(shown, *depth);
        let more = bench.generators * 2;
        let most = bench.plan.access.ways().1;
        if !several || busy <= BUSY || more > processors.min(most) || more > *depth {
            return Ok(());
        }
        let before = std::mem::replace(&mut bench.generators, more);
        let tried = depth.saturating_mul(2).min(deepest);
        bench.tell(&format!("closed loop, QD{tried}, {more} threads"));
        let this = bench.closed(tried)?;
        helpers.saw(this.load());
        let gained = this.load().throughput_per_s() >= rate * GAIN;
        if !gained {
            bench.generators = before;
            return Ok(());
        }
        // An earlier window of this depth had fewer threads and says nothing of these.
        shown.retain(|(at, _)| *at != tried || tried == 1);
        *depth = tried;
        shown.push((tried, this));
    }
}

fn conclude(
    depth: u32,
    deepest: u32,
    shown: &[(u32, BenchWindow)],
    helpers: Helpers,
    (alone, ceiling): (CalibrationWindows, CalibrationWindows),
) -> Ramp {
    let of = |depth: u32| shown.iter().filter(move |(at, _)| *at == depth).map(|(_, s)| s.load());
    let middle = |depth: u32, of_one: &dyn Fn(&StreamOutcome) -> Option<f64>| {
        let values: Vec<f64> = of(depth).filter_map(of_one).collect();
        narrows_stats::median(&values)
    };
    let mean = |outcome: &StreamOutcome| outcome.latency().mean();
    let mut depths: Vec<u32> = shown.iter().map(|(depth, _)| *depth).collect();
    depths.sort_unstable();
    depths.dedup();
    let p99 = |outcome: &StreamOutcome| {
        let latency = outcome.latency();
        held_quantile(&latency, 0.99)
    };
    let points: Vec<DepthPoint> = depths
        .iter()
        .map(|&depth| DepthPoint {
            depth,
            rate_per_s: middle(depth, &|o| Some(o.throughput_per_s())).unwrap_or(0.0),
            latency_mean_ns: middle(depth, &mean),
            latency_p99_ns: middle(depth, &p99),
        })
        .collect();
    let ceiling_per_s = points.iter().find(|p| p.depth == depth).map_or(0.0, |p| p.rate_per_s);
    let online = of(depth).map(|o| o.seen.per_cpu.len()).max().unwrap_or(0);
    Ramp {
        alone_ns: middle(1, &mean),
        ceiling_per_s,
        ceiling_least_per_s: of(depth)
            .map(StreamOutcome::throughput_per_s)
            .reduce(f64::min)
            .unwrap_or_default(),
        depth,
        still_grew: depth == deepest && depth > 1,
        cpu_per_op_ns: middle(depth, &|o| Some(o.cpu_per_op_ns)).unwrap_or(0.0),
        busiest: middle(depth, &|o| Some(o.busy())).unwrap_or(0.0),
        cpus_busy: (
            middle(depth, &|o| Some(o.seen.cpus_busy)).unwrap_or(0.0),
            middle(depth, &|o| Some(o.seen.other_cpus)).unwrap_or(0.0),
            online,
        ),
        limit_share: middle(depth, &|o| o.seen.io_limit_share),
        points,
        helpers,
        alone,
        ceiling,
    }
}

impl Ramp {
    /// Cap on operations in flight of the open loops: far more than the limit of latency allows, so that only a rate that
    /// has failed already reaches it, as far as memory and the kernel's rings allow.
    pub(super) fn cap(&self, bench: &Bench<'_>) -> u32 {
        let limit_s = bench.plan.goal.limit_ns as f64 / 1e9;
        // What a thread's ring takes; buffers are counted by the bench.
        let most = deepest::MOST_PER_THREAD.saturating_mul(bench.generators.max(1));
        let wanted = cap_of(self.ceiling_per_s, limit_s, self.depth, most);
        wanted.min(bench.deepest_open(bench.plan.block_bytes))
    }
}

/// Bounds of the cap on operations in flight.
const FEWEST_IN_FLIGHT: u32 = 256;
/// As many times the depth of the ceiling as is usual may be in flight up to here; beyond it only what the limit asks for.
const USUAL_MOST_IN_FLIGHT: u32 = 4096;

/// Eight times what the ceiling has in flight at the limit (Little's law), or sixteen times the depth that it needed.
fn cap_of(ceiling_per_s: f64, limit_s: f64, depth: u32, most: u32) -> u32 {
    let by_limit = (8.0 * ceiling_per_s * limit_s).ceil().min(f64::from(most)) as u32;
    let by_depth = depth.saturating_mul(16).min(USUAL_MOST_IN_FLIGHT);
    by_limit.max(by_depth).clamp(FEWEST_IN_FLIGHT, most)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cap_of(ceiling_per_s: f64, limit_s: f64, depth: u32) -> u32 {
        super::cap_of(ceiling_per_s, limit_s, depth, deepest::MOST_PER_THREAD)
    }

    #[test]
    fn the_cap_is_eight_times_what_the_limit_allows_up_to_two_million_a_second_within_a_millisecond()
     {
        assert_eq!(cap_of(20e3, 1e-3, 8), 256, "160 at the limit, and no fewer than this");
        assert_eq!(cap_of(70e3, 1e-3, 4), 560);
        assert_eq!(cap_of(70e3, 1e-3, 64), 1024);
        // 512 k/s within 1 ms and 102 k/s within 5 ms.
        assert_eq!(cap_of(512e3, 1e-3, 32), 4096);
        assert_eq!(cap_of(102.4e3, 5e-3, 32), 4096);
        assert_eq!(cap_of(2e6, 1e-3, 128), 16_000);
        assert_eq!(cap_of(10e6, 1e-3, 512), deepest::MOST_PER_THREAD);
        assert_eq!(super::cap_of(10e6, 1e-3, 512, 4 * deepest::MOST_PER_THREAD), 65_536);
    }
}
