//! `narrows db orders` as users meet it: the whole of it on a server of our own, and what it leaves on somebody's.

use std::process::{Command, Output, Stdio};

use narrows_model::{Run, Validity, orders};

use crate::common::machine::shared;
use crate::common::server::TheirServer;
use crate::common::started::Started;
use crate::common::{Fixture, LEAST, postgres_folder, program};

fn orders(fixture: &Fixture, args: &[&str]) -> Output {
    command(fixture, args).output().expect("the program can be started")
}

fn command(fixture: &Fixture, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env_remove("PGPASSWORD").env(LEAST.0, LEAST.1);
    command.args(["db", "orders", "--data"]).arg(fixture.data()).args(args);
    command
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn run_of(output: &Output) -> Run {
    Run::from_json(&String::from_utf8_lossy(&output.stdout))
        .unwrap_or_else(|error| panic!("{error}: {}", said(output)))
}

/// As short as it goes.
const SHORT: [&str; 9] =
    ["--warehouses", "1", "--quick", "--window", "1s", "--warm-up", "1s", "--layers", "database"];

#[test]
fn a_warehouse_is_loaded_run_checked_and_outlives_a_crash() {
    if postgres_folder().is_none() {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    }
    let _machine = shared();
    let fixture = Fixture::new();
    let args = ["--starts", "2", "--crash", "--load-here", "--format", "json"];
    let args = [&SHORT[..], &args].concat();
    let output = orders(&fixture, &args);
    let run = run_of(&output);
    let mix = run.measurement(orders::ID).unwrap_or_else(|| panic!("{}", said(&output)));
    assert!(mix.value(orders::NEW_ORDERS_PER_MIN).unwrap() > 0.0);
    assert_eq!(mix.value(orders::VIOLATED), Some(0.0), "{:?}", mix.conditions);
    assert_eq!(mix.value(orders::MISCOUNTED), Some(0.0));
    assert_eq!(mix.value(orders::WAREHOUSES_TOUCHED), Some(1.0));
    let again = run.measurement(&format!("{}.start_2", orders::ID)).unwrap();
    assert_eq!(again.value(orders::MISCOUNTED), Some(0.0), "{:?}", again.conditions);
    assert!(again.value(orders::NEW_ORDERS_PER_MIN).unwrap() > 0.0);
    let recovery = run.measurement(&format!("{}.recovery", orders::ID)).unwrap();
    assert_eq!(recovery.value(orders::LOST), Some(0.0));
    assert!(recovery.value(orders::ACKNOWLEDGED).unwrap() > 0.0);
    // On a busy machine the windows may be worth no verdict.
    let judged = run.verdicts.iter().any(|verdict| verdict.workload == "orders");
    assert!(judged || mix.validity == Validity::Invalid, "{:?}", run.verdicts);
    assert_eq!(mix.workload[narrows_model::condition::DERIVED], orders::DERIVED);
    fixture.assert_nothing_left();
}

#[test]
fn what_a_load_leaves_on_a_server_is_named_and_goes_when_asked() {
    let _machine = shared();
    let fixture = Fixture::new();
    let Some(server) = TheirServer::start(&fixture) else {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    };
    let before = server.everything();
    let output = orders(&fixture, &["--warehouses", "1", &server.app()]);
    assert_eq!(output.status.code(), Some(2), "{}", said(&output));
    assert!(said(&output).contains("--load-here"), "{}", said(&output));
    let output =
        orders(&fixture, &["--warehouses", "1", "--load-only", "--load-here", &server.app()]);
    assert!(output.status.success(), "{}", said(&output));
    assert!(said(&output).contains("--drop"), "{}", said(&output));
    let other =
        orders(&fixture, &["--warehouses", "2", "--load-only", "--load-here", &server.app()]);
    assert!(said(&other).contains("made with 1 warehouses"), "{}", said(&other));
    assert_eq!(other.status.code(), Some(2), "{}", said(&other));
    assert!(!said(&other).contains("stays in the schema"), "{}", said(&other));
    // A run that found everything loaded removes nothing, and neither does a dry run.
    let output =
        orders(&fixture, &[&SHORT[..], &["--rate", "20", "--load-here", &server.app()]].concat());
    assert!(said(&output).contains("what was loaded before stays"), "{}", said(&output));
    let output = orders(&fixture, &["--drop", "--dry-run", &server.app()]);
    assert!(output.status.success(), "{}", said(&output));
    let would = String::from_utf8_lossy(&output.stdout);
    assert!(would.contains("would remove") && would.contains("1 of 1 warehouse"), "{would}");
    assert_ne!(server.everything(), before);
    let output = orders(&fixture, &["--drop", &server.app()]);
    assert!(output.status.success(), "{}", said(&output));
    assert_eq!(server.everything(), before);
    let said = interrupted_in_its_windows(&fixture, &server.app());
    assert_eq!(server.everything(), before, "{said}");
}

/// Nobody asked to keep what it has loaded by then.
fn interrupted_in_its_windows(fixture: &Fixture, address: &str) -> String {
    let args = ["--warehouses", "1", "--window", "60s", "--layers", "database", "--load-here"];
    let mut command = command(fixture, &[&args[..], &[address]].concat());
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = Started::new(command.spawn().expect("the program can be started"));
    run.wait_for("loaded 1 warehouse");
    run.wait_for("database measure");
    run.signal(libc::SIGINT);
    let ended = run.end();
    assert_eq!(ended.code(), Some(130), "{}", ended.stderr);
    assert!(!ended.stderr.contains("stays in the schema"), "{}", ended.stderr);
    ended.stderr
}

#[test]
fn what_makes_no_sense_is_refused_before_anything_is_made() {
    let fixture = Fixture::new();
    let url = "postgres://bob@localhost:1/shop";
    for args in [
        &["--crash", url][..],
        &["--drop"],
        &["--keep"],
        &["--paced", "--rate", "5"],
        &["--warehouses", "0"],
        &["--warm-up", "0s"],
    ] {
        let output = orders(&fixture, args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {}", said(&output));
    }
    fixture.assert_nothing_left();
}
