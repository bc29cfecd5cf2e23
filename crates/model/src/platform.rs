//! The inventory of one machine. Everything is optional that a machine can hide; what was hidden is listed in
//! [`Platform::unknown`] with the right that would show it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// One machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Platform {
    /// Host name.
    pub hostname: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Distribution, as `/etc/os-release` names it.
    pub os: Option<String>,
    /// `x86_64`, `aarch64`.
    pub architecture: Option<String>,
    /// The machine's maker and model.
    pub product: Option<String>,
    /// The hypervisor's name; `None` where the processor doesn't say that there is one.
    pub hypervisor: Option<String>,
    /// Container runtime, if inside one.
    pub container: Option<String>,
    /// Processors.
    pub cpu: Cpu,
    /// Caches, one entry per level and kind.
    pub caches: Vec<Cache>,
    /// NUMA nodes that have memory or processors.
    pub nodes: Vec<NumaNode>,
    /// Memory as a whole.
    pub memory: Memory,
    /// The kernel's clock source.
    pub clock_source: Option<String>,
    /// Clock sources that could be chosen.
    pub clock_sources_available: Vec<String>,
    /// Limits of the control group this process is in.
    pub cgroup: Cgroup,
    /// `kernel.io_uring_disabled`: 0 allowed, 1 for privileged groups, 2 off.
    pub io_uring_disabled: Option<u8>,
    /// `kernel.perf_event_paranoid`.
    pub perf_event_paranoid: Option<i32>,
    /// The path under each role, from the folder to the drives.
    pub roles: Vec<RolePath>,
    /// Databases that run on this machine.
    pub databases: Vec<RunningDatabase>,
    /// Load average of the last minute, at discovery.
    pub load_1m: Option<f64>,
    /// What could not be learned, and what would show it.
    pub unknown: Vec<Unknown>,
}

/// The processors.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cpu {
    /// Model name.
    pub model: Option<String>,
    /// Packages.
    pub sockets: u32,
    /// Cores in all packages.
    pub cores: u32,
    /// Hardware threads that are online.
    pub threads: u32,
    /// Whether cores have several active threads.
    pub smt_active: Option<bool>,
    /// Threads that are online.
    pub online: Vec<u32>,
    /// Threads this process may use (affinity and cpuset).
    pub allowed: Vec<u32>,
    /// Threads of each core, one list per core, over the online ones.
    pub cores_threads: Vec<Vec<u32>>,
    /// Frequency governor, if all share one.
    pub governor: Option<String>,
    /// Highest frequency, kHz.
    pub max_khz: Option<u64>,
    /// Whether the time-stamp counter runs at a constant rate in all states.
    pub invariant_tsc: Option<bool>,
    /// Mitigations in force, as `name: state`, those that are not "Not affected".
    pub mitigations: Vec<String>,
}

/// A cache level.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cache {
    /// 1, 2, 3...
    pub level: u32,
    /// `Data`, `Instruction`, `Unified`.
    pub kind: String,
    /// Size of one instance, bytes.
    pub size_bytes: u64,
    /// Line size, bytes.
    pub line_bytes: Option<u32>,
    /// Number of instances.
    pub instances: u32,
}

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct NumaNode {
    /// Its id; ids may be sparse.
    pub id: u32,
    /// Its online processors; empty for a node of memory only.
    pub cpus: Vec<u32>,
    /// Its memory, bytes; zero for a node of processors only.
    pub memory_bytes: u64,
    /// Free memory at discovery, bytes.
    pub free_bytes: Option<u64>,
    /// Distances as the firmware states them, by node in ascending order; not nanoseconds.
    pub distances: Vec<u32>,
}

/// Memory as a whole.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
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
    /// Whether the hypervisor takes back what is free (free page reporting): memory used again then costs a fault on
    /// the host. `None` outside of virtual machines.
    #[serde(default)]
    pub free_page_reporting: Option<bool>,
}

