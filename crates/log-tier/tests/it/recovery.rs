//! What recovery refuses, and what it makes of damaged bytes.

use narrows_log_tier::{
    Acknowledge, Action, Change, Geometry, HEAD_BYTES, LEAST_CAPACITY, Log, LogId, RecordHeader,
    SLOT_BYTES, Superblock, Unusable, scan,
};
use proptest::prelude::*;

use crate::store::{SECTOR, Store};

fn superblock(id: u8, medium: u8) -> Superblock {
    Superblock {
        id: LogId([id; 16]),
        backing: [3; 16],
        backing_bytes: 1 << 20,
        geometry: Geometry { unit: 512, capacity: 64 * 512 },
        media: 2,
        medium,
        acknowledge: Acknowledge::All,
        members: 0b11,
        generation: 4,
        epoch: 2,
        tail: 0,
        tail_seq: 40,
        clean: true,
        time_ms: 5,
    }
}

fn medium(superblock: &Superblock) -> Store {
    let mut store = Store::new((HEAD_BYTES + superblock.geometry.capacity) as usize);
    store.write(superblock.at(), &superblock.to_bytes(), 0);
    store.flush();
    store
}

#[test]
fn media_that_do_not_belong_together_are_refused_by_name() {
    let mut first = medium(&superblock(1, 0));
    let mut second = medium(&superblock(1, 1));
    let mut other = medium(&superblock(2, 1));
    let mut blank = Store::new(1 << 16);
    assert!(matches!(scan(&mut [&mut blank], false), Err(Unusable::NoLog)));
    let two = scan(&mut [&mut first, &mut other], false).unwrap_err();
    assert!(two.to_string().contains("two logs"), "{two}");
    let mut copy = first.clone();
    assert!(matches!(scan(&mut [&mut first, &mut copy], false), Err(Unusable::Twice(0))));
    let missing = scan(&mut [&mut first], false).unwrap_err();
    assert!(matches!(missing, Unusable::Missing { missing: 1, media: 2 }), "{missing}");
    assert_eq!(scan(&mut [&mut first], true).unwrap().present, 0b01);
    // In any order, and a blank one is none of its media.
    let found = scan(&mut [&mut second, &mut blank, &mut first], false).unwrap();
    assert_eq!((found.present, found.records.len()), (0b11, 0));
    let next = found.next(9);
    assert_eq!((next.epoch, next.generation, next.tail_seq), (3, 5, 40));
    assert!(!next.clean && next.members == 0b11);
}

#[test]
fn a_log_of_a_later_version_is_not_taken_for_an_empty_medium() {
    let mut later = medium(&superblock(1, 0));
    let mut sector = superblock(1, 0).to_bytes();
    sector[7] = b'2';
    later.write(SLOT_BYTES, &sector, 0);
    later.flush();
    let error = scan(&mut [&mut later], true).unwrap_err();
    assert!(matches!(error, Unusable::Version('2')), "{error}");
}

#[test]
fn a_medium_that_ends_too_early_is_told() {
    let whole = superblock(1, 0);
    let mut short = Store::new(HEAD_BYTES as usize);
    short.write(whole.at(), &whole.to_bytes(), 0);
    short.flush();
    let error = scan(&mut [&mut short], true).unwrap_err();
    assert!(error.to_string().contains("reading 512 bytes at 8192 of medium 0"), "{error}");
}

#[test]
fn the_newest_superblock_holds_and_a_torn_one_leaves_the_one_before() {
    let old = superblock(1, 0);
    let new = Superblock { generation: 5, tail_seq: 50, ..old };
    let mut store = medium(&old);
    store.write(new.at(), &new.to_bytes(), 0);
    store.flush();
    assert_eq!(scan(&mut [&mut store], true).unwrap().superblock, new);
    let mut torn = new.to_bytes();
    torn[100] ^= 1;
    store.write(new.at(), &torn, 0);
    store.flush();
    assert_eq!(scan(&mut [&mut store], true).unwrap().superblock, old);
}

