//! Processors, nodes, memory and running databases on machines made of files.

use std::path::Path;

use crate::made::machine::Machine;
use narrows_model::Role;

const NODES: &str = "/sys/devices/system/node";
const CPUS: &str = "/sys/devices/system/cpu";

#[test]
fn sparse_nodes_of_memory_only_and_processors_only() {
    let machine = Machine::new();
    machine
        .file(&format!("{CPUS}/online"), "0-3\n")
        .file(&format!("{NODES}/online"), "0,2,8,250\n")
        .files(&format!("{NODES}/node0"), &[("cpulist", "0-1\n"), ("distance", "10 20 30 40\n")])
        .file(&format!("{NODES}/node0/meminfo"), "Node 0 MemTotal: 64 kB\nNode 0 MemFree: 8 kB\n")
        .files(&format!("{NODES}/node2"), &[("cpulist", "\n"), ("distance", "20 10 30 40\n")])
        .file(&format!("{NODES}/node2/meminfo"), "Node 2 MemTotal: 0 kB\n")
        .files(&format!("{NODES}/node8"), &[("cpulist", "2-3\n"), ("distance", "30 20 10 40\n")])
        .file(&format!("{NODES}/node8/meminfo"), "Node 8 MemTotal: 0 kB\n")
        .files(&format!("{NODES}/node250"), &[("cpulist", "\n"), ("distance", "40 20 30 10\n")])
        .file(&format!("{NODES}/node250/meminfo"), "Node 250 MemTotal: 32 kB\n");
    let nodes = narrows_platform::discover(&machine.tree(), &[]).nodes;
    // Node 2 has neither, and takes its column of distances with it.
    let ids: Vec<u32> = nodes.iter().map(|node| node.id).collect();
    assert_eq!(ids, [0, 8, 250]);
    assert_eq!((nodes[0].memory_bytes, nodes[0].free_bytes), (65536, Some(8192)));
    assert_eq!((nodes[1].cpus.as_slice(), nodes[1].memory_bytes), ([2, 3].as_slice(), 0));
    assert_eq!((nodes[2].cpus.len(), nodes[2].memory_bytes), (0, 32768));
    assert_eq!(nodes[1].distances, [30, 10, 40]);
}

#[test]
fn processor_0_and_node_0_off_line() {
    let machine = Machine::new();
    machine
        .file(&format!("{CPUS}/online"), "1-3\n")
        .file("/proc/self/status", "Name:\tx\nCpus_allowed_list:\t0-2\n")
        .file(&format!("{NODES}/online"), "1\n")
        .files(&format!("{NODES}/node1"), &[("cpulist", "0-3\n"), ("distance", "21 10\n")]);
    for (cpu, siblings) in [(1, "1,3"), (2, "0,2"), (3, "1,3")] {
        let topology = format!("{CPUS}/cpu{cpu}/topology");
        machine
            .files(&topology, &[("thread_siblings_list", siblings), ("core_siblings_list", "1-3")]);
    }
    let platform = narrows_platform::discover(&machine.tree(), &[]);
    let cpu = &platform.cpu;
    assert_eq!((cpu.sockets, cpu.cores, cpu.threads), (1, 2, 3));
    assert_eq!(cpu.cores_threads, [vec![1, 3], vec![2]]);
    assert_eq!((cpu.allowed.as_slice(), cpu.smt_active), ([1, 2].as_slice(), Some(true)));
    assert_eq!(platform.nodes[0].cpus, [1, 2, 3]);
    assert_eq!(platform.nodes[0].distances, [10]);
}

#[test]
fn nodes_that_share_processors_are_not_believed() {
    let machine = Machine::new();
    machine
        .file(&format!("{CPUS}/online"), "0-1\n")
        .file("/proc/meminfo", "MemTotal: 100 kB\n")
        .file(&format!("{NODES}/online"), "0-1\n")
        .file(&format!("{NODES}/node0/cpulist"), "0-1\n")
        .file(&format!("{NODES}/node1/cpulist"), "1\n");
    let platform = narrows_platform::discover(&machine.tree(), &[]);
    assert_eq!(platform.nodes.len(), 1);
    assert_eq!((platform.nodes[0].memory_bytes, platform.nodes[0].cpus.len()), (102_400, 2));
    assert!(platform.unknown.iter().any(|unknown| unknown.what == "NUMA layout"));
}

