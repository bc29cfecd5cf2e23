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
    let dry = |user: &str| {
        let address = server.address(user, PASSWORD, "shop");
        let output = command(&f, &address, &["--dry-run"]);
        assert_eq!(output.status.code(), Some(0), "{}", said(&output));
        (String::from_utf8_lossy(&output.stdout).into_owned(), said(&output))
    };
    let (plan, told) = dry("monitor");
    for part in ["server   PostgreSQL ", "checks   PostgreSQL ", "user monitor sees what all"] {
        assert!(plan.contains(part), "no `{part}` in: {plan}");
    }
    assert_eq!(told, "");
    let (_, told) = dry("nobody2");
    assert!(told.contains("note: user nobody2 sees counters only; GRANT pg_monitor TO nobody2"));
    assert!(f.runs().is_empty());
    server.prepare_load();
    let load = server.load(3);

    // Where the machine is busy with something else, three seconds may pass with few looks, or with none at a session at work.
    let seen_at_work = |run: &Run| {
        let sessions = run.measurement("database.observed").and_then(|m| m.value(metric::SESSIONS));
        observed(run).activity.samples > 5 && sessions.is_some_and(|sessions| sessions > 0.0)
    };
    let run = (0..5).map(|_| look(&f, &server, "monitor", &[])).find(seen_at_work);
    let run = run.expect("one of five looks sees sessions active");
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
fn no_question_sends_the_texts_of_statements_to_a_file_of_the_server() {
    let _machine = shared();
    let f = Fixture::new();
    let Some(mut server) = TheirServer::start(&f) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    server.ask("postgres", &format!("CREATE ROLE monitor LOGIN PASSWORD '{PASSWORD}'"));
    server.ask("postgres", "GRANT pg_monitor TO monitor");
    server.restart_with("-c fsync=off -c work_mem=128kB -c track_activity_query_size=16kB");
    let load = server.long_statements(24);
    let long = "SELECT count(*) FROM pg_stat_get_activity(NULL) WHERE length(query) > 8000";
    while server.ask("postgres", long).trim() != "24" {
        std::thread::sleep(std::time::Duration::from_millis(50));
    }
    // Of a database in which nobody else asks.
    server.ask("postgres", "CREATE DATABASE watched");
    let files = || -> u64 {
        let sql = "SELECT temp_files FROM pg_stat_database WHERE datname = 'watched'";
        server.ask("postgres", sql).trim().parse().unwrap()
    };
    server.ask("watched", long);
    assert_eq!(files(), 1, "a question with the usual memory writes one");
    let address = server.address("monitor", PASSWORD, "watched");
    let output = command(&f, &address, &["--for", "3s", "--format", "json"]);
    let run = Run::from_json(&String::from_utf8_lossy(&output.stdout)).expect("a run");
    let found = observed(&run);
    assert!(found.activity.samples > 0 && found.sessions.log_senders.is_some());
    let mut log = Command::new(program());
    log.env("XDG_DATA_HOME", f.home()).args(["log", "postgres", "--for", "3s"]);
    let output = log.arg(address).output().unwrap();
    assert!(said(&output).contains("saved: "), "{}", said(&output));
    assert_eq!(server.sessions_left(), "");
    assert_eq!(files(), 1);
    // It is no setting of the server's, and none that changed.
    assert!(found.settings.iter().any(|s| s.name == "work_mem" && s.value == "128kB"));
    assert!(!found.unknown.iter().any(|unknown| unknown.what.contains("changed")));
    drop(load);
}

#[test]
fn what_makes_no_sense_is_refused_with_a_way_out() {
    let f = Fixture::new();
    let url = "postgres://app@127.0.0.1:1/shop";
    for (args, parts) in [
        (vec!["--quick"], ["--quick without --load-here cannot be combined", "leave it out"]),
        (vec!["--layers", "block"], ["--layers cannot be combined", "leave it out"]),
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
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(text.contains("observe postgres://app@127.0.0.1:1/shop"), "{text}");
    assert!(text.contains("loads nothing, writes the run file only"), "{text}");
    assert!(
        text.contains("; 60 s, up to 10 min if too little happens or the load changes\n"),
        "{text}"
    );
    assert!(!text.contains("checks "), "nothing was found well: {text}");
    assert_eq!(said(&output), said(&command(&f, url, &[])), "the run says the same");
    assert_eq!(said(&output).matches(url).count(), 1, "{}", said(&output));
    let named = "postgres://app@nosuchhost.invalid/shop";
    let unknown = said(&command(&f, named, &["--dry-run"]));
    for part in ["no host of that name: nosuchhost.invalid", "/etc/hosts"] {
        assert!(unknown.contains(part), "no `{part}` in: {unknown}");
    }
    assert!(!unknown.contains("is the server running"), "{unknown}");
    assert_eq!(unknown.matches("postgres://").count(), 1, "{unknown}");
}

#[test]
fn a_run_without_names_has_none_in_the_file_and_on_the_screen() {
    let _machine = shared();
    let f = Fixture::new();
    let Some(server) = TheirServer::start(&f) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    for sql in [
        &format!("CREATE ROLE acme_monitor LOGIN PASSWORD '{PASSWORD}'"),
        "CREATE DATABASE acme_orders",
        "ALTER DATABASE acme_orders SET log_statement = 'all'",
        "ALTER SYSTEM SET cluster_name = 'acme_cluster'",
    ] {
        server.ask("postgres", sql);
    }
    server.restart();
    let address = server.address("acme_monitor", PASSWORD, "acme_orders");
    let folder = server.ask("shop", "SHOW data_directory").trim().to_string();
    let port = address.rsplit_once('/').and_then(|(head, _)| head.rsplit_once(':')).unwrap().1;
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap();
    let mut names = vec!["acme".to_string(), folder, format!(":{port}"), format!("\"{port}\"")];
    // A name of a letter or two is part of any word.
    names.extend(Some(host.trim().to_string()).filter(|host| host.len() > 6));
    let named = |text: &str| names.iter().find(|name| text.contains(name.as_str())).cloned();

    let open = command(&f, &address, &["--for", "3s", "--format", "json"]);
    let text = String::from_utf8_lossy(&open.stdout).into_owned();
    assert!(text.contains("acme_monitor") && text.contains("acme_orders"), "{}", said(&open));
    let cost = &Run::from_json(&text).unwrap().observations[0].cost;
    assert_eq!(cost.logged_by, ["log_statement = all"], "{cost:?}");
    assert!(cost.log_lines_per_min.unwrap() > 0.0, "{cost:?}");
    for run in f.runs() {
        std::fs::remove_file(run).unwrap();
    }

    for format in ["json", "text", "markdown", "html"] {
        let output = command(&f, &address, &["--for", "3s", "--anonymous", "--format", format]);
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        assert_eq!(named(&text), None, "{format}: {text}");
        assert_eq!(named(&said(&output)), None, "{format}: {}", said(&output));
        assert!(text.contains("user-1") && text.contains("database-1"), "{format}: {text}");
        assert!(said(&output).contains("saved as "), "{}", said(&output));
    }
    let runs = f.runs();
    assert_eq!(runs.len(), 4);
    for run in runs {
        let text = std::fs::read_to_string(run).unwrap();
        assert_eq!(named(&text), None, "{text}");
        assert!(Run::from_json(&text).unwrap().anonymous);
    }
    // What can't be reached is no reason to tell its name.
    drop(server);
    let output = command(&f, &address, &["--for", "3s", "--anonymous"]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert_eq!(named(&said(&output)), None, "{}", said(&output));
}
