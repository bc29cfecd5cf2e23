//! How payload is wrapped on a link: bytes beside the payload, from the specifications' headers.

use serde::{Deserialize, Serialize};

use crate::pcie::{self, Direction, PAYLOAD_BYTES, Packets};

/// Ethernet's bytes beside a frame's packet: preamble 8, header 14, check 4, gap 12.
const ETHERNET_BYTES: u32 = 38;
/// IPv4 20, TCP 20, time stamps 12.
const TCP_BYTES: u32 = 52;
/// RDMA over Ethernet: Ethernet 38, IPv4 20, UDP 8, base transport header 12, invariant check 4.
const ROCE_BYTES: u32 = 82;
/// InfiniBand: local route header 8, base transport header 12, invariant check 4, variant check 2.
const INFINIBAND_BYTES: u32 = 26;
/// NVMe's command and completion entries, bytes.
const COMMAND_BYTES: u64 = 64;
const COMPLETION_BYTES: u64 = 16;
/// NVMe/TCP: common and specific header of a data unit, and the unit that carries a completion, bytes.
const TCP_DATA_HEADER: u64 = 24;
const TCP_RESPONSE: u64 = 24;
/// NVMe/TCP: the unit that carries a command, bytes; data up to the target's inline size follow in it.
const TCP_COMMAND: u64 = 72;

/// How payload is wrapped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Framing {
    /// Not at all, or included in the signal rate.
    None,
    /// PCI Express packets with [`PAYLOAD_BYTES`] of payload.
    Pcie,
    /// The same, with NVMe's commands, completions and interrupts.
    Nvme,
    /// PCI Express packets with [`PAYLOAD_BYTES`] of payload in flits.
    PcieFlit,
    /// The same, with NVMe's commands, completions and interrupts.
    NvmeFlit,
    /// CXL 1.1 and 2.0: 64 bytes in a flit of 68, headers inside them not counted.
    Cxl,
    /// TCP over Ethernet; operations are NVMe/TCP's.
    Tcp(u32),
    /// RDMA over Ethernet (RoCEv2); operations are NVMe/RDMA's. The number is the RDMA MTU.
    Roce(u32),
    /// InfiniBand packets; operations are NVMe/RDMA's.
    Infiniband(u32),
    /// Full Fibre Channel frames: 2,112 bytes of payload in 2,148, and 24 of gap.
    FibreChannel,
    /// SAS frames: 1,024 bytes of payload, header 24, check 4, start and end 4 each.
    Ssp,
    /// SATA data frames: 8,192 bytes of payload, header 4, check 4, start and end 4 each.
    Fis,
}

impl Framing {
    /// Payload over bytes on the wire for a long transfer.
    pub fn share(self, direction: Direction) -> f64 {
        let of = |payload: u32, wire: u32| f64::from(payload) / f64::from(wire);
        match self {
            Framing::None => 1.0,
            Framing::Pcie | Framing::Nvme => {
                pcie::payload_share(direction, Packets::Framed, PAYLOAD_BYTES)
            }
            Framing::PcieFlit | Framing::NvmeFlit => {
                pcie::payload_share(direction, Packets::InFlits, PAYLOAD_BYTES)
            }
            Framing::Cxl => of(64, 68),
            Framing::Tcp(mtu) => of(mtu - TCP_BYTES, mtu + ETHERNET_BYTES),
            Framing::Roce(mtu) => of(mtu, mtu + ROCE_BYTES),
            Framing::Infiniband(mtu) => of(mtu, mtu + INFINIBAND_BYTES),
            Framing::FibreChannel => of(2112, 2172),
            Framing::Ssp => of(1024, 1024 + 36),
            Framing::Fis => of(8192, 8192 + 16),
        }
    }

    /// Bytes on the wire, after the encoding and in the payload's direction, for one storage command of so many
    /// bytes; `None` where no command set belongs to the link.
    pub fn wire_bytes(self, direction: Direction, block_bytes: u64) -> Option<f64> {
        match self {
            Framing::Nvme => Some(pcie::wire_bytes(direction, Packets::Framed, block_bytes) as f64),
            Framing::NvmeFlit => {
                Some(pcie::wire_bytes(direction, Packets::InFlits, block_bytes) as f64)
            }
            Framing::Tcp(_) => {
                let beside = match direction {
                    Direction::Read => TCP_DATA_HEADER + TCP_RESPONSE,
                    Direction::Write => TCP_COMMAND,
                };
                Some((block_bytes + beside) as f64 / self.share(direction))
            }
            Framing::Roce(mtu) => Some(rdma(direction, block_bytes, mtu, ROCE_BYTES)),
            Framing::Infiniband(mtu) => Some(rdma(direction, block_bytes, mtu, INFINIBAND_BYTES)),
            _ => None,
        }
    }

    /// Where the share comes from.
    pub fn describe(self) -> String {
        match self {
            Framing::None => "nothing beside the payload counted".to_string(),
            Framing::Pcie | Framing::Nvme => in_packets(Packets::Framed),
            Framing::PcieFlit | Framing::NvmeFlit => in_packets(Packets::InFlits),
            Framing::Cxl => "64 of 68 B in a flit, headers inside not counted".to_string(),
            Framing::Tcp(mtu) => format!(
                "MTU {mtu}: {} of {} B in a frame are TCP's payload with time stamps",
                mtu - TCP_BYTES,
                mtu + ETHERNET_BYTES
            ),
            Framing::Roce(mtu) => {
                format!("RDMA MTU {mtu}: {mtu} of {} B in a frame", mtu + ROCE_BYTES)
            }
            Framing::Infiniband(mtu) => {
                format!("MTU {mtu}: {mtu} of {} B in a packet", mtu + INFINIBAND_BYTES)
            }
            Framing::FibreChannel => "2112 of 2172 B in a frame with its gap".to_string(),
            Framing::Ssp => "1024 of 1060 B in a frame".to_string(),
            Framing::Fis => "8192 of 8208 B in a frame".to_string(),
        }
    }
}

fn in_packets(packets: Packets) -> String {
    let read = Direction::Read.header_bytes(packets);
    let write = Direction::Write.header_bytes(packets);
    format!(
        "packets of {PAYLOAD_BYTES} B (size assumed) with {read} B of headers in, {write} B out"
    )
}

/// A read arrives as RDMA writes (16 bytes of address in the first) and a message with the completion; a write
/// leaves as a message with the command and as responses to RDMA reads (4 bytes of state in the first).
fn rdma(direction: Direction, block_bytes: u64, mtu: u32, header_bytes: u32) -> f64 {
    let message = |bytes: u64| bytes + bytes.div_ceil(u64::from(mtu)) * u64::from(header_bytes);
    let wire = match direction {
        Direction::Read => message(block_bytes) + 16 + message(COMPLETION_BYTES),
        Direction::Write => message(COMMAND_BYTES) + message(block_bytes) + 4,
    };
    wire as f64
}
