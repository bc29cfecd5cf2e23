//! `narrows run --observe`: what a transaction takes on somebody's server, by looking at it.
//!
//! Nothing is loaded and nothing is written but the run file, unless `--load-here` says that the server's drives may be measured
//! before the look.

pub(crate) mod capacities;
pub mod drives;
pub mod mariadb;
mod planned;
mod room;
mod stuck;
mod waiting;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use narrows_facts::Live;
use narrows_model::{Cgroup, HostRole, Observation, Plan, Platform, Workload, condition};
use narrows_observe::Watch;
use narrows_postgres::WireError;
use narrows_postgres::live::MonitorError;
use narrows_postgres::observe::{Around, Monitor, Rights, least};

use crate::exit::Answers;
use crate::failure::{self, Failure};
use crate::program::Program;
use crate::request::machine::ObserveRequest;
use crate::request::{Address, RunOptions};
use crate::resolved::PlannedSession;
use crate::resolved::Resolved;
use crate::session::{Ended, Interrupted, Session};
use crate::ui::Ui;
use crate::{guard, layers};

use capacities::StoredCapacities;
use drives::OfServer;
use room::ServerFolders;
use waiting::Waiting;

/// A look at a server that others load.
pub struct Observe {
    request: ObserveRequest,
    resolved: Resolved,
    /// The server; of a dry run from [`Program::admit`] on.
    look: Option<Monitor>,
    taken: StoredCapacities,
}

/// The server, once it is known that it can be looked at.
fn reach(request: &ObserveRequest) -> Result<Monitor> {
    let error = match Monitor::open(&request.address) {
        Ok(look) => return Ok(look),
        Err(error) => error,
    };
    if let (MonitorError::Wire(WireError::NoSocket { folder, port }), Some(word)) =
        (&error, &request.word)
    {
        return Err(Failure::hinted(
            format!("no PostgreSQL listens at {} (no socket .s.PGSQL.{port})", folder.display()),
            format!(
                "is {word} a host? narrows observe host={word}; a database of that name here needs a server that runs here"
            ),
        ));
    }
    let silent = matches!(error, MonitorError::Wire(WireError::Late(_)));
    let stuck = if silent && request.address.is_local() { stuck::in_the_kernel() } else { None };
    let error = failure::about(&request.address.masked(), CANNOT, error);
    Err(match stuck {
        Some(stuck) => error.context(stuck),
        None => error,
    })
}

/// Behind an address.
const CANNOT: &str = "cannot be observed";

/// What is well of a server that is only looked at.
pub(crate) fn server_checks(version: &str, rights: Rights) -> Vec<String> {
    let mut checks = vec![format!("PostgreSQL {version} answers")];
    if let Rights::AllSessions { user } = rights {
        checks.push(format!("user {user} sees what all sessions do (pg_monitor)"));
    }
    checks
}

/// What limits the look of a user, where something does.
pub(crate) fn limited(rights: Rights) -> Option<String> {
    match rights {
        Rights::AllSessions { .. } => None,
        Rights::Counters { user, grant } => {
            Some(format!("note: user {user} sees counters only; {grant} shows what sessions do"))
        }
    }
}

impl Program for Observe {
    type Request = ObserveRequest;

    fn options(request: &ObserveRequest) -> &RunOptions {
        &request.options
    }

    fn address(request: &ObserveRequest) -> Option<&Address> {
        Some(&request.address)
    }

    fn plan(request: &ObserveRequest, ui: &dyn Ui) -> Result<Observe> {
        // Before a run is kept: what can't be reached leaves nothing. A dry run has a plan also where nobody answers.
        let look = if request.options.dry_run { None } else { Some(reach(request)?) };
        Observe::of(request, look, ui)
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.resolved.plan, &self.resolved.platform)
    }

    fn describe(&self) -> String {
        planned::describe(&self.resolved, self.request.below.is_some(), self.look.as_ref())
    }

    fn folders(&self) -> Vec<PathBuf> {
        if self.request.below.is_some() { self.resolved.folders() } else { Vec::new() }
    }

    /// A look loads nothing; where drives are measured before it, the user has taken responsibility.
    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        if self.look.is_none() {
            let look = reach(&self.request)?;
            if let Some(note) = limited(look.rights()) {
                ui.say(&note);
            }
            *self = Observe::of(&self.request, Some(look), ui)?;
        }
        match self.request.below {
            Some(_) => guard::storage(&self.resolved.platform, &self.folders(), load_here, ui),
            None => Ok(()),
        }
    }

    fn server_checks(&self) -> Vec<String> {
        let look = self.look.as_ref();
        look.map_or(Vec::new(), |look| server_checks(look.version(), look.rights()))
    }

    fn guards(&self) -> bool {
        self.request.below.is_some()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let look = self.look.take().context("a plan that is only shown is not run")?;
        let address = self.request.address.masked();
        self.look_at(look, session).map_err(|error| failure::about(&address, CANNOT, error))
    }

    fn answers(&self) -> Answers {
        Answers::Layers
    }
}

