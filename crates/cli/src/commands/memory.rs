//! `narrows memory`: memory and clocks alone.

use anyhow::Result;
use narrows_runner::execute;
use narrows_runner::memory::baseline::Baseline;
use narrows_runner::memory::full_suite::Study;
use narrows_runner::memory::matrix::Matrix;
use narrows_runner::memory::placement::Placement;
use narrows_runner::memory::process_group;
use narrows_runner::memory::slb::Slb;
use narrows_runner::request::Address;
use narrows_runner::request::memory::{
    BaselineRequest, MatrixRequest, PlacementRequest, PoolOwner, SlbRequest, StudyRequest,
};

use crate::Exit;
use crate::args::memory::{MemoryArgs, MemoryCommand, PlacementArgs, SlbArgs};
use crate::terminal::Terminal;

/// Runs the command.
pub fn memory(args: MemoryArgs) -> Result<Exit> {
    let Some(command) = args.command else {
        let args = args.study;
        let options = args.output.options();
        let request = StudyRequest { quick: args.quick, thorough: args.thorough, options };
        return execute::<Study>(&request, &Terminal::of(&args.output));
    };
    match command {
        MemoryCommand::Baseline(args) => {
            let request = BaselineRequest { renew: args.renew, options: args.output.options() };
            execute::<Baseline>(&request, &Terminal::of(&args.output))
        }
        MemoryCommand::Matrix(args) => {
            let request = MatrixRequest { thorough: args.thorough, options: args.output.options() };
            execute::<Matrix>(&request, &Terminal::of(&args.output))
        }
        MemoryCommand::Placement(args) => placement(args),
        MemoryCommand::Slb(args) => slb(args),
        MemoryCommand::Process(args) => {
            process_group::process(&args.task, &Terminal::plain())?;
            Ok(Exit::Done)
        }
    }
}

fn placement(args: PlacementArgs) -> Result<Exit> {
    let owner = match (args.pid, &args.postgres) {
        (Some(pid), _) => PoolOwner::Process(pid),
        (None, Some(url)) => PoolOwner::Server(Box::new(Address::parse(url)?)),
        (None, None) => PoolOwner::Everybody,
    };
    let request = PlacementRequest {
        owner,
        matrix: args.matrix,
        every_page: args.every_page,
        options: args.output.options(),
    };
    execute::<Placement>(&request, &Terminal::of(&args.output))
}

fn slb(args: SlbArgs) -> Result<Exit> {
    let request = SlbRequest {
        pages: args.pages,
        ops: args.ops,
        kit: args.kit.into(),
        processes: args.processes,
        bind: args.bind.map(|bind| bind.0),
        huge: args.huge,
        options: args.output.options(),
    };
    execute::<Slb>(&request, &Terminal::of_slb(&args.output))
}
