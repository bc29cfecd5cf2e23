//! Jobs whose operations are calls on whole files or on a file's space: how many there are, as what fio counts them, and that nothing of
//! others is touched.

use std::fs;
use std::process::{Command, Stdio};

use narrows_model::{Run, Severity, condition, metric};
use serde_json::Value;

use super::{command, job_file, narrows, refuses, text};
use crate::common::Fixture;
use crate::common::machine::shared;
use crate::common::started::Started;

/// Two clones of thirty files each but for the last two, one job after the other.
const METADATA: &str = "\
[global]
filesize=4k
nrfiles=30
stonewall

[creates]
ioengine=filecreate
create_on_open=1
openfiles=1
fallocate=none
numjobs=2
group_reporting

[stats]
ioengine=filestat
stat_type=lstat
rw=randwrite
loops=3

[deletes]
ioengine=filedelete
unlink=0
rw=write
number_ios=20

[some]
ioengine=filestat
size=40k

[allocates]
ioengine=falloc
filesize=1m
nrfiles=1
rw=randwrite
bs=8k

[punches]
ioengine=falloc
filesize=1m
nrfiles=1
rw=trim

[truncates]
ioengine=ftruncate
filesize=1m
nrfiles=1
rw=write
bs=16k
";

/// By job and direction: operations and bytes, and how many of the operations have a latency.
fn counted(document: &Value) -> Vec<(String, &'static str, u64, u64, u64)> {
    let mut all = Vec::new();
    for job in document["jobs"].as_array().unwrap() {
        for direction in ["read", "write", "trim"] {
            let of = &job[direction];
            let number = |value: &Value| value.as_u64().unwrap();
            if number(&of["total_ios"]) > 0 {
                let name = job["jobname"].as_str().unwrap().to_string();
                let timed = number(&of["clat_ns"]["N"]);
                let (ios, bytes) = (number(&of["total_ios"]), number(&of["io_bytes"]));
                all.push((name, direction, ios, bytes, timed));
            }
        }
    }
    all
}

#[test]
fn calls_are_counted_as_fio_counts_them_and_nothing_is_left() {
    let _machine = shared();
    let f = Fixture::new();
    let job = job_file(&f, "metadata.fio", METADATA);
    let output = narrows(&f, &["run", &job, "--load-here", "--fio-json", "-"]);
    let (printed, said) = (text(&output.stdout), text(&output.stderr));
    let ours: Value = serde_json::from_str(&printed).unwrap_or_else(|e| panic!("{e}:\n{said}"));
    f.assert_nothing_left();
    let expected = [
        ("creates", "read", 60, 60 * 4096),
        ("stats", "write", 90, 90 * 4096),
        ("deletes", "write", 20, 20 * 4096),
        ("some", "read", 10, 10 * 4096),
        ("allocates", "write", 128, 1 << 20),
        ("punches", "trim", 256, 1 << 20),
        ("truncates", "write", 64, 1 << 20),
    ]
    .map(|(name, direction, ios, bytes)| (name.to_string(), direction, ios, bytes, ios));
    assert_eq!(counted(&ours), expected, "{said}");

    let Ok(theirs) =
        Command::new("fio").args(["--output-format=json", &job]).current_dir(f.data()).output()
    else {
        eprintln!("SKIPPED: no fio to compare with");
        return;
    };
    let theirs = text(&theirs.stdout);
    let theirs: Value = serde_json::from_str(&theirs[theirs.find('{').unwrap()..]).unwrap();
    assert_eq!(counted(&theirs), expected);
}

