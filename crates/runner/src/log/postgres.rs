//! What a commit costs on a server that others load, by looking at it.
//!
//! Nothing is loaded and nothing is written there, so that no guard has to be asked: the run file is all that is made.

use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::Samples;
use narrows_facts::Live;
use narrows_model::{
    DatabaseChoice, HostRole, Layer, MetricValue, Plan, PlannedStep, Platform, metric,
};
use narrows_observe::{HostWindow, Watch};
use narrows_postgres::live::Monitor;
use narrows_postgres::observe::Around;

use crate::failure;
use crate::observe::{self, drives};
use crate::prepared::Prepared;
use crate::program::Program;
use crate::request::log::LiveLogRequest;
use crate::request::{Address, RunOptions};
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// A look at the log of a server.
pub struct LiveLog {
    request: LiveLogRequest,
    prepared: Prepared,
    /// The server; of a dry run from [`Program::admit`] on.
    look: Option<Monitor>,
}

/// Behind an address.
const CANNOT: &str = "cannot be observed";

/// The server, once it is known that it can be looked at.
fn reach(address: &Address) -> Result<Monitor> {
    Monitor::open(address).map_err(|error| failure::about(&address.masked(), CANNOT, error))
}

impl Program for LiveLog {
    type Request = LiveLogRequest;

    fn options(request: &LiveLogRequest) -> &RunOptions {
        &request.options
    }

    fn address(request: &LiveLogRequest) -> Option<&Address> {
        Some(&request.address)
    }

    fn plan(request: &LiveLogRequest, _: &dyn Ui) -> Result<LiveLog> {
        let mut prepared = prepared(request);
        // Before a run is kept: what can't be reached leaves nothing. A dry run says its plan first.
        let look = match request.options.dry_run {
            true => None,
            false => Some(reach(&request.address)?),
        };
        if let Some(look) = &look {
            prepared.platform.roles = drives::under_folders(look.folders()).platform.roles;
        }
        Ok(LiveLog { request: request.clone(), prepared, look })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn admit(&mut self, _: bool, ui: &dyn Ui) -> Result<()> {
        if self.look.is_none() {
            let look = reach(&self.request.address)?;
            if let Some(note) = observe::limited(look.rights()) {
                ui.say(&note);
            }
            self.look = Some(look);
        }
        Ok(())
    }

    fn server_checks(&self) -> Vec<String> {
        let look = self.look.as_ref();
        look.map_or(Vec::new(), |look| observe::server_checks(look.version(), look.rights()))
    }

    fn guards(&self) -> bool {
        false
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let LiveLogRequest { address, length, tests, .. } = &self.request;
        session.run.flush_tests.clone_from(tests);
        if !address.is_local() {
            for host in &mut session.run.hosts {
                host.role = HostRole::Client;
            }
        }
        let look = self.look.take().context("a plan that is only shown is not run")?;
        let length = Duration::from_nanos(length.0);
        let ended = observed(session, look, length)
            .map_err(|error| failure::about(&address.masked(), CANNOT, error))?;
        session.cut_short = ended == Ended::Interrupted && !session.stop.is_set();
        Ok(ended)
    }
}

fn observed(session: &mut Session<'_>, look: Monitor, length: Duration) -> Result<Ended> {
    let seed = session.run.plan.seed;
    let drives = watched(&look);
    let before = drives.as_ref().map(Watch::snapshot);
    let around = around(&look);
    let mut seen = look.observe(length, seed, around, session.stop, session.ui)?;
    if let Some((drives, before)) = drives.zip(before) {
        seen.measurement.metrics.extend(of_drives(&drives.since(&before)));
    }
    session.run.live_logs.push(seen.log);
    session.add([seen.measurement]);
    if let Some(error) = &seen.cut_short {
        session.ui.say(&format!("observing ended early, what was seen is saved: {error}"));
    }
    let whole = seen.cut_short.is_none() && !session.stop.is_set();
    Ok(if whole { Ended::Whole } else { Ended::Interrupted })
}

/// The drives under the server's files and the I/O limits of its control groups, where it runs here and they are known.
fn watched(look: &Monitor) -> Option<Watch> {
    let process = look.postmaster()?.to_string();
    let of = drives::under_folders(look.folders());
    let names = of.names();
    (!names.is_empty()).then(|| Watch::in_groups_of(&process, &of.platform, &names))
}

/// The machine around the server, where that is this one: its CPUs and what its control groups grant.
fn around(look: &Monitor) -> Around {
    let Some(process) = look.postmaster().map(|process| process.to_string()) else {
        return Around::default();
    };
    let platform =
        Platform { cgroup: narrows_platform::cgroup_of(&Live, &process), ..Platform::default() };
    Around {
        watch: Watch::in_groups_of(&process, &platform, &[]),
        quota_cpus: platform.cgroup.cpu_quota_cpus,
    }
}

/// What drives and limits say of the whole look. CPUs of others are not of it: the server is one of them.
fn of_drives(seen: &HostWindow) -> Vec<MetricValue> {
    let mut samples = Samples::new();
    let theirs = [
        metric::DEVICE_WRITE_BYTES,
        metric::DEVICE_WRITES,
        metric::DEVICE_FLUSHES,
        metric::IO_LIMIT_CHANGED,
        metric::IO_LIMIT_SHARE,
    ];
    for (metric, value) in seen.metrics() {
        if theirs.contains(&metric) {
            samples.add(metric, value);
        }
    }
    samples.into_metrics()
}

fn prepared(request: &LiveLogRequest) -> Prepared {
    let mut platform = narrows_platform::discover(&Live, &[]);
    // Nothing rests on this machine, so that nobody misses what isn't known of it.
    platform.unknown.clear();
    let plan = Plan {
        layers: vec![Layer::Log],
        database: DatabaseChoice::Url(request.address.to_string()),
        repeats: 1,
        seed: request.options.seed(),
        steps: vec![PlannedStep {
            layer: Layer::Log,
            what:
                "read its counters and sample what its sessions wait for, about 20 times per second"
                    .to_string(),
            expected_s: request.length.0 as f64 / 1e9,
            writes_bytes: 0,
        }],
        ..Plan::default()
    };
    Prepared { title: format!("WAL of {}", request.address), plan, platform }
}
