//! An index after a restart: true or refused.

use narrows_read_cache::{
    Admission, Class, Identity, IndexRefusal, MARK_BYTES, Page, PageRange, ReadCache, Restored,
    SavedIndex, SavedPage, SegmentSpec, Slot, mark_of_use,
};
use proptest::prelude::*;

use crate::traces::{Random, replay};

const SECTOR: usize = 512;

fn identity() -> Identity {
    Identity {
        namespace: [7; 16],
        backing: [9; 32],
        pages: 10_000,
        page_bytes: 4096,
        shard: 1,
        shards: 4,
    }
}

/// A cache of 64 slots with a segment, in use for a while.
fn used_cache() -> ReadCache {
    let mut cache = ReadCache::new(64, 4096, None);
    let pages = PageRange::new(Page(0), 20);
    let spec = SegmentSpec { pages, class: Class::Keep { quota: 10 }, reuse: None };
    cache.add_segment(spec).unwrap();
    let mut random = Random(5);
    let trace: Vec<u64> = (0..3000).map(|_| random.below(40) + random.below(60)).collect();
    replay(&mut cache, &trace);
    cache
}

fn image_of(cache: &ReadCache, generation: u64) -> Vec<u8> {
    let mut image = Vec::new();
    cache.save(&identity(), generation, |slot| u64::from(slot.0) * 3, &mut image);
    image
}

#[test]
fn a_cache_is_taken_up_as_it_was_left() {
    let before = used_cache();
    assert_eq!(before.used(), 64);
    let image = image_of(&before, 5);
    let index = SavedIndex::load(&image, &identity(), Some(5)).unwrap();
    assert_eq!(index.generation(), 5);
    let mut after = ReadCache::new(64, 4096, None);
    let pages = PageRange::new(Page(0), 20);
    let spec = SegmentSpec { pages, class: Class::Keep { quota: 10 }, reuse: None };
    let keep = after.add_segment(spec).unwrap();
    let restored = after
        .take_up(index.clone().into_pages(), |_, slot, content| content == u64::from(slot.0) * 3);
    assert_eq!(restored, Restored { taken_up: 64, ..Restored::default() });
    for page in (0..100).map(Page) {
        assert_eq!(after.slot_of(page), before.slot_of(page));
    }
    assert_eq!(after.used_by(keep), 10);
    // Order and uses came along: both go on alike.
    let mut before = before;
    let mut random = Random(6);
    let trace: Vec<u64> = (0..400).map(|_| random.below(100)).collect();
    let hits = replay(&mut before, &trace);
    assert!(hits.abs_diff(replay(&mut after, &trace)) <= 4, "but for who had left before");
}

/// Reads the pages of an index again into a cache; how many found room.
fn warm(cache: &mut ReadCache, index: &SavedIndex) -> usize {
    let start = cache.begin_warming();
    let pages = index.by_worth();
    let admitted = |saved: &&SavedPage| {
        let room = cache.has_room_for(saved.page());
        let admission = cache.warm(start, saved);
        assert_eq!(room, matches!(admission, Admission::Admitted(_)), "{saved:?}");
        room
    };
    pages.iter().filter(admitted).count()
}

#[test]
fn pages_that_are_read_again_go_on_as_they_were_left() {
    let before = used_cache();
    let index = SavedIndex::load(&image_of(&before, 5), &identity(), None).unwrap();
    let mut after = ReadCache::new(64, 4096, None);
    let pages = PageRange::new(Page(0), 20);
    let spec = SegmentSpec { pages, class: Class::Keep { quota: 10 }, reuse: None };
    let keep = after.add_segment(spec).unwrap();
    assert_eq!(warm(&mut after, &index), 64);
    assert!(
        (0..100).map(Page).all(|it| after.slot_of(it).is_some() == before.slot_of(it).is_some())
    );
    assert_eq!((after.used_by(keep), after.statistics(keep).unwrap().reads), (10, 0));
    let mut before = before;
    let mut random = Random(6);
    let trace: Vec<u64> = (0..400).map(|_| random.below(100)).collect();
    let hits = replay(&mut before, &trace);
    assert!(hits.abs_diff(replay(&mut after, &trace)) <= 12, "but for who left, and ties");
}

