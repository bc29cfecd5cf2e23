//! `narrows memory slb`: SLB's command line and its line of output, and what they mean.
//!
//! The processes are in [`race`], what is said of them in [`words`].

mod words;

use std::time::Duration;

use anyhow::Result;
use narrows_facts::{Live, affinity};
use narrows_layer_memory::slb::{Hammer, Hammered, Kit, latency};
use narrows_layer_memory::{last_level_bytes, room, spread};
use narrows_model::{
    Better, Layer, Measurement, Metric, Plan, PlannedStep, Platform, Unit, condition, metric,
};
use narrows_observe::Watch;
use narrows_units::Bytes;
use serde_json::json;

pub use self::words::counted;
use self::words::{meaning, micros, overlap, slb_line};
use crate::args::Format;
use crate::args::memory::{KitArg, SlbArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::memory::race::{Task, together};
use crate::session::{Answer, Ended, Prepared, Session};
use crate::{output, plan};
use narrows_runner::paragraph::paragraph;

/// A guess for the plan, ns an access.
const GUESS_NS: f64 = 20.0;
/// One window of the latency beside it.
const WINDOW: Duration = Duration::from_millis(300);

/// Runs the command.
pub fn slb(args: &SlbArgs) -> Result<Exit> {
    let platform = narrows_platform::discover(&Live, &[]);
    let cpus = cpus(args, &platform)?;
    fits(args, &platform)?;
    let prepared = prepared(args, platform, &cpus);
    if args.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    let mut session = Session::begin(prepared, &[], &args.output)?;
    let mut said = String::new();
    let outcome = measure(&mut session, args, &cpus, &mut said);
    let text = args.output.format == Format::Text;
    // Before it is kept: what took so long is not lost where there is no room to keep it.
    if text && matches!(outcome, Ok(Ended::Whole)) {
        output::print(&said)?;
    }
    // The latency beside it explains the answer, and is none.
    session.answer = Answer::Named(vec![id(args)]);
    session.end(outcome, &args.output, !text)
}

/// Who hammers where: those of `--bind` in their order, else one CPU of each core first. With fewer CPUs than processes they are
/// shared, which the output says.
fn cpus(args: &SlbArgs, platform: &Platform) -> Result<Vec<u32>> {
    let allowed = affinity::current();
    let from = match &args.bind {
        Some(bind) => {
            if let Some(cpu) = bind.0.iter().find(|cpu| !allowed.contains(cpu)) {
                return Err(Failure::hinted(
                    format!("--bind: CPU {cpu} is not there, or may not be used here"),
                    format!("this process may use {allowed:?}"),
                ));
            }
            bind.0.clone()
        }
        None => spread(platform, &allowed),
    };
    Ok(from.iter().copied().cycle().take(args.processes as usize).collect())
}

/// Half of the memory that is free, and no swap.
fn fits(args: &SlbArgs, platform: &Platform) -> Result<()> {
    let each = hammer(args, 0).bytes();
    let wanted = each * u64::from(args.processes);
    let Some((room, limit)) = room(platform, None) else { return Ok(()) };
    if wanted <= room {
        return Ok(());
    }
    Err(Failure::hinted(
        format!(
            "{} of {} pages take {}, and more than {}, half of {limit}, is not taken from others",
            counted(args.processes as usize, "process", "processes"),
            args.pages,
            Bytes(wanted),
            Bytes(room)
        ),
        format!("take at most {} pages", room / u64::from(args.processes) / 4096),
    ))
}

fn hammer(args: &SlbArgs, cpu: u32) -> Hammer {
    Hammer {
        pages: args.pages,
        loops: args.ops,
        kit: match args.kit {
            KitArg::Kit2007 => Kit::Writes2007,
            KitArg::Kit2010 => Kit::Reads2010,
        },
        cpu,
        huge: args.huge,
        seed: 0,
    }
}

fn prepared(args: &SlbArgs, platform: Platform, cpus: &[u32]) -> Prepared {
    let accesses = f64::from(args.pages) * args.ops as f64;
    let what = format!(
        "SLB's loop of {}: {} pages, {} loops, {}",
        args.kit.word(),
        args.pages,
        args.ops,
        counted(cpus.len(), "process", "processes")
    );
    let step = |what: String, expected_s| PlannedStep {
        layer: Layer::Memory,
        what,
        expected_s,
        writes_bytes: 0,
    };
    let gib = hammer(args, 0).bytes() as f64 / (1u64 << 30) as f64;
    let plan = Plan {
        layers: vec![Layer::Memory],
        repeats: 6,
        seed: args.output.seed.unwrap_or_else(plan::fresh_seed),
        server_cpus: cpus.to_vec(),
        steps: vec![
            step(what, accesses * GUESS_NS / 1e9 + gib),
            step(
                "the latency of as much memory beside it".to_string(),
                6.0 * WINDOW.as_secs_f64() + 4.0 * gib,
            ),
        ],
        ..Plan::default()
    };
    Prepared { plan, platform }
}

fn measure(
    session: &mut Session,
    args: &SlbArgs,
    cpus: &[u32],
    said: &mut String,
) -> Result<Ended> {
    let seed = session.run.plan.seed;
    let hammers: Vec<Hammer> = cpus
        .iter()
        .enumerate()
        .map(|(at, &cpu)| Hammer { seed: seed ^ at as u64, ..hammer(args, cpu) })
        .collect();
    let tasks: Vec<Task> = hammers.iter().copied().map(Task::Hammer).collect();
    let done: Vec<Hammered> = together(&tasks, &session.stop)?;
    session.add([measured(args, &hammers, &done)]);
    for line in &done {
        *said += &slb_line(line);
    }
    let platform = session.run.platform().expect("a run has a machine").clone();
    let watch = Watch::new(&platform, &[]);
    let ctx = session.context(WINDOW);
    let cache = last_level_bytes(&platform.caches);
    let beside = latency(&ctx, &hammers[0], cache, &watch)?;
    *said += &meaning(args, &hammers, &done, cache, beside.as_ref().ok());
    if let Err(why) = &beside {
        *said += &paragraph(&format!("The latency of as much memory was not measured: {why}."));
    }
    session.add(beside.ok());
    Ok(Ended::Whole)
}

fn id(args: &SlbArgs) -> String {
    format!("memory.slb.{}", args.kit.word())
}

fn measured(args: &SlbArgs, hammers: &[Hammer], done: &[Hammered]) -> Measurement {
    let mut measurement = Measurement::new(id(args), Layer::Memory);
    measurement.repeats = 1;
    let each = |done: &Hammered| done.operations as f64 / micros(done) * 1e6;
    let metric = |name: &str, unit, better, value: f64| Metric {
        name: name.to_string(),
        unit,
        better,
        value,
        interval_95: None,
        samples: vec![value],
    };
    let sum: f64 = done.iter().map(each).sum();
    let operations: u64 = done.iter().map(|done| done.operations).sum();
    let wrong: u64 = done.iter().map(|done| done.wrong).sum();
    let busy_ns: f64 = done.iter().map(|done| micros(done) * 1e3).sum();
    measurement.metrics = vec![
        metric(metric::THROUGHPUT, Unit::OpsPerS, Better::More, sum),
        metric(metric::COST, Unit::NsPerOp, Better::Less, busy_ns / operations as f64),
        metric(metric::OPERATIONS, Unit::Count, Better::Neither, operations as f64),
        metric(metric::ERRORS, Unit::Count, Better::Less, wrong as f64),
    ];
    let workload = &mut measurement.workload;
    workload.insert("pages".into(), json!(args.pages));
    workload.insert("loops".into(), json!(args.ops));
    workload.insert("processes".into(), json!(done.len()));
    let cpus: Vec<u32> = hammers.iter().map(|hammer| hammer.cpu).collect();
    workload.insert("cpus".into(), json!(cpus));
    let page_bytes = if args.huge { 2 << 20 } else { 4096 };
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::PAGE_BYTES.into(), json!(page_bytes));
    conditions.insert("all_ran_share".into(), json!(overlap(done)));
    conditions.insert(
        "each".into(),
        done.iter()
            .map(|d| json!({"operations": d.operations, "us": micros(d), "cpus": [d.cpus.0, d.cpus.1]}))
            .collect(),
    );
    let moved = hammers.iter().zip(done).filter(|(h, d)| d.cpus != (h.cpu, h.cpu)).count();
    if moved > 0 {
        conditions.insert("samples_on_another_cpu".into(), json!(moved));
    }
    measurement
}
