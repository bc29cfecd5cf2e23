//! A class of component: what every part of that name can carry.

use serde::{Deserialize, Serialize};

use super::cpu::Cpu;
use super::figure::Figure;
use super::framing::Framing;
use super::raid::Raid;
use crate::pcie::Direction;

/// What sort of thing a class is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    /// One memory channel.
    Dram,
    /// A PCI Express slot or link.
    Pcie,
    /// An NVMe drive's link, with NVMe's commands.
    Nvme,
    /// Memory behind PCI Express.
    Cxl,
    /// Ethernet carrying TCP.
    Ethernet,
    /// Ethernet carrying RDMA.
    Roce,
    /// InfiniBand.
    Infiniband,
    /// Fibre Channel.
    FibreChannel,
    /// Serial attached SCSI, one lane.
    Sas,
    /// Serial ATA.
    Sata,
    /// A link between sockets.
    Socket,
    /// A drive, for what its media do beside its link.
    Drive,
    /// A volume rented in a cloud.
    Volume,
    /// A way to join drives.
    Raid,
    /// A protocol for storage over TCP: what of it one core, or one queue, does.
    Protocol,
    /// A processor: lanes, channels, links.
    Cpu,
}

impl Family {
    /// Every family, in the order in which tables show them.
    pub const ALL: [Family; 16] = [
        Family::Dram,
        Family::Pcie,
        Family::Nvme,
        Family::Cxl,
        Family::Ethernet,
        Family::Roce,
        Family::Infiniband,
        Family::FibreChannel,
        Family::Sas,
        Family::Sata,
        Family::Socket,
        Family::Drive,
        Family::Volume,
        Family::Raid,
        Family::Protocol,
        Family::Cpu,
    ];

    /// Its name in the data.
    pub fn name(self) -> &'static str {
        match self {
            Family::Dram => "dram",
            Family::Pcie => "pcie",
            Family::Nvme => "nvme",
            Family::Cxl => "cxl",
            Family::Ethernet => "ethernet",
            Family::Roce => "roce",
            Family::Infiniband => "infiniband",
            Family::FibreChannel => "fibre_channel",
            Family::Sas => "sas",
            Family::Sata => "sata",
            Family::Socket => "socket",
            Family::Drive => "drive",
            Family::Volume => "volume",
            Family::Raid => "raid",
            Family::Protocol => "protocol",
            Family::Cpu => "cpu",
        }
    }

    /// A heading.
    pub fn title(self) -> &'static str {
        match self {
            Family::Dram => "Memory channels",
            Family::Pcie => "PCI Express",
            Family::Nvme => "NVMe drives' links",
            Family::Cxl => "CXL memory",
            Family::Ethernet => "Ethernet, TCP",
            Family::Roce => "Ethernet, RDMA (RoCEv2)",
            Family::Infiniband => "InfiniBand",
            Family::FibreChannel => "Fibre Channel",
            Family::Sas => "SAS, one lane",
            Family::Sata => "SATA",
            Family::Socket => "Links between sockets",
            Family::Drive => "Drives' media",
            Family::Volume => "Cloud volumes",
            Family::Raid => "RAID",
            Family::Protocol => "Storage over TCP, by core and by queue",
            Family::Cpu => "Processors",
        }
    }
}

/// Whether both directions share what there is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Duplex {
    /// Each direction has its own.
    Full,
    /// Reads and writes share one.
    Half,
}

/// What one direction carries, bytes per second. The figures fall from top to bottom; `None` where no source gives one.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct DirectionRates {
    /// The signal rate.
    #[serde(rename = "raw_bytes_per_s")]
    pub raw: Option<Figure>,
    /// After the encoding: what a data sheet calls the speed.
    #[serde(rename = "encoded_bytes_per_s")]
    pub encoded: Option<Figure>,
    /// After headers too: payload.
    #[serde(rename = "protocol_bytes_per_s")]
    pub protocol: Option<Figure>,
    /// What good systems reach.
    #[serde(rename = "expected_bytes_per_s")]
    pub expected: Option<Figure>,
}

