//! Random commands on several queues, cut up and cut off anywhere, against a disk in memory.
//!
//! Host and target are both machines without sockets, so that every byte may be a piece of its own and every operation of
//! a file may end in any order. What was answered must be as the model has it; what was not answered when its connection
//! was cut may have happened or not, block by block, and nothing else may be there.

use std::collections::BTreeMap;
use std::path::Path;

use narrows_initiator::queue::{Direction, Ended, HostQueue, Piece, SlotMemory};
use narrows_nvme::command::{
    AdminCommand, DYNAMIC_CONTROLLER, DeallocatedRange, Extent, FabricsCommand, Identify,
    IoCommand, ReservationAction,
};
use narrows_nvme::digest::Digests;
use narrows_nvme::property::{CC, Configuration};
use narrows_nvme::{DataPointer, HostId, Nqn, Status};
use narrows_target::{InMemoryTarget, namespace_of};

use crate::program::{NQN, connect, logged, make_cache, make_log};

const BLOCK: usize = 512;
const BLOCKS: usize = 2048;
/// The first block.
const EXTENT: Extent = Extent { first_block: 0, blocks_less_one: 0, force_unit_access: false };
const SLOTS: u16 = 6;
const SLOT_BYTES: usize = 96 << 10;

/// A generator of numbers; the same seed gives the same run.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit
    }
}

struct Memory(Vec<Vec<u8>>);

impl SlotMemory for Memory {
    fn slot(&mut self, slot: u16) -> &mut [u8] {
        &mut self.0[usize::from(slot)]
    }
}

/// What a command that is on its way does to blocks.
enum Intent {
    /// They are read; what they may be.
    Read { first: usize, blocks: usize },
    /// They become this version; 0 for zeros.
    Write { first: usize, blocks: usize, version: u64 },
    /// Nothing.
    Other,
}

/// A queue of the host.
struct Line {
    number: usize,
    queue: HostQueue,
    memory: Memory,
    intents: BTreeMap<u16, Intent>,
}

/// Each block is one version of itself: its number and the version's, again and again, or zeros.
fn block_of(block: usize, version: u64) -> Vec<u8> {
    if version == 0 {
        return vec![0; BLOCK];
    }
    let mark: Vec<u8> =
        (block as u64).to_le_bytes().into_iter().chain(version.to_le_bytes()).collect();
    mark.repeat(BLOCK / mark.len())
}

struct World {
    target: InMemoryTarget,
    random: Random,
    /// The versions that each block may be.
    model: Vec<Vec<u64>>,
    /// Blocks that a command on its way is about.
    busy: Vec<bool>,
    versions: u64,
    answered: u64,
    /// It has a log, which is moved now and then, and takes no hints.
    logged: bool,
    /// Its cache has an index, whose pages are read again now and then.
    indexed: bool,
    /// Its cache is on another file, to which pages are written now and then.
    on_device: bool,
    /// That file fails reads now and then.
    device_fails: bool,
    /// Commands under way may be about the same blocks.
    overlaps: bool,
    /// Who connects: the bytes of its HostID.
    host: u8,
}

