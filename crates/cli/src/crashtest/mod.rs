//! `narrows log crashtest`: does what was acknowledged survive a cut of the power? A command for each of its three
//! parts; what they do is `narrows-crashtest`'s.

mod check;
mod listen;
mod write;

use anyhow::Result;

use crate::args::crashtest::{CrashtestArgs, CrashtestCommand};
use crate::exit::Exit;

/// Runs the command.
pub fn crashtest(args: &CrashtestArgs) -> Result<Exit> {
    match &args.command {
        CrashtestCommand::Listen(args) => listen::listen(args),
        CrashtestCommand::Write(args) => write::write(args),
        CrashtestCommand::Check(args) => check::check(args),
    }
}
