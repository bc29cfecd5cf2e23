//! Folders in which nothing can be measured, or only something: full, read-only, layered, in memory, somebody's. And a
//! machine without PostgreSQL and without a network. Each gives what can be had, says why the rest is absent and what
//! to do, and leaves nothing.
//!
//! Mounts are made in a namespace of the run's own, so they end with it whatever happens; that needs root.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use crate::common::machine::shared;
use crate::common::{Fixture, LEAST, postgres_folder, program};
use narrows_model::{Finding, Layer, Run};

/// Whether a namespace with mounts of its own can be had; says loudly if not.
fn mounts(what: &str) -> bool {
    let made = Command::new("unshare").args(["-m", "true"]).output();
    let can = made.is_ok_and(|output| output.status.success());
    if !can {
        eprintln!("SKIPPED {what}: needs root, to mount in a namespace of its own");
    }
    can
}

/// Runs `setup`, a shell script that finds the data folder in `$1`, in a mount namespace, and then narrows.
fn run_after(fixture: &Fixture, setup: &str, layers: &str) -> (Output, Run) {
    let mut command = Command::new("unshare");
    command.args(["-m", "sh", "-ec", &format!("{setup}\nshift\nexec \"$@\""), "sh"]);
    command.arg(fixture.data()).arg(program());
    command.args(["run", "--quick", "--load-here", "--format", "json", "--layers", layers]);
    command.arg("--data").arg(fixture.data()).env("XDG_DATA_HOME", fixture.home());
    command.env(LEAST.0, LEAST.1);
    let output = command.output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let run = Run::from_json(&String::from_utf8_lossy(&output.stdout))
        .unwrap_or_else(|error| panic!("{error}: {said}"));
    (output, run)
}

fn absent<'a>(run: &'a Run, what: &str) -> &'a Finding {
    let id = format!("absent-{what}");
    let finding = run.findings.iter().find(|finding| finding.id == id);
    finding.unwrap_or_else(|| panic!("no {id} in {:#?}", run.findings))
}

fn measured(run: &Run, layer: Layer) -> bool {
    run.measurements.iter().any(|measurement| measurement.layer == layer)
}

#[test]
fn without_postgresql_and_network_the_other_layers_stand() {
    let _machine = shared();
    let hidden = postgres_folder().map(|bin| bin.parent().unwrap().parent().unwrap().to_owned());
    if !mounts("without PostgreSQL") {
        return;
    }
    let fixture = Fixture::new();
    let hide =
        hidden.map_or(String::new(), |folder| format!("mount -t tmpfs none {}", folder.display()));
    let cache = fixture.public("cache");
    let setup = format!(
        "{hide}\nexport XDG_CACHE_HOME={} HTTPS_PROXY=http://127.0.0.1:1 PATH=/nonexistent",
        cache.display()
    );
    let (output, run) = run_after(&fixture, &setup, "clock,database");
    assert_eq!(output.status.code(), Some(4), "{:?}", run.findings);
    assert!(measured(&run, Layer::Clock) && !measured(&run, Layer::Database));
    let finding = absent(&run, "database");
    assert!(finding.evidence.contains("no PostgreSQL server found"), "{finding:?}");
    assert!(finding.evidence.contains("cannot download"), "{finding:?}");
    for way in ["without a network, put", "HTTPS_PROXY", "install the distribution's"] {
        assert!(finding.advice.contains(way), "{finding:?}");
    }
    fixture.assert_nothing_left();
}

#[test]
fn a_read_only_folder_costs_the_layers_that_write() {
    let _machine = shared();
    if !mounts("a read-only folder") {
        return;
    }
    let fixture = Fixture::new();
    let (output, run) =
        run_after(&fixture, "mount -t tmpfs -o ro none \"$1\"", "clock,block,log,database");
    assert_eq!(output.status.code(), Some(4));
    assert!(measured(&run, Layer::Clock));
    for layer in ["block", "log", "database"] {
        let finding = absent(&run, layer);
        assert!(finding.evidence.contains("Read-only file system"), "{finding:?}");
        assert!(finding.advice.contains("--data"), "{finding:?}");
    }
}

