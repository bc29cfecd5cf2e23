//! Commands of I/O queues (NVM Command Set Specification; reservations: NVMe Base Specification).

use crate::{DataPointer, SubmissionEntry};

const FLUSH: u8 = 0x00;
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const COMPARE: u8 = 0x05;
const WRITE_ZEROES: u8 = 0x08;
const DATASET_MANAGEMENT: u8 = 0x09;
const RESERVATION_REGISTER: u8 = 0x0D;
const RESERVATION_REPORT: u8 = 0x0E;
const RESERVATION_ACQUIRE: u8 = 0x11;
const RESERVATION_RELEASE: u8 = 0x15;

/// FUA in double word 12.
const FORCE_UNIT_ACCESS: u32 = 1 << 30;
/// DEAC in double word 12 of Write Zeroes.
const DEALLOCATE: u32 = 1 << 25;
/// AD in double word 11 of Dataset Management.
const ATTRIBUTE_DEALLOCATE: u32 = 1 << 2;

/// Blocks that a command is about, and how durable it is to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Extent {
    /// SLBA.
    pub first_block: u64,
    /// NLB, one less than the blocks.
    pub blocks_less_one: u16,
    /// FUA: with the answer the data are on media that keep them.
    pub force_unit_access: bool,
}

impl Extent {
    /// Number of blocks, 1 to 65,536.
    pub fn blocks(&self) -> u32 {
        u32::from(self.blocks_less_one) + 1
    }

    /// Offset and length of blocks of `block_bytes` in a namespace of `blocks`; `None` where they reach beyond its end.
    pub fn bytes_within(&self, block_bytes: u32, blocks: u64) -> Option<(u64, u64)> {
        let end = self.first_block.checked_add(u64::from(self.blocks()))?;
        let offset = self.first_block.checked_mul(u64::from(block_bytes))?;
        (end <= blocks).then_some((offset, u64::from(self.blocks()) * u64::from(block_bytes)))
    }

    fn of(entry: &SubmissionEntry) -> Extent {
        let dword12 = entry.dword(12);
        Extent {
            first_block: entry.quad(10),
            blocks_less_one: dword12 as u16,
            force_unit_access: dword12 & FORCE_UNIT_ACCESS != 0,
        }
    }

    fn put(&self, entry: &mut SubmissionEntry) {
        entry.set_quad(10, self.first_block);
        let durable = if self.force_unit_access { FORCE_UNIT_ACCESS } else { 0 };
        entry.set_dword(12, u32::from(self.blocks_less_one) | durable);
    }
}

/// What a reservation command does, in bits 2:0 of double word 10, with the type in bits 15:8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ReservationAction {
    /// RREGA, RACQA or RRELA.
    pub action: u8,
    /// IEKEY: the key that the host has is not compared.
    pub ignore_key: bool,
    /// CPTPL of Reservation Register.
    pub persistence: u8,
    /// RTYPE.
    pub reservation_type: u8,
}

impl ReservationAction {
    fn of(dword10: u32) -> ReservationAction {
        ReservationAction {
            action: dword10 as u8 & 0b111,
            ignore_key: dword10 >> 3 & 1 != 0,
            persistence: (dword10 >> 30) as u8,
            reservation_type: (dword10 >> 8) as u8,
        }
    }

    fn to_dword(self) -> u32 {
        u32::from(self.action & 0b111)
            | u32::from(self.ignore_key) << 3
            | u32::from(self.reservation_type) << 8
            | u32::from(self.persistence & 0b11) << 30
    }
}

/// A command of an I/O queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IoCommand {
    /// What was completed before is to be on media that keep it.
    Flush,
    /// Writes blocks.
    Write(Extent),
    /// Reads blocks.
    Read(Extent),
    /// Compares blocks with data.
    Compare(Extent),
    /// Blocks are to read as zeros; with `deallocate` their space may be given up.
    WriteZeroes {
        /// Which.
        extent: Extent,
        /// DEAC.
        deallocate: bool,
    },
    /// Says something of ranges, which come as data.
    DatasetManagement {
        /// NR: ranges, one less.
        ranges_less_one: u8,
        /// AD: they aren't needed any more.
        deallocate: bool,
    },
    /// Registers, unregisters or replaces a host's key.
    ReservationRegister(ReservationAction),
    /// Asks who registered and who holds it.
    ReservationReport {
        /// NUMD: double words, one less.
        dwords_less_one: u32,
        /// EDS: with host identifiers of 16 bytes.
        extended: bool,
    },
    /// Takes, or takes over, a reservation.
    ReservationAcquire(ReservationAction),
    /// Gives up or clears a reservation.
    ReservationRelease(ReservationAction),
    /// Another opcode.
    Unknown(u8),
}

