//! `narrows block` as users meet it: wrong input, dry runs, a calibration and job files from end to end, Ctrl-C, and raw
//! devices that must not be written. What came out is checked for its structure, never for speed.

mod atomic_writes;
mod beside;
mod job_run;
mod jobs;
mod operation_rules;
mod replayed;
mod turns;
mod verified;
mod verify_state;
mod whole_files;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::common::machine::{shared, together};
use crate::common::started::Started;
use crate::common::{Fixture, LEAST, program};
use narrows_model::{CalibrationEnd, DatabaseChoice, Layer, Run, metric};

fn narrows(fixture: &Fixture, args: &[&str]) -> Output {
    command(fixture, args).output().unwrap()
}

fn command(fixture: &Fixture, args: &[&str]) -> Command {
    let mut command = Command::new(program());
    command.arg("block").args(args).env("XDG_DATA_HOME", fixture.home());
    command.current_dir(fixture.data());
    command
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Ends with code 2 and an error that names all of `parts`; nothing on standard output, nothing left.
fn refuses(fixture: &Fixture, args: &[&str], parts: &[&str]) {
    let output = narrows(fixture, args);
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{args:?} said:\n{said}");
    assert!(output.stdout.is_empty(), "{args:?}");
    for part in parts {
        assert!(said.contains(part), "`{part}` is missing in what {args:?} said:\n{said}");
    }
}

/// A job file of this text beside the data folder.
fn job_file(fixture: &Fixture, name: &str, text: &str) -> String {
    let path = fixture.home().join(name);
    fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_string()
}

#[test]
fn wrong_arguments_are_named_with_a_way_out() {
    let f = Fixture::new();
    refuses(&f, &["--at", "/nonexistent"], &["--at /nonexistent", "hint:"]);
    refuses(&f, &["--at", "/etc/passwd"], &["not a folder"]);
    refuses(&f, &["--size", "8kB"], &["8k"]);
    refuses(&f, &["--size", "1000"], &["512"]);
    refuses(&f, &["--within", "soon"], &["--within"]);
    refuses(&f, &["--within", "1h"], &["10s"]);
    refuses(&f, &["--percentile", "0.99"], &["50 to 99.99"]);
    refuses(&f, &["--reads", "101"], &["--reads"]);
    refuses(&f, &["--beside", "cake"], &["possible values"]);
    refuses(&f, &["--arrivals", "never"], &["possible values"]);
    refuses(&f, &["--file-size", "1m"], &["64m"]);
    refuses(&f, &["--minutes", "0"], &["--minutes"]);
    refuses(&f, &["--device", "/nonexistent"], &["/nonexistent", "lsblk"]);
    refuses(&f, &["--device", "/dev/null"], &["not a block device", "hint:"]);
    refuses(&f, &["--write-to-device", "/dev/null"], &["--serial"]);
    refuses(&f, &["--serial", "x"], &["--write-to-device"]);
    refuses(&f, &["--device", "/dev/null", "--at", "/tmp"], &["cannot be used with"]);
    refuses(&f, &["device", "/etc/passwd"], &["not a block device"]);
    refuses(&f, &["steady", "--round", "1ms"], &["1s"]);
    refuses(&f, &["steady", "--reads", "100"], &["--reads"]);
    refuses(&f, &["writers", "--writers", "1"], &["--writers"]);
    refuses(&f, &["run"], &["FILE.fio"]);
    let missing = "error: there is no file /nonexistent.fio\nhint: name fio's job files";
    refuses(&f, &["run", "/nonexistent.fio"], &[missing]);
    refuses(&f, &["run", "/tmp"], &["is a folder", "hint:"]);
    refuses(&f, &["run", "x.fio", "--fio-json-plus"], &["--fio-json"]);
    refuses(&f, &["run", "x.fio", "--fio-json", "/nonexistent/x"], &["/nonexistent/x", "hint:"]);
    f.assert_nothing_left();
    assert!(f.runs().is_empty());
}

#[test]
fn what_a_stream_cannot_do_stops_a_job_file_with_its_line() {
    let f = Fixture::new();
    let job = |settings: &str| job_file(&f, "x.fio", &format!("[one]\nsize=64m\n{settings}\n"));
    for (settings, parts) in [
        ("runtme=5", &["x.fio:3", "runtime"][..]),
        ("runtime=2sec", &["x.fio:3", "2"]),
        ("thinktime=5\nrate_iops=9", &["[one]", "thinktime beside a rate", "hint:"]),
        ("rw=randrw\nrate_iops=100,", &["[one]", "both rates"]),
        ("rw=read\nnrfiles=4", &["[one]", "in turn", "iodepth"]),
        ("rw=read\ndirect=1\noffset=100", &["[one]", "512"]),
        ("rw=read\nfilename=/dev/nosuchdrive", &["/dev/nosuchdrive", "memory"]),
        ("rw=read\nfilename=/etc", &["/etc is a folder"]),
        ("rw=write\nfilename=/etc/passwd", &["/etc/passwd", "overwritten", "hint:"]),
        ("rw=read\nsize=1t\nfilename=/etc/passwd", &["of /etc/passwd, which has", "hint:"]),
    ] {
        refuses(&f, &["run", &job(settings)], parts);
    }
    refuses(&f, &["run", &job_file(&f, "y.fio", "[a]\nrw=read\n")], &["size="]);
    refuses(&f, &["run", &job("rw=read"), "--section", "two"], &["[two]", "the jobs are one"]);
    let late = "[a]\nsize=64m\nfilename=x\n[b]\nsize=64m\nfilename=x\nstartdelay=2\n";
    refuses(&f, &["run", &job_file(&f, "z.fio", late)], &["[b]", "begins later", "stonewall"]);
    let huge = job("rw=read\nsize=900t");
    refuses(&f, &["run", &huge], &["free", "hint: free some space"]);
    f.assert_nothing_left();
    assert!(f.runs().is_empty());
}

#[test]
fn dry_runs_say_minutes_and_bytes_and_touch_nothing() {
    let f = Fixture::new();
    let job = job_file(&f, "x.fio", "[a]\nrw=randwrite\nsize=64m\nrandrepeat=1\n");
    for args in [
        &["--dry-run"][..],
        &["calibrate", "--dry-run", "--reads", "70", "--beside", "log"],
        &["interference", "--dry-run"],
        &["steady", "--dry-run"],
        &["writers", "--dry-run"],
        &["run", &job, "--dry-run"],
    ] {
        let output = narrows(&f, &[args, &["--load-here"]].concat());
        let said = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{args:?}: {said}{}", text(&output.stderr));
        for part in ["total", "writes up to", "removed afterwards"] {
            assert!(said.contains(part), "`{part}` is missing in what {args:?} printed:\n{said}");
        }
    }
    f.assert_nothing_left();
    assert!(f.runs().is_empty());
}

#[test]
fn what_is_said_of_randrepeat_is_so_of_each_of_its_values() {
    let f = Fixture::new();
    for value in [0, 1] {
        let job = format!("[a]\nrw=randread\nsize=64m\nrandrepeat={value}\n");
        let job = job_file(&f, "r.fio", &job);
        let said = text(&narrows(&f, &["run", &job, "--load-here", "--dry-run"]).stdout);
        let whole = format!("randrepeat={value}: approximated: other offsets than fio's: with 1");
        assert!(said.contains(&whole) && said.contains("with 0 new ones in each"), "{said}");
    }
}

/// The plan of a calibration with its defaults is what the reader was promised: two minutes.
#[test]
fn the_plan_of_a_calibration_ends_within_two_minutes() {
    let f = Fixture::new();
    let said = text(&narrows(&f, &["--dry-run"]).stdout);
    let line = said.lines().find(|line| line.starts_with("total")).expect("a line of sums");
    let planned = line.split_whitespace().nth(2).expect("a number");
    let seconds: f64 = planned.parse().expect("a number");
    assert!(line.contains(" s,") && seconds <= 120.0 || line.contains(" 2 min"), "{line}");
}

#[test]
fn the_published_job_files_are_taken_as_they_are() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/cases/fio");
    let Ok(entries) = fs::read_dir(&cases) else {
        eprintln!("SKIPPED: no job files of others at {}", cases.display());
        return;
    };
    let f = Fixture::new();
    let mut seen = 0;
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.extension().is_none_or(|ending| ending != "fio") {
            continue;
        }
        let output = narrows(&f, &["run", path.to_str().unwrap(), "--load-here", "--dry-run"]);
        let (said, refused) = (text(&output.stdout), text(&output.stderr));
        let small = refused.contains("hint: free some space");
        assert_eq!(output.status.code(), Some(if small { 2 } else { 0 }), "{refused}");
        assert!(said.contains("a file of 10.7 GB") && said.contains("35 s"), "{said}");
        // What isn't as in fio is said.
        assert!(said.contains("approximated") || said.contains("note"), "{said}");
        seen += 1;
    }
    assert!(seen >= 4, "{seen} in {}", cases.display());
}

