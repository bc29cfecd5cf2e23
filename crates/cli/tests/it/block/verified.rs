//! Jobs that verify: what they write is read back, what somebody changed is found at its place, and fio finds what narrows wrote.

use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Command, Output};

use narrows_model::{Run, condition, metric};
use serde_json::Value;

use super::{Loop, job_file, narrows, refuses, text};
use crate::common::Fixture;
use crate::common::machine::shared;

const JOBS: &str = "\
[global]
ioengine=psync
size=1m
bs=4k
stonewall

[plain]
rw=write
verify=crc32c

[random]
rw=randwrite
verify=md5
verify_interval=512
verify_offset=128

[again]
rw=randwrite
norandommap
loops=3
verify=sha256

[mixed]
rw=randrw
verify=meta
verify_pattern=0xaaa%o
verify_backlog=16
verify_fatal=1

[unlooked]
rw=write
filename=kept
verify=xxhash
do_verify=0

[read]
rw=randread
filename=kept
verify=xxhash
loops=2
";

fn ran(output: &Output) -> Run {
    let said = text(&output.stderr);
    let run = Run::from_json(&text(&output.stdout)).unwrap_or_else(|e| panic!("{e}:\n{said}"));
    assert!(run.completed, "{said}");
    run
}

#[test]
fn what_jobs_write_is_read_back_and_is_none_of_their_figures() {
    let _machine = shared();
    let f = Fixture::new();
    let job = job_file(&f, "v.fio", JOBS);
    let json = f.home().join("v.json");
    let args =
        ["run", &job, "--format", "json", "--load-here", "--fio-json", json.to_str().unwrap()];
    let output = narrows(&f, &args);
    let run = ran(&output);
    f.assert_nothing_left();
    let counted = |name: &str| {
        let found = run.measurement(&format!("block.job.{name}"));
        found.and_then(|measurement| measurement.value(metric::OPERATIONS))
    };
    let says = |name: &str, key| run.measurement(&format!("block.job.{name}")).unwrap().number(key);
    for (name, writes, blocks) in [("plain", 256.0, 256.0), ("random", 256.0, 256.0)] {
        assert_eq!(counted(name), Some(writes), "{name}: nothing but its writes");
        assert_eq!(counted(&format!("{name}.verify")), Some(blocks), "{name}");
        assert_eq!(says(name, condition::VERIFIED_BLOCKS), Some(blocks), "{name}");
        assert_eq!(says(name, condition::MISMATCHES), Some(0.0), "{name}");
    }
    // Of what was written several times, the last of each place.
    assert_eq!(counted("again"), Some(768.0));
    let places = counted("again.verify").unwrap();
    assert!((200.0..=256.0).contains(&places), "{places}");
    let mixed = run.measurement("block.job.mixed").unwrap();
    assert_eq!(counted("mixed"), Some(256.0));
    let compared = mixed.number(condition::VERIFIED_BLOCKS).unwrap();
    assert!((100.0..=156.0).contains(&compared), "about half are writes: {compared}");
    assert_eq!((counted("unlooked"), counted("unlooked.verify")), (Some(256.0), None));
    assert_eq!(says("unlooked", condition::VERIFIED_BLOCKS), Some(0.0));
    assert_eq!(says("read", condition::VERIFIED_BLOCKS), Some(512.0));
    for one in &run.measurements {
        assert_eq!(one.value(metric::ERRORS), Some(0.0), "{}", one.id);
    }
    let said = text(&output.stderr);
    assert!(said.contains("[plain]: verify=crc32c: 256 of 256 blocks"), "{said}");

    // In fio's layout reads for verification are reads of the job.
    let document: Value = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    let plain = &document["jobs"][0];
    assert_eq!(
        (&plain["read"]["total_ios"], &plain["write"]["total_ios"]),
        (&256.into(), &256.into())
    );
    assert_eq!((&plain["read"]["io_bytes"], &plain["error"]), (&(1 << 20).into(), &0.into()));
}

#[test]
fn what_cannot_be_verified_stops_with_a_way_out() {
    let f = Fixture::new();
    let stops = |settings: &str, parts: &[&str]| {
        let job = job_file(&f, "x.fio", &format!("[global]\nsize=1m\n{settings}\n"));
        refuses(&f, &["run", &job, "--load-here"], parts);
    };
    stops("[a]\nrw=read\nverify=md5", &["x.fio:3 [a]", "needs a file that is there", "hint:"]);
    // What a job of several sizes or a mix leaves out, nobody has written.
    for writes in ["rw=write\nbssplit=4k/50:8k/50", "rw=randrw", "rw=write\nio_size=512k"] {
        let jobs =
            format!("filename=f\nverify=md5\n[a]\ndo_verify=0\n{writes}\n[b]\nstonewall\nrw=read");
        stops(&jobs, &["[b]", "writes whole"]);
    }
    stops(
        "filename=f\nverify=md5\n[a]\nrw=randwrite\nnumjobs=2",
        &["several jobs or clones write at the same time", "offset_increment"],
    );
    stops("filename=f\nverify=md5\nrw=write\n[a]\n[b]", &["can't be verified"]);
    stops("[a]\nrw=write\nverify=pattern\nverify_pattern='none'", &["cannot read none"]);
    stops("[a]\nrw=write\nverify=md5\nverify_state_load=1", &["what to read, and the job writes"]);
}

