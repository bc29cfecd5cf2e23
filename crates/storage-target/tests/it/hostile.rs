//! Targets that a host must not trust, and hosts whose sockets are never empty.

use narrows_initiator::HostError;
use narrows_initiator::queue::{Direction, HostQueue, Piece, SlotMemory};
use narrows_nvme::command::{Extent, IoCommand};
use narrows_nvme::digest::Digests;
use narrows_nvme::pdu::{IcResp, Pdu, ReadyToTransfer};
use narrows_nvme::{CompletionEntry, DataPointer, Status};

const LARGE: usize = 64 << 10;
const IN_CAPSULE: u32 = 8192;

struct Memory(Vec<Vec<u8>>);

impl SlotMemory for Memory {
    fn slot(&mut self, slot: u16) -> &mut [u8] {
        &mut self.0[usize::from(slot)]
    }
}

fn bytes_of(pdu: &Pdu) -> Vec<u8> {
    let mut bytes = Vec::new();
    pdu.write(0, Digests::NONE, 4, &mut bytes);
    bytes
}

fn ready(slot: u16, offset: u32, length: u32) -> Vec<u8> {
    bytes_of(&Pdu::R2t(ReadyToTransfer { command_id: slot, transfer_tag: 0, offset, length }))
}

fn answer(slot: u16, status: Status) -> Vec<u8> {
    bytes_of(&Pdu::CapsuleResp(CompletionEntry::new(slot, status, 0)))
}

/// A queue that the target agreed to, with two slots.
fn opened() -> (HostQueue, Memory) {
    let mut queue = HostQueue::new(2, Digests::NONE, IN_CAPSULE, LARGE as u32);
    let mut memory = Memory(vec![vec![7; LARGE]; 2]);
    queue.sent();
    let response =
        IcResp { format: 0, alignment: 0, digests: Digests::NONE, max_h2c_data: 1 << 20 };
    queue.input(&bytes_of(&Pdu::IcResp(response)), &mut memory, &mut Vec::new()).unwrap();
    (queue, memory)
}

fn write(queue: &mut HostQueue, memory: &mut Memory, slot: u16, bytes: u32) {
    let blocks_less_one = (bytes / 512 - 1) as u16;
    let extent = Extent { first_block: 0, blocks_less_one, force_unit_access: false };
    let entry = IoCommand::Write(extent).to_entry(slot, 1, DataPointer::NONE);
    queue.submit(entry, slot, Direction::Out(bytes), memory);
}

/// Bytes that wait.
fn waiting(queue: &HostQueue) -> usize {
    let lengths = queue.pieces().iter().map(|piece| match piece {
        Piece::Bytes(range) | Piece::Slot { range, .. } => range.len(),
    });
    lengths.sum()
}

#[test]
fn an_answer_before_the_data_were_sent_ends_the_connection() {
    for (status, asked) in
        [(Status::SUCCESS, true), (Status::SUCCESS, false), (Status::WRITE_FAULT, true)]
    {
        let (mut queue, mut memory) = opened();
        let mut ended = Vec::new();
        if asked {
            write(&mut queue, &mut memory, 0, LARGE as u32);
            queue.sent();
            queue.input(&ready(0, 0, LARGE as u32), &mut memory, &mut ended).unwrap();
        } else {
            write(&mut queue, &mut memory, 0, IN_CAPSULE);
        }
        // All but one byte of the data: what is left is of memory that the next command would have.
        queue.sent_bytes(waiting(&queue) - 1);
        let error = queue.input(&answer(0, status), &mut memory, &mut ended).unwrap_err();
        let HostError::Broken(why) = &error else { panic!("{error}") };
        assert!(why.contains("before the command's data were sent") && ended.is_empty(), "{why}");
    }
}

#[test]
fn what_was_sent_is_not_looked_at_again_when_its_slot_has_another_command() {
    let (mut queue, mut memory) = opened();
    write(&mut queue, &mut memory, 0, IN_CAPSULE);
    let first = waiting(&queue);
    write(&mut queue, &mut memory, 1, IN_CAPSULE);
    // The socket took the first and half of the second, and the target answers the first.
    queue.sent_bytes(first + IN_CAPSULE as usize / 2);
    let mut ended = Vec::new();
    queue.input(&answer(0, Status::SUCCESS), &mut memory, &mut ended).unwrap();
    assert_eq!(ended.iter().map(|ended| ended.slot).collect::<Vec<_>>(), [0]);
    assert!(!queue.pieces().iter().any(|piece| matches!(piece, Piece::Slot { slot: 0, .. })));
    // The next command of that slot has less memory: a deallocation's ranges.
    memory.0[0].truncate(16);
    let command = IoCommand::DatasetManagement { ranges_less_one: 0, deallocate: true };
    let entry = command.to_entry(0, 1, DataPointer::NONE);
    queue.submit(entry, 0, Direction::Out(16), &mut memory);
    for piece in queue.pieces() {
        match piece {
            Piece::Bytes(range) => assert!(range.end <= queue.bytes().len()),
            Piece::Slot { slot, range } => assert!(range.end <= memory.0[usize::from(*slot)].len()),
        }
    }
    queue.sent();
    for slot in [1, 0] {
        queue.input(&answer(slot, Status::SUCCESS), &mut memory, &mut ended).unwrap();
    }
    assert_eq!((ended.len(), queue.in_flight()), (3, 0));
}

#[test]
fn a_queue_that_is_never_idle_keeps_no_more_than_what_waits() {
    let (mut queue, mut memory) = opened();
    let mut stream = Vec::new();
    let mut ended = Vec::new();
    write(&mut queue, &mut memory, 0, 512);
    for round in 0..10_000u32 {
        let (this, other) = ((round % 2) as u16, ((round + 1) % 2) as u16);
        write(&mut queue, &mut memory, other, 512);
        // All but a part of the last command.
        let goes = waiting(&queue) - 100;
        let mut left = goes;
        for piece in queue.pieces() {
            let bytes = match piece {
                Piece::Bytes(range) => &queue.bytes()[range.clone()],
                Piece::Slot { slot, range } => &memory.0[usize::from(*slot)][range.clone()],
            };
            let taken = bytes.len().min(left);
            left -= taken;
            stream.extend_from_slice(&bytes[..taken]);
        }
        queue.sent_bytes(goes);
        queue.input(&answer(this, Status::SUCCESS), &mut memory, &mut ended).unwrap();
        assert!(queue.bytes().len() < 64 << 10 && queue.pieces().len() <= 4, "round {round}");
    }
    assert_eq!(ended.len(), 10_000);
    // What went is one capsule after another, whole.
    const CAPSULE: usize = 72 + 512;
    for (number, capsule) in stream.chunks_exact(CAPSULE).enumerate() {
        assert_eq!(capsule[..4], [4, 0, 72, 72], "capsule {number}");
        assert_eq!(u16::from_le_bytes([capsule[10], capsule[11]]), number as u16 % 2);
        assert!(capsule[72..].iter().all(|byte| *byte == 7));
    }
}