const JOBS: &str = "\
[global]
ioengine=psync
direct=1
size=16m
time_based
runtime=1

[alone]
description=one reader
rw=randread
bs=4k
numjobs=2

[mixed]
stonewall
ioengine=libaio
rw=randrw
rwmixread=70
bs=8k
iodepth=4
fdatasync=32

[beside]
rw=read
bs=64k
rate_iops=200
rate_process=poisson
";

#[test]
fn a_job_file_runs_from_end_to_end_in_both_layouts() {
    let _machine = shared();
    let f = Fixture::new();
    let job = job_file(&f, "x.fio", JOBS);
    let json = f.home().join("fio.json");
    let args = ["run", &job, "--format", "json", "--load-here", "--fio-json-plus", "--fio-json"];
    let args: Vec<&str> = args.into_iter().chain([json.to_str().unwrap()]).collect();
    let output = narrows(&f, &args);
    let said = text(&output.stderr);
    f.assert_nothing_left();
    let run = Run::from_json(&text(&output.stdout)).unwrap_or_else(|e| panic!("{e}:\n{said}"));
    assert!(run.completed && run.plan.layers == [Layer::Block], "{said}");
    assert_eq!(run.plan.database, DatabaseChoice::None);
    let worst = run.measurements.iter().map(|m| m.validity).max().unwrap();
    assert_eq!(output.status.code(), Some([0, 4, 3][worst as usize]), "{:#?}", run.findings);
    for id in ["block.job.alone", "block.job.mixed", "block.job.beside", "block.together.1"] {
        let m = run.measurement(id).unwrap_or_else(|| panic!("{id} is missing"));
        assert!(m.value(metric::OPERATIONS).unwrap() > 0.0, "{id}");
        assert_eq!(m.value(metric::ERRORS), Some(0.0), "{id}");
    }
    let mixed = run.measurement("block.job.mixed").unwrap();
    assert!(
        mixed.value(metric::SYNC_THROUGHPUT).is_some_and(|rate| rate > 0.0)
            && mixed.value(metric::DEPTH) == Some(4.0)
    );
    let beside = run.measurement("block.job.beside").unwrap();
    assert_eq!(beside.value(metric::ASKED_RATE), Some(200.0));
    // Alone it has the drive's counters; beside others only all together have them.
    assert!(beside.value(metric::DEVICE_READ_BYTES).is_none());
    assert_eq!(f.runs().len(), 1);

    let document: serde_json::Value =
        serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let jobs = document["jobs"].as_array().unwrap();
    let names: Vec<&str> = jobs.iter().map(|job| job["jobname"].as_str().unwrap()).collect();
    assert_eq!(names, ["alone", "alone", "mixed", "beside"], "each clone is an entry, as in fio");
    let groups: Vec<u64> = jobs.iter().map(|job| job["groupid"].as_u64().unwrap()).collect();
    assert_eq!(groups, [0, 0, 1, 1]);
    assert_eq!(document["global options"]["size"], "16m");
    for job in jobs {
        let read = &job["read"];
        let operations = read["total_ios"].as_u64().unwrap();
        assert!(operations > 0 && read["clat_ns"]["N"] == operations);
        let bins = read["clat_ns"]["bins"].as_object().unwrap();
        assert_eq!(bins.values().filter_map(serde_json::Value::as_u64).sum::<u64>(), operations);
    }
    assert!(jobs[2]["write"]["total_ios"].as_u64().unwrap() > 0);
    assert!(jobs[2]["sync"]["total_ios"].as_u64().unwrap() > 0);
}

