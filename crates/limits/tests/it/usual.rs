//! What stands beside a measurement for its class of processor, link or drive, and that classes are never guessed.

use narrows_limits::attach;
use narrows_model::{
    CpuGroup, CpuIdentity, GroupLevel, Layer, LimitBasis, Measurement, NetworkPort, NormalFigure,
    NumaNode, Platform, Unit, condition, metric,
};
use serde_json::json;

use crate::common::{block, drive, limits, measurement, platform, run};

/// Two sockets of Ice Lake with so many nodes each.
fn ice_lake(nodes: u32) -> Platform {
    let mut machine = platform(vec![drive("nvme0n1", Vec::new())]);
    machine.roles[0].devices[0].numa_node = Some(nodes);
    machine.cpu.identity =
        Some(CpuIdentity { vendor: "GenuineIntel".into(), family: 6, model: 106, stepping: 6 });
    machine.cpu.model = Some("Intel(R) Xeon(R) Gold 6338 CPU @ 2.00GHz".into());
    let package = |id: u32| CpuGroup {
        level: GroupLevel::Package,
        id: Some(id),
        cpus: (id * nodes..(id + 1) * nodes).collect(),
    };
    machine.cpu.groups = vec![package(0), package(1)];
    machine.cpu.allowed = (0..2 * nodes).collect();
    let node = |id| NumaNode { id, cpus: vec![id], memory_bytes: 1 << 34, ..NumaNode::default() };
    machine.nodes = (0..2 * nodes).map(node).collect();
    machine
}

fn normals(machine: Platform, m: Measurement) -> Vec<NormalFigure> {
    let mut run = run(machine, m);
    attach(&mut run);
    run.measurements.remove(0).normals
}

fn latency(id: &str, from: u32, to: u32) -> Measurement {
    let mut m = measurement(id, Layer::Memory, &[(metric::COST, 95.0)]);
    m.workload.insert(condition::CPU_NODE, json!(from));
    m.conditions.insert(condition::NODE, json!(to));
    m
}

#[test]
fn memory_is_held_against_its_processors_generation() {
    let found = normals(ice_lake(1), latency("memory.latency.2m", 0, 0));
    assert_eq!(found.len(), 1, "{found:?}");
    let normal = &found[0];
    assert_eq!(
        (normal.low, normal.high, normal.measured, normal.unit),
        (89.0, 89.0, 95.0, Unit::Ns)
    );
    assert_eq!(normal.grade, "measured_by_others");
    assert!(normal.of.contains("xeon-ice-lake") && normal.source.contains("MLC"), "{normal:?}");
    let far = normals(ice_lake(1), latency("memory.latency.far.2m", 0, 1));
    assert_eq!(far[0].low, 143.0);
    // Of the same socket nothing is published for this generation.
    assert_eq!(normals(ice_lake(2), latency("memory.latency.far.2m", 0, 1)), []);
    let rate = [(metric::BANDWIDTH, 170e9)];
    let read = || measurement("memory.bandwidth.read.node0", Layer::Memory, &rate);
    assert_eq!(normals(ice_lake(1), read())[0].low, 175.8e9);
    assert_eq!(normals(ice_lake(2), read()), [], "half a socket is no socket");
}

#[test]
fn a_processor_that_does_not_say_what_it_is_and_a_lent_one_have_no_normal() {
    let near = || latency("memory.latency.2m", 0, 0);
    let mut machine = ice_lake(1);
    machine.hypervisor = Some("KVM".into());
    assert_eq!(normals(machine, near()), []);
    let mut machine = ice_lake(1);
    machine.cpu.identity = None;
    machine.cpu.model = Some("Intel(R) Xeon(R) Platinum 8380".into());
    assert_eq!(normals(machine, near()), [], "a name is no proof");
    assert_eq!(normals(ice_lake(1), latency("memory.latency.4k", 0, 0)), []);
}

#[test]
fn a_single_port_or_a_known_drive_is_a_class() {
    let long = |direction: &str| {
        let mut m = block(direction, 100.0);
        m.id = format!("block.{direction}.sequential.1m.knee").into();
        m.workload.insert(condition::BLOCK_BYTES, json!(1 << 20));
        m
    };
    let mut nfs = platform(Vec::new());
    nfs.roles[0].file_system.network = true;
    let port = |name: &str| NetworkPort {
        name: name.into(),
        state: Some("up".into()),
        bits_per_s: Some(1_000_000_000),
        mtu_bytes: Some(1500),
        ..NetworkPort::default()
    };
    nfs.devices.network = vec![port("eth0")];
    assert_eq!(normals(nfs.clone(), long("read"))[0].low, 114e6);
    nfs.devices.network.push(port("eth1"));
    assert_eq!(normals(nfs, long("read")), [], "which of the two isn't known");
    let mut qvo = platform(vec![drive("sda", Vec::new())]);
    qvo.roles[0].devices[0].model = Some("Samsung SSD 870 QVO 4TB".into());
    assert_eq!(normals(qvo.clone(), long("write"))[0].low, 169e6);
    qvo.roles[0].devices[0].model = Some("Samsung SSD 870 QVO 2TB".into());
    assert_eq!(normals(qvo, long("write")), []);
}

#[test]
fn drives_in_the_other_socket_are_behind_the_links_between_them() {
    let with = |cpus: &[u32]| {
        let mut m = block("read", 100e3);
        m.workload.insert(condition::CPUS, json!(cpus));
        limits(ice_lake(1), m)
    };
    let found = with(&[0]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].id, "sockets:upi-11.2");
    // Three links of 11.2 GT/s, two bytes a transfer.
    assert!((found[0].value / 1e9 - 67.2).abs() < 0.01, "{found:?}");
    assert!(found[0].basis == LimitBasis::Protocol && found[0].source.starts_with("3 × UPI 11.2"));
    assert_eq!(with(&[1]), [], "near");
    assert_eq!(with(&[0, 1]), [], "a part of it is near");
}
