//! `narrows compare` and `narrows tag` on run files that were made up.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use narrows_model::{Layer, Measurement, MetricValue, Plan, Platform, Run, condition, metric};

use crate::common::{Fixture, program};

fn narrows(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", home).env("HOME", home).args(arguments).output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn err(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A run of updates at that rate on that kernel, as a file.
fn kept(folder: &Path, id: &str, rate: f64, kernel: &str) -> PathBuf {
    fs::create_dir_all(folder).unwrap();
    let mut update = Measurement::new("database.update", Layer::Database);
    update.workload.insert(condition::SESSIONS, 8.0);
    for (metric, value) in [(metric::THROUGHPUT, rate), (metric::LATENCY_P99, 8e9 / rate)] {
        update.metrics.push(MetricValue::new(metric, value, None, vec![value]));
    }
    let platform = Platform { kernel: Some(kernel.to_string()), ..Platform::default() };
    let run = Run {
        id: id.to_string(),
        started_at: "2026-01-01T10:00:00Z".to_string(),
        measurements: vec![update],
        ..Run::blank(Plan { layers: vec![Layer::Database], ..Plan::default() }, platform)
    };
    let file = folder.join(format!("{id}.narrows.json"));
    fs::write(&file, run.to_json()).unwrap();
    file
}

/// Three runs of each, the second tenth faster on another kernel.
fn sides(folder: &Path) -> [PathBuf; 2] {
    let (before, after) = (folder.join("before"), folder.join("after"));
    for (n, share) in [0.997, 1.0, 1.003].into_iter().enumerate() {
        kept(&before, &format!("b{n}"), 1000.0 * share, "6.1.0");
        kept(&after, &format!("a{n}"), 1100.0 * share, "6.12.0");
    }
    [before, after]
}

fn text(path: &Path) -> &str {
    path.to_str().unwrap()
}

#[test]
fn folders_of_runs_are_compared_and_gates_decide_the_exit_code() {
    let f = Fixture::new();
    let [before, after] = sides(&f.home());
    let said = narrows(&f.home(), &["compare", text(&before), text(&after)]);
    let screen = out(&said);
    assert_eq!(said.status.code(), Some(0), "{screen}{}", err(&said));
    for part in ["better in 1, worse in none", "+10 %", "kernel", "6.1.0", "6.12.0", "better"] {
        assert!(screen.contains(part), "`{part}` is missing in:\n{screen}");
    }
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    // The other way round it is worse, and a gate says so.
    let gate = "database.update.throughput < -5%";
    let with_gate = |a: &Path, b: &Path, gate: &str| {
        let said = narrows(&f.home(), &["compare", text(a), text(b), "--fail-if", gate]);
        (said.status.code(), out(&said))
    };
    let (code, screen) = with_gate(&after, &before, gate);
    assert_eq!(code, Some(1), "{screen}");
    assert!(screen.contains("FAILED") && screen.contains("worse in 1"), "{screen}");
    assert_eq!(with_gate(&before, &after, gate).0, Some(0));
    let one = before.join("b0.narrows.json");
    let (code, screen) = with_gate(&one, &after.join("a0.narrows.json"), gate);
    assert_eq!(code, Some(4), "{screen}");
    assert!(screen.contains("not resolved") && screen.contains("fewer than three"), "{screen}");
    assert!(screen.contains("a difference unless runs"), "{screen}");

    let json = narrows(&f.home(), &["compare", text(&before), text(&after), "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out(&json)).unwrap();
    let row = &json["against"][0]["rows"][0];
    assert_eq!(
        (row["measurement"].as_str(), row["judgement"].as_str()),
        (Some("database.update"), Some("better"))
    );
    for format in ["markdown", "html", "csv"] {
        let said =
            narrows(&f.home(), &["compare", text(&before), text(&after), "--format", format]);
        assert_eq!(said.status.code(), Some(0), "{format}");
        assert!(out(&said).contains("database.update"), "{format}");
    }
}

#[test]
fn tags_name_saved_runs_and_are_sides() {
    let f = Fixture::new();
    let store = f.home().join("narrows/runs");
    for (id, rate) in
        [("b0", 998.0), ("b1", 1000.0), ("b2", 1002.0), ("a0", 899.0), ("a1", 900.0), ("a2", 901.0)]
    {
        kept(&store, id, rate, "6.1.0");
    }
    let none = narrows(&f.home(), &["tag"]);
    assert!(out(&none).contains("none; `narrows tag TAG RUN...` makes one"), "{}", out(&none));
    let tagged = narrows(&f.home(), &["tag", "before", "b0", "b1", "b2"]);
    assert_eq!(tagged.status.code(), Some(0), "{}", err(&tagged));
    assert!(out(&tagged).contains("b0, b1, b2"), "{}", out(&tagged));
    narrows(&f.home(), &["tag", "after", "a0"]);
    // Adding goes on; naming one again adds nothing.
    narrows(&f.home(), &["tag", "after", "a0", "a1", "a2"]);
    let compared = narrows(&f.home(), &["compare", "before", "after"]);
    assert!(out(&compared).contains("worse in 1"), "{}{}", out(&compared), err(&compared));
    let removed = narrows(&f.home(), &["tag", "--remove", "after"]);
    assert!(!out(&removed).contains("after") && out(&removed).contains("before"));
    assert!(store.join("a0.narrows.json").exists(), "its runs stay");
    for (arguments, parts) in [
        (&["tag", "--remove", "after"][..], &["no tag `after`", "hint: "][..]),
        (&["tag", "x y", "b0"], &["cannot be a tag", "letters"]),
        (&["tag", "x", "nosuch"], &["no run `nosuch`", "hint: "]),
        (&["compare", "before", "before"], &["is in before and in before", "hint: "]),
        (&["compare", "before", "nosuch"], &["no run `nosuch`", "hint: "]),
        (&["compare", "before", "a0", "--fail-if", "throughput < 5"], &["is no gate"]),
        (&["compare", "before", "a0", "--margin", "0"], &["above 0 %"]),
    ] {
        let said = narrows(&f.home(), arguments);
        assert_eq!(said.status.code(), Some(2), "{arguments:?}: {}", err(&said));
        for part in parts {
            assert!(err(&said).contains(part), "{arguments:?}: {}", err(&said));
        }
    }
    // A damaged file is told by its name.
    fs::write(f.home().join("narrows/tags.json"), "{").unwrap();
    let said = narrows(&f.home(), &["tag"]);
    assert!(err(&said).contains("tags.json") && err(&said).contains("hint: "), "{}", err(&said));
}

#[test]
fn runs_are_looked_for_removed_and_read_again_only_where_they_changed() {
    let f = Fixture::new();
    let store = f.home().join("narrows/runs");
    for id in ["aa", "bb", "cc"] {
        kept(&store, id, 1000.0, "6.1.0");
    }
    let index = f.home().join("narrows/index.json");
    let listed = |arguments: &[&str]| {
        let said = narrows(&f.home(), &[&["list", "--format", "json"], arguments].concat());
        assert_eq!(said.status.code(), Some(0), "{}", err(&said));
        let json: serde_json::Value = serde_json::from_str(&out(&said)).unwrap();
        let mut ids: Vec<String> = json
            .as_array()
            .unwrap()
            .iter()
            .map(|run| run["id"].as_str().unwrap().to_string())
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(listed(&[]), ["aa", "bb", "cc"]);
    // What the index says of a file that has not changed is believed.
    let indexed = fs::read_to_string(&index).unwrap();
    fs::write(&index, indexed.replace("\"id\":\"bb\"", "\"id\":\"of-the-index\"")).unwrap();
    assert_eq!(listed(&[]), ["aa", "cc", "of-the-index"]);
    // And read again where it has.
    let changed = fs::read_to_string(store.join("bb.narrows.json")).unwrap() + "\n";
    fs::write(store.join("bb.narrows.json"), changed).unwrap();
    assert_eq!(listed(&[]), ["aa", "bb", "cc"]);
    for damaged in ["", "{", "{\"version\":\"0\",\"files\":{}}"] {
        fs::write(&index, damaged).unwrap();
        assert_eq!(listed(&[]), ["aa", "bb", "cc"], "{damaged}");
    }
    for (arguments, count) in [
        (&["--layer", "database"][..], 3),
        (&["--layer", "block"], 0),
        (&["--host", "db7"], 0),
        (&["--since", "2026-01-01"], 3),
        (&["--until", "2026-01-01"], 3),
        (&["--since", "2026-01-02"], 0),
        (&["--until", "2025-12-31"], 0),
    ] {
        assert_eq!(listed(arguments).len(), count, "{arguments:?}");
    }
    narrows(&f.home(), &["tag", "t", "aa", "bb"]);
    assert_eq!(listed(&["--tag", "t"]), ["aa", "bb"]);
    // A word that is no run removes nothing.
    let wrong = narrows(&f.home(), &["rm", "aa", "zz"]);
    assert_eq!((wrong.status.code(), listed(&[]).len()), (Some(2), 3), "{}", err(&wrong));
    let outside = f.home().join("x.narrows.json");
    fs::copy(store.join("aa.narrows.json"), &outside).unwrap();
    let wrong = narrows(&f.home(), &["rm", text(&outside)]);
    assert!(wrong.status.code() == Some(2) && outside.exists(), "{}", err(&wrong));
    let removed = narrows(&f.home(), &["rm", "aa", "bb"]);
    assert!(removed.status.code() == Some(0) && err(&removed).contains("removed aa"));
    assert_eq!(listed(&[]), ["cc"]);
    let tags = out(&narrows(&f.home(), &["tag"]));
    assert!(tags.contains("none;"), "{tags}");
    let wrong = narrows(&f.home(), &["list", "--since", "yesterday"]);
    assert!(
        wrong.status.code() == Some(2) && err(&wrong).contains("2026-11-01"),
        "{}",
        err(&wrong)
    );
}
