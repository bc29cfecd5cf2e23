//! Bottlenecks planted on the real machine. The sentence that must come out stands in each test before the run.
//!
//! Each needs root (control groups, another user for the server), a PostgreSQL on the machine and two processors,
//! and says so loudly where one is missing. A sketch of one workload is run each time: a right sentence in one of
//! eight tries passes, a wrong one that claims to be likely fails at once, eight undecided ones fail too.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use crate::common::machine::{alone, quiet};
use crate::common::{Fixture, Narrows, open_to_all, postgres_folder, program, write_program};
use narrows_model::{Grade, Narrow, Run, Verdict};

const TRIES: usize = 8;

/// What is expected of one workload.
struct Expected {
    workload: &'static str,
    narrow: Narrow,
    /// Part of the phrase on the screen.
    sentence: &'static str,
}

/// Why the planted tests can't run here, if so.
fn obstacle() -> Option<String> {
    if !quiet("a planted bottleneck") {
        return Some("it is run on request".into());
    }
    if !narrows_facts::process::is_root() {
        return Some("needs root for control groups".into());
    }
    if narrows_facts::affinity::current().len() < 2 {
        return Some("needs two processors, one for the server and one for the load".into());
    }
    if postgres_folder().is_none() {
        return Some("needs a PostgreSQL installed on this machine".into());
    }
    None
}

fn skipped(what: &str) -> bool {
    match obstacle() {
        Some(reason) => {
            eprintln!("SKIPPED {what}: {reason}");
            true
        }
        None => false,
    }
}

fn expect(expected: &Expected, mut measure: impl FnMut(&Fixture) -> Run) {
    let mut seen = Vec::new();
    for _ in 0..TRIES {
        let fixture = Fixture::new();
        let run = measure(&fixture);
        fixture.assert_nothing_left();
        let verdict = verdict_on(&run, expected.workload);
        let text = format!(
            "{:?} {:?}: {} {:?}",
            verdict.grade, verdict.narrow, verdict.phrase, verdict.reasons
        );
        eprintln!("{}: {text}", expected.workload);
        if verdict.narrow == expected.narrow
            && verdict.or.is_none()
            && verdict.grade >= Grade::Likely
        {
            assert!(
                verdict.phrase.contains(expected.sentence),
                "the phrase `{}` should contain `{}`",
                verdict.phrase,
                expected.sentence
            );
            return;
        }
        // What others take of the processors meanwhile is counted, and no claim about the plant.
        assert!(
            verdict.grade == Grade::Open || verdict.narrow == Narrow::CpuTaken,
            "planted {:?}, claimed to be likely: {text}",
            expected.narrow
        );
        seen.push(text);
    }
    panic!("planted {:?}, {TRIES} times undecided:\n{}", expected.narrow, seen.join("\n"));
}

fn verdict_on(run: &Run, workload: &str) -> Verdict {
    run.verdicts
        .iter()
        .find(|verdict| verdict.workload == workload)
        .unwrap_or_else(|| panic!("no verdict on {workload}; findings: {:#?}", run.findings))
        .clone()
}

/// A control group of one controller, version 1 or 2; removed with what runs in it.
struct Group {
    path: PathBuf,
    version_2: bool,
}

impl Group {
    fn create(controller: &str, name: &str) -> Option<Group> {
        let root = Path::new("/sys/fs/cgroup");
        let name = format!("narrows-test-{name}-{}", std::process::id());
        let (path, version_2) = if root.join("cgroup.controllers").exists() {
            let _ = fs::write(root.join("cgroup.subtree_control"), format!("+{controller}"));
            (root.join(name), true)
        } else {
            let controller = if controller == "io" { "blkio" } else { controller };
            if !root.join(controller).is_dir() {
                eprintln!("SKIPPED: no control group with {controller}");
                return None;
            }
            (root.join(controller).join(name), false)
        };
        match fs::create_dir(&path) {
            Ok(()) => Some(Group { path, version_2 }),
            Err(error) => {
                eprintln!("SKIPPED: cannot create {}: {error}", path.display());
                None
            }
        }
    }

    fn set(&self, file: &str, value: &str) {
        fs::write(self.path.join(file), value)
            .unwrap_or_else(|error| panic!("{file} = {value}: {error}"));
    }

    fn cpu_quota(&self, share: f64) {
        // A short period: a group that has used up its quota waits up to a period.
        let (period, quota) = (10_000, (10_000.0 * share) as u64);
        if self.version_2 {
            self.set("cpu.max", &format!("{quota} {period}"));
        } else {
            self.set("cpu.cfs_period_us", &period.to_string());
            self.set("cpu.cfs_quota_us", &quota.to_string());
        }
    }

    fn read_limit(&self, device: &str, per_s: u64) {
        if self.version_2 {
            self.set("io.max", &format!("{device} riops={per_s}"));
        } else {
            self.set("blkio.throttle.read_iops_device", &format!("{device} {per_s}"));
        }
    }

    /// The command, to be run in this group.
    fn command(&self, program: &Path) -> Command {
        let mut command = Command::new("sh");
        let procs = self.path.join("cgroup.procs");
        command.args(["-c", &format!("echo $$ > {} && exec \"$@\"", procs.display()), "sh"]);
        command.arg(program);
        command
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // The last process may take a moment to leave.
        for _ in 0..100 {
            if fs::remove_dir(&self.path).is_ok() {
                return;
            }
            std::thread::sleep(std::time::Duration::from_millis(20));
        }
        eprintln!("could not remove {}", self.path.display());
    }
}

/// A program that takes a share of one processor whatever else wants it: with a real-time priority, because between
/// two ordinary groups a server that wakes for every request gets far more than its half (seen here: 91 to 98 %).
struct Hog {
    halt: Arc<AtomicBool>,
    thread: Option<JoinHandle<()>>,
}

