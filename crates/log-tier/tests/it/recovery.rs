//! What recovery refuses, and what it makes of damaged bytes.

use std::io;

use narrows_log_tier::{
    Acknowledge, Action, Change, Geometry, HEAD_BYTES, Known, LEAST_CAPACITY, Log, LogId,
    ReadMedium, RecordHeader, SLOT_BYTES, Superblock, Unusable, scan, scan_known,
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
        before: 0,
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
    sector[7] = b'3';
    later.write(SLOT_BYTES, &sector, 0);
    later.flush();
    let error = scan(&mut [&mut later], true).unwrap_err();
    assert!(matches!(error, Unusable::Version('3')), "{error}");
}

#[test]
fn a_medium_that_ends_too_early_is_told() {
    let whole = superblock(1, 0);
    let mut short = Store::new(HEAD_BYTES as usize);
    short.write(whole.at(), &whole.to_bytes(), 0);
    short.flush();
    let contents = scan(&mut [&mut short], true).unwrap();
    assert!(contents.unreadable.unwrap().contains("byte 8192 of medium 0"));
    let mut shorter = Store::new(512);
    let error = scan(&mut [&mut shorter], true).unwrap_err();
    assert!(error.to_string().contains("reading 8192 bytes at 0 of medium 0"), "{error}");
}

/// A medium with a place that can't be read.
struct Damaged(Store, u64);

impl ReadMedium for Damaged {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        if (at..at + out.len() as u64).contains(&self.1) {
            return Err(io::Error::other("unreadable"));
        }
        self.0.read(at, out)
    }
}

#[test]
fn a_place_that_can_not_be_read_ends_the_log_unless_the_other_medium_has_it() {
    let (store, headers) = three_records();
    let second = HEAD_BYTES + headers[1].position;
    let mut alone = Damaged(store, second);
    let contents = scan(&mut [&mut alone], false).unwrap();
    assert_eq!(contents.records.len(), 1);
    assert!(contents.unreadable.unwrap().contains("unreadable"));
    // What can't be read behind the last record is told as well: something may have been there.
    let (store, _) = three_records();
    let mut behind = Damaged(store, HEAD_BYTES + 6 * 512);
    let contents = scan(&mut [&mut behind], false).unwrap();
    assert_eq!((contents.records.len(), contents.unreadable.is_some()), (3, true));
    // Two media with the same records.
    let both = |medium| {
        let (mut store, _) = three_records();
        let its = superblock(1, medium);
        store.write(its.at(), &its.to_bytes(), 0);
        store.flush();
        store
    };
    let mut first = Damaged(both(0), second);
    let mut other = both(1);
    let contents = scan(&mut [&mut first, &mut other], false).unwrap();
    assert_eq!((contents.records.len(), contents.unreadable), (3, None));
    let mut lost = Damaged(both(0), 0);
    let contents = scan(&mut [&mut lost, &mut other], true).unwrap();
    assert_eq!((contents.records.len(), contents.missing), (3, 0b01));
}

#[test]
fn a_medium_that_was_taken_out_is_none_to_go_on_with() {
    let mut out = medium(&Superblock { members: 0b01, ..superblock(1, 1) });
    let error = scan(&mut [&mut out], true).unwrap_err();
    assert!(matches!(error, Unusable::Out(1)), "{error}");
    let mut stayed = medium(&Superblock { members: 0b01, ..superblock(1, 0) });
    let contents = scan(&mut [&mut stayed, &mut out], false).unwrap();
    assert_eq!((contents.present, contents.missing), (0b01, 0));
}

/// Of a log on three media, each record on two.
fn copied(medium: u8, epoch: u64, before: u64, members: u8) -> Superblock {
    let acknowledge = Acknowledge::Copies(2);
    let generation = 10 * epoch;
    Superblock {
        media: 3,
        acknowledge,
        members,
        epoch,
        before,
        generation,
        ..superblock(1, medium)
    }
}

