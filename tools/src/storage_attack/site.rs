//! What an experiment is made on: devices and file systems that go when it is over.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use narrows_lab_drive::{DriveContents, Lab};

const MIB: u64 = 1 << 20;
const ZRAM: &str = "/sys/class/zram-control";

/// What lies under the file system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Under {
    /// Compressed memory.
    Zram,
    /// A file in memory.
    Memory,
    /// A file on the machine's drive, past the page cache of that.
    Drive,
    /// The same through its page cache.
    CachedDrive,
    /// A drive of the laboratory, which is a process.
    LabDrive,
}

/// A block device of an experiment's own, perhaps with a file system.
#[derive(Debug)]
pub(super) struct Site {
    pub device: PathBuf,
    /// Where the file system is mounted.
    pub mount: Option<PathBuf>,
    lab: Option<Lab>,
    /// Undone when dropped, the last first.
    made: Vec<Made>,
}

#[derive(Debug)]
enum Made {
    Mount(PathBuf),
    Loop(PathBuf),
    Zram(String),
    File(PathBuf),
    Folder(PathBuf),
}

/// Runs a program that has to succeed. What it wrote to its standard output.
pub(super) fn done(program: &str, arguments: &[&str]) -> Result<String> {
    let output = Command::new(program)
        .args(arguments)
        .output()
        .with_context(|| format!("running {program}"))?;
    let said = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "{program} {}: {}", arguments.join(" "), said.trim());
    Ok(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

fn text(path: &Path) -> Result<&str> {
    path.to_str().context("a path in UTF-8")
}

impl Site {
    /// A device of so many MiB. `filled`: what lies under it was written.
    pub(super) fn on(under: Under, mib: u64, folder: &Path, filled: bool) -> Result<Site> {
        let mut site = Site { device: PathBuf::new(), mount: None, lab: None, made: Vec::new() };
        match under {
            Under::Zram => site.device = site.zram(mib)?,
            Under::Memory => {
                let memory = folder.join("memory");
                fs::create_dir(&memory)?;
                site.made.push(Made::Folder(memory.clone()));
                done(
                    "mount",
                    &["-t", "tmpfs", "-o", &format!("size={}m", mib + 8), "t", text(&memory)?],
                )?;
                site.made.push(Made::Mount(memory.clone()));
                site.device = site.looped(&memory.join("image"), mib, (false, filled))?;
            }
            Under::Drive => {
                site.device = site.looped(&folder.join("image"), mib, (true, filled))?
            }
            Under::CachedDrive => {
                site.device = site.looped(&folder.join("image"), mib, (false, filled))?
            }
            Under::LabDrive => {
                let program = crate::root().join("target/release/narrows-lab-drive");
                let place = folder.join("lab");
                fs::create_dir(&place)?;
                let lab = Lab::start(&program, &place, DriveContents::Ext4, mib * MIB)?;
                (site.device, site.mount) = (lab.device().to_path_buf(), Some(lab.files()));
                site.lab = Some(lab);
            }
        }
        Ok(site)
    }

    /// The process that is its drive.
    pub(super) fn drive_pid(&mut self) -> Option<u32> {
        self.lab.as_mut().map(|lab| lab.drive().pid())
    }

    /// With a file system of that kind on it.
    pub(super) fn with(mut self, kind: &str, folder: &Path) -> Result<Site> {
        let force = if kind == "ext4" { "-F" } else { "-f" };
        done(&format!("mkfs.{kind}"), &["-q", force, text(&self.device)?])?;
        let mount = folder.join("mounted");
        fs::create_dir(&mount)?;
        self.made.push(Made::Folder(mount.clone()));
        done("mount", &["-t", kind, text(&self.device)?, text(&mount)?])?;
        self.made.push(Made::Mount(mount.clone()));
        self.mount = Some(mount);
        Ok(self)
    }

    fn zram(&mut self, mib: u64) -> Result<PathBuf> {
        // Reading it makes one.
        let number =
            fs::read_to_string(format!("{ZRAM}/hot_add")).context("making a zram device")?;
        let number = number.trim().to_string();
        self.made.push(Made::Zram(number.clone()));
        fs::write(format!("/sys/block/zram{number}/disksize"), format!("{mib}M"))?;
        Ok(PathBuf::from(format!("/dev/zram{number}")))
    }

    /// A file of so many MiB of these bytes.
    fn file(&mut self, path: &Path, mib: u64, bytes: &mut dyn io::Read) -> Result<()> {
        let mut file = File::create(path).with_context(|| path.display().to_string())?;
        self.made.push(Made::File(path.to_path_buf()));
        io::copy(&mut bytes.take(mib * MIB), &mut file)?;
        Ok(file.sync_all()?)
    }

    fn looped(&mut self, path: &Path, mib: u64, (direct, filled): (bool, bool)) -> Result<PathBuf> {
        match filled {
            // Nothing compresses these.
            true => self.file(path, mib, &mut File::open("/dev/urandom")?)?,
            false => {
                let file = File::create(path).with_context(|| path.display().to_string())?;
                self.made.push(Made::File(path.to_path_buf()));
                file.set_len(mib * MIB)?;
            }
        }
        self.attached(path, direct)
    }

    fn attached(&mut self, path: &Path, direct: bool) -> Result<PathBuf> {
        let direct = if direct { "--direct-io=on" } else { "--direct-io=off" };
        let device = PathBuf::from(done("losetup", &["--find", "--show", direct, text(path)?])?);
        self.made.push(Made::Loop(device.clone()));
        Ok(device)
    }

    /// A file of one byte's value, as a device past the page cache.
    pub(super) fn of_one_value(value: u8, mib: u64, folder: &Path) -> Result<Site> {
        let mut site = Site { device: PathBuf::new(), mount: None, lab: None, made: Vec::new() };
        let path = folder.join("image");
        site.file(&path, mib, &mut io::repeat(value))?;
        site.device = site.attached(&path, true)?;
        Ok(site)
    }
}

impl Made {
    fn undo(&self) -> Result<()> {
        match self {
            Made::Mount(path) => done("umount", &[text(path)?]).map(drop),
            Made::Loop(device) => done("losetup", &["--detach", text(device)?]).map(drop),
            Made::Zram(number) => Ok(fs::write(format!("{ZRAM}/hot_remove"), number)?),
            Made::File(path) => Ok(fs::remove_file(path)?),
            Made::Folder(path) => Ok(fs::remove_dir(path)?),
        }
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        for made in self.made.drain(..).rev() {
            // A program that has just ended may still hold it for a moment.
            let again = |_: &anyhow::Error| {
                thread::sleep(Duration::from_millis(500));
                made.undo()
            };
            let undone = made.undo().or_else(|error| again(&error));
            if let Err(error) = undone {
                eprintln!("{error:#}");
            }
        }
    }
}
