//! Every interleaving of small histories of reads, writes, the thread that fills and failures, around one slot that two pages compete for: no
//! answer is anything but what the backing had between the read's begin and its end, and at no moment is a page a hit whose bytes on the
//! device are not the backing's.
//!
//! The cache is the target's own; its device is memory here, to which a page comes in two halves. The same schedules find wrong answers or
//! stale pages where an actor leaves one rule out: so the test would see it.

use super::queue::WaitingPage;
use super::tests::cache_of;
use super::*;

/// Two pages.
const A: u64 = 0;
const B: u64 = 1;
const HALF: usize = PAGE as usize / 2;

#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// Asks the cache; where that misses, the backing will be asked.
    Look,
    /// The device, or the backing, answers.
    Fetch,
    /// What came is held against what was known; the host has its answer, and what missed comes in.
    Answer,
    /// The same, whatever is known of the slot by then.
    AnswerUnchecked,
    /// The same, as though the read had begun only now.
    AnswerLate,
    /// A write tells the cache that it begins.
    Begin,
    /// The backing has it.
    Apply,
    End,
    Withdraw,
    /// The thread that fills takes a page.
    Take,
    /// The device has one half of it.
    LandLow,
    LandHigh,
    /// It is told as written.
    Finish,
    /// The same, of whatever page has the slot now.
    FinishAnyway,
    /// The device fails, and the cache is off.
    Fail,
}

use Step::*;

type Actor = (u64, &'static [Step]);

const READ: &[Step] = &[Look, Fetch, Answer];
const WRITE: &[Step] = &[Begin, Apply, End];
const FILL: &[Step] = &[Take, LandLow, LandHigh, Finish];
const FILL_TWICE: &[Step] = &[Take, LandLow, LandHigh, Finish, Take, LandLow, LandHigh, Finish];

/// What an actor remembers between its steps.
#[derive(Default)]
struct Memory {
    hit: Option<DeviceHit>,
    start: Option<CacheRead>,
    /// Values that the page had before the read began, but for the last of them.
    before: usize,
    fetched: Vec<u8>,
    token: Option<DeviceWrite>,
    run: Vec<WaitingPage>,
}

#[derive(Default)]
struct Tally {
    schedules: u64,
    /// Schedules with a page that was a hit and stale, or with an answer that the backing never had then.
    wrong: u64,
    /// Hits that were answered, and hits that had to ask the backing.
    hits: u64,
    overtaken: u64,
    /// Schedules at whose end page A is a hit.
    cached: u64,
}

struct World<'a> {
    cache: &'a Arc<DeviceCache>,
    device: Vec<u8>,
    /// All values that each page had.
    backing: [Vec<u64>; 2],
    is_wrong: bool,
    hits: u64,
    overtaken: u64,
}

fn bytes_of(value: u64) -> Vec<u8> {
    value.to_le_bytes().repeat(PAGE as usize / 8)
}

/// The value of a page, if both halves have the same.
fn value_of(page: &[u8]) -> Option<u64> {
    let half = |at: usize| page[at..at + 8].try_into().map(u64::from_le_bytes);
    let (low, high) = (half(0).ok()?, half(HALF).ok()?);
    (low == high).then_some(low)
}

impl World<'_> {
    /// Page A is on the device, or none.
    fn new(cache: &Arc<DeviceCache>, warm: bool) -> World<'_> {
        cache.use_again();
        cache.clear();
        let mut world = World {
            cache,
            device: vec![0; PAGE as usize],
            backing: [vec![10], vec![20]],
            is_wrong: false,
            hits: 0,
            overtaken: 0,
        };
        if warm {
            let mut memory = Memory::default();
            for step in READ.iter().chain(FILL) {
                world.step(*step, 0, A, &mut memory);
            }
        }
        world
    }

    fn now(&self, page: u64) -> u64 {
        self.backing[page as usize].last().copied().unwrap_or_default()
    }

    fn step(&mut self, step: Step, number: u64, page: u64, memory: &mut Memory) {
        let offset = page * CACHE_PAGE;
        match step {
            Look => {
                memory.before = self.backing[page as usize].len() - 1;
                memory.hit = self.cache.hit(offset, PAGE);
                if memory.hit.is_none() {
                    memory.start = self.cache.begin_read(offset, PAGE);
                }
            }
            Fetch if memory.hit.is_some() => memory.fetched.clone_from(&self.device),
            Fetch => memory.fetched = bytes_of(self.now(page)),
            Answer | AnswerUnchecked | AnswerLate => self.answer(step, page, memory),
            Begin => memory.token = Some(self.cache.begin_write(std::iter::once((offset, 4096)))),
            Apply => self.backing[page as usize].push(1000 * (number + 1)),
            End => memory.token = None,
            Withdraw => {
                if let Some(token) = memory.token.take() {
                    token.withdraw();
                }
            }
            Take => memory.run = self.cache.still_given(self.cache.queue.take_run(256)),
            LandLow | LandHigh => {
                let half = if step == LandLow { 0..HALF } else { HALF..PAGE as usize };
                for waiting in &memory.run {
                    self.device[half.clone()].copy_from_slice(&waiting.bytes[half.clone()]);
                }
            }
            Finish => self.cache.written(&memory.run),
            FinishAnyway => {
                for waiting in &memory.run {
                    let states = &self.cache.states;
                    states.written(waiting.place, states.get(waiting.place));
                }
            }
            Fail => self.cache.use_no_more(),
        }
        for page in [A, B] {
            let slot = self.cache.shards.lock(0).slot_of(Page(page));
            if slot.is_some_and(|slot| self.cache.states.get(slot.0.into()).is_written()) {
                self.is_wrong |= value_of(&self.device) != Some(self.now(page));
            }
        }
    }

    fn answer(&mut self, step: Step, page: u64, memory: &mut Memory) {
        let offset = page * CACHE_PAGE;
        match memory.hit.take() {
            Some(hit) if step == AnswerUnchecked || self.cache.check(&hit, &memory.fetched) => {
                self.hits += 1;
            }
            Some(_) => {
                // As though it had missed, at once.
                self.overtaken += 1;
                memory.start = self.cache.begin_read(offset, PAGE);
                memory.fetched = bytes_of(self.now(page));
            }
            None => {}
        }
        let had = &self.backing[page as usize][memory.before..];
        self.is_wrong |= !value_of(&memory.fetched).is_some_and(|value| had.contains(&value));
        let start = match step {
            AnswerLate => self.cache.begin_read(offset, PAGE),
            _ => memory.start.take(),
        };
        if let Some(start) = start {
            self.cache.fill(start, offset, &memory.fetched);
        }
    }
}

