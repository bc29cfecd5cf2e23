//! One machine as we see it against what hwloc's authors saw.

use std::collections::BTreeMap;

use narrows_facts::Tree;
use narrows_model::{Cache, GroupLevel, IdSet, NumaNode, Platform};

use crate::hwloc::expected::Expected;
use crate::hwloc::object::{Object, is_size};

/// How the expected file was made.
#[derive(Debug, Default)]
pub struct Made {
    /// Objects that add nothing were filtered out.
    pub filtered: bool,
    pub without_instruction_caches: bool,
    /// Memory of accelerators was kept as nodes.
    pub with_gpu_nodes: bool,
    /// The user said which devices are near which processors.
    pub with_told_locality: bool,
}

/// How many things agree, or what doesn't.
type Compare = fn(&MachineViews<'_>) -> Result<usize, String>;

/// The parts that are compared.
pub const PARTS: &[(&str, Compare)] = &[
    ("threads", threads),
    ("packages", packages),
    ("cores", cores),
    ("groups", groups),
    ("kinds", kinds),
    ("caches", caches),
    ("nodes", nodes),
    ("locality", locality),
    ("distances", distances),
    ("memory caches", memory_caches),
    ("access", access),
    ("pci", pci),
];

/// One machine, seen twice.
pub struct MachineViews<'a> {
    pub made: &'a Made,
    pub expected: &'a Expected,
    pub platform: &'a Platform,
    pub tree: &'a Tree,
}

impl MachineViews<'_> {
    /// hwloc leaves out the processors that the control group forbids; we count the machine, and say apart what is
    /// allowed.
    fn allowed(&self, cpus: &IdSet) -> IdSet {
        let allowed = IdSet::from(self.platform.cpu.allowed.as_slice());
        cpus.ids().iter().copied().filter(|cpu| allowed.contains(*cpu)).collect()
    }

    fn allowed_sets<'s>(&self, sets: impl Iterator<Item = &'s IdSet>) -> Vec<IdSet> {
        sorted(sets.map(|set| self.allowed(set)).collect())
    }

    /// Nodes as hwloc shows them: those that the control group allows, those with memory where there are several, and
    /// accelerators' only if asked.
    fn nodes(&self) -> Vec<&NumaNode> {
        let allowed = &self.platform.allowed_nodes;
        let only = self.platform.nodes.len() == 1;
        let gpu =
            |node: &&NumaNode| node.device.as_ref().is_some_and(|name| name.starts_with("gpu"));
        self.platform
            .nodes
            .iter()
            .filter(|node| allowed.is_empty() || allowed.contains(node.id))
            .filter(|node| only || node.memory_bytes > 0)
            .filter(|node| self.made.with_gpu_nodes || !gpu(node))
            .collect()
    }

    fn objects(&self, kind: &str) -> Vec<&Object> {
        self.expected.machine.of_kind(kind)
    }

    fn sets(&self, kind: &str) -> Vec<IdSet> {
        sorted(self.objects(kind).iter().map(|object| object.threads()).collect())
    }
}

fn sorted(mut sets: Vec<IdSet>) -> Vec<IdSet> {
    sets.retain(|set| !set.is_empty());
    sets.sort();
    sets
}

fn same<T: PartialEq + std::fmt::Debug>(ours: &[T], theirs: &[T]) -> Result<usize, String> {
    if ours == theirs {
        return Ok(ours.len());
    }
    Err(format!("we see {} {ours:?}\n    they   {} {theirs:?}", ours.len(), theirs.len()))
}

fn threads(seen: &MachineViews<'_>) -> Result<usize, String> {
    let online = IdSet::from(seen.platform.cpu.online.as_slice());
    same(&[seen.allowed(&online)], &[seen.expected.machine.threads()])
}

fn packages(seen: &MachineViews<'_>) -> Result<usize, String> {
    let ours = seen.platform.cpu.groups_at(GroupLevel::Package);
    same(&seen.allowed_sets(ours.map(|group| &group.cpus)), &seen.sets("Package"))
}

fn cores(seen: &MachineViews<'_>) -> Result<usize, String> {
    if seen.made.filtered {
        return Ok(0);
    }
    let cores = seen.platform.cpu.cores_threads.iter();
    let ours: Vec<IdSet> = cores.map(|core| IdSet::from(core.as_slice())).collect();
    same(&seen.allowed_sets(ours.iter()), &seen.sets("Core"))
}