impl DirectionRates {
    /// The nearest ceiling that can't be passed: payload where known, else after the encoding, else the signal rate.
    pub fn ceiling(&self) -> Option<&Figure> {
        self.protocol.as_ref().or(self.encoded.as_ref()).or(self.raw.as_ref())
    }

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.ceiling().is_none() && self.expected.is_none()
    }
}

/// Operations per second that hold for any size up to [`OPERATION_BYTES`].
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Operations {
    /// Reads per second.
    #[serde(rename = "read_per_s")]
    pub read: Option<Figure>,
    /// Writes per second.
    #[serde(rename = "write_per_s")]
    pub write: Option<Figure>,
}

/// The operation that [`Class::operations`] speaks of, bytes.
pub const OPERATION_BYTES: u64 = 4096;

/// Times of one operation, nanoseconds.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Times {
    /// One read, alone.
    pub read_ns: Option<Figure>,
    /// One small write until it is durable, alone.
    pub durable_write_ns: Option<Figure>,
}

/// What drives with a fast part do when it is full.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct WriteCache {
    /// Bytes that go in fast.
    pub bytes: Figure,
    /// Bytes per second after that.
    #[serde(rename = "write_after_bytes_per_s")]
    pub write_after: Figure,
}

/// One class.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Class {
    /// Its name in descriptions: `nvme-gen5-x4`.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// What sort of thing.
    pub family: Family,
    /// Whether both directions share.
    pub duplex: Duplex,
    /// Towards the processor: reads, receiving. On half duplex, all traffic when it is reads.
    pub read: DirectionRates,
    /// Away from it: writes, sending. On half duplex, all traffic when it is writes and the reads they cause.
    pub write: DirectionRates,
    /// Operations of 4 KiB.
    pub operations: Operations,
    /// Times of one operation alone.
    pub times: Times,
    /// A fast part in front of slow media.
    pub write_cache: Option<WriteCache>,
    /// What only some families have.
    pub detail: Detail,
}

/// What only some families have.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Detail {
    /// Nothing more.
    None,
    /// A link's parts, from which its figures are computed.
    Link(Link),
    /// A way to join drives.
    Raid(Raid),
    /// A processor.
    Cpu(Box<Cpu>),
}

/// A link's parts.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Link {
    /// Signal rate of one lane, bits per second and direction.
    pub signal_bits_per_s: f64,
    /// Lanes side by side; a memory channel's data bits.
    pub lanes: u32,
    /// How bits are written on the wire.
    pub encoding: super::encoding::Encoding,
    /// How payload is wrapped.
    pub framing: Framing,
}

impl Class {
    /// What one direction carries.
    pub fn way(&self, direction: Direction) -> &DirectionRates {
        match direction {
            Direction::Read => &self.read,
            Direction::Write => &self.write,
        }
    }

    /// A ceiling of operations of so many bytes per second: from the link's packets, else from bytes and what is
    /// given for 4 KiB, whichever is lower. `None` where neither is known.
    pub fn operations_per_s(&self, direction: Direction, block_bytes: u64) -> Option<f64> {
        if block_bytes == 0 {
            return None;
        }
        if let Detail::Link(link) = &self.detail
            && let Some(wire) = link.framing.wire_bytes(direction, block_bytes)
            && let Some(encoded) = &self.way(direction).encoded
        {
            return Some(encoded.high / wire);
        }
        let given = match direction {
            Direction::Read => &self.operations.read,
            Direction::Write => &self.operations.write,
        };
        let by_bytes = self.way(direction).ceiling().map(|f| f.high / block_bytes as f64);
        let by_count = given.as_ref().map(|figure| figure.high);
        by_bytes.into_iter().chain(by_count).reduce(f64::min)
    }

    /// The processor behind the class, where it is one.
    pub fn cpu(&self) -> Option<&Cpu> {
        match &self.detail {
            Detail::Cpu(cpu) => Some(cpu),
            _ => None,
        }
    }

    /// The way to join drives, where the class is one.
    pub fn raid(&self) -> Option<&Raid> {
        match &self.detail {
            Detail::Raid(raid) => Some(raid),
            _ => None,
        }
    }
}
