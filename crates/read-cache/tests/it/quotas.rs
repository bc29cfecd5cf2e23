//! Segments, their quotas, and sizes that change while pages are there.

use narrows_read_cache::{
    Class, Page, PageRange, ReadCache, ResizeError, SegmentError, SegmentId, SegmentSpec, Slot,
};

use crate::traces::{cycle, replay};

fn segment(first: u64, count: u64, class: Class) -> SegmentSpec {
    SegmentSpec { pages: PageRange::new(Page(first), count), class, reuse: None }
}

fn range(first: u64, count: u64) -> Vec<u64> {
    (first..first + count).collect()
}

#[test]
fn keep_takes_its_quota_when_it_asks_and_gives_it_to_no_scan() {
    let mut cache = ReadCache::new(100, 4096, None);
    let keep = cache.add_segment(segment(0, 50, Class::Keep { quota: 40 })).unwrap();
    // Nobody asks: others use the room.
    replay(&mut cache, &range(1000, 300));
    assert_eq!((cache.used_by(keep), cache.used_by(SegmentId::REST)), (0, 100));
    replay(&mut cache, &range(0, 40));
    assert_eq!((cache.used_by(keep), cache.used_by(SegmentId::REST)), (40, 60));
    replay(&mut cache, &range(2000, 10_000));
    assert_eq!(replay(&mut cache, &range(0, 40)), 40);
    // More pages than the quota: they are evicted for each other.
    replay(&mut cache, &range(0, 50));
    assert_eq!((cache.used_by(keep), cache.used_by(SegmentId::REST)), (40, 60));
    assert_eq!(cache.statistics(keep).unwrap().without_room, 0);
}

#[test]
fn recycle_never_has_more_than_its_quota_even_where_slots_are_free() {
    let mut cache = ReadCache::new(100, 4096, None);
    let recycle = cache.add_segment(segment(0, 1000, Class::Recycle { quota: 5 })).unwrap();
    replay(&mut cache, &range(0, 1000));
    assert_eq!((cache.used_by(recycle), cache.used()), (5, 5));
    // Its last pages are there for a reader that comes right behind.
    assert_eq!(replay(&mut cache, &range(995, 5)), 5);
    let seen = cache.statistics(recycle).unwrap();
    assert_eq!((seen.admissions, seen.evictions, seen.hits), (1000, 995, 5));
    let none = cache.add_segment(segment(5000, 10, Class::Recycle { quota: 0 })).unwrap();
    replay(&mut cache, &range(5000, 10));
    assert_eq!((cache.used_by(none), cache.statistics(none).unwrap().without_room), (0, 10));
}

#[test]
fn a_cache_that_is_all_keep_admits_nobody_else() {
    let mut cache = ReadCache::new(10, 4096, None);
    cache.add_segment(segment(0, 10, Class::Keep { quota: 10 })).unwrap();
    replay(&mut cache, &range(0, 10));
    replay(&mut cache, &range(100, 5));
    assert_eq!(cache.statistics(SegmentId::REST).unwrap().without_room, 5);
    assert_eq!(replay(&mut cache, &range(0, 10)), 10);
}

#[test]
fn where_only_pages_to_be_recycled_are_left_they_give_way() {
    let mut cache = ReadCache::new(10, 4096, None);
    let recycle = cache.add_segment(segment(0, 100, Class::Recycle { quota: 10 })).unwrap();
    replay(&mut cache, &range(0, 10));
    replay(&mut cache, &range(100, 3));
    assert_eq!((cache.used_by(recycle), cache.used_by(SegmentId::REST)), (9, 1));
}

