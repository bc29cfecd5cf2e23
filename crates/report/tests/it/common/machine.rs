//! The invented machine: two sockets, one with empty slots, four mirrored drives.

use narrows_model::*;

pub fn platform() -> Platform {
    let gib = 1u64 << 30;
    let dimm = |slot: &str, full: bool| Dimm {
        locator: Some(slot.into()),
        size_bytes: full.then_some(32 * gib),
        kind: full.then(|| "DDR5".into()),
        rated_mts: full.then_some(4800),
        configured_mts: full.then_some(4800),
    };
    let slots = ["A1", "B1", "C1", "D1", "G1", "H1", "I1", "J1", "K1", "L1"];
    let threads: Vec<u32> = (0..128).collect();
    Platform {
        hostname: Some("db7".into()),
        kernel: Some("6.8.0-45-generic".into()),
        os: Some("Debian GNU/Linux 13".into()),
        architecture: Some("x86_64".into()),
        product: Some("Invented R2".into()),
        cpu: Cpu {
            model: Some("AMD EPYC 9354 32-Core Processor".into()),
            sockets: 2,
            cores: 64,
            threads: 128,
            smt_active: Some(true),
            online: threads.clone(),
            allowed: threads.clone(),
            cores_threads: (0..64).map(|c| vec![c, c + 64]).collect(),
            governor: Some("performance".into()),
            max_khz: Some(3_800_000),
            invariant_tsc: Some(true),
            mitigations: vec!["spectre_v2: Enhanced IBRS".into()],
            ..Cpu::default()
        },
        caches: vec![Cache {
            level: 3,
            kind: "Unified".into(),
            size_bytes: 32 << 20,
            line_bytes: Some(64),
            instances: 16,
            ..Cache::default()
        }],
        nodes: (0..2)
            .map(|id| NumaNode {
                id,
                cpus: threads.iter().copied().filter(|t| t % 64 / 32 == id).collect(),
                memory_bytes: 352_000_000_000,
                free_bytes: Some(330_000_000_000),
                distances: if id == 0 { vec![10, 32] } else { vec![32, 10] },
                ..NumaNode::default()
            })
            .collect(),
        memory: Memory {
            total_bytes: 704_000_000_000,
            available_bytes: Some(690_000_000_000),
            dimms: Some(slots.iter().map(|s| dimm(s, !matches!(*s, "K1" | "L1"))).collect()),
            transparent_huge_pages: Some("madvise".into()),
            numa_balancing: Some(true),
            free_page_reporting: None,
            ..Memory::default()
        },
        clock_source: Some("tsc".into()),
        clock_sources_available: vec!["tsc".into(), "hpet".into()],
        io_uring_disabled: Some(0),
        perf_event_paranoid: Some(3),
        roles: vec![role(Role::Data), role(Role::Wal)],
        load_1m: Some(0.7),
        unknown: [
            ("memory traffic per op", "perf refused"),
            ("wear of the drives", "root"),
            ("firmware write cache", "root"),
        ]
        .map(|(what, needs)| Unknown { what: what.into(), needs: needs.into() })
        .into(),
        ..Platform::default()
    }
}

fn role(role: Role) -> RolePath {
    let drive = |i: u32| BlockDevice {
        name: format!("nvme{i}n1"),
        number: format!("259:{i}"),
        kind: DeviceKind::Disk,
        level: None,
        model: Some("PM9A3".into()),
        transport: Some("nvme (pcie)".into()),
        size_bytes: Some(7_681_501_126_656),
        slaves: Vec::new(),
        queue: Some(Queue {
            scheduler: Some("none".into()),
            nr_requests: Some(1023),
            hardware_queues: Some(32),
            logical_block_bytes: Some(512),
            ..Queue::default()
        }),
        numa_node: Some(1),
        pcie: vec![PcieLink {
            address: format!("0000:{:02x}:00.0", 0xc1 + i),
            current_gts: Some(16.0),
            current_width: Some(4),
            max_gts: Some(16.0),
            max_width: Some(4),
            flit_mode: None,
        }],
    };
    let mut devices = vec![BlockDevice {
        name: "md0".into(),
        number: "9:0".into(),
        kind: DeviceKind::Raid,
        level: Some("raid10".into()),
        model: None,
        transport: None,
        size_bytes: Some(15_360_000_000_000),
        slaves: (0..4).map(|i| format!("nvme{i}n1")).collect(),
        queue: None,
        numa_node: None,
        pcie: Vec::new(),
    }];
    devices.extend((0..4).map(drive));
    RolePath {
        role,
        path: "/data".into(),
        file_system: FileSystem {
            kind: "xfs".into(),
            mount_point: "/data".into(),
            source: "/dev/md0".into(),
            options: vec!["rw".into(), "noatime".into()],
            total_bytes: Some(15_360_000_000_000),
            free_bytes: Some(14_000_000_000_000),
            ..FileSystem::default()
        },
        devices,
    }
}
