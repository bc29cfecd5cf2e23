//! Drives and the controllers before them.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A whole drive.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Drive {
    /// Kernel name.
    pub name: String,
    /// Model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// `nvme (pcie)`, `virtio`, `sata`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Size, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// NUMA node of its controller; `None` where the kernel doesn't know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// Hardware queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<u32>,
    /// `nvme0`, `host0`, `virtio1`; of a drive with several ways the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// Its link to its adapter, where that is SATA or SAS.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link: Option<DriveLink>,
    /// PCI functions through which it is reached.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub pci: Vec<String>,
}

/// What is spoken on the link between a drive and its adapter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DriveLinkKind {
    /// SATA, also behind an adapter or expander for SAS.
    Sata,
    /// SAS.
    Sas,
}

/// The link between a drive and its adapter, as negotiated.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DriveLink {
    /// What is spoken.
    pub kind: DriveLinkKind,
    /// Signal rate of one lane, bits/s, encoding included.
    pub bits_per_s: u64,
    /// Lanes.
    pub lanes: u32,
}

/// An NVMe controller.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct NvmeController {
    /// `nvme0`.
    pub name: String,
    /// `pcie`, `tcp`, `rdma`, `fc`, `loop`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Firmware revision.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub firmware: Option<String>,
    /// `live`, `connecting`, `resetting`, `deleting`, `dead`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// NUMA node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// Queues for input and output; the one for administration isn't counted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<u32>,
    /// Commands that each queue holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queue_depth: Option<u32>,
    /// Its PCI function, if it is on PCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
    /// How its connection is kept, if it is reached over a network.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fabric: Option<NvmeFabric>,
}

/// How the connection to an NVMe controller over a network is kept; what isn't told, and what is for ever, is absent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct NvmeFabric {
    /// Pause before each attempt to connect again, s (`reconnect_delay`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reconnect_delay_s: Option<u32>,
    /// Time of attempts until the device is removed, s (`ctrl_loss_tmo`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub loss_timeout_s: Option<u32>,
    /// Time until operations fail while it is not connected, s (`fast_io_fail_tmo`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fast_io_fail_s: Option<u32>,
    /// Keep-alive timeout, s (`kato`).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub keep_alive_s: Option<u32>,
}

/// An NVMe subsystem.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct NvmeSubsystem {
    /// `nvme-subsys0`.
    pub name: String,
    /// How the kernel chooses among paths: `numa`, `round-robin`, `queue-depth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub io_policy: Option<String>,
    /// Controllers that lead to it.
    pub controllers: Vec<String>,
    /// Its namespaces.
    pub namespaces: Vec<NvmeNamespace>,
}

/// A namespace: what the kernel shows as a drive.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct NvmeNamespace {
    /// `nvme0n1`.
    pub name: String,
    /// Size, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// Ways to it, where the kernel manages several; empty where it has one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<NvmePath>,
}

/// One way to a namespace.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct NvmePath {
    /// `nvme0c1n1`.
    pub name: String,
    /// The controller that it goes through.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub controller: Option<String>,
    /// `optimized`, `non-optimized`, `inaccessible`, `persistent-loss`, `change` (NVM Express, asymmetric access).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
}

/// A SCSI host adapter.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct ScsiHost {
    /// `host0`.
    pub name: String,
    /// The driver's name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// `sas`, `sata`, `fibre channel`, `iscsi`, `srp`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transport: Option<String>,
    /// Speed of a Fibre Channel port, as the kernel writes it: `32 Gbit`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub speed: Option<String>,
    /// Commands that it holds in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Hardware queues.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub queues: Option<u32>,
    /// Its PCI function, if it is on PCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
}

/// A virtio device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct VirtioDevice {
    /// `virtio0`.
    pub name: String,
    /// `block`, `network`, `SCSI`, `balloon`; a number where the kind isn't known here.
    pub kind: String,
    /// Its PCI function, if it is on PCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
}
