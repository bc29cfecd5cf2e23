//! `narrows block`: storage alone, through a file system or as a raw device.
//!
//! Each command has a file or folder of its own. What they share: the place that is measured ([`place`], [`spot`]) and the run in
//! progress with its plan, its file and its exit code ([`crate::session`]). What a device is and whether it may be written is
//! decided in `narrows-raw`; here it is only asked.

mod calibrate;
mod device;
mod interference;
mod jobs;
pub(crate) mod place;
mod spot;
mod steady;
mod writers;

use anyhow::Result;

use crate::args::block::{BlockArgs, BlockCommand};
use crate::exit::Exit;

/// Runs the command.
pub fn block(args: &BlockArgs) -> Result<Exit> {
    match &args.command {
        None => calibrate::calibrate(&args.calibrate),
        Some(BlockCommand::Calibrate(args)) => calibrate::calibrate(args),
        Some(BlockCommand::Interference(args)) => interference::interference(args),
        Some(BlockCommand::Run(args)) => jobs::run(args),
        Some(BlockCommand::Steady(args)) => steady::steady(args),
        Some(BlockCommand::Writers(args)) => writers::writers(args),
        Some(BlockCommand::Device(args)) => device::device(args),
    }
}
