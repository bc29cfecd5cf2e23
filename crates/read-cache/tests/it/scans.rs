//! A scan doesn't wash out what is asked for again and again.

use narrows_read_cache::{Page, PageRange, ReadCache, SegmentId, Slot};

use crate::oracle::Oracle;
use crate::traces::{replay, zipf};

#[test]
fn pages_in_use_survive_a_scan_of_ten_times_the_cache_and_would_not_in_lru_order() {
    let mut cache = ReadCache::new(1000, 8192, None);
    let hot: Vec<u64> = (0..600).collect();
    for _ in 0..6 {
        replay(&mut cache, &hot);
    }
    let scan: Vec<u64> = (10_000..20_000).collect();
    replay(&mut cache, &scan);
    let left = hot.iter().filter(|page| cache.slot_of(Page(**page)).is_some()).count();
    // One of 128 that were used goes for a search that has to end.
    assert!(left >= 595, "{left} of 600 are left");
    let history: Vec<u64> = hot.iter().chain(&hot).chain(&scan).chain(&hot).copied().collect();
    let lru = Oracle::of(&history).hits(1000);
    assert_eq!(lru, 600, "LRU hits the second round of four and not the one after the scan");
}

#[test]
fn scans_in_the_midst_of_a_skewed_load_cost_less_than_in_lru_order() {
    let load = zipf(20_000, 0.9, 60_000, 3);
    let mut trace = Vec::new();
    for (round, part) in load.chunks(6_000).enumerate() {
        trace.extend_from_slice(part);
        let first = 1_000_000 + round as u64 * 3_000;
        trace.extend(first..first + 3_000);
    }
    let mut cache = ReadCache::new(1000, 8192, None);
    let hits = replay(&mut cache, &trace);
    let lru = Oracle::of(&trace).hits(1000);
    println!("{hits} hits beside LRU's {lru} of {}", trace.len());
    assert!(hits as f64 > lru as f64 * 1.1, "{hits} beside {lru}");
    // And without scans it is no worse.
    let mut cache = ReadCache::new(1000, 8192, None);
    let (hits, lru) = (replay(&mut cache, &load), Oracle::of(&load).hits(1000));
    println!("{hits} hits beside LRU's {lru} of {}", load.len());
    assert!(hits > lru, "{hits} beside {lru}");
}

#[test]
fn a_read_of_several_pages_is_answered_whole_or_not_at_all() {
    let mut cache = ReadCache::new(8, 4096, None);
    replay(&mut cache, &[0, 1, 3]);
    let mut slots = Vec::new();
    let mut read = |first, count| {
        slots.clear();
        let range = PageRange::new(Page(first), count);
        let whole = cache.hit(range, |page, slot: Slot| slots.push((page.0, slot)));
        (whole, slots.iter().map(|(page, _)| *page).collect::<Vec<_>>())
    };
    assert_eq!(read(0, 2), (true, vec![0, 1]));
    assert_eq!(read(0, 4), (false, vec![]));
    assert_eq!(read(3, 1), (true, vec![3]));
    assert_eq!(read(5, 0), (true, vec![]));
    // What is missing in part is read from the backing as a whole, and counts as that.
    cache.begin_read(PageRange::new(Page(0), 4));
    let seen = cache.statistics(SegmentId::REST).unwrap();
    assert_eq!((seen.reads, seen.hits, seen.misses), (10, 3, 7));
    assert_eq!((seen.read_bytes, seen.hit_bytes), (40_960, 12_288));
}
