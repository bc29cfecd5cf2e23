//! What hangs on the machine: PCI functions with their links and interrupts, drives and what is made of them, ports of
//! networks, memory that is a device. One module per kind of folder in `/sys`; whatever is absent there is left out.
//!
//! Serial numbers, addresses and names that people gave are not read.

mod drive_link;
mod drives;
mod interrupts;
mod memory;
mod network;
mod nvme;
mod pci;
mod scsi;
mod stacked;

use narrows_facts::Source;
use narrows_model::Devices;

use crate::block::last;

pub(crate) fn read(source: &dyn Source, online: &[u32]) -> Devices {
    let (drives, arrays, mapped) = drives::read(source);
    Devices {
        pci: pci::read(source, online),
        drives,
        nvme_controllers: nvme::controllers(source),
        nvme_subsystems: nvme::subsystems(source),
        scsi_hosts: scsi::hosts(source),
        virtio: pci::virtio(source),
        arrays,
        mapped,
        network: network::ports(source),
        rdma: network::rdma(source),
        pmem: memory::regions(source),
        dax: memory::dax(source),
        cxl: memory::cxl(source),
    }
}

/// The names in a folder; none where it isn't there.
fn names(source: &dyn Source, folder: &str) -> Vec<String> {
    source.list(folder).unwrap_or_default()
}

/// The name of the driver behind a device's folder.
fn driver(source: &dyn Source, folder: &str) -> Option<String> {
    let link = source.link(&format!("{folder}/driver")).ok()?;
    Some(last(&link).to_string())
}

/// Numbered names in the order of their numbers: `nvme2` before `nvme10`.
fn by_number(name: &str) -> (usize, &str) {
    (name.len(), name)
}
