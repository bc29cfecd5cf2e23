//! `narrows log`: the commit log alone, from the device's flush to the database's commit.

use std::path::PathBuf;

use anyhow::Result;
use narrows_model::FlushTest;
use narrows_runner::log::commits::Commits;
use narrows_runner::log::ladder::Ladder;
use narrows_runner::log::placement::Placement;
use narrows_runner::log::postgres::LiveLog;
use narrows_runner::log::streams::Streams;
use narrows_runner::request::RunOptions;
use narrows_runner::request::block::DeviceConsent;
use narrows_runner::request::log::{
    CommitGoal, CommitsRequest, LadderDatabase, LadderRequest, Layout, LiveLogRequest, LogDirs,
    LogMediumSpec, Method, PlacementRequest, StreamsRequest, WriteVariant,
};
use narrows_runner::{execute, flush_test};

use super::crashtest;
use super::run::observed;
use crate::args::live::LogPostgresArgs;
use crate::args::log::{
    CommitGoalArgs, CommitsArgs, LadderArgs, LayoutArg, LogArgs, LogCommand, LogDatabaseArgs,
    LogTargetArgs, MethodArg, PlacementArgs, StreamsArgs, WholeArgs,
};
use crate::terminal::Terminal;
use crate::{Exit, output};

/// Runs the command.
pub fn log(args: LogArgs) -> Result<Exit> {
    match args.command {
        None => whole(args.whole),
        Some(LogCommand::Ladder(args)) => ladder(args),
        Some(LogCommand::Commits(args)) => commits(args),
        Some(LogCommand::Placement(args)) => placement(args),
        Some(LogCommand::Crashtest(args)) => crashtest::crashtest(args),
        Some(LogCommand::Postgres(args)) => postgres(args),
        Some(LogCommand::Streams(args)) => streams(args),
    }
}

fn place(args: LogTargetArgs) -> LogMediumSpec {
    let LogTargetArgs { dirs, write_to_device, serial } = args;
    match (write_to_device, serial) {
        (Some(device), Some(serial)) => {
            LogMediumSpec::Namespace(DeviceConsent { device, serial, accepted: Vec::new() })
        }
        _ => LogMediumSpec::Folders(LogDirs {
            wal: dirs.wal.unwrap_or_else(|| PathBuf::from(".")),
            data: dirs.data,
        }),
    }
}

fn database(args: LogDatabaseArgs) -> Option<LadderDatabase> {
    let LogDatabaseArgs { no_database, postgres, standby } = args;
    (!no_database).then_some(LadderDatabase { postgres, standby })
}

fn goal(args: &CommitGoalArgs) -> CommitGoal {
    CommitGoal { percentile: args.percentile, within: args.within, minutes: args.minutes }
}

fn whole(args: WholeArgs) -> Result<Exit> {
    let request = LadderRequest::whole(
        place(args.place),
        database(args.database),
        goal(&args.goal),
        args.output.options(),
    );
    execute::<Ladder>(&request, &Terminal::of(&args.output))
}

fn ladder(args: LadderArgs) -> Result<Exit> {
    let request = LadderRequest {
        place: place(args.place),
        tier: args.tier,
        database: database(args.database),
        cells: WriteVariant::all(&methods(&args.methods), &layouts(&args.layouts), &args.sizes),
        repeats: args.repeats,
        beside: !args.alone,
        goal: None,
        options: args.output.options(),
    };
    execute::<Ladder>(&request, &Terminal::of(&args.output))
}

fn methods(args: &[MethodArg]) -> Vec<Method> {
    let one = |arg: &MethodArg| match arg {
        MethodArg::Fdatasync => vec![Method::Fdatasync],
        MethodArg::Fsync => vec![Method::Fsync],
        MethodArg::Dsync => vec![Method::Dsync],
        MethodArg::DsyncDirect => vec![Method::DsyncDirect],
        MethodArg::RwfDsync => vec![Method::RwfDsync],
        MethodArg::Uring => vec![Method::Uring],
        MethodArg::All => Method::ALL.to_vec(),
    };
    args.iter().flat_map(one).collect()
}

fn layouts(args: &[LayoutArg]) -> Vec<Layout> {
    let one = |arg: &LayoutArg| match arg {
        LayoutArg::Overwrite => vec![Layout::Overwrite],
        LayoutArg::Extend => vec![Layout::Extend],
        LayoutArg::Fallocated => vec![Layout::Fallocated],
        LayoutArg::All => Layout::ALL.to_vec(),
    };
    args.iter().flat_map(one).collect()
}

fn commits(args: CommitsArgs) -> Result<Exit> {
    let request = CommitsRequest {
        place: place(args.place),
        goal: goal(&args.goal),
        arrivals: args.arrivals.into(),
        bytes: args.bytes,
        size_histogram: args.size_histogram,
        style: args.style.into(),
        commit_delay: args.commit_delay,
        commit_siblings: args.commit_siblings,
        most_sessions: args.most_sessions,
        options: args.output.options(),
    };
    execute::<Commits>(&request, &Terminal::of(&args.output))
}

fn streams(args: StreamsArgs) -> Result<Exit> {
    let request = StreamsRequest {
        place: place(args.place),
        streams: args.streams,
        rate: args.rate,
        size: args.size,
        percentile: args.percentile,
        within: args.within,
        most_streams: args.most_streams,
        cache: args.cache,
        repeats: args.repeats,
        options: args.output.options(),
    };
    execute::<Streams>(&request, &Terminal::of(&args.output))
}

fn placement(args: PlacementArgs) -> Result<Exit> {
    let request = PlacementRequest {
        wal: args.wal,
        option: "--wal",
        data: args.data,
        sessions: args.load.sessions,
        prove: args.prove,
        repeats: args.load.repeats,
        window: args.load.window,
        postgres: args.load.postgres,
        options: args.output.options(),
    };
    execute::<Placement>(&request, &Terminal::of(&args.output))
}

fn postgres(args: LogPostgresArgs) -> Result<Exit> {
    let tests = args.pg_test_fsync.iter().map(|path| flush_test::read(path));
    let tests = tests.collect::<Result<Vec<FlushTest>>>()?;
    let Some(url) = &args.url else {
        output::flush_tests(&tests)?;
        return Ok(Exit::Done);
    };
    let output = args.output.as_output();
    let request = LiveLogRequest {
        address: observed(url)?,
        length: args.length,
        tests,
        options: RunOptions { anonymous: args.names.anonymous, ..output.options() },
    };
    execute::<LiveLog>(&request, &Terminal::of(&output))
}
