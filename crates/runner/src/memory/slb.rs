//! SLB's loop and its line of output, and what they mean.
//!
//! The processes are in [`super::process_group`]; what is said of them is the report's.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::{LiveValue, Phase};
use narrows_facts::{Live, affinity};
use narrows_layer_memory::slb::{Hammer, Hammered, Kit, SoFar, latency};
use narrows_layer_memory::{last_level_bytes, room, spread};
use narrows_model::{
    Layer, Measurement, MetricValue, Plan, PlannedStep, Platform, condition, metric,
};
use narrows_observe::Watch;
use narrows_units::Bytes;
use serde_json::json;

use super::process_group::{Task, together};
use crate::exit::Answers;
use crate::failure::Failure;
use crate::paragraph::counted;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::memory::SlbRequest;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// A guess for the plan, ns an access.
const GUESS_NS: f64 = 20.0;
/// One window of the latency beside it.
const WINDOW: Duration = Duration::from_millis(300);

/// The loop, and the latency of as much memory with it.
pub struct Slb {
    request: SlbRequest,
    cpus: Vec<u32>,
    prepared: Prepared,
}

impl Program for Slb {
    type Request = SlbRequest;

    fn options(request: &SlbRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &SlbRequest, _: &dyn Ui) -> Result<Slb> {
        let platform = narrows_platform::discover(&Live, &[]);
        let cpus = cpus(request, &platform)?;
        fits(request, &platform)?;
        let prepared = prepared(request, platform, &cpus);
        Ok(Slb { request: request.clone(), cpus, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        measure(session, &self.request, &self.cpus)?;
        Ok(Ended::Whole)
    }

    /// The latency beside it explains the answer, and is none.
    fn answers(&self) -> Answers {
        Answers::Named(vec![id(&self.request)])
    }
}

/// Who hammers where: those of `--bind` in their order, else one CPU of each core first. With fewer CPUs than processes they are
/// shared, which the output says.
fn cpus(request: &SlbRequest, platform: &Platform) -> Result<Vec<u32>> {
    let allowed = affinity::current();
    let from = match &request.bind {
        Some(bind) => {
            if let Some(cpu) = bind.iter().find(|cpu| !allowed.contains(cpu)) {
                return Err(Failure::hinted(
                    format!("--bind: CPU {cpu} does not exist, or may not be used here"),
                    format!("this process may use {allowed:?}"),
                ));
            }
            bind.clone()
        }
        None => spread(platform, &allowed),
    };
    Ok(from.iter().copied().cycle().take(request.processes as usize).collect())
}

/// Half of the memory that is free, and no swap.
fn fits(request: &SlbRequest, platform: &Platform) -> Result<()> {
    let each = hammer(request, 0).bytes();
    let wanted = each * u64::from(request.processes);
    let Some((room, limit)) = room(platform, None) else { return Ok(()) };
    if wanted <= room {
        return Ok(());
    }
    Err(Failure::hinted(
        format!(
            "{} of {} pages need {}, and more than {}, half of {limit}, is not taken from others",
            counted(request.processes as usize, "process", "processes"),
            request.pages,
            Bytes(wanted),
            Bytes(room)
        ),
        format!("use at most {} pages", room / u64::from(request.processes) / 4096),
    ))
}

fn hammer(request: &SlbRequest, cpu: u32) -> Hammer {
    Hammer {
        pages: request.pages,
        loops: request.ops,
        kit: request.kit,
        cpu,
        huge: request.huge,
        seed: 0,
    }
}

fn prepared(request: &SlbRequest, platform: Platform, cpus: &[u32]) -> Prepared {
    let accesses = f64::from(request.pages) * request.ops as f64;
    let what = format!(
        "SLB's loop of {}: {} pages, {} loops, {}",
        year(request.kit),
        request.pages,
        request.ops,
        counted(cpus.len(), "process", "processes")
    );
    let step = |what: String, expected_s| PlannedStep {
        layer: Layer::Memory,
        what,
        expected_s,
        writes_bytes: 0,
    };
    let gib = hammer(request, 0).bytes() as f64 / (1u64 << 30) as f64;
    let mut prepared = Prepared::memory(platform, &request.options, 6);
    prepared.plan.server_cpus = cpus.to_vec();
    prepared.plan.steps = vec![
        step(what, accesses * GUESS_NS / 1e9 + gib),
        step(
            "the latency of as much memory with it".to_string(),
            6.0 * WINDOW.as_secs_f64() + 4.0 * gib,
        ),
    ];
    prepared
}

/// The year of a kit.
fn year(kit: Kit) -> &'static str {
    match kit {
        Kit::Writes2007 => "2007",
        Kit::Reads2010 => "2010",
    }
}

fn measure(session: &mut Session<'_>, request: &SlbRequest, cpus: &[u32]) -> Result<()> {
    let seed = session.run.plan.seed;
    let hammers: Vec<Hammer> = cpus
        .iter()
        .enumerate()
        .map(|(at, &cpu)| Hammer { seed: seed ^ at as u64, ..hammer(request, cpu) })
        .collect();
    let tasks: Vec<Task> = hammers.iter().copied().map(Task::Hammer).collect();
    let progress = session.context(WINDOW).progress;
    let report = |so_far: &[SoFar]| {
        let detail = format!("SLB's loop, accesses {} so far", rate(so_far));
        progress.phase(Layer::Memory, Phase::Measure, &detail);
    };
    let done: Vec<Hammered> = together(&tasks, session.stop, report)?;
    session.add([measured(request, &hammers, &done)]);
    let platform = session.platform().clone();
    let watch = Watch::new(&platform, &[]);
    let ctx = session.context(WINDOW);
    let cache = last_level_bytes(&platform.caches);
    let beside = latency(&ctx, &hammers[0], cache, &watch)?;
    if let Err(why) = &beside {
        for measured in &mut session.run.measurements {
            measured.conditions.insert(condition::LATENCY_NOT_MEASURED, json!(why.to_string()));
        }
    }
    session.add(beside.ok());
    Ok(())
}

/// Of all processes together.
fn rate(so_far: &[SoFar]) -> LiveValue {
    let each = |done: &SoFar| done.operations as f64 / (done.ns.max(1) as f64 * 1e-9);
    LiveValue::PerSecond(so_far.iter().map(each).sum())
}

fn id(request: &SlbRequest) -> String {
    format!("memory.slb.{}", year(request.kit))
}

fn measured(request: &SlbRequest, hammers: &[Hammer], done: &[Hammered]) -> Measurement {
    let mut measurement = Measurement::new(id(request), Layer::Memory);
    measurement.repeats = 1;
    let each = |done: &Hammered| done.operations as f64 / micros(done) * 1e6;
    let value = |metric, value: f64| MetricValue::new(metric, value, None, vec![value]);
    let sum: f64 = done.iter().map(each).sum();
    let operations: u64 = done.iter().map(|done| done.operations).sum();
    let wrong: u64 = done.iter().map(|done| done.wrong).sum();
    let busy_ns: f64 = done.iter().map(|done| micros(done) * 1e3).sum();
    measurement.metrics = vec![
        value(metric::THROUGHPUT, sum),
        value(metric::COST, busy_ns / operations as f64),
        value(metric::OPERATIONS, operations as f64),
        value(metric::ERRORS, wrong as f64),
    ];
    let workload = &mut measurement.workload;
    workload.insert(condition::PAGES, json!(request.pages));
    workload.insert(condition::LOOPS, json!(request.ops));
    workload.insert(condition::PROCESSES, json!(done.len()));
    let cpus: Vec<u32> = hammers.iter().map(|hammer| hammer.cpu).collect();
    workload.insert(condition::CPUS, json!(cpus));
    let page_bytes = if request.huge { 2 << 20 } else { 4096 };
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::PAGE_BYTES, json!(page_bytes));
    conditions.insert(condition::ALL_RAN_SHARE, json!(overlap(done)));
    conditions.insert(
        condition::EACH,
        done.iter()
            .map(|d| json!({"operations": d.operations, "us": micros(d), "cpus": [d.cpus.0, d.cpus.1]}))
            .collect::<serde_json::Value>(),
    );
    let moved = hammers.iter().zip(done).filter(|(h, d)| d.cpus != (h.cpu, h.cpu)).count();
    if moved > 0 {
        conditions.insert(condition::SAMPLES_ON_ANOTHER_CPU, json!(moved));
    }
    measurement
}