fn groups(seen: &MachineViews<'_>) -> Result<usize, String> {
    let levels = [
        (GroupLevel::Drawer, "Drawer"),
        (GroupLevel::Book, "Book"),
        (GroupLevel::Die, "Die"),
        (GroupLevel::Cluster, "Cluster"),
    ];
    // hwloc merges a group with a cache that has the same processors.
    let cached: Vec<&IdSet> = seen.platform.caches.iter().flat_map(|cache| &cache.cpus).collect();
    let mut count = 0;
    for (level, subtype) in levels {
        let ours = seen.platform.cpu.groups_at(level).map(|group| &group.cpus);
        let ours = ours.filter(|cpus| !cached.contains(cpus));
        let theirs = seen.objects("Group").into_iter().filter(|object| object.subtype == subtype);
        let theirs = sorted(theirs.map(|object| object.threads()).collect());
        count += same(&seen.allowed_sets(ours), &theirs)?;
    }
    Ok(count)
}

/// hwloc numbers kinds from the weakest; one kind is none.
fn kinds(seen: &MachineViews<'_>) -> Result<usize, String> {
    let ours = &seen.platform.cpu.kinds;
    if seen.expected.kinds.len() < 2 {
        return if ours.is_empty() {
            Ok(0)
        } else {
            Err(format!("we see {ours:?}, they one kind"))
        };
    }
    let theirs = seen.expected.kinds.iter().rev();
    let theirs: Vec<_> = theirs.map(|k| (k.cpus.clone(), k.base_mhz, k.capacity)).collect();
    let mhz = |khz: Option<u64>| khz.map(|khz| khz / 1000);
    let found: Vec<_> =
        ours.iter().map(|k| (k.cpus.clone(), mhz(k.base_khz), k.capacity)).collect();
    // A few favoured cores reach more than the rest of their kind; hwloc gives what all reach, we what any does.
    for (kind, expected) in ours.iter().zip(seen.expected.kinds.iter().rev()) {
        if mhz(kind.max_khz) < expected.max_mhz {
            return Err(format!("{kind:?} of {expected:?}"));
        }
    }
    same(&found, &theirs)
}

fn caches(seen: &MachineViews<'_>) -> Result<usize, String> {
    type Key = (u32, String, IdSet);
    let wanted =
        |cache: &&Cache| !(seen.made.without_instruction_caches && cache.kind == "Instruction");
    let mut ours: BTreeMap<Key, &Cache> = BTreeMap::new();
    for cache in seen.platform.caches.iter().filter(wanted) {
        assert_eq!(cache.cpus.len() as u32, cache.instances);
        for cpus in cache.cpus.iter().map(|cpus| seen.allowed(cpus)).filter(|set| !set.is_empty()) {
            ours.insert((cache.level, cache.kind.clone(), cpus), cache);
        }
    }
    let mut count = 0;
    let mut failure = Ok(());
    seen.expected.machine.visit(&[], &mut |object, _| {
        let Some((level, kind)) = object.cache() else { return };
        // One that has memory behind it and no processor that the control group allows.
        if object.threads().is_empty() {
            return;
        }
        let key = (level, kind.to_string(), object.threads());
        let text = |name: &str| object.attributes.get(name).map(String::as_str).unwrap_or_default();
        match ours.remove(&key) {
            Some(cache)
                if is_size(text("size"), cache.size_bytes)
                    && text("linesize") == cache.line_bytes.unwrap_or(0).to_string() =>
            {
                count += 1;
            }
            found => {
                failure = Err(format!("they see {key:?} {:?}, we {found:?}", object.attributes))
            }
        }
    });
    failure?;
    if !ours.is_empty() && !seen.made.filtered {
        return Err(format!("only we see {:?}", ours.keys().next()));
    }
    Ok(count)
}

fn nodes(seen: &MachineViews<'_>) -> Result<usize, String> {
    let mut theirs = seen.objects("NUMANode");
    theirs.sort_by_key(|node| node.os_index);
    let ours = seen.nodes();
    let of_theirs: Vec<Option<u32>> = theirs.iter().map(|node| node.os_index).collect();
    let of_ours: Vec<Option<u32>> = ours.iter().map(|node| Some(node.id)).collect();
    let count = same(&of_ours, &of_theirs)?;
    for (node, object) in ours.iter().zip(theirs) {
        let Some(local) = object.attributes.get("local") else { continue };
        if !is_size(local, node.memory_bytes) {
            return Err(format!("node {}: {} B, they {local}", node.id, node.memory_bytes));
        }
    }
    Ok(count)
}

