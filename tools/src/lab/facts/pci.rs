//! PCIe: ports of the root, and the NVMe and network controllers in them, with node, link and near processors.

use std::collections::BTreeMap;

use narrows_model::{IdSet, NvmeController, PciDevice, PciKind, PcieLink, Platform};

use super::{Fact, Facts, disk, disk_mib, optional, or_none, sorted};
use crate::lab::guest::{Guest, Link, Port};

/// What is said of a controller, in order.
const ABOUT: [&str; 6] =
    ["node", "CPUs near it", "link now", "link at most", "its port's link at most", "more"];

/// Of one controller, one value per entry of [`ABOUT`].
type About = [String; ABOUT.len()];

pub fn wanted(guest: &Guest) -> Facts {
    let ports = guest.ports.iter().map(|port| root(port.link.to_string(), port.node));
    let mut facts = Facts::from([("ports of the root".to_string(), sorted(ports.collect()))]);
    let mut controllers: BTreeMap<String, Vec<About>> = BTreeMap::new();
    for drive in &guest.nvme {
        let disks: Vec<String> = drive.namespaces_mib.iter().map(|mib| disk_mib(*mib)).collect();
        let name = format!("NVMe with {}", disks.join(" and "));
        // The driver wants one for each processor that could ever be there.
        let queues = drive.queues.min(guest.cpus.count() + guest.cpus.empty_places);
        let most = drive.claims.unwrap_or(Link::DEVICE);
        for port in &drive.ports {
            let about = wanted_about(
                guest,
                guest.ports[*port],
                most,
                nvme(Some("pcie"), Some("live"), Some(queues)),
            );
            controllers.entry(name.clone()).or_default().push(about);
        }
    }
    for port in &guest.ethernet {
        let speed = more(Some("e1000e"), Some("up"), Some(1_000_000_000), Some("full"));
        let about = wanted_about(guest, guest.ports[port.port], Link::DEVICE, speed);
        controllers.entry("network port".into()).or_default().push(about);
    }
    facts.extend(told(controllers));
    facts
}

fn wanted_about(guest: &Guest, port: Port, most: Link, more: String) -> About {
    let near = port.node.map(|node| guest.cpus_of(node)).unwrap_or_default();
    let near = if near.len() < guest.cpus.online().len() { near } else { IdSet::default() };
    // A switch's ports of QEMU's say nothing of what they could.
    let above = (!port.switch).then_some(port.link);
    [
        optional(port.node),
        near.to_string(),
        Link::DEVICE.to_string(),
        most.to_string(),
        optional(above),
        more,
    ]
}

pub fn found(platform: &Platform) -> Facts {
    let devices = &platform.devices;
    let roots = devices.pci.iter().filter(|f| f.kind == PciKind::Bridge && f.above.is_none());
    let ports = roots.map(|port| root(most(port.link.as_ref()), port.numa_node));
    let mut facts = Facts::from([("ports of the root".to_string(), sorted(ports.collect()))]);
    let mut controllers: BTreeMap<String, Vec<About>> = BTreeMap::new();
    for controller in &devices.nvme_controllers {
        let more =
            nvme(controller.transport.as_deref(), controller.state.as_deref(), controller.queues);
        let about = found_about(platform, controller.pci.as_deref(), more);
        controllers.entry(nvme_name(platform, controller)).or_default().push(about);
    }
    for port in &devices.network {
        let text = |text: &Option<String>| text.clone();
        let (driver, state, duplex) = (text(&port.driver), text(&port.state), text(&port.duplex));
        let more = more(driver.as_deref(), state.as_deref(), port.bits_per_s, duplex.as_deref());
        let about = found_about(platform, port.pci.as_deref(), more);
        controllers.entry("network port".into()).or_default().push(about);
    }
    facts.extend(told(controllers));
    facts
}

fn nvme_name(platform: &Platform, controller: &NvmeController) -> String {
    let at = controller.pci.as_ref();
    let drives = platform.devices.drives.iter();
    let its = drives.filter(|drive| drive.pci.iter().any(|pci| Some(pci) == at));
    let mut sizes: Vec<Option<u64>> = its.map(|drive| drive.size_bytes).collect();
    sizes.sort_unstable();
    let disks: Vec<String> = sizes.into_iter().map(disk).collect();
    format!("NVMe with {}", disks.join(" and "))
}

fn found_about(platform: &Platform, address: Option<&str>, more: String) -> About {
    let function = address.and_then(|address| platform.devices.pci_at(address));
    let above = function.and_then(|f| platform.devices.pci_at(f.above.as_deref()?));
    let link = function.and_then(|f| f.link.as_ref());
    let now = link.map(|link| speed(link.current_gts, link.current_width));
    [
        optional(function.and_then(|f| f.numa_node)),
        function.map(|f| f.local_cpus.to_string()).unwrap_or_default(),
        optional(now),
        most(link),
        most(above.and_then(|port: &PciDevice| port.link.as_ref())),
        more,
    ]
}

fn most(link: Option<&PcieLink>) -> String {
    let known = link.filter(|link| link.max_gts.is_some() || link.max_width.is_some());
    optional(known.map(|link| speed(link.max_gts, link.max_width)))
}

fn speed(gts: Option<f64>, lanes: Option<u32>) -> String {
    format!("{} GT/s x{}", optional(gts), optional(lanes))
}

fn root(most: String, node: Option<u32>) -> String {
    format!("{most} at node {}", optional(node))
}

fn nvme(transport: Option<&str>, state: Option<&str>, queues: Option<u32>) -> String {
    format!("{}, {}, {} queues", optional(transport), optional(state), optional(queues))
}

fn more(
    driver: Option<&str>,
    state: Option<&str>,
    bits: Option<u64>,
    duplex: Option<&str>,
) -> String {
    let bits = optional(bits.map(|bits| format!("{bits} bit/s")));
    format!("{}, {}, {bits}, {} duplex", optional(driver), optional(state), optional(duplex))
}

/// A fact per property; controllers of the same name stand beside each other in it.
fn told(controllers: BTreeMap<String, Vec<About>>) -> impl Iterator<Item = (String, Fact)> {
    controllers.into_iter().flat_map(|(name, mut all)| {
        all.sort();
        ABOUT
            .iter()
            .enumerate()
            .map(move |(place, what)| {
                let values: Vec<&str> = all
                    .iter()
                    .map(|about| about[place].as_str())
                    .map(|text| if text.is_empty() { "none" } else { text })
                    .collect();
                (format!("{name}: {what}"), or_none(values.join(" | ")))
            })
            .collect::<Vec<_>>()
    })
}
