//! The storage fabric on loopback: our target under our host beside SPDK's under our host, nbdkit under fio and tgt under iscsi-perf, and
//! all of them beside the floor: the same bytes back and forth with nothing behind them.
//!
//! Targets run on the first CPU, hosts on the second. Every contender has a window in each round, in a new order each round. Host and
//! target are one machine: what is measured is software and loopback, and no network.

mod floor;
mod ours;
mod sample;
mod spdk;
mod theirs;

use std::path::Path;

use anyhow::Result;
use narrows_engine::Context;

use self::floor::Floor;
use self::ours::{Ours, Waiting};
use self::sample::{Samples, table};
use self::spdk::Spdk;
use self::theirs::{Iscsi, Nbd};
use super::ROUNDS;

pub(super) const TITLE: &str = "## NVMe/TCP on loopback";

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
        "4 KiB, random, in memory. Target on CPU 0, host on CPU 1; CPU of both sides per operation. The floor is a ping-pong of the PDUs' sizes. \
         Digests by {}. {}\n\n",
        narrows_nvme::digest::instructions(),
        spdk::told(),
    );
    let spdk = |waiting, bytes| -> Option<Box<dyn Window>> {
        Spdk::found(scratch, waiting, bytes).map(|spdk| Box::new(spdk) as Box<dyn Window>)
    };
    let ours = |waiting, digests| {
        Box::new(Ours::new(&program, waiting, digests, BLOCK)) as Box<dyn Window>
    };
    for operation in [Operation::Read, Operation::Write] {
        let mut polling: Vec<Box<dyn Window>> =
            vec![ours(Waiting::Poll, ""), Box::new(Floor::new(true))];
        polling.extend(spdk(Waiting::Poll, BLOCK));
        text +=
            &section(&format!("Depth 1, {}, polling", operation.word()), operation, 1, &polling)?;
        let mut sleeping: Vec<Box<dyn Window>> =
            vec![ours(Waiting::Sleep, ""), Box::new(Floor::new(false))];
        sleeping.extend(spdk(Waiting::Sleep, BLOCK));
        sleeping.extend(theirs(scratch));
        text +=
            &section(&format!("Depth 1, {}, sleeping", operation.word()), operation, 1, &sleeping)?;
        let mut deep: Vec<Box<dyn Window>> = vec![
            ours(Waiting::Sleep, ""),
            ours(Waiting::Poll, ""),
            ours(Waiting::Sleep, "&digest=both"),
            ours(Waiting::Poll, "&digest=both"),
        ];
        deep.extend([Waiting::Sleep, Waiting::Poll].into_iter().filter_map(|how| spdk(how, BLOCK)));
        deep.extend(theirs(scratch));
        text += &section(&format!("Depth 32, {}", operation.word()), operation, 32, &deep)?;
    }
    let mut large: Vec<Box<dyn Window>> = vec![
        Box::new(Ours::new(&program, Waiting::Sleep, "", LARGE)),
        Box::new(Ours::new(&program, Waiting::Poll, "", LARGE)),
        Box::new(theirs::Stream),
    ];
    large.extend(spdk(Waiting::Poll, LARGE));
    text += &section("1 MiB reads, depth 4", Operation::Read, 4, &large)?;
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
    let mut all: Vec<Samples> =
        contenders.iter().map(|contender| Samples::new(contender.name())).collect();
    for round in 0..ROUNDS {
        for index in super::order(round, contenders.len()) {
            if let Some(sample) = contenders[index].measure(operation, depth)? {
                all[index].add(sample);
            }
        }
    }
    Ok(table(title, &all))
}
