//! Latency of memory: dependent loads over one random cycle of cache lines.
//!
//! The time is the thread's own on its processor: a load's latency does not grow because somebody else was scheduled
//! in between (the share of time so lost is kept as a condition). Samples of 10 ms and more continue each other around the cycle, so that no sample finds what the last one left
//! in a cache. Every repeat's end is checked against the permutation. Afterwards a cycle over half of the lines is walked: where
//! caches hold a share of the lines, they hold twice that share of half as many, and the loads are visibly faster. Last the same lines
//! are walked in order, which shows what prefetching gives.

use std::sync::OnceLock;
use std::time::{Duration, Instant};

use narrows_engine::{Context, LiveValue, Phase, Rng, Samples, repeat_of};
use narrows_facts::affinity;
use narrows_model::{Conditions, Layer, Measurement, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::access_path::AccessPath;
use crate::chase::{Chain, LINE, Walked};
use crate::mapping::{MapError, Mapping, Pages};
use crate::sizing::Sizing;
use crate::{MemoryError, cycle};

/// Shortest sample; the clock's cost and an interrupt's weight vanish in it.
const SAMPLE: Duration = Duration::from_millis(10);
/// Samples over half of the footprint.
const SAMPLES_OF_HALF: u32 = 5;
/// Longest time one repeat walks.
const LONGEST_REPEAT: Duration = Duration::from_millis(500);

/// How long one repeat walks.
pub fn repeat_length(ctx: &Context) -> Duration {
    ctx.window.min(LONGEST_REPEAT)
}

/// One cycle for all places and page sizes of a footprint.
pub struct Cycle {
    next: Vec<u32>,
    /// Over the first half of the lines; made when it is first asked for.
    half: OnceLock<Vec<u32>>,
    seed: u64,
}

impl Cycle {
    /// Over all lines of `footprint_bytes`.
    pub fn new(footprint_bytes: u64, ctx: &Context) -> Result<Cycle, MemoryError> {
        let lines = footprint_bytes as usize / LINE;
        let next = cycle::sattolo(lines, &mut Rng::new(ctx.seed), ctx.stop)?;
        Ok(Cycle { next, half: OnceLock::new(), seed: ctx.seed })
    }

    /// The line behind each of the first half, on a cycle of their own.
    fn half(&self, ctx: &Context) -> Result<&[u32], MemoryError> {
        if let Some(half) = self.half.get() {
            return Ok(half);
        }
        let lines = (self.next.len() / 2).max(1);
        let half = cycle::sattolo(lines, &mut Rng::new(ctx.seed ^ 1), ctx.stop)?;
        Ok(self.half.get_or_init(|| half))
    }

    /// The line behind each.
    pub fn links(&self) -> &[u32] {
        &self.next
    }

    /// Bytes it was made for.
    pub fn footprint_bytes(&self) -> u64 {
        (self.next.len() * LINE) as u64
    }
}

/// The id of a latency measurement.
pub fn id(place: &AccessPath, pages: Pages) -> String {
    format!("memory.latency.{}{}", place.id_part, pages.word())
}

/// One measurement, or why it can't be had. Runs on a thread of its own that stays on the place's processor.
pub fn measure(
    ctx: &Context,
    place: &AccessPath,
    bind: bool,
    pages: Pages,
    sizing: &Sizing,
    cycle: &Cycle,
    watch: &Watch,
) -> Result<Result<Measurement, MapError>, MemoryError> {
    std::thread::scope(|scope| {
        scope
            .spawn(|| {
                affinity::pin(&[place.cpu])
                    .map_err(|reason| MemoryError::Pin { cpu: place.cpu, reason })?;
                let id = id(place, pages);
                ctx.progress.phase(Layer::Memory, Phase::Prepare, &id);
                let node = bind.then_some(place.node);
                let bytes = cycle.footprint_bytes().next_multiple_of(pages.granule());
                let mapping = match Mapping::new(bytes, pages, node, ctx.stop) {
                    Ok(mapping) => mapping,
                    Err(MapError::Stopped(stopped)) => return Err(stopped.into()),
                    Err(refused) => return Ok(Err(refused)),
                };
                let mut chain = Chain::new(mapping);
                chain.link(&cycle.next, ctx.stop)?;
                ctx.progress.phase(Layer::Memory, Phase::Measure, &id);
                walk(ctx, place, pages, sizing, cycle, chain, watch).map(Ok)
            })
            .join()
            .expect("the walking thread does not panic")
    })
}

/// All repeats' walks of one chain.
struct Walker<'a> {
    ctx: &'a Context<'a>,
    place: &'a AccessPath,
    cycle: &'a Cycle,
    chain: Chain,
    /// The line that comes next: samples continue each other.
    at: u32,
    steps_per_sample: u64,
    samples: Samples,
    /// Samples that ran on another processor, all or in part.
    moved: u64,
    walked_ns: u64,
    /// Of that, without the processor.
    waited_ns: u64,
}

