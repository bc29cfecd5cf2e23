//! Devices of machines made of files: links at both ends, ways to a drive, arrays, ports, interrupts.

use narrows_model::{Devices, IdSet, NvmeFabric, PciKind, Platform};

use crate::made::machine::Machine;

const ROOT: &str = "/sys/devices/pci0000:40";

fn discover(machine: &Machine) -> Platform {
    narrows_platform::discover(&machine.tree(), &[])
}

fn devices(machine: &Machine) -> Devices {
    discover(machine).devices
}

/// A PCI function in a folder, with its class.
fn function(machine: &Machine, folder: &str, class: &str) {
    let address = folder.rsplit('/').next().unwrap();
    machine
        .files(folder, &[("class", class), ("vendor", "0x144d\n"), ("device", "0xa80a\n")])
        .link(&format!("/sys/bus/pci/devices/{address}"), folder);
}

fn link(machine: &Machine, folder: &str, now: (&str, &str), most: (&str, &str)) {
    machine.files(
        folder,
        &[
            ("current_link_speed", now.0),
            ("current_link_width", now.1),
            ("max_link_speed", most.0),
            ("max_link_width", most.1),
        ],
    );
}

fn set(text: &str) -> IdSet {
    text.parse().unwrap()
}

#[test]
fn a_drive_its_port_and_its_slot() {
    let machine = Machine::new();
    let port = format!("{ROOT}/0000:40:01.1");
    let drive = format!("{port}/0000:41:00.0");
    function(&machine, &port, "0x060400\n");
    function(&machine, &drive, "0x010802\n");
    function(&machine, &format!("{ROOT}/0000:40:00.0"), "0x060000\n");
    link(&machine, &port, ("8.0 GT/s PCIe\n", "4\n"), ("8.0 GT/s PCIe\n", "4\n"));
    link(&machine, &drive, ("8.0 GT/s PCIe\n", "4\n"), ("16.0 GT/s PCIe\n", "4\n"));
    machine
        .file(&format!("{drive}/numa_node"), "1\n")
        .file("/sys/bus/pci/slots/7/address", "0000:41:00\n")
        .link(&format!("{drive}/driver"), "../../../../bus/pci/drivers/nvme");
    let controller = format!("{drive}/nvme/nvme0");
    machine
        .files(
            &controller,
            &[
                ("model", "Drive of a Kind  \n"),
                ("serial", "S123\n"),
                ("firmware_rev", "1.0\n"),
                ("transport", "pcie\n"),
                ("state", "live\n"),
                ("queue_count", "33\n"),
                ("sqsize", "1023\n"),
                ("numa_node", "1\n"),
            ],
        )
        .link("/sys/class/nvme/nvme0", &controller)
        .link("/sys/class/block/nvme0n1", &format!("{controller}/nvme0n1"))
        .folder(&format!("{controller}/nvme0n1/mq/0"))
        .folder(&format!("{controller}/nvme0n1/mq/1"))
        .folder(&format!("{controller}/nvme0n1/queue"))
        .link(&format!("{controller}/nvme0n1/device"), &controller)
        .file(&format!("{controller}/nvme0n1/size"), "8\n");
    let found = devices(&machine);
    let addresses: Vec<&str> = found.pci.iter().map(|f| f.address.as_str()).collect();
    assert_eq!(addresses, ["0000:40:01.1", "0000:41:00.0"], "the host bridge is the chipset's");
    let of_drive = found.pci_at("0000:41:00.0").unwrap();
    assert_eq!(of_drive.kind, PciKind::Nvme);
    assert_eq!(of_drive.above.as_deref(), Some("0000:40:01.1"));
    assert_eq!(of_drive.slot.as_deref(), Some("7"));
    assert_eq!(of_drive.driver.as_deref(), Some("nvme"));
    assert_eq!(of_drive.id.as_deref(), Some("144d:a80a"));
    assert_eq!(of_drive.numa_node, Some(1));
    assert_eq!(of_drive.link.as_ref().unwrap().max_gts, Some(16.0));
    assert_eq!(found.pci_at("0000:40:01.1").unwrap().link.as_ref().unwrap().max_gts, Some(8.0));
    let [controller] = found.nvme_controllers.as_slice() else { panic!("{found:?}") };
    assert_eq!(controller.model.as_deref(), Some("Drive of a Kind"));
    assert_eq!((controller.queues, controller.queue_depth), (Some(32), Some(1024)));
    assert_eq!(controller.fabric, None);
    assert_eq!(controller.pci.as_deref(), Some("0000:41:00.0"));
    let [drive] = found.drives.as_slice() else { panic!("{found:?}") };
    assert_eq!(drive.controller.as_deref(), Some("nvme0"));
    assert_eq!((drive.size_bytes, drive.queues, drive.numa_node), (Some(4096), Some(2), Some(1)));
    assert_eq!(drive.transport.as_deref(), Some("nvme (pcie)"));
    assert!(!serde_json::to_string(&found).unwrap().contains("S123"), "a serial number");
}

