//! Devices that aren't on PCI, and those that are made of others.

use narrows_model::{Devices, DrivePath, Idle, MapperDevice, MapperTarget, NvmePath};

use super::Lines;
use super::devices::LABEL;
use crate::print::Units;

/// More device-mapper devices than this are counted only: one logical volume may be thousands.
const MAPPED_SHOWN: usize = 8;

/// Drives without a PCI function, persistent memory and the like.
pub(super) fn elsewhere(devices: &Devices, lines: &mut Lines) {
    let size = |bytes: Option<u64>| bytes.map(|bytes| Units::Si.bytes(bytes as f64));
    let node = |node: Option<u32>| node.map(|node| format!("node {node}"));
    let mut add = |parts: Vec<Option<String>>| {
        lines.add(LABEL, parts.into_iter().flatten().collect::<Vec<_>>().join(", "));
    };
    for drive in devices.drives.iter().filter(|drive| drive.pci.is_empty()) {
        let transport = drive.transport.clone();
        let name = Some(format!("drive {}", drive.name));
        add(vec![
            name,
            drive.model.clone(),
            transport,
            size(drive.size_bytes),
            node(drive.numa_node),
        ]);
    }
    for subsystem in &devices.nvme_subsystems {
        for space in subsystem.namespaces.iter().filter(|space| !space.paths.is_empty()) {
            let policy = subsystem.io_policy.as_ref().map(|policy| format!("chosen by {policy}"));
            let head = [Some(format!("ways to {}", space.name)), policy];
            add(head
                .into_iter()
                .chain(space.paths.iter().map(|path| Some(nvme_way(path))))
                .collect());
        }
    }
    for host in devices.scsi_hosts.iter().filter(|host| host.speed.is_some()) {
        let name = Some(format!("adapter {}", host.name));
        add(vec![name, host.driver.clone(), host.transport.clone(), host.speed.clone()]);
    }
    for region in &devices.pmem {
        let name = Some(format!("persistent memory {}", region.name));
        let domain =
            region.persistence_domain.as_ref().map(|domain| format!("kept from the {domain} on"));
        let modes = region.namespaces.iter().filter_map(|space| space.mode.clone());
        let modes: Vec<String> = modes.collect();
        let modes = (!modes.is_empty()).then(|| format!("used as {}", modes.join(" and ")));
        // The node that is on-line and near isn't the one that it would be.
        let target = region.target_node.filter(|node| Some(*node) != region.numa_node);
        let target = target.map(|node| format!("as memory it would be node {node}"));
        add(vec![name, size(region.size_bytes), modes, domain, node(region.numa_node), target]);
    }
    for dax in &devices.dax {
        let used = match dax.driver.as_deref() {
            Some("kmem") => dax.target_node.map(|node| format!("used as memory, node {node}")),
            _ => Some("mapped by programs".to_string()),
        };
        add(vec![Some(format!("memory {}", dax.name)), size(dax.size_bytes), used]);
    }
    for memory in &devices.cxl {
        let name = Some(format!("CXL memory {}", memory.name));
        let persistent = size(memory.persistent_bytes).map(|size| format!("{size} persistent"));
        add(vec![name, size(memory.volatile_bytes), persistent, node(memory.numa_node)]);
    }
}

/// A drive without asymmetric access has no state of its ways.
fn nvme_way(path: &NvmePath) -> String {
    let controller = path.controller.as_deref().unwrap_or(&path.name);
    match path.state.as_deref() {
        None => controller.to_string(),
        Some(state) if state.contains("optimized") => format!("{controller} {state}"),
        Some(state) => format!("{controller} {state} NOT USABLE"),
    }
}

fn scsi_way(path: &DrivePath) -> String {
    let mut words = path.name.clone();
    if let Some(host) = &path.host {
        words += &format!(" by {host}");
    }
    for state in [&path.state, &path.access].into_iter().flatten() {
        words += &format!(" {state}");
    }
    if path.is_down() { words + " NOT USABLE" } else { words }
}

