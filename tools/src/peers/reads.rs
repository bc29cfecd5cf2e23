//! 4 KiB random reads beside fio's io_uring engine, with its defaults and with its best options.

use std::path::Path;

use anyhow::Result;
use narrows_engine::Context;
use narrows_io::{Access, TestFile};

use super::fio::{self, Charged, Fio};
use super::target::{self, Goal};
use super::{Contender, Cost, NO_FIO, ROUNDS, WINDOW, spent, table};

const FILE_BYTES: u64 = 4 << 30;
const BLOCK: u32 = 4096;
const DEPTHS: [u32; 3] = [1, 32, 128];

pub(super) const TITLE: &str = "## Random reads of 4 KiB";

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let peers = Fio::found();
    let Some(newest) = peers.first() else { return Ok(NO_FIO.into()) };
    let mut text = String::from(
        "One file of 4 GiB, fully written with random data, O_DIRECT, one thread, io_uring in all. \"Best\" is registered \
         files, fixed buffers and batches of an eighth of the depth. CPU is user and system time: of ours the whole \
         process's, of fio's its I/O thread's as it reports it. Where interrupts and the kernel's own threads do the work, \
         nobody is charged. How much of \
         it lies outside of the kernel is told by the kernel's ticks, too few of which meet a thread that mostly sleeps; the next \
         section has that figure, of threads that are always busy.\n\n",
    );
    let file = narrows_layer_block::prepare(ctx, folder, FILE_BYTES, ctx.seed)?;
    for depth in DEPTHS {
        let mut contenders = vec![
            Contender::new("narrows"),
            Contender::new(format!("{}, defaults", newest.version)),
        ];
        contenders.extend(
            peers.iter().map(|fio| Contender::new(format!("{}, best options", fio.version))),
        );
        for round in 0..ROUNDS {
            for index in super::order(round, contenders.len()) {
                let theirs = |fio: &Fio, options: &[String]| {
                    fio.reads(file.path(), BLOCK, depth, options, Charged::Thread)
                };
                let cost = match index {
                    0 => ours(ctx, &file, &Access::best(), depth, round)?,
                    1 => theirs(newest, &[])?,
                    _ => theirs(&peers[index - 2], &fio::best(depth))?,
                };
                contenders[index].add(cost.rate_per_s, cost.cpu_per_op_ns);
            }
        }
        text += &table(&format!("Depth {depth}:"), "reads", &contenders);
        text += &targets(&contenders);
    }
    Ok(text)
}

/// Of ours, beside fio with its best options.
fn targets(contenders: &[Contender]) -> String {
    let (ours, best) = (&contenders[0], &contenders[2]);
    let cpu = target::line(
        "CPU per read, of fio's with its best options",
        Goal::AtMost(1.0),
        &ours.cpu_per_op_ns,
        &best.cpu_per_op_ns,
    );
    cpu + "\n"
}

/// One window of ours.
pub(super) fn ours(
    ctx: &Context<'_>,
    file: &TestFile,
    access: &Access,
    depth: u32,
    round: u32,
) -> Result<Cost> {
    let ctx = Context { seed: ctx.seed ^ (u64::from(round) << 20), ..*ctx };
    let (once, user_share) = spent::user_share(|| {
        Ok(narrows_layer_block::random_read_once(&ctx, file, access, BLOCK, depth, WINDOW)?)
    })?;
    Ok(Cost {
        rate_per_s: once.throughput_per_s,
        cpu_per_op_ns: once.cpu_per_op_ns,
        user_per_op_ns: once.cpu_per_op_ns * user_share,
    })
}