#[test]
fn ways_to_a_drive_elsewhere_and_their_states() {
    let machine = Machine::new();
    let subsystem = "/sys/devices/virtual/nvme-subsystem/nvme-subsys0";
    machine
        .link("/sys/class/nvme-subsystem/nvme-subsys0", subsystem)
        .file(&format!("{subsystem}/iopolicy"), "round-robin\n")
        .file(&format!("{subsystem}/nvme0n1/size"), "16\n")
        .link("/sys/class/block/nvme0n1", &format!("{subsystem}/nvme0n1"));
    for (number, state) in [("0", "optimized"), ("10", "inaccessible")] {
        let controller = format!("/sys/devices/virtual/nvme-fabrics/ctl/nvme{number}");
        machine
            .files(
                &controller,
                &[
                    ("transport", "tcp\n"),
                    ("state", "live\n"),
                    ("queue_count", "1\n"),
                    ("reconnect_delay", "10\n"),
                    ("ctrl_loss_tmo", "600\n"),
                    ("fast_io_fail_tmo", "off\n"),
                    ("kato", "5\n"),
                ],
            )
            .file(&format!("{controller}/nvme0c{number}n1/ana_state"), format!("{state}\n"))
            .file(&format!("{controller}/nvme0c{number}n1/hidden"), "1\n")
            .link(&format!("/sys/class/nvme/nvme{number}"), &controller)
            .link(&format!("{subsystem}/nvme{number}"), &controller)
            .link(
                &format!("/sys/class/block/nvme0c{number}n1"),
                &format!("{controller}/nvme0c{number}n1"),
            );
    }
    let found = devices(&machine);
    let fabric = NvmeFabric {
        reconnect_delay_s: Some(10),
        loss_timeout_s: Some(600),
        fast_io_fail_s: None,
        keep_alive_s: Some(5),
    };
    assert!(found.nvme_controllers.iter().all(|controller| controller.fabric == Some(fabric)));
    let [subsystem] = found.nvme_subsystems.as_slice() else { panic!("{found:?}") };
    assert_eq!(subsystem.io_policy.as_deref(), Some("round-robin"));
    assert_eq!(subsystem.controllers, ["nvme0", "nvme10"]);
    let [space] = subsystem.namespaces.as_slice() else { panic!("{subsystem:?}") };
    assert_eq!((space.name.as_str(), space.size_bytes), ("nvme0n1", Some(8192)));
    let ways: Vec<_> = space
        .paths
        .iter()
        .map(|path| (path.name.as_str(), path.controller.as_deref(), path.state.as_deref()))
        .collect();
    assert_eq!(
        ways,
        [
            ("nvme0c0n1", Some("nvme0"), Some("optimized")),
            ("nvme0c10n1", Some("nvme10"), Some("inaccessible")),
        ]
    );
    assert_eq!(found.drives.len(), 1, "a way is no drive: {:?}", found.drives);
    assert_eq!(found.drives[0].transport.as_deref(), Some("nvme (tcp)"));
    // Only the queue for administration.
    assert!(found.nvme_controllers.iter().all(|controller| controller.queues.is_none()));
}

