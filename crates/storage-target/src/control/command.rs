//! `narrows-target tier`: asks a target that serves.

use std::io::{self, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::{Args, Subcommand};
use serde::de::DeserializeOwned;

use super::done::{CacheEvicted, CacheResized, LogMoved, LogResized};
use super::overview::Overview;
use super::question::{Answer, Question};
use crate::output::{Report, report};
use crate::spec::bytes_of;

/// Longest answer, bytes.
const LONGEST_ANSWER: u64 = 16 << 20;
/// How long an answer may take: as long as the target lets a log be moved, and then hosts wait for a new size of it, and a little.
const PATIENCE: Duration = Duration::from_secs(330);

/// What a target is asked.
#[derive(Debug, Subcommand)]
pub(crate) enum TierVerb {
    /// Shows every namespace with its log and its cache: state, size, use, what they gave.
    #[command(after_help = crate::arguments::TIER_EXAMPLES)]
    List(ListArguments),
    /// Moves all that a log holds to its file or device, now.
    #[command(after_help = crate::arguments::TIER_EXAMPLES)]
    Flush(OfNamespace),
    /// Empties a cache.
    #[command(after_help = crate::arguments::TIER_EXAMPLES)]
    Evict(OfNamespace),
    /// Makes a cache or a log larger or smaller.
    ///
    /// A cache keeps that size until the target ends, a log for good. Hosts wait until what the log holds was moved, 10 s at most.
    #[command(after_help = crate::arguments::TIER_EXAMPLES)]
    Resize(ResizeArguments),
}

#[derive(Debug, Args)]
pub(crate) struct ListArguments {
    #[command(flatten)]
    at: Socket,

    /// As JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct ResizeArguments {
    /// Its new size, as 4GiB: of a cache up to four times the one that it was begun with, of a log that of each medium.
    #[arg(long, value_name = "SIZE", value_parser = bytes_of)]
    size: u64,

    /// The log, and not the cache.
    #[arg(long)]
    log: bool,

    #[command(flatten)]
    of: OfNamespace,
}

#[derive(Debug, Args)]
pub(crate) struct OfNamespace {
    #[command(flatten)]
    at: Socket,

    /// Name of the subsystem, where several have one.
    #[arg(long, value_name = "NQN")]
    subsystem: Option<String>,

    /// Number of the namespace, where several have one.
    #[arg(long, value_name = "N")]
    nsid: Option<u32>,

    /// As JSON: what was done, as an object.
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Args)]
struct Socket {
    /// The socket that the target was given with --control.
    #[arg(long, value_name = "FILE", default_value = "/run/narrows-target/control")]
    control: PathBuf,
}

/// Asks, and prints the answer.
pub(crate) fn run(verb: TierVerb) -> Result<()> {
    match verb {
        TierVerb::List(ListArguments { at, json }) => {
            report(&ask::<Overview>(&at, &Question::List)?, json)
        }
        TierVerb::Flush(OfNamespace { at, subsystem, nsid, json }) => {
            report(&ask::<LogMoved>(&at, &Question::Flush { subsystem, nsid })?, json)
        }
        TierVerb::Evict(OfNamespace { at, subsystem, nsid, json }) => {
            report(&ask::<CacheEvicted>(&at, &Question::Evict { subsystem, nsid })?, json)
        }
        TierVerb::Resize(ResizeArguments { size, log, of }) => {
            let OfNamespace { at, subsystem, nsid, json } = of;
            if log {
                let question = Question::ResizeLog { subsystem, nsid, bytes: size };
                return report(&ask::<LogResized>(&at, &question)?, json);
            }
            let question = Question::Resize { subsystem, nsid, bytes: size };
            report(&ask::<CacheResized>(&at, &question)?, json)
        }
    }
}

/// What was asked for.
fn ask<A: DeserializeOwned + Report>(at: &Socket, question: &Question) -> Result<A> {
    serde_json::from_value(answer(at, question)?).context("the target's answer")
}

fn answer(at: &Socket, question: &Question) -> Result<serde_json::Value> {
    let path = at.control.display();
    let mut stream = UnixStream::connect(&at.control).map_err(|error| {
        let hint = match error.kind() {
            io::ErrorKind::PermissionDenied => "the user who runs the target may ask, and root",
            _ => "`narrows-target serve --control FILE` listens there while it serves",
        };
        anyhow!("{path}: {error}\nhint: {hint}")
    })?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut line = serde_json::to_vec(question)?;
    line.push(b'\n');
    stream
        .write_all(&line)
        .and_then(|()| stream.shutdown(Shutdown::Write))
        .with_context(|| path.to_string())?;
    let mut text = String::new();
    stream.take(LONGEST_ANSWER).read_to_string(&mut text).with_context(|| path.to_string())?;
    if text.is_empty() {
        bail!(
            "{path}: no answer\nhint: the user who runs the target may ask, and root; four at once"
        );
    }
    match serde_json::from_str(&text).with_context(|| format!("{path}: the answer"))? {
        Answer::Done(value) => Ok(value),
        Answer::Refused(why) => bail!("{why}"),
    }
}
