//! Which processor reads which node: the near pair, and one far pair for each distance the firmware names.

use narrows_model::{NumaNode, Platform};

use crate::MemoryError;

/// A processor and the memory it reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AccessPath {
    /// The processor.
    pub cpu: u32,
    /// The node it belongs to.
    pub cpu_node: u32,
    /// The node whose memory is read.
    pub node: u32,
    /// The distance the firmware states; not nanoseconds. `None` where it states none.
    pub distance: Option<u32>,
    /// What comes between `memory.latency.` and the page size in the id: empty for near, `far.` or `far.dNN.`.
    pub id_part: String,
}

/// A node with the processors on it that this process may use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Site {
    /// The node's id.
    pub node: u32,
    /// Its allowed processors, ascending.
    pub cpus: Vec<u32>,
}

/// Nodes with memory and allowed processors. A machine whose nodes can't be seen is one node.
pub fn sites(platform: &Platform, allowed: &[u32]) -> Result<Vec<Site>, MemoryError> {
    let mut sites: Vec<Site> = platform
        .nodes
        .iter()
        .filter(|node| node.memory_bytes > 0)
        .map(|node| Site {
            node: node.id,
            cpus: node.cpus.iter().copied().filter(|cpu| allowed.contains(cpu)).collect(),
        })
        .filter(|site| !site.cpus.is_empty())
        .collect();
    if platform.nodes.is_empty() && !allowed.is_empty() {
        sites.push(Site { node: 0, cpus: allowed.to_vec() });
    }
    if sites.is_empty() {
        return Err(MemoryError::NoProcessor { allowed: allowed.to_vec() });
    }
    Ok(sites)
}

/// Whether a node has to be asked for: with one node there is nothing else to get.
pub fn several_nodes(platform: &Platform) -> bool {
    platform.nodes.iter().filter(|node| node.memory_bytes > 0).count() > 1
}

/// The CPUs in an order in which the first few share as little as they can: one of each core before its siblings, and in turns by
/// the last cache behind them.
pub fn spread(platform: &Platform, cpus: &[u32]) -> Vec<u32> {
    let sibling = |cpu: u32| {
        let core = platform.cpu.cores_threads.iter().find(|core| core.contains(&cpu))?;
        core.iter().filter(|thread| cpus.contains(thread)).position(|thread| *thread == cpu)
    };
    let last = platform.caches.iter().filter(|cache| cache.kind != "Instruction");
    let last = last.max_by_key(|cache| cache.level);
    let cache = |cpu: u32| last?.cpus.iter().position(|set| set.contains(cpu));
    // Which of its cache's CPUs of the same rank it is.
    let mut seen = std::collections::BTreeMap::new();
    let mut ranked: Vec<(usize, usize, usize, u32)> = Vec::new();
    for &cpu in cpus {
        let (sibling, cache) = (sibling(cpu).unwrap_or(0), cache(cpu).unwrap_or(0));
        let nth = seen.entry((sibling, cache)).or_insert(0);
        ranked.push((sibling, *nth, cache, cpu));
        *nth += 1;
    }
    ranked.sort_unstable();
    ranked.into_iter().map(|(.., cpu)| cpu).collect()
}

/// The distance that the firmware names.
pub fn distance(platform: &Platform, from: u32, to: u32) -> Option<u32> {
    let from = platform.nodes.iter().find(|node| node.id == from)?;
    let mut ids: Vec<u32> = platform.nodes.iter().map(|node| node.id).collect();
    ids.sort_unstable();
    from.distances.get(ids.iter().position(|id| *id == to)?).copied()
}

