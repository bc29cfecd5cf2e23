//! Nodes whose memory is a device's: persistent or CXL memory that is used as memory (`/sys/bus/dax/devices`,
//! `target_node`), and accelerators' own (`/proc/driver/nvidia/gpus`). It is slower, or not meant for everybody.

use narrows_facts::Source;
use narrows_model::NumaNode;

const DAX: &str = "/sys/bus/dax/devices";
const GPUS: &str = "/proc/driver/nvidia/gpus";

/// Writes the device's name into the nodes that have memory and no processors.
pub(super) fn name(source: &dyn Source, nodes: &mut [NumaNode]) {
    if nodes.iter().all(|node| !node.cpus.is_empty()) {
        return;
    }
    let devices: Vec<(u32, String)> = dax(source).chain(gpus(source)).collect();
    for node in nodes.iter_mut().filter(|node| node.cpus.is_empty()) {
        let found = devices.iter().find(|(id, _)| *id == node.id);
        node.device = found.map(|(_, name)| name.clone());
    }
}

fn dax(source: &dyn Source) -> impl Iterator<Item = (u32, String)> + '_ {
    source.list(DAX).unwrap_or_default().into_iter().filter_map(|name| {
        let target: u32 = source.number(&format!("{DAX}/{name}/target_node"))?;
        Some((target, name))
    })
}

fn gpus(source: &dyn Source) -> impl Iterator<Item = (u32, String)> + '_ {
    source.list(GPUS).unwrap_or_default().into_iter().filter_map(|address| {
        let text = source.text(&format!("{GPUS}/{address}/numa_status"))?;
        let value = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name))?;
            Some(line.trim().to_string())
        };
        let online = value("Status:").is_some_and(|status| status == "online");
        let node = value("Node:")?.parse().ok()?;
        online.then(|| (node, format!("gpu {address}")))
    })
}
