//! NUMA nodes: their processors, memory, distances, and what the firmware says of the way to them.

use std::collections::BTreeMap;

use narrows_model::{IdSet, NodeAccess, NumaNode, Platform};

use crate::print::Units;
use crate::words::counted;

/// Up to so many nodes each has a line with its distances; of more, those alike share one.
const FEW: usize = 8;

/// Lines, if there is more than one node.
pub(super) fn lines(p: &Platform) -> Vec<String> {
    let mut lines = match p.nodes.len() {
        0 | 1 => Vec::new(),
        2..=FEW => p.nodes.iter().map(each).collect(),
        _ => alike(&p.nodes),
    };
    lines.extend(p.nodes.iter().flat_map(|node| {
        let way = |class: u32| node.access.iter().find(|way| way.class == class);
        let processors = way(1);
        // Class 0 says more than class 1 only where something else, an accelerator, is nearer.
        let other = way(0).filter(|other| {
            processors.is_none_or(|processors| processors.initiators != other.initiators)
        });
        let ways = [processors, other].into_iter().flatten();
        ways.filter_map(|way| firmware(node, way)).collect::<Vec<_>>()
    }));
    lines.extend(p.nodes.iter().filter_map(not_yet_given));
    if !p.empty_nodes.is_empty() {
        lines.push(format!("{}: neither CPUs nor memory", p.empty_nodes));
    }
    let all: IdSet = p.nodes.iter().map(|node| node.id).collect();
    if !p.allowed_nodes.is_empty() && !all.is_subset(&p.allowed_nodes) {
        lines.push(format!("{} allowed to this process", p.allowed_nodes));
    }
    lines
}

/// What of its memory the kernel holds back until it is needed.
fn not_yet_given(node: &NumaNode) -> Option<String> {
    let rest = node.memory_bytes.checked_sub(node.counted_bytes?)?;
    let rest = Units::Si.bytes(rest as f64);
    Some(format!(
        "{}: {rest} of its memory is initialised by the kernel only when it is used",
        node.id
    ))
}

fn each(node: &NumaNode) -> String {
    let distances: Vec<String> = node.distances.iter().map(u32::to_string).collect();
    let mut parts = vec![if node.cpus.is_empty() {
        "no CPUs".to_string()
    } else {
        format!("CPUs {}", cpu_list(&IdSet::from(node.cpus.as_slice())))
    }];
    parts.push(memory(node));
    if !distances.is_empty() {
        parts.push(format!("distances {}", distances.join(" ")));
    }
    format!("{}: {}", node.id, parts.join(", "))
}

/// A list as people read it: firmware that deals processors out to the nodes makes `0-76 by 4`, and what stays long can be
/// wrapped at its commas.
pub(super) fn cpu_list(cpus: &IdSet) -> String {
    const SHORT: usize = 4;
    const LONG_CHARS: usize = 60;
    if let [first, second, .., last] = cpus.ids()
        && cpus.len() > SHORT
        && *second > first + 1
        && cpus.ids().windows(2).all(|pair| pair[1] - pair[0] == second - first)
    {
        return format!("{first}-{last} by {}", second - first);
    }
    let text = cpus.to_string();
    if text.len() > LONG_CHARS { text.replace(',', ", ") } else { text }
}

fn memory(node: &NumaNode) -> String {
    match node.memory_bytes {
        0 => "no memory".to_string(),
        bytes => Units::Si.bytes(bytes as f64),
    }
}

/// Nodes with as many processors, as much memory and as many others at each distance, in one line.
fn alike(nodes: &[NumaNode]) -> Vec<String> {
    let mut same: Vec<(String, Vec<u32>)> = Vec::new();
    for node in nodes {
        let mut at: BTreeMap<u32, usize> = BTreeMap::new();
        for distance in &node.distances {
            *at.entry(*distance).or_default() += 1;
        }
        let at: Vec<String> = at.iter().map(|(at, many)| format!("{many} at {at}")).collect();
        let cpus = counted(node.cpus.len(), "CPU");
        let distances = if at.is_empty() { "none".to_string() } else { at.join(", ") };
        let text = format!("{cpus} and {} each; distances: {distances}", memory(node));
        match same.iter_mut().find(|(other, _)| *other == text) {
            Some((_, ids)) => ids.push(node.id),
            None => same.push((text, vec![node.id])),
        }
    }
    same.into_iter()
        .map(|(text, ids)| format!("{}: {text}", ids.into_iter().collect::<IdSet>()))
        .collect()
}