#[test]
fn a_class_is_changed_while_pages_are_there() {
    let mut cache = ReadCache::new(100, 4096, None);
    let id = cache.add_segment(segment(0, 50, Class::Default)).unwrap();
    replay(&mut cache, &range(0, 50));
    assert_eq!(cache.used_by(id), 50);
    cache.set_class(id, Class::Keep { quota: 30 }).unwrap();
    assert_eq!(cache.used_by(id), 30);
    replay(&mut cache, &cycle(50, 500));
    assert_eq!(cache.used_by(id), 30);
    cache.set_class(id, Class::Recycle { quota: 4 }).unwrap();
    assert_eq!(cache.used_by(id), 4);
    cache.remove_segment(id).unwrap();
    assert_eq!((cache.used_by(SegmentId::REST), cache.statistics(id)), (4, None));
    assert_eq!(cache.remove_segment(id), Err(SegmentError::Unknown));
    assert_eq!(cache.set_class(SegmentId::REST, Class::Default), Err(SegmentError::Unknown));
}

#[test]
fn more_is_not_promised_than_there_is() {
    let mut cache = ReadCache::new(100, 4096, None);
    cache.add_segment(segment(0, 50, Class::Keep { quota: 60 })).unwrap();
    let more = cache.add_segment(segment(50, 50, Class::Recycle { quota: 41 }));
    assert_eq!(more, Err(SegmentError::QuotasExceed { quotas: 101, slots: 100 }));
    let id = cache.add_segment(segment(50, 50, Class::Recycle { quota: 40 })).unwrap();
    assert!(cache.set_class(id, Class::Keep { quota: 41 }).is_err());
    assert!(cache.set_class(id, Class::Keep { quota: 40 }).is_ok());
    let overlap = cache.add_segment(segment(99, 5, Class::Default));
    assert_eq!(overlap, Err(SegmentError::Overlaps { first: 50 }));
    let small = cache.resize(99, |_, _| {});
    assert_eq!(small, Err(ResizeError::QuotasExceed { quotas: 100, slots: 99 }));
    assert_eq!(cache.slots(), 100);
}

#[test]
fn a_smaller_cache_keeps_the_pages_that_are_worth_most_and_their_bytes() {
    let mut cache = ReadCache::new(100, 4096, None);
    let keep = cache.add_segment(segment(0, 10, Class::Keep { quota: 10 })).unwrap();
    // The caller's memory; a page's bytes are its number.
    let mut memory = [0u64; 100];
    for page in (0..10).chain(500..590) {
        let start = cache.begin_read(PageRange::one(Page(page)));
        if let narrows_read_cache::Admission::Admitted(slot) = cache.admit(start, Page(page)) {
            memory[slot.0 as usize] = page;
        }
    }
    assert_eq!(cache.used(), 100);
    let hot: Vec<u64> = (560..580).collect();
    for _ in 0..3 {
        assert_eq!(replay(&mut cache, &hot), 20);
    }
    let mut moved = 0;
    cache
        .resize(32, |from, to| {
            assert!(from.0 >= 32 && to.0 < 32);
            memory[to.0 as usize] = memory[from.0 as usize];
            moved += 1;
        })
        .unwrap();
    assert!(moved > 0);
    assert_eq!((cache.slots(), cache.used(), cache.used_by(keep)), (32, 32, 10));
    for page in (0..10).chain(560..580) {
        let Slot(slot) = cache.slot_of(Page(page)).expect("it is still there");
        assert_eq!(memory[slot as usize], page);
    }
    cache.resize(64, |_, _| panic!("a larger cache moves nothing")).unwrap();
    replay(&mut cache, &range(2000, 500));
    assert_eq!((cache.used(), cache.used_by(keep)), (64, 10));
    cache.resize(10, |_, _| {}).unwrap();
    assert_eq!((cache.used(), cache.used_by(keep)), (10, 10));
}

#[test]
fn what_is_evicted_on_request_is_read_again() {
    let mut cache = ReadCache::new(10, 4096, None);
    replay(&mut cache, &range(0, 10));
    assert_eq!(cache.evict(PageRange::new(Page(3), 4)), 4);
    assert_eq!(replay(&mut cache, &range(0, 10)), 6);
    cache.clear();
    assert_eq!((cache.used(), cache.slots()), (0, 10));
    assert_eq!(replay(&mut cache, &range(0, 10)), 0);
}
