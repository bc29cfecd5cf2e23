//! NUMA nodes from `/sys/devices/system/node` (Linux `Documentation/ABI/stable/sysfs-devices-node`).
//!
//! Ids are sparse on some machines (0, 8, 250), nodes may have only memory or only processors, and the list of distances
//! can have more columns than there are on-line nodes.

mod access;
mod counted;
mod device;
mod nearest;

use narrows_facts::{Source, parse_cpu_list, parse_cpu_mask};
use narrows_model::{IdSet, NumaNode};

use crate::unknown::Unknowns;

const NODES: &str = "/sys/devices/system/node";

/// Nodes with memory or processors, and the ids of those with neither. A kernel without NUMA has one node, 0, with
/// everything and no distances.
pub(crate) fn read(
    source: &dyn Source,
    online_cpus: &[u32],
    memory_bytes: u64,
    unknown: &mut Unknowns,
) -> (Vec<NumaNode>, IdSet) {
    let ids = ids(source);
    let mut nodes: Vec<NumaNode> =
        ids.iter().map(|&id| node(source, id, &ids, online_cpus)).collect();
    let empty = leave_out_empty(&mut nodes);
    let contradictory = contradictory(&nodes);
    if contradictory {
        unknown
            .add("NUMA layout", "firmware that puts each CPU in one node; this one's is ignored");
    }
    if contradictory || (nodes.is_empty() && !online_cpus.is_empty()) {
        let whole =
            NumaNode { id: 0, cpus: online_cpus.to_vec(), memory_bytes, ..NumaNode::default() };
        return (vec![whole], IdSet::default());
    }
    let placed: usize = nodes.iter().map(|node| node.cpus.len()).sum();
    if placed < online_cpus.len() {
        unknown.add(
            format!("the node of {} processors", online_cpus.len() - placed),
            format!("their nodes on-line, in {NODES}"),
        );
    }
    counted::complete(source, &mut nodes, memory_bytes, unknown);
    nearest::find(source, &mut nodes, online_cpus);
    (nodes, empty)
}

/// Takes out nodes without processors and memory, with their columns of distances.
fn leave_out_empty(nodes: &mut Vec<NumaNode>) -> IdSet {
    let useful: Vec<bool> =
        nodes.iter().map(|node| !node.cpus.is_empty() || node.memory_bytes > 0).collect();
    for node in nodes.iter_mut().filter(|node| node.distances.len() == useful.len()) {
        let mut keep = useful.iter();
        node.distances.retain(|_| *keep.next().unwrap_or(&true));
    }
    let empty = nodes.iter().zip(&useful).filter(|(_, useful)| !**useful);
    let empty = empty.map(|(node, _)| node.id).collect();
    let mut keep = useful.iter();
    nodes.retain(|_| *keep.next().unwrap_or(&true));
    empty
}

/// Whether some processor is in two nodes, which no machine can be; broken firmware tables can.
fn contradictory(nodes: &[NumaNode]) -> bool {
    let mut seen = std::collections::BTreeSet::new();
    nodes.iter().flat_map(|node| &node.cpus).any(|cpu| !seen.insert(cpu))
}

fn ids(source: &dyn Source) -> Vec<u32> {
    if let Some(text) = source.text(&format!("{NODES}/online")) {
        return parse_cpu_list(&text);
    }
    let mut ids: Vec<u32> = source
        .list(NODES)
        .unwrap_or_default()
        .iter()
        .filter_map(|name| name.strip_prefix("node")?.parse().ok())
        .collect();
    ids.sort_unstable();
    ids.retain(|id| *id < IdSet::END);
    ids
}

fn node(source: &dyn Source, id: u32, ids: &[u32], online_cpus: &[u32]) -> NumaNode {
    let folder = format!("{NODES}/node{id}");
    let mut cpus = source
        .text(&format!("{folder}/cpulist"))
        .map(|text| parse_cpu_list(&text))
        .or_else(|| parse_cpu_mask(&source.text(&format!("{folder}/cpumap"))?))
        .unwrap_or_default();
    cpus.retain(|cpu| online_cpus.binary_search(cpu).is_ok());
    let meminfo = source.text(&format!("{folder}/meminfo")).unwrap_or_default();
    NumaNode {
        id,
        cpus,
        memory_bytes: kib_field(&meminfo, "MemTotal:").unwrap_or(0),
        free_bytes: kib_field(&meminfo, "MemFree:"),
        counted_bytes: None,
        distances: distances(source.text(&format!("{folder}/distance")).as_deref(), ids),
        access: access::read(source, &folder),
        memory_caches: access::memory_caches(source, &folder),
        nearest_cpus: IdSet::default(),
        device: None,
    }
}

/// A line such as `Node 0 MemTotal:  16384 kB`.
fn kib_field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find(|line| line.split_whitespace().any(|word| word == name))?;
    let mut words = line.split_whitespace().skip_while(|word| *word != name);
    words.nth(1)?.parse::<u64>().ok()?.checked_mul(1024)
}

/// One distance per on-line node. Longer lists hold columns of nodes that are off-line; those are by id. Anything
/// else can't be assigned to nodes and is left out.
fn distances(text: Option<&str>, ids: &[u32]) -> Vec<u32> {
    let columns: Vec<u32> =
        text.unwrap_or_default().split_whitespace().filter_map(|word| word.parse().ok()).collect();
    if columns.len() == ids.len() {
        return columns;
    }
    ids.iter()
        .map(|&id| columns.get(id as usize).copied())
        .collect::<Option<_>>()
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_longer_than_the_nodes_go_by_id() {
        assert_eq!(distances(Some("10 21"), &[0, 1]), [10, 21]);
        assert_eq!(distances(Some("21 10"), &[1]), [10]);
        assert_eq!(distances(Some("10 40 20"), &[0, 8, 250]), [10, 40, 20]);
        assert_eq!(distances(Some("10"), &[0, 3]), Vec::<u32>::new());
        assert_eq!(distances(None, &[0]), Vec::<u32>::new());
    }

    #[test]
    fn meminfo_with_and_without_the_nodes_number() {
        assert_eq!(
            kib_field("Node 3 MemTotal:  8 kB\nNode 3 MemFree: 4 kB", "MemFree:"),
            Some(4096)
        );
        assert_eq!(kib_field("MemTotal: 8 kB", "MemTotal:"), Some(8192));
        assert_eq!(kib_field("", "MemTotal:"), None);
    }
}
