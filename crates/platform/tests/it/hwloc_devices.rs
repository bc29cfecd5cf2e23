//! Devices of machines nobody has here, against what hwloc's authors found in the same files: which PCI function hangs
//! on which port, which drive, interface and adapter is on which function, and what each link carries.
//!
//! The archives are found, or skipped, as for the test of topologies.

use std::collections::BTreeMap;

use crate::hwloc::archive;
use narrows_facts::Tree;
use narrows_model::{Devices, IdSet, PciDevice, PciKind, Platform};

/// Archives with PCI functions, and what hwloc wrote of each.
const MACHINES: [(&str, &str); 3] = [
    ("40intel64-2g2n4c+pcilocality", "xml"),
    ("32em64t-2n8c+dax+nvme+mic+dimms", "xml"),
    ("2pa-pcidomain32bits", "console"),
];

/// A line of hwloc's tree that is about a function, or about what the kernel made of it.
#[derive(Debug)]
struct TreeLine {
    depth: usize,
    /// A function's address; `None` for what is on the function above.
    address: Option<String>,
    /// Class and subclass, `0108`.
    class: String,
    /// The kernel's name.
    name: Option<String>,
    link_gb_per_s: f64,
}

fn after<'a>(line: &'a str, mark: &str, end: &[char]) -> Option<&'a str> {
    let start = line.find(mark)? + mark.len();
    line[start..].split(end).next()
}

/// Both ways of writing have one object a line, and its depth as leading blanks.
fn lines(text: &str) -> Vec<TreeLine> {
    let line = |line: &str| {
        let of_kernel = line.contains("type=\"OSDev\"") || line.contains("OSDev[");
        let address =
            after(line, "busid=\"", &['"']).or_else(|| after(line, "(busid=", &[' ', ')']));
        let class = after(line, "pci_type=\"", &[' ']).or_else(|| after(line, " class=", &['(']));
        let name = after(line, " name=\"", &['"']).or_else(|| line.rsplit('"').nth(1));
        let link =
            after(line, "pci_link_speed=\"", &['"']).or_else(|| after(line, " link=", &['G']));
        (of_kernel || address.is_some()).then(|| TreeLine {
            depth: line.len() - line.trim_start().len(),
            address: address.map(str::to_string),
            class: class.unwrap_or("0604").to_string(),
            name: name.filter(|_| of_kernel).map(str::to_string),
            link_gb_per_s: link.and_then(|text| text.parse().ok()).unwrap_or(0.0),
        })
    };
    let tree = text.split("\ndepth 0:").next().unwrap();
    tree.lines().filter_map(line).collect()
}

/// Names of what the kernel made, by function.
fn made(devices: &Devices) -> BTreeMap<&str, &str> {
    let drives =
        devices.drives.iter().filter_map(|d| Some((d.name.as_str(), d.pci.first()?.as_str())));
    let ports = devices.network.iter().filter_map(|p| Some((p.name.as_str(), p.pci.as_deref()?)));
    let rdma = devices.rdma.iter().filter_map(|p| Some((p.device.as_str(), p.pci.as_deref()?)));
    drives.chain(ports).chain(rdma).collect()
}

/// Whether hwloc's class is one of ours: bridges, mass storage, networks, accelerators, memory.
fn kind(class: &str) -> Option<PciKind> {
    Some(match class {
        "0604" => PciKind::Bridge,
        "0108" => PciKind::Nvme,
        "0200" => PciKind::Ethernet,
        "0280" | "0207" | "0c06" => PciKind::Infiniband,
        "0b40" => PciKind::Accelerator,
        _ if class.starts_with("01") || class == "0c04" => PciKind::Storage,
        _ if class.starts_with("03") => PciKind::Graphics,
        _ if class.starts_with("05") => PciKind::Memory,
        _ => return None,
    })
}

fn compare(name: &str, lines: &[TreeLine], devices: &Devices) -> (usize, usize, usize) {
    let made = made(devices);
    let (mut functions, mut names, mut links) = (0, 0, 0);
    let mut open: Vec<&TreeLine> = Vec::new();
    for line in lines {
        open.retain(|above| above.depth < line.depth);
        let above = open.last().and_then(|above| above.address.as_deref());
        if let Some(made_name) = &line.name {
            // Neither channels of a DMA engine, nor an optical drive, nor an accelerator's own.
            let ours =
                !["dma", "sr", "mic", "card", "control"].iter().any(|p| made_name.starts_with(p));
            if let Some(on) = above.filter(|_| ours) {
                assert_eq!(made.get(made_name.as_str()), Some(&on), "{name}: {made_name}");
                names += 1;
            }
        }
        let Some(address) = &line.address else { continue };
        let ours = devices.pci_at(address);
        assert_eq!(ours.map(|f| f.kind), kind(&line.class), "{name}: {address}, {}", line.class);
        if let Some(ours) = ours {
            assert_eq!(ours.above.as_deref(), above, "{name}: {address}");
            let carries =
                ours.link.as_ref().and_then(|link| link.bytes_per_s()).unwrap_or(0.0) / 1e9;
            // hwloc gives a port no link of its own.
            let wanted = line.link_gb_per_s;
            assert!((carries - wanted).abs() < 0.01, "{name}: {address}: {carries}, they {wanted}");
            links += usize::from(wanted > 0.0);
            functions += 1;
        }
        open.push(line);
    }
    (functions, names, links)
}

