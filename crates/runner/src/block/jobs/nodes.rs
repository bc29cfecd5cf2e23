//! The NUMA nodes that a job names: whose processors it may use, and on which its buffers lie.

use anyhow::Result;
use narrows_facts::memory_policy::Mode;
use narrows_facts::{Live, Source, affinity, parse_cpu_list};
use narrows_fio::{Job, MemoryPolicy, NodeList};
use narrows_layer_block::BufferNodes;

use super::mapping::refuse;

const NODES: &str = "/sys/devices/system/node";
const LISTED: &str = "narrows platform lists the nodes";

/// Nodes of a machine.
#[derive(Debug)]
struct Nodes {
    /// Each with its processors, ascending.
    all: Vec<(u32, Vec<u32>)>,
    /// Those with memory.
    with_memory: Vec<u32>,
}

impl Nodes {
    /// A kernel without NUMA has one node with everything.
    fn of(source: &dyn Source) -> Nodes {
        let ids = source.text(&format!("{NODES}/online")).map(|text| parse_cpu_list(&text));
        let Some(ids) = ids.filter(|ids| !ids.is_empty()) else {
            let cpus = source.text("/sys/devices/system/cpu/online").unwrap_or_default();
            return Nodes { all: vec![(0, parse_cpu_list(&cpus))], with_memory: vec![0] };
        };
        let cpus = |id: &u32| {
            let list = source.text(&format!("{NODES}/node{id}/cpulist")).unwrap_or_default();
            (*id, parse_cpu_list(&list))
        };
        let with_memory = source.text(&format!("{NODES}/has_memory"));
        let with_memory = with_memory.map_or_else(|| ids.clone(), |text| parse_cpu_list(&text));
        Nodes { all: ids.iter().map(cpus).collect(), with_memory }
    }

    /// Those that are meant, of `there`; `what` they have to have.
    fn chosen(list: &NodeList, there: &[u32], what: &str) -> Result<Vec<u32>, String> {
        let (named, chosen): (&[u32], Vec<u32>) = match list {
            NodeList::All => (&[], there.to_vec()),
            NodeList::These(nodes) => (nodes, nodes.clone()),
            NodeList::Except(nodes) => {
                (nodes, there.iter().copied().filter(|id| !nodes.contains(id)).collect())
            }
        };
        if let Some(missing) = named.iter().find(|id| !there.contains(id)) {
            return Err(format!("there is no node {missing} with {what}; {}", those(there, what)));
        }
        if chosen.is_empty() {
            return Err(format!("no node with {what} is left; {}", those(there, what)));
        }
        Ok(chosen)
    }

    /// The processors of nodes, of those that this process may use.
    fn cpus(&self, list: &NodeList, allowed: &[u32]) -> Result<Vec<u32>, String> {
        let with_cpus: Vec<u32> =
            self.all.iter().filter(|(_, cpus)| !cpus.is_empty()).map(|(id, _)| *id).collect();
        let chosen = Nodes::chosen(list, &with_cpus, "CPUs")?;
        let of_them = self.all.iter().filter(|(id, _)| chosen.contains(id));
        let cpus: Vec<u32> =
            of_them.flat_map(|(_, cpus)| cpus).copied().filter(|c| allowed.contains(c)).collect();
        if cpus.is_empty() {
            return Err(format!("this process may use no CPU of the nodes {}", list_of(&chosen)));
        }
        Ok(cpus)
    }

    fn buffers(&self, policy: &MemoryPolicy) -> Result<BufferNodes, String> {
        let chosen = |list: &NodeList| Nodes::chosen(list, &self.with_memory, "memory");
        Ok(match policy {
            MemoryPolicy::Bind(list) => BufferNodes { mode: Mode::Bind, nodes: chosen(list)? },
            MemoryPolicy::Interleave(list) => {
                BufferNodes { mode: Mode::Interleave, nodes: chosen(list)? }
            }
            MemoryPolicy::Prefer(node) => {
                let nodes = chosen(&NodeList::These(vec![*node]))?;
                BufferNodes { mode: Mode::Prefer, nodes }
            }
            MemoryPolicy::Local => BufferNodes { mode: Mode::Local, nodes: Vec::new() },
        })
    }
}

fn those(there: &[u32], what: &str) -> String {
    match there {
        [] => format!("none has {what}"),
        [one] => format!("this machine has node {one} alone"),
        several => format!("this machine has the nodes {}", list_of(several)),
    }
}

fn list_of(nodes: &[u32]) -> String {
    nodes.iter().map(u32::to_string).collect::<Vec<_>>().join(", ")
}

