//! A medium of a log tier on which anything may lie, checksums right and wrong: recovery ends, within bounds, and moves nothing that no
//! whole record says.

use std::io;

use narrows_log_tier::{
    Acknowledge, Action, Geometry, LogId, ReadMedium, RecordHeader, Superblock, scan,
};

/// Room of the ring where a superblock says nothing else, bytes.
const RING: usize = 64 * 512;

struct Medium(Vec<u8>);

impl ReadMedium for Medium {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let at = usize::try_from(at).map_err(|_| io::ErrorKind::UnexpectedEof)?;
        let end = at.checked_add(out.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        out.copy_from_slice(self.0.get(at..end).ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Numbers, taken from the front.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn byte(&mut self) -> u8 {
        let Some((first, rest)) = self.0.split_first() else { return 0 };
        self.0 = rest;
        *first
    }

    /// A small number mostly, any other at times.
    fn number(&mut self) -> u64 {
        match self.byte() {
            0xFF => u64::from_le_bytes(std::array::from_fn(|_| self.byte())),
            small => u64::from(small),
        }
    }
}

/// A superblock, then records, each with where it lies.
pub fn check(data: &[u8]) {
    let mut numbers = Numbers(data);
    let unit = [512, 4096, 1][usize::from(numbers.byte()) % 3];
    let capacity =
        if numbers.byte() & 1 == 0 { RING as u64 } else { numbers.number().wrapping_mul(512) };
    let superblock = Superblock {
        id: LogId([1; 16]),
        backing: [2; 16],
        backing_bytes: numbers.number().wrapping_mul(512),
        geometry: Geometry { unit, capacity },
        media: numbers.byte() % 3,
        medium: numbers.byte() % 3,
        acknowledge: match numbers.byte() {
            0x80.. => Acknowledge::Copies(numbers.byte() % 4),
            _ => Acknowledge::All,
        },
        members: numbers.byte() % 4,
        generation: numbers.number(),
        epoch: numbers.number(),
        before: numbers.number(),
        tail: numbers.number().wrapping_mul(512),
        tail_seq: numbers.number(),
        clean: false,
        time_ms: 0,
    };
    let mut medium = Medium(vec![0; 8192 + RING]);
    let at = superblock.at() as usize;
    medium.0[at..at + 512].copy_from_slice(&superblock.to_bytes());
    while !numbers.0.is_empty() {
        let place = 8192 + usize::from(numbers.byte()) % (RING / 512) * 512;
        let header = RecordHeader {
            id: superblock.id,
            epoch: numbers.number(),
            seq: numbers.number(),
            position: numbers.number().wrapping_mul(512),
            action: [Action::Write, Action::Zero, Action::Deallocate]
                [usize::from(numbers.byte()) % 3],
            offset: numbers.number().wrapping_mul(512),
            bytes: numbers.number().wrapping_mul(512),
            // Of no data; data that fit a checksum are for the tests.
            data_crc: 0,
            time_ms: 0,
        };
        medium.0[place..place + 512].copy_from_slice(&header.to_bytes());
        if numbers.byte() == 7 {
            medium.0[place + usize::from(numbers.byte())] ^= 1;
        }
    }
    let Ok(contents) = scan(&mut [&mut medium], true) else { return };
    let mut seq = contents.superblock.tail_seq;
    for record in &contents.records {
        let header = &record.header;
        assert_eq!(header.seq, seq, "records follow each other");
        assert_eq!(header.epoch, contents.superblock.epoch, "of one life");
        let end = header.offset.checked_add(header.bytes);
        assert!(end.is_some_and(|end| end <= contents.superblock.backing_bytes), "within the file");
        let ring = contents.superblock.geometry.capacity;
        assert!(header.position % ring < ring && record.data_at >= 8192 + 512, "in the ring");
        seq += 1;
    }
    let next = contents.next(0);
    assert_eq!((next.tail_seq, next.epoch), (seq, contents.superblock.epoch + 1));
}
