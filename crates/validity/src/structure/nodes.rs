//! NUMA nodes, and what the kernel was set to for all processors.

use std::collections::BTreeSet;

use narrows_model::{FindingPlace, GroupLevel, NumaNode, Platform};

use super::{place, whole};

/// Up to so many sockets can each be linked with every other: the most links to others that a processor in the table of limits has
/// are six. With more sockets some are two steps apart.
pub(super) const FULL_MESH: usize = 7;

/// Clock sources that no program reads by itself, and that are read from a chip or a hypervisor.
pub(super) const SLOW_CLOCKS: [&str; 5] = ["hpet", "acpi_pm", "xen", "jiffies", "pit"];

/// Drives and ports on a node of which no processor may be used.
pub(super) fn far(platform: &Platform) -> Vec<FindingPlace> {
    let with_cpus = platform.nodes.iter().filter(|node| !node.cpus.is_empty());
    let of = |id: u32| platform.nodes.iter().find(|node| node.id == id && !node.cpus.is_empty());
    let allowed = |node: &&NumaNode| node.cpus.iter().any(|cpu| platform.cpu.allowed.contains(cpu));
    let ours: Vec<String> =
        with_cpus.clone().filter(allowed).map(|node| node.id.to_string()).collect();
    if ours.is_empty() || with_cpus.count() < 2 {
        return Vec::new();
    }
    let far = |name: &str, node: Option<u32>| {
        let node = of(node?).filter(|node| !allowed(node))?;
        let ours = ours.join(", ");
        let shown = format!("{name} is at node {}, the CPUs of this process at {ours}", node.id);
        Some(place(vec![name.to_string()], shown))
    };
    let mut found: Vec<FindingPlace> = Vec::new();
    let drives = platform.roles.iter().flat_map(|path| path.drives());
    found.extend(drives.filter_map(|drive| far(&drive.name, drive.numa_node)));
    let up = platform.devices.network.iter().filter(|port| port.state.as_deref() == Some("up"));
    found.extend(up.filter_map(|port| far(&port.name, port.numa_node)));
    found.dedup();
    found
}

/// What about the nodes can't be true.
pub(super) fn lies(platform: &Platform) -> Vec<FindingPlace> {
    contradictions(platform).into_iter().map(whole).collect()
}

fn contradictions(platform: &Platform) -> Vec<String> {
    let mut found = distances(platform);
    let placed: BTreeSet<u32> =
        platform.nodes.iter().flat_map(|node| node.cpus.iter().copied()).collect();
    let nowhere = platform.cpu.online.iter().filter(|cpu| !placed.contains(cpu)).count();
    if !placed.is_empty() && nowhere > 0 {
        found.push(format!("{nowhere} of {} CPUs are in no node", platform.cpu.online.len()));
    }
    // Discovery leaves such a layout out.
    if platform.unknown.iter().any(|unknown| unknown.what == "NUMA layout") {
        found.push("the firmware puts a CPU in two nodes".to_string());
    }
    found
}

fn distances(platform: &Platform) -> Vec<String> {
    let nodes = &platform.nodes;
    let known = nodes.iter().all(|node| node.distances.len() == nodes.len());
    if nodes.len() < 2 || !known {
        return Vec::new();
    }
    let own = |index: usize| nodes[index].distances[index];
    let others = |index: usize| {
        nodes[index]
            .distances
            .iter()
            .enumerate()
            .filter(move |(to, _)| *to != index)
            .map(|(_, d)| *d)
    };
    let mut all: Vec<u32> = (0..nodes.len()).flat_map(others).collect();
    all.sort_unstable();
    all.dedup();
    if let ([only], true) = (all.as_slice(), (0..nodes.len()).all(|index| own(index) == own(0))) {
        if *only == own(0) {
            return vec![format!(
                "{} nodes, all at distance {only}, also to themselves",
                nodes.len()
            )];
        }
        let sockets = platform.cpu.groups_at(GroupLevel::Package).count();
        let sockets = sockets.max(platform.cpu.sockets as usize);
        let with_cpus = nodes.iter().filter(|node| !node.cpus.is_empty()).count();
        // Nodes of one socket are nearer to each other than to those of another.
        let within_sockets = sockets > 1 && with_cpus >= 2 * sockets;
        if sockets > FULL_MESH || within_sockets {
            let (count, sockets) = (nodes.len(), format!("{sockets} sockets"));
            return vec![format!(
                "{count} nodes in {sockets}, all at distance {only} from each other"
            )];
        }
    }
    let nearer = (0..nodes.len()).filter(|index| others(*index).any(|other| other < own(*index)));
    nearer
        .map(|index| {
            let least = others(index).min().unwrap_or_default();
            format!(
                "node {} is {} from itself and {least} from another",
                nodes[index].id,
                own(index)
            )
        })
        .collect()
}

pub(super) fn governor(platform: &Platform) -> Vec<FindingPlace> {
    let governor = platform.cpu.governor.iter().filter(|governor| *governor != "performance");
    governor.map(|governor| whole(format!("all CPUs have {governor}"))).collect()
}

pub(super) fn clock(platform: &Platform) -> Vec<FindingPlace> {
    let source = platform.clock_source.iter().filter(|name| SLOW_CLOCKS.contains(&name.as_str()));
    let others: Vec<&str> = platform
        .clock_sources_available
        .iter()
        .map(String::as_str)
        .filter(|name| !SLOW_CLOCKS.contains(name))
        .collect();
    let others = if others.is_empty() {
        String::new()
    } else {
        format!("; also there: {}", others.join(", "))
    };
    source.map(|name| whole(format!("{name}{others}"))).collect()
}