#[test]
fn one_section_work_that_ends_and_fios_layout_on_standard_output() {
    let _machine = shared();
    let f = Fixture::new();
    let kept = f.data().join("kept");
    fs::write(&kept, vec![7; 1 << 20]).unwrap();
    let jobs = "[global]\nfilename=kept\n[a]\nrw=read\nbs=64k\nloops=2\n\
                ioengine=io_uring\nslat_percentiles=1\n[b]\nrw=write\n";
    let job = job_file(&f, "x.fio", jobs);
    let output = narrows(&f, &["run", &job, "--section", "a", "--load-here", "--fio-json", "-"]);
    let document: serde_json::Value = serde_json::from_str(&text(&output.stdout))
        .unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)));
    let read = &document["jobs"][0]["read"];
    // Sixteen blocks of 64 KiB, twice.
    assert_eq!((&read["total_ios"], &read["io_bytes"]), (&32.into(), &(2u64 << 20).into()));
    // Submissions were asked for: they and completions add up to all of it.
    let [submission, completion, all] = ["slat_ns", "clat_ns", "lat_ns"].map(|key| &read[key]);
    assert_eq!((&submission["N"], &completion["N"]), (&32.into(), &32.into()));
    let mean = |of: &serde_json::Value| of["mean"].as_f64().unwrap();
    assert!(mean(submission) > 0.0 && submission["percentile"]["99.000000"].is_u64());
    assert!((mean(submission) + mean(completion) - mean(all)).abs() < 2.0, "{read:#}");
    assert_eq!(fs::read(&kept).unwrap(), vec![7; 1 << 20], "a file of others is only read");
    fs::remove_file(&kept).unwrap();
    f.assert_nothing_left();
}