/// Runs one order of the steps.
fn run(
    cache: &Arc<DeviceCache>,
    actors: &[Actor],
    warm: bool,
    schedule: &[usize],
    tally: &mut Tally,
) {
    let mut world = World::new(cache, warm);
    let mut memories: Vec<Memory> = actors.iter().map(|_| Memory::default()).collect();
    let mut next = vec![0; actors.len()];
    for number in schedule {
        let (page, steps) = actors[*number];
        world.step(steps[next[*number]], *number as u64, page, &mut memories[*number]);
        next[*number] += 1;
    }
    tally.schedules += 1;
    tally.wrong += u64::from(world.is_wrong);
    tally.hits += world.hits;
    tally.overtaken += world.overtaken;
    tally.cached += u64::from(cache.hit(A * CACHE_PAGE, PAGE).is_some());
    // Nobody's any more.
    while !cache.queue.take_run(256).is_empty() {}
    cache.queue.release(cache.queue.taken());
}

/// All orders of all steps, from a cold and from a warm cache.
fn all(actors: &[Actor]) -> Tally {
    fn go_on(
        cache: &Arc<DeviceCache>,
        actors: &[Actor],
        left: &mut [usize],
        schedule: &mut Vec<usize>,
        tally: &mut Tally,
    ) {
        if left.iter().all(|left| *left == 0) {
            run(cache, actors, false, schedule, tally);
            run(cache, actors, true, schedule, tally);
            return;
        }
        for number in 0..actors.len() {
            if left[number] > 0 {
                left[number] -= 1;
                schedule.push(number);
                go_on(cache, actors, left, schedule, tally);
                schedule.pop();
                left[number] += 1;
            }
        }
    }
    let (cache, _folder) = cache_of(CACHE_PAGE, true);
    assert_eq!(cache.shards.pages(), 1);
    let mut tally = Tally::default();
    let mut left: Vec<usize> = actors.iter().map(|(_, steps)| steps.len()).collect();
    go_on(&cache, actors, &mut left, &mut Vec::new(), &mut tally);
    tally
}

#[test]
fn no_interleaving_gives_an_answer_that_the_backing_never_had() {
    let histories: [(&[Actor], u64); 6] = [
        (&[(A, READ), (A, WRITE), (A, FILL)], 4_200),
        (&[(A, READ), (A, READ), (A, FILL)], 4_200),
        (&[(A, READ), (B, READ), (A, FILL_TWICE)], 60_060),
        (&[(B, READ), (A, WRITE), (A, FILL)], 4_200),
        (&[(A, READ), (A, &[Begin, Withdraw]), (A, FILL)], 1_260),
        (&[(A, READ), (A, WRITE), (A, FILL), (A, &[Fail])], 46_200),
    ];
    let (mut hits, mut overtaken, mut cached) = (0, 0, 0);
    for (number, (actors, schedules)) in histories.into_iter().enumerate() {
        let tally = all(actors);
        assert_eq!(tally.schedules, 2 * schedules, "history {number}: all orders, cold and warm");
        assert_eq!(tally.wrong, 0, "history {number}");
        (hits, overtaken) = (hits + tally.hits, overtaken + tally.overtaken);
        cached += tally.cached;
    }
    println!("{hits} hits, {overtaken} overtaken, {cached} ends with a cached page");
    assert!(hits > 1000 && overtaken > 1000 && cached > 1000, "{hits} {overtaken} {cached}");
}

#[test]
fn the_same_histories_find_a_rule_that_is_left_out() {
    let careless: [(&str, &[Actor]); 5] = [
        (
            "a hit is answered without a look at what its slot is by then",
            &[(A, &[Look, Fetch, AnswerUnchecked]), (B, READ), (A, FILL)],
        ),
        (
            "a page is told as written before it is",
            &[(A, READ), (A, &[Take, Finish, LandLow, LandHigh])],
        ),
        (
            "a slot is told as written for whomever has it by then",
            &[(A, READ), (B, READ), (A, &[Take, LandLow, LandHigh, FinishAnyway])],
        ),
        (
            "a read does not say when it began",
            &[(A, &[Look, Fetch, AnswerLate]), (A, WRITE), (A, FILL)],
        ),
        (
            "a write is told only after it happened",
            &[(A, READ), (A, &[Apply, Begin, End]), (A, FILL)],
        ),
    ];
    for (rule, actors) in careless {
        assert!(all(actors).wrong > 0, "{rule}");
    }
}
