//! `read_iolog`: what a log recorded is done again, and a log alone leads to no file.

use std::fs;
use std::process::Command;

use narrows_model::{condition, metric};

use super::job_run::JobRun;
use super::{job_file, refuses, text};
use crate::common::Fixture;
use crate::common::machine::shared;

/// 3 reads, 2 writes, a trim of 2 GiB and two syncs within 40 ms.
const LOG: &str = "fio version 3 iolog\n5 x add\n6 x open\n10 x read 0 4096\n10010 x write 8192 512\n\
                   10020 x sync 0 0\n20010 x write 1048576 65536\n20020 x datasync 0 0\n30010 x read 8192 512\n\
                   40010 x read 4096 8192\n40011 x close\n";

fn operations(f: &Fixture, settings: &str) -> JobRun {
    JobRun::of(f, &format!("[r]\nread_iolog=ops.log\n{settings}\n"))
}

#[test]
fn a_log_is_done_again_operation_by_operation() {
    let _machine = shared();
    let f = Fixture::new();
    fs::write(f.data().join("ops.log"), LOG).unwrap();
    for (settings, count, looped) in [
        ("filename=x\nioengine=psync", 5.0, "open"),
        ("filename=x\nioengine=io_uring\niodepth=4\nreplay_no_stall=1", 5.0, "closed"),
        ("replay_redirect=y\nreplay_skip=write", 3.0, "open"),
    ] {
        let JobRun { run, said, .. } = operations(&f, settings);
        let measured = run.measurement("block.job.r").unwrap_or_else(|| panic!("{said}"));
        assert_eq!(measured.value(metric::OPERATIONS), Some(count), "{settings}");
        assert_eq!(measured.workload.get(condition::LOOP).unwrap(), looped, "{settings}");
        assert_eq!(measured.value(metric::ERRORS), Some(0.0));
    }
    fs::remove_file(f.data().join("ops.log")).unwrap();
    f.assert_nothing_left();
}

#[test]
fn a_log_alone_leads_to_no_file_and_writes_none_of_others() {
    let f = Fixture::new();
    let log = |text: &str| fs::write(f.data().join("ops.log"), text).unwrap();
    let stops = |settings: &str, parts: &[&str]| {
        let job = job_file(&f, "x.fio", &format!("[r]\nread_iolog=ops.log\n{settings}\n"));
        refuses(&f, &["run", &job, "--load-here"], parts);
    };
    stops("filename=x", &["cannot read the log ops.log"]);
    log("fio version 3 iolog\n1 /etc/passwd add\n2 /etc/passwd write 0 512\n");
    stops("", &["names /etc/passwd, and the job does not", "filename=/etc/passwd"]);
    stops("filename=x", &["names /etc/passwd"]);
    stops("filename=/etc/passwd", &["/etc/passwd", "overwritten"]);
    stops("replay_redirect=/etc/passwd", &["/etc/passwd", "overwritten"]);
    stops("filename=/etc/passwd\nreadonly", &["readonly", "replay_skip"]);
    log("root:x:0:0\n");
    stops("filename=x", &["is no log of fio"]);
    fs::write(f.data().join("ops.log"), 0x6561_7407_u32.to_le_bytes()).unwrap();
    stops("filename=x", &["blktrace", "write_iolog"]);
    log(LOG);
    stops("filename=x\nrate_iops=5", &["rate beside read_iolog"]);
    stops("filename=x\nverify=md5", &["verify beside read_iolog"]);
    log("fio version 3 iolog\n1 x add\n2 x read 0 4096\n3 x dance 0 1\n");
    stops("filename=x", &["line 4: no such action"]);
}

#[test]
fn without_data_trims_of_any_length_are_done_as_fio_wrote_them() {
    let _machine = shared();
    let f = Fixture::new();
    let trims = "fio version 3 iolog\n30 /dev/null add\n31 /dev/null trim 0 2147483648\n40 /dev/null write 0 4096\n";
    fs::write(f.data().join("ops.log"), trims).unwrap();
    let JobRun { run, said, .. } = operations(&f, "ioengine=null\niodepth=128");
    let measured = run.measurement("block.job.r").unwrap_or_else(|| panic!("{said}"));
    assert_eq!(measured.value(metric::OPERATIONS), Some(2.0));
}

#[test]
fn a_log_that_fio_wrote_is_done_as_often_as_fio_did() {
    if Command::new("fio").arg("--version").output().is_err() {
        eprintln!("SKIPPED: no fio to compare with");
        return;
    }
    let _machine = shared();
    let f = Fixture::new();
    let wrote = Command::new("fio")
        .args(["--name=w", "--rw=randrw", "--size=256k", "--filename=x", "--write_iolog=ops.log"])
        .current_dir(f.data())
        .output()
        .unwrap();
    assert!(wrote.status.success(), "{}", text(&wrote.stderr));
    fs::remove_file(f.data().join("x")).unwrap();
    let JobRun { run, said, .. } = operations(&f, "filename=x");
    let measured = run.measurement("block.job.r").unwrap_or_else(|| panic!("{said}"));
    assert_eq!(measured.value(metric::OPERATIONS), Some(64.0));
}
