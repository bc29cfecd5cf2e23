//! `narrows` alone: what to do next on this machine.

use anyhow::Result;
use narrows_report::StoredRun;
use narrows_runner::{inventory, store};

use crate::args::Format;
use crate::{Exit, output};

/// Prints it.
pub fn alone() -> Result<Exit> {
    let databases: Vec<(String, u32)> = inventory::running_databases()
        .into_iter()
        .map(|server| (server.kind, server.pid))
        .collect();
    // Whatever keeps the stored runs from being read, `narrows list` says it.
    let newest = store::find_or_newest(None).and_then(|path| store::load(&path)).ok();
    let newest = newest.map(|run| StoredRun::of(&run));
    output::document(&narrows_report::first_steps(&databases, newest.as_ref()), Format::TEXT)?;
    Ok(Exit::Done)
}
