//! The stack of block devices under a device number, from `/sys/dev/block` (Linux
//! `Documentation/ABI/stable/sysfs-block`): partitions lie on their disk, device-mapper and RAID devices on
//! their slaves, loop devices on the device that holds their file, and what this machine serves to itself on what its target serves.

mod cache;
mod members;
pub(crate) mod nvmet;
pub(crate) mod own;
mod queue;
mod thin;
pub(crate) mod transport;

use narrows_facts::{Mount, Source, mount_of, mounts};
use narrows_model::{BlockDevice, DeviceKind, Queue};

use crate::mount::{is_anonymous, is_overlay, upper_folder};
use crate::pcie;
use crate::unknown::Unknowns;

pub(crate) use queue::hardware_queues;

/// Deeper than any stack of partitions, encryption, volumes and RAID that works.
const MAX_DEPTH: u32 = 16;
/// What the names of files that never had one begin with (memfd_create(2)).
const NAMELESS: &str = "/memfd:";

/// All devices under a mount down to the drives, each once, upper ones first. Empty if the kernel shows none.
pub(crate) fn stack_of(source: &dyn Source, mount: &Mount) -> Vec<BlockDevice> {
    let mut devices = Vec::new();
    for path in folders(source, mount) {
        visit(source, &path, &mut devices, MAX_DEPTH);
    }
    devices
}

/// Folders of the devices that a mount is on.
fn folders(source: &dyn Source, mount: &Mount) -> Vec<String> {
    if is_anonymous(&mount.number) {
        return members::members(source, mount);
    }
    let path = format!("/sys/dev/block/{}", mount.number);
    Some(path).filter(|path| source.exists(path)).into_iter().collect()
}

/// All devices from `number` (`major:minor`) down to the drives, each once, upper ones first. Empty if the kernel
/// shows no such device, as for anonymous numbers.
pub(crate) fn stack(source: &dyn Source, number: &str) -> Vec<BlockDevice> {
    let mut devices = Vec::new();
    visit(source, &format!("/sys/dev/block/{number}"), &mut devices, MAX_DEPTH);
    devices
}

/// The devices at the bottom of a stack.
pub(crate) fn drives(devices: &[BlockDevice]) -> impl Iterator<Item = &BlockDevice> {
    devices.iter().filter(|device| device.slaves.is_empty())
}

/// Notes what a machine hides about the drives of `devices`.
pub(crate) fn note_unknown(devices: &[BlockDevice], unknown: &mut Unknowns) {
    const LINK: &str = "PCIe link of the drives";
    const WEAR: &str = "wear and health of the drives";
    const FLITS: &str = "flit mode of the drives' PCIe links";
    for drive in drives(devices).filter(|drive| drive.kind == DeviceKind::Disk) {
        let transport = drive.transport.as_deref().unwrap_or_default();
        let real = ["nvme", "sata", "sas", "scsi"].iter().any(|name| transport.starts_with(name));
        let network = transport.starts_with("network") || transport == "iscsi";
        let virtual_drive = matches!(transport, "virtio" | "virtio-scsi" | "xen" | "vmbus");
        if drive.pcie.is_empty() && !network {
            let needs = if virtual_drive || transport.is_empty() {
                "a hypervisor that passes the drive itself through; a virtual drive has no link"
            } else {
                "Linux 4.13 or later, which shows links in /sys; or the drive is not on PCIe"
            };
            unknown.add(LINK, needs);
        }
        if drive.pcie.iter().any(|link| link.may_be_in_flits() && link.flit_mode.is_none()) {
            unknown.add(
                FLITS,
                "root: it is in the part of the configuration space that only root reads",
            );
        }
        if real {
            unknown.add(WEAR, "root, and the drive's own health log (nvme smart-log, smartctl)");
        } else if virtual_drive {
            unknown.add(WEAR, "the host of this virtual machine");
        }
    }
}

fn visit(source: &dyn Source, path: &str, devices: &mut Vec<BlockDevice>, depth: u32) {
    let Ok(folder) = source.real_path(path) else { return };
    let name = last(&folder).to_string();
    if depth == 0 || devices.iter().any(|device| device.name == name) {
        return;
    }
    let beneath = beneath(source, &folder);
    devices.push(device(source, &folder, &name, &beneath));
    for path in beneath {
        visit(source, &path, devices, depth - 1);
    }
}

/// The mount that a loop device's file lies on; where that is a container's layer, the mount under it that takes the writes. A file
/// that another mount namespace sees can't be followed; one that was removed is looked for by its folder.
fn mount_of_loop(source: &dyn Source, folder: &str) -> Option<Mount> {
    let file = source.text(&format!("{folder}/loop/backing_file"))?;
    if file.starts_with(NAMELESS) { None } else { mount_of_file(source, &file) }
}

