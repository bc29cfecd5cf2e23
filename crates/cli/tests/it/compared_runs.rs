//! `narrows compare` and `narrows tag` on run files that were made up.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use narrows_model::{Layer, Measurement, MetricValue, Plan, Platform, Run, condition, metric};

use crate::common::machine::shared;
use crate::common::{Fixture, LEAST, program};

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
    let many = narrows(&f.home(), &["compare", "before", "after", "--correct", "bh"]);
    assert!(out(&many).contains("(Benjamini and Hochberg)"), "{}{}", out(&many), err(&many));
    assert!(out(&compared).contains("(Holm)"), "{}", out(&compared));
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

#[test]
fn an_experiment_takes_turns_goes_on_after_a_failure_and_puts_the_state_back() {
    let _machine = shared();
    let f = Fixture::new();
    let (log, gate) = (f.home().join("log"), f.home().join("gate"));
    let note = |word: &str| format!("echo {word}$NARROWS_SIDE >> '{}'", log.display());
    let (a, restore, after) = (note("set-"), note("restored"), note("after-"));
    // B's command fails until somebody mends it.
    let b = format!("test -e '{}' && {}", gate.display(), note("set-"));
    let measured = ["--", "run", "--quick", "--load-here", "--layers", "clock", "--data"];
    let data = f.data().display().to_string();
    let mut options = vec!["--seed", "0", "--pairs", "3", "--a", &a, "--b", &b];
    options.extend(["--restore", &restore, "--after", &after]);
    let asked = [&["ab", "t"], &options[..], &measured[..], &[data.as_str()]].concat();
    let ab = |arguments: &[&str]| {
        let mut command = Command::new(program());
        command.env("XDG_DATA_HOME", f.home()).env("HOME", f.home()).env(LEAST.0, LEAST.1);
        command.args(arguments).output().unwrap()
    };
    let failed = ab(&asked);
    assert_eq!(failed.status.code(), Some(2), "{}", err(&failed));
    assert!(err(&failed).contains("the command of B failed") && err(&failed).contains("hint: "));
    // What follows a run follows also where the state could not be set.
    assert_eq!(fs::read_to_string(&log).unwrap(), "set-A\nafter-A\nafter-B\nrestored\n");

    // Another experiment does not take its name.
    let other = [&["ab", "t", "--pairs", "3"], &measured[..], &[data.as_str()]].concat();
    let other = ab(&other);
    assert!(err(&other).contains("t is another experiment"), "{}", err(&other));

    fs::write(&gate, "").unwrap();
    let whole = ab(&["ab", "t"]);
    assert_eq!(whole.status.code(), Some(0), "{}{}", out(&whole), err(&whole));
    assert!(err(&whole).contains("1 run is made already"), "{}", err(&whole));
    let sides: Vec<String> = fs::read_to_string(&log).unwrap().lines().map(String::from).collect();
    let begun = ["set-A", "after-A", "after-B", "restored"];
    let rest =
        ["B", "B", "A", "A", "B"].map(|side| [format!("set-{side}"), format!("after-{side}")]);
    let turns: Vec<String> = begun
        .map(String::from)
        .into_iter()
        .chain(rest.into_iter().flatten())
        .chain(["restored".to_string()])
        .collect();
    assert_eq!(sides, turns);
    assert!(out(&whole).contains("Result 1 of this experiment, tested at 4"), "{}", out(&whole));
    assert!(
        out(&whole).contains("clock.vdso") && out(&whole).contains("pairs of runs"),
        "{}",
        out(&whole)
    );
    let tags = out(&narrows(&f.home(), &["tag"]));
    assert!(tags.contains("t-A") && tags.contains("t-B"), "{tags}");
    // Nothing is missing any more, so that nothing is changed.
    let again = ab(&["ab", "t"]);
    assert_eq!((again.status.code(), out(&again)), (Some(0), out(&whole)));
    assert_eq!(fs::read_to_string(&log).unwrap().lines().count(), turns.len());
    // More pairs are another result, with less of the 5 %.
    let more = ab(&["ab", "t", "--pairs", "4"]);
    assert_eq!(more.status.code(), Some(0), "{}", err(&more));
    assert!(out(&more).contains("Result 2 of this experiment, tested at 0.8"), "{}", out(&more));
    assert!(err(&more).contains("pair 4 of 4: "), "{}", err(&more));
    for (arguments, part) in [
        (&["ab", "none"][..], "name what is to be measured behind --"),
        (&["ab", "t", "--after", "x"], "--after is said where an experiment begins"),
        (&["ab", "x/y", "--", "run"], "cannot be a tag"),
        (&["ab", "x", "--", "report"], "is no command that measures"),
        (&["ab", "x", "--with-b", "--format json", "--", "run"], "--format is not for the runs"),
        (&["ab", "x", "--pairs", "2", "--", "run"], "from 3 to 100"),
        (&["ab", "x", "--clone", "/tmp", "--", "run"], "nothing works with the clone"),
        (&["ab", "x", "--with-b", "--data {clone}", "--", "run"], "--clone DIR makes one"),
    ] {
        let said = ab(arguments);
        assert!(
            said.status.code() == Some(2) && err(&said).contains(part),
            "{arguments:?}: {}",
            err(&said)
        );
    }
}

