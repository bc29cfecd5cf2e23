//! What a log and a read cache cost on the way of a command, on loopback: hits beside memory and the page cache, misses beside no cache,
//! durable writes beside the floor and the medium alone, moving to the file beside writing to it, and a target with no tier beside one that
//! was built before there were any.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt as _, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, anyhow, bail, ensure};
use narrows_engine::Context;
use narrows_io::Arena;
use narrows_stats::mean_interval_95;
use narrows_target::{AllowedHosts, Limits, Request, SubsystemSpec, Wait, namespace_of};
use serde_json::Value;
use tempfile::TempDir;

use super::floor::Floor;
use super::ours::{self, Load, Waiting, address_at, driven, driven_once, serving, started};
use super::sample::{Sample, Samples, table};
use super::theirs::Nbd;
use super::{BLOCK, Operation, Window, so_many};
use crate::peers::{ROUNDS, WINDOW};

pub(in crate::peers) const TITLE: &str = "## Tiers on loopback";
/// Names the program of a target that was built before there were tiers.
const BEFORE: &str = "NARROWS_TARGET_BEFORE_TIERS";
/// The verb of these tools that serves a file whose log is taken for persistent memory.
pub(crate) const PERSISTENT: &str = "persistent-target";

const MIB: u64 = 1 << 20;
/// A database's block.
const DURABLE: u32 = 8192;
/// A piece of a sequential write.
const PIECE: u32 = 128 << 10;
/// What a record of a block takes on its medium: a unit for its header, and the block.
const RECORD: u32 = 4096 + DURABLE;
/// Of every file that is served but the one that all misses are of.
const SPAN: u64 = 16 * MIB;
/// Of the difference that has a limit of 6 µs, more than of the others: moving to the file goes on meanwhile, and rounds differ by it.
const DURABLE_ROUNDS: u32 = 30;
/// Beside a target of before: at depth 32 comparisons of few rounds differed in sign.
const NONE_ROUNDS: u32 = 20;
/// A log that is full before the window begins.
const SMALL_LOG: u64 = 16 * MIB;

/// Who serves.
#[derive(Debug, Clone)]
enum Program {
    /// The target as it is built for release.
    Target(PathBuf),
    /// This program, which takes the log for persistent memory.
    Persistent,
}

/// What a cache has to have done in the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    Hits,
    Misses,
}

/// A namespace under our host.
struct Served {
    name: &'static str,
    program: Program,
    namespace: String,
    waiting: Waiting,
    load: Load,
    cache: Option<Expected>,
    scratch: PathBuf,
}

impl Window for Served {
    fn name(&self) -> String {
        self.name.to_string()
    }

    fn measure(&self, operation: Operation, depth: u32) -> Result<Option<Sample>> {
        let load = Load { operation, depth, ..self.load };
        let socket = self.scratch.join("control");
        let mut command = match &self.program {
            Program::Target(program) => serving(program, &self.namespace, self.waiting),
            Program::Persistent => {
                let mut command = ours::pinned(&std::env::current_exe()?);
                command.args([PERSISTENT, &self.namespace, self.waiting.option()]);
                command
            }
        };
        if self.cache.is_some() {
            command.arg("--control").arg(&socket);
        }
        let (target, port) = started(&mut command)?;
        let address = address_at(port).parse()?;
        let sample = match (self.cache, &self.program) {
            (Some(expected), Program::Target(program)) => {
                let before = Arc::new(Mutex::new((0, 0)));
                let (there, program_there) = (Arc::clone(&before), program.clone());
                let at = socket.clone();
                let ready = move || {
                    *there.lock().expect("nobody panics with it") = counts(&program_there, &at)?;
                    Ok(())
                };
                let sample = driven_once(ready, address, self.waiting, load, target.0.id())?;
                let (hits, misses) = counts(program, &socket)?;
                let (hits_before, misses_before) = *before.lock().expect("nobody panics with it");
                check_window(expected, hits - hits_before, misses - misses_before)?;
                sample
            }
            _ => driven(address, self.waiting, load, target.0.id())?,
        };
        drop(target);
        // It was killed, and leaves its socket.
        let _ = std::fs::remove_file(&socket);
        Ok(Some(sample))
    }
}

/// Hits and misses of the one cache so far.
fn counts(program: &Path, socket: &Path) -> Result<(u64, u64)> {
    let mut command = Command::new(program);
    let output = command.args(["tier", "list", "--json", "--control"]).arg(socket).output()?;
    ensure!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let list: Value = serde_json::from_slice(&output.stdout)?;
    let cache = &list["namespaces"][0]["cache"];
    let count = |name: &str| cache[name].as_u64().with_context(|| format!("no {name} in {list}"));
    Ok((count("hits")?, count("misses")?))
}

