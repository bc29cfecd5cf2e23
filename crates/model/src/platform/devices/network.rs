//! Ports of networks.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A network interface with a device behind it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct NetworkPort {
    /// `eth0`.
    pub name: String,
    /// The kernel's driver.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
    /// `up`, `down`, `dormant`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// Speed, bits/s; `None` while it is down, and of most virtual ports.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits_per_s: Option<u64>,
    /// `full`, `half`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duplex: Option<String>,
    /// Largest packet, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mtu_bytes: Option<u32>,
    /// Queues for what arrives.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receive_queues: Option<u32>,
    /// Queues for what is sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_queues: Option<u32>,
    /// The bond, team or bridge that it is a part of.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub part_of: Option<String>,
    /// Whether it is a share of another function's port (SR-IOV).
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub virtual_function: bool,
    /// NUMA node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// Its PCI function, if it is on PCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
}

/// A port that does RDMA.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct RdmaPort {
    /// `mlx5_0`.
    pub device: String,
    /// Its number on the device, from 1.
    pub port: u32,
    /// `ACTIVE`, `DOWN`, `INIT`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<String>,
    /// As the kernel writes it: `100 Gb/sec (4X EDR)`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<String>,
    /// What is left of it for packets after the encoding of the link, bits/s.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bits_per_s: Option<u64>,
    /// `InfiniBand`, `Ethernet`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub link_layer: Option<String>,
    /// `rxe` or `siw`, where no card does it but the kernel, on its CPUs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub in_software: Option<String>,
    /// The network interface on the same port.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface: Option<String>,
    /// NUMA node.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// Its PCI function, if it is on PCI.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
}
