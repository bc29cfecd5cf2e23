//! Every row of the table of marks, at each of its places, with near misses.

use std::collections::BTreeMap;
use std::io::{self, Read, Seek, SeekFrom};

use narrows_raw::signature::{Signature, scan, table};

/// Large enough for the last copy that Btrfs keeps, and a multiple of no format's unit, so that rounding shows.
const SIZE_BYTES: u64 = (256 << 30) + (5 << 20) + 7 * 512;

/// Zeros with some bytes in them; no memory is spent on the zeros.
#[derive(Default)]
struct Sparse {
    bytes: BTreeMap<u64, u8>,
    position: u64,
}

impl Sparse {
    fn put(&mut self, at: u64, bytes: &[u8]) {
        self.bytes.extend((at..).zip(bytes.iter().copied()));
    }

    fn names(&mut self) -> Vec<&'static str> {
        scan(self, SIZE_BYTES).unwrap().into_iter().map(|found| found.name).collect()
    }
}

impl Read for Sparse {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = (SIZE_BYTES.saturating_sub(self.position)).min(buffer.len() as u64);
        let range = self.position..self.position + length;
        buffer[..length as usize].fill(0);
        for (at, byte) in self.bytes.range(range) {
            buffer[(at - self.position) as usize] = *byte;
        }
        self.position += length;
        Ok(length as usize)
    }
}

impl Seek for Sparse {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(position) = to else { unreachable!("only from the start") };
        self.position = position;
        Ok(position)
    }
}

fn planted(row: &Signature, at: u64, magic: &[u8], also: Option<(i64, &[u8])>) -> Sparse {
    let mut image = Sparse::default();
    if let Some((distance, bytes)) = also {
        image.put(at.checked_add_signed(distance).unwrap(), bytes);
    }
    image.put(at, magic);
    assert!(!magic.is_empty(), "{}", row.name);
    image
}

fn places(row: &Signature) -> Vec<u64> {
    row.places.iter().flat_map(|place| place.offsets(SIZE_BYTES)).collect()
}

#[test]
fn every_mark_is_found_at_each_of_its_places() {
    for row in table() {
        for at in places(row) {
            let mut image = planted(row, at, row.magic, row.also);
            let found = scan(&mut image, SIZE_BYTES).unwrap();
            let ours = found.iter().find(|found| found.name == row.name);
            let ours = ours.unwrap_or_else(|| panic!("{} at {at} not found", row.name));
            assert_eq!((ours.offset_bytes, ours.owner), (at, row.owner), "{}", row.name);
        }
    }
}

#[test]
fn a_mark_with_any_byte_changed_is_none() {
    for row in table() {
        let at = places(row)[0];
        for index in 0..row.magic.len() {
            let mut magic = row.magic.to_vec();
            magic[index] ^= 0x80;
            let names = planted(row, at, &magic, row.also).names();
            assert!(!names.contains(&row.name), "{}, byte {index} changed", row.name);
        }
        let Some((distance, bytes)) = row.also else { continue };
        for index in 0..bytes.len() {
            let mut also = bytes.to_vec();
            also[index] ^= 0x80;
            let names = planted(row, at, row.magic, Some((distance, &also))).names();
            assert!(!names.contains(&row.name), "{}, other byte {index} changed", row.name);
        }
    }
}

#[test]
fn a_mark_one_byte_off_its_place_is_none() {
    for row in table() {
        for at in places(row) {
            for shifted in [at.checked_add(1), at.checked_sub(1)].into_iter().flatten() {
                let also = row
                    .also
                    .filter(|(distance, _)| shifted.checked_add_signed(*distance).is_some());
                let names = planted(row, shifted, row.magic, also).names();
                assert!(!names.contains(&row.name), "{} at {shifted}", row.name);
            }
        }
    }
}

#[test]
fn zeros_carry_no_mark() {
    assert_eq!(Sparse::default().names(), Vec::<&str>::new());
}

#[test]
fn a_mark_cut_off_by_the_end_is_none_and_a_short_device_is_no_error() {
    for row in table() {
        for size in [0, 511, 512, 513, 4096, 65_536] {
            let mut image = Sparse::default();
            scan(&mut image, size).unwrap_or_else(|error| panic!("{}: {error}", row.name));
        }
    }
    let mut image = Sparse::default();
    image.put(0, b"XFSB");
    assert_eq!(scan(&mut image, 3).unwrap(), []);
    assert_eq!(scan(&mut image, 4).unwrap().len(), 1);
}

#[test]
fn what_cant_be_read_is_an_error_and_not_an_empty_answer() {
    struct Bad;
    impl Read for Bad {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            Err(io::Error::from_raw_os_error(5))
        }
    }
    impl Seek for Bad {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Ok(0)
        }
    }
    assert!(scan(&mut Bad, 1 << 30).is_err());
}

#[test]
fn rows_name_their_source() {
    for row in table() {
        assert!(row.source.len() > 4 && !row.name.is_empty() && row.magic.len() >= 2, "{row:?}");
    }
    // What the guard is asked to know at the least.
    for name in [
        "GPT",
        "MBR or boot sector",
        "LVM physical volume",
        "Linux RAID (md 0.90)",
        "Linux RAID (md 1.0)",
        "Linux RAID (md 1.1)",
        "Linux RAID (md 1.2)",
        "ZFS",
        "Btrfs",
        "XFS",
        "ext2, ext3 or ext4",
        "F2FS",
        "LUKS",
        "bcache",
        "Ceph BlueStore",
        "Oracle ASM disk",
        "swap space",
        "DRBD",
        "VMFS",
    ] {
        assert!(table().any(|row| row.name == name), "{name}");
    }
}
