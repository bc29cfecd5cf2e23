//! What is measured: the folder of a file system, in which files of ours are made, or a raw device.

use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use narrows_facts::{Live, Source, process};
use narrows_model::{Platform, Role, RolePath};
use narrows_observe::Watch;
use narrows_raw::{Consent, Device, Use, consent_accepting, inspect};

use crate::failure::Failure;
use crate::named_folder;
use crate::request::block::DeviceConsent;

/// The folder without links.
///
/// # Errors
/// It is none.
pub fn folder(path: &Path) -> Result<PathBuf> {
    if std::fs::metadata(path).is_ok_and(|found| found.file_type().is_block_device()) {
        return Err(Failure::hinted(
            format!("--at {} is a device, and --at needs a folder", path.display()),
            format!("narrows block device {} shows what it is", path.display()),
        ));
    }
    named_folder::folder(path, "--at")
}

/// The machine with the path under that folder as its only role.
pub fn machine_of_folder(folder: &Path) -> Platform {
    narrows_platform::discover(&Live, &[(Role::Data, folder)])
}

/// The path of a raw device: no file system, and the devices down to the drives.
pub fn path_of_device(device: &Device) -> RolePath {
    let mut path = RolePath {
        role: Role::Data,
        path: device.node.clone(),
        file_system: Default::default(),
        devices: narrows_platform::block_stack(&Live, &device.number),
    };
    path.file_system.kind = "raw device".to_string();
    path.file_system.source = device.node.clone();
    path.file_system.total_bytes = device.size_bytes;
    path
}

/// Counters of that machine and of all drives under its roles.
pub fn watch(platform: &Platform) -> Watch {
    watch_under(platform, &platform.roles)
}

/// The same of some of that machine's roles alone.
pub fn watch_under<'a>(
    platform: &Platform,
    paths: impl IntoIterator<Item = &'a RolePath>,
) -> Watch {
    Watch::new(platform, &drive_names(paths)).with_pids(kernel())
}

/// Kernel names of the drives under these, once each.
pub fn drive_names<'a>(paths: impl IntoIterator<Item = &'a RolePath>) -> Vec<String> {
    let mut drives: Vec<String> =
        paths.into_iter().flat_map(RolePath::drives).map(|drive| drive.name.clone()).collect();
    drives.sort();
    drives.dedup();
    drives
}

/// How many drives these are.
pub fn drive_count(platform: &Platform) -> u32 {
    u32::try_from(drive_names(&platform.roles).len()).unwrap_or(u32::MAX)
}

/// Kernel threads (the parent of all is process 2, where it is visible) write back and journal what we wrote.
fn kernel() -> Vec<u32> {
    if process::name(2).as_deref() == Some("kthreadd") { vec![2] } else { Vec::new() }
}

/// These and servers of ours.
pub fn kernel_and(servers: &[u32]) -> Vec<u32> {
    let mut pids = kernel();
    pids.extend(servers);
    pids
}

/// What all drives under that machine's roles hold together, bytes; `None` where one of them doesn't tell.
pub fn capacity_bytes(platform: &Platform) -> Option<u64> {
    let mut drives: Vec<_> = platform.roles.iter().flat_map(RolePath::drives).collect();
    drives.sort_by(|one, other| one.name.cmp(&other.name));
    drives.dedup_by(|one, other| one.name == other.name);
    let bytes: Option<u64> = drives.iter().map(|drive| drive.size_bytes).sum();
    bytes.filter(|bytes| *bytes > 0)
}

/// The consent that was given, with the device as it was found.
///
/// # Errors
/// Whatever stands against writing, and a serial that isn't this device's.
pub fn consented(given: &DeviceConsent) -> Result<(Device, Consent)> {
    let device = inspect(&Live, &given.device)?;
    let consent = consent_accepting(&device, &given.serial, &given.accepted)?;
    Ok((device, consent))
}

/// Requests per second of others from which a device counts as at work: more than a journal, a clock and a log write.
const AT_WORK_PER_S: f64 = 100.0;
/// How long they are counted.
const LOOK: Duration = Duration::from_millis(500);

/// Refuses to read a device that others keep at work: it would be read at any depth, and nothing here would see how long they wait.
fn others_at_work(device: &Device) -> Result<()> {
    if device.uses.is_empty() && device.readers.is_empty() {
        return Ok(());
    }
    let file = format!("/sys/dev/block/{}/stat", device.number);
    let requests = || requests(&(&Live as &dyn Source).text(&file)?);
    let Some(before) = requests() else { return Ok(()) };
    std::thread::sleep(LOOK);
    let per_s =
        requests().map_or(0.0, |now| now.saturating_sub(before) as f64 / LOOK.as_secs_f64());
    if per_s < AT_WORK_PER_S {
        return Ok(());
    }
    Err(Failure::hinted(
        format!(
            "{} is in use, and others send it {per_s:.0} requests per second: reading at depth would make them wait",
            device.path
        ),
        format!(
            "narrows block device {} only looks, and shows who they are; --load-here measures all the same, if slowing them down is acceptable",
            device.path
        ),
    ))
}

/// Reads and writes that were completed, of a device's `stat` (Linux `Documentation/block/stat.rst`).
fn requests(stat: &str) -> Option<u64> {
    let column = |index: usize| stat.split_whitespace().nth(index)?.parse::<u64>().ok();
    column(0)?.checked_add(column(4)?)
}

/// Refuses a device on which a running database keeps files, unless the user took responsibility. Reading harms no file,
/// but takes the drive away from whoever works with it.
pub fn guard_device(device: &Device, load_here: bool) -> Result<()> {
    if !load_here {
        others_at_work(device)?;
    }
    let used = device.uses.iter().find(|used| matches!(used, Use::Database { .. }));
    let Some(used) = used.filter(|_| !load_here) else { return Ok(()) };
    Err(Failure::hinted(
        format!("{used}: reading would keep the drive busy for the whole run"),
        format!(
            "narrows block device {} only looks; --load-here measures all the same, if slowing that database down is acceptable",
            device.path
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_reads_and_writes() {
        assert_eq!(requests("  10 1 80 5  7 0 56 3  0 6 8  1 0 8 0 2 1"), Some(17));
        for wrong in ["", "10", "a b c d e", "10 1 80 5 x"] {
            assert_eq!(requests(wrong), None, "{wrong}");
        }
    }
}