#[test]
fn calls_have_latencies_and_no_bandwidth_and_are_no_drives_figures() {
    let _machine = shared();
    let f = Fixture::new();
    let settings = "[global]\nfilesize=4k\nnrfiles=200\n[made]\nioengine=dircreate\n[asked]\nioengine=dirstat\nstat_type=statx\n[gone]\nioengine=dirdelete\nrw=write\n";
    let job = job_file(&f, "folders.fio", settings);
    let output = narrows(&f, &["run", &job, "--format", "json", "--load-here"]);
    let said = text(&output.stderr);
    let run = Run::from_json(&text(&output.stdout)).unwrap_or_else(|e| panic!("{e}:\n{said}"));
    f.assert_nothing_left();
    for (name, call) in
        [("made", "create folder"), ("asked", "stat folder"), ("gone", "delete folder")]
    {
        let m = run.measurement(&format!("block.job.{name}")).expect(name);
        assert_eq!(m.value(metric::OPERATIONS), Some(200.0), "{name}");
        assert_eq!(m.value(metric::ERRORS), Some(0.0), "{name}");
        assert!(m.value(metric::LATENCY_P50).is_some_and(|ns| ns > 0.0), "{name}");
        assert_eq!(m.text(condition::DIRECTION), Some(call));
        assert_eq!(m.text(condition::METHOD), Some("file calls"));
        assert_eq!(m.number(condition::FILES), Some(200.0));
        assert_eq!(m.value(metric::BANDWIDTH), None, "nothing moves");
        let of_drives = m.metrics.iter().filter(|value| value.name.starts_with("device_"));
        assert_eq!(of_drives.count(), 0, "{name}");
        let id = format!("block.job.{name}");
        let own = run.findings.iter().filter(|found| found.measurement.as_deref() == Some(&id));
        let wrong = own.filter(|found| {
            found.severity == Severity::Invalid || NOT_OF_CALLS.contains(&found.id.as_str())
        });
        let findings: Vec<&str> = wrong.map(|found| found.id.as_str()).collect();
        assert!(findings.is_empty(), "{name}: {findings:?}");
    }
}

/// Rules about drives and what they moved, which say nothing of calls.
const NOT_OF_CALLS: &[&str] = &[
    "generator-bound",
    "others-write-beside-reads",
    "others-read-beside-writes",
    "others-write-the-drives",
    "others-read-the-drives",
    "drives-unseen",
    "requests-merged",
    "burst-write",
    "rate-of-a-volume-limit",
    "working-set-in-memory",
    "few-blocks-read-again",
];

#[test]
fn files_of_others_stay_as_they_are() {
    let f = Fixture::new();
    let theirs = f.data().join("j.0.0");
    fs::write(&theirs, "theirs").unwrap();
    let named =
        job_file(&f, "named.fio", "[j]\nioengine=filedelete\nfilename=j.0.0\nfilesize=4k\n");
    refuses(&f, &["run", &named, "--load-here"], &["j.0.0, which exists", "hint: "]);
    // A name that clones make for themselves is one in a folder of narrows' own.
    for engine in ["filecreate", "filedelete"] {
        let made = job_file(&f, "made.fio", &format!("[j]\nioengine={engine}\nfilesize=4k\n"));
        let output = narrows(&f, &["run", &made, "--load-here"]);
        // A single call is too few to be trusted, and is made all the same.
        let said = text(&output.stderr);
        assert!(matches!(output.status.code(), Some(0 | 4)), "{said}");
        assert_eq!(fs::read_to_string(&theirs).unwrap(), "theirs");
    }
    fs::remove_file(&theirs).unwrap();
    f.assert_nothing_left();
}

#[test]
fn ctrl_c_while_files_are_laid_out_leaves_none() {
    let f = Fixture::new();
    let settings = "[j]\nioengine=filestat\nfilesize=4k\nnrfiles=200000\n";
    let job = job_file(&f, "many.fio", settings);
    let mut command = command(&f, &["run", &job, "--load-here"]);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = Started::new(command.spawn().unwrap());
    run.wait_for("block    fill");
    run.signal(libc::SIGINT);
    let ended = run.end();
    assert_eq!(ended.code(), Some(130), "{}", ended.stderr);
    f.assert_nothing_left();
}
