//! `narrows log crashtest`: does what was acknowledged survive a cut of the power? A command for each of its three parts.

use anyhow::Result;
use narrows_model::{CrashTest, CrashTestOutcome};
use narrows_report::document::{Block, Document, List, Section};
use narrows_runner::crashtest::{check, listen, write};
use narrows_runner::exit::Outcome;
use narrows_runner::request::Address;
use narrows_runner::request::crashtest::{
    CheckRequest, ListenRequest, Sync, WriteRequest, WriteTarget,
};

use super::block::consent;
use crate::args::crashtest::{CheckArgs, CrashtestArgs, CrashtestCommand, SyncArg, WriteArgs};
use crate::terminal::Terminal;
use crate::{Exit, output};

/// Lost records on the screen; JSON has more.
const MOST_SHOWN: usize = 20;

/// Runs the command.
pub fn crashtest(args: CrashtestArgs) -> Result<Exit> {
    match args.command {
        CrashtestCommand::Listen(args) => {
            let request = ListenRequest { list: args.list, at: args.at };
            listen::listen(&request, &Terminal::plain())
        }
        CrashtestCommand::Write(args) => write::write(&write_request(args)?, &Terminal::plain()),
        CrashtestCommand::Check(args) => check_and_tell(args),
    }
}

fn write_request(args: WriteArgs) -> Result<WriteRequest> {
    let target = match (&args.postgres, consent(args.consent)) {
        (Some(url), _) => WriteTarget::Table(Address::parse(url)?),
        (None, Some(device)) => WriteTarget::Device(device),
        (None, None) => WriteTarget::File(args.file.unwrap_or_default()),
    };
    Ok(WriteRequest {
        target,
        to: args.to,
        streams: args.streams,
        size: args.size,
        sync: match args.sync {
            SyncArg::Fdatasync => Sync::Fdatasync,
            SyncArg::Fsync => Sync::Fsync,
            SyncArg::Dsync => Sync::Dsync,
            SyncArg::RwfDsync => Sync::RwfDsync,
            SyncArg::None => Sync::None,
        },
        direct: args.direct,
        append: args.append,
        ring: args.ring,
        length: args.length,
        same_host: args.same_host,
        load_here: args.load_here,
    })
}

fn check_and_tell(args: CheckArgs) -> Result<Exit> {
    let request = CheckRequest {
        file: args.file,
        postgres: args.postgres.as_deref().map(Address::parse).transpose()?,
        acknowledged: args.acknowledged,
        cut: args.cut,
        remounted: args.remounted,
        gone: args.gone,
        least: args.least,
        remove: args.remove,
    };
    let checked = check::check(&request)?;
    output::document(&document(&checked.test), args.format)?;
    // What it is shown by stays until it is told.
    check::remove(&request, &checked)?;
    Ok(Outcome::crash_test(checked.test.outcome).exit())
}

fn document(test: &CrashTest) -> Document {
    let word = match test.outcome {
        CrashTestOutcome::Shown => "shown",
        CrashTestOutcome::Refuted => "refuted",
        CrashTestOutcome::Inconclusive => "inconclusive",
    };
    let id: String = test.id.chars().take(12).collect();
    let mut said = test.sentences.clone();
    let lost = test.lost.iter().take(MOST_SHOWN);
    said.extend(
        lost.map(|lost| format!("stream {} record {}: {}", lost.stream, lost.number, lost.found)),
    );
    let lost = (test.missing + test.torn) as usize;
    if lost > MOST_SHOWN {
        let named = test.lost.len();
        said.push(format!("and {} more; --format json names {named}", lost - MOST_SHOWN));
    }
    let section = Section::new("crash-test", "Crash test").short("").with([
        Block::paragraph(format!("durability {word}  {}", test.target)),
        Block::paragraph(format!("test {id}, {}", test.method)),
        Block::List(List { at: (2, 4), ..List::new(said, 2) }),
    ]);
    Document::of([section]).headed(test.target.as_str(), "a crash test").holding(test)
}
