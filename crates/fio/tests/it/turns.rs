//! When jobs begin and end by others and by what they do, as fio 3.33 takes it.

use narrows_fio::{Cause, Counted, Plan, Problems, SettingTreatment, SteadyValue, read};
use narrows_units::Nanos;

use crate::common::{InMemory, MACHINE};

fn jobs(text: &str) -> Result<Plan, Problems> {
    let mut loader = InMemory::default();
    loader.files.insert("f".into(), text.into());
    read(&["f"], &[], &loader, &MACHINE)
}

fn job(settings: &str) -> Result<narrows_fio::Job, Problems> {
    jobs(&format!("[j]\nsize=1m\n{settings}\n")).map(|mut plan| plan.jobs.remove(0))
}

#[test]
fn a_job_waits_for_the_one_of_that_name_before_it() {
    let plan = jobs("[a]\nsize=1m\nnumjobs=3\n[b]\nsize=1m\nwait_for=a\n").expect("a plan");
    assert_eq!(plan.jobs[1].waits_for.as_deref(), Some("a"));
    for (text, why) in [
        ("[a]\nsize=1m\nwait_for=a\n", "cannot wait for itself"),
        ("[a]\nsize=1m\nwait_for=b\n[b]\nsize=1m\n", "no job of that name before it"),
        ("[a]\nsize=1m\n[x]\nname=a\nsize=1m\n[b]\nsize=1m\nwait_for=a\n", "several jobs"),
    ] {
        let stopped = jobs(text).expect_err(text);
        assert!(stopped.to_string().contains(why), "{text}: {stopped}");
    }
}

#[test]
fn an_option_of_a_profile_is_taken_and_said_to_do_nothing() {
    let plan = jobs("[j]\nsize=1m\nthreads=4\n").expect("a plan");
    assert_eq!(plan.jobs[0].clones, 1);
    let said = plan
        .notes
        .iter()
        .any(|note| note.taken == SettingTreatment::Warned && note.sentence.contains("tiobench"));
    assert!(said, "{:?}", plan.notes);
}

#[test]
fn least_rates_are_bytes_or_operations_by_kind() {
    let least = job("rw=randrw\nratemin=1m,2m\nratecycle=250").expect("a job").minimum.unwrap();
    assert_eq!((least.counted, least.cycle), (Counted::Bytes, Nanos(250_000_000)));
    assert_eq!((least.per_second.read, least.per_second.write), (Some(1 << 20), Some(2 << 20)));
    let least = job("rate_iops_min=,50").expect("a job").minimum.unwrap();
    assert_eq!((least.counted, least.per_second.read), (Counted::Operations, None));
    assert_eq!((least.cycle, least.per_second.write), (Nanos(1_000_000_000), Some(50)));
    assert!(job("rate_min=0").expect("a job").minimum.is_none());
    for settings in
        ["rate_min=2m\nrate=1m", "rate_iops_min=9\nrate_iops=8", "rate_min=1\nrate_iops_min=1"]
    {
        assert_eq!(job(settings).expect_err(settings).0[0].cause, Cause::Conflict, "{settings}");
    }
}

#[test]
fn steadiness_has_a_figure_a_limit_and_a_window() {
    let of = |settings: &str| job(settings).expect(settings).steady;
    let steady = of("ss=iops:10%\nss_dur=30s\nss_ramp=10s").unwrap();
    assert_eq!((steady.value, steady.slope, steady.percent), (SteadyValue::Iops, false, true));
    assert_eq!(
        (steady.limit, steady.intervals(), steady.lead_in),
        (10.0, 30, Nanos(10_000_000_000))
    );
    assert_eq!(steady.word(), "iops:10.000000%");
    let steady = of("steadystate=bw_slope:2m\nsteadystate_duration=60\nss_interval=10").unwrap();
    assert_eq!((steady.value, steady.slope, steady.percent), (SteadyValue::Bandwidth, true, false));
    assert_eq!((steady.limit, steady.intervals()), (f64::from(2 << 20), 6));
    assert_eq!(of("ss_dur=5").unwrap().word(), "iops_slope:0.010000%", "fio's own");
    assert_eq!(of("ss=lat:5%"), None, "without a window fio ignores it");
    for (settings, cause) in [
        ("ss=iops\nss_dur=5", Cause::Value),
        ("ss=speed:5%\nss_dur=5", Cause::Value),
        ("ss=iops:5%x\nss_dur=5", Cause::Value),
        ("ss=lat:10us\nss_dur=5", Cause::Misread),
        ("ss=iops:5%\nss_dur=1", Cause::Conflict),
        ("ss=iops:5%\nss_dur=15\nss_interval=10", Cause::Conflict),
        ("ss=iops:5%\nss_dur=5\nss_interval=500ms", Cause::Conflict),
    ] {
        assert_eq!(job(settings).expect_err(settings).0[0].cause, cause, "{settings}");
    }
}

#[test]
fn a_latency_is_a_target_only_where_one_is_given() {
    let target = job("latency_target=500000\nlatency_window=5s\nlatency_percentile=99.9")
        .expect("a job")
        .latency_target
        .unwrap();
    assert_eq!((target.target, target.window), (Nanos(500_000_000), Nanos(5_000_000_000)));
    assert_eq!((target.percent, target.goes_on), (99.9, false));
    assert_eq!(job("latency_window=5s\nlatency_run=1").expect("a job").latency_target, None);
    assert!(job("latency_target=1ms\nlatency_percentile=50:99").is_err());
}
