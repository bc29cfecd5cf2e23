//! `cargo xtask suite`: all tests, with what they took: processor time, bytes written and read, and what was skipped. Programs run
//! side by side, the longest beside all others, because most of it waits. A closing line with the numbers ends the output.

mod memory_drive;
mod skipped;
mod spent;
mod test_output;

use std::process::{Command, ExitStatus, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use self::spent::{Drives, Orphans, Spent};
use self::test_output::TestOutput;
use crate::programs::{self, TestProgram};

/// What all of it may take on a machine with two CPUs: above it a soak gets long, and a drive old.
const MOST_CPU_S: f64 = 600.0;
const MOST_WRITTEN_GB: f64 = 8.0;
/// The programs that take longest; they are begun first, those that wait more than they work before the one that works most.
const LONGEST: [&str; 5] =
    ["cli-it", "postgres-narrows_postgres", "block-it", "storage-target-it", "sim-it"];
/// Programs side by side; one more than the CPUs of the machine that this is made for, because the first waits more than it works.
const LANES: usize = 3;
/// The program whose tests mostly wait, and how many of them run at once: it alone would be the length of the suite.
const WAITS: (&str, &str) = ("cli-it", "4");
/// How many tests of a program run at once, by the test runner's own variable.
const AT_ONCE: &str = "RUST_TEST_THREADS";
const BURIED_EVERY: Duration = Duration::from_millis(10);

/// One program that has ended.
struct Ended {
    name: String,
    said: TestOutput,
    spent: Spent,
    status: ExitStatus,
}

/// Where the tests make their files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scratch {
    /// A drive in memory, where it can be had.
    Memory,
    /// The machine's own drive.
    Drive,
}

/// Builds the tests, runs them, and says what they took.
///
/// # Errors
/// A test failed, or the tests can't be built.
pub fn suite(scratch: Scratch) -> Result<()> {
    let orphans = Orphans::adopted()?;
    if scratch == Scratch::Memory {
        match memory_drive::mounted(&crate::root()) {
            Ok(()) => println!("/var/tmp of the tests: a drive in memory"),
            Err(why) => println!("SKIPPED a drive in memory under the tests: {why}"),
        }
    }
    let mut programs = programs::built(&[])?;
    programs.sort_by_key(|program| {
        LONGEST.iter().position(|name| program.name == *name).unwrap_or(LONGEST.len())
    });
    let (before, drives_before) = (Spent::of_children()?, Drives::now());
    let ended = side_by_side(&programs, &orphans)?;
    orphans.bury();
    print_costs(&ended, Spent::of_children()? - before, drives_before);
    print!("{}", skipped(&ended)?);
    let mut doc = cargo();
    let documented = doc.args(["test", "--workspace", "--locked", "--doc"]).status()?.success();
    let failed: Vec<&Ended> = ended.iter().filter(|program| !program.status.success()).collect();
    for program in &failed {
        println!("{}: {} {}", program.name, program.status, program.said.result());
    }
    let [passed, not_passed] = ["passed", "failed"].map(|word| counted(&ended, word));
    let skipped: usize = ended.iter().map(|program| program.said.skipped.len()).sum();
    println!("tests: {passed} passed, {not_passed} failed, {skipped} skipped");
    match (failed.len(), documented) {
        (0, true) => Ok(()),
        (0, false) => bail!("a documentation test failed"),
        (some, _) => bail!("{some} of {} test programs failed", ended.len()),
    }
}

fn counted(ended: &[Ended], word: &str) -> u64 {
    ended.iter().map(|program| program.said.counted(word)).sum()
}

fn cargo() -> Command {
    let mut cargo = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    cargo.current_dir(crate::root());
    cargo
}

fn side_by_side(programs: &[TestProgram], orphans: &Orphans) -> Result<Vec<Ended>> {
    let next = AtomicUsize::new(0);
    let ended = Mutex::new(Vec::new());
    let lane = || -> Result<()> {
        while let Some(program) = programs.get(next.fetch_add(1, Ordering::Relaxed)) {
            let done = run(program, orphans)?;
            println!("     Running {} ({})\n{}", done.name, done.spent, done.said.shown);
            ended.lock().expect("no lane panics").push(done);
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let lanes: Vec<_> = (0..LANES).map(|_| scope.spawn(lane)).collect();
        while !lanes.iter().all(ScopedJoinHandle::is_finished) {
            orphans.bury();
            std::thread::sleep(BURIED_EVERY);
        }
        lanes.into_iter().try_for_each(|lane| lane.join().expect("no lane panics"))
    })?;
    Ok(ended.into_inner().expect("no lane panics"))
}

fn run(program: &TestProgram, orphans: &Orphans) -> Result<Ended> {
    let mut command = Command::new(&program.path);
    command.arg("--show-output").current_dir(&program.package);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    if program.name == WAITS.0 && std::env::var_os(AT_ONCE).is_none() {
        command.env(AT_ONCE, WAITS.1);
    }
    let child = orphans.spawn(&mut command).with_context(|| format!("running {}", program.name))?;
    let (text, status, spent) = spent::to_the_end(child)?;
    Ok(Ended { name: program.name.clone(), said: TestOutput::read(&text), spent, status })
}

fn print_costs(ended: &[Ended], all: Spent, before: Drives) {
    let now = Drives::now();
    let gigabytes = |now: f64, before: f64| (now - before) / 1e9;
    let written_gb = gigabytes(now.written_bytes, before.written_bytes);
    let read_gb = gigabytes(now.read_bytes, before.read_bytes);
    let mut by_time: Vec<&Ended> = ended.iter().collect();
    by_time.sort_by(|a, b| b.spent.cpu_s.total_cmp(&a.spent.cpu_s));
    println!("what took most of {} test programs:", ended.len());
    for program in by_time.iter().take(8) {
        println!("  {:32} {}", program.name, program.spent);
    }
    let within = |is: bool| if is { "within" } else { "ABOVE" };
    println!(
        "all: {:.0} CPU-seconds, {} {MOST_CPU_S:.0}",
        all.cpu_s,
        within(all.cpu_s <= MOST_CPU_S)
    );
    println!(
        "all: {written_gb:.1} GB written to drives, {} {MOST_WRITTEN_GB:.0} GB, and {read_gb:.1} GB read, with what others did meanwhile",
        within(written_gb <= MOST_WRITTEN_GB)
    );
}

fn skipped(ended: &[Ended]) -> Result<String> {
    let lines: Vec<String> = ended
        .iter()
        .flat_map(|program| {
            program.said.skipped.iter().map(|line| format!("{} {line}", program.name))
        })
        .collect();
    Ok(skipped::compared(&skipped::expected(&crate::root())?, &lines))
}
