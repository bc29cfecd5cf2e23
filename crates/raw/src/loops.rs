//! The loop devices of the machine and the bytes that each serves.

use std::fs::OpenOptions;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::time::Duration;

use narrows_facts::{Source, answer_within, loop_device};

use crate::family::folder;
use crate::node;
use crate::storage::{self, Extent, FileId, Storage};

/// One of them.
#[derive(Debug, Clone)]
pub(crate) struct LoopDevice {
    /// `loop3`.
    pub(crate) name: String,
    /// What it serves.
    pub(crate) serves: Extent,
}

/// All that have a file.
pub(crate) fn loop_devices(source: &dyn Source) -> Vec<LoopDevice> {
    let names = source.list("/sys/block").unwrap_or_default();
    names.into_iter().filter_map(|name| loop_device(source, name)).collect()
}

fn loop_device(source: &dyn Source, name: String) -> Option<LoopDevice> {
    let told = format!("/sys/block/{name}/loop");
    let shown = source.text(&format!("{told}/backing_file"))?;
    if source.is_live()
        && let Some(served) = ask(source, &name)
    {
        let storage = match served.block_device {
            Some(number) => Storage::Device(node::number(number)),
            None => Storage::File(FileId::Inode { device: served.device, inode: served.inode }),
        };
        let end = served.limit_bytes.map(|limit| served.offset_bytes.saturating_add(limit));
        // Without a limit it grows with its file.
        let bytes = served.offset_bytes..end.unwrap_or(u64::MAX);
        return Some(LoopDevice { serves: Extent { storage, bytes, shown }, name });
    }
    // Only the name is known. A device's number is the same in every mount namespace, a file's name isn't.
    let path = shown.clone();
    let found = match source.is_live() {
        true => answer_within(ANSWER_WITHIN, move || storage::at_live(&path)).flatten(),
        false => storage::at(source, &path),
    };
    let storage = match found {
        Some(Storage::Device(number)) => Storage::Device(number),
        Some(file) if !source.is_live() => file,
        _ => Storage::Unknown,
    };
    let number = |file: &str| source.number::<u64>(&format!("{told}/{file}")).unwrap_or(0);
    let start = number("offset");
    let end = match number("sizelimit") {
        0 => u64::MAX,
        limit => start.saturating_add(limit),
    };
    Some(LoopDevice { serves: Extent { storage, bytes: start..end, shown }, name })
}

/// How long a loop device may take to say what it serves. The kernel asks the file system of its file, which has no answer where a
/// server of the network or of FUSE is gone.
const ANSWER_WITHIN: Duration = Duration::from_secs(2);

fn ask(source: &dyn Source, name: &str) -> Option<loop_device::Served> {
    let number = source.text(&format!("{}/dev", folder(name)))?;
    let path = format!("/dev/{name}");
    answer_within(ANSWER_WITHIN, move || served(&path, &number)).flatten()
}

/// Opening for reading claims nothing and starts nothing.
fn served(path: &str, number: &str) -> Option<loop_device::Served> {
    let mut options = OpenOptions::new();
    options.read(true).custom_flags(libc::O_CLOEXEC | libc::O_NONBLOCK);
    let file = options.open(path).ok()?;
    // A node of that name may be another device's.
    if node::number(file.metadata().ok()?.rdev()) != number {
        return None;
    }
    loop_device::served(&file).ok()
}
