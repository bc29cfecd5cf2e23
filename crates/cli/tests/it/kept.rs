//! Where a run ends up when its folder is full, gone or read-only at the end, and what others may plant there.

use std::fs::{self, File};
use std::io::Write;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use narrows_model::Run;

use crate::common::machine::shared;
use crate::common::server::TheirServer;
use crate::common::started::{Ended, Started};
use crate::common::{Fixture, program};

/// A file system of its own in memory, of one MiB; gone with the value.
struct Small(PathBuf);

impl Small {
    fn new(at: &Path) -> Option<Small> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", "size=1m,mode=0777", "none"])
            .arg(at)
            .output()
            .is_ok_and(|output| output.status.success());
        if !mounted {
            eprintln!("SKIPPED: a file system of its own needs root and mount(8)");
        }
        mounted.then(|| Small(at.to_path_buf()))
    }

    /// Takes every byte that is left.
    /// It can always be filled.
    fn fill(&self) -> bool {
        let mut file = File::create(self.0.join("filler")).unwrap();
        for size in [65_536, 4096, 1] {
            while file.write_all(&vec![1; size]).is_ok() {}
        }
        true
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

/// Commands that measure something short and keep a run, as their arguments: one of several layers, and one of those of one
/// layer, which all end in the same way.
const COMMANDS: [&[&str]; 2] = [
    &["run", "--quick", "--load-here", "--layers", "clock"],
    &["memory", "slb", "2000", "40", "--load-here"],
];

struct Keeping {
    arguments: Vec<String>,
    store: PathBuf,
    temporary: PathBuf,
    more: Vec<String>,
}

impl Keeping {
    fn new(fixture: &Fixture, arguments: &[&str]) -> Keeping {
        let store = fixture.home().join("narrows/runs");
        let temporary = fixture.public("temporary");
        let arguments = arguments.iter().map(|word| word.to_string()).collect();
        Keeping { arguments, store, temporary, more: Vec::new() }
    }

    fn spawn(&self, fixture: &Fixture) -> std::process::Child {
        let mut command = Command::new(program());
        command.args(&self.arguments).args(&self.more).args(["--format", "json"]);
        command.env("XDG_DATA_HOME", fixture.home()).env("TMPDIR", &self.temporary);
        command.current_dir(fixture.data()).stdin(std::process::Stdio::null());
        command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command.spawn().unwrap()
    }

    /// Runs it; once its file is in `folder` it is held still, `fault` is done, and it goes on to its end. A fault that can't be done
    /// just then, because the run is at its file, says so by `false` and is tried again a moment later.
    fn with_fault(&self, fixture: &Fixture, folder: &Path, fault: impl Fn() -> bool) -> Ended {
        let mut run = Started::new(self.spawn(fixture));
        run.wait_for("total");
        let kept = || {
            let names = fs::read_dir(folder).into_iter().flatten().flatten();
            names.into_iter().any(|entry| entry.file_name().to_string_lossy().contains(".json"))
        };
        while !kept() {
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
        loop {
            run.signal(libc::SIGSTOP);
            let done = fault();
            run.signal(libc::SIGCONT);
            if done {
                return run.end();
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
        }
    }
}

/// The result is on standard output, the reason and the other place are on standard error, and the run is there.
fn shown_and_kept_in(ended: &Ended, place: &Path, reason: &str) -> Run {
    let said = &ended.stderr;
    assert_eq!(ended.code(), Some(2), "{said}");
    let run = Run::from_json(&ended.stdout).unwrap_or_else(|e| panic!("no result: {e}: {said}"));
    assert!(run.completed && !run.measurements.is_empty(), "{said}");
    let file = place.join(format!("{}.narrows.json", run.id));
    assert!(said.contains(&format!("the run is saved in {}", file.display())), "{said}");
    assert!(said.contains(reason) && said.contains("hint: "), "{said}");
    let kept = Run::from_json(&fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(kept.measurements.len(), run.measurements.len());
    assert!(kept.completed);
    run
}

#[test]
fn a_store_that_is_full_at_the_end_loses_nothing() {
    let _machine = shared();
    for arguments in COMMANDS {
        let fixture = Fixture::new();
        let command = Keeping::new(&fixture, arguments);
        let Some(small) = Small::new(&command.store) else { return };
        let ended = command.with_fault(&fixture, &command.store, || small.fill());
        shown_and_kept_in(&ended, &command.temporary, "No space left");
        let file = fs::read_dir(&command.temporary).unwrap().next().unwrap().unwrap();
        let mode = file.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o600, "others look into that folder");
        fixture.assert_nothing_left();
    }
}

#[test]
fn a_store_that_is_full_at_the_end_of_a_look_loses_nothing() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = TheirServer::start(&fixture) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    let app = server.app();
    for look in [
        ["log", "postgres", app.as_str(), "--for", "3s"],
        ["run", "--observe", &app, "--for", "3s"],
    ] {
        let command = Keeping::new(&fixture, &look);
        let Some(small) = Small::new(&command.store) else { return };
        let ended = command.with_fault(&fixture, &command.store, || small.fill());
        let run = shown_and_kept_in(&ended, &command.temporary, "No space left");
        assert_eq!(run.live_logs.len() + run.observations.len(), 1, "{}", ended.stderr);
        assert!(ended.stderr.contains("free some space there"), "{}", ended.stderr);
        // Of the run as it began the file stands, and beside it nothing but what fills the place.
        assert_eq!(fs::read_dir(&command.store).unwrap().count(), 2);
        fs::remove_dir_all(&command.temporary).unwrap();
    }
    assert_eq!(server.sessions_left(), "");
}

#[test]
fn a_store_that_is_full_before_anything_is_measured_is_an_error_and_nothing_is_left() {
    let _machine = shared();
    let fixture = Fixture::new();
    let command = Keeping::new(&fixture, COMMANDS[0]);
    let Some(small) = Small::new(&command.store) else { return };
    small.fill();
    let ended = Started::new(command.spawn(&fixture)).end();
    let said = &ended.stderr;
    assert_eq!((ended.code(), ended.stdout.as_str()), (Some(2), ""), "{said}");
    assert!(said.contains("cannot write in") && said.contains("No space left"), "{said}");
    assert!(said.contains("hint: free some space there"), "{said}");
    assert!(!said.contains("total"), "nothing is planned for a place without room: {said}");
    assert_eq!(fs::read_dir(&command.store).unwrap().count(), 1, "what fills it");
    assert_eq!(fs::read_dir(&command.temporary).unwrap().count(), 0);
}

#[test]
fn a_folder_that_was_asked_for_and_is_full_leaves_the_run_in_the_store() {
    let _machine = shared();
    let fixture = Fixture::new();
    let mut command = Keeping::new(&fixture, COMMANDS[0]);
    let folder = fixture.public("asked-for");
    let Some(small) = Small::new(&folder) else { return };
    command.more = vec!["-o".into(), folder.display().to_string()];
    let ended = command.with_fault(&fixture, &folder, || small.fill());
    shown_and_kept_in(&ended, &command.store, "No space left");
}

#[test]
fn a_store_that_goes_or_becomes_read_only_loses_nothing() {
    let _machine = shared();
    let fixture = Fixture::new();
    let command = Keeping::new(&fixture, COMMANDS[0]);
    let store = command.store.clone();
    let ended = command.with_fault(&fixture, &store, || fs::remove_dir_all(&store).is_ok());
    shown_and_kept_in(&ended, &command.temporary, "No such file");

    let fixture = Fixture::new();
    let command = Keeping::new(&fixture, COMMANDS[0]);
    let Some(small) = Small::new(&command.store) else { return };
    let ended = command.with_fault(&fixture, &command.store, || {
        // Not while a file in it is open for writing.
        let remounted = Command::new("mount").args(["-o", "remount,ro"]).arg(&small.0).status();
        remounted.unwrap().success()
    });
    shown_and_kept_in(&ended, &command.temporary, "Read-only file system");
}

#[test]
fn links_planted_where_files_of_ours_are_expected_are_not_written_through() {
    let _machine = shared();
    let fixture = Fixture::new();
    let shared_folder = fixture.public("shared");
    fs::set_permissions(&shared_folder, fs::Permissions::from_mode(0o777)).unwrap();
    let victim = fixture.home().join("victim");
    fs::write(&victim, "PRECIOUS").unwrap();
    // The numbers of the next processes, as far as one can foretell them.
    let next = std::process::id();
    for number in next.saturating_sub(50)..next + 3000 {
        for name in [format!(".probe-{number}"), format!("run.html.{number}.part")] {
            symlink(&victim, shared_folder.join(name)).unwrap();
        }
    }
    let planted = fs::read_dir(&shared_folder).unwrap().count();
    let output = Command::new(program())
        .args(["run", "--quick", "--load-here", "--layers", "clock", "-o"])
        .arg(&shared_folder)
        .env("XDG_DATA_HOME", fixture.home())
        .current_dir(fixture.data())
        .output()
        .unwrap();
    // 3 and 4 are what a busy machine makes of the figures.
    let code = output.status.code();
    assert!(matches!(code, Some(0 | 3 | 4)), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "PRECIOUS");
    // The run and its four reports, and every link as it was.
    assert_eq!(fs::read_dir(&shared_folder).unwrap().count(), planted + 5);
    let run = fs::read_dir(&shared_folder)
        .unwrap()
        .flatten()
        .find(|entry| entry.file_name().to_string_lossy().ends_with(".narrows.json"));
    let run = run.unwrap().path();
    symlink(&victim, shared_folder.join("run.html")).unwrap();
    let output = report(&run, &shared_folder.join("run.html")).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(fs::read_to_string(&victim).unwrap(), "PRECIOUS");
}

fn report(run: &Path, to: &Path) -> Command {
    let mut command = Command::new(program());
    command.arg("report").arg(run).args(["--html", "-o"]).arg(to);
    command
}

fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_report_that_is_stopped_or_killed_leaves_the_old_file_or_the_new_one_and_nothing_beside() {
    let _machine = shared();
    let fixture = Fixture::new();
    let command = Keeping::new(&fixture, COMMANDS[0]);
    // 3 and 4 are what a busy machine makes of the figures.
    let code = Started::new(command.spawn(&fixture)).end().code();
    assert!(matches!(code, Some(0 | 3 | 4)), "{code:?}");
    let run = fixture.runs().pop().unwrap();
    let folder = fixture.public("reports");
    let file = folder.join("run.html");
    let whole = report(&run, &file).output().unwrap();
    assert_eq!(whole.status.code(), Some(0), "{}", text(&whole));
    let expected = fs::read(&file).unwrap();
    for round in 0..40u32 {
        let mut child = report(&run, &file).stderr(std::process::Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_micros(u64::from(round) * 900));
        let signal = if round % 2 == 0 { libc::SIGINT } else { libc::SIGKILL };
        // SAFETY: no memory is involved; the child was not waited for, so the number is its own.
        unsafe { libc::kill(child.id() as libc::pid_t, signal) };
        child.wait().unwrap();
        assert_eq!(fs::read(&file).unwrap(), expected, "round {round}");
        let beside = fs::read_dir(&folder).unwrap().count() - 1;
        // Between the two names of a whole file there is a moment in which only a kill leaves one.
        assert!(beside == 0 || (signal == libc::SIGKILL && beside == 1), "round {round}");
        if beside > 0 {
            assert_eq!(report(&run, &file).output().unwrap().status.code(), Some(0));
            assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "the next writer takes it");
        }
    }
}
