//! `narrows tier prove` as users meet it: what can't be measured, the plan, both sides in one document, a stored run once more. That forecasts
//! and tiers agree is no test: `cargo xtask tier-proofs` measures it.

use std::process::{Command, Output};

use narrows_model::{
    Interval, IntervalMethod, Layer, Measurement, Metric, MetricValue, Plan, Platform, Run,
    condition, metric,
};
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
    let reads = |on: &str, more: &[&str]| of(&[&["reads", off, on][..], more].concat());
    refused(&reads("/nowhere", &["--tier-size", "1MiB"]), &["/nowhere", "nvme-tcp://", "hint:"]);
    refused(
        &reads("/dev/null", &["--tier-size", "1MiB"]),
        &["neither a block device nor a folder"],
    );
    refused(&reads(on, &["--tier-size", "0"]), &["--tier-size", "fewer than 64 reads", "hint:"]);
    refused(
        &reads(on, &["--tier-size", "1MiB", "--working-set", "1k"]),
        &["--working-set", "fewer than 64 reads", "hint:"],
    );
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
fn a_database_is_refused_where_its_reads_prove_nothing() {
    let f = Fixture::new();
    let (off, on) = (f.public("off"), f.public("on"));
    let (off, on) = (off.to_str().unwrap(), on.to_str().unwrap());
    let of = |off: &str, on: &str, more: &[&str]| {
        let words = ["reads", "--database", "postgres", off, on];
        let sizes = ["--tier-size", "64MiB", "--working-set", "256MiB"];
        prove(&f, &[&words[..], &sizes[..], more].concat()).output().unwrap()
    };
    let same = "data would be in the same place twice";
    refused(&of(off, on, &[]), &[same, off, on, "hint:", "df DIR"]);
    refused(&of(off, "/nowhere", &[]), &["ON /nowhere", "hint:"]);
    refused(&of(off, "/dev/null", &[]), &["is not a folder", "hint:"]);
    refused(&of(off, on, &["--size", "8k"]), &["--size", "--database"]);
    for pool in ["0", "100k", "1500k"] {
        refused(&of(off, on, &["--pool", pool]), &["--pool", "whole MiB", "hint:"]);
    }
    refused(
        &of(off, on, &["--pool", "8m"]),
        &["--tier-size 64 MiB", "16 times shared_buffers (8 MiB)", "hint:", "--pool"],
    );
    // One more: 16 times as much is enough, and the folders are looked at.
    refused(&of(off, on, &["--pool", "4m"]), &[same]);
    let small = ["reads", "--database", "postgres", off, on, "--tier-size", "64MiB"];
    let small = prove(&f, &[&small[..], &["--working-set", "8MiB"]].concat()).output().unwrap();
    refused(&small, &["--working-set 8 MiB", "larger than the tier", "hint:"]);
    // What belongs to a server, without one.
    refused(
        &prove(&f, &["reads", off, on, "--tier-size", "64MiB", "--pool", "4m"]).output().unwrap(),
        &["--database"],
    );
    refused(&of(off, on, &["--run", "7f3a"]), &["--run"]);
    if let Some(memory) = crate::placement::memory() {
        let memory = memory.path().to_str().unwrap();
        refused(&of(off, memory, &[]), &["is in memory", memory, "hint:"]);
    }
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
fn both_sides_are_read_and_kept_and_nothing_is_left() {
    let _machine = shared();
    let f = Fixture::new();
    let (off, on) = (f.public("off"), f.public("on"));
    let mut command = prove(&f, &["reads"]);
    command.args([&off, &on]).args(["--tier-size", "2MiB", "--working-set", "8MiB"]);
    command.args(["--sessions", "2", "--warm-up", "100ms", "--repeats", "3", "--window", "100ms"]);
    let output = command.args(["--load-here", "--format", "json"]).output().unwrap();
    let said = text(&output.stderr);
    assert_empty(&off);
    assert_empty(&on);
    let runs = f.runs();
    let [run] = runs.as_slice() else { panic!("{} runs: {said}", runs.len()) };
    let run: Run = serde_json::from_slice(&std::fs::read(run).unwrap()).unwrap();
    let mut ids: Vec<&str> = run.measurements.iter().map(|m| &*m.id).collect();
    ids.sort_unstable();
    let sides = ["hit", "hit_between", "off", "off_alone", "on"];
    assert_eq!(ids, sides.map(|side| format!("block.tier.{side}")));
    for m in &run.measurements {
        // What LRU serves at least, and the most popular at most, of a quarter of the blocks.
        let share = |key| m.number(key).unwrap();
        let (least, most) = (share(condition::TIER_HITS_LEAST), share(condition::TIER_HITS_MOST));
        assert!(0.5 < least && least < most && most < 0.95, "{least} to {most}");
    }
    // Windows so short may be worth nothing on a busy machine: then it says so, and gives no figure.
    match output.status.code() {
        Some(0 | 3 | 4) => {
            let told: Value = serde_json::from_slice(&output.stdout).expect(&said);
            assert_eq!(told["windows"], 3, "{told}");
            // Two folders of one drive: mostly no effect agrees with the forecast too, and then the code says so.
            let answered = told["outcome"] == "agrees" || told["outcome"] == "contradicted";
            assert!(answered || output.status.code() != Some(0), "{told}");
        }
        _ => {
            let why = ["is invalid: ", "sessions waiting, and there are 2"];
            let is_said = why.iter().any(|why| said.contains(why));
            assert!(is_said && said.contains("hint: ") && output.stdout.is_empty(), "{said}");
        }
    }
}

/// Two sessions; 1,000 µs a read without the tier, 20 with it where it serves three of four, and what that gives.
fn stored_run() -> Run {
    let side = |name: &str, rate: f64, mean_us: f64| {
        let mut m = Measurement::new(format!("block.tier.{name}"), Layer::Block);
        let figure = |metric: Metric, value: f64| {
            let method = IntervalMethod::Propagated;
            let interval = Interval { low: value * 0.98, high: value * 1.02, method };
            MetricValue::new(metric, value, Some(interval), vec![value; 6])
        };
        m.metrics = vec![
            figure(metric::THROUGHPUT, rate),
            figure(metric::LATENCY_MEAN, mean_us * 1e3),
            figure(metric::CPU_PER_OP, 5e3),
        ];
        m.workload.insert(condition::BLOCK_BYTES, 8192);
        m.workload.insert(condition::DEPTH, 2);
        m.workload.insert(condition::TIER_BYTES, 1 << 24);
        m.workload.insert(condition::TIER_HITS_LEAST, 0.7);
        m.workload.insert(condition::TIER_HITS_MOST, 0.8);
        m
    };
    let measurements = vec![
        side("off", 2_000.0, 1_000.0),
        side("on", 7_500.0, 266.0),
        side("hit", 50_000.0, 20.0),
    ];
    let plan = Plan { server_cpus: vec![0, 1, 2, 3], ..Plan::default() };
    Run { id: "7f3a".to_string(), measurements, ..Run::blank(plan, Platform::default()) }
}

#[test]
fn the_proof_of_a_stored_run_is_one_screen_and_in_every_format_what_it_says() {
    let f = Fixture::new();
    let file = f.data().join("7f3a.narrows.json");
    std::fs::write(&file, serde_json::to_string(&stored_run()).unwrap()).unwrap();
    let file = file.to_str().unwrap();
    let of = |format: &str| {
        let output = prove(&f, &["reads", "--run", file, "--format", format]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let told: Value = serde_json::from_str(&of("json")).unwrap();
    assert_eq!(told["outcome"], "agrees", "{told}");
    let rows = told["rows"].as_array().unwrap();
    let names: Vec<&str> = rows.iter().map(|row| row["name"].as_str().unwrap()).collect();
    assert_eq!(names, ["read IOPS", "single-block read", "bytes read"]);
    assert!(rows.iter().all(|row| row["holds"] == true), "{rows:?}");
    let screen = of("text");
    for part in [
        "on, forecast",
        "on, measured",
        "266 µs      +0 %",
        "off             block.tier.off of run 7f3a",
        "result          forecast and measurement agree",
        "with the tier × 3.75 (3.75 to 3.75, 95 % of 6 pairs of windows)",
    ] {
        assert!(screen.contains(part), "`{part}` is missing in:\n{screen}");
    }
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let csv = of("csv");
    let head = csv.lines().next().unwrap();
    assert!(head.ends_with("source,measured,measured low,measured high"), "{head}");
    let width = head.split(',').count();
    assert!(csv.lines().nth(1).is_some_and(|row| row.split(',').count() == width), "{csv}");
}
