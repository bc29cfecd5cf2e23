//! `narrows memory`: what a clock read costs, and all of the memory.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_facts::Live;
use narrows_layer_memory::{Extent, study as measure_memory, study_planned};
use narrows_model::{Layer, Plan, Platform};
use narrows_observe::Watch;

use crate::args::memory::StudyArgs;
use crate::exit::Exit;
use crate::memory::touch;
use crate::session::{Ended, Prepared, Session};
use crate::{output, plan};

/// One window; there are many of them, in turns.
const WINDOW: Duration = Duration::from_millis(50);

/// Runs the command.
pub fn study(args: &StudyArgs) -> Result<Exit> {
    let platform = narrows_platform::discover(&Live, &[]);
    let prepared = prepared(args, platform);
    if args.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    let mut session = Session::begin(prepared, &[], &args.output)?;
    let outcome = measure(&mut session, args);
    session.end(outcome, &args.output, true)
}

fn extent(args: &StudyArgs) -> Extent {
    if args.thorough { Extent::Whole } else { Extent::Classes }
}

fn prepared(args: &StudyArgs, platform: Platform) -> Prepared {
    let mut plan = Plan {
        quick: args.quick,
        layers: vec![Layer::Clock, Layer::Memory],
        repeats: if args.quick { 3 } else { 6 },
        seed: args.output.seed.unwrap_or_else(plan::fresh_seed),
        // One thing at a time runs here, and nothing is kept from it.
        server_cpus: platform.cpu.allowed.clone(),
        ..Plan::default()
    };
    let stop = Stop::new();
    let ctx = plan::ahead(&plan, &stop, WINDOW);
    plan.steps = narrows_layer_clock::planned(&ctx);
    plan.steps.push(touch::planned());
    plan.steps.extend(study_planned(&ctx, &platform, extent(args)));
    Prepared { plan, platform }
}

fn measure(session: &mut Session, args: &StudyArgs) -> Result<Ended> {
    let clock = narrows_layer_clock::measure(&session.context(WINDOW))?;
    session.add(clock);
    let platform = session.run.platform().expect("a run has a machine").clone();
    let watch = Watch::new(&platform, &[]);
    let (touched, untouched) = touch::measure(session, &platform)?;
    session.add(touched);
    let absent = session
        .in_parts(WINDOW, |ctx, keep| measure_memory(ctx, &platform, extent(args), &watch, keep))?;
    if let Some(host) = session.run.hosts.first_mut() {
        host.platform.unknown.extend(untouched);
        host.platform.unknown.extend(absent);
    }
    Ok(Ended::Whole)
}