/// A memory module slot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HugePages {
    /// Page size, bytes.
    pub page_bytes: u64,
    /// Pages in the pool.
    pub total: u64,
    /// Pages free.
    pub free: u64,
}

/// Which control-group hierarchy is in use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CgroupVersion {
    /// None found.
    #[default]
    None,
    /// Version 1 controllers.
    V1,
    /// Version 2.
    V2,
    /// Version 2 mounted, controllers on version 1.
    Hybrid,
}

/// Limits from the control groups this process is in, the tightest on the way to the root.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Cgroup {
    /// Hierarchy.
    pub version: CgroupVersion,
    /// Processor quota, in processors; `None` is unlimited.
    pub cpu_quota_cpus: Option<f64>,
    /// Processor weight (v2 scale), if not the default.
    pub cpu_weight: Option<u64>,
    /// Memory limit, bytes; `None` is unlimited.
    pub memory_limit_bytes: Option<u64>,
    /// Memory in use, bytes.
    pub memory_used_bytes: Option<u64>,
    /// Block I/O limits.
    pub io_limits: Vec<IoLimit>,
}

/// A block I/O limit of a control group.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct IoLimit {
    /// `major:minor`.
    pub device: String,
    /// `rbps`, `wbps`, `riops`, `wiops`.
    pub kind: String,
    /// Per second.
    pub value: u64,
}

/// What the database keeps in a folder.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Data files.
    Data,
    /// The commit log.
    Wal,
}

impl Role {
    /// The word used on the screen.
    pub fn word(self) -> &'static str {
        match self {
            Role::Data => "data",
            Role::Wal => "wal",
        }
    }
}

/// A role's whole path.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RolePath {
    /// The role.
    pub role: Role,
    /// The folder.
    pub path: String,
    /// Its file system.
    pub file_system: FileSystem,
    /// Block devices from the mounted one down to the drives; empty where there is none or none can be seen.
    pub devices: Vec<BlockDevice>,
}

impl RolePath {
    /// The devices at the bottom of the stack, whose counters say what really happened.
    pub fn drives(&self) -> impl Iterator<Item = &BlockDevice> {
        self.devices.iter().filter(|device| device.slaves.is_empty())
    }
}

/// A mounted file system.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct FileSystem {
    /// `ext4`, `xfs`, `tmpfs`.
    pub kind: String,
    /// Where it is mounted.
    pub mount_point: String,
    /// What is mounted.
    pub source: String,
    /// Mount options.
    pub options: Vec<String>,
    /// Size, bytes.
    pub total_bytes: Option<u64>,
    /// Free for this user, bytes.
    pub free_bytes: Option<u64>,
    /// Mounted read-only.
    pub read_only: bool,
    /// Lives in memory: what is written is lost at power-off.
    pub volatile: bool,
    /// Reached over a network.
    pub network: bool,
    /// A layered file system of a container.
    pub overlay: bool,
}

/// What a block device is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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

/// Settings of a request queue.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
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
    /// `write back` (a volatile cache that must be flushed) or `write through`.
    pub write_cache: Option<String>,
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

/// One PCIe link.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PcieLink {
    /// Address of the end nearer to the device.
    pub address: String,
    /// Speed now, GT/s.
    pub current_gts: Option<f64>,
    /// Lanes now.
    pub current_width: Option<u32>,
    /// Speed this end could do, GT/s.
    pub max_gts: Option<f64>,
    /// Lanes this end could do.
    pub max_width: Option<u32>,
}

/// A database server found running.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct RunningDatabase {
    /// `postgresql`, `oracle`, `mysql`.
    pub kind: String,
    /// Process id of its main process.
    pub pid: u32,
    /// Its data folder, where it can be told.
    pub data_dir: Option<String>,
    /// Roles whose drives it uses, as far as can be told.
    pub shares_role: Vec<Role>,
}

/// Something that could not be learned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Unknown {
    /// What.
    pub what: String,
    /// What would show it: a right, a kernel setting, hardware.
    pub needs: String,
}
