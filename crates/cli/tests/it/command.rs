//! The command as users meet it: wrong arguments, folders that won't do, Ctrl-C, a killed run, and what it writes.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use crate::common::machine::{shared, together};
use crate::common::started::Started;
use crate::common::{Fixture, LEAST, Narrows, postgres_folder, program};
use narrows_model::{Layer, Run};

fn narrows(args: &[&str]) -> Output {
    let home = tempfile::tempdir().unwrap();
    Command::new(program()).args(args).env("XDG_DATA_HOME", home.path()).output().unwrap()
}

/// Ends with code 2 and an error that names all of `parts`; nothing on standard output.
fn refuses(args: &[&str], parts: &[&str]) {
    let output = narrows(args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?} said:\n{said}");
    assert!(output.stdout.is_empty(), "{args:?}");
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
}

#[test]
fn wrong_arguments_are_named_with_a_way_out() {
    refuses(&["run", "--layers", "memory,floppy"], &["floppy", "hint: possible values: clock"]);
    refuses(&["run", "--sessions", "0"], &["--sessions", "a number of sessions, 1 to 1024"]);
    let sessions = ["db", "lookup", "--sessions", "8,x"];
    refuses(&sessions, &["'x'", "a number of sessions, 1 to 1024"]);
    refuses(&["observe", "--for", "5M"], &["minutes or months", "5min"]);
    refuses(&["block", "--file-size", "1.5GB"], &["write 1.5G for powers of two"]);
    refuses(&["block", "--file-size", "0.1g"], &["no whole number of bytes"]);
    refuses(&["run", "--data", "/nonexistent"], &["--data /nonexistent", "hint: create it"]);
    refuses(&["run", "--data", "/etc/passwd"], &["not a folder", "hint:"]);
    refuses(&["run", "--database", "oracle"], &["--database oracle", "postgres://"]);
    refuses(&["run", "--database", "none", "--postgres", "/x"], &["--postgres", "hint:"]);
    refuses(&["report", "nosuchrun"], &["nosuchrun", "hint:"]);
    let asked = ["report", "nosuchrun", "--what-if"];
    refuses(
        &[&asked[..], &["disks=2x"]].concat(),
        &["`disks` cannot be changed", "hint: known are"],
    );
    refuses(&[&asked[..], &["storage=2x,log=2x"]].concat(), &["contradict", "hint: use data="]);
    refuses(&[&asked[..], &["log=nosuchlog"]].concat(), &["log=nosuchlog", "hint:"]);
    refuses(&["platform", "--data", "/nonexistent"], &["/nonexistent", "hint:"]);
    refuses(&["platform", "--root", "/nonexistent"], &["--root /nonexistent", "hint:"]);
    refuses(&["platform", "--root", "/etc/passwd"], &["no folder", "hint:"]);
    refuses(&["platform", "--root", "/etc"], &["neither sys", "hint:"]);
}

