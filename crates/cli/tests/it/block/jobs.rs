//! Job files as people have them, and fio's JSON layout beside fio's own.

use std::collections::BTreeMap;
use std::fs;
use std::process::{Child, Command};

use narrows_model::{Run, metric};
use serde_json::Value;

use super::job_run::JobRun;
use super::{job_file, narrows, text};
use crate::common::Fixture;
use crate::common::machine::shared;

/// Orders, pauses, durable writes, rates of one kind and many clones, as people's files have them; each job's count of
/// operations follows from its settings.
const HABITS: &str = "\
[global]
ioengine=psync
size=1m
bs=4k
stonewall

[gaps]
rw=read:8k

[runs]
rw=randread:8
percentage_random=50
blockalign=512
norandommap

[thinks]
rw=randread
number_ios=20
thinktime=2ms
thinktime_spin=1ms
thinktime_blocks=5

[durable]
rw=write
overwrite=1
sync=dsync
number_ios=8
fsync_on_close=1

[sided]
rw=randrw
ioengine=libaio
direct=1
time_based
runtime=1
rate_iops=50,
unified_rw_reporting=both

[clones]
rw=randread
numjobs=3
loops=2
io_size=64k
group_reporting
";

#[test]
fn orders_pauses_and_durable_writes_are_those_of_the_file() {
    let _machine = shared();
    let f = Fixture::new();
    let JobRun { run, fio: document, said, .. } = JobRun::of(&f, HABITS);
    f.assert_nothing_left();
    let of = |name: &str| run.measurement(&format!("block.job.{name}")).expect(name);
    let counted = |name: &str| of(name).value(metric::OPERATIONS);
    // 256 blocks, of which every third is read; all of them; as many as asked for.
    assert_eq!(counted("gaps"), Some(86.0));
    assert_eq!(counted("runs"), Some(256.0));
    assert_eq!(counted("thinks"), Some(20.0));
    assert_eq!(counted("durable"), Some(8.0));
    // Three clones, twice sixteen blocks each.
    assert_eq!(counted("clones"), Some(96.0));
    assert_eq!(of("gaps").text(narrows_model::condition::PLACE), Some("gaps of 8192 bytes"));
    let runs = of("runs").text(narrows_model::condition::PLACE).unwrap();
    assert!(runs.contains("runs of 8") && runs.contains("aligned to 512"), "{runs}");
    assert_eq!(of("durable").text(narrows_model::condition::SYNC), Some("dsync"));
    // Three pauses of 2 ms lie between 20 operations in fives.
    assert!(of("thinks").value(metric::WINDOW).unwrap() >= 6e6, "{said}");

    let jobs = document["jobs"].as_array().unwrap();
    let sided = jobs.iter().find(|job| job["jobname"] == "sided").unwrap();
    let ios = |kind: &str| sided[kind]["total_ios"].as_u64().unwrap();
    // A second at fifty: a slow machine sends fewer, none sends more.
    assert!(ios("read") <= 51 && ios("write") > 0, "{sided}");
    assert_eq!(ios("mixed"), ios("read") + ios("write"));
    let clones = jobs.iter().find(|job| job["jobname"] == "clones").unwrap();
    assert_eq!(clones["read"]["total_ios"], 96);
    // The processor's time by kind adds up to no more than there was.
    for job in jobs {
        let share = |key: &str| job[key].as_f64().unwrap();
        assert!(share("usr_cpu") >= 0.0 && share("usr_cpu") + share("sys_cpu") <= 110.0, "{job}");
    }
}

/// The kinds of values by the way to them; what depends on values ends at its parent.
/// Weights 1, 2 and 3 of one group; the last ends halfway.
const SHARES: &str = "\
[global]
ioengine=null
size=1g
bs=4k
time_based
runtime=2
flow_id=1

[one]
flow=1

[two]
flow=2

[three]
flow=3
runtime=1
";

