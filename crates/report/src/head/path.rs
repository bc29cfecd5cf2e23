//! A role's path on one line: folder, file system, devices, links.

use std::collections::BTreeSet;

use narrows_model::{BlockDevice, DeviceKind, PcieLink, Platform, Role, RolePath};

pub(super) fn roles(p: &Platform) -> Vec<String> {
    let same = |a: &RolePath, b: &RolePath| {
        a.file_system.source == b.file_system.source
            && a.file_system.mount_point == b.file_system.mount_point
    };
    match p.roles.as_slice() {
        [data, wal] if same(data, wal) => vec![role(data, "data and WAL")],
        roles => roles.iter().map(|r| role(r, role_word(r.role))).collect(),
    }
}

fn role_word(role: Role) -> &'static str {
    match role {
        Role::Data => "data",
        Role::Wal => "WAL",
    }
}

fn role(path: &RolePath, word: &str) -> String {
    let fs = &path.file_system;
    let kind = if fs.kind.is_empty() { "file system unknown" } else { &fs.kind };
    let mut parts = vec![kind.to_string()];
    for (set, text) in [
        (path.in_memory().is_some(), "in memory, not durable"),
        (fs.network, "network file system"),
        (fs.this_machine, "served by this machine"),
        (fs.overlay, "layered"),
        (fs.read_only, "read-only"),
    ] {
        if set {
            parts.push(text.to_string());
        }
    }
    for device in path.devices.iter().filter(|d| !d.slaves.is_empty()) {
        if device.kind != DeviceKind::Partition {
            let level = device.level.as_ref().map_or(String::new(), |level| format!(" {level}"));
            parts.push(format!("{}{level}", device.name));
        }
    }
    let drives: Vec<&BlockDevice> = path.drives().collect();
    parts.extend(drive_groups(&drives));
    let nodes: BTreeSet<u32> = drives.iter().filter_map(|d| d.numa_node).collect();
    if let (Some(node), 1) = (nodes.first(), nodes.len())
        && drives.iter().all(|d| d.numa_node.is_some())
    {
        parts.push(format!("{}at node {node}", if drives.len() > 1 { "all " } else { "" }));
    }
    format!("{word} {}: {}", path.path, parts.join(", "))
}

/// `4 × PM9A3 NVMe, PCIe 4.0 x4`, equal drives together.
fn drive_groups(drives: &[&BlockDevice]) -> Vec<String> {
    let mut groups: Vec<(String, usize)> = Vec::new();
    for drive in drives {
        let name = drive.model.as_deref().map(str::trim).filter(|m| !m.is_empty());
        let mut text = name.unwrap_or(&drive.name).to_string();
        // "nvme (pcie)": the link has a place of its own.
        let transport = drive.transport.as_deref().map(|t| t.split(" (").next().unwrap_or(t));
        let transport = transport.map(|t| if t == "nvme" { "NVMe" } else { t });
        if let Some(transport) = transport
            && !text.to_lowercase().contains(&transport.to_lowercase())
        {
            text = format!("{text} {transport}");
        }
        if let Some(link) = drive.pcie.first().and_then(pcie) {
            text = format!("{text}, {link}");
        }
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, n)) => *n += 1,
            None => groups.push((text, 1)),
        }
    }
    groups.into_iter().map(|(text, n)| if n > 1 { format!("{n} × {text}") } else { text }).collect()
}

/// `PCIe 4.0 x4`, and what the drive could do where that is more.
fn pcie(link: &PcieLink) -> Option<String> {
    let name = |gts: Option<f64>, width: Option<u32>| Some((generation(gts?)?, width?));
    let (generation, width) = name(link.current_gts, link.current_width)?;
    let now = format!("PCIe {generation}.0 x{width}");
    match name(link.max_gts, link.max_width) {
        Some((g, w)) if g > generation || w > width => Some(format!("{now} (supports {g}.0 x{w})")),
        _ => Some(now),
    }
}

/// PCI Express generations by signal rate, GT/s (PCI-SIG base specifications 1.0 to 6.0).
fn generation(gts: f64) -> Option<u32> {
    const RATES: [(f64, u32); 6] = [(2.5, 1), (5.0, 2), (8.0, 3), (16.0, 4), (32.0, 5), (64.0, 6)];
    RATES.iter().find(|(rate, _)| (rate - gts).abs() < 0.1).map(|(_, generation)| *generation)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_below_its_ability_says_so() {
        let mut link = PcieLink {
            address: "0000:01:00.0".into(),
            current_gts: Some(8.0),
            current_width: Some(2),
            max_gts: Some(16.0),
            max_width: Some(4),
            flit_mode: None,
        };
        assert_eq!(pcie(&link).unwrap(), "PCIe 3.0 x2 (supports 4.0 x4)");
        link.max_gts = None;
        assert_eq!(pcie(&link).unwrap(), "PCIe 3.0 x2");
        link.current_width = None;
        assert_eq!(pcie(&link), None);
    }
}
