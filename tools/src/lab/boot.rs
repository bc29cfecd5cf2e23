//! One guest, from an empty folder to its answers.

use std::fs::{self, File};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use xtask::bound::ends_with_us;

use super::guest::Guest;
use super::{prepare, qemu};

/// Many times what a guest takes; on a busy machine emulation is slow.
const PATIENCE: Duration = Duration::from_secs(600);

/// Boots the guest and waits until it is off. Its answers are in `places.work` then; images and the program are gone again.
pub fn boot(guest: &Guest, places: &qemu::Places<'_>, narrows: &Path) -> Result<Duration> {
    let work = places.work;
    if work.exists() {
        fs::remove_dir_all(work).with_context(|| format!("emptying {}", work.display()))?;
    }
    fs::create_dir_all(work).with_context(|| format!("creating {}", work.display()))?;
    let done = run(guest, places, narrows);
    for image in qemu::images(guest) {
        _ = fs::remove_file(work.join(image.name));
    }
    _ = fs::remove_file(work.join("narrows"));
    done
}

fn run(guest: &Guest, places: &qemu::Places<'_>, narrows: &Path) -> Result<Duration> {
    let work = places.work;
    for image in qemu::images(guest) {
        let path = work.join(&image.name);
        let file = File::create(&path).with_context(|| format!("creating {}", path.display()))?;
        file.set_len(u64::from(image.mib) << 20)?;
    }
    let program = work.join("narrows");
    if fs::hard_link(narrows, &program).is_err() {
        fs::copy(narrows, &program).with_context(|| format!("copying {}", narrows.display()))?;
    }
    fs::copy(crate::root().join("lab/guest.sh"), work.join("guest.sh"))?;
    fs::write(work.join("prepare.sh"), prepare::prepare(guest))?;
    fs::write(work.join("ask.sh"), prepare::ask(guest))?;
    let began = Instant::now();
    let console = work.join("console.log");
    let mut running = start(&qemu::arguments(guest, places), &console)?;
    let ended = running.wait()?;
    let tail = || tail(&console);
    ensure!(ended, "it was not off after {} s; it ended with\n{}", PATIENCE.as_secs(), tail());
    if let Ok(failed) = fs::read_to_string(work.join("failed")) {
        let logs = ["prepare.log", "ask.log"].map(|name| tail_of(&work.join(name)));
        bail!("{}:\n{}", failed.trim(), logs.concat().trim_end());
    }
    ensure!(work.join("found.capture").is_file(), "it gave no answer; it ended with\n{}", tail());
    Ok(began.elapsed())
}

/// Ends with this value.
struct Running(Child);

impl Running {
    /// Whether it ended by itself in time.
    fn wait(&mut self) -> Result<bool> {
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if let Some(status) = self.0.try_wait()? {
                ensure!(status.success(), "QEMU failed ({status}); see console.log");
                return Ok(true);
            }
            std::thread::sleep(Duration::from_millis(100));
        }
        Ok(false)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

fn start(arguments: &[String], console: &Path) -> Result<Running> {
    let output = File::create(console)?;
    let errors = output.try_clone()?;
    let mut command = Command::new("qemu-system-x86_64");
    command.args(arguments).stdin(Stdio::null()).stdout(output).stderr(errors);
    ends_with_us(&mut command, libc::SIGKILL);
    Ok(Running(command.spawn().context("starting qemu-system-x86_64")?))
}

fn tail(path: &Path) -> String {
    format!("{}(all of it: {})", tail_of(path), path.display())
}

fn tail_of(path: &Path) -> String {
    let text = String::from_utf8_lossy(&fs::read(path).unwrap_or_default()).into_owned();
    let lines: Vec<&str> = text.lines().collect();
    let last = lines[lines.len().saturating_sub(8)..].iter();
    last.map(|line| format!("  {line}\n")).collect()
}
