//! One trial: writes, an end in the middle of them, recovery, and a look at every block.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Result, anyhow, bail};
use narrows_initiator::{Address, Association, PathOptions};
use narrows_io::{Arena, Completion, DevicePath, Op};
use narrows_lab_drive::{DriveContents, Lab, missing};
use serde::{Deserialize, Serialize};

use super::Record;
use super::model::{BLOCK, Model, fill};
use crate::logged_disk::{Disk, NQN, Target, resize_log};

const BLOCKS: usize = 64;
const DEPTH: u32 = 8;
const DRIVE_BYTES: u64 = 64 << 20;
/// Room of the log, bytes.
const LOG_BYTES: u64 = 4 << 20;

/// What ends the target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum End {
    Kill,
    Cut,
    LyingCut,
}

/// What a trial is.
#[derive(Debug)]
pub(super) struct Setting {
    end: End,
    media: u8,
    acknowledge: &'static str,
    /// The log gets other sizes meanwhile, one after the other.
    resized: bool,
    /// Writes that are begun before the end.
    writes: u64,
    seed: u64,
}

impl Setting {
    pub(super) fn of(end: End, seed: u64) -> Setting {
        let (media, acknowledge) = [(1, "all"), (2, "all"), (2, "first")][(seed % 3) as usize];
        let resized = seed / 3 % 2 == 1;
        Setting { end, media, acknowledge, resized, writes: 20 + seed * 7919 % 4000, seed }
    }
}

/// Runs it.
pub(super) fn run(setting: &Setting) -> Result<Record> {
    let folder = tempfile::Builder::new().prefix("narrows-log-ends-").tempdir_in("/var/tmp")?;
    if setting.end == End::Kill {
        return killed(setting, folder.path());
    }
    if let Some(reason) = missing(DriveContents::Ext4) {
        bail!("no laboratory: {reason}");
    }
    // Its mounts go with the thread.
    std::thread::scope(|scope| {
        let trial = scope.spawn(|| cut(setting, folder.path()));
        trial.join().map_err(|_| anyhow!("the trial panicked"))?
    })
}

fn disk(folder: &Path, setting: &Setting) -> Result<Disk> {
    let media = (0..setting.media).map(|medium| folder.join(format!("log-{medium}"))).collect();
    let disk = Disk::of_zeros(&folder.join("disk"), (BLOCKS * BLOCK) as u64)?;
    disk.with_log(media, LOG_BYTES, setting.acknowledge)
}

fn killed(setting: &Setting, folder: &Path) -> Result<Record> {
    let disk = disk(folder, setting)?;
    let control = folder.join("control");
    let mut target = disk.serve_asked_at(&control)?;
    let load = load(setting, &mut target, &control, |target| {
        target.kill();
        Ok(())
    })?;
    look(setting, Ok(disk), load)
}

fn cut(setting: &Setting, folder: &Path) -> Result<Record> {
    let program = crate::root().join("target/release/narrows-lab-drive");
    let mut lab = Lab::start(&program, folder, DriveContents::Ext4, DRIVE_BYTES)?;
    let disk = disk(&lab.files(), setting)?;
    lab.sync()?;
    let control = folder.join("control");
    let mut target = disk.serve_asked_at(&control)?;
    if setting.end == End::LyingCut {
        lab.drive().lie()?;
    }
    let load = load(setting, &mut target, &control, |target| {
        lab.cut(Some(setting.seed))?;
        target.kill();
        Ok(())
    })?;
    let disk = lab.mount_afresh().map(|()| disk.below(&lab.files())).map_err(Into::into);
    look(setting, disk, load)
}

/// What was done until the end.
struct Loaded {
    model: Model,
    acknowledged: u64,
    /// Sizes that the log got.
    sizes: u64,
}