/// The processors nearest to each node's memory.
fn locality(seen: &MachineViews<'_>) -> Result<usize, String> {
    let mut theirs = BTreeMap::new();
    seen.expected.machine.visit(&[], &mut |object, above| {
        if object.kind == "NUMANode" {
            let around = above.iter().rev().find(|object| object.kind != "MemCache").unwrap();
            theirs.insert(object.os_index.unwrap(), around.threads());
        }
    });
    for node in seen.nodes() {
        let own = IdSet::from(node.cpus.as_slice());
        let ours = seen.allowed(if own.is_empty() { &node.nearest_cpus } else { &own });
        if theirs.get(&node.id) != Some(&ours) {
            return Err(format!("node {}: {ours:?}, they {:?}", node.id, theirs.get(&node.id)));
        }
    }
    Ok(theirs.len())
}

fn distances(seen: &MachineViews<'_>) -> Result<usize, String> {
    let Some((ids, matrix)) = &seen.expected.distances else { return Ok(0) };
    let all: Vec<u32> = seen.platform.nodes.iter().map(|node| node.id).collect();
    for (id, row) in ids.iter().zip(matrix) {
        let from = seen.platform.nodes.iter().find(|node| node.id == *id).ok_or("no such node")?;
        let column = |id: &u32| all.iter().position(|other| other == id);
        let ours: Vec<u32> =
            ids.iter().filter_map(|to| from.distances.get(column(to)?).copied()).collect();
        same(&ours, row)?;
    }
    Ok(ids.len() * matrix.len())
}

fn memory_caches(seen: &MachineViews<'_>) -> Result<usize, String> {
    let mut count = 0;
    let mut failure = Ok(());
    seen.expected.machine.visit(&[], &mut |object, above| {
        let Some(cache) = above.last().filter(|above| above.kind == "MemCache") else { return };
        let node = seen.platform.nodes.iter().find(|node| Some(node.id) == object.os_index);
        let ours = node.and_then(|node| node.memory_caches.first());
        let agrees = ours.is_some_and(|ours| {
            is_size(&cache.attributes["size"], ours.size_bytes.unwrap_or(0))
                && cache.attributes["linesize"] == ours.line_bytes.unwrap_or(0).to_string()
        });
        count += 1;
        if !agrees {
            failure = Err(format!("{:?}, they {:?}", ours, cache.attributes));
        }
    });
    let ours: usize = seen.platform.nodes.iter().map(|node| node.memory_caches.len()).sum();
    failure?;
    same(&[ours], &[count]).map(|_| count)
}

/// What the firmware says of the way from the best processors.
fn access(seen: &MachineViews<'_>) -> Result<usize, String> {
    let nodes = &seen.platform.nodes;
    let mut count = 0;
    for attribute in &seen.expected.attributes {
        let node = nodes.iter().find(|node| node.id == attribute.node).ok_or("no such node")?;
        let best = node.access.iter().max_by_key(|access| access.class).ok_or("no access")?;
        let mib = |bytes: Option<u64>| bytes.map(|bytes| bytes >> 20);
        let ours = match attribute.name.as_str() {
            "ReadBandwidth" => mib(best.read_bytes_per_s),
            "WriteBandwidth" => mib(best.write_bytes_per_s),
            "ReadLatency" => best.read_latency_ns.map(u64::from),
            "WriteLatency" => best.write_latency_ns.map(u64::from),
            // Made by hwloc from those.
            _ => continue,
        };
        let near = nodes.iter().filter(|node| best.initiators.contains(node.id));
        let from: IdSet = near.flat_map(|node| node.cpus.iter().copied()).collect();
        if (ours, &from) != (Some(attribute.value), &attribute.from) {
            return Err(format!("{ours:?} from {from:?}, they {attribute:?}"));
        }
        count += 1;
    }
    Ok(count)
}

/// The processors near each PCI function, where the kernel knows them.
fn pci(seen: &MachineViews<'_>) -> Result<usize, String> {
    if seen.made.with_told_locality {
        return Ok(0);
    }
    let mut count = 0;
    let mut failure = Ok(());
    let online = &seen.platform.cpu.online;
    seen.expected.machine.visit(&[], &mut |object, above| {
        let Some(address) = object.attributes.get("busid").filter(|_| object.kind == "PCI") else {
            return;
        };
        let Some(ours) = narrows_platform::pci_local_cpus(seen.tree, address, online) else {
            return;
        };
        let inside = ["Bridge", "PCI"];
        let around = above.iter().rev().find(|object| !inside.contains(&object.kind.as_str()));
        let theirs = around.unwrap().threads();
        // hwloc takes a whole root bus to be where its first function is; this one says that it is nearer to a half.
        let half = address == "0000:00:02.0" && ours.is_subset(&theirs);
        count += 1;
        if ours != theirs && !half {
            failure = Err(format!("{address}: {ours:?}, they {theirs:?}"));
        }
    });
    failure.map(|()| count)
}
