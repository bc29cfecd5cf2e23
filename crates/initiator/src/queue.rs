//! One connection of a host, as a machine that takes bytes and gives bytes.
//!
//! A command has the number of the slot whose memory its data go to or come from; the caller has that memory
//! ([`SlotMemory`]) and leaves it alone until the command has ended.

use std::ops::Range;

use narrows_nvme::digest::{Digests, digest};
use narrows_nvme::intake::{DataIntake, Intake};
use narrows_nvme::pdu::{
    DataTransfer, Framing, IcReq, MIN_MAX_H2C_DATA, Pdu, ReadyToTransfer, Side, Violation,
};
use narrows_nvme::{CompletionEntry, DataPointer, Status, SubmissionEntry};

use crate::HostError;

/// Pieces that were sent and are kept until there are more.
const KEPT_PIECES: usize = 64;

/// Memory of slots.
pub trait SlotMemory {
    /// The bytes of a slot.
    fn slot(&mut self, slot: u16) -> &mut [u8];
}

/// Which way a command's data go.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Direction {
    /// It has none.
    None,
    /// To the host: so many bytes.
    In(u32),
    /// To the controller: so many bytes.
    Out(u32),
}

/// A command that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ended {
    /// Its slot, free again.
    pub slot: u16,
    /// How it ended; for an answer that was data alone, as if it had said so.
    pub completion: CompletionEntry,
}

/// What is to be sent, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Of [`HostQueue::bytes`].
    Bytes(Range<usize>),
    /// Of a slot's memory.
    Slot {
        /// Which.
        slot: u16,
        /// Where.
        range: Range<usize>,
    },
}

#[derive(Debug, Clone, Copy)]
struct Command {
    direction: Direction,
    /// Data that came, or that were asked for.
    moved: u32,
    /// Data came that weren't what the controller sent.
    damaged: bool,
    /// Pieces of its slot that wait to be sent.
    unsent: u32,
}

/// A connection.
#[derive(Debug)]
pub struct HostQueue {
    framing: Framing,
    /// Where the controller wants data to begin, bytes.
    alignment: u32,
    in_capsule: u32,
    max_h2c_data: u32,
    initialized: bool,
    intake: Intake<Destination>,
    commands: Vec<Option<Command>>,
    in_flight: u32,
    bytes: Vec<u8>,
    pieces: Vec<Piece>,
    /// Pieces that were sent and not yet forgotten.
    sent_pieces: usize,
}

/// Where data go: to which command, from which offset on.
#[derive(Debug, Clone, Copy)]
struct Destination {
    slot: u16,
    offset: u32,
    success: bool,
}

impl HostQueue {
    /// A connection for commands of `slots` slots, with what opens it ready to be sent. Capsules take `in_capsule` bytes of
    /// data. No command may have more than `most` bytes of data.
    pub fn new(slots: u16, digests: Digests, in_capsule: u32, most: u32) -> HostQueue {
        let mut queue = HostQueue {
            framing: Framing {
                sender: Side::Controller,
                digests: Digests::NONE,
                alignment: 4,
                capsule_data: 0,
                transfer_data: most,
            },
            alignment: 4,
            in_capsule,
            max_h2c_data: MIN_MAX_H2C_DATA,
            initialized: false,
            intake: Intake::new(),
            commands: vec![None; usize::from(slots)],
            in_flight: 0,
            bytes: Vec::new(),
            pieces: Vec::new(),
            sent_pieces: 0,
        };
        // What is agreed on later is at most this.
        queue.framing.digests = digests;
        let request = Pdu::IcReq(IcReq::new(digests));
        queue.append(|out| {
            request.write(0, Digests::NONE, 4, out);
        });
        queue
    }

    /// Whether the controller has agreed.
    pub fn is_initialized(&self) -> bool {
        self.initialized
    }

    /// The digests that are used.
    pub fn digests(&self) -> Digests {
        self.framing.digests
    }

    /// Commands that haven't ended.
    pub fn in_flight(&self) -> u32 {
        self.in_flight
    }

