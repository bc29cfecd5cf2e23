//! The ranges that Dataset Management carries as data.

use crate::bytes::{put_u32, put_u64, u32_at, u64_at};

/// Size of one, bytes.
pub const RANGE_BYTES: usize = 16;

/// A range of blocks that aren't needed any more, or that something else is said of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DeallocatedRange {
    /// Context attributes, hints that may be left alone.
    pub attributes: u32,
    /// Length, blocks.
    pub blocks: u32,
    /// First block.
    pub first_block: u64,
}

impl DeallocatedRange {
    /// Reads 16 bytes; any are a range.
    pub fn from_bytes(bytes: &[u8; RANGE_BYTES]) -> DeallocatedRange {
        DeallocatedRange {
            attributes: u32_at(bytes, 0),
            blocks: u32_at(bytes, 4),
            first_block: u64_at(bytes, 8),
        }
    }

    /// Its bytes.
    pub fn to_bytes(&self) -> [u8; RANGE_BYTES] {
        let mut bytes = [0; RANGE_BYTES];
        put_u32(&mut bytes, 0, self.attributes);
        put_u32(&mut bytes, 4, self.blocks);
        put_u64(&mut bytes, 8, self.first_block);
        bytes
    }
}