impl World {
    fn new(seed: u64, namespace: &str) -> World {
        let nqn: Nqn = NQN.parse().unwrap();
        let spec = namespace_of(namespace).unwrap();
        World {
            // Little memory, so that commands wait for it.
            target: InMemoryTarget::new(&nqn, &[spec], 1 << 20).unwrap(),
            random: Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1),
            model: vec![vec![0]; BLOCKS],
            busy: vec![false; BLOCKS],
            versions: 0,
            answered: 0,
            logged: namespace.contains(",log="),
            indexed: namespace.contains(",cache-index="),
            on_device: namespace.contains(",cache=/"),
            device_fails: false,
            overlaps: false,
            host: 9,
        }
    }

    /// An admin queue and its I/O queues.
    fn associate(&mut self, queues: u16, digests: Digests) -> (Line, Vec<Line>) {
        let mut admin = self.line(digests);
        let controller = self.connect(&mut admin, 0, DYNAMIC_CONTROLLER);
        let command = FabricsCommand::PropertySet {
            offset: CC,
            wide: false,
            value: Configuration::ENABLED.0.into(),
        };
        let entry = command.to_entry(0, DataPointer::NONE);
        admin.queue.submit(entry, 0, Direction::None, &mut admin.memory);
        self.settle(&mut admin);
        let lines = (1..=queues).map(|number| {
            let mut line = self.line(digests);
            self.connect(&mut line, number, controller);
            line.queue.set_in_capsule(16 << 10);
            line
        });
        let lines = lines.collect();
        (admin, lines)
    }

    fn line(&mut self, digests: Digests) -> Line {
        let memory = Memory(vec![vec![0; SLOT_BYTES]; usize::from(SLOTS)]);
        let queue = HostQueue::new(SLOTS, digests, 8192, SLOT_BYTES as u32);
        Line { number: self.target.connect(), queue, memory, intents: BTreeMap::new() }
    }

    fn connect(&mut self, line: &mut Line, number: u16, controller: u16) -> u16 {
        let (connect, mut data) = connect(number, 31, controller, NQN.parse().unwrap(), "model");
        data.host_id = HostId([self.host; 16]);
        line.memory.0[0][..1024].copy_from_slice(&data.to_bytes());
        let entry = FabricsCommand::Connect(connect).to_entry(0, DataPointer::NONE);
        line.queue.submit(entry, 0, Direction::Out(1024), &mut line.memory);
        let ended = self.settle(line);
        assert!(ended[0].completion.status.is_success(), "{:?}", ended[0]);
        ended[0].completion.result as u16
    }

    /// Moves bytes until nothing is on its way.
    fn settle(&mut self, line: &mut Line) -> Vec<Ended> {
        let mut ended = Vec::new();
        let mut turns = 0;
        while line.queue.in_flight() > 0 {
            turns += 1;
            assert!(turns < 100_000, "{} commands are never answered", line.queue.in_flight());
            self.carry(line, &mut ended);
            let choice = self.random.below(64);
            self.target.finish(choice);
        }
        ended
    }

    /// The same for all of them, in turn: what one doesn't take holds memory that another waits for.
    fn settle_all(&mut self, lines: &mut [Line]) {
        let mut turns = 0;
        while lines.iter().any(|line| line.queue.in_flight() > 0) {
            turns += 1;
            assert!(turns < 100_000, "commands are never answered");
            for line in &mut *lines {
                let mut ended = Vec::new();
                self.carry(line, &mut ended);
                for one in &ended {
                    self.check(line, one);
                }
            }
            let choice = self.random.below(64);
            self.target.finish(choice);
        }
    }

    /// Moves some bytes each way, in pieces.
    fn carry(&mut self, line: &mut Line, ended: &mut Vec<Ended>) {
        let mut bytes = Vec::new();
        for piece in line.queue.pieces() {
            match piece {
                Piece::Bytes(range) => bytes.extend_from_slice(&line.queue.bytes()[range.clone()]),
                Piece::Slot { slot, range } => {
                    bytes.extend_from_slice(&line.memory.0[usize::from(*slot)][range.clone()]);
                }
            }
        }
        line.queue.sent();
        let mut rest = &bytes[..];
        while !rest.is_empty() {
            let length = self.piece(rest.len());
            self.target.input(line.number, &rest[..length]);
            rest = &rest[length..];
        }
        let most = 1 + self.random.below(100_000);
        let back = self.target.output(line.number, most);
        let mut rest = &back[..];
        while !rest.is_empty() {
            let length = self.piece(rest.len());
            line.queue.input(&rest[..length], &mut line.memory, ended).unwrap();
            rest = &rest[length..];
        }
    }

    /// Length of the next piece of so many bytes: often all, sometimes one.
    fn piece(&mut self, bytes: usize) -> usize {
        match self.random.below(4) {
            0 => 1 + self.random.below(bytes.min(9)),
            1 => 1 + self.random.below(bytes),
            _ => bytes,
        }
    }

    /// Begins a random command in a free slot, on blocks that no other is about.
    fn begin(&mut self, line: &mut Line) {
        let Some(slot) = (0..SLOTS).find(|slot| !line.intents.contains_key(slot)) else { return };
        let longest = if self.random.below(3) == 0 { SLOT_BYTES / BLOCK } else { 20 };
        let blocks = 1 + self.random.below(longest);
        let first = self.random.below(BLOCKS - blocks + 1);
        let range = first..first + blocks;
        if !self.overlaps && self.busy[range.clone()].iter().any(|busy| *busy) {
            return;
        }
        let force_unit_access = self.random.below(4) == 0;
        let extent = Extent {
            first_block: first as u64,
            blocks_less_one: blocks as u16 - 1,
            force_unit_access,
        };
        let bytes = (blocks * BLOCK) as u32;
        let (command, direction, intent) = match self.random.below(8) {
            0..3 => (IoCommand::Read(extent), Direction::In(bytes), Intent::Read { first, blocks }),
            3..6 => {
                self.versions += 1;
                let version = self.versions;
                for (index, block) in range.clone().enumerate() {
                    line.memory.0[usize::from(slot)][index * BLOCK..(index + 1) * BLOCK]
                        .copy_from_slice(&block_of(block, version));
                }
                let intent = Intent::Write { first, blocks, version };
                (IoCommand::Write(extent), Direction::Out(bytes), intent)
            }
            6 if !self.logged && self.random.below(2) == 0 => {
                let deallocated = DeallocatedRange {
                    attributes: 0,
                    blocks: blocks as u32,
                    first_block: first as u64,
                };
                line.memory.0[usize::from(slot)][..16].copy_from_slice(&deallocated.to_bytes());
                let command = IoCommand::DatasetManagement { ranges_less_one: 0, deallocate: true };
                (command, Direction::Out(16), Intent::Write { first, blocks, version: 0 })
            }
            6 => {
                let command = IoCommand::WriteZeroes { extent, deallocate: force_unit_access };
                (command, Direction::None, Intent::Write { first, blocks, version: 0 })
            }
            _ => (IoCommand::Flush, Direction::None, Intent::Other),
        };
        if !matches!(intent, Intent::Other) {
            self.busy[range].fill(true);
        }
        let entry = command.to_entry(slot, 1, DataPointer::NONE);
        line.queue.submit(entry, slot, direction, &mut line.memory);
        line.intents.insert(slot, intent);
    }

    /// Holds an answer against the model.
    fn check(&mut self, line: &mut Line, ended: &Ended) {
        assert!(ended.completion.status.is_success(), "{ended:?}");
        self.answered += 1;
        if self.overlaps {
            return self.check_own(line, ended);
        }
        match line.intents.remove(&ended.slot).expect("a command of this slot") {
            Intent::Other => {}
            Intent::Write { first, blocks, version } => {
                for block in first..first + blocks {
                    self.model[block] = vec![version];
                    self.busy[block] = false;
                }
            }
            Intent::Read { first, blocks } => {
                for (index, block) in (first..first + blocks).enumerate() {
                    let data = &line.memory.0[usize::from(ended.slot)];
                    let read = &data[index * BLOCK..(index + 1) * BLOCK];
                    let found = self.model[block].iter().copied();
                    let found = found.clone().find(|version| read == block_of(block, *version));
                    let found = found.unwrap_or_else(|| {
                        panic!(
                            "block {block} is none of {:?}: {:?}",
                            self.model[block],
                            &read[..16]
                        )
                    });
                    // What was open is decided for good.
                    self.model[block] = vec![found];
                    self.busy[block] = false;
                }
            }
        }
    }

    /// Where commands overlap: what was read is of this block, in any version that was written.
    fn check_own(&self, line: &mut Line, ended: &Ended) {
        let intent = line.intents.remove(&ended.slot).expect("a command of this slot");
        let Intent::Read { first, blocks } = intent else { return };
        let data = line.memory.0[usize::from(ended.slot)].chunks_exact(BLOCK);
        for (block, read) in (first..first + blocks).zip(data) {
            let version = u64::from_le_bytes(read[8..16].try_into().unwrap());
            assert!(version <= self.versions && read == block_of(block, version), "block {block}");
        }
    }

    /// Random commands on all queues, whose bytes and files take their turns.
    fn work(&mut self, lines: &mut [Line]) {
        for _ in 0..80 {
            let index = self.random.below(lines.len());
            let line = &mut lines[index];
            for _ in 0..self.random.below(4) {
                self.begin(line);
            }
            let mut ended = Vec::new();
            self.carry(line, &mut ended);
            for one in &ended {
                self.check(line, one);
            }
            for _ in 0..self.random.below(3) {
                let (choice, other) = (self.random.below(64), self.random.below(64));
                self.target.perform(other);
                self.target.finish(choice);
            }
            if self.logged && self.random.below(8) == 0 {
                self.target.move_logs().unwrap();
            }
            if self.indexed && self.random.below(4) == 0 {
                self.target.warm().unwrap();
            }
            if self.on_device && self.random.below(3) == 0 {
                self.target.fill_caches();
            }
            if self.device_fails && self.random.below(64) == 0 {
                self.target.fail_cache_read(libc::EIO);
            }
        }
    }

    /// The target ends, in order or as by SIGKILL, and serves the same again.
    fn again(self, namespace: &str, in_order: bool) -> World {
        match self.target {
            target if in_order => target.end().unwrap(),
            target => drop(target),
        }
        let spec = namespace_of(namespace).unwrap();
        let target = InMemoryTarget::new(&NQN.parse().unwrap(), &[spec], 1 << 20).unwrap();
        World { target, ..self }
    }

    /// The target ends as by SIGKILL and comes back: what its log held is in its file then.
    fn come_back(self, namespace: &str) {
        drop(self.target);
        let (file, _) = namespace.split_once(',').unwrap();
        let spec = namespace_of(namespace).unwrap();
        let again = InMemoryTarget::new(&NQN.parse().unwrap(), &[spec], 1 << 20).unwrap();
        drop(again);
        let content = std::fs::read(file).unwrap();
        for (block, versions) in self.model.iter().enumerate() {
            let found = &content[block * BLOCK..(block + 1) * BLOCK];
            let known = versions.iter().any(|version| found == block_of(block, *version));
            assert!(known, "block {block} is none of {versions:?}: {:?}", &found[..16]);
        }
    }

    /// Cuts a connection: what it had under way may have happened or not.
    fn cut(&mut self, line: Line) {
        self.target.cut(line.number);
        for intent in line.intents.into_values() {
            match intent {
                Intent::Write { first, blocks, version } => {
                    for block in first..first + blocks {
                        self.model[block].push(version);
                        self.busy[block] = false;
                    }
                }
                Intent::Read { first, blocks } => self.busy[first..first + blocks].fill(false),
                Intent::Other => {}
            }
        }
    }
}

