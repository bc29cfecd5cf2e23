//! Each rule about a machine's structure on a machine on which it fires and on one, nearly the same, on which it stays
//! silent.

use std::collections::BTreeSet;

use narrows_model::{
    BlockDevice, DeviceKind, Devices, Dimm, Drive, DrivePath, Interrupts, MapperDevice, MdArray,
    NetworkPort, NumaNode, NvmeController, NvmeFabric, NvmeNamespace, NvmePath, NvmeSubsystem,
    PciDevice, PciKind, PcieLink, Platform, RdmaPort, Role, RolePath, Severity, Unknown,
};
use narrows_validity::{About, check_machine, rules};

struct Pair {
    rule: &'static str,
    fires: fn(&mut Platform),
    silent: fn(&mut Platform),
    /// What the evidence names.
    evidence: &'static [&'static str],
}

const DRIVE: &str = "0000:41:00.0";
const CARD: &str = "0000:42:00.0";
const SWITCH: &str = "0000:43:00.0";

#[rustfmt::skip]
const PAIRS: &[Pair] = &[
    Pair { rule: "pcie-link-below-its-ends",
        fires: |p| link(p, DRIVE).current_width = Some(2),
        // The port could do no more.
        silent: |p| { for end in [DRIVE, "0000:40:01.0"] { link(p, end).current_gts = Some(8.0) } link(p, "0000:40:01.0").max_gts = Some(8.0) },
        evidence: &["0000:41:00.0 NVMe nvme0n1: 16 GT/s x2, both ends support 16 GT/s x4", "fewer lanes"] },
    Pair { rule: "slot-below-device",
        fires: |p| link(p, "0000:40:01.0").max_gts = Some(8.0),
        silent: |p| link(p, "0000:40:01.0").max_gts = Some(32.0),
        evidence: &["it supports 16 GT/s x4, its port 8 GT/s x4"] },
    Pair { rule: "pcie-link-overbooked",
        fires: |p| ports(p, 130),
        silent: |p| ports(p, 120),
        evidence: &["ens1, ens2 could move 32.5 GB/s, the link carries 31.5 GB/s"] },
    Pair { rule: "memory-channels-empty",
        fires: |p| dimm(p, 2).size_bytes = None,
        // Slots whose labels don't tell a channel.
        silent: |p| { for slot in 0..4 { dimm(p, slot).locator = Some(format!("DIMM {slot}")) } dimm(p, 2).size_bytes = None },
        evidence: &["socket 1: 1 of 2 channels empty: A"] },
    Pair { rule: "memory-uneven",
        fires: |p| dimm(p, 3).size_bytes = Some(16 << 30),
        // A hypervisor's modules are made up.
        silent: |p| { dimm(p, 3).size_bytes = Some(16 << 30); p.hypervisor = Some("KVM".into()) },
        evidence: &["socket 1: channel A 32 GiB, channel B 16 GiB", "socket 0 64 GiB, socket 1 48 GiB"] },
    Pair { rule: "queues-fewer-than-cpus",
        fires: |p| p.devices.nvme_controllers[0].queues = Some(3),
        silent: |p| { p.devices.nvme_controllers[0].queues = None; p.devices.drives[0].queues = Some(1) },
        evidence: &["nvme0: 3 queues for 4 CPUs"] },
    Pair { rule: "one-cpu-serves-interrupts",
        fires: |p| interrupts(p, "2", 100_000),
        silent: |p| interrupts(p, "2", 99_999),
        evidence: &["0000:41:00.0 NVMe nvme0n1: CPU 2 serves 4 busy vectors, 100000 interrupts"] },
    Pair { rule: "device-far-from-cpus",
        fires: |p| p.cpu.allowed = vec![0, 1],
        silent: |p| p.cpu.allowed = vec![0, 3],
        evidence: &["nvme0n1 is at node 1, the CPUs of this process at 0"] },
    Pair { rule: "numa-nodes-contradict",
        fires: |p| p.nodes[1].distances = vec![10, 21],
        // Farther one way than the other is what some machines are.
        silent: |p| p.nodes[1].distances = vec![16, 10],
        evidence: &["node 1 is 21 from itself and 10 from another"] },
    Pair { rule: "governor-not-performance",
        fires: |p| p.cpu.governor = Some("schedutil".into()),
        silent: |p| p.cpu.governor = None,
        evidence: &["all CPUs have schedutil"] },
    Pair { rule: "clock-source-slow",
        fires: |p| { p.clock_source = Some("hpet".into()); p.clock_sources_available = vec!["hpet".into(), "tsc".into()] },
        silent: |p| p.clock_source = Some("kvm-clock".into()),
        evidence: &["hpet; also there: tsc"] },
    Pair { rule: "mitigations-costly",
        fires: |p| p.cpu.mitigations = vec!["meltdown: Mitigation: PTI".into(), "retbleed: Mitigation: untrained return thunk; SMT vulnerable".into()],
        silent: |p| p.cpu.mitigations = [
            "spectre_v2: Mitigation: Enhanced / Automatic IBRS; IBPB: conditional", "mds: Vulnerable",
            "spec_rstack_overflow: Mitigation: IBPB on VMEXIT only", "srbds: Vulnerable: No microcode",
        ].map(String::from).to_vec(),
        evidence: &["meltdown: PTI, page tables are switched", "retbleed: untrained return thunk, "] },
    Pair { rule: "array-degraded",
        fires: |p| p.devices.arrays[0].missing = Some(1),
        silent: |p| p.devices.arrays[0].action = Some("check".into()),
        evidence: &["md0: 1 missing beside 0"] },
    Pair { rule: "nvme-queues-outnumber-port",
        fires: |p| { over_network(p); p.devices.nvme_controllers[0].queues = Some(17) },
        silent: |p| { over_network(p); p.devices.nvme_controllers[0].queues = Some(16) },
        evidence: &["nvme0: 17 I/O queues over ports with 8 receive queues at most"] },
    Pair { rule: "nvme-reconnects-late",
        fires: |p| { over_network(p); fabric(p).reconnect_delay_s = Some(5) },
        silent: |p| { over_network(p); fabric(p).reconnect_delay_s = Some(4) },
        evidence: &["nvme0: reconnect_delay 5 s, kato 5 s, fast_io_fail_tmo off"] },
    Pair { rule: "nvme-one-path-used",
        fires: over_network_twice,
        // The second path only waits to be used.
        silent: |p| { over_network_twice(p); p.devices.nvme_controllers[1].state = Some("connecting".into()) },
        evidence: &["nvme-subsys0: iopolicy numa, 2 paths"] },
    Pair { rule: "nvme-rdma-in-software",
        fires: |p| by_rdma(p, &[Some("rxe"), Some("siw")]),
        // By which of the two it is reached isn't known.
        silent: |p| by_rdma(p, &[Some("rxe"), None]),
        evidence: &["nvme0: transport rdma over rdma0 (rxe), rdma1 (siw)"] },
    Pair { rule: "path-down",
        fires: |p| way(p).state = Some("inaccessible".into()),
        silent: |p| way(p).state = Some("non-optimized".into()),
        evidence: &["nvme0c1n1 is inaccessible"] },
];

