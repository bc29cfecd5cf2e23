//! What hangs on the machine, by NUMA node: each device with its link, what could not be said in full being said in
//! words. Ports of the root have no line; both ends of a link are told with the device below it.

use std::collections::BTreeSet;

use narrows_model::{Devices, PciDevice, PciKind, Platform};

use super::Lines;
use super::stacked;
use crate::link;
use crate::print::Units;
use crate::words::counted;

/// The label of all these lines.
pub(super) const LABEL: &str = "devices";

/// Devices on PCI under their nodes, then those elsewhere, then what is made of drives.
pub(super) fn devices(p: &Platform, lines: &mut Lines) {
    let devices = &p.devices;
    let shown: Vec<&PciDevice> =
        devices.pci.iter().filter(|function| is_shown(devices, function)).collect();
    // A single node needs no heading.
    let heading = p.nodes.len() > 1;
    let node_of = |function: &PciDevice| function.numa_node.filter(|_| heading);
    let nodes: BTreeSet<(bool, Option<u32>)> =
        shown.iter().map(|function| (node_of(function).is_none(), node_of(function))).collect();
    let ends: BTreeSet<&str> = devices.links().map(|(end, _)| end.address.as_str()).collect();
    for (_, node) in &nodes {
        if heading {
            lines.add(LABEL, title(p, *node));
        }
        let here = shown.iter().filter(|function| node_of(function) == *node);
        for function in here {
            let within = usize::from(heading) + depth(devices, function);
            lines.add_within(LABEL, within, line(devices, &ends, function));
        }
    }
    stacked::elsewhere(devices, lines);
    stacked::made_of_others(devices, lines);
}

/// `at node 0, 64 CPUs`.
fn title(p: &Platform, node: Option<u32>) -> String {
    let Some(id) = node else { return "at no node that the kernel knows".to_string() };
    let known = p.nodes.iter().find(|node| node.id == id);
    let cpus = known.map(|node| format!(", {}", counted(node.cpus.len(), "CPU")));
    format!("at node {id}{}", cpus.unwrap_or_default())
}

/// Devices, and switches: ports down and root ports say nothing that the device below doesn't.
fn is_shown(devices: &Devices, function: &PciDevice) -> bool {
    function.kind != PciKind::Bridge || is_switch(devices, function)
}

fn is_switch(devices: &Devices, function: &PciDevice) -> bool {
    let above = devices.way_up(&function.address).skip(1);
    let bridges = above.take_while(|above| above.kind == PciKind::Bridge).count();
    function.kind == PciKind::Bridge && function.link.is_some() && bridges % 2 == 1
}

/// Switches between the device and the root.
fn depth(devices: &Devices, function: &PciDevice) -> usize {
    devices.way_up(&function.address).skip(1).filter(|above| is_switch(devices, above)).count()
}

/// `ends` are the lower ends of links: functions of one device have one link.
fn line(devices: &Devices, ends: &BTreeSet<&str>, function: &PciDevice) -> String {
    let what = if function.kind == PciKind::Bridge { "switch" } else { function.kind.word() };
    let mut parts = vec![format!("{} {what}", function.address)];
    parts[0] += &named(devices, function);
    parts.extend(drives(devices, &function.address));
    parts.extend(ports(devices, &function.address));
    parts.extend(function.slot.as_ref().map(|slot| format!("slot {slot}")));
    if ends.contains(function.address.as_str()) {
        parts.extend(link_of(devices, function));
    }
    if let Some(interrupts) = function.interrupts.as_ref().filter(|found| !found.cpus.is_empty()) {
        let list = super::nodes::cpu_list(&interrupts.cpus);
        let cpus = if interrupts.cpus.len() == 1 { "CPU" } else { "CPUs" };
        parts.push(format!("interrupts at {cpus} {list}"));
    }
    parts.join(", ")
}