#[test]
fn arrays_and_mapped_devices_with_what_they_are_made_of() {
    let machine = Machine::new();
    let md = "/sys/devices/virtual/block/md127";
    machine.link("/sys/class/block/md127", md).file(&format!("{md}/size"), "64\n").files(
        &format!("{md}/md"),
        &[
            ("level", "raid10\n"),
            ("chunk_size", "524288\n"),
            ("array_state", "clean\n"),
            ("degraded", "1\n"),
            ("sync_action", "recover\n"),
            ("dev-sda1/state", "in_sync\n"),
            ("dev-sdb1/state", "spare\n"),
        ],
    );
    let dm = "/sys/devices/virtual/block/dm-0";
    machine
        .link("/sys/class/block/dm-0", dm)
        .files(dm, &[("size", "64\n"), ("dm/uuid", "LVM-abc\n"), ("dm/name", "secret-name\n")])
        .link(&format!("{dm}/slaves/md127"), md);
    let found = devices(&machine);
    let [array] = found.arrays.as_slice() else { panic!("{found:?}") };
    assert_eq!((array.level.as_deref(), array.chunk_bytes), (Some("raid10"), Some(512 << 10)));
    assert_eq!((array.missing, array.action.as_deref()), (Some(1), Some("recover")));
    assert_eq!((array.size_bytes, array.state.as_deref()), (Some(32768), Some("clean")));
    let members: Vec<_> =
        array.members.iter().map(|m| (m.name.as_str(), m.state.as_deref())).collect();
    assert_eq!(members, [("sda1", Some("in_sync")), ("sdb1", Some("spare"))]);
    let [mapped] = found.mapped.as_slice() else { panic!("{found:?}") };
    assert_eq!(
        (mapped.made_by.as_deref(), &mapped.members[..]),
        (Some("lvm"), &["md127".into()][..])
    );
    assert!(
        !serde_json::to_string(&found).unwrap().contains("secret"),
        "a name that somebody gave"
    );
}

#[test]
fn ways_of_a_multipath_device_with_their_states() {
    let machine = Machine::new();
    let dm = "/sys/devices/virtual/block/dm-3";
    machine
        .link("/sys/class/block/dm-3", dm)
        .files(dm, &[("size", "64\n"), ("dm/uuid", "mpath-3600\n"), ("dm/suspended", "1\n")]);
    for (name, host, state, access) in
        [("sda", 2, "running", "active/optimized"), ("sdb", 3, "transport-offline", "unavailable")]
    {
        let device = format!("{ROOT}/0000:40:01.1/host{host}/rport-{host}:0-0/{host}:0:0:0");
        let block = format!("{device}/block/{name}");
        machine
            .files(&device, &[("state", state), ("access_state", access)])
            .file(&format!("{block}/size"), "64\n")
            .link(&format!("{block}/device"), &device)
            .link(&format!("/sys/class/block/{name}"), &block)
            .link(&format!("{dm}/slaves/{name}"), &block);
    }
    let found = devices(&machine);
    let [mapped] = found.mapped.as_slice() else { panic!("{found:?}") };
    assert_eq!((mapped.made_by.as_deref(), mapped.suspended), (Some("multipath"), true));
    let ways: Vec<_> = mapped
        .paths
        .iter()
        .map(|p| (p.name.as_str(), p.host.as_deref(), p.access.as_deref(), p.is_down()))
        .collect();
    assert_eq!(
        ways,
        [
            ("sda", Some("host2"), Some("active/optimized"), false),
            ("sdb", Some("host3"), Some("unavailable"), true),
        ]
    );
}

#[test]
fn rdma_that_the_kernel_does_by_itself_is_told_from_a_card_s() {
    let machine = Machine::new();
    let card = format!("{ROOT}/0000:40:01.1/0000:42:00.0");
    let (card, program) = (card.as_str(), "/sys/devices/virtual");
    let adapter = ("node_type", "1: CA\n");
    let iwarp = ("node_type", "4: RNIC\n");
    for (name, parent, file) in [
        // Over a card's interface, under a name that somebody gave it: the file tells.
        ("fast0", card, ("parent", "ens5\n")),
        ("rxe_eth0", program, adapter),
        ("siw1", card, iwarp),
        ("named", program, iwarp),
        // A card that does iWARP, and one that does RoCE.
        ("irdma0", card, iwarp),
        ("mlx5_0", card, adapter),
    ] {
        let folder = format!("{parent}/infiniband/{name}");
        machine
            .files(&folder, &[file, ("ports/1/state", "4: ACTIVE\n")])
            .link(&format!("/sys/class/infiniband/{name}"), &folder);
    }
    let found = devices(&machine);
    let told: Vec<(&str, Option<&str>)> =
        found.rdma.iter().map(|port| (port.device.as_str(), port.in_software.as_deref())).collect();
    assert_eq!(
        told,
        [
            ("fast0", Some("rxe")),
            ("irdma0", None),
            ("mlx5_0", None),
            ("named", Some("siw")),
            ("rxe_eth0", Some("rxe")),
            ("siw1", Some("siw")),
        ]
    );
}

