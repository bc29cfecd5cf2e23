//! Every interleaving of small histories of a file with a log and a cache in front: at no moment is a page a hit that is not what is read
//! without the cache, the file with what the log holds laid over it.
//!
//! Log and cache are the target's own, and each actor's steps are those that a thread of it takes between two locks. The same schedules find
//! stale pages where an actor leaves one rule out: so the test would see it. That connections keep to these rules is seen by the histories
//! of `model` and by the threads of `cached`.

use narrows_log_tier::{
    Acknowledge, Action, Batch, Change, Geometry, Log, LogId, Source, State, Superblock,
};
use narrows_read_cache::{
    Admission, Page, PageRange, ReadCache, ReadStart, Slot, WriteOutcome, WriteToken,
};

/// The one page that everybody is about; its content is a number.
const PAGE: u64 = 1;
const PAGE_BYTES: u32 = 4096;
const CAPACITY: u64 = 16 << 10;

#[derive(Clone, Copy, PartialEq)]
enum Step {
    /// Asks the cache; where that misses, log and file will be asked.
    Look,
    /// Takes what the log holds of the page.
    Overlay,
    /// The file answers.
    Fetch,
    /// What was read comes into the cache.
    Admit,
    /// The same without what the log holds.
    AdmitFile,
    /// A write tells the cache that it begins.
    Begin,
    Append,
    /// The cache takes over what was written.
    Update,
    /// The log's medium has the record.
    Durable,
    /// The mover takes a batch.
    Batch,
    /// It is in the file.
    Move,
    Forget,
    /// The log's only medium fails.
    Fail,
    Clear,
}

use Step::{
    Admit, AdmitFile, Append, Begin, Clear, Durable, Fail, Fetch, Forget, Look, Move, Overlay,
    Update,
};

type Actor = &'static [Step];

const READ: Actor = &[Look, Overlay, Fetch, Admit];
const WRITE: Actor = &[Begin, Append, Update, Durable];
const MOVE: Actor = &[Step::Batch, Move, Forget];
const FAIL: Actor = &[Fail, Clear];

/// What an actor remembers between its steps.
#[derive(Default)]
struct Memory {
    start: Option<ReadStart>,
    hit: bool,
    overlay: Option<u64>,
    fetched: u64,
    token: Option<WriteToken>,
    seq: Option<u64>,
    batch: Option<Batch>,
}

#[derive(Default)]
struct Tally {
    schedules: u64,
    /// Schedules with a page that was a hit and wrong.
    stale: u64,
    /// Schedules at whose end the page is a hit.
    cached: u64,
    updates: u64,
    overtaken: u64,
    /// Schedules whose mover had something to move.
    moved: u64,
    /// Schedules in which the log lost data that had been read.
    lost: u64,
}

struct World {
    cache: ReadCache,
    slot: u64,
    log: Log,
    image: Vec<u8>,
    file: u64,
    /// The log has failed, and who noticed has yet to empty the cache: nobody was told of it.
    fails: bool,
    tally: Tally,
}

impl World {
    fn new(warm: bool) -> World {
        let superblock = Superblock {
            id: LogId([1; 16]),
            backing: [2; 16],
            backing_bytes: 1 << 20,
            geometry: Geometry { unit: 512, capacity: CAPACITY },
            media: 1,
            medium: 0,
            acknowledge: Acknowledge::All,
            members: 1,
            generation: 1,
            epoch: 1,
            before: 0,
            tail: 0,
            tail_seq: 0,
            clean: false,
            time_ms: 0,
        };
        let mut world = World {
            cache: ReadCache::new(1, PAGE_BYTES, None),
            slot: u64::MAX,
            log: Log::new(superblock),
            image: vec![0; CAPACITY as usize],
            file: 10,
            fails: false,
            tally: Tally::default(),
        };
        if warm {
            let start = world.cache.begin_read(page());
            world.admit(start, 10);
        }
        world
    }

    fn admit(&mut self, start: ReadStart, value: u64) {
        match self.cache.admit(start, Page(PAGE)) {
            Admission::Admitted(_) => self.slot = value,
            Admission::Overtaken => self.tally.overtaken += 1,
            Admission::Present | Admission::NoRoom => {}
        }
    }

    /// What the log holds of the page.
    fn overlay(&self) -> Option<u64> {
        let piece = self.log.pieces(PAGE * u64::from(PAGE_BYTES), 8).next()?;
        Some(self.content(piece.source))
    }

    fn content(&self, source: Source) -> u64 {
        let Source::Image(at) = source else { panic!("nobody zeroes") };
        let bytes = &self.image[at as usize..at as usize + 8];
        u64::from_le_bytes(bytes.try_into().unwrap())
    }