/// Two sockets, a drive and a card in slots that are good for them, all channels filled.
fn machine() -> Platform {
    let mut platform = Platform::default();
    platform.cpu.online = vec![0, 1, 2, 3];
    platform.cpu.allowed = vec![0, 1, 2, 3];
    platform.cpu.sockets = 2;
    platform.cpu.governor = Some("performance".to_string());
    platform.clock_source = Some("tsc".to_string());
    let node = |id: u32, cpus: [u32; 2], distances: [u32; 2]| NumaNode {
        id,
        cpus: cpus.to_vec(),
        memory_bytes: 64 << 30,
        distances: distances.to_vec(),
        ..NumaNode::default()
    };
    platform.nodes = vec![node(0, [0, 1], [10, 21]), node(1, [2, 3], [21, 10])];
    let labels = ["P0-DIMMA1", "P0-DIMMB1", "P1-DIMMA1", "P1-DIMMB1"];
    let dimm = |label: &str| Dimm {
        locator: Some(label.to_string()),
        size_bytes: Some(32 << 30),
        kind: Some("DDR5".to_string()),
        rated_mts: Some(4800),
        configured_mts: Some(4800),
    };
    platform.memory.dimms = Some(labels.map(dimm).to_vec());
    platform.devices = devices();
    platform.roles = vec![role()];
    platform
}