#[test]
fn memory_modules_from_the_udev_database() {
    let machine = Machine::new();
    let text = "I:1\nE:MEMORY_ARRAY_NUM_DEVICES=2\n\
        E:MEMORY_DEVICE_0_SIZE=17179869184\nE:MEMORY_DEVICE_0_LOCATOR=A1\nE:MEMORY_DEVICE_0_TYPE=DDR5\n\
        E:MEMORY_DEVICE_0_SPEED_MTS=5600\nE:MEMORY_DEVICE_0_CONFIGURED_SPEED_MTS=4800\n\
        E:MEMORY_DEVICE_1_PRESENT=0\nE:MEMORY_DEVICE_1_LOCATOR=B1\nE:MEMORY_DEVICE_1_TYPE=Unknown\n";
    machine.file("/run/udev/data/+dmi:id", text);
    let platform = narrows_platform::discover(&machine.tree(), &[]);
    let dimms = platform.memory.dimms.unwrap();
    assert_eq!(dimms.len(), 2);
    assert_eq!((dimms[0].size_bytes, dimms[0].configured_mts), (Some(16 << 30), Some(4800)));
    assert_eq!((dimms[0].rated_mts, dimms[0].kind.as_deref()), (Some(5600), Some("DDR5")));
    assert_eq!(dimms[1].locator.as_deref(), Some("B1"));
    assert_eq!((dimms[1].size_bytes, &dimms[1].kind), (None, &None));
    assert!(!platform.unknown.iter().any(|unknown| unknown.what.contains("memory modules")));
}

#[test]
fn the_machine_itself() {
    let machine = Machine::new();
    machine
        .file(
            "/proc/cpuinfo",
            "processor : 0\nmodel name : X\nflags : fpu constant_tsc hypervisor\n",
        )
        .files("/sys/class/dmi/id", &[("sys_vendor", "QEMU\n"), ("product_name", "Standard PC\n")])
        .file("/proc/version", "Linux version 5.4.0-1 (x) #1\n")
        .file("/etc/os-release", "ID=x\nPRETTY_NAME=\"Some Linux 9\"\n")
        .file("/proc/loadavg", "1.25 0.5 0.1 1/200 4242\n")
        .file("/run/.containerenv", "engine=\"podman-4.9\"\n")
        .file("/proc/sys/kernel/perf_event_paranoid", "2\n")
        .files(
            "/sys/kernel/mm/hugepages/hugepages-2048kB",
            &[("nr_hugepages", "8"), ("free_hugepages", "3")],
        )
        .file("/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n");
    let platform = narrows_platform::discover(&machine.tree(), &[]);
    assert_eq!(platform.hypervisor.as_deref(), Some("QEMU"));
    assert_eq!(platform.product.as_deref(), Some("QEMU Standard PC"));
    assert_eq!(platform.kernel.as_deref(), Some("5.4.0-1"));
    assert_eq!(platform.os.as_deref(), Some("Some Linux 9"));
    assert_eq!((platform.load_1m, platform.container.as_deref()), (Some(1.25), Some("podman")));
    assert_eq!(platform.cpu.invariant_tsc, Some(false));
    let pool = &platform.memory.huge_pages[0];
    assert_eq!((pool.page_bytes, pool.total, pool.free), (2 << 20, 8, 3));
    assert_eq!(platform.memory.transparent_huge_pages.as_deref(), Some("never"));
    let counters = platform.unknown.iter().find(|u| u.what.contains("hardware counters")).unwrap();
    assert!(counters.needs.contains("hypervisor"), "{counters:?}");
}

#[test]
fn a_balloon_that_hears_of_free_pages_is_noticed() {
    let reports = |machine: &Machine| {
        narrows_platform::discover(&machine.tree(), &[]).memory.free_page_reporting
    };
    assert_eq!(reports(&Machine::new()), None);

    const ORDER: &str = "/sys/module/page_reporting/parameters/page_reporting_order";
    for (order, expected) in [("9\n", true), ("4294967295\n", false), ("0\n", false)] {
        let machine = Machine::new();
        machine.file(ORDER, order);
        assert_eq!(reports(&machine), Some(expected), "{order}");
    }
    // Kernels without that parameter: the balloon's own features, lowest bit first.
    for (kind, features, expected) in
        [("0x0005", "011001", true), ("0x0005", "011000", false), ("0x0002", "011001", false)]
    {
        let machine = Machine::new();
        machine.files(
            "/sys/bus/virtio/devices/virtio0",
            &[("device", &format!("{kind}\n")), ("features", &format!("{features}\n"))],
        );
        assert_eq!(reports(&machine), Some(expected), "{kind} {features}");
    }
}

