//! Memory as a whole: sizes, modules, huge pages.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Memory as a whole.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Memory {
    /// Total, bytes.
    pub total_bytes: u64,
    /// Available at discovery, bytes.
    pub available_bytes: Option<u64>,
    /// Swap, bytes.
    pub swap_bytes: u64,
    /// Memory modules, where they can be read.
    pub dimms: Option<Vec<Dimm>>,
    /// Huge-page pools by page size.
    pub huge_pages: Vec<HugePages>,
    /// Transparent huge pages: `always`, `madvise`, `never`.
    pub transparent_huge_pages: Option<String>,
    /// Whether the kernel moves pages between nodes by itself.
    pub numa_balancing: Option<bool>,
    /// Whether the hypervisor takes free memory back (free page reporting): memory used again then costs a fault on
    /// the host. `None` outside of virtual machines.
    #[serde(default)]
    pub free_page_reporting: Option<bool>,
}

/// A memory module slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Dimm {
    /// Slot label.
    pub locator: Option<String>,
    /// Bytes; `None` for an empty slot.
    pub size_bytes: Option<u64>,
    /// `DDR5`.
    pub kind: Option<String>,
    /// Transfers per second the module could do, millions.
    pub rated_mts: Option<u32>,
    /// Transfers per second configured, millions.
    pub configured_mts: Option<u32>,
}

/// A pool of explicit huge pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HugePages {
    /// Page size, bytes.
    pub page_bytes: u64,
    /// Pages in the pool.
    pub total: u64,
    /// Pages free.
    pub free: u64,
}