fn run(seed: u64, namespace: &str) -> u64 {
    run_in(World::new(seed, namespace), seed, namespace).answered
}

/// What came of a run.
struct Outcome {
    answered: u64,
    /// Pages that a cache answered.
    hits: u64,
    /// What the file of a cache did: reads that were overtaken, wrong pages, errors; and whether the cache is off.
    device: [u64; 4],
}

fn run_in(mut world: World, seed: u64, namespace: &str) -> Outcome {
    println!("seed {seed}");
    let digests = Digests { header: seed % 2 == 1, data: seed % 3 == 1 };
    for _ in 0..4 {
        let (admin, mut lines) = world.associate(3, digests);
        world.work(&mut lines);
        // One queue is cut in the middle of whatever it does, the others come to their end.
        let victim = lines.swap_remove(world.random.below(lines.len()));
        world.cut(victim);
        world.settle_all(&mut lines);
        for line in lines {
            world.cut(line);
        }
        world.cut(admin);
    }
    while world.target.waiting() > 0 {
        world.target.finish(0);
    }
    assert_eq!(world.target.memory_in_use(), 0);
    let (hits, misses, updates) = world.target.cached_pages();
    if namespace.contains(",cache=ram:") {
        assert!(hits > 0 && misses > 0 && updates > 0, "{hits} {misses} {updates}");
    }
    let outcome = Outcome { answered: world.answered, hits, device: world.target.cache_devices() };
    if world.logged {
        world.come_back(namespace);
    }
    outcome
}

