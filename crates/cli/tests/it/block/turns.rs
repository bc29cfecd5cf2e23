//! When jobs begin and end by others and by what they do.

use std::fs;

use narrows_model::Run;
use serde_json::Value;

use super::{job_file, narrows, text};
use crate::common::Fixture;
use crate::common::machine::shared;

/// The run, fio's layout, the exit code and what was said.
fn ran(f: &Fixture, jobs: &str) -> (Run, Value, Option<i32>, String) {
    let job = job_file(f, "t.fio", jobs);
    let json = f.home().join("t.json");
    let args =
        ["run", &job, "--format", "json", "--load-here", "--fio-json", json.to_str().unwrap()];
    let output = narrows(f, &args);
    let said = text(&output.stderr);
    let run = Run::from_json(&text(&output.stdout)).unwrap_or_else(|e| panic!("{e}:\n{said}"));
    let json = serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap();
    (run, json, output.status.code(), said)
}

fn job<'a>(json: &'a Value, name: &str) -> &'a Value {
    let jobs = json["jobs"].as_array().unwrap();
    jobs.iter().find(|job| job["jobname"] == name).unwrap_or_else(|| panic!("{name} in {json}"))
}

/// When a job began and ended, milliseconds.
fn times(job: &Value) -> (u64, u64) {
    let began = job["job_start"].as_u64().unwrap();
    (began, began + job["read"]["runtime"].as_u64().unwrap())
}

#[test]
fn a_job_begins_when_the_one_it_waits_for_has_ended_or_its_delay_is_over() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[global]\nioengine=psync\nrw=randread\nsize=1m\nrate_iops=100\n\
                [first]\nnumber_ios=40\n\
                [beside]\nnumber_ios=100\n\
                [waits]\nwait_for=first\nnumber_ios=10\n\
                [late]\nstartdelay=700ms\nnumber_ios=15\n";
    let (run, json, _, said) = ran(&f, jobs);
    assert!(run.completed, "{said}");
    let of = |name: &str| times(job(&json, name));
    for (name, operations) in [("first", 40), ("beside", 100), ("waits", 10), ("late", 15)] {
        assert_eq!(job(&json, name)["read"]["total_ios"], operations, "{name}: {said}");
    }
    // Whole milliseconds, so that one may be missing.
    assert!(of("waits").0 + 1 >= of("first").1, "{json}");
    assert!(of("waits").0 < of("beside").1, "others go on: {json}");
    assert!(of("late").0 + 1 >= of("first").0 + 700, "{json}");
    let (began, ended) = of("late");
    assert!(ended - began < 400, "its figures are of its own time: {json}");
    assert!(run.measurement("block.together.0").is_some());
    f.assert_nothing_left();
}

#[test]
fn jobs_that_all_wait_are_one_after_the_other() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[global]\nthreads=1\nioengine=psync\nsize=1m\nfilename=shared\nthread\n\
                [writes]\nrw=write\nverify=md5\n\
                [reads]\nwait_for=writes\nrw=read\nnumjobs=2\ngroup_reporting\nnew_group\n";
    let (run, json, code, said) = ran(&f, jobs);
    assert!(run.completed && said.contains("tiobench"), "{said}");
    assert!(code != Some(2), "{said}");
    assert_eq!(job(&json, "reads")["read"]["total_ios"], 512);
    assert!(run.measurement("block.together.0").is_none(), "none was beside another");
    f.assert_nothing_left();
}

#[test]
fn a_clone_below_its_least_rate_ends_with_an_error_and_the_others_go_on() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[global]\nioengine=psync\nrw=randread\nsize=1m\ntime_based\nruntime=4\nthinktime=10ms\n\
                [slow]\nrate_iops_min=5000\nrate_cycle=200\nruntime=60\n\
                [enough]\nrate_min=4k\nruntime=4\n";
    let (run, json, code, said) = ran(&f, jobs);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("[slow]: rate_iops_min was not met"), "{said}");
    assert_eq!(
        (&job(&json, "slow")["error"], &job(&json, "enough")["error"]),
        (&5.into(), &0.into())
    );
    let slow = run.measurement("block.job.slow").expect("its figures are kept");
    assert!(slow.conditions.iter().any(|(name, _)| name == "least_rate_missed"));
    assert!(job(&json, "slow")["read"]["runtime"].as_u64().unwrap() < 60_000, "it ended early");
    assert!(job(&json, "enough")["read"]["runtime"].as_u64().unwrap() >= 4_000);
}

#[test]
fn a_steady_job_ends_and_its_samples_are_in_fios_layout() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[global]\nioengine=psync\nsize=1m\ntime_based\nruntime=60\nrate_iops=200\n\
                [steady]\nfilename=/dev/null\nrw=write\nss=iops:90%\nss_dur=2\n";
    let (run, json, _, said) = ran(&f, jobs);
    assert!(run.completed && said.contains("attained: the job ended for it"), "{said}");
    let of = job(&json, "steady");
    let steady = &of["steadystate"];
    assert_eq!((&steady["ss"], &steady["attained"]), (&"iops:90.000000%".into(), &1.into()));
    assert_eq!(steady["data"]["iops"].as_array().map(Vec::len), Some(2), "{steady}");
    assert!(of["write"]["runtime"].as_u64().unwrap() < 60_000, "{of}");
}

#[test]
fn a_depth_within_a_latency_is_searched_and_reported() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[depth]\nioengine=null\nrw=randread\nsize=1g\niodepth=8\ntime_based\nruntime=60\n\
                latency_target=1s\nlatency_window=50ms\nlatency_percentile=99\n";
    let (run, json, _, said) = ran(&f, jobs);
    assert!(run.completed && said.contains("depth 8; the figures are of this depth"), "{said}");
    let of = job(&json, "depth");
    assert_eq!(
        (&of["latency_depth"], &of["latency_target_ns"]),
        (&8.into(), &1_000_000_000.into())
    );
    assert!(of["read"]["runtime"].as_u64().unwrap() < 60_000, "{of}");
}
