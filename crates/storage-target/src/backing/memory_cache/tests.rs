//! Bytes of a cache, over the borders of its shards, in its ranges, in other sizes, and again after a restart.

use narrows_read_cache::{Page, SavedPage};

use super::*;
use crate::backing::shards::PIECE;
use crate::namespace::CacheRange;

const PIECE_BYTES: u64 = PIECE * PAGE as u64;

fn cache_of(bytes: u64, ranges: &[CacheRange]) -> Arc<MemoryCache> {
    Arc::new(MemoryCache::new(&CacheSpec { bytes, ranges: ranges.to_vec(), index: None }).unwrap())
}

fn pattern(seed: u64, bytes: usize) -> Vec<u8> {
    (0..bytes as u64).map(|at| (at.wrapping_mul(31) ^ (at >> 8) ^ seed) as u8).collect()
}

fn read_of(cache: &MemoryCache, offset: u64, bytes: u32) -> Option<Vec<u8>> {
    let hit = cache.hit(offset, bytes)?;
    let mut appended = vec![9];
    hit.append_to(&mut appended);
    let mut copied = vec![0; bytes as usize];
    hit.copy_to(&mut copied);
    assert_eq!(appended[1..], copied);
    Some(copied)
}

#[test]
fn what_was_filled_is_read_in_any_cut_and_over_the_border_of_shards() {
    let cache = cache_of(16 << 20, &[]);
    assert_eq!(cache.shards.len(), 4);
    // The last bytes of one piece, all of the next: 257 pages.
    let offset = PIECE_BYTES - 512;
    let data = pattern(1, 1 << 20);
    let read = cache.begin_read(offset, 1 << 20).unwrap();
    assert!(read_of(&cache, offset, 512).is_none());
    cache.fill(read, offset, &data);
    // What is no whole page did not come in.
    assert!(read_of(&cache, offset, 1024).is_none());
    for (at, bytes) in [(512, 4096u32), (1024, 512), (5000 / 512 * 512, 65_536)] {
        let expected = &data[at..at + bytes as usize];
        assert_eq!(read_of(&cache, offset + at as u64, bytes).as_deref(), Some(expected));
    }
    let figures = cache.shards.figures();
    assert_eq!((figures[0].used_pages, cache.shards.pages(), figures.len()), (255, 4096, 1));
    assert_eq!((figures[0].asked.misses, figures[0].range.as_str()), (257, "rest"));
}

/// Asks for every page of some bytes, and fills what is missing.
fn read_all(cache: &MemoryCache, offset: u64, bytes: u64) {
    let none = [0; 4096];
    for offset in (offset..offset + bytes).step_by(4096) {
        if cache.hit(offset, PAGE).is_none() {
            let read = cache.begin_read(offset, PAGE).unwrap();
            cache.fill(read, offset, &none);
        }
    }
}

#[test]
fn ranges_have_their_quotas_in_whatever_shards_they_lie() {
    let keep = CacheRange { offset: 512 << 10, bytes: 3 << 20, keep: true, quota_bytes: None };
    let recycle = CacheRange { offset: 32 << 20, bytes: 64 << 20, keep: false, quota_bytes: None };
    let quota_bytes = Some(1 << 20);
    let half = CacheRange { offset: 8 << 20, bytes: 4 << 20, keep: true, quota_bytes };
    let cache = cache_of(16 << 20, &[keep, half, recycle]);
    let used = || cache.shards.figures().iter().map(|of| of.used_pages).collect::<Vec<_>>();
    read_all(&cache, keep.offset, keep.bytes);
    read_all(&cache, half.offset, half.bytes);
    // A scan of much more than the cache, and one of what is to be recycled.
    read_all(&cache, 128 << 20, 64 << 20);
    read_all(&cache, recycle.offset, recycle.bytes);
    assert_eq!(used(), [4096 - 768 - 256 - 64, 768, 256, 64]);
    let misses = |range: usize| cache.shards.figures()[range].asked.misses;
    let before = misses(1);
    read_all(&cache, keep.offset, keep.bytes);
    assert_eq!((misses(1), before), (768, 768));
    let names: Vec<_> = cache.shards.figures().into_iter().map(|of| of.range).collect();
    assert_eq!(names[..2], ["rest", "keep=524288+3145728"]);
    assert!(cache.shards.would_miss(1, 1.0).unwrap().median < 0.51);
    assert!(cache.shards.would_miss(4, 1.0).is_none());
    // More than the cache has, in one shard though not in all.
    let much = CacheRange { offset: 0, bytes: 17 << 20, keep: true, quota_bytes: None };
    let refused = MemoryCache::new(&CacheSpec { bytes: 16 << 20, ranges: vec![much], index: None });
    assert!(matches!(refused, Err(CacheError::Segment(_))), "{refused:?}");
}

