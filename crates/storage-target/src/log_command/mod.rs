//! `narrows-target log`: makes logs, shows them, moves what they hold, and drops them, while nobody serves them.

mod drop;
mod flush;
mod make;
mod status;

use anyhow::{Result, anyhow};
use clap::{Args, Subcommand};
use narrows_log_tier::Acknowledge;

use crate::backing::logged::{Consents, OpenLog, open_log};
use crate::backing::{FileDisk, OpenError};
use crate::namespace::DiskSpec;
use crate::output::say;
use crate::spec::InvalidSpec;

/// What is to be done with a log.
#[derive(Debug, Subcommand)]
pub(crate) enum LogVerb {
    /// Makes a log for a file or device. Nothing is written to that.
    #[command(after_help = crate::arguments::LOG_EXAMPLES)]
    Make(MakeArguments),
    /// Shows a log: of what it is, how large, and what it holds. It may be in use.
    #[command(after_help = crate::arguments::LOG_EXAMPLES)]
    Status(StatusArguments),
    /// Moves all that a log holds to its file or device, so that this can be served without it.
    #[command(after_help = crate::arguments::LOG_EXAMPLES)]
    Flush(FlushArguments),
    /// Drops a log with all that it holds, for good.
    #[command(after_help = crate::arguments::LOG_EXAMPLES)]
    Drop(DropArguments),
}

#[derive(Debug, Args)]
pub(crate) struct MakeArguments {
    /// The file or device that the log is for; for a device with its own serial: DEVICE,serial=S.
    #[arg(long = "for", value_name = "WHAT", value_parser = disk_of)]
    backing: DiskSpec,

    /// The file or device that the log lies on: as large as the log is to be, 4 MiB and 8 KiB or more, and empty. Twice for two media.
    #[arg(long, value_name = "WHAT", required = true, value_parser = disk_of)]
    log: Vec<DiskSpec>,

    /// With two media: all, and a write waits for both, and either may be lost; or first, and a slow one delays no write, and both are needed
    /// after a crash.
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = acknowledge_of)]
    acknowledge: Acknowledge,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// A medium of the log. Twice for two.
    #[arg(value_name = "FILE|DEVICE", required = true)]
    log: Vec<std::path::PathBuf>,

    /// As JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FlushArguments {
    /// The file or device that the log is for; for a device with its own serial: DEVICE,serial=S.
    #[arg(long = "for", value_name = "WHAT", value_parser = disk_of)]
    backing: DiskSpec,

    /// A medium of the log. Twice for two.
    #[arg(long, value_name = "WHAT", required = true, value_parser = disk_of)]
    log: Vec<DiskSpec>,

    /// Goes without a medium that is lost. Where the first medium acknowledged, writes that were on it alone are lost.
    #[arg(long)]
    without_missing: bool,

    /// Moves the records although the file was changed after them.
    #[arg(long)]
    changed: bool,

    /// Moves what could be read although the log can't be read to its end. Records behind that are lost.
    #[arg(long)]
    unreadable: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DropArguments {
    /// The file that the log is for, which is then served without it.
    #[arg(long = "for", value_name = "WHAT", value_parser = disk_of)]
    backing: Option<DiskSpec>,

    /// A medium of the log; all of them.
    #[arg(long, value_name = "WHAT", required_unless_present = "lost", value_parser = disk_of)]
    log: Vec<DiskSpec>,

    /// In place of --log: the log of this name is lost for good, with whatever it held. --for is then served without it.
    #[arg(long, value_name = "LOG-ID", conflicts_with_all = ["log", "lose"], requires = "backing")]
    lost: Option<String>,

    /// How many records that were acknowledged are lost by it, as `status` says. 0 needs not to be said.
    #[arg(long, value_name = "RECORDS", default_value_t = 0)]
    lose: usize,
}

/// Does it.
pub(crate) fn run(verb: LogVerb) -> Result<()> {
    match verb {
        LogVerb::Make(arguments) => make::make(&arguments),
        LogVerb::Status(arguments) => status::status(&arguments),
        LogVerb::Flush(arguments) => flush::flush(&arguments),
        LogVerb::Drop(arguments) => drop::drop_log(&arguments),
    }
}

/// `FILE`, or `DEVICE,serial=S`. What is on it stays, unless a command says otherwise.
pub(crate) fn disk_of(text: &str) -> Result<DiskSpec, InvalidSpec> {
    let (path, serial) = match text.split_once(",serial=") {
        Some((path, serial)) => (path, Some(serial.to_string())),
        None => (text, None),
    };
    Ok(DiskSpec { path: path.into(), serial, keep_contents: true, block_bytes: 4096 })
}

fn acknowledge_of(text: &str) -> Result<Acknowledge, String> {
    match text {
        "all" => Ok(Acknowledge::All),
        "first" => Ok(Acknowledge::First),
        _ => Err(format!("`{text}` is neither all nor first")),
    }
}

/// An error of opening with what to do about it.
pub(crate) fn explained(error: OpenError) -> anyhow::Error {
    match error.hint() {
        Some(hint) => anyhow!("{error}\nhint: {hint}"),
        None => anyhow!("{error}"),
    }
}

fn open_explained(specs: &[DiskSpec], consents: Consents) -> Result<OpenLog> {
    open_log(specs, consents).map_err(explained)
}

/// Names of files or devices, in a sentence.
fn names_of<'a>(disks: impl IntoIterator<Item = &'a FileDisk>) -> String {
    let names: Vec<String> =
        disks.into_iter().map(|disk| disk.path().display().to_string()).collect();
    names.join(" and ")
}
