//! A log's bytes as a build left them: what is on drives has to be found by every later one.

use std::io;

use narrows_log_tier::{Action, ReadMedium, scan};

/// A log of format 1 with three writes, as a target left it that was killed (November 2026): places and bytes in hexadecimal, what is missing
/// is zero.
const FORMAT_1: &str = include_str!("format-1.hex");
/// Its medium's size.
const BYTES: usize = (8 << 10) + (4 << 20);

struct Medium(Vec<u8>);

impl Medium {
    fn from_hex(text: &str) -> Medium {
        let mut bytes = vec![0; BYTES];
        for line in text.lines() {
            let (at, hex) = line.split_once(' ').expect("a place and bytes");
            let at = usize::from_str_radix(at, 16).expect("a place");
            for (offset, pair) in hex.as_bytes().chunks(2).enumerate() {
                let pair = std::str::from_utf8(pair).expect("digits");
                bytes[at + offset] = u8::from_str_radix(pair, 16).expect("a byte");
            }
        }
        Medium(bytes)
    }
}

impl ReadMedium for Medium {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        let at = at as usize;
        out.copy_from_slice(&self.0[at..at + out.len()]);
        Ok(())
    }
}

#[test]
fn what_format_1_holds_is_found_whole() {
    let mut medium = Medium::from_hex(FORMAT_1);
    assert_eq!(&medium.0[..8], b"NRWLTSB1");
    let found = scan(&mut [&mut medium], false).unwrap();
    assert!(found.unreadable.is_none() && found.missing == 0 && !found.superblock.clean);
    let records: Vec<_> = found
        .records
        .iter()
        .map(|record| {
            let at = record.data_at as usize;
            let data = &medium.0[at..at + record.header.bytes as usize];
            (record.header.action, record.header.offset, data.to_vec())
        })
        .collect();
    let expected: Vec<_> =
        (0..3_u64).map(|number| (Action::Write, number * 512, vec![0x5a; 512])).collect();
    assert_eq!(records, expected);
    // The next life of it goes on in this format, and one flipped bit of its data ends it there.
    assert_eq!(found.next(9).tail_seq, found.superblock.tail_seq + 3);
    let third = found.records[2].data_at as usize;
    medium.0[third + 100] ^= 1;
    assert_eq!(scan(&mut [&mut medium], false).unwrap().records.len(), 2);
}
