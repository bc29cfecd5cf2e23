//! Identify Namespace for the NVM command set.

use super::{IDENTIFY_BYTES, IdentifyData};
use crate::bytes::{array_at, put, put_u16, put_u32, put_u64, u16_at, u32_at, u64_at};

/// What a namespace is. Blocks have no metadata.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct IdentifyNamespace {
    /// NSZE: size, blocks.
    pub blocks: u64,
    /// NCAP: blocks that can be allocated.
    pub capacity: u64,
    /// NUSE: blocks that are.
    pub used: u64,
    /// NSFEAT.
    pub features: u8,
    /// NMIC bit 0: several controllers may have it, which multipath wants.
    pub shared: bool,
    /// RESCAP: reservations that it can do.
    pub reservations: u8,
    /// DLFEAT: what deallocated blocks read as, and whether Write Zeroes may deallocate.
    pub deallocate_features: u8,
    /// NAWUN: blocks that are written atomically, less one, where NSFEAT says so.
    pub atomic_write: u16,
    /// NAWUPF: the same over a loss of power.
    pub atomic_write_power_fail: u16,
    /// ANAGRPID.
    pub ana_group: u32,
    /// NSATTR bit 0: write-protected.
    pub write_protected: bool,
    /// NGUID; zeros for none.
    pub nguid: [u8; 16],
    /// EUI64; zeros for none.
    pub eui64: [u8; 8],
    /// LBADS of the format in use: a block has 2^this bytes.
    pub block_shift: u8,
}

impl IdentifyNamespace {
    /// Size of a block, bytes; `None` for what can't be one.
    pub fn block_bytes(&self) -> Option<u32> {
        (9..=16).contains(&self.block_shift).then(|| 1 << self.block_shift)
    }

    /// The structure, with one format.
    pub fn to_bytes(&self) -> Box<IdentifyData> {
        let mut data = Box::new([0; IDENTIFY_BYTES]);
        put_u64(&mut *data, 0, self.blocks);
        put_u64(&mut *data, 8, self.capacity);
        put_u64(&mut *data, 16, self.used);
        data[24] = self.features;
        data[30] = u8::from(self.shared);
        data[31] = self.reservations;
        data[33] = self.deallocate_features;
        put_u16(&mut *data, 34, self.atomic_write);
        put_u16(&mut *data, 36, self.atomic_write_power_fail);
        put_u32(&mut *data, 92, self.ana_group);
        data[99] = u8::from(self.write_protected);
        put(&mut *data, 104, &self.nguid);
        put(&mut *data, 120, &self.eui64);
        data[130] = self.block_shift;
        data
    }

    /// Reads the structure, and of its formats the one in use; any bytes are one. A namespace that isn't there is zeros.
    pub fn from_bytes(data: &IdentifyData) -> IdentifyNamespace {
        let format = usize::from(data[26] & 0xF | (data[26] >> 5 & 0b11) << 4);
        IdentifyNamespace {
            blocks: u64_at(data, 0),
            capacity: u64_at(data, 8),
            used: u64_at(data, 16),
            features: data[24],
            shared: data[30] & 1 != 0,
            reservations: data[31],
            deallocate_features: data[33],
            atomic_write: u16_at(data, 34),
            atomic_write_power_fail: u16_at(data, 36),
            ana_group: u32_at(data, 92),
            write_protected: data[99] & 1 != 0,
            nguid: array_at(data, 104),
            eui64: array_at(data, 120),
            block_shift: data[128 + format * 4 + 2],
        }
    }
}
