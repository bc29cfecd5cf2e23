//! `narrows-target log`: makes logs, shows them, moves what they hold, and drops them, while nobody serves them.

mod drop;
mod flush;
mod made;
mod make;
mod make_copies;
mod status;

use anyhow::{Result, anyhow};
use clap::{Args, Subcommand};
use narrows_log_tier::Acknowledge;

use crate::backing::OpenError;
use crate::backing::logged::{Consents, LogOwner, OpenLog, OpenMedium, open_log};
use crate::namespace::{DiskSpec, LogMediumSpec};
use crate::output::{Notes, Report, report, say};
use crate::spec::{InvalidSpec, check_places, log_place_of, made_at};

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

    /// The file or device that the log lies on: as large as the log is to be, 4 MiB and 8 KiB or more, and empty. Twice for two media. Or each
    /// of two to eight peers, nvme-tcp://HOST:PORT/NQN?ns=1: an empty namespace on another machine.
    #[arg(long, value_name = "WHAT", required = true, value_parser = place_of)]
    log: Vec<LogMediumSpec>,

    /// With peers: how many of them have a write before it is answered. Fewer than that may lose what they hold. With as many as there are,
    /// writes fail as soon as one does.
    #[arg(long, value_name = "K", conflicts_with = "acknowledge")]
    copies: Option<u8>,

    /// With peers: no loss of power takes this machine and so many of the peers at once. Without this, no log is made of their memory.
    #[arg(long, requires = "copies")]
    separate_power: bool,

    /// With two media: all, and a write waits for both, and either may be lost; or first, and a slow one delays no write, and both are needed
    /// after a crash.
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = acknowledge_of)]
    acknowledge: Acknowledge,

    /// As JSON: what was done, as an object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct StatusArguments {
    /// A medium of the log. Twice for two; each of its peers.
    #[arg(value_name = "FILE|DEVICE|PEER", required = true, value_parser = place_of)]
    log: Vec<LogMediumSpec>,

    /// As JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct FlushArguments {
    /// The file or device that the log is for; for a device with its own serial: DEVICE,serial=S.
    #[arg(long = "for", value_name = "WHAT", value_parser = disk_of)]
    backing: DiskSpec,

    /// A medium of the log. Twice for two; each of its peers.
    #[arg(long, value_name = "WHAT", required = true, value_parser = place_of)]
    log: Vec<LogMediumSpec>,

    /// Goes without media that are lost. Where the first medium acknowledged, writes that were on it alone are lost; with peers, those that were on
    /// the lost ones alone.
    #[arg(long)]
    without_missing: bool,

    /// Moves the records although the file was changed after them.
    #[arg(long)]
    changed: bool,

    /// Moves what could be read although the log can't be read to its end. Records behind that are lost.
    #[arg(long)]
    unreadable: bool,

    /// As JSON: what was done, as an object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DropArguments {
    /// The file that the log is for, which is then served without it.
    #[arg(long = "for", value_name = "WHAT", value_parser = disk_of)]
    backing: Option<DiskSpec>,

    /// A medium of the log; all of them.
    #[arg(long, value_name = "WHAT", required_unless_present = "lost", value_parser = place_of)]
    log: Vec<LogMediumSpec>,

    /// In place of --log: the log of this name is lost for good, with whatever it held. --for is then served without it.
    #[arg(long, value_name = "LOG-ID", conflicts_with_all = ["log", "lose"], requires = "backing")]
    lost: Option<String>,

    /// How many records that were acknowledged are lost by it, as `status` says. 0 needs not to be said.
    #[arg(long, value_name = "RECORDS", default_value_t = 0)]
    lose: usize,

    /// As JSON: what was done, as an object.
    #[arg(long)]
    json: bool,
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
    Ok(DiskSpec { serial, ..made_at(path) })
}

/// What [`disk_of`] takes, or a peer.
fn place_of(text: &str) -> Result<LogMediumSpec, InvalidSpec> {
    match log_place_of(text)? {
        LogMediumSpec::Disk(_) => disk_of(text).map(LogMediumSpec::Disk),
        peer @ LogMediumSpec::Peer(_) => Ok(peer),
    }
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
    // Nothing is served by a command.
    let said = match &error {
        OpenError::Refused { path, reason, .. } => format!("cannot use {path}: {reason}"),
        OpenError::System { .. } => error.to_string(),
    };
    match error.hint() {
        Some(hint) => anyhow!("{said}\nhint: {hint}"),
        None => anyhow!("{said}"),
    }
}

fn open_explained(
    places: &[LogMediumSpec],
    owner: Option<LogOwner>,
    consents: Consents,
) -> Result<OpenLog> {
    check_places(places)?;
    open_log(places, owner, consents).map_err(explained)
}

/// Names of media, in a sentence.
fn names_of<'a>(media: impl IntoIterator<Item = &'a OpenMedium>) -> String {
    let names: Vec<String> = media.into_iter().map(OpenMedium::name).collect();
    names.join(" and ")
}
