//! `narrows list`: the stored runs.

use std::path::Path;

use anyhow::Result;
use narrows_report::StoredRun;
use narrows_runner::{failure, store};

use crate::args::words::ListArgs;
use crate::{Exit, output};

/// How many are shown where not all are asked for.
const NEWEST: usize = 20;

/// Prints the newest runs, or all.
pub fn list(args: &ListArgs) -> Result<Exit> {
    let files = store::stored()?;
    let shown = if args.all { files.len() } else { files.len().min(NEWEST) };
    let runs: Vec<StoredRun> = files[..shown].iter().map(|file| of_file(file)).collect();
    output::document(&narrows_report::stored_runs(&runs, files.len() - shown), args.format)?;
    Ok(Exit::Done)
}

/// A file that can't be read is listed with the reason.
fn of_file(file: &Path) -> StoredRun {
    match store::load(file) {
        Ok(run) => StoredRun::of(&run),
        Err(error) => {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            let reason = failure::render(&error);
            let reason = reason.lines().next().unwrap_or_default();
            StoredRun::unreadable(name, reason.strip_prefix("error: ").unwrap_or(reason))
        }
    }
}
