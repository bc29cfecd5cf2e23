//! Which ceilings stand beside a measurement, and that unknown parts leave them out.

use narrows_limits::node_bytes_per_s;
use narrows_model::{
    Dimm, IoLimit, Layer, LimitBasis, LimitShare, NumaNode, Platform, Unit, condition, metric,
};
use serde_json::json;

use crate::common::{block, ceiling, drive, limits, link, measurement, platform, raid};

#[test]
fn four_drives_carry_four_links() {
    let names = ["nvme0n1", "nvme1n1", "nvme2n1", "nvme3n1"];
    let mut devices = vec![raid("raid10", &names)];
    devices.extend(names.iter().map(|name| drive(name, vec![link(name, 16.0, 4)])));
    let limits = limits(platform(devices), block("read", 2.31e6));
    let bytes = ceiling(&limits, LimitBasis::Protocol, Unit::BytesPerS).expect("known links");
    assert!((bytes / 1e9 - 28.8).abs() < 0.05, "{bytes}");
    let operations = ceiling(&limits, LimitBasis::Protocol, Unit::OpsPerS).expect("known size");
    assert!((operations / 1e6 - 3.48).abs() < 0.005, "{operations}");
    assert!(limits.iter().all(|l| l.source.contains("4 × PCIe 4.0 x4")), "{limits:?}");
}

#[test]
fn a_shared_link_above_the_drives_is_the_narrow_one() {
    let shared = |name: &str| vec![link(name, 16.0, 4), link("switch", 8.0, 8)];
    let mut devices = vec![raid("raid0", &["nvme0n1", "nvme1n1"])];
    devices.extend(["nvme0n1", "nvme1n1"].map(|name| drive(name, shared(name))));
    let limits = limits(platform(devices), block("read", 100e3));
    let raw = ceiling(&limits, LimitBasis::Raw, Unit::BytesPerS).expect("known links");
    assert_eq!(raw, 8e9, "eight lanes of 8 GT/s, not eight of 16");
}

#[test]
fn flits_narrow_a_link_below_64_gts_where_they_are_known_and_are_told_where_not() {
    let at = |flit_mode, max_gts| {
        let mut end = link("a", 32.0, 4);
        (end.flit_mode, end.max_gts) = (flit_mode, Some(max_gts));
        limits(platform(vec![drive("nvme0n1", vec![end])]), block("read", 100e3))
    };
    let told =
        |limits: &[LimitShare]| limits.iter().any(|l| l.source.contains("less if in flit mode"));
    let bytes = |limits: &[LimitShare]| {
        ceiling(limits, LimitBasis::Protocol, Unit::BytesPerS).expect("known links")
    };
    let (framed, flits, unknown) = (at(Some(false), 64.0), at(Some(true), 64.0), at(None, 64.0));
    let ratio = bytes(&flits) / bytes(&framed);
    let wanted = (236.0 / 256.0 * 256.0 / 272.0) / (256.0 / 280.0);
    assert!((ratio - wanted).abs() < 1e-12, "{ratio}");
    assert_eq!(bytes(&unknown), bytes(&framed), "a ceiling is never understated");
    assert!(told(&unknown) && !told(&framed) && !told(&flits));
    assert!(flits.iter().all(|l| l.source.contains("PCIe 5.0 x4 (128b/130b, flits)")), "{flits:?}");
    let raw = |limits: &[LimitShare]| ceiling(limits, LimitBasis::Raw, Unit::BytesPerS);
    assert_eq!(raw(&flits), raw(&framed));
    // Old hardware has none, and nothing is said of them.
    let old = vec![drive(
        "nvme0n1",
        vec![narrows_model::PcieLink { max_gts: Some(16.0), ..link("a", 16.0, 4) }],
    )];
    assert!(!told(&limits(platform(old), block("read", 100e3))));
}

#[test]
fn nothing_is_reckoned_of_128_gts() {
    let devices = vec![drive("nvme0n1", vec![link("a", 128.0, 4)])];
    assert!(limits(platform(devices), block("read", 100e3)).is_empty());
}