/// A window of hits in which something missed, or of misses of which more than a twentieth hit, is none.
fn check_window(expected: Expected, hits: u64, misses: u64) -> Result<()> {
    let holds = match expected {
        Expected::Hits => hits > 0 && misses == 0,
        Expected::Misses => misses > 0 && hits * 20 <= hits + misses,
    };
    ensure!(holds, "in the window of {expected:?} the cache had {hits} hits and {misses} misses");
    Ok(())
}

/// Records of a log, written to a file of the same drive by one thread: no target, no network.
struct Medium {
    file: PathBuf,
}

impl Window for Medium {
    fn name(&self) -> String {
        "the log's drive alone, local".to_string()
    }

    fn measure(&self, _: Operation, _: u32) -> Result<Option<Sample>> {
        let file = self.file.clone();
        let writer = thread::spawn(move || -> Result<Sample> {
            ours::pin(0);
            let flags = libc::O_DIRECT | libc::O_DSYNC;
            let file = OpenOptions::new().write(true).custom_flags(flags).open(&file)?;
            let mut arena = Arena::new(1, RECORD, 4096)?;
            arena.slot_mut(0).fill(1);
            let places = file.metadata()?.len() / u64::from(RECORD);
            let (cpu, begun) = (ours::thread_cpu_s(), Instant::now());
            let (mut latencies, mut place) = (Vec::new(), 0);
            while begun.elapsed() < WINDOW {
                let sent = Instant::now();
                file.write_all_at(arena.slot(0), place % places * u64::from(RECORD))?;
                latencies.push(sent.elapsed().as_nanos() as f64 / 1e3);
                place += 1;
            }
            let count = latencies.len() as f64;
            Ok(Sample {
                rate_per_s: count / begun.elapsed().as_secs_f64(),
                host_us: (ours::thread_cpu_s() - cpu) / count * 1e6,
                target_us: f64::NAN,
                p50_us: ours::median(&mut latencies),
            })
        });
        Ok(Some(writer.join().map_err(|_| anyhow!("the writer panicked"))??))
    }
}

/// Files to be served: in memory (tmpfs), and on a drive.
struct Files {
    memory: TempDir,
    drive: PathBuf,
    program: PathBuf,
}

impl Files {
    fn in_memory(&self, name: &str, bytes: u64) -> Result<String> {
        written(&self.memory.path().join(name), bytes)
    }

    fn on_drive(&self, name: &str, bytes: u64) -> Result<String> {
        written(&self.drive.join(name), bytes)
    }

    /// A file on the drive with a log of its own there, as a namespace.
    fn logged(&self, name: &str, bytes: u64, log_bytes: u64) -> Result<String> {
        let file = self.on_drive(name, bytes)?;
        let log = self.drive.join(format!("{name}.log"));
        File::create(&log)?.set_len(log_bytes)?;
        let log = log.to_str().context("a path that is text")?;
        let mut command = Command::new(&self.program);
        command.args(["log", "make", "--for", &file, "--log", log]).stdout(Stdio::null());
        ensure!(command.status()?.success(), "no log can be made at {log}");
        Ok(format!("{file},log={log}"))
    }

    fn served(&self, name: &'static str, namespace: &str, waiting: Waiting, load: Load) -> Served {
        Served {
            name,
            program: Program::Target(self.program.clone()),
            namespace: namespace.to_string(),
            waiting,
            load,
            cache: None,
            scratch: self.memory.path().to_path_buf(),
        }
    }
}

/// A file that is written whole, because blocks that nobody wrote cost more at first.
fn written(path: &Path, bytes: u64) -> Result<String> {
    let file = File::create(path).with_context(|| path.display().to_string())?;
    let piece = vec![1_u8; MIB as usize];
    for offset in (0..bytes).step_by(piece.len()) {
        file.write_all_at(&piece, offset)?;
    }
    file.sync_all()?;
    Ok(path.to_str().context("a path that is text")?.to_string())
}

