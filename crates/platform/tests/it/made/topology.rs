//! How processors, caches and nodes lie within each other, on machines made of files.

use crate::made::machine::Machine;
use narrows_model::{CpuGroup, GroupLevel, IdSet, NodeAccess, Platform};

const NODES: &str = "/sys/devices/system/node";
const CPUS: &str = "/sys/devices/system/cpu";

fn discover(machine: &Machine) -> Platform {
    narrows_platform::discover(&machine.tree(), &[])
}

fn set(text: &str) -> IdSet {
    text.parse().unwrap()
}

fn topology(machine: &Machine, cpu: u32, files: &[(&str, &str)]) {
    machine.files(&format!("{CPUS}/cpu{cpu}/topology"), files);
}

fn groups(platform: &Platform, level: GroupLevel) -> Vec<(Option<u32>, String)> {
    let entry = |group: &CpuGroup| (group.id, group.cpus.to_string());
    platform.cpu.groups_at(level).map(entry).collect()
}

fn needs<'a>(platform: &'a Platform, what: &str) -> &'a str {
    let found = platform.unknown.iter().find(|unknown| unknown.what.contains(what));
    &found.unwrap_or_else(|| panic!("{what} is not among {:?}", platform.unknown)).needs
}

/// Two packages of two dies of two threads each.
fn dies(machine: &Machine) {
    machine.file(&format!("{CPUS}/online"), "0-7\n").file(&format!("{CPUS}/present"), "0-8\n");
    for cpu in 0..8u32 {
        let (package, die) = (cpu / 4, cpu / 2);
        topology(
            machine,
            cpu,
            &[
                ("physical_package_id", &format!("{package}\n")),
                ("package_cpus_list", &format!("{}-{}\n", package * 4, package * 4 + 3)),
                // As ids of dies do: each package counts from 0.
                ("die_id", &format!("{}\n", die % 2)),
                ("die_cpus_list", &format!("{}-{}\n", die * 2, die * 2 + 1)),
                ("cluster_cpus_list", &format!("{cpu}\n")),
                ("cluster_id", "0\n"),
                ("core_cpus_list", &format!("{cpu}\n")),
            ],
        );
    }
}

#[test]
fn groups_that_say_nothing_of_their_own_are_left_out() {
    let machine = Machine::new();
    dies(&machine);
    let platform = discover(&machine);
    assert_eq!((platform.cpu.sockets, platform.cpu.cores), (2, 8));
    assert_eq!(platform.cpu.offline, set("8"));
    assert_eq!(
        groups(&platform, GroupLevel::Package),
        [(Some(0), "0-3".to_string()), (Some(1), "4-7".to_string())]
    );
    let dies = groups(&platform, GroupLevel::Die);
    assert_eq!(dies.len(), 4);
    assert_eq!(dies[3], (Some(1), "6-7".to_string()));
    // A cluster of one core is the core.
    assert!(groups(&platform, GroupLevel::Cluster).is_empty());
}

#[test]
fn siblings_that_contradict_each_other_are_told_and_no_thread_is_counted_twice() {
    let machine = Machine::new();
    machine.file(&format!("{CPUS}/online"), "0-3\n");
    for (cpu, siblings) in [(0, "0-1"), (1, "0-1"), (2, "1-2"), (3, "0")] {
        topology(&machine, cpu, &[("core_cpus_list", siblings)]);
    }
    let platform = discover(&machine);
    let mut threads = platform.cpu.cores_threads.concat();
    threads.sort_unstable();
    assert_eq!(threads, [0, 1, 2, 3]);
    assert!(needs(&platform, "which threads share a core").contains("contradict"));
}

#[test]
fn a_copy_that_holds_a_part_of_the_processors_is_a_smaller_machine() {
    let machine = Machine::new();
    machine.file(&format!("{CPUS}/online"), "0-7\n");
    for cpu in 0..2 {
        topology(&machine, cpu, &[("core_id", "0\n")]);
    }
    let platform = discover(&machine);
    assert_eq!(platform.cpu.online, [0, 1]);
    assert!(needs(&platform, "6 of the 8 processors").contains(CPUS));
}