/// The near pair and the far ones, nearest first. The last of the site's processors reads: the first one takes
/// most interrupts.
pub fn places(platform: &Platform, sites: &[Site]) -> Vec<AccessPath> {
    let site = &sites[0];
    let cpu = *site.cpus.last().expect("a site has CPUs");
    let distance = |to: &NumaNode| distance(platform, site.node, to.id);
    let place = |node, distance, id_part: String| AccessPath {
        cpu,
        cpu_node: site.node,
        node,
        distance,
        id_part,
    };
    let near = platform.nodes.iter().find(|node| node.id == site.node);
    let mut places = vec![place(site.node, near.and_then(distance), String::new())];

    let mut far: Vec<(Option<u32>, u32)> = platform
        .nodes
        .iter()
        .filter(|node| node.id != site.node && node.memory_bytes > 0)
        .map(|node| (distance(node), node.id))
        .collect();
    far.sort_unstable();
    far.dedup_by_key(|(distance, _)| *distance);
    for (index, (distance, node)) in far.into_iter().enumerate() {
        let id_part = match (index, distance) {
            (0, _) | (_, None) => "far.".to_string(),
            (_, Some(distance)) => format!("far.d{distance}."),
        };
        places.push(place(node, distance, id_part));
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(id: u32, cpus: &[u32], memory_bytes: u64, distances: &[u32]) -> NumaNode {
        NumaNode {
            id,
            cpus: cpus.to_vec(),
            memory_bytes,
            distances: distances.to_vec(),
            ..NumaNode::default()
        }
    }

    fn machine(nodes: Vec<NumaNode>) -> Platform {
        Platform { nodes, ..Platform::default() }
    }

    #[test]
    fn one_far_pair_for_each_distance() {
        // Sparse ids, two sockets of two nodes, and one node of memory only.
        let platform = machine(vec![
            node(0, &[0, 1], 1, &[10, 12, 32, 32, 50]),
            node(1, &[2, 3], 1, &[12, 10, 32, 32, 50]),
            node(4, &[4, 5], 1, &[32, 32, 10, 12, 60]),
            node(5, &[6, 7], 1, &[32, 32, 12, 10, 60]),
            node(250, &[], 1, &[50, 50, 60, 60, 10]),
        ]);
        let sites = sites(&platform, &[0, 1, 2, 4]).unwrap();
        assert_eq!(sites.iter().map(|site| site.node).collect::<Vec<_>>(), [0, 1, 4]);
        let places = places(&platform, &sites);
        let seen: Vec<_> =
            places.iter().map(|p| (p.id_part.as_str(), p.node, p.distance, p.cpu)).collect();
        assert_eq!(
            seen,
            [
                ("", 0, Some(10), 1),
                ("far.", 1, Some(12), 1),
                ("far.d32.", 4, Some(32), 1),
                ("far.d50.", 250, Some(50), 1),
            ]
        );
        assert!(several_nodes(&platform));
    }

    #[test]
    fn the_first_few_share_neither_core_nor_cache() {
        let mut platform = Platform::default();
        platform.cpu.cores_threads = vec![vec![0, 1], vec![2, 3], vec![4, 5], vec![6, 7]];
        let set = |cpus: &[u32]| cpus.iter().copied().collect();
        platform.caches = vec![narrows_model::Cache {
            level: 3,
            kind: "Unified".to_string(),
            cpus: vec![set(&[0, 1, 2, 3]), set(&[4, 5, 6, 7])],
            ..Default::default()
        }];
        let all = [0, 1, 2, 3, 4, 5, 6, 7];
        assert_eq!(spread(&platform, &all), [0, 4, 2, 6, 1, 5, 3, 7]);
        assert_eq!(spread(&platform, &[1, 3, 5]), [1, 5, 3], "a lone sibling is its core");
        assert_eq!(spread(&Platform::default(), &[3, 1]), [3, 1]);
    }

    #[test]
    fn nodes_without_memory_or_allowed_processors_do_not_read() {
        let platform =
            machine(vec![node(0, &[0], 0, &[10, 20]), node(1, &[1, 2], 1 << 30, &[20, 10])]);
        let sites = sites(&platform, &[0, 2]).unwrap();
        assert_eq!(sites, [Site { node: 1, cpus: vec![2] }]);
        // The empty node is no far target either.
        assert_eq!(places(&platform, &sites).len(), 1);
        assert!(!several_nodes(&platform));
        let error = super::sites(&platform, &[0]).unwrap_err();
        assert!(error.to_string().contains("hint:"));
    }

    #[test]
    fn a_machine_that_hides_its_nodes_is_one_node() {
        let platform = machine(vec![]);
        let sites = sites(&platform, &[3, 4]).unwrap();
        assert_eq!(sites, [Site { node: 0, cpus: vec![3, 4] }]);
        assert_eq!(places(&platform, &sites)[0].cpu, 4);
    }
}
