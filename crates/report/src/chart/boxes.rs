//! The machine as boxes within boxes: packages, nodes, caches and cores as they lie within each other, and what hangs on PCIe with
//! what its link carries. What is alike is one box with a count. A link that runs below what both its ends could do says so in words.

use narrows_model::{Devices, Finding, PciDevice, PciKind, Platform};

use super::annotations::Annotations;
use super::nested;
use crate::document::Svg;
use crate::inventory::topology::places_with;
use crate::link;
use crate::nested_box::NestedBox;
use crate::print::Units;

/// The rules whose findings the link's own mark tells.
const TOLD_BY_LINKS: [&str; 2] = [" pcie-link-below-its-ends: ", " slot-below-device: "];
/// Links that are drawn; a machine with more has them in its list.
const MOST_LINKS: usize = 64;

/// The picture; `None` where nothing is known of how the machine is built.
pub(crate) fn picture(p: &Platform, name: &str, findings: &[Finding]) -> Option<Svg> {
    let said = Annotations::new(findings);
    let mut parts = places_with(p, &|node| said.at(&[&format!("node {node}")]));
    parts.extend(links(&p.devices, &said));
    if parts.is_empty() {
        return None;
    }
    let label = format!("{name}: its parts as boxes within boxes");
    let machine = NestedBox { marks: said.rest(), ..NestedBox::of(name, parts) };
    Some(nested::figure(&machine, &[], &label))
}

/// What is on PCI by node, each with its link; of what several functions share one link, the first.
fn links(devices: &Devices, said: &Annotations<'_>) -> Vec<NestedBox> {
    let linked = devices.links().map(|(end, port)| (end, link_of(end, port)));
    let others = devices.pci.iter().filter(|end| end.kind != PciKind::Bridge && end.link.is_none());
    let all: Vec<_> = linked.chain(others.map(|end| (end, None))).collect();
    let left_out = all.len().saturating_sub(MOST_LINKS);
    let mut nodes: Vec<(Option<u32>, Vec<NestedBox>)> = Vec::new();
    for (end, link) in all.into_iter().take(MOST_LINKS) {
        let names = devices.names_at(&end.address);
        let what = if names.is_empty() { end.address.clone() } else { names.join(" and ") };
        let (link, mut marks) = link.map_or((String::new(), Vec::new()), |link| {
            (format!(", {}", link.now), link.mark.into_iter().collect())
        });
        let mut parts = names;
        parts.push(&end.address);
        let controllers = devices.nvme_controllers.iter();
        let own = controllers.filter(|controller| controller.pci.as_ref() == Some(&end.address));
        parts.extend(own.map(|controller| controller.name.as_str()));
        let told = |mark: &String| TOLD_BY_LINKS.iter().any(|rule| mark.contains(rule));
        let own = said.at(&parts).into_iter().filter(|mark| !told(mark));
        marks.extend(own);
        let words = format!("{what}, {}{link}", end.kind.word());
        let place = NestedBox { marks, ..NestedBox::leaf(words) };
        match nodes.iter_mut().find(|(node, _)| *node == end.numa_node) {
            Some((_, places)) => places.push(place),
            None => nodes.push((end.numa_node, vec![place])),
        }
    }
    nodes.sort_by_key(|(node, _)| node.unwrap_or(u32::MAX));
    let words = |node: Option<u32>| match node {
        Some(node) => format!("PCI at node {node}"),
        None => "PCI, at no node that is known".to_string(),
    };
    let mut places: Vec<NestedBox> =
        nodes.into_iter().map(|(node, within)| NestedBox::of(words(node), within)).collect();
    if left_out > 0 {
        places.push(NestedBox::leaf(format!("and {left_out} more in the list")));
    }
    places
}

/// `PCIe 16 GT/s x4, its most, 7.88 GB/s each way`, and the mark; `None` where speed or width aren't known.
fn link_of(end: &PciDevice, port: Option<&PciDevice>) -> Option<link::LinkWords> {
    let own = end.link.as_ref()?;
    let carries = Units::Si.bytes_per_s(own.bytes_per_s()?);
    let words = link::words(own, port.and_then(|port| port.link.as_ref()))?;
    Some(link::LinkWords { now: format!("PCIe {}, {carries} each way", words.now), ..words })
}

#[cfg(test)]
mod tests {
    use narrows_model::{Cache, PcieLink};

    use super::*;

    fn function(address: &str, above: Option<&str>, kind: PciKind, link: PcieLink) -> PciDevice {
        PciDevice {
            address: address.into(),
            above: above.map(str::to_string),
            numa_node: Some(1),
            link: Some(link),
            ..PciDevice::new(kind)
        }
    }

    fn runs(now: (f64, u32), most: (f64, u32)) -> PcieLink {
        PcieLink {
            address: String::new(),
            current_gts: Some(now.0),
            current_width: Some(now.1),
            max_gts: Some(most.0),
            max_width: Some(most.1),
            flit_mode: None,
        }
    }

    #[test]
    fn a_link_says_what_it_carries_and_when_it_could_do_more() {
        let said = |now, end, port| {
            let pci = vec![
                function("0000:00:01.0", None, PciKind::Bridge, runs(now, port)),
                function("0000:01:00.0", Some("0000:00:01.0"), PciKind::Nvme, runs(now, end)),
            ];
            let places = links(&Devices { pci, ..Devices::default() }, &Annotations::new(&[]));
            assert_eq!((places.len(), places[0].words.as_str()), (1, "PCI at node 1"));
            assert_eq!(places[0].within.len(), 1);
            places[0].within[0].clone()
        };
        let slow = said((8.0, 2), (16.0, 4), (32.0, 4));
        assert_eq!(slow.words, "0000:01:00.0, NVMe, PCIe 8 GT/s x2, 1.97 GB/s each way");
        assert_eq!(slow.marks, ["BELOW the 16 GT/s x4 of both ends"]);
        let limited = said((16.0, 4), (32.0, 4), (16.0, 4));
        assert_eq!(limited.marks, ["LIMITED by the slot: the device supports 32 GT/s x4"]);
        assert!(said((16.0, 4), (16.0, 4), (16.0, 16)).marks.is_empty());
    }

    #[test]
    fn a_machine_of_which_nothing_is_known_has_no_picture() {
        assert_eq!(picture(&Platform::default(), "db7", &[]), None);
        let cache = Cache { level: 3, size_bytes: 1 << 20, instances: 1, ..Cache::default() };
        let known = Platform {
            caches: vec![Cache { cpus: vec!["0-3".parse().unwrap()], ..cache }],
            ..Platform::default()
        };
        let drawn = picture(&known, "<db7>", &[]).unwrap();
        assert!(drawn.contains("L3 1 MiB") && drawn.contains("&lt;db7&gt;"), "{drawn}");
    }
}