#[test]
fn kinds_of_core_by_capacity_and_by_counters() {
    let arm = Machine::new();
    arm.file(&format!("{CPUS}/online"), "0-3\n");
    for (cpu, capacity) in [(0, "446"), (1, "446"), (2, "1024"), (3, "1024")] {
        arm.file(&format!("{CPUS}/cpu{cpu}/cpu_capacity"), capacity);
    }
    let kinds = discover(&arm).cpu.kinds;
    assert_eq!(kinds.len(), 2);
    assert_eq!((kinds[0].capacity, &kinds[0].cpus), (Some(1024), &set("2-3")));
    assert_eq!((kinds[1].capacity, &kinds[1].cpus), (Some(446), &set("0-1")));

    let hybrid = Machine::new();
    hybrid.file(&format!("{CPUS}/online"), "0-3\n");
    for (name, cpus) in [("cpu_core", "0-1\n"), ("cpu_atom", "2-3\n")] {
        hybrid.file(&format!("/sys/bus/event_source/devices/{name}/cpus"), cpus);
    }
    // Favoured cores of one kind reach more; that makes no third kind.
    for (cpu, khz) in [(0, "5000000"), (1, "5200000"), (2, "3900000"), (3, "3900000")] {
        hybrid.file(&format!("{CPUS}/cpu{cpu}/cpufreq/cpuinfo_max_freq"), khz);
    }
    let kinds = discover(&hybrid).cpu.kinds;
    assert_eq!(kinds.len(), 2);
    assert_eq!(
        (kinds[0].counters.as_deref(), kinds[0].max_khz),
        (Some("cpu_core"), Some(5_200_000))
    );
    assert_eq!((kinds[1].counters.as_deref(), &kinds[1].cpus), (Some("cpu_atom"), &set("2-3")));
}

#[test]
fn caches_know_who_is_behind_each() {
    let machine = Machine::new();
    machine.file(&format!("{CPUS}/online"), "0-3\n");
    for (cpu, shared) in [(0, "0-1"), (1, "0-1"), (2, "2-3"), (3, "2-3")] {
        let l2 = format!("{CPUS}/cpu{cpu}/cache/index2");
        machine.files(&l2, &[("level", "2"), ("type", "Unified"), ("size", "1024K")]);
        machine.file(&format!("{l2}/shared_cpu_list"), shared);
    }
    let caches = discover(&machine).caches;
    assert_eq!((caches.len(), caches[0].instances, caches[0].size_bytes), (1, 2, 1 << 20));
    assert_eq!(caches[0].cpus, [set("0-1"), set("2-3")]);
}

/// Node 0 has processors, 1 neither, 2 memory alone, reached by an accelerator at 1 and by the processors at 0.
fn memory_only(machine: &Machine) {
    machine.file(&format!("{CPUS}/online"), "0-1\n").file(&format!("{NODES}/online"), "0-2\n");
    for (node, cpus, kib) in [(0, "0-1\n", 64), (1, "\n", 0), (2, "\n", 128)] {
        let folder = format!("{NODES}/node{node}");
        machine.file(&format!("{folder}/cpulist"), cpus);
        machine.file(&format!("{folder}/meminfo"), format!("Node {node} MemTotal: {kib} kB\n"));
    }
    for (class, initiator, bandwidth) in [(0, 1, "4096"), (1, 0, "1024")] {
        let folder = format!("{NODES}/node2/access{class}/initiators");
        machine
            .folder(&format!("{folder}/node{initiator}"))
            .files(&folder, &[("read_bandwidth", bandwidth), ("write_bandwidth", "0")])
            .files(&folder, &[("read_latency", "80"), ("write_latency", "")]);
    }
    machine.files(
        &format!("{NODES}/node2/memory_side_cache/index1"),
        &[("size", "4096"), ("line_size", "64"), ("indexing", "0"), ("write_policy", "1")],
    );
    machine.file("/sys/bus/dax/devices/dax3.0/target_node", "2\n");
}

#[test]
fn memory_without_processors_knows_the_nearest_its_cache_and_its_device() {
    let machine = Machine::new();
    memory_only(&machine);
    let platform = discover(&machine);
    assert_eq!(platform.empty_nodes, set("1"));
    let ids: Vec<u32> = platform.nodes.iter().map(|node| node.id).collect();
    assert_eq!(ids, [0, 2]);
    let node = &platform.nodes[1];
    assert_eq!((&node.nearest_cpus, node.device.as_deref()), (&set("0-1"), Some("dax3.0")));
    // What the firmware gives as 0 is not known.
    let way = NodeAccess {
        class: 1,
        initiators: set("0"),
        read_bytes_per_s: Some(1 << 30),
        write_bytes_per_s: None,
        read_latency_ns: Some(80),
        write_latency_ns: None,
    };
    assert_eq!(node.access[1], way);
    assert_eq!((node.access[0].class, &node.access[0].initiators), (0, &set("1")));
    let cache = &node.memory_caches[0];
    assert_eq!((cache.level, cache.size_bytes, cache.line_bytes), (1, Some(4096), Some(64)));
    assert_eq!(cache.indexing.as_deref(), Some("direct-mapped"));
    assert_eq!(cache.write_policy.as_deref(), Some("write-through"));
}

