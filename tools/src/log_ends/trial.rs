//! One trial: writes, an end in the middle of them, recovery, and a look at every block.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use narrows_initiator::{Address, Association, PathOptions};
use narrows_io::{Arena, Completion, DevicePath, Op};
use narrows_lab_drive::{DriveContents, Lab, missing};
use serde::{Deserialize, Serialize};

use super::Record;
use super::model::{BLOCK, Model, fill};
use crate::logged_disk::{Disk, NQN};

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
    /// Writes that are begun before the end.
    writes: u64,
    seed: u64,
}

impl Setting {
    pub(super) fn of(end: End, seed: u64) -> Setting {
        let (media, acknowledge) = [(1, "all"), (2, "all"), (2, "first")][(seed % 3) as usize];
        Setting { end, media, acknowledge, writes: 20 + seed * 7919 % 4000, seed }
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
    let mut target = disk.serve()?;
    let port = target.port;
    let (model, acknowledged) = load(setting, port, || {
        target.kill();
        Ok(())
    })?;
    look(setting, &disk, &model, acknowledged)
}

fn cut(setting: &Setting, folder: &Path) -> Result<Record> {
    let program = crate::root().join("target/release/narrows-lab-drive");
    let mut lab = Lab::start(&program, folder, DriveContents::Ext4, DRIVE_BYTES)?;
    let disk = disk(&lab.files(), setting)?;
    lab.sync()?;
    let mut target = disk.serve()?;
    if setting.end == End::LyingCut {
        lab.drive().lie()?;
    }
    let port = target.port;
    let (model, acknowledged) = load(setting, port, || {
        lab.cut(Some(setting.seed))?;
        target.kill();
        Ok(())
    })?;
    lab.mount_afresh()?;
    let disk = disk.below(&lab.files());
    look(setting, &disk, &model, acknowledged)
}

/// Writes eight blocks at a time until so many were begun, then ends it and takes the answers that were on their way.
fn load(setting: &Setting, port: u16, mut end: impl FnMut() -> Result<()>) -> Result<(Model, u64)> {
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

fn look(setting: &Setting, disk: &Disk, model: &Model, acknowledged: u64) -> Result<Record> {
    let records = disk.flush()?;
    let outcome = model.compare(&std::fs::read(&disk.file)?)?;
    let (end, media) = (setting.end, setting.media);
    let acknowledge = setting.acknowledge.to_string();
    Ok(Record { end, media, acknowledge, acknowledged, records, outcome })
}