fn walk(
    ctx: &Context,
    place: &AccessPath,
    pages: Pages,
    sizing: &Sizing,
    cycle: &Cycle,
    chain: Chain,
    watch: &Watch,
) -> Result<Measurement, MemoryError> {
    let mut walker = Walker::new(ctx, place, cycle, chain, sizing)?;
    let (id, repeats) = (id(place, pages), ctx.repeats.max(1));
    for repeat in 0..repeats {
        let so_far = walker.samples.so_far(metric::COST).map(LiveValue::Nanos);
        let detail = repeat_of(&id, repeat, repeats, so_far);
        ctx.progress.phase(Layer::Memory, Phase::Measure, &detail);
        walker.repeat(watch)?;
    }
    ctx.progress.phase(Layer::Memory, Phase::Verify, "walk in order");
    let in_order_ns = walker.in_order_ns()?;
    ctx.progress.phase(Layer::Memory, Phase::Verify, "walk over half of it");
    let half_ns = walker.half_ns(sizing)?;
    Ok(walker.into_measurement(pages, sizing, (in_order_ns, half_ns)))
}

impl<'a> Walker<'a> {
    fn new(
        ctx: &'a Context<'a>,
        place: &'a AccessPath,
        cycle: &'a Cycle,
        chain: Chain,
        sizing: &Sizing,
    ) -> Result<Self, MemoryError> {
        let mut at = chain.displace(sizing.cache_bytes, sizing.spare_bytes(), ctx.stop)?;
        let steps_per_sample = steps_for(SAMPLE, &chain, &mut at, ctx)?;
        Ok(Walker {
            ctx,
            place,
            cycle,
            chain,
            at,
            steps_per_sample,
            samples: Samples::new(),
            moved: 0,
            walked_ns: 0,
            waited_ns: 0,
        })
    }

    /// One repeat, its end checked against the permutation.
    fn repeat(&mut self, watch: &Watch) -> Result<(), MemoryError> {
        let sentinel_before = narrows_observe::sentinel();
        let before = watch.snapshot();
        let began = Instant::now();
        let (from, moved_before) = (self.at, self.moved);
        let mut steps = 0;
        let mut costs = Vec::new();
        let mut cpu_ns = 0;
        while began.elapsed() < repeat_length(self.ctx) || costs.is_empty() {
            self.ctx.stop.check()?;
            let walked = self.sample();
            steps += walked.steps;
            cpu_ns += walked.cpu_ns;
            costs.push(walked.cpu_ns as f64 / walked.steps as f64);
        }
        let seen = watch.since(&before);
        let sentinel_after = narrows_observe::sentinel();
        let mut errors = self.moved - moved_before;
        // The proof that every load was made: only exactly that many of them end on this line.
        if cycle::walk(&self.cycle.next, from, steps, self.ctx.stop)? != self.at {
            errors += 1;
        }
        let cost = narrows_stats::median(&costs).unwrap_or(f64::NAN);
        let samples = &mut self.samples;
        samples.add(metric::COST, cost);
        let mean = cpu_ns as f64 / steps as f64;
        samples.add(metric::COST_MEAN, mean);
        samples.add(metric::OPERATIONS, steps as f64);
        samples.add(metric::ERRORS, errors as f64);
        crate::add_seen(samples, &seen);
        crate::add_sentinel(samples, sentinel_before, sentinel_after);
        Ok(())
    }

    /// One sample; the next is longer where this one was too short.
    fn sample(&mut self) -> Walked {
        let cpu_before = affinity::current_cpu();
        let walked = self.chain.walk(self.at, self.steps_per_sample);
        self.at = walked.line;
        let own = Some(self.place.cpu);
        if cpu_before != own || affinity::current_cpu() != own {
            self.moved += 1;
        }
        self.waited_ns += walked.elapsed_ns.saturating_sub(walked.cpu_ns);
        self.walked_ns += walked.elapsed_ns;
        if walked.elapsed_ns < SAMPLE.as_nanos() as u64 {
            self.steps_per_sample += self.steps_per_sample / 4;
        }
        walked
    }

    /// What a load costs over the same lines in order, ns. The random links are gone afterwards.
    fn in_order_ns(&mut self) -> Result<f64, MemoryError> {
        self.chain.link_in_order(self.ctx.stop)?;
        let mut at = 0;
        let steps = steps_for(SAMPLE, &self.chain, &mut at, self.ctx)?;
        let walked = self.chain.walk(at, steps);
        Ok(walked.cpu_ns as f64 / walked.steps as f64)
    }

