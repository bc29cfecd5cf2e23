//! Random histories beside a plain list: reads, writes that overlap, failures, segments, sizes.

use proptest::collection::vec;
use proptest::prelude::*;

use super::*;
use crate::frame::MOST_USES;
use crate::saved::SavedPage;
use crate::segment::SegmentSpec;

const PAGES: u64 = 24;

#[derive(Debug, Clone)]
enum Step {
    Read {
        first: u64,
        count: u64,
    },
    /// The backing answers a read.
    Backing {
        read: usize,
    },
    Admit {
        read: usize,
    },
    /// The same for pages of an index.
    Warm {
        read: usize,
        uses: u8,
    },
    BeginWrite {
        first: u64,
        count: u64,
    },
    /// The backing has the next page of a write.
    Apply {
        write: usize,
    },
    EndWrite {
        write: usize,
        outcome: WriteOutcome,
    },
    Invalidate {
        first: u64,
        count: u64,
    },
    Evict {
        first: u64,
        count: u64,
    },
    Resize {
        slots: u32,
    },
    AddSegment {
        first: u64,
        count: u64,
        class: Class,
    },
    SetClass {
        which: usize,
        class: Class,
    },
    RemoveSegment {
        which: usize,
    },
    Clear,
}

fn class() -> impl Strategy<Value = Class> {
    prop_oneof![
        Just(Class::Default),
        (0u32..4).prop_map(|quota| Class::Keep { quota }),
        (0u32..4).prop_map(|quota| Class::Recycle { quota }),
    ]
}

fn step() -> impl Strategy<Value = Step> {
    let some = || (0..PAGES, 0u64..5);
    let outcome = prop_oneof![
        4 => Just(WriteOutcome::Written),
        1 => Just(WriteOutcome::Unchanged),
        1 => Just(WriteOutcome::Unknown),
    ];
    prop_oneof![
        8 => some().prop_map(|(first, count)| Step::Read { first, count }),
        8 => (0usize..60).prop_map(|read| Step::Backing { read }),
        8 => (0usize..60).prop_map(|read| Step::Admit { read }),
        3 => (0usize..60, 0u8..=MOST_USES).prop_map(|(read, uses)| Step::Warm { read, uses }),
        4 => some().prop_map(|(first, count)| Step::BeginWrite { first, count }),
        6 => (0usize..60).prop_map(|write| Step::Apply { write }),
        4 => (0usize..60, outcome).prop_map(|(write, outcome)| Step::EndWrite { write, outcome }),
        1 => some().prop_map(|(first, count)| Step::Invalidate { first, count }),
        1 => some().prop_map(|(first, count)| Step::Evict { first, count }),
        1 => (0u32..12).prop_map(|slots| Step::Resize { slots }),
        1 => (some(), class())
            .prop_map(|((first, count), class)| Step::AddSegment { first, count, class }),
        1 => (0usize..4, class()).prop_map(|(which, class)| Step::SetClass { which, class }),
        1 => (0usize..4).prop_map(|which| Step::RemoveSegment { which }),
        1 => Just(Step::Clear),
    ]
}

/// A read that missed.
struct Miss {
    start: ReadStart,
    pages: PageRange,
    /// What the backing gave.
    data: Option<Vec<u64>>,
}

struct Write {
    token: WriteToken,
    value: u64,
    applied: u64,
}

/// The cache, the memory that its caller owns, and the backing: a page is a number.
struct World {
    cache: ReadCache,
    slots: Vec<Option<u64>>,
    backing: Vec<u64>,
    misses: Vec<Miss>,
    writes: Vec<Write>,
    segments: Vec<SegmentId>,
    values: u64,
}

impl World {
    fn new(slots: u32) -> World {
        World {
            cache: ReadCache::new(slots, 4096, None),
            slots: vec![None; slots as usize],
            backing: (0..PAGES + 8).map(|page| page << 32).collect(),
            misses: Vec::new(),
            writes: Vec::new(),
            segments: Vec::new(),
            values: 0,
        }
    }

    fn step(&mut self, step: Step) {
        let range = |first, count| PageRange::new(Page(first), count);
        // Of what is under way, one; of nothing, none.
        let (reads, writes) = (self.misses.len().max(1), self.writes.len().max(1));
        match step {
            Step::Read { first, count } => self.read(range(first, count)),
            Step::Backing { read } => {
                if let Some(miss) = self.misses.get_mut(read % reads) {
                    let data = miss.pages.pages().map(|page| self.backing[page.0 as usize]);
                    miss.data = Some(data.collect());
                }
            }
            Step::Admit { read } => self.admit(read % reads, None),
            Step::Warm { read, uses } => self.admit(read % reads, Some(uses)),
            // More would leave no page alone.
            Step::BeginWrite { .. } if self.writes.len() >= 3 => {}
            Step::BeginWrite { first, count } => {
                self.values += 1;
                let token = self.cache.begin_write(range(first, count));
                self.writes.push(Write { token, value: self.values, applied: 0 });
            }
            Step::Apply { write } => {
                if let Some(write) = self.writes.get_mut(write % writes)
                    && write.applied < write.token.pages.count()
                {
                    let page = write.token.pages.first().0 + write.applied;
                    self.backing[page as usize] = page << 32 | write.value;
                    write.applied += 1;
                }
            }
            Step::EndWrite { write, outcome } => self.end_write(write % writes, outcome),
            Step::Invalidate { first, count } => self.cache.invalidate(range(first, count)),
            Step::Evict { first, count } => {
                self.cache.evict(range(first, count));
            }
            Step::Resize { slots } => self.resize(slots),
            Step::AddSegment { first, count, class } => {
                let spec = SegmentSpec { pages: range(first, count), class, reuse: None };
                self.segments.extend(self.cache.add_segment(spec));
            }
            Step::SetClass { which, class } => {
                if let Some(id) = self.segments.get(which) {
                    let _ = self.cache.set_class(*id, class);
                }
            }
            Step::RemoveSegment { which } => {
                if which < self.segments.len() {
                    let id = self.segments.swap_remove(which);
                    self.cache.remove_segment(id).unwrap();
                }
            }
            Step::Clear => self.cache.clear(),
        }
    }

