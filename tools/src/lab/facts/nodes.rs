//! NUMA nodes: processors, memory, distances, the firmware's words on latency, bandwidth and caches on the memory's side.

use narrows_model::{IdSet, NodeAccess, NumaNode, Platform};

use super::{Fact, Facts, is, or_none};
use crate::lab::guest::{Guest, MemoryAccess, Node, Persistent, SideCache, Used};

/// What the kernel may keep of a node's memory: its own image, wherever that lies, tables of pages, firmware.
const KEPT_MIB: u32 = 80;
/// Hot-plugged memory comes in blocks of this size; what is left over stays unused.
const BLOCK_MIB: u32 = 128;

pub fn wanted(guest: &Guest) -> Facts {
    let parts: Vec<NodeFacts> =
        (0..).zip(&guest.nodes).map(|(id, node)| NodeFacts::of(guest, id, node)).collect();
    // Persistent memory's node exists once its memory is used.
    let there = parts.iter().filter(|part| part.is_useful());
    let empty = parts.iter().filter(|part| !part.is_useful() && part.persistent.is_none());
    let mut facts = lists(there.clone().map(|part| part.id), empty.map(|part| part.id));
    for part in there.clone() {
        let distances = guest.distances.get(part.id as usize);
        let distances = there.clone().map(|to| match distances {
            Some(row) => row[to.id as usize],
            // Without the firmware's table the kernel takes 10 and 20.
            None if to.id == part.id => 10,
            None => 20,
        });
        let way = part.node.way;
        let word = way.map_or("none".to_string(), MemoryAccess::word);
        let device = part.persistent.map_or("none", |_| "dax");
        let nearest = way.filter(|_| part.cpus.is_empty()).map(|way| guest.cpus_of(way.from));
        facts.extend(
            [
                ("CPUs", or_none(part.cpus.to_string())),
                ("memory", part.memory()),
                ("distances", list(distances)),
                // The best of all, and the best processors: here the same.
                ("access 0", is(word.clone())),
                ("access 1", is(word)),
                ("memory cache", or_none(part.node.cache.map(SideCache::word).unwrap_or_default())),
                ("nearest CPUs", or_none(nearest.unwrap_or_default().to_string())),
                ("whose memory", is(device)),
            ]
            .map(|(what, fact)| (key(part.id, what), fact)),
        );
    }
    facts
}

/// A node and what else the description says of it.
struct NodeFacts<'a> {
    id: u32,
    node: &'a Node,
    cpus: IdSet,
    persistent: Option<&'a Persistent>,
}

impl<'a> NodeFacts<'a> {
    fn of(guest: &'a Guest, id: u32, node: &'a Node) -> Self {
        let persistent = guest.persistent.iter().find(|part| part.node == id);
        NodeFacts { id, node, cpus: guest.cpus_of(id), persistent }
    }

    fn is_useful(&self) -> bool {
        let as_memory = self.persistent.is_some_and(|part| part.used == Used::AsMemory);
        !self.cpus.is_empty() || self.node.memory_mib > 0 || as_memory
    }

    fn memory(&self) -> Fact {
        let (least, most) = match self.persistent {
            Some(part) => (part.mib - 2 * BLOCK_MIB, part.mib),
            None => {
                let mib = self.node.memory_mib;
                (mib.saturating_sub(KEPT_MIB + mib / 16), mib)
            }
        };
        Fact::Bytes { least: u64::from(least) << 20, most: u64::from(most) << 20 }
    }
}

impl MemoryAccess {
    fn word(self) -> String {
        access(&self.from.to_string(), u64::from(self.gib_per_s) << 30, self.latency_ns)
    }
}

impl SideCache {
    fn word(self) -> String {
        cache(1, u64::from(self.mib) << 20, self.line_bytes, "direct-mapped", "write-back")
    }
}

pub fn found(platform: &Platform) -> Facts {
    let ids = platform.nodes.iter().map(|node| node.id);
    let mut facts = lists(ids, platform.empty_nodes.ids().iter().copied());
    for node in &platform.nodes {
        let memory = Fact::Bytes { least: node.memory_bytes, most: node.memory_bytes };
        let device = node.device.as_deref().unwrap_or("none");
        facts.extend(
            [
                ("CPUs", or_none(IdSet::from(&node.cpus[..]).to_string())),
                ("memory", memory),
                ("distances", list(node.distances.iter().copied())),
                ("access 0", ways(node, 0)),
                ("access 1", ways(node, 1)),
                ("memory cache", caches(node)),
                ("nearest CPUs", or_none(node.nearest_cpus.to_string())),
                ("whose memory", is(device.trim_end_matches(|c: char| !c.is_alphabetic()))),
            ]
            .map(|(what, fact)| (key(node.id, what), fact)),
        );
    }
    facts
}

fn ways(node: &NumaNode, class: u32) -> Fact {
    let of_class = node.access.iter().filter(|access| access.class == class);
    or_none(of_class.map(way).collect::<Vec<_>>().join("; "))
}

fn way(found: &NodeAccess) -> String {
    let one = |read, write| if read == write { read } else { None };
    // The description has one figure for both directions.
    match (
        one(found.read_bytes_per_s, found.write_bytes_per_s),
        found.read_latency_ns.filter(|ns| found.write_latency_ns == Some(*ns)),
    ) {
        (Some(bytes), Some(ns)) => access(&found.initiators.to_string(), bytes, ns),
        _ => format!("{found:?}"),
    }
}

fn access(from: &str, bytes_per_s: u64, latency_ns: u32) -> String {
    format!("from {from}, {bytes_per_s} B/s, {latency_ns} ns")
}

fn caches(node: &NumaNode) -> Fact {
    let word = |found: &narrows_model::MemoryCache| {
        cache(
            found.level,
            found.size_bytes.unwrap_or(0),
            found.line_bytes.unwrap_or(0),
            found.indexing.as_deref().unwrap_or("not known"),
            found.write_policy.as_deref().unwrap_or("not known"),
        )
    };
    or_none(node.memory_caches.iter().map(word).collect::<Vec<_>>().join("; "))
}

fn cache(level: u32, bytes: u64, line: u32, indexing: &str, policy: &str) -> String {
    format!("level {level}, {}, lines of {line} B, {indexing}, {policy}", super::mib(bytes))
}

fn lists(there: impl Iterator<Item = u32>, empty: impl Iterator<Item = u32>) -> Facts {
    let set = |ids: IdSet| or_none(ids.to_string());
    let facts = [("nodes", set(there.collect())), ("nodes with nothing", set(empty.collect()))];
    facts.map(|(name, fact)| (name.to_string(), fact)).into()
}

fn list(distances: impl Iterator<Item = u32>) -> Fact {
    or_none(distances.map(|distance| distance.to_string()).collect::<Vec<_>>().join(" "))
}

fn key(id: u32, what: &str) -> String {
    format!("node {id}: {what}")
}
