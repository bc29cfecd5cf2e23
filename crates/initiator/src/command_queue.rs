//! An I/O queue for one command after another, each waited for: reads and durable writes for who needs an answer before the next step, and
//! reservations, which keep others from writing. A connection that is lost stays lost: by another one the host would be another, too.
//!
//! Reservations: NVMe Base Specification, "Reservations". The kind is Write Exclusive: its holder writes, and all read.

use std::sync::Arc;
use std::time::Duration;

use narrows_nvme::DataPointer;
use narrows_nvme::command::{Extent, IoCommand, ReservationAction};

use crate::admin::CommandConnection;
use crate::{Association, HostError};

/// RTYPE of Write Exclusive.
const WRITE_EXCLUSIVE: u8 = 1;
/// RREGA: register a key; unregister it.
const REGISTER: u8 = 0;
const UNREGISTER: u8 = 1;
/// RACQA: acquire; preempt and abort.
const ACQUIRE: u8 = 0;
const PREEMPT_AND_ABORT: u8 = 2;
/// Of a report with identifiers of 16 bytes, bytes: its header, each entry, and as many of these as are asked for.
const REPORT_HEADER: usize = 64;
const REPORT_ENTRY: usize = 64;
const REPORT_BYTES: usize = REPORT_HEADER + 15 * REPORT_ENTRY;

/// The queue.
#[derive(Debug)]
pub struct CommandQueue {
    association: Arc<Association>,
    number: u16,
    connection: CommandConnection,
}

/// Who has reserved a namespace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReservationState {
    /// Nobody.
    Free,
    /// A host that registered this key.
    Held(u64),
}

fn action(action: u8, reservation_type: u8) -> ReservationAction {
    ReservationAction { action, ignore_key: false, persistence: 0, reservation_type }
}

/// Two keys, as they are sent.
fn keys(first: u64, second: u64) -> Vec<u8> {
    [first.to_le_bytes(), second.to_le_bytes()].concat()
}

impl CommandQueue {
    pub(crate) fn new(
        association: Arc<Association>,
        number: u16,
        connection: CommandConnection,
    ) -> CommandQueue {
        CommandQueue { association, number, connection }
    }

    /// What it is a queue of.
    pub fn association(&self) -> &Arc<Association> {
        &self.association
    }

    /// From now on an answer may take so long.
    ///
    /// # Errors
    /// The system's.
    pub fn answer_within(&mut self, limit: Duration) -> Result<(), HostError> {
        self.connection.answer_within(limit)
    }

    /// Reads whole blocks.
    ///
    /// # Errors
    /// What the target or the connection says.
    pub fn read(&mut self, offset: u64, out: &mut [u8]) -> Result<(), HostError> {
        let mut at = offset;
        for part in out.chunks_mut(self.most()) {
            let command = IoCommand::Read(self.extent(at, part.len(), false)?);
            let bytes = part.len() as u32;
            part.copy_from_slice(self.execute("Read", command, &[], bytes)?);
            at += u64::from(bytes);
        }
        Ok(())
    }

    /// Writes whole blocks, durably as the target has it (FUA). More than a command may have is written by several.
    ///
    /// # Errors
    /// As [`CommandQueue::read`]. What was written before may stay.
    pub fn write(&mut self, offset: u64, bytes: &[u8]) -> Result<(), HostError> {
        let mut at = offset;
        for part in bytes.chunks(self.most()) {
            let command = IoCommand::Write(self.extent(at, part.len(), true)?);
            self.execute("Write", command, part, 0)?;
            at += part.len() as u64;
        }
        Ok(())
    }

    /// Registers a key for this host.
    ///
    /// # Errors
    /// As [`CommandQueue::read`].
    pub fn register(&mut self, key: u64) -> Result<(), HostError> {
        let command = IoCommand::ReservationRegister(action(REGISTER, 0));
        self.execute("Reservation Register", command, &keys(0, key), 0).map(drop)
    }

    /// Takes this host's key back, and with it what it has reserved.
    ///
    /// # Errors
    /// As [`CommandQueue::read`].
    pub fn unregister(&mut self, key: u64) -> Result<(), HostError> {
        let command = IoCommand::ReservationRegister(action(UNREGISTER, 0));
        self.execute("Reservation Register", command, &keys(key, 0), 0).map(drop)
    }