#[test]
fn published_claims_are_checked_by_their_own_figures() {
    let f = Fixture::new();
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases/claims.toml");
    let said = narrows(&f.home(), &["check-claims", text(&file), "--format", "json"]);
    assert_eq!(said.status.code(), Some(0), "{}", err(&said));
    let json: serde_json::Value = serde_json::from_str(&out(&said)).unwrap();
    let follows = |what: &str| {
        let all = json.as_array().unwrap();
        let claim = all.iter().find(|claim| claim["what"].as_str().unwrap().starts_with(what));
        claim.unwrap()["follows"].as_str().unwrap().to_string()
    };
    // 19.3 % higher is not 19 % lower, and 65.6 % is not 67 %.
    assert_eq!(follows("tpmC per core"), "other_way_round");
    assert_eq!(follows("orders per minute, the surviving"), "no");
    assert_eq!(follows("cycles in kernel mode"), "no");
    let yes = json.as_array().unwrap().iter().filter(|claim| claim["follows"] == "yes").count();
    assert_eq!(yes, json.as_array().unwrap().len() - 3);
    let screen = out(&narrows(&f.home(), &["check-claims", text(&file)]));
    assert!(
        screen.contains("13 of 16 claims follow") && screen.contains("-9.1 points"),
        "{screen}"
    );
    let missing = narrows(&f.home(), &["check-claims", "nosuch.toml"]);
    assert!(missing.status.code() == Some(2) && err(&missing).contains("hint: a claim is"));
}

#[test]
fn results_of_other_tools_are_runs_that_can_be_shown_and_compared() {
    let f = Fixture::new();
    let fio = |name: &str, iops: f64| {
        let ios = iops * 10.0;
        let text = format!(
            "{{\"fio version\":\"fio-3.33\",\"timestamp\":1700000000,\"jobs\":[{{\"jobname\":\"reads\",\"read\":{{\"iops\":{iops},\"total_ios\":{ios},\"runtime\":10000,\"lat_ns\":{{\"mean\":1000.0}}}}}}]}}"
        );
        let file = f.home().join(name);
        fs::write(&file, text).unwrap();
        file
    };
    let files: Vec<PathBuf> =
        [("a1", 99.0), ("a2", 100.0), ("a3", 101.0)].iter().map(|(n, r)| fio(n, *r)).collect();
    let names: Vec<&str> = files.iter().map(|file| text(file)).collect();
    let imported = narrows(&f.home(), &[&["import", "--tag", "before"], &names[..]].concat());
    assert_eq!(imported.status.code(), Some(0), "{}", err(&imported));
    let files: Vec<PathBuf> =
        [("b1", 149.0), ("b2", 150.0), ("b3", 151.0)].iter().map(|(n, r)| fio(n, *r)).collect();
    let names: Vec<&str> = files.iter().map(|file| text(file)).collect();
    narrows(&f.home(), &[&["import", "--tag", "after"], &names[..]].concat());
    let compared = narrows(&f.home(), &["compare", "before", "after"]);
    let screen = out(&compared);
    assert!(
        screen.contains("better in 1") && screen.contains("+50 %"),
        "{screen}{}",
        err(&compared)
    );
    assert!(
        screen.contains("block.import.reads.read") && screen.contains("2023-11-14"),
        "{screen}"
    );
    // Once more it is the same run, and twice in one command it is refused.
    let count = || fs::read_dir(f.home().join("narrows/runs")).unwrap().count();
    let before = count();
    narrows(&f.home(), &["import", names[0]]);
    assert_eq!(count(), before);
    let twice = narrows(&f.home(), &["import", names[0], names[0]]);
    assert!(twice.status.code() == Some(2) && err(&twice).contains("same contents"));
    let shown = narrows(&f.home(), &["show"]);
    assert_eq!(shown.status.code(), Some(0), "{}", err(&shown));
    let wrong = f.home().join("wrong");
    for content in ["", "{}", "hello"] {
        fs::write(&wrong, content).unwrap();
        let refused = narrows(&f.home(), &["import", text(&wrong)]);
        assert_eq!(refused.status.code(), Some(2), "{content}");
        let said = err(&refused);
        assert!(
            said.contains("no result of a tool that is known") && said.contains("hint: "),
            "{said}"
        );
    }
}

#[test]
fn changes_over_time_are_found_among_stored_runs() {
    let f = Fixture::new();
    let none = narrows(&f.home(), &["trend"]);
    assert!(
        none.status.code() == Some(2) && err(&none).contains("no run is saved"),
        "{}",
        err(&none)
    );
    let store = f.home().join("narrows/runs");
    for n in 0..24u32 {
        let (rate, kernel) = if n < 12 { (1000.0, "6.1.0") } else { (700.0, "6.12.0") };
        let file = kept(&store, &format!("r{n:02}"), rate + f64::from(n % 5), kernel);
        let run = fs::read_to_string(&file).unwrap();
        let day = format!("2026-01-{:02}T10", n + 1);
        fs::write(&file, run.replace("2026-01-01T10", &day)).unwrap();
    }
    let said = narrows(&f.home(), &["trend"]);
    let screen = out(&said);
    assert_eq!(said.status.code(), Some(0), "{}", err(&said));
    assert!(screen.contains("1 of 1 measurement changed its level"), "{screen}");
    assert!(screen.contains("from 2026-01-13 on (run r12): kernel 6.1.0, then 6.12.0"), "{screen}");
    let json = narrows(&f.home(), &["trend", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&out(&json)).unwrap();
    assert_eq!(json[0]["changes"][0]["run"], "r12");
}
