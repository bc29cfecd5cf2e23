//! Opening a device: for reading by anybody, for writing only with consent.
//!
//! Between looking and opening anything may happen: a mount, another drive under the same name. So the device is first
//! opened with `O_RDONLY | O_EXCL`, which for a block device claims it: as long as the claim is held, no mount, swap,
//! RAID, volume manager or other `O_EXCL` can take it or a partition of it (open(2)). Under the claim everything
//! is looked at again, and only then is there a descriptor that can write, made from the claimed one and so surely the
//! same device: the kernel doesn't give a number away while it is open.
//!
//! What the claim doesn't keep out: programs that open without `O_EXCL`, loop devices that somebody puts on the same file
//! meanwhile, and other machines.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

use narrows_facts::{Live, Source};

use crate::device::inspect_held;
use crate::node::{Node, node_of, number, resolve};
use crate::{Consent, Device, OpenError, Refusal, Use};

/// A device open for reading.
#[derive(Debug)]
pub struct ReadableDevice {
    file: File,
}

impl ReadableDevice {
    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// A path that leads to this very device while it is open, whatever happens to its name.
    pub fn path(&self) -> PathBuf {
        own_path(&self.file)
    }
}

/// A device claimed and open for reading and writing, until dropped.
#[derive(Debug)]
pub struct WritableDevice {
    // Before the claim, so that it is closed before.
    file: File,
    _claim: File,
    // Of the block devices that it is a part of.
    _beneath: Vec<File>,
    device: Device,
}

impl WritableDevice {
    /// The open file.
    pub fn file(&self) -> &File {
        &self.file
    }

    /// A path that leads to this very device while it is open, whatever happens to its name.
    pub fn path(&self) -> PathBuf {
        own_path(&self.file)
    }

    /// The device as it was found under the claim.
    pub fn device(&self) -> &Device {
        &self.device
    }
}

/// Opens the block device at `path` with `O_RDONLY`, and `O_DIRECT` if `direct`. It may be mounted or anything else.
///
/// # Errors
/// If it is no block device, or the kernel refuses.
pub fn open_for_reading(path: &str, direct: bool) -> Result<ReadableDevice, OpenError> {
    let node = resolve(&Live, path)?;
    let system = |source| OpenError::System { path: path.to_string(), purpose: "reading", source };
    let mut options = OpenOptions::new();
    let file = options.read(true).custom_flags(flags(direct)).open(&node.real).map_err(system)?;
    same_node(&file, &node, path)?;
    Ok(ReadableDevice { file })
}

/// Opens the device that was consented to, after looking at everything again while holding it. `O_DIRECT` if `direct`.
///
/// # Errors
/// If it is no longer the device that was consented to, somebody came, or the kernel refuses. Nothing was written.
pub fn open_for_writing(consent: &Consent, direct: bool) -> Result<WritableDevice, OpenError> {
    let path = consent.path.as_str();
    let system = |source| OpenError::System { path: path.to_string(), purpose: "writing", source };
    let node = resolve(&Live, path)?;
    let mut claim = claim(&node.real).map_err(system)?;
    same_node(&claim, &node, path)?;
    let device = inspect_held(&Live as &dyn Source, path, &node, &mut claim)?;
    if let Some(what) = consent.changed(&device) {
        return Err(OpenError::Changed { path: path.to_string(), what });
    }
    let mut reasons = consent.reasons(&device);
    let beneath = claims(&device.served);
    if beneath.is_none() {
        reasons.push(Refusal::InUse(Use::Claimed));
    }
    if !reasons.is_empty() {
        return Err(OpenError::Refused { path: path.to_string(), reasons });
    }
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).custom_flags(flags(direct)).open(own_path(&claim));
    let file = file.map_err(system)?;
    same_node(&file, &node, path)?;
    let beneath = beneath.unwrap_or_default();
    Ok(WritableDevice { file, _claim: claim, _beneath: beneath, device })
}

/// Claims on the devices of these names, or `None` where somebody else has one. A device that can't be opened can't be
/// claimed by name either.
fn claims(names: &[String]) -> Option<Vec<File>> {
    let mut claims = Vec::new();
    for name in names {
        match claim(&node_of(name)) {
            Ok(file) => claims.push(file),
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => return None,
            Err(_) => {}
        }
    }
    Some(claims)
}

/// How often and how long apart a claim is tried. Tools that look at new devices claim them for a moment, and so does a
/// child of this process between its fork and its exec.
const CLAIMS: u32 = 6;
const CLAIM_PAUSE: Duration = Duration::from_millis(20);

/// Claims the device at `path`, open for reading.
pub(crate) fn claim(path: &str) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_EXCL | libc::O_CLOEXEC);
    for _ in 1..CLAIMS {
        match options.open(path) {
            Err(error) if error.raw_os_error() == Some(libc::EBUSY) => thread::sleep(CLAIM_PAUSE),
            done => return done,
        }
    }
    options.open(path)
}

fn flags(direct: bool) -> libc::c_int {
    libc::O_CLOEXEC | if direct { libc::O_DIRECT } else { 0 }
}

/// Opening goes by name, so the number is compared afterwards, on what was opened.
fn same_node(file: &File, node: &Node, path: &str) -> Result<(), OpenError> {
    let opened = file.metadata().ok().map(|metadata| number(metadata.rdev()));
    if opened.as_ref() == Some(&node.number) {
        return Ok(());
    }
    let what = "the name leads to another device number";
    Err(OpenError::Changed { path: path.to_string(), what })
}

fn own_path(file: &File) -> PathBuf {
    format!("/proc/self/fd/{}", file.as_raw_fd()).into()
}
