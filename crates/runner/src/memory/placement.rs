//! On which nodes the memory of running databases lies.

use anyhow::Result;
use narrows_facts::{Live, process};
use narrows_layer_memory::matrix::{self, Known};
use narrows_layer_memory::pool::{self, LEAST_BYTES, LivePages, PoolScan, SAMPLE};
use narrows_model::{Layer, Plan, PlannedStep, Platform};
use narrows_postgres::observe::Monitor;
use narrows_units::Bytes;

use super::same_machine;
use crate::failure::Failure;
use crate::paragraph::counted;
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::memory::{PlacementRequest, PoolOwner};
use crate::session::{Ended, Session};
use crate::store;
use crate::ui::Ui;

/// Processes of a pool that are asked, each some microseconds a page: a guess for the plan, s.
const POOL_S: f64 = 0.5;

/// The id of what anybody may read.
const COUNTERS: &str = "memory.placement.counters";

/// The pools that were found.
pub struct Placement {
    request: PlacementRequest,
    known: Known,
    found: PoolScan,
    prepared: Prepared,
}

impl Program for Placement {
    type Request = PlacementRequest;

    fn options(request: &PlacementRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &PlacementRequest, _: &dyn Ui) -> Result<Placement> {
        let platform = narrows_platform::discover(&Live, &[]);
        let known = match &request.matrix {
            Some(run) => matrix_of(run, &platform)?,
            None => Known::new(),
        };
        let roots = roots(&request.owner)?;
        let found = pool::find(&Live, &roots, &process::all());
        look_allowed(&roots, &found)?;
        let prepared = prepared(request, platform, &found);
        Ok(Placement { request: request.clone(), known, found, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    /// Nothing is loaded.
    fn admit(&mut self, _: bool, _: &dyn Ui) -> Result<()> {
        Ok(())
    }

    fn guards(&self) -> bool {
        false
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        look(session, &self.request, &self.found, &self.known)
    }
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
            format!("--matrix: {name} has no node matrix"),
            "`narrows memory matrix` measures one on a machine with several nodes",
        ));
    }
    Ok(known)
}

/// Whose pools are asked for; none for all.
fn roots(owner: &PoolOwner) -> Result<Vec<u32>> {
    match owner {
        PoolOwner::Everybody => Ok(Vec::new()),
        PoolOwner::Process(pid) if process::name(*pid).is_none() => Err(Failure::hinted(
            format!("--pid: there is no process {pid} here"),
            "`ps -e` lists them; a container shows only its own",
        )),
        PoolOwner::Process(pid) => Ok(vec![*pid]),
        PoolOwner::Server(address) => {
            let postmaster = Monitor::open(address)?.postmaster().ok_or_else(|| {
                Failure::hinted(
                    format!("{address} answers, and its processes are not visible from here"),
                    "run this on the server's own machine, outside of a container that hides them",
                )
            })?;
            Ok(vec![postmaster])
        }
    }
}

/// Whether those who were named may be looked into.
fn look_allowed(roots: &[u32], found: &PoolScan) -> Result<()> {
    match roots.iter().find(|pid| found.closed.contains(pid)) {
        None => Ok(()),
        Some(pid) => Err(Failure::hinted(
            format!(
                "process {pid} ({}) may not be read by this user",
                process::name(*pid).unwrap_or_default()
            ),
            if process::is_root() {
                "this root lacks CAP_SYS_PTRACE, as in many containers: run it outside; without it `narrows memory placement` shows the nodes' own counters"
            } else {
                "run it as the server's own user or as root; without that `narrows memory placement` shows the nodes' own counters"
            },
        )),
    }
}

fn prepared(request: &PlacementRequest, platform: Platform, found: &PoolScan) -> Prepared {
    let pools = counted(found.pools.len(), "pool", "pools");
    let how = match request.every_page {
        true => "every page".to_string(),
        false => format!("a sample of {SAMPLE} pages of each"),
    };
    let what = format!("{pools} of {} and more, {how}", Bytes(LEAST_BYTES).iec());
    let step = PlannedStep {
        layer: Layer::Memory,
        what,
        expected_s: found.pools.len() as f64 * POOL_S,
        writes_bytes: 0,
    };
    let mut prepared = Prepared::memory(platform, &request.options, 1);
    prepared.plan.steps = vec![step];
    prepared
}

fn look(
    session: &mut Session<'_>,
    request: &PlacementRequest,
    found: &PoolScan,
    known: &Known,
) -> Result<Ended> {
    let platform = session.platform().clone();
    let most = if request.every_page { u64::MAX } else { SAMPLE };
    let seed = session.run.plan.seed;
    let mut measurements =
        vec![pool::counted(COUNTERS, &pool::counters(&Live), found.closed.len())];
    for (at, one) in found.pools.iter().enumerate() {
        let placed = pool::place(&Live, &LivePages, one, most, seed, session.stop)?;
        let first = one.processes().first().copied().unwrap_or(0);
        let owner = process::name(first).unwrap_or_else(|| "a process that has ended".to_string());
        measurements.push(pool::measurement(at + 1, &owner, one, &placed, &platform, known));
    }
    session.add(measurements);
    Ok(Ended::Whole)
}