    /// Data that a capsule takes, from now on.
    pub fn set_in_capsule(&mut self, bytes: u32) {
        self.in_capsule = bytes;
    }

    /// What is to be sent: of a piece that was sent in part, the rest.
    pub fn pieces(&self) -> &[Piece] {
        &self.pieces[self.sent_pieces..]
    }

    /// What pieces of bytes are of.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Everything was sent.
    pub fn sent(&mut self) {
        self.sent_bytes(usize::MAX);
    }

    /// So many bytes of the pieces were sent. What was sent is not looked at again: its slot may have another command by then.
    pub fn sent_bytes(&mut self, mut bytes: usize) {
        while let Some(piece) = self.pieces.get_mut(self.sent_pieces) {
            let (range, slot) = match piece {
                Piece::Bytes(range) => (range, None),
                Piece::Slot { slot, range } => (range, Some(*slot)),
            };
            let went = range.len().min(bytes);
            bytes -= went;
            range.start += went;
            if range.start < range.end {
                break;
            }
            self.sent_pieces += 1;
            let command = slot.and_then(|slot| self.commands.get_mut(usize::from(slot)));
            if let Some(Some(command)) = command {
                command.unsent -= 1;
            }
        }
        self.forget_sent();
    }

    /// Forgets what was sent: all, or once it is more than what is left, so that a connection that is never idle keeps no more
    /// than what waits.
    fn forget_sent(&mut self) {
        if self.sent_pieces == self.pieces.len() {
            self.pieces.clear();
            self.bytes.clear();
            self.sent_pieces = 0;
        } else if self.sent_pieces > KEPT_PIECES && self.sent_pieces > self.pieces.len() / 2 {
            self.pieces.drain(..self.sent_pieces);
            self.sent_pieces = 0;
            let first = self.pieces.iter().find_map(|piece| match piece {
                Piece::Bytes(range) => Some(range.start),
                Piece::Slot { .. } => None,
            });
            let gone = first.unwrap_or(self.bytes.len());
            self.bytes.drain(..gone);
            for piece in &mut self.pieces {
                if let Piece::Bytes(range) = piece {
                    *range = range.start - gone..range.end - gone;
                }
            }
        }
    }

    fn append(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        write(&mut self.bytes);
        let end = self.bytes.len();
        match self.pieces.last_mut() {
            Some(Piece::Bytes(range)) if range.end == start => range.end = end,
            _ => self.pieces.push(Piece::Bytes(start..end)),
        }
    }

    /// Begins a command in a slot. Its CID and data pointer are set here.
    ///
    /// # Panics
    /// Where the slot is in use.
    pub fn submit(
        &mut self,
        entry: SubmissionEntry,
        slot: u16,
        direction: Direction,
        memory: &mut dyn SlotMemory,
    ) {
        let here = &mut self.commands[usize::from(slot)];
        assert!(here.is_none(), "slot {slot} is in flight");
        *here = Some(Command { direction, moved: 0, damaged: false, unsent: 0 });
        self.in_flight += 1;
        let capsule = match direction {
            Direction::Out(bytes) if bytes <= self.in_capsule => bytes,
            _ => 0,
        };
        let pointer = match direction {
            Direction::None => DataPointer::NONE,
            Direction::Out(length) if capsule > 0 => DataPointer::InCapsule { offset: 0, length },
            Direction::In(length) | Direction::Out(length) => DataPointer::Transport { length },
        };
        let pdu = Pdu::CapsuleCmd(entry.with_command_id(slot).with_data(pointer));
        self.data_pdu(&pdu, slot, 0..capsule as usize, memory);
        if capsule > 0
            && let Some(command) = &mut self.commands[usize::from(slot)]
        {
            command.moved = capsule;
        }
    }

