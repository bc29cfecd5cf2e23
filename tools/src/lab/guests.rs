//! The guests: each shows some parts of discovery on a machine that nobody here has.

use super::guest::{
    Array, Bound, Cpus, DataFolder, Ethernet, Fires, Guest, LaidPool, Link, MemoryAccess, Node,
    Nvme, Persistent, Port, Scsi, SideCache, Used, VirtioDisk,
};

/// All of them.
pub fn all() -> Vec<Guest> {
    vec![
        two_sockets(),
        asymmetric(),
        memory_tiers(),
        dies_and_threads(),
        lying_nodes(),
        links(),
        far_drive(),
        two_ways(),
        borrowed_disks(),
        broken_mirror(),
        persistent_memory(),
    ]
}

/// One socket with two cores and one node; the others say what they have more.
fn plain(name: &'static str, about: &'static str) -> Guest {
    Guest {
        name,
        about,
        says_hypervisor: true,
        clock: "tsc",
        cpus: Cpus::flat(1, 2),
        nodes: vec![node((0, 1), 1024)],
        distances: Vec::new(),
        ports: Vec::new(),
        nvme: Vec::new(),
        ethernet: Vec::new(),
        virtio_disks: Vec::new(),
        scsi: None,
        array: None,
        persistent: Vec::new(),
        data: None,
        rules: Vec::new(),
        bound: None,
        pool: None,
    }
}

fn fires(rule: &'static str, disks_mib: &[u32]) -> Fires {
    Fires { rule, disks_mib: disks_mib.to_vec() }
}

fn node(cpus: (u32, u32), memory_mib: u32) -> Node {
    Node { cpus: Some(cpus), memory_mib, ..Node::default() }
}

fn two_sockets() -> Guest {
    Guest {
        clock: "hpet",
        cpus: Cpus::flat(2, 4),
        nodes: vec![node((0, 1), 640), node((2, 3), 512), node((4, 5), 384), node((6, 7), 256)],
        distances: vec![
            vec![10, 12, 32, 32],
            vec![12, 10, 32, 32],
            vec![32, 32, 10, 12],
            vec![32, 32, 12, 10],
        ],
        rules: vec![fires("clock-source-slow", &[])],
        ..plain("two-sockets", "two sockets of two nodes each, distances, a slow clock")
    }
}

fn asymmetric() -> Guest {
    Guest {
        cpus: Cpus { offline: vec![1], ..Cpus::flat(2, 3) },
        nodes: vec![
            node((0, 2), 640),
            node((3, 4), 512),
            node((5, 5), 0),
            Node { memory_mib: 256, ..Node::default() },
        ],
        distances: vec![
            vec![10, 21, 25, 41],
            vec![22, 10, 33, 34],
            vec![26, 32, 10, 51],
            vec![42, 35, 52, 10],
        ],
        ..plain(
            "asymmetric",
            "four nodes, one way farther than back; one without memory, one without CPUs; a CPU off-line",
        )
    }
}

fn memory_tiers() -> Guest {
    let way = |from, latency_ns, gib_per_s| Some(MemoryAccess { from, latency_ns, gib_per_s });
    Guest {
        cpus: Cpus::flat(2, 2),
        nodes: vec![
            Node { way: way(0, 90, 100), ..node((0, 1), 640) },
            Node { way: way(1, 80, 110), ..node((2, 3), 512) },
            Node {
                memory_mib: 384,
                way: way(1, 250, 30),
                cache: Some(SideCache { mib: 128, line_bytes: 64 }),
                cpus: None,
            },
        ],
        distances: vec![vec![10, 21, 31], vec![21, 10, 17], vec![31, 17, 10]],
        pool: Some(LaidPool { node: 1, mib: 48 }),
        ..plain(
            "memory-tiers",
            "HMAT: latency and bandwidth of each node, one of memory only behind a memory-side cache",
        )
    }
}

fn dies_and_threads() -> Guest {
    Guest {
        cpus: Cpus {
            sockets: 2,
            dies: 2,
            cores: 2,
            threads: 2,
            empty_places: 0,
            offline: vec![9, 14, 15],
        },
        nodes: vec![node((0, 7), 640), node((8, 15), 512)],
        ..plain(
            "dies-and-threads",
            "two sockets of two dies of two cores of two threads; a thread and a whole core off-line",
        )
    }
}

fn lying_nodes() -> Guest {
    let node = |cpu| node((cpu, cpu), 192);
    Guest {
        cpus: Cpus { empty_places: 2, ..Cpus::flat(9, 1) },
        nodes: (0..9).map(node).collect(),
        distances: (0..9)
            .map(|from| (0..9).map(|to| if from == to { 10 } else { 20 }).collect())
            .collect(),
        rules: vec![fires("numa-nodes-contradict", &[])],
        ..plain("lying-nodes", "nine sockets, all equally far; places for two more are empty")
    }
}

