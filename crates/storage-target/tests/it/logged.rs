//! A namespace with a log in front: what was acknowledged is there after every end, and what can't be true is refused.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use narrows_initiator::{Association, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, Completion, DevicePath, Op};

use crate::program::{NQN, Program, log_command, logged, make_log, refusal};

pub(crate) const BLOCK: usize = 4096;
const SLOTS: u32 = 8;
/// Bytes of the largest write of these tests.
const SLOT: u32 = 256 << 10;

/// A file with its log, in a folder of their own.
struct Disk {
    folder: tempfile::TempDir,
    file: PathBuf,
    media: Vec<PathBuf>,
}

impl Disk {
    fn new(blocks: usize, media: &[&str], more: &[&str]) -> Disk {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("disk");
        std::fs::write(&file, vec![0; blocks * BLOCK]).unwrap();
        let media: Vec<PathBuf> = media.iter().map(|name| folder.path().join(name)).collect();
        make_log(&file, &media, more);
        Disk { folder, file, media }
    }

    fn serve(&self) -> Program {
        Program::serving(&[&logged(&self.file, &self.media)], &["--threads", "2"])
    }

    fn log(&self, verb: &[&str]) -> (String, Option<i32>) {
        let medium = |path: &PathBuf| ["--log".to_string(), path.display().to_string()];
        let media: Vec<String> = self.media.iter().flat_map(medium).collect();
        let file = self.file.display().to_string();
        let fixed = verb.iter().copied().chain(["--for", &file]);
        let arguments: Vec<&str> = fixed.chain(media.iter().map(String::as_str)).collect();
        log_command(&arguments)
    }

    fn status(&self) -> serde_json::Value {
        let media = self.media.iter().map(|path| path.to_str().unwrap());
        let arguments: Vec<&str> = ["status", "--json"].into_iter().chain(media).collect();
        let (said, code) = log_command(&arguments);
        assert_eq!(code, Some(0), "{said}");
        serde_json::from_str(&said).unwrap()
    }

    fn block(&self, block: usize) -> u64 {
        number_of(&std::fs::read(&self.file).unwrap()[block * BLOCK..(block + 1) * BLOCK])
    }
}

pub(crate) fn path_to(program: &Program) -> NvmeTcpPath {
    let association = Arc::new(Association::connect(&program.address(""), 2).unwrap());
    let arena = Arena::new(SLOTS, SLOT, 4096).unwrap();
    association.path(arena, PathOptions::default()).unwrap()
}

pub(crate) fn all(path: &mut NvmeTcpPath) -> Vec<Completion> {
    let mut done = Vec::new();
    while path.in_flight() > 0 {
        path.reap(path.in_flight(), &mut done).unwrap();
    }
    done
}

/// Content of a block: one number again and again.
pub(crate) fn fill(buffer: &mut [u8], number: u64) {
    buffer.chunks_exact_mut(8).for_each(|chunk| chunk.copy_from_slice(&number.to_le_bytes()));
}

pub(crate) fn number_of(block: &[u8]) -> u64 {
    let first = u64::from_le_bytes(block[..8].try_into().unwrap());
    let whole = block.chunks_exact(8).all(|chunk| chunk == first.to_le_bytes());
    assert!(whole, "a block is written whole");
    first
}

/// Writes `numbers` to the blocks from `first` on, one command each, all at once.
pub(crate) fn write(path: &mut NvmeTcpPath, first: usize, numbers: &[u64]) {
    for (slot, number) in (0..).zip(numbers) {
        fill(&mut path.buffer(slot)[..BLOCK], *number);
        path.submit(Op::Write, slot, ((first + slot as usize) * BLOCK) as u64, BLOCK as u32);
    }
    assert!(all(path).iter().all(|done| done.result == BLOCK as i32));
}

pub(crate) fn read(path: &mut NvmeTcpPath, block: usize) -> u64 {
    path.submit(Op::Read, 0, (block * BLOCK) as u64, BLOCK as u32);
    let done = all(path);
    assert_eq!(done[0].result, BLOCK as i32);
    number_of(&path.buffer(0)[..BLOCK])
}