#[test]
fn arrays_write_more_than_was_asked_and_an_unknown_way_of_it_gives_no_ceiling() {
    let names = ["nvme0n1", "nvme1n1", "nvme2n1"];
    let write = |level: &str, direction: &str| {
        let mut devices = vec![raid(level, &names)];
        devices.extend(names.iter().map(|name| drive(name, vec![link(name, 16.0, 4)])));
        let found = limits(platform(devices), block(direction, 1e3));
        let bytes = ceiling(&found, LimitBasis::Raw, Unit::BytesPerS);
        (bytes.map(|bytes| bytes / 1e9), found.first().map(|limit| limit.source.clone()))
    };
    assert_eq!(write("raid1", "read").0, Some(24.0));
    let (mirrored, source) = write("raid1", "write");
    assert_eq!(mirrored, Some(8.0));
    assert!(source.unwrap().contains("raid1 writes 3 B on its drives for each"));
    assert_eq!(write("raid0", "write").0, Some(24.0));
    // Without its chunk nobody knows whether stripes are filled: the least that can be.
    assert_eq!(write("raid5", "write").0, Some(16.0));
    assert_eq!(write("raid7", "write").0, None);
}

#[test]
fn a_link_that_was_asleep_does_not_understate_its_ceiling() {
    // Seen at 2.5 GT/s when idle; 2 GB/s passed it.
    let devices = vec![drive("nvme0n1", vec![link("a", 2.5, 4)])];
    let limits = limits(platform(devices), block("read", 250e3));
    assert!(!limits.is_empty() && limits.iter().all(|l| l.share <= 1.0), "{limits:?}");
}

#[test]
fn what_exceeds_the_best_that_a_link_can_do_keeps_its_limit() {
    let devices = vec![drive("nvme0n1", vec![link("a", 16.0, 4)])];
    // 30 GB/s over 16 GB/s, the best of both ends.
    let limits = limits(platform(devices), block("read", 30e9 / 8192.0));
    let raw = limits.iter().find(|limit| limit.basis == LimitBasis::Raw).expect("its limit");
    assert!((1.8..1.95).contains(&raw.share), "{limits:?}");
}

#[test]
fn what_is_unknown_or_a_hypervisors_invention_gives_no_ceiling() {
    let known = vec![drive("nvme0n1", vec![link("a", 16.0, 4)])];
    let mut guest = platform(known.clone());
    guest.hypervisor = Some("KVM".to_string());
    assert!(limits(guest, block("read", 1e3)).is_empty());
    let mut half = known.clone();
    half.push(drive("sda", Vec::new()));
    assert!(limits(platform(half), block("read", 1e3)).is_empty(), "one drive of two is unknown");
    let mut odd = known;
    odd[0].pcie[0].current_gts = Some(7.0);
    assert!(limits(platform(odd), block("read", 1e3)).is_empty(), "nobody defined 7 GT/s");
}

#[test]
fn an_observed_servers_drives_have_the_ceilings_of_their_links_each_way() {
    let mut platform = platform(vec![drive("nvme0n1", vec![link("a", 16.0, 4)])]);
    platform.cgroup.cpu_quota_cpus = Some(0.5);
    let moved = [
        (metric::WINDOW, 10e9),
        (metric::DEVICE_READ_BYTES, 10e9),
        (metric::DEVICE_WRITE_BYTES, 1e9),
    ];
    let mut m = measurement("database.observed", Layer::Database, &moved);
    let found = limits(platform.clone(), m.clone());
    let of = |direction: &str| {
        let ends = |l: &&LimitShare| l.id.ends_with(direction) && l.basis == LimitBasis::Protocol;
        found.iter().find(ends).unwrap_or_else(|| panic!("{direction}: {found:?}"))
    };
    assert!((of(":read").share * of(":read").value / 1e9 - 1.0).abs() < 1e-9, "1 GB/s: {found:?}");
    assert!((of(":write").share * of(":write").value / 1e8 - 1.0).abs() < 1e-9, "{found:?}");
    assert!(found.iter().all(|l| l.basis != LimitBasis::Configured), "our quota isn't theirs");
    // What an array writes more than it was asked is in its drives' counts.
    let drives = ["nvme0n1", "nvme1n1"];
    let mut devices = vec![raid("raid1", &drives)];
    devices.extend(drives.map(|name| drive(name, vec![link(name, 16.0, 4)])));
    let mirrored = limits(self::platform(devices), m.clone());
    assert!(!mirrored.is_empty() && mirrored.iter().all(|l| l.id.ends_with(":read")));
    // What wasn't counted has no ceiling.
    m.metrics.retain(|metric| metric.name != metric::DEVICE_READ_BYTES);
    assert!(limits(platform, m).iter().all(|l| l.id.ends_with(":write")));
}

