//! The generator alone: a ring of no-ops, with a time stamp per batch and a recorded latency per operation, beside
//! `t/io_uring -N1`, which records nothing.

use std::path::Path;

use anyhow::Result;
use narrows_engine::Context;
use narrows_io::Access;

use super::reads::ours;
use super::{Contender, ROUNDS, fio, table};

const FILE_BYTES: u64 = 64 << 20;
const DEPTH: u32 = 128;

pub(super) const TITLE: &str = "## A ring of no-ops";

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let Some(bare) = fio::bare() else {
        return Ok("NARROWS_PEER_T_IO_URING names no program; nothing to compare with.\n\n".into());
    };
    let file = narrows_layer_block::prepare(ctx, folder, FILE_BYTES, ctx.seed)?;
    let mut arguments: Vec<String> =
        ["-N1", "-d128", "-s32", "-c32", "-p0", "-B1", "-F1", "-R1"].map(String::from).into();
    // It opens a file, too, though it does not read it.
    arguments.push(file.path().display().to_string());
    let mut contenders = [Contender::new("narrows"), Contender::new("t/io_uring -N1")];
    for round in 0..ROUNDS {
        let mut order = [0, 1];
        order.rotate_left(round as usize % 2);
        for index in order {
            if index == 0 {
                contenders[0].add_cost(ours(ctx, &file, &Access::nop(), DEPTH, round)?);
            } else {
                let rate = fio::bare_rate(&bare, &arguments)?;
                // It keeps one CPU busy.
                contenders[1].add(rate, 1e9 / rate);
            }
        }
    }
    Ok(table(
        "Depth 128, one thread. Ours chooses a place for each operation, stamps each batch and records every latency; the \
         other stamps and records nothing, in batches of 32. Its CPU is one CPU's time.",
        "no-ops",
        &contenders,
    ))
}
