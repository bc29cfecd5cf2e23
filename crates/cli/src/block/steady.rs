//! `narrows block steady`: does the rate of writes last? Rounds until the criteria of SNIA's PTS say so, or can't.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::steady_state::{Ending, WriteState};
use narrows_io::Access;
use narrows_layer_block::{Distribution, Mix, Place, SteadyPlan, planned_steady};
use narrows_model::Platform;
use serde_json::json;

use super::place;
use super::spot::{Spot, spot};
use crate::args::Format;
use crate::args::block::SteadyArgs;
use crate::exit::Exit;
use crate::output;
use crate::session::{Ended, Prepared, Session};
use crate::stream;
use narrows_runner::paragraph::paragraph;

/// SNIA's PTS writes a device through twice before the first round; a file has its blocks written once more, at random
/// places.
const DEVICE_PASSES: f64 = 2.0;
const FILE_PASSES: f64 = 1.0;

/// Runs the command.
pub fn steady(args: &SteadyArgs) -> Result<Exit> {
    let spot = spot(&args.spot())?;
    let machine = spot.machine();
    let plan = plan(args, &spot, &machine);
    let file_bytes = spot.fill_bytes(args.file_size, 0);
    let region_bytes = match &spot {
        Spot::Folder(_) => args.file_size,
        Spot::Device(device) | Spot::Consented(device, _) => device.size_bytes.unwrap_or(0),
    };
    let steps = planned_steady(&plan, region_bytes, file_bytes);
    let prepared = Prepared::new(&spot.name(), machine, &args.output, 1, args.file_size, steps);
    let losses = spot.losses(prepared.plan.writes_bytes());
    let losses: String = losses.iter().map(|sentence| paragraph(sentence)).collect();
    if args.output.dry_run {
        output::print(&format!("{}{losses}", prepared.describe()))?;
        return Ok(Exit::Done);
    }
    spot.guard(args.output.load_here)?;
    let mut session = Session::begin(prepared, &spot.folders(), &args.output)?;
    stream::put(&losses);
    let mut answer = None;
    let outcome = measure(&mut session, &spot, &plan, args.file_size, &mut answer);
    // A rate that isn't known to last is no answer to whether it does.
    session.open = answer.as_ref().is_some_and(|(state, _)| *state != WriteState::Sustained);
    let exit = session.end(outcome, &args.output, true)?;
    let Some((_, sentence)) = answer else { return Ok(exit) };
    // A figure that is invalid is printed nowhere.
    if args.output.format == Format::Text && exit != Exit::Invalid {
        output::print(&paragraph(&sentence))?;
    }
    Ok(exit)
}

fn plan(args: &SteadyArgs, spot: &Spot, machine: &Platform) -> SteadyPlan {
    let device = !matches!(spot, Spot::Folder(_));
    SteadyPlan {
        block_bytes: args.size,
        mix: Mix::read_percent(args.reads),
        place: Place::Random(Distribution::OnceEach),
        depth: args.depth,
        round: Duration::from_nanos(args.round.0),
        ending: Ending::WhenShown,
        // Where a file lies on several drives, all of them together take what is written.
        capacity_bytes: place::capacity_bytes(machine),
        passes: if device { DEVICE_PASSES } else { FILE_PASSES },
        budget_bytes: args.budget,
        access: Access::best(),
        cpus: Vec::new(),
    }
}

fn measure(
    session: &mut Session,
    spot: &Spot,
    plan: &SteadyPlan,
    file_bytes: u64,
    answer: &mut Option<(WriteState, String)>,
) -> Result<Ended> {
    let ctx = session.context(plan.round);
    let opened = spot.open(&ctx, &session.run.id, file_bytes, 0)?;
    let watch = place::watch(session.run.platform().expect("a run has a machine"));
    let mut steadied = narrows_layer_block::steady(&ctx, &opened.data, &watch, plan)?;
    opened.close();
    for measurement in &mut steadied.measurements {
        measurement.conditions.insert("sentence".into(), json!(steadied.sentence));
    }
    *answer = Some((steadied.verdict.state, steadied.sentence));
    session.add(steadied.measurements);
    Ok(Ended::Whole)
}
