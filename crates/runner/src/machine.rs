//! The machine as a database server, layer by layer: discover, plan, execute, judge.
//!
//! What goes wrong in one layer leaves the others standing: it becomes a finding that says what is absent and why.

use std::path::PathBuf;

use anyhow::Result;
use narrows_model::{Layer, Plan, Platform};

use crate::database;
use crate::exit::Answers;
use crate::import::ServerOwnReport;
use crate::observe;
use crate::preflight::{MissingPart, SpaceNeed};
use crate::program::Program;
use crate::request::database::DatabaseTarget;
use crate::request::machine::MachineRequest;
use crate::request::{Address, RunOptions};
use crate::resolve;
use crate::resolved::PlannedSession;
use crate::resolved::Resolved;
use crate::session::{Ended, Interrupted, Session};
use crate::ui::Ui;
use crate::{guard, layers};

/// All layers that were asked for.
pub struct Machine {
    resolved: Resolved,
    /// A server's own report, to be judged by what is measured here.
    report: Option<ServerOwnReport>,
}

impl Program for Machine {
    type Request = MachineRequest;

    fn options(request: &MachineRequest) -> &RunOptions {
        &request.options
    }

    fn address(request: &MachineRequest) -> Option<&Address> {
        match &request.database {
            DatabaseTarget::Url(address) => Some(address),
            _ => None,
        }
    }

    fn plan(request: &MachineRequest, ui: &dyn Ui) -> Result<Machine> {
        let resolved = resolve::resolve(request, ui)?;
        let name = resolved.platform.hostname.as_deref().filter(|_| !request.same_machine);
        let report =
            request.with.as_ref().map(|path| ServerOwnReport::read(path, name)).transpose()?;
        Ok(Machine { resolved, report })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.resolved.plan, &self.resolved.platform)
    }

    fn describe(&self) -> String {
        resolve::describe(&self.resolved)
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.resolved.folders()
    }

    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        // Reading a clock loads nothing.
        if self.resolved.plan.layers.iter().any(|layer| *layer != Layer::Clock) {
            guard::server(&self.resolved, load_here, ui)?;
        }
        if self.resolved.has(Layer::Database) {
            resolve::ask(&mut self.resolved)?;
        }
        Ok(())
    }

    fn space(&self) -> Vec<SpaceNeed> {
        layers::space(&self.resolved, self.resolved.has(Layer::Database))
    }

    fn server_checks(&self) -> Vec<String> {
        match self.resolved.has(Layer::Database) {
            true => database::server_checks(&self.resolved),
            false => Vec::new(),
        }
    }

    fn guards(&self) -> bool {
        let loads = self.resolved.plan.layers.iter().any(|layer| *layer != Layer::Clock);
        loads && self.resolved.address.is_none()
    }

    fn missing(&self) -> Vec<MissingPart> {
        layers::missing(&self.resolved, self.resolved.has(Layer::Database).then_some("database"))
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let mut session = PlannedSession::new(&self.resolved, session);
        database::announce_tests(&session);
        let outcome = layers::execute(&mut session).and_then(|()| database::execute(&mut session));
        if let Some(report) = self.report.take().filter(|_| outcome.is_ok()) {
            beside(&mut session, report);
        }
        Ok(ended(outcome))
    }

    fn answers(&self) -> Answers {
        Answers::Layers
    }
}

/// The report beside what was measured, and the log's ladder at the size of its commits.
fn beside(session: &mut PlannedSession<'_, '_>, report: ServerOwnReport) {
    let ServerOwnReport { mut observation, measurements, remarks } = report;
    remarks.iter().for_each(|remark| session.ui.say(&format!("note: {remark}")));
    observation.capacities_from = vec!["measured by this run".to_string()];
    let bytes = observe::commit_bytes(&observation);
    session.run.observations.push(observation);
    session.add(measurements);
    if let Err(error) = layers::commit_ladder(session, bytes) {
        let _ = session.absent("log.commit", error);
    }
}

/// How a run of layers ended; one that was stopped later is seen by whoever ends the session.
pub fn ended(outcome: Result<(), Interrupted>) -> Ended {
    match outcome {
        Ok(()) => Ended::Whole,
        Err(Interrupted) => Ended::Interrupted,
    }
}
