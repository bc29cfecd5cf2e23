//! What carries a path's bytes beside PCIe: links of SATA and SAS drives, ports of Fibre Channel, ports of the network.
//!
//! The figures are those of the table's classes, chosen by what the kernel says was negotiated; a speed that the table doesn't
//! have gives no ceiling. Which port of the network a path uses isn't known (addresses are not read), so a path over the network is
//! held against all ports that are up, together: with one port that is the port, with several it is never too low. Where a file
//! server or a target runs on the same machine nothing passes a port: where that is known (the loopback address) there is no ceiling.

use std::collections::BTreeMap;

use narrows_model::{
    DeviceKind, DriveLinkKind, LimitBasis, LimitShare, Measurement, NetworkPort, Platform,
    RdmaPort, RolePath, Unit, condition, metric,
};

use crate::pcie::Direction;
use crate::table::{Class, Detail, Duplex, Framing, Table};
use crate::write_amplification::{Written, written};
use crate::{direction, share};

/// What a port or link carries one way, bytes or operations per second.
#[derive(Debug, Clone)]
struct Carries {
    /// The class's id.
    class: String,
    /// The class and how it is framed here.
    words: String,
    source: String,
    raw: f64,
    protocol: Option<f64>,
    operations: Option<f64>,
    half_duplex: bool,
}

/// All that carry a path, by name; a port that several drives share is one.
type Carriers = BTreeMap<String, Carries>;

/// What is spoken between this machine and where its files are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Over {
    /// TCP, and NVMe's commands in it.
    NvmeTcp,
    /// TCP, with commands that aren't reckoned here.
    Tcp,
    /// RDMA, and NVMe's commands on it.
    NvmeRdma,
    /// RDMA.
    Rdma,
}

/// Ceilings of all that carry the path together; none where one of them isn't known.
pub(crate) fn limits(m: &Measurement, platform: &Platform, path: &RolePath) -> Vec<LimitShare> {
    let Some(direction) = direction(m) else { return Vec::new() };
    let Some((family, carriers)) = carriers(m, platform, path, direction) else {
        return Vec::new();
    };
    let written = match direction {
        Direction::Read => None,
        Direction::Write => match written(m, platform, path) {
            Some(written) => Some(written),
            None => return Vec::new(),
        },
    };
    // More than they carry did not pass them: a rule of validity says so.
    together(m, family, &carriers, written.as_ref())
}

/// Ceilings of the port by which a target is reached over NVMe/TCP, of all that are up where the port isn't known; none where host
/// and target are one machine, or that isn't known.
pub(crate) fn nvme_tcp(m: &Measurement, platform: &Platform) -> Vec<LimitShare> {
    if m.get(condition::SAME_MACHINE) != Some(false) {
        return Vec::new();
    }
    let Some(direction) = direction(m) else { return Vec::new() };
    let block = m.number(condition::BLOCK_BYTES).map(|bytes| bytes as u64).filter(|b| *b > 0);
    let interface = m.text(condition::INTERFACE);
    // A bond's name is that of its ports; a name that no port has (a VLAN) can be on any.
    let of_interface =
        |port: &NetworkPort| interface == Some(&port.name) || port.part_of.as_deref() == interface;
    let known = interface.is_some() && platform.devices.network.iter().any(of_interface);
    let used = |port: &NetworkPort| !known || of_interface(port);
    let Some(carriers) = network(platform, Over::NvmeTcp, direction, block, used) else {
        return Vec::new();
    };
    together(m, "network", &carriers, None)
}