impl IoCommand {
    /// Reads an entry of an I/O queue that is no Fabrics command; any entry is one.
    #[inline]
    pub fn parse(entry: &SubmissionEntry) -> IoCommand {
        match entry.opcode() {
            FLUSH => IoCommand::Flush,
            WRITE => IoCommand::Write(Extent::of(entry)),
            READ => IoCommand::Read(Extent::of(entry)),
            COMPARE => IoCommand::Compare(Extent::of(entry)),
            WRITE_ZEROES => IoCommand::WriteZeroes {
                extent: Extent::of(entry),
                deallocate: entry.dword(12) & DEALLOCATE != 0,
            },
            DATASET_MANAGEMENT => IoCommand::DatasetManagement {
                ranges_less_one: entry.dword(10) as u8,
                deallocate: entry.dword(11) & ATTRIBUTE_DEALLOCATE != 0,
            },
            RESERVATION_REGISTER => {
                IoCommand::ReservationRegister(ReservationAction::of(entry.dword(10)))
            }
            RESERVATION_REPORT => IoCommand::ReservationReport {
                dwords_less_one: entry.dword(10),
                extended: entry.dword(11) & 1 != 0,
            },
            RESERVATION_ACQUIRE => {
                IoCommand::ReservationAcquire(ReservationAction::of(entry.dword(10)))
            }
            RESERVATION_RELEASE => {
                IoCommand::ReservationRelease(ReservationAction::of(entry.dword(10)))
            }
            other => IoCommand::Unknown(other),
        }
    }

    /// The entry, with `data` as its data pointer.
    pub fn to_entry(&self, command_id: u16, namespace: u32, data: DataPointer) -> SubmissionEntry {
        let mut entry = SubmissionEntry::new(self.opcode(), command_id, namespace).with_data(data);
        match *self {
            IoCommand::Flush | IoCommand::Unknown(_) => {}
            IoCommand::Write(extent) | IoCommand::Read(extent) | IoCommand::Compare(extent) => {
                extent.put(&mut entry);
            }
            IoCommand::WriteZeroes { extent, deallocate } => {
                extent.put(&mut entry);
                let more = if deallocate { DEALLOCATE } else { 0 };
                entry.set_dword(12, entry.dword(12) | more);
            }
            IoCommand::DatasetManagement { ranges_less_one, deallocate } => {
                entry.set_dword(10, u32::from(ranges_less_one));
                entry.set_dword(11, if deallocate { ATTRIBUTE_DEALLOCATE } else { 0 });
            }
            IoCommand::ReservationRegister(action)
            | IoCommand::ReservationAcquire(action)
            | IoCommand::ReservationRelease(action) => entry.set_dword(10, action.to_dword()),
            IoCommand::ReservationReport { dwords_less_one, extended } => {
                entry.set_dword(10, dwords_less_one);
                entry.set_dword(11, u32::from(extended));
            }
        }
        entry
    }

    /// FUA: whether its data are to be on media that keep them when it is answered.
    pub fn is_durable(&self) -> bool {
        match self {
            IoCommand::Write(extent) | IoCommand::WriteZeroes { extent, .. } => {
                extent.force_unit_access
            }
            _ => false,
        }
    }

    /// OPC.
    pub fn opcode(&self) -> u8 {
        match self {
            IoCommand::Flush => FLUSH,
            IoCommand::Write(_) => WRITE,
            IoCommand::Read(_) => READ,
            IoCommand::Compare(_) => COMPARE,
            IoCommand::WriteZeroes { .. } => WRITE_ZEROES,
            IoCommand::DatasetManagement { .. } => DATASET_MANAGEMENT,
            IoCommand::ReservationRegister(_) => RESERVATION_REGISTER,
            IoCommand::ReservationReport { .. } => RESERVATION_REPORT,
            IoCommand::ReservationAcquire(_) => RESERVATION_ACQUIRE,
            IoCommand::ReservationRelease(_) => RESERVATION_RELEASE,
            IoCommand::Unknown(opcode) => *opcode,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_beyond_the_end_are_none() {
        let extent = |first_block, blocks_less_one| Extent {
            first_block,
            blocks_less_one,
            force_unit_access: false,
        };
        assert_eq!(extent(8, 7).bytes_within(512, 16), Some((4096, 4096)));
        assert_eq!(extent(9, 7).bytes_within(512, 16), None);
        assert_eq!(extent(u64::MAX, 0).bytes_within(512, u64::MAX), None);
        assert_eq!(extent(1 << 60, 0).bytes_within(4096, u64::MAX), None);
    }
}
