//! The inventory of one machine. Everything is optional that a machine can hide; what was hidden is listed in
//! [`Platform::unknown`] with the right that would show it.

mod block;
mod cache;
mod captured;
mod cgroup;
mod cpu;
mod database;
mod devices;
mod id_set;
mod idle;
mod medium;
mod memory;
mod node;
mod pcie;
mod role;
mod slots;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use block::{BlockDevice, DeviceKind, DriveCache, MEMORY, Queue, THIS_MACHINE};
pub use cache::Cache;
pub use captured::Captured;
pub use cgroup::{Cgroup, CgroupVersion, IoLimit};
pub use cpu::{CoreKind, Cpu, CpuGroup, CpuIdentity, GroupLevel};
pub use database::RunningDatabase;
pub use devices::{
    ArrayMember, CxlMemory, DaxDevice, Devices, Drive, DriveLink, DriveLinkKind, DrivePath,
    Interrupts, MapperDevice, MapperTarget, MdArray, NetworkPort, NvmeController, NvmeFabric,
    NvmeNamespace, NvmePath, NvmeSubsystem, PciDevice, PciKind, PmemNamespace, PmemRegion,
    RdmaPort, ScsiHost, VirtioDevice,
};
pub use id_set::{IdSet, IdSetError};
pub use idle::{Idle, IdleState};
pub use medium::Medium;
pub use memory::{Dimm, HugePages, Memory};
pub use node::{MemoryCache, NodeAccess, NumaNode};
pub use pcie::{LoadedLink, PcieLink};
pub use role::{FileSystem, Role, RolePath};
pub use slots::{SlotPlace, Slots};

/// One machine.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Platform {
    /// Host name.
    pub hostname: Option<String>,
    /// A digest of `/etc/machine-id`, which itself is not to be shown (machine-id(5)): tells machines of one name apart.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The kernel's random id of this boot; containers share their host's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub boot_id: Option<String>,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Distribution, as `/etc/os-release` names it.
    pub os: Option<String>,
    /// `x86_64`, `aarch64`.
    pub architecture: Option<String>,
    /// The machine's maker and model.
    pub product: Option<String>,
    /// The hypervisor's name; `None` where the CPU doesn't say that there is one.
    pub hypervisor: Option<String>,
    /// Container runtime, if inside one.
    pub container: Option<String>,
    /// CPUs.
    pub cpu: Cpu,
    /// Caches, one entry per level and kind.
    pub caches: Vec<Cache>,
    /// NUMA nodes that have memory or CPUs.
    pub nodes: Vec<NumaNode>,
    /// On-line nodes that have neither and are left out of [`Platform::nodes`] and its distances: accelerators that
    /// read memory, or places that are still empty.
    #[serde(default, skip_serializing_if = "IdSet::is_empty")]
    pub empty_nodes: IdSet,
    /// Nodes whose memory this process may use (cpuset); empty where nothing says so.
    #[serde(default, skip_serializing_if = "IdSet::is_empty")]
    pub allowed_nodes: IdSet,
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
    /// What CPUs do while they have nothing to do; `None` where the kernel doesn't manage it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idle: Option<Idle>,
    /// What hangs on the machine.
    #[serde(default, skip_serializing_if = "Devices::is_empty")]
    pub devices: Devices,
    /// The path under each role, from the folder to the drives.
    pub roles: Vec<RolePath>,
    /// Databases that run on this machine.
    pub databases: Vec<RunningDatabase>,
    /// Load average of the last minute, at discovery.
    pub load_1m: Option<f64>,
    /// The capture that this, or a part of it, is from; `None` where the machine itself answered everything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub captured: Option<Captured>,
    /// What could not be learned, and what would show it.
    pub unknown: Vec<Unknown>,
}

/// Something that could not be learned.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Unknown {
    /// What.
    pub what: String,
    /// What would show it: a right, a kernel setting, hardware.
    pub needs: String,
}

impl Unknown {
    /// What a measurement needs that was asked for and could not be made.
    const NOT_MADE: &str = "what the reason names: often free memory, room on the node, a limit (`ulimit -v`, the control group)";

    /// A measurement that was asked for and could not be made, with the reason in a line.
    pub fn not_made(id: &str, why: &str) -> Unknown {
        let why = why.lines().next().unwrap_or_default();
        Unknown { what: format!("{id}: {why}"), needs: Unknown::NOT_MADE.to_string() }
    }

    /// Id and reason of [`Unknown::not_made`]; `None` for anything else.
    pub fn as_not_made(&self) -> Option<(&str, &str)> {
        (self.needs == Unknown::NOT_MADE).then(|| self.what.split_once(": "))?
    }
}
