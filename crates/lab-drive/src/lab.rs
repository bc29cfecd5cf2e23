//! A drive on the bench: image, server process, loop device, file system; and the image mounted afresh after a cut.

use std::ffi::OsStr;
use std::fs::{self, File};
use std::io;
use std::os::fd::AsRawFd;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::cache::SECTOR_BYTES;
use crate::fuse::DISK_NAME;
use crate::loopback::Loop;
use crate::mounting;
use crate::process::Drive;

/// Blocks of a namespace that is shown as a drive: a namespace with a log in front has these.
const NAMESPACE_BLOCK_BYTES: u32 = 4096;

/// What is on the drive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DriveContents {
    /// Nothing: programs write to the device.
    Raw,
    /// ext4 with its defaults.
    Ext4,
    /// xfs with its defaults.
    Xfs,
}

impl DriveContents {
    fn name(self) -> &'static str {
        match self {
            DriveContents::Raw => "raw",
            DriveContents::Ext4 => "ext4",
            DriveContents::Xfs => "xfs",
        }
    }
}

/// Why there can be no laboratory here, if so: no root, no FUSE, no loop devices, no program that makes the file
/// system.
pub fn missing(kind: DriveContents) -> Option<String> {
    if !rustix::process::geteuid().is_root() {
        return Some("this needs root".to_string());
    }
    let device = ["/dev/fuse", "/dev/loop-control"].into_iter().find(|path| {
        let open = File::options().read(true).write(true).open(path);
        open.is_err()
    });
    if let Some(device) = device {
        return Some(format!("{device} can't be opened"));
    }
    if kind != DriveContents::Raw {
        let program = format!("mkfs.{}", kind.name());
        if Command::new(&program).arg("-V").output().is_err() {
            return Some(format!("{program} is not installed"));
        }
    }
    // In a container root may not mount. The thread is thrown away with its namespace.
    let refused = std::thread::spawn(mounting::private_mounts).join().expect("it doesn't panic");
    refused.err().map(|error| format!("mounts are refused: {error}"))
}

/// A drive with what is on it. Everything goes when it is dropped, and when the process is killed.
#[derive(Debug)]
pub struct Lab {
    folder: PathBuf,
    kind: DriveContents,
    /// Of the loop device.
    block_bytes: u32,
    // Fields are dropped in this order.
    device: Option<Loop>,
    drive: Option<Drive>,
}

impl Lab {
    /// Puts a drive of that size into `folder`, served by `program`. The calling thread gets mounts of its own: only
    /// it, and threads and processes started from it later, see them.
    ///
    /// # Errors
    /// The system's, and those of `mkfs`.
    pub fn start(
        program: &Path,
        folder: &Path,
        kind: DriveContents,
        size_bytes: u64,
    ) -> io::Result<Lab> {
        mounting::private_mounts()?;
        let mut lab = Lab::unplugged(folder, kind, SECTOR_BYTES as u32)?;
        File::create(lab.image())?.set_len(size_bytes)?;
        lab.make_file_system(&lab.image())?;
        lab.plug(program, lab.image().as_os_str(), 1)?;
        lab.mount_device()?;
        Ok(lab)
    }

    /// The same without a block device, for what takes a file: [`file`](Lab::file) is the drive.
    ///
    /// # Errors
    /// The system's.
    pub fn of_file(program: &Path, folder: &Path, size_bytes: u64) -> io::Result<Lab> {
        let mut lab = Lab::unplugged(folder, DriveContents::Raw, SECTOR_BYTES as u32)?;
        File::create(lab.image())?.set_len(size_bytes)?;
        lab.drive = Some(Drive::start(program, lab.image().as_os_str(), &folder.join("drive"), 1)?);
        Ok(lab)
    }

    /// The same with a namespace of a storage target, `nvme-tcp://…`, in place of a drive: its blocks are of 4 KiB. What is on it is
    /// overwritten. It has no power to cut. With so many queues as many commands are under way at once.
    ///
    /// # Errors
    /// The system's, and those of `mkfs`.
    pub fn of_namespace(
        program: &Path,
        folder: &Path,
        kind: DriveContents,
        (address, queues): (&str, u16),
    ) -> io::Result<Lab> {
        let mut lab = Lab::unplugged(folder, kind, NAMESPACE_BLOCK_BYTES)?;
        lab.plug(program, address.as_ref(), queues)?;
        lab.make_file_system(lab.device())?;
        lab.mount_device()?;
        Ok(lab)
    }

