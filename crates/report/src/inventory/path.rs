//! The path under a role, from the folder down to the drives and their links.

use narrows_model::{BlockDevice, DeviceKind, FileSystem, PcieLink, RolePath};

use super::Lines;
use crate::print::Units;

pub(super) fn path(role: &RolePath, lines: &mut Lines) {
    let fs = &role.file_system;
    let label = role.role.word();
    lines.add(label, format!("{}: {}", role.path, file_system(fs, role.in_memory().is_some())));
    for item in &role.devices {
        lines.add_within(label, 1, device(item));
        for link in &item.pcie {
            lines.add_within(label, 1, format!("PCIe {}", pcie(link)));
        }
    }
}

fn file_system(fs: &FileSystem, in_memory: bool) -> String {
    let size = |bytes: Option<u64>| bytes.map(|bytes| Units::Si.bytes(bytes as f64));
    let mut parts = vec![format!("{} on {}", fs.kind, fs.mount_point), fs.options.join(",")];
    if let (Some(free), Some(total)) = (size(fs.free_bytes), size(fs.total_bytes)) {
        parts.push(format!("{free} of {total} free"));
    }
    for (set, text) in [
        (fs.read_only, "read-only"),
        (in_memory, "in memory: nothing survives a power failure"),
        (fs.network, "network file system"),
        (fs.this_machine, "served by this machine to itself"),
        (fs.overlay, "a container's overlay file system"),
    ] {
        if set {
            parts.push(text.to_string());
        }
    }
    parts.retain(|part| !part.is_empty());
    parts.join(", ")
}

fn device(device: &BlockDevice) -> String {
    let kind = match device.kind {
        DeviceKind::Disk => "drive",
        DeviceKind::Partition => "partition",
        DeviceKind::Mapper => "device mapper",
        DeviceKind::Raid => "md",
        DeviceKind::Loop => "loop",
        DeviceKind::Memory => "device in memory",
    };
    let mut parts = vec![format!("{} {kind}", device.name)];
    parts.extend(device.level.clone());
    parts.extend(device.model.clone());
    parts.extend(device.transport.clone());
    parts.extend(device.size_bytes.map(|bytes| Units::Si.bytes(bytes as f64)));
    if let Some(queue) = &device.queue {
        parts.extend(queue.thin.as_ref().map(|_| "thin".to_string()));
        parts.extend(queue.write_cache.clone());
        parts.extend(queue.fua.map(|fua| if fua { "FUA" } else { "no FUA" }.to_string()));
        parts.extend(queue.scheduler.as_ref().map(|name| format!("scheduler {name}")));
        parts.extend(queue.nr_requests.map(|n| format!("{n} requests")));
        parts.extend(queue.logical_block_bytes.map(|n| format!("{n} B blocks")));
        if queue.iostats == Some(false) {
            parts.push("counters off".into());
        }
    }
    parts.extend(device.numa_node.map(|node| format!("node {node}")));
    parts.join(", ")
}

fn pcie(link: &PcieLink) -> String {
    let end = |gts: Option<f64>, width: Option<u32>| match (gts, width) {
        (Some(gts), Some(width)) => Some(format!("{gts} GT/s x{width}")),
        _ => None,
    };
    let now = end(link.current_gts, link.current_width).unwrap_or_else(|| "speed unknown".into());
    let most = end(link.max_gts, link.max_width);
    let flits = if link.flit_mode == Some(true) { ", flit mode" } else { "" };
    match most.filter(|most| *most != now) {
        Some(most) => format!("{}: {now} of {most}{flits}", link.address),
        None => format!("{}: {now}{flits}", link.address),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_degraded_link_shows_both_ends() {
        let link = PcieLink {
            address: "0000:01:00.0".into(),
            current_gts: Some(8.0),
            current_width: Some(4),
            max_gts: Some(16.0),
            max_width: Some(4),
            flit_mode: None,
        };
        assert_eq!(pcie(&link), "0000:01:00.0: 8 GT/s x4 of 16 GT/s x4");
        let flits = PcieLink { flit_mode: Some(true), ..link.clone() };
        assert_eq!(pcie(&flits), "0000:01:00.0: 8 GT/s x4 of 16 GT/s x4, flit mode");
        let none = PcieLink { flit_mode: Some(false), ..link };
        assert_eq!(pcie(&none), "0000:01:00.0: 8 GT/s x4 of 16 GT/s x4");
    }
}
