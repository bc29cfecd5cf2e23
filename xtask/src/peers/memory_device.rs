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

use super::{Contender, Cost, ROUNDS, WINDOW, fio, table};

const BYTES: u64 = 512 << 20;
const DEPTHS: [u32; 2] = [32, 128];
const BLOCK: u32 = 4096;

pub(super) const TITLE: &str = "## Random reads of 4 KiB from a device in memory";

pub(super) fn compare(ctx: &Context<'_>, _: &Path) -> Result<String> {
    let Some(version) = fio::version() else {
        return Ok("fio is not installed here; nothing to compare with.\n\n".into());
    };
    let device = match Zram::set_up(ctx.seed) {
        Ok(device) => device,
        Err(reason) => {
            eprintln!("SKIPPED: no device in memory: {reason:#}");
            return Ok(format!("Not measured: {reason:#}.\n\n"));
        }
    };
    let mut text = format!(
        "zram of 512 MiB with data that doesn't compress, O_DIRECT, one thread, io_uring; {version}. zram answers inside of \
         the submission, so this is the cost of asking and of copying 4 KiB. CPU of ours is the whole process's, kernel workers of its \
         ring included; fio's and t/io_uring's is their thread's alone, so only rates and time outside of the kernel \
         compare.\n\n"
    );
    let bare = fio::bare();
    for depth in DEPTHS {
        let mut contenders = vec![
            Contender::new("narrows"),
            Contender::new("fio, defaults"),
            Contender::new("fio, best options"),
        ];
        if bare.is_some() {
            contenders.push(Contender::new("t/io_uring"));
        }
        for round in 0..ROUNDS {
            let mut order: Vec<usize> = (0..contenders.len()).collect();
            order.rotate_left(round as usize % contenders.len());
            for index in order {
                match (index, &bare) {
                    (0, _) => contenders[0].add_cost(ours(ctx, &device, depth, round)?),
                    (1, _) => {
                        contenders[1].add_cost(fio::reads(&device.path, BLOCK, depth, &[])?);
                    }
                    (2, _) => {
                        let best = fio::best(depth);
                        contenders[2].add_cost(fio::reads(&device.path, BLOCK, depth, &best)?);
                    }
                    (_, Some(bare)) => {
                        let rate = fio::bare_rate(bare, &bare_arguments(depth, &device.path))?;
                        // It keeps one CPU busy.
                        contenders[3].add(rate, 1e9 / rate);
                    }
                    (_, None) => {}
                }
            }
        }
        text += &table(&format!("Depth {depth}:"), "reads", &contenders);
    }
    Ok(text)
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
    let before = super::reads::times();
    let outcome = run_scenario(ctx, &scenario, &Watch::none())?.remove(0);
    let after = super::reads::times();
    let (user, system) = (after.0 - before.0, after.1 - before.1);
    Ok(Cost {
        rate_per_s: outcome.throughput_per_s(),
        cpu_per_op_ns: outcome.cpu_per_op_ns,
        user_per_op_ns: outcome.cpu_per_op_ns * user / (user + system),
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