pub(in crate::peers) fn compare(_: &Context<'_>, scratch: &Path) -> Result<String> {
    let program = ours::build()?;
    let memory = tempfile::tempdir_in("/dev/shm")?;
    let files = Files { memory, drive: scratch.to_path_buf(), program };
    let mut text = "Target on CPU 0 with all of its threads, host on CPU 1. Files \"in memory\" are on tmpfs.\n\n"
        .to_string();
    let mut add = |section: String| {
        // Each as soon as it is there: what fails later loses nothing.
        eprint!("{section}");
        text += &section;
    };
    for waiting in [Waiting::Poll, Waiting::Sleep] {
        add(hits(&files, waiting)?);
    }
    add(misses(&files)?);
    add(durable(&files)?);
    add(destaging(&files)?);
    add(none(&files)?);
    Ok(text)
}

fn hits(files: &Files, waiting: Waiting) -> Result<String> {
    let file = files.in_memory("hits", SPAN)?;
    let load = Load { span: SPAN, ..Load::random(BLOCK, Operation::Read, 1) };
    let cached = format!("{file},cache=ram:{}", 2 * SPAN);
    let hit = Served {
        cache: Some(Expected::Hits),
        ..files.served("a hit in the read cache", &cached, waiting, Load { read_before: 3, ..load })
    };
    let memory = format!("ram:{SPAN}");
    let mut all: Vec<Box<dyn Window>> = vec![
        Box::new(hit),
        Box::new(files.served("memory (`ram:`)", &memory, waiting, load)),
        Box::new(files.served(
            "a file in the page cache (tmpfs), no read cache",
            &file,
            waiting,
            load,
        )),
    ];
    if waiting == Waiting::Sleep {
        match Nbd::of_file(Path::new(&file)) {
            Some(nbd) => all.push(Box::new(nbd)),
            None => eprintln!("SKIPPED: nbdkit or fio is not installed"),
        }
    }
    let samples = so_many(ROUNDS, Operation::Read, 1, &all)?;
    let title = format!("Reads of 4 KiB, depth 1, {}ing", waiting.option());
    Ok(table(&title, &samples)
        + &difference("A hit takes longer than memory by", &samples[0], &[&samples[1]]))
}

fn misses(files: &Files) -> Result<String> {
    let file = files.in_memory("misses", ours::BYTES)?;
    let load = Load::random(BLOCK, Operation::Read, 1);
    let miss = Served {
        cache: Some(Expected::Misses),
        ..files.served(
            "a miss in the read cache (1 MiB of 256)",
            &format!("{file},cache=ram:1MiB"),
            Waiting::Poll,
            load,
        )
    };
    let plain = files.served("no read cache", &file, Waiting::Poll, load);
    let samples = so_many(ROUNDS, Operation::Read, 1, &[Box::new(miss), Box::new(plain)])?;
    Ok(table("Reads of 4 KiB of a file in memory, depth 1, polling", &samples)
        + &difference("A miss takes longer than without a cache by", &samples[0], &[&samples[1]]))
}

fn durable(files: &Files) -> Result<String> {
    let load = Load { span: SPAN, durable: true, ..Load::random(DURABLE, Operation::Write, 1) };
    let mapped = files.logged("mapped", SPAN, 2 * SPAN)?;
    let mapped = Served {
        program: Program::Persistent,
        ..files.served("a log in memory (see below)", &mapped, Waiting::Poll, load)
    };
    let polling = [Box::new(mapped) as Box<dyn Window>, Box::new(Floor::of(DURABLE, true))];
    let polling = so_many(DURABLE_ROUNDS, Operation::Write, 1, &polling)?;
    // Sleeping: a thread that polls would keep the kernel's workers, which make a write to the drive durable, from the CPU of both.
    let logged = files.logged("durable", SPAN, 2 * SPAN)?;
    let plain = files.on_drive("plain", SPAN)?;
    let sleeping: [Box<dyn Window>; 4] = [
        Box::new(files.served("a log on the drive", &logged, Waiting::Sleep, load)),
        Box::new(Floor::of(DURABLE, false)),
        Box::new(Medium { file: files.on_drive("medium", SPAN)?.into() }),
        Box::new(files.served("the drive, no log", &plain, Waiting::Sleep, load)),
    ];
    let sleeping = so_many(ROUNDS, Operation::Write, 1, &sleeping)?;
    Ok(table("Durable writes of 8 KiB (FUA), depth 1, polling", &polling)
        + &difference(
            "A log in memory takes longer than the floor by",
            &polling[0],
            &[&polling[1]],
        )
        + "The log in memory is that of persistent memory (stores to a mapping, CLWB, SFENCE), with a file's pages of the page cache in its place: the \
           target's own work is the same, the medium is DRAM. No option of the target serves such a log, because it would lose what it acknowledged.\n\n"
        + &table("The same, sleeping", &sleeping)
        + &difference(
            "A log on the drive takes longer than the floor and its drive alone by",
            &sleeping[0],
            &[&sleeping[1], &sleeping[2]],
        ))
}