/// Seeds of the ordinary run; `NARROWS_MODEL_SEEDS=1000..2000` asks for others.
fn seeds() -> std::ops::Range<u64> {
    let Ok(text) = std::env::var("NARROWS_MODEL_SEEDS") else { return 0..12 };
    let (from, to) = text.split_once("..").expect("NARROWS_MODEL_SEEDS=FROM..TO");
    from.parse().unwrap()..to.parse().unwrap()
}

#[test]
fn memory_is_what_the_model_says() {
    let answered: u64 = seeds().map(|seed| run(seed, "ram:1MiB")).sum();
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
}

#[test]
fn a_file_is_what_the_model_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut answered = 0;
    for seed in seeds() {
        let file = folder.path().join(format!("disk-{seed}"));
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        answered += run(seed, file.to_str().unwrap());
        std::fs::remove_file(&file).unwrap();
    }
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
}

#[test]
fn a_file_with_a_cache_is_what_the_model_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut answered = 0;
    for seed in seeds() {
        let file = folder.path().join(format!("disk-{seed}"));
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        // A quarter of it, and all of it.
        let size = if seed % 2 == 0 { "256KiB" } else { "1MiB" };
        answered += run(seed, &format!("{},cache=ram:{size}", file.display()));
        std::fs::remove_file(&file).unwrap();
    }
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
}

/// Ends in order and by SIGKILL, with pages that are read again while hosts write to them.
#[test]
fn a_cache_that_is_warmed_while_hosts_write_is_what_the_model_says() {
    come_back_again_and_again(|_| "ram:512KiB".to_string());
}

/// The same with pages that are on a device, and are all there at once.
#[test]
fn a_cache_on_a_device_that_is_taken_up_again_is_what_the_model_says() {
    come_back_again_and_again(|folder| {
        let cache = folder.join("cache");
        make_cache(&cache, 512 << 10);
        cache.display().to_string()
    });
}

fn come_back_again_and_again(cache: impl Fn(&Path) -> String) {
    let folder = tempfile::tempdir().unwrap();
    let (mut warmed, mut answered) = ([0; 2], 0);
    for seed in seeds() {
        println!("seed {seed}");
        let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
        let index = folder.path().join("index");
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        let mut namespace = file.display().to_string();
        let with_log = seed % 2 == 1;
        if with_log {
            make_log(&file, &media, &[]);
            namespace = logged(&file, &media);
        }
        namespace += &format!(",cache={},cache-index={}", cache(folder.path()), index.display());
        let mut world = World::new(seed, &namespace);
        for round in 0..5 {
            let (admin, mut lines) = world.associate(3, Digests::NONE);
            world.work(&mut lines);
            let victim = lines.swap_remove(world.random.below(lines.len()));
            world.cut(victim);
            world.settle_all(&mut lines);
            lines.into_iter().chain([admin]).for_each(|line| world.cut(line));
            while world.target.waiting() > 0 {
                world.target.finish(0);
            }
            let again = world.target.warmed_pages();
            warmed[usize::from(with_log)] += again;
            // After an end that was none the cache is cold.
            assert!(round != 4 || again == 0, "{again} pages of an index that says nothing");
            world = world.again(&namespace, round != 3);
        }
        answered += world.answered;
        drop(world);
        for used in [&file, &index].into_iter().chain(with_log.then_some(&media[0])) {
            std::fs::remove_file(used).unwrap();
        }
    }
    println!("{warmed:?} pages were there again");
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
    assert!(warmed.iter().all(|pages| *pages > 12 * 10), "{warmed:?}");
}

/// Reads, writes, zeroes and cuts of the same blocks at once, and whenever all is quiet what is read is the same before and after a log was
/// moved, and is what the file has then. How many pages the cache gave of that, and took over from writes.
fn overlap(seed: u64, file: &Path, namespace: &str) -> (u64, u64) {
    println!("seed {seed}");
    let (mut hits, mut updates) = (0, 0);
    let mut world = World { overlaps: true, ..World::new(seed, namespace) };
    for _ in 0..6 {
        let (admin, mut lines) = world.associate(3, Digests::NONE);
        world.work(&mut lines);
        let victim = lines.swap_remove(world.random.below(lines.len()));
        world.cut(victim);
        world.settle_all(&mut lines);
        while world.target.waiting() > 0 {
            world.target.finish(0);
        }
        while world.target.fill_caches() {}
        let before = world.target.cached_pages();
        let logged = world.logged.then(|| read_everything(&mut world, &mut lines[0]));
        world.target.move_logs().unwrap();
        let content = std::fs::read(file).unwrap();
        for read in [read_everything(&mut world, &mut lines[0])].iter().chain(&logged) {
            let other = read.chunks(BLOCK).zip(content.chunks(BLOCK)).position(|(a, b)| a != b);
            assert_eq!(other, None, "a block that is read and not in the file");
        }
        let after = world.target.cached_pages();
        hits += after.0 - before.0;
        updates += after.2;
        lines.into_iter().chain([admin]).for_each(|line| world.cut(line));
    }
    assert_eq!(world.target.memory_in_use(), 0);
    (hits, updates)
}

/// All blocks, eight at once.
fn read_everything(world: &mut World, line: &mut Line) -> Vec<u8> {
    let bytes = 8 * BLOCK;
    let eight = |first| Extent { first_block: first as u64, blocks_less_one: 7, ..EXTENT };
    let mut read = Vec::new();
    for first in (0..BLOCKS).step_by(8) {
        let command = IoCommand::Read(eight(first));
        let ended = one(world, line, command, Direction::In(bytes as u32), false);
        assert!(ended.completion.status.is_success(), "{ended:?}");
        read.extend_from_slice(&line.memory.0[0][..bytes]);
    }
    read
}

