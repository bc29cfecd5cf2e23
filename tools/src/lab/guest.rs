//! What a guest is: the one description from which its command line, its preparation and what must be found in it follow.

use narrows_model::IdSet;

/// A machine that QEMU makes.
#[derive(Debug, Clone, PartialEq)]
pub struct Guest {
    /// As on the command line, and of its folder.
    pub name: &'static str,
    /// What it is for, in a few words.
    pub about: &'static str,
    /// Whether the processor says that there is a hypervisor. Rules about links are silent where it does.
    pub says_hypervisor: bool,
    /// The kernel's clock source.
    pub clock: &'static str,
    pub cpus: Cpus,
    /// By their ids, those with processors first: the kernel numbers them so.
    pub nodes: Vec<Node>,
    /// The firmware's, a row per node; empty where it says nothing.
    pub distances: Vec<Vec<u32>>,
    /// Ports of the root for PCIe.
    pub ports: Vec<Port>,
    pub nvme: Vec<Nvme>,
    pub ethernet: Vec<Ethernet>,
    pub virtio_disks: Vec<VirtioDisk>,
    /// Disks at one virtio-scsi adapter.
    pub scsi: Option<Scsi>,
    /// Made inside, by mdadm.
    pub array: Option<Array>,
    pub persistent: Vec<Persistent>,
    /// Where the database's files are said to be; nowhere: a folder of the root file system.
    pub data: Option<DataFolder>,
    /// Rules about structure that must fire; all others must be silent.
    pub rules: Vec<Fires>,
    /// The same once the process may use the processors of one node only.
    pub bound: Option<Bound>,
    /// A pool of memory that a process has on one node; then the matrix of nodes is measured as well.
    pub pool: Option<LaidPool>,
}

/// System V shared memory that is touched, all of it bound to one node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LaidPool {
    pub node: u32,
    pub mib: u32,
}

/// Processors, numbered through: threads of a core first.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cpus {
    pub sockets: u32,
    /// Of each socket.
    pub dies: u32,
    /// Of each die.
    pub cores: u32,
    /// Of each core.
    pub threads: u32,
    /// Places for more of them, which are empty.
    pub empty_places: u32,
    /// Taken off-line inside.
    pub offline: Vec<u32>,
}

impl Cpus {
    pub const fn flat(sockets: u32, cores: u32) -> Self {
        Cpus { sockets, dies: 1, cores, threads: 1, empty_places: 0, offline: Vec::new() }
    }

    pub fn count(&self) -> u32 {
        self.sockets * self.dies * self.cores * self.threads
    }

    pub fn online(&self) -> IdSet {
        self.without_offline(0..self.count())
    }

    pub fn without_offline(&self, cpus: impl Iterator<Item = u32>) -> IdSet {
        cpus.filter(|cpu| !self.offline.contains(cpu)).collect()
    }
}

/// A NUMA node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Node {
    /// First and last processor.
    pub cpus: Option<(u32, u32)>,
    /// 0 is none.
    pub memory_mib: u32,
    /// What the firmware's HMAT says of the way from its best processors.
    pub way: Option<MemoryAccess>,
    pub cache: Option<SideCache>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MemoryAccess {
    /// The node whose processors are the best for it.
    pub from: u32,
    pub latency_ns: u32,
    pub gib_per_s: u32,
}

/// A direct-mapped write-back cache before a node's memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SideCache {
    pub mib: u32,
    pub line_bytes: u32,
}

/// A port of the root, at a node's own root or at the machine's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Port {
    pub node: Option<u32>,
    pub link: Link,
    /// Whether a switch is in it, and devices behind that.
    pub switch: bool,
}

/// Signal rate and lanes, as most a port or device could.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Link {
    /// `2_5`, `5`, `8`, `16`: as QEMU spells them.
    pub gts: &'static str,
    pub lanes: u32,
}

impl Link {
    /// All that a device of QEMU's has, and so what every link runs at.
    pub const DEVICE: Link = Link { gts: "2_5", lanes: 1 };
}

impl std::fmt::Display for Link {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} GT/s x{}", self.gts.replace('_', "."), self.lanes)
    }
}

/// An NVMe drive with a controller in each of its ports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Nvme {
    /// Indexes of [`Guest::ports`].
    pub ports: Vec<usize>,
    /// Pairs of queues that a controller offers.
    pub queues: u32,
    /// Sizes, each unlike any other disk's of the guest: they tell disks apart.
    pub namespaces_mib: Vec<u32>,
    /// What it says of itself that it could, if more than QEMU's devices do: two files of `/sys` are covered for that.
    pub claims: Option<Link>,
}

/// An Intel 82574L whose other end is nowhere; the link is up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ethernet {
    /// Index of [`Guest::ports`].
    pub port: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct VirtioDisk {
    pub mib: u32,
    pub queues: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scsi {
    pub queues: u32,
    pub disks_mib: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Array {
    /// `raid1`, `raid10`; two copies of everything.
    pub level: &'static str,
    /// 0 where the level has none.
    pub chunk_kib: u32,
    /// Disks by their sizes.
    pub members_mib: Vec<u32>,
    /// Places left empty.
    pub missing: u32,
}

/// An NVDIMM.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Persistent {
    pub mib: u32,
    /// The node that its memory is, or would be.
    pub node: u32,
    pub used: Used,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Used {
    /// A block device over the whole.
    AsDrive,
    /// Mapped directly, and given to the kernel as memory.
    AsMemory,
}

impl Array {
    /// Where a member's data begins.
    pub const DATA_OFFSET_KIB: u32 = 1024;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataFolder {
    /// ext4 on the disk of this size.
    Disk { mib: u32 },
    /// ext4 on the array.
    Array,
}

/// A rule that must fire.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fires {
    pub rule: &'static str,
    /// The disks that it must name, and no others.
    pub disks_mib: Vec<u32>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bound {
    pub node: u32,
    pub rules: Vec<Fires>,
}

impl Guest {
    /// Sizes of all disks.
    pub fn disks_mib(&self) -> Vec<u32> {
        let nvme = self.nvme.iter().flat_map(|drive| &drive.namespaces_mib).copied();
        let virtio = self.virtio_disks.iter().map(|disk| disk.mib);
        let scsi = self.scsi.iter().flat_map(|scsi| &scsi.disks_mib).copied();
        let memory = self.persistent.iter().filter(|part| part.used == Used::AsDrive);
        nvme.chain(virtio).chain(scsi).chain(memory.map(|part| part.mib)).collect()
    }

    /// Processors of a node that are on-line.
    pub fn cpus_of(&self, node: u32) -> IdSet {
        let range = self.nodes.get(node as usize).and_then(|node| node.cpus);
        range.map_or_else(IdSet::default, |(first, last)| self.cpus.without_offline(first..=last))
    }

    /// Memory in all.
    pub fn memory_mib(&self) -> u32 {
        self.nodes.iter().map(|node| node.memory_mib).sum()
    }
}