#[test]
fn ports_of_a_card_and_what_is_known_of_each() {
    let machine = Machine::new();
    let card = format!("{ROOT}/0000:40:01.1/0000:42:00.0");
    function(&machine, &card, "0x020700\n");
    let ib = format!("{card}/infiniband/mlx5_0");
    machine
        .files(
            &ib,
            &[
                ("ports/1/state", "4: ACTIVE\n"),
                ("ports/1/rate", "100 Gb/sec (4X EDR)\n"),
                ("ports/1/link_layer", "Ethernet\n"),
                ("node_guid", "0002:c903:00f5:1111\n"),
                ("node_desc", "myhost mlx5_0\n"),
            ],
        )
        .link(&format!("{ib}/device"), &card)
        .link("/sys/class/infiniband/mlx5_0", &ib);
    let net = format!("{card}/net/ens5");
    machine
        .files(
            &net,
            &[
                ("speed", "100000\n"),
                ("duplex", "full\n"),
                ("mtu", "9000\n"),
                ("operstate", "up\n"),
                ("dev_port", "0\n"),
                ("address", "0c:42:a1:00:00:01\n"),
            ],
        )
        .link(&format!("{net}/device"), &card)
        .link(&format!("{net}/master"), "../../virtual/net/bond0")
        .link(&format!("{card}/driver"), "/sys/bus/pci/drivers/mlx5_core")
        .link("/sys/class/net/ens5", &net)
        .folder(&format!("{net}/queues/rx-0"))
        .folder(&format!("{net}/queues/rx-1"))
        .folder(&format!("{net}/queues/tx-0"))
        .file("/sys/devices/virtual/net/bond0/speed", "100000\n")
        .link("/sys/class/net/bond0", "/sys/devices/virtual/net/bond0")
        .file("/sys/devices/platform/net/down0/speed", "-1\n")
        .link("/sys/class/net/down0", "/sys/devices/platform/net/down0");
    let found = devices(&machine);
    let [port, down] = found.network.as_slice() else { panic!("{:?}", found.network) };
    assert_eq!((down.name.as_str(), down.bits_per_s), ("down0", None));
    assert_eq!((port.bits_per_s, port.mtu_bytes), (Some(100_000_000_000), Some(9000)));
    assert_eq!((port.receive_queues, port.send_queues), (Some(2), Some(1)));
    assert_eq!(
        (port.driver.as_deref(), port.part_of.as_deref()),
        (Some("mlx5_core"), Some("bond0"))
    );
    assert_eq!(port.pci.as_deref(), Some("0000:42:00.0"));
    let [rdma] = found.rdma.as_slice() else { panic!("{:?}", found.rdma) };
    assert_eq!((rdma.interface.as_deref(), rdma.port), (Some("ens5"), 1));
    assert_eq!(rdma.bits_per_s, Some(100_000_000_000));
    assert_eq!(
        (rdma.state.as_deref(), rdma.link_layer.as_deref()),
        (Some("ACTIVE"), Some("Ethernet"))
    );
    assert_eq!(rdma.in_software, None);
    let text = serde_json::to_string(&found).unwrap();
    for private in ["0c:42", "c903", "myhost"] {
        assert!(!text.contains(private), "{private}");
    }
}

#[test]
fn interrupts_go_where_the_kernel_sends_them_now() {
    let machine = Machine::new();
    let drive = format!("{ROOT}/0000:41:00.0");
    function(&machine, &drive, "0x010802\n");
    machine
        .file("/sys/devices/system/cpu/online", "0-2\n")
        .file(
            "/proc/interrupts",
            "      CPU0 CPU1 CPU2\n 40:  3 0 0 PCI-MSIX nvme0q0\n 41: 0 900 0 PCI-MSIX nvme0q1\n 42: 0 0 100 PCI-MSIX nvme0q2\n",
        )
        .file("/proc/irq/40/effective_affinity_list", "0\n")
        .file("/proc/irq/41/effective_affinity_list", "1\n")
        .file("/proc/irq/41/smp_affinity_list", "0-2\n")
        .file("/proc/irq/42/smp_affinity_list", "2\n");
    for vector in ["40", "41", "42"] {
        machine.file(&format!("{drive}/msi_irqs/{vector}"), "msix\n");
    }
    let found = devices(&machine);
    let interrupts = found.pci[0].interrupts.as_ref().expect("they are known");
    assert_eq!((interrupts.vectors, interrupts.busy_vectors, interrupts.count), (3, 2, 1003));
    assert_eq!(interrupts.cpus, set("1-2"), "the first vector is for administration");
    assert_eq!(interrupts.busiest_cpu, Some(1));
    assert!((interrupts.busiest_share.unwrap() - 900.0 / 1003.0).abs() < 1e-12);
}