    /// A PDU with data of a slot.
    fn data_pdu(&mut self, pdu: &Pdu, slot: u16, range: Range<usize>, memory: &mut dyn SlotMemory) {
        let (digests, alignment) = (self.framing.digests, self.alignment);
        self.append(|out| {
            pdu.write(range.len(), digests, alignment, out);
        });
        if range.is_empty() {
            return;
        }
        let its_digest = digests.data.then(|| digest(&memory.slot(slot)[range.clone()]));
        self.pieces.push(Piece::Slot { slot, range });
        if let Some(Some(command)) = self.commands.get_mut(usize::from(slot)) {
            command.unsent += 1;
        }
        if let Some(its_digest) = its_digest {
            self.append(|out| out.extend_from_slice(&its_digest.to_le_bytes()));
        }
    }

    /// Takes what came, all of it, and appends commands that ended to `ended`.
    ///
    /// # Errors
    /// What the controller did that can't be; the connection is of no more use.
    pub fn input(
        &mut self,
        mut input: &[u8],
        memory: &mut dyn SlotMemory,
        ended: &mut Vec<Ended>,
    ) -> Result<(), HostError> {
        while !input.is_empty() {
            match &mut self.intake {
                Intake::Header(header) => {
                    // Before the controller agreed, headers have no digest.
                    let framing = if self.initialized {
                        self.framing
                    } else {
                        Framing { digests: Digests::NONE, ..self.framing }
                    };
                    let taken = header.take(&mut input, &framing).map_err(broken)?;
                    let Some((pdu, layout)) = taken else { return Ok(()) };
                    self.intake = Intake::new();
                    if layout.data == 0 {
                        self.pdu(pdu, memory, ended)?;
                    } else {
                        let part = self.part_of(&pdu)?;
                        self.intake = Intake::Data(DataIntake::new(pdu, layout, part));
                    }
                }
                Intake::Data(data) => {
                    let Destination { slot, offset, .. } = data.destination;
                    let end = offset as usize + data.bytes();
                    let whole = memory.slot(slot);
                    if data.copy(&mut input, &mut whole[offset as usize..end]) {
                        self.received(ended)?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Where the rest of a command's data are to be received, if that is worth it: slot, offset and length of at least
    /// `worth` bytes.
    pub fn direct(&self, worth: usize) -> Option<(u16, Range<usize>)> {
        let Intake::Data(data) = &self.intake else { return None };
        let begin = data.destination.offset as usize + data.have();
        let missing = data.missing();
        (missing >= worth).then(|| (data.destination.slot, begin..begin + missing))
    }

    /// So many bytes were received where [`direct`](HostQueue::direct) said.
    ///
    /// # Errors
    /// As [`input`](HostQueue::input).
    pub fn received_direct(
        &mut self,
        bytes: usize,
        memory: &mut dyn SlotMemory,
        ended: &mut Vec<Ended>,
    ) -> Result<(), HostError> {
        let Intake::Data(data) = &mut self.intake else { return Ok(()) };
        let Destination { slot, offset, .. } = data.destination;
        let end = offset as usize + data.bytes();
        let done = data.received(bytes, &memory.slot(slot)[offset as usize..end]);
        if done { self.received(ended) } else { Ok(()) }
    }

    /// Where data that come go.
    fn part_of(&self, pdu: &Pdu) -> Result<Destination, HostError> {
        match pdu {
            Pdu::C2hData { transfer, success, .. } => {
                let slot = transfer.command_id;
                let command = self.commands.get(usize::from(slot)).copied().flatten();
                let Some(Command { direction: Direction::In(bytes), moved, .. }) = command else {
                    return Err(unexpected("data for a command that reads none"));
                };
                let end = transfer.offset.checked_add(transfer.length);
                if transfer.offset != moved || end.is_none_or(|end| end > bytes) {
                    return Err(unexpected("data outside of what a command reads"));
                }
                Ok(Destination { slot, offset: transfer.offset, success: *success })
            }
            Pdu::C2hTermReq(violation) => Err(HostError::Terminated(*violation)),
            _ => Err(unexpected("data where there are none")),
        }
    }

    /// The data of a C2HData are here.
    fn received(&mut self, ended: &mut Vec<Ended>) -> Result<(), HostError> {
        let done = std::mem::take(&mut self.intake);
        let Intake::Data(data) = done else { return Ok(()) };
        let Destination { slot, offset, success } = data.destination;
        let Some(Some(command)) = self.commands.get_mut(usize::from(slot)) else {
            return Err(unexpected("data for a command that isn't there"));
        };
        command.moved = offset + data.bytes() as u32;
        command.damaged |= !data.is_intact();
        if success {
            let completion = CompletionEntry::new(slot, Status::SUCCESS, 0);
            return self.end(completion, ended);
        }
        Ok(())
    }

    fn pdu(
        &mut self,
        pdu: Pdu,
        memory: &mut dyn SlotMemory,
        ended: &mut Vec<Ended>,
    ) -> Result<(), HostError> {
        match pdu {
            Pdu::IcResp(response) if !self.initialized => {
                let asked = self.framing.digests;
                if response.digests.both(asked) != response.digests {
                    return Err(unexpected("digests that weren't asked for"));
                }
                self.framing.digests = response.digests;
                self.alignment = response.alignment_bytes();
                self.max_h2c_data = response.max_h2c_data;
                self.initialized = true;
                Ok(())
            }
            Pdu::CapsuleResp(completion) if self.initialized => self.end(completion, ended),
            Pdu::R2t(ready) if self.initialized => self.send(&ready, memory),
            Pdu::C2hTermReq(violation) => Err(HostError::Terminated(violation)),
            _ => Err(unexpected("a PDU that must not come now")),
        }
    }

    /// Data that the controller asks for.
    fn send(
        &mut self,
        ready: &ReadyToTransfer,
        memory: &mut dyn SlotMemory,
    ) -> Result<(), HostError> {
        let slot = ready.command_id;
        let command = self.commands.get_mut(usize::from(slot));
        let Some(Some(Command { direction: Direction::Out(bytes), moved, .. })) = command else {
            return Err(unexpected("an R2T for a command that writes nothing"));
        };
        let end = ready.offset.checked_add(ready.length).filter(|end| end <= bytes);
        let Some(end) = end.filter(|_| ready.offset == *moved && ready.length > 0) else {
            return Err(unexpected("an R2T outside of what a command writes"));
        };
        *moved = end;
        let mut offset = ready.offset;
        while offset < end {
            let length = (end - offset).min(self.max_h2c_data);
            let transfer =
                DataTransfer { command_id: slot, transfer_tag: ready.transfer_tag, offset, length };
            let pdu = Pdu::H2cData { transfer, last: offset + length == end };
            let range = offset as usize..(offset + length) as usize;
            self.data_pdu(&pdu, slot, range, memory);
            offset += length;
        }
        Ok(())
    }

    fn end(
        &mut self,
        mut completion: CompletionEntry,
        ended: &mut Vec<Ended>,
    ) -> Result<(), HostError> {
        let slot = completion.command_id;
        let here = self.commands.get_mut(usize::from(slot)).and_then(Option::take);
        let command = here.ok_or_else(|| unexpected("an answer to a command that isn't there"))?;
        self.in_flight -= 1;
        if command.unsent > 0 {
            // Its memory will be another command's, and what waits to be sent is of it.
            let status = completion.status;
            return Err(HostError::Broken(format!(
                "an answer ({status}) before the command's data were sent"
            )));
        }
        let whole = match command.direction {
            Direction::None => true,
            Direction::In(bytes) | Direction::Out(bytes) => command.moved == bytes,
        };
        if completion.status.is_success() && !whole {
            return Err(unexpected("success before all data were moved"));
        }
        if command.damaged {
            completion.status = Status::TRANSIENT_TRANSPORT_ERROR;
        }
        ended.push(Ended { slot, completion });
        Ok(())
    }
}

fn broken(violation: Violation) -> HostError {
    HostError::Broken(violation.to_string())
}

fn unexpected(what: &str) -> HostError {
    HostError::Broken(what.to_string())
}