/// Standard output of what ends with 0, in a terminal of 80 columns.
fn printed(args: &[&str]) -> String {
    let home = tempfile::tempdir().unwrap();
    let mut command = Command::new(program());
    command.args(args).env("COLUMNS", "80").env("XDG_DATA_HOME", home.path());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {said}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_commands_fit_one_screen_with_examples_first() {
    for args in [&["--help"][..], &["-h"], &["help"]] {
        let help = printed(args);
        let lines: Vec<&str> = help.lines().collect();
        assert!(lines.len() <= 35, "{} lines:\n{help}", lines.len());
        assert!(lines.iter().all(|line| line.chars().count() <= 80), "{help}");
        let at = |words: &str| help.find(words).unwrap_or_else(|| panic!("{words}:\n{help}"));
        assert!(at("Examples:") < at("Measure  run"), "{help}");
        for group in
            ["Observe  observe", "Results  report, show", "Plan     plan", "Machine  platform"]
        {
            at(group);
        }
        assert!(!help.contains("Exit codes:"), "{help}");
    }
    let help = printed(&["run", "--help"]);
    let at = |words: &str| help.find(words).unwrap_or_else(|| panic!("{words}:\n{help}"));
    assert!(at("Examples:") < at("Where:") && at("Where:") < at("Output:"), "{help}");
    assert!(at("Output:") < at("Exit codes: 0"), "{help}");
    assert!(printed(&["run", "-h"]).lines().count() < help.lines().count());
}

#[test]
fn exit_codes_are_a_topic_of_help() {
    let help = printed(&["help", "exit"]);
    for part in ["0", "done and valid", "130", "interrupted"] {
        assert!(help.contains(part), "{part}:\n{help}");
    }
}

#[test]
fn wal_is_another_name_of_the_command_log() {
    assert_eq!(printed(&["wal", "ladder", "--help"]), printed(&["log", "ladder", "--help"]));
}

#[test]
fn a_version_is_told_to_people_and_to_programs() {
    let told = printed(&["version"]);
    assert_eq!(printed(&["--version", "--verbose"]), told);
    let json = printed(&["--version", "--verbose", "--format", "json"]);
    assert_eq!(printed(&["version", "--format", "json"]), json);
    let values: serde_json::Value = serde_json::from_str(&json).unwrap();
    let version = values["version"].as_str().unwrap();
    assert_eq!(printed(&["--version"]).trim_end(), format!("narrows {version}"));
    for name in ["commit", "target", "libc", "build", "run_files", "observes", "licence"] {
        assert!(told.contains(values[name].as_str().unwrap()), "{name}: {told}");
    }
}

#[test]
fn completions_are_those_of_the_package() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/completions");
    for shell in ["bash", "zsh", "fish", "elvish"] {
        let file = fs::read_to_string(folder.join(format!("narrows.{shell}"))).unwrap();
        assert!(printed(&["completions", shell]) == file, "{shell}; run `cargo xtask docs`");
    }
    refuses(&["completions", "csh"], &["possible values: bash, zsh, fish, elvish"]);
}

#[test]
fn limits_are_told_with_their_sources_and_taken_from_a_users_file() {
    let said = |args: &[&str]| {
        let output = narrows(args);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(0), "{args:?}: {error}");
        String::from_utf8(output.stdout).unwrap()
    };
    let one = said(&["limits", "nvme-gen5-x4"]);
    assert!(one.contains("14.4 GB/s") && one.contains("Specification 5.0"), "{one}");
    let family = said(&["limits", "infiniband", "epyc"]);
    assert!(family.contains("hdr-200") && family.contains("epyc-9004"), "{family}");
    assert!(!family.contains("eth-25") && !family.contains("xeon"), "{family}");

    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("ours.toml");
    let path = file.to_str().unwrap();
    let entry = "[[class]]\nid = \"sata-6\"\nsource = \"our own\"\ngrade = \"vendor\"\n";
    fs::write(&file, format!("{entry}read = {{ expected = \"540 MB/s\" }}\n")).unwrap();
    let ours = said(&["limits", "--limits", path, "--format", "csv", "sata-6"]);
    let row = "read.expected,540000000,540000000,bytes_per_s,vendor,our own";
    assert!(ours.lines().any(|line| line.ends_with(row)), "{ours}");

    fs::write(&file, format!("{entry}read = {{ expected = \"540\" }}\n")).unwrap();
    let refused = ["limits", "--limits", path];
    refuses(&refused, &["ours.toml, line 5", "sata-6: read.expected", "no unit", "hint: write"]);
    refuses(&["limits", "--limits", "/nonexistent"], &["--limits /nonexistent", "hint:"]);
    refuses(&["limits", "--limits", "/dev/zero"], &["/dev/zero", "not a regular file", "hint:"]);
    refuses(&["limits", "nvme-gen5x4"], &["no class", "did you mean `nvme-gen5-x4`"]);
    refuses(&["limits", "floppy"], &["no class", "families are dram"]);
}

