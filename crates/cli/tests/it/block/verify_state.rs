//! `verify_state_save` and `verify_state_load`: one run writes and is over or stopped, another reads just what was written.

use std::fs;
use std::os::unix::fs::{FileExt, symlink};
use std::process::Stdio;

use narrows_model::{Run, condition, metric};

use super::job_run::JobRun;
use super::{command, job_file, narrows, refuses, text};
use crate::common::Fixture;
use crate::common::machine::shared;
use crate::common::started::Started;

const FILES: &str = "[global]\nverify=md5\nsize=512k\nbs=4k\n[job]\n";

/// Exit code (2 is an error; windows as short as these have others for their figures), standard output, and what was said.
fn run(f: &Fixture, name: &str, job: &str) -> (Option<i32>, String, String) {
    let job = job_file(f, name, job);
    let output = narrows(f, &["run", &job, "--load-here", "--format", "json"]);
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn verified(json: &str) -> Option<f64> {
    let run = Run::from_json(json).unwrap_or_else(|error| panic!("{error}: {json}"));
    run.measurement("block.job.job")?.number(condition::VERIFIED_BLOCKS)
}

#[test]
fn what_one_run_wrote_another_verifies_and_a_changed_byte_is_found() {
    let _machine = shared();
    let f = Fixture::new();
    let kept = f.data().join("kept");
    let state = f.data().join("local-job-0-verify.state");
    let write = format!("{FILES}filename=kept\nrw=randwrite\nnumber_ios=40\nverify_state_save=1\n");
    let (code, _, said) = run(&f, "pre.fio", &write);
    assert_ne!(code, Some(2), "{said}");
    assert!(said.contains("40 written blocks are listed in"), "{said}");
    assert_eq!(fs::metadata(&kept).unwrap().len(), 512 << 10, "as long as the job says");
    assert!(fs::read_to_string(&state).unwrap().starts_with("narrows verify state 1\n"));

    let read = format!("{FILES}filename=kept\nrw=read\nverify_state_load=1\n");
    let (code, json, said) = run(&f, "post.fio", &read);
    assert_ne!(code, Some(2), "{said}");
    assert_eq!(verified(&json), Some(40.0), "{said}");

    // A byte of a block that was written, and one of a block that was not: the state tells them apart.
    let listed = fs::read_to_string(&state).unwrap();
    let places: Vec<u64> =
        listed.lines().filter_map(|line| line.split_once(' ')?.0.parse().ok()).collect();
    let written = places[0];
    let free = (0..128).map(|block| block * 4096).find(|at| !listed.contains(&format!("\n{at} ")));
    let file = fs::File::options().read(true).write(true).open(&kept).unwrap();
    let flip = |at: u64| {
        let mut byte = [0];
        file.read_exact_at(&mut byte, at).unwrap();
        file.write_all_at(&[byte[0] ^ 1], at).unwrap();
    };
    if let Some(free) =
        free.filter(|free| !places.iter().any(|at| (*at..*at + 65536).contains(free)))
    {
        flip(free + 100);
        let (code, _, said) = run(&f, "post.fio", &read);
        assert_ne!(code, Some(2), "nobody wrote there: {said}");
    }
    flip(written + 100);
    let (code, json, said) = run(&f, "post.fio", &read);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("1 of 40 blocks"), "{said}");
    let found = Run::from_json(&json).unwrap();
    assert_eq!(found.measurement("block.job.job").unwrap().value(metric::ERRORS), Some(1.0));

    // The file is theirs now, and is not written again.
    let parts = ["kept", "overwritten", "hint:"];
    refuses(&f, &["run", &job_file(&f, "pre.fio", &write), "--load-here"], &parts);
}

#[test]
fn several_files_and_passes_are_one_state() {
    let _machine = shared();
    let f = Fixture::new();
    let files = "[global]\nfilename=a:b:c:d\nverify=md5\nioengine=libaio\niodepth=32\nsize=512k\nloops=4\n[job]\n";
    let (code, _, said) = run(&f, "pre.fio", &format!("{files}rw=write\nverify_state_save=1\n"));
    assert_ne!(code, Some(2), "{said}");
    let (code, json, said) = run(&f, "post.fio", &format!("{files}rw=read\nverify_state_load=1\n"));
    // Once each, as fio, whatever `loops` says.
    assert_ne!(code, Some(2), "{said}");
    assert_eq!(verified(&json), Some(128.0), "{said}");
    fs::File::options()
        .write(true)
        .open(f.data().join("c"))
        .unwrap()
        .write_all_at(b"X", 70_000)
        .unwrap();
    let (code, _, said) = run(&f, "post.fio", &format!("{files}rw=read\nverify_state_load=1\n"));
    assert_eq!(code, Some(2), "{said}");
}