#[test]
fn whatever_overlapped_a_cache_is_what_its_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let (mut hits, mut updates) = (0, 0);
    for seed in seeds() {
        let file = folder.path().join(format!("disk-{seed}"));
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        let sums = overlap(seed, &file, &format!("{},cache=ram:256KiB", file.display()));
        (hits, updates) = (hits + sums.0, updates + sums.1);
        std::fs::remove_file(&file).unwrap();
    }
    println!("{hits} cached pages beside the file, {updates} updates");
    assert!(hits > 10 * 12 && updates > 10 * 12, "{hits} {updates}");
}

#[test]
fn whatever_overlapped_a_cache_and_a_log_is_what_their_file_is() {
    let folder = tempfile::tempdir().unwrap();
    let (mut hits, mut updates) = (0, 0);
    for seed in seeds() {
        let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        make_log(&file, &media, &[]);
        let size = if seed % 2 == 0 { "256KiB" } else { "1MiB" };
        let sums = overlap(seed, &file, &format!("{},cache=ram:{size}", logged(&file, &media)));
        (hits, updates) = (hits + sums.0, updates + sums.1);
        for used in [&file, &media[0]] {
            std::fs::remove_file(used).unwrap();
        }
    }
    println!("{hits} cached pages beside the file, {updates} updates");
    assert!(hits > 10 * 12 && updates > 10 * 12, "{hits} {updates}");
}

#[test]
fn a_file_with_a_log_and_a_cache_is_what_the_model_says() {
    let folder = tempfile::tempdir().unwrap();
    let mut answered = 0;
    for seed in seeds() {
        let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        make_log(&file, &media, &[]);
        let size = if seed % 2 == 0 { "256KiB" } else { "1MiB" };
        answered += run(seed, &format!("{},cache=ram:{size}", logged(&file, &media)));
        for used in [&file, &media[0]] {
            std::fs::remove_file(used).unwrap();
        }
    }
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
}

/// Runs each seed on a file with a cache on another, which holds a quarter of it or all, and every second one with a log.
fn with_devices(mut run: impl FnMut(u64, &Path, &str)) {
    let folder = tempfile::tempdir().unwrap();
    for seed in seeds() {
        let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
        let cache = folder.path().join("cache");
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        make_cache(&cache, if seed % 4 < 2 { 256 << 10 } else { 1 << 20 });
        let with_log = seed % 2 == 1;
        let mut namespace = file.display().to_string();
        if with_log {
            make_log(&file, &media, &[]);
            namespace = logged(&file, &media);
        }
        run(seed, &file, &format!("{namespace},cache={}", cache.display()));
        for used in [&file, &cache].into_iter().chain(with_log.then_some(&media[0])) {
            std::fs::remove_file(used).unwrap();
        }
    }
}

#[test]
fn a_file_with_a_cache_on_another_is_what_the_model_says() {
    let (mut answered, mut hits, mut overtaken) = (0, 0, 0);
    with_devices(|seed, _, namespace| {
        let outcome = run_in(World::new(seed, namespace), seed, namespace);
        assert_eq!(outcome.device[1..], [0, 0, 0], "seed {seed}");
        answered += outcome.answered;
        (hits, overtaken) = (hits + outcome.hits, overtaken + outcome.device[0]);
    });
    println!("{hits} pages from caches, {overtaken} reads were overtaken");
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
    assert!(hits > seeds().count() as u64 * 8, "{hits}");
}

#[test]
fn a_cache_whose_file_fails_is_off_and_fails_no_command() {
    let (mut answered, mut off) = (0, 0);
    with_devices(|seed, _, namespace| {
        let world = World { device_fails: true, ..World::new(seed, namespace) };
        let outcome = run_in(world, seed, namespace);
        assert_eq!(outcome.device[2] > 0, outcome.device[3] > 0, "seed {seed}");
        (answered, off) = (answered + outcome.answered, off + outcome.device[3]);
    });
    println!("{off} caches are off");
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
    assert!(off > 0);
}

#[test]
fn whatever_overlapped_a_cache_on_another_file_is_what_its_file_is() {
    let mut hits = 0;
    with_devices(|seed, file, namespace| hits += overlap(seed, file, namespace).0);
    println!("{hits} cached pages beside the file");
    assert!(hits > 10 * 12, "{hits}");
}

#[test]
fn ranges_without_a_block_are_deallocated_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
    for namespace in [file.to_str().unwrap(), "ram:1MiB"] {
        let mut world = World::new(1, namespace);
        let (_admin, mut lines) = world.associate(1, Digests::NONE);
        let none = DeallocatedRange { attributes: 0, blocks: 0, first_block: 7 };
        lines[0].memory.0[0][..16].copy_from_slice(&none.to_bytes());
        let command = IoCommand::DatasetManagement { ranges_less_one: 0, deallocate: true };
        let ended = one(&mut world, &mut lines[0], command, Direction::Out(16), false);
        assert!(ended.completion.status.is_success(), "{namespace}: {ended:?}");
    }
}

