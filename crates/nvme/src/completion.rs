//! A completion queue entry: 16 bytes that answer a command.

use crate::Status;
use crate::bytes::{put_u16, put_u32, u16_at, u32_at};

/// Size of an entry, bytes.
pub const COMPLETION_BYTES: usize = 16;

/// A completion queue entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CompletionEntry {
    /// Double words 0 and 1: what the command answers beside its status, in Fabrics commands one value of 64 bits.
    pub result: u64,
    /// SQHD: how far the submission queue was read; FFFFh where the host does without.
    pub queue_head: u16,
    /// SQID; reserved in Fabrics, where a connection is a queue. Linux's target sets it.
    pub queue: u16,
    /// CID of the command.
    pub command_id: u16,
    /// How it ended.
    pub status: Status,
    /// The phase bit, which has no meaning in Fabrics.
    pub phase: bool,
}

impl CompletionEntry {
    /// An entry for the command with this identifier.
    pub fn new(command_id: u16, status: Status, result: u64) -> CompletionEntry {
        CompletionEntry { result, queue_head: 0, queue: 0, command_id, status, phase: false }
    }

    /// Reads an entry; any bytes are one.
    pub fn from_bytes(bytes: &[u8; COMPLETION_BYTES]) -> CompletionEntry {
        let status = u16_at(bytes, 14);
        CompletionEntry {
            result: u64::from(u32_at(bytes, 0)) | u64::from(u32_at(bytes, 4)) << 32,
            queue_head: u16_at(bytes, 8),
            queue: u16_at(bytes, 10),
            command_id: u16_at(bytes, 12),
            status: Status::from_field(status),
            phase: status & 1 != 0,
        }
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> [u8; COMPLETION_BYTES] {
        let mut bytes = [0; COMPLETION_BYTES];
        put_u32(&mut bytes, 0, self.result as u32);
        put_u32(&mut bytes, 4, (self.result >> 32) as u32);
        put_u16(&mut bytes, 8, self.queue_head);
        put_u16(&mut bytes, 10, self.queue);
        put_u16(&mut bytes, 12, self.command_id);
        put_u16(&mut bytes, 14, self.status.to_field() | u16::from(self.phase));
        bytes
    }
}
