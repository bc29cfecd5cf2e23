//! `narrows import`: results of other tools as stored runs.

use anyhow::Result;
use narrows_report::StoredRun;
use narrows_runner::{import, tags};

use crate::args::compare::ImportArgs;
use crate::stream::say;
use crate::{Exit, output};

/// Stores each file as a run, and lists them.
pub fn import(args: &ImportArgs) -> Result<Exit> {
    if let Some(tag) = &args.tag {
        tags::check(tag)?;
    }
    let mut runs = Vec::new();
    let capacities = args
        .capacities
        .as_ref()
        .map(|run| import::Capacities { run, same_machine: args.same_machine });
    let imported = import::imported(&args.files, capacities)?;
    for ((run, left_out), file) in imported.into_iter().zip(&args.files) {
        left_out.iter().for_each(|sentence| say!("note: {}: {sentence}", file.display()));
        runs.push(run);
    }
    if let Some(tag) = &args.tag {
        let ids: Vec<String> = runs.iter().map(|run| run.id.clone()).collect();
        tags::add(tag, &ids)?;
    }
    let lines: Vec<StoredRun> = runs.iter().map(StoredRun::of).collect();
    output::document(&narrows_report::stored_runs(&lines, 0), args.format)?;
    Ok(Exit::Done)
}
