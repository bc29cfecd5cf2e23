//! `narrows run --observe`: somebody's server is looked at, and is afterwards as before.

use std::process::{Command, Output};

use crate::common::machine::shared;
use crate::common::server::{PASSWORD, TheirServer};
use crate::common::{Fixture, program};
use narrows_model::{Observation, ProcessClass, Role, Run, metric};

fn command(fixture: &Fixture, address: &str, args: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD");
    command.args(["run", "--observe", address]).args(args).output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Looks to the end; the password is in no output and in no run file, and no session of ours is left.
fn look(fixture: &Fixture, server: &TheirServer, user: &str, args: &[&str]) -> Run {
    let address = server.address(user, PASSWORD, "shop");
    let all = [&["--for", "3s", "--format", "json"], args].concat();
    let output = command(fixture, &address, &all);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let run = Run::from_json(&text).unwrap_or_else(|e| panic!("{e}; it said:\n{}", said(&output)));
    assert!(!text.contains(PASSWORD) && !said(&output).contains(PASSWORD));
    assert_eq!(server.sessions_left(), "");
    run
}

fn observed(run: &Run) -> &Observation {
    run.observations.first().expect("an observation")
}

#[test]
fn a_server_under_load_is_looked_at_and_as_before() {
    let _machine = shared();
    let f = Fixture::new();
    let Some(server) = TheirServer::start(&f) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    server.ask("postgres", &format!("CREATE ROLE monitor LOGIN PASSWORD '{PASSWORD}'"));
    server.ask("postgres", "GRANT pg_monitor TO monitor");
    let before = server.everything();
    server.prepare_load();
    let load = server.load(3);

    // Where the machine is busy with something else, three seconds may pass with few looks, or with none at a session at work.
    let seen_at_work = |run: &Run| {
        let sessions = run.measurement("database.observed").and_then(|m| m.value(metric::SESSIONS));
        observed(run).activity.samples > 5 && sessions.is_some_and(|sessions| sessions > 0.0)
    };
    let run = (0..5).map(|_| look(&f, &server, "monitor", &[])).find(seen_at_work);
    let run = run.expect("one of five looks sees sessions at work");
    let found = observed(&run);
    let m = run.measurement("database.observed").expect("its measurement");
    let value = |name| m.value(name);
    assert!(value(metric::THROUGHPUT).unwrap() > 5.0, "{m:#?}");
    assert_eq!(found.sessions.most_open, Some(3.0));
    assert!(value(metric::WAL_BYTES_PER_OP).unwrap() > 50.0);
    // It runs here, so that its processes are seen, and its files.
    let processes = found.processes.as_ref().expect("its processes");
    let sessions = processes.classes.iter().find(|c| c.class == ProcessClass::Session).unwrap();
    assert!(sessions.cpus > 0.0 && sessions.cpus < processes.allowed_cpus + 0.1, "{processes:?}");
    assert!(value(metric::BACKEND_CPU_PER_OP).unwrap() > 1000.0);
    assert!(found.cost.processors.unwrap() > 0.0 && found.cost.statements > 10);
    let platform = run.platform().unwrap();
    assert!(platform.roles.iter().any(|path| path.role == Role::Data), "{:?}", platform.roles);
    // The server's own account of the time in statements, less ours: where we wait long for a processor little is left.
    assert!(value(metric::ACTIVE_TIME_PER_OP).is_some());
    assert!(found.settings.iter().any(|s| s.name == "fsync" && s.value == "off"));

    // Who may not see what others do gets the counters, and is told what is missing.
    let blind = look(&f, &server, "nobody2", &[]);
    let found = observed(&blind);
    assert_eq!(found.activity.samples, 0);
    assert!(found.counted.commits.unwrap() > 0.0);
    let missing = found.unknown.iter().find(|unknown| unknown.what.starts_with("what sessions do"));
    assert_eq!(missing.unwrap().needs, "GRANT pg_monitor TO nobody2");

    // A run that measured nothing gives no capacities.
    let stored = f.runs()[0].display().to_string();
    let address = server.address("monitor", PASSWORD, "shop");
    let refused = command(&f, &address, &["--for", "3s", "--capacities", &stored]);
    assert_eq!(refused.status.code(), Some(2), "{}", said(&refused));
    assert!(said(&refused).contains("--capacities") && said(&refused).contains("hint: "));
    drop(load);
    assert_eq!(server.everything(), before);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_way_out() {
    let f = Fixture::new();
    let url = "postgres://app@127.0.0.1:1/shop";
    for (args, parts) in [
        (vec!["--quick"], ["--quick without --load-here makes no sense", "leave it out"]),
        (vec!["--layers", "block"], ["--layers makes no sense", "leave it out"]),
        (
            vec!["--database", url],
            ["--database names a server to load", "leave one of the two out"],
        ),
        (vec!["--data", "/var/tmp"], ["without --load-here", "the server says where"]),
        (vec!["--load-here"], ["needs a folder", "--data DIR"]),
        (
            vec!["--load-here", "--data", "/var/tmp", "--capacities", "x"],
            ["both say where", "leave one of the two out"],
        ),
        (vec!["--for", "1s"], ["from 3s to 24h", "--for"]),
        (vec![], ["cannot connect", "hint: is the server running there"]),
    ] {
        let output = command(&f, url, &args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
        for part in parts {
            assert!(said(&output).contains(part), "{args:?}: {}", said(&output));
        }
    }
    assert!(f.runs().is_empty(), "what can't be reached leaves nothing");
    let output = command(&f, url, &["--dry-run"]);
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    assert!(text.contains("look at postgres://app@127.0.0.1:1/shop"), "{text}");
    assert!(text.contains("loads nothing, writes the run file only"), "{text}");
}
