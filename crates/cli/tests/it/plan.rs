//! `narrows plan` as a user types it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use narrows_model::{Run, Validity};
use narrows_sim::{Law, Scene, Server, Step};
use narrows_verdict::Workload;

fn narrows(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_narrows"));
    command.args(args).env("NO_COLOR", "1").output().unwrap()
}

fn case(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../cases").join(name);
    path.display().to_string()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn two_platforms_stand_side_by_side_with_what_binds_each() {
    let output = narrows(&[
        "plan",
        &case("nvmeof-target.toml"),
        &case("nvmeof-database.toml"),
        "--block",
        "4KiB",
        "--table",
        "624GiB",
    ]);
    let screen = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    let heads = screen.lines().next().unwrap();
    assert!(heads.contains("storage server") && heads.contains("database server"), "{screen}");
    assert!(screen.contains("fabric (hdr-200"), "{screen}");
    assert!(screen.contains("requests in flight of oracle"), "{screen}");
    assert!(output.stderr.is_empty(), "{}", text(&output.stderr));
}

#[test]
fn every_format_is_what_it_says() {
    let file = case("shared-array.toml");
    let json = narrows(&["plan", &file, "--format", "json"]);
    let plans: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let reads = &plans[0]["works"][2];
    assert_eq!(reads["work"], "sequential_read");
    assert_eq!(reads["binding"][0]["component"], "controller-path");
    assert_eq!(reads["shares"].as_array().unwrap().len(), 3);
    let csv = text(&narrows(&["plan", &file, "--format", "csv"]).stdout);
    assert!(csv.starts_with("platform,work,"), "{csv}");
    let markdown = text(&narrows(&["plan", &file, "--format", "markdown"]).stdout);
    assert!(markdown.starts_with("## Ceilings\n\n|  | shared array"), "{markdown}");
    let page = text(&narrows(&["plan", &file, "--format", "html"]).stdout);
    let marked = |page: &str| page.matches("BINDS").count();
    assert!(page.starts_with("<!doctype html>") && page.ends_with("</html>\n"), "{page}");
    // Once for wide screens and once for narrow ones.
    assert!(page.contains("controller-path") && marked(&page) >= 2, "{page}");
    assert!(marked(&markdown) * 2 == marked(&page), "{markdown}");
}

#[test]
fn a_drawing_without_enough_lanes_is_refused_with_the_arithmetic() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("drawing.toml");
    let adapter = |name| {
        format!("[[adapter]]\nname = \"{name}\"\nat = \"server\"\nslot = \"pcie-gen5-x16\"\n")
    };
    let drawing = format!(
        "name = \"drawing\"\n[[machine]]\nname = \"server\"\nlanes = 80\n\
         [[drives]]\nname = \"disks\"\nat = \"server\"\nclass = \"nvme-gen5-x4\"\ncount = 24\n{}{}\
         [[database]]\nat = \"server\"\ndata = \"disks\"\n",
        adapter("one"),
        adapter("two")
    );
    std::fs::write(&file, drawing).unwrap();
    let output = narrows(&["plan", &file.display().to_string()]);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2));
    assert!(output.stdout.is_empty());
    assert!(said.contains("line 3") && said.contains("24 × x4 + 2 × x16 = 128 lanes"), "{said}");
    assert!(said.contains("hint: "), "{said}");
}

#[test]
fn what_is_no_description_and_no_run_is_refused_with_a_hint() {
    let file = case("shared-array.toml");
    for args in [
        vec!["plan", "/nowhere/x.toml"],
        vec!["plan", "/"],
        vec!["plan", &file, "--demand", "/nowhere/run.json"],
        vec!["plan", &file, "--block", "3"],
        vec!["plan", &file, "--block", "4KiB", "--table", "0"],
    ] {
        let output = narrows(&args);
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(!output.stderr.is_empty() && output.stdout.is_empty(), "{args:?}");
    }
    let output = narrows(&["plan", "/nowhere/x.toml"]);
    assert!(text(&output.stderr).contains("hint: "), "{}", text(&output.stderr));
}

/// A simulated server: each lookup takes 20 µs of a processor and reads one block of 8 KiB, from drives that do eight at a
/// time, each in 80 µs.
fn lookups(cpus: u32, sessions: u32) -> Run {
    let steps = vec![Step::Cpu(Law::Constant(20_000.0)), Step::Read];
    Scene::new(Workload::LookupUncached, Server::new(cpus, sessions, steps), 7).measure()
}

/// What the command says to a run, and a machine of so many cores with four drives of so many thousand reads.
fn asked(folder: &Path, run: &Run, cores: u32, reads_k: u32, more: &[&str]) -> Output {
    let file = folder.join("measured.narrows.json");
    std::fs::write(&file, run.to_json()).unwrap();
    let drawing = folder.join("drawing.toml");
    let text = format!(
        "name = \"drawing\"\n[[machine]]\nname = \"server\"\ncores = {cores}\n\
         [[drives]]\nname = \"disks\"\nat = \"server\"\nreads = \"{reads_k} k/s\"\ncount = 4\nsource = \"test\"\n\
         [[database]]\nat = \"server\"\ndata = \"disks\"\n"
    );
    std::fs::write(&drawing, text).unwrap();
    let (drawing, file) = (drawing.display().to_string(), file.display().to_string());
    narrows(&[&["plan", &drawing, "--demand", &file], more].concat())
}