/// Of one family; `None` where a part isn't known, or parts are of several families.
fn carriers(
    m: &Measurement,
    platform: &Platform,
    path: &RolePath,
    direction: Direction,
) -> Option<(&'static str, Carriers)> {
    let block = m.number(condition::BLOCK_BYTES).map(|bytes| bytes as u64).filter(|b| *b > 0);
    if let Some(over) = over(path) {
        return Some(("network", network(platform, over, direction, block, |_| true)?));
    }
    let mut family = None;
    let mut all = Carriers::new();
    for disk in path.drives() {
        let drive = platform.devices.drives.iter().find(|drive| drive.name == disk.name)?;
        let (own, name, carries) = if let Some(link) = &drive.link {
            let family = if link.kind == DriveLinkKind::Sas { "sas" } else { "sata" };
            let gigabits = link.bits_per_s as f64 / 1e9;
            // 22.5 Gb/s on the wire is sold as 24.
            let id = if gigabits == 22.5 { "24".to_string() } else { gigabits.to_string() };
            let class = Table::builtin().class(&format!("{family}-{id}"))?;
            let carries = of_class(class, f64::from(link.lanes), direction, block)?;
            (family, disk.name.clone(), carries)
        } else {
            let host = platform
                .devices
                .scsi_hosts
                .iter()
                .find(|host| Some(&host.name) == drive.controller.as_ref())?;
            let speed = host.speed.as_ref()?.strip_suffix(" Gbit")?;
            let class = Table::builtin().class(&format!("fc-{speed}"))?;
            ("fc", host.name.clone(), of_class(class, 1.0, direction, block)?)
        };
        if *family.get_or_insert(own) != own {
            return None;
        }
        all.insert(name, carries);
    }
    Some((family?, all))
}

/// `None` where the path is not over a network.
fn over(path: &RolePath) -> Option<Over> {
    let fs = &path.file_system;
    if fs.network {
        // Served by this machine, nothing passes a port.
        let here = |option: &String| {
            let address = option.strip_prefix("addr=").unwrap_or_default();
            address == "::1"
                || ["127.", "::ffff:127."].iter().any(|begins| address.starts_with(begins))
        };
        if fs.options.iter().any(here) {
            return None;
        }
        let rdma = fs.options.iter().any(|option| option == "proto=rdma" || option == "rdma");
        return Some(if rdma { Over::Rdma } else { Over::Tcp });
    }
    let disks = || path.drives().filter(|drive| drive.kind == DeviceKind::Disk);
    let all = |transport: &str| {
        disks().next().is_some() && disks().all(|d| d.transport.as_deref() == Some(transport))
    };
    match () {
        () if all("nvme (tcp)") => Some(Over::NvmeTcp),
        () if all("nvme (rdma)") => Some(Over::NvmeRdma),
        () if all("iscsi") => Some(Over::Tcp),
        () => None,
    }
}

/// The class of the only port that a path over a network can use; `None` with several.
pub(crate) fn only_port(platform: &Platform, path: &RolePath) -> Option<String> {
    let over = over(path)?;
    let mut all = network(platform, over, Direction::Read, None, |_| true)?;
    let (_, only) = all.pop_first().filter(|_| all.is_empty())?;
    Some(only.class)
}

fn network(
    platform: &Platform,
    over: Over,
    direction: Direction,
    block: Option<u64>,
    used: impl Fn(&NetworkPort) -> bool,
) -> Option<Carriers> {
    let block = block.filter(|_| matches!(over, Over::NvmeTcp | Over::NvmeRdma));
    let mut all = Carriers::new();
    if matches!(over, Over::NvmeRdma | Over::Rdma) {
        let active = platform.devices.rdma.iter();
        for port in active.filter(|port| port.state.as_deref() == Some("ACTIVE")) {
            let class = class_of_rdma(port, direction)?;
            let name = format!("{}/{}", port.device, port.port);
            all.insert(name, of_class(class, 1.0, direction, block)?);
        }
    } else {
        // One of which it isn't known whether it is up could carry anything.
        let ports = || platform.devices.network.iter().filter(|port| used(port));
        if ports().any(|port| port.state.is_none()) {
            return None;
        }
        for port in ports().filter(|port| port.state.as_deref() == Some("up")) {
            let gigabits = port.bits_per_s? / 1_000_000_000;
            let class = Table::builtin().class(&format!("eth-{gigabits}"))?;
            let exact = port.bits_per_s? % 1_000_000_000 == 0;
            let mtu = port.mtu_bytes.filter(|mtu| exact && (256..=65_535).contains(mtu))?;
            all.insert(port.name.clone(), tcp(class, mtu, direction, block)?);
        }
    }
    (!all.is_empty()).then_some(all)
}