#[test]
fn what_was_written_is_read_at_once_and_in_the_file_after_a_stop() {
    let disk = Disk::new(64, &["log"], &[]);
    let program = disk.serve();
    let mut path = path_to(&program);
    for round in 1..=5 {
        write(&mut path, 0, &[round * 10 + 1, round * 10 + 2, round * 10 + 3]);
        assert_eq!(read(&mut path, 1), round * 10 + 2);
    }
    // Over what is logged and what is not.
    path.submit(Op::Read, 0, 0, 8 * BLOCK as u32);
    all(&mut path);
    let seen: Vec<u64> = path.buffer(0)[..8 * BLOCK].chunks_exact(BLOCK).map(number_of).collect();
    assert_eq!(seen, [51, 52, 53, 0, 0, 0, 0, 0]);
    path.submit(Op::Sync, 0, 0, 0);
    assert_eq!(all(&mut path)[0].result, 0);
    drop(path);
    program.stop();
    assert_eq!([disk.block(0), disk.block(1), disk.block(2), disk.block(3)], [51, 52, 53, 0]);
    let status = disk.status();
    assert_eq!((status["state"].as_str(), status["records"].as_u64()), (Some("empty"), Some(0)));
    assert_eq!(status["in_use"], false);
}

#[test]
fn a_log_on_an_ordinary_file_is_said_to_be_on_a_file() {
    let disk = Disk::new(16, &["a", "b"], &[]);
    let status = disk.status();
    assert_eq!(status["media_kinds"], serde_json::json!(["file", "file"]));
    assert_eq!(status["media_power"], serde_json::json!([null, null]));
    let (said, _) = log_command(&["status", disk.media[0].to_str().unwrap()]);
    assert!(said.contains("after a crash: file\n"), "{said}");
    let (said, code) = disk.log(&["drop"]);
    assert_eq!(code, Some(0), "{said}");
    let (said, code) = disk.log(&["make"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("{}: file\n", disk.media[1].display())), "{said}");
    let program = disk.serve();
    assert!(program.said_before_listening("medium=file power=-"), "the journal names the medium");
    program.stop();
}

#[test]
fn figures_of_the_log_are_among_the_metrics() {
    let disk = Disk::new(16, &["log"], &[]);
    let figures = disk.folder.path().join("figures");
    let more = ["--metrics", figures.to_str().unwrap()];
    let program = Program::serving(&[&logged(&disk.file, &disk.media)], &more);
    let mut path = path_to(&program);
    write(&mut path, 0, &[1, 2]);
    drop(path);
    program.stop();
    let text = std::fs::read_to_string(figures).unwrap();
    let of = |name: &str| {
        let start = format!("narrows_target_{name}{{");
        let line = text.lines().find(|line| line.starts_with(&start));
        line.unwrap_or_else(|| panic!("no {name} in {text}")).rsplit_once(' ').unwrap().1
    };
    assert_eq!((of("log_state"), of("log_capacity_bytes")), ("0", "4194304"));
    // Two headers with 4 KiB each, in pieces of 4 KiB.
    assert_eq!(of("log_appended_bytes_total"), "16384");
    assert_eq!(of("log_waits_for_room_total"), "0");
}

#[test]
fn no_host_has_to_flush_while_every_write_is_durable() {
    let disk = Disk::new(16, &["log"], &[]);
    let cache_of = |program: &Program| {
        let association = Association::connect(&program.address(""), 1).unwrap();
        association.reached().controller.write_cache & 1
    };
    let program = disk.serve();
    assert_eq!(cache_of(&program), 0);
    assert_eq!(disk.status()["in_use"], true);
    program.stop();
    // The same file without it, and beside another that has none.
    let program = Program::serving(&[disk.file.to_str().unwrap()], &[]);
    assert_eq!(cache_of(&program), 1);
    program.stop();
    let program = Program::serving(&[&logged(&disk.file, &disk.media), "ram:1MiB"], &[]);
    assert_eq!(cache_of(&program), 1);
    program.stop();
}

/// Blocks of the kills, and what each holds: for sure, and maybe since.
pub(crate) struct Model {
    sure: Vec<u64>,
    maybe: Vec<Vec<u64>>,
}

/// What each slot is writing: a block, and what to.
type UnderWay = [(usize, u64); SLOTS as usize];

impl Model {
    pub(crate) fn new(blocks: usize) -> Model {
        Model { sure: vec![0; blocks], maybe: vec![Vec::new(); blocks] }
    }