fn devices() -> Devices {
    let port = |name: &str, function: &str| NetworkPort {
        name: name.to_string(),
        driver: Some("mlx5_core".to_string()),
        state: Some("up".to_string()),
        bits_per_s: Some(100_000_000_000),
        receive_queues: Some(4),
        pci: Some(function.to_string()),
        ..NetworkPort::default()
    };
    let path = |name: &str| NvmePath {
        name: name.to_string(),
        controller: None,
        state: Some("optimized".to_string()),
    };
    let space = NvmeNamespace {
        name: "nvme0n1".to_string(),
        size_bytes: None,
        paths: vec![path("nvme0c0n1"), path("nvme0c1n1")],
    };
    Devices {
        pci: vec![
            function("0000:40:01.0", None, PciKind::Bridge, 4),
            function("0000:40:02.0", None, PciKind::Bridge, 16),
            function(DRIVE, Some("0000:40:01.0"), PciKind::Nvme, 4),
            function(CARD, Some("0000:40:02.0"), PciKind::Ethernet, 16),
            function("0000:42:00.1", Some("0000:40:02.0"), PciKind::Ethernet, 16),
        ],
        drives: vec![Drive {
            name: "nvme0n1".to_string(),
            transport: Some("nvme (pcie)".to_string()),
            queues: Some(4),
            pci: vec![DRIVE.to_string()],
            ..Drive::default()
        }],
        nvme_controllers: vec![NvmeController {
            name: "nvme0".to_string(),
            state: Some("live".to_string()),
            queues: Some(4),
            pci: Some(DRIVE.to_string()),
            ..NvmeController::default()
        }],
        nvme_subsystems: vec![NvmeSubsystem {
            name: "nvme-subsys0".to_string(),
            namespaces: vec![space],
            ..NvmeSubsystem::default()
        }],
        arrays: vec![MdArray {
            name: "md0".to_string(),
            missing: Some(0),
            action: Some("idle".to_string()),
            ..MdArray::default()
        }],
        network: vec![port("ens1", CARD), port("ens2", "0000:42:00.1")],
        ..Devices::default()
    }
}

fn function(address: &str, above: Option<&str>, kind: PciKind, width: u32) -> PciDevice {
    let link = PcieLink {
        address: address.to_string(),
        current_gts: Some(16.0),
        current_width: Some(width),
        max_gts: Some(16.0),
        flit_mode: None,
        max_width: Some(width),
    };
    PciDevice {
        address: address.to_string(),
        above: above.map(str::to_string),
        link: Some(link),
        ..PciDevice::new(kind)
    }
}

fn role() -> RolePath {
    let drive = BlockDevice {
        name: "nvme0n1".to_string(),
        number: "259:0".to_string(),
        kind: DeviceKind::Disk,
        level: None,
        model: None,
        transport: None,
        size_bytes: None,
        slaves: Vec::new(),
        queue: None,
        numa_node: Some(1),
        pcie: Vec::new(),
    };
    RolePath {
        role: Role::Data,
        path: "/data".to_string(),
        file_system: Default::default(),
        devices: vec![drive],
    }
}

fn link<'a>(platform: &'a mut Platform, address: &str) -> &'a mut PcieLink {
    let mut functions = platform.devices.pci.iter_mut();
    functions.find(|f| f.address == address).and_then(|f| f.link.as_mut()).expect("a link")
}

fn dimm(platform: &mut Platform, slot: usize) -> &mut Dimm {
    &mut platform.memory.dimms.as_mut().expect("modules")[slot]
}

/// Both ports of the card at so many Gb/s.
fn ports(platform: &mut Platform, gigabits: u64) {
    for port in &mut platform.devices.network {
        port.bits_per_s = Some(gigabits * 1_000_000_000);
    }
}

/// All of the drive's at these processors.
fn interrupts(platform: &mut Platform, cpus: &str, count: u64) {
    let drive = platform.devices.pci.iter_mut().find(|f| f.address == DRIVE).expect("the drive");
    drive.interrupts = Some(Interrupts {
        vectors: 5,
        busy_vectors: 4,
        cpus: cpus.parse().expect("a set"),
        count,
        busiest_cpu: None,
        busiest_share: None,
    });
}