/// With the largest frames that the table has: which ones a port uses isn't read.
fn class_of_rdma(port: &RdmaPort, direction: Direction) -> Option<&'static Class> {
    let (rate, rest) = port.rate.as_deref()?.split_once(" Gb/sec")?;
    let name = match port.link_layer.as_deref()? {
        "Ethernet" => format!("roce-{rate}"),
        "InfiniBand" => {
            let (width, speed) =
                rest.trim().strip_prefix('(')?.strip_suffix(')')?.split_once(' ')?;
            (width == "4X").then(|| format!("{}-{rate}", speed.to_lowercase()))?
        }
        _ => return None,
    };
    let with_size = format!("{name}-");
    let classes = Table::builtin().classes();
    let of_name = classes.filter(|class| class.id == name || class.id.starts_with(&with_size));
    let carries = |class: &&Class| class.way(direction).ceiling().map_or(0.0, |f| f.high);
    of_name.max_by(|a, b| carries(a).total_cmp(&carries(b)))
}

fn of_class(
    class: &Class,
    lanes: f64,
    direction: Direction,
    block: Option<u64>,
) -> Option<Carries> {
    let way = class.way(direction);
    let protocol = way.protocol.as_ref();
    Some(Carries {
        class: class.id.clone(),
        words: class.title.clone(),
        source: protocol.or(way.raw.as_ref())?.source.clone(),
        raw: way.raw.as_ref()?.high * lanes,
        protocol: protocol.map(|figure| figure.high * lanes),
        operations: block.and_then(|b| class.operations_per_s(direction, b)).map(|n| n * lanes),
        half_duplex: class.duplex == Duplex::Half,
    })
}

/// With the frames that the port has.
fn tcp(class: &Class, mtu: u32, direction: Direction, block: Option<u64>) -> Option<Carries> {
    let Detail::Link(_) = &class.detail else { return None };
    let encoded = class.way(direction).encoded.as_ref()?;
    let framing = Framing::Tcp(mtu);
    let wire = block.and_then(|block| framing.wire_bytes(direction, block));
    Some(Carries {
        class: class.id.clone(),
        words: format!("{}, MTU {mtu}", class.title.split(", MTU").next()?),
        source: format!("{}; {}", encoded.source, framing.describe()),
        raw: class.way(direction).raw.as_ref()?.high,
        protocol: Some(encoded.high * framing.share(direction)),
        operations: wire.map(|wire| encoded.high / wire),
        half_duplex: false,
    })
}

fn together(
    m: &Measurement,
    family: &str,
    carriers: &Carriers,
    written: Option<&Written>,
) -> Vec<LimitShare> {
    let name = format!("{family}:{}", join(carriers.keys().cloned(), "+"));
    let words = join(counted(carriers), " + ");
    let half = carriers.values().all(|carries| carries.half_duplex);
    let factor = written.map_or(1.0, |w| if half { w.writes + w.reads } else { w.writes });
    let more = written.map_or("", |written| written.words.as_str());
    let sum = |of: fn(&Carries) -> Option<f64>| carriers.values().map(of).sum::<Option<f64>>();
    let source = carriers.values().next().map_or("", |carries| carries.source.as_str());
    let mut add = Vec::new();
    if let Some(raw) = sum(|carries| Some(carries.raw)) {
        let source = format!("{words}, signal rate{more}");
        add.extend(share(m, name.clone(), LimitBasis::Raw, Unit::BytesPerS, raw / factor, source));
    }
    let source = format!("{words}: {source}{more}");
    for (of, unit) in [
        (sum(|carries| carries.protocol), Unit::BytesPerS),
        (sum(|carries| carries.operations), Unit::OpsPerS),
    ] {
        // Without a known size of operations there is none of them to reckon with.
        let measured = unit == Unit::BytesPerS || m.value(metric::THROUGHPUT).is_some();
        if let Some(value) = of.filter(|_| measured) {
            let basis = LimitBasis::Protocol;
            add.extend(share(m, name.clone(), basis, unit, value / factor, source.clone()));
        }
    }
    add
}

/// `2 × SATA 6 Gb/s`.
fn counted(carriers: &Carriers) -> Vec<String> {
    let mut words: Vec<(&str, usize)> = Vec::new();
    for carries in carriers.values() {
        match words.iter_mut().find(|(known, _)| *known == carries.words) {
            Some((_, count)) => *count += 1,
            None => words.push((&carries.words, 1)),
        }
    }
    let each = |(word, count): &(&str, usize)| match count {
        1 => (*word).to_string(),
        several => format!("{several} × {word}"),
    };
    words.iter().map(each).collect()
}

fn join(parts: impl IntoIterator<Item = String>, between: &str) -> String {
    parts.into_iter().collect::<Vec<_>>().join(between)
}
