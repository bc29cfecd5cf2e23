//! What the machine's structure says in a run: only what bears on what was measured, once, and at the right place.

use crate::clean;
use narrows_model::{
    BlockDevice, Dimm, Drive, Finding, Layer, MdArray, NumaNode, PciDevice, PciKind, PcieLink,
    Role, Run, Severity, condition,
};
use narrows_validity::check;
use serde_json::json;

use crate::clean::say;

const KNEE: &str = "block.read.random.8k.knee";
/// Addresses of a drive and its port.
type Slot = (&'static str, &'static str);
const DATA: Slot = ("0000:41:00.0", "0000:40:01.0");
const OTHER: Slot = ("0000:51:00.0", "0000:50:01.0");

/// A function whose link runs with so many of its four lanes.
fn function(address: &str, above: Option<&str>, kind: PciKind, width: u32) -> PciDevice {
    PciDevice {
        address: address.into(),
        above: above.map(String::from),
        link: Some(PcieLink {
            address: address.into(),
            current_gts: Some(16.0),
            current_width: Some(width),
            max_gts: Some(16.0),
            max_width: Some(4),
            flit_mode: None,
        }),
        ..PciDevice::new(kind)
    }
}

/// The clean run on a machine with the drive that the data are on and one that nothing uses, each with so many lanes.
fn run(lanes: u32, lanes_of_other: u32) -> Run {
    let mut run = clean::run();
    let platform = &mut run.hosts[0].platform;
    platform.hypervisor = None;
    let data = platform.roles.iter().find(|path| path.role == Role::Data).expect("a path");
    let name = data.drives().next().expect("a drive").name.clone();
    let drive = |name: &str, (address, _): Slot| Drive {
        name: name.into(),
        pci: vec![address.into()],
        ..Drive::default()
    };
    platform.devices.drives = vec![drive(&name, DATA), drive("nvme9n1", OTHER)];
    for ((address, port), lanes) in [(DATA, lanes), (OTHER, lanes_of_other)] {
        let pci = &mut platform.devices.pci;
        pci.push(function(port, None, PciKind::Bridge, lanes));
        pci.push(function(address, Some(port), PciKind::Nvme, lanes));
    }
    platform.devices.pci.sort_by(|a, b| a.address.cmp(&b.address));
    run
}

fn found(run: &Run, id: &str) -> Vec<Finding> {
    let findings = check(run).into_iter();
    findings.filter(|finding| finding.id == id).collect()
}

fn read_again(run: &mut Run, now: (f64, u32)) {
    let link = json!([{
        "address": DATA.0, "port": DATA.1, "gts": now.0, "width": now.1,
        "idle_gts": 16.0, "idle_width": 2, "most_gts": 16.0, "most_width": 4,
    }]);
    let m = run.measurements.iter_mut().find(|m| m.id == KNEE).expect("measured");
    say(m, condition::LINKS_UNDER_LOAD, link);
}

#[test]
fn a_link_that_nothing_measured_went_through_is_not_told() {
    assert_eq!(found(&run(4, 2), "pcie-link-below-its-ends"), []);
    let found = found(&run(2, 2), "pcie-link-below-its-ends");
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((found[0].measurement.as_deref(), found[0].severity), (None, Severity::Note));
    assert_eq!(found[0].places.len(), 1);
    assert_eq!(found[0].places[0].parts[0], DATA.0);
}

#[test]
fn a_link_read_again_under_load_has_no_note_of_its_rest() {
    let mut run = run(2, 4);
    read_again(&mut run, (16.0, 2));
    assert_eq!(found(&run, "pcie-link-below-its-ends"), []);
    let below = found(&run, "pcie-link-below-under-load");
    assert_eq!(below.len(), 1, "{below:#?}");
    assert_eq!(below[0].measurement.as_deref(), Some(KNEE));
    for part in ["0000:41:00.0 NVMe", "x2 of x4, 16 GT/s", "3.94 GB/s of 7.88 GB/s, 50 %"] {
        assert!(below[0].evidence.contains(part), "{part}: {}", below[0].evidence);
    }
    read_again(&mut run, (16.0, 4));
    assert_eq!(found(&run, "pcie-link-below-its-ends"), []);
    assert_eq!(found(&run, "pcie-link-below-under-load"), []);
    let up = found(&run, "pcie-link-came-up");
    assert_eq!(up.len(), 1);
    assert!(up[0].evidence.contains("16 GT/s x2 at idle, 16 GT/s x4 under load"), "{up:?}");
}

