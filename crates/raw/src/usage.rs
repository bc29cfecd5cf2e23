//! Who uses a device: mounts in every namespace that can be seen, swap, holders, databases, exports.

use std::collections::BTreeSet;
use std::fmt;

use narrows_facts::{Mount, Source, parse_mounts, unescape};

use crate::exports::{exports, named};
use crate::family::{Family, Relation, holders};

/// One use of a device or of something that shares blocks with it. `device` is a kernel name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Use {
    /// It holds the file system of the running machine.
    Root {
        /// What is mounted.
        device: String,
    },
    /// It is mounted.
    Mounted {
        /// What is mounted.
        device: String,
        /// Where.
        mount_point: String,
        /// A process in whose mount namespace, where it isn't ours.
        namespace_of: Option<u32>,
    },
    /// It is one device of a mounted file system.
    Member {
        /// The device.
        device: String,
        /// Kind and id of the file system.
        of: String,
    },
    /// Another device is built on it.
    Holder {
        /// The lower device.
        device: String,
        /// The upper one.
        holder: String,
    },
    /// The machine swaps to it.
    Swap {
        /// The device.
        device: String,
    },
    /// Another loop device serves the same bytes of a file.
    SameBytes {
        /// The other one.
        device: String,
        /// The file.
        file: String,
        /// Whether that is known; else the file can't be looked at from here, and may be any.
        sure: bool,
    },
    /// A kernel service serves it.
    Exported {
        /// The device.
        device: String,
        /// What serves it.
        by: String,
    },
    /// A running database keeps files on it.
    Database {
        /// The device nearest to the files.
        device: String,
        /// Kind of database.
        kind: String,
        /// Process id of its main process.
        pid: u32,
        /// Its data folder.
        data_dir: Option<String>,
    },
    /// A process has it open and could write.
    OpenForWriting {
        /// The device.
        device: String,
        /// Process id.
        pid: u32,
        /// Name of the process.
        command: Option<String>,
    },
    /// Somebody in the kernel or outside holds it exclusively (`O_EXCL` gave `EBUSY`).
    Claimed,
}

impl fmt::Display for Use {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Use::Root { device } => write!(f, "{device} holds the running machine's /"),
            Use::Mounted { device, mount_point, namespace_of: None } => {
                write!(f, "{device} is mounted at {mount_point}")
            }
            Use::Mounted { device, mount_point, namespace_of: Some(pid) } => {
                write!(f, "{device} is mounted at {mount_point} for process {pid}")
            }
            Use::Member { device, of } => write!(f, "{device} belongs to the mounted {of}"),
            Use::Holder { device, holder } => write!(f, "{holder} is built on {device}"),
            Use::Swap { device } => write!(f, "the machine swaps to {device}"),
            Use::SameBytes { device, file, sure: true } => {
                write!(f, "loop device {device} serves the same bytes of {file}")
            }
            Use::SameBytes { device, file, sure: false } => {
                write!(
                    f,
                    "loop device {device} may serve the same bytes: its file {file} cannot be read from here"
                )
            }
            Use::Exported { device, by } => write!(f, "{by} serves {device}"),
            Use::Database { device, kind, pid, data_dir } => {
                write!(f, "the running {kind} (process {pid}) keeps its files on {device}")?;
                data_dir.as_ref().map_or(Ok(()), |folder| write!(f, ", in {folder}"))
            }
            Use::OpenForWriting { device, pid, command } => {
                let command = command.as_deref().unwrap_or("a process");
                write!(f, "{command} (process {pid}) has {device} open for writing")
            }
            Use::Claimed => f.write_str("another process holds it exclusively"),
        }
    }
}

/// All uses that can be read, and sentences about what can't be.
pub(crate) fn uses(source: &dyn Source, family: &Family) -> (Vec<Use>, Vec<String>) {
    let mut uses = Vec::new();
    let hidden = mounted(source, family, &mut uses);
    // Of a device that others share with us by volumes, those are not our affair.
    for member in family.members.iter().filter(|member| member.relation != Relation::Shared) {
        let holders = holders(source, &member.name).into_iter();
        uses.extend(holders.map(|holder| Use::Holder { device: member.name.clone(), holder }));
    }
    uses.extend(swaps(source, family));
    uses.extend(exports(source, family));
    uses.extend(databases(source, family));
    let mut blind = Vec::new();
    if hidden > 0 {
        blind.push(format!("mounts in the namespaces of {hidden} processes (needs root)"));
    }
    (uses, blind)
}

