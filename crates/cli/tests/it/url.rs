//! `--database postgres://…`: somebody's server is not loaded unasked, and is afterwards as it was before.

use std::fs;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::common::machine::shared;
use crate::common::server::{PASSWORD, TheirServer};
use crate::common::started::Started;
use crate::common::{Fixture, LEAST, program};
use narrows_model::{Run, metric};

/// A server of somebody's, or a loud word that there is none.
fn theirs(fixture: &Fixture) -> Option<TheirServer> {
    let server = TheirServer::start(fixture);
    if server.is_none() {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
    }
    server
}

fn command(fixture: &Fixture, address: &str, more: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD").env(LEAST.0, LEAST.1);
    command.args(["run", "--quick", "--layers", "database", "--format", "json", "--data"]);
    command.arg(fixture.data()).args(["--workloads", "lookup_cached", "--database", address]);
    command.args(more);
    command
}

fn start(fixture: &Fixture, address: &str) -> Started {
    let child = command(fixture, address, &["--load-here"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    Started::new(child)
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// The password is in no output and in no run file.
fn assert_secret(fixture: &Fixture, shown: &str) {
    assert!(!shown.contains(PASSWORD), "{shown}");
    for path in fixture.runs() {
        let text = fs::read_to_string(&path).unwrap();
        assert!(!text.contains(PASSWORD), "{} holds the password", path.display());
    }
}

#[test]
fn a_server_is_not_loaded_unasked() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = theirs(&fixture) else { return };
    let before = server.everything();
    let output = command(&fixture, &server.app(), &[]).output().unwrap();
    let text = said(&output);
    assert_eq!(output.status.code(), Some(2), "{text}");
    for part in ["a server in use", "schema of its own", "hint:", "--load-here"] {
        assert!(text.contains(part), "`{part}` is missing in:\n{text}");
    }
    assert_secret(&fixture, &text);
    assert!(fixture.runs().is_empty());
    assert_eq!(server.everything(), before);
    assert_eq!(server.sessions_left(), "");
}

#[test]
fn what_would_keep_it_from_being_measured_is_said_at_once() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = theirs(&fixture) else { return };
    let closed = "postgres://app@127.0.0.1:1/shop".to_string();
    for (address, parts) in [
        (server.address("app", "wrong", "shop"), ["28P01", "hint: check user and password"]),
        (server.address("app", PASSWORD, "nosuch"), ["3D000", "hint: name an existing database"]),
        (server.address("nobody2", PASSWORD, "shop"), ["may not create a schema", "GRANT CREATE"]),
        (server.app().replace(&format!(":{PASSWORD}"), ""), ["~/.pgpass", "PGPASSWORD"]),
        (
            "postgres://app@nosuchhost.invalid/shop".into(),
            ["no host of that name: nosuchhost.invalid", "/etc/hosts"],
        ),
        (closed, ["cannot connect", "hint: is the server running there"]),
    ] {
        let output = command(&fixture, &address, &["--load-here"]).output().unwrap();
        let text = said(&output);
        assert_eq!(output.status.code(), Some(2), "{text}");
        for part in parts {
            assert!(text.contains(part), "`{part}` is missing in:\n{text}");
        }
        let error = text.lines().find(|line| line.starts_with("error: ")).expect("an error");
        assert_eq!(error.matches("postgres://").count(), 1, "{error}");
        assert_secret(&fixture, &format!("{text}{}", String::from_utf8_lossy(&output.stdout)));
    }
    assert!(fixture.runs().is_empty(), "nothing was measured, so nothing is kept");
}

#[test]
fn measured_on_request_it_is_afterwards_as_before() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = theirs(&fixture) else { return };
    let before = server.everything();

    // A run that dies leaves its schema; the next one removes it, and leaves alone what only looks like one.
    let mut killed = start(&fixture, &server.app());
    killed.wait_for("database measure");
    assert_ne!(server.everything(), before);
    killed.signal(libc::SIGKILL);
    killed.end();

    let more = ["--load-here", "--workloads", "lookup_uncached"];
    let output = command(&fixture, &server.app(), &more).output().unwrap();
    let text = said(&output);
    let run = Run::from_json(&String::from_utf8_lossy(&output.stdout)).expect(&text);
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{text}");
    assert!(text.contains("left by an interrupted run"), "{text}");
    for id in ["database.lookup_cached", "database.lookup_uncached"] {
        let measured = run.measurements.iter().find(|m| m.id == id).expect(&text);
        assert!(measured.value(metric::THROUGHPUT).is_some_and(|rate| rate > 0.0), "{id}: {text}");
    }
    assert_secret(&fixture, &format!("{text}{}", String::from_utf8_lossy(&output.stdout)));
    assert_eq!(server.everything(), before);
    assert_eq!(server.sessions_left(), "");
}