    fn read(&mut self, pages: PageRange) {
        let mut hits = Vec::new();
        if self.cache.hit(pages, |page, slot| hits.push((page, slot))) {
            assert_eq!(hits.len() as u64, pages.count());
            for ((page, slot), expected) in hits.into_iter().zip(pages.pages()) {
                assert_eq!(page, expected);
                assert_eq!(self.slots[slot.0 as usize], Some(self.backing[page.0 as usize]));
            }
        } else {
            assert!(hits.is_empty());
            if self.misses.len() >= 6 {
                // A read that never ends.
                self.misses.remove(0);
            }
            let start = self.cache.begin_read(pages);
            self.misses.push(Miss { start, pages, data: None });
        }
    }

    /// What was read stays if it may; with `uses` as a page of an index, for which nobody leaves.
    fn admit(&mut self, read: usize, uses: Option<u8>) {
        if self.misses.get(read).is_none_or(|miss| miss.data.is_none()) {
            return;
        }
        let miss = self.misses.swap_remove(read);
        for (page, value) in miss.pages.pages().zip(miss.data.into_iter().flatten()) {
            let (used, room) = (self.cache.used(), self.cache.has_room_for(page));
            let admission = match uses {
                None => self.cache.admit(miss.start, page),
                Some(uses) => {
                    let queue = if uses % 2 == 0 { QueueName::Small } else { QueueName::Main };
                    let saved = SavedPage { page, slot: Slot(0), queue, uses, content: 0 };
                    self.cache.warm(miss.start, &saved)
                }
            };
            if let Admission::Admitted(slot) = admission {
                self.slots[slot.0 as usize] = Some(value);
                assert!(uses.is_none() || room && self.cache.used() == used + 1, "nobody leaves");
            }
        }
    }

    fn end_write(&mut self, write: usize, outcome: WriteOutcome) {
        // What the backing says is written, is; and what it was not asked for is not.
        let can_be = |write: &Write| match outcome {
            WriteOutcome::Written => write.applied == write.token.pages.count(),
            WriteOutcome::Unchanged => write.applied == 0,
            WriteOutcome::Unknown => true,
        };
        if !self.writes.get(write).is_some_and(can_be) {
            return;
        }
        let Write { token, value, .. } = self.writes.swap_remove(write);
        let slots = &mut self.slots;
        self.cache.end_write(token, outcome, |page, slot| {
            slots[slot.0 as usize] = Some(page.0 << 32 | value);
        });
    }

    fn resize(&mut self, slots: u32) {
        self.slots.resize(self.slots.len().max(slots as usize), None);
        let memory = &mut self.slots;
        let resized = self.cache.resize(slots, |from, to| {
            memory[to.0 as usize] = memory[from.0 as usize].take();
        });
        if resized.is_ok() {
            // These are the caller's again; whoever reads them now is wrong.
            memory.truncate(slots as usize);
        }
    }

    /// Every page that is a hit is what the backing holds.
    fn check(&self) {
        self.cache.check();
        for page in 0..self.backing.len() as u64 {
            if let Some(slot) = self.cache.slot_of(Page(page)) {
                let held = self.slots[slot.0 as usize];
                assert_eq!(held, Some(self.backing[page as usize]), "page {page}");
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn a_hit_is_what_the_backing_holds(slots in 0u32..10, steps in vec(step(), 1..200)) {
        let mut world = World::new(slots);
        for step in steps {
            world.step(step);
            world.check();
        }
    }
}

/// The history above must reach what it is to test.
#[test]
fn random_histories_hit_update_overtake_and_evict() {
    let mut world = World::new(6);
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_add(1);
        crate::hash::mix(state) % below
    };
    for _ in 0..4000 {
        let first = random(9);
        let which = random(60) as usize;
        let step = match random(10) {
            0..3 => Step::Read { first, count: 1 },
            3..5 => Step::Backing { read: which },
            5..7 => Step::Admit { read: which },
            7 => Step::BeginWrite { first, count: 1 },
            8 => Step::Apply { write: which },
            _ => Step::EndWrite { write: which, outcome: WriteOutcome::Written },
        };
        world.step(step);
        world.check();
    }
    let seen = world.cache.statistics(SegmentId::REST).unwrap();
    assert_eq!(seen.reads, seen.hits + seen.misses);
    assert_eq!(seen.hit_bytes, seen.hits * 4096);
    let used = seen.admissions - seen.evictions - seen.invalidations;
    assert_eq!(used, u64::from(world.cache.used()));
    for (what, count) in [
        ("hits", seen.hits),
        ("updates", seen.updates),
        ("overtaken", seen.overtaken),
        ("evictions", seen.evictions),
    ] {
        assert!(count >= 10, "{what}: {count}");
    }
}