/// The processors that a job may use, of nodes or as listed; none: all. As in fio nodes win over a list.
///
/// # Errors
/// A node that is not there, with those that are.
pub fn cpus(job: &Job) -> Result<Vec<u32>> {
    let Some(list) = &job.placement.cpu_nodes else {
        return Ok(job.placement.cpus.clone().unwrap_or_default());
    };
    let cpus = Nodes::of(&Live).cpus(list, &affinity::current());
    cpus.map_err(|reason| refuse(job, format!("numa_cpu_nodes: {reason}"), LISTED))
}

/// Where the job's buffers lie; `None` where the process's own policy stays.
///
/// # Errors
/// A node that is not there, with those that are.
pub fn buffers(job: &Job) -> Result<Option<BufferNodes>> {
    let Some(policy) = &job.placement.memory else { return Ok(None) };
    let buffers = Nodes::of(&Live).buffers(policy);
    buffers.map(Some).map_err(|reason| refuse(job, format!("numa_mem_policy: {reason}"), LISTED))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use narrows_facts::Tree;

    use super::*;

    fn machine(root: &Path, files: &[(&str, &str)]) -> Nodes {
        for (path, text) in files {
            let path = root.join(path.trim_start_matches('/'));
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        Nodes::of(&Tree::new(root))
    }

    /// Two nodes with processors, and node 4 with memory alone.
    fn two_sockets(root: &Path) -> Nodes {
        let files = [
            ("/sys/devices/system/node/online", "0-1,4\n"),
            ("/sys/devices/system/node/has_memory", "0-1,4\n"),
            ("/sys/devices/system/node/node0/cpulist", "0-3,8\n"),
            ("/sys/devices/system/node/node1/cpulist", "4-7\n"),
            ("/sys/devices/system/node/node4/cpulist", "\n"),
        ];
        machine(root, &files)
    }

    #[test]
    fn nodes_are_their_cpus_as_far_as_the_process_may_use_them() {
        let root = tempfile::tempdir().unwrap();
        let nodes = two_sockets(root.path());
        let all: Vec<u32> = (0..16).collect();
        assert_eq!(nodes.cpus(&NodeList::These(vec![0]), &all), Ok(vec![0, 1, 2, 3, 8]));
        assert_eq!(nodes.cpus(&NodeList::Except(vec![0]), &all), Ok(vec![4, 5, 6, 7]));
        assert_eq!(nodes.cpus(&NodeList::All, &[3, 4]), Ok(vec![3, 4]));
        let why = nodes.cpus(&NodeList::These(vec![1]), &[0]).unwrap_err();
        assert!(why.contains("may use no CPU of the nodes 1"), "{why}");
        let why = nodes.cpus(&NodeList::These(vec![0, 2]), &all).unwrap_err();
        assert_eq!(why, "there is no node 2 with CPUs; this machine has the nodes 0, 1");
        assert!(nodes.cpus(&NodeList::These(vec![4]), &all).is_err(), "it has memory alone");
    }

    #[test]
    fn buffers_go_where_there_is_memory() {
        let root = tempfile::tempdir().unwrap();
        let nodes = two_sockets(root.path());
        let of = |policy| nodes.buffers(&policy);
        let bind = BufferNodes { mode: Mode::Bind, nodes: vec![4] };
        assert_eq!(of(MemoryPolicy::Bind(NodeList::These(vec![4]))), Ok(bind));
        let turns = BufferNodes { mode: Mode::Interleave, nodes: vec![0, 1, 4] };
        assert_eq!(turns.to_string(), "interleave:0,1,4");
        assert_eq!(of(MemoryPolicy::Interleave(NodeList::All)), Ok(turns));
        assert_eq!(of(MemoryPolicy::Local).unwrap().to_string(), "local");
        let why = of(MemoryPolicy::Prefer(9)).unwrap_err();
        assert_eq!(why, "there is no node 9 with memory; this machine has the nodes 0, 1, 4");
    }

    #[test]
    fn a_kernel_without_nodes_has_one() {
        let root = tempfile::tempdir().unwrap();
        let nodes = machine(root.path(), &[("/sys/devices/system/cpu/online", "0-1\n")]);
        assert_eq!(nodes.cpus(&NodeList::These(vec![0]), &[0, 1]), Ok(vec![0, 1]));
        let why = nodes.cpus(&NodeList::These(vec![1]), &[0, 1]).unwrap_err();
        assert_eq!(why, "there is no node 1 with CPUs; this machine has node 0 alone");
    }
}
