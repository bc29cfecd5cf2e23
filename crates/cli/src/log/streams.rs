//! `narrows log streams`: several logs on one device.

use std::time::Duration;

use anyhow::Result;
use narrows_layer_log::{StreamsMeasured, StreamsPlan, planned_streams};
use narrows_model::{DatabaseChoice, metric};
use narrows_units::{Bytes, Nanos, significant};
use serde_json::json;

use super::ground::Ground;
use crate::args::log::StreamsArgs;
use crate::block::place;
use crate::exit::Exit;
use crate::session::{Answer, Ended, Session};
use crate::{output, plan};

/// One window.
const WINDOW: Duration = Duration::from_secs(2);

/// Runs the command.
pub fn streams(args: &StreamsArgs) -> Result<Exit> {
    let ground = Ground::find(&args.place)?;
    let plan = plan(args, &ground);
    let mut prepared =
        ground.prepared(&args.output, args.repeats, DatabaseChoice::None, Vec::new());
    let stop = narrows_engine::Stop::new();
    let ctx = plan::ahead(&prepared.plan, &stop, WINDOW);
    prepared.plan.steps = planned_streams(&ctx, &plan);
    if args.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    let mut session = Session::begin(prepared, &ground.folders(), &args.output)?;
    // Those it was asked for are the answer; what the search tried above them is meant to be too much.
    let ids = plan.counts().iter().map(|n| format!("log.streams.{n}")).collect();
    session.answer = Answer::Named(ids);
    let outcome = measure(&mut session, &ground, &plan);
    session.end(outcome, &args.output, true)
}

fn plan(args: &StreamsArgs, ground: &Ground) -> StreamsPlan {
    StreamsPlan {
        streams: args.streams,
        rate_bytes_per_s: args.rate.0,
        write_bytes: args.size,
        quantile: args.percentile / 100.0,
        limit_ns: args.within.0,
        most_streams: args.most_streams.max(args.streams),
        cache_bytes: args.cache,
        cpus: ground.platform.cpu.allowed.clone(),
    }
}

fn measure(session: &mut Session, ground: &Ground, plan: &StreamsPlan) -> Result<Ended> {
    let scratch = ground.scratch(&session.run.id)?;
    let ctx = session.context(WINDOW);
    let watch = place::watch(&ground.platform);
    let measured = narrows_layer_log::streams(&ctx, scratch.wal(), &watch, plan)?;
    let said = sentence(&measured, plan);
    let mut measurements = measured.measurements;
    for measurement in &mut measurements {
        measurement.conditions.insert("sentence".into(), json!(said));
    }
    session.add(measurements);
    Ok(Ended::Whole)
}

/// `The device holds 24 such streams with p99 within 1.00 ms; 28 miss it.`
fn sentence(measured: &StreamsMeasured, plan: &StreamsPlan) -> String {
    let percentile = format!("{:.3}", plan.quantile * 100.0);
    let percentile = percentile.trim_end_matches('0').trim_end_matches('.');
    let goal = format!("p{percentile} within {}", Nanos(plan.limit_ns));
    let each = format!(
        "{}/s in durable writes of {}",
        Bytes(plan.rate_bytes_per_s.round() as u64),
        Bytes(plan.write_bytes).iec()
    );
    let holding = &measured.holding;
    let held = match (holding.kept(), holding.missed()) {
        (Some(kept), Some(missed)) => {
            format!("The device holds {kept} logs of {each} with {goal}; {missed} miss it")
        }
        (Some(kept), None) => {
            format!("The device holds {kept} logs of {each} with {goal}, the most that were tried")
        }
        (None, _) => format!("Not even one log of {each} keeps {goal} here"),
    };
    let all = format!("log.streams.{}", plan.streams);
    let all = measured.measurements.iter().find(|m| m.id == all);
    let turnover = all.and_then(|m| Some((m.number("cache_turnover_s")?, m))).map(|(s, m)| {
        let rate = m.value(metric::BANDWIDTH).unwrap_or(0.0);
        format!(
            ". {} of them write {}/s, which turns a cache of {} over in {} s",
            plan.streams,
            Bytes(rate.round() as u64),
            Bytes(plan.cache_bytes.unwrap_or(0)).iec(),
            significant(s, 3)
        )
    });
    format!("{held}{}.", turnover.unwrap_or_default())
}