fn links() -> Guest {
    let port = |gts, lanes, switch| Port { node: None, link: Link { gts, lanes }, switch };
    let drive =
        |port, mib| Nvme { ports: vec![port], queues: 8, namespaces_mib: vec![mib], claims: None };
    let fast = Some(Link { gts: "16", lanes: 4 });
    Guest {
        says_hypervisor: false,
        ports: vec![
            port("16", 4, false),
            port("16", 4, false),
            port("2_5", 1, false),
            port("8", 8, true),
            port("5", 2, true),
        ],
        nvme: vec![
            drive(0, 64),
            Nvme { claims: fast, ..drive(1, 72) },
            Nvme { claims: fast, ..drive(2, 80) },
            drive(3, 88),
            drive(3, 96),
            drive(4, 104),
        ],
        data: Some(DataFolder::Disk { mib: 72 }),
        rules: vec![
            fires("pcie-link-below-its-ends", &[72]),
            fires("slot-below-device", &[80]),
            fires("pcie-link-overbooked", &[88, 96]),
        ],
        ..plain(
            "links",
            "no hypervisor told; drives slower than their port, below both ends, in a slow slot, two behind one switch",
        )
    }
}

fn far_drive() -> Guest {
    let port = |node| Port { node, link: Link { gts: "16", lanes: 4 }, switch: false };
    Guest {
        says_hypervisor: false,
        cpus: Cpus::flat(2, 2),
        nodes: vec![node((0, 1), 640), node((2, 3), 512)],
        distances: vec![vec![10, 21], vec![21, 10]],
        ports: vec![port(Some(1)), port(Some(0)), port(Some(1))],
        nvme: vec![
            Nvme { ports: vec![0], queues: 3, namespaces_mib: vec![64], claims: None },
            Nvme { ports: vec![1], queues: 8, namespaces_mib: vec![72], claims: None },
        ],
        ethernet: vec![Ethernet { port: 2 }],
        data: Some(DataFolder::Disk { mib: 64 }),
        rules: vec![fires("queues-fewer-than-cpus", &[64])],
        bound: Some(Bound {
            node: 0,
            rules: vec![
                fires("device-far-from-cpus", &[64]),
                fires("queues-fewer-than-cpus", &[64]),
            ],
        }),
        ..plain(
            "far-drive",
            "two NVMe drives and a network's port on nodes of their own; then the process is bound to the other node",
        )
    }
}

fn two_ways() -> Guest {
    let port = |node| Port { node, link: Link { gts: "8", lanes: 4 }, switch: false };
    Guest {
        cpus: Cpus::flat(2, 1),
        nodes: vec![node((0, 0), 640), node((1, 1), 512)],
        distances: vec![vec![10, 21], vec![21, 10]],
        ports: vec![port(Some(0)), port(Some(1)), port(None)],
        nvme: vec![
            Nvme { ports: vec![0, 1], queues: 4, namespaces_mib: vec![64], claims: None },
            Nvme { ports: vec![2], queues: 4, namespaces_mib: vec![72, 80, 88], claims: None },
        ],
        data: Some(DataFolder::Disk { mib: 64 }),
        ..plain(
            "two-ways",
            "an NVMe drive with a controller at each node, and one with three namespaces",
        )
    }
}

fn borrowed_disks() -> Guest {
    Guest {
        virtio_disks: vec![VirtioDisk { mib: 64, queues: 1 }, VirtioDisk { mib: 72, queues: 2 }],
        scsi: Some(Scsi { queues: 2, disks_mib: vec![80, 88] }),
        array: Some(Array {
            level: "raid10",
            chunk_kib: 64,
            members_mib: vec![64, 72, 80, 88],
            missing: 0,
        }),
        data: Some(DataFolder::Array),
        rules: vec![fires("queues-fewer-than-cpus", &[64])],
        ..plain("borrowed-disks", "virtio-blk and virtio-scsi disks in a software RAID 10")
    }
}

fn broken_mirror() -> Guest {
    Guest {
        virtio_disks: vec![VirtioDisk { mib: 64, queues: 2 }, VirtioDisk { mib: 72, queues: 2 }],
        array: Some(Array { level: "raid1", chunk_kib: 0, members_mib: vec![72], missing: 1 }),
        data: Some(DataFolder::Array),
        rules: vec![fires("array-degraded", &[])],
        ..plain("broken-mirror", "a software mirror that lacks a disk")
    }
}

fn persistent_memory() -> Guest {
    Guest {
        nodes: vec![node((0, 1), 1024), Node::default(), Node::default()],
        distances: vec![vec![10, 17, 28], vec![17, 10, 28], vec![28, 28, 10]],
        persistent: vec![
            Persistent { mib: 256, node: 1, used: Used::AsDrive },
            Persistent { mib: 512, node: 2, used: Used::AsMemory },
        ],
        data: Some(DataFolder::Disk { mib: 256 }),
        ..plain(
            "persistent-memory",
            "an NVDIMM as a drive, one given to the kernel as memory: node 2 without a node 1",
        )
    }
}
