//! The `narrows` command: arguments, plan, progress, exit codes. What is measured and how it is judged lives in
//! the crates below; this one only puts them in order.

pub mod args;
mod block;
mod captures;
mod client;
mod crashtest;
mod database;
mod db;
mod gather;
mod host;
mod layers;
mod limits;
mod log;
mod memory;
mod observe;
mod output;
mod plan;
mod plan_demand;
mod plan_view;
mod platform_view;
mod progress;
mod report;
mod room;
mod run;
mod session;
mod stream;
mod what_if;

use clap::{CommandFactory, Parser};
use narrows_runner::{exit, failure, interrupt, kept, new_run, secrets, split, store};

pub use narrows_runner::exit::{Exit, ExitRow};

/// The command line, for man page and completions.
pub fn command() -> clap::Command {
    args::Cli::command()
}

/// Runs the command line of this process.
pub fn main() -> std::process::ExitCode {
    stream::filter_panics();
    let cli = match args::Cli::try_parse() {
        Ok(cli) => cli,
        Err(said) => return stream::parser(&said),
    };
    let outcome = match &cli.command {
        args::Command::Run(args) => run::run(args),
        args::Command::Block(args) => block::block(args),
        args::Command::Memory(args) => memory::memory(args),
        args::Command::Log(args) => log::log(args),
        args::Command::Db(args) => db::db(args),
        args::Command::Report(args) => report::report(args),
        args::Command::Platform(args) => platform_view::platform(args),
        args::Command::Gather(args) => gather::gather(args),
        args::Command::Limits(args) => limits::limits(args),
        args::Command::Plan(args) => plan_view::plan(args),
    };
    outcome.unwrap_or_else(|error| stream::error(&error)).into()
}
