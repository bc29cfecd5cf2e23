//! Ceilings of what carries a path's bytes beside PCIe: SATA, SAS, Fibre Channel, networks; and what arrays write.

use narrows_model::{
    ArrayMember, BlockDevice, DeviceKind, Drive, DriveLink, DriveLinkKind, Layer, LimitBasis,
    LimitShare, LoadedLink, MapperDevice, MapperTarget, MdArray, Measurement, MetricValue,
    NetworkPort, Platform, RdmaPort, ScsiHost, Unit, condition, metric,
};
use serde_json::json;

use crate::common::{block, ceiling, drive, limits, link, platform, raid};

/// Drives on such links, and their machine.
fn linked(names: &[&str], kind: DriveLinkKind, gigabits: f64, lanes: u32) -> Platform {
    let bits_per_s = (gigabits * 1e9) as u64;
    let mut machine = platform(names.iter().map(|name| on(name, "sata")).collect());
    machine.devices.drives = names
        .iter()
        .map(|name| Drive {
            name: (*name).to_string(),
            link: Some(DriveLink { kind, bits_per_s, lanes }),
            ..Drive::default()
        })
        .collect();
    machine
}

fn on(name: &str, transport: &str) -> BlockDevice {
    BlockDevice { transport: Some(transport.to_string()), ..drive(name, Vec::new()) }
}

fn bytes(limits: &[LimitShare]) -> Option<f64> {
    ceiling(limits, LimitBasis::Protocol, Unit::BytesPerS).map(|value| (value / 1e6).round())
}

#[test]
fn a_sata_drive_is_held_against_its_link() {
    let machine = linked(&["sda"], DriveLinkKind::Sata, 6.0, 1);
    let found = limits(machine.clone(), block("read", 10e3));
    // 6 Gb/s, 8b/10b, 8192 of 8208 B in a frame.
    assert_eq!(bytes(&found), Some(599.0));
    assert_eq!(ceiling(&found, LimitBasis::Raw, Unit::BytesPerS), Some(750e6));
    assert!(found.iter().all(|limit| limit.id == "sata:sda"), "{found:?}");
    let per_s = ceiling(&found, LimitBasis::Protocol, Unit::OpsPerS).expect("a known size");
    assert!((per_s - 600e6 * 8192.0 / 8208.0 / 8192.0).abs() < 1.0, "{per_s}");
    let source = &found.iter().find(|l| l.basis == LimitBasis::Protocol).unwrap().source;
    assert!(source.contains("SATA 6 Gb/s") && source.contains("Serial ATA"), "{source}");
    // In a virtual machine the link is made up.
    let guest = Platform { hypervisor: Some("KVM".into()), ..machine.clone() };
    assert_eq!(limits(guest, block("read", 10e3)), []);
    let odd = linked(&["sda"], DriveLinkKind::Sata, 5.0, 1);
    assert_eq!(limits(odd, block("read", 10e3)), [], "no such speed");
    // More than it carries stays beside its limit, for a rule of validity to name.
    let beyond = limits(machine, block("read", 100e3));
    assert!(beyond.iter().any(|limit| limit.share > 1.05), "{beyond:?}");
}

/// A volume `dm-0` of LVM over `beneath`.
fn volume(machine: &mut Platform, beneath: &str, targets: &[&str]) {
    let mapper = |name: &str, beneath: &str| BlockDevice {
        kind: DeviceKind::Mapper,
        level: Some("lvm".into()),
        slaves: vec![beneath.into()],
        ..drive(name, Vec::new())
    };
    let target = |kind: &&str| MapperTarget { kind: kind.to_string(), ..MapperTarget::default() };
    let mapped = |name: &str, beneath: &str| MapperDevice {
        name: name.into(),
        made_by: Some("lvm".into()),
        members: vec![beneath.into()],
        targets: targets.iter().map(target).collect(),
        ..MapperDevice::default()
    };
    machine.roles[0].devices.insert(0, mapper("dm-0", beneath));
    machine.devices.mapped = vec![mapped("dm-0", beneath)];
    if beneath != "sda" {
        machine.roles[0].devices.insert(1, mapper(beneath, "sda"));
        machine.devices.mapped.push(mapped(beneath, "sda"));
    }
}

#[test]
fn a_volume_that_writes_once_has_its_drives_ceiling_and_one_that_may_copy_has_none() {
    let plain = linked(&["sda"], DriveLinkKind::Sata, 6.0, 1);
    let written = |beneath: &str, targets: &[&str]| {
        let mut machine = plain.clone();
        volume(&mut machine, beneath, targets);
        bytes(&limits(machine, block("write", 10e3)))
    };
    let whole = bytes(&limits(plain.clone(), block("write", 10e3)));
    assert!(whole.is_some());
    assert_eq!(written("sda", &["linear", "striped"]), whole);
    assert_eq!(written("sda", &["linear", "mirror"]), None);
    // Without root the targets aren't seen.
    assert_eq!(written("sda", &[]), whole);
    assert_eq!(written("dm-1", &[]), None, "a volume on a volume may copy");
}

