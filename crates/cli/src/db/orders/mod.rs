//! `narrows db orders`: the order-entry mix, from the load to the checks.

mod measure;
mod plan;

use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_layer_database::server::Cluster;
use narrows_layer_database::{Address, Connection, Database, orders};

use crate::args::db::orders::OrdersArgs;
use crate::database::{self, server::Tables};
use crate::exit::Exit;
use crate::progress::Display;
use crate::run::{Interrupted, Session};
use crate::{host, interrupt, layers, output, store};

/// Runs the command.
///
/// # Errors
/// Wrong arguments, a machine or server that may not be loaded, or a run file that can't be written.
pub fn run(args: &OrdersArgs) -> Result<Exit> {
    let resolved = plan::resolve(args)?;
    if let Some(address) = resolved.address.as_ref().filter(|_| args.drop) {
        return remove(address);
    }
    let options = &args.load.output;
    if options.dry_run {
        output::print(&crate::plan::describe(&resolved))?;
        return Ok(Exit::Done);
    }
    host::guard(&resolved, options.load_here)?;
    if let Some(address) = &resolved.address {
        narrows_layer_database::admit(address)
            .with_context(|| format!("{address} cannot be measured"))?;
    }
    let folder = match &options.output {
        Some(folder) => folder.clone(),
        None => store::folder()?,
    };
    store::prepare(&folder)?;
    let stop = Stop::new();
    interrupt::install(&stop)?;
    eprint!("{}", crate::plan::describe(&resolved));
    let display = Display::new(Duration::from_secs_f64(resolved.plan.expected_s()));
    let mut session = Session::begin(&resolved, &stop, &display, folder)?;
    session.sweep();
    let outcome = match args.load_only {
        true => Ok(()),
        false => layers::execute(&mut session),
    };
    let outcome = outcome.and_then(|()| on_server(&mut session, args));
    let completed = outcome != Err(Interrupted) && !session.stop.is_set();
    if args.load_only {
        session.close(completed)?;
        return Ok(if completed { Exit::Done } else { Exit::Interrupted });
    }
    session.end(completed, options)
}

fn on_server(session: &mut Session<'_>, args: &OrdersArgs) -> Result<(), Interrupted> {
    let tables = Tables::usual(session.resolved);
    let mut body = |session: &mut Session<'_>, database: &mut Database| {
        let outcome = measure::all(session, database, args);
        measure::tidy(session, database, args, outcome)
    };
    let mut after =
        |session: &mut Session<'_>, cluster: &mut Cluster, address: &Address| match args.crash {
            true => measure::crash(session, cluster, address, args),
            false => Ok(()),
        };
    match database::server::on_then(session, &tables, &mut body, &mut after) {
        Ok(()) => Ok(()),
        Err(error) => session.absent("orders", error),
    }
}

fn remove(address: &Address) -> Result<Exit> {
    let mut control = Connection::open(address, &[("application_name", "narrows control")])?;
    match orders::remove(&mut control)? {
        true => eprintln!("removed the schema {} of {address}", orders::SCHEMA),
        false => eprintln!("{address} has no schema {}", orders::SCHEMA),
    }
    Ok(Exit::Done)
}
