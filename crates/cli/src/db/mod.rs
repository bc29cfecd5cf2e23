//! `narrows db`: one's own load on PostgreSQL, one workload at a time.
//!
//! What a workload does is said in the database layer; here it is planned, run on a server of our own or on somebody's, and
//! judged as `narrows run` judges its own.

mod asked;
mod clean;
mod measure;
mod orders;
mod plan;
mod words;

use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_layer_database::{Database, Provisioner};

use crate::args::db::{DbArgs, DbCommand};
use crate::exit::Exit;
use crate::progress::Display;
use crate::run::{Interrupted, Session};
use crate::stream;
use crate::{database, host, interrupt, layers, output, store};

use asked::Asked;

/// Runs the command.
///
/// # Errors
/// Wrong arguments, a machine or server that may not be loaded, or a run file that can't be written.
pub fn db(args: &DbArgs) -> Result<Exit> {
    run(&match &args.command {
        DbCommand::Orders(args) => return orders::run(args),
        DbCommand::Clean(args) => return clean::run(args),
        DbCommand::Lookup(args) => Asked::lookup(args),
        DbCommand::Batch(args) => Asked::batch(args),
        DbCommand::Update(args) => Asked::update(args),
        DbCommand::Commit(args) => Asked::commit(args),
        DbCommand::Scan(args) => Asked::scan(args),
    })
}

fn run(asked: &Asked<'_>) -> Result<Exit> {
    let mut resolved = plan::resolve(asked)?;
    let options = &asked.load.output;
    if options.dry_run {
        output::print(&crate::plan::describe(&resolved))?;
        return Ok(Exit::Done);
    }
    host::guard(&resolved, options.load_here)?;
    if let Some(admitted) = database::theirs::ask(&mut resolved)? {
        plan::fits_pool(asked, &resolved, admitted.pool_bytes)
            .context("the server cannot be measured as asked")?;
    }
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
    let outcome = layers::execute(&mut session).and_then(|()| load(&mut session, asked));
    let completed = outcome != Err(Interrupted) && !session.stop.is_set();
    session.end(completed, options)
}

/// The load itself; a workload that can't be had is absent from the run.
fn load(session: &mut Session<'_>, asked: &Asked<'_>) -> Result<(), Interrupted> {
    let tables = plan::tables(asked, session.resolved);
    let mut body =
        |session: &mut Session<'_>, database: &mut Database, ours: Option<&mut dyn Provisioner>| {
            measure::measure(session, database, asked)?;
            match ours {
                Some(server) => {
                    let outcome = measure::on_further_starts(session, database, server, asked);
                    // What the first start gave stands.
                    database::keep_going(session, "further starts", outcome)
                }
                None => Ok(()),
            }
        };
    match database::server::on(session, &tables, &mut body) {
        Ok(()) => Ok(()),
        Err(error) => session.absent(&what_is_absent(session, asked.task.word()), error),
    }
}

/// How to name what a workload lacks: all of it, or the rest where figures of it are there.
fn what_is_absent(session: &Session<'_>, word: &str) -> String {
    let id = format!("database.{word}");
    let there = session.run.measurements.iter().any(|measured| measured.id.starts_with(&id));
    if there { format!("the rest of {word}") } else { word.to_string() }
}