    /// Writes so many numbers of a round, eight at a time, and leaves the last ones under way; `before` each. All that are answered must have
    /// succeeded.
    pub(crate) fn write_many(
        &mut self,
        path: &mut NvmeTcpPath,
        (round, last): (u64, u64),
        before: &mut dyn FnMut(u64),
    ) -> UnderWay {
        let mut free: Vec<u32> = (0..SLOTS).collect();
        let mut under_way = [(0, 0); SLOTS as usize];
        for number in 1..=last {
            before(number);
            let mut done = Vec::new();
            while free.is_empty() {
                path.reap(1, &mut done).unwrap();
                for done in done.drain(..) {
                    assert_eq!(done.result, BLOCK as i32);
                    self.wrote(under_way[done.slot as usize]);
                    free.push(done.slot);
                }
            }
            let slot = free.pop().unwrap();
            // Two that are under way are never of one block: their order would be nobody's promise.
            let (block, value) = (number as usize * 3 % self.sure.len(), (round << 32) + number);
            fill(&mut path.buffer(slot)[..BLOCK], value);
            self.maybe[block].push(value);
            under_way[slot as usize] = (block, value);
            path.submit(Op::Write, slot, (block * BLOCK) as u64, BLOCK as u32);
        }
        under_way
    }

    /// Takes answers that were on their way when the target ended.
    pub(crate) fn take_answers(&mut self, path: &mut NvmeTcpPath, under_way: &UnderWay) {
        let mut done = Vec::new();
        while path.in_flight() > 0 && path.reap(1, &mut done).is_ok() {}
        for done in done.iter().filter(|done| done.result == BLOCK as i32) {
            self.wrote(under_way[done.slot as usize]);
        }
    }

    fn wrote(&mut self, (block, value): (usize, u64)) {
        self.sure[block] = value;
        self.maybe[block].retain(|other| *other > value);
    }

    pub(crate) fn hold_against(&mut self, path: &mut NvmeTcpPath, round: u64) {
        for block in 0..self.sure.len() {
            let found = read(path, block);
            let (sure, maybe) = (&mut self.sure[block], &mut self.maybe[block]);
            let known = found == *sure || maybe.contains(&found);
            assert!(known, "round {round}, block {block}: {found}, not {sure} or {maybe:?}");
            *sure = found;
            maybe.clear();
        }
    }
}

/// Ends the target by SIGKILL while eight writes at a time are under way, again and again.
fn kill_again_and_again(disk: &Disk, rounds: u64) {
    let blocks = 32;
    let mut model = Model::new(blocks);
    for round in 1..=rounds {
        let program = disk.serve();
        let mut path = path_to(&program);
        model.hold_against(&mut path, round);
        let signal = program.signaller();
        let last = 20 + round * 7 % 60;
        let under_way = model.write_many(&mut path, (round, last), &mut |_| {});
        signal(libc::SIGKILL);
        model.take_answers(&mut path, &under_way);
    }
    let program = disk.serve();
    model.hold_against(&mut path_to(&program), rounds + 1);
    program.stop();
}

#[test]
fn a_target_that_is_killed_loses_nothing_that_it_acknowledged() {
    kill_again_and_again(&Disk::new(64, &["log"], &[]), kills());
    kill_again_and_again(&Disk::new(64, &["a", "b"], &["--acknowledge", "first"]), kills());
}

/// Kills of the ordinary run; `NARROWS_LOG_KILLS=300` asks for others.
pub(crate) fn kills() -> u64 {
    std::env::var("NARROWS_LOG_KILLS").map_or(4, |kills| kills.parse().unwrap())
}

#[test]
fn a_log_that_is_full_makes_hosts_wait_and_loses_nothing() {
    // 4 MiB of log, and 24 MiB that are written through it, 2 MiB at once.
    let disk = Disk::new(1024, &["log"], &[]);
    let program = disk.serve();
    let mut path = path_to(&program);
    for round in 0..12_u64 {
        for slot in 0..SLOTS {
            let number = round * u64::from(SLOTS) + u64::from(slot) + 1;
            fill(&mut path.buffer(slot)[..SLOT as usize], number);
            let place = number * 7 % 16;
            path.submit(Op::Write, slot, place * u64::from(SLOT), SLOT);
        }
        assert!(all(&mut path).iter().all(|done| done.result == SLOT as i32));
    }
    let expected: Vec<u64> = (0..16_u64)
        .map(|place| (1..=96).rev().find(|number| number * 7 % 16 == place).unwrap())
        .collect();
    drop(path);
    program.stop();
    for (place, number) in expected.iter().enumerate() {
        assert_eq!(disk.block(place * SLOT as usize / BLOCK), *number);
    }
}