#[test]
fn a_machine_copied_below_a_folder_is_told_and_this_one_is_not() {
    let dir = tempfile::tempdir().unwrap();
    let file = |path: &str, text: &str| {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    file("proc/cpuinfo", "processor : 0\nmodel name : A Copied Processor\nflags : fpu\n");
    file("sys/devices/system/cpu/online", "0-95\n");
    let output = narrows(&["platform", "--root", dir.path().to_str().unwrap()]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(said.contains("A Copied Processor, 1 socket, 96 cores, 96 CPUs"), "{said}");
    assert!(!said.contains("/var/tmp"), "no role was named:\n{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
}

#[test]
fn what_the_structure_of_a_copied_machine_costs_is_told_with_the_ids_of_rules() {
    let dir = tempfile::tempdir().unwrap();
    let file = |path: &str, text: &str| {
        let path = dir.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    file("sys/devices/system/cpu/online", "0-3\n");
    file("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
    fs::create_dir_all(dir.path().join("sys/bus/pci/devices")).unwrap();
    let root = "sys/devices/pci0000:00";
    for (path, class, most) in [
        ("0000:00:01.0", "0x060400", "8.0 GT/s PCIe"),
        ("0000:00:01.0/0000:01:00.0", "0x010802", "16.0 GT/s PCIe"),
    ] {
        let now = ("current_link_speed", "8.0 GT/s PCIe");
        let width = [("current_link_width", "4"), ("max_link_width", "4")];
        for (name, text) in
            [("class", class), ("max_link_speed", most), now].into_iter().chain(width)
        {
            file(&format!("{root}/{path}/{name}"), text);
        }
        let link = dir.path().join("sys/bus/pci/devices").join(path.rsplit('/').next().unwrap());
        std::os::unix::fs::symlink(format!("/{root}/{path}"), link).unwrap();
    }
    let output = narrows(&["platform", "--root", dir.path().to_str().unwrap()]);
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    for part in [
        "devices    0000:01:00.0 NVMe, 8 GT/s x4, LIMITED by the slot: the device supports 16 GT/s x4",
        "note slot-below-device: ",
        "it supports 16 GT/s x4, its port 8 GT/s x4",
        "note clock-source-slow: ",
    ] {
        assert!(said.contains(part), "no {part:?} in\n{said}");
    }
    assert!(!said.contains("pcie-link-below-its-ends"), "the link is at its best:\n{said}");
    assert!(said.lines().all(|line| line.chars().count() <= 100), "{said}");
}

#[test]
fn a_password_never_comes_back() {
    for address in ["mysql://bob:hunter2@db/x", "postgres://bob:hunter2@db/x?sslmode=require"] {
        let output = narrows(&["run", "--database", address]);
        let said = format!("{output:?}");
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
}

#[test]
fn a_file_that_is_no_run_is_refused() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("x.narrows.json");
    fs::write(&path, "{\"schema\": \"narrows.run/99\"}").unwrap();
    refuses(&["report", path.to_str().unwrap()], &["narrows.run/99", "narrows.run/1"]);
    fs::write(&path, "not json").unwrap();
    refuses(&["report", path.to_str().unwrap()], &["it is not JSON, so no run file"]);
}

#[test]
fn a_quick_run_has_one_length_everywhere() {
    let help = String::from_utf8(narrows(&["run", "--help"]).stdout).unwrap();
    let quick = help.lines().find(|line| line.contains("Quick, in ")).expect("--quick");
    assert!(quick.contains("Quick, in about 2 min:"), "{quick}");
    assert!(
        help.contains(
            "narrows run --quick                      3 repeats, no tests, in about 2 min"
        ),
        "{help}"
    );
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../README.md");
    let readme = fs::read_to_string(readme).unwrap().replace('\n', " ");
    assert!(readme.contains("`-- run --quick` takes about 2 min"), "{readme}");
}

#[test]
fn workloads_without_a_database_are_refused() {
    let home = tempfile::tempdir().unwrap();
    for also in [["--layers", "block"], ["--database", "none"]] {
        let mut command = Command::new(program());
        command.args(["run", "--dry-run", "--workloads", "scan"]).args(also);
        let output = command.env("XDG_DATA_HOME", home.path()).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{also:?}: {said}");
        assert!(said.contains("--workloads") && said.contains("hint: add database"), "{said}");
        assert!(output.stdout.is_empty(), "nothing is planned");
    }
}

/// What a command shows on a terminal of that kind, in that folder; `None` where there is no `script(1)`.
fn on_terminal(term: &str, fixture: &Fixture, line: &str) -> Option<String> {
    let mut command = Command::new("script");
    command.args(["-qec", line, "/dev/null"]).env("TERM", term).env_remove("NO_COLOR");
    command.env("XDG_DATA_HOME", fixture.home()).env("NARROWS", program()).env(LEAST.0, LEAST.1);
    command.current_dir(fixture.home()).stdin(std::process::Stdio::null());
    match command.output() {
        Ok(output) => Some(String::from_utf8_lossy(&output.stdout).into_owned()),
        Err(error) => {
            eprintln!("SKIPPED: script(1): {error}");
            None
        }
    }
}

#[test]
fn a_terminal_shows_a_bar_and_a_dumb_one_lines_without_sequences() {
    let _machine = shared();
    let fixture = Fixture::new();
    let line = format!(
        "\"$NARROWS\" run --quick --load-here --layers clock,log --data {}",
        fixture.data().display()
    );
    let Some(shown) = on_terminal("xterm", &fixture, &line) else { return };
    assert!(shown.contains("\u{1b}[K[") && shown.contains(" left  clock "), "{shown}");
    let shown = on_terminal("dumb", &fixture, &line).expect("it exists");
    assert!(!shown.contains('\u{1b}'), "{shown}");
    assert!(shown.contains(" left] clock ") && shown.contains("] log "), "{shown}");
    fixture.assert_nothing_left();
}

#[test]
fn a_page_goes_to_a_file_and_never_onto_a_terminal() {
    let _machine = shared();
    let fixture = Fixture::new();
    let run = Narrows::new(&fixture).args(["--layers", "clock"]).run();
    let name = format!("narrows-{}.html", run.id);
    let line = format!("\"$NARROWS\" report {} --html", run.id);
    let Some(shown) = on_terminal("xterm", &fixture, &line) else { return };
    assert_eq!(shown.trim_end(), format!("wrote {name}"));
    let page = fs::read_to_string(fixture.home().join(&name)).unwrap();
    assert!(page.starts_with("<!DOCTYPE html>") || page.starts_with("<!doctype html>"));
    // `-` is standard output, as elsewhere.
    let mut command = Command::new(program());
    command.args(["report", &run.id, "--html", "-o", "-"]).current_dir(fixture.home());
    let output = command.env("XDG_DATA_HOME", fixture.home()).output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap(), page);
    assert!(!fixture.home().join("-").exists());
}

#[test]
fn a_dry_run_says_minutes_and_bytes_and_touches_nothing() {
    let fixture = Fixture::new();
    let mut command = Command::new(program());
    command.env("XDG_DATA_HOME", fixture.home()).env(LEAST.0, LEAST.1);
    command.args(["run", "--quick", "--load-here", "--dry-run", "--data"]).arg(fixture.data());
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{said}");
    for part in ["total", "writes up to", "removed afterwards", "server", "update"] {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
    fixture.assert_nothing_left();
    assert!(fixture.runs().is_empty());
}

#[test]
fn a_run_is_kept_fits_its_schema_and_renders_again() {
    let _machine = shared();
    let fixture = Fixture::new();
    let run = Narrows::new(&fixture).args(["--layers", "clock,memory,log,block"]).run();
    fixture.assert_nothing_left();
    assert!(run.completed);
    for layer in [Layer::Clock, Layer::Memory, Layer::Block, Layer::Log] {
        assert!(
            run.measurements.iter().any(|m| m.layer == layer),
            "{layer:?}: {:#?}",
            run.findings
        );
    }

    let kept = fixture.runs();
    assert_eq!(kept.len(), 1);
    let text = fs::read_to_string(&kept[0]).unwrap();
    assert_eq!(Run::from_json(&text).unwrap(), run);
    let schema_path =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/schema/run-1.schema.json");
    let schema: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(schema_path).unwrap()).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let document = serde_json::from_str(&text).unwrap();
    let wrong: Vec<String> =
        validator.iter_errors(&document).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");

    let render = |format: &str| {
        let output = Command::new(program())
            .args(["report", &run.id, "--format", format])
            .env("XDG_DATA_HOME", fixture.home())
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(0), "{format}");
        String::from_utf8(output.stdout).unwrap()
    };
    let output = Command::new(program())
        .args(["report", &run.id, "--what-if", "storage=2x"])
        .env("XDG_DATA_HOME", fixture.home())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("no database workload") && said.contains("hint:"), "{said}");
    assert_eq!(render("json"), text);
    assert!(render("text").lines().all(|line| line.chars().count() <= 100));
    assert!(render("csv").lines().count() > 50);
    assert!(render("markdown").contains("| "));
    let page = render("html");
    assert!(page.len() < 1_000_000, "{}", page.len());
    assert!(!page.contains("src=\"http") && !page.contains("href=\"http"));
}

#[test]
fn a_folder_in_memory_is_called_that_and_gives_no_storage_figures() {
    if !Path::new("/dev/shm").is_dir() {
        eprintln!("SKIPPED: no /dev/shm");
        return;
    }
    let _machine = shared();
    let output = narrows(&[
        "run",
        "--quick",
        "--load-here",
        "--data",
        "/dev/shm",
        "--layers",
        "block",
        "--format",
        "json",
    ]);
    let run = Run::from_json(&String::from_utf8_lossy(&output.stdout)).unwrap();
    assert_eq!(output.status.code(), Some(3), "{:?}", run.findings);
    assert!(run.measurements.is_empty());
    let finding = run.findings.iter().find(|f| f.id == "absent-block").expect("it says why");
    assert!(finding.evidence.contains("memory"), "{finding:?}");
    let left = fs::read_dir("/dev/shm").unwrap().flatten();
    assert!(
        left.into_iter().all(|e| !e.file_name().to_string_lossy().starts_with("narrows-scratch-"))
    );
}

#[test]
fn a_folder_of_the_kernel_is_refused_before_anything_is_measured() {
    let args = ["run", "--quick", "--load-here", "--data", "/proc", "--layers", "clock,log"];
    let output = narrows(&args);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("/proc") && said.contains("hint: "), "{said}");
    assert!(output.stdout.is_empty());
}

/// Stops a run in a phase, and checks what is left.
fn stopped_run(layers: &str, phase: &str) {
    let fixture = Fixture::new();
    let mut run = Started::new(Narrows::new(&fixture).args(["--layers", layers]).spawn());
    run.wait_for(phase);
    run.signal(libc::SIGINT);
    let asked = Instant::now();
    let ended = run.end();
    assert!(asked.elapsed() < Duration::from_secs(60), "it took {:?} to stop", asked.elapsed());
    assert_eq!(ended.code(), Some(130), "{}", ended.stderr);
    let run = Run::from_json(&ended.stdout).unwrap();
    assert!(!run.completed);
    fixture.assert_nothing_left();
    assert_eq!(fixture.runs().len(), 1, "the partial run is kept");
}

#[test]
fn ctrl_c_leaves_a_partial_run_and_nothing_else() {
    let _machine = shared();
    together(3, &["plan", "block    fill", "block    measure"], |&at| stopped_run("block,log", at));
}

#[test]
fn ctrl_c_stops_the_server_too() {
    if postgres_folder().is_none() {
        eprintln!("SKIPPED: no PostgreSQL on this machine");
        return;
    }
    let _machine = shared();
    let phases = ["database prepare", "database fill", "database measure"];
    together(3, &phases, |&at| stopped_run("database", at));
}

#[test]
fn what_a_killed_run_leaves_is_removed_by_the_next() {
    let _machine = shared();
    let fixture = Fixture::new();
    let mut child = Narrows::new(&fixture).args(["--layers", "block"]).spawn();
    let deadline = Instant::now() + Duration::from_secs(20);
    while fs::read_dir(fixture.data()).unwrap().next().is_none() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(fs::read_dir(fixture.data()).unwrap().next().is_some(), "nothing was there to be left");
    let partial = Run::from_json(&fs::read_to_string(&fixture.runs()[0]).unwrap()).unwrap();
    assert!(!partial.completed);

    let output = Narrows::new(&fixture).args(["--layers", "clock"]).output();
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{said}");
    assert!(said.contains("left by an interrupted run"), "{said}");
    fixture.assert_nothing_left();
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let output = Command::new("sh")
        .args(["-c", &format!("{} platform | head -1", program().display())])
        .output()
        .unwrap();
    assert!(output.status.success());
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
}
