//! H2CData, C2HData and R2T: data that do not travel in a capsule.

use super::violation::{Fatal, Violation};
use crate::bytes::{put_u16, put_u32, u16_at, u32_at};

/// The header of H2CData and C2HData, without the flags, which are in the common part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DataTransfer {
    /// CCCID: the command that the data belong to.
    pub command_id: u16,
    /// TTAG: in H2CData the tag of the R2T that asked for them; reserved in C2HData.
    pub transfer_tag: u16,
    /// DATAO: where in the command's data these begin, bytes.
    pub offset: u32,
    /// DATAL: how many, bytes; as many as follow.
    pub length: u32,
}

/// R2T: the controller is ready for data of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReadyToTransfer {
    /// CCCID.
    pub command_id: u16,
    /// TTAG, which the data repeat.
    pub transfer_tag: u16,
    /// R2TO: where in the command's data they begin, bytes.
    pub offset: u32,
    /// R2TL: how many, bytes.
    pub length: u32,
}

/// Offsets in all three.
const COMMAND_ID: usize = 8;
const TAG: usize = 10;
const OFFSET: usize = 12;
const LENGTH: usize = 16;

impl DataTransfer {
    /// Whether the bytes that follow are as many as the header says.
    pub(super) fn parse(header: &[u8], data_bytes: usize) -> Result<DataTransfer, Violation> {
        let transfer = DataTransfer {
            command_id: u16_at(header, COMMAND_ID),
            transfer_tag: u16_at(header, TAG),
            offset: u32_at(header, OFFSET),
            length: u32_at(header, LENGTH),
        };
        if transfer.length as usize != data_bytes {
            return Err(Violation::new(Fatal::InvalidHeaderField, LENGTH as u32));
        }
        if transfer.offset.checked_add(transfer.length).is_none() {
            return Err(Violation::new(Fatal::DataOutOfRange, 0));
        }
        Ok(transfer)
    }

    pub(super) fn write(&self, header: &mut [u8]) {
        write(header, self.command_id, self.transfer_tag, self.offset, self.length);
    }
}

impl ReadyToTransfer {
    pub(super) fn parse(header: &[u8]) -> ReadyToTransfer {
        ReadyToTransfer {
            command_id: u16_at(header, COMMAND_ID),
            transfer_tag: u16_at(header, TAG),
            offset: u32_at(header, OFFSET),
            length: u32_at(header, LENGTH),
        }
    }

    pub(super) fn write(&self, header: &mut [u8]) {
        write(header, self.command_id, self.transfer_tag, self.offset, self.length);
    }
}

fn write(header: &mut [u8], command_id: u16, tag: u16, offset: u32, length: u32) {
    put_u16(header, COMMAND_ID, command_id);
    put_u16(header, TAG, tag);
    put_u32(header, OFFSET, offset);
    put_u32(header, LENGTH, length);
}
