//! What is taken from stored runs.

use narrows_cost::Given;
use narrows_model::{
    Interval, IntervalMethod, Layer, Measurement, Metric, MetricValue, Plan, Platform, Run,
    Validity, condition, metric,
};
use narrows_tier_forecast::{device_flush, fabric_added, log_now, read_now};

use crate::figures::{commits, is};

fn value(given: &Given) -> f64 {
    given.value.expect("it is known").value
}

pub fn measurement(id: &str, layer: Layer, metrics: &[(Metric, f64)]) -> Measurement {
    let mut m = Measurement::new(id, layer);
    m.metrics = metrics
        .iter()
        .map(|(metric, value)| {
            let interval = Interval {
                low: value * 0.9,
                high: value * 1.1,
                method: IntervalMethod::Propagated,
            };
            MetricValue::new(*metric, *value, Some(interval), vec![*value])
        })
        .collect();
    m
}

pub fn run(measurements: Vec<Measurement>) -> Run {
    Run { id: "7f3a".to_string(), measurements, ..Run::blank(Plan::default(), Platform::default()) }
}

/// 8 sessions, 10,000/s, so 800 µs each: CPU 100, flush 400, lock 50, other 250.
pub fn update() -> Measurement {
    let mut m = measurement(
        "database.update",
        Layer::Database,
        &[
            (metric::THROUGHPUT, 10_000.0),
            (metric::SESSIONS, 8.0),
            (metric::SERVER_CPUS, 4.0),
            (metric::SERVER_CPUS_AVAILABLE, 4.0),
            (metric::SERVER_CPU_PER_OP, 120e3),
            (metric::BACKEND_CPU_PER_OP, 100e3),
            (metric::RUN_QUEUE_PER_OP, 0.0),
            (metric::WAIT_READ_PER_OP, 0.0),
            (metric::WAIT_FLUSH_PER_OP, 400e3),
            (metric::WAIT_LOCK_PER_OP, 50e3),
            (metric::WAIT_CLIENT_PER_OP, 0.0),
            (metric::WAIT_OTHER_PER_OP, 250e3),
            (metric::COMMITS_PER_OP, 2.0),
            (metric::WAL_BYTES_PER_OP, 900.0),
            (metric::SERVER_FLUSH_TIME, 150e3),
        ],
    );
    m.conditions.insert(condition::SYNC_METHOD, serde_json::json!("fdatasync"));
    m
}

fn append(state: &str, ns: f64) -> Measurement {
    let id = format!("log.append.fdatasync.{state}");
    measurement(&id, Layer::Log, &[(metric::LATENCY_MEAN, ns)])
}

#[test]
fn a_workloads_figures_are_those_of_its_run() {
    let now = log_now(&run(vec![update(), append("idle", 120e3)]), None).unwrap();
    assert_eq!(value(&now.rate_per_s), 10_000.0);
    assert_eq!(value(&now.sessions), 8.0);
    assert_eq!(value(&now.commits), 2.0);
    assert!((value(&now.commit_wait_us) - 200.0).abs() < 1e-9, "400 µs of two commits");
    assert_eq!(value(&now.flush_us), 150.0);
    assert_eq!(value(now.device_us.as_ref().unwrap()), 120.0);
    assert_eq!(value(&now.cpu_us), 120.0);
    assert_eq!(value(now.locks_us.as_ref().unwrap()), 50.0);
    assert_eq!(value(now.unqueued_us.as_ref().unwrap()), 800.0);
    assert_eq!(value(&now.wal_bytes), 900.0);
    assert!(now.cpus.value.is_none(), "no verdict says how many CPUs it can use");
    assert!(now.doubts.iter().any(|doubt| doubt.contains("no verdict")), "{:?}", now.doubts);
    assert!(!now.asked && now.no_law.is_none());
    let range = now.flush_us.value.unwrap();
    assert!((range.low - 135.0).abs() < 1e-9 && (range.high - 165.0).abs() < 1e-9, "{range:?}");
}