/// Names of what is on it, or else its driver.
fn named(devices: &Devices, function: &PciDevice) -> String {
    let mut names = devices.names_at(&function.address);
    let drives = devices.drives.iter().filter(|d| d.pci.contains(&function.address)).count();
    if drives > 2 {
        names.retain(|name| devices.drives.iter().all(|drive| drive.name != *name));
    }
    let nameless = names.is_empty() && drives == 0 && function.kind != PciKind::Bridge;
    let driver = function.driver.as_deref().filter(|_| nameless);
    names.extend(driver);
    names.iter().map(|name| format!(" {name}")).collect()
}

/// Models and sizes; what is alike is counted.
fn drives(devices: &Devices, address: &str) -> Vec<String> {
    let here: Vec<_> =
        devices.drives.iter().filter(|drive| drive.pci.iter().any(|pci| pci == address)).collect();
    let texts = here.iter().map(|drive| {
        let size = drive.size_bytes.map(|bytes| Units::Si.bytes(bytes as f64));
        [drive.model.clone(), size].into_iter().flatten().collect::<Vec<_>>().join(" ")
    });
    let texts: Vec<String> = texts.collect();
    let mut said: Vec<String> = Vec::new();
    for text in &texts {
        let count = texts.iter().filter(|other| *other == text).count();
        let text = if here.len() > 2 { format!("{count} × {text}") } else { text.clone() };
        if !text.is_empty() && !said.contains(&text) {
            said.push(text);
        }
    }
    if let ([first, .., last], true) = (here.as_slice(), here.len() > 2) {
        said.push(format!("{} to {}", first.name, last.name));
    }
    said
}

fn ports(devices: &Devices, address: &str) -> Vec<String> {
    let gigabits = |bits: u64| format!("{} Gb/s", bits as f64 / 1e9);
    let mut parts = Vec::new();
    for port in devices.network.iter().filter(|port| port.pci.as_deref() == Some(address)) {
        parts.extend(port.bits_per_s.map(gigabits));
        parts.extend(port.state.clone().filter(|state| state != "up"));
        parts.extend(port.duplex.clone().filter(|duplex| duplex != "full").map(|d| d + " duplex"));
        parts.extend(port.part_of.as_ref().map(|bond| format!("part of {bond}")));
        parts.extend(port.receive_queues.map(|n| counted(n as usize, "receive queue")));
    }
    for port in devices.rdma.iter().filter(|port| port.pci.as_deref() == Some(address)) {
        let layer = port.link_layer.clone().unwrap_or_else(|| "RDMA".to_string());
        let rate = port.rate.as_ref().map(|rate| format!(" {rate}")).unwrap_or_default();
        let state = port.state.as_ref().filter(|state| *state != "ACTIVE");
        let state = state.map(|state| format!(" {state}")).unwrap_or_default();
        let by = port.in_software.as_ref().map(|by| format!(", in software ({by})"));
        parts.push(format!("port {} {layer}{rate}{state}{}", port.port, by.unwrap_or_default()));
    }
    parts
}

