//! Loaded latency: what a dependent load costs while other cores take a part of the memory's bandwidth.
//!
//! One CPU walks a random cycle, as for the idle latency; the others, on cores of their own, read (or read and write) at a pace that is a
//! share of what they get when nobody paces them. The shares come in an order drawn anew in each repeat. The **knee** is the share at which
//! bandwidth over latency is greatest (L. Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
//! communications", 1979): beyond it, each further byte costs every load more than it is worth.
//!
//! Not here: loads from other nodes.

use std::sync::{OnceLock, mpsc};
use std::time::Duration;

use narrows_engine::{Context, LiveValue, Rng, Samples, Stop, Window};
use narrows_model::{Layer, Measurement, Platform, Series, Unit, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::MemoryError;
use crate::access_path::AccessPath;
use crate::buffers::Buffers;
use crate::chase::Chain;
use crate::kernel::Kernel;
use crate::latency::{Cycle, obtained};
use crate::mapping::{HUGE, MapError, Mapping, Pages};
use crate::sizing::Sizing;
use crate::thread_group::{Done, Failure, GroupWorker, ThreadGroup, Turn, shuffled_kinds};
use crate::traffic::{Pace, Traffic};
use crate::walker::{Paces, Walker};

/// Shares of the loaders' own bandwidth; the last is without a pace.
const SHARES: [f64; 7] = [0.0, 0.25, 0.4, 0.55, 0.7, 0.85, 1.0];
/// The kind of the first window, which finds out how much there is; the others are shares.
const MOST: usize = SHARES.len();
/// Loaders begin up to so many bytes apart.
const FIRST_BYTES: f64 = 65536.0;
const LONGEST_WINDOW: Duration = Duration::from_millis(100);

/// What the others do: reads alone; and with writes, which crowd the memory more.
pub const LOADS: [Traffic; 2] = [Traffic::Read, Traffic::Mix { reads: 1, writes: 1 }];

/// The id of the measurement on a node.
pub fn id(load: Traffic, node: u32) -> String {
    format!("memory.loaded.{}.node{node}", load.word())
}

/// The CPUs that load beside `place`: one of each other core of its node that may be used.
pub fn loaders(platform: &Platform, site_cpus: &[u32], place: &AccessPath) -> Vec<u32> {
    let core_of = |cpu: u32| platform.cpu.cores_threads.iter().position(|core| core.contains(&cpu));
    let mut taken = vec![core_of(place.cpu).ok_or(place.cpu)];
    let mut cpus = Vec::new();
    for &cpu in site_cpus {
        let core = core_of(cpu).ok_or(cpu);
        if cpu != place.cpu && !taken.contains(&core) {
            taken.push(core);
            cpus.push(cpu);
        }
    }
    cpus
}

fn window_length(ctx: &Context) -> Duration {
    ctx.window.min(LONGEST_WINDOW)
}

/// Expected length of all windows, s.
pub fn expected_s(ctx: &Context) -> f64 {
    // Where a walk ended is checked at about half the cost of walking it.
    1.6 * ThreadGroup::expected_s(ctx, SHARES.len(), window_length(ctx))
}

/// The latency from `place` beside a `load` by `loaders`, or why it can't be had.
///
/// # Errors
/// When asked to stop, or when a thread can't be kept on its CPU.
pub fn measure(
    ctx: &Context,
    (place, bind): (&AccessPath, bool),
    (load, loaders): (Traffic, &[u32]),
    sizing: &Sizing,
    cycle: &Cycle,
    watch: &Watch,
) -> Result<Result<Measurement, MapError>, MemoryError> {
    assert!(!loaders.is_empty(), "somebody loads");
    let cpus: Vec<u32> = std::iter::once(place.cpu).chain(loaders.iter().copied()).collect();
    let ids = vec![id(load, place.node); MOST + 1];
    let crew = ThreadGroup { cpus: &cpus, ids: &ids, window: window_length(ctx) };
    let mut kinds = vec![MOST];
    kinds.extend(shuffled_kinds(ctx, SHARES.len()));
    let most_per_s = OnceLock::new();
    let (page_to, page) = mpsc::channel();
    let each = ((sizing.doubled_bytes() - cycle.footprint_bytes()) / loaders.len() as u64)
        .max(Buffers::LEAST_BYTES as u64)
        .next_multiple_of(HUGE);
    if let Err(too_many) = sizing.allows(loaders.len(), each) {
        return Ok(Err(too_many));
    }
    let prepare = |cpu: u32| {
        if cpu != place.cpu {
            let ground = ground(ctx, (place, bind), load, cpu, each)?;
            let rng = Rng::new(ctx.seed ^ (u64::from(cpu) << 32));
            let (threads, most_per_s, stop) = (loaders.len(), &most_per_s, ctx.stop);
            return Ok(Either::Loads(Loader { load, ground, rng, threads, most_per_s, stop }));
        }
        let chain = chain(ctx, (place, bind), cycle)?;
        let mut conditions = Default::default();
        obtained(&mut conditions, chain.mapping());
        let _ = page_to.send(conditions);
        Ok(Either::Walks(Walker { cpu, chain, cycle, at: 0, stop: ctx.stop }))
    };
    let mut found = LoadedPoints::new();
    let worked = crew.turns(ctx, &kinds, watch, prepare, |turn| found.take(turn, &most_per_s))?;
    let mut measurement = match worked {
        Ok(()) => found.into_measurement(ctx, &ids[0]),
        Err(refused) => return Ok(Err(refused)),
    };
    let workload = &mut measurement.workload;
    workload.insert(condition::DIRECTION, json!(load.word()));
    workload.insert(condition::METHOD, json!(Kernel::best().word()));
    workload.insert(condition::THREADS, json!(loaders.len()));
    workload.insert(condition::CPU, json!(place.cpu));
    workload.insert(condition::CPUS, json!(loaders));
    workload.insert(condition::FOOTPRINT_BYTES, json!(cycle.footprint_bytes()));
    let conditions = &mut measurement.conditions;
    conditions.extend(page.try_iter().next().unwrap_or_default());
    conditions.insert(condition::NODE, json!(place.node));
    crate::add_sizing(conditions, sizing, cycle.footprint_bytes());
    Ok(Ok(measurement))
}

fn ground(
    ctx: &Context,
    (place, bind): (&AccessPath, bool),
    load: Traffic,
    cpu: u32,
    bytes: u64,
) -> Result<Buffers, Failure> {
    let mapping = Mapping::new(bytes, Pages::Any, bind.then_some(place.node), ctx.stop)?;
    let seed = ctx.seed ^ u64::from(cpu);
    Ok(Buffers::new(mapping, Kernel::best(), load != Traffic::Read, seed, ctx.stop)
        .map_err(MapError::Stopped)?)
}

/// On 2 MiB pages where there are any: what grows is the wait for memory, and not for address translation.
fn chain(
    ctx: &Context,
    (place, bind): (&AccessPath, bool),
    cycle: &Cycle,
) -> Result<Chain, Failure> {
    let node = bind.then_some(place.node);
    let mapping = Mapping::new(cycle.footprint_bytes(), Pages::Any, node, ctx.stop)?;
    let mut chain = Chain::new(mapping);
    chain.link(cycle.links(), ctx.stop).map_err(MapError::Stopped)?;
    Ok(chain)
}

/// One of the threads: the one that walks, or one of those that load beside it.
enum Either<'a> {
    Walks(Walker<'a>),
    Loads(Loader<'a>),
}

/// What one thread did in a window.
enum Did {
    Walked(Paces),
    /// Bytes, and chunks that were wrong.
    Loaded(Done),
}

impl GroupWorker for Either<'_> {
    type Did = Did;

    fn work(&mut self, kind: usize, window: Window) -> Did {
        match self {
            Either::Walks(walker) => Did::Walked(walker.walk(window)),
            Either::Loads(loader) => Did::Loaded(loader.load(kind, window)),
        }
    }
}

struct Loader<'a> {
    load: Traffic,
    ground: Buffers,
    rng: Rng,
    /// How many load.
    threads: usize,
    /// What all loaders together get without a pace, by the first window, bytes/s.
    most_per_s: &'a OnceLock<f64>,
    stop: &'a Stop,
}

