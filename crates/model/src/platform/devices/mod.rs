//! What hangs on the machine: PCI functions, drives and what is made of them, ports of networks, persistent memory.
//!
//! A tree is told by names: a function's bridge, a drive's function, an array's members. Serial numbers, addresses of
//! networks and of drives, and host names are not kept.

mod network;
mod pci;
mod persistent;
mod stacked;
mod storage;

use std::collections::BTreeSet;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use network::{NetworkPort, RdmaPort};
pub use pci::{Interrupts, PciDevice, PciKind};
pub use persistent::{CxlMemory, DaxDevice, PmemNamespace, PmemRegion};
pub use stacked::{ArrayMember, DrivePath, MapperDevice, MapperTarget, MdArray};
pub use storage::{
    Drive, DriveLink, DriveLinkKind, NvmeController, NvmeFabric, NvmeNamespace, NvmePath,
    NvmeSubsystem, ScsiHost, VirtioDevice,
};

/// All devices that bear on how fast a database can be; each list by name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Devices {
    /// Bridges and the functions behind them that move data, ascending by address as text; those of the chipset itself are
    /// left out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pci: Vec<PciDevice>,
    /// Whole drives, without those that are made of others or of memory.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub drives: Vec<Drive>,
    /// NVMe controllers: drives, or ways to a drive elsewhere.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nvme_controllers: Vec<NvmeController>,
    /// NVMe subsystems: what several controllers may lead to.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nvme_subsystems: Vec<NvmeSubsystem>,
    /// Host adapters of SCSI, SAS, SATA, Fibre Channel, iSCSI.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scsi_hosts: Vec<ScsiHost>,
    /// Devices that a hypervisor lends.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub virtio: Vec<VirtioDevice>,
    /// Linux software RAID.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub arrays: Vec<MdArray>,
    /// Device-mapper devices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mapped: Vec<MapperDevice>,
    /// Network interfaces with hardware, real or lent, behind them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub network: Vec<NetworkPort>,
    /// Ports that do RDMA.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rdma: Vec<RdmaPort>,
    /// Persistent memory by region.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pmem: Vec<PmemRegion>,
    /// Memory that is mapped directly.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub dax: Vec<DaxDevice>,
    /// CXL memory devices.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cxl: Vec<CxlMemory>,
}

impl Devices {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Devices::default()
    }

    /// The function at an address.
    pub fn pci_at(&self, address: &str) -> Option<&PciDevice> {
        let place = self.pci.binary_search_by(|function| function.address.as_str().cmp(address));
        place.ok().map(|place| &self.pci[place])
    }

    /// A function and the bridges above it, the nearest first.
    pub fn way_up<'a>(&'a self, address: &str) -> impl Iterator<Item = &'a PciDevice> {
        let above = |function: &&'a PciDevice| self.pci_at(function.above.as_deref()?);
        // A description by hand may go round in a circle; no real path is that deep.
        std::iter::successors(self.pci_at(address), above).take(PciDevice::MAX_DEPTH)
    }

    /// What the kernel made of the function at an address: drives, interfaces, RDMA devices.
    pub fn names_at<'a>(&'a self, address: &str) -> Vec<&'a str> {
        let is_it = |pci: &Option<String>| pci.as_deref() == Some(address);
        let drives = self.drives.iter().filter(|d| d.pci.iter().any(|pci| pci == address));
        let ports = self.network.iter().filter(|port| is_it(&port.pci));
        let rdma = self.rdma.iter().filter(|port| is_it(&port.pci));
        let mut names: Vec<&str> = drives.map(|drive| drive.name.as_str()).collect();
        names.extend(ports.map(|port| port.name.as_str()));
        names.extend(rdma.map(|port| port.device.as_str()));
        names.dedup();
        names
    }

    /// Each PCIe link once: the function below it, and the port above where that is shown.
    pub fn links(&self) -> impl Iterator<Item = (&PciDevice, Option<&PciDevice>)> {
        let mut seen = BTreeSet::new();
        let states = self.pci.iter().filter(|function| function.link.is_some());
        // A switch has a port up and ports down, in turns on the way from the root; the link of one down is below it.
        let ends_below = states.filter(|function| {
            let bridges = self.way_up(&function.address).skip(1);
            let above = bridges.take_while(|function| function.kind == PciKind::Bridge).count();
            function.kind != PciKind::Bridge || above % 2 == 1
        });
        let once = ends_below.filter(move |function| seen.insert(function.device()));
        once.map(|function| {
            (function, function.above.as_deref().and_then(|port| self.pci_at(port)))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::platform::PcieLink;

    fn function(address: &str, above: Option<&str>, kind: PciKind) -> PciDevice {
        let link = PcieLink {
            address: address.to_string(),
            current_gts: Some(8.0),
            current_width: Some(4),
            max_gts: None,
            max_width: None,
            flit_mode: None,
        };
        PciDevice {
            address: address.to_string(),
            above: above.map(str::to_string),
            link: Some(link),
            ..PciDevice::new(kind)
        }
    }

    #[test]
    fn a_link_is_counted_once_whatever_is_at_its_ends() {
        let (bridge, drive) = (PciKind::Bridge, PciKind::Nvme);
        let pci = vec![
            function("0000:00:01.0", None, bridge),
            function("0000:01:00.0", Some("0000:00:01.0"), bridge),
            function("0000:02:00.0", Some("0000:01:00.0"), bridge),
            function("0000:02:01.0", Some("0000:01:00.0"), bridge),
            function("0000:03:00.0", Some("0000:02:00.0"), drive),
            function("0000:04:00.0", Some("0000:02:01.0"), PciKind::Ethernet),
            function("0000:04:00.1", Some("0000:02:01.0"), PciKind::Ethernet),
        ];
        let devices = Devices { pci, ..Devices::default() };
        let links: Vec<_> = devices
            .links()
            .map(|(end, port)| (end.address.as_str(), port.map(|port| port.address.as_str())))
            .collect();
        assert_eq!(
            links,
            [
                ("0000:01:00.0", Some("0000:00:01.0")),
                ("0000:03:00.0", Some("0000:02:00.0")),
                ("0000:04:00.0", Some("0000:02:01.0")),
            ]
        );
    }

    #[test]
    fn a_circle_ends() {
        let pci = vec![
            function("0000:00:01.0", Some("0000:00:02.0"), PciKind::Bridge),
            function("0000:00:02.0", Some("0000:00:01.0"), PciKind::Bridge),
        ];
        let devices = Devices { pci, ..Devices::default() };
        assert_eq!(devices.way_up("0000:00:01.0").count(), PciDevice::MAX_DEPTH);
        assert!(devices.links().count() <= 2);
    }
}
