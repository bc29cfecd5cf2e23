//! What hangs on the machine: PCI functions, drives and what is made of them, ports of networks, persistent memory.
//!
//! A tree is told by names: a function's bridge, a drive's function, an array's members. Serial numbers, addresses of
//! networks and of drives, and host names are not kept.

mod network;
mod pci;
mod persistent;
mod stacked;
mod storage;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use network::{NetworkPort, RdmaPort};
pub use pci::{Interrupts, PciDevice, PciKind};
pub use persistent::{CxlMemory, DaxDevice, PmemNamespace, PmemRegion};
pub use stacked::{ArrayMember, MapperDevice, MdArray};
pub use storage::{
    Drive, NvmeController, NvmeNamespace, NvmePath, NvmeSubsystem, ScsiHost, VirtioDevice,
};

/// All devices that bear on how fast a database can be; each list by name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct Devices {
    /// Bridges and the functions behind them that move data; those of the chipset itself are left out.
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
        self.pci.iter().find(|function| function.address == address)
    }

    /// A function and the bridges above it, the nearest first.
    pub fn way_up<'a>(&'a self, address: &str) -> impl Iterator<Item = &'a PciDevice> {
        let above = |function: &&'a PciDevice| self.pci_at(function.above.as_deref()?);
        // A description by hand may go round in a circle; no real path is that deep.
        std::iter::successors(self.pci_at(address), above).take(PciDevice::MAX_DEPTH)
    }
}