impl Loader<'_> {
    fn load(&mut self, kind: usize, window: Window) -> Done {
        let share = SHARES.get(kind).copied().unwrap_or(1.0);
        if share == 0.0 {
            return Done::default();
        }
        let pace = pace(share, self.threads, self.most_per_s.get().copied(), &mut self.rng);
        self.ground.run(self.load, pace, window, self.stop)
    }
}

/// The pace of one of `threads` loaders that together are to have that share of the most. Where they got no CPU in the window that
/// asked for the most, they load without a pace: what is reported is what was reached.
fn pace(share: f64, threads: usize, most_per_s: Option<f64>, rng: &mut Rng) -> Pace {
    match most_per_s {
        Some(most) if share < 1.0 && most > 0.0 => {
            let ns_per_byte = threads as f64 * 1e9 / (share * most);
            let first = rng.below(((ns_per_byte * FIRST_BYTES) as u64).saturating_add(1));
            Pace { ns_per_byte, first_due_ns: Some(first) }
        }
        _ => Pace::default(),
    }
}

/// By share, in each the repeats: the loaders' bytes/s and the ns of a load.
struct LoadedPoints {
    points: Vec<Vec<(f64, f64)>>,
    samples: Samples,
}

impl LoadedPoints {
    fn new() -> LoadedPoints {
        LoadedPoints { points: vec![Vec::new(); SHARES.len()], samples: Samples::new() }
    }