#[test]
fn what_a_killed_target_left_is_shown_and_moved_without_serving() {
    let disk = Disk::new(16, &["log"], &[]);
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[7, 8]);
    program.signal(libc::SIGKILL);
    drop((path, program));
    let left = disk.status();
    // It may have been moved within the fifth of a second already.
    let records = left["records"].as_u64().unwrap();
    assert!(records <= 2 && left["in_use"] == false, "{left}");
    // Not without its log.
    let alone = refuse(disk.file.to_str().unwrap());
    assert!(
        alone.contains("may hold writes that it lacks") && alone.contains("log flush"),
        "{alone}"
    );
    let (said, code) = disk.log(&["flush"]);
    assert_eq!(code, Some(0), "{said}");
    assert!(said.contains(&format!("{records} records")), "{said}");
    assert_eq!((disk.block(0), disk.block(1)), (7, 8));
    Program::serving(&[disk.file.to_str().unwrap()], &[]).stop();
}

pub(crate) fn refuse(namespace: &str) -> String {
    let arguments = ["--subsystem", NQN, "--allow-any-host", "--listen", "127.0.0.1:0"];
    let arguments: Vec<&str> = arguments.into_iter().chain(["--namespace", namespace]).collect();
    let (said, code) = refusal(&arguments);
    assert_eq!(code, Some(2), "{said}");
    said
}

#[test]
fn a_log_is_of_one_file_and_says_so() {
    let disk = Disk::new(16, &["log"], &[]);
    let folder = disk.folder.path();
    let other = folder.join("other");
    std::fs::copy(&disk.file, &other).unwrap();
    let said = refuse(&logged(&other, &disk.media));
    assert!(said.contains("made for another file") && said.contains("hint:"), "{said}");
    let blank = folder.join("blank");
    std::fs::File::create(&blank).unwrap().set_len(8 << 20).unwrap();
    let said = refuse(&logged(&disk.file, std::slice::from_ref(&blank)));
    assert!(said.contains("it holds no log") && said.contains("log make"), "{said}");
    let said = refuse(&logged(&disk.file, &[disk.media[0].clone(), disk.media[0].clone()]));
    assert!(said.contains("it is named twice"), "{said}");
    let said = refuse(&logged(&disk.media[0], std::slice::from_ref(&disk.media[0])));
    assert!(said.contains("it is named twice"), "{said}");
    // A log that was cut is damaged, or ends early.
    std::fs::File::options().write(true).open(&disk.media[0]).unwrap().set_len(8192).unwrap();
    let said = refuse(&logged(&disk.file, &disk.media));
    assert!(said.contains("it has 8192 bytes"), "{said}");
}

#[test]
fn a_file_is_served_with_the_log_that_it_says() {
    let disk = Disk::new(16, &["log"], &[]);
    disk.serve().stop();
    // A second log for the same file; the first is empty, and fits it just as well.
    let later = Disk { media: vec![disk.folder.path().join("later")], ..disk };
    make_log(&later.file, &later.media, &[]);
    let program = later.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[3]);
    program.signal(libc::SIGKILL);
    drop((path, program));
    let first = [later.folder.path().join("log")];
    let said = refuse(&logged(&later.file, &first));
    assert!(said.contains("its log is") && said.contains("is named"), "{said}");
    let file = later.file.to_str().unwrap();
    for verb in [&["flush"][..], &["drop"]] {
        let of_first = ["--for", file, "--log", first[0].to_str().unwrap()];
        let arguments: Vec<&str> = verb.iter().copied().chain(of_first).collect();
        let (said, code) = log_command(&arguments);
        assert!(code == Some(2) && said.contains("log"), "{said}");
    }
    let (said, code) = later.log(&["flush"]);
    assert_eq!((code, later.block(0)), (Some(0), 3), "{said}");
}

