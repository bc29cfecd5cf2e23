//! `narrows tier prove` as users meet it: what can't be measured, the plan, both sides in one document, a stored run once more. That forecasts
//! and tiers agree is no test: `cargo xtask tier-proofs` measures it.

use std::process::{Command, Output};

use serde_json::Value;

use crate::common::machine::shared;
use crate::common::{Fixture, LEAST, program};
use crate::placement::{assert_empty, text};

fn prove(fixture: &Fixture, words: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.args(["tier", "prove"]).args(words).env("XDG_DATA_HOME", fixture.home());
    command.env(LEAST.0, LEAST.1).env("NO_COLOR", "1");
    command
}

fn refused(output: &Output, parts: &[&str]) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "it said:\n{said}");
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

#[test]
fn what_cannot_be_measured_is_refused_with_a_way_out() {
    let f = Fixture::new();
    let (off, on) = (f.public("off"), f.public("on"));
    let (off, on) = (off.to_str().unwrap(), on.to_str().unwrap());
    let of = |words: &[&str]| prove(&f, words).output().unwrap();
    refused(&of(&["reads", off, on]), &["--tier-size"]);
    refused(&of(&["reads", off, off, "--tier-size", "1MiB"]), &["named as OFF and as ON", "hint:"]);
    refused(&of(&["reads", off, "/nowhere", "--tier-size", "1MiB"]), &["/nowhere", "hint:"]);
    refused(
        &of(&["reads", off, on, "--tier-size", "1MiB", "--size", "1000"]),
        &["--size 1000", "whole sectors", "hint:"],
    );
    refused(&of(&["reads", off, on, "--tier-size", "1MiB", "--keys", "pareto"]), &["zipf:0.99"]);
    refused(&of(&["log", off, on]), &["WAL would be in the same place twice", "hint:"]);
    refused(&of(&["log", off, "/nowhere"]), &["/nowhere", "OFF or ON"]);
    refused(&of(&["log", off]), &["ON"]);
    refused(&of(&["log", "--run", "nothing"]), &["no run `nothing`", "hint:"]);
    assert!(f.runs().is_empty());
}

#[test]
fn a_dry_run_prints_the_windows_of_both_sides() {
    let f = Fixture::new();
    let (off, on) = (f.public("off"), f.public("on"));
    let mut command = prove(&f, &["reads"]);
    command.args([&off, &on]).args(["--tier-size", "8MiB", "--working-set", "32MiB", "--dry-run"]);
    let output = command.arg("--load-here").output().unwrap();
    let printed = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    for part in
        ["files to be read", "warming the tier", "8 sessions that read, off and on in turns"]
    {
        assert!(printed.contains(part), "`{part}` is missing in:\n{printed}");
    }
    assert!(f.runs().is_empty());
}

#[test]
fn one_document_has_both_sides_and_a_stored_run_gives_it_again() {
    let _machine = shared();
    let f = Fixture::new();
    let (off, on) = (f.public("off"), f.public("on"));
    let mut command = prove(&f, &["reads"]);
    command.args([&off, &on]).args(["--tier-size", "2MiB", "--working-set", "8MiB"]);
    command.args(["--sessions", "2", "--warm-up", "100ms", "--repeats", "3", "--window", "100ms"]);
    let output = command.args(["--load-here", "--format", "json"]).output().unwrap();
    let said = text(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{:?} {said}", output.status);
    assert_empty(&off);
    assert_empty(&on);
    let told: Value = serde_json::from_slice(&output.stdout).expect(&said);
    let rows = told["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read IOPS", "single-block read", "bytes read"]);
    for row in rows {
        assert!(row["off"].is_f64() && row["on"].is_f64() && row["holds"].is_boolean(), "{row}");
        assert!(row["measured"]["low"].is_f64(), "{row}");
    }
    // What LRU serves at least, and the most popular at most, of a quarter of the blocks.
    let missed = told["forecast"]["lines"].as_array().unwrap().iter();
    let missed = missed.clone().find(|line| line["key"] == "tier.missed").unwrap();
    let share = missed["value"].as_f64().unwrap();
    assert!((0.1..0.5).contains(&share), "{missed}");
    let runs = f.runs();
    let [run] = runs.as_slice() else { panic!("{} runs", runs.len()) };
    let run = run.to_str().unwrap();
    let again = prove(&f, &["reads", "--run", run, "--format", "json"]).output().unwrap();
    let again: Value = serde_json::from_slice(&again.stdout).unwrap();
    assert_eq!(again, told);
    let screen = prove(&f, &["reads", "--run", run]).output().unwrap();
    let screen = text(&screen.stdout);
    for part in ["on, forecast", "on, measured", "result", "off             block.tier.off of run"] {
        assert!(screen.contains(part), "`{part}` is missing in:\n{screen}");
    }
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
}