    /// What a load costs at random over the first half of the lines, ns, displaced as the whole was. The links are gone afterwards.
    fn half_ns(&mut self, sizing: &Sizing) -> Result<f64, MemoryError> {
        let (ctx, half) = (self.ctx, self.cycle.half(self.ctx)?);
        self.chain.link(half, ctx.stop)?;
        let mut at = self.chain.displace(sizing.cache_bytes, sizing.spare_bytes(), ctx.stop)?;
        let steps = steps_for(SAMPLE, &self.chain, &mut at, ctx)?;
        let mut costs = Vec::new();
        for _ in 0..SAMPLES_OF_HALF {
            ctx.stop.check()?;
            let walked = self.chain.walk(at, steps);
            at = walked.line;
            costs.push(walked.cpu_ns as f64 / walked.steps as f64);
        }
        Ok(narrows_stats::median(&costs).unwrap_or(f64::NAN))
    }

    fn into_measurement(
        self,
        pages: Pages,
        sizing: &Sizing,
        (in_order_ns, half_ns): (f64, f64),
    ) -> Measurement {
        let place = self.place;
        let mut measurement = Measurement::new(id(place, pages), Layer::Memory);
        measurement.repeats = self.ctx.repeats.max(1);
        measurement.metrics = self.samples.into_metrics();
        let workload = &mut measurement.workload;
        workload.insert(condition::PATTERN, json!("random"));
        workload.insert(condition::FOOTPRINT_BYTES, json!(self.cycle.footprint_bytes()));
        workload.insert(condition::LINE_BYTES, json!(LINE));
        workload.insert(condition::CPU, json!(place.cpu));
        workload.insert(condition::CPU_NODE, json!(place.cpu_node));
        workload.insert(condition::SEED, json!(self.cycle.seed));
        let random_ns = measurement.value(metric::COST).unwrap_or(f64::NAN);
        let conditions = &mut measurement.conditions;
        conditions.insert(condition::NODE, json!(place.node));
        if let Some(distance) = place.distance {
            conditions.insert(condition::DISTANCE, json!(distance));
        }
        obtained(conditions, self.chain.mapping());
        conditions.insert(condition::SEQUENTIAL_COST_NS, json!(in_order_ns));
        conditions.insert(condition::RANDOM_OVER_SEQUENTIAL, json!(random_ns / in_order_ns));
        conditions.insert(condition::HALF_FOOTPRINT_COST_NS, json!(half_ns));
        conditions.insert(condition::HALF_OVER_WHOLE, json!(half_ns / random_ns));
        let waited = self.waited_ns as f64 / f64::max(self.walked_ns as f64, 1.0);
        conditions.insert(condition::SHARE_OF_TIME_OFF_CPU, json!(waited));
        if self.moved > 0 {
            conditions.insert(condition::SAMPLES_ON_ANOTHER_CPU, json!(self.moved));
        }
        crate::add_sizing(conditions, sizing, self.cycle.footprint_bytes());
        measurement
    }
}

/// The pages and the node that were asked for, as they are.
pub(crate) fn obtained(conditions: &mut Conditions, mapping: &Mapping) {
    let huge = mapping.huge_share >= crate::mapping::OBTAINED;
    let page_bytes = if huge { mapping.pool_page_bytes } else { crate::mapping::base_page_bytes() };
    conditions.insert(condition::PAGE_BYTES, json!(page_bytes));
    conditions.insert(condition::HUGE_PAGE_SHARE, json!(mapping.huge_share));
    conditions.insert(condition::BACKING, json!(mapping.backing.word()));
    match mapping.node_share {
        Some(share) => conditions.insert(condition::NODE_SHARE, json!(share)),
        None => conditions.insert(condition::NODE_NOT_VERIFIED, json!("the machine has one node")),
    };
}

/// How many steps take `length`, found by doubling; walks on from `at`.
fn steps_for(
    length: Duration,
    chain: &Chain,
    at: &mut u32,
    ctx: &Context,
) -> Result<u64, MemoryError> {
    let mut steps = 1 << 12;
    loop {
        ctx.stop.check()?;
        let walked = chain.walk(*at, steps);
        *at = walked.line;
        let elapsed = walked.elapsed_ns.max(1);
        let wanted = length.as_nanos() as u64;
        if elapsed * 4 >= wanted {
            // A tenth more, so that a slightly faster sample is still long enough.
            return Ok((walked.steps as u128 * wanted as u128 * 11 / (elapsed as u128 * 10)) as u64);
        }
        steps *= 2;
    }
}