/// `striped over 2 in pieces of 64 KiB`.
fn target(target: &MapperTarget) -> String {
    let chunk = target.chunk_bytes.map(|bytes| Units::Iec.bytes(bytes as f64));
    let details = [
        target.stripes.map(|count| format!("over {count}")),
        target.mode.clone(),
        target.cipher.clone(),
        chunk.map(|chunk| format!("in pieces of {chunk}")),
    ];
    let details: Vec<String> = details.into_iter().flatten().collect();
    format!("{} {}", target.kind, details.join(" ")).trim_end().to_string()
}

/// Each kind once, however many stretches have it.
fn targets(mapped: &MapperDevice) -> Option<String> {
    let mut all: Vec<String> = Vec::new();
    for words in mapped.targets.iter().map(target) {
        if !all.contains(&words) {
            all.push(words);
        }
    }
    (!all.is_empty()).then(|| all.join(" and "))
}

/// Arrays, and what the device mapper makes.
pub(super) fn made_of_others(devices: &Devices, lines: &mut Lines) {
    let size = |bytes: Option<u64>| bytes.map(|bytes| Units::Si.bytes(bytes as f64));
    for array in &devices.arrays {
        let members: Vec<&str> = array.members.iter().map(|member| member.name.as_str()).collect();
        let missing = array.missing.filter(|count| *count > 0);
        let parts = [
            Some(format!("array {}", array.name)),
            array.level.clone(),
            Some(format!("of {}", members.join(" "))),
            size(array.size_bytes),
            array.chunk_bytes.map(|bytes| format!("chunk {}", Units::Iec.bytes(bytes as f64))),
            array.state.clone(),
            array.action.clone().filter(|action| action != "idle"),
            missing.map(|count| format!("DEGRADED: {count} missing")),
        ];
        lines.add(LABEL, parts.into_iter().flatten().collect::<Vec<_>>().join(", "));
    }
    if devices.mapped.len() > MAPPED_SHOWN {
        lines.add(LABEL, format!("{} device-mapper devices", devices.mapped.len()));
        return;
    }
    for mapped in &devices.mapped {
        let parts = [
            Some(format!("mapped {}", mapped.name)),
            mapped.made_by.clone(),
            mapped.layer.clone(),
            targets(mapped),
            (!mapped.members.is_empty()).then(|| format!("over {}", mapped.members.join(" "))),
            size(mapped.size_bytes),
            mapped.suspended.then(|| "SUSPENDED".to_string()),
        ];
        let ways = mapped.paths.iter().map(|path| Some(scsi_way(path)));
        let parts = parts.into_iter().chain(ways);
        lines.add(LABEL, parts.flatten().collect::<Vec<_>>().join(", "));
    }
}

