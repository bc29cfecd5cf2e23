//! `narrows db` as users meet it: what it refuses, what it plans, and that nothing of it stays on somebody's server.

use std::process::{Command, Output};

use narrows_model::{Run, Validity, condition, metric};

use crate::common::machine::shared;
use crate::common::server::{PASSWORD, TheirServer};
use crate::common::{Fixture, LEAST, postgres_folder, program};

fn db(fixture: &Fixture, args: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD").env(LEAST.0, LEAST.1);
    command.arg("db").args(args).arg("--data").arg(fixture.data());
    command.output().expect("the program can be started")
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn what_does_not_fit_together_is_refused_before_anything_is_made() {
    let fixture = Fixture::new();
    for (args, parts) in [
        (&["lookup", "--blocks", "0"][..], &["--blocks", "from 1 to 1024"][..]),
        (&["lookup", "--sessions", "1,0"], &["--sessions"]),
        (&["lookup", "--keys", "zipf"], &["--keys", "zipf:0.99"]),
        (&["lookup", "--working-set", "0%"], &["--working-set", "percentage"]),
        (&["lookup", "--inside", "--calls", "any"], &["--inside", "--calls"]),
        (&["update", "--updates", "101"], &["--updates"]),
        (&["update", "--rate", "10", "--p99", "1ms"], &["--rate", "--p99"]),
        (&["update", "--rate", "10", "--think", "1ms"], &["--rate", "--think"]),
        (&["commit", "--table", "1g"], &["--table"]),
        (&["scan", "--sessions", "2"], &["--sessions"]),
        (&["lookup", "--p99", "1ms", "--sessions", "1,2"], &["one number of sessions", "hint:"]),
        (
            &["lookup", "--pool", "64m", "--working-set", "60m"],
            &["does not stay", "hint:", "--pool"],
        ),
        (
            &["lookup", "--calls", "any", "--blocks", "1024", "--working-set", "1m"],
            &["--blocks 1024", "128", "hint:", "--working-set"],
        ),
        (
            &["batch", "--blocks", "65", "--private", "--sessions", "4", "--table", "2m"],
            &["--blocks 65", "64", "a session's", "hint:"],
        ),
        (&["update", "--redo", "heavy", "--entropy", "0"], &["zeros", "hint:", "--entropy 1"]),
        (&["lookup", "--table", "8m", "--working-set", "9m"], &["more than the table", "--table"]),
        (&["scan", "--from", "pool", "--pool", "64m", "--table", "32m"], &["small ring", "hint:"]),
        (
            &["lookup", "postgres://a@nosuchhost.invalid/b", "--working-set", "50%", "--load-here"],
            &["percent", "hint:"],
        ),
        (&["lookup", "mysql://bob:secret@db/x"], &["starts with postgres://", "hint:"]),
        (&["lookup", "--starts", "0"], &["--starts", "from 1 to 30"]),
        (&["lookup", "--starts", "2", "postgres://a@nosuchhost.invalid/b"], &["--starts", "[URL]"]),
    ] {
        let output = db(&fixture, args);
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {text}");
        assert!(!text.contains("secret"), "{text}");
        for part in parts {
            assert!(text.contains(part), "{args:?}: `{part}` is missing in:\n{text}");
        }
    }
    assert!(fixture.runs().is_empty());
    fixture.assert_nothing_left();
}

#[test]
fn the_plan_says_what_will_be_done_and_what_it_writes() {
    let fixture = Fixture::new();
    let plan = |args: &[&str]| {
        let output = db(&fixture, &[args, &["--load-here", "--dry-run"]].concat());
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    let mix = ["update", "--updates", "30", "--redo", "heavy", "--keys", "hot:80/20", "--private"];
    let text = plan(&[&mix[..], &["--sessions", "4,1,2", "--pool", "64m"]].concat());
    for part in [
        "30 % updates, every column, 70 % lookups",
        "working set 33.6 MB (50 % of the pool",
        "80 % of the calls on 20 % of the keys",
        "one table per session (fewer sessions touch less)",
        "by 1, 2, 4 sessions",
        "writes up to",
        "log      ",
    ] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    let text =
        plan(&["lookup", "--from", "drive", "--blocks", "8", "--calls", "any", "--p99", "5ms"]);
    for part in
        ["lookup of 8 blocks in one statement", "from the drives", "p99 within 5", "block  "]
    {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    let seconds = |text: &str| -> f64 {
        let line = text.lines().find(|line| line.contains("lookup, from the pool")).unwrap();
        line.rsplit('(').next().unwrap().split(' ').next().unwrap().parse().unwrap()
    };
    let short = ["lookup", "--quick", "--window", "1s"];
    let (once, often) = (plan(&short), plan(&[&short[..], &["--starts", "4"]].concat()));
    assert!(often.contains("on 4 starts of the server") && !once.contains("starts"), "{often}");
    assert!(seconds(&often) > seconds(&once) + 3.0 * 3.0 * 1.0, "{once}\n{often}");
    assert!(fixture.runs().is_empty());
}

#[test]
fn a_load_is_repeated_on_further_starts_of_our_own_server() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(folder) = postgres_folder() else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    let update = ["update", "--quick", "--starts", "3", "--window", "1s", "--sessions", "2"];
    let small = ["--table", "32m", "--pool", "32m", "--layers", "database", "--load-here"];
    let postgres = ["--postgres", folder.to_str().unwrap()];
    let output = db(&fixture, &[&update[..], &small, &postgres, &["--format", "json"]].concat());
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let run = Run::from_json(&text).unwrap_or_else(|e| panic!("{e}: {}", said(&output)));
    let ids = ["database.update", "database.update.start_2", "database.update.start_3"];
    for id in ids {
        let m = run.measurement(id).unwrap_or_else(|| panic!("{id}: {}", said(&output)));
        assert!(m.value(metric::THROUGHPUT).unwrap() > 0.0 && m.repeats == 2, "{}", m.repeats);
        // The server's processes are found again, and its own counters agree.
        assert!(m.value(metric::BACKEND_CPU_PER_OP).is_some(), "{m:?}");
    }
    let [starts] = &run.starts[..] else { panic!("{:?}", run.starts) };
    // On a busy machine a window may have been too short for what it is to show, and its start then tells nothing.
    let valid = ids.iter().filter_map(|id| run.measurement(id));
    let valid = valid.filter(|m| m.validity != Validity::Invalid).count();
    assert_eq!((starts.workload.as_str(), starts.starts.len()), ("update", valid));
    fixture.assert_nothing_left();
}

#[test]
fn a_load_on_somebodys_server_is_asked_for_twice_and_leaves_nothing() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = TheirServer::start(&fixture) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    let before = server.everything();
    let address = server.app();
    let load = ["lookup", &address, "--blocks", "4", "--inside", "--private", "--sessions", "2"];
    let refused = db(&fixture, &load);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("--load-here"), "{}", said(&refused));
    assert_eq!(server.everything(), before);
    let pool = [
        "batch",
        &address,
        "--from",
        "pool",
        "--table",
        "2g",
        "--working-set",
        "1g",
        "--load-here",
    ];
    let refused = db(&fixture, &pool);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    for part in ["does not stay in a pool of 134", "hint:", "--working-set"] {
        assert!(said(&refused).contains(part), "{}", said(&refused));
    }
    assert_eq!(server.everything(), before);

    let short = ["--load-here", "--quick", "--window", "1s", "--table", "2m", "--format", "json"];
    let small = ["--layers", "database", "--working-set", "1m"];
    let output = db(&fixture, &[&load[..], &short, &small].concat());
    let text = said(&output);
    let shown = String::from_utf8_lossy(&output.stdout);
    let run = Run::from_json(&shown).unwrap_or_else(|error| panic!("{error}: {text}"));
    let m = run.measurement("database.lookup_cached").expect(&text);
    assert_eq!(m.workload[condition::BLOCKS_PER_OP], 4);
    assert_eq!(m.workload[condition::PRIVATE_TABLES], 2);
    assert!(m.value(metric::THROUGHPUT).is_some_and(|rate| rate > 0.0));
    assert!(run.verdicts.iter().any(|v| v.workload == "lookup_cached"), "{:?}", run.verdicts);
    assert!(!format!("{text}{shown}").contains(PASSWORD));
    assert_eq!(server.everything(), before);
    assert_eq!(server.sessions_left(), "");
}
