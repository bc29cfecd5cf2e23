//! `narrows block calibrate`: the highest rate at which a percentile of latency stays within a limit.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Arrivals;
use narrows_engine::rate_search::Goal;
use narrows_layer_block::{CalibratePlan, Ground, LogStream, planned_calibrate};

use super::place;
use super::spot::{Spot, spot};
use crate::args::block::{ArrivalsArg, BesideArg, CalibrateArgs};
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::session::{Ended, Prepared, Session};
use crate::stream;
use narrows_runner::least_load;
use narrows_runner::paragraph::paragraph;

/// The log beside the load is written round and round in so much.
const LOG_BYTES: u64 = 64 << 20;

/// Runs the command.
pub fn calibrate(args: &CalibrateArgs) -> Result<Exit> {
    let spot = spot(&args.spot)?;
    let plan = plan(args, &spot)?;
    let log_bytes = if plan.beside.is_some() { LOG_BYTES } else { 0 };
    let fill_bytes = spot.fill_bytes(args.file_size, log_bytes);
    let prepared = Prepared::new(
        &spot.name(),
        spot.machine(),
        &args.output,
        1,
        args.file_size,
        planned_calibrate(&plan, fill_bytes),
    );
    let losses = spot.losses(prepared.plan.writes_bytes());
    if args.output.dry_run {
        output::print(&format!("{}{}", prepared.describe(), lines(&losses)))?;
        return Ok(Exit::Done);
    }
    spot.guard(args.output.load_here)?;
    let mut session = Session::begin(prepared, &spot.folders(), &args.output)?;
    stream::put(&lines(&losses));
    let outcome = measure(&mut session, &spot, &plan, args.file_size, log_bytes);
    session.end(outcome, &args.output, true)
}

fn lines(sentences: &[String]) -> String {
    sentences.iter().map(|sentence| paragraph(sentence)).collect()
}

fn plan(args: &CalibrateArgs, spot: &Spot) -> Result<CalibratePlan> {
    let writes = args.reads < 100 || args.beside.is_some();
    if writes && !spot.writable() {
        let option = if args.reads < 100 { "--reads" } else { "--beside" };
        return Err(Failure::hinted(
            format!("{option} writes, and --device is only read"),
            format!(
                "narrows block device {} says what --write-to-device needs and what would be lost",
                spot.name()
            ),
        ));
    }
    let plan = CalibratePlan {
        block_bytes: args.size,
        read_percent: args.reads,
        goal: Goal { quantile: args.percentile / 100.0, limit_ns: args.within.0 },
        arrivals: match args.arrivals {
            ArrivalsArg::Poisson => Arrivals::Poisson,
            ArrivalsArg::Constant => Arrivals::Constant,
        },
        beside: args.beside.map(|BesideArg::Log| LogStream::default()),
        ..CalibratePlan::default()
    };
    let minutes = args.minutes.map(|minutes| Duration::from_secs(60 * u64::from(minutes)));
    let time = least_load::wanted().map(|least| least.search).or(minutes);
    Ok(match time {
        Some(time) => plan.within(time),
        None => plan,
    })
}

fn measure(
    session: &mut Session,
    spot: &Spot,
    plan: &CalibratePlan,
    file_bytes: u64,
    log_bytes: u64,
) -> Result<Ended> {
    let ctx = session.context(plan.settings.longest_window);
    let opened = spot.open(&ctx, &session.run.id, file_bytes, log_bytes)?;
    let watch = place::watch(session.run.platform().expect("a run has a machine"));
    let ground = Ground { data: opened.data.clone(), log: opened.log.clone() };
    let calibrated = narrows_layer_block::calibrate(&ctx, &ground, &watch, plan)?;
    drop(ground);
    opened.close();
    session.run.calibrations.push(calibrated.calibration);
    session.add(calibrated.measurements);
    Ok(Ended::Whole)
}