/// The drive's controller is reached over the network, by ports with 8 queues.
fn over_network(platform: &mut Platform) {
    let devices = &mut platform.devices;
    let controller = &mut devices.nvme_controllers[0];
    controller.transport = Some("tcp".to_string());
    controller.queues = Some(4);
    controller.fabric = Some(NvmeFabric {
        reconnect_delay_s: Some(1),
        loss_timeout_s: Some(600),
        fast_io_fail_s: None,
        keep_alive_s: Some(5),
    });
    devices.network.iter_mut().for_each(|port| port.receive_queues = Some(8));
}

fn fabric(platform: &mut Platform) -> &mut NvmeFabric {
    platform.devices.nvme_controllers[0].fabric.as_mut().expect("it is over the network")
}

/// By two controllers, of which the kernel takes the nearer one.
fn over_network_twice(platform: &mut Platform) {
    over_network(platform);
    let devices = &mut platform.devices;
    let second = NvmeController { name: "nvme1".into(), ..devices.nvme_controllers[0].clone() };
    devices.nvme_controllers.push(second);
    let subsystem = &mut devices.nvme_subsystems[0];
    subsystem.io_policy = Some("numa".to_string());
    subsystem.controllers = vec!["nvme0".to_string(), "nvme1".to_string()];
}

/// By RDMA, with ports of which some are no card's.
fn by_rdma(platform: &mut Platform, ports: &[Option<&str>]) {
    over_network(platform);
    platform.devices.nvme_controllers[0].transport = Some("rdma".to_string());
    let port = |(number, by): (usize, &Option<&str>)| RdmaPort {
        device: format!("rdma{number}"),
        port: 1,
        state: Some("ACTIVE".to_string()),
        in_software: by.map(str::to_string),
        ..RdmaPort::default()
    };
    platform.devices.rdma = ports.iter().enumerate().map(port).collect();
}

fn way(platform: &mut Platform) -> &mut NvmePath {
    &mut platform.devices.nvme_subsystems[0].namespaces[0].paths[1]
}

fn ids(platform: &Platform) -> Vec<String> {
    check_machine(platform).into_iter().map(|finding| finding.id).collect()
}

#[test]
fn a_machine_in_order_and_an_unknown_one_have_no_findings() {
    assert_eq!(ids(&machine()), Vec::<String>::new());
    assert_eq!(ids(&Platform::default()), Vec::<String>::new());
}

#[test]
fn every_rule_about_machines_has_a_pair() {
    let paired: BTreeSet<&str> = PAIRS.iter().map(|pair| pair.rule).collect();
    let about = rules().iter().filter(|rule| matches!(rule.about, About::Machine));
    let ruled: BTreeSet<&str> = about.clone().map(|rule| rule.id).collect();
    assert_eq!(paired, ruled);
    for rule in about {
        let texts = [rule.summary, rule.advice, rule.reason, rule.reference];
        assert!(texts.iter().all(|text| !text.is_empty()), "{}", rule.id);
        assert!(rule.severity <= Severity::Suspect, "{}: nothing was measured yet", rule.id);
    }
}

#[test]
fn every_rule_fires_with_its_figures_and_not_on_a_near_miss() {
    for pair in PAIRS {
        let mut platform = machine();
        (pair.fires)(&mut platform);
        let findings = check_machine(&platform);
        let Some(finding) = findings.iter().find(|finding| finding.id == pair.rule) else {
            panic!("{} stayed silent; instead {findings:#?}", pair.rule);
        };
        for part in pair.evidence {
            assert!(finding.evidence.contains(part), "{}: {}", pair.rule, finding.evidence);
        }
        let mut platform = machine();
        (pair.silent)(&mut platform);
        let fired = ids(&platform);
        assert!(!fired.contains(&pair.rule.to_string()), "{} fired", pair.rule);
    }
}

#[test]
fn a_slow_idle_link_is_told_from_one_that_lost_lanes() {
    let mut platform = machine();
    link(&mut platform, DRIVE).current_gts = Some(2.5);
    let findings = check_machine(&platform);
    assert!(findings[0].evidence.contains("an idle link does"), "{findings:?}");
}

