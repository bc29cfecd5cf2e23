//! Disks, adapters, arrays, and the way from the database's folder down to them.

use narrows_model::{Drive, MdArray, Platform};

use super::{Fact, Facts, disk, disk_mib, is, mib, optional, or_none, sorted};
use crate::lab::guest::{Array, DataFolder, Guest, Used};

pub fn wanted(guest: &Guest) -> Facts {
    let mut facts = Facts::new();
    let cpus = guest.cpus.count();
    for drive in &guest.nvme {
        let nodes: Vec<Option<u32>> =
            drive.ports.iter().map(|port| guest.ports[*port].node).collect();
        // Over several ways the kernel has no queues of its own.
        let queues = (nodes.len() == 1).then_some(drive.queues.min(cpus));
        // A drive with ways at two nodes is at neither.
        let agree = nodes.windows(2).all(|pair| pair[0] == pair[1]);
        let node = nodes.first().copied().flatten().filter(|_| agree);
        for mib in &drive.namespaces_mib {
            facts.extend(about(disk_mib(*mib), "nvme (pcie)", queues, node, nodes.len()));
        }
    }
    for virtio in &guest.virtio_disks {
        let queues = virtio.queues.min(cpus);
        facts.extend(about(disk_mib(virtio.mib), "virtio", Some(queues), None, 1));
    }
    if let Some(scsi) = &guest.scsi {
        for mib in &scsi.disks_mib {
            let queues = scsi.queues.min(cpus);
            facts.extend(about(disk_mib(*mib), "virtio-scsi", Some(queues), None, 1));
        }
    }
    for part in guest.persistent.iter().filter(|part| part.used == Used::AsDrive) {
        // Its own node is only there once it is memory; until then it is at the nearest that is.
        facts.extend(about(disk_mib(part.mib), "pmem", None, nearest(guest, part.node), 0));
    }
    let adapters = guest.scsi.iter().map(|scsi| adapter(Some("virtio-scsi"), Some(scsi.queues)));
    let shares = std::iter::repeat_n("file system", 3);
    let virtio = guest.virtio_disks.iter().map(|_| "block");
    let virtio = shares.chain(virtio).chain(guest.scsi.iter().map(|_| "SCSI"));
    let arrays = guest.array.iter().map(wanted_array);
    facts.extend(lists(adapters.collect(), virtio.map(str::to_string).collect(), arrays.collect()));
    let (kind, beneath) = match guest.data {
        None => ("overlay", Vec::new()),
        Some(DataFolder::Disk { mib }) => ("ext4", vec![disk_mib(mib)]),
        Some(DataFolder::Array) => {
            let members = guest.array.iter().flat_map(|array| &array.members_mib);
            ("ext4", members.map(|mib| disk_mib(*mib)).collect())
        }
    };
    facts.insert("data: file system".into(), is(kind));
    facts.insert("data: disks".into(), sorted(beneath));
    facts
}

/// The node with memory that is nearest by the firmware's distances.
fn nearest(guest: &Guest, node: u32) -> Option<u32> {
    let row = guest.distances.get(node as usize)?;
    let there = guest.nodes.iter().zip(row).zip(0..).filter(|((node, _), _)| node.memory_mib > 0);
    there.min_by_key(|((_, distance), _)| **distance).map(|(_, id)| id)
}

fn wanted_array(array: &Array) -> String {
    let kib = |mib: &u32| mib * 1024 - Array::DATA_OFFSET_KIB;
    let smallest = array.members_mib.iter().map(kib).min().unwrap_or(0);
    let places = array.members_mib.len() as u32 + array.missing;
    // Two copies of everything, in whole chunks.
    let size = smallest / array.chunk_kib.max(1) * array.chunk_kib.max(1) * places / 2;
    let chunk = (array.chunk_kib > 0).then_some(u64::from(array.chunk_kib) << 10);
    let members = array.members_mib.iter().map(|mib| disk_mib(*mib)).collect();
    self::array(Some(array.level), chunk, u64::from(size) << 10, Some(array.missing), members)
}

pub fn found(platform: &Platform) -> Facts {
    let devices = &platform.devices;
    let mut facts = Facts::new();
    for (number, drive) in devices.drives.iter().enumerate() {
        let mut name = disk(drive.size_bytes);
        if facts.contains_key(&format!("{name}: transport")) {
            name += &format!(", another ({number})");
        }
        let transport = drive.transport.as_deref().unwrap_or("not known");
        facts.extend(about(name, transport, drive.queues, drive.numa_node, drive.pci.len()));
    }
    let adapters =
        devices.scsi_hosts.iter().map(|host| adapter(host.transport.as_deref(), host.queues));
    let virtio = devices.virtio.iter().map(|device| device.kind.clone());
    let arrays = devices.arrays.iter().map(|array| found_array(platform, array));
    facts.extend(lists(adapters.collect(), virtio.collect(), arrays.collect()));
    let role = platform.roles.first();
    let kind = role.map(|role| role.file_system.kind.clone());
    let beneath =
        role.into_iter().flat_map(|role| role.drives().map(|drive| disk(drive.size_bytes)));
    facts.insert("data: file system".into(), is(optional(kind)));
    facts.insert("data: disks".into(), sorted(beneath.collect()));
    facts
}

fn found_array(platform: &Platform, found: &MdArray) -> String {
    let of = |name: &str| {
        let is_it = |drive: &&Drive| drive.name == name;
        disk(platform.devices.drives.iter().find(is_it).and_then(|drive| drive.size_bytes))
    };
    let members = found.members.iter().map(|member| of(&member.name)).collect();
    let size = found.size_bytes.unwrap_or(0);
    array(found.level.as_deref(), found.chunk_bytes, size, found.missing, members)
}

fn about(
    name: String,
    transport: &str,
    queues: Option<u32>,
    node: Option<u32>,
    ways: usize,
) -> [(String, Fact); 4] {
    [
        ("transport", is(transport)),
        ("queues", is(optional(queues))),
        ("node", is(optional(node))),
        ("PCI functions", is(ways.to_string())),
    ]
    .map(|(what, fact)| (format!("{name}: {what}"), fact))
}

fn lists(adapters: Vec<String>, virtio: Vec<String>, arrays: Vec<String>) -> Facts {
    [("SCSI adapters", adapters), ("virtio devices", virtio), ("arrays", arrays)]
        .map(|(name, list)| (name.to_string(), sorted(list)))
        .into()
}

fn adapter(transport: Option<&str>, queues: Option<u32>) -> String {
    format!("{} with {} queues", optional(transport), optional(queues))
}

fn array(
    level: Option<&str>,
    chunk: Option<u64>,
    bytes: u64,
    missing: Option<u32>,
    mut members: Vec<String>,
) -> String {
    members.sort();
    let members = members.join(" and ");
    let Fact::Is(members) = or_none(members) else { return String::new() };
    format!(
        "{} of {}, chunk {}, {} missing, on {members}",
        optional(level),
        mib(bytes),
        optional(chunk.map(mib_or_kib)),
        optional(missing)
    )
}

fn mib_or_kib(bytes: u64) -> String {
    format!("{} KiB", bytes >> 10)
}
