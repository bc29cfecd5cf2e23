//! What a moment of slowness of a log's medium does to the writes of its hosts: with one medium, with two of which all acknowledge, and with two
//! of which the first does.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use anyhow::{Result, anyhow, bail, ensure};
use narrows_initiator::{Address, Association, PathOptions};
use narrows_io::{Arena, DevicePath as _, Op};
use narrows_lab_drive::{DriveContents, Lab, missing};

use crate::logged_disk::{Disk, NQN};

const BLOCK: u32 = 8192;
const FILE_BYTES: u64 = 8 << 20;
const LOG_BYTES: u64 = 32 << 20;
const DRIVE_BYTES: u64 = 96 << 20;
/// How long a drive is slow, and how long then neither is.
const MOMENT: Duration = Duration::from_millis(50);
const ROUNDS: u32 = 3;
const WINDOW: Duration = Duration::from_secs(4);
/// A write is due so often, whatever became of the one before: one that waits makes those behind it late, as it would a database's.
const DUE: Duration = Duration::from_millis(2);

/// Media of the log, and how many of them acknowledge.
const LOGS: [(&str, usize, &str); 3] = [
    ("one medium", 1, "all"),
    ("two, both acknowledge", 2, "all"),
    ("two, the first acknowledges", 2, "first"),
];

/// The table: what writes took, in rounds of all three logs.
pub(super) fn table(slow_ms: u64) -> Result<String> {
    if let Some(reason) = missing(DriveContents::Ext4) {
        bail!("no laboratory: {reason}");
    }
    let folder = tempfile::Builder::new().prefix("narrows-slow-media-").tempdir_in("/var/tmp")?;
    let mut took: [Vec<u64>; LOGS.len()] = Default::default();
    for round in 0..ROUNDS {
        for (number, (_, media, acknowledge)) in LOGS.into_iter().enumerate() {
            let its = folder.path().join(format!("{round}-{number}"));
            std::fs::create_dir(&its)?;
            // The drives' mounts go with the thread.
            let more = std::thread::scope(|scope| {
                let measured = scope.spawn(|| measured(&its, media, acknowledge, slow_ms));
                measured.join().map_err(|_| anyhow!("the measurement panicked"))?
            })?;
            took[number].extend(more);
            std::fs::remove_dir_all(&its)?;
        }
    }
    let mut text = format!(
        "Each drive's flushes take {slow_ms} ms more for {} ms, then neither's for as long, then the other's. A write of 8 KiB is due every {} ms, and takes from then on; {ROUNDS} rounds of {} s:\n\n\
         | log | writes | p50 | p90 | p99 | longest |\n| --- | ---: | ---: | ---: | ---: | ---: |\n",
        MOMENT.as_millis(),
        DUE.as_millis(),
        WINDOW.as_secs()
    );
    for ((word, ..), took) in LOGS.iter().zip(&mut took) {
        took.sort_unstable();
        ensure!(!took.is_empty(), "no write ended");
        let at = |share: f64| {
            let index = ((took.len() - 1) as f64 * share).round() as usize;
            format!("{:.2} ms", took[index] as f64 / 1e6)
        };
        let (p50, p90, p99, longest) = (at(0.5), at(0.9), at(0.99), at(1.0));
        let _ = writeln!(text, "| {word} | {} | {p50} | {p90} | {p99} | {longest} |", took.len());
    }
    Ok(text)
}

/// What each write took, ns.
fn measured(folder: &Path, media: usize, acknowledge: &str, slow_ms: u64) -> Result<Vec<u64>> {
    let program = crate::root().join("target/release/narrows-lab-drive");
    let mut labs = Vec::new();
    for number in 0..media {
        let its = folder.join(format!("drive-{number}"));
        std::fs::create_dir(&its)?;
        labs.push(Lab::start(&program, &its, DriveContents::Ext4, DRIVE_BYTES)?);
    }
    let files = labs.iter().map(|lab| lab.files().join("log")).collect();
    let disk = Disk::of_zeros(&folder.join("disk"), FILE_BYTES)?;
    let disk = disk.with_log(files, LOG_BYTES, acknowledge)?;
    let target = disk.serve()?;
    let (port, ends) = (target.port, AtomicBool::new(false));
    std::thread::scope(|scope| {
        let writes = scope.spawn(|| {
            let took = write(port);
            ends.store(true, Ordering::SeqCst);
            took
        });
        let mut turn = 0;
        while !ends.load(Ordering::SeqCst) {
            // With one medium it is slow as often as it would be among two.
            let slow = [Some(0), None, Some(1), None][turn % 4];
            if let Some(lab) = slow.and_then(|number| labs.get_mut(number)) {
                lab.drive().slow(Duration::from_millis(slow_ms))?;
                std::thread::sleep(MOMENT);
                lab.drive().slow(Duration::ZERO)?;
            } else {
                std::thread::sleep(MOMENT);
            }
            turn += 1;
        }
        writes.join().map_err(|_| anyhow!("writing panicked"))?
    })
}

fn write(port: u16) -> Result<Vec<u64>> {
    let address: Address = format!("nvme-tcp://127.0.0.1:{port}/{NQN}").parse()?;
    let association = Arc::new(Association::connect(&address, 1)?);
    let mut path = association.path(Arena::new(1, BLOCK, 4096)?, PathOptions::default())?;
    let (mut took, mut done) = (Vec::new(), Vec::new());
    let begun = Instant::now();
    while begun.elapsed() < WINDOW {
        let offset = took.len() as u64 * u64::from(BLOCK) % FILE_BYTES;
        let due = begun + DUE * took.len() as u32;
        std::thread::sleep(due.saturating_duration_since(Instant::now()));
        path.submit(Op::Write, 0, offset, BLOCK);
        while path.in_flight() > 0 {
            path.reap(1, &mut done)?;
        }
        took.push(due.elapsed().as_nanos() as u64);
        let result = done.drain(..).next().map(|done| done.result);
        ensure!(result == Some(BLOCK as i32), "a write failed: {result:?}");
    }
    Ok(took)
}
