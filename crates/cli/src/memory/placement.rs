//! `narrows memory placement`: on which nodes the memory of running databases lies.

use anyhow::Result;
use narrows_facts::{Live, process};
use narrows_layer_memory::matrix::{self, Known};
use narrows_layer_memory::pool::{self, Found, LEAST_BYTES, LivePages, SAMPLE};
use narrows_model::{Layer, PlannedStep, Platform};
use narrows_postgres::Address;
use narrows_postgres::observe::Look;
use narrows_units::Bytes;

use crate::args::memory::PlacementArgs;
use crate::exit::Exit;
use crate::failure::Failure;
use crate::memory::same_machine;
use crate::memory::slb::counted;
use crate::session::{Ended, Prepared, Session};
use crate::{output, store};

/// Processes of a pool that are asked, each some microseconds a page: a guess for the plan, s.
const POOL_S: f64 = 0.5;

/// The id of what anybody may read.
const COUNTERS: &str = "memory.placement.counters";

/// Runs the command.
pub fn placement(args: &PlacementArgs) -> Result<Exit> {
    let platform = narrows_platform::discover(&Live, &[]);
    let known = match &args.matrix {
        Some(run) => matrix_of(run, &platform)?,
        None => Known::new(),
    };
    let roots = roots(args)?;
    let found = pool::find(&Live, &roots, &process::all());
    look_allowed(&roots, &found)?;
    let prepared = prepared(args, platform, &found);
    if args.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    let mut session = Session::looking(prepared, &args.output)?;
    let outcome = look(&mut session, args, &found, &known);
    session.end(outcome, &args.output, true)
}

fn matrix_of(name: &str, platform: &Platform) -> Result<Known> {
    let run = store::load(&store::find(name)?)?;
    if let Some(other) = run.platform().filter(|other| !same_machine(other, platform)) {
        return Err(Failure::hinted(
            format!(
                "--matrix: {name} is of another machine ({})",
                other.hostname.as_deref().unwrap_or("without a name")
            ),
            "`narrows memory matrix` measures this one's",
        ));
    }
    let known = matrix::known_of(&run.measurements, platform);
    if known.is_empty() {
        return Err(Failure::hinted(
            format!("--matrix: {name} has no matrix of nodes"),
            "`narrows memory matrix` measures one on a machine with several nodes",
        ));
    }
    Ok(known)
}

/// Whose pools are asked for; none for all.
fn roots(args: &PlacementArgs) -> Result<Vec<u32>> {
    if let Some(pid) = args.pid {
        if process::name(pid).is_none() {
            return Err(Failure::hinted(
                format!("--pid: there is no process {pid} here"),
                "`ps -e` lists them; in a container only its own are seen",
            ));
        }
        return Ok(vec![pid]);
    }
    let Some(url) = &args.postgres else { return Ok(Vec::new()) };
    let address = Address::parse(url)?;
    let look = Look::open(&address)?;
    let postmaster = look.postmaster().ok_or_else(|| {
        Failure::hinted(
            format!("{address} answers, and its processes are not seen from here"),
            "run this on the server's own machine, outside of a container that hides them",
        )
    })?;
    Ok(vec![postmaster])
}

/// Whether those who were named may be looked into.
fn look_allowed(roots: &[u32], found: &Found) -> Result<()> {
    match roots.iter().find(|pid| found.closed.contains(pid)) {
        None => Ok(()),
        Some(pid) => Err(Failure::hinted(
            format!(
                "process {pid} ({}) may not be looked into by this user",
                process::name(*pid).unwrap_or_default()
            ),
            if process::is_root() {
                "this root lacks the right to (CAP_SYS_PTRACE), as in many containers: run it outside; without that \
                 `narrows memory placement` shows the nodes' own counters"
            } else {
                "run it as the server's own user or as root; without that `narrows memory placement` shows the nodes' own counters"
            },
        )),
    }
}

fn prepared(args: &PlacementArgs, platform: Platform, found: &Found) -> Prepared {
    let pools = counted(found.pools.len(), "pool", "pools");
    let how = match args.every_page {
        true => "every page asked for".to_string(),
        false => format!("{SAMPLE} pages of each asked for"),
    };
    let what = format!("{pools} of {} and more, {how}", Bytes(LEAST_BYTES).iec());
    let step = PlannedStep {
        layer: Layer::Memory,
        what,
        expected_s: found.pools.len() as f64 * POOL_S,
        writes_bytes: 0,
    };
    let mut prepared = Prepared::new("", platform, &args.output, 1, 0, vec![step]);
    prepared.plan.layers = vec![Layer::Memory];
    prepared
}

fn look(
    session: &mut Session,
    args: &PlacementArgs,
    found: &Found,
    known: &Known,
) -> Result<Ended> {
    let platform = session.run.platform().expect("a run has a machine").clone();
    let most = if args.every_page { u64::MAX } else { SAMPLE };
    let seed = session.run.plan.seed;
    let mut measurements =
        vec![pool::counted(COUNTERS, &pool::counters(&Live), found.closed.len())];
    for (at, one) in found.pools.iter().enumerate() {
        let placed = pool::place(&Live, &LivePages, one, most, seed, &session.stop)?;
        let first = one.processes().first().copied().unwrap_or(0);
        let owner = process::name(first).unwrap_or_else(|| "a process that has ended".to_string());
        measurements.push(pool::measurement(at + 1, &owner, one, &placed, &platform, known));
    }
    session.add(measurements);
    Ok(Ended::Whole)
}