#[test]
fn nobody_leaves_for_a_page_that_is_read_again_and_the_worthiest_come_first() {
    let index = SavedIndex::load(&image_of(&used_cache(), 5), &identity(), None).unwrap();
    let worth: Vec<Page> = index.by_worth().iter().map(SavedPage::page).collect();
    let mut cache = ReadCache::new(40, 4096, None);
    // Hosts were here before; two of their pages are none of the index.
    replay(&mut cache, &[worth[0].0, 8_000, 8_001]);
    assert_eq!(warm(&mut cache, &index), 37);
    assert!([worth[0].0, 8_000, 8_001].iter().all(|it| cache.slot_of(Page(*it)).is_some()));
    assert!(worth[..38].iter().all(|page| cache.slot_of(*page).is_some()));
    assert!(worth[38..].iter().all(|page| cache.slot_of(*page).is_none()));
    // Who comes next displaces what was asked for once, or was worth least.
    replay(&mut cache, &(9_000..9_004).collect::<Vec<_>>());
    assert!(worth[1..20].iter().all(|page| cache.slot_of(*page).is_some()));
}

#[test]
fn a_page_that_is_written_while_it_is_read_again_stays_out() {
    let index = SavedIndex::load(&image_of(&used_cache(), 5), &identity(), None).unwrap();
    let saved = index.by_worth()[0];
    let mut cache = ReadCache::new(64, 4096, None);
    let start = cache.begin_warming();
    let token = cache.begin_write(PageRange::one(saved.page()));
    assert_eq!(cache.warm(start, &saved), Admission::Overtaken);
    cache.end_write(token, narrows_read_cache::WriteOutcome::Written, |_, _| {});
    assert_eq!(cache.warm(start, &saved), Admission::Overtaken);
    let start = cache.begin_warming();
    assert!(matches!(cache.warm(start, &saved), Admission::Admitted(_)));
    assert_eq!(cache.warm(start, &saved), Admission::Present);
}

#[test]
fn pages_are_put_into_one_index_by_slots_of_their_own() {
    let pages = used_cache().saved_pages(|_| 0);
    assert_eq!(ReadCache::new(4, 4096, None).saved_pages(|_| 0), []);
    let numbered = (0..).zip(&pages).map(|(slot, saved)| saved.in_slot(Slot(slot)));
    let mut image = Vec::new();
    SavedIndex::write(&identity(), 2, numbered, &mut image);
    assert_eq!(image.len() as u64, SavedIndex::image_bytes(64));
    let index = SavedIndex::load(&image, &identity(), None).unwrap();
    assert_eq!((index.generation(), index.by_worth().len()), (2, 64));
    // A slot that is named twice is refused.
    let twice = pages.iter().map(|saved| saved.in_slot(Slot(0)));
    let mut image = Vec::new();
    SavedIndex::write(&identity(), 2, twice, &mut image);
    let refused = SavedIndex::load(&image, &identity(), None);
    assert_eq!(refused, Err(IndexRefusal::Inconsistent));
}

#[test]
fn a_smaller_cache_and_a_doubtful_slot_take_up_less() {
    let image = image_of(&used_cache(), 1);
    let index = SavedIndex::load(&image, &identity(), None).unwrap();
    let mut cache = ReadCache::new(32, 4096, None);
    let restored = cache.take_up(index.clone().into_pages(), |_, slot, _| slot.0 % 2 == 0);
    assert_eq!((restored.taken_up, restored.refused, restored.without_room), (16, 16, 32));
    assert_eq!(cache.used(), 16);
    // Its other slots are free.
    replay(&mut cache, &(5000..5016).collect::<Vec<_>>());
    assert_eq!(cache.used(), 32);
    assert_eq!(index.by_worth().len(), 64);
}

#[test]
fn what_is_in_use_or_of_something_else_is_refused() {
    let image = image_of(&used_cache(), 5);
    let refusal = |image: &[u8], identity: &Identity, generation| {
        SavedIndex::load(image, identity, generation).unwrap_err()
    };
    let mut marked = image.clone();
    marked[..MARK_BYTES].copy_from_slice(&mark_of_use(&identity(), 6));
    assert_eq!(refusal(&marked, &identity(), None), IndexRefusal::InUse);
    let others = [
        ("namespace", Identity { namespace: [8; 16], ..identity() }),
        ("state of the backing", Identity { backing: [8; 32], ..identity() }),
        ("size of the namespace", Identity { pages: 10_001, ..identity() }),
        ("size of a page", Identity { page_bytes: 8192, ..identity() }),
        ("shard", Identity { shard: 2, ..identity() }),
        ("number of shards", Identity { shards: 5, ..identity() }),
    ];
    for (what, other) in others {
        assert_eq!(refusal(&image, &other, None), IndexRefusal::Other { what });
    }
    let old = IndexRefusal::Generation { found: 5, expected: 6 };
    assert_eq!(refusal(&image, &identity(), Some(6)), old);
    assert_eq!(refusal(&[], &identity(), None), IndexRefusal::Foreign);
    assert_eq!(refusal(&[0; 4096], &identity(), None), IndexRefusal::Foreign);
    let mut longer = image.clone();
    longer.push(0);
    assert!(matches!(refusal(&longer, &identity(), None), IndexRefusal::Length { .. }));
}