#[test]
fn a_small_calibration_answers_with_its_evidence() {
    let _machine = shared();
    let f = Fixture::new();
    let args = ["--file-size", "64m", "--within", "20ms", "--load-here"];
    let mut least = command(&f, &args);
    let output = least.args(["--format", "json"]).env(LEAST.0, LEAST.1).output().unwrap();
    let said = text(&output.stderr);
    f.assert_nothing_left();
    let run = Run::from_json(&text(&output.stdout)).unwrap_or_else(|e| panic!("{e}:\n{said}"));
    assert!(run.completed, "{said}");
    let [calibration] = run.calibrations.as_slice() else { panic!("one calibration:\n{said}") };
    assert_eq!(calibration.id, "block.calibrate.read.8k");
    assert_eq!(calibration.goal.limit_ns, 20_000_000);
    assert!(calibration.ceiling_per_s.unwrap() > 0.0 && !calibration.ramp.is_empty());
    assert!(!calibration.sentence.is_empty());
    // On a disturbed machine no window may be left to rest on, and then there is no answer.
    let found = calibration.end == CalibrationEnd::Found;
    assert!(!found || !calibration.rests_on.is_empty());
    for id in &calibration.rests_on {
        assert!(run.measurement(id).is_some(), "the answer rests on {id}, which is missing");
    }
    let code = match (found, calibration.validity as usize) {
        (_, 2) => 3,
        (true, 0) => 0,
        _ => 4,
    };
    assert_eq!(
        output.status.code(),
        Some(code),
        "{:?} {:?}",
        calibration.end,
        calibration.validity
    );

    let render = |format: &str| {
        let mut report = Command::new(program());
        report.args(["report", &run.id, "--format", format]).env("XDG_DATA_HOME", f.home());
        let output = report.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{format}: {}", text(&output.stderr));
        text(&output.stdout)
    };
    assert!(render("text").lines().all(|line| line.chars().count() <= 100), "{}", render("text"));
    assert!(render("html").contains("<svg"));
}

