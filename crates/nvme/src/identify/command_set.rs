//! I/O Command Set specific Identify Controller for the NVM command set: limits of commands without data.

use super::{IDENTIFY_BYTES, IdentifyData};
use crate::bytes::{put_u32, put_u64, u32_at, u64_at};

/// Limits of commands that carry no data, which MDTS doesn't bound.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CommandSetController {
    /// WZSL: most of a Write Zeroes is 2^this pages of the least size; 0 for no limit.
    pub write_zeroes_limit: u8,
    /// DMRL: most ranges of a Dataset Management; 0 for no limit.
    pub ranges_limit: u8,
    /// DMRSL: most blocks of a range; 0 for no limit.
    pub range_blocks_limit: u32,
    /// DMSL: most blocks of all ranges; 0 for no limit.
    pub ranges_blocks_limit: u64,
}

impl CommandSetController {
    /// The structure.
    pub fn to_bytes(&self) -> Box<IdentifyData> {
        let mut data = Box::new([0; IDENTIFY_BYTES]);
        data[1] = self.write_zeroes_limit;
        data[3] = self.ranges_limit;
        put_u32(&mut *data, 4, self.range_blocks_limit);
        put_u64(&mut *data, 8, self.ranges_blocks_limit);
        data
    }

    /// Reads the structure; any bytes are one.
    pub fn from_bytes(data: &IdentifyData) -> CommandSetController {
        CommandSetController {
            write_zeroes_limit: data[1],
            ranges_limit: data[3],
            range_blocks_limit: u32_at(data, 4),
            ranges_blocks_limit: u64_at(data, 8),
        }
    }
}