    fn step(&mut self, step: Step, number: u64, memory: &mut Memory) {
        // Each actor writes a value of its own.
        let value = 1000 * (number + 1);
        match step {
            Look => {
                memory.hit = self.cache.hit(page(), |_, _| {});
                memory.start = Some(self.cache.begin_read(page()));
            }
            Overlay => memory.overlay = self.overlay(),
            Fetch => memory.fetched = self.file,
            Admit | AdmitFile => {
                let read = memory.overlay.filter(|_| step == Admit).unwrap_or(memory.fetched);
                if !memory.hit {
                    self.admit(memory.start.expect("a read looks first"), read);
                }
            }
            Begin => memory.token = Some(self.cache.begin_write(page())),
            Append => {
                let data = value.to_le_bytes();
                let offset = PAGE * u64::from(PAGE_BYTES);
                let change = Change { action: Action::Write, offset, bytes: 8, data: &data };
                memory.seq = self.log.append(&mut self.image, &change, 1).ok().map(|it| it.seq);
            }
            Update => {
                let token = memory.token.take().unwrap_or_else(|| self.cache.begin_write(page()));
                let outcome = match memory.seq {
                    Some(_) => WriteOutcome::Written,
                    None => WriteOutcome::Unchanged,
                };
                let (slot, updates) = (&mut self.slot, &mut self.tally.updates);
                self.cache.end_write(token, outcome, |_, Slot(_)| {
                    *slot = value;
                    *updates += 1;
                });
            }
            Durable => {
                if let Some(seq) = memory.seq {
                    self.log.written(seq, 0);
                }
            }
            Step::Batch => memory.batch = self.log.batch(1 << 20),
            Move => {
                for piece in memory.batch.iter().flat_map(|batch| &batch.pieces) {
                    self.file = self.content(piece.source);
                }
            }
            Forget if memory.batch.is_some() => {
                let superblock = self.log.superblock_after_batch(2);
                self.log.forget(superblock);
                self.tally.moved = 1;
            }
            Forget => {}
            Fail => {
                self.tally.lost = u64::from(self.log.status().undurable > 0);
                self.log.medium_failed(0);
                self.fails = true;
            }
            Clear => {
                self.cache.clear();
                self.fails = false;
            }
        }
        let view = self.overlay().unwrap_or(self.file);
        if self.cache.slot_of(Page(PAGE)).is_some() && !self.fails {
            self.tally.stale |= u64::from(self.slot != view);
        }
    }
}

fn page() -> PageRange {
    PageRange::one(Page(PAGE))
}

/// Runs one order of the steps.
fn run(actors: &[Actor], warm: bool, schedule: &[usize], tally: &mut Tally) {
    let mut world = World::new(warm);
    let mut memories: Vec<Memory> = actors.iter().map(|_| Memory::default()).collect();
    let mut next = vec![0; actors.len()];
    for number in schedule {
        let step = actors[*number][next[*number]];
        next[*number] += 1;
        world.step(step, *number as u64, &mut memories[*number]);
    }
    // Who forgets to empty the cache never does.
    if world.fails && world.cache.slot_of(Page(PAGE)).is_some() {
        let view = world.overlay().unwrap_or(world.file);
        world.tally.stale |= u64::from(world.slot != view);
    }
    tally.schedules += 1;
    tally.stale += world.tally.stale;
    tally.cached += u64::from(world.cache.slot_of(Page(PAGE)).is_some());
    tally.updates += world.tally.updates;
    tally.overtaken += world.tally.overtaken;
    tally.moved += world.tally.moved;
    tally.lost += world.tally.lost;
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
    let mut left: Vec<usize> = actors.iter().map(|actor| actor.len()).collect();
    go_on(actors, &mut left, &mut Vec::new(), &mut tally);
    tally
}

#[test]
fn no_interleaving_with_a_log_leaves_a_stale_page() {
    let histories: [(&[Actor], u64); 5] = [
        (&[READ, WRITE, MOVE], 11_550),
        (&[READ, READ, WRITE], 34_650),
        // A write that is in nobody's file yet, and one that is moved.
        (&[READ, &[Begin, Append, Update], WRITE], 11_550),
        (&[READ, WRITE, FAIL], 3_150),
        (&[READ, WRITE, MOVE, FAIL], 900_900),
    ];
    for (number, (actors, schedules)) in histories.into_iter().enumerate() {
        let tally = all(actors);
        assert_eq!(tally.schedules, 2 * schedules, "history {number}: all orders, cold and warm");
        assert_eq!(tally.stale, 0, "history {number}");
        let counts = [tally.cached, tally.updates, tally.overtaken];
        assert!(counts.iter().all(|count| *count > 0), "history {number} tests little: {counts:?}");
        assert_eq!(tally.moved > 0, actors.contains(&MOVE), "history {number}");
        assert_eq!(tally.lost > 0, actors.contains(&FAIL), "history {number}");
    }
}

#[test]
fn the_same_histories_find_a_rule_that_is_left_out() {
    let careless: [(&str, &[Actor]); 6] = [
        ("the log is asked before the cache", &[&[Overlay, Look, Fetch, Admit], WRITE, MOVE]),
        ("the file is asked before the log", &[&[Look, Fetch, Overlay, Admit], WRITE, MOVE]),
        (
            "the file stays without what the log holds",
            &[&[Look, Overlay, Fetch, AdmitFile], WRITE, MOVE],
        ),
        ("a write is told once the log has it", &[READ, &[Append, Update, Durable], MOVE]),
        (
            "a write is told as done before the log has it",
            &[READ, &[Begin, Update, Append, Durable], MOVE],
        ),
        ("a log that fails leaves the cache as it is", &[READ, WRITE, &[Fail]]),
    ];
    for (rule, actors) in careless {
        assert!(all(actors).stale > 0, "{rule}");
    }
}

#[test]
fn a_log_that_failed_takes_nothing_and_changes_no_page() {
    let mut world = World::new(true);
    let (mut fails, mut writes) = (Memory::default(), Memory::default());
    FAIL.iter().for_each(|step| world.step(*step, 0, &mut fails));
    assert_eq!(world.log.status().state, State::Failed);
    WRITE.iter().for_each(|step| world.step(*step, 1, &mut writes));
    assert_eq!((world.tally.stale, world.tally.updates, writes.seq), (0, 0, None));
    // Nor does a write that waits for room.
    let mut world = World::new(true);
    for number in 0..20 {
        let mut write = Memory::default();
        WRITE.iter().for_each(|step| world.step(*step, number, &mut write));
        assert_eq!(world.slot, 1000 * (number.min(15) + 1), "sixteen records fill the log");
    }
    assert_eq!((world.tally.stale, world.cache.slot_of(Page(PAGE))), (0, Some(Slot(0))));
}
