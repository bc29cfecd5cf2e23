//! Memory that is a device: persistent, mapped directly, on CXL.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Persistent memory that is interleaved as one (ACPI NFIT).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PmemRegion {
    /// `region0`.
    pub name: String,
    /// Size, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// The nearest node that is on-line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// The node that it would be, used as memory.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_node: Option<u32>,
    /// What survives a power-off by itself: `cpu_cache`, `memory_controller`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistence_domain: Option<String>,
    /// Parts of it.
    pub namespaces: Vec<PmemNamespace>,
}

/// A part of a region.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PmemNamespace {
    /// `namespace0.0`.
    pub name: String,
    /// How it is used: `raw`, `memory`, `safe`, `dax`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mode: Option<String>,
    /// Size, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
}

/// Memory that programs map directly, or that the kernel took as a node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct DaxDevice {
    /// `dax0.0`.
    pub name: String,
    /// Size, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// The node that its memory is, or would be.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target_node: Option<u32>,
    /// `kmem` where it is used as memory, `device_dax` where programs map it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver: Option<String>,
}

/// A CXL memory device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct CxlMemory {
    /// `mem0`.
    pub name: String,
    /// Volatile memory, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub volatile_bytes: Option<u64>,
    /// Persistent memory, bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub persistent_bytes: Option<u64>,
    /// NUMA node that it hangs at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub numa_node: Option<u32>,
    /// Its PCI function.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pci: Option<String>,
}
