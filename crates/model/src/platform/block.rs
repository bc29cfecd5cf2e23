//! Block devices and their queues.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::PcieLink;

/// What a block device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum DeviceKind {
    /// A whole drive.
    Disk,
    /// A partition of the next device in the list.
    Partition,
    /// A device-mapper device.
    Mapper,
    /// A Linux software RAID.
    Raid,
    /// A file shown as a device.
    Loop,
    /// A device in memory.
    Memory,
}

/// One block device of a path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct BlockDevice {
    /// Kernel name.
    pub name: String,
    /// `major:minor`.
    pub number: String,
    /// What it is.
    pub kind: DeviceKind,
    /// RAID level or device-mapper target, where it has one.
    pub level: Option<String>,
    /// Model.
    pub model: Option<String>,
    /// `nvme (pcie)`, `virtio`, `sata`.
    pub transport: Option<String>,
    /// Size, bytes.
    pub size_bytes: Option<u64>,
    /// Names of the devices beneath it; a partition's disk counts as beneath it.
    pub slaves: Vec<String>,
    /// Request queue, of whole devices.
    pub queue: Option<Queue>,
    /// NUMA node of its controller; `None` where the kernel doesn't know.
    pub numa_node: Option<u32>,
    /// PCIe links from the device up, where it hangs on PCIe.
    pub pcie: Vec<PcieLink>,
}

/// A drive's write cache in the drive's own words, which the kernel's setting may contradict.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct DriveCache {
    /// Whether what is in it is lost with the power, unless it is flushed.
    pub volatile: bool,
    /// Where it says so, and how: `scsi_disk cache_type "write back"`.
    pub says: String,
}

/// Settings of a request queue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Queue {
    /// The scheduler in force.
    pub scheduler: Option<String>,
    /// Requests that each hardware queue holds.
    pub nr_requests: Option<u32>,
    /// Hardware queues; each holds so many requests.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hardware_queues: Option<u32>,
    /// Smallest addressable unit, bytes.
    pub logical_block_bytes: Option<u32>,
    /// Smallest unit without read-modify-write, bytes.
    pub physical_block_bytes: Option<u32>,
    /// Whether the kernel believes it rotates; virtual drives often lie.
    pub rotational: Option<bool>,
    /// What the kernel takes the cache for: `write back` (volatile, it must be flushed) or `write through`, and then no
    /// flush is sent.
    pub write_cache: Option<String>,
    /// What the drive reports of its cache; absent where it can't be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub drive_cache: Option<DriveCache>,
    /// Whether a single write can be forced to the medium.
    pub fua: Option<bool>,
    /// Largest request, KiB.
    pub max_sectors_kib: Option<u32>,
    /// Read-ahead, KiB.
    pub read_ahead_kib: Option<u32>,
    /// Writeback throttling target, µs; 0 is off.
    pub wbt_lat_us: Option<i64>,
    /// 2: merging off.
    pub nomerges: Option<u32>,
    /// Whether the device's counters are kept; without them nothing can be cross-checked.
    pub iostats: Option<bool>,
}
