//! The `narrows` command: arguments, progress, printing. What is done on request lives in `narrows-runner`, how it is told in
//! `narrows-report`; this crate reads what was typed, hands it on, and shows what comes back.

#![forbid(unsafe_code)]

pub mod args;
mod commands;
mod defaults;
mod output;
mod progress;
mod stream;
mod terminal;
mod usage;

use clap::{CommandFactory, FromArgMatches};

pub use narrows_runner::exit::{Exit, ExitRow};

use args::Command;

/// The command line with its help, for man page and completions too.
pub fn command() -> clap::Command {
    args::help::dressed(args::Cli::command())
}

/// Runs the command line of this process.
pub fn main() -> std::process::ExitCode {
    stream::filter_panics();
    narrows_runner::spare_addresses();
    if std::env::args_os().len() == 1 {
        return commands::alone::alone().unwrap_or_else(|error| stream::error(&error)).into();
    }
    let words: Vec<String> =
        std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    if commands::help::is_asked(&words) {
        return commands::help::exit_codes().unwrap_or_else(|error| stream::error(&error)).into();
    }
    // Help is given whatever is wrong there.
    let configured = defaults::read();
    let parser = defaults::parser(command());
    let parsed = match commands::version::spelled_out(&words) {
        Some(typed) => parser.try_get_matches_from(typed),
        None => parser.try_get_matches(),
    };
    let cli = match parsed.and_then(|matches| args::Cli::from_arg_matches(&matches)) {
        Ok(cli) => cli,
        Err(said) => return stream::parser(&said, &words, &command()),
    };
    // What a report of a defect and a shell ask for needs no settings.
    let needs_none = matches!(cli.command, Command::Version(_) | Command::Completions(_));
    if let Err(error) = configured
        && !needs_none
    {
        return stream::error(&error).into();
    }
    let outcome = match cli.command {
        Command::Run(args) => commands::run::run(args),
        Command::Observe(args) => commands::run::observe(args),
        Command::Block(args) => commands::block::block(args),
        Command::Memory(args) => commands::memory::memory(args),
        Command::Fabric(args) => commands::fabric::fabric(args),
        Command::Log(args) => commands::log::log(args),
        Command::Db(args) => commands::db::db(args),
        Command::Report(args) => commands::report::report(&args),
        Command::List(args) => commands::list::list(&args),
        Command::Compare(args) => commands::compare::compare(&args),
        Command::CheckClaims(args) => commands::compare::check_claims(&args),
        Command::Import(args) => commands::import::import(&args),
        Command::Export(args) => commands::export::export(&args),
        Command::Diff(args) => commands::export::diff(&args),
        Command::Trend(args) => commands::compare::trend(&args),
        Command::Ab(args) => commands::ab::ab(args),
        Command::Rm(args) => commands::list::remove(&args),
        Command::Tag(args) => commands::compare::tag(&args),
        Command::Explain(args) => commands::explain::explain(&args),
        Command::Platform(args) => commands::platform::platform(args),
        Command::Gather(args) => commands::gather::gather(args),
        Command::Limits(args) => commands::limits::limits(&args),
        Command::Plan(args) => commands::plan::plan(&args),
        Command::Cost(args) => commands::cost::cost(&args),
        Command::Size(args) => commands::size::size(&args),
        Command::Tier(args) => commands::tier::tier(args),
        Command::Config(args) => commands::config::config(&args),
        Command::Completions(args) => commands::completions::completions(&args),
        Command::Version(args) => commands::version::version(&args),
    };
    outcome.unwrap_or_else(|error| stream::error(&error)).into()
}
