//! Error Information: the last commands that failed.

use crate::Status;
use crate::bytes::{put_u16, put_u32, put_u64, u16_at, u32_at, u64_at};

/// Size of an entry, bytes.
pub const ERROR_ENTRY_BYTES: usize = 64;

/// A command that failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ErrorEntry {
    /// Errors so far, this one included; 0 for an entry without one.
    pub count: u64,
    /// SQID.
    pub queue: u16,
    /// CID.
    pub command_id: u16,
    /// How it ended.
    pub status: Status,
    /// Where in the command the error lies: byte in bits 7:0, bit in 10:8; FFFFh for nowhere in it.
    pub location: u16,
    /// The first block that it concerned.
    pub block: u64,
    /// NSID.
    pub namespace: u32,
}

impl ErrorEntry {
    /// The entry.
    pub fn to_bytes(&self) -> [u8; ERROR_ENTRY_BYTES] {
        let mut data = [0; ERROR_ENTRY_BYTES];
        put_u64(&mut data, 0, self.count);
        put_u16(&mut data, 8, self.queue);
        put_u16(&mut data, 10, self.command_id);
        put_u16(&mut data, 12, self.status.to_field());
        put_u16(&mut data, 14, self.location);
        put_u64(&mut data, 16, self.block);
        put_u32(&mut data, 24, self.namespace);
        data
    }

    /// Reads an entry; any bytes are one.
    pub fn from_bytes(data: &[u8; ERROR_ENTRY_BYTES]) -> ErrorEntry {
        ErrorEntry {
            count: u64_at(data, 0),
            queue: u16_at(data, 8),
            command_id: u16_at(data, 10),
            status: Status::from_field(u16_at(data, 12)),
            location: u16_at(data, 14),
            block: u64_at(data, 16),
            namespace: u32_at(data, 24),
        }
    }
}