fn known(media: &mut [Store], known: Known) -> Result<narrows_log_tier::LogContents, Unusable> {
    let mut given: Vec<&mut dyn ReadMedium> =
        media.iter_mut().map(|store| store as &mut dyn ReadMedium).collect();
    scan_known(&mut given, known, false)
}

#[test]
fn a_log_of_copies_needs_so_many_that_one_of_them_has_each_record() {
    let mut three: Vec<Store> = (0..3).map(|number| medium(&copied(number, 7, 6, 0b111))).collect();
    let blank = Store::new(1 << 16);
    let found = known(&mut three[..2], Known::Life(7)).unwrap();
    assert_eq!((found.present, found.missing, found.copies()), (0b011, 0, Some(2)));
    let error = known(&mut three[..1], Known::Life(7)).unwrap_err();
    assert!(error.to_string().starts_with("media 1, 2 of the log's 3 are missing"), "{error}");
    // Whoever lost what it held is missing, and a member of the next life.
    let mut given = [blank.clone(), three[1].clone(), three[0].clone()];
    let mut found = known(&mut given, Known::Life(7)).unwrap();
    assert_eq!(found.numbers, [None, Some(1), Some(0)]);
    assert_eq!(found.rejoin(&[0, 1, 2]), [0]);
    assert_eq!(found.numbers, [Some(2), Some(1), Some(0)]);
    let next = found.next(5000);
    assert_eq!((next.epoch, next.before, next.members), (5000, 7, 0b111));
    let error = known(&mut [blank.clone(), blank, three[0].clone()], Known::Life(7)).unwrap_err();
    assert!(matches!(error, Unusable::TooFew { media: 3, copies: 2, .. }), "{error}");
    // Not where nobody asks, or the file has everything.
    assert_eq!(known(&mut three[..1], Known::NotAsked).unwrap().missing, 0b110);
    assert_eq!(known(&mut three[..1], Known::All).unwrap().missing, 0);
}

#[test]
fn a_life_that_the_file_does_not_know_moves_nothing_to_it() {
    // Two went on without the third, in a life of which the file knows.
    let mut stale = [medium(&copied(2, 7, 6, 0b110))];
    assert!(known(&mut stale, Known::Life(7)).is_ok());
    let error = known(&mut stale, Known::Life(9)).unwrap_err();
    assert!(matches!(error, Unusable::OtherLife { found: 7, life: 9 }), "{error}");
    // With those it is blank, and none of them is missing that has to be there.
    let both = [medium(&copied(0, 9, 7, 0b011)), medium(&copied(1, 9, 7, 0b011))];
    let mut given = [both[0].clone(), both[1].clone(), stale[0].clone()];
    let mut found = known(&mut given, Known::Life(9)).unwrap();
    assert_eq!(
        (found.superblock.epoch, found.present, found.rejoin(&[0, 1, 2])),
        (9, 0b011, vec![2])
    );
    // A life that began nowhere but on one medium says that all of the one before was moved.
    let mut cut = [medium(&copied(1, 12, 9, 0b111))];
    let found = known(&mut cut, Known::Life(9)).unwrap();
    assert_eq!((found.records.len(), found.next(0).before), (0, 9));
}

#[test]
fn a_log_of_copies_is_of_format_two_and_the_others_stay_as_they_were() {
    let of_copies = copied(2, 7, 6, 0b101);
    assert_eq!(&of_copies.to_bytes()[..8], b"NRWLTSB2");
    assert_eq!(Superblock::parse(&of_copies.to_bytes()), Some(of_copies));
    assert_eq!(&superblock(1, 0).to_bytes()[..8], b"NRWLTSB1");
    for copies in [0, 4] {
        let wrong = Superblock { acknowledge: Acknowledge::Copies(copies), ..of_copies };
        assert_eq!(Superblock::parse(&wrong.to_bytes()), None, "{copies} of 3");
    }
    let many = Superblock { media: 8, medium: 7, members: 0xFF, ..of_copies };
    assert_eq!(Superblock::parse(&many.to_bytes()), Some(many));
    let more = Superblock { media: 9, ..many };
    assert_eq!(Superblock::parse(&more.to_bytes()), None);
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