#[test]
fn an_old_log_is_not_moved_over_a_file_that_went_on_without_it() {
    let disk = Disk::new(16, &["log"], &[]);
    let program = disk.serve();
    let mut path = path_to(&program);
    for number in 1..50 {
        write(&mut path, 0, &[number]);
    }
    program.signal(libc::SIGKILL);
    drop((path, program));
    let records = disk.status()["records"].as_u64().unwrap();
    // A copy of the log, and then all in order.
    let old = disk.folder.path().join("old");
    std::fs::copy(&disk.media[0], &old).unwrap();
    disk.serve().stop();
    let stale = Disk { media: vec![old.clone()], ..disk };
    if records > 0 {
        let said = refuse(&logged(&stale.file, &stale.media));
        assert!(said.contains("are old"), "{said}");
        let (said, code) = stale.log(&["flush"]);
        assert!(code == Some(2) && said.contains("are old"), "{said}");
    }
    // A log is none of the files that are served, and none that gets a log of its own.
    let old = old.to_str().unwrap();
    let said = refuse(old);
    assert!(said.contains("it is a medium of log"), "{said}");
    let another = stale.folder.path().join("another");
    std::fs::File::create(&another).unwrap().set_len(8 << 20).unwrap();
    let another = another.to_str().unwrap();
    let (said, code) = log_command(&["make", "--for", old, "--log", another]);
    assert!(code == Some(2) && said.contains("it is a medium of log"), "{said}");
    // Another file's log is not dropped in this one's name.
    let other = stale.folder.path().join("other");
    std::fs::write(&other, vec![0; 1 << 16]).unwrap();
    let lose = records.to_string();
    let (said, code) =
        log_command(&["drop", "--for", other.to_str().unwrap(), "--log", old, "--lose", &lose]);
    assert!(code == Some(2) && said.contains("is not one of"), "{said}");
}

#[test]
fn a_log_that_is_lost_for_good_is_given_up_by_its_name() {
    let disk = Disk::new(16, &["log"], &[]);
    let program = disk.serve();
    let mut path = path_to(&program);
    write(&mut path, 0, &[3]);
    program.signal(libc::SIGKILL);
    drop((path, program));
    let id = disk.status()["log"].as_str().unwrap().to_string();
    std::fs::remove_file(&disk.media[0]).unwrap();
    let file = disk.file.to_str().unwrap();
    let give_up = |id: &str| log_command(&["drop", "--for", file, "--lost", id]);
    let (said, code) = give_up("0123");
    assert!(code == Some(2) && said.contains("nothing was dropped"), "{said}");
    let (said, code) = give_up(&id);
    assert!(code == Some(0) && said.contains("is served without log"), "{said}");
    Program::serving(&[file], &[]).stop();
    let (said, code) = give_up(&id);
    assert!(code == Some(2) && said.contains("has no log"), "{said}");
}

#[test]
fn a_recovery_that_was_cut_short_goes_on() {
    let disk = Disk::new(16, &["log"], &[]);
    let program = disk.serve();
    let mut path = path_to(&program);
    for number in 1..200 {
        write(&mut path, 0, &[number]);
    }
    program.signal(libc::SIGKILL);
    drop((path, program));
    let log = std::fs::read(&disk.media[0]).unwrap();
    let (said, code) = disk.log(&["flush"]);
    assert_eq!(code, Some(0), "{said}");
    // As if its end had not come: the superblock of before, and a file that was changed by recovery, much later.
    let after = std::fs::read(&disk.media[0]).unwrap();
    let newest = [0, 4096].into_iter().max_by_key(|at| generation_of(&after[*at..])).unwrap();
    let mut cut = after;
    cut[newest..newest + 4096].copy_from_slice(&log[newest..newest + 4096]);
    std::fs::write(&disk.media[0], &cut).unwrap();
    let Some(records) = disk.status()["records"].as_u64() else { panic!("it is read whole") };
    disk.serve().stop();
    assert_eq!(disk.block(0), 199, "{records} records were there");
}

/// Generation of the superblock there.
fn generation_of(slot: &[u8]) -> u64 {
    narrows_log_tier::Superblock::parse(slot).map_or(0, |superblock| superblock.generation)
}