#[test]
fn memory_that_is_a_device() {
    let machine = Machine::new();
    machine
        .files(
            "/sys/bus/nd/devices/region0",
            &[
                ("size", "1073741824\n"),
                ("numa_node", "0\n"),
                ("target_node", "2\n"),
                ("persistence_domain", "memory_controller\n"),
                ("namespace0.0/mode", "memory\n"),
                ("namespace0.0/size", "1073741824\n"),
                ("namespace0.1/size", "0\n"),
                ("namespace_seed", "namespace0.1\n"),
            ],
        )
        .files("/sys/bus/dax/devices/dax0.0", &[("size", "4096\n"), ("target_node", "2\n")])
        .files(
            "/sys/bus/cxl/devices/mem0",
            &[
                ("ram/size", "0x400000000\n"),
                ("pmem/size", "0x0\n"),
                ("numa_node", "1\n"),
                ("serial", "0x77\n"),
            ],
        )
        .folder("/sys/bus/cxl/devices/root0");
    let found = devices(&machine);
    let [region] = found.pmem.as_slice() else { panic!("{:?}", found.pmem) };
    assert_eq!((region.numa_node, region.target_node), (Some(0), Some(2)));
    assert_eq!(region.persistence_domain.as_deref(), Some("memory_controller"));
    assert_eq!(
        region.namespaces.len(),
        1,
        "an empty one is no part, nor is its name in a file: {region:?}"
    );
    let [cxl] = found.cxl.as_slice() else { panic!("{:?}", found.cxl) };
    assert_eq!((cxl.volatile_bytes, cxl.persistent_bytes), (Some(16 << 30), None));
    assert_eq!(found.dax.len(), 1);
}

#[test]
fn adapters_and_their_fabric() {
    let machine = Machine::new();
    let card = format!("{ROOT}/0000:43:00.0");
    function(&machine, &card, "0x0c0400\n");
    let host = format!("{card}/host7/scsi_host/host7");
    machine
        .files(
            &host,
            &[("proc_name", "qla2xxx\n"), ("can_queue", "2038\n"), ("nr_hw_queues", "16\n")],
        )
        .link("/sys/class/scsi_host/host7", &host)
        .files("/sys/class/fc_host/host7", &[("speed", "32 Gbit\n"), ("port_name", "0x2100\n")]);
    let found = devices(&machine);
    let [host] = found.scsi_hosts.as_slice() else { panic!("{:?}", found.scsi_hosts) };
    assert_eq!(
        (host.driver.as_deref(), host.transport.as_deref()),
        (Some("qla2xxx"), Some("fibre channel"))
    );
    assert_eq!(
        (host.speed.as_deref(), host.depth, host.queues),
        (Some("32 Gbit"), Some(2038), Some(16))
    );
    assert_eq!(host.pci.as_deref(), Some("0000:43:00.0"));
    assert!(!serde_json::to_string(&found).unwrap().contains("2100"), "the name of a port");
}

#[test]
fn idle_states_of_the_first_processor_on_line() {
    let machine = Machine::new();
    machine
        .file("/sys/devices/system/cpu/online", "1\n")
        .file("/sys/devices/system/cpu/cpuidle/current_driver", "intel_idle\n")
        .file("/sys/devices/system/cpu/cpuidle/current_governor_ro", "menu\n");
    for (state, name, latency, disabled) in [(0, "POLL", 0, 0), (2, "C6", 133, 1), (1, "C1", 2, 0)]
    {
        let folder = format!("/sys/devices/system/cpu/cpu1/cpuidle/state{state}");
        machine
            .file(&format!("{folder}/name"), format!("{name}\n"))
            .file(&format!("{folder}/latency"), format!("{latency}\n"))
            .file(&format!("{folder}/disable"), format!("{disabled}\n"));
    }
    let idle = discover(&machine).idle.expect("a driver is there");
    assert_eq!(
        (idle.driver.as_deref(), idle.governor.as_deref()),
        (Some("intel_idle"), Some("menu"))
    );
    let names: Vec<&str> = idle.states.iter().map(|state| state.name.as_str()).collect();
    assert_eq!(names, ["POLL", "C1", "C6"]);
    assert_eq!(idle.deepest_latency_us(), Some(2), "C6 is switched off");
    assert_eq!(discover(&Machine::new()).idle, None);
}