#[test]
fn a_size_is_changed_while_pages_are_there_and_what_stays_is_right() {
    let keep = CacheRange { offset: 0, bytes: 1 << 20, keep: true, quota_bytes: None };
    let cache = cache_of(16 << 20, &[keep]);
    let data = pattern(9, 12 << 20);
    for at in (0..data.len()).step_by(1 << 20) {
        let read = cache.begin_read(at as u64, 1 << 20).unwrap();
        cache.fill(read, at as u64, &data[at..at + (1 << 20)]);
    }
    // Every page that is there is what was filled; how many are.
    let right = || {
        let pages = (0..data.len()).step_by(4096);
        let held = pages.filter(|at| match read_of(&cache, *at as u64, PAGE) {
            Some(page) => {
                assert!(page == data[*at..*at + 4096], "page {at}");
                true
            }
            None => false,
        });
        held.count()
    };
    assert_eq!((right(), cache.shards.pages()), (3072, 4096));
    cache.resize(8 << 20).unwrap();
    assert_eq!((right(), cache.shards.pages()), (2048, 2048));
    assert!((0..256).all(|page| read_of(&cache, page * 4096, PAGE).is_some()), "what is kept");
    cache.resize(64 << 20).unwrap();
    assert_eq!((right(), cache.shards.pages()), (2048, 16_384));
    let more = pattern(10, 1 << 20);
    for piece in 100..140 {
        let read = cache.begin_read(piece << 20, 1 << 20).unwrap();
        cache.fill(read, piece << 20, &more);
        assert_eq!(read_of(&cache, piece << 20, 1 << 20).as_ref(), Some(&more));
    }
    assert_eq!(right(), 2048);
    let why = |bytes| cache.resize(bytes).unwrap_err();
    assert!(why(65 << 20).contains("67108864 bytes") && why(4096).contains("262144"));
    assert!(why(2 << 20).contains("kept and recycled in it needs 4194304 bytes"));
    assert_eq!(cache.shards.pages(), 16_384);
    cache.resize(4 << 20).unwrap();
    assert_eq!(cache.shards.pages(), 1024);
    right();
}

#[test]
fn the_curve_says_what_a_cache_of_another_size_would_give() {
    let cache = cache_of(16 << 20, &[]);
    assert_eq!(cache.shards.would_miss(0, 1.0), None);
    let none = vec![0; 4096];
    // Six MiB, again and again, of which every shard has its part: two pieces in two of the four shards.
    for round in 0..10u64 {
        for page in 0..6 * PIECE {
            let offset = page * u64::from(PAGE);
            let hit = cache.hit(offset, PAGE).is_some();
            assert_eq!(hit, round > 0);
            if !hit {
                let read = cache.begin_read(offset, PAGE).unwrap();
                cache.fill(read, offset, &none);
            }
        }
    }
    let missed = |times| cache.shards.would_miss(0, times).unwrap();
    let all = missed(1.0);
    assert_eq!((all.low, all.high), (all.median, all.median));
    assert!((all.median - 0.1).abs() < 1e-9, "first reads alone: {all:?}");
    // Four pieces of six are in shards that would be too small.
    assert!((missed(0.4).median - (0.1 + 0.9 * 4.0 / 6.0)).abs() < 1e-9);
    assert!((missed(0.2).median - 1.0).abs() < 1e-9);
}

#[test]
fn a_hit_of_two_shards_is_whole_or_none() {
    let cache = cache_of(16 << 20, &[]);
    let offset = PIECE_BYTES - 8192;
    let data = pattern(2, 16_384);
    let read = cache.begin_read(offset, 16_384).unwrap();
    cache.fill(read, offset, &data);
    assert_eq!(read_of(&cache, offset, 16_384), Some(data));
    drop(cache.begin_write(std::iter::once((PIECE_BYTES, 512))));
    assert!(read_of(&cache, offset, 16_384).is_none());
    assert!(read_of(&cache, offset, 8192).is_some());
    // The other way around: the higher shard comes first.
    let offset = 4 * PIECE_BYTES - 4096;
    let data = pattern(3, 8192);
    let read = cache.begin_read(offset, 8192).unwrap();
    cache.fill(read, offset, &data);
    assert_eq!(read_of(&cache, offset, 8192), Some(data));
}

