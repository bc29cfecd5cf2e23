//! fio's JSON and JSON+ (fio 3): per job and direction the rate, bandwidth, mean latency, percentiles and CPU time of an operation.
//!
//! fio's percentiles are of completion latency unless `lat_percentiles` was asked for; its means are of the whole latency too. Which of
//! both a percentile is of stands in the conditions.

use std::collections::BTreeMap;

use narrows_model::{Layer, Measurement, condition, metric};
use serde_json::{Map, Value};

use crate::{ImportError, Imported, measurement, nothing, slug};

const TOOL: &str = "fio";
/// Its option for the share of reads in a mix.
const MIX: &str = "rwmixread";
/// What fio may print before the JSON.
const BEGINS: char = '{';

pub(crate) fn is(text: &str) -> bool {
    text.contains("\"fio version\"") && text.contains("\"jobs\"")
}

pub(crate) fn read(text: &str) -> Result<Imported, ImportError> {
    let begins = text.find(BEGINS).ok_or(ImportError::Unknown)?;
    // What follows the JSON, as where several runs were appended, is left out by the reader.
    let mut values = serde_json::Deserializer::from_str(&text[begins..]).into_iter::<Value>();
    let value = values.next().ok_or_else(|| nothing(TOOL, "no JSON"))?;
    let value = value.map_err(|error| nothing(TOOL, error.to_string()))?;
    let version = value.get("fio version").and_then(Value::as_str).unwrap_or(TOOL);
    let global = value.get("global options").and_then(Value::as_object);
    let jobs =
        value.get("jobs").and_then(Value::as_array).ok_or_else(|| nothing(TOOL, "no jobs"))?;
    let (mut measurements, mut left_out) = (Vec::new(), Vec::new());
    for job in jobs {
        match of_job(job, global) {
            Ok(found) => measurements.extend(found),
            Err(why) => left_out.push(why),
        }
    }
    number_those_of_one_name(&mut measurements);
    if measurements.is_empty() {
        let why = left_out.first().cloned().unwrap_or_else(|| "no job did anything".to_string());
        return Err(nothing(TOOL, why));
    }
    Ok(Imported {
        tool: version.to_string(),
        at_unix_s: value.get("timestamp").and_then(Value::as_i64),
        measurements,
        left_out,
        ..Imported::default()
    })
}

/// A measurement per direction in which it did something.
fn of_job(job: &Value, global: Option<&Map<String, Value>>) -> Result<Vec<Measurement>, String> {
    let name = job.get("jobname").and_then(Value::as_str).unwrap_or_default();
    let error = job.get("error").and_then(Value::as_i64).unwrap_or(0);
    if error != 0 {
        return Err(format!("job {name}: it ended with error {error}"));
    }
    let own = job.get("job options").and_then(Value::as_object);
    let option = |key: &str| {
        let of =
            |options: Option<&Map<String, Value>>| options?.get(key)?.as_str().map(String::from);
        of(own).or_else(|| of(global))
    };
    let directions = ["read", "write", "trim"];
    let ios = |direction: &str| number(job, &[direction, "total_ios"]).unwrap_or(0.0);
    let all: f64 = directions.iter().map(|direction| ios(direction)).sum();
    let active: Vec<&str> = directions.into_iter().filter(|d| ios(d) > 0.0).collect();
    Ok(active.iter().map(|direction| one(job, name, direction, &option, all)).collect())
}

