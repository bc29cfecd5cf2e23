//! Memory that is a device: persistent (`/sys/bus/nd`; Linux `Documentation/driver-api/nvdimm`), mapped directly
//! (`/sys/bus/dax`), on CXL (`/sys/bus/cxl`; Linux `Documentation/ABI/testing/sysfs-bus-cxl`).

use narrows_facts::Source;
use narrows_model::{CxlMemory, DaxDevice, PmemNamespace, PmemRegion};

use super::{by_number, driver, names};
use crate::block::transport::is_numbered;
use crate::pcie;

const REGIONS: &str = "/sys/bus/nd/devices";
const DAX: &str = "/sys/bus/dax/devices";
const CXL: &str = "/sys/bus/cxl/devices";

pub(super) fn regions(source: &dyn Source) -> Vec<PmemRegion> {
    let mut names = names(source, REGIONS);
    names.retain(|name| is_numbered(name, "region"));
    names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
    names.into_iter().map(|name| region(source, name)).collect()
}

fn region(source: &dyn Source, name: String) -> PmemRegion {
    let folder = format!("{REGIONS}/{name}");
    let number = |file: &str| source.number::<u32>(&format!("{folder}/{file}"));
    PmemRegion {
        size_bytes: source.number(&format!("{folder}/size")),
        numa_node: number("numa_node"),
        target_node: number("target_node"),
        persistence_domain: source.text(&format!("{folder}/persistence_domain")),
        namespaces: names(source, &folder)
            .into_iter()
            // And a file that names the one to make the next from.
            .filter(|entry| entry.starts_with("namespace") && entry != "namespace_seed")
            .map(|entry| PmemNamespace {
                mode: source.text(&format!("{folder}/{entry}/mode")),
                size_bytes: source.number(&format!("{folder}/{entry}/size")),
                name: entry,
            })
            // Each region keeps an empty one to make the next from.
            .filter(|namespace| namespace.size_bytes != Some(0))
            .collect(),
        name,
    }
}

pub(super) fn dax(source: &dyn Source) -> Vec<DaxDevice> {
    let device = |name: String| {
        let folder = format!("{DAX}/{name}");
        DaxDevice {
            size_bytes: source.number(&format!("{folder}/size")),
            target_node: source.number(&format!("{folder}/target_node")),
            driver: driver(source, &folder),
            name,
        }
    };
    names(source, DAX).into_iter().map(device).collect()
}

pub(super) fn cxl(source: &dyn Source) -> Vec<CxlMemory> {
    let device = |name: String| {
        let folder = source.real_path(&format!("{CXL}/{name}")).ok()?;
        let size = |part: &str| {
            let text = source.text(&format!("{folder}/{part}/size"))?;
            // The kernel writes it in hexadecimal.
            let bytes = text.strip_prefix("0x").map(|digits| u64::from_str_radix(digits, 16));
            bytes.unwrap_or_else(|| text.parse()).ok().filter(|bytes| *bytes > 0)
        };
        Some(CxlMemory {
            volatile_bytes: size("ram"),
            persistent_bytes: size("pmem"),
            numa_node: source
                .number(&format!("{folder}/numa_node"))
                .or_else(|| pcie::numa_node(source, &folder)),
            pci: pcie::nearest(&folder),
            name,
        })
    };
    let mut names = names(source, CXL);
    names.retain(|name| is_numbered(name, "mem"));
    names.sort_by(|a, b| by_number(a).cmp(&by_number(b)));
    names.into_iter().filter_map(device).collect()
}
