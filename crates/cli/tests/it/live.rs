//! `narrows log postgres`: somebody's server is looked at, what was planted in it is named, and it is afterwards as before.

use std::path::Path;
use std::process::{Command, Output, Stdio};

use crate::common::machine::shared;
use crate::common::server::{PASSWORD, TheirServer};
use crate::common::started::Started;
use crate::common::{Fixture, program};
use narrows_model::{Grade, LiveBound, LiveCpus, LiveLog, LiveVerdict, Run};

/// The shortest look.
const SHORT: [&str; 2] = ["--for", "3s"];

/// A server of somebody's, or a loud word that there is none.
pub fn theirs(
    fixture: &Fixture,
    options: &str,
    slow_flush: Option<(std::path::PathBuf, u32)>,
) -> Option<TheirServer> {
    let server = TheirServer::start_with(fixture, options, slow_flush);
    if server.is_none() {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
    }
    server
}

fn command(fixture: &Fixture, address: &str, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD");
    command.args(["log", "postgres", address]).args(args);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Looks to the end; the password is in no output and in no run file, and no session of ours is left.
pub fn look(fixture: &Fixture, server: &TheirServer, user: &str) -> (Run, Option<i32>) {
    let address = server.address(user, PASSWORD, "shop");
    let mut command = command(fixture, &address, &SHORT);
    let output = command.args(["--format", "json"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let run = Run::from_json(&text).unwrap_or_else(|e| panic!("{e}; it said:\n{}", said(&output)));
    assert!(!text.contains(PASSWORD) && !said(&output).contains(PASSWORD));
    assert_eq!(server.sessions_left(), "");
    (run, output.status.code())
}

pub fn live(run: &Run) -> (&LiveLog, &LiveVerdict) {
    let log = run.live_logs.first().expect("a live log");
    (log, log.verdict.as_ref().expect("it is judged"))
}

pub fn fired(run: &Run, rule: &str) -> bool {
    run.findings.iter().any(|finding| finding.id == rule)
}

#[test]
fn an_idle_server_a_standby_and_wrong_addresses_are_told() {
    let _machine = shared();
    let f = Fixture::new();
    let Some(mut server) = theirs(&f, "-c fsync=off", None) else { return };
    let before = server.everything();
    let closed = "postgres://app@127.0.0.1:1/shop".to_string();
    for (address, parts) in [
        (server.address("app", "wrong", "shop"), ["28P01", "hint: check user and password"]),
        (server.address("app", PASSWORD, "nosuch"), ["3D000", "hint: name an existing database"]),
        ("mysql://app@db7/shop".to_string(), ["cannot be observed", "--kind mariadb"]),
        ("app@db7/shop".to_string(), ["postgres://", "hint: write it as"]),
        (closed, ["cannot connect", "hint: is the server running there"]),
    ] {
        let output = command(&f, &address, &[]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        for part in parts {
            assert!(said(&output).contains(part), "no `{part}` in:\n{}", said(&output));
        }
    }
    let dry = command(&f, &server.app(), &["--dry-run"]).output().unwrap();
    let plan = String::from_utf8_lossy(&dry.stdout).into_owned();
    assert_eq!(dry.status.code(), Some(0), "{}", said(&dry));
    assert!(plan.contains("writes nothing") && !plan.contains(PASSWORD), "{plan}");
    assert!(plan.contains("checks   PostgreSQL ") && plan.contains(" answers"), "{plan}");
    // Who may not see others' sessions is told before the look.
    assert!(said(&dry).contains("note: user app sees counters only; GRANT pg_monitor TO app"));
    assert!(f.runs().is_empty(), "nothing was looked at, so nothing is kept");

    // A stop keeps what was seen, marked as a part.
    let mut child = command(&f, &server.app(), &["--for", "10min"]);
    child.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut started = Started::new(child.spawn().unwrap());
    started.wait_for("window 1 of");
    started.signal(libc::SIGINT);
    let ended = started.end();
    assert_eq!(ended.code(), Some(130), "{}", ended.stderr);
    let kept = std::fs::read_to_string(&f.runs()[0]).unwrap();
    let run = Run::from_json(&kept).unwrap();
    assert!(!run.completed && !kept.contains(PASSWORD));
    let (log, verdict) = live(&run);
    assert_eq!((verdict.bound, verdict.grade), (LiveBound::Idle, Grade::Undecided));
    assert!(fired(&run, "live-fsync-off"));
    assert!(log.is_set("fsync", "off"));
    // Stopped within the first ticks of the kernel, it has counted no CPUs, and says none.
    let sound = |cpus: &LiveCpus| cpus.available > 0.0 && cpus.used <= cpus.available;
    assert!(log.cpus.as_ref().is_none_or(sound), "{:?}", log.cpus);
    assert_eq!(server.sessions_left(), "");

    // Its processes are here; which sessions did something is not for this role to see.
    let (run, _) = look(&f, &server, "app");
    let cpus = live(&run).0.cpus.as_ref().expect("the server's CPUs are counted");
    assert!(sound(cpus) && cpus.sessions.is_none(), "{cpus:?}");
    assert_eq!(server.everything(), before);

    server.make_standby();
    server.restart_with("");
    let output = command(&f, &server.app(), &[]).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    for part in ["is a standby (", "replayed WAL up to", "hint: name its primary"] {
        assert!(said(&output).contains(part), "no `{part}` in:\n{}", said(&output));
    }
    assert_eq!(f.runs().len(), 2);
}

#[test]
fn what_pg_test_fsync_printed_is_shown_in_our_words_or_refused_with_its_line() {
    let f = Fixture::new();
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/pg_test_fsync-15.txt");
    let show = |path: &Path| {
        let mut command = Command::new(program());
        command.env("XDG_DATA_HOME", f.home()).args(["log", "postgres", "--pg-test-fsync"]);
        command.arg(path).output().unwrap()
    };
    let output = show(&data);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    for part in ["8 KiB fdatasync", "dsync direct (open_datasync)", "237 µs", "not possible there"]
    {
        assert!(text.contains(part), "no `{part}` in:\n{text}");
    }
    let wrong = f.home().join("wrong.txt");
    std::fs::write(&wrong, "5 seconds per test\nhello\n").unwrap();
    let output = show(&wrong);
    assert_eq!(output.status.code(), Some(2));
    for part in ["wrong.txt", "line 2", "hello", "hint:"] {
        assert!(said(&output).contains(part), "no `{part}` in:\n{}", said(&output));
    }
    assert!(f.runs().is_empty());
}