    /// Reserves the namespace for this host, Write Exclusive. Hosts that registered the same key lose it, and commands of theirs are aborted;
    /// who registered another key keeps what it has.
    ///
    /// # Errors
    /// As [`CommandQueue::read`]; [`HostError::is_reservation_conflict`] where another has it.
    pub fn reserve(&mut self, key: u64) -> Result<(), HostError> {
        for (what, other) in [(PREEMPT_AND_ABORT, key), (ACQUIRE, 0)] {
            let command = IoCommand::ReservationAcquire(action(what, WRITE_EXCLUSIVE));
            self.execute("Reservation Acquire", command, &keys(key, other), 0)?;
        }
        Ok(())
    }

    /// Who has reserved the namespace.
    ///
    /// # Errors
    /// As [`CommandQueue::read`].
    pub fn reservation(&mut self) -> Result<ReservationState, HostError> {
        let dwords_less_one = (REPORT_BYTES / 4) as u32 - 1;
        let command = IoCommand::ReservationReport { dwords_less_one, extended: true };
        let report = self.execute("Reservation Report", command, &[], REPORT_BYTES as u32)?;
        Ok(state_of(report))
    }

    /// Most data of a command, bytes; whole blocks.
    fn most(&self) -> usize {
        let reached = self.association.reached();
        let most = reached.max_data - reached.max_data % reached.block_bytes;
        most.max(reached.block_bytes) as usize
    }

    fn extent(&self, offset: u64, bytes: usize, durable: bool) -> Result<Extent, HostError> {
        let reached = self.association.reached();
        let (block, bytes) = (u64::from(reached.block_bytes), bytes as u64);
        let within = offset.checked_add(bytes).is_some_and(|end| end <= reached.bytes());
        if !within || bytes == 0 || !(offset | bytes).is_multiple_of(block) {
            return Err(HostError::Namespace {
                namespace: self.association.address().namespace,
                reason: format!(
                    "{bytes} bytes at {offset} are no blocks of its {}",
                    reached.bytes()
                ),
            });
        }
        Ok(Extent {
            first_block: offset / block,
            blocks_less_one: (bytes / block - 1) as u16,
            force_unit_access: durable,
        })
    }

    fn execute(
        &mut self,
        name: &'static str,
        command: IoCommand,
        data: &[u8],
        gets: u32,
    ) -> Result<&[u8], HostError> {
        let namespace = self.association.address().namespace;
        let entry = command.to_entry(0, namespace, DataPointer::NONE);
        self.connection.execute(name, entry, data, gets).map(|(_, came)| came)
    }
}

/// What a report with identifiers of 16 bytes says.
fn state_of(report: &[u8]) -> ReservationState {
    let kind = report.get(4).copied().unwrap_or(0);
    if kind == 0 {
        return ReservationState::Free;
    }
    let mut entries = report.get(REPORT_HEADER..).unwrap_or_default().chunks_exact(REPORT_ENTRY);
    let holder = entries.find(|entry| entry[2] & 1 == 1);
    let key = holder.and_then(|entry| entry[8..16].try_into().ok()).map(u64::from_le_bytes);
    ReservationState::Held(key.unwrap_or(0))
}

impl Drop for CommandQueue {
    fn drop(&mut self) {
        let _ = self.connection.stream().shutdown(std::net::Shutdown::Both);
        self.association.link().give_back(self.number);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_holder_of_a_reservation_is_told_by_its_key() {
        let mut report = vec![0; REPORT_BYTES];
        assert_eq!(state_of(&report), ReservationState::Free);
        // Two hosts, of which the second holds it.
        report[4] = WRITE_EXCLUSIVE;
        report[REPORT_HEADER + 8] = 5;
        report[REPORT_HEADER + REPORT_ENTRY + 2] = 1;
        report[REPORT_HEADER + REPORT_ENTRY + 8] = 7;
        assert_eq!(state_of(&report), ReservationState::Held(7));
        assert_eq!(state_of(&[0; 3]), ReservationState::Free);
    }
}