#[test]
fn a_state_that_is_none_or_of_another_job_stops_and_nothing_of_others_is_written_over() {
    let f = Fixture::new();
    let state = f.data().join("local-job-0-verify.state");
    let write =
        job_file(&f, "pre.fio", &format!("{FILES}filename=kept\nrw=write\nverify_state_save=1\n"));
    let read =
        job_file(&f, "post.fio", &format!("{FILES}filename=kept\nrw=read\nverify_state_load=1\n"));
    let stops = |job: &str, parts: &[&str]| refuses(&f, &["run", job, "--load-here"], parts);
    stops(&read, &["local-job-0-verify.state", "hint:"]);
    fs::write(f.data().join("kept"), vec![0; 512 << 10]).unwrap();
    // As fio writes it.
    fs::write(&state, [3, 0, 0, 0, 0, 0, 0, 0, 0xc0, 0xc2]).unwrap();
    stops(&read, &["no state of narrows", "fio's generator"]);
    fs::remove_file(f.data().join("kept")).unwrap();
    stops(&write, &["no state of narrows", "hint:"]);
    assert_eq!(fs::read(&state).unwrap().len(), 10);
    fs::remove_file(&state).unwrap();
    symlink("/nonexistent/elsewhere", &state).unwrap();
    stops(&write, &["no file has that name"]);
    fs::remove_file(&state).unwrap();
    fs::write(f.data().join("kept"), vec![0; 512 << 10]).unwrap();
    let of = |method: &str, name: &str, at: u64| {
        format!(
            "narrows verify state 1\nmethod {method}\nunit 4096\nfile 0 {name}\n{at} 4096 0 1\nend\n"
        )
    };
    for (text, part) in [
        (of("crc32c", "kept", 0), "verify=crc32c"),
        (of("md5", "other", 0), "is of other"),
        (of("md5", "kept", 1 << 20), "byte 1048576"),
        (of("md5", "kept", 0).replace("end\n", ""), "not written whole"),
    ] {
        fs::write(&state, text).unwrap();
        stops(&read, &[part]);
    }
}

#[test]
fn a_file_whose_place_was_taken_goes_with_its_state_and_the_others_stay() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[global]\nverify=md5\nsize=64k\nrw=write\nthinktime=1ms\ntime_based\nruntime=300\nverify_state_save=1\n\
                [a]\nfilename=aa\n[b]\nfilename=bb\n";
    let job = job_file(&f, "two.fio", jobs);
    let mut command = command(&f, &["run", &job, "--load-here"]);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut run = Started::new(command.spawn().unwrap());
    run.wait_for("block    measure");
    fs::write(f.data().join("aa"), "theirs").unwrap();
    run.signal(libc::SIGINT);
    let ended = run.end();
    let said = &ended.stderr;
    assert!(said.contains("aa: File exists") && said.contains("hint: what was written"), "{said}");
    let mut left: Vec<String> = fs::read_dir(f.data())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .collect();
    left.sort();
    assert_eq!(left, ["aa", "bb", "local-b-1-verify.state"]);
    assert_eq!(fs::read_to_string(f.data().join("aa")).unwrap(), "theirs");
    assert_eq!(fs::metadata(f.data().join("bb")).unwrap().len(), 64 << 10);
}

#[test]
fn nothing_is_read_of_an_empty_state_and_whoever_waits_for_it_begins() {
    let _machine = shared();
    let f = Fixture::new();
    let there = "narrows verify state 1\nmethod crc32c\nunit 4096\nfile 0000000000000001 x\nend\n";
    fs::write(f.data().join("local-e-0-verify.state"), there).unwrap();
    fs::write(f.data().join("x"), [7; 65536]).unwrap();
    let jobs = "[global]\nioengine=psync\nrw=read\nsize=64k\n\
                [e]\nfilename=x\nverify=crc32c\nverify_state_load=1\n[c]\n[b]\nwait_for=e\n";
    let ran = JobRun::of(&f, jobs);
    assert!(ran.said.contains("lists no blocks, so there is nothing to be read"), "{}", ran.said);
    assert_eq!(ran.fio_job("b")["read"]["total_ios"], 16, "{}", ran.said);
}