/// What the firmware says of the way from the best initiators; nothing where it gives no figure.
fn firmware(node: &NumaNode, way: &NodeAccess) -> Option<String> {
    let rate =
        |bytes: Option<u64>| bytes.map(|bytes| format!("{}/s", Units::Si.bytes(bytes as f64)));
    let ns = |ns: Option<u32>| ns.map(|ns| format!("{ns} ns"));
    let pair = |read: Option<String>, write: Option<String>| match (read, write) {
        (Some(read), Some(write)) if read == write => Some(read),
        (Some(read), Some(write)) => Some(format!("{read} read, {write} written")),
        (Some(read), None) => Some(format!("{read} read")),
        (None, Some(write)) => Some(format!("{write} written")),
        (None, None) => None,
    };
    let figures = [
        pair(rate(way.read_bytes_per_s), rate(way.write_bytes_per_s)),
        pair(ns(way.read_latency_ns), ns(way.write_latency_ns)),
    ];
    let figures: Vec<String> = figures.into_iter().flatten().collect();
    let from = &way.initiators;
    (!figures.is_empty())
        .then(|| format!("{} from {from}, by the firmware: {}", node.id, figures.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_that_waits_for_its_first_use_is_told() {
        let node = NumaNode {
            memory_bytes: 25_000_000_000,
            counted_bytes: Some(13_000_000_000),
            ..NumaNode::default()
        };
        let p = Platform { nodes: vec![node], ..Platform::default() };
        assert_eq!(
            lines(&p),
            ["0: 12.0 GB of its memory is initialised by the kernel only when it is used"]
        );
    }

    #[test]
    fn many_nodes_share_lines_and_few_have_their_own() {
        let node = |id: u32, count: u32| NumaNode {
            id,
            cpus: vec![2 * id, 2 * id + 1],
            memory_bytes: 8_000_000_000,
            distances: (0..count).map(|to| if to == id { 10 } else { 22 + to % 2 * 4 }).collect(),
            ..NumaNode::default()
        };
        let machine = |count: u32| Platform {
            nodes: (0..count).map(|id| node(id, count)).collect(),
            ..Platform::default()
        };
        assert_eq!(lines(&machine(1)), Vec::<String>::new());
        assert_eq!(lines(&machine(2))[1], "1: CPUs 2-3, 8.00 GB, distances 22 10");
        let many = lines(&machine(64));
        assert_eq!(many.len(), 2, "{many:#?}");
        assert!(
            many[0].ends_with("2 CPUs and 8.00 GB each; distances: 1 at 10, 31 at 22, 32 at 26")
        );
    }

    #[test]
    fn lists_of_processors_stay_short_or_can_be_wrapped() {
        let list = |text: &str| cpu_list(&text.parse().unwrap());
        assert_eq!(list("0-31,64-95"), "0-31,64-95");
        assert_eq!(list("1,5,9,13,17"), "1-17 by 4");
        assert_eq!(list("0,2,4"), "0,2,4");
        let pairs: IdSet = (0..40).flat_map(|n| [4 * n, 4 * n + 1]).collect();
        assert!(cpu_list(&pairs).split(' ').all(|word| word.len() < 20));
    }

    #[test]
    fn the_way_of_an_accelerator_is_told_where_it_is_another() {
        let way = |class, from: &str, read| NodeAccess {
            class,
            initiators: from.parse().unwrap(),
            read_bytes_per_s: read,
            read_latency_ns: Some(80),
            ..NodeAccess::default()
        };
        let node = |id, access| NumaNode { id, access, memory_bytes: 1, ..NumaNode::default() };
        let p = Platform {
            nodes: vec![
                node(0, vec![way(0, "0", Some(1_000_000_000)), way(1, "0", Some(1_000_000_000))]),
                node(1, vec![way(0, "3", None), way(1, "0", None)]),
            ],
            empty_nodes: "3".parse().unwrap(),
            allowed_nodes: "0".parse().unwrap(),
            ..Platform::default()
        };
        let lines = lines(&p);
        assert_eq!(
            lines[2..],
            [
                "0 from 0, by the firmware: 1.00 GB/s read, 80 ns read",
                "1 from 0, by the firmware: 80 ns read",
                "1 from 3, by the firmware: 80 ns read",
                "3: neither CPUs nor memory",
                "0 allowed to this process",
            ]
        );
    }
}