#[test]
fn a_server_that_is_bound_to_a_processor_has_that_one_and_the_load_another() {
    let _machine = shared();
    let allowed = narrows_facts::affinity::current();
    let [.., last] = allowed[..] else { panic!("no processor is allowed") };
    let fixture = Fixture::new();
    let Some(server) = theirs(&fixture) else { return };
    narrows_facts::affinity::pin_pid(server.postmaster(), &[last]).unwrap();
    let output = command(&fixture, &server.app(), &["--load-here"]).output().unwrap();
    let text = said(&output);
    let run = Run::from_json(&String::from_utf8_lossy(&output.stdout)).expect(&text);
    let measured = run.measurement("database.lookup_cached").expect(&text);
    assert_eq!(run.plan.server_cpus, [last]);
    assert_eq!(
        measured.conditions[narrows_model::condition::SERVER_CPUS],
        serde_json::json!([last])
    );
    assert_eq!(measured.value(metric::SERVER_CPUS), Some(1.0));
    let apart = allowed.len() > 1;
    assert_eq!(
        measured.conditions[narrows_model::condition::CPUS_SHARED],
        !apart,
        "{:?}",
        run.plan.client_cpus
    );
    if apart {
        assert!(!run.plan.client_cpus.contains(&last));
        let used = measured.value(metric::SERVER_CPU_PER_OP).unwrap()
            * measured.value(metric::THROUGHPUT).unwrap()
            / 1e9;
        // Medians of two figures that are not of one window.
        assert!(used <= 1.2, "{used} of one CPU");
    }
    // The quota is that of the server's own control group, and this one has none of its own.
    assert!(
        measured.conditions.contains(narrows_model::condition::SERVER_QUOTA_CPUS),
        "{:?}",
        measured.conditions
    );
}

#[test]
fn an_interrupted_run_takes_its_schema_with_it() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = theirs(&fixture) else { return };
    let before = server.everything();
    for phase in ["database fill", "database measure"] {
        let mut run = start(&fixture, &server.app());
        run.wait_for(phase);
        run.signal(libc::SIGINT);
        let asked = Instant::now();
        let ended = run.end();
        assert!(asked.elapsed() < Duration::from_secs(60), "{:?} to stop", asked.elapsed());
        assert_eq!(ended.code(), Some(130), "{phase}: {}", ended.stderr);
        assert!(!Run::from_json(&ended.stdout).unwrap().completed);
        assert_eq!(server.everything(), before, "after {phase}");
        assert_eq!(server.sessions_left(), "", "after {phase}");
    }
}

#[test]
fn a_server_restarted_in_the_middle_is_an_error_and_keeps_nothing_of_ours() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = theirs(&fixture) else { return };
    let before = server.everything();
    let mut run = start(&fixture, &server.app());
    run.wait_for("database measure");
    server.restart();
    let ended = run.end();
    assert_eq!(ended.code(), Some(3), "{}", ended.stderr);
    let run = Run::from_json(&ended.stdout).unwrap();
    let absent = run.findings.iter().find(|f| f.id == "absent-lookup_cached").expect("it says why");
    // A session that was open is cut off; one that opens just then is turned away.
    let known = ["restarted", "starting or stopping"];
    assert!(known.iter().any(|words| absent.advice.contains(words)), "{absent:?}");
    assert_secret(&fixture, &format!("{}{}", ended.stderr, ended.stdout));
    assert_eq!(server.everything(), before);
    assert_eq!(server.sessions_left(), "");
}
