//! Bytes of a cache on a file: what is read is what was filled, in any cut, and whatever the file does wrong costs a read of the backing and
//! nothing else.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::time::Duration;

use super::health::{MOST_SLOW, MOST_WRONG, SLOW};
use super::*;
use crate::backing::shards::PIECE;
use crate::buffer::Buffer;

const PIECE_BYTES: u64 = PIECE * CACHE_PAGE;

const SUPERBLOCK: CacheSuperblock = CacheSuperblock { id: [1; 16], made_ms: 0, life: 0 };

/// A file that may be written, or not.
pub(super) fn disk_at(path: &Path, writable: bool) -> FileDisk {
    let file = File::options().read(true).write(writable).open(path).unwrap();
    let path = path.to_path_buf();
    FileDisk { file, path, direct: false, _held: None, is_device: false, write_through: false }
}

/// A cache of so many bytes on a file, and the folder that it is in.
pub(super) fn cache_of(bytes: u64, writable: bool) -> (Arc<DeviceCache>, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache");
    File::create(&path).unwrap().set_len(HEAD_BYTES + bytes).unwrap();
    let cache = DeviceCache::new(disk_at(&path, writable), SUPERBLOCK, bytes, &[]).unwrap();
    (Arc::new(cache), folder)
}

/// A cache with a page, a read of which has just begun.
pub(crate) fn cache_that_is_read() -> (Arc<DeviceCache>, DeviceHit, tempfile::TempDir) {
    let (cache, folder) = cache_of(1 << 20, true);
    fill(&cache, 0, &pattern(1, 4096));
    write_all(&cache);
    let hit = cache.hit(0, 4096).expect("the page that was just written");
    (cache, hit, folder)
}

fn pattern(seed: u64, bytes: usize) -> Vec<u8> {
    (0..bytes as u64).map(|at| (at.wrapping_mul(31) ^ (at >> 8) ^ seed) as u8).collect()
}

/// Leaves in the cache what a read of the backing gave.
fn fill(cache: &DeviceCache, offset: u64, data: &[u8]) {
    if let Some(read) = cache.begin_read(offset, data.len() as u32) {
        cache.fill(read, offset, data);
    }
}

/// Writes all that waits.
fn write_all(cache: &DeviceCache) {
    let mut bounce = Buffer::largest();
    while cache.write_some(&mut bounce) {}
}

/// What the device has for a hit.
fn fetch(cache: &DeviceCache, hit: &DeviceHit) -> Vec<u8> {
    let mut read = vec![0; hit.bytes()];
    let mut at = 0;
    for run in hit.runs() {
        let end = at + run.bytes as usize;
        cache.disk.file.read_exact_at(&mut read[at..end], run.offset).unwrap();
        at = end;
    }
    read
}

fn read_of(cache: &DeviceCache, offset: u64, bytes: u32) -> Option<Vec<u8>> {
    let hit = cache.hit(offset, bytes)?;
    let mut read = fetch(cache, &hit);
    cache.check(&hit, &read).then(|| {
        hit.trim(&mut read);
        read.truncate(bytes as usize);
        read
    })
}

fn count(counter: &std::sync::atomic::AtomicU64) -> u64 {
    counter.load(Ordering::Relaxed)
}

#[test]
fn what_was_filled_is_read_in_any_cut_once_it_is_written() {
    let (cache, _folder) = cache_of(16 << 20, true);
    assert_eq!(cache.shards.len(), 4);
    // The last bytes of one piece, and all of the next but these.
    let offset = PIECE_BYTES - 512;
    let data = pattern(1, 1 << 20);
    fill(&cache, offset, &data);
    assert_eq!((cache.waiting_pages(), cache.shards.total().used_pages), (255, 255));
    // It has a slot, and isn't there yet.
    assert!(cache.hit(PIECE_BYTES, 4096).is_none());
    write_all(&cache);
    assert_eq!(cache.waiting_pages(), 0);
    assert_eq!(count(&cache.counters.written_bytes), 255 * 4096);
    for (at, bytes) in [(512, 4096u32), (1024, 512), (4608, 8704), (512, 255 * 4096)] {
        let expected = &data[at..at + bytes as usize];
        let read = read_of(&cache, offset + at as u64, bytes);
        assert!(read.as_deref() == Some(expected), "{bytes} at {at}");
    }
    // What is no whole page did not come in.
    assert!(cache.hit(offset, 1024).is_none());
    // Over the border of shards.
    let offset = PIECE_BYTES - 8192;
    fill(&cache, offset, &pattern(2, 16_384));
    write_all(&cache);
    let read = read_of(&cache, offset + 512, 12_288).unwrap();
    assert!(read[..7680] == pattern(2, 16_384)[512..8192] && read[7680..] == data[512..512 + 4608]);
    // More pages than the largest buffer has.
    assert!(cache.hit(512, 1 << 20).is_none());
    assert_eq!(DeviceCache::buffer_bytes(512, 4096), 8192);
    assert_eq!(DeviceCache::buffer_bytes(4096, 8192), 8192);
    assert_eq!(DeviceCache::buffer_bytes(512, 1 << 20), 1 << 20);
}