/// Writes until the end, and gives the log other sizes meanwhile where that is the trial.
fn load(
    setting: &Setting,
    target: &mut Target,
    control: &Path,
    mut end: impl FnMut(&mut Target) -> Result<()>,
) -> Result<Loaded> {
    let (ends, port) = (AtomicBool::new(false), target.port);
    std::thread::scope(|scope| {
        let resizing =
            setting.resized.then(|| scope.spawn(|| resize_until(&ends, setting.seed, control)));
        let written = write(setting, port, || {
            ends.store(true, Ordering::SeqCst);
            end(target)
        });
        ends.store(true, Ordering::SeqCst);
        let sizes = match resizing {
            Some(resizing) => resizing.join().map_err(|_| anyhow!("resizing panicked"))??,
            None => 0,
        };
        let (model, acknowledged) = written?;
        Ok(Loaded { model, acknowledged, sizes })
    })
}

/// Gives a log one size after the other until its target ends; how many it got.
fn resize_until(ends: &AtomicBool, seed: u64, control: &Path) -> Result<u64> {
    let mut sizes = 0;
    while !ends.load(Ordering::SeqCst) {
        // 4 to 16 MiB, each once before one comes again.
        let room = (4 + (seed + sizes * 5) % 13) << 20;
        match resize_log(control, room) {
            Ok(()) => sizes += 1,
            // It ended meanwhile.
            Err(_) if ends.load(Ordering::SeqCst) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(sizes)
}

/// Writes eight blocks at a time until so many were begun, then ends it and takes the answers that were on their way.
fn write(
    setting: &Setting,
    port: u16,
    mut end: impl FnMut() -> Result<()>,
) -> Result<(Model, u64)> {
    let address: Address = format!("nvme-tcp://127.0.0.1:{port}/{NQN}").parse()?;
    let association = Arc::new(Association::connect(&address, 1)?);
    let arena = Arena::new(DEPTH, BLOCK as u32, 4096)?;
    let mut path = association.path(arena, PathOptions::default())?;
    let mut model = Model::new(BLOCKS);
    let mut under_way = [(0, 0); DEPTH as usize];
    let mut free: Vec<u32> = (0..DEPTH).collect();
    let mut acknowledged = 0;
    let mut take = |model: &mut Model, done: &Completion, under_way: &[(usize, u64)]| {
        if done.result == BLOCK as i32 {
            let (block, value) = under_way[done.slot as usize];
            model.acknowledged(block, value);
            acknowledged += 1;
        }
    };
    for number in 1..=setting.writes {
        let mut done = Vec::new();
        while free.is_empty() {
            path.reap(1, &mut done)?;
            for done in done.drain(..) {
                take(&mut model, &done, &under_way);
                free.push(done.slot);
            }
        }
        let Some(slot) = free.pop() else { continue };
        // The next block is none of those under way: 5 has no factor in common with 64.
        let block = (number as usize * 5) % model.blocks();
        fill(&mut path.buffer(slot)[..BLOCK], number);
        model.begun(block, number);
        under_way[slot as usize] = (block, number);
        path.submit(Op::Write, slot, (block * BLOCK) as u64, BLOCK as u32);
    }
    end()?;
    let mut done = Vec::new();
    while path.in_flight() > 0 && path.reap(1, &mut done).is_ok() {}
    done.iter().for_each(|done| take(&mut model, done, &under_way));
    Ok((model, acknowledged))
}

fn look(setting: &Setting, disk: Result<Disk>, load: Loaded) -> Result<Record> {
    let Loaded { model, acknowledged, sizes } = load;
    let moved = disk.and_then(|disk| {
        let records = disk.flush()?;
        Ok((records, model.compare(&std::fs::read(&disk.file)?)?))
    });
    let (records, outcome) = match moved {
        // After lies the log may be refused, or the file system damaged.
        Err(_) if setting.end == End::LyingCut => (0, model.all_lost()),
        moved => moved?,
    };
    let (end, media, resized) = (setting.end, setting.media, setting.resized);
    let acknowledge = setting.acknowledge.to_string();
    Ok(Record { end, media, acknowledge, resized, sizes, acknowledged, records, outcome })
}