    /// Adds a window; gives what a load took in it.
    fn take(&mut self, turn: Turn<Did>, most_per_s: &OnceLock<f64>) -> Option<LiveValue> {
        let (mut bytes, mut cost, mut wrong) = (0, f64::NAN, 0);
        for did in &turn.did {
            match did {
                Did::Walked(paces) => {
                    cost = paces.ns();
                    wrong += u64::from(!paces.right);
                }
                Did::Loaded(done) => {
                    bytes += done.amount;
                    wrong += done.wrong;
                }
            }
        }
        turn.add_to(&mut self.samples, wrong);
        let per_s = bytes as f64 * 1e9 / turn.window.length_ns() as f64;
        match self.points.get_mut(turn.kind) {
            Some(points) => points.push((per_s, cost)),
            None => drop(most_per_s.set(per_s)),
        }
        cost.is_finite().then_some(LiveValue::Nanos(cost))
    }

    fn into_measurement(mut self, ctx: &Context, id: &str) -> Measurement {
        let repeats = ctx.repeats.max(1) as usize;
        let complete = self.points.iter().all(|repeats_of| repeats_of.len() == repeats);
        let knee = knee(&self.medians());
        let mut series = Vec::new();
        for repeat in (0..repeats).filter(|_| complete) {
            let points: Vec<(f64, f64)> = self.points.iter().map(|of| of[repeat]).collect();
            let (idle, full) = (points[0], points[points.len() - 1]);
            for (metric, value) in
                [(metric::COST, idle.1), (metric::LOADED_COST, full.1), (metric::BANDWIDTH, full.0)]
            {
                self.samples.add(metric, value);
            }
            let of = |name: &str, unit, value: fn(&(f64, f64)) -> f64| Series {
                name: name.to_string(),
                unit,
                repeat: repeat as u32,
                t0_ns: 0,
                interval_ns: 0,
                x: SHARES.to_vec(),
                values: points.iter().map(value).collect(),
            };
            series.push(of("curve.latency", Unit::NsPerOp, |point| point.1));
            series.push(of("curve.bandwidth", Unit::BytesPerS, |point| point.0));
        }
        let mut measurement = Measurement::new(id, Layer::Memory);
        measurement.repeats = repeats as u32;
        measurement.metrics = self.samples.into_metrics();
        measurement.series = series;
        if let Some(at) = knee {
            measurement.conditions.insert(condition::KNEE_SHARE, json!(SHARES[at]));
        }
        measurement
    }

    /// Each point by the medians of its repeats: bytes/s and ns.
    fn medians(&self) -> Vec<(f64, f64)> {
        let middle = |of: &[(f64, f64)], pick: fn(&(f64, f64)) -> f64| {
            narrows_stats::median(&of.iter().map(pick).collect::<Vec<f64>>()).unwrap_or(f64::NAN)
        };
        self.points.iter().map(|of| (middle(of, |p| p.0), middle(of, |p| p.1))).collect()
    }
}

/// Which point, of bytes/s and ns, has the greatest bandwidth over latency.
fn knee(points: &[(f64, f64)]) -> Option<usize> {
    let power = |at: &usize| points[*at].0 / points[*at].1;
    (0..points.len())
        .filter(|at| power(at).is_finite())
        .max_by(|a, b| power(a).total_cmp(&power(b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_knee_is_where_bandwidth_over_latency_is_greatest() {
        // A queue with 100 GB/s and 100 ns: latency / (1 - load). Its power x (1 - x) is greatest at half the load.
        let points: Vec<(f64, f64)> =
            [0.0, 0.25, 0.5, 0.75, 0.95].map(|load| (load * 1e11, 100.0 / (1.0 - load))).to_vec();
        assert_eq!(knee(&points), Some(2));
        assert_eq!(knee(&[(1.0, f64::NAN)]), None);
    }

    #[test]
    fn a_pace_is_a_share_of_the_most_and_none_where_that_is_not_known() {
        let mut rng = Rng::new(1);
        // Two loaders at half of 4 bytes/ns: each has to wait 1 ns for a byte.
        assert_eq!(pace(0.5, 2, Some(4e9), &mut rng).ns_per_byte, 1.0);
        for (share, most) in [(0.5, None), (1.0, Some(4e9)), (0.5, Some(0.0))] {
            assert_eq!(pace(share, 2, most, &mut rng).first_due_ns, None, "{share} {most:?}");
        }
        let slowest = pace(0.01, 2, Some(f64::MIN_POSITIVE), &mut rng);
        assert!(slowest.first_due_ns.is_some());
    }

    #[test]
    fn loaders_have_cores_of_their_own() {
        let mut platform = Platform::default();
        platform.cpu.cores_threads = vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]];
        let place =
            AccessPath { cpu: 7, cpu_node: 0, node: 0, distance: None, id_part: String::new() };
        assert_eq!(loaders(&platform, &[0, 1, 2, 3, 4, 5, 6, 7], &place), [0, 1, 2]);
        assert_eq!(loaders(&platform, &[3, 7], &place), Vec::<u32>::new());
        let unknown = Platform::default();
        assert_eq!(loaders(&unknown, &[5, 6, 7], &place), [5, 6]);
    }
}