/// Returns how many processes hide their mounts.
fn mounted(source: &dyn Source, family: &Family, uses: &mut Vec<Use>) -> u32 {
    let mut seen = BTreeSet::new();
    let mut hidden = 0;
    let processes = source.list("/proc").unwrap_or_default();
    let pids = processes.iter().filter_map(|name| name.parse::<u32>().ok());
    for pid in std::iter::once(None).chain(pids.map(Some)) {
        let process = pid.map_or("self".to_string(), |pid| pid.to_string());
        // Thousands of processes share a few namespaces.
        let namespace = source.link(&format!("/proc/{process}/ns/mnt")).ok();
        if namespace.is_some_and(|namespace| !seen.insert(namespace)) {
            continue;
        }
        let text = match source.read(&format!("/proc/{process}/mountinfo")) {
            Ok(text) => text,
            Err(error) => {
                hidden += u32::from(error.kind() == std::io::ErrorKind::PermissionDenied);
                continue;
            }
        };
        for mount in parse_mounts(&String::from_utf8_lossy(&text)) {
            for device in devices(source, &mount, family) {
                let root = mount.mount_point == "/" && matches!(pid, None | Some(1));
                let mount_point = mount.mount_point.clone();
                let new = match root {
                    true => Use::Root { device },
                    false => Use::Mounted { device, mount_point, namespace_of: pid },
                };
                // Our own namespace comes first, and says it without a process.
                let known = uses.iter().any(|old| match (old, &new) {
                    (
                        Use::Mounted { device: a, mount_point: b, .. },
                        Use::Mounted { device: c, mount_point: d, .. },
                    ) => a == c && b == d,
                    _ => *old == new,
                });
                if !known {
                    uses.push(new);
                }
            }
        }
    }
    let btrfs = "/sys/fs/btrfs";
    for id in source.list(btrfs).unwrap_or_default() {
        let names = source.list(&format!("{btrfs}/{id}/devices")).unwrap_or_default();
        for member in family.members.iter().filter(|member| names.contains(&member.name)) {
            let of = format!("Btrfs {id}");
            uses.push(Use::Member { device: member.name.clone(), of });
        }
    }
    hidden
}

/// What of the family a mount uses: by number; by name where the file system has a number of its own (Btrfs, bcachefs, a
/// file mounted without a loop device) or keeps a log or journal elsewhere.
fn devices(source: &dyn Source, mount: &Mount, family: &Family) -> Vec<String> {
    let mut devices: Vec<String> = family
        .members
        .iter()
        .filter(|member| member.number == mount.number)
        .map(|member| member.name.clone())
        .collect();
    let option = |option: &'_ String| {
        let (name, value) = option.split_once('=')?;
        let keeps = matches!(name, "logdev" | "rtdev" | "journal_path" | "jdev");
        keeps.then(|| value.to_string())
    };
    let paths = mount.source.split(':').map(str::to_string);
    let paths = paths.filter(|_| mount.number.starts_with("0:"));
    for path in paths.chain(mount.options.iter().filter_map(option)) {
        let device = path.starts_with('/').then(|| named(source, &path, family)).flatten();
        devices.extend(device.filter(|device| !devices.contains(device)));
    }
    devices
}

/// `/proc/swaps`: a head line, then a path, escaped as in the mount table, a kind, sizes.
fn swaps(source: &dyn Source, family: &Family) -> Vec<Use> {
    let text = source.text("/proc/swaps").unwrap_or_default();
    let paths = text.lines().skip(1).filter_map(|line| line.split_whitespace().next());
    paths
        .filter_map(|path| named(source, &unescape(path), family))
        .map(|device| Use::Swap { device })
        .collect()
}

fn databases(source: &dyn Source, family: &Family) -> Vec<Use> {
    let mut uses = Vec::new();
    for (database, devices) in narrows_platform::running_databases(source) {
        // Under a database's folder every partition's disk is found too, whatever else is on that disk.
        let whole =
            |relation| !matches!(relation, Relation::Disk | Relation::Beneath | Relation::Shared);
        let ours =
            |name: &&String| family.members.iter().any(|m| m.name == **name && whole(m.relation));
        if let Some(device) = devices.iter().find(ours) {
            uses.push(Use::Database {
                device: device.clone(),
                kind: database.kind,
                pid: database.pid,
                data_dir: database.data_dir,
            });
        }
    }
    uses
}
