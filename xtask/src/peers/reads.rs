//! 4 KiB random reads beside fio's io_uring engine, with its defaults and with its best options.

use std::path::Path;

use anyhow::Result;
use narrows_engine::Context;
use narrows_io::{Access, TestFile};

use super::{Contender, Cost, ROUNDS, WINDOW, fio, table};

const FILE_BYTES: u64 = 4 << 30;
const BLOCK: u32 = 4096;
const DEPTHS: [u32; 3] = [1, 32, 128];

pub(super) const TITLE: &str = "## Random reads of 4 KiB";

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let mut text = String::new();
    let Some(version) = fio::version() else {
        return Ok(text + "fio is not installed here; nothing to compare with.\n\n");
    };
    text += &format!(
        "One file of 4 GiB, fully written with random data, O_DIRECT, one thread; {version}, io_uring in both. \"Best\" \
         is registered files, fixed buffers and batches of an eighth of the depth. CPU is user and system time of the \
         whole process; where interrupts and the kernel's own threads do the work, nobody is charged.\n\n"
    );
    let file = narrows_layer_block::prepare(ctx, folder, FILE_BYTES, ctx.seed)?;
    for depth in DEPTHS {
        let mut contenders = [
            Contender::new("narrows"),
            Contender::new("fio, defaults"),
            Contender::new("fio, best options"),
        ];
        for round in 0..ROUNDS {
            let mut order = [0, 1, 2];
            order.rotate_left(round as usize % 3);
            for index in order {
                contenders[index].add_cost(match index {
                    0 => ours(ctx, &file, &Access::best(), depth, round)?,
                    1 => fio::reads(file.path(), BLOCK, depth, &[])?,
                    _ => fio::reads(file.path(), BLOCK, depth, &fio::best(depth))?,
                });
            }
        }
        text += &table(&format!("Depth {depth}:"), "reads", &contenders);
    }
    Ok(text)
}

/// One window of ours. The part outside of the kernel is that of the whole call, warm-up included.
pub(super) fn ours(
    ctx: &Context<'_>,
    file: &TestFile,
    access: &Access,
    depth: u32,
    round: u32,
) -> Result<Cost> {
    let ctx = Context { seed: ctx.seed ^ (u64::from(round) << 20), ..*ctx };
    let before = times();
    let once = narrows_layer_block::random_read_once(&ctx, file, access, BLOCK, depth, WINDOW)?;
    let after = times();
    let (user, system) = (after.0 - before.0, after.1 - before.1);
    Ok(Cost {
        rate_per_s: once.throughput_per_s,
        cpu_per_op_ns: once.cpu_per_op_ns,
        user_per_op_ns: once.cpu_per_op_ns * user / (user + system),
    })
}

/// CPU time of this process so far, outside of the kernel and inside, seconds.
pub(super) fn times() -> (f64, f64) {
    // SAFETY: `rusage` is plain data that the call fills.
    let mut usage: libc::rusage = unsafe { std::mem::zeroed() };
    // SAFETY: the pointer is valid for the call.
    unsafe { libc::getrusage(libc::RUSAGE_SELF, &mut usage) };
    let seconds = |t: libc::timeval| t.tv_sec as f64 + t.tv_usec as f64 * 1e-6;
    (seconds(usage.ru_utime), seconds(usage.ru_stime))
}