fn destaging(files: &Files) -> Result<String> {
    let bytes = 4 * SPAN;
    let load = Load {
        span: bytes,
        sequential: true,
        durable: true,
        ..Load::random(PIECE, Operation::Write, 8)
    };
    let in_memory = files.logged("moved", bytes, SMALL_LOG)?;
    let on_drive = files.logged("moved-on-one-drive", bytes, SMALL_LOG)?;
    let plain = files.on_drive("unmoved", bytes)?;
    let all: Vec<Box<dyn Window>> = vec![
        Box::new(files.served("no log", &plain, Waiting::Sleep, load)),
        Box::new(Served {
            program: Program::Persistent,
            ..files.served(
                "a log of 16 MiB in memory (see above)",
                &in_memory,
                Waiting::Sleep,
                load,
            )
        }),
        Box::new(files.served(
            "a log of 16 MiB on the same drive",
            &on_drive,
            Waiting::Sleep,
            load,
        )),
    ];
    let samples = so_many(ROUNDS, Operation::Write, 8, &all)?;
    Ok(table("Durable sequential writes of 128 KiB, depth 8, sleeping", &samples)
        + "Of what a window writes at most 16 MiB is still in the log at its end: the rest was moved. With log and file on \
           one drive each byte is written twice there.\n\n")
}

/// Where no tier is named: beside a target without any.
fn none(files: &Files) -> Result<String> {
    let Some(before) = std::env::var_os(BEFORE).map(PathBuf::from) else {
        eprintln!("SKIPPED: {BEFORE} names no target that was built before there were tiers");
        return Ok(String::new());
    };
    let file = files.in_memory("none", SPAN)?;
    let mut text = String::new();
    for operation in [Operation::Read, Operation::Write] {
        for depth in [1, 32] {
            let load = Load { span: SPAN, ..Load::random(BLOCK, operation, depth) };
            let now = files.served("no tier, now", &file, Waiting::Poll, load);
            let then =
                files.served("a target from before there were tiers", &file, Waiting::Poll, load);
            let then = Served { program: Program::Target(before.clone()), ..then };
            let samples = so_many(NONE_ROUNDS, operation, depth, &[Box::new(now), Box::new(then)])?;
            let title =
                format!("4 KiB {} of a file in memory, depth {depth}, polling", operation.word());
            text += &table(&title, &samples);
        }
    }
    Ok(text)
}

/// A sentence: how much longer the first takes than the others together, of medians round by round.
fn difference(sentence: &str, one: &Samples, others: &[&Samples]) -> String {
    let longer: Vec<f64> = (0..one.p50_us.len())
        .map(|round| {
            let of = |samples: &Samples| samples.p50_us.get(round).copied().unwrap_or(f64::NAN);
            of(one) - others.iter().map(|samples| of(samples)).sum::<f64>()
        })
        .collect();
    let mean = longer.iter().sum::<f64>() / longer.len() as f64;
    let interval = mean_interval_95(&longer)
        .map_or(String::new(), |(low, high)| format!(" ({low:.2} to {high:.2})"));
    let rounds = longer.len();
    format!("{sentence} {mean:.2} µs{interval}, of medians round by round, {rounds} rounds.\n\n")
}

/// Serves a namespace whose log is taken for persistent memory, until it is killed: `NAMESPACE poll|sleep`.
///
/// # Errors
/// What can't be served.
pub(crate) fn serve_persistent(args: &[&str]) -> Result<()> {
    let [namespace, wait] = args else { bail!("usage: {PERSISTENT} NAMESPACE poll|sleep") };
    let wait = if *wait == "poll" { Wait::Poll } else { Wait::Sleep };
    let request = Request {
        subsystems: vec![SubsystemSpec {
            nqn: ours::NQN.parse()?,
            hosts: AllowedHosts::Any,
            authentication: Default::default(),
            tls: Default::default(),
            namespaces: vec![namespace_of(namespace)?],
        }],
        listen: vec!["127.0.0.1:0".parse()?],
        threads: 1,
        wait,
        memory_bytes: 256 << 20,
        limits: Limits::default(),
        metrics: None,
        control: None,
        logs_as_persistent_memory: true,
    };
    Ok(narrows_target::serve(&request)?)
}
