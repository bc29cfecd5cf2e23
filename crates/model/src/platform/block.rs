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
    /// `nvme (pcie)`, `virtio`, `sata`; of what is no drive, [`MEMORY`] or [`THIS_MACHINE`] with what it is.
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

/// What the transport of a device begins with whose bytes are in this machine's memory, or nowhere: `memory (tmpfs)`.
pub const MEMORY: &str = "memory (";
/// And what that of a target ends with that this machine serves to itself: `iscsi (this machine)`.
pub const THIS_MACHINE: &str = "(this machine)";
/// Transports of devices that a program or the kernel of this machine serves, or may serve: what is behind them can't be seen here.
const MAY_BE_SERVED_HERE: [&str; 3] = ["nvme (loop)", "program (ublk)", "network (nbd)"];

impl BlockDevice {
    /// Why this is no drive but this machine's memory, if so: `zram0 is in memory`.
    pub fn in_memory(&self) -> Option<String> {
        let name = &self.name;
        let transport = self.transport.as_deref().unwrap_or_default();
        let own = transport.ends_with(THIS_MACHINE);
        let what = transport.trim_end_matches(THIS_MACHINE).trim().strip_prefix(MEMORY);
        match (what.map(|what| what.trim_end_matches(')')), self.kind) {
            (Some(what), DeviceKind::Loop) => {
                Some(format!("{name} serves a file in memory ({what})"))
            }
            (Some(what), _) if own => Some(format!("behind {name} is a file in memory ({what})")),
            (Some(what), _) => Some(format!("{name} is in memory ({what})")),
            (None, DeviceKind::Memory) => Some(format!("{name} is in memory")),
            (None, _) => None,
        }
    }

    /// That this machine serves the device to itself, or may, so that the target is a part of every figure.
    pub fn served_here(&self) -> Option<String> {
        let transport = self.transport.as_deref()?;
        let name = &self.name;
        if transport.ends_with(THIS_MACHINE) {
            let by = transport.trim_end_matches(THIS_MACHINE).trim();
            return Some(format!("{name} ({by}) is served by this machine to itself"));
        }
        let may = MAY_BE_SERVED_HERE.contains(&transport);
        may.then(|| format!("{name} ({transport}) may be served by a program of this machine"))
    }
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
    /// What this is, where space for a block is allocated only when it is first written: `a thin volume (dm-thin)`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub thin: Option<String>,
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