/// `8 GT/s x4, BELOW the 16 GT/s x4 of both ends`.
fn link_of(devices: &Devices, function: &PciDevice) -> Option<String> {
    let port = function.above.as_deref().and_then(|port| devices.pci_at(port)?.link.as_ref());
    let words = link::words(function.link.as_ref()?, port)?;
    Some([Some(words.now), words.mark].into_iter().flatten().collect::<Vec<_>>().join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use narrows_model::{Drive, Interrupts, NetworkPort, NumaNode, PcieLink};

    fn function(address: &str, above: Option<&str>, kind: PciKind, most: (f64, u32)) -> PciDevice {
        let link = PcieLink {
            address: address.to_string(),
            current_gts: Some(8.0),
            current_width: Some(4),
            max_gts: Some(most.0),
            max_width: Some(most.1),
            flit_mode: None,
        };
        PciDevice {
            address: address.to_string(),
            above: above.map(str::to_string),
            numa_node: Some(0),
            link: Some(link),
            ..PciDevice::new(kind)
        }
    }

    fn drive(name: &str, pci: &str) -> Drive {
        Drive {
            name: name.to_string(),
            model: Some("Quick 9".to_string()),
            size_bytes: Some(3_840_000_000_000),
            pci: vec![pci.to_string()],
            ..Drive::default()
        }
    }

    fn shown(p: &Platform) -> Vec<String> {
        let mut lines = Lines::default();
        devices(p, &mut lines);
        super::super::texts(&lines)
    }

    #[test]
    fn a_slow_slot_a_slow_link_and_a_switch_are_told_apart() {
        let (port, nvme) = (PciKind::Bridge, PciKind::Nvme);
        let mut p = Platform::default();
        p.devices.pci = vec![
            function("0000:00:01.0", None, port, (8.0, 4)),
            function("0000:00:02.0", None, port, (16.0, 4)),
            function("0000:00:03.0", None, port, (8.0, 4)),
            function("0000:01:00.0", Some("0000:00:01.0"), nvme, (16.0, 4)),
            function("0000:02:00.0", Some("0000:00:02.0"), nvme, (16.0, 4)),
            function("0000:03:00.0", Some("0000:00:03.0"), port, (8.0, 4)),
            function("0000:04:00.0", Some("0000:03:00.0"), port, (8.0, 4)),
            function("0000:05:00.0", Some("0000:04:00.0"), nvme, (8.0, 4)),
        ];
        p.devices.drives = vec![drive("nvme0n1", "0000:01:00.0")];
        p.devices.pci[4].slot = Some("7".to_string());
        assert_eq!(
            shown(&p),
            [
                "0000:01:00.0 NVMe nvme0n1, Quick 9 3.84 TB, 8 GT/s x4, LIMITED by the slot: the device supports 16 GT/s x4",
                "0000:02:00.0 NVMe, slot 7, 8 GT/s x4, BELOW the 16 GT/s x4 of both ends",
                "0000:03:00.0 switch, 8 GT/s x4, its maximum",
                "  0000:05:00.0 NVMe, 8 GT/s x4, its maximum",
            ]
        );
    }

    #[test]
    fn devices_stand_under_their_nodes_and_drives_alike_are_counted() {
        let mut p = Platform::default();
        let node = |id, cpu| NumaNode { id, cpus: vec![cpu], ..NumaNode::default() };
        p.nodes = vec![node(0, 0), node(1, 1)];
        p.devices.pci = vec![
            function("0000:01:00.0", None, PciKind::Storage, (8.0, 4)),
            function("0000:02:00.0", None, PciKind::Ethernet, (8.0, 4)),
            function("0000:02:00.1", None, PciKind::Ethernet, (8.0, 4)),
        ];
        p.devices.pci[0].interrupts =
            Some(Interrupts { cpus: "0-1".parse().unwrap(), ..Interrupts::default() });
        p.devices.pci[2].numa_node = None;
        p.devices.drives = ["sda", "sdb", "sdc"].map(|name| drive(name, "0000:01:00.0")).to_vec();
        p.devices.network = vec![NetworkPort {
            name: "ens1".to_string(),
            state: Some("down".to_string()),
            receive_queues: Some(1),
            pci: Some("0000:02:00.1".to_string()),
            ..NetworkPort::default()
        }];
        assert_eq!(
            shown(&p),
            [
                "at node 0, 1 CPU",
                "  0000:01:00.0 storage, 3 × Quick 9 3.84 TB, sda to sdc, 8 GT/s x4, its maximum, interrupts at CPUs 0-1",
                "  0000:02:00.0 Ethernet, 8 GT/s x4, its maximum",
                "at no node that the kernel knows",
                "  0000:02:00.1 Ethernet ens1, down, 1 receive queue",
            ]
        );
    }
}