#[test]
fn memory_of_an_accelerator_is_near_the_processors_of_its_slot() {
    let machine = Machine::new();
    machine.file(&format!("{CPUS}/online"), "0-3\n").file(&format!("{NODES}/online"), "0,255\n");
    for (node, cpus) in [(0, "0-3\n"), (255, "\n")] {
        machine.file(&format!("{NODES}/node{node}/cpulist"), cpus);
        machine.file(&format!("{NODES}/node{node}/meminfo"), "Node X MemTotal: 64 kB\n");
    }
    machine
        .file("/proc/driver/nvidia/gpus/0004:05:00.0/numa_status", "Node: 255\nStatus: online\n")
        .file("/sys/bus/pci/devices/0004:05:00.0/local_cpus", "0000000c\n");
    let node = &discover(&machine).nodes[1];
    assert_eq!(
        (&node.nearest_cpus, node.device.as_deref()),
        (&set("2-3"), Some("gpu 0004:05:00.0"))
    );
}

#[test]
fn a_cpuset_of_the_first_version_limits_processors_and_nodes() {
    let machine = Machine::new();
    machine
        .file(&format!("{CPUS}/online"), "0-7\n")
        .file("/proc/self/cpuset", "/jobs/7\n")
        .file("/proc/mounts", "cpuset /dev/cpuset cgroup rw,cpuset,noprefix 0 0\n")
        .file("/dev/cpuset/jobs/7/cpus", "2-3\n")
        // Its own set of nodes is empty: that of the group above holds.
        .file("/dev/cpuset/jobs/7/mems", "\n")
        .file("/dev/cpuset/jobs/mems", "0-1\n");
    let platform = discover(&machine);
    assert_eq!(platform.cpu.allowed, [2, 3]);
    assert_eq!(platform.allowed_nodes, set("0-1"));
}

#[test]
fn what_can_not_be_read_is_told_with_its_reason() {
    let machine = Machine::new();
    machine
        .link(&format!("{CPUS}/online"), "online")
        .file("/proc/meminfo", vec![b' '; (16 << 20) + 1])
        .file("/proc/stat", "cpu 1\ncpu0 1\ncpu4294967295 1\n");
    let platform = discover(&machine);
    assert_eq!(platform.cpu.online, [0]);
    assert!(needs(&platform, "/sys/devices/system/cpu/online").contains("circle"));
    assert!(needs(&platform, "/proc/meminfo").contains("larger than 16 MiB"));
}

/// Nodes that count this much, kB, on a machine with 1000 kB of which 900 are free.
fn nodes_that_count(kib: &[u64], possible: usize) -> Platform {
    let machine = Machine::new();
    machine.file("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 900 kB\n");
    machine.file(&format!("{NODES}/online"), format!("0-{}\n", kib.len() - 1));
    machine.file(&format!("{NODES}/possible"), format!("0-{}\n", possible - 1));
    for (node, kib) in kib.iter().enumerate() {
        let text = format!("Node {node} MemTotal: {kib} kB\nNode {node} MemFree: 400 kB\n");
        machine.file(&format!("{NODES}/node{node}/meminfo"), text);
        machine.file(&format!("{NODES}/node{node}/cpulist"), format!("{node}\n"));
    }
    machine.file(&format!("{CPUS}/online"), format!("0-{}\n", kib.len() - 1));
    discover(&machine)
}

#[test]
fn a_lone_node_has_all_memory_though_its_kernel_counts_less() {
    let node = nodes_that_count(&[500], 1).nodes.remove(0);
    assert_eq!(
        (node.memory_bytes, node.free_bytes, node.counted_bytes),
        (1000 << 10, Some(900 << 10), Some(500 << 10))
    );
    // What the kernel took at its start isn't missing.
    let node = nodes_that_count(&[960], 1).nodes.remove(0);
    assert_eq!(
        (node.memory_bytes, node.free_bytes, node.counted_bytes),
        (960 << 10, Some(400 << 10), None)
    );
}

#[test]
fn of_several_nodes_it_is_not_known_whose_the_rest_is() {
    let platform = nodes_that_count(&[300, 200], 2);
    assert_eq!(platform.nodes[0].memory_bytes, 300 << 10);
    assert!(platform.nodes.iter().all(|node| node.counted_bytes.is_none()));
    needs(&platform, "the nodes of");
    // Another node may be off-line.
    let alone = nodes_that_count(&[500], 2);
    assert_eq!(alone.nodes[0].memory_bytes, 500 << 10);
    needs(&alone, "the nodes of");
    let whole = nodes_that_count(&[500, 490], 2);
    assert!(whole.unknown.iter().all(|unknown| !unknown.what.contains("the nodes of")));
}