#[test]
fn a_drive_without_room_is_named_with_what_is_needed() {
    let _machine = shared();
    if !mounts("a full drive") {
        return;
    }
    let fixture = Fixture::new();
    let image = fixture.public("images").join("small.ext4");
    let path = image.display();
    let setup = format!(
        "dd if=/dev/zero of={path} bs=1M count=48 status=none\nmkfs.ext4 -q -F {path}\n\
         mount -o loop {path} \"$1\"\nchmod 755 \"$1\""
    );
    let (output, run) = run_after(&fixture, &setup, "clock,block,log,database");
    assert_eq!(output.status.code(), Some(4));
    for layer in ["block", "log", "database"] {
        let finding = absent(&run, layer);
        assert!(finding.advice.contains("free some space"), "{finding:?}");
    }
    assert!(absent(&run, "database").evidence.contains("are free"));
    fixture.assert_nothing_left();
}

#[test]
fn a_layered_folder_is_measured_and_called_that() {
    let _machine = shared();
    if !mounts("an overlay") {
        return;
    }
    let fixture = Fixture::new();
    let layers = fixture.public("layers");
    let path = layers.display();
    let setup = format!(
        "mkdir {path}/lower {path}/upper {path}/work\n\
         mount -t overlay overlay -o lowerdir={path}/lower,upperdir={path}/upper,workdir={path}/work \"$1\""
    );
    let (output, run) = run_after(&fixture, &setup, "log");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(matches!(output.status.code(), Some(0 | 3 | 4)), "{said}");
    assert!(measured(&run, Layer::Log));
    assert_eq!(run.hosts[0].platform.roles[0].file_system.kind, "overlay");
    assert_eq!(fs::read_dir(layers.join("upper")).unwrap().count(), 0, "it was written through");
}

#[test]
fn somebodys_data_folder_is_not_written_to_unasked() {
    let fixture = Fixture::new();
    fs::write(fixture.data().join("PG_VERSION"), "15\n").unwrap();
    fs::write(fixture.data().join("postmaster.pid"), "1\n").unwrap();
    fs::create_dir(fixture.data().join("pg_wal")).unwrap();
    let names = |dir: &Path| {
        let mut names: Vec<_> =
            fs::read_dir(dir).unwrap().flatten().map(|entry| entry.file_name()).collect();
        names.sort();
        names
    };
    let before = names(&fixture.data());
    for folder in [fixture.data(), fixture.data().join("pg_wal")] {
        let output = Command::new(program())
            .args(["run", "--quick", "--layers", "log", "--data"])
            .arg(folder)
            .env("XDG_DATA_HOME", fixture.home())
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{said}");
        for part in ["--load-here", "hint:"] {
            assert!(said.contains(part), "`{part}` is missing in:\n{said}");
        }
    }
    assert_eq!(names(&fixture.data()), before);
    assert!(fixture.runs().is_empty());
}

#[test]
fn a_home_that_is_missing_or_closed_is_an_error_before_anything_is_measured() {
    let fixture = Fixture::new();
    let run = |home: Option<&str>| {
        let mut command = Command::new(program());
        command.args(["run", "--quick", "--layers", "clock", "--data"]).arg(fixture.data());
        command.env_remove("HOME").env_remove("XDG_DATA_HOME");
        command.envs(home.map(|home| ("HOME", home)));
        command.output().unwrap()
    };
    for (home, said) in
        [(None, "neither XDG_DATA_HOME nor HOME"), (Some("/proc"), "cannot create /proc/")]
    {
        let output = run(home);
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{text}");
        assert!(text.contains(said) && text.contains("-o DIR"), "{text}");
        assert!(output.stdout.is_empty());
    }
    fixture.assert_nothing_left();
}