#[test]
fn compare_asks_the_file_and_not_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
    let mut world = World::new(1, &format!("{},cache=ram:256KiB", file.display()));
    let (_admin, mut lines) = world.associate(1, Digests::NONE);
    let line = &mut lines[0];
    for _ in 0..2 {
        let page = IoCommand::Read(Extent { blocks_less_one: 7, ..EXTENT });
        one(&mut world, line, page, Direction::In(4096), false);
    }
    assert_eq!(world.target.cached_pages(), (1, 1, 0));
    write_one(&mut world, line, 1, false);
    assert_eq!(world.target.cached_pages(), (1, 1, 1));
    let compared = |world: &mut World, line: &mut Line, version| {
        line.memory.0[0][..BLOCK].copy_from_slice(&block_of(0, version));
        let command = IoCommand::Compare(EXTENT);
        one(world, line, command, Direction::Out(BLOCK as u32), false).completion.status
    };
    assert!(compared(&mut world, line, 1).is_success());
    assert_eq!(compared(&mut world, line, 2), Status::COMPARE_FAILURE.for_good());
    assert_eq!(read_one(&mut world, line), block_of(0, 1));
    assert_eq!(world.target.cached_pages(), (2, 1, 1));
}

#[test]
fn a_file_with_a_log_is_what_the_model_says() {
    let answered = with_logs(run);
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_file_with_a_log_in_persistent_memory_is_what_the_model_says() {
    let answered = with_logs(|seed, namespace| {
        let world = World::new(seed, namespace);
        // Ordinary files, mapped and written as such memory is.
        world.target.pretend_persistent_logs().unwrap();
        run_in(world, seed, namespace).answered
    });
    assert!(answered > seeds().count() as u64 * 100, "{answered} commands were answered");
}

#[test]
#[cfg(target_arch = "x86_64")]
fn a_write_to_persistent_memory_is_answered_without_an_operation_of_the_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
    std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
    make_log(&file, &media, &[]);
    for persistent in [true, false] {
        let mut world = World::new(7, &logged(&file, &media));
        if persistent {
            world.target.pretend_persistent_logs().unwrap();
        }
        let (_admin, mut lines) = world.associate(1, Digests::NONE);
        let line = &mut lines[0];
        line.memory.0[0][..BLOCK].copy_from_slice(&block_of(0, 1));
        let entry = IoCommand::Write(EXTENT).to_entry(0, 1, DataPointer::NONE);
        line.queue.submit(entry, 0, Direction::Out(BLOCK as u32), &mut line.memory);
        let mut ended = Vec::new();
        for _ in 0..1000 {
            world.carry(line, &mut ended);
        }
        // Nothing was done for it but taking its bytes in and its answer out.
        assert_eq!((ended.len(), world.target.waiting()), if persistent { (1, 0) } else { (0, 1) });
        for _ in 0..1000 {
            world.target.finish(0);
            world.carry(line, &mut ended);
        }
        assert_eq!(ended.len(), 1);
        assert!(ended[0].completion.status.is_success(), "{ended:?}");
        assert_eq!(read_one(&mut world, line), block_of(0, 1));
    }
}

/// Runs each seed on a file with a log, and sums up.
fn with_logs(run: impl Fn(u64, &str) -> u64) -> u64 {
    let folder = tempfile::tempdir().unwrap();
    let mut answered = 0;
    for seed in seeds() {
        let file = folder.path().join(format!("disk-{seed}"));
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        let (first, second) = (folder.path().join("a"), folder.path().join("b"));
        let two = seed % 2 == 1;
        let media = if two { vec![first, second] } else { vec![first] };
        let acknowledge = if seed % 4 == 1 { "first" } else { "all" };
        make_log(&file, &media, &["--acknowledge", acknowledge]);
        answered += run(seed, &logged(&file, &media));
        for used in media.iter().chain([&file]) {
            std::fs::remove_file(used).unwrap();
        }
    }
    answered
}

/// A write to a block, and how it was answered while the media do, or fail, what they are asked.
fn write_one(world: &mut World, line: &mut Line, version: u64, fails: bool) -> Ended {
    line.memory.0[0][..BLOCK].copy_from_slice(&block_of(0, version));
    let extent = Extent { first_block: 0, blocks_less_one: 0, force_unit_access: false };
    one(world, line, IoCommand::Write(extent), Direction::Out(BLOCK as u32), fails)
}

fn read_one(world: &mut World, line: &mut Line) -> Vec<u8> {
    let extent = Extent { first_block: 0, blocks_less_one: 0, force_unit_access: false };
    let ended = one(world, line, IoCommand::Read(extent), Direction::In(BLOCK as u32), false);
    assert!(ended.completion.status.is_success(), "{ended:?}");
    line.memory.0[0][..BLOCK].to_vec()
}

fn one(
    world: &mut World,
    line: &mut Line,
    command: IoCommand,
    direction: Direction,
    fails: bool,
) -> Ended {
    let entry = command.to_entry(0, 1, DataPointer::NONE);
    line.queue.submit(entry, 0, direction, &mut line.memory);
    let mut ended = Vec::new();
    for _ in 0..10_000 {
        world.carry(line, &mut ended);
        if fails && world.target.waiting() > 0 {
            world.target.fail(0, libc::EIO);
        } else {
            world.target.finish(0);
        }
        if let Some(ended) = ended.pop() {
            return ended;
        }
    }
    panic!("the command is never answered");
}

