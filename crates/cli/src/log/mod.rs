//! `narrows log`: the commit log alone, from the device's flush to the database's commit.
//!
//! Each command has a file of its own. What they share: the folders and the machine under them ([`ground`]), and the run in
//! progress ([`crate::session`]). Layers never call each other, so what combines log, data files and a database is put
//! together here.

mod commits;
mod compare;
mod database;
pub mod flush_test;
mod ground;
mod ladder;
mod placed;
mod places;
mod postgres;
mod segments;
mod standby;
mod streams;

use anyhow::Result;

use crate::args::log::{LogArgs, LogCommand};
use crate::exit::Exit;

/// Runs the command.
pub fn log(args: &LogArgs) -> Result<Exit> {
    match &args.command {
        None => ladder::whole(&args.whole),
        Some(LogCommand::Ladder(args)) => ladder::ladder(args),
        Some(LogCommand::Commits(args)) => commits::commits(args),
        Some(LogCommand::Compare(args)) => compare::compare(args),
        Some(LogCommand::Crashtest(args)) => crate::crashtest::crashtest(args),
        Some(LogCommand::Postgres(args)) => postgres::postgres(args),
        Some(LogCommand::Streams(args)) => streams::streams(args),
    }
}