#[test]
fn rounds_say_in_a_sentence_what_a_rate_is_worth() {
    let _machine = shared();
    let f = Fixture::new();
    let args = ["steady", "--file-size", "64m", "--round", "1s", "--budget", "128m", "--load-here"];
    let output = command(&f, &args).args(["--format", "json"]).output().unwrap();
    f.assert_nothing_left();
    let run = Run::from_json(&text(&output.stdout))
        .unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)));
    let [measurement] = run.measurements.as_slice() else { panic!("one measurement") };
    let said =
        measurement.text(narrows_model::condition::SENTENCE).expect("it says what it is worth");
    // So little fills no drive.
    assert_eq!(measurement.text(narrows_model::condition::WRITE_STATE), Some("burst"), "{said}");
    // On a busy machine not even these few rounds need be alike.
    let reasons = ["burst", "not steady", "not shown to be steady"];
    assert!(reasons.iter().any(|reason| said.contains(reason)), "{said}");
    assert!(matches!(output.status.code(), Some(3 | 4)), "{:?}", output.status);
}

#[test]
fn a_servers_folder_is_not_loaded_unasked() {
    let f = Fixture::new();
    fs::write(f.data().join("PG_VERSION"), "17").unwrap();
    fs::write(f.data().join("postmaster.pid"), "1").unwrap();
    let job = job_file(&f, "x.fio", "[a]\nrw=read\nsize=1m\n");
    for args in [&["calibrate"][..], &["steady"], &["writers"], &["run", &job]] {
        refuses(&f, args, &["--load-here"]);
    }
    assert_eq!(fs::read_dir(f.data()).unwrap().count(), 2, "nothing was made");
    assert!(f.runs().is_empty());
}

#[test]
fn ctrl_c_leaves_a_partial_run_and_nothing_else() {
    let _machine = shared();
    let job = |f: &Fixture| {
        job_file(f, "x.fio", "[a]\nrw=randread\nsize=64m\nruntime=300\ntime_based\nnumjobs=3\n")
    };
    let cases = [
        (&["calibrate", "--file-size", "512m"][..], "block    fill"),
        (&["calibrate", "--file-size", "64m"], "block    measure"),
        (&["steady", "--file-size", "64m"], "block    fill"),
        (&["writers"], "block    fill"),
        (&["run"], "block    fill"),
        (&["run"], "block    measure"),
    ];
    together(3, &cases, |&(words, phase)| {
        let f = Fixture::new();
        let mut args = vec![words[0].to_string(), "--load-here".to_string()];
        args.extend(words[1..].iter().map(|word| word.to_string()));
        if words[0] == "run" {
            args.push(job(&f));
        }
        let args: Vec<&str> = args.iter().map(String::as_str).collect();
        let mut command = command(&f, &args);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut run = Started::new(command.spawn().unwrap());
        run.wait_for(phase);
        run.signal(libc::SIGINT);
        let ended = run.end();
        assert_eq!(ended.code(), Some(130), "{args:?} in {phase}:\n{}", ended.stderr);
        f.assert_nothing_left();
        let kept = f.runs();
        assert_eq!(kept.len(), 1, "the partial run is kept");
        let kept = Run::from_json(&fs::read_to_string(&kept[0]).unwrap()).unwrap();
        assert!(!kept.completed);
    });
}

/// A loop device over a file of the fixture; taken down when dropped.
struct Loop {
    node: String,
    image: PathBuf,
}