#[test]
fn a_log_whose_only_medium_fails_takes_no_more_and_keeps_what_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
    std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
    make_log(&file, &media, &[]);
    let mut world = World::new(3, &logged(&file, &media));
    let (_admin, mut lines) = world.associate(1, Digests::NONE);
    let mut line = lines.remove(0);
    assert!(write_one(&mut world, &mut line, 1, false).completion.status.is_success());
    assert_eq!(write_cache(&mut world), 0);
    // The one that fails, and all after it.
    for version in [2, 3] {
        let failed = write_one(&mut world, &mut line, version, true).completion.status;
        assert_eq!(failed, Status::WRITE_FAULT.for_good());
    }
    assert_eq!(read_one(&mut world, &mut line), block_of(0, 1));
    // What was acknowledged is on the failed medium alone until it is moved: a volatile cache, for hosts that ask now.
    assert_eq!(write_cache(&mut world), 1);
    let flush = |world: &mut World, line: &mut Line| {
        one(world, line, IoCommand::Flush, Direction::None, false).completion.status
    };
    assert_eq!(flush(&mut world, &mut line), Status::WRITE_FAULT.for_good());
    world.target.move_logs().unwrap();
    assert!(flush(&mut world, &mut line).is_success());
    assert_eq!(write_cache(&mut world), 0);
    assert_eq!(read_one(&mut world, &mut line), block_of(0, 1));
    assert_eq!(std::fs::read(&file).unwrap()[..BLOCK], block_of(0, 1));
}

/// Whether the controller of a new association says that it has a volatile write cache (VWC, byte 525 of Identify Controller).
fn write_cache(world: &mut World) -> u8 {
    let (mut admin, _) = world.associate(0, Digests::NONE);
    let identify =
        Identify { structure: Identify::CONTROLLER, controller: 0, command_set: 0, namespace: 0 };
    let command = AdminCommand::Identify(identify);
    let entry = command.to_entry(0, DataPointer::NONE);
    admin.queue.submit(entry, 0, Direction::In(4096), &mut admin.memory);
    let ended = world.settle(&mut admin);
    assert!(ended[0].completion.status.is_success(), "{:?}", ended[0]);
    admin.memory.0[0][525] & 1
}

/// A write that no medium took is read as long as nobody knows that, by whoever asks; and once it has failed by nobody.
#[test]
fn what_a_log_lost_is_no_longer_in_the_cache() {
    let folder = tempfile::tempdir().unwrap();
    let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
    std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
    make_log(&file, &media, &[]);
    let namespace = format!("{},cache=ram:256KiB", logged(&file, &media));
    let mut world = World::new(3, &namespace);
    let (_admin, mut lines) = world.associate(2, Digests::NONE);
    let (mut writer, mut reader) = (lines.remove(0), lines.remove(0));
    let page = IoCommand::Read(Extent { blocks_less_one: 7, ..EXTENT });
    one(&mut world, &mut reader, page, Direction::In(4096), false);
    assert!(write_one(&mut world, &mut writer, 1, false).completion.status.is_success());
    // The next is in the log's memory, and its medium has it not yet.
    writer.memory.0[0][..BLOCK].copy_from_slice(&block_of(0, 2));
    let entry = IoCommand::Write(EXTENT).to_entry(0, 1, DataPointer::NONE);
    writer.queue.submit(entry, 0, Direction::Out(BLOCK as u32), &mut writer.memory);
    let mut ended = Vec::new();
    while world.target.waiting() == 0 {
        world.carry(&mut writer, &mut ended);
    }
    let mut read = |world: &mut World| {
        let entry = IoCommand::Read(EXTENT).to_entry(0, 1, DataPointer::NONE);
        reader.queue.submit(entry, 0, Direction::In(BLOCK as u32), &mut reader.memory);
        let mut ended = Vec::new();
        while ended.is_empty() {
            world.carry(&mut reader, &mut ended);
        }
        assert!(ended[0].completion.status.is_success());
        reader.memory.0[0][..BLOCK].to_vec()
    };
    let (hits, ..) = world.target.cached_pages();
    assert_eq!(read(&mut world), block_of(0, 2));
    assert_eq!(world.target.cached_pages().0, hits + 1, "the cache has what the log has");
    world.target.fail(0, libc::EIO);
    while ended.is_empty() {
        world.carry(&mut writer, &mut ended);
    }
    assert_eq!(ended[0].completion.status, Status::WRITE_FAULT.for_good());
    assert_eq!(read(&mut world), block_of(0, 1));
    world.target.move_logs().unwrap();
    assert_eq!(std::fs::read(&file).unwrap()[..BLOCK], block_of(0, 1));
}

