//! `narrows config`: which settings are in force, and where they come from.

use anyhow::Result;
use narrows_report::Setting;
use narrows_runner::configuration::{self, UnitsSetting};
use narrows_runner::request::Address;
use narrows_runner::store;

use crate::args::words::ConfigArgs;
use crate::{Exit, defaults, output, stream};

/// Prints them.
pub fn config(args: &ConfigArgs) -> Result<Exit> {
    let set = defaults::set();
    let set_in_environment = |name| std::env::var_os(name).is_some_and(|set| !set.is_empty());
    let path = configuration::path();
    let file = path.as_ref().filter(|path| path.exists());
    let of_file = |value: Option<String>, usual: &str| match (value, file) {
        (Some(value), Some(file)) => (value, file.display().to_string()),
        _ => (usual.to_string(), "default".to_string()),
    };
    let units = set.units.map(|units| match units {
        UnitsSetting::Si => "si".to_string(),
        UnitsSetting::Iec => "iec".to_string(),
    });
    let folder =
        |path: &Option<std::path::PathBuf>| path.as_ref().map(|path| path.display().to_string());
    let database = if defaults::environment_names_a_server() {
        ("as psql takes it".to_string(), "environment (PG…)".to_string())
    } else {
        of_file(set.database.as_deref().map(shown), "as psql takes it")
    };
    let runs = store::folder().map_or("-o DIR alone".into(), |folder| folder.display().to_string());
    let of_data_home = set_in_environment("XDG_DATA_HOME");
    let runs_from = if of_data_home { "environment (XDG_DATA_HOME)" } else { "default" };
    let colour = if stream::colour() { "on" } else { "off" };
    let colour_from = if set_in_environment("NO_COLOR") {
        "environment (NO_COLOR)"
    } else if set_in_environment("CLICOLOR_FORCE") {
        "environment (CLICOLOR_FORCE)"
    } else {
        "standard output"
    };
    let rows = [
        ("units", of_file(units, "si")),
        ("data", of_file(folder(&set.data), "/var/tmp")),
        ("wal", of_file(folder(&set.wal), "as data")),
        ("database", database),
        ("runs", (runs, runs_from.to_string())),
        ("colour", (colour.to_string(), colour_from.to_string())),
    ];
    let rows = rows.map(|(name, (value, from))| Setting { name: name.to_string(), value, from });
    let path = path.map_or("none: neither XDG_CONFIG_HOME nor HOME is set".into(), |path| {
        let there = if path.exists() { "" } else { " (not there)" };
        format!("{}{there}", path.display())
    });
    output::document(&narrows_report::settings(&rows, &path), args.format)?;
    Ok(Exit::Done)
}

/// An address without its password.
fn shown(text: &str) -> String {
    Address::parse(text).map_or_else(|_| "set, but no address".to_string(), |it| it.to_string())
}
