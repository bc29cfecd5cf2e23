//! Is the load generator near the drive? On a machine with several NUMA nodes each operation of a far one crosses the link
//! between them, and its interrupts run on the other side.

use narrows_model::{NumaNode, condition};

use crate::evaluate::Case;
use crate::path;

/// The figures, where no processor that the load could use is on the node of one of the drives. `None` also where the nodes
/// of drives, or the processors of the load, aren't known.
pub(crate) fn far_from_drive(case: &Case<'_>) -> Option<String> {
    let platform = case.platform()?;
    let cpus = cpus_of_load(case)?;
    let home = |node: u32| platform.nodes.iter().find(|n| n.id == node && !n.cpus.is_empty());
    let far: Vec<String> = path::of(case)?
        .drives()
        .filter_map(|drive| Some((drive, home(drive.numa_node?)?)))
        .filter(|(_, node)| !node.cpus.iter().any(|cpu| cpus.contains(cpu)))
        .map(|(drive, node)| format!("{} is at node {}", drive.name, node.id))
        .collect();
    let used = platform.nodes.iter().filter(|node| node.cpus.iter().any(|cpu| cpus.contains(cpu)));
    let used: Vec<String> = used.map(|node: &NumaNode| node.id.to_string()).collect();
    let several = platform.nodes.len() > 1 && !used.is_empty();
    (several && !far.is_empty())
        .then(|| format!("{}, and the load on node {}", far.join(", "), used.join(" and ")))
}

/// Processors that the threads were bound to, or else those that the process may use.
fn cpus_of_load(case: &Case<'_>) -> Option<Vec<u32>> {
    let bound = case.measurement.get(condition::CPUS).and_then(|cpus| {
        let cpus: Option<Vec<u32>> = cpus.iter().map(|cpu| cpu.as_u64()?.try_into().ok()).collect();
        cpus
    });
    let cpus = bound.or_else(|| Some(case.platform()?.cpu.allowed.clone()))?;
    (!cpus.is_empty()).then_some(cpus)
}
