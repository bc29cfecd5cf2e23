//! 4 KiB random reads beside fio's io_uring engine, with its defaults and with its best options.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use narrows_engine::Context;
use narrows_io::{Access, TestFile};
use serde_json::Value;

use super::{Contender, ROUNDS, WINDOW, table};

const FILE_BYTES: u64 = 4 << 30;
const BLOCK: u32 = 4096;
const DEPTHS: [u32; 3] = [1, 32, 128];

pub(super) const TITLE: &str = "## Random reads of 4 KiB";

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let mut text = String::new();
    let Some(version) = fio_version() else {
        return Ok(text + "fio is not installed here; nothing to compare with.\n\n");
    };
    text += &format!(
        "One file of 4 GiB, fully written with random data, O_DIRECT, one thread; {version}, io_uring in both. \"Best\" \
         is registered files, fixed buffers and batches of an eighth of the depth. CPU is user and system time of the \
         whole process.\n\n"
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
                let (rate, cpu) = match index {
                    0 => ours(ctx, &file, depth, round)?,
                    1 => fio(file.path(), depth, &[])?,
                    _ => fio(file.path(), depth, &best(depth))?,
                };
                contenders[index].add(rate, cpu);
            }
        }
        text += &table(&format!("Depth {depth}:"), "reads", &contenders);
    }
    Ok(text)
}

fn ours(ctx: &Context<'_>, file: &TestFile, depth: u32, round: u32) -> Result<(f64, f64)> {
    let ctx = Context { seed: ctx.seed ^ (u64::from(round) << 20), ..*ctx };
    let access = Access::best();
    let once = narrows_layer_block::random_read_once(&ctx, file, &access, BLOCK, depth, WINDOW)?;
    Ok((once.throughput_per_s, once.cpu_per_op_ns))
}

fn best(depth: u32) -> Vec<String> {
    let batch = (depth / 8).max(1);
    vec![
        "--registerfiles=1".into(),
        "--fixedbufs=1".into(),
        format!("--iodepth_batch_submit={batch}"),
        format!("--iodepth_batch_complete_min={batch}"),
        format!("--iodepth_batch_complete_max={depth}"),
    ]
}

fn fio_version() -> Option<String> {
    let output = Command::new("fio").arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn fio(path: &Path, depth: u32, options: &[String]) -> Result<(f64, f64)> {
    let output = Command::new("fio")
        .args(["--name=peer", "--rw=randread", "--direct=1", "--ioengine=io_uring"])
        .args(["--time_based", "--norandommap", "--randrepeat=0", "--output-format=json"])
        .arg(format!("--filename={}", path.display()))
        .arg(format!("--bs={BLOCK}"))
        .arg(format!("--iodepth={depth}"))
        .arg(format!("--runtime={}", WINDOW.as_secs()))
        .args(options)
        .output()
        .context("running fio")?;
    let said = String::from_utf8_lossy(&output.stdout);
    // Warnings may precede the document.
    let start = said.find('{').unwrap_or(0);
    let Ok(document) = serde_json::from_str::<Value>(&said[start..]) else {
        bail!("fio said:\n{said}{}", String::from_utf8_lossy(&output.stderr));
    };
    let job = &document["jobs"][0];
    let number = |value: &Value| value.as_f64().context("a figure is missing in fio's answer");
    let rate = number(&job["read"]["iops"])?;
    let cpu = number(&job["usr_cpu"])? + number(&job["sys_cpu"])?;
    Ok((rate, cpu / 100.0 / rate * 1e9))
}