impl Hog {
    fn start(cpu: u32, busy: Duration, idle: Duration) -> Hog {
        let halt = Arc::new(AtomicBool::new(false));
        let told = halt.clone();
        let thread = std::thread::spawn(move || {
            narrows_facts::affinity::pin(&[cpu]).expect("the processor is ours");
            let priority = libc::sched_param { sched_priority: 1 };
            // SAFETY: the parameter is valid for the call; 0 is this thread.
            let refused = unsafe { libc::sched_setscheduler(0, libc::SCHED_RR, &priority) } != 0;
            assert!(
                !refused,
                "a real-time priority was refused: {}",
                std::io::Error::last_os_error()
            );
            while !told.load(Ordering::Relaxed) {
                let began = Instant::now();
                while began.elapsed() < busy {
                    std::hint::spin_loop();
                }
                std::thread::sleep(idle);
            }
        });
        Hog { halt, thread: Some(thread) }
    }
}

impl Drop for Hog {
    fn drop(&mut self) {
        self.halt.store(true, Ordering::Relaxed);
        let ended = self.thread.take().map(JoinHandle::join);
        assert!(matches!(ended, Some(Ok(()))), "the hog was not there");
    }
}

#[test]
fn a_cpu_quota_is_named() {
    if skipped("a_cpu_quota_is_named") {
        return;
    }
    let _machine = alone();
    let Some(group) = Group::create("cpu", "quota") else { return };
    group.cpu_quota(0.5);
    let expected =
        Expected { workload: "lookup_cached", narrow: Narrow::CpuQuota, sentence: "CPU quota" };
    expect(&expected, |fixture| {
        Narrows::within(fixture, group.command(&program()))
            .in_full()
            .args(["--layers", "database", "--workloads", "lookup_cached"])
            .run()
    });
}

#[test]
fn a_hog_in_a_sibling_group_is_named() {
    if skipped("a_hog_in_a_sibling_group_is_named") {
        return;
    }
    let _machine = alone();
    let Some(ours) = Group::create("cpu", "server") else { return };
    // The first processor is the server's. The hog runs in this test's group, a sibling of the server's.
    let server_cpu = narrows_facts::affinity::current()[0];
    let _hog = Hog::start(server_cpu, Duration::from_millis(5), Duration::from_millis(8));
    let expected = Expected {
        workload: "lookup_cached",
        narrow: Narrow::CpuTaken,
        sentence: "CPU taken by others",
    };
    expect(&expected, |fixture| {
        Narrows::within(fixture, ours.command(&program()))
            .in_full()
            .args(["--layers", "database", "--workloads", "lookup_cached"])
            .run()
    });
}

#[test]
fn a_read_throttle_is_named() {
    if skipped("a_read_throttle_is_named") {
        return;
    }
    let _machine = alone();
    let probe = Fixture::new();
    let Some(device) = probe.drive() else {
        eprintln!(
            "SKIPPED a_read_throttle_is_named: no drive is visible under {}",
            probe.data().display()
        );
        return;
    };
    let Some(group) = Group::create("io", "reads") else { return };
    group.read_limit(&device, 1500);
    let expected = Expected {
        workload: "lookup_uncached",
        narrow: Narrow::IoLimit,
        sentence: "control group's I/O limit",
    };
    expect(&expected, |fixture| {
        Narrows::within(fixture, group.command(&program()))
            .in_full()
            .args(["--layers", "database", "--workloads", "lookup_uncached"])
            .run()
    });
}

#[test]
fn a_slow_flush_inside_the_server_is_not_blamed_on_the_device() {
    if skipped("a_slow_flush_inside_the_server_is_not_blamed_on_the_device") {
        return;
    }
    let _machine = alone();
    let expected = Expected {
        workload: "update",
        narrow: Narrow::CommitInsideServer,
        sentence: "times slower than the log layer's, so it is not the device",
    };
    expect(&expected, |fixture| {
        let wrappers = slow_server(fixture, 3000);
        Narrows::new(fixture)
            .in_full()
            .args(["--layers", "log,database", "--workloads", "update", "--postgres"])
            .args([wrappers.to_str().expect("a plain path")])
            .run()
    });
}

/// A folder with `postgres` and `initdb` that run the machine's own, the server with a slow flush.
fn slow_server(fixture: &Fixture, delay_us: u32) -> PathBuf {
    let folder = fixture.public("wrappers");
    let library = folder.join("slow_flush.so");
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/plants/slow_flush.c");
    let status = Command::new("cc")
        .args(["-O1", "-shared", "-fPIC", "-o"])
        .args([&library, &source])
        .status()
        .expect("the C compiler that links Rust programs is there");
    assert!(status.success(), "the shim does not compile");
    let real = postgres_folder().expect("checked before");
    for (name, environment) in [
        ("postgres", format!("LD_PRELOAD={} SLOW_FLUSH_US={delay_us} ", library.display())),
        ("initdb", String::new()),
    ] {
        let script = format!("#!/bin/sh\nexec env {environment}{}/{name} \"$@\"\n", real.display());
        write_program(&folder.join(name), &script);
    }
    open_to_all(&library);
    folder
}

#[test]
fn without_a_plant_cached_lookups_are_bound_by_the_processor() {
    if skipped("without_a_plant_cached_lookups_are_bound_by_the_processor") {
        return;
    }
    let _machine = alone();
    let expected = Expected { workload: "lookup_cached", narrow: Narrow::Cpu, sentence: "busy" };
    expect(&expected, |fixture| {
        Narrows::new(fixture)
            .in_full()
            .args(["--layers", "database", "--workloads", "lookup_cached"])
            .run()
    });
}