#[test]
fn writes_update_what_is_here_and_leave_the_rest_of_a_page() {
    let cache = cache_of(16 << 20, &[]);
    let mut data = pattern(4, 16_384);
    let read = cache.begin_read(0, 16_384).unwrap();
    cache.fill(read, 0, &data);
    let new = pattern(5, 6144);
    let write = cache.begin_write(std::iter::once((3584, 6144)));
    assert!(read_of(&cache, 0, 4096).is_none());
    assert!(read_of(&cache, 12_288, 4096).is_some());
    write.written(3584, &new);
    data[3584..3584 + 6144].copy_from_slice(&new);
    assert_eq!(read_of(&cache, 0, 16_384), Some(data));
    cache.begin_write(std::iter::once((3584, 6144))).withdraw();
    assert_eq!(read_of(&cache, 0, 16_384).unwrap()[3584..3584 + 6144], new);
    // Ranges over everything, and one that nobody finishes: the pages leave.
    drop(cache.begin_write([(0, 1 << 40), (8192, 4096)].into_iter()));
    assert_eq!(cache.shards.figures()[0].used_pages, 0);
    let read = cache.begin_read(0, 4096).unwrap();
    cache.fill(read, 0, &pattern(6, 4096));
    assert_eq!(read_of(&cache, 0, 4096), Some(pattern(6, 4096)));
    cache.clear();
    assert!(read_of(&cache, 0, 4096).is_none());
}

#[test]
fn what_is_read_while_it_is_written_does_not_stay() {
    let cache = cache_of(4 << 20, &[]);
    assert_eq!(cache.shards.len(), 1);
    let old = pattern(7, 8192);
    let read = cache.begin_read(0, 8192).unwrap();
    cache.begin_write(std::iter::once((0, 512))).written(0, &pattern(8, 512));
    cache.fill(read, 0, &old);
    assert!(read_of(&cache, 0, 4096).is_none());
    assert!(read_of(&cache, 4096, 4096).is_some());
}

#[test]
fn pages_come_back_to_whatever_shards_they_are_of() {
    let keep = CacheRange { offset: 0, bytes: 1 << 20, keep: true, quota_bytes: None };
    let before = cache_of(16 << 20, &[keep]);
    let data = pattern(9, 12 << 20);
    for at in (0..data.len()).step_by(1 << 20) {
        let read = before.begin_read(at as u64, 1 << 20).unwrap();
        before.fill(read, at as u64, &data[at..at + (1 << 20)]);
    }
    let mut saved = before.saved_pages();
    assert_eq!(saved.len(), 3072);
    saved.sort_by_key(SavedPage::page);
    assert!((0..).zip(&saved).all(|(page, saved)| saved.page() == Page(page)));
    // Fewer shards, and room for two thirds.
    for (size, room) in [(16 << 20, 3072), (8 << 20, 2048), (1 << 20, 256)] {
        let after = cache_of(size, &[CacheRange { quota_bytes: Some(64 << 10), ..keep }]);
        let mut admitted = 0;
        // Over the border of shards.
        for (offset, pages) in [(0, &saved[..100]), (100 * 4096, &saved[100..300])] {
            let bytes = pages.len() as u32 * PAGE;
            let read = after.begin_warming(offset, bytes).unwrap();
            admitted += after.warm(read, pages, &data[offset as usize..][..bytes as usize]);
        }
        for pages in saved[300..].chunks(77) {
            let (offset, bytes) = (pages[0].page().0 * 4096, pages.len() as u32 * PAGE);
            let read = after.begin_warming(offset, bytes).unwrap();
            admitted += after.warm(read, pages, &data[offset as usize..][..bytes as usize]);
        }
        let asked = after.shards.total().asked;
        assert_eq!((asked.reads, asked.admissions), (0, admitted));
        assert!(admitted <= room && admitted + 256 >= room, "{admitted} of {room}");
        let here = |page: &u64| {
            let Some(read) = read_of(&after, page * 4096, PAGE) else { return false };
            assert!(read == data[*page as usize * 4096..][..4096], "page {page}");
            true
        };
        assert_eq!((0..3072).filter(here).count() as u64, admitted);
        assert_eq!(after.saved_pages().len() as u64, admitted);
    }
}

#[test]
fn what_is_written_while_it_is_read_again_stays_out() {
    let cache = cache_of(4 << 20, &[]);
    let read = cache.begin_read(0, 8192).unwrap();
    cache.fill(read, 0, &pattern(1, 8192));
    let saved = cache.saved_pages();
    cache.clear();
    let read = cache.begin_warming(0, 8192).unwrap();
    cache.begin_write(std::iter::once((0, 512))).written(0, &pattern(8, 512));
    let mut pages = saved.clone();
    pages.sort_by_key(SavedPage::page);
    assert_eq!(cache.warm(read, &pages, &pattern(1, 8192)), 1);
    assert!(read_of(&cache, 0, 4096).is_none() && cache.has_room_for(Page(0)));
    assert_eq!(read_of(&cache, 4096, 4096).as_deref(), Some(&pattern(1, 8192)[4096..]));
    assert!(!cache.has_room_for(Page(1)));
    let slots: Vec<SavedPage> = numbered(saved).collect();
    assert_eq!(slots.len(), 2);
    assert_ne!(slots[0], slots[1].in_slot(Slot(0)));
}