#[test]
fn what_lies_in_too_many_places_is_asked_of_the_backing() {
    let (cache, _folder) = cache_of(1 << 20, true);
    for page in (0..64).rev() {
        fill(&cache, page * 4096, &pattern(page, 4096));
    }
    write_all(&cache);
    assert!(cache.hit(0, 64 * 4096).is_none());
    assert_eq!(count(&cache.counters.scattered_reads), 1);
    let hit = cache.hit(0, MOST_RUNS as u32 * 4096).unwrap();
    assert_eq!(hit.runs().count(), MOST_RUNS);
    assert!(cache.check(&hit, &fetch(&cache, &hit)));
    assert_eq!(cache.shards.total().asked.hits, MOST_RUNS as u64);
}

#[test]
fn wrong_bytes_are_never_read_and_many_of_them_turn_the_cache_off() {
    let (cache, _folder) = cache_of(1 << 20, true);
    let data = pattern(3, 32 * 4096);
    fill(&cache, 0, &data);
    write_all(&cache);
    let spoil = |page: u64| {
        let run = cache.hit(page * 4096, 4096).unwrap().runs().next().unwrap();
        let at = run.offset + 4095;
        let mut byte = [0];
        cache.disk.file.read_exact_at(&mut byte, at).unwrap();
        cache.disk.file.write_all_at(&[byte[0] ^ 1], at).unwrap();
    };
    for page in 0..MOST_WRONG - 1 {
        spoil(page);
        assert!(read_of(&cache, page * 4096, 4096).is_none(), "page {page}");
        assert!(cache.hit(page * 4096, 4096).is_none(), "it left");
    }
    assert_eq!((count(&cache.counters.wrong_pages), cache.off()), (MOST_WRONG - 1, None));
    // The others are as they were, and one that left comes in again.
    assert_eq!(read_of(&cache, 20 * 4096, 4096).as_deref(), Some(&data[20 * 4096..21 * 4096]));
    fill(&cache, 0, &data[..4096]);
    write_all(&cache);
    assert_eq!(read_of(&cache, 0, 4096).as_deref(), Some(&data[..4096]));
    spoil(20);
    assert!(read_of(&cache, 19 * 4096, 8192).is_none());
    assert_eq!(cache.off(), Some(Off::Wrong));
    assert_off(&cache);
}

/// Nothing is read from it, and nothing comes in.
fn assert_off(cache: &DeviceCache) {
    assert!(cache.is_off());
    let asked = cache.shards.total().asked.reads;
    fill(cache, 0, &pattern(4, 8192));
    write_all(cache);
    assert!(cache.hit(0, 4096).is_none());
    let total = cache.shards.total();
    assert_eq!((total.used_pages, total.asked.reads, cache.waiting_pages()), (0, asked, 0));
}

