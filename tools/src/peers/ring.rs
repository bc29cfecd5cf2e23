//! The generator alone: a ring of no-ops, with a time stamp per batch and a recorded latency per operation, beside
//! `t/io_uring -N1`, which records nothing.

use std::path::Path;

use anyhow::Result;
use narrows_engine::Context;
use narrows_io::Access;

use super::reads::ours;
use super::target::{self, Goal};
use super::{Contender, ROUNDS, bare, table};

const FILE_BYTES: u64 = 64 << 20;
const DEPTH: u32 = 128;

pub(super) const TITLE: &str = "## A ring of no-ops";

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let Some(bare) = bare::program() else {
        return Ok("NARROWS_PEER_T_IO_URING names no program; nothing to compare with.\n\n".into());
    };
    let file = narrows_layer_block::prepare(ctx, folder, FILE_BYTES, ctx.seed)?;
    let mut arguments: Vec<String> =
        ["-N1", "-d128", "-s32", "-c32", "-p0", "-B1", "-F1", "-R1"].map(String::from).into();
    // It opens a file, too, though it does not read it.
    arguments.push(file.path().display().to_string());
    let mut contenders = [Contender::new("narrows"), Contender::new("t/io_uring -N1")];
    for round in 0..ROUNDS {
        for index in super::order(round, contenders.len()) {
            contenders[index].add_cost(match index {
                0 => ours(ctx, &file, &Access::nop(), DEPTH, round)?,
                _ => bare::run(&bare, &arguments)?,
            });
        }
    }
    let text = table(
        "Depth 128, one thread. Ours chooses a place for each operation, stamps each batch and records every latency; the \
         other stamps and records nothing, in batches of 32.",
        "no-ops",
        &contenders,
    );
    let [ours, theirs] = &contenders;
    let words = "CPU per no-op, of `t/io_uring -N1`'s";
    let goal = Goal::AtMost(1.10);
    Ok(text + &target::line(words, goal, &ours.cpu_per_op_ns, &theirs.cpu_per_op_ns) + "\n")
}