impl Observe {
    /// With the server, where it was reached.
    fn of(request: &ObserveRequest, look: Option<Monitor>, ui: &dyn Ui) -> Result<Observe> {
        let mut resolved = planned::resolve(request, look.as_ref(), ui)?;
        let taken = match (&request.capacities, &look) {
            (Some(name), Some(look)) => capacities::take(name, look, &resolved.platform)?,
            _ => StoredCapacities::default(),
        };
        if let Some(postmaster) = look.as_ref().and_then(Monitor::postmaster) {
            // What limits the server limits what it does; our own groups are no concern of its.
            resolved.platform.cgroup = narrows_platform::cgroup_of(&Live, &postmaster.to_string());
        }
        Ok(Observe { request: request.clone(), resolved, look, taken })
    }

    /// The layers below first, where that is allowed; then the look.
    fn look_at(&mut self, look: Monitor, session: &mut Session<'_>) -> Result<Ended> {
        if look.postmaster().is_none() {
            for host in &mut session.run.hosts {
                host.role = HostRole::Client;
            }
        }
        let StoredCapacities { measurements, mut from } = std::mem::take(&mut self.taken);
        session.add(measurements);
        let mut session = PlannedSession::new(&self.resolved, session);
        let below = self.request.below.is_some();
        if below {
            if layers::execute(&mut session) == Err(Interrupted) || session.stop.is_set() {
                return Ok(Ended::Interrupted);
            }
            from.push(drives::measured(&session.resolved.plan, &session.resolved.platform));
        }
        let stop = session.stop;
        let machine = ServerMachine::of(&look);
        let around = machine.around(session.resolved.platform.cgroup.cpu_quota_cpus);
        let seed = session.resolved.plan.seed;
        let length = self.request.length;
        let ui = session.ui;
        ui.begin_part(Workload::Observed, least(length).as_secs_f64());
        let folders = ServerFolders::of([look.data_dir(), look.wal_dir()]);
        let mut waiting = Waiting::new(ui, &machine, folders.clone(), &session.run);
        let look = if self.request.explains { look } else { look.without_plans() };
        let look = if self.request.literals { look.with_literals() } else { look };
        let mut seen = look.observe(length, seed, around, &mut waiting, stop, ui)?;
        folders.tell(&mut seen.observation);
        let groups = waiting.groups;
        if let Some(groups) = groups.filter(|_| seen.observation.load_change.is_some()) {
            let was = session.run.platform().map(|platform| platform.cgroup.clone());
            // Drives that were measured before were measured under the I/O limits of that time.
            session.run.set_groups(match was.filter(|_| below) {
                Some(was) => Cgroup { cpu_quota_cpus: groups.cpu_quota_cpus, ..was },
                None => groups,
            });
        }
        seen.observation.capacities_from = from;
        if !session.resolved.platform.cgroup.hidden.is_empty() {
            seen.measurement.conditions.insert(condition::SERVER_LIMITS, "hidden");
        }
        let commit_bytes = commit_bytes(&seen.observation);
        session.run.observations.push(seen.observation);
        session.add([seen.measurement]);
        let whole = seen.cut_short.is_none() && !stop.is_set();
        if let Some(error) = &seen.cut_short {
            session.ui.say(&format!("observing ended early, what was seen is saved: {error}"));
        }
        if below && whole {
            // Now that it is known how much log a commit writes there.
            if let Err(error) = layers::commit_ladder(&mut session, commit_bytes) {
                let _ = session.absent("log.commit", error);
            }
        }
        session.cut_short = seen.cut_short.is_some() && !stop.is_set();
        Ok(if whole && !stop.is_set() { Ended::Whole } else { Ended::Interrupted })
    }
}

/// Log bytes of a transaction that writes, at least those of a small row's update.
pub(crate) fn commit_bytes(seen: &Observation) -> u64 {
    /// What a log writer that writes long before a commit hands over at once, bytes.
    const MOST: f64 = 1_048_576.0;
    if seen.report.is_some() {
        // A load that changes much in a transaction has most of its log written before the commit: what counts is a write's size.
        let writes = seen.counted.log_bytes.zip(seen.counted.flushes).filter(|(_, n)| *n > 0.0);
        let each = writes.map_or(0.0, |(bytes, writes)| bytes / writes);
        return each.clamp(layers::COMMIT_BYTES as f64, MOST) as u64;
    }
    let each =
        seen.counted.log_bytes.zip(seen.counted.writers).filter(|(_, writers)| *writers > 0.0);
    each.map_or(0.0, |(bytes, writers)| bytes / writers).max(layers::COMMIT_BYTES as f64) as u64
}

/// The machine around the server, where that is this one.
struct ServerMachine {
    /// The server's main process.
    process: Option<u32>,
    drives: Option<OfServer>,
}

impl ServerMachine {
    fn of(look: &Monitor) -> ServerMachine {
        let process = look.postmaster();
        ServerMachine { process, drives: process.map(|_| drives::of_server(look)) }
    }

    /// The control groups that limit the server, as they are now.
    fn groups(&self) -> Option<Cgroup> {
        Some(narrows_platform::cgroup_of(&Live, &self.process?.to_string()))
    }

    fn around(&self, quota_cpus: Option<f64>) -> Around {
        let Some((process, of)) = self.process.zip(self.drives.as_ref()) else {
            return Around::default();
        };
        let watch = Watch::in_groups_of(&process.to_string(), &of.platform, &of.names());
        Around { watch, quota_cpus }
    }
}
