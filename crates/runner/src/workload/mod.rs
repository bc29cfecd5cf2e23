//! One's own load on a database, one workload at a time.
//!
//! What a workload does is said in the database layer; here it is planned, run on a server of our own or on somebody's, and
//! judged as `narrows run` judges its own.

pub mod clean;
mod measure;
mod plan;
mod words;
mod working_set;

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use narrows_layer_database::{Database, Provisioner};
use narrows_model::{Plan, Platform};

use crate::database;
use crate::exit::Answers;
use crate::machine::ended;
use crate::preflight::{MissingPart, SpaceNeed};
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::database::WorkloadRequest;
use crate::resolve;
use crate::resolved::PlannedSession;
use crate::resolved::Resolved;
use crate::session::{Ended, Interrupted, Session};
use crate::ui::Ui;
use crate::{guard, layers};

/// One workload, with the layers below whose ceilings its verdict needs.
pub struct Load {
    request: WorkloadRequest,
    resolved: Resolved,
}

impl Program for Load {
    type Request = WorkloadRequest;

    fn options(request: &WorkloadRequest) -> &RunOptions {
        &request.load.options
    }

    fn plan(request: &WorkloadRequest, ui: &dyn Ui) -> Result<Load> {
        Ok(Load { resolved: plan::resolve(request, ui)?, request: request.clone() })
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
        guard::server(&self.resolved, load_here, ui)?;
        let admitted = resolve::ask(&mut self.resolved)?;
        admitted.map_or(Ok(()), |admitted| {
            plan::fits_pool(&self.request, &self.resolved, admitted.pool_bytes)
                .context("the server cannot be measured this way")
        })
    }

    fn space(&self) -> Vec<SpaceNeed> {
        layers::space(&self.resolved, true)
    }

    fn server_checks(&self) -> Vec<String> {
        database::server_checks(&self.resolved)
    }

    fn guards(&self) -> bool {
        self.resolved.address.is_none()
    }

    fn missing(&self) -> Vec<MissingPart> {
        layers::missing(&self.resolved, Some(self.request.task.word()))
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let mut session = PlannedSession::new(&self.resolved, session);
        let outcome = layers::execute(&mut session);
        Ok(ended(outcome.and_then(|()| load(&mut session, &self.request))))
    }

    fn answers(&self) -> Answers {
        Answers::Layers
    }
}

/// The load itself; a workload that can't be had is absent from the run.
fn load(
    session: &mut PlannedSession<'_, '_>,
    request: &WorkloadRequest,
) -> Result<(), Interrupted> {
    let tables = working_set::tables(request, session.resolved);
    let mut body = |session: &mut PlannedSession<'_, '_>,
                    database: &mut Database,
                    ours: Option<&mut dyn Provisioner>| {
        measure::measure(session, database, request)?;
        match ours {
            Some(server) => {
                let outcome = measure::on_further_starts(session, database, server, request);
                // What the first start gave stands.
                database::keep_going(session, "further starts", outcome)
            }
            None => Ok(()),
        }
    };
    let outcome = match session.resolved.mariadb {
        true => database::mariadb::on(session, &tables, &mut body),
        false => database::server::on(session, &tables, &mut body),
    };
    match outcome {
        Ok(()) => Ok(()),
        Err(error) => {
            let what = what_is_absent(session, request.task.word());
            session.absent(&what, error)
        }
    }
}

/// How to name what a workload lacks: all of it, or the rest where figures of it are there.
pub fn what_is_absent(session: &PlannedSession<'_, '_>, word: &str) -> String {
    let id = format!("database.{word}");
    let there = session.run.measurements.iter().any(|measured| measured.id.starts_with(&id));
    if there { format!("the rest of {word}") } else { word.to_string() }
}
