//! What a storage target says to a host, while reads, writes and a flush are on their way.

use narrows_initiator::queue::{Direction, HostQueue, Piece, SlotMemory};
use narrows_nvme::DataPointer;
use narrows_nvme::command::{Extent, IoCommand};
use narrows_nvme::digest::Digests;
use narrows_nvme::pdu::{IcResp, Pdu};

use crate::property;

const SLOT: usize = 32 << 10;
const SLOTS: u16 = 4;
/// Memory of a slot's later commands.
const SMALL: usize = 512;

struct Memory(Vec<Vec<u8>>);

impl SlotMemory for Memory {
    fn slot(&mut self, slot: u16) -> &mut [u8] {
        &mut self.0[usize::from(slot)]
    }
}

/// The first byte says whether the connection is agreed on, whether the socket takes all at once, and in which pieces the rest
/// comes.
pub fn check(data: &[u8]) {
    let Some((how, rest)) = data.split_first() else { return };
    let digests = Digests { header: how & 2 != 0, data: how & 4 != 0 };
    let mut queue = HostQueue::new(SLOTS, digests, 8192, SLOT as u32);
    let mut memory = Memory(vec![vec![7; SLOT]; usize::from(SLOTS)]);
    let mut ended = Vec::new();
    if how & 1 != 0 {
        let response = IcResp { format: 0, alignment: 0, digests, max_h2c_data: 4096 };
        let mut bytes = Vec::new();
        Pdu::IcResp(response).write(0, Digests::NONE, 4, &mut bytes);
        queue.input(&bytes, &mut memory, &mut ended).expect("an agreement");
    }
    let extent = |blocks: u16| Extent {
        first_block: 0,
        blocks_less_one: blocks - 1,
        force_unit_access: false,
    };
    for (slot, command, direction) in [
        (0, IoCommand::Read(extent(8)), Direction::In(4096)),
        (1, IoCommand::Write(extent(64)), Direction::Out(SLOT as u32)),
        (2, IoCommand::Flush, Direction::None),
        (3, IoCommand::Read(extent(64)), Direction::In(SLOT as u32)),
    ] {
        let entry = command.to_entry(slot, 1, DataPointer::NONE);
        queue.submit(entry, slot, direction, &mut memory);
    }
    let mut submitted = u32::from(SLOTS);
    send(&mut queue, &memory, how & 8 != 0);
    for bytes in rest.chunks(1 + usize::from(how >> 4) * 97) {
        let before = ended.len();
        if let Err(error) = queue.input(bytes, &mut memory, &mut ended) {
            return property::told(&error.to_string(), "");
        }
        // What it wants to say is bounded by what it was asked for.
        assert!(queue.bytes().len() <= 64 << 10 && queue.pieces().len() <= 512);
        // A slot that is free again is used at once, with less memory: nothing of before may be in its way.
        for slot in ended[before..].iter().map(|ended| ended.slot) {
            memory.0[usize::from(slot)].truncate(SMALL);
            let entry = IoCommand::Write(extent(1)).to_entry(slot, 1, DataPointer::NONE);
            queue.submit(entry, slot, Direction::Out(SMALL as u32), &mut memory);
            submitted += 1;
        }
        send(&mut queue, &memory, how & 8 != 0);
    }
    assert_eq!(ended.len() as u32 + queue.in_flight(), submitted);
}

/// The socket takes all that waits, or half of it.
fn send(queue: &mut HostQueue, memory: &Memory, half: bool) {
    let lengths = queue.pieces().iter().map(|piece| match piece {
        Piece::Bytes(range) => queue.bytes()[range.clone()].len(),
        Piece::Slot { slot, range } => memory.0[usize::from(*slot)][range.clone()].len(),
    });
    let waits: usize = lengths.sum();
    queue.sent_bytes(if half { waits.div_ceil(2) } else { waits });
}