#[test]
fn lanes_and_drives_add_up_and_an_unknown_one_leaves_all_out() {
    let machine = linked(&["sda", "sdb"], DriveLinkKind::Sas, 12.0, 2);
    let found = limits(machine.clone(), block("read", 10e3));
    let one: f64 = 1.2e9 * 1024.0 / 1060.0 / 1e6;
    assert_eq!(bytes(&found), Some((4.0 * one).round()));
    assert!(found[0].source.starts_with("2 × SAS 12 Gb/s"), "{found:?}");
    let mut half = machine;
    half.devices.drives[1].link = None;
    assert_eq!(limits(half, block("read", 10e3)), []);
}

#[test]
fn drives_behind_one_port_of_fibre_channel_share_it() {
    let mut machine = platform(vec![on("sda", "fibre channel"), on("sdb", "fibre channel")]);
    let drive = |name: &str, host: &str| Drive {
        name: name.into(),
        controller: Some(host.into()),
        ..Drive::default()
    };
    let host = |name: &str| ScsiHost {
        name: name.into(),
        speed: Some("32 Gbit".into()),
        ..ScsiHost::default()
    };
    machine.devices.scsi_hosts = vec![host("host1"), host("host2")];
    machine.devices.drives = vec![drive("sda", "host1"), drive("sdb", "host1")];
    let shared = bytes(&limits(machine.clone(), block("read", 10e3))).expect("a known port");
    machine.devices.drives[1].controller = Some("host2".into());
    let two = limits(machine, block("read", 10e3));
    assert_eq!(bytes(&two), Some(2.0 * shared));
    assert_eq!(two[0].id, "fc:host1+host2");
}

fn port(name: &str, gigabits: u64, state: &str) -> NetworkPort {
    NetworkPort {
        name: name.into(),
        state: Some(state.into()),
        bits_per_s: Some(gigabits * 1_000_000_000),
        mtu_bytes: Some(1500),
        ..NetworkPort::default()
    }
}

#[test]
fn a_path_over_a_network_is_held_against_all_ports_that_are_up() {
    let mut machine = platform(Vec::new());
    machine.roles[0].file_system.network = true;
    machine.devices.network = vec![port("eth0", 1, "up"), port("eth1", 25, "down")];
    let found = limits(machine.clone(), block("read", 5e3));
    // 125 MB/s, 1448 of 1538 B in a frame.
    assert_eq!(bytes(&found), Some(118.0));
    let mut silent = machine.clone();
    silent.devices.network[1].state = None;
    assert_eq!(limits(silent, block("read", 5e3)), [], "the other may carry it");
    assert!(found.iter().all(|limit| limit.id == "network:eth0"), "{found:?}");
    assert!(found[1].source.contains("MTU 1500"), "{found:?}");
    assert_eq!(ceiling(&found, LimitBasis::Protocol, Unit::OpsPerS), None, "not NVMe's commands");
    machine.devices.network[1].state = Some("up".into());
    assert_eq!(limits(machine.clone(), block("read", 5e3))[0].id, "network:eth0+eth1");
    machine.devices.network[1].bits_per_s = None;
    assert_eq!(limits(machine.clone(), block("read", 5e3)), [], "it could be that one");
    machine.devices.network.truncate(1);
    let beyond = limits(machine.clone(), block("read", 50e3));
    assert!(beyond.iter().all(|limit| limit.share > 2.0) && !beyond.is_empty(), "{beyond:?}");
    machine.roles[0].file_system.options = vec!["rw".into(), "addr=127.0.0.1".into()];
    assert_eq!(limits(machine, block("read", 5e3)), [], "the server is on this machine");
}

#[test]
fn nvme_over_a_network_has_its_commands_reckoned() {
    let mut machine = platform(vec![on("nvme0n1", "nvme (tcp)")]);
    machine.devices.network = vec![port("eth0", 25, "up")];
    let found = limits(machine.clone(), block("read", 5e3));
    let per_s = ceiling(&found, LimitBasis::Protocol, Unit::OpsPerS).expect("known commands");
    let wanted = 25e9 / 8.0 / ((8192.0 + 48.0) / (1448.0 / 1538.0));
    assert!((per_s - wanted).abs() < 1.0, "{per_s} {wanted}");
    machine.roles[0].devices[0].transport = Some("nvme (rdma)".into());
    assert_eq!(limits(machine.clone(), block("read", 5e3)), [], "no port does RDMA");
    machine.devices.rdma = vec![RdmaPort {
        device: "mlx5_0".into(),
        port: 1,
        state: Some("ACTIVE".into()),
        rate: Some("200 Gb/sec (4X HDR)".into()),
        link_layer: Some("InfiniBand".into()),
        ..RdmaPort::default()
    }];
    let found = limits(machine.clone(), block("read", 5e3));
    assert_eq!(found[0].id, "network:mlx5_0/1");
    let value = bytes(&found).expect("a known rate");
    assert!((24_000.0..25_000.0).contains(&value), "{value}");
    machine.devices.rdma[0].rate = Some("100 Gb/sec (2X HDR)".into());
    assert_eq!(limits(machine, block("read", 5e3)), []);
}