#[test]
fn a_flush_of_the_server_is_no_shorter_than_its_devices() {
    let now = log_now(&run(vec![update(), append("idle", 180e3)]), None).unwrap();
    assert_eq!(value(&now.flush_us), 180.0);
    assert!(now.device_us.is_none());
    let same = commits().compared_by(is(50.0));
    assert_eq!((value(&same.flush_us), value(&same.device_us.unwrap())), (200.0, 50.0));
}

#[test]
fn the_commit_of_one_session_waits_for_its_own_flush() {
    let of = |sessions: f64, waited: f64| {
        let mut m = update();
        for value in &mut m.metrics {
            for (metric, made) in [
                (metric::SESSIONS, sessions),
                (metric::WAIT_FLUSH_PER_OP, waited),
                (metric::COMMITS_PER_OP, 1.0),
            ] {
                if value.name == metric.name {
                    *value = MetricValue::new(metric, made, None, vec![made]);
                }
            }
        }
        value(&log_now(&run(vec![m]), None).unwrap().commit_wait_us)
    };
    // The server's flush takes 150 µs: samples that saw 110 of them missed the rest.
    assert_eq!(of(1.0, 110e3), 150.0);
    assert_eq!(of(1.0, 170e3), 170.0);
    // Of several sessions one may find its flush half done by another.
    assert_eq!(of(8.0, 110e3), 110.0);
}

#[test]
fn two_devices_are_compared_by_the_same_measurement() {
    let own = run(vec![update(), append("idle", 120e3)]);
    let medium = run(vec![append("busy", 20e3), append("idle", 14e3)]);
    let (theirs, ours) = device_flush(&medium, Some(&own), None).unwrap();
    assert_eq!(theirs.measurement, "log.append.fdatasync.idle");
    assert_eq!((value(&theirs.flush_us), value(&ours.unwrap().flush_us)), (14.0, 120.0));
    // Without one of the same kind, the medium's alone.
    let (theirs, ours) = device_flush(&medium, Some(&run(vec![update()])), None).unwrap();
    assert!(ours.is_none() && theirs.measurement.ends_with("busy") && theirs.suspect.is_none());
    let suspect = Measurement { validity: Validity::Suspect, ..append("idle", 14e3) };
    let (theirs, _) = device_flush(&run(vec![suspect]), None, None).unwrap();
    assert!(theirs.suspect.unwrap().contains("is suspect"));
    let invalid = Measurement { validity: Validity::Invalid, ..append("idle", 14e3) };
    let error = device_flush(&run(vec![invalid]), None, None).unwrap_err();
    assert!(error.what.contains("no valid flush") && error.hint.contains("narrows log"), "{error}");
}

#[test]
fn what_a_fabric_adds_is_that_of_a_durable_write() {
    let split = |id: &str, ns: f64| measurement(id, Layer::Fabric, &[(metric::FABRIC_ADDED, ns)]);
    let all = run(vec![
        split("fabric.split.read.8k", 10e3),
        split("fabric.split.write.4k", 19e3),
        split("fabric.split.write.8k", 21e3),
    ]);
    assert_eq!(value(&fabric_added(&all).unwrap()), 21.0);
    let reads = run(vec![split("fabric.split.read.8k", 10e3)]);
    let error = fabric_added(&reads).unwrap_err();
    assert!(error.what.contains("no durable write") && error.hint.contains("--write-to-device"));
}

#[test]
fn a_workload_that_is_not_there_or_waits_for_something_else_is_refused() {
    let own = run(vec![update(), append("idle", 120e3)]);
    let error = log_now(&own, Some("lookup")).unwrap_err();
    assert!(
        error.what.contains("no workload `lookup`") && error.hint.contains("update"),
        "{error}"
    );
    let error = read_now(&own, None).unwrap_err();
    assert!(error.what.contains("waits for reads; workloads: update"), "{error}");
    let error = log_now(&run(Vec::new()), None).unwrap_err();
    assert!(error.what.contains("workloads: none"), "{error}");
    let invalid = Measurement { validity: Validity::Invalid, ..update() };
    let error = log_now(&run(vec![invalid]), None).unwrap_err();
    assert!(error.what.contains("it is invalid"), "{error}");
}