fn one(
    job: &Value,
    name: &str,
    direction: &str,
    option: &dyn Fn(&str) -> Option<String>,
    all_ios: f64,
) -> Measurement {
    let of = |path: &[&str]| number(job, &[&[direction], path].concat());
    let whole = percentiles(job, direction, "lat_ns");
    let completion = percentiles(job, direction, "clat_ns");
    let (percentiles, latency_of) = if whole.is_empty() {
        (completion, "completion latency (clat)")
    } else {
        (whole, "latency (lat)")
    };
    let at = |share: f64| nearest(&percentiles, share);
    let runtime_ns = of(&["runtime"]).map(|ms| ms * 1e6);
    // Of clones that are reported together it is the sum of theirs, which their CPU shares are of.
    let cpu_ns = number(job, &["job_runtime"]).map(|ms| ms * 1e6).or(runtime_ns);
    let cpu = number(job, &["usr_cpu"]).zip(number(job, &["sys_cpu"]));
    // CPU time is the job's, so it is divided by all that the job did.
    let cpu_per_op =
        cpu.zip(cpu_ns).map(|((user, system), ns)| (user + system) / 100.0 * ns / all_ios);
    let mut found = measurement(
        format!("block.import.{}.{direction}", slug(name)),
        Layer::Block,
        &[
            (metric::THROUGHPUT, of(&["iops"])),
            (metric::BANDWIDTH, of(&["bw_bytes"])),
            (metric::LATENCY_MEAN, of(&["lat_ns", "mean"]).or_else(|| of(&["clat_ns", "mean"]))),
            (metric::LATENCY_P50, at(50.0)),
            (metric::LATENCY_P99, at(99.0)),
            (metric::LATENCY_P999, at(99.9)),
            (metric::LATENCY_MAX, of(&["lat_ns", "max"]).or_else(|| of(&["clat_ns", "max"]))),
            (metric::CPU_PER_OP, cpu_per_op),
            (metric::OPERATIONS, of(&["total_ios"])),
            (metric::WINDOW, runtime_ns),
        ],
    );
    let workload = &mut found.workload;
    workload.insert(condition::DIRECTION, direction);
    // Where options are told at all, what is not among them has fio's default.
    let told = option("rw").or_else(|| option("readwrite"));
    if let Some(pattern) = &told {
        let random = pattern.starts_with("rand");
        workload.insert(condition::PATTERN, if random { "random" } else { "sequential" });
    }
    let count = |key: &str, default: f64| {
        let own = option(key).and_then(|value| value.parse::<f64>().ok());
        own.or(told.as_ref().map(|_| default))
    };
    for (key, name) in [(condition::THREADS, "numjobs"), (condition::DEPTH, "iodepth")] {
        if let Some(value) = count(name, 1.0) {
            workload.insert(key, value);
        }
    }
    if told.as_ref().is_some_and(|pattern| pattern.ends_with("rw")) {
        let reads = option(MIX).unwrap_or_else(|| "50".to_string());
        workload.add_setting(MIX, &reads);
    }
    let default = told.as_ref().map(|_| "4k".to_string());
    let block = option("bs").or_else(|| option("blocksize")).or(default);
    if let Some(bytes) = block.and_then(|text| size(&text)) {
        workload.insert(condition::BLOCK_BYTES, bytes);
    }
    let open = option("rate_iops").or_else(|| option("rate")).is_some();
    workload.insert(condition::LOOP, if open { "open" } else { "closed" });
    for key in ["rate_iops", "rate"] {
        if let Some(rate) = option(key) {
            workload.add_setting(key, &rate);
        }
    }
    if let Some(engine) = option("ioengine") {
        found.conditions.insert(condition::METHOD, engine);
    }
    if let Some(direct) = option("direct") {
        found.conditions.insert(condition::DIRECT, direct == "1");
    }
    found.conditions.insert(condition::PERCENTILES_OF, latency_of);
    found
}

fn number(value: &Value, path: &[&str]) -> Option<f64> {
    path.iter().try_fold(value, |value, key| value.get(key))?.as_f64()
}

/// Values by per cent, in tenths of thousandths; of JSON+ counted from its bins where it has no percentiles.
fn percentiles(job: &Value, direction: &str, kind: &str) -> BTreeMap<u32, f64> {
    let of = |name: &str| job.get(direction)?.get(kind)?.get(name)?.as_object();
    let listed: BTreeMap<u32, f64> = of("percentile")
        .into_iter()
        .flatten()
        .filter_map(|(key, value)| Some((key_of(key.parse().ok()?), value.as_f64()?)))
        .collect();
    if !listed.is_empty() {
        return listed;
    }
    let bins: BTreeMap<u64, f64> = of("bins")
        .into_iter()
        .flatten()
        .filter_map(|(key, count)| Some((key.parse().ok()?, count.as_f64()?)))
        .collect();
    let all: f64 = bins.values().sum();
    let below = |percent: f64| {
        let mut seen = 0.0;
        bins.iter().find(|(_, count)| {
            seen += **count;
            seen >= all * percent / 100.0
        })
    };
    [50.0, 99.0, 99.9]
        .into_iter()
        .filter(|_| all > 0.0)
        .filter_map(|percent| Some((key_of(percent), *below(percent)?.0 as f64)))
        .collect()
}

fn key_of(percent: f64) -> u32 {
    (percent * 1e4).round() as u32
}

fn nearest(percentiles: &BTreeMap<u32, f64>, percent: f64) -> Option<f64> {
    percentiles.get(&key_of(percent)).copied()
}

/// `8k`, `8192`, `1m`; of `4k,8k` nothing, because it is two sizes.
fn size(text: &str) -> Option<f64> {
    let text = text.trim().to_lowercase();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" | "b" => 1.0,
        "k" | "kb" | "kib" => 1024.0,
        "m" | "mb" | "mib" => 1024.0 * 1024.0,
        "g" | "gb" | "gib" => 1024.0 * 1024.0 * 1024.0,
        _ => return None,
    };
    digits.parse::<f64>().ok().map(|value| value * factor)
}

