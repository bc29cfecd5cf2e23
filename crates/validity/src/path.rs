//! Facts about the path under a role: file system, devices, drives.

use narrows_model::{BlockDevice, DeviceKind, FileSystem, Layer, Role, RolePath, condition};

use crate::durability::{SwitchedOff, switched_off};
use crate::evaluate::Case;
use crate::select::says;

/// A property of a role's path that bears on what a number means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PathFact {
    /// Its file system lives in memory.
    Volatile,
    /// What is written there is in this machine's memory: its file system is, or a device at the bottom of its stack.
    InMemory,
    /// This machine serves it to itself, or may: target and host share its CPUs and memory.
    ServedHere,
    /// The target that serves it says that memory answers, and no drive.
    ToldMemory,
    /// The target that serves it says, or its configuration on this machine, that a cache of its own may answer.
    ToldCache,
    /// Space for a block is allocated only when it is first written.
    Thin,
    /// It has a cache of its own before drives that can't be seen.
    CachesUnseen,
    /// Its file system is reached over a network.
    Network,
    /// Its file system is a container's layered one.
    Overlay,
    /// A drive's counters are switched off.
    CountersOff,
    /// Every drive announces a volatile write cache, so the kernel passes flushes on to it.
    WriteBack,
    /// It has drives of its own, and their counters are on.
    Counted,
    /// Mirrors, parity, a mapper or a file system that copies on write stand between file and drives, so drives move other amounts
    /// than were asked.
    Redundant,
    /// The kernel sends a device no flushes, although the drive or one beneath says that its cache is volatile.
    FlushSwitchedOff,
    /// A drive is lent by a hypervisor or a provider: what is behind it is seen there alone.
    Lent,
    /// A drive is a volume of a provider's storage network.
    CloudVolume,
}

/// File systems that write to new places and keep copies of what describes them.
const COPY_ON_WRITE: [&str; 3] = ["btrfs", "bcachefs", "zfs"];
/// And those that answer reads from a cache of their own, which `O_DIRECT` passes by only sometimes or never, before drives that the
/// kernel doesn't name: ZFS has ARC, the others a host's or a program's memory.
const OWN_CACHE: [&str; 5] = ["btrfs", "bcachefs", "zfs", "9p", "virtiofs"];

/// What narrows' own target says of a namespace that is in its memory.
const MEMORY: &str = "memory";
/// What targets say, and run files of before, where a cache of theirs may answer.
const CACHES: [&str; 3] = ["page cache", "cache in front", "cache in memory"];

fn caches_itself(fs: &FileSystem) -> bool {
    OWN_CACHE.contains(&fs.kind.as_str()) || fs.kind == "fuse" || fs.kind.starts_with("fuse.")
}

impl PathFact {
    pub(crate) fn holds(self, path: &RolePath) -> bool {
        let mut drives = path.drives().peekable();
        match self {
            PathFact::Volatile => path.file_system.volatile,
            PathFact::InMemory => path.in_memory().is_some(),
            PathFact::ServedHere => path.served_here().is_some(),
            PathFact::ToldMemory => path.file_system.behind.as_deref() == Some(MEMORY),
            PathFact::ToldCache => {
                path.file_system.behind.as_deref().is_some_and(|told| CACHES.contains(&told))
            }
            PathFact::Thin => path.thin().is_some(),
            PathFact::CachesUnseen => path.devices.is_empty() && caches_itself(&path.file_system),
            PathFact::Network => path.file_system.network,
            PathFact::Overlay => path.file_system.overlay,
            PathFact::CountersOff => {
                drives.any(|d| d.queue.as_ref().is_some_and(|queue| queue.iostats == Some(false)))
            }
            PathFact::WriteBack => {
                drives.peek().is_some()
                    && drives.all(|d| {
                        d.queue.as_ref().and_then(|q| q.write_cache.as_deref())
                            == Some("write back")
                    })
            }
            PathFact::Counted => {
                let fs = &path.file_system;
                drives.peek().is_some()
                    && !fs.volatile
                    && !fs.network
                    && !drives.any(|d| d.queue.as_ref().is_some_and(|q| q.iostats == Some(false)))
            }
            PathFact::Redundant => {
                let copies = COPY_ON_WRITE.contains(&path.file_system.kind.as_str());
                copies
                    || path
                        .devices
                        .iter()
                        .any(|d| matches!(d.kind, DeviceKind::Raid | DeviceKind::Mapper))
            }
            PathFact::FlushSwitchedOff => !switched_off(&path.devices).is_empty(),
            PathFact::Lent => drives.any(BlockDevice::is_lent),
            PathFact::CloudVolume => drives.any(BlockDevice::is_cloud_volume),
        }
    }

