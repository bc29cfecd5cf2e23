//! What a command of an I/O queue asks for: which blocks, how much data, and which way.

use narrows_nvme::command::{Extent, IoCommand, RANGE_BYTES};
use narrows_nvme::{Status, SubmissionEntry};

use crate::namespace::Namespace;
use crate::reservation::Use;

/// Longest reservation report, bytes.
const LONGEST_REPORT: u32 = 64 << 10;

/// What a command is about.
pub(super) struct Demand {
    pub(super) offset: u64,
    /// Blocks that it is about, bytes.
    pub(super) length: u64,
    /// Data that the host sends, bytes.
    pub(super) sends: u32,
    /// Data that the host gets, bytes.
    pub(super) gets: u32,
    pub(super) what: Use,
    /// Whether a reservation may forbid it.
    pub(super) reserved: bool,
}

impl Demand {
    fn without_reservation(self) -> Demand {
        Demand { reserved: false, ..self }
    }
}

/// What a command is about, as far as it can be.
pub(super) fn demand_of(
    command: &IoCommand,
    entry: &SubmissionEntry,
    namespace: &Namespace,
) -> Result<Demand, Status> {
    let blocks = |extent: &Extent| {
        let within = extent.bytes_within(namespace.block_bytes(), namespace.blocks());
        within.ok_or(Status::LBA_OUT_OF_RANGE.for_good())
    };
    let too_long =
        |length: u64| u32::try_from(length).map_err(|_| Status::INVALID_FIELD.for_good());
    let reserved = true;
    let plain = |what, sends, gets| Demand { offset: 0, length: 0, sends, gets, what, reserved };
    Ok(match command {
        IoCommand::Flush => plain(Use::Write, 0, 0),
        IoCommand::Read(extent) => {
            let (offset, length) = blocks(extent)?;
            Demand { offset, length, sends: 0, gets: too_long(length)?, what: Use::Read, reserved }
        }
        IoCommand::Write(extent) => {
            let (offset, length) = blocks(extent)?;
            Demand { offset, length, sends: too_long(length)?, gets: 0, what: Use::Write, reserved }
        }
        IoCommand::Compare(extent) => {
            let (offset, length) = blocks(extent)?;
            Demand { offset, length, sends: too_long(length)?, gets: 0, what: Use::Read, reserved }
        }
        IoCommand::WriteZeroes { extent, .. } => {
            let (offset, length) = blocks(extent)?;
            Demand { offset, length, sends: 0, gets: 0, what: Use::Write, reserved }
        }
        // Hosts may send room for all 256 ranges.
        IoCommand::DatasetManagement { ranges_less_one, .. } => {
            let needed = (u32::from(*ranges_less_one) + 1) * RANGE_BYTES as u32;
            let sends = entry.data().length();
            if sends < needed || sends > 4096 {
                return Err(Status::SGL_LENGTH_INVALID.for_good());
            }
            plain(Use::Write, sends, 0)
        }
        // Keys are moved whoever holds a reservation.
        IoCommand::ReservationRegister(_) | IoCommand::ReservationAcquire(_) => {
            plain(Use::Read, 16, 0).without_reservation()
        }
        IoCommand::ReservationRelease(_) => plain(Use::Read, 8, 0).without_reservation(),
        IoCommand::ReservationReport { dwords_less_one, .. } => {
            let gets = dwords_less_one.checked_add(1).and_then(|dwords| dwords.checked_mul(4));
            let gets = gets.filter(|gets| *gets <= LONGEST_REPORT);
            let gets = gets.ok_or(Status::INVALID_FIELD.for_good())?;
            plain(Use::Read, 0, gets).without_reservation()
        }
        IoCommand::Unknown(_) => return Err(Status::INVALID_OPCODE.for_good()),
    })
}
