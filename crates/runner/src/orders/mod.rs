//! The order-entry mix, from the load to the checks.

mod measure;
mod plan;
pub mod tidy;

use std::path::PathBuf;

use anyhow::Result;
use narrows_layer_database::{Database, Provisioner};
use narrows_model::{Plan, Platform};

use crate::database;
use crate::database::server::{self, Tables};
use crate::exit::Answers;
use crate::machine::ended;
use crate::preflight::{MissingPart, SpaceNeed};
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::database::OrdersRequest;
use crate::resolve;
use crate::resolved::PlannedSession;
use crate::resolved::Resolved;
use crate::session::{EndReport, Ended, Session};
use crate::ui::Ui;
use crate::workload::what_is_absent;
use crate::{guard, layers};

/// The mix, loaded, run and checked.
pub struct Orders {
    request: OrdersRequest,
    resolved: Resolved,
}

impl Program for Orders {
    type Request = OrdersRequest;

    fn options(request: &OrdersRequest) -> &RunOptions {
        &request.load.options
    }

    fn plan(request: &OrdersRequest, ui: &dyn Ui) -> Result<Orders> {
        Ok(Orders { resolved: plan::resolve(request, ui)?, request: request.clone() })
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
        resolve::ask(&mut self.resolved)?;
        Ok(())
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
        layers::missing(&self.resolved, Some("orders"))
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        let mut session = PlannedSession::new(&self.resolved, session);
        if self.request.load_only {
            // That it failed is how the command ends.
            session.told = EndReport::Nothing;
            return on_server(&mut session, &self.request).map(|()| Ended::Whole);
        }
        let outcome = layers::execute(&mut session).and_then(|()| {
            let outcome = on_server(&mut session, &self.request);
            outcome.or_else(|error| {
                let what = what_is_absent(&session, "orders");
                session.absent(&what, error)
            })
        });
        Ok(ended(outcome))
    }

    fn answers(&self) -> Answers {
        if self.request.load_only { Answers::Nothing } else { Answers::Layers }
    }
}

fn on_server(session: &mut PlannedSession<'_, '_>, request: &OrdersRequest) -> Result<()> {
    // The mix has planned rollbacks.
    let tables = Tables { planned_errors: true, ..Tables::usual(session.resolved) };
    let mut body =
        |session: &mut PlannedSession<'_, '_>,
         database: &mut Database,
         ours: Option<&mut dyn Provisioner>| measure::all(session, database, ours, request);
    server::on(session, &tables, &mut body)
}
