//! `narrows import` of a server's own report and of published figures; `narrows export` and `narrows diff`.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use narrows_model::{Layer, Measurement, MetricValue, Plan, Platform, Run, metric};

use crate::common::{Fixture, program};

/// Reports and results, made up.
const SEEDS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz/seeds/import");
const FIGURES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../cases/figures");

fn narrows(home: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", home).env("HOME", home).args(arguments).output().unwrap()
}

/// What it printed, where it ended well.
fn said(home: &Path, arguments: &[&str]) -> String {
    let output = narrows(home, arguments);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {error}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// What it said, where it was refused.
fn refused(home: &Path, arguments: &[&str]) -> String {
    let output = narrows(home, arguments);
    assert_eq!(output.status.code(), Some(2), "{arguments:?}");
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A stored run of that machine, with drives and a log.
fn capacities(home: &Path, host: &str) {
    let measured = |id: &str, layer, rate| {
        let mut m = Measurement::new(id, layer);
        m.metrics.push(MetricValue::new(metric::THROUGHPUT, rate, None, vec![rate]));
        m
    };
    let platform = Platform { hostname: Some(host.to_string()), ..Platform::default() };
    let run = Run {
        id: "cafe".to_string(),
        started_at: "2026-01-01T10:00:00Z".to_string(),
        measurements: vec![
            measured("block.read.random.8k.knee", Layer::Block, 50_000.0),
            measured("log.commit.4", Layer::Log, 9_000.0),
        ],
        ..Run::blank(Plan::default(), platform)
    };
    let folder = home.join("narrows/runs");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("cafe.narrows.json"), run.to_json()).unwrap();
}

#[test]
fn an_awr_report_is_an_observed_server_with_its_verdict() {
    let f = Fixture::new();
    for report in ["awr-text", "awr-html"] {
        let file = format!("{SEEDS}/{report}");
        said(&f.home(), &["import", &file]);
        let screen = said(&f.home(), &["show"]);
        assert!(screen.contains("Oracle Database 1"), "{screen}");
        assert!(screen.contains("WHERE A TRANSACTION'S TIME GOES"), "{screen}");
        // Nobody asked this server anything, and PostgreSQL's words are none of its.
        for foreign in ["SAMPLING", "shared_buffers", "pg_stat", "--load-here", "narrows observe"] {
            assert!(!screen.contains(foreign), "{report}: {foreign}:\n{screen}");
        }
    }
    // Ten minutes, 120,000 commits, 900 s of reads, 600 s of commits, 600 s of CPU.
    let screen = said(&f.home(), &["import", &format!("{SEEDS}/awr-text"), "--format", "json"]);
    assert!(screen.contains("observed"), "{screen}");
    let screen = said(&f.home(), &["list"]);
    assert!(screen.contains("import"), "{screen}");
}

#[test]
fn capacities_of_another_machine_are_refused_unless_it_is_said_to_be_the_same() {
    let f = Fixture::new();
    capacities(&f.home(), "db7");
    let report = f.home().join("awr");
    let text = fs::read_to_string(format!("{SEEDS}/awr-text")).unwrap();
    let host = "Host Name        Platform                         CPUs\n\
                ---------------- -------------------------------- ----\n\
                db7              Linux x86 64-bit                   16\n\n";
    fs::write(
        &report,
        text.replace("              Snap Id", &format!("{host}              Snap Id")),
    )
    .unwrap();
    let report = report.to_str().unwrap();
    said(&f.home(), &["import", report, "--capacities", "cafe"]);
    let screen = said(&f.home(), &["show", "--explain"]);
    assert!(screen.contains("run cafe"), "{screen}");
    fs::write(report, fs::read_to_string(report).unwrap().replace("db7 ", "db8 ")).unwrap();
    let error = refused(&f.home(), &["import", report, "--capacities", "cafe"]);
    assert!(error.contains("a report of db8") && error.contains("--same-machine"), "{error}");
    said(&f.home(), &["import", report, "--capacities", "cafe", "--same-machine"]);
    let fio = format!("{SEEDS}/fio");
    let error = refused(&f.home(), &["import", &fio, "--capacities", "cafe"]);
    assert!(error.contains("--capacities judge a server"), "{error}");
    let error = refused(&f.home(), &["run", "--dry-run", "--with", &fio]);
    assert!(error.contains("no report of a server") && error.contains("awrrpt.sql"), "{error}");
}

/// The seed with a host of that platform whose 16 CPUs are full, of which the sessions used one.
fn full_host(platform: &str) -> String {
    let host = format!(
        "Host Name        Platform                         CPUs\n\
         ---------------- -------------------------------- ----\n\
         db7              {platform:<32}   16\n\n"
    );
    let text = fs::read_to_string(format!("{SEEDS}/awr-text")).unwrap();
    text.replace("              Snap Id", &format!("{host}              Snap Id"))
        .replace("100,000\n", "940,000\n")
}

/// On one line.
fn words(screen: &str) -> String {
    screen.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn cpus_of_nobody_known_are_no_sessions_and_to_be_looked_for_first() {
    let f = Fixture::new();
    let report = f.home().join("awr");
    fs::write(&report, full_host("AIX-Based Systems (64-bit)")).unwrap();
    said(&f.home(), &["import", report.to_str().unwrap()]);
    let screen = words(&said(&f.home(), &["show"]));
    assert!(screen.contains("not these sessions', owner unknown 14.67"), "{screen}");
    assert!(screen.contains("14.7 of the 15.7 CPUs in use are not these sessions'"), "{screen}");
    assert!(screen.contains("find what uses"), "{screen}");
    assert!(screen.contains("DB time less DB CPU and waits"), "{screen}");
    // 62.5 % of the time would go; with the 1.33 CPUs that are left the sessions' one would do a third more.
    assert!(screen.contains("the rate would rise to 1.3x at most"), "{screen}");
    for other in ["SQL ordered by", "rest of the server", "±95%"] {
        assert!(!screen.contains(other), "{other}:\n{screen}");
    }
    fs::write(&report, full_host("Linux x86 64-bit")).unwrap();
    said(&f.home(), &["import", report.to_str().unwrap()]);
    let screen = words(&said(&f.home(), &["show"]));
    assert!(screen.contains("others here 14.67"), "{screen}");
    assert!(!screen.contains("owner unknown"), "{screen}");
}

#[test]
fn the_published_table_of_iscsi_against_nvmeof_follows_from_its_figures() {
    let f = Fixture::new();
    let side = |name: &str| {
        let file = format!("{FIGURES}/{name}.toml");
        said(&f.home(), &["import", "--tag", name, &file]);
    };
    side("iscsi");
    side("nvmeof");
    let screen = said(&f.home(), &["compare", "iscsi", "nvmeof"]);
    let table = screen.split("IMPROVEMENT").nth(1).unwrap_or_else(|| panic!("{screen}"));
    let row = |name: &str| {
        let line =
            table.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{table}"));
        line.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    for (name, figures) in [
        ("database.oltp", ["~-7.0 %", "~-33 %"].as_slice()),
        ("block.read", &["~+9.0 %", "~-5.0 %"]),
        ("block.write", &["~+12 %", "~-23 %", "~+8.0 %"]),
    ] {
        let row = row(name);
        figures.iter().for_each(|figure| assert!(row.contains(figure), "{figure}: {row}"));
    }
    // One run of each side shows no more than that.
    assert!(screen.contains("Not resolved"), "{screen}");
}

#[test]
fn figures_are_exported_in_three_forms_and_setups_compared() {
    let f = Fixture::new();
    capacities(&f.home(), "db7");
    let metrics = said(&f.home(), &["export", "--as", "openmetrics"]);
    assert!(
        metrics.contains("narrows_throughput_operations_per_second{host=\"db7\"")
            && metrics.ends_with("# EOF\n"),
        "{metrics}"
    );
    let file = f.home().join("runs.csv");
    said(&f.home(), &["export", "cafe", "--as", "csv", "-o", file.to_str().unwrap()]);
    let table = fs::read_to_string(&file).unwrap();
    assert_eq!(table.lines().count(), 5, "a head, two figures, two repeats:\n{table}");
    // A default build has none, and says which one has.
    if cfg!(not(feature = "parquet")) {
        let error = refused(&f.home(), &["export", "cafe", "--as", "parquet"]);
        assert!(error.contains("no Parquet") && error.contains("--features parquet"), "{error}");
    }
    let error = refused(&f.home(), &["export", "cafe", "--as", "hdr"]);
    assert!(error.contains("no histograms") && error.contains("hint: "), "{error}");
    let other = f.home().join("beef.narrows.json");
    let run = fs::read_to_string(f.home().join("narrows/runs/cafe.narrows.json")).unwrap();
    fs::write(&other, run.replace("cafe", "beef").replace("db7", "db8")).unwrap();
    let screen = said(&f.home(), &["diff", "cafe", other.to_str().unwrap()]);
    assert!(screen.contains("WHAT ELSE DIFFERS") && screen.contains("db8"), "{screen}");
}

#[test]
fn a_file_that_cannot_be_read_asks_for_a_file_and_one_without_a_result_names_the_formats() {
    let f = Fixture::new();
    let home = f.home();
    for missing in ["/nonexistent/awr.html", home.to_str().unwrap()] {
        let error = refused(&home, &["import", missing]);
        assert!(
            error.contains(missing) && error.contains("name a file that you may read"),
            "{error}"
        );
        assert!(!error.contains("HammerDB"), "{error}");
    }
    let note = home.join("note");
    fs::write(&note, "no result of anything\n").unwrap();
    let error = refused(&home, &["import", note.to_str().unwrap()]);
    assert!(error.contains("HammerDB") && error.contains("AWR"), "{error}");
    let left = fs::read_dir(&home)
        .unwrap()
        .filter(|entry| entry.as_ref().is_ok_and(|entry| entry.file_name() == "narrows"));
    assert_eq!(left.count(), 0, "nothing is stored");
}
