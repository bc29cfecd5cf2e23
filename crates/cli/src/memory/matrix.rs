//! `narrows memory matrix`: from the CPUs of each node to the memory of each, and nothing else.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_facts::Live;
use narrows_layer_memory::{Extent, matrix_alone, matrix_planned};
use narrows_model::{Layer, Platform};
use narrows_observe::Watch;

use crate::args::memory::MatrixArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::session::{Ended, Prepared, Session};
use crate::{output, plan};

/// One window.
const WINDOW: Duration = Duration::from_millis(100);
/// Repeats of each placement; cells have fewer.
const REPEATS: u32 = 6;

/// Runs the command.
pub fn matrix(args: &MatrixArgs) -> Result<Exit> {
    let platform = narrows_platform::discover(&Live, &[]);
    let with_memory = platform.nodes.iter().filter(|node| node.memory_bytes > 0).count();
    if with_memory < 2 {
        return Err(Failure::hinted(
            format!("this machine shows {with_memory} node with memory: its matrix has one cell"),
            "`narrows memory` measures that one; in a virtual machine the hypervisor may hide nodes, in the firmware \
             sub-NUMA clustering (SNC) or nodes per socket (NPS) may be switched off",
        ));
    }
    let extent = if args.thorough { Extent::Whole } else { Extent::Classes };
    let prepared = prepared(args, platform, extent);
    if args.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    let mut session = Session::begin(prepared, &[], &args.output)?;
    let outcome = measure(&mut session, extent);
    session.end(outcome, &args.output, true)
}

fn prepared(args: &MatrixArgs, platform: Platform, extent: Extent) -> Prepared {
    let mut prepared = Prepared::new("", platform, &args.output, REPEATS, 0, Vec::new());
    let stop = Stop::new();
    let ctx = plan::ahead(&prepared.plan, &stop, WINDOW);
    prepared.plan.layers = vec![Layer::Memory];
    prepared.plan.steps = matrix_planned(&ctx, &prepared.platform, extent);
    prepared
}

fn measure(session: &mut Session, extent: Extent) -> Result<Ended> {
    let platform = session.run.platform().expect("a run has a machine").clone();
    let watch = Watch::new(&platform, &[]);
    let absent =
        session.in_parts(WINDOW, |ctx, keep| matrix_alone(ctx, &platform, extent, &watch, keep))?;
    if let Some(host) = session.run.hosts.first_mut() {
        host.platform.unknown.extend(absent);
    }
    Ok(Ended::Whole)
}
