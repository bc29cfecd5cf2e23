//! A dry run refuses what the run would refuse, in its words, with exit code 2, and makes nothing.
//!
//! Mounts are made in a namespace of the command's own; that needs root.

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::machine::shared;
use crate::common::{Fixture, LEAST, postgres_folder, program};

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The command behind `setup`, a shell script in a mount namespace that finds the data folder in `$1`.
fn behind(fixture: &Fixture, setup: &str, args: &[&str]) -> Output {
    let mut command = match setup {
        "" => Command::new(program()),
        _ => {
            let mut command = Command::new("unshare");
            command.args(["-m", "sh", "-ec", &format!("{setup}\nshift\nexec \"$@\""), "sh"]);
            command.arg(fixture.data()).arg(program());
            command
        }
    };
    command.args(args).env("XDG_DATA_HOME", fixture.home()).env(LEAST.0, LEAST.1);
    command.current_dir(fixture.home()).output().unwrap()
}

fn mounts() -> bool {
    let made = Command::new("unshare").args(["-m", "true"]).output();
    let can = made.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("SKIPPED: needs root, to mount in a namespace of its own");
    }
    can
}

/// Lines of an error, a hint, or a part that is missing.
fn refusals(said: &str) -> Vec<&str> {
    let is_one = |line: &&str| {
        let missing = line.starts_with("warning: ") && line.contains(" is not measured: ");
        missing || line.starts_with("error: ") || line.starts_with("hint: ")
    };
    said.lines().filter(is_one).collect()
}

/// The dry run, whose plan is printed and which refuses with 2 what has these parts, in words that are the run's.
#[track_caller]
fn refused_alike(fixture: &Fixture, setup: &str, args: &[&str], parts: &[&str]) {
    let args = [args, &["--load-here"]].concat();
    let dry = behind(fixture, setup, &[&args[..], &["--dry-run"]].concat());
    let (printed, said) = (text(&dry.stdout), text(&dry.stderr));
    assert_eq!(dry.status.code(), Some(2), "{args:?}: {printed}{said}");
    let refused = refusals(&said);
    assert!(!refused.is_empty() && said.contains("hint: "), "{args:?}: {said}");
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in what {args:?} said:\n{said}");
    }
    let run = behind(fixture, setup, &args);
    assert!(matches!(run.status.code(), Some(2..=4)), "{:?}", run.status);
    let by_run = text(&run.stderr);
    for line in refused {
        assert!(by_run.contains(line), "the run does not say `{line}`:\n{by_run}");
    }
    fixture.assert_nothing_left();
}

#[test]
fn what_could_be_done_ends_with_0_and_says_what_was_checked() {
    let f = Fixture::new();
    let data = f.data().display().to_string();
    for args in [
        vec!["run", "--layers", "clock,block,log", "--data", &data],
        vec!["block", "--at", &data],
        vec!["block", "steady", "--at", &data],
        vec!["log", "commits", "--wal", &data],
        vec!["memory"],
    ] {
        let output = behind(&f, "", &[&args[..], &["--load-here", "--dry-run"]].concat());
        let (printed, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
        assert!(printed.contains("total    about "), "{args:?}: {printed}");
        let files = ["run", "block"].contains(&args[0]);
        let checks = printed.lines().find_map(|line| line.strip_prefix("checks   "));
        let checks: Vec<&str> = checks.unwrap_or_default().split("; ").collect();
        let room = format!(" on {data}, ");
        let room = checks.iter().find(|check| check.contains(&room) && check.contains(" free"));
        let writable = format!("{data} writable");
        if args[0] == "memory" {
            assert!(room.is_none() && !checks.contains(&writable.as_str()), "{args:?}: {printed}");
        } else {
            assert!(room.is_some_and(|room| room.contains(", needs ") == files), "{checks:?}");
            assert!(checks.contains(&writable.as_str()), "{args:?}: {printed}");
        }
        assert!(refusals(&said).is_empty(), "{args:?}: {said}");
    }
    f.assert_nothing_left();
    assert!(f.runs().is_empty());
}

#[test]
fn a_folder_of_a_running_server() {
    let f = Fixture::new();
    let home = f.public("cluster");
    fs::write(home.join("PG_VERSION"), "15").unwrap();
    fs::write(home.join("postmaster.pid"), "1").unwrap();
    let folder = home.display().to_string();
    for args in [
        ["run", "--layers", "block", "--data"].as_slice(),
        &["block", "--at"],
        &["log", "--wal"],
        &["db", "lookup", "--data"],
    ] {
        let args = [args, &[&folder]].concat();
        let plain = behind(&f, "", &[&args[..], &["--dry-run"]].concat());
        let said = text(&plain.stderr);
        assert_eq!(plain.status.code(), Some(2), "{args:?}: {said}");
        assert!(text(&plain.stdout).contains("total    about "), "{args:?}: the plan comes first");
        // Where others run a server on this machine, that one is named.
        assert!(said.starts_with("error: ") && said.contains("--load-here"), "{args:?}: {said}");
        let loaded = behind(&f, "", &[&args[..], &["--dry-run", "--load-here"]].concat());
        assert!(!text(&loaded.stderr).contains("error: "), "{args:?}: {}", text(&loaded.stderr));
    }
    assert_eq!(fs::read_dir(&home).unwrap().count(), 2);
}

#[test]
fn file_systems_in_memory_and_of_the_kernel() {
    let _machine = shared();
    let f = Fixture::new();
    let memory = tempfile::Builder::new().prefix("narrows-dry-").tempdir_in("/dev/shm");
    if let Ok(memory) = memory
        && narrows_facts::file::volatile(memory.path()).unwrap_or(false)
    {
        let folder = memory.path().to_str().unwrap();
        let parts = ["block is not measured: ", "keeps files in memory", "log is not measured: "];
        refused_alike(&f, "", &["run", "--layers", "clock,block,log", "--data", folder], &parts);
        refused_alike(&f, "", &["block", "--at", folder], &["keeps files in memory"]);
        refused_alike(&f, "", &["log", "--wal", folder], &["is in memory"]);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0);
    } else {
        eprintln!("SKIPPED: no file system in memory");
    }
    let parts = ["/proc is on proc", "the kernel's own"];
    for args in [["run", "--data"], ["block", "--at"], ["log", "--wal"]] {
        refused_alike(&f, "", &[&args[..], &["/proc"]].concat(), &parts);
    }
}