#[test]
fn devices_are_where_hwloc_found_them() {
    let Some(folder) = archive::folder() else { return };
    let mut seen = (0, 0, 0);
    for (name, kind) in MACHINES {
        let file = folder.join(format!("{name}.tar.bz2"));
        if !file.exists() {
            eprintln!("SKIPPED: {}", file.display());
            continue;
        }
        let expected = std::fs::read_to_string(folder.join(format!("{name}.{kind}"))).unwrap();
        let unpacked = archive::unpack(&file);
        let tree = Tree::new(&unpacked.root);
        let platform = narrows_platform::discover(&tree, &[]);
        let lines = lines(&expected);
        assert!(!lines.is_empty(), "{name}: hwloc found nothing");
        let (functions, names, links) = compare(name, &lines, &platform.devices);
        assert!(functions >= 3 && names >= 2, "{name}: {functions} functions, {names} names");
        seen = (seen.0 + functions, seen.1 + names, seen.2 + links);
        nothing_of_people(name, &platform);
        if name.starts_with("32em64t") {
            one_of_everything(&platform);
        }
        if name.starts_with("2pa") {
            a_long_domain(&platform);
        }
    }
    eprintln!("agreed: {} functions, {} names, {} links", seen.0, seen.1, seen.2);
}

/// NVMe of an old kernel, persistent memory as drives and as a node, InfiniBand with its rate, both sockets' functions.
fn one_of_everything(platform: &Platform) {
    let devices = &platform.devices;
    let port = devices.rdma.iter().find(|port| port.device == "mlx4_0").expect("mlx4_0");
    assert_eq!(port.rate.as_deref(), Some("56 Gb/sec (4X FDR)"));
    assert_eq!(port.bits_per_s, Some(54_303_030_303));
    assert_eq!((port.state.as_deref(), port.interface.as_deref()), (Some("ACTIVE"), Some("ib0")));
    let card = devices.pci_at("0000:82:00.0").expect("the card");
    assert_eq!(card.slot.as_deref(), Some("01"));
    // This copy has no nodes of functions, and processors near each.
    assert_eq!(card.local_cpus, IdSet::from(&[8, 9, 10, 11, 12, 13, 14, 15][..]));
    let way: Vec<&str> = devices.way_up(&card.address).map(|f| f.address.as_str()).collect();
    assert_eq!(way, ["0000:82:00.0", "0000:80:02.2"]);
    let drive =
        |name: &str| devices.drives.iter().find(|drive| drive.name == name).expect("a drive");
    assert_eq!(drive("nvme0n1").transport.as_deref(), Some("nvme (pcie)"));
    assert_eq!(drive("pmem1").transport.as_deref(), Some("pmem"));
    let as_memory: Vec<_> =
        devices.dax.iter().filter(|dax| dax.driver.as_deref() == Some("kmem")).collect();
    assert_eq!(as_memory.len(), 1, "{:?}", devices.dax);
    assert_eq!((as_memory[0].name.as_str(), as_memory[0].target_node), ("dax1.4", Some(5)));
    assert_eq!(as_memory[0].size_bytes, Some(545_391_640_576));
}

fn a_long_domain(platform: &Platform) {
    let drive = platform.devices.drives.iter().find(|drive| drive.name == "vda").expect("vda");
    assert_eq!(drive.pci, ["10000:00:04.0"]);
    assert_eq!(drive.controller.as_deref(), Some("virtio1"));
}

/// The copies hold addresses of interfaces and serial numbers of drives.
fn nothing_of_people(name: &str, platform: &Platform) {
    let text = serde_json::to_string(&platform.devices).unwrap().to_lowercase();
    for trace in ["serial", "wwid", "guid", "uuid"] {
        assert!(!text.contains(trace), "{name}: {trace}");
    }
    let six = |word: &str| {
        let parts: Vec<&str> = word.split(':').collect();
        parts.len() >= 6 && parts.iter().all(|part| part.len() == 2)
    };
    assert!(!text.split(['"', ' ']).any(six), "{name}: an address of an interface");
    let known: Vec<&PciDevice> = platform.devices.pci.iter().collect();
    assert!(!known.is_empty(), "{name}");
}
