//! `narrows block`: storage alone, through a file system or as a raw device.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_runner::block::calibrate::Calibrate;
use narrows_runner::block::interference::Interference;
use narrows_runner::block::jobs::Jobs;
use narrows_runner::block::steady::Steady;
use narrows_runner::block::writers::WritersTogether;
use narrows_runner::execute;
use narrows_runner::failure::Failure;
use narrows_runner::request::block::{
    CalibrateRequest, DeviceConsent, InterferenceRequest, JobsRequest, SteadyRequest,
    TargetRequest, WritersRequest,
};

use super::device;
use crate::Exit;
use crate::args::block::{
    BlockArgs, BlockCommand, CalibrateArgs, ConsentArgs, InterferenceArgs, JobsArgs, PlaceArgs,
    SpotArgs, SteadyArgs, WritersArgs,
};
use crate::terminal::Terminal;

/// Runs the command.
pub fn block(args: BlockArgs) -> Result<Exit> {
    match args.command {
        None => calibrate(args.calibrate),
        Some(BlockCommand::Calibrate(args)) => calibrate(args),
        Some(BlockCommand::Interference(args)) => interference(args),
        Some(BlockCommand::Run(args)) => jobs(args),
        Some(BlockCommand::Steady(args)) => steady(args),
        Some(BlockCommand::Writers(args)) => writers(args),
        Some(BlockCommand::Device(args)) => device::device(&args),
    }
}

/// The folder that was named, or the current one.
fn folder(args: PlaceArgs) -> PathBuf {
    args.at.unwrap_or_else(|| PathBuf::from("."))
}

/// The consent to write to a device, where it was given.
pub fn consent(args: ConsentArgs) -> Option<DeviceConsent> {
    let (Some(device), Some(serial)) = (args.write_to_device, args.serial) else { return None };
    let accepted = args.accept.into_iter().map(Into::into).collect();
    Some(DeviceConsent { device, serial, accepted })
}

fn target(args: SpotArgs) -> Result<TargetRequest> {
    if let Some(consent) = consent(args.consent) {
        if args.device.is_some() || args.place.at.is_some() {
            return Err(Failure::hinted(
                "--write-to-device names what is measured, and --device or --at something else",
                "leave one of them out",
            ));
        }
        return Ok(TargetRequest::WriteDevice(consent));
    }
    Ok(match args.device {
        Some(device) => TargetRequest::ReadDevice(device),
        None => TargetRequest::Folder(folder(args.place)),
    })
}

/// What is written to; nothing is only read here.
fn written(place: PlaceArgs, consent: ConsentArgs) -> Result<TargetRequest> {
    target(SpotArgs { place, device: None, consent })
}

fn calibrate(args: CalibrateArgs) -> Result<Exit> {
    let request = CalibrateRequest {
        target: target(args.spot)?,
        percentile: args.percentile,
        within: args.within,
        size: args.size,
        reads: args.reads,
        beside_log: args.beside.is_some(),
        arrivals: args.arrivals.into(),
        file_size: args.file_size,
        max_depth: args.max_depth,
        minutes: args.minutes,
        idle: args.idle.map_or(Duration::ZERO, |idle| Duration::from_nanos(idle.0)),
        options: args.output.options(),
    };
    execute::<Calibrate>(&request, &Terminal::of(&args.output))
}

fn interference(args: InterferenceArgs) -> Result<Exit> {
    let request = InterferenceRequest {
        target: written(args.place, args.consent)?,
        size: args.size,
        file_size: args.file_size,
        budget: args.budget,
        minutes: args.minutes,
        options: args.output.options(),
    };
    execute::<Interference>(&request, &Terminal::of(&args.output))
}

fn jobs(args: JobsArgs) -> Result<Exit> {
    let request = JobsRequest {
        files: args.files,
        section: args.section,
        env: args.env,
        at: folder(args.place),
        consent: consent(args.consent),
        fio_json: args.fio_json,
        fio_json_plus: args.fio_json_plus,
        options: args.output.options(),
    };
    execute::<Jobs>(&request, &Terminal::of(&args.output))
}

fn steady(args: SteadyArgs) -> Result<Exit> {
    let request = SteadyRequest {
        target: written(args.place, args.consent)?,
        size: args.size,
        reads: args.reads,
        depth: args.depth,
        round: args.round,
        file_size: args.file_size,
        budget: args.budget,
        options: args.output.options(),
    };
    execute::<Steady>(&request, &Terminal::of(&args.output))
}

fn writers(args: WritersArgs) -> Result<Exit> {
    let request = WritersRequest {
        at: folder(args.place),
        writers: args.writers,
        size: args.size,
        options: args.output.options(),
    };
    execute::<WritersTogether>(&request, &Terminal::of(&args.output))
}
