//! Every interleaving of small histories of reads and writes: at no moment is a page a hit that is not what the backing holds.
//!
//! Each actor is a list of steps that come in their order; the schedules are all orders of all steps. The same schedules find stale pages
//! where an actor leaves out what the cache asks of it: so the test would see it.

use narrows_read_cache::{
    Admission, Page, PageRange, ReadCache, ReadStart, Slot, WriteOutcome, WriteToken,
};

/// Two pages.
const A: u64 = 0;
const B: u64 = 1;

#[derive(Clone, Copy)]
enum Step {
    /// Asks the cache; where that misses, the backing will be asked.
    Look,
    /// The backing answers for a page.
    Fetch(u64),
    /// What the backing answered comes into the cache.
    Admit,
    /// The same, as though the read had begun only now.
    AdmitWithoutStart,
    Begin,
    /// The backing has a page of the write.
    Apply(u64),
    End,
    /// The backing has failed before it had anything.
    Fail,
    /// The backing was not asked.
    Withdraw,
    Evict,
    /// A cache of one slot, then of two again.
    Resize,
}

#[derive(Clone)]
struct Actor {
    first: u64,
    pages: u64,
    steps: Vec<Step>,
}

fn actor(first: u64, pages: u64, steps: &[Step]) -> Actor {
    Actor { first, pages, steps: steps.to_vec() }
}

fn read(page: u64) -> Actor {
    actor(page, 1, &[Step::Look, Step::Fetch(page), Step::Admit])
}

fn read_both() -> Actor {
    actor(A, 2, &[Step::Look, Step::Fetch(A), Step::Fetch(B), Step::Admit])
}

fn write(page: u64) -> Actor {
    actor(page, 1, &[Step::Begin, Step::Apply(page), Step::End])
}

fn write_both() -> Actor {
    actor(A, 2, &[Step::Begin, Step::Apply(A), Step::Apply(B), Step::End])
}

/// What an actor remembers between its steps.
#[derive(Default)]
struct Memory {
    start: Option<ReadStart>,
    fetched: Vec<(u64, u64)>,
    token: Option<WriteToken>,
    hit: bool,
}

#[derive(Default)]
struct Tally {
    schedules: u64,
    /// Schedules with a page that was a hit and wrong.
    stale: u64,
    /// Schedules at whose end page A is a hit.
    cached: u64,
    updates: u64,
    overtaken: u64,
}

struct World {
    cache: ReadCache,
    slots: [u64; 2],
    backing: [u64; 2],
    stale: bool,
    updates: u64,
    overtaken: u64,
}

impl World {
    /// Both pages are cached, or none.
    fn new(warm: bool) -> World {
        let mut world = World {
            cache: ReadCache::new(2, 4096, None),
            slots: [u64::MAX; 2],
            backing: [10, 20],
            stale: false,
            updates: 0,
            overtaken: 0,
        };
        if warm {
            let start = world.cache.begin_read(PageRange::new(Page(A), 2));
            world.admit(start, A, 10);
            world.admit(start, B, 20);
        }
        world
    }

    fn admit(&mut self, start: ReadStart, page: u64, value: u64) {
        match self.cache.admit(start, Page(page)) {
            Admission::Admitted(Slot(slot)) => self.slots[slot as usize] = value,
            Admission::Overtaken => self.overtaken += 1,
            Admission::Present | Admission::NoRoom => {}
        }
    }

    fn step(&mut self, step: Step, number: u64, actor: &Actor, memory: &mut Memory) {
        let range = PageRange::new(Page(actor.first), actor.pages);
        // Each actor writes values of its own.
        let value = |page: u64| 1000 * (number + 1) + page;
        match step {
            Step::Look => {
                memory.hit = self.cache.hit(range, |_, _| {});
                memory.start = Some(self.cache.begin_read(range));
            }
            Step::Fetch(page) => memory.fetched.push((page, self.backing[page as usize])),
            Step::Admit | Step::AdmitWithoutStart if memory.hit => {}
            Step::Admit | Step::AdmitWithoutStart => {
                let start = match step {
                    Step::Admit => memory.start.expect("a read looks first"),
                    _ => self.cache.begin_read(range),
                };
                for (page, value) in std::mem::take(&mut memory.fetched) {
                    self.admit(start, page, value);
                }
            }
            Step::Begin => memory.token = Some(self.cache.begin_write(range)),
            Step::Apply(page) => self.backing[page as usize] = value(page),
            Step::End | Step::Fail | Step::Withdraw => {
                let token = memory.token.take().unwrap_or_else(|| self.cache.begin_write(range));
                let outcome = match step {
                    Step::End => WriteOutcome::Written,
                    Step::Withdraw => WriteOutcome::Unchanged,
                    _ => WriteOutcome::Unknown,
                };
                let (slots, updates) = (&mut self.slots, &mut self.updates);
                self.cache.end_write(token, outcome, |page, slot| {
                    slots[slot.0 as usize] = value(page.0);
                    *updates += 1;
                });
            }
            Step::Evict => {
                self.cache.evict(range);
            }
            Step::Resize => {
                for size in [1, 2] {
                    let slots = &mut self.slots;
                    let moved =
                        |from: Slot, to: Slot| slots[to.0 as usize] = slots[from.0 as usize];
                    self.cache.resize(size, moved).expect("nothing is promised");
                }
            }
        }
        for page in [A, B] {
            if let Some(slot) = self.cache.slot_of(Page(page)) {
                self.stale |= self.slots[slot.0 as usize] != self.backing[page as usize];
            }
        }
    }
}

