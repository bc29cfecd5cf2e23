//! `narrows memory`: memory and clocks alone.

mod matrix;
mod placement;
mod slb;
mod study;

use anyhow::Result;

use crate::args::memory::{MemoryArgs, MemoryCommand};
use crate::exit::Exit;

/// Runs the command.
pub fn memory(args: &MemoryArgs) -> Result<Exit> {
    match &args.command {
        None => study::study(&args.study),
        Some(MemoryCommand::Matrix(args)) => matrix::matrix(args),
        Some(MemoryCommand::Placement(args)) => placement::placement(args),
        Some(MemoryCommand::Slb(args)) => slb::slb(args),
        Some(MemoryCommand::SlbProcess(args)) => slb::process(args),
    }
}