#[test]
fn a_read_whose_slot_was_given_away_is_told() {
    let (cache, _folder) = cache_of(256 << 10, true);
    let data = pattern(5, 64 * 4096);
    fill(&cache, 0, &data);
    write_all(&cache);
    // A read of page 0 and a write of it: old bytes, which the read may have, because it began before.
    let hit = cache.hit(0, 4096).unwrap();
    drop(cache.begin_write(std::iter::once((0, 4096))));
    assert!(cache.check(&hit, &fetch(&cache, &hit)));
    // Its slot is given to another page: the bytes may be the old ones still, and nobody knows.
    fill(&cache, 100 * 4096, &pattern(6, 4096));
    assert!(!cache.check(&hit, &fetch(&cache, &hit)));
    write_all(&cache);
    assert!(!cache.check(&hit, &fetch(&cache, &hit)));
    let counters = &cache.counters;
    assert_eq!((count(&counters.overtaken_reads), count(&counters.wrong_pages)), (2, 0));
    assert_eq!(read_of(&cache, 100 * 4096, 4096), Some(pattern(6, 4096)));
    assert_eq!(cache.off(), None);
}

#[test]
fn a_page_that_lost_its_slot_before_it_was_written_is_left_out() {
    let (cache, _folder) = cache_of(256 << 10, true);
    fill(&cache, 0, &pattern(7, 64 * 4096));
    drop(cache.begin_write(std::iter::once((5 * 4096, 512))));
    fill(&cache, 200 * 4096, &pattern(8, 4096));
    write_all(&cache);
    assert_eq!(count(&cache.counters.outdated_pages), 1);
    assert_eq!(count(&cache.counters.written_bytes), 64 * 4096);
    assert!(cache.hit(5 * 4096, 4096).is_none());
    assert_eq!(read_of(&cache, 200 * 4096, 4096), Some(pattern(8, 4096)));
    assert!(read_of(&cache, 6 * 4096, 58 * 4096).is_some());
}

#[test]
fn where_too_many_pages_wait_the_next_stay_out() {
    let (cache, _folder) = cache_of(32 << 20, true);
    let data = pattern(9, 1 << 20);
    for piece in 0..17 {
        fill(&cache, piece << 20, &data);
    }
    assert_eq!((cache.waiting_pages(), count(&cache.counters.dropped_pages)), (queue::MOST, 256));
    assert_eq!(cache.shards.total().used_pages, queue::MOST as u64);
    write_all(&cache);
    assert_eq!(cache.waiting_pages(), 0);
    for piece in 0..17 {
        assert_eq!(read_of(&cache, piece << 20, 1 << 20).is_some(), piece < 16, "{piece}");
    }
    fill(&cache, 16 << 20, &data);
    write_all(&cache);
    assert!(read_of(&cache, 16 << 20, 1 << 20) == Some(data));
    // What is there already, or finds no room, keeps no place.
    fill(&cache, 0, &pattern(9, 1 << 20));
    assert_eq!(cache.waiting_pages(), 0);
}

#[test]
fn writes_make_their_pages_leave_and_those_that_did_not_happen_do_not() {
    let (cache, _folder) = cache_of(1 << 20, true);
    let data = pattern(1, 16_384);
    fill(&cache, 0, &data);
    write_all(&cache);
    let write = cache.begin_write(std::iter::once((3584, 1024)));
    assert!(cache.hit(0, 4096).is_none() && cache.hit(4096, 4096).is_none());
    assert!(cache.hit(8192, 8192).is_some());
    write.withdraw();
    assert_eq!(read_of(&cache, 0, 16_384), Some(data.clone()));
    // What was read while it was written stays out.
    let write = cache.begin_write(std::iter::once((3584, 1024)));
    fill(&cache, 0, &data);
    drop(write);
    write_all(&cache);
    assert!(cache.hit(0, 4096).is_none() && cache.hit(4096, 4096).is_none());
    assert!(cache.hit(8192, 8192).is_some());
    assert_eq!(count(&cache.counters.written_bytes), 16_384, "a write writes nothing here");
    cache.clear();
    assert!(cache.hit(8192, 4096).is_none());
}

#[test]
fn a_device_that_takes_no_writes_turns_the_cache_off() {
    let (cache, _folder) = cache_of(1 << 20, false);
    fill(&cache, 0, &pattern(1, 8192));
    write_all(&cache);
    let why = cache.off().unwrap().to_string();
    assert!(why.starts_with("failed: a write: "), "{why}");
    assert_eq!(count(&cache.counters.errors), 1);
    assert_off(&cache);
}