#[test]
fn both_media_are_needed_where_the_first_acknowledges() {
    let disk = Disk::new(16, &["a", "b"], &["--acknowledge", "first"]);
    let said = refuse(&logged(&disk.file, &disk.media[..1]));
    assert!(said.contains("medium 1 of the log's 2 is missing"), "{said}");
    let one = disk.media[0].to_str().unwrap();
    let (said, code) = log_command(&["status", one]);
    assert!(said.contains("medium 1 is not read") && code == Some(0), "{said}");
    let (said, code) = log_command(&["drop", "--log", one]);
    assert!(said.contains("is missing") && code == Some(2), "{said}");
    let (said, code) = log_command(&[
        "flush",
        "--for",
        disk.file.to_str().unwrap(),
        "--log",
        one,
        "--without-missing",
    ]);
    assert!(said.contains("the log is empty") && code == Some(0), "{said}");
    // It is alone from now on, and says so.
    Program::serving(&[&logged(&disk.file, &disk.media[..1])], &[]).stop();
    let (said, _) = log_command(&["status", one]);
    assert!(said.contains("degraded") && said.contains("medium 0 alone"), "{said}");
}

#[test]
fn a_file_that_somebody_changed_after_its_log_is_not_overwritten() {
    let disk = Disk::new(16, &["log"], &[]);
    let program = disk.serve();
    let mut path = path_to(&program);
    // More than a fifth of a second takes: some of it stays in the log.
    let stop = program.signaller();
    for number in 1..400 {
        write(&mut path, 0, &[number]);
    }
    stop(libc::SIGKILL);
    drop((path, program));
    if disk.status()["records"] == 0 {
        // All of it was moved just then; the next test of this kind has its chance.
        return;
    }
    let later = std::time::SystemTime::now() + std::time::Duration::from_secs(120);
    let times = std::fs::FileTimes::new().set_modified(later);
    std::fs::File::options().write(true).open(&disk.file).unwrap().set_times(times).unwrap();
    let said = refuse(&logged(&disk.file, &disk.media));
    assert!(said.contains("after the last record of its log"), "{said}");
    let (said, code) = disk.log(&["flush"]);
    assert_eq!(code, Some(2), "{said}");
    let (said, code) = disk.log(&["flush", "--changed"]);
    assert_eq!(code, Some(0), "{said}");
    assert_eq!(disk.block(0), 399);
}

#[test]
fn records_are_dropped_only_by_their_number() {
    let disk = Disk::new(16, &["log"], &[]);
    let (said, code) = disk.log(&["drop", "--lose", "3"]);
    assert!(said.contains("holds 0 records") && code == Some(2), "{said}");
    let (said, code) = disk.log(&["drop"]);
    assert!(said.contains("is gone") && code == Some(0), "{said}");
    let (said, code) = log_command(&["status", disk.media[0].to_str().unwrap()]);
    assert!(said.contains("it holds no log") && code == Some(2), "{said}");
}

#[test]
fn a_log_is_made_on_something_empty_and_large_enough() {
    let disk = Disk::new(16, &["log"], &[]);
    let folder = disk.folder.path();
    let make = |log: &Path| {
        let (file, log) = (disk.file.to_str().unwrap(), log.to_str().unwrap());
        log_command(&["make", "--for", file, "--log", log])
    };
    // An empty log may be made anew.
    assert_eq!(make(&disk.media[0]).1, Some(0));
    let small = folder.join("small");
    std::fs::File::create(&small).unwrap().set_len(1 << 20).unwrap();
    let (said, code) = make(&small);
    assert!(said.contains("1048576 bytes") && said.contains("4 MiB") && code == Some(2), "{said}");
    let full = folder.join("full");
    std::fs::write(&full, vec![7; 8 << 20]).unwrap();
    let (said, code) = make(&full);
    assert!(said.contains("holds something") && code == Some(2), "{said}");
    if Path::new("/dev/shm").is_dir() {
        let memory = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
        memory.as_file().set_len(8 << 20).unwrap();
        // Nobody has it open.
        let memory = memory.into_temp_path();
        let (said, code) = make(&memory);
        assert!(said.contains("in memory") && code == Some(2), "{said}");
    }
    let program = disk.serve();
    let (said, code) = make(&folder.join("small"));
    assert!(said.contains("open for writing") && code == Some(2), "{said}");
    program.stop();
}
