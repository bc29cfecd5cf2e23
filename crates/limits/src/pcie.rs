//! PCI Express: signal rate, encoding, packet headers.
//!
//! Encodings are those of the PCI Express Base Specification: 8b/10b up to 5 GT/s, 128b/130b to 32 GT/s, and at
//! 64 GT/s flits of 256 bytes of which 236 carry packets. Two ends that know flits use them below 64 GT/s too, within the encoding of that
//! speed; where that can't be read, a link is reckoned without them, which is 5 % more. Of PCI Express 7.0 (128 GT/s) nothing
//! public says how much of a flit packets have: it isn't known here. A memory write, which is how a drive delivers what was
//! read, carries 24 bytes beside its payload (start and sequence 4, header with 64-bit address 16, check 4); a
//! completion, which is how it fetches what is written, 20. In flits (PCI Express 6.0, flit mode) sequence and check are the flit's, which
//! its 20 of 256 bytes are for: of a packet only the header is left, 16 bytes of a memory write and 12 of a completion, as far as no
//! optional part is added before the data (OHC) or after it (the trailer: end-to-end check, integrity of an encrypted link). Link
//! management takes one to three per cent more and is not counted: a ceiling is never understated.

/// Signal rate and encoding of one generation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Generation {
    /// 1 to 6.
    pub number: u32,
    /// Transfers per second and lane, ×10⁹.
    pub gts: f64,
    /// Bits left for packets, of bits on the wire.
    pub encoding: (f64, f64),
    /// Its name.
    pub encoding_name: &'static str,
    /// How a packet is framed.
    pub packets: Packets,
}

/// How packets are framed on the wire.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packets {
    /// Each with start, sequence number and check of its own.
    Framed,
    /// One after the other in flits, which have those.
    InFlits,
}

/// Bytes for packets, of those of a flit.
const FLIT: (f64, f64) = (236.0, 256.0);

/// Every generation, as it is without flits where it can be.
pub const GENERATIONS: [Generation; 6] = [
    Generation {
        number: 1,
        gts: 2.5,
        encoding: (8.0, 10.0),
        encoding_name: "8b/10b",
        packets: Packets::Framed,
    },
    Generation {
        number: 2,
        gts: 5.0,
        encoding: (8.0, 10.0),
        encoding_name: "8b/10b",
        packets: Packets::Framed,
    },
    Generation {
        number: 3,
        gts: 8.0,
        encoding: (128.0, 130.0),
        encoding_name: "128b/130b",
        packets: Packets::Framed,
    },
    Generation {
        number: 4,
        gts: 16.0,
        encoding: (128.0, 130.0),
        encoding_name: "128b/130b",
        packets: Packets::Framed,
    },
    Generation {
        number: 5,
        gts: 32.0,
        encoding: (128.0, 130.0),
        encoding_name: "128b/130b",
        packets: Packets::Framed,
    },
    Generation {
        number: 6,
        gts: 64.0,
        encoding: FLIT,
        encoding_name: "flits",
        packets: Packets::InFlits,
    },
];

/// The largest payload of a packet that is assumed, bytes; servers set 256 or 512, and the setting is not readable
/// without rights.
pub const PAYLOAD_BYTES: u64 = 256;

impl Generation {
    /// Signal rate of one lane and direction, bytes per second.
    pub fn raw_bytes_per_s(&self) -> f64 {
        self.gts * 1e9 / 8.0
    }

    /// What the encoding leaves of it.
    pub fn packet_bytes_per_s(&self) -> f64 {
        self.raw_bytes_per_s() * self.encoding.0 / self.encoding.1
    }

    /// The same speed in flit mode: flits within its encoding.
    fn in_flits(self) -> Generation {
        let encoding_name = match self.encoding_name {
            "8b/10b" => "8b/10b, flits",
            "128b/130b" => "128b/130b, flits",
            _ => return self,
        };
        let encoding = (self.encoding.0 * FLIT.0, self.encoding.1 * FLIT.1);
        Generation { encoding, encoding_name, packets: Packets::InFlits, ..self }
    }
}

/// The generation of that speed; `None` for a speed nobody defined.
pub fn generation(gts: f64) -> Option<&'static Generation> {
    GENERATIONS.iter().find(|generation| (generation.gts - gts).abs() < 0.01)
}

/// A link's: in flits where its flit mode is known to be on.
pub fn of_link(gts: f64, flit_mode: Option<bool>) -> Option<Generation> {
    let known = *generation(gts)?;
    Some(if flit_mode == Some(true) { known.in_flits() } else { known })
}

/// Which way the payload goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// From the device: memory writes.
    Read,
    /// To the device: completions of its reads.
    Write,
}

impl Direction {
    /// Bytes beside the payload in each packet.
    pub fn header_bytes(self, packets: Packets) -> u64 {
        self.header() + packets.beside_bytes()
    }

    /// The header alone: of a memory write with a 64-bit address, of a completion.
    fn header(self) -> u64 {
        match self {
            Direction::Read => 16,
            Direction::Write => 12,
        }
    }

    /// Bytes on the wire, in the payload's direction, for one NVMe command beside its data. A read: completion
    /// entry of 16 bytes, interrupt of 4, request for the command. A write: the command's 64 bytes.
    fn command_bytes(self, packets: Packets) -> u64 {
        let header = self.header_bytes(packets);
        match self {
            Direction::Read => (16 + header) + (4 + header) + header,
            Direction::Write => 64 + header,
        }
    }
}

impl Packets {
    /// Start and sequence number 4, check 4.
    fn beside_bytes(self) -> u64 {
        match self {
            Packets::Framed => 8,
            Packets::InFlits => 0,
        }
    }
}

/// Payload over bytes on the wire at a packet size.
pub fn payload_share(direction: Direction, packets: Packets, payload_bytes: u64) -> f64 {
    payload_bytes as f64 / (payload_bytes + direction.header_bytes(packets)) as f64
}

/// Bytes on the wire for one NVMe command of so many bytes, data in packets of [`PAYLOAD_BYTES`].
pub fn wire_bytes(direction: Direction, packets: Packets, block_bytes: u64) -> u64 {
    let count = block_bytes.div_ceil(PAYLOAD_BYTES);
    block_bytes + count * direction.header_bytes(packets) + direction.command_bytes(packets)
}
