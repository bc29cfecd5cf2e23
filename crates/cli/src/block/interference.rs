//! `narrows block interference`: what writes do to reads, rate by rate.

use std::time::Duration;

use anyhow::Result;
use narrows_layer_block::{
    InterferenceGround, InterferencePlan, Region, interference as set_beside, planned_interference,
};

use super::place;
use super::spot::{Spot, spot};
use crate::args::block::InterferenceArgs;
use crate::exit::Exit;
use crate::output;
use crate::session::{Answer, Ended, Prepared, Session};
use crate::stream;
use narrows_runner::paragraph::paragraph;

/// The log is written round and round in so much.
const LOG_BYTES: u64 = 64 << 20;

/// Runs the command.
pub fn interference(args: &InterferenceArgs) -> Result<Exit> {
    let spot = spot(&args.spot())?;
    let plan = plan(args);
    let written_bytes = written_bytes(args);
    let fill_bytes = spot.fill_bytes(args.file_size, written_bytes);
    let steps = planned_interference(&plan, fill_bytes);
    let machine = spot.machine();
    let prepared =
        Prepared::new(&spot.name(), machine, &args.output, plan.rounds, args.file_size, steps);
    let losses = spot.losses(prepared.plan.writes_bytes());
    let losses: String = losses.iter().map(|sentence| paragraph(sentence)).collect();
    if args.output.dry_run {
        output::print(&format!("{}{losses}", prepared.describe()))?;
        return Ok(Exit::Done);
    }
    spot.guard(args.output.load_here)?;
    let mut session = Session::begin(prepared, &spot.folders(), &args.output)?;
    stream::put(&losses);
    let outcome = measure(&mut session, &spot, &plan, (args.file_size, written_bytes));
    session.answer = Answer::Table;
    session.end(outcome, &args.output, true)
}

/// What is written, at random or as a log, has a quarter of what is read, and the log's part besides.
fn written_bytes(args: &InterferenceArgs) -> u64 {
    (args.file_size / 4).next_multiple_of(1 << 20) + LOG_BYTES
}

fn plan(args: &InterferenceArgs) -> InterferencePlan {
    let plan = InterferencePlan {
        block_bytes: args.size,
        budget_bytes: args.budget,
        ..InterferencePlan::default()
    };
    match args.minutes {
        Some(minutes) => plan.within(Duration::from_secs(60 * u64::from(minutes))),
        None => plan,
    }
}

fn measure(
    session: &mut Session,
    spot: &Spot,
    plan: &InterferencePlan,
    (data_bytes, written_bytes): (u64, u64),
) -> Result<Ended> {
    let ctx = session.context(plan.window);
    let opened = spot.open(&ctx, &session.run.id, data_bytes, written_bytes)?;
    let watch = place::watch(session.run.platform().expect("a run has a machine"));
    let written: &Region = opened.log.as_ref().expect("it was asked for");
    let ground = InterferenceGround {
        reads: opened.data.clone(),
        writes: written.part(LOG_BYTES, written.bytes() - LOG_BYTES)?,
        log: written.part(0, LOG_BYTES)?,
    };
    let measurements = set_beside(&ctx, &ground, &watch, plan)?;
    drop(ground);
    opened.close();
    session.add(measurements);
    Ok(Ended::Whole)
}