#[test]
fn a_read_only_mount() {
    let _machine = shared();
    if !mounts() {
        return;
    }
    let f = Fixture::new();
    let data = f.data().display().to_string();
    let setup = "mount --bind \"$1\" \"$1\"\nmount -o remount,ro,bind \"$1\"";
    let parts = ["Read-only file system", "mounted read-only"];
    let run = ["run", "--layers", "clock,block,log,database", "--data", &data];
    refused_alike(&f, setup, &run, &[&parts[..], &["database is not measured: "]].concat());
    refused_alike(&f, setup, &["block", "--at", &data], &[&parts[..], &["--at"]].concat());
    refused_alike(&f, setup, &["log", "--wal", &data], &[&parts[..], &["--wal"]].concat());
    refused_alike(&f, setup, &["db", "lookup", "--data", &data], &parts);
    // Where the run would be kept.
    let kept = f.data().join("runs").display().to_string();
    let dry = behind(&f, setup, &["memory", "--load-here", "--dry-run", "-o", &kept]);
    let said = text(&dry.stderr);
    assert_eq!(dry.status.code(), Some(2), "{said}");
    assert!(said.contains("cannot write in ") && said.contains("with -o DIR"), "{said}");
}

#[test]
fn too_little_space_and_limits_of_files() {
    let _machine = shared();
    if mounts() && postgres_folder().is_some() {
        let f = Fixture::new();
        let data = f.data().display().to_string();
        let setup = "mount -t tmpfs -o size=48m none \"$1\"\nchmod 755 \"$1\"";
        let run = ["run", "--layers", "database", "--data", &data];
        refused_alike(&f, setup, &run, &["needs ", " are free", "hint: free some space"]);
    }
    let f = Fixture::new();
    let data = f.data().display().to_string();
    let limited = |extra: &[&str]| {
        let line = "ulimit -f 8192; exec \"$@\"";
        let mut command = Command::new("sh");
        command.args(["-c", line, "sh"]).arg(program()).args([
            "block",
            "--load-here",
            "--at",
            &data,
        ]);
        command.args(extra).env("XDG_DATA_HOME", f.home()).output().unwrap()
    };
    let (dry, run) = (limited(&["--dry-run"]), limited(&[]));
    assert_eq!((dry.status.code(), run.status.code()), (Some(2), Some(2)));
    let said = text(&dry.stderr);
    assert!(said.contains("ulimit -f unlimited"), "{said}");
    for line in refusals(&said) {
        assert!(text(&run.stderr).contains(line), "{}", text(&run.stderr));
    }
    f.assert_nothing_left();
}

#[test]
fn a_folder_without_the_right_to_write() {
    let f = Fixture::new();
    let data = f.data().display().to_string();
    if !narrows_facts::process::is_root() {
        eprintln!("SKIPPED: needs root, to be somebody else");
        return;
    }
    let cases: [(&[&str], &str); 3] = [
        (&["run", "--layers", "clock,block", "--data", &data], "block is not measured: "),
        (&["block", "--at", &data], "with --at"),
        (&["memory", "-o", &data], "with -o DIR"),
    ];
    for (args, part) in cases {
        let mut command = Command::new(program());
        command.args(args).args(["--load-here", "--dry-run"]).uid(65_534).gid(65_534);
        let output = match command.env("XDG_DATA_HOME", "/tmp").current_dir("/").output() {
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                eprintln!("SKIPPED: others can't get to the program");
                return;
            }
            output => output.unwrap(),
        };
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {said}");
        assert!(said.contains("Permission denied") && said.contains("hint: "), "{args:?}: {said}");
        assert!(said.contains(part), "{args:?}: {said}");
    }
    f.assert_nothing_left();
}