/// Runs one order of the steps.
fn run(actors: &[Actor], warm: bool, schedule: &[usize], tally: &mut Tally) {
    let mut world = World::new(warm);
    let mut memories: Vec<Memory> = actors.iter().map(|_| Memory::default()).collect();
    let mut next = vec![0; actors.len()];
    for number in schedule {
        let step = actors[*number].steps[next[*number]];
        next[*number] += 1;
        world.step(step, *number as u64, &actors[*number], &mut memories[*number]);
    }
    tally.schedules += 1;
    tally.stale += u64::from(world.stale);
    tally.cached += u64::from(world.cache.slot_of(Page(A)).is_some());
    tally.updates += world.updates;
    tally.overtaken += world.overtaken;
}

/// All orders of all steps, from a cold and from a warm cache.
fn all(actors: &[Actor]) -> Tally {
    fn go_on(actors: &[Actor], left: &mut [usize], schedule: &mut Vec<usize>, tally: &mut Tally) {
        if left.iter().all(|left| *left == 0) {
            run(actors, false, schedule, tally);
            run(actors, true, schedule, tally);
            return;
        }
        for number in 0..actors.len() {
            if left[number] > 0 {
                left[number] -= 1;
                schedule.push(number);
                go_on(actors, left, schedule, tally);
                schedule.pop();
                left[number] += 1;
            }
        }
    }
    let mut tally = Tally::default();
    let mut left: Vec<usize> = actors.iter().map(|actor| actor.steps.len()).collect();
    go_on(actors, &mut left, &mut Vec::new(), &mut tally);
    tally
}

#[test]
fn no_interleaving_of_reads_and_writes_leaves_a_stale_page() {
    let fail = actor(A, 1, &[Step::Begin, Step::Fail]);
    let evict = actor(A, 1, &[Step::Evict]);
    let resize = actor(A, 1, &[Step::Resize]);
    let withdraw = actor(A, 1, &[Step::Begin, Step::Withdraw]);
    let histories: [(&[Actor], u64); 9] = [
        (&[read(A), write(A), withdraw], 560),
        (&[read(A), read(A), write(A)], 1_680),
        (&[read(A), write(A), write(A)], 1_680),
        (&[read(A), read(A), write(A), write(A)], 369_600),
        (&[read(A), write_both(), write(B)], 4_200),
        (&[read_both(), write_both(), write(A)], 11_550),
        (&[read_both(), write_both(), write_both()], 34_650),
        (&[read(A), write(A), fail, evict], 5_040),
        (&[read(A), write(A), write_both(), resize], 46_200),
    ];
    for (number, (actors, schedules)) in histories.into_iter().enumerate() {
        let tally = all(actors);
        assert_eq!(tally.schedules, 2 * schedules, "history {number}: all orders, cold and warm");
        assert_eq!(tally.stale, 0, "history {number}");
        let counts = [tally.cached, tally.updates, tally.overtaken];
        assert!(counts.iter().all(|count| *count > 0), "history {number} tests little: {counts:?}");
    }
}

#[test]
fn the_same_histories_find_a_read_that_does_not_say_when_it_began() {
    let careless = actor(A, 1, &[Step::Look, Step::Fetch(A), Step::AdmitWithoutStart]);
    let tally = all(&[careless, write(A)]);
    assert_eq!(tally.schedules, 2 * 20);
    assert!(tally.stale > 0);
}

#[test]
fn the_same_histories_find_a_write_that_is_told_only_after_it_happened() {
    let careless = actor(A, 1, &[Step::Apply(A), Step::End]);
    assert!(all(&[read(A), careless]).stale > 0);
}

#[test]
fn the_same_histories_find_a_write_that_says_that_nothing_happened() {
    let liar = actor(A, 1, &[Step::Begin, Step::Apply(A), Step::Withdraw]);
    assert!(all(&[read(A), liar]).stale > 0);
}

#[test]
fn what_nobody_writes_meanwhile_is_always_admitted() {
    let tally = all(&[read(A), read(B), read(A)]);
    assert_eq!((tally.cached, tally.overtaken), (tally.schedules, 0));
    // A write that didn't happen leaves what was there.
    let withdraw = actor(A, 1, &[Step::Begin, Step::Withdraw]);
    assert_eq!(all(&[withdraw]).cached, 1, "of a cold cache and a warm one");
    // A write of a neighbour refuses nothing, and a write alone keeps what is there.
    let tally = all(&[read(A), write(B)]);
    assert_eq!((tally.cached, tally.overtaken), (tally.schedules, 0));
    let tally = all(&[write(A), read(B)]);
    assert_eq!((tally.cached, tally.updates), (tally.schedules / 2, tally.schedules / 2));
}
