//! A target that is a plain file in `/dev`: memory that looks like a device.
//!
//! `/dev` is a file system in memory. Whoever copies to `/dev/sdx` after the drive is gone, or mistypes its name, makes
//! a file there, and the next test of "the drive" measures memory and reports millions of operations per second.

use narrows_facts::{Source, mount_of, mounts};

use crate::NodeKind;
use crate::node;

/// Folders below `/dev` that have their own file systems and are meant to hold files.
const MEANT_FOR_FILES: [&str; 3] = ["/dev/shm/", "/dev/hugepages/", "/dev/mqueue/"];

/// A plain file where a device is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlainFileInDev {
    /// The path without links.
    pub path: String,
    /// Whether it is there already; else opening it for writing would make it.
    pub exists: bool,
    /// The file system it is on: `devtmpfs`, `tmpfs`. `None` if the mounts can't be read.
    pub file_system: Option<String>,
}

/// Finds out whether `path`, a file that is or that would be made, is such a one.
pub fn plain_file_in_dev(source: &dyn Source, path: &str) -> Option<PlainFileInDev> {
    let (real, exists) = match source.real_path(path) {
        Ok(real) => (real, true),
        Err(_) => {
            let (folder, name) = path.rsplit_once('/')?;
            let folder = source.real_path(if folder.is_empty() { "/" } else { folder }).ok()?;
            (format!("{}/{name}", folder.trim_end_matches('/')), false)
        }
    };
    let below_dev = real.starts_with("/dev/");
    if !below_dev || MEANT_FOR_FILES.iter().any(|folder| real.starts_with(folder)) {
        return None;
    }
    if exists && node::kind(source, &real).ok()?.0 != NodeKind::File {
        return None;
    }
    let mounts = mounts(source);
    let mount = mount_of(&mounts, &real);
    // Somebody may mount a drive below /dev.
    let memory = |kind: &str| matches!(kind, "devtmpfs" | "tmpfs" | "ramfs" | "rootfs");
    if mount.is_some_and(|mount| mount.mount_point != "/dev" && !memory(&mount.kind)) {
        return None;
    }
    Some(PlainFileInDev { path: real, exists, file_system: mount.map(|mount| mount.kind.clone()) })
}