#[test]
fn every_bit_counts_and_so_does_every_byte_of_the_end() {
    let image = image_of(&used_cache(), 5);
    assert!(SavedIndex::load(&image, &identity(), None).is_ok());
    for bit in 0..image.len() * 8 {
        let mut flipped = image.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        assert!(SavedIndex::load(&flipped, &identity(), None).is_err(), "bit {bit}");
    }
    for bytes in 0..image.len() {
        assert!(SavedIndex::load(&image[..bytes], &identity(), None).is_err(), "{bytes} bytes");
    }
}

/// Sectors of `new` that arrived over those of `old`, in a file that was cut to its new length or wasn't.
fn torn(old: &[u8], new: &[u8], arrived: impl Fn(usize) -> bool, cut: bool) -> Vec<u8> {
    let mut torn = old.to_vec();
    torn.resize(old.len().max(new.len()), 0);
    for (number, sector) in new.chunks(SECTOR).enumerate() {
        if arrived(number) {
            torn[number * SECTOR..number * SECTOR + sector.len()].copy_from_slice(sector);
        }
    }
    torn.truncate(if cut { new.len() } else { torn.len() });
    torn
}

/// A history of starts, writes and ends with a crash anywhere: an index is only believed if nothing was written since it was saved.
fn crash(seed: u64) -> (bool, bool) {
    let mut random = Random(seed);
    let mut cache = used_cache();
    let clean = image_of(&cache, 5);
    // A start: the mark, durable before the first write. The crash may come before, and then the old image is true.
    let mark = mark_of_use(&identity(), 6);
    let marked = torn(&clean, &mark, |_| true, false);
    replay(&mut cache, &(200..200 + random.below(40)).collect::<Vec<_>>());
    let token = cache.begin_write(PageRange::new(Page(random.below(100)), 1 + random.below(60)));
    cache.end_write(token, narrows_read_cache::WriteOutcome::Unknown, |_, _| {});
    let next = image_of(&cache, 6);
    // The clean end: any of its sectors arrived, in any order.
    let kept = random.next();
    let on_disk = torn(&marked, &next, |number| kept >> (number % 60) & 1 == 1, kept >> 60 > 3);
    let whole = on_disk.len() == next.len() && on_disk == next;
    let believed = SavedIndex::load(&on_disk, &identity(), None).is_ok();
    assert!(whole || !believed, "seed {seed}: a torn image is believed");
    assert!(SavedIndex::load(&marked, &identity(), None).is_err());
    (whole, believed)
}

#[test]
fn after_a_crash_an_index_is_refused_or_whole() {
    let outcomes: Vec<(bool, bool)> = (0..400).map(crash).collect();
    let believed = outcomes.iter().filter(|(_, believed)| *believed).count();
    let torn = outcomes.iter().filter(|(whole, _)| !whole).count();
    assert!(believed > 5 && torn > 300, "{believed} believed, {torn} torn");
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic_or_a_cache_wrong(
        flips in proptest::collection::vec((0usize..2048, any::<u8>()), 1..40),
        cut in 0usize..2048,
    ) {
        let mut image = image_of(&used_cache(), 5);
        for (at, by) in flips {
            let at = at % image.len();
            image[at] ^= by | 1;
        }
        let whole = image_of(&used_cache(), 5);
        let cut = image.len() - cut % image.len();
        let read = SavedIndex::load(&image[..cut], &identity(), None);
        prop_assert!(read.is_err() || image[..cut] == whole[..]);
    }
}

#[test]
fn a_page_that_was_read_before_the_restart_is_not_admitted_by_mistake() {
    let mut cache = used_cache();
    let page = Page(9_000);
    let start = cache.begin_read(PageRange::one(page));
    let token = cache.begin_write(PageRange::one(page));
    let image = image_of(&cache, 1);
    cache.end_write(token, narrows_read_cache::WriteOutcome::Written, |_, _| {});
    assert_eq!(cache.admit(start, page), Admission::Overtaken);
    let index = SavedIndex::load(&image, &identity(), None).unwrap();
    assert!(index.by_worth().iter().all(|saved| saved.page() != page));
}