/// How long it took, µs.
fn micros(done: &Hammered) -> f64 {
    (done.to_ns - done.from_ns) as f64 / 1e3
}

/// Of the time from the first start to the last end, the share in which all ran.
fn overlap(done: &[Hammered]) -> f64 {
    let first = done.iter().map(|done| done.from_ns).min().unwrap_or(0);
    let last = done.iter().map(|done| done.to_ns).max().unwrap_or(0);
    let from = done.iter().map(|done| done.from_ns).max().unwrap_or(0);
    let to = done.iter().map(|done| done.to_ns).min().unwrap_or(0);
    to.saturating_sub(from) as f64 / (last - first).max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn done(operations: u64, from_us: u64, to_us: u64) -> Hammered {
        Hammered {
            operations,
            from_ns: from_us * 1000,
            to_ns: to_us * 1000,
            cpus: (0, 0),
            wrong: 0,
        }
    }

    #[test]
    fn rates_of_processes_add_up_each_over_its_own_time() {
        let done = |operations, ns| SoFar { operations, ns };
        let together = rate(&[done(150_000_000, 1_000_000_000), done(100_000_000, 2_000_000_000)]);
        assert_eq!(together.to_string(), "200M/s");
        assert_eq!(rate(&[]).to_string(), LiveValue::PerSecond(0.0).to_string());
    }

    #[test]
    fn what_ran_alone_is_no_overlap() {
        assert_eq!(overlap(&[done(1, 0, 100), done(1, 0, 100)]), 1.0);
        assert_eq!(overlap(&[done(1, 0, 100), done(1, 50, 150)]), 50.0 / 150.0);
        assert_eq!(overlap(&[done(1, 0, 100), done(1, 100, 200)]), 0.0);
    }
}
