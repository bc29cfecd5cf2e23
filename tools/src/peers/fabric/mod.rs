//! The storage fabric on loopback: our target under our host beside SPDK's under our host, nbdkit under fio and tgt under iscsi-perf, and
//! all of them beside the floor: the same bytes back and forth with nothing behind them.
//!
//! Targets run on the first CPU, hosts on the second. Every contender has a window in each round, in a new order each round. Host and
//! target are one machine: what is measured is software and loopback, and no network.

mod bytes_alone;
mod floor;
mod ours;
mod sample;
mod spdk;
mod theirs;
mod tiers;

use std::path::Path;

use anyhow::Result;
use narrows_engine::Context;

use self::bytes_alone::BytesAlone;
use self::floor::Floor;
use self::ours::{Ours, Waiting};
use self::sample::{Samples, table};
use self::spdk::Spdk;
use self::theirs::{Iscsi, Nbd};
use super::ROUNDS;

pub(crate) use self::tiers::{PERSISTENT as PERSISTENT_TARGET, serve_persistent};
pub(super) use self::tiers::{TITLE as TIERS_TITLE, compare as compare_tiers};

pub(super) const TITLE: &str = "## NVMe/TCP on loopback";
pub(super) const SPDK_TITLE: &str = "## NVMe/TCP on loopback beside SPDK's target";

const SETTING: &str = "4 KiB, random, in memory. Target on CPU 0, host on CPU 1; CPU of both sides per operation. Twelve rounds at depth 1.";

/// Bytes of an operation.
const BLOCK: u32 = 4096;
/// Bytes of a large operation.
const LARGE: u32 = 1 << 20;

/// What an operation does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Operation {
    Read,
    Write,
}

impl Operation {
    fn word(self) -> &'static str {
        match self {
            Operation::Read => "reads",
            Operation::Write => "writes",
        }
    }
}

/// What has a window in each round.
trait Window {
    /// Its name in the table.
    fn name(&self) -> String;
    /// One window; `None` where it can't do that.
    fn measure(&self, operation: Operation, depth: u32) -> Result<Option<sample::Sample>>;
}

pub(super) fn compare(_: &Context<'_>, scratch: &Path) -> Result<String> {
    let program = ours::build()?;
    let mut text = format!(
        "{SETTING} The floor is a ping-pong of the PDUs' sizes. Digests by {}. iperf3 sends one buffer of 1 MiB again and again, which stays \
         in the CPU's cache; ours, and the bytes alone, are of 256 MiB of memory.\n\n",
        narrows_nvme::digest::instructions(),
    );
    let ours = |waiting, digests| ours(&program, waiting, digests, BLOCK);
    for operation in [Operation::Read, Operation::Write] {
        let polling: Vec<Box<dyn Window>> =
            vec![ours(Waiting::Poll, ""), Box::new(Floor::new(true))];
        text +=
            &section(&format!("Depth 1, {}, polling", operation.word()), operation, 1, &polling)?;
        let mut sleeping: Vec<Box<dyn Window>> =
            vec![ours(Waiting::Sleep, ""), Box::new(Floor::new(false))];
        sleeping.extend(theirs(scratch));
        text +=
            &section(&format!("Depth 1, {}, sleeping", operation.word()), operation, 1, &sleeping)?;
        let mut deep: Vec<Box<dyn Window>> = vec![
            ours(Waiting::Sleep, ""),
            ours(Waiting::Poll, ""),
            ours(Waiting::Sleep, "&digest=both"),
            ours(Waiting::Poll, "&digest=both"),
        ];
        for waiting in [Waiting::Sleep, Waiting::Poll] {
            deep.push(Box::new(Ours::new(&program, waiting, "", BLOCK).encrypted(scratch)?));
        }
        deep.extend(theirs(scratch));
        text += &section(&format!("Depth 32, {}", operation.word()), operation, 32, &deep)?;
    }
    let large: Vec<Box<dyn Window>> = vec![
        self::ours(&program, Waiting::Sleep, "", LARGE),
        self::ours(&program, Waiting::Poll, "", LARGE),
        Box::new(Ours::new(&program, Waiting::Sleep, "", LARGE).encrypted(scratch)?),
        Box::new(theirs::Stream),
        Box::new(BytesAlone),
    ];
    text += &section("1 MiB reads, depth 4", Operation::Read, 4, &large)?;
    Ok(text)
}

fn ours(program: &Path, waiting: Waiting, digests: &'static str, bytes: u32) -> Box<dyn Window> {
    Box::new(Ours::new(program, waiting, digests, bytes))
}

/// Whether SPDK's target is there to be measured; says so where it isn't.
pub(super) fn has_spdk() -> bool {
    spdk::is_there()
}

/// Ours beside SPDK's target, both under our host. It has a section of its own, because hardly anybody has it: the one on the page
/// stays where it isn't there.
pub(super) fn compare_spdk(_: &Context<'_>, scratch: &Path) -> Result<String> {
    let program = ours::build()?;
    let mut text = format!("{SETTING} {}\n\n", spdk::told());
    for (title, operation, depth, bytes) in [
        ("Depth 1, reads", Operation::Read, 1, BLOCK),
        ("Depth 32, reads", Operation::Read, 32, BLOCK),
        ("Depth 1, writes", Operation::Write, 1, BLOCK),
        ("Depth 32, writes", Operation::Write, 32, BLOCK),
        ("1 MiB reads, depth 4", Operation::Read, 4, LARGE),
    ] {
        let mut both: Vec<Box<dyn Window>> = Vec::new();
        for waiting in [Waiting::Poll, Waiting::Sleep] {
            both.push(self::ours(&program, waiting, "", bytes));
            both.push(Box::new(Spdk::found(scratch, waiting, bytes)?));
        }
        text += &section(title, operation, depth, &both)?;
    }
    Ok(text)
}

/// The peers that are installed here.
fn theirs(scratch: &Path) -> Vec<Box<dyn Window>> {
    let mut found: Vec<Box<dyn Window>> = Vec::new();
    match Nbd::found() {
        Some(nbd) => found.push(Box::new(nbd)),
        None => eprintln!("SKIPPED: nbdkit or fio is not installed"),
    }
    match Iscsi::found(scratch) {
        Some(iscsi) => found.push(Box::new(iscsi)),
        None => eprintln!("SKIPPED: tgt or iscsi-perf is not installed"),
    }
    found
}

fn section(
    title: &str,
    operation: Operation,
    depth: u32,
    contenders: &[Box<dyn Window>],
) -> Result<String> {
    Ok(table(title, &rounds(operation, depth, contenders)?))
}

/// Windows of all of them in turns; twice as many rounds with one operation at a time, whose windows differ by as much as is to be told.
fn rounds(
    operation: Operation,
    depth: u32,
    contenders: &[Box<dyn Window>],
) -> Result<Vec<Samples>> {
    let count = if depth == 1 { 2 * ROUNDS } else { ROUNDS };
    so_many(count, operation, depth, contenders)
}

fn so_many(
    count: u32,
    operation: Operation,
    depth: u32,
    contenders: &[Box<dyn Window>],
) -> Result<Vec<Samples>> {
    let mut all: Vec<Samples> =
        contenders.iter().map(|contender| Samples::new(contender.name())).collect();
    for round in 0..count {
        for index in super::order(round, contenders.len()) {
            if let Some(sample) = contenders[index].measure(operation, depth)? {
                all[index].add(sample);
            }
        }
    }
    Ok(all)
}