#[test]
fn a_server_that_does_not_answer() {
    let f = Fixture::new();
    let nobody = "postgres://nobody@127.0.0.1:1/x";
    for args in [
        ["run", "--layers", "database", "--database", nobody].as_slice(),
        &["db", "lookup", nobody],
        &["db", "orders", nobody],
    ] {
        refused_alike(&f, "", args, &[&format!("cannot connect to {nobody}: "), "refused"]);
    }
    // A look loads nothing, and has no --load-here.
    for look in
        [&["log", "postgres", nobody][..], &["observe", nobody], &["run", "--observe", nobody]]
    {
        let dry = behind(&f, "", &[look, &["--dry-run"]].concat());
        let run = behind(&f, "", look);
        assert_eq!((dry.status.code(), run.status.code()), (Some(2), Some(2)), "{look:?}");
        assert!(text(&dry.stdout).contains("total    about "), "{}", text(&dry.stdout));
        assert_eq!(text(&dry.stderr), text(&run.stderr), "{look:?}");
        assert_eq!(text(&dry.stderr).matches(nobody).count(), 1, "{}", text(&dry.stderr));
    }
}

#[test]
fn a_plan_for_programs_is_one_document_whatever_is_refused() {
    let f = Fixture::new();
    let data = f.data().display().to_string();
    let nobody = "postgres://nobody@127.0.0.1:1/x";
    for (args, layer, refused) in [
        (&["run", "--layers", "block,log", "--data", &data, "--load-here"][..], "block", false),
        (&["block", "--at", &data, "--load-here"], "block", false),
        (&["log", "commits", "--wal", &data, "--load-here"], "log", false),
        (&["memory", "--load-here"], "clock", false),
        (&["db", "lookup", nobody, "--load-here"], "database", true),
        (&["observe", nobody], "database", true),
        (&["log", "postgres", nobody], "log", true),
    ] {
        let args = [args, &["--dry-run", "--format", "json"]].concat();
        let output = behind(&f, "", &args);
        let (printed, said) = (text(&output.stdout), text(&output.stderr));
        assert_eq!(output.status.code(), Some(if refused { 2 } else { 0 }), "{args:?}: {said}");
        let plan: serde_json::Value = serde_json::from_str(&printed).expect("one document");
        assert_eq!(plan["schema"], "narrows.plan/1", "{args:?}");
        let steps = plan["steps"].as_array().expect("steps");
        assert_eq!(steps[0]["layer"], layer, "{args:?}");
        assert!(steps[0]["what"].as_str().is_some_and(|what| !what.is_empty()), "{args:?}");
        let seconds = |step: &serde_json::Value| step["expected_s"].as_f64().expect("seconds");
        let sum: f64 = steps.iter().map(seconds).sum();
        assert!((seconds(&plan["total"]) - sum).abs() < 1e-6, "{args:?}");
        let refusals = plan["refused"].as_array().expect("what is refused");
        assert_eq!(refusals.len(), usize::from(refused), "{args:?}: {refusals:?}");
        if refused {
            let reason = refusals[0]["reason"].as_str().expect("a reason");
            assert!(reason.contains(nobody) && refusals[0]["hint"].is_string(), "{refusals:?}");
            assert!(said.contains(reason), "{said}");
        }
        let checks = plan["checks"].as_array().expect("checks");
        for folder in plan["folders"].as_array().expect("folders") {
            assert!(folder["writable"] == true && folder["free_bytes"].is_u64(), "{folder}");
            let writable = format!("{} writable", folder["folder"].as_str().expect("its path"));
            assert!(checks.contains(&writable.into()), "{args:?}: {checks:?}");
        }
    }
    f.assert_nothing_left();
    assert!(f.runs().is_empty());
}

#[test]
fn a_postgresql_that_is_none() {
    let _machine = shared();
    let f = Fixture::new();
    let data = f.data().display().to_string();
    let none = Path::new("/bin/ls").display().to_string();
    let parts = ["/bin/ls", "hint: "];
    let run = ["run", "--layers", "clock,database", "--data", &data, "--postgres", &none];
    refused_alike(&f, "", &run, &[&parts[..], &["database is not measured: "]].concat());
    let db = ["db", "lookup", "--layers", "clock,database", "--data", &data, "--postgres", &none];
    refused_alike(&f, "", &db, &parts);
    refused_alike(&f, "", &["log", "ladder", "--wal", &data, "--postgres", &none], &parts);
}
