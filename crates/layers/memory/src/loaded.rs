//! Loaded latency: what a dependent load costs while other cores take a part of the memory's bandwidth.
//!
//! One CPU walks a random cycle, as for the idle latency; the others, on cores of their own, read at a pace that is a share of what
//! they get when nobody paces them. The shares come in an order drawn anew in each repeat. The **knee** is the share at which
//! bandwidth over latency is greatest (L. Kleinrock, "Power and deterministic rules of thumb for probabilistic problems in computer
//! communications", 1979): beyond it, each further byte costs every load more than it is worth.
//!
//! Not here: loads made of writes, or from other nodes.

use std::sync::mpsc;
use std::time::Duration;

use narrows_engine::{Context, Gate, Phase, Rng, Samples, Window, now_ns};
use narrows_facts::affinity;
use narrows_model::{Better, Layer, Measurement, Platform, Series, Unit, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use crate::chase::Chain;
use crate::crew::{Failure, OnPanic, shuffled};
use crate::ground::Ground;
use crate::kernel::Kernel;
use crate::latency::{Cycle, obtained};
use crate::mapping::{HUGE, MapError, Mapping, Pages};
use crate::place::Place;
use crate::sizing::Sizing;
use crate::traffic::{Pace, Traffic};
use crate::{MemoryError, cycle};

/// Shares of the loaders' own bandwidth; the last is without a pace.
const SHARES: [f64; 9] = [0.0, 0.1, 0.25, 0.4, 0.55, 0.7, 0.8, 0.9, 1.0];
const WARM_UP: Duration = Duration::from_millis(20);
/// Readers begin up to so many bytes apart.
const FIRST_BYTES: f64 = 65536.0;
const LONGEST_WINDOW: Duration = Duration::from_millis(100);
/// Loads between two looks at the clock: half a millisecond.
const STEPS: u64 = 2048;

/// The id of the measurement on a node.
pub fn id(node: u32) -> String {
    format!("memory.loaded.read.node{node}")
}

/// The CPUs that load beside `place`: one of each other core of its node that may be used.
pub fn loaders(platform: &Platform, site_cpus: &[u32], place: &Place) -> Vec<u32> {
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
    let turns = f64::from(ctx.repeats.max(1)) * SHARES.len() as f64 + 1.0;
    // Where a walk ended is checked at about half the cost of walking it.
    turns * 1.6 * (window_length(ctx) + WARM_UP).as_secs_f64()
}

/// One window: everybody's share, as an index; `None` is the first one, which finds out how much there is.
struct Turn {
    share: Option<usize>,
    gate: Gate,
}

/// What one thread did in a window.
enum Did {
    /// Loads and the time they took, ns; whether they ended where they should, on the CPU they should.
    Walked { steps: u64, cpu_ns: u64, right: bool },
    /// Bytes, and chunks that were wrong.
    Read { bytes: u64, wrong: u64 },
}

/// The latency from `place` beside reads by `loaders`, or why it can't be had.
///
/// # Errors
/// When asked to stop, or when a thread can't be kept on its CPU.
pub fn measure(
    ctx: &Context,
    (place, bind): (&Place, bool),
    loaders: &[u32],
    sizing: &Sizing,
    cycle: &Cycle,
    watch: &Watch,
) -> Result<Result<Measurement, MapError>, MemoryError> {
    assert!(!loaders.is_empty(), "somebody loads");
    let workers = loaders.len() + 1;
    let turns = turns(ctx, workers);
    // What all loaders together get without a pace, by the first window, bytes/s.
    let most_per_s = std::sync::OnceLock::<f64>::new();
    let (did_to, did) = mpsc::channel();
    let (page_to, page) = mpsc::channel();
    ctx.progress.phase(Layer::Memory, Phase::Prepare, &id(place.node));
    let each = ((sizing.doubled_bytes() - cycle.footprint_bytes()) / loaders.len() as u64)
        .max(Ground::LEAST_BYTES as u64)
        .next_multiple_of(HUGE);
    let outcome = std::thread::scope(|scope| {
        let release = || turns.iter().for_each(|turn| turn.gate.fail());
        let _here = OnPanic(release);
        let fail = move |work: &mut dyn FnMut() -> Result<(), Failure>| {
            let _there = OnPanic(release);
            let outcome = work();
            if outcome.is_err() {
                release();
            }
            outcome
        };
        let mut threads = Vec::new();
        for &cpu in loaders {
            let (did_to, turns, most_per_s) = (did_to.clone(), &turns, &most_per_s);
            let mut load = move || {
                let mut ground = ground(ctx, (place, bind), cpu, each)?;
                let mut rng = Rng::new(ctx.seed ^ (u64::from(cpu) << 32));
                let pace = |share: f64, rng: &mut Rng| match most_per_s.get() {
                    Some(most) if share < 1.0 => {
                        let ns_per_byte = loaders.len() as f64 * 1e9 / (share * most);
                        let first = rng.below((ns_per_byte * FIRST_BYTES) as u64 + 1);
                        Pace { ns_per_byte, first_due_ns: Some(first) }
                    }
                    _ => Pace::default(),
                };
                for turn in turns {
                    let Ok(window) = turn.gate.ready() else { break };
                    let share = turn.share.map_or(1.0, |at| SHARES[at]);
                    let done = if share == 0.0 {
                        Default::default()
                    } else {
                        ground.run(Traffic::Read, pace(share, &mut rng), window, ctx.stop)
                    };
                    let _ = did_to.send(Did::Read { bytes: done.amount, wrong: done.wrong });
                }
                Ok(())
            };
            threads.push(scope.spawn(move || fail(&mut load)));
        }
        let (did_to, turns_of_walk) = (did_to, &turns);
        let mut walk = move || {
            let (chain, mut at) = (chain(ctx, (place, bind), cycle)?, 0);
            let _ = page_to.send({
                let mut conditions = Default::default();
                obtained(&mut conditions, chain.mapping());
                conditions
            });
            for turn in turns_of_walk {
                let Ok(window) = turn.gate.ready() else { break };
                let walked = walk(ctx, place, &chain, cycle, &mut at, window);
                let _ = did_to.send(walked.map_err(|stopped| Failure::Memory(stopped.into()))?);
            }
            Ok(())
        };
        threads.push(scope.spawn(move || fail(&mut walk)));
        let measured = take_turns(ctx, place.node, &turns, &did, &most_per_s, (workers, watch));
        // Whoever still waits is released: after a stop, or when a sibling could not prepare.
        release();
        for thread in threads {
            thread.join().expect("the threads do not panic")?;
        }
        measured.map_err(Failure::Memory)
    });
    let found = match outcome {
        Ok(found) => found,
        Err(Failure::Map(MapError::Stopped(stopped))) => return Err(stopped.into()),
        Err(Failure::Map(refused)) => return Ok(Err(refused)),
        Err(Failure::Memory(error)) => return Err(error),
    };
    let mut measurement = found.into_measurement(ctx, place.node);
    let workload = &mut measurement.workload;
    workload.insert(condition::DIRECTION.into(), json!("read"));
    workload.insert(condition::METHOD.into(), json!(Kernel::best().word()));
    workload.insert(condition::THREADS.into(), json!(loaders.len()));
    workload.insert("cpu".into(), json!(place.cpu));
    workload.insert("cpus".into(), json!(loaders));
    workload.insert("footprint_bytes".into(), json!(cycle.footprint_bytes()));
    let conditions = &mut measurement.conditions;
    conditions.extend(page.iter().next().unwrap_or_default());
    conditions.insert(condition::NODE.into(), json!(place.node));
    crate::add_sizing(conditions, sizing, cycle.footprint_bytes());
    Ok(Ok(measurement))
}

/// First the window that finds out how much there is; then all shares in each repeat, in an order of its own.
fn turns(ctx: &Context, workers: usize) -> Vec<Turn> {
    let mut rng = Rng::new(ctx.seed);
    let mut turns = vec![Turn { share: None, gate: Gate::new(workers) }];
    for _ in 0..ctx.repeats.max(1) {
        let order = shuffled(SHARES.len(), &mut rng);
        turns
            .extend(order.into_iter().map(|at| Turn { share: Some(at), gate: Gate::new(workers) }));
    }
    turns
}

fn pin(cpu: u32) -> Result<(), Failure> {
    affinity::pin(&[cpu]).map_err(|reason| Failure::Memory(MemoryError::Pin { cpu, reason }))
}

fn ground(
    ctx: &Context,
    (place, bind): (&Place, bool),
    cpu: u32,
    bytes: u64,
) -> Result<Ground, Failure> {
    pin(cpu)?;
    let mapping = Mapping::new(bytes, Pages::Any, bind.then_some(place.node), ctx.stop)?;
    let seed = ctx.seed ^ u64::from(cpu);
    Ok(Ground::new(mapping, Kernel::best(), false, seed, ctx.stop).map_err(MapError::Stopped)?)
}

/// On 2 MiB pages where there are any: what grows is the wait for memory, and not for address translation.
fn chain(ctx: &Context, (place, bind): (&Place, bool), cycle: &Cycle) -> Result<Chain, Failure> {
    pin(place.cpu)?;
    let node = bind.then_some(place.node);
    let mapping = Mapping::new(cycle.footprint_bytes(), Pages::Any, node, ctx.stop)?;
    let mut chain = Chain::new(mapping);
    chain.link(cycle.links(), ctx.stop).map_err(MapError::Stopped)?;
    Ok(chain)
}

fn walk(
    ctx: &Context,
    place: &Place,
    chain: &Chain,
    cycle: &Cycle,
    at: &mut u32,
    window: Window,
) -> Result<Did, narrows_engine::Stopped> {
    let (mut steps, mut cpu_ns, mut all) = (0, 0, 0);
    let from = *at;
    let mut stayed = affinity::current_cpu() == Some(place.cpu);
    loop {
        let began = now_ns();
        let walked = chain.walk(*at, STEPS);
        let ended = now_ns();
        *at = walked.line;
        all += walked.steps;
        if began >= window.start_ns && ended < window.end_ns {
            steps += walked.steps;
            cpu_ns += walked.cpu_ns;
        }
        if ended >= window.end_ns || ctx.stop.is_set() {
            break;
        }
    }
    stayed &= affinity::current_cpu() == Some(place.cpu);
    let there = cycle::walk(cycle.links(), from, all, ctx.stop)? == *at;
    Ok(Did::Walked { steps, cpu_ns, right: there && stayed })
}

/// By share, in each the repeats: the loaders' bytes/s and the ns of a load.
struct Found {
    points: Vec<Vec<(f64, f64)>>,
    samples: Samples,
}

fn take_turns(
    ctx: &Context,
    node: u32,
    turns: &[Turn],
    did: &mpsc::Receiver<Did>,
    most_per_s: &std::sync::OnceLock<f64>,
    (workers, watch): (usize, &Watch),
) -> Result<Found, MemoryError> {
    let mut found = Found { points: vec![Vec::new(); SHARES.len()], samples: Samples::new() };
    let sentinel_before = narrows_observe::sentinel();
    let before = watch.snapshot();
    let mut errors = 0;
    ctx.progress.phase(Layer::Memory, Phase::Measure, &id(node));
    for turn in turns {
        let Ok(window) = turn.gate.open(WARM_UP, window_length(ctx)) else { break };
        window.wait_end(ctx.stop)?;
        let seconds = window.length_ns() as f64 / 1e9;
        let (mut bytes, mut cost) = (0, f64::NAN);
        for did in did.iter().take(workers) {
            match did {
                Did::Walked { steps, cpu_ns, right } => {
                    cost = cpu_ns as f64 / steps as f64;
                    errors += u64::from(!right);
                }
                Did::Read { bytes: read, wrong } => {
                    bytes += read;
                    errors += wrong;
                }
            }
        }
        ctx.stop.check()?;
        let per_s = bytes as f64 / seconds;
        match turn.share {
            None => drop(most_per_s.set(per_s)),
            Some(at) => found.points[at].push((per_s, cost)),
        }
    }
    let seen = watch.since(&before);
    let sentinel_after = narrows_observe::sentinel();
    found.samples.add(metric::ERRORS, Unit::Count, Better::Less, errors as f64);
    found.samples.extend(seen.metrics());
    crate::add_sentinel(&mut found.samples, sentinel_before, sentinel_after);
    Ok(found)
}

impl Found {
    fn into_measurement(mut self, ctx: &Context, node: u32) -> Measurement {
        let repeats = ctx.repeats.max(1) as usize;
        let complete = self.points.iter().all(|repeats_of| repeats_of.len() == repeats);
        let knee = knee(&self.medians());
        let mut series = Vec::new();
        for repeat in (0..repeats).filter(|_| complete) {
            let points: Vec<(f64, f64)> = self.points.iter().map(|of| of[repeat]).collect();
            let (idle, full) = (points[0], points[points.len() - 1]);
            let (less, more, ns, per_s) =
                (Better::Less, Better::More, Unit::NsPerOp, Unit::BytesPerS);
            for (name, unit, better, value) in [
                (metric::COST, ns, less, idle.1),
                (metric::LOADED_COST, ns, less, full.1),
                (metric::BANDWIDTH, per_s, more, full.0),
            ] {
                self.samples.add(name, unit, better, value);
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
            series.push(of("curve.latency", ns, |point| point.1));
            series.push(of("curve.bandwidth", per_s, |point| point.0));
        }
        let mut measurement = Measurement::new(id(node), Layer::Memory);
        measurement.repeats = repeats as u32;
        measurement.metrics = self.samples.into_metrics();
        measurement.series = series;
        if let Some(at) = knee {
            measurement.conditions.insert("knee_share".into(), json!(SHARES[at]));
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
    fn loaders_have_cores_of_their_own() {
        let mut platform = Platform::default();
        platform.cpu.cores_threads = vec![vec![0, 4], vec![1, 5], vec![2, 6], vec![3, 7]];
        let place = Place { cpu: 7, cpu_node: 0, node: 0, distance: None, id_part: String::new() };
        assert_eq!(loaders(&platform, &[0, 1, 2, 3, 4, 5, 6, 7], &place), [0, 1, 2]);
        assert_eq!(loaders(&platform, &[3, 7], &place), Vec::<u32>::new());
        let unknown = Platform::default();
        assert_eq!(loaders(&unknown, &[5, 6, 7], &place), [5, 6]);
    }
}
