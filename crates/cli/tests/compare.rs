//! `narrows log compare` as users meet it: folders that can't be compared, the plan, a slow place that is predicted and proved,
//! Ctrl-C. What came out is checked for what was planted, never for speed.

#[path = "common/mod.rs"]
mod common;
#[path = "common/started.rs"]
mod started;

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, MutexGuard};

use common::{Fixture, postgres_folder, program};
use narrows_model::{Comparison, Run, Validity, metric};
use started::Started;
use tempfile::TempDir;

/// What a planted flush takes longer, µs: more than any drive that tests run on.
const DELAY_US: u32 = 20_000;

/// The machine can hold one load at a time.
fn alone() -> MutexGuard<'static, ()> {
    static MACHINE: Mutex<()> = Mutex::new(());
    MACHINE.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// A folder in memory that a server's user may pass; `None` where there is no such file system.
fn memory() -> Option<TempDir> {
    let folder = tempfile::Builder::new().prefix("narrows-test-").tempdir_in("/dev/shm").ok()?;
    if !narrows_facts::file::volatile(folder.path()).unwrap_or(false) {
        eprintln!("SKIPPED: /dev/shm is not in memory here");
        return None;
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    Some(folder)
}

fn command(fixture: &Fixture, folders: &[&Path]) -> Command {
    let mut command = Command::new(program());
    command.args(["log", "compare"]).env("XDG_DATA_HOME", fixture.home());
    for folder in folders {
        command.arg("--wal").arg(folder);
    }
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn refused(output: &Output, parts: &[&str]) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "it said:\n{said}");
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

fn assert_empty(folder: &Path) {
    let left: Vec<PathBuf> = fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn folders_that_cannot_be_compared_are_named_with_a_way_out() {
    let f = Fixture::new();
    let (data, other, missing) = (f.data(), f.public("other"), f.data().join("nowhere"));
    let of = |folders: &[&Path]| command(&f, folders).output().unwrap();
    refused(&of(&[&data]), &["takes two places", "a second --wal", "hint:"]);
    refused(&of(&[&data, &missing]), &["nowhere", "--wal", "hint:"]);
    let same = "the log would be in the same place twice";
    refused(&of(&[&data, &other]), &[same, "data", "other", "hint:", "df DIR"]);
    refused(&of(&[]), &["--wal"]);
    let Some(memory) = memory() else { return };
    refused(&of(&[memory.path(), &data]), &["is in memory", "on a drive", "hint:"]);
    let mut in_memory = command(&f, &[&data, memory.path()]);
    in_memory.arg("--data").arg(memory.path());
    refused(&in_memory.output().unwrap(), &["no database has its files there", "--data"]);
    assert!(f.runs().is_empty());
}

/// What it says with a second place of that size; `None` where there are no mounts of our own.
fn with_small_place(f: &Fixture, small: &Path, size: &str, how: &[&str]) -> Option<Output> {
    let script =
        format!("mount -t tmpfs -o size={size} narrows-test \"$1\" && shift && exec \"$@\"");
    let narrows = command(f, &[&f.data(), small]);
    let mut inside = Command::new("unshare");
    inside.args(["-m", "sh", "-c", &script, "sh"]).arg(small).arg(program());
    inside.args(narrows.get_args()).args(how).env("XDG_DATA_HOME", f.home()).arg("--load-here");
    let output = inside.output().ok().filter(|output| {
        let said = text(&output.stderr);
        output.status.code() == Some(2) && !said.contains("unshare") && !said.contains("mount:")
    });
    assert_empty(small);
    assert_empty(&f.data());
    output
}

#[test]
fn a_place_without_room_is_refused_with_both_figures() {
    let f = Fixture::new();
    let small = f.public("small");
    let Some(output) = with_small_place(&f, &small, "20m", &[]) else {
        eprintln!("SKIPPED: no mounts of our own here");
        // Without a mount it is the same file system twice.
        let mut narrows = command(&f, &[&f.data(), &small]);
        refused(&narrows.output().unwrap(), &["same place twice"]);
        return;
    };
    refused(&output, &["small", "takes up to 67.1 MB", "are free there", "hint:"]);
    // Long windows of a server there need as much of its log: 2 × (3.0 GB and a warm-up), and two times 64 MiB.
    let long = ["--prove", "--window", "60s", "--repeats", "60"];
    let output = with_small_place(&f, &small, "700m", &long).expect("mounts of our own");
    let parts = ["small", "takes up to 6.44 GB", "734 MB are free", "hint:", "shorter --window"];
    refused(&output, &parts);
}

#[test]
fn a_dry_run_prints_servers_windows_and_bytes() {
    let Some(memory) = memory() else { return };
    let f = Fixture::new();
    let mut prove = command(&f, &[&f.data(), memory.path()]);
    let output = prove.args(["--prove", "--dry-run"]).output().unwrap();
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in [
        "start 2 PostgreSQL of our own, each with its log in another place",
        "8 sessions that update and commit",
        "2 places: a short ladder and the emulated log writer, in turns",
        "in all",
        "writes up to",
    ] {
        assert!(printed.contains(part), "`{part}` is missing in:\n{printed}");
    }
    assert!(f.runs().is_empty());
    assert_empty(memory.path());
}

/// The shim that makes flushes below a folder slow, and a PostgreSQL that has it too.
fn planted(f: &Fixture, real: &Path, under: &Path) -> (PathBuf, PathBuf) {
    let folder = f.public("wrappers");
    let library = common::slow_flush(&folder);
    let plant = format!(
        "LD_PRELOAD={} SLOW_FLUSH_US={DELAY_US} SLOW_FLUSH_UNDER={} ",
        library.display(),
        under.display()
    );
    for (name, environment) in [("postgres", plant.as_str()), ("initdb", "")] {
        let script = format!("#!/bin/sh\nexec env {environment}{}/{name} \"$@\"\n", real.display());
        common::write_program(&folder.join(name), &script);
    }
    (library, folder)
}

fn compared(mut command: Command) -> (Run, Comparison) {
    let output = command.args(["--load-here", "--format", "json"]).output().unwrap();
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{:?}:\n{said}", output.status);
    let run = Run::from_json(&text(&output.stdout))
        .unwrap_or_else(|error| panic!("{error}; it said:\n{said}"));
    let comparison = run.comparison.clone().expect("it compares");
    (run, comparison)
}

#[test]
fn a_slow_place_is_predicted_proved_and_never_recommended() {
    let (Some(real), Some(memory)) = (postgres_folder(), memory()) else {
        eprintln!("SKIPPED: this needs the distribution's PostgreSQL and a file system in memory");
        return;
    };
    let _machine = alone();
    let f = Fixture::new();
    let (library, wrappers) = planted(&f, &real, memory.path());
    let mut command = command(&f, &[&f.data(), memory.path()]);
    command.args(["--prove", "--sessions", "2", "--repeats", "1", "--window", "400ms"]);
    command.arg("--postgres").arg(&wrappers);
    command.env("LD_PRELOAD", &library).env("SLOW_FLUSH_US", DELAY_US.to_string());
    command.env("SLOW_FLUSH_UNDER", memory.path());
    let (run, comparison) = compared(command);
    assert!(run.completed);
    f.assert_nothing_left();
    assert_empty(memory.path());
    // Neither server made a checkpoint of its own, and both got their segments again before the first repeat.
    assert!(run.findings.iter().all(|f| f.id != "checkpoint-in-window"), "{:?}", run.findings);
    for id in ["database.update.wal_1", "database.update.wal_2"] {
        let m = run.measurement(id).unwrap();
        assert!(m.number("log_recycled_times") >= Some(2.0), "{id}: {:?}", m.conditions);
        for name in [metric::CHECKPOINTS, metric::CHECKPOINT_PAGES, metric::CHECKPOINTING] {
            assert_eq!(m.value(name), Some(0.0), "{id} {name}");
        }
        let timed = m.value(metric::SERVER_FLUSH_TIME).zip(m.value(metric::PARALLEL_WRITE_MEAN));
        assert!(timed.is_none_or(|(flush, both)| both > flush), "{id}: {timed:?}");
    }
    let [first, slow] = comparison.placements.as_slice() else { panic!("{comparison:?}") };
    assert!(!first.in_memory && slow.in_memory);
    assert!(slow.durability_sentence.contains("not durable by construction"), "{slow:?}");
    assert!(slow.validity >= Validity::Suspect, "a log in memory is no log");
    // Each flush takes the delay, and serves two sessions at most.
    let delay_ns = f64::from(DELAY_US) * 1e3;
    let most = 2.0 * 1e9 / delay_ns;
    let (predicted, measured) =
        (slow.predicted.unwrap().rate_per_s, slow.measured.as_ref().unwrap().commits.rate_per_s);
    let emulated = slow.emulated.as_ref().unwrap();
    assert!(emulated.commits.rate_per_s <= most && emulated.parallel_write_ns.unwrap() >= delay_ns);
    assert!(measured > 0.0 && measured <= most, "{measured}");
    // Both are made of that delay: half and double are as far apart as sharing a flush or not.
    let over = slow.measured_over_predicted.unwrap();
    assert!((measured / predicted / over - 1.0).abs() < 1e-9);
    assert!((0.3..=3.0).contains(&over), "{measured} of {predicted}");
    let flush = slow.measured.as_ref().unwrap().flush_ns;
    assert!(flush.is_none_or(|ns| ns >= delay_ns), "{flush:?}");
    // The plant is nowhere else.
    let write = |place: &narrows_model::Placement| {
        let rung = place.ladder.iter().find(|rung| rung.rung.starts_with("write."));
        rung.and_then(|rung| rung.p50_ns)
    };
    assert!(write(first).is_none_or(|ns| ns < delay_ns), "{first:?}");
    assert_eq!(first.measured_over_predicted.is_some(), first.predicted.is_some());
    let said = comparison.sentences.join(" ");
    assert!(said.contains("is in memory") && !said.contains("Put the log"), "{said}");
}

#[test]
fn ctrl_c_leaves_no_server_and_no_file_in_any_place() {
    let (Some(_), Some(memory)) = (postgres_folder(), memory()) else {
        eprintln!("SKIPPED: this needs the distribution's PostgreSQL and a file system in memory");
        return;
    };
    let _machine = alone();
    for phase in ["a table of", "sessions that work and commit"] {
        let f = Fixture::new();
        let mut command = command(&f, &[&f.data(), memory.path()]);
        command.args(["--load-here", "--sessions", "2", "--window", "300ms"]);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut started = Started::new(command.spawn().unwrap());
        started.wait_for(phase);
        started.signal(libc::SIGINT);
        let ended = started.end();
        assert_eq!(ended.code(), Some(130), "{phase}: {}", ended.stderr);
        f.assert_nothing_left();
        assert_empty(memory.path());
        let runs = f.runs();
        assert_eq!(runs.len(), 1, "{phase}");
        let kept = Run::from_json(&fs::read_to_string(&runs[0]).unwrap()).unwrap();
        assert!(!kept.completed);
    }
}
