//! What is beside operations: loads on processors, and the NUMA nodes of buffers and threads.

use std::fs;

use narrows_model::{Run, metric};

use super::job_run::JobRun;
use super::{job_file, narrows, refuses, text};
use crate::common::Fixture;
use crate::common::machine::shared;

#[test]
fn a_load_on_cpus_has_no_figures_and_ends_with_the_job_beside_it() {
    let _machine = shared();
    let f = Fixture::new();
    // Without its end beside it, it would go on for an hour.
    let jobs = "[burn]\nioengine=cpuio\ncpuload=50\nnumjobs=2\nexit_on_io_done=1\n\
                [reads]\nrw=randread\nsize=1m\nioengine=psync\n\
                [alone]\nstonewall\nioengine=cpuio\ncpuload=30\ncpumode=qsort\ncpuchunks=1000\nruntime=1\n";
    let JobRun { run, said, .. } = JobRun::of(&f, jobs);
    let ids: Vec<&str> = run.measurements.iter().map(|one| one.id.as_str()).collect();
    assert_eq!(ids, ["block.job.reads"], "{said}");
    assert_eq!(run.measurements[0].value(metric::OPERATIONS), Some(256.0));
    f.assert_nothing_left();
}

#[test]
fn a_load_that_has_no_end_or_other_times_stops() {
    let f = Fixture::new();
    let stops = |jobs: &str, parts: &[&str]| {
        refuses(&f, &["run", &job_file(&f, "x.fio", jobs), "--load-here"], parts);
    };
    let burn = "[burn]\nioengine=cpuio\n";
    stops(&format!("{burn}runtime=1\n"), &["needs a cpuload"]);
    stops(&format!("{burn}cpuload=50\n"), &["without an end"]);
    stops(&format!("{burn}cpuload=50\nexit_on_io_done=1\n"), &["without an end"]);
    let late = format!("{burn}cpuload=50\nruntime=1\nstartdelay=1\n[r]\nsize=1m\n");
    stops(&late, &["begins at another time"]);
}

#[test]
fn nodes_of_this_machine_are_taken_and_others_named() {
    let _machine = shared();
    let f = Fixture::new();
    if fs::metadata("/sys/devices/system/node/node0").is_err() {
        eprintln!("SKIPPED: the kernel has no NUMA nodes");
        return;
    }
    let jobs = "[n]\nrw=randread\nsize=1m\nnuma_cpu_nodes=0\nnuma_mem_policy=";
    for policy in ["bind:0", "prefer:0", "interleave:all", "local", "default"] {
        let job = job_file(&f, "b.fio", &format!("{jobs}{policy}\n"));
        let output = narrows(&f, &["run", &job, "--load-here", "--format", "json"]);
        let said = text(&output.stderr);
        if said.contains("Operation not permitted") || said.contains("not implemented") {
            eprintln!("SKIPPED: memory policies can't be set here");
            return;
        }
        let run = Run::from_json(&text(&output.stdout)).unwrap_or_else(|e| panic!("{e}:\n{said}"));
        let measured = run.measurement("block.job.n").unwrap();
        assert_eq!(measured.value(metric::OPERATIONS), Some(256.0), "{policy}");
    }
    let stops = |setting: &str, parts: &[&str]| {
        let job = job_file(&f, "x.fio", &format!("[n]\nsize=1m\n{setting}\n"));
        refuses(&f, &["run", &job, "--load-here"], parts);
    };
    stops("numa_cpu_nodes=99", &["no node 99 with CPUs", "this machine has"]);
    stops("numa_mem_policy=bind:0,99", &["no node 99 with memory", "this machine has"]);
    stops("numa_mem_policy=prefer", &["prefer takes a node"]);
    stops("numa_cpu_nodes=netdev:eth0", &["named by a device"]);
}
