//! One durable page after the other beside `pg_test_fsync` and fio.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::Context;
use narrows_facts::affinity;
use narrows_layer_wal::{LadderPlace, LadderPlan, Method, WriteVariant, measure_ladder};
use narrows_model::metric;
use narrows_observe::Watch;

use super::flush_test;
use crate::peers::agree::{self, MeanTimes};
use crate::peers::fio::Fio;
use crate::peers::{NO_FIO, ROUNDS, WINDOW, order};
use crate::server::Programs;

pub(crate) const TITLE: &str = "## Durable pages of 8 KiB";

const DIRECT: WriteVariant = WriteVariant { method: Method::DsyncDirect, ..WriteVariant::POSTGRES };
/// A small commit; the steps above the writes are measured too and not used here.
const COMMIT_BYTES: u64 = 200;

pub(crate) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let Some(fio) = Fio::found().into_iter().next() else { return Ok(NO_FIO.into()) };
    let found = match Programs::here() {
        Ok(programs) => programs.found,
        Err(error) => return Ok(format!("Not measured: {error}\n\n")),
    };
    let program = found.bin_dir.join("pg_test_fsync");
    let file = folder.join("fio");
    let four = |how: &str, theirs: &str, option: &str| {
        [
            MeanTimes::new(format!("narrows, {how}")),
            MeanTimes::new(format!("{}, {option}, as ours", fio.version)),
            MeanTimes::new(format!("pg_test_fsync, {theirs}")),
            MeanTimes::new(format!("{}, {option}, as pg_test_fsync", fio.version)),
        ]
    };
    let mut cached = four("write and fdatasync", "fdatasync", "fdatasync=1");
    let mut direct = four("O_DSYNC and O_DIRECT", "open_datasync", "sync=dsync, direct=1");
    for round in 0..ROUNDS {
        for index in order(round, 4) {
            let (cached_ns, direct_ns) = match index {
                0 => ours(ctx, folder, round)?,
                1 => fios(&fio, &file, "--size=64m")?,
                2 => {
                    let told = flush_test::run(&program, folder, WINDOW.as_secs())?;
                    (told.fdatasync_ns, told.dsync_direct_ns)
                }
                _ => fios(&fio, &file, "--size=8k")?,
            };
            cached[index].mean_ns.push(cached_ns);
            direct[index].mean_ns.push(direct_ns);
        }
    }
    let mut text = format!(
        "One thread writes 8 KiB after 8 KiB over blocks that were written before, each durable before the next; means of \
         windows, the median of {ROUNDS} of them. Ours are the ladder's steps `{}` and `{}`, in a file of 64 MiB and round again, written whole \
         just before. pg_test_fsync writes the first page of its file of 16 MiB again and again. fio comes twice, once in the one way and once in the \
         other, so that what the place does can be told from what the program does; its file is written just before, too, and its mean is that of its writes and \
         that of its flushes together. Two agree where 1 lies in the 95 % interval of their ratio, round by round.\n\n",
        WriteVariant::POSTGRES.name(),
        DIRECT.name()
    );
    for (caption, said) in [
        ("Through the page cache, then `fdatasync`:", &cached),
        ("Past the page cache, each write durable by itself:", &direct),
    ] {
        text += &agree::table(caption, "a durable write", said);
        text += &agree::line(&said[1], &said[0]);
        text += &agree::line(&said[2], &said[0]);
        text += &agree::line(&said[2], &said[3]);
        text += &agree::line(&said[3], &said[1]);
        text += "\n";
    }
    Ok(text)
}

/// fio through the cache and past it, over so much of its file, which is written just before each.
fn fios(fio: &Fio, file: &Path, size: &str) -> Result<(f64, f64)> {
    let durable_ns = |options: &[&str]| {
        fio.fill(file)?;
        fio.durable_write_ns(file, &[options, &[size]].concat())
    };
    Ok((durable_ns(&["--fdatasync=1"])?, durable_ns(&["--sync=dsync", "--direct=1"])?))
}

/// Both steps once.
fn ours(ctx: &Context<'_>, folder: &Path, round: u32) -> Result<(f64, f64)> {
    let seed = ctx.seed ^ (u64::from(round) << 20);
    let ctx = Context { seed, repeats: 1, window: WINDOW - Duration::from_millis(500), ..*ctx };
    let plan = LadderPlan {
        cells: vec![DIRECT],
        device: None,
        queue: None,
        bytes_per_commit: COMMIT_BYTES,
        cpus: affinity::current(),
        beside_bytes: 0,
        with_tier: false,
    };
    let place = LadderPlace { log: folder, data: folder, tier: None };
    let laddered = measure_ladder(&ctx, place, &Watch::none(), &plan, Vec::new())?;
    let mean_ns = |cell: WriteVariant| {
        let id = format!("log.ladder.{}.alone", cell.name());
        let measured = laddered.measurements.iter().find(|m| m.id == id);
        measured
            .and_then(|m| m.value(metric::LATENCY_MEAN))
            .with_context(|| format!("{id} was not measured: {:?}", laddered.absent))
    };
    Ok((mean_ns(WriteVariant::POSTGRES)?, mean_ns(DIRECT)?))
}
