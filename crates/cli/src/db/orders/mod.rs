//! `narrows db orders`: the order-entry mix, from the load to the checks.

mod measure;
mod plan;
mod tidy;

use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_layer_database::{Database, Provisioner};

use crate::args::db::orders::OrdersArgs;
use crate::database::{self, server::Tables};
use crate::exit::{Exit, Outcome};
use crate::progress::Display;
use crate::run::{Interrupted, Session};
use crate::stream;
use crate::{host, interrupt, layers, output, store};

/// Runs the command.
///
/// # Errors
/// Wrong arguments, a machine or server that may not be loaded, or a run file that can't be written.
pub fn run(args: &OrdersArgs) -> Result<Exit> {
    let mut resolved = plan::resolve(args)?;
    if let Some(address) = resolved.address.as_ref().filter(|_| args.drop) {
        return tidy::drop(address, args.load.output.dry_run);
    }
    let options = &args.load.output;
    if options.dry_run {
        output::print(&crate::plan::describe(&resolved))?;
        return Ok(Exit::Done);
    }
    host::guard(&resolved, options.load_here)?;
    database::theirs::ask(&mut resolved)?;
    let folder = match &options.output {
        Some(folder) => folder.clone(),
        None => store::folder()?,
    };
    store::prepare(&folder)?;
    let stop = Stop::new();
    interrupt::install(&stop, stream::line)?;
    stream::put(&crate::plan::describe(&resolved));
    let display = Display::new(Duration::from_secs_f64(resolved.plan.expected_s()));
    let mut session = Session::begin(&resolved, &stop, &display, folder)?;
    session.sweep();
    if args.load_only {
        return load_only(session, args);
    }
    let outcome = layers::execute(&mut session).and_then(|()| {
        let outcome = on_server(&mut session, args);
        outcome.or_else(|error| session.absent(&super::what_is_absent(&session, "orders"), error))
    });
    let completed = outcome != Err(Interrupted) && !session.stop.is_set();
    session.end(completed, options)
}

/// A load without a run: that it failed is how the command ends.
fn load_only(mut session: Session<'_>, args: &OrdersArgs) -> Result<Exit> {
    let outcome = on_server(&mut session, args);
    let interrupted = session.stop.is_set();
    session.close(outcome.is_ok() && !interrupted)?;
    if interrupted {
        return Ok(Outcome::answered(false).stopped_if(true).exit());
    }
    outcome.map(|()| Exit::Done)
}

fn on_server(session: &mut Session<'_>, args: &OrdersArgs) -> Result<()> {
    let tables = Tables::usual(session.resolved);
    let mut body =
        |session: &mut Session<'_>, database: &mut Database, ours: Option<&mut dyn Provisioner>| {
            measure::all(session, database, ours, args)
        };
    database::server::on(session, &tables, &mut body)
}
