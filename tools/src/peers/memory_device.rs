//! A device in memory: what one CPU can ask for when the device is never the reason.
//!
//! An unused zram (compressed memory behind a block device, `Documentation/admin-guide/blockdev/zram.rst`), filled with
//! data that doesn't compress, read past the page cache by one thread on one CPU. Given back afterwards. Needs root
//! and a zram that nobody has set up; left out loudly elsewhere.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use narrows_engine::{Context, Rng};
use narrows_io::{Access, Target};
use narrows_layer_block::{Region, Scenario, Stream, run_scenario};
use narrows_observe::Watch;

use super::fio::{self, Charged, Fio};
use super::target::{self, Goal};
use super::{Contender, Cost, NO_FIO, ROUNDS, WINDOW, bare, spent, table};

const BYTES: u64 = 512 << 20;
const DEPTHS: [u32; 2] = [32, 128];
const BLOCK: u32 = 4096;

pub(super) const TITLE: &str = "## Random reads of 4 KiB from a device in memory";

pub(super) fn compare(ctx: &Context<'_>, _: &Path) -> Result<String> {
    let Some(fio) = Fio::found().into_iter().next() else { return Ok(NO_FIO.into()) };
    let device = match Zram::set_up(ctx.seed) {
        Ok(device) => device,
        Err(reason) => {
            eprintln!("SKIPPED: no device in memory: {reason:#}");
            return Ok(format!("Not measured: {reason:#}.\n\n"));
        }
    };
    let mut text = format!(
        "zram of 512 MiB with data that doesn't compress, O_DIRECT, one thread, io_uring; {}. Kernels that hand \
         such reads to workers of the ring charge these to the process: CPU is the whole process's in each, and fio's is less what a \
         fio without I/O takes to start and to end. Reads per second of CPU are one over that. Each batch wakes such a worker, so \
         larger ones cost less: ours and fio's best hand over an eighth of the depth at once, `t/io_uring` a quarter.\n\n",
        fio.version
    );
    let bare = bare::program();
    let charged = Charged::Process { idle_s: fio.idle_s()? };
    for depth in DEPTHS {
        let mut contenders = vec![
            Contender::new("narrows"),
            Contender::new("fio, defaults"),
            Contender::new("fio, best options"),
        ];
        contenders.extend(bare.is_some().then(|| Contender::new("t/io_uring")));
        for round in 0..ROUNDS {
            for index in super::order(round, contenders.len()) {
                let theirs =
                    |options: &[String]| fio.reads(&device.path, BLOCK, depth, options, charged);
                contenders[index].add_cost(match (index, &bare) {
                    (0, _) => ours(ctx, &device, depth, round)?,
                    (3, Some(bare)) => bare::run(bare, &bare_arguments(depth, &device.path))?,
                    (1, _) => theirs(&[])?,
                    _ => theirs(&fio::best(depth))?,
                });
            }
        }
        text += &table(&format!("Depth {depth}:"), "reads", &contenders);
        text += &targets(&contenders);
    }
    Ok(text)
}

fn targets(contenders: &[Contender]) -> String {
    let per_core = |words: &str, bound: f64, peer: &Contender| {
        let (ours, theirs) = (&contenders[0].cpu_per_op_ns, &peer.cpu_per_op_ns);
        target::line(words, Goal::AtLeast(bound), theirs, ours)
    };
    let mut text =
        per_core("reads per second of CPU, of fio's with its best options", 1.0, &contenders[2]);
    if let Some(bare) = contenders.get(3) {
        text += &per_core("reads per second of CPU, of `t/io_uring`'s", 0.97, bare);
    }
    text + &user_target(&contenders[0], &contenders[2]) + "\n"
}

/// The part outside of the kernel.
fn user_target(ours: &Contender, theirs: &Contender) -> String {
    target::pooled(
        "CPU outside of the kernel, of fio's with its best options",
        Goal::AtMost(0.5),
        &ours.user_per_op_ns,
        &theirs.user_per_op_ns,
    )
}

fn bare_arguments(depth: u32, path: &Path) -> Vec<String> {
    let batch = (depth / 4).max(1);
    let mut arguments: Vec<String> = ["-p0", "-B1", "-F1", "-R1", "-O1"].map(String::from).into();
    arguments.push(format!("-d{depth}"));
    arguments.push(format!("-s{batch}"));
    arguments.push(format!("-c{batch}"));
    arguments.push(path.display().to_string());
    arguments
}

fn ours(ctx: &Context<'_>, device: &Zram, depth: u32, round: u32) -> Result<Cost> {
    let region = Region::from(Target::open_read(&device.path, true)?);
    let seed = ctx.seed ^ (u64::from(round) << 20);
    let mut stream = Stream::reads("memory_device", region, BLOCK, depth, Access::best());
    stream.order_seed = Some(seed);
    let warm_up = std::time::Duration::from_millis(200);
    let scenario = Scenario::of(stream, warm_up, WINDOW, seed);
    let (outcome, user_share) =
        spent::user_share(|| Ok(run_scenario(ctx, &scenario, &Watch::none())?.remove(0)))?;
    Ok(Cost {
        rate_per_s: outcome.throughput_per_s(),
        cpu_per_op_ns: outcome.cpu_per_op_ns,
        user_per_op_ns: outcome.cpu_per_op_ns * user_share,
    })
}

/// A zram set up here, and given back when dropped.
struct Zram {
    path: PathBuf,
    folder: PathBuf,
}

impl Zram {
    fn set_up(seed: u64) -> Result<Zram> {
        let folder = PathBuf::from("/sys/block/zram0");
        let size = std::fs::read_to_string(folder.join("disksize"))
            .context("this kernel has no /sys/block/zram0")?;
        anyhow::ensure!(size.trim() == "0", "/sys/block/zram0 is in use");
        std::fs::write(folder.join("disksize"), BYTES.to_string())
            .context("setting up /sys/block/zram0")?;
        let device = Zram { path: "/dev/zram0".into(), folder };
        let mut file = std::fs::OpenOptions::new()
            .write(true)
            .open(&device.path)
            .with_context(|| format!("opening {}", device.path.display()))?;
        let mut rng = Rng::new(seed);
        let mut chunk = vec![0u8; 1 << 20];
        for _ in 0..BYTES / chunk.len() as u64 {
            for word in chunk.chunks_exact_mut(8) {
                word.copy_from_slice(&rng.next_u64().to_le_bytes());
            }
            file.write_all(&chunk).context("filling the zram")?;
        }
        file.sync_all()?;
        Ok(device)
    }
}

impl Drop for Zram {
    fn drop(&mut self) {
        if let Err(error) = std::fs::write(self.folder.join("reset"), "1") {
            eprintln!("warning: {} could not be given back: {error}", self.path.display());
        }
    }
}
