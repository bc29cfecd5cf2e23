//! `narrows log commits`: sessions that share flushes, and the highest rate of commits whose wait stays within a limit.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Arrivals;
use narrows_engine::rate_search::Goal;
use narrows_layer_log::{CommitPlan, CommitSizes, Delay, Style, commit_rate, planned_commits};
use narrows_model::DatabaseChoice;

use super::ground::Ground;
use crate::args::block::ArrivalsArg;
use crate::args::log::{CommitGoalArgs, CommitsArgs, StyleArg};
use crate::block::place;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::output;
use crate::session::{Ended, Session};

/// Runs the command.
pub fn commits(args: &CommitsArgs) -> Result<Exit> {
    let ground = Ground::find(&args.place)?;
    let plan = asked(args, &ground)?;
    let steps = planned_commits(&plan);
    let prepared = ground.prepared(&args.output, 1, DatabaseChoice::None, steps);
    if args.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    let mut session = Session::begin(prepared, &ground.folders(), &args.output)?;
    let outcome = measure(&mut session, &ground, &plan);
    session.end(outcome, &args.output, true)
}

/// What the goal asks for, everything else by default.
pub fn plan(ground: &Ground, goal: &CommitGoalArgs, bytes: u64) -> CommitPlan {
    let plan = CommitPlan {
        goal: Goal { quantile: goal.percentile / 100.0, limit_ns: goal.within.0 },
        ..CommitPlan::new(bytes, &ground.platform.cpu.allowed)
    };
    match goal.minutes {
        Some(minutes) => plan.within(Duration::from_secs(60 * u64::from(minutes))),
        None => plan,
    }
}

fn asked(args: &CommitsArgs, ground: &Ground) -> Result<CommitPlan> {
    let mut plan = plan(ground, &args.goal, args.bytes);
    plan.arrivals = match args.arrivals {
        ArrivalsArg::Poisson => Arrivals::Poisson,
        ArrivalsArg::Constant => Arrivals::Constant,
    };
    plan.style = match args.style {
        StyleArg::Leader => Style::Leader,
        StyleArg::Writer => Style::Writer,
    };
    plan.delay =
        Delay { time: Duration::from_nanos(args.commit_delay.0), siblings: args.commit_siblings };
    plan.most_sessions = args.most_sessions;
    if let Some(path) = &args.size_histogram {
        plan.sizes = sizes(path)?;
        plan.sizes_from = path.display().to_string();
    }
    Ok(plan)
}

/// Of a file of sizes, bytes: one line for each of a million.
const LONGEST_HISTOGRAM: u64 = 64 << 20;

fn sizes(path: &Path) -> Result<CommitSizes> {
    let shown = path.display();
    let text = narrows_files::read_text(path, LONGEST_HISTOGRAM).map_err(|reason| {
        Failure::hinted(
            format!("cannot read the sizes in {shown}: {reason}"),
            "name a file of lines with two numbers, bytes and how many commits had so many",
        )
    })?;
    CommitSizes::parse(&text).map_err(|reason| {
        Failure::hinted(
            format!("{shown} is no histogram of sizes: {reason}"),
            "each line has two numbers, bytes and how many commits had so many: 200 700",
        )
    })
}

fn measure(session: &mut Session, ground: &Ground, plan: &CommitPlan) -> Result<Ended> {
    let scratch = ground.scratch(&session.run.id)?;
    search(session, ground, scratch.wal(), plan)?;
    Ok(Ended::Whole)
}

/// Searches in a folder of ours and keeps what it gave.
///
/// # Errors
/// What the layer says, or the run file can't be written.
pub fn search(session: &mut Session, ground: &Ground, dir: &Path, plan: &CommitPlan) -> Result<()> {
    let ctx = session.context(plan.settings.longest_window);
    let watch = place::watch(&ground.platform);
    let rate = commit_rate(&ctx, dir, &watch, plan)?;
    session.run.calibrations.push(rate.calibration);
    session.add(rate.measurements);
    Ok(())
}