/// `intel_idle, menu: POLL, C1 2 µs, C6 133 µs (off)`.
pub(super) fn idle(idle: &Idle) -> String {
    let names = [idle.driver.clone(), idle.governor.clone().map(|name| format!("governor {name}"))];
    let names = names.into_iter().flatten().collect::<Vec<_>>().join(", ");
    let states = idle.states.iter().map(|state| {
        let latency = state.latency_us.filter(|latency| *latency > 0);
        let latency = latency.map(|latency| format!(" {latency} µs")).unwrap_or_default();
        format!("{}{latency}{}", state.name, if state.disabled { " (off)" } else { "" })
    });
    let states = states.collect::<Vec<_>>().join(", ");
    [names, states].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(": ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::{
        ArrayMember, DaxDevice, Drive, IdleState, MdArray, NvmeNamespace, NvmeSubsystem, PmemRegion,
    };

    #[test]
    fn what_is_degraded_or_not_usable_is_said_in_words() {
        let path = |controller: &str, state: Option<&str>| NvmePath {
            name: String::new(),
            controller: Some(controller.to_string()),
            state: state.map(str::to_string),
        };
        let member = |name: &str| ArrayMember { name: name.to_string(), state: None };
        let devices = Devices {
            drives: vec![Drive {
                name: "nvme1n1".into(),
                transport: Some("nvme (tcp)".into()),
                ..Drive::default()
            }],
            nvme_subsystems: vec![NvmeSubsystem {
                io_policy: Some("numa".into()),
                namespaces: vec![NvmeNamespace {
                    name: "nvme1n1".into(),
                    size_bytes: None,
                    paths: vec![
                        path("nvme1", Some("optimized")),
                        path("nvme2", Some("inaccessible")),
                        path("nvme3", None),
                    ],
                }],
                ..NvmeSubsystem::default()
            }],
            arrays: vec![MdArray {
                name: "md0".into(),
                level: Some("raid10".into()),
                members: vec![member("sda1"), member("sdb1")],
                chunk_bytes: Some(512 << 10),
                action: Some("idle".into()),
                missing: Some(2),
                ..MdArray::default()
            }],
            pmem: vec![PmemRegion {
                name: "region0".into(),
                numa_node: Some(0),
                target_node: Some(2),
                persistence_domain: Some("cpu_cache".into()),
                ..PmemRegion::default()
            }],
            dax: vec![DaxDevice {
                name: "dax0.0".into(),
                size_bytes: Some(1_000_000_000),
                target_node: Some(5),
                driver: Some("kmem".into()),
            }],
            ..Devices::default()
        };
        let mut lines = Lines::default();
        elsewhere(&devices, &mut lines);
        made_of_others(&devices, &mut lines);
        let shown = super::super::texts(&lines);
        assert_eq!(
            shown,
            [
                "drive nvme1n1, nvme (tcp)",
                "ways to nvme1n1, chosen by numa, nvme1 optimized, nvme2 inaccessible NOT USABLE, nvme3",
                "persistent memory region0, kept from the cpu_cache on, node 0, as memory it would be node 2",
                "memory dax0.0, 1.00 GB, used as memory, node 5",
                "array md0, raid10, of sda1 sdb1, chunk 512 KiB, DEGRADED: 2 missing",
            ]
        );
    }

    #[test]
    fn mapped_devices_with_what_they_are_made_of_and_their_ways() {
        let striped = MapperTarget {
            kind: "striped".into(),
            stripes: Some(2),
            chunk_bytes: Some(64 << 10),
            ..MapperTarget::default()
        };
        let way = |name: &str, state: &str| DrivePath {
            name: name.into(),
            host: Some("host2".into()),
            state: Some(state.into()),
            access: None,
        };
        let mapped = vec![
            MapperDevice {
                name: "dm-0".into(),
                made_by: Some("lvm".into()),
                layer: Some("tdata".into()),
                members: vec!["sda1".into(), "sdb1".into()],
                targets: vec![striped.clone(), striped],
                ..MapperDevice::default()
            },
            MapperDevice {
                name: "dm-1".into(),
                made_by: Some("multipath".into()),
                suspended: true,
                paths: vec![way("sda", "running"), way("sdb", "offline")],
                ..MapperDevice::default()
            },
        ];
        let devices = Devices { mapped, ..Devices::default() };
        let mut lines = Lines::default();
        made_of_others(&devices, &mut lines);
        let shown = super::super::texts(&lines);
        assert_eq!(
            shown,
            [
                "mapped dm-0, lvm, tdata, striped over 2 in pieces of 64 KiB, over sda1 sdb1",
                "mapped dm-1, multipath, SUSPENDED, sda by host2 running, sdb by host2 offline NOT USABLE",
            ]
        );
    }

    #[test]
    fn many_mapped_devices_are_counted() {
        let mapped =
            (0..9).map(|n| MapperDevice { name: format!("dm-{n}"), ..MapperDevice::default() });
        let devices = Devices { mapped: mapped.collect(), ..Devices::default() };
        let mut lines = Lines::default();
        made_of_others(&devices, &mut lines);
        assert_eq!(super::super::texts(&lines), ["9 device-mapper devices"]);
    }

    #[test]
    fn idle_states_with_their_price() {
        let state = |name: &str, latency_us, disabled| IdleState {
            name: name.into(),
            latency_us,
            disabled,
        };
        let states = vec![state("POLL", Some(0), false), state("C6", Some(133), true)];
        let given =
            Idle { driver: Some("intel_idle".into()), governor: Some("menu".into()), states };
        assert_eq!(idle(&given), "intel_idle, governor menu: POLL, C6 133 µs (off)");
    }
}
