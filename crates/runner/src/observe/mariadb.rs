//! `narrows observe mariadb://…`: who takes what on somebody's MariaDB, and why.
//!
//! Nothing is loaded and nothing is written but the run file.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_mariadb::MariaError;
use narrows_mariadb::observe::{LONGEST, Monitor, SocketAddress};
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Run, Workload};
use narrows_units::shown;

use super::waiting::{Answer, Answers as SoFar};
use crate::exit::Answers;
use crate::failure::{self, Failure};
use crate::no_run::user_name;
use crate::prepared;
use crate::program::Program;
use crate::request::RunOptions;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// A look at a MariaDB.
#[derive(Debug, Clone)]
pub struct ObserveMariaDbRequest {
    /// The server.
    pub address: SocketAddress,
    /// How long to look, a minute at most.
    pub length: Duration,
    /// How and where to.
    pub options: RunOptions,
}

/// Whether a text is meant as the address of a MariaDB or a MySQL.
pub fn is_meant(text: &str) -> bool {
    SocketAddress::is_meant(text)
}

/// The address in a text; without a user it is that of the system user.
///
/// # Errors
/// It is none, or one that can't be reached from here.
pub fn address(text: &str) -> Result<SocketAddress> {
    Ok(SocketAddress::parse(text, &user_name(narrows_files::euid()))?)
}

/// A look at a MariaDB that others load.
pub struct ObserveMariaDb {
    request: ObserveMariaDbRequest,
    plan: Plan,
    platform: Platform,
    look: Option<Monitor>,
}

/// The server, once it is known that it can be looked at.
fn reach(address: &SocketAddress) -> Result<Monitor> {
    let stop = Stop::new();
    Monitor::open(address, &stop).map_err(|error| {
        let subject = address.to_string();
        let hint = match &error {
            MariaError::NoSocket { .. } => Some("name its socket: mariadb://USER@/?socket=PATH (SELECT @@socket)".to_string()),
            MariaError::Refused { code: 1045 | 1698, .. } => Some(format!(
                "CREATE USER {0}@localhost IDENTIFIED VIA unix_socket; GRANT PROCESS ON *.* TO {0}@localhost",
                shown(&address.user)
            )),
            _ => None,
        };
        match hint {
            Some(hint) => Failure::hinted(format!("{subject} cannot be observed: {error}"), hint),
            None => failure::about(&subject, "cannot be observed", error),
        }
    })
}

impl Program for ObserveMariaDb {
    type Request = ObserveMariaDbRequest;

    fn options(request: &ObserveMariaDbRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &ObserveMariaDbRequest, _ui: &dyn Ui) -> Result<ObserveMariaDb> {
        let look = if request.options.dry_run { None } else { Some(reach(&request.address)?) };
        let seconds = request.length.min(LONGEST).as_secs_f64();
        let step = PlannedStep {
            layer: Layer::Database,
            what: format!(
                "{}: the server's counters, and samples of what its sessions do, about 5 per second; {}",
                Workload::Observed.name(),
                prepared::minutes(seconds)
            ),
            expected_s: seconds,
            writes_bytes: 0,
        };
        let mut platform = narrows_platform::discover(&narrows_facts::Live, &[]);
        // Nothing rests on this machine, so that nobody misses what isn't known of it.
        platform.unknown.clear();
        let plan = Plan {
            quick: false,
            layers: vec![Layer::Database],
            data_dir: String::new(),
            wal_dir: String::new(),
            database: DatabaseChoice::Url(request.address.to_string()),
            workloads: Vec::new(),
            sessions: 0,
            repeats: 1,
            seed: request.options.seed(),
            file_bytes: 0,
            table_bytes: 0,
            shared_buffers_bytes: 0,
            server_cpus: Vec::new(),
            client_cpus: Vec::new(),
            steps: vec![step],
        };
        Ok(ObserveMariaDb { request: request.clone(), plan, platform, look })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.plan, &self.platform)
    }

    fn describe(&self) -> String {
        let plan = &self.plan;
        let mut text = format!("plan     observe {}, seed {}\n", self.request.address, plan.seed);
        if let Some(look) = &self.look {
            text += &format!("server   {}\n", shown(look.version()));
        }
        for step in &plan.steps {
            text += &format!("{:8} {}\n", step.layer.word(), shown(&step.what));
        }
        text + &prepared::total(plan, "loads nothing, writes the run file only")
    }

    fn admit(&mut self, _load_here: bool, _ui: &dyn Ui) -> Result<()> {
        if self.look.is_none() {
            self.look = Some(reach(&self.request.address)?);
        }
        Ok(())
    }

    fn server_checks(&self) -> Vec<String> {
        let Some(look) = &self.look else { return Vec::new() };
        let lacks = look
            .unknown()
            .into_iter()
            .map(|unknown| format!("not visible: {}; {}", unknown.what, unknown.needs));
        std::iter::once(format!("{} answers", look.version())).chain(lacks).collect()
    }

    fn guards(&self) -> bool {
        false
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        use anyhow::Context as _;
        let look = self.look.take().context("a plan that is only shown is not run")?;
        let (ui, stop, seed) = (session.ui, session.stop, self.plan.seed);
        let length = self.request.length;
        ui.begin_part(Workload::Observed, length.min(LONGEST).as_secs_f64());
        let before = session.run.clone();
        let mut answers = SoFar::default();
        let told = &mut |seen: narrows_mariadb::observe::ObservedMariaDb| {
            let unjudged = with(&before, seen.observation, seen.measurement);
            let mut run = unjudged.clone();
            narrows_judge::judge(&mut run);
            let (new, ends) = answers.take(Answer::of(&run));
            if new {
                ui.so_far(&unjudged);
            }
            ends
        };
        let address = self.request.address.to_string();
        let seen = look
            .observe(length, seed, stop, ui, told)
            .map_err(|error| failure::about(&address, "cannot be observed", error))?;
        session.run.observations.push(seen.observation);
        session.add([seen.measurement]);
        if let Some(error) = &seen.cut_short {
            session.ui.say(&format!("observing ended early, what was seen is saved: {error}"));
        }
        session.cut_short = seen.cut_short.is_some() && !stop.is_set();
        let whole = seen.cut_short.is_none() && !stop.is_set();
        Ok(if whole { Ended::Whole } else { Ended::Interrupted })
    }

    fn answers(&self) -> Answers {
        Answers::Layers
    }
}

fn with(
    before: &Run,
    observation: narrows_model::Observation,
    measurement: narrows_model::Measurement,
) -> Run {
    let mut run = before.clone();
    run.observations.push(observation);
    run.measurements.push(measurement);
    run
}