#[test]
fn drives_behind_a_switch_share_its_link() {
    let mut platform = machine();
    let pci = &mut platform.devices.pci;
    pci.retain(|function| function.kind == PciKind::Bridge);
    pci[1].link.as_mut().expect("a link").current_width = Some(4);
    pci[1].link.as_mut().expect("a link").max_width = Some(4);
    pci.push(function(SWITCH, Some("0000:40:02.0"), PciKind::Bridge, 4));
    for (port, drive) in [("0000:44:00.0", "0000:45:00.0"), ("0000:44:01.0", "0000:46:00.0")] {
        pci.push(function(port, Some(SWITCH), PciKind::Bridge, 4));
        pci.push(function(drive, Some(port), PciKind::Nvme, 4));
    }
    pci.sort_by(|a, b| a.address.cmp(&b.address));
    platform.devices.network.clear();
    let findings = check_machine(&platform);
    assert_eq!(ids(&platform), ["pcie-link-overbooked"], "{findings:#?}");
    assert!(findings[0].evidence.starts_with(SWITCH), "{findings:?}");
    assert!(findings[0].evidence.contains("15.8 GB/s, the link carries 7.88 GB/s"), "{findings:?}");
}

#[test]
fn an_interface_and_its_rdma_device_are_one_port() {
    let mut platform = machine();
    ports(&mut platform, 100);
    platform.devices.rdma = vec![RdmaPort {
        device: "mlx5_0".to_string(),
        port: 1,
        state: Some("ACTIVE".to_string()),
        bits_per_s: Some(100_000_000_000),
        pci: Some(CARD.to_string()),
        ..RdmaPort::default()
    }];
    assert_eq!(ids(&platform), Vec::<String>::new());
}

#[test]
fn shares_of_a_port_bring_no_ports_of_their_own() {
    let mut platform = machine();
    ports(&mut platform, 100);
    let share = |number: u32| NetworkPort {
        name: format!("ens1v{number}"),
        virtual_function: true,
        bits_per_s: Some(100_000_000_000),
        pci: Some(CARD.to_string()),
        ..NetworkPort::default()
    };
    platform.devices.network.extend((0..8).map(share));
    platform.devices.rdma = (0..8)
        .map(|number| RdmaPort {
            device: format!("mlx5_{}", number + 2),
            port: 1,
            state: Some("ACTIVE".to_string()),
            bits_per_s: Some(100_000_000_000),
            interface: Some(format!("ens1v{number}")),
            pci: Some(CARD.to_string()),
            ..RdmaPort::default()
        })
        .collect();
    assert_eq!(ids(&platform), Vec::<String>::new());
    platform.devices.rdma[0].interface = None;
    platform.devices.rdma[0].bits_per_s = Some(300_000_000_000);
    assert_eq!(ids(&platform), ["pcie-link-overbooked"]);
}

#[test]
fn links_of_a_virtual_machine_are_its_hypervisors() {
    let mut platform = machine();
    ports(&mut platform, 130);
    platform.hypervisor = Some("KVM".into());
    assert!(!ids(&platform).contains(&"pcie-link-overbooked".to_string()));
}

#[test]
fn letters_with_many_slots_are_sockets_and_their_channels_are_not_guessed() {
    let mut platform = machine();
    let slots = ["A", "B"].into_iter().flat_map(|socket| (1..=12).map(move |n| (socket, n)));
    let dimms: Vec<Dimm> = slots
        .map(|(socket, number)| Dimm {
            locator: Some(format!("DIMM_{socket}{number}")),
            size_bytes: (number <= 4).then_some(4 << 30),
            kind: None,
            rated_mts: None,
            configured_mts: None,
        })
        .collect();
    platform.memory.dimms = Some(dimms);
    assert_eq!(ids(&platform), Vec::<String>::new());
    dimm(&mut platform, 0).size_bytes = None;
    assert_eq!(ids(&platform), ["memory-uneven"]);
}