#[test]
fn what_a_run_measured_is_set_on_a_drawing() {
    let run = lookups(4, 16);
    let folder = tempfile::tempdir().unwrap();
    let fit = |cores: u32, more: &[&str]| {
        let output =
            asked(folder.path(), &run, cores, 100, &[&["--format", "json"], more].concat());
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let of = &answer["fits"][0];
        let component = of["binding"][0]["component"].as_str().unwrap().to_string();
        (of["ceiling_per_s"]["value"].as_f64().unwrap(), component)
    };
    // With many cores four drives of 100 k reads bind; with five cores the processors, at 50k/s each.
    let (rate, component) = fit(64, &[]);
    assert!((rate - 400e3).abs() < 0.02 * 400e3 && component == "disks", "{rate} {component}");
    let (rate, component) = fit(5, &[]);
    assert!(
        (rate - 250e3).abs() < 0.05 * 250e3 && component == "CPUs of server",
        "{rate} {component}"
    );
    let (faster, _) = fit(5, &["--core-ratio", "1.2"]);
    assert!((faster / rate - 1.2).abs() < 1e-6, "{faster} {rate}");
    let page = text(&asked(folder.path(), &run, 64, 100, &["--format", "html"]).stdout);
    assert!(page.contains(">BINDS lookup_uncached: 4 × drive by hand, reading<"), "{page}");
    assert!(page.contains("sessions: as many as were measured there"), "{page}");
    let screen = text(&asked(folder.path(), &run, 5, 100, &[]).stdout);
    assert!(screen.lines().all(|line| line.chars().count() <= 100), "{screen}");
    assert!(screen.contains("16 sessions") && screen.contains("bottleneck at most"), "{screen}");
    let words = screen.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(words.contains("writes, bytes of WAL of one operation were not measured"), "{words}");
}

#[test]
fn a_server_on_its_own_description_does_what_it_did() {
    let folder = tempfile::tempdir().unwrap();
    // Held by its drives (8 / 80 µs), by its processor (1 / 20 µs), by its two sessions.
    for (cpus, sessions, holds) in [(4, 16, "disks"), (1, 16, "CPUs"), (4, 2, "read")] {
        let run = lookups(cpus, sessions);
        let output = asked(folder.path(), &run, cpus, 25, &["--format", "json"]);
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let of = &answer["fits"][0];
        let number = |value: &serde_json::Value| value.as_f64().unwrap_or_else(|| panic!("{of:#}"));
        let measured = number(&of["measured_per_s"]["value"]);
        let predicted = number(&of["at_sessions"]["rate_per_s"]["value"]);
        assert!((predicted / measured - 1.0).abs() <= 0.05, "{holds}: {predicted} {measured}");
        let held = of["at_sessions"]["holds"].as_str().unwrap();
        assert!(held.starts_with(holds), "{held}, not {holds}");
        assert_ne!(of["verdict"], "too_small", "{of:#}");
    }
}

#[test]
fn a_demand_that_says_nothing_is_refused_with_its_reason() {
    let folder = tempfile::tempdir().unwrap();
    let said = |run: &Run, code: i32| {
        let output = asked(folder.path(), run, 4, 100, &[]);
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stdout));
        text(&output.stderr) + &text(&output.stdout)
    };
    let good = lookups(4, 16);
    let mut empty = good.clone();
    empty.measurements.clear();
    let words = said(&empty, 2);
    assert!(words.contains("no database workload") && words.contains("hint: "), "{words}");
    empty.completed = false;
    let words = said(&empty, 2);
    assert!(words.contains("stopped before") && words.contains("hint: "), "{words}");
    let mut invalid = good.clone();
    for measurement in &mut invalid.measurements {
        measurement.validity = Validity::Invalid;
        measurement.findings = vec!["planted".into()];
    }
    let words = said(&invalid, 2);
    assert!(words.contains("invalid: planted") && words.contains("hint: "), "{words}");
    let mut suspect = good.clone();
    for measurement in &mut suspect.measurements {
        measurement.validity = Validity::Suspect;
        measurement.findings = vec!["planted".into()];
    }
    let words = said(&suspect, 0);
    assert!(words.contains("? lookup_uncached") && words.contains("planted"), "{words}");
    let mut idle = good.clone();
    for metric in idle.measurements.iter_mut().flat_map(|m| &mut m.metrics) {
        if metric.name == "throughput" {
            metric.value = 0.0;
        }
    }
    let words = said(&idle, 2);
    assert!(words.contains("no throughput") && words.contains("hint: "), "{words}");
    let mut old = good.clone();
    old.schema = "narrows.run/0".into();
    let words = said(&old, 2);
    assert!(words.contains("narrows.run/0") && words.contains("hint: "), "{words}");
    let output = asked(folder.path(), &good, 4, 100, &["--core-ratio", "0"]);
    assert_eq!(output.status.code(), Some(2));
}