#[test]
fn a_read_that_failed_turns_the_cache_off_and_one_that_was_cut_does_not() {
    for (result, why) in [
        (512, None),
        (-libc::EAGAIN, None),
        (-libc::EINTR, None),
        (0, Some("a read: it is shorter than it was")),
        (-libc::EIO, Some("a read: Input/output error")),
    ] {
        let (cache, _folder) = cache_of(1 << 20, true);
        fill(&cache, 0, &pattern(1, 16_384));
        write_all(&cache);
        let hit = cache.hit(4096, 8192).unwrap();
        cache.read_failed(&hit, result);
        // What a part was read of is not asked for again, and what is beside it stays.
        let stays = [0, 4096, 8192, 12_288].map(|at| cache.hit(at, 4096).is_some());
        assert_eq!(
            stays,
            if why.is_some() { [false; 4] } else { [true, result < 0, result < 0, true] }
        );
        let off = cache.off().map(|off| off.to_string());
        assert_eq!(off.is_some(), why.is_some(), "{result}: {off:?}");
        assert!(off.unwrap_or_default().contains(why.unwrap_or_default()), "{result}");
        assert_eq!(count(&cache.counters.errors), 1);
    }
}

#[test]
fn slow_reads_one_after_another_turn_the_cache_off() {
    let (cache, _folder) = cache_of(1 << 20, true);
    let slow_ns = SLOW.as_nanos() as u64;
    let mut now_ns = 0;
    let mut slow = |times: u32, takes_ns: u64| {
        for _ in 0..times {
            cache.read_took(now_ns..now_ns + takes_ns);
            now_ns += takes_ns;
        }
    };
    slow(MOST_SLOW - 1, slow_ns);
    slow(1, slow_ns - 1);
    slow(MOST_SLOW - 1, slow_ns);
    assert_eq!(cache.off(), None);
    slow(1, slow_ns);
    assert_eq!(cache.off(), Some(Off::Slow));
    assert_off(&cache);
}

#[test]
fn reads_that_one_pause_held_are_one_slow_read() {
    let (cache, _folder) = cache_of(1 << 20, true);
    let slow_ns = SLOW.as_nanos() as u64;
    for begun_ns in 0..4 * u64::from(MOST_SLOW) {
        cache.read_took(begun_ns..begun_ns + slow_ns);
    }
    assert_eq!(cache.off(), None);
}

#[test]
fn a_device_that_does_not_answer_is_asked_no_more() {
    let (cache, _folder) = cache_of(1 << 20, true);
    cache.is_silent(Duration::from_secs(5));
    let why = cache.off().unwrap().to_string();
    assert_eq!(why, "silent: a read has not ended for 5 s");
    assert_off(&cache);
}

#[test]
fn more_than_the_device_has_is_not_kept() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cache");
    File::create(&path).unwrap();
    let keep = CacheRange { offset: 0, bytes: 2 << 20, keep: true, quota_bytes: None };
    let refused = DeviceCache::new(disk_at(&path, true), SUPERBLOCK, 1 << 20, &[keep]);
    assert!(matches!(refused, Err(CacheError::Segment(_))), "{refused:?}");
    let cache = DeviceCache::new(disk_at(&path, true), SUPERBLOCK, 4 << 20, &[keep]).unwrap();
    assert_eq!(cache.shards.shard_of(Page(0)), 0);
    assert_eq!(cache.shards.figures().len(), 2);
}

#[test]
fn a_head_that_takes_no_write_turns_the_cache_off_and_lives_are_counted() {
    let (cache, _folder) = cache_of(1 << 20, true);
    let before = cache.use_in_words();
    cache.begin_life();
    assert_ne!(cache.use_in_words(), before);
    assert!(cache.off().is_none());
    let (cache, _folder) = cache_of(1 << 20, false);
    cache.begin_life();
    assert!(cache.off().is_some_and(|why| why.to_string().contains("its head")));
}

#[test]
fn of_a_device_nobody_can_tell_whether_it_was_changed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("disk");
    File::create(&path).unwrap();
    let file = disk_at(&path, true);
    crate::backing::check_tells(&file).unwrap();
    let device = FileDisk { is_device: true, ..file };
    let said = crate::backing::check_tells(&device).unwrap_err();
    assert!(said.to_string().contains("a device doesn't tell"), "{said}");
}
