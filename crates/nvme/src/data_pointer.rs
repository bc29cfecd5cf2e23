//! Where the data of a command is: the one SGL descriptor that a capsule holds (NVMe Base Specification, "SGL Descriptor";
//! Fabrics allow no PRPs).

use crate::bytes::{put_u32, put_u64, u32_at, u64_at};

/// Type 0h (Data Block), sub-type 1h (Offset).
const OFFSET: u8 = 0x01;
/// Type 5h (Transport SGL Data Block), sub-type Ah (of the transport).
const TRANSPORT: u8 = 0x5A;

/// The descriptor in bytes 24 to 39 of a submission entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DataPointer {
    /// The data follow the entry in its capsule, `offset` behind where the controller says that they begin.
    InCapsule {
        /// Offset, bytes.
        offset: u64,
        /// Length, bytes.
        length: u32,
    },
    /// The transport moves the data: from the host by H2CData when the controller asks (R2T), to the host by C2HData.
    Transport {
        /// Length, bytes; 0 for a command without data.
        length: u32,
    },
    /// Another descriptor, which NVMe/TCP knows not.
    Other {
        /// Type and sub-type.
        identifier: u8,
        /// Bytes 0 to 14 of the descriptor.
        rest: [u8; 15],
    },
}

impl DataPointer {
    /// No data.
    pub const NONE: DataPointer = DataPointer::Transport { length: 0 };

    /// Whether the descriptor is all zeros: what hosts leave there where a command has no data, and nobody has to look at it.
    pub fn is_blank(self) -> bool {
        self == DataPointer::Other { identifier: 0, rest: [0; 15] }
    }

    /// Bytes of data that the command says it has.
    pub fn length(self) -> u32 {
        match self {
            DataPointer::InCapsule { length, .. } | DataPointer::Transport { length } => length,
            DataPointer::Other { .. } => 0,
        }
    }

    pub(crate) fn from_bytes(bytes: &[u8; 16]) -> DataPointer {
        let length = u32_at(bytes, 8);
        match bytes[15] {
            OFFSET => DataPointer::InCapsule { offset: u64_at(bytes, 0), length },
            TRANSPORT => DataPointer::Transport { length },
            identifier => {
                DataPointer::Other { identifier, rest: std::array::from_fn(|at| bytes[at]) }
            }
        }
    }

    pub(crate) fn to_bytes(self) -> [u8; 16] {
        let mut bytes = [0; 16];
        match self {
            DataPointer::InCapsule { offset, length } => {
                put_u64(&mut bytes, 0, offset);
                put_u32(&mut bytes, 8, length);
                bytes[15] = OFFSET;
            }
            DataPointer::Transport { length } => {
                put_u32(&mut bytes, 8, length);
                bytes[15] = TRANSPORT;
            }
            DataPointer::Other { identifier, rest } => {
                bytes[..15].copy_from_slice(&rest);
                bytes[15] = identifier;
            }
        }
        bytes
    }
}
