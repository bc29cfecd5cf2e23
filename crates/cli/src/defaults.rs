//! What the configuration file says, for what was not typed.

use std::path::PathBuf;
use std::sync::OnceLock;

use anyhow::Result;
use narrows_runner::configuration::{self, Configuration, UnitsSetting};

use crate::stream::say;

static SET: OnceLock<Configuration> = OnceLock::new();
/// Of the library that psql is made with: whoever has set one of them has said which server.
const OF_LIBPQ: [&str; 6] = ["PGHOST", "PGHOSTADDR", "PGPORT", "PGUSER", "PGDATABASE", "PGSERVICE"];

/// Reads it, once.
///
/// # Errors
/// As [`configuration::read`].
pub fn read() -> Result<()> {
    let found = configuration::read()?;
    if let Some(why) = found.not_taken {
        say!("warning: {why}");
    }
    SET.get_or_init(|| found.set);
    Ok(())
}

/// What is set.
pub fn set() -> &'static Configuration {
    SET.get_or_init(Configuration::default)
}

/// The folder of the data files.
pub fn data(typed: Option<PathBuf>) -> Option<PathBuf> {
    typed.or_else(|| set().data.clone())
}

/// The folder of the WAL: with a folder of data that was typed goes no other's.
pub fn wal(typed: Option<PathBuf>, data_typed: bool) -> Option<PathBuf> {
    typed.or_else(|| set().wal.clone().filter(|_| !data_typed))
}

/// The server that is looked at.
pub fn database(typed: Option<String>) -> Option<String> {
    typed.or_else(|| set().database.clone().filter(|_| !environment_names_a_server()))
}

/// Whether the environment says which server.
pub fn environment_names_a_server() -> bool {
    OF_LIBPQ.iter().any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// The parser, with what is set as its defaults.
pub fn parser(command: clap::Command) -> clap::Command {
    match set().units {
        Some(UnitsSetting::Iec) => with_units(command, "iec"),
        Some(UnitsSetting::Si) | None => command,
    }
}

fn with_units(command: clap::Command, units: &'static str) -> clap::Command {
    let names: Vec<String> =
        command.get_subcommands().map(|sub| sub.get_name().to_string()).collect();
    let has = command.get_arguments().any(|arg| arg.get_id() == "units");
    let command =
        if has { command.mut_arg("units", |arg| arg.default_value(units)) } else { command };
    names
        .into_iter()
        .fold(command, |command, name| command.mut_subcommand(name, |sub| with_units(sub, units)))
}
