//! Which processors are nearest to memory that has none of its own, and whose memory it is.

use narrows_facts::Source;
use narrows_model::{IdSet, NumaNode};

use super::device::{self, Device};
use crate::pcie;

/// Writes both into the nodes without processors. The firmware's best processors (class 1) come first; class 0 may be an
/// accelerator, and the distances of the firmware tell too little.
pub(super) fn find(source: &dyn Source, nodes: &mut [NumaNode], online_cpus: &[u32]) {
    if nodes.iter().all(|node| !node.cpus.is_empty()) {
        return;
    }
    let devices = device::read(source);
    let of_nodes: Vec<(u32, Vec<u32>)> =
        nodes.iter().map(|node| (node.id, node.cpus.clone())).collect();
    for node in nodes.iter_mut().filter(|node| node.cpus.is_empty()) {
        let device = devices.iter().find(|device| device.node == node.id);
        node.nearest_cpus = initiators(node, &of_nodes)
            .or_else(|| of_device(source, device?, online_cpus))
            .unwrap_or_default();
        node.device = device.map(|device| device.name.clone());
    }
}

fn initiators(node: &NumaNode, of_nodes: &[(u32, Vec<u32>)]) -> Option<IdSet> {
    node.access.iter().rev().find_map(|access| {
        let near = of_nodes.iter().filter(|(id, _)| access.initiators.contains(*id));
        let cpus: IdSet = near.flat_map(|(_, cpus)| cpus.iter().copied()).collect();
        (!cpus.is_empty()).then_some(cpus)
    })
}

fn of_device(source: &dyn Source, device: &Device, online_cpus: &[u32]) -> Option<IdSet> {
    pcie::local_cpus(source, device.address.as_ref()?, online_cpus)
}
