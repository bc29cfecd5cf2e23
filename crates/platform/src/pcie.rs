//! PCIe links on the way to a device, from the attributes of each PCI function on its path in `/sys/devices` (Linux
//! `Documentation/ABI/testing/sysfs-bus-pci`).
//!
//! A link has two ends, and each states what it could do: a fast drive in a slow slot shows only by comparing them.
//! So every function on the path gives an entry, the device's own first, then the port above it, which is the other
//! end of the same link, and so on up to the root port. Links may slow down while idle; read them under load before
//! calling one slow.

use narrows_facts::{Source, parse_cpu_list, parse_cpu_mask};
use narrows_model::{IdSet, PcieLink};

/// The functions on `path` that state a link, from the device up.
pub(crate) fn links(source: &dyn Source, path: &str) -> Vec<PcieLink> {
    functions(path).filter_map(|folder| link(source, folder)).collect()
}

/// What the function in `folder` states of its link.
pub(crate) fn link(source: &dyn Source, folder: &str) -> Option<PcieLink> {
    let text = |name| source.text(&format!("{folder}/{name}"));
    let speed = |name| PcieLink::parse_gts(&text(name)?);
    let width = |name| PcieLink::parse_width(&text(name)?);
    let mut link = PcieLink {
        address: folder.rsplit('/').next().unwrap_or_default().to_string(),
        current_gts: speed("current_link_speed"),
        current_width: width("current_link_width"),
        max_gts: speed("max_link_speed"),
        max_width: width("max_link_width"),
        flit_mode: None,
    };
    if link.may_be_in_flits() {
        link.flit_mode = source.pcie_flit_mode(&link.address);
    }
    let stated = link.current_gts.is_some() || link.max_gts.is_some();
    (stated || link.current_width.is_some()).then_some(link)
}

/// The address of the deepest function on a path.
pub(crate) fn nearest(path: &str) -> Option<String> {
    let folder = functions(path).next()?;
    Some(folder.rsplit('/').next().unwrap_or_default().to_string())
}

/// The NUMA node of the nearest function that knows it, or of the persistent memory that a drive is; the kernel writes -1
/// for none.
pub(crate) fn numa_node(source: &dyn Source, path: &str) -> Option<u32> {
    let mut places = functions(path).chain(memory_region(path));
    places.find_map(|folder| source.number::<u32>(&format!("{folder}/numa_node")))
}

/// The node that all ways to a drive agree on, as far as they know theirs. Which of several the kernel names first changes from
/// start to start, and a drive with ways at two nodes is near to both.
pub(crate) fn common_node(source: &dyn Source, paths: &[String]) -> Option<u32> {
    let mut nodes = paths.iter().filter_map(|path| numa_node(source, path));
    let first = nodes.next()?;
    nodes.all(|node| node == first).then_some(first)
}

/// The folder of the region of persistent memory on a path.
fn memory_region(path: &str) -> Option<&str> {
    let bus = path.find("/ndbus")?;
    let begin = bus + path[bus..].find("/region")? + 1;
    let end = path[begin..].find('/').map_or(path.len(), |length| begin + length);
    Some(&path[..end])
}

/// The processors that are near the function at `address`, as the nearest function on its path that knows says. All
/// processors is what the kernel writes for a device whose place it doesn't know.
pub(crate) fn local_cpus(source: &dyn Source, address: &str, online: &[u32]) -> Option<IdSet> {
    let path = source.real_path(&format!("/sys/bus/pci/devices/{address}")).ok()?;
    functions(&path).find_map(|folder| {
        let cpus = source
            .text(&format!("{folder}/local_cpulist"))
            .map(|text| parse_cpu_list(&text))
            .or_else(|| parse_cpu_mask(&source.text(&format!("{folder}/local_cpus"))?))?;
        let near: IdSet =
            cpus.into_iter().filter(|cpu| online.binary_search(cpu).is_ok()).collect();
        (!near.is_empty() && near.len() < online.len()).then_some(near)
    })
}

/// The folders of the PCI functions on a path, the deepest first.
pub(crate) fn functions(path: &str) -> impl Iterator<Item = &str> {
    path.match_indices('/')
        .map(|(index, _)| index)
        .chain([path.len()])
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .map(|end| &path[..end])
        .filter(|folder| folder.rsplit('/').next().is_some_and(is_address))
}

/// `0000:5e:00.0`; domains have four digits or, behind some controllers, more.
fn is_address(text: &str) -> bool {
    let mut parts = text.split([':', '.']);
    let hex = |part: Option<&str>, range: std::ops::RangeInclusive<usize>| {
        part.is_some_and(|part| {
            range.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_hexdigit())
        })
    };
    hex(parts.next(), 4..=8)
        && hex(parts.next(), 2..=2)
        && hex(parts.next(), 2..=2)
        && hex(parts.next(), 1..=1)
        && parts.next().is_none()
        && text.matches(':').count() == 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_region_of_a_drive_in_persistent_memory() {
        let bus = "/sys/devices/LNXSYSTM:00/LNXSYBUS:00/ACPI0012:00/ndbus0";
        let region = format!("{bus}/region12");
        assert_eq!(memory_region(&format!("{region}/namespace12.0/block/pmem12")), Some(&*region));
        assert_eq!(memory_region(&region), Some(&*region));
        assert_eq!(memory_region(&format!("{bus}/nmem0")), None);
        assert_eq!(memory_region("/sys/devices/region0/x"), None);
    }

    #[test]
    fn functions_from_the_device_up() {
        let path = "/sys/devices/pci0000:00/0000:00:01.1/10000:01:00.0/nvme/nvme0/nvme0n1";
        let found: Vec<&str> = functions(path).map(|f| f.rsplit('/').next().unwrap()).collect();
        assert_eq!(found, ["10000:01:00.0", "0000:00:01.1"]);
        assert!(!is_address("pci0000:00") && !is_address("0:0:0:0") && !is_address("1.2.3.4"));
        assert!(!is_address("0000:00.01.1"));
    }
}