#[test]
fn a_control_groups_limits_are_named_as_configured() {
    let mut platform = platform(vec![drive("vda", Vec::new())]);
    platform.hypervisor = Some("KVM".to_string());
    platform.cgroup.cpu_quota_cpus = Some(0.5);
    let limit =
        |kind: &str, value| IoLimit { device: "259:3".to_string(), kind: kind.to_string(), value };
    platform.cgroup.io_limits =
        vec![limit("riops", 5000), limit("wiops", 10), limit("rbps", 50_000_000)];
    let mut m = block("read", 4990.0);
    m.metrics.push(measurement("", Layer::Block, &[(metric::CPU_PER_OP, 10e3)]).metrics[0].clone());
    let found = limits(platform.clone(), m.clone());
    let ids: Vec<&str> = found.iter().map(|l| l.id.as_str()).collect();
    assert_eq!(ids, ["cgroup:cpu", "cgroup:riops:vda", "cgroup:rbps:vda"]);
    assert_eq!(found[0].value, 50e3);
    assert!((found[1].share - 0.998).abs() < 1e-9);
    assert!(found.iter().all(|l| l.basis == LimitBasis::Configured));
    // A large operation is split before it is counted.
    m.workload.insert(condition::BLOCK_BYTES, json!(1 << 20));
    assert!(!limits(platform, m).iter().any(|l| l.id.starts_with("cgroup:riops")));
}

fn memory_platform(labels: &[String], sockets: u32, nodes: u32) -> Platform {
    let mut platform = Platform::default();
    platform.cpu.sockets = sockets;
    platform.memory.dimms = Some(
        labels
            .iter()
            .map(|label| Dimm {
                locator: Some(label.clone()),
                size_bytes: Some(32 << 30),
                kind: Some("DDR5".to_string()),
                rated_mts: Some(5600),
                configured_mts: Some(4800),
            })
            .collect(),
    );
    platform.nodes = (0..nodes)
        .map(|id| NumaNode { id, cpus: vec![id], memory_bytes: 1 << 34, ..NumaNode::default() })
        .collect();
    platform
}

/// Two sockets, the second with two channels empty.
fn labels() -> Vec<String> {
    let first = ('A'..='L').map(|c| format!("P0_DIMM_{c}1"));
    first.chain(('A'..='J').map(|c| format!("P1_DIMM_{c}1"))).collect()
}

#[test]
fn each_node_has_the_channels_of_its_socket() {
    let platform = memory_platform(&labels(), 2, 2);
    let node = |id| node_bytes_per_s(&platform, id).map(|(value, _)| value / 1e9);
    assert_eq!(node(0), Some(460.8));
    assert_eq!(node(1), Some(384.0));
    assert_eq!(node(2), None);
}

#[test]
fn memory_of_a_device_shares_no_channel_and_memory_without_processors_is_not_guessed() {
    let mut platform = memory_platform(&labels(), 2, 2);
    let own = NumaNode { id: 2, memory_bytes: 1 << 34, ..NumaNode::default() };
    let device = NumaNode { device: Some("dax0.0".into()), ..own.clone() };
    platform.nodes.push(device);
    let node = |platform: &Platform, id| node_bytes_per_s(platform, id).map(|found| found.0 / 1e9);
    assert_eq!((node(&platform, 0), node(&platform, 2)), (Some(460.8), None));
    platform.nodes[2] = own;
    assert_eq!(node(&platform, 0), None);
}