/// Fencing: once another host has taken a namespace over, nothing of the host before changes it, however long it waited.
#[test]
fn a_write_that_waits_for_room_is_not_done_once_its_host_was_preempted() {
    let folder = tempfile::tempdir().unwrap();
    let (file, media) = (folder.path().join("disk"), [folder.path().join("log")]);
    std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
    make_log(&file, &media, &[]);
    let mut world = World::new(5, &logged(&file, &media));
    let (_admin, mut lines) = world.associate(1, Digests::NONE);
    let mut fenced = lines.remove(0);
    // Sixty records of 68 KiB fill the log of 4 MiB, and nobody moves them; the next write waits.
    let (bytes, mut ended) = (64 << 10, Vec::new());
    let extent = Extent { first_block: 0, blocks_less_one: 127, force_unit_access: false };
    let mut answered = 0;
    for version in 1..=61 {
        for block in 0..128 {
            fenced.memory.0[0][block * BLOCK..(block + 1) * BLOCK]
                .copy_from_slice(&block_of(block, version));
        }
        let entry = IoCommand::Write(extent).to_entry(0, 1, DataPointer::NONE);
        fenced.queue.submit(entry, 0, Direction::Out(bytes), &mut fenced.memory);
        for _ in 0..1000 {
            world.carry(&mut fenced, &mut ended);
            world.target.finish(0);
            if !ended.is_empty() {
                break;
            }
        }
        answered += ended.drain(..).filter(|ended| ended.completion.status.is_success()).count();
    }
    assert_eq!((answered, fenced.queue.in_flight()), (60, 1));
    // Another host registers and takes the namespace.
    world.host = 8;
    let (_other_admin, mut lines) = world.associate(1, Digests::NONE);
    let mut other = lines.remove(0);
    let action = |reservation_type| ReservationAction {
        action: 0,
        ignore_key: false,
        persistence: 0,
        reservation_type,
    };
    let mut reserve = |world: &mut World, command, keys: [u64; 2]| {
        let keys = keys.map(u64::to_le_bytes).concat();
        other.memory.0[0][..16].copy_from_slice(&keys);
        let ended = one(world, &mut other, command, Direction::Out(16), false);
        assert!(ended.completion.status.is_success(), "{command:?}: {ended:?}");
    };
    reserve(&mut world, IoCommand::ReservationRegister(action(0)), [0, 5]);
    reserve(&mut world, IoCommand::ReservationAcquire(action(1)), [5, 0]);
    // Room comes, and with it the answer.
    world.target.move_logs().unwrap();
    while ended.is_empty() {
        world.carry(&mut fenced, &mut ended);
        world.target.finish(0);
    }
    assert_eq!(ended[0].completion.status, Status::RESERVATION_CONFLICT.for_good());
    assert_eq!(read_one(&mut world, &mut other), block_of(0, 60));
}

#[test]
fn a_log_with_two_media_goes_on_with_one() {
    for acknowledge in ["first", "all"] {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        let media = [folder.path().join("a"), folder.path().join("b")];
        std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
        make_log(&file, &media, &["--acknowledge", acknowledge]);
        let mut world = World::new(3, &logged(&file, &media));
        let (_admin, mut lines) = world.associate(1, Digests::NONE);
        let mut line = lines.remove(0);
        line.memory.0[0][..BLOCK].copy_from_slice(&block_of(0, 1));
        let extent = Extent { first_block: 0, blocks_less_one: 0, force_unit_access: false };
        let entry = IoCommand::Write(extent).to_entry(0, 1, DataPointer::NONE);
        line.queue.submit(entry, 0, Direction::Out(BLOCK as u32), &mut line.memory);
        let mut ended = Vec::new();
        while world.target.waiting() < 2 {
            world.carry(&mut line, &mut ended);
        }
        // One of the two fails; the other has it.
        world.target.fail(1, libc::EIO);
        world.carry(&mut line, &mut ended);
        assert!(ended.is_empty());
        world.target.finish(0);
        while ended.is_empty() {
            world.carry(&mut line, &mut ended);
        }
        assert!(ended[0].completion.status.is_success(), "{acknowledge}: {:?}", ended[0]);
        assert!(write_one(&mut world, &mut line, 2, false).completion.status.is_success());
        world.target.move_logs().unwrap();
        assert_eq!(read_one(&mut world, &mut line), block_of(0, 2));
        // What it acknowledged alone needs it alone.
        drop(world);
        let spec = namespace_of(&logged(&file, &media)).unwrap();
        drop(InMemoryTarget::new(&NQN.parse().unwrap(), &[spec], 1 << 20).unwrap());
        assert_eq!(std::fs::read(&file).unwrap()[..BLOCK], block_of(0, 2));
    }
}

/// What a host had under way when its connections were lost must not happen after what it does once it is back.
#[test]
fn a_host_that_comes_back_waits_for_what_it_had_under_way() {
    // Under the same identifier, and under another: some hosts make one up for each connection.
    for host_id in [9, 7] {
        comes_back(HostId([host_id; 16]));
    }
}

fn comes_back(host_id: HostId) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("disk");
    std::fs::write(&file, vec![0; BLOCKS * BLOCK]).unwrap();
    let mut world = World::new(1, file.to_str().unwrap());
    let (admin, mut lines) = world.associate(1, Digests::NONE);
    let mut line = lines.remove(0);
    let extent = Extent { first_block: 0, blocks_less_one: 7, force_unit_access: false };
    let entry = IoCommand::Write(extent).to_entry(0, 1, DataPointer::NONE);
    line.queue.submit(entry, 0, Direction::Out(4096), &mut line.memory);
    let mut ended = Vec::new();
    while world.target.waiting() == 0 {
        world.carry(&mut line, &mut ended);
    }
    world.cut(admin);
    world.cut(line);
    // Back again: the connection is opened, and Connect is not answered.
    let mut again = world.line(Digests::NONE);
    let (connect, mut data) = connect(0, 31, DYNAMIC_CONTROLLER, NQN.parse().unwrap(), "model");
    data.host_id = host_id;
    again.memory.0[0][..1024].copy_from_slice(&data.to_bytes());
    let entry = FabricsCommand::Connect(connect).to_entry(0, DataPointer::NONE);
    again.queue.submit(entry, 0, Direction::Out(1024), &mut again.memory);
    for _ in 0..100 {
        world.carry(&mut again, &mut ended);
    }
    assert!(again.queue.is_initialized() && ended.is_empty());
    world.target.finish(0);
    while ended.is_empty() {
        world.carry(&mut again, &mut ended);
    }
    assert!(ended[0].completion.status.is_success(), "{:?}", ended[0]);
}
