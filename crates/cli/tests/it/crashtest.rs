//! `narrows log crashtest` as users meet it: a rehearsal of all three parts on one machine, refusals, and lists that are none.

use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::machine::shared;
use crate::common::started::Started;
use crate::common::{Fixture, program};
use narrows_model::{CrashTest, CrashTestOutcome};

fn command(fixture: &Fixture, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(["log", "crashtest"]).args(args).env("XDG_DATA_HOME", fixture.home());
    command.current_dir(fixture.data()).stdin(Stdio::null());
    command
}

fn crashtest(fixture: &Fixture, args: &[&str]) -> Output {
    command(fixture, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn refuses(fixture: &Fixture, args: &[&str], parts: &[&str]) {
    let output = crashtest(fixture, args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?} said:\n{said}");
    assert!(output.stdout.is_empty(), "{args:?}");
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in what {args:?} said:\n{said}");
    }
}

/// A list that is kept, and where.
fn listening(fixture: &Fixture) -> (Started, String) {
    let mut listen = command(fixture, &["listen", "../list", "--at", "127.0.0.1:0"]);
    let child = listen.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut list = Started::new(child);
    let said = list.wait_for("narrows log crashtest write");
    let address = said.split("listening on ").nth(1).unwrap().split(';').next().unwrap();
    let address = address.to_string();
    (list, address)
}

#[test]
fn a_rehearsal_ends_inconclusive_until_damage_and_a_cut_are_told() {
    let _machine = shared();
    let f = Fixture::new();
    let (list, address) = listening(&f);
    let write = ["write", "records", "--to", &address, "--same-host", "--load-here", "--for", "1s"];
    let written = crashtest(&f, &[&write[..], &["--ring", "24m"]].concat());
    assert_eq!(written.status.code(), Some(0), "{}", text(&written.stderr));
    assert!(text(&written.stdout).contains("stopped in order"), "{}", text(&written.stdout));
    let ended = list.end();
    assert_eq!(ended.code(), Some(0), "{}", ended.stderr);
    assert!(ended.stdout.contains("narrows log crashtest check"), "{}", ended.stdout);

    let check = ["check", "records", "--acknowledged", "../list"];
    let checked = crashtest(&f, &check);
    assert_eq!(checked.status.code(), Some(4), "{}", text(&checked.stderr));
    let said = text(&checked.stdout);
    assert!(said.contains("inconclusive") && said.contains("in order"), "{said}");

    // As if a drive's power had been cut.
    let told = [&check[..], &["--cut", "nothing, this is a test", "--least", "1"]].concat();
    let checked = crashtest(&f, &told);
    assert_eq!(checked.status.code(), Some(4), "{}", text(&checked.stdout));
    assert!(text(&checked.stdout).contains("nothing was under way"), "{}", text(&checked.stdout));

    // All records but the head are gone.
    let records = File::options().write(true).open(f.data().join("records")).unwrap();
    let length = records.metadata().unwrap().len();
    records.write_all_at(&vec![0; length as usize - 4096], 4096).unwrap();
    let checked = crashtest(&f, &[&told[..], &["--format", "json", "--remove"]].concat());
    assert_eq!(checked.status.code(), Some(3));
    let test: CrashTest = serde_json::from_slice(&checked.stdout).unwrap();
    assert_eq!(test.outcome, CrashTestOutcome::Refuted);
    assert_eq!((test.missing, test.torn), (test.checked, 0));
    assert!(test.lost.iter().all(|lost| lost.found.contains("zeros")), "{:?}", test.lost[0]);

    // What was lost is evidence, and stays.
    fs::remove_file(f.data().join("records")).unwrap();
    refuses(&f, &check, &["records is not there", "mounted", "--gone"]);
    let checked = crashtest(&f, &[&told[..], &["--gone"]].concat());
    assert_eq!(checked.status.code(), Some(3));
    f.assert_nothing_left();
}

#[test]
fn a_killed_writer_is_no_power_cut() {
    let _machine = shared();
    let f = Fixture::new();
    let (mut list, address) = listening(&f);
    let write = ["write", "records", "--to", &address, "--same-host", "--load-here", "--append"];
    let mut command = command(&f, &write);
    let mut writer = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    list.wait_for("records acknowledged so far");
    writer.kill().unwrap();
    writer.wait().unwrap();
    let ended = list.end();
    assert!(ended.stdout.contains("not a power cut"), "{}", ended.stdout);
    let checked = crashtest(&f, &["check", "records", "--acknowledged", "../list", "--remove"]);
    assert_eq!(checked.status.code(), Some(4));
    let said = text(&checked.stdout).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(said.contains("a killed process is not a power cut"), "{said}");
    f.assert_nothing_left();
}

#[test]
fn ctrl_c_ends_a_list_without_a_writer_and_leaves_no_file() {
    let _machine = shared();
    let f = Fixture::new();
    let (list, _) = listening(&f);
    list.signal(libc::SIGINT);
    assert_eq!(list.end().code(), Some(130));
    assert!(!f.home().join("../list").exists());
}

#[test]
fn ctrl_c_while_the_ring_is_filled_takes_the_file_with_it() {
    let _machine = shared();
    let f = Fixture::new();
    let (list, address) = listening(&f);
    // More than any drive takes before the signal comes.
    let write = ["write", "r", "--to", &address, "--same-host", "--load-here", "--ring", "64g"];
    let mut write = command(&f, &write);
    let child = write.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let writer = Started::new(child);
    let began = Instant::now();
    while !f.data().join("r").exists() {
        assert!(began.elapsed() < Duration::from_secs(60), "it makes no file");
        std::thread::sleep(Duration::from_millis(2));
    }
    writer.signal(libc::SIGINT);
    let ended = writer.end();
    assert_eq!(ended.code(), Some(130), "{}", ended.stderr);
    assert!(ended.stderr.contains("before the first record"), "{}", ended.stderr);
    assert!(!f.data().join("r").exists());
    let ended = list.end();
    assert!(ended.stdout.contains("stopped in order"), "{}", ended.stdout);
    f.assert_nothing_left();
}

#[test]
fn what_can_not_be_is_refused_with_a_way_out() {
    let f = Fixture::new();
    let (list, address) = listening(&f);
    let to = ["--to", &address];
    let write = |more: &[&str]| {
        [&["write"][..], &to, more].concat().iter().map(|s| s.to_string()).collect::<Vec<_>>()
    };
    let refuse = |more: &[&str], parts: &[&str]| {
        let args = write(more);
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        refuses(&f, &args, parts);
    };
    refuse(&["r", "--load-here"], &["one machine", "killed process", "--same-host"]);
    refuse(&["r", "--load-here", "--ring", "1m"], &["too small", "--ring"]);
    refuse(&["r", "--size", "1000"], &["512"]);
    refuse(&["r", "--sync", "maybe"], &["possible values"]);
    refuse(&["/nonexistent/r"], &["/nonexistent", "hint:"]);
    refuse(&["--postgres", "postgres://nobody@127.0.0.1/x"], &["a server in use", "--load-here"]);
    refuse(&[], &["FILE"]);
    let to_nobody = ["write", "r", "--to", "127.0.0.1:1", "--same-host", "--load-here"];
    refuses(&f, &to_nobody, &["127.0.0.1:1", "crashtest listen"]);
    list.signal(libc::SIGTERM);
    assert_eq!(list.end().code(), Some(130));

    let noise = f.home().join("noise");
    fs::write(&noise, "hello\n").unwrap();
    let noise = noise.to_str().unwrap();
    refuses(&f, &["check", "r", "--acknowledged", noise], &["not a list", "second host"]);
    refuses(&f, &["listen", noise], &["exists already"]);
    refuses(&f, &["listen", "x", "--at", "nowhere"], &["nowhere"]);
    refuses(&f, &["check", "r"], &["--acknowledged"]);
    f.assert_nothing_left();
}
