//! `narrows log` as users meet it: wrong input, dry runs, several logs, Ctrl-C. What came out is checked for
//! its structure, never for speed; planted slowness is in `alone`.

use std::process::{Command, Output, Stdio};

use crate::common::machine::{shared, together};
use crate::common::started::Started;
use crate::common::{Fixture, program};
use narrows_model::Run;

pub fn command(fixture: &Fixture, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.arg("log").args(args).env("XDG_DATA_HOME", fixture.home());
    command.current_dir(fixture.data());
    command
}

fn narrows(fixture: &Fixture, args: &[&str]) -> Output {
    command(fixture, args).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Runs to the end and reads the run from standard output; nothing may be left.
pub fn run(fixture: &Fixture, mut command: Command) -> Run {
    let output = command.args(["--load-here", "--format", "json"]).output().unwrap();
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{:?}:\n{said}", output.status);
    fixture.assert_nothing_left();
    Run::from_json(&text(&output.stdout))
        .unwrap_or_else(|error| panic!("{error}; it said:\n{said}"))
}

#[test]
fn wrong_arguments_are_named_with_a_way_out() {
    let f = Fixture::new();
    let missing = f.data().join("nowhere").display().to_string();
    let none = f.home().join("sizes.txt");
    std::fs::write(&none, "200 many\n").unwrap();
    let none = none.display().to_string();
    for (args, parts) in [
        (vec!["--wal", &missing], vec!["--wal", "nowhere", "hint:"]),
        (vec!["--data", &missing], vec!["--data", "nowhere", "hint:"]),
        (vec!["ladder", "--sizes", "100"], vec!["multiples of 512"]),
        (vec!["ladder", "--tier", &missing], vec!["--tier", "nowhere", "hint:"]),
        (vec!["ladder", "--tier", "."], vec!["on the same ", "in the same place twice", "df DIR"]),
        (
            vec![
                "ladder",
                "--tier",
                ".",
                "--write-to-device",
                "nvme-tcp://h/nqn.x:a",
                "--serial",
                "S",
            ],
            vec!["--tier", "--write-to-device"],
        ),
        (vec!["ladder", "--methods", "prayer"], vec!["prayer", "fdatasync"]),
        (vec!["commits", "--size-histogram", &none], vec!["line 1", "200 many", "hint:"]),
        (vec!["commits", "--commit-delay", "1s"], vec!["at most 100ms"]),
        (vec!["streams", "--rate", "4MB"], vec!["bytes per second"]),
    ] {
        let output = narrows(&f, &args);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{args:?} said:\n{said}");
        for part in parts {
            assert!(said.contains(part), "`{part}` is missing in what {args:?} said:\n{said}");
        }
    }
    assert!(f.runs().is_empty());
}

#[test]
fn a_dry_run_prints_the_plan_and_touches_nothing() {
    let f = Fixture::new();
    for (args, part) in [
        (vec!["--load-here", "--dry-run"], "search for the highest rate of commits"),
        (
            vec!["ladder", "--alone", "--load-here", "--dry-run"],
            "steps from the device's flush upwards",
        ),
        (vec!["commits", "--load-here", "--dry-run"], "sessions in a closed loop"),
        (
            vec!["streams", "--load-here", "--dry-run"],
            "10 WAL streams with 4.00 MB/s each in writes of 128 KiB",
        ),
    ] {
        let output = narrows(&f, &args);
        let printed = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
        assert!(printed.contains(part), "{args:?} printed:\n{printed}");
    }
    assert!(f.runs().is_empty());
    f.assert_nothing_left();
}

#[test]
fn several_logs_are_measured_together_and_counted() {
    let _machine = shared();
    let f = Fixture::new();
    let args = [
        "streams",
        "--streams",
        "2",
        "--rate",
        "200kB/s",
        "--size",
        "4k",
        "--repeats",
        "1",
        "--most-streams",
        "2",
        "--within",
        "10s",
        "--cache",
        "1g",
    ];
    let run = run(&f, command(&f, &args));
    let ids: Vec<&str> = run.measurements.iter().map(|m| m.id.as_str()).collect();
    assert_eq!(ids, ["log.streams.1", "log.streams.2"]);
    let two = run.measurement("log.streams.2").unwrap();
    assert!(
        two.text(narrows_model::condition::SENTENCE)
            .unwrap()
            .contains("The device holds 2 WAL streams"),
        "{two:?}"
    );
    assert!(two.number(narrows_model::condition::CACHE_TURNOVER_S).is_some());
}

#[test]
fn ctrl_c_leaves_a_partial_run_and_nothing_else() {
    let _machine = shared();
    let cases = [&["ladder", "--no-database"][..], &["commits"], &["streams"]];
    together(3, &cases, |&args| {
        let f = Fixture::new();
        let mut command = command(&f, args);
        command.args(["--load-here"]).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut started = Started::new(command.spawn().unwrap());
        started.wait_for("plan");
        std::thread::sleep(std::time::Duration::from_millis(400));
        started.signal(libc::SIGINT);
        let ended = started.end();
        assert_eq!(ended.code(), Some(130), "{args:?}: {}", ended.stderr);
        f.assert_nothing_left();
        let runs = f.runs();
        assert_eq!(runs.len(), 1, "{args:?}");
        let kept = Run::from_json(&std::fs::read_to_string(&runs[0]).unwrap()).unwrap();
        assert!(!kept.completed);
    });
}