#[test]
fn reads_over_a_fabric_are_held_against_the_port_that_they_use() {
    let reads = |interface: Option<&str>, same: Option<bool>| {
        let mut m = Measurement::new("fabric.throughput.read.128k", Layer::Fabric);
        m.metrics = [(metric::BANDWIDTH, 1e9), (metric::THROUGHPUT, 7e3)]
            .map(|(name, value)| MetricValue::new(name, value, None, vec![value]))
            .to_vec();
        m.workload.insert(condition::DIRECTION, json!("read"));
        m.workload.insert(condition::BLOCK_BYTES, json!(128 << 10));
        if let Some(interface) = interface {
            m.conditions.insert(condition::INTERFACE, json!(interface));
        }
        if let Some(same) = same {
            m.conditions.insert(condition::SAME_MACHINE, json!(same));
        }
        m
    };
    let mut machine = platform(Vec::new());
    machine.devices.network = vec![port("eth0", 10, "up"), port("eth1", 25, "up")];
    let names = |m| limits(machine.clone(), m).iter().map(|l| l.id.clone()).collect::<Vec<_>>();
    assert!(names(reads(Some("eth0"), Some(false))).iter().all(|id| id == "network:eth0"));
    assert!(!names(reads(Some("eth0"), Some(false))).is_empty());
    // A name that no port has, a VLAN's, can be on any of them.
    assert!(
        names(reads(Some("storage.7"), Some(false))).iter().all(|id| id == "network:eth0+eth1")
    );
    assert_eq!(names(reads(Some("eth0"), Some(true))), Vec::<String>::new());
    assert_eq!(names(reads(Some("eth0"), None)), Vec::<String>::new());
    machine.devices.network[1].part_of = Some("bond0".into());
    let found = limits(machine, reads(Some("bond0"), Some(false)));
    assert_eq!(found[0].id, "network:eth1");
}

#[test]
fn small_writes_to_parity_cost_more_than_whole_stripes() {
    let names = ["sda", "sdb", "sdc", "sdd"];
    let mut machine = linked(&names, DriveLinkKind::Sas, 12.0, 1);
    machine.roles[0].devices.insert(0, raid("raid5", &names));
    let member = |name: &&str| ArrayMember { name: (*name).into(), state: Some("in_sync".into()) };
    machine.devices.arrays = vec![MdArray {
        name: "md0".into(),
        chunk_bytes: Some(524_288),
        missing: Some(0),
        members: names.iter().map(member).collect(),
        ..MdArray::default()
    }];
    let raw = |machine: &Platform| {
        let found = limits(machine.clone(), block("write", 1e3));
        ceiling(&found, LimitBasis::Raw, Unit::BytesPerS)
    };
    // At random each write is one of data and one of parity.
    assert_eq!(raw(&machine), Some(4.0 * 1.5e9 / 2.0));
    machine.devices.arrays[0].chunk_bytes = Some(4096);
    assert_eq!(raw(&machine), Some(4.0 * 1.5e9 * 3.0 / 4.0), "a block may fill stripes");
    machine.devices.arrays[0].missing = Some(1);
    assert_eq!(raw(&machine), None, "it writes what it still has");
}

#[test]
fn a_link_read_under_load_is_the_one_that_counts() {
    let route = vec![link("0000:41:00.0", 2.5, 4), link("0000:40:01.0", 2.5, 4)];
    let devices = vec![drive("nvme0n1", route)];
    let mut m = block("read", 10e3);
    let now = |gts: f64, width: u32| LoadedLink {
        address: "0000:41:00.0".into(),
        port: "0000:40:01.0".into(),
        gts: Some(gts),
        width: Some(width),
        idle_gts: Some(2.5),
        idle_width: Some(4),
        most_gts: Some(16.0),
        most_width: Some(4),
    };
    for (gts, width, wanted) in [(16.0, 4, 8e9), (8.0, 2, 2e9)] {
        m.conditions.insert(condition::LINKS_UNDER_LOAD, json!([now(gts, width)]));
        let found = limits(platform(devices.clone()), m.clone());
        assert_eq!(ceiling(&found, LimitBasis::Raw, Unit::BytesPerS), Some(wanted));
    }
}