    fn unplugged(folder: &Path, kind: DriveContents, block_bytes: u32) -> io::Result<Lab> {
        mounting::private_mounts()?;
        for name in ["drive", "files"] {
            fs::create_dir_all(folder.join(name))?;
        }
        let folder = folder.to_path_buf();
        Ok(Lab { folder, kind, block_bytes, device: None, drive: None })
    }

    /// The file that the drive shows.
    pub fn file(&self) -> PathBuf {
        self.folder.join("drive").join(DISK_NAME)
    }

    /// Where its file system is mounted.
    pub fn files(&self) -> PathBuf {
        self.folder.join("files")
    }

    /// Its block device, or after a cut that of the image.
    pub fn device(&self) -> &Path {
        self.device.as_ref().expect("it is plugged in").path()
    }

    /// The drive.
    pub fn drive(&mut self) -> &mut Drive {
        self.drive.as_mut().expect("its power was not cut yet")
    }

    /// Writes everything to the drive and waits, as `sync` does.
    ///
    /// # Errors
    /// The system's.
    pub fn sync(&self) -> io::Result<()> {
        let place = File::open(if self.kind == DriveContents::Raw {
            self.device().to_path_buf()
        } else {
            self.files()
        })?;
        let call = if self.kind == DriveContents::Raw { libc::fsync } else { libc::syncfs };
        // SAFETY: no memory is involved, and the descriptor is open.
        let done = unsafe { call(place.as_raw_fd()) };
        if done == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
    }

    /// Cuts the drive's power and pulls it out. Whoever still has files open on it gets errors.
    ///
    /// # Errors
    /// The system's.
    pub fn cut(&mut self, seed: Option<u64>) -> io::Result<()> {
        self.drive().cut(seed)?;
        self.pull();
        Ok(())
    }

    /// Looks at what is left: the image itself on a loop device, its file system mounted, which replays its journal.
    ///
    /// # Errors
    /// The system's, and where the file system is beyond repair by its journal.
    pub fn mount_afresh(&mut self) -> io::Result<()> {
        let device = Loop::attach(&self.image(), self.block_bytes)?;
        self.mount(device.path())?;
        self.device = Some(device);
        Ok(())
    }

    fn image(&self) -> PathBuf {
        self.folder.join("image")
    }

    fn make_file_system(&self, on: &Path) -> io::Result<()> {
        let mut command = Command::new(format!("mkfs.{}", self.kind.name()));
        match self.kind {
            DriveContents::Raw => return Ok(()),
            // Nothing is left to be initialised while the drive is tested.
            DriveContents::Ext4 => {
                command.args(["-q", "-F", "-E", "lazy_itable_init=0,lazy_journal_init=0,nodiscard"])
            }
            DriveContents::Xfs => command.args(["-q", "-f", "-K"]),
        };
        command.arg(on).stdin(Stdio::null()).stdout(Stdio::null());
        let output = command.output()?;
        if output.status.success() {
            return Ok(());
        }
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(io::Error::other(format!("mkfs.{}: {said}", self.kind.name())))
    }

    fn plug(&mut self, program: &Path, medium: &OsStr, queues: u16) -> io::Result<()> {
        let served = self.folder.join("drive");
        self.drive = Some(Drive::start(program, medium, &served, queues)?);
        self.device = Some(Loop::attach(&self.file(), self.block_bytes)?);
        Ok(())
    }

    fn mount_device(&self) -> io::Result<()> {
        self.mount(self.device())
    }

    fn mount(&self, device: &Path) -> io::Result<()> {
        match self.kind {
            DriveContents::Raw => Ok(()),
            DriveContents::Ext4 | DriveContents::Xfs => {
                mounting::mount_device(device, &self.files(), self.kind.name(), None)
            }
        }
    }

    /// Takes everything away that hangs on the drive.
    fn pull(&mut self) {
        if self.kind != DriveContents::Raw {
            let _ = mounting::unmount(&self.files());
        }
        self.device = None;
        self.drive = None;
        let _ = mounting::unmount(&self.folder.join("drive"));
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        self.pull();
    }
}