#[test]
fn a_container_mark_in_an_image_that_boots_by_itself_is_not_a_container() {
    let mark = |root: &str, namespace: &str| {
        let machine = Machine::new();
        machine
            .file("/.dockerenv", "")
            .link("/proc/self/ns/pid", namespace)
            .file("/proc/self/mountinfo", format!("25 1 {root} rw\n"));
        narrows_platform::discover(&machine.tree(), &[]).container
    };
    let (disk, overlay) = ("254:0 / / rw - ext4 /dev/vda", "0:40 / / rw - overlay overlay");
    assert_eq!(mark(disk, "pid:[4026531836]"), None);
    assert_eq!(mark(disk, "pid:[4026532411]").as_deref(), Some("docker"));
    assert_eq!(mark(overlay, "pid:[4026531836]").as_deref(), Some("docker"));
}

fn process(machine: &Machine, pid: u32, parent: u32, name: &str, line: &[&str], mounts: &str) {
    let folder = format!("/proc/{pid}");
    machine.files(
        &folder,
        &[
            ("comm", &format!("{name}\n")),
            ("stat", &format!("{pid} ({name}) S {parent} 1 1 0")),
            ("cmdline", &line.join("\0")),
            ("mountinfo", mounts),
        ],
    );
}

#[test]
fn servers_are_found_once_and_followed_to_their_drives() {
    let machine = Machine::new();
    let mounts = "25 1 8:0 / / rw - ext4 /dev/sda rw\n26 25 8:16 / /db rw - xfs /dev/sdb rw\n";
    let inside = "90 80 8:16 /volumes/1 /var/lib rw - xfs /dev/sdb rw\n";
    machine
        .file("/proc/self/mountinfo", mounts)
        .device("/sys/devices/x/sda", "8:0", 8)
        .device("/sys/devices/x/sdb", "8:16", 8)
        .folder("/var/lib/pg/pg_tblspc")
        .folder("/db/space")
        .folder("/srv")
        .link("/var/lib/pg2/pg_wal", "/db/space");
    process(&machine, 100, 1, "postgres", &["/usr/bin/postgres", "-D", "/var/lib/pg"], mounts);
    process(&machine, 101, 100, "postgres", &["postgres: checkpointer "], mounts);
    process(&machine, 200, 1, "postgres", &["/usr/bin/postgres", "-D/var/lib/pg2"], mounts);
    process(&machine, 300, 1, "mysqld", &["mysqld", "--datadir=/var/lib/mysql"], inside);
    process(&machine, 400, 1, "ora_pmon_ORCL", &["ora_pmon_ORCL"], mounts);
    process(&machine, 500, 1, "mysqld_safe", &["sh"], mounts);
    // Ended, and not yet collected by its parent: its command line is empty.
    process(&machine, 600, 1, "postgres", &[], mounts);
    machine.file("/proc/600/stat", "600 (postgres) Z 1 1 1 0");
    let roles = [(Role::Data, Path::new("/db")), (Role::Wal, Path::new("/srv"))];
    let platform = narrows_platform::discover(&machine.tree(), &roles);
    let found: Vec<(&str, u32, Option<&str>, &[Role])> = platform
        .databases
        .iter()
        .map(|db| (db.kind.as_str(), db.pid, db.data_dir.as_deref(), db.shares_role.as_slice()))
        .collect();
    assert_eq!(
        found,
        [
            ("postgresql", 100, Some("/var/lib/pg"), [Role::Wal].as_slice()),
            // Its log is on the drive of our data.
            ("postgresql", 200, Some("/var/lib/pg2"), [Role::Data, Role::Wal].as_slice()),
            // In a container: the same path means another drive.
            ("mysql", 300, Some("/var/lib/mysql"), [Role::Data].as_slice()),
            ("oracle", 400, None, [].as_slice()),
        ]
    );
    let oracle = platform.unknown.iter().filter(|unknown| unknown.what.contains("oracle"));
    assert_eq!(oracle.count(), 1);
}
