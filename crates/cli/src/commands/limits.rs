//! `narrows limits`: what parts of a machine can carry, and users' own figures over that.

use std::path::Path;

use anyhow::Result;
use narrows_limits::table::{Class, Family, TEXT_BYTES_MAX, Table};
use narrows_report::ShownLimits;
use narrows_runner::failure::Failure;

use crate::args::limits::LimitsArgs;
use crate::{Exit, output};

/// Prints the table, or a part of it.
pub fn limits(args: &LimitsArgs) -> Result<Exit> {
    let table = table(&args.limits)?;
    let (shown, single) = select(&table, &args.classes)?;
    output::document(&narrows_report::limits(&shown, single), args.format)?;
    Ok(Exit::Done)
}

/// The table that comes with the program, under users' files in their order.
///
/// # Errors
/// A file that can't be read, or that the table refuses.
pub fn table<P: AsRef<Path>>(files: &[P]) -> Result<Table> {
    let mut table = Table::builtin().clone();
    for file in files {
        let file = file.as_ref();
        table = table.with_overrides(&file.display().to_string(), &text(file)?)?;
    }
    Ok(table)
}

/// A file's text, read no further than any table goes.
fn text(file: &Path) -> Result<String> {
    let failed = |reason: String| {
        let what = format!("--limits {}: {reason}", file.display());
        Failure::hinted(
            what,
            "name a TOML file; `narrows limits --help` names the page on its format",
        )
    };
    narrows_files::read_text(file, TEXT_BYTES_MAX as u64)
        .map_err(|refused| failed(refused.to_string()))
}

/// What was asked for, and whether all of it was named in full.
fn select<'a>(table: &'a Table, names: &[String]) -> Result<(ShownLimits<'a>, bool)> {
    if names.is_empty() {
        return Ok((ShownLimits::all(table), false));
    }
    let mut classes: Vec<&Class> = Vec::new();
    let mut single = true;
    for name in names {
        let found: Vec<&Class> = match table.class(name) {
            Some(class) => vec![class],
            None => {
                single = false;
                table.classes().filter(|class| is_part(class, name)).collect()
            }
        };
        if found.is_empty() {
            return Err(unknown(table, name));
        }
        for class in found {
            if !classes.iter().any(|known| known.id == class.id) {
                classes.push(class);
            }
        }
    }
    Ok((ShownLimits { table, classes }, single))
}

/// Whether a class is of a family of that name, or begins with that word.
fn is_part(class: &Class, name: &str) -> bool {
    let begins = |rest: &str| rest.starts_with(['-', '.']);
    class.family.name() == name || class.id.strip_prefix(name).is_some_and(begins)
}

fn unknown(table: &Table, name: &str) -> anyhow::Error {
    let families = Family::ALL.map(Family::name).join(", ");
    let hint = match table.nearest(name) {
        Some(nearest) => format!("did you mean `{nearest}`? `narrows limits` lists every class"),
        None => format!("`narrows limits` lists every class; families are {families}"),
    };
    Failure::hinted(format!("no class of limits is called `{name}`"), hint)
}
