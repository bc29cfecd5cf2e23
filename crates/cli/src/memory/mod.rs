//! `narrows memory`: memory and clocks alone.

mod baseline;
mod matrix;
mod placement;
mod race;
mod slb;
mod study;
mod touch;

use anyhow::Result;
use narrows_model::Platform;

use crate::args::memory::{MemoryArgs, MemoryCommand};
use crate::exit::Exit;

/// Whether two inventories are of one machine: its name, and the digest of its id.
fn same_machine(a: &Platform, b: &Platform) -> bool {
    (&a.hostname, &a.machine) == (&b.hostname, &b.machine)
}

/// Runs the command.
pub fn memory(args: &MemoryArgs) -> Result<Exit> {
    match &args.command {
        None => study::study(&args.study),
        Some(MemoryCommand::Baseline(args)) => baseline::baseline(args),
        Some(MemoryCommand::Matrix(args)) => matrix::matrix(args),
        Some(MemoryCommand::Placement(args)) => placement::placement(args),
        Some(MemoryCommand::Slb(args)) => slb::slb(args),
        Some(MemoryCommand::Process(args)) => race::process(args),
    }
}
