//! PCI functions and their interrupts.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::platform::{IdSet, PcieLink};

/// What a PCI function is, by its class code (PCI Code and ID Assignment Specification), where that matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum PciKind {
    /// A port of a root complex or switch, or a bridge to an older bus.
    Bridge,
    /// An NVMe controller.
    Nvme,
    /// A RAID, SAS, SCSI, Fibre Channel, SATA or IDE controller, or another one of drives.
    Storage,
    /// An Ethernet controller.
    Ethernet,
    /// An InfiniBand controller, or one that can be either.
    Infiniband,
    /// A display controller; graphics processors call themselves that too.
    Graphics,
    /// An accelerator.
    Accelerator,
    /// A memory controller; CXL memory is one.
    Memory,
}

impl PciKind {
    /// The word used on the screen.
    pub fn word(self) -> &'static str {
        match self {
            PciKind::Bridge => "port",
            PciKind::Nvme => "NVMe",
            PciKind::Storage => "storage",
            PciKind::Ethernet => "Ethernet",
            PciKind::Infiniband => "InfiniBand",
            PciKind::Graphics => "graphics",
            PciKind::Accelerator => "accelerator",
            PciKind::Memory => "memory",
        }
    }
}

/// One PCI function.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PciDevice {
    /// `0000:5e:00.0`; the domain has four digits, behind some controllers up to eight.
    pub address: String,
    /// Address of the port above it; `None` on a root bus.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub above: Option<String>,
    /// What it is.
    pub kind: PciKind,
    /// Maker and model as numbers: `144d:a80a`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// The kernel's driver.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// NUMA node; `None` where the kernel doesn't know it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// On-line CPUs near it; empty where all are equally near or nothing says so.
    #[serde(default, skip_serializing_if = "IdSet::is_empty")]
    pub local_cpus: IdSet,
    /// Its link: of a port the one below it, of anything else the one above.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<PcieLink>,
    /// The firmware's name of the slot it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slot: Option<String>,
    /// Its interrupts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interrupts: Option<Interrupts>,
}

impl PciDevice {
    /// Deeper than any chain of switches: a bus number has eight bits.
    pub const MAX_DEPTH: usize = 256;

    /// A function of which nothing but its kind is known.
    pub fn new(kind: PciKind) -> Self {
        PciDevice {
            address: String::new(),
            above: None,
            kind,
            id: None,
            driver: None,
            numa_node: None,
            local_cpus: IdSet::default(),
            link: None,
            slot: None,
            interrupts: None,
        }
    }

    /// The address without its function: functions of one device share a link.
    pub fn device(&self) -> &str {
        self.address.rsplit_once('.').map_or(&self.address, |(device, _)| device)
    }
}

/// Who serves a device's interrupts, counted since the machine started.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Interrupts {
    /// Vectors that it has.
    pub vectors: u32,
    /// Vectors on which at least a hundredth of its interrupts came; others are for settings and errors.
    pub busy_vectors: u32,
    /// CPUs that serve those vectors now.
    pub cpus: IdSet,
    /// Interrupts on all vectors.
    pub count: u64,
    /// The CPU that served most of them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_cpu: Option<u32>,
    /// Its share of them, 0 to 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub busiest_share: Option<f64>,
}