/// The mount that a file lies on, by the name that the kernel has for it.
fn mount_of_file(source: &dyn Source, file: &str) -> Option<Mount> {
    let removed = || {
        let (folder, _) = file.strip_suffix(" (deleted)")?.rsplit_once('/')?;
        source.real_path(if folder.is_empty() { "/" } else { folder }).ok()
    };
    let real = source.real_path(file).ok().or_else(removed)?;
    let mounts = mounts(source);
    let mount = mount_of(&mounts, &real)?;
    let upper = upper_folder(mount).filter(|_| is_overlay(&mount.kind));
    let taken = upper.and_then(|folder| mount_of(&mounts, &source.real_path(folder).ok()?));
    Some(taken.unwrap_or(mount).clone())
}

/// Where a loop device's file is, if in memory: the file system's kind, or a file without a name (memfd_create(2)).
fn loop_in_memory(source: &dyn Source, folder: &str) -> Option<String> {
    let file = source.text(&format!("{folder}/loop/backing_file"))?;
    if file.starts_with(NAMELESS) {
        return Some("memfd".to_string());
    }
    let kind = mount_of_loop(source, folder)?.kind;
    narrows_facts::file::volatile_kind(&kind).then_some(kind)
}

/// Folders of the devices directly beneath.
fn beneath(source: &dyn Source, folder: &str) -> Vec<String> {
    if source.exists(&format!("{folder}/partition")) {
        return folder.rfind('/').map(|end| folder[..end].to_string()).into_iter().collect();
    }
    if let Some(mount) = mount_of_loop(source, folder) {
        return folders(source, &mount);
    }
    if let Some(behind) = nvmet::beneath(source, folder) {
        return behind;
    }
    let slaves = format!("{folder}/slaves");
    let names = source.list(&slaves).unwrap_or_default();
    names.into_iter().map(|name| format!("{slaves}/{name}")).collect()
}

fn device(source: &dyn Source, folder: &str, name: &str, beneath: &[String]) -> BlockDevice {
    let at = |file: &str| format!("{folder}/{file}");
    let kind = kind(source, folder, name);
    // A device without hardware of its own takes none from the folders above it.
    let hardware = match kind {
        DeviceKind::Disk => transport::hardware_paths(source, folder),
        _ => Vec::new(),
    };
    let real_names = beneath.iter().filter_map(|path| source.real_path(path).ok());
    BlockDevice {
        name: name.to_string(),
        number: source.text(&at("dev")).unwrap_or_default(),
        kind,
        level: level(source, folder, kind),
        model: transport::model(source, folder),
        transport: match kind {
            DeviceKind::Disk => transport::name(source, name, folder, &hardware),
            DeviceKind::Loop => transport::of_loop(source, folder),
            _ => None,
        },
        size_bytes: source.number::<u64>(&at("size")).and_then(|n| n.checked_mul(512)),
        slaves: real_names.map(|path| last(&path).to_string()).collect(),
        queue: match kind {
            DeviceKind::Partition => None,
            _ => queue::read(source, &at("queue")).map(|queue| Queue {
                drive_cache: match kind {
                    DeviceKind::Disk => cache::read(source, folder, &hardware),
                    _ => None,
                },
                thin: thin::what(source, folder, kind),
                ..queue
            }),
        },
        numa_node: pcie::common_node(source, &hardware),
        pcie: hardware.first().map(|path| pcie::links(source, path)).unwrap_or_default(),
    }
}

pub(crate) fn kind(source: &dyn Source, folder: &str, name: &str) -> DeviceKind {
    let has = |file: &str| source.exists(&format!("{folder}/{file}"));
    let numbered = |prefix: &str| {
        name.strip_prefix(prefix)
            .is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if has("partition") {
        DeviceKind::Partition
    } else if has("dm") {
        DeviceKind::Mapper
    } else if has("md") {
        DeviceKind::Raid
    } else if has("loop") || numbered("loop") {
        DeviceKind::Loop
    } else if numbered("ram") || numbered("zram") {
        DeviceKind::Memory
    } else {
        DeviceKind::Disk
    }
}

pub(crate) fn level(source: &dyn Source, folder: &str, kind: DeviceKind) -> Option<String> {
    match kind {
        DeviceKind::Raid => source.text(&format!("{folder}/md/level")),
        DeviceKind::Mapper => {
            // Whoever made the device begins its uuid with its own name: `LVM-...`, `CRYPT-LUKS2-...`, `mpath-...`.
            let uuid = source.text(&format!("{folder}/dm/uuid"))?;
            let maker = uuid.split('-').next().unwrap_or_default().to_lowercase();
            Some(if maker == "mpath" { "multipath".to_string() } else { maker })
        }
        _ => None,
    }
}

pub(crate) fn last(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}