#[test]
fn jobs_side_by_side_keep_their_shares_and_their_own_time() {
    let _machine = shared();
    let f = Fixture::new();
    let job = job_file(&f, "shares.fio", SHARES);
    let output = narrows(&f, &["run", &job, "--format", "json", "--load-here"]);
    let said = text(&output.stderr);
    let run = Run::from_json(&text(&output.stdout)).unwrap_or_else(|e| panic!("{e}:\n{said}"));
    f.assert_nothing_left();
    let of = |name: &str, of| run.measurement(&format!("block.job.{name}")).unwrap().value(of);
    let counts = ["one", "two", "three"].map(|name| of(name, metric::OPERATIONS).unwrap());
    assert!((counts[1] / counts[0] / 2.0 - 1.0).abs() < 0.05, "{counts:?}");
    let windows = ["one", "three"].map(|name| of(name, metric::WINDOW).unwrap());
    assert!(windows[0] > 1.9e9 && windows[1] > 0.9e9, "{windows:?}");
    assert!(windows[1] < windows[0] - 0.5e9, "the one of a second ends before: {windows:?}");
}

/// A program that ends with its test.
struct Busy(Child);

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn other_programs_that_are_busy_meanwhile_have_names() {
    let _machine = shared();
    let f = Fixture::new();
    let busy = Busy(Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap());
    let job = job_file(&f, "shares.fio", SHARES);
    let output = narrows(&f, &["run", &job, "--format", "json", "--load-here"]);
    drop(busy);
    let run = Run::from_json(&text(&output.stdout)).unwrap();
    // Whatever else ran beside, this one did.
    let most = run.other_programs.iter().map(|program| program.cpus).fold(0.0, f64::max);
    assert!(most >= 0.01, "{:?}", run.other_programs);
    assert!(run.other_programs.len() <= 6);
}

fn shape(value: &Value, path: &str, found: &mut BTreeMap<String, String>) {
    let kind = match value {
        Value::Object(object) => {
            let open = ["job options", "global options", "percentile", "bins"];
            for (key, value) in object {
                if !open.iter().any(|open| path.ends_with(open)) {
                    shape(value, &format!("{path}/{key}"), found);
                }
            }
            "object"
        }
        Value::Array(array) => {
            array.iter().for_each(|value| shape(value, path, found));
            return;
        }
        Value::Number(number) if number.is_f64() => "fraction",
        Value::Number(_) => "whole number",
        Value::String(_) => "text",
        Value::Bool(_) | Value::Null => "other",
    };
    found.insert(path.to_string(), kind.to_string());
}

#[test]
fn the_keys_and_their_types_are_what_fio_prints_of_the_same_file() {
    let fio = Command::new("fio").arg("--version").output();
    if !fio.is_ok_and(|output| output.status.success()) {
        eprintln!("SKIPPED: no fio to compare with");
        return;
    }
    let _machine = shared();
    let f = Fixture::new();
    let job = job_file(
        &f,
        "same.fio",
        "[global]\nioengine=psync\nsize=1m\noverwrite=1\n[a]\nrw=randrw\nfdatasync=8\n[b]\nrw=randread\nlat_percentiles=1\n",
    );
    let theirs = Command::new("fio")
        .args(["--output-format=json+", &job])
        .current_dir(f.data())
        .output()
        .unwrap();
    for entry in fs::read_dir(f.data()).unwrap() {
        fs::remove_file(entry.unwrap().path()).unwrap();
    }
    let theirs = text(&theirs.stdout);
    let theirs = &theirs[theirs.find('{').expect("fio's document")..];
    let ours = narrows(&f, &["run", &job, "--load-here", "--fio-json", "-", "--fio-json-plus"]);
    let shape_of = |document: &str| {
        let mut found = BTreeMap::new();
        let value: Value = serde_json::from_str(document).unwrap();
        shape(&value, "", &mut found);
        // Readers that stop without it are served where fio itself finds no drive.
        found.retain(|path, _| !path.starts_with("/disk_util/aggr") && path != "/disk_util");
        found
    };
    let (ours, theirs) = (shape_of(&text(&ours.stdout)), shape_of(theirs));
    // Of newer versions than the oldest that is compared with.
    let newer = ["/jobs/job_start", "/jobs/latency_target_ns", "/jobs/latency_window_us"];
    for (path, kind) in &theirs {
        if path.starts_with("/disk_util") && !ours.contains_key("/disk_util/name") {
            continue; // The folder of this test may lie in memory.
        }
        let own = ours.get(path).unwrap_or_else(|| panic!("{path} is missing"));
        assert_eq!(own, kind, "{path}");
    }
    for path in ours.keys() {
        let known = theirs.contains_key(path) || newer.contains(&path.as_str());
        let drive = path.starts_with("/disk_util");
        assert!(known || drive, "{path} is not fio's");
    }
    f.assert_nothing_left();
}