#[test]
fn two_modules_on_a_channel_are_one_channel() {
    let labels: Vec<String> = ["A1", "A2", "B1", "B2"].map(|l| format!("DIMM_{l}")).to_vec();
    let (value, source) = node_bytes_per_s(&memory_platform(&labels, 1, 1), 0).expect("labelled");
    assert_eq!(value, 2.0 * 38.4e9);
    assert!(source.starts_with("2 channels × 4800 MT/s × 8 B (DDR5)"), "{source}");
}

#[test]
fn modules_that_do_not_tell_their_channel_or_speed_give_no_ceiling() {
    let numbered: Vec<String> = (0..4).map(|n| format!("DIMM {n}")).collect();
    assert_eq!(node_bytes_per_s(&memory_platform(&numbered, 1, 1), 0), None);
    let twice: Vec<String> = ["A1", "A1"].map(str::to_string).to_vec();
    assert_eq!(node_bytes_per_s(&memory_platform(&twice, 1, 1), 0), None, "labels repeat");
    let mut platform = memory_platform(&labels(), 2, 2);
    platform.memory.dimms.as_mut().expect("set")[3].configured_mts = None;
    assert_eq!(node_bytes_per_s(&platform, 0), None);
    assert_eq!(
        node_bytes_per_s(&memory_platform(&labels(), 2, 3), 0),
        None,
        "three nodes on two sockets"
    );
    let mut guest = memory_platform(&labels(), 2, 2);
    guest.hypervisor = Some("KVM".to_string());
    assert_eq!(node_bytes_per_s(&guest, 0), None);
}

#[test]
fn a_placement_carries_what_its_fullest_channels_do() {
    let platform = memory_platform(&labels(), 2, 2);
    let rate = [(metric::BANDWIDTH, 380e9)];
    let ceiling = |shares: serde_json::Value| {
        let mut m = measurement("memory.policy.read.x", Layer::Memory, &rate);
        m.conditions.insert(condition::SHARE_OF_MEMORY_BY_NODE, shares);
        limits(platform.clone(), m).pop().map(|limit| (limit.id, limit.value / 1e9))
    };
    let one = json!({"0": {"1": 1.0}, "1": {"1": 1.0}});
    assert_eq!(ceiling(one), Some(("dram:node1".to_string(), 384.0)));
    // Half of all bytes come from 384 GB/s.
    let local = json!({"0": {"0": 1.0}, "1": {"1": 1.0}});
    assert_eq!(ceiling(local), Some(("dram:node1".to_string(), 768.0)));
    let mostly_first = json!({"0": {"0": 0.75, "1": 0.25}, "1": {"0": 0.75, "1": 0.25}});
    assert_eq!(ceiling(mostly_first).map(|found| found.0), Some("dram:node0".to_string()));
    assert_eq!(ceiling(json!({"0": {"7": 1.0}})), None, "a node without channels");
    let cell = measurement("memory.matrix.read.from0.to1", Layer::Memory, &rate);
    let found = limits(platform, cell);
    assert_eq!((found[0].id.as_str(), found[0].value), ("dram:node1", 384e9));
}

#[test]
fn a_nodes_bandwidth_stands_beside_its_channels() {
    let rate = [(metric::BANDWIDTH, 387e9)];
    let platform = memory_platform(&labels(), 2, 2);
    let found =
        limits(platform.clone(), measurement("memory.bandwidth.read.node0", Layer::Memory, &rate));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].id, "dram:node0");
    assert!((found[0].share - 0.84).abs() < 0.001);
    assert!(
        limits(platform, measurement("memory.bandwidth.read.core", Layer::Memory, &rate))
            .is_empty()
    );
}
