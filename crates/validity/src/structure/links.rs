//! PCIe links: what both ends could do, what runs, and what hangs on them.
//!
//! A link that is idle may have lowered its speed to save power, and comes back under load; its width it keeps.

use std::collections::BTreeMap;

use narrows_model::{Devices, FindingPlace, NetworkPort, PciDevice, PciKind, PcieLink};
use narrows_units::BytesPerSecond;

use super::place;

/// Sums of rates are compared with this to spare.
const ROUNDING: f64 = 1.001;

/// Links that run below what both ends could.
pub(super) fn below_its_ends(devices: &Devices) -> Vec<FindingPlace> {
    let found = devices.links().filter_map(|(end, port)| {
        let (now, port) = (end.link.as_ref()?, port?.link.as_ref()?);
        // One end's word says nothing of both.
        port.max_gts.or(port.max_width.map(f64::from))?;
        let (gts, width) = now.most_with(Some(port));
        let slower = matches!((now.current_gts, gts), (Some(now), Some(most)) if now < most);
        let narrower = matches!((now.current_width, width), (Some(now), Some(most)) if now < most);
        let why = match (slower, narrower) {
            (false, false) => return None,
            (true, false) => "fewer transfers, which an idle link does to save power",
            (_, true) => "fewer lanes, which power saving does not explain",
        };
        let now = speed(now.current_gts, now.current_width);
        let most = speed(gts, width);
        let shown = format!("{}: {now}, both ends support {most}: {why}", name(devices, end));
        Some(place(parts(devices, end), shown))
    });
    found.collect()
}

/// Devices whose port could do less than they.
pub(super) fn slot_below_device(devices: &Devices) -> Vec<FindingPlace> {
    let found = devices.links().filter_map(|(end, port)| {
        let (device, slot) = (end.link.as_ref()?, port?.link.as_ref()?);
        (slot.max_bytes_per_s()? < device.max_bytes_per_s()?).then(|| {
            let shown = format!(
                "{}: it supports {}, its port {}",
                name(devices, end),
                speed(device.max_gts, device.max_width),
                speed(slot.max_gts, slot.max_width)
            );
            place(parts(devices, end), shown)
        })
    });
    found.collect()
}

/// Links on which more hangs than they carry.
pub(super) fn overbooked(devices: &Devices) -> Vec<FindingPlace> {
    let mut behind: BTreeMap<&str, Vec<(String, f64)>> = BTreeMap::new();
    for (device, leaves) in by_device(devices) {
        let Some(first) = leaves.first() else { continue };
        let own = first.link.as_ref().and_then(most);
        let wanted: f64 = leaves.iter().filter_map(|leaf| wants(devices, leaf)).sum();
        if wanted <= 0.0 {
            continue;
        }
        let names: Vec<String> =
            leaves.iter().map(|leaf| devices.names_at(&leaf.address).join("+")).collect();
        let name = names.join(", ");
        // Its own link is all that is known of a drive.
        if first.kind != PciKind::Nvme {
            behind.entry(device).or_default().push((name.clone(), wanted));
        }
        // No more comes up than its own link passes.
        let passed = wanted.min(own.unwrap_or(wanted));
        for above in devices.way_up(&first.address).skip(1) {
            behind.entry(above.device()).or_default().push((name.clone(), passed));
        }
    }
    let found = devices.links().filter_map(|(end, _)| {
        // As fast as it could be: an idle link runs slower.
        let carries = most(end.link.as_ref()?)?;
        let behind = behind.get(end.device())?;
        let wanted: f64 = behind.iter().map(|(_, wanted)| wanted).sum();
        (wanted > carries * ROUNDING).then(|| {
            let names: Vec<&str> = behind.iter().map(|(name, _)| name.as_str()).collect();
            let shown = format!(
                "{}{}: {} could move {}, the link carries {}",
                end.address,
                end.slot.as_ref().map_or(String::new(), |slot| format!(" in slot {slot}")),
                names.join(", "),
                BytesPerSecond(wanted),
                BytesPerSecond(carries)
            );
            // Every function of its device: none of them has the link alone.
            let device = end.device();
            let functions = devices.pci.iter().filter(|function| function.device() == device);
            place(functions.map(|function| function.address.clone()).collect(), shown)
        })
    });
    found.collect()
}

/// Functions that move data, by the device they are on.
fn by_device(devices: &Devices) -> BTreeMap<&str, Vec<&PciDevice>> {
    let mut found: BTreeMap<&str, Vec<&PciDevice>> = BTreeMap::new();
    for leaf in devices.pci.iter().filter(|leaf| leaf.kind != PciKind::Bridge) {
        found.entry(leaf.device()).or_default().push(leaf);
    }
    found
}

/// What a link carries at its fastest, by what it does now and by what this end could.
fn most(link: &PcieLink) -> Option<f64> {
    [link.bytes_per_s(), link.max_bytes_per_s()].into_iter().flatten().reduce(f64::max)
}

/// Bytes per second that a function could move; `None` where nothing says it.
fn wants(devices: &Devices, leaf: &PciDevice) -> Option<f64> {
    match leaf.kind {
        PciKind::Nvme => leaf.link.as_ref().and_then(most),
        PciKind::Ethernet | PciKind::Infiniband => ports_bytes_per_s(devices, &leaf.address),
        _ => None,
    }
}

/// Of a function's ports; an interface and an RDMA device on the same port count once.
fn ports_bytes_per_s(devices: &Devices, address: &str) -> Option<f64> {
    let is_it = |pci: &Option<String>| pci.as_deref() == Some(address);
    let interfaces = devices.network.iter().filter(|p| is_it(&p.pci) && !p.virtual_function);
    let interfaces: u64 =
        interfaces.filter_map(|port| port.bits_per_s).fold(0, u64::saturating_add);
    // A share of another function's port brings no port of its own.
    let is_share = |name: &Option<String>| {
        let of = |port: &&NetworkPort| Some(&port.name) == name.as_ref();
        devices.network.iter().find(of).is_some_and(|port| port.virtual_function)
    };
    let rdma = devices.rdma.iter().filter(|p| {
        is_it(&p.pci) && p.state.as_deref() == Some("ACTIVE") && !is_share(&p.interface)
    });
    let rdma: u64 = rdma.filter_map(|port| port.bits_per_s).fold(0, u64::saturating_add);
    let bits = interfaces.max(rdma);
    (bits > 0).then(|| bits as f64 / 8.0)
}

/// A function and what the kernel made of it.
pub(crate) fn parts(devices: &Devices, function: &PciDevice) -> Vec<String> {
    let names = devices.names_at(&function.address).into_iter().map(str::to_string);
    std::iter::once(function.address.clone()).chain(names).collect()
}

/// `8 GT/s x4`.
pub(crate) fn speed(gts: Option<f64>, width: Option<u32>) -> String {
    let gts = gts.map(|gts| format!("{gts} GT/s"));
    let width = width.map(|width| format!("x{width}"));
    [gts, width].into_iter().flatten().collect::<Vec<_>>().join(" ")
}

/// `0000:41:00.0 NVMe nvme0n1`.
pub(crate) fn name(devices: &Devices, function: &PciDevice) -> String {
    let names = devices.names_at(&function.address).join("+");
    format!("{} {} {names}", function.address, function.kind.word()).trim_end().to_string()
}