    /// As a phrase after "the path is".
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            PathFact::Volatile => "on a file system in memory",
            PathFact::InMemory => "in this machine's memory",
            PathFact::ServedHere => "on a device that this machine serves to itself, or may serve",
            PathFact::ToldMemory => "on a storage target that says that it serves memory",
            PathFact::ToldCache => "on a storage target that has a cache of its own",
            PathFact::Thin => "on thin storage",
            PathFact::CachesUnseen => {
                "on a file system with a cache of its own, whose drives cannot be seen"
            }
            PathFact::Network => "on a network file system",
            PathFact::Overlay => "on a container's overlay file system",
            PathFact::CountersOff => "on a drive whose counters are off",
            PathFact::WriteBack => "on drives with a volatile write cache",
            PathFact::Counted => "on drives that count what they receive",
            PathFact::Redundant => "behind RAID, a mapper or a file system that copies on write",
            PathFact::FlushSwitchedOff => {
                "on a device that gets no flushes, above a volatile write cache"
            }
            PathFact::Lent => "on a drive that a hypervisor or a provider lends",
            PathFact::CloudVolume => "on a volume of a provider's storage network",
        }
    }

    /// The figures behind it.
    pub(crate) fn show(self, path: &RolePath) -> String {
        let fs = &path.file_system;
        let place = format!("{} folder {} on {}", path.role.word(), path.path, fs.kind);
        match self {
            PathFact::Volatile | PathFact::Network | PathFact::Overlay => {
                format!("{place}, mounted at {}", fs.mount_point)
            }
            PathFact::InMemory => {
                format!("{place}; {}", path.in_memory().unwrap_or_default())
            }
            PathFact::ServedHere => {
                format!("{place}; {}", path.served_here().unwrap_or_default())
            }
            PathFact::ToldMemory => format!("{place}; the target says: {MEMORY}"),
            PathFact::ToldCache => {
                format!("{place}; behind the target: {}", fs.behind.as_deref().unwrap_or_default())
            }
            PathFact::Thin => format!("{place}; {}", path.thin().unwrap_or_default()),
            PathFact::CachesUnseen => format!("{place}, which shows no devices"),
            PathFact::FlushSwitchedOff => {
                let off = switched_off(&path.devices);
                let sentences: Vec<String> = off.iter().map(SwitchedOff::evidence).collect();
                format!("{place}; {}", sentences.join("; "))
            }
            PathFact::CountersOff
            | PathFact::WriteBack
            | PathFact::Counted
            | PathFact::Redundant
            | PathFact::Lent
            | PathFact::CloudVolume => {
                let names: Vec<&str> = path.devices.iter().map(|d| d.name.as_str()).collect();
                format!("{place}, devices {}", names.join(", "))
            }
        }
    }
}

/// The role a measurement ran on: as it says, or else the one its layer is about.
fn role(case: &Case<'_>) -> Option<Role> {
    match says(case.measurement, condition::ROLE.any()).as_deref() {
        Some("data") => return Some(Role::Data),
        Some("wal") => return Some(Role::Wal),
        _ => {}
    }
    match case.measurement.layer {
        Layer::Block | Layer::Database => Some(Role::Data),
        Layer::Log => Some(Role::Wal),
        Layer::Clock | Layer::Memory | Layer::Fabric => None,
    }
}

/// The path under the measurement's role.
pub(crate) fn of<'a>(case: &Case<'a>) -> Option<&'a RolePath> {
    under(case, role(case)?)
}

/// The path under a role of the measurement's host; where several folders have it, the one that the measurement names.
pub(crate) fn under<'a>(case: &Case<'a>, role: Role) -> Option<&'a RolePath> {
    let named = says(case.measurement, condition::FOLDER.any());
    let all = || case.platform().into_iter().flat_map(|p| &p.roles).filter(|p| p.role == role);
    all().find(|path| named.as_deref() == Some(path.path.as_str())).or_else(|| all().next())
}