#[test]
fn sizes_are_of_whole_units_and_large_enough() {
    assert_eq!(Geometry::of_medium(0, 512), None);
    let bytes = HEAD_BYTES + LEAST_CAPACITY + 4095;
    assert_eq!(Geometry::of_medium(bytes, 4096).unwrap().capacity, LEAST_CAPACITY);
}

/// A medium with three records: 1,000 bytes, zeros, and 512 bytes.
fn three_records() -> (Store, Vec<RecordHeader>) {
    let superblock = Superblock { media: 1, members: 1, ..superblock(1, 0) };
    let mut log = Log::new(superblock);
    let mut image = vec![0; superblock.geometry.capacity as usize];
    let mut store = medium(&superblock);
    let data: Vec<u8> = (0..1000_u32).map(|index| (index % 251) as u8).collect();
    let changes = [
        (Action::Write, 512, 1000, &data[..]),
        (Action::Deallocate, 1 << 19, 1 << 18, &[]),
        (Action::Write, 0, 512, &data[..512]),
    ];
    for (action, offset, bytes, data) in changes {
        let change = Change { action, offset, bytes, data };
        let append = log.append(&mut image, &change, 77).unwrap();
        let at = append.at as usize;
        let record = &image[at..at + append.bytes as usize];
        store.write(superblock.geometry.on_medium(append.at), record, append.seq);
    }
    store.flush();
    let found = scan(&mut [&mut store], false).unwrap();
    (store, found.records.iter().map(|record| record.header).collect())
}

#[test]
fn whole_records_are_found_in_their_order() {
    let (_, headers) = three_records();
    let seen: Vec<_> = headers.iter().map(|it| (it.seq, it.action, it.offset, it.bytes)).collect();
    assert_eq!(
        seen,
        [
            (40, Action::Write, 512, 1000),
            (41, Action::Deallocate, 1 << 19, 1 << 18),
            (42, Action::Write, 0, 512)
        ]
    );
    assert_eq!(headers[2].time_ms, 77);
}

proptest! {
    /// Whatever is damaged, what is found is a prefix of what was written.
    #[test]
    fn damage_ends_the_log_and_invents_nothing(
        sector in 16_usize..24, at in 0..SECTOR, bits in 1_u8..=255,
    ) {
        let (store, headers) = three_records();
        let mut content = store.seen((sector * SECTOR) as u64, SECTOR);
        content[at] ^= bits;
        let mut damaged = store;
        damaged.write((sector * SECTOR) as u64, &content, 0);
        damaged.flush();
        let found = scan(&mut [&mut damaged], false).unwrap();
        let found: Vec<_> = found.records.iter().map(|record| record.header).collect();
        prop_assert!(headers.starts_with(&found));
        // Beyond header and data of a record nothing is looked at: its filling.
        let whole = found.len() == headers.len();
        let filling = sector == 18 && at >= 488 || sector >= 22;
        prop_assert_eq!(whole, filling, "sector {} byte {}", sector, at);
    }

    #[test]
    fn no_bytes_make_it_panic(bytes in prop::collection::vec(any::<u8>(), 0..1024)) {
        let _ = RecordHeader::parse(&bytes);
        let _ = Superblock::parse(&bytes);
    }

    #[test]
    fn what_is_written_is_what_is_parsed(
        seq: u64, position: u64, offset: u64, bytes: u64, crc: u32, generation in 0_u64..1 << 62,
    ) {
        let header = RecordHeader {
            id: LogId([5; 16]), epoch: 3, seq, position, action: Action::Zero, offset, bytes,
            data_crc: crc, time_ms: 1,
        };
        prop_assert_eq!(RecordHeader::parse(&header.to_bytes()), Some(header));
        let superblock = Superblock { generation, ..superblock(1, 1) };
        prop_assert_eq!(Superblock::parse(&superblock.to_bytes()), Some(superblock));
    }
}