#[test]
fn a_byte_that_changed_ends_in_an_error_that_names_its_place() {
    let _machine = shared();
    let f = Fixture::new();
    let path = f.data().join("theirs");
    let pattern = b"0123456789abcdef".repeat(1 << 16);
    fs::write(&path, &pattern).unwrap();
    let settings =
        "rw=read\nbs=4k\nfilename=theirs\nverify=pattern\nverify_pattern=\"0123456789abcdef\"";
    let run = |more: &str| {
        let job = job_file(&f, "r.fio", &format!("[r]\n{settings}\n{more}\n"));
        narrows(&f, &["run", &job, "--load-here", "--format", "json"])
    };
    let good = ran(&run(""));
    let checked = good.measurement("block.job.r").unwrap().number(condition::VERIFIED_BLOCKS);
    assert_eq!(checked, Some(256.0));

    fs::File::options().write(true).open(&path).unwrap().write_all_at(b"X", 77_777).unwrap();
    let output = run("");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    for part in
        ["1 of 256 blocks", "theirs", "at byte 77777: pattern: expected 31, found 58", "hint:"]
    {
        assert!(said.contains(part), "`{part}` is missing in:\n{said}");
    }
    let kept = ran(&output);
    let measurement = kept.measurement("block.job.r").unwrap();
    assert_eq!(measurement.value(metric::ERRORS), Some(1.0));
    assert!(!measurement.usable(), "a figure of blocks that are wrong is none");

    let output = run("verify_fatal=1");
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("does not hold what was written, at byte 77777"), "{said}");
    fs::remove_file(&path).unwrap();
    f.assert_nothing_left();
}

/// fio by `NARROWS_FIO` or its name, with whether it has the header that is written here (since 3.41).
fn fio() -> Option<(String, bool)> {
    let name = std::env::var("NARROWS_FIO").unwrap_or_else(|_| "fio".to_string());
    let Ok(output) = Command::new(&name).arg("--version").output() else {
        eprintln!("SKIPPED: no fio to compare with ({name} doesn't run)");
        return None;
    };
    let version = text(&output.stdout);
    let mut numbers = version.trim().trim_start_matches("fio-").split(['.', '-']);
    let mut number = || numbers.next().and_then(|part| part.parse::<u32>().ok()).unwrap_or(0);
    Some((name, (number(), number()) >= (3, 41)))
}

fn fio_verifies(fio: &str, file: &Path, settings: &[&str]) -> Output {
    let file = format!("--filename={}", file.display());
    Command::new(fio)
        .args(["--name=v", "--size=1m", "--verify_state_save=0", &file])
        .args(settings)
        .output()
        .unwrap()
}

#[test]
fn narrows_verifies_what_fio_wrote() {
    let Some((fio, _)) = fio() else { return };
    let _machine = shared();
    let f = Fixture::new();
    let path = f.data().join("theirs");
    let wrote = fio_verifies(
        &fio,
        &path,
        &["--rw=randwrite", "--bs=16k", "--verify=md5", "--verify_interval=4k", "--do_verify=0"],
    );
    assert!(wrote.status.success(), "{}", text(&wrote.stderr));
    // Other blocks, the same unit.
    let job = job_file(
        &f,
        "r.fio",
        "[r]\nrw=randread\nbs=8k\nfilename=theirs\nverify=md5\nverify_interval=4k\n",
    );
    let run = |job: &str| narrows(&f, &["run", job, "--load-here", "--format", "json"]);
    let good = ran(&run(&job));
    let measurement = good.measurement("block.job.r").unwrap();
    assert_eq!(measurement.number(condition::VERIFIED_BLOCKS), Some(128.0));
    assert_eq!(measurement.number(condition::MISMATCHES), Some(0.0));
    fs::File::options().write(true).open(&path).unwrap().write_all_at(b"XX", 50_000).unwrap();
    let output = run(&job);
    let said = text(&output.stderr);
    assert!(said.contains("at byte 49152: md5: expected"), "{said}");
    fs::remove_file(&path).unwrap();
    f.assert_nothing_left();
}

#[test]
fn fio_verifies_what_narrows_wrote() {
    let Some((fio, new)) = fio() else { return };
    if !new {
        eprintln!("SKIPPED: {fio} is older than 3.41, whose header is written here");
        return;
    }
    let _machine = shared();
    const BYTES: u64 = 64 << 20;
    let f = Fixture::new();
    let Some(device) = Loop::new(&f, BYTES) else { return };
    let settings = "bs=8k\nverify=crc32c\nverify_interval=1k";
    let job = format!("[w]\nrw=randwrite\nfilename={}\nsize=1m\n{settings}\n", device.node);
    let job = job_file(&f, "w.fio", &job);
    let serial = format!("size={BYTES}");
    let args = ["run", &job, "--write-to-device", &device.node, "--serial", &serial, "--load-here"];
    let args: Vec<&str> = args.into_iter().chain(["--format", "json"]).collect();
    let run = ran(&narrows(&f, &args));
    let wrote = run.measurement("block.job.w").unwrap();
    assert_eq!(wrote.number(condition::VERIFIED_BLOCKS), Some(128.0));

    let read = ["--rw=read", "--bs=4k", "--verify=crc32c", "--verify_interval=1k"];
    let found = fio_verifies(&fio, &device.image, &read);
    assert!(found.status.success(), "{}", text(&found.stderr));
    let image = fs::File::options().write(true).open(&device.image).unwrap();
    image.write_all_at(&[0xff; 8], 32_700).unwrap();
    let found = fio_verifies(&fio, &device.image, &read);
    assert!(!found.status.success(), "fio finds what was changed");
    f.assert_nothing_left();
}
