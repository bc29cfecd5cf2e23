//! `narrows memory`: memory and clocks alone.

mod baseline;
mod matrix;
mod placement;
mod race;
mod slb;
mod study;
mod touch;

use anyhow::Result;

use crate::args::memory::{MemoryArgs, MemoryCommand};
use crate::exit::Exit;

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
