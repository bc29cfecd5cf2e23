//! `narrows log placement` as users meet it: folders that can't be compared, the plan, Ctrl-C. A slow place is in `alone`.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::machine::{shared, together};
use crate::common::started::Started;
use crate::common::{Fixture, postgres_folder, program};
use narrows_model::Run;
use tempfile::TempDir;

/// A folder in memory that a server's user may pass; `None` where there is no such file system.
pub fn memory() -> Option<TempDir> {
    let folder = tempfile::Builder::new().prefix("narrows-test-").tempdir_in("/dev/shm").ok()?;
    if !narrows_facts::file::volatile(folder.path()).unwrap_or(false) {
        eprintln!("SKIPPED: /dev/shm is not in memory here");
        return None;
    }
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o755)).unwrap();
    Some(folder)
}

pub fn command(fixture: &Fixture, folders: &[&Path]) -> Command {
    let mut command = Command::new(program());
    command.args(["log", "placement"]).env("XDG_DATA_HOME", fixture.home());
    for folder in folders {
        command.arg("--wal").arg(folder);
    }
    command
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn refused(output: &Output, parts: &[&str]) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "it said:\n{said}");
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

pub fn assert_empty(folder: &Path) {
    let left: Vec<PathBuf> = fs::read_dir(folder).unwrap().flatten().map(|e| e.path()).collect();
    assert!(left.is_empty(), "left behind: {left:?}");
}

#[test]
fn folders_that_cannot_be_compared_are_named_with_a_way_out() {
    let f = Fixture::new();
    let (data, other, missing) = (f.data(), f.public("other"), f.data().join("nowhere"));
    let of = |folders: &[&Path]| command(&f, folders).output().unwrap();
    refused(&of(&[&data]), &["needs two locations", "a second --wal", "hint:"]);
    refused(&of(&[&data, &missing]), &["nowhere", "--wal", "hint:"]);
    let same = "WAL would be in the same place twice";
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
    refused(&output, &["small", "needs up to 67.1 MB", "are free there", "hint:"]);
    // Long windows of a server there need as much of its log: 2 × (3.0 GB and a warm-up), and two times 64 MiB.
    let long = ["--prove", "--window", "60s", "--repeats", "60"];
    let output = with_small_place(&f, &small, "700m", &long).expect("mounts of our own");
    let parts = ["small", "needs up to 6.44 GB", "734 MB are free", "hint:", "shorter --window"];
    refused(&output, &parts);
}

#[test]
fn a_dry_run_prints_servers_windows_and_bytes() {
    let Some(memory) = memory() else { return };
    let f = Fixture::new();
    let mut prove = command(&f, &[&f.data(), memory.path()]);
    let output = prove.args(["--prove", "--load-here", "--dry-run"]).output().unwrap();
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in [
        "start 2 private PostgreSQL instances, each with WAL on another location",
        "8 sessions that update and commit",
        "2 locations: a short ladder and the emulated WAL writer, in turns",
        "total",
        "writes up to",
    ] {
        assert!(printed.contains(part), "`{part}` is missing in:\n{printed}");
    }
    assert!(f.runs().is_empty());
    assert_empty(memory.path());
}

#[test]
fn ctrl_c_leaves_no_server_and_no_file_in_any_place() {
    let (Some(_), Some(_)) = (postgres_folder(), memory()) else {
        eprintln!("SKIPPED: this needs the distribution's PostgreSQL and a file system in memory");
        return;
    };
    let _machine = shared();
    together(2, &["a table of", "sessions that work and commit"], |phase| {
        let (f, memory) = (Fixture::new(), memory().expect("it was there before"));
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
    });
}
