//! Latency by footprint: dependent loads over random cycles of growing size, from the first cache to beyond the last.
//!
//! Each size is a cycle of its own through the same memory, walked before it counts until the linking has left the caches. Sizes come in an order drawn at random,
//! so that a drift makes the curve rough instead of steep. What a cache costs is read off at half of its size, where a cycle fits
//! it and no smaller one; memory itself is [`crate::latency`]'s.
//!
//! Not here: which cache a line really was in (that takes hardware counters), caches shared by others at the same time.

use std::time::Duration;

use narrows_engine::{Context, LiveValue, Phase, Rng, Samples, after_window};
use narrows_facts::affinity;
use narrows_model::{Cache, Layer, Measurement, Metric, Series, Unit, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::access_path::AccessPath;
use crate::chase::{Chain, LINE, Walked};
use crate::latency::obtained;
use crate::mapping::{HUGE, MapError, Mapping, Pages};
use crate::sizing::{Sizing, last_level_bytes};
use crate::thread_group::shuffled;
use crate::{MemoryError, cycle};

/// The smallest footprint, bytes.
const LEAST: u64 = 4 << 10;
/// Up to here there is a step between two powers of two, bytes.
const FINE: u64 = 64 << 20;
/// The largest footprint where caches are smaller or unknown, bytes.
const BEYOND: u64 = 256 << 20;
/// One sample.
const SAMPLE: Duration = Duration::from_millis(5);
/// Steps of a first sample, which finds out how many it takes.
const FIRST_STEPS: u64 = 1 << 12;
/// The name of the series: x in bytes, values in ns.
const SERIES: &str = "curve.latency";

/// The id of a curve.
pub fn id(pages: Pages) -> String {
    format!("memory.curve.{}", pages.word())
}

/// The largest footprint, bytes: beyond the last cache, and no more than half of what the latency itself is measured at, which is the
/// curve's end.
pub fn largest(sizing: &Sizing) -> u64 {
    let beyond = sizing.cache_bytes.unwrap_or(0).next_power_of_two().max(BEYOND);
    beyond.min(sizing.footprint_bytes / 2)
}

/// The footprints, ascending, bytes: powers of two, with steps between them where caches end.
pub fn sizes(largest: u64) -> Vec<u64> {
    let mut sizes = Vec::new();
    let mut size = LEAST;
    while size <= largest {
        sizes.push(size);
        let between = size + size / 2;
        if between <= FINE.min(largest) {
            sizes.push(between);
        }
        size *= 2;
    }
    sizes
}

/// Expected length, s: building takes a second and a half per GiB, walking the samples and as many laps.
pub fn expected_s(ctx: &Context, largest: u64) -> f64 {
    let sizes = sizes(largest);
    let gib = sizes.iter().sum::<u64>() as f64 / (1u64 << 30) as f64;
    let samples = f64::from(ctx.repeats.max(1)) * sizes.len() as f64;
    gib * 3.0 + samples * 1.5 * SAMPLE.as_secs_f64()
}

/// The curve from the place's processor to its memory, up to `largest` bytes, or why it can't be had.
///
/// # Errors
/// When asked to stop, or when the thread can't be kept on its CPU.
pub fn measure(
    ctx: &Context,
    place: &AccessPath,
    bind: bool,
    pages: Pages,
    caches: &[Cache],
    largest: u64,
    watch: &Watch,
) -> Result<Result<Measurement, MapError>, MemoryError> {
    std::thread::scope(|scope| {
        let walking = scope.spawn(|| {
            affinity::pin(&[place.cpu])
                .map_err(|reason| MemoryError::Pin { cpu: place.cpu, reason })?;
            ctx.progress.phase(Layer::Memory, Phase::Prepare, &id(pages));
            let node = bind.then_some(place.node);
            let bytes = largest.next_multiple_of(HUGE);
            let mapping = match Mapping::new(bytes, pages, node, ctx.stop) {
                Ok(mapping) => mapping,
                Err(MapError::Stopped(stopped)) => return Err(stopped.into()),
                Err(refused) => return Ok(Err(refused)),
            };
            let mut chain = Chain::new(mapping);
            let (sizes, held) = (sizes(largest), last_level_bytes(caches));
            let curve = Curve::walk(ctx, &mut chain, &sizes, pages, held, watch)?;
            Ok(Ok(curve.into_measurement(ctx, place, pages, caches, &chain)))
        });
        walking.join().expect("the walking thread does not panic")
    })
}

/// What was walked.
struct Curve {
    /// By size in ascending order, and in each by repeat: ns a load.
    costs: Vec<(u64, Vec<f64>)>,
    samples: Samples,
    errors: u64,
}

impl Curve {
    fn walk(
        ctx: &Context,
        chain: &mut Chain,
        sizes: &[u64],
        pages: Pages,
        cache_bytes: Option<u64>,
        watch: &Watch,
    ) -> Result<Curve, MemoryError> {
        let mut rng = Rng::new(ctx.seed);
        let order = shuffled(sizes.len(), &mut rng);
        let mut curve = Curve {
            costs: sizes.iter().map(|size| (*size, Vec::new())).collect(),
            samples: Samples::new(),
            errors: 0,
        };
        let sentinel_before = narrows_observe::sentinel();
        let before = watch.snapshot();
        let mut last = None;
        for at in order {
            let size = sizes[at];
            let detail = after_window(&format!("{} {} KiB", id(pages), size >> 10), last);
            ctx.progress.phase(Layer::Memory, Phase::Measure, &detail);
            let next = cycle::sattolo(size as usize / LINE, &mut rng, ctx.stop)?;
            chain.link(&next, ctx.stop)?;
            let mut from = (chain.displace(cache_bytes, size, ctx.stop)?, FIRST_STEPS);
            for _ in 0..ctx.repeats.max(1) {
                let walked = curve.sample(ctx, chain, &next, &mut from)?;
                curve.costs[at].1.push(walked.cpu_ns as f64 / walked.steps as f64);
            }
            last = narrows_stats::median(&curve.costs[at].1).map(LiveValue::Nanos);
        }
        let seen = watch.since(&before);
        let sentinel_after = narrows_observe::sentinel();
        crate::add_seen(&mut curve.samples, &seen);
        crate::add_sentinel(&mut curve.samples, sentinel_before, sentinel_after);
        Ok(curve)
    }

    /// One sample on from a line, of so many steps; where it ends proves that it was walked.
    fn sample(
        &mut self,
        ctx: &Context,
        chain: &Chain,
        next: &[u32],
        (line, steps): &mut (u32, u64),
    ) -> Result<Walked, MemoryError> {
        loop {
            ctx.stop.check()?;
            let walked = chain.walk(*line, (*steps).max(1));
            let once = walked.steps % chain.lines() as u64;
            self.errors += u64::from(walked.line != cycle::walk(next, *line, once, ctx.stop)?);
            *line = walked.line;
            if walked.elapsed_ns >= SAMPLE.as_nanos() as u64 / 2 {
                return Ok(walked);
            }
            let short = SAMPLE.as_nanos() as u64 / walked.elapsed_ns.max(1);
            *steps = walked.steps * short.clamp(2, 64);
        }
    }

    fn into_measurement(
        mut self,
        ctx: &Context,
        place: &AccessPath,
        pages: Pages,
        caches: &[Cache],
        chain: &Chain,
    ) -> Measurement {
        let repeats = ctx.repeats.max(1);
        for (name, _, at) in cache_points(caches, &self.costs) {
            for cost in &self.costs[at].1 {
                self.samples.add(name, *cost);
            }
        }
        self.samples.add(metric::ERRORS, self.errors as f64);
        let mut measurement = Measurement::new(id(pages), Layer::Memory);
        measurement.repeats = repeats;
        measurement.series = (0..repeats as usize)
            .map(|repeat| Series {
                name: SERIES.to_string(),
                unit: Unit::NsPerOp,
                repeat: repeat as u32,
                t0_ns: 0,
                interval_ns: 0,
                x: self.costs.iter().map(|(size, _)| *size as f64).collect(),
                values: self.costs.iter().map(|(_, costs)| costs[repeat]).collect(),
            })
            .collect();
        let read_at: serde_json::Map<String, serde_json::Value> = cache_points(caches, &self.costs)
            .map(|(name, bytes, at)| {
                (name.to_string(), json!({"cache_bytes": bytes, "read_at_bytes": self.costs[at].0}))
            })
            .collect();
        measurement.metrics = self.samples.into_metrics();
        let workload = &mut measurement.workload;
        workload.insert(condition::PATTERN, json!("random"));
        workload.insert(condition::LINE_BYTES, json!(LINE));
        workload.insert(condition::CPU, json!(place.cpu));
        workload.insert(condition::CPU_NODE, json!(place.cpu_node));
        workload.insert(condition::SEED, json!(ctx.seed));
        let conditions = &mut measurement.conditions;
        conditions.insert(condition::NODE, json!(place.node));
        conditions.insert(condition::CACHES, read_at);
        obtained(conditions, chain.mapping());
        measurement
    }
}

/// For each cache that holds data: the metric's name, its size in bytes, and which of the sizes it is read off at.
fn cache_points<'a>(
    caches: &'a [Cache],
    costs: &'a [(u64, Vec<f64>)],
) -> impl Iterator<Item = (Metric, u64, usize)> + 'a {
    let names = [metric::COST_L1, metric::COST_L2, metric::COST_L3, metric::COST_L4];
    names.into_iter().enumerate().filter_map(move |(index, name)| {
        let level = index as u32 + 1;
        let mut data =
            caches.iter().filter(|cache| cache.level == level && cache.kind != "Instruction");
        let bytes = data.next()?.size_bytes;
        let below = caches
            .iter()
            .filter(|cache| cache.level < level && cache.kind != "Instruction")
            .map(|cache| cache.size_bytes)
            .max();
        let at = costs.iter().rposition(|(size, _)| *size <= bytes / 2)?;
        // A cache that is hardly larger than the one before it has no size of its own on the curve.
        below.is_none_or(|below| costs[at].0 > below).then_some((name, bytes, at))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_fine_where_caches_end_and_coarse_beyond() {
        let sizes = sizes(256 << 20);
        assert_eq!(sizes[..5], [4096, 6144, 8192, 12288, 16384]);
        assert!(sizes.windows(2).all(|pair| pair[0] < pair[1]), "{sizes:?}");
        assert_eq!(sizes[sizes.len() - 3..], [64 << 20, 128 << 20, 256 << 20]);
        assert!(sizes.iter().all(|size| size.is_multiple_of(LINE as u64)));
        assert_eq!(super::sizes(6000), [4096]);
    }

    #[test]
    fn a_cache_is_read_off_at_half_of_its_size_if_that_is_beyond_the_one_before() {
        let cache = |level, kind: &str, size_bytes| Cache {
            level,
            kind: kind.to_string(),
            size_bytes,
            instances: 1,
            ..Cache::default()
        };
        let costs: Vec<(u64, Vec<f64>)> =
            sizes(64 << 20).into_iter().map(|size| (size, vec![1.0])).collect();
        let caches = [
            cache(1, "Instruction", 32 << 10),
            cache(1, "Data", 48 << 10),
            cache(2, "Unified", 2 << 20),
            cache(3, "Unified", 36 << 20),
        ];
        let found: Vec<(Metric, u64)> =
            cache_points(&caches, &costs).map(|(metric, _, at)| (metric, costs[at].0)).collect();
        assert_eq!(
            found,
            [(metric::COST_L1, 24 << 10), (metric::COST_L2, 1 << 20), (metric::COST_L3, 16 << 20)]
        );
        let tight = [cache(1, "Data", 512 << 10), cache(2, "Unified", 1 << 20)];
        let found: Vec<Metric> = cache_points(&tight, &costs).map(|(name, ..)| name).collect();
        assert_eq!(found, [metric::COST_L1], "half of the second is no more than the first");
        assert_eq!(cache_points(&[], &costs).count(), 0);
    }
}