#[test]
fn a_degraded_array_makes_suspect_what_was_measured_on_it_and_nothing_else() {
    let mut run = run(4, 4);
    let platform = &mut run.hosts[0].platform;
    let array = |name: &str| MdArray { name: name.into(), missing: Some(1), ..MdArray::default() };
    platform.devices.arrays = vec![array("md0"), array("md1")];
    assert_eq!(found(&run, "array-degraded"), []);
    let data = run.hosts[0].platform.roles.iter_mut().find(|p| p.role == Role::Data).unwrap();
    let drive = data.devices[0].clone();
    let md = BlockDevice { name: "md0".into(), slaves: vec![drive.name.clone()], ..drive };
    data.devices.insert(0, md);
    run.findings = check(&run);
    run.apply_findings();
    let marked = |layer| {
        let mut own = run.measurements.iter().filter(|m| m.layer == layer);
        own.any(|m| m.findings.iter().any(|id| id == "array-degraded"))
    };
    assert!(marked(Layer::Block) && marked(Layer::Database));
    assert!(!marked(Layer::Memory) && !marked(Layer::Log), "the log is elsewhere");
    assert!(run.findings.iter().all(|f| f.id != "array-degraded" || f.evidence.starts_with("md0")));
    assert!(run.findings.iter().all(|finding| finding.severity < Severity::Invalid));
}

#[test]
fn empty_channels_stand_at_the_bandwidth_of_their_node() {
    let mut run = run(4, 4);
    let mut bandwidth = |node: u32| {
        let id = format!("memory.bandwidth.read.node{node}");
        run.measurements.push(narrows_model::Measurement::new(id, Layer::Memory));
    };
    bandwidth(0);
    bandwidth(1);
    let platform = &mut run.hosts[0].platform;
    platform.cpu.sockets = 2;
    let node = |id| NumaNode { id, cpus: vec![id], memory_bytes: 1 << 34, ..NumaNode::default() };
    platform.nodes = vec![node(0), node(1)];
    let dimm = |label: &str, bytes: Option<u64>| Dimm {
        locator: Some(label.into()),
        size_bytes: bytes,
        kind: Some("DDR5".into()),
        rated_mts: None,
        configured_mts: None,
    };
    platform.memory.dimms = Some(vec![
        dimm("P0-DIMMA1", Some(1 << 34)),
        dimm("P0-DIMMB1", Some(1 << 34)),
        dimm("P1-DIMMA1", Some(1 << 34)),
        dimm("P1-DIMMB1", None),
    ]);
    let at: Vec<_> =
        found(&run, "memory-channels-empty").into_iter().map(|f| f.measurement).collect();
    assert_eq!(at, [Some("memory.bandwidth.read.node1".to_string())]);
    // Labels of sockets that are not the machine's: nobody knows whose nodes they are.
    run.hosts[0].platform.cpu.sockets = 4;
    let at = found(&run, "memory-channels-empty");
    assert_eq!((at.len(), at[0].measurement.as_deref()), (1, None));
}

#[test]
fn what_holds_for_the_whole_machine_is_said_once() {
    let mut run = run(4, 4);
    run.hosts[0].platform.cpu.governor = Some("powersave".into());
    let found = |run: &Run| found(run, "governor-not-performance").len();
    assert_eq!(found(&run), 1);
    run.measurements.clear();
    assert_eq!(found(&run), 0, "nothing was measured");
}