/// Jobs of one name, as clones are without `group_reporting`, are numbered from the second on.
fn number_those_of_one_name(measurements: &mut [Measurement]) {
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for measurement in measurements {
        let id = measurement.id.as_str().to_string();
        let count = seen.entry(id.clone()).or_default();
        *count += 1;
        if *count > 1 {
            measurement.id = format!("{id}.{count}").into();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As fio 3 writes it, short.
    const RESULT: &str = r#"note: both iodepth >= 1 and synchronous I/O engine are selected
{
  "fio version" : "fio-3.33",
  "timestamp" : 1700000000,
  "global options" : {"ioengine" : "io_uring", "direct" : "1", "bs" : "8k"},
  "jobs" : [
    {
      "jobname" : "Reads", "error" : 0,
      "job options" : {"name" : "Reads", "rw" : "randread", "iodepth" : "32", "numjobs" : "2"},
      "read" : {
        "bw_bytes" : 81920000, "iops" : 10000.0, "runtime" : 10000, "total_ios" : 100000,
        "lat_ns" : {"min" : 1, "max" : 9000000, "mean" : 3200000.0},
        "clat_ns" : {"mean" : 3190000.0, "percentile" : {"50.000000" : 3100000, "99.000000" : 5000000, "99.900000" : 7000000}}
      },
      "write" : {"total_ios" : 0, "iops" : 0.0},
      "usr_cpu" : 5.0, "sys_cpu" : 15.0
    },
    {"jobname" : "broken", "error" : 5, "read" : {"total_ios" : 1}}
  ]
}
"#;

    #[test]
    fn a_result_becomes_a_measurement_per_direction() {
        let found = read(RESULT).unwrap();
        assert_eq!((found.tool.as_str(), found.at_unix_s), ("fio-3.33", Some(1_700_000_000)));
        assert_eq!(found.left_out, ["job broken: it ended with error 5"]);
        let [reads] = found.measurements.as_slice() else { panic!("{:?}", found.measurements) };
        assert_eq!(reads.id, "block.import.reads.read");
        for (metric, value) in [
            (metric::THROUGHPUT, 10_000.0),
            (metric::BANDWIDTH, 81_920_000.0),
            (metric::LATENCY_MEAN, 3_200_000.0),
            (metric::LATENCY_P50, 3_100_000.0),
            (metric::LATENCY_P99, 5_000_000.0),
            (metric::LATENCY_P999, 7_000_000.0),
            // A fifth of ten seconds over a hundred thousand operations.
            (metric::CPU_PER_OP, 20_000.0),
        ] {
            assert_eq!(reads.value(metric), Some(value), "{metric}");
        }
        assert_eq!(
            (reads.number(condition::DEPTH), reads.number(condition::BLOCK_BYTES)),
            (Some(32.0), Some(8192.0))
        );
        assert_eq!(
            (reads.text(condition::PATTERN), reads.text(condition::METHOD)),
            (Some("random"), Some("io_uring"))
        );
        assert_eq!(reads.text(condition::PERCENTILES_OF), Some("completion latency (clat)"));
    }

    #[test]
    fn bins_of_json_plus_stand_in_for_percentiles() {
        let text = RESULT.replace(
            "\"percentile\" : {\"50.000000\" : 3100000, \"99.000000\" : 5000000, \"99.900000\" : 7000000}",
            "\"bins\" : {\"1000\" : 500, \"2000\" : 490, \"9000\" : 10}",
        );
        let found = read(&text).unwrap();
        let reads = &found.measurements[0];
        assert_eq!(reads.value(metric::LATENCY_P50), Some(1000.0));
        assert_eq!(reads.value(metric::LATENCY_P99), Some(2000.0));
        assert_eq!(reads.value(metric::LATENCY_P999), Some(9000.0));
    }

    #[test]
    fn clones_are_numbered_and_what_is_missing_stays_missing() {
        let job = r#"{"jobname":"a","read":{"total_ios":5,"iops":1.5}}"#;
        let text = format!("{{\"fio version\":\"fio-3\",\"jobs\":[{job},{job}]}}");
        let found = read(&text).unwrap();
        let ids: Vec<&str> = found.measurements.iter().map(|m| m.id.as_str()).collect();
        assert_eq!(ids, ["block.import.a.read", "block.import.a.read.2"]);
        assert_eq!(found.measurements[0].metrics.len(), 2, "rate and count, and nothing made up");
        let idle = r#"{"fio version":"fio-3","jobs":[{"jobname":"a","read":{"total_ios":0}}]}"#;
        assert!(read(idle).unwrap_err().to_string().contains("no job did anything"));
    }

    #[test]
    fn sizes_are_fios() {
        assert_eq!(
            (size("8k"), size("4096"), size("1M"), size("4k,8k"), size("x")),
            (Some(8192.0), Some(4096.0), Some(1_048_576.0), None, None)
        );
    }
}
