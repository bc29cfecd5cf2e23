//! When jobs begin and end by others and by what they do.

use narrows_model::metric;
use serde_json::Value;

use super::job_run::JobRun;
use crate::common::Fixture;
use crate::common::machine::shared;

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
    let ran = JobRun::of(&f, jobs);
    let fio = &ran.fio;
    let of = |name: &str| times(ran.fio_job(name));
    for (name, operations) in [("first", 40), ("beside", 100), ("waits", 10), ("late", 15)] {
        assert_eq!(ran.fio_job(name)["read"]["total_ios"], operations, "{name}: {}", ran.said);
    }
    // Whole milliseconds, so that one may be missing.
    assert!(of("waits").0 + 1 >= of("first").1, "{fio}");
    assert!(of("waits").0 < of("beside").1, "others go on: {fio}");
    assert!(of("late").0 + 1 >= of("first").0 + 700, "{fio}");
    let (began, ended) = of("late");
    // Milliseconds from the beginning of the first to the end of the last.
    let all = ran.run.measurement("block.together.0").and_then(|all| all.value(metric::WINDOW));
    let all_ms = all.unwrap() / 1e6;
    assert!((ended - began + 700) as f64 <= all_ms + 2.0, "its figures are of its own time: {fio}");
    f.assert_nothing_left();
}

#[test]
fn jobs_that_all_wait_are_one_after_the_other() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[global]\nthreads=1\nioengine=psync\nsize=1m\nfilename=shared\nthread\n\
                [writes]\nrw=write\nverify=md5\n\
                [reads]\nwait_for=writes\nrw=read\nnumjobs=2\ngroup_reporting\nnew_group\n";
    let ran = JobRun::of(&f, jobs);
    assert!(ran.said.contains("tiobench"), "{}", ran.said);
    assert!(ran.code != Some(2), "{}", ran.said);
    assert_eq!(ran.fio_job("reads")["read"]["total_ios"], 512);
    assert!(ran.run.measurement("block.together.0").is_none(), "none was beside another");
    f.assert_nothing_left();
}

#[test]
fn a_clone_below_its_least_rate_ends_with_an_error_and_the_others_go_on() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[global]\nioengine=psync\nrw=randread\nsize=1m\ntime_based\nruntime=4\nthinktime=10ms\n\
                [slow]\nrate_iops_min=5000\nrate_cycle=200\nruntime=60\n\
                [enough]\nrate_min=4k\nruntime=4\n";
    let ran = JobRun::of(&f, jobs);
    assert_eq!(ran.code, Some(2), "{}", ran.said);
    assert!(ran.said.contains("[slow]: rate_iops_min was not met"), "{}", ran.said);
    assert_eq!(
        (&ran.fio_job("slow")["error"], &ran.fio_job("enough")["error"]),
        (&5.into(), &0.into())
    );
    let slow = ran.run.measurement("block.job.slow").expect("its figures are kept");
    assert!(slow.conditions.iter().any(|(name, _)| name == "least_rate_missed"));
    assert!(ran.fio_job("slow")["read"]["runtime"].as_u64().unwrap() < 60_000, "it ended early");
    assert!(ran.fio_job("enough")["read"]["runtime"].as_u64().unwrap() >= 4_000);
}

#[test]
fn a_steady_job_ends_and_its_samples_are_in_fios_layout() {
    let _machine = shared();
    let f = Fixture::new();
    let jobs = "[global]\nioengine=psync\nsize=1m\ntime_based\nruntime=60\nrate_iops=200\n\
                [steady]\nfilename=/dev/null\nrw=write\nss=iops:90%\nss_dur=2\n";
    let ran = JobRun::of(&f, jobs);
    assert!(ran.said.contains("attained: the job ended for it"), "{}", ran.said);
    let of = ran.fio_job("steady");
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
    let ran = JobRun::of(&f, jobs);
    assert!(ran.said.contains("depth 8; the figures are of this depth"), "{}", ran.said);
    let of = ran.fio_job("depth");
    assert_eq!(
        (&of["latency_depth"], &of["latency_target_ns"]),
        (&8.into(), &1_000_000_000.into())
    );
    assert!(of["read"]["runtime"].as_u64().unwrap() < 60_000, "{of}");
}