#[test]
fn what_nodes_can_not_be() {
    let fired = |change: fn(&mut Platform)| {
        let mut platform = machine();
        change(&mut platform);
        let findings = check_machine(&platform);
        let found = findings.into_iter().find(|finding| finding.id == "numa-nodes-contradict");
        found.map(|finding| finding.evidence)
    };
    let flat = |platform: &mut Platform, nodes: u32, other: u32| {
        let distances =
            |own: u32| (0..nodes).map(|id| if id == own { 10 } else { other }).collect();
        let node = |id: u32| NumaNode {
            id,
            cpus: if id < 4 { vec![id] } else { Vec::new() },
            memory_bytes: 1 << 30,
            distances: distances(id),
            ..NumaNode::default()
        };
        platform.nodes = (0..nodes).map(node).collect();
        platform.cpu.sockets = nodes;
    };
    assert!(fired(|p| p.nodes[1].cpus = vec![2]).expect("one is nowhere").contains("1 of 4 CPUs"));
    let two = Unknown { what: "NUMA layout".to_string(), needs: String::new() };
    let mut twice = machine();
    twice.unknown.push(two);
    assert_eq!(ids(&twice), ["numa-nodes-contradict"]);
    // Six links to others join seven sockets at one step.
    for (nodes, other, fires) in [(2, 10, true), (4, 21, false), (7, 21, false), (8, 21, true)] {
        let mut platform = machine();
        flat(&mut platform, nodes, other);
        let found = ids(&platform).contains(&"numa-nodes-contradict".to_string());
        assert_eq!(found, fires, "{nodes} nodes at {other}");
    }
    // Two nodes of one socket are nearer to each other than to those of the other socket.
    let mut halves = machine();
    flat(&mut halves, 4, 21);
    halves.cpu.sockets = 2;
    assert_eq!(ids(&halves), ["numa-nodes-contradict"]);
    // Memory without processors may be as far as the other socket is.
    halves.nodes[3].cpus.clear();
    halves.cpu.online = vec![0, 1, 2];
    assert_eq!(ids(&halves), Vec::<String>::new());
}

#[test]
fn ways_to_a_scsi_drive_that_are_down() {
    let mut platform = machine();
    let way = |name: &str, state: &str, access: &str| DrivePath {
        name: name.to_string(),
        host: None,
        state: Some(state.to_string()),
        access: Some(access.to_string()),
    };
    platform.devices.mapped = vec![MapperDevice {
        name: "dm-0".to_string(),
        paths: vec![way("sda", "running", "active/optimized"), way("sdb", "running", "standby")],
        ..MapperDevice::default()
    }];
    assert_eq!(ids(&platform), Vec::<String>::new());
    platform.devices.mapped[0].paths[1] = way("sdb", "transport-offline", "unavailable");
    let findings = check_machine(&platform);
    assert_eq!(findings[0].id, "path-down");
    let evidence = &findings[0].evidence;
    assert!(
        evidence.contains("sdb, a path to dm-0, is transport-offline, unavailable"),
        "{evidence}"
    );
}

#[test]
fn two_fast_ports_in_one_slot_name_it() {
    let mut platform = machine();
    for card in platform.devices.pci.iter_mut().filter(|f| f.device() == "0000:42:00") {
        card.slot = Some("3".to_string());
    }
    ports(&mut platform, 200);
    let evidence = check_machine(&platform).remove(0).evidence;
    assert!(
        evidence.contains("0000:42:00.0 in slot 3: ens1, ens2 could move 50.0 GB/s"),
        "{evidence}"
    );
}

#[test]
fn queues_of_lent_drives_and_ports() {
    let mut platform = machine();
    platform.devices.drives.push(Drive {
        name: "vda".to_string(),
        transport: Some("virtio".to_string()),
        queues: Some(1),
        ..Drive::default()
    });
    platform.devices.network[0].receive_queues = Some(1);
    let findings = check_machine(&platform);
    let evidence = &findings[0].evidence;
    assert_eq!(findings[0].id, "queues-fewer-than-cpus");
    assert!(evidence.contains("vda: 1 queue for 4 CPUs"), "{evidence}");
    assert!(evidence.contains("ens1: 1 receive queue for 4 CPUs"), "{evidence}");
    // A slow port needs no second one.
    platform.devices.drives.pop();
    platform.devices.network[0].bits_per_s = Some(1_000_000_000);
    assert_eq!(ids(&platform), Vec::<String>::new());
}