impl Loop {
    fn new(f: &Fixture, bytes: u64) -> Option<Loop> {
        let image = f.home().join("image");
        File::create(&image).unwrap().set_len(bytes).unwrap();
        let output =
            Command::new("losetup").args(["--find", "--show"]).arg(&image).output().ok()?;
        if !output.status.success() {
            eprintln!("SKIPPED: no loop devices without root and the kernel's help");
            return None;
        }
        Some(Loop { node: text(&output.stdout).trim().to_string(), image })
    }
}

impl Drop for Loop {
    fn drop(&mut self) {
        let _ = Command::new("losetup").args(["--detach", &self.node]).status();
    }
}

#[test]
fn a_device_is_written_only_with_its_name_and_its_serial() {
    let _machine = shared();
    const BYTES: u64 = 128 << 20;
    let f = Fixture::new();
    let Some(device) = Loop::new(&f, BYTES) else { return };
    let node = device.node.as_str();
    let untouched = || fs::read(&device.image).unwrap().iter().all(|byte| *byte == 0);
    let phrase = format!("size={BYTES}");

    let shown = narrows(&f, &["device", node]);
    assert_eq!(shown.status.code(), Some(0), "{}", text(&shown.stderr));
    let shown = text(&shown.stdout);
    assert!(shown.contains(&format!("--write-to-device {node} --serial {phrase}")), "{shown}");
    let shown = narrows(&f, &["device", node, "--format", "json"]);
    let shown: serde_json::Value = serde_json::from_str(&text(&shown.stdout)).unwrap();
    assert_eq!(
        (&shown["consent"], &shown["refused"]),
        (&phrase.clone().into(), &serde_json::json!([]))
    );

    let job = job_file(&f, "w.fio", &format!("[w]\nrw=write\nbs=64k\nfilename={node}\nsize=1m\n"));
    let both = |serial: &str| ["--write-to-device", node, "--serial", serial].map(str::to_string);
    refuses(&f, &["run", &job], &["writes to the device", &phrase]);
    refuses(&f, &["--device", node, "--reads", "50"], &["read only", "--write-to-device"]);
    let wrong = both("size=1");
    let mut args = vec!["run", job.as_str()];
    args.extend(wrong.iter().map(String::as_str));
    refuses(&f, &args, &["serial", &phrase]);
    assert!(untouched(), "something was written without consent");

    // Reading takes no consent and writes nothing.
    let read =
        job_file(&f, "r.fio", &format!("[r]\nrw=randread\nbs=64k\nfilename={node}\nsize=1m\n"));
    let output = narrows(&f, &["run", &read, "--load-here", "--format", "json"]);
    let run = Run::from_json(&text(&output.stdout))
        .unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)));
    assert!(run.measurement("block.job.r").unwrap().value(metric::OPERATIONS) == Some(16.0));
    assert!(untouched(), "reading wrote");

    // A file system on it stands against writing, whatever is said.
    let mkfs = Command::new("mkfs.ext4").args(["-q", node]).status();
    if mkfs.is_ok_and(|status| status.success()) {
        let right = both(&phrase);
        let mut args = vec!["run", job.as_str()];
        args.extend(right.iter().map(String::as_str));
        refuses(&f, &args, &["ext", "wipefs"]);
        let wiped = Command::new("wipefs").args(["--all", "-q", node]).status().unwrap();
        assert!(wiped.success());
    } else {
        eprintln!("SKIPPED: no mkfs.ext4, so no marked device");
    }

    let right = both(&phrase);
    let mut args = vec!["run", job.as_str(), "--load-here", "--format", "json"];
    args.extend(right.iter().map(String::as_str));
    let output = narrows(&f, &args);
    let run = Run::from_json(&text(&output.stdout))
        .unwrap_or_else(|e| panic!("{e}: {}", text(&output.stderr)));
    assert_eq!(run.measurement("block.job.w").unwrap().value(metric::OPERATIONS), Some(16.0));
    let written = fs::read(&device.image).unwrap();
    assert!(written[..1 << 20].iter().any(|byte| *byte != 0), "with consent it is written");
    f.assert_nothing_left();
}
