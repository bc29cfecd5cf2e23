//! The document has fio's keys: those of a list made by hand, and those that fio prints here.

use std::collections::BTreeSet;
use std::process::Command;

use crate::common::fio;
use narrows_fio::json::{
    Device, DirectionResult, JobResult, Latencies, Layout, RunResult, Sampled, Syncs, document,
};
use serde_json::Value;

fn latencies() -> Latencies {
    Latencies { counts: vec![(120, 10), (4500, 5), (2_000_000, 1)], ..Latencies::default() }
}

fn direction() -> DirectionResult {
    DirectionResult {
        io_bytes: 16 * 4096,
        total_ios: 16,
        runtime_ms: 2000,
        submission: latencies(),
        completion: latencies(),
        total: latencies(),
        bandwidth_kib: Sampled { values: vec![30.0, 34.0] },
        iops: Sampled { values: vec![7.0, 9.0] },
        ..DirectionResult::default()
    }
}

fn run() -> RunResult {
    let job = JobResult {
        name: "mix".into(),
        options: vec![("rw".into(), "randrw".into())],
        read: direction(),
        write: direction(),
        sync: Syncs { total_ios: 4, latency: latencies() },
        depths: vec![(1, 10), (3, 20), (64, 2)],
        submitted: vec![(1, 32)],
        completed: vec![(1, 32)],
        percentiles: vec![50.0, 99.0],
        completion_percentiles: true,
        total_percentiles: true,
        submission_percentiles: true,
        ..JobResult::default()
    };
    RunResult {
        version: "0.1.0".into(),
        timestamp_ms: 1_795_184_432_947,
        time: "Fri Nov 20 14:20:32 2026".into(),
        global_options: vec![("direct".into(), "1".into())],
        jobs: vec![job],
        devices: vec![Device { name: "vda".into(), ..Device::default() }],
    }
}

/// All keys with their way down; what depends on values (options, percentiles, bins) ends at its parent.
fn keys(value: &Value, path: &str, found: &mut BTreeSet<String>) {
    match value {
        Value::Object(object) => {
            for (key, value) in object {
                let path = format!("{path}/{key}");
                let open = matches!(
                    key.as_str(),
                    "job options" | "global options" | "percentile" | "bins" | "disk_util"
                );
                if !open {
                    keys(value, &path, found);
                }
                found.insert(path);
            }
        }
        Value::Array(array) => {
            for value in array {
                keys(value, path, found);
            }
        }
        _ => {}
    }
}

fn keys_of(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    keys(value, "", &mut found);
    found
}

#[test]
fn the_keys_are_those_that_readers_of_fio_look_for() {
    let ours = keys_of(&document(&run(), Layout::JsonPlus));
    for key in [
        "/fio version",
        "/timestamp",
        "/timestamp_ms",
        "/time",
        "/global options",
        "/disk_util",
        "/jobs/jobname",
        "/jobs/groupid",
        "/jobs/error",
        "/jobs/eta",
        "/jobs/elapsed",
        "/jobs/job options",
        "/jobs/job_runtime",
        "/jobs/usr_cpu",
        "/jobs/sys_cpu",
        "/jobs/ctx",
        "/jobs/majf",
        "/jobs/minf",
        "/jobs/iodepth_level/>=64",
        "/jobs/iodepth_submit/0",
        "/jobs/iodepth_complete/4",
        "/jobs/latency_ns/750",
        "/jobs/latency_us/1000",
        "/jobs/latency_ms/>=2000",
        "/jobs/latency_depth",
        "/jobs/latency_target",
        "/jobs/latency_percentile",
        "/jobs/latency_window",
        "/jobs/read/io_bytes",
        "/jobs/read/io_kbytes",
        "/jobs/read/bw_bytes",
        "/jobs/read/bw",
        "/jobs/read/iops",
        "/jobs/read/runtime",
        "/jobs/read/total_ios",
        "/jobs/read/short_ios",
        "/jobs/read/drop_ios",
        "/jobs/read/slat_ns/N",
        "/jobs/read/clat_ns/percentile",
        "/jobs/read/lat_ns/bins",
        "/jobs/read/bw_min",
        "/jobs/read/bw_agg",
        "/jobs/read/bw_samples",
        "/jobs/read/iops_stddev",
        "/jobs/write/iops",
        "/jobs/trim/iops",
        "/jobs/sync/total_ios",
        "/jobs/sync/lat_ns/percentile",
    ] {
        assert!(ours.contains(key), "{key} is missing");
    }
}

