//! Two bottlenecks planted on the real machine, as smoke: what holds whatever else the machine does. The plant is in what was counted,
//! and nothing else is claimed to be likely. How often it is named, `cargo xtask plants` tells as a rate; that it is named where the
//! laws are known, the simulator's tests.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use narrows_model::{Bottleneck, Grade, Run, metric};

use crate::common::machine::shared;
use crate::common::{Fixture, Narrows, postgres_folder, program, slow_flush, write_program};

/// Processors of the group with a quota: closed loops on two want four times as much.
const QUOTA: f64 = 0.5;
/// What a planted flush takes longer, µs: more than any drive that tests run on.
const DELAY_US: u32 = 50_000;

/// Whatever is claimed is the plant, or what others took of the processors meanwhile.
fn claims_nothing_else(run: &Run, planted: &[Bottleneck]) {
    for verdict in &run.verdicts {
        let true_of_it =
            planted.contains(&verdict.narrow) || verdict.narrow == Bottleneck::CpuTaken;
        assert!(
            verdict.grade == Grade::Undecided || true_of_it,
            "planted {planted:?}, claimed: {verdict:#?}"
        );
    }
}

/// A control group with a quota, version 1 or 2; removed with what runs in it. Its weight is high, so that it is the quota that stops it.
struct Group(PathBuf);

impl Group {
    fn with_quota(cpus: f64) -> Option<Group> {
        let (root, name) =
            (Path::new("/sys/fs/cgroup"), format!("narrows-test-{}", std::process::id()));
        let (period_us, quota_us) = (10_000, (10_000.0 * cpus) as u64);
        let (path, settings) = if root.join("cgroup.controllers").exists() {
            let _ = fs::write(root.join("cgroup.subtree_control"), "+cpu");
            let quota = ("cpu.max", format!("{quota_us} {period_us}"));
            (root.join(name), vec![quota, ("cpu.weight", "1000".into())])
        } else {
            let period = ("cpu.cfs_period_us", period_us.to_string());
            let quota = ("cpu.cfs_quota_us", quota_us.to_string());
            (root.join("cpu").join(name), vec![period, quota, ("cpu.shares", "10240".into())])
        };
        if let Err(error) = fs::create_dir(&path) {
            eprintln!("SKIPPED: no control group of our own: {error}");
            return None;
        }
        let group = Group(path);
        for (file, value) in settings {
            if let Err(error) = fs::write(group.0.join(file), &value) {
                eprintln!("SKIPPED: no control group with {file}: {error}");
                return None;
            }
        }
        Some(group)
    }

    /// The command, to be run in this group.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("sh");
        let procs = self.0.join("cgroup.procs");
        command.args(["-c", &format!("echo $$ > {} && exec \"$@\"", procs.display()), "sh"]);
        command.arg(program);
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The last process may take a moment to leave.
        for _ in 0..100 {
            if fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        eprintln!("could not remove {}", self.0.display());
    }
}

#[test]
fn a_cpu_quota_is_counted_and_nothing_else_is_claimed() {
    if postgres_folder().is_none() {
        return eprintln!("SKIPPED: no PostgreSQL in the distribution's folder");
    }
    let _machine = shared();
    let Some(group) = Group::with_quota(QUOTA) else { return };
    let fixture = Fixture::new();
    let run = Narrows::within(&fixture, group.command(&program()))
        .args(["--layers", "database", "--workloads", "lookup_cached"])
        .run();
    fixture.assert_nothing_left();
    let lookup = run.measurement("database.lookup_cached").unwrap_or_else(|| panic!("{run:#?}"));
    let stops = lookup.value(metric::THROTTLED);
    assert!(stops > Some(0.0), "{stops:?}: {:?}", lookup.conditions);
    claims_nothing_else(&run, &[Bottleneck::CpuQuota]);
}

#[test]
fn a_slow_flush_inside_the_server_bounds_its_commits_and_nothing_else_is_claimed() {
    let Some(real) = postgres_folder() else {
        return eprintln!("SKIPPED: no PostgreSQL in the distribution's folder");
    };
    let _machine = shared();
    let fixture = Fixture::new();
    let wrappers = fixture.public("wrappers");
    let library = slow_flush(&wrappers);
    let plant = format!("LD_PRELOAD={} SLOW_FLUSH_US={DELAY_US}", library.display());
    for (name, environment) in [("postgres", plant.as_str()), ("initdb", "")] {
        let script =
            format!("#!/bin/sh\nexec env {environment} {}/{name} \"$@\"\n", real.display());
        write_program(&wrappers.join(name), &script);
    }
    let run = Narrows::new(&fixture)
        .args(["--layers", "database", "--workloads", "update", "--sessions", "2"])
        .args(["--postgres", wrappers.to_str().expect("a plain path")])
        .run();
    fixture.assert_nothing_left();
    let update = run.measurement("database.update").unwrap_or_else(|| panic!("{run:#?}"));
    // Each commit waits for one flush at least, so that a session has so many of them, and one that began before the window.
    let delay_s = f64::from(DELAY_US) / 1e6;
    let window_s = update.value(metric::WINDOW).expect("a window has a length") / 1e9;
    let most = 2.0 * (window_s / delay_s + 1.0);
    let commits = update.value(metric::OPERATIONS).expect("commits are counted");
    assert!(commits <= most, "{commits} commits of at most {most}");
    // That it is no wait for the drive can be told only beside the log layer's own flushes, which aren't measured here.
    claims_nothing_else(&run, &[Bottleneck::CommitWait, Bottleneck::CommitInsideServer]);
}
