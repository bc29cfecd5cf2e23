//! `narrows fabric`: where the time of an operation over a storage fabric goes.

use anyhow::Result;
use narrows_runner::execute;
use narrows_runner::fabric::echo;
use narrows_runner::fabric::split::Split;
use narrows_runner::request::RunOptions;
use narrows_runner::request::block::TargetRequest;
use narrows_runner::request::fabric::SplitRequest;

use super::block::consent;
use crate::Exit;
use crate::args::fabric::{FabricArgs, FabricCommand, SplitArgs};
use crate::terminal::Terminal;

/// Runs the command.
pub fn fabric(args: FabricArgs) -> Result<Exit> {
    match args.command {
        FabricCommand::Split(args) => split(args),
        FabricCommand::Echo(args) => echo(args.listen, &Terminal::plain()),
    }
}

fn split(args: SplitArgs) -> Result<Exit> {
    let target = match consent(args.consent) {
        Some(consent) => TargetRequest::WriteDevice(consent),
        // One of them is required.
        None => TargetRequest::ReadDevice(args.address.unwrap_or_default()),
    };
    let options = RunOptions { anonymous: args.names.anonymous, ..args.output.options() };
    let request = SplitRequest { target, echo: args.echo, device_run: args.device_run, options };
    execute::<Split>(&request, &Terminal::of(&args.output))
}
