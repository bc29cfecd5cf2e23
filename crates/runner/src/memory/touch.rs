//! How long it takes to touch a pool of shared memory, by one process and by one for each CPU.

use anyhow::Result;
use narrows_engine::{LiveValue, Phase, Samples, repeat_of};
use narrows_facts::affinity;
use narrows_layer_memory::touch::{FreshPool, KINDS, PageKind, Touch, Touched};
use narrows_layer_memory::{base_page_bytes, room, spread};
use narrows_model::{Layer, Measurement, PlannedStep, Platform, Unknown, condition, metric};
use narrows_observe::Watch;
use serde_json::json;

use super::process_group::{Task, together};
use crate::session::Session;

/// A pool, where there is room for it.
const BYTES: u64 = 512 << 20;
/// The least of a process's part.
const LEAST: u64 = 2 << 20;
/// Times that each pool is touched.
const REPEATS: u32 = 3;
/// More processes wait for the kernel's one list of free pages, and not for memory.
const MOST_PROCESSES: usize = 64;
/// A guess for the plan: a fault on a small page, s.
const FAULT_S: f64 = 1e-6;

/// What [`measure`] will do.
pub fn planned() -> PlannedStep {
    let pools = f64::from(REPEATS) * 2.0 * KINDS.len() as f64;
    let what = "shared memory touched, by one process and by one per CPU".to_string();
    let expected_s = pools * (BYTES as f64 / 4096.0 * FAULT_S);
    PlannedStep { layer: Layer::Memory, what, expected_s, writes_bytes: 0 }
}

/// A kind of pages and the CPUs of the processes.
struct TouchPattern {
    kind: PageKind,
    cpus: Vec<u32>,
    samples: Samples,
    /// Why it can't be had.
    refused: Option<String>,
}

impl TouchPattern {
    fn id(&self) -> String {
        let by = if self.cpus.len() == 1 { "one" } else { "all" };
        format!("memory.touch.{}.{by}", self.kind.word())
    }
}

/// The measurements, and what could not be had.
///
/// # Errors
/// When asked to stop, or when no process can be started.
pub fn measure(
    session: &Session<'_>,
    platform: &Platform,
) -> Result<(Vec<Measurement>, Vec<Unknown>)> {
    let cpus = spread(platform, &affinity::current());
    let most = room(platform, None).map_or(u64::MAX, |(bytes, _)| bytes);
    // No more processes than can have a part each.
    let processes = cpus.len().min(MOST_PROCESSES).min((most / LEAST) as usize).max(1);
    let cpus = &cpus[..processes];
    let each = (BYTES.min(most) / processes as u64 / LEAST * LEAST).max(LEAST);
    let bytes = each * processes as u64;
    let mut ways: Vec<TouchPattern> = Vec::new();
    for kind in KINDS {
        // The last one, which takes fewest interrupts; and all where there are more.
        for cpus in [&cpus[cpus.len() - 1..], cpus] {
            if !ways.iter().any(|way| way.kind == kind && way.cpus == cpus) {
                let samples = Samples::new();
                ways.push(TouchPattern { kind, cpus: cpus.to_vec(), samples, refused: None });
            }
        }
    }
    let watch = Watch::new(platform, &[]);
    for repeat in 0..REPEATS {
        for way in ways.iter_mut().filter(|way| way.refused.is_none()) {
            let so_far = way.samples.so_far(metric::BANDWIDTH).map(LiveValue::BytesPerSecond);
            let detail = repeat_of(&way.id(), repeat, REPEATS, so_far);
            session.ui.phase(Layer::Memory, Phase::Measure, &detail);
            once(way, bytes, &watch, session)?;
        }
    }
    let (had, refused): (Vec<TouchPattern>, Vec<TouchPattern>) =
        ways.into_iter().partition(|way| way.refused.is_none());
    let absent = refused.into_iter().map(|way| {
        let (id, why) = (way.id(), way.refused.clone().unwrap_or_default());
        let kind_bytes = way.kind.page_bytes();
        let needs = match way.kind {
            PageKind::Pool => "a pool of huge pages with room (vm.nr_hugepages)",
            PageKind::Transparent => {
                "/sys/kernel/mm/transparent_hugepage/shmem_enabled at `advise` or `always`"
            }
            PageKind::Base if base_page_bytes() != kind_bytes => "a kernel with pages of 4 KiB",
            PageKind::Base => return Unknown::not_made(&id, &why),
        };
        Unknown { what: format!("{id}: {why}"), needs: needs.to_string() }
    });
    Ok((had.into_iter().map(|way| touch_measurement(way, bytes)).collect(), absent.collect()))
}

fn once(way: &mut TouchPattern, bytes: u64, watch: &Watch, session: &Session<'_>) -> Result<()> {
    let pool = match FreshPool::new(bytes, way.kind) {
        Ok(pool) => pool,
        Err(refused) => {
            way.refused = Some(refused.to_string());
            return Ok(());
        }
    };
    let each = bytes / way.cpus.len() as u64;
    let tasks: Vec<Task> = way
        .cpus
        .iter()
        .enumerate()
        .map(|(at, &cpu)| {
            let from = at as u64 * each;
            Task::Touch(Touch { path: pool.path(), from, bytes: each, kind: way.kind, cpu })
        })
        .collect();
    let before = watch.snapshot();
    let done: Vec<Touched> = match together(&tasks, session.stop, |_| ()) {
        Ok(done) => done,
        Err(error) if session.stop.is_set() => return Err(error),
        Err(refused) => {
            way.refused = Some(format!("{refused:#}"));
            return Ok(());
        }
    };
    let seen = watch.since(&before);
    let from = done.iter().map(|done| done.from_ns).min().unwrap_or(0);
    let to = done.iter().map(|done| done.to_ns).max().unwrap_or(0);
    let (pages, busy): (u64, u64) = done
        .iter()
        .fold((0, 0), |(pages, ns), done| (pages + done.pages, ns + (done.to_ns - done.from_ns)));
    let samples = &mut way.samples;
    let per_s = bytes as f64 * 1e9 / (to - from) as f64;
    samples.add(metric::BANDWIDTH, per_s);
    samples.add(metric::COST, busy as f64 / pages as f64);
    samples.extend(seen.metrics());
    Ok(())
}

fn touch_measurement(way: TouchPattern, bytes: u64) -> Measurement {
    let mut m = Measurement::new(way.id(), Layer::Memory);
    m.repeats = REPEATS;
    m.metrics = way.samples.into_metrics();
    m.workload.insert(condition::PROCESSES, json!(way.cpus.len()));
    m.workload.insert(condition::CPUS, json!(way.cpus));
    m.workload.insert(condition::BYTES, json!(bytes));
    m.conditions.insert(condition::PAGE_BYTES, json!(way.kind.page_bytes()));
    m
}