#[test]
fn the_keys_are_those_that_fio_prints_here() {
    let Some(fio) = fio() else { return };
    let folder = tempfile::tempdir().expect("a scratch folder");
    let file = folder.path().join("keys.fio");
    let text = "[global]\nioengine=null\nsize=1m\nlat_percentiles=1\nslat_percentiles=1\n\
                [mix]\nrw=randrw\nfsync=4\niodepth=4\n";
    std::fs::write(&file, text).expect("written");
    let out = Command::new(fio)
        .arg("--output-format=json+")
        .arg(&file)
        .current_dir(folder.path())
        .output()
        .expect("fio runs");
    let text = String::from_utf8_lossy(&out.stdout).into_owned();
    let start = text.find('{').expect("a document");
    let theirs: Value = serde_json::from_str(&text[start..]).expect("fio writes JSON");
    let (mut theirs, ours) = (keys_of(&theirs), keys_of(&document(&run(), Layout::JsonPlus)));
    // fio counts no device under the null engine, and older ones lack three keys of newer ones.
    let newer = ["/jobs/job_start", "/jobs/latency_target_ns", "/jobs/latency_window_us"];
    theirs.extend(newer.into_iter().chain(["/disk_util"]).map(str::to_string));
    let missing: Vec<_> = theirs.difference(&ours).collect();
    let more: Vec<_> = ours.difference(&theirs).collect();
    assert!(missing.is_empty() && more.is_empty(), "missing {missing:?}, more {more:?}");
}

#[test]
fn kinds_as_one_stand_where_fio_puts_them() {
    let of = |mixed: Option<DirectionResult>, only_mixed| {
        let mut run = run();
        run.jobs[0].mixed = mixed;
        run.jobs[0].only_mixed = only_mixed;
        let job = document(&run, Layout::Json)["jobs"][0].clone();
        ["read", "sync", "mixed"].map(|key| job.get(key).is_some())
    };
    assert_eq!(of(None, false), [true, true, false]);
    assert_eq!(of(Some(direction()), false), [true, true, true]);
    assert_eq!(of(Some(direction()), true), [false, false, true]);
}

#[test]
fn a_devices_keys_are_fios() {
    let document = document(&run(), Layout::Json);
    let keys: BTreeSet<String> =
        document["disk_util"][0].as_object().expect("a device").keys().cloned().collect();
    let expected = [
        "in_queue",
        "name",
        "read_ios",
        "read_merges",
        "read_sectors",
        "read_ticks",
        "util",
        "write_ios",
        "write_merges",
        "write_sectors",
        "write_ticks",
    ];
    assert_eq!(keys, expected.map(str::to_string).into());
}

#[test]
fn the_version_is_not_fios() {
    let document = document(&run(), Layout::Json);
    assert_eq!(document["fio version"], "narrows-0.1.0 (fio json layout)");
}

#[test]
fn bins_stand_in_json_plus_only() {
    let of = |layout| document(&run(), layout)["jobs"][0]["read"]["clat_ns"].clone();
    assert!(of(Layout::Json).get("bins").is_none());
    assert_eq!(of(Layout::JsonPlus)["bins"]["4512"], 5);
    assert!(of(Layout::Json)["percentile"]["99.000000"].is_u64());
}

#[test]
fn figures_follow_from_each_other_as_in_fio() {
    let document = document(&run(), Layout::Json);
    let read = &document["jobs"][0]["read"];
    assert_eq!(read["bw_bytes"], 32768);
    assert_eq!(read["bw"], 32);
    assert_eq!(read["iops"], 8.0);
    assert_eq!(read["bw_agg"], 100.0);
    assert_eq!(document["jobs"][0]["trim"]["iops"], 0.0);
    let levels = document["jobs"][0]["iodepth_level"].as_object().expect("levels");
    let sum: f64 = levels.values().filter_map(Value::as_f64).sum();
    assert!((sum - 100.0).abs() < 1e-9);
}

#[test]
fn nothing_known_is_a_document_all_the_same() {
    let run = RunResult { jobs: vec![JobResult::default()], ..RunResult::default() };
    let document = document(&run, Layout::JsonPlus);
    assert!(document.get("disk_util").is_none());
    assert!(document["jobs"][0].get("job options").is_none());
    assert_eq!(document["jobs"][0]["read"]["lat_ns"]["N"], 0);
}
