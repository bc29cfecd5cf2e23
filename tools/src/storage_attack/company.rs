//! Who else is at work meanwhile: a reader of another file of the same drive, and a program on the load generator's CPU.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use narrows_facts::affinity;

const BLOCK: usize = 8192;
const BLOCKS: u64 = 8192;
/// Reads are made in bursts, because a sleep of less is late by as much.
const BURST: Duration = Duration::from_millis(10);
const PERIOD: Duration = Duration::from_millis(100);

fn place(folder: &Path) -> PathBuf {
    folder.join("other")
}

/// The file that the others read, and one whose pages are in memory (`cached`).
pub(super) fn write(folder: &Path) -> Result<()> {
    for path in [place(folder), folder.join("cached")] {
        let mut file = File::create(path)?;
        let bytes = BLOCKS * BLOCK as u64;
        io::copy(&mut io::Read::take(File::open("/dev/urandom")?, bytes), &mut file)?;
        file.sync_all().context("writing a file to read")?;
    }
    Ok(())
}

/// Reads it past the page cache, so many blocks per second.
pub(super) fn read(folder: &Path, per_s: u32, over: &AtomicBool) {
    let opened = fs::OpenOptions::new().read(true).custom_flags(libc::O_DIRECT).open(place(folder));
    let Ok(file) = opened.inspect_err(|error| eprintln!("others don't read: {error}")) else {
        return;
    };
    // One block of that is where direct reads want it.
    let mut memory = vec![0u8; 2 * BLOCK];
    let start = memory.as_ptr().align_offset(BLOCK);
    let buffer = &mut memory[start..start + BLOCK];
    let (begun, mut done) = (Instant::now(), 0u64);
    while !over.load(Ordering::Relaxed) {
        let due = (begun.elapsed().as_secs_f64() * f64::from(per_s)) as u64;
        while done < due {
            if let Err(error) = file.read_exact_at(buffer, done % BLOCKS * BLOCK as u64) {
                return eprintln!("others stopped to read: {error}");
            }
            done += 1;
        }
        thread::sleep(BURST);
    }
}

/// Works on that CPU for so long of each tenth of a second.
pub(super) fn hog(cpu: u32, busy: Duration, over: &AtomicBool) {
    if let Err(error) = affinity::pin(&[cpu]) {
        return eprintln!("there is no hog: {error}");
    }
    while !over.load(Ordering::Relaxed) {
        let begun = Instant::now();
        while begun.elapsed() < busy {
            std::hint::spin_loop();
        }
        thread::sleep(PERIOD.saturating_sub(begun.elapsed()));
    }
}
