//! The document: fio's keys in fio's nesting.

use serde_json::{Map, Value, json};

use super::latency::{classes, object, percent_of};
use super::result::{
    Device, DirectionResult, JobResult, Latencies, RunResult, Sampled, Search, Steadiness, Syncs,
};

/// Which of fio's two layouts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// `--output-format=json`.
    Json,
    /// `--output-format=json+`: with bins.
    JsonPlus,
}

/// The run as fio would write it.
pub fn document(run: &RunResult, layout: Layout) -> Value {
    let mut document = Map::new();
    let version = format!("narrows-{} (fio json layout)", run.version);
    document.insert("fio version".into(), json!(version));
    document.insert("timestamp".into(), json!(run.timestamp_ms / 1000));
    document.insert("timestamp_ms".into(), json!(run.timestamp_ms));
    document.insert("time".into(), json!(run.time));
    if !run.global_options.is_empty() {
        document.insert("global options".into(), options(&run.global_options));
    }
    let jobs: Vec<Value> = run.jobs.iter().map(|one| job(one, &run.jobs, layout)).collect();
    document.insert("jobs".into(), Value::Array(jobs));
    if !run.devices.is_empty() {
        document.insert("disk_util".into(), run.devices.iter().map(device).collect());
    }
    Value::Object(document)
}

fn options(options: &[(String, String)]) -> Value {
    Value::Object(options.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}

fn job(job: &JobResult, all: &[JobResult], layout: Layout) -> Value {
    let mut object = Map::new();
    object.insert("jobname".into(), json!(job.name));
    object.insert("groupid".into(), json!(job.group));
    object.insert("job_start".into(), json!(job.started_ms));
    object.insert("error".into(), json!(job.error));
    object.insert("eta".into(), json!(0));
    object.insert("elapsed".into(), json!(job.elapsed_s));
    if !job.options.is_empty() {
        object.insert("job options".into(), options(&job.options));
    }
    let group = |of: fn(&JobResult) -> &DirectionResult| -> f64 {
        let members = all.iter().filter(|other| other.group == job.group);
        members.map(|other| of(other).bandwidth_kib.mean()).sum()
    };
    if !job.only_mixed {
        object.insert("read".into(), direction(job, &job.read, group(|j| &j.read), layout));
        object.insert("write".into(), direction(job, &job.write, group(|j| &j.write), layout));
        object.insert("trim".into(), direction(job, &job.trim, group(|j| &j.trim), layout));
        object.insert("sync".into(), syncs(job, &job.sync, layout));
    }
    if let Some(mixed) = &job.mixed {
        let members = all.iter().filter(|other| other.group == job.group);
        let whole = members.filter_map(|other| other.mixed.as_ref());
        let whole_kib = whole.map(|mixed| mixed.bandwidth_kib.mean()).sum();
        object.insert("mixed".into(), direction(job, mixed, whole_kib, layout));
    }
    object.insert("job_runtime".into(), json!(job.job_runtime_ms));
    object.insert("usr_cpu".into(), json!(job.user_percent.unwrap_or(0.0)));
    object.insert("sys_cpu".into(), json!(job.system_percent.unwrap_or(0.0)));
    object.insert("ctx".into(), json!(job.context_switches.unwrap_or(0)));
    object.insert("majf".into(), json!(job.major_faults.unwrap_or(0)));
    object.insert("minf".into(), json!(job.minor_faults.unwrap_or(0)));
    object.insert("iodepth_level".into(), depths(&job.depths, &[1, 2, 4, 8, 16, 32], false));
    object.insert("iodepth_submit".into(), depths(&job.submitted, &[4, 8, 16, 32, 64], true));
    object.insert("iodepth_complete".into(), depths(&job.completed, &[4, 8, 16, 32, 64], true));
    let totals: Vec<&Latencies> =
        [&job.read, &job.write, &job.trim].iter().map(|direction| longest(direction)).collect();
    object.extend(classes(&totals).map(|(name, value)| (name.to_string(), value)));
    // fio prints these for every job: the depth it ran at, no target, no window; newer ones with the unit as well.
    let search = job.search.unwrap_or(Search {
        depth: deepest(&job.depths),
        percent: 100.0,
        ..Search::default()
    });
    object.insert("latency_depth".into(), json!(search.depth));
    object.insert("latency_target".into(), json!(search.target_ns));
    object.insert("latency_target_ns".into(), json!(search.target_ns));
    object.insert("latency_percentile".into(), json!(search.percent));
    object.insert("latency_window".into(), json!(search.window_us));
    object.insert("latency_window_us".into(), json!(search.window_us));
    if let Some(steady) = &job.steady {
        object.insert("steadystate".into(), steadiness(steady));
    }
    if let Some(text) = job.description.as_deref().filter(|text| !text.is_empty()) {
        object.insert("desc".into(), json!(text));
    }
    Value::Object(object)
}

fn steadiness(of: &Steadiness) -> Value {
    let mean = |values: &[u64]| values.iter().sum::<u64>() / (values.len() as u64).max(1);
    let mut data = Map::new();
    data.insert("bw_mean".into(), json!(mean(&of.bandwidth_bytes)));
    data.insert("iops_mean".into(), json!(mean(&of.iops)));
    if let Some(latency) = &of.latency_ns {
        data.insert("lat_mean".into(), json!(mean(latency)));
        data.insert("lat_ns".into(), json!(latency));
    }
    data.insert("iops".into(), json!(of.iops));
    data.insert("bw".into(), json!(of.bandwidth_bytes));
    json!({
        "ss": of.rule,
        "duration": of.duration_s,
        "attained": u8::from(of.attained),
        "criterion": of.criterion,
        "max_deviation": of.max_deviation,
        "slope": of.slope,
        "data": data,
    })
}

/// Total latency, or where that wasn't recorded, completion.
fn longest(direction: &DirectionResult) -> &Latencies {
    let total = &direction.total;
    if total.counts.is_empty() { &direction.completion } else { total }
}

fn direction(
    job: &JobResult,
    of: &DirectionResult,
    group_bandwidth_kib: f64,
    layout: Layout,
) -> Value {
    let per_s = |amount: u64| {
        if of.runtime_ms == 0 { 0.0 } else { amount as f64 * 1000.0 / of.runtime_ms as f64 }
    };
    let bins = layout == Layout::JsonPlus;
    let latency = |latencies, wanted: bool| {
        object(latencies, wanted.then_some(job.percentiles.as_slice()), bins)
    };
    let bandwidth = &of.bandwidth_kib;
    let share = if group_bandwidth_kib > 0.0 {
        (bandwidth.mean() * 100.0 / group_bandwidth_kib).min(100.0)
    } else {
        0.0
    };
    let mut object = json!({
        "io_bytes": of.io_bytes,
        "io_kbytes": of.io_bytes >> 10,
        "bw_bytes": per_s(of.io_bytes) as u64,
        "bw": (per_s(of.io_bytes) as u64) / 1024,
        "iops": per_s(of.total_ios),
        "runtime": of.runtime_ms,
        "total_ios": of.total_ios,
        "short_ios": of.short_ios,
        "drop_ios": of.drop_ios,
        "slat_ns": latency(&of.submission, job.submission_percentiles),
        "clat_ns": latency(&of.completion, job.completion_percentiles),
        "lat_ns": latency(&of.total, job.total_percentiles),
        "bw_min": bandwidth.min() as u64,
        "bw_max": bandwidth.max() as u64,
        "bw_agg": share,
        "bw_mean": bandwidth.mean(),
        "bw_dev": bandwidth.deviation(),
        "bw_samples": bandwidth.values.len(),
        "iops_min": of.iops.min() as u64,
        "iops_max": of.iops.max() as u64,
        "iops_mean": of.iops.mean(),
        "iops_stddev": of.iops.deviation(),
        "iops_samples": of.iops.values.len(),
    });
    // As in fio, of one priority alone there is nothing to tell apart.
    if of.priorities.len() >= 2 {
        let name = if job.total_percentiles { "lat_ns" } else { "clat_ns" };
        let wanted = job.completion_percentiles || job.total_percentiles;
        let each = of.priorities.iter().map(|one| {
            json!({
                "prioclass": one.class,
                "prio": one.level,
                "priohint": one.hint,
                name: latency(&one.latency, wanted),
            })
        });
        object["prios"] = each.collect();
    }
    object
}

fn syncs(job: &JobResult, of: &Syncs, layout: Layout) -> Value {
    let wanted = job.completion_percentiles || job.total_percentiles;
    let percentiles = wanted.then_some(job.percentiles.as_slice());
    let latency = object(&of.latency, percentiles, layout == Layout::JsonPlus);
    json!({ "total_ios": of.total_ios, "lat_ns": latency })
}

/// Shares per class; a class holds what is at most its name and more than the one before.
fn depths(counts: &[(u64, u64)], edges: &[u64], with_zero: bool) -> Value {
    let all: u64 = counts.iter().map(|(_, count)| count).sum();
    let share = |from: u64, to: u64| {
        let inside = counts.iter().filter(|(depth, _)| (from..to).contains(depth));
        percent_of(inside.map(|(_, count)| count).sum(), all)
    };
    let mut object = Map::new();
    if with_zero {
        object.insert("0".into(), json!(share(0, 1)));
        let mut from = 1;
        for edge in edges {
            object.insert(edge.to_string(), json!(share(from, edge + 1)));
            from = edge + 1;
        }
        // fio calls what is above 64 so as well.
        object.insert(">=64".into(), json!(share(from, u64::MAX)));
    } else {
        for edge in edges {
            object.insert(edge.to_string(), json!(share(*edge, edge * 2)));
        }
        object.insert(">=64".into(), json!(share(64, u64::MAX)));
    }
    Value::Object(object)
}

fn deepest(depths: &[(u64, u64)]) -> u64 {
    depths.iter().filter(|(_, count)| *count > 0).map(|(depth, _)| *depth).max().unwrap_or(1)
}

fn device(of: &Device) -> Value {
    json!({
        "name": of.name,
        "read_ios": of.read_ios,
        "write_ios": of.write_ios,
        "read_sectors": of.read_sectors,
        "write_sectors": of.write_sectors,
        "read_merges": of.read_merges,
        "write_merges": of.write_merges,
        "read_ticks": of.read_ms,
        "write_ticks": of.write_ms,
        "in_queue": of.in_queue_ms,
        "util": of.util_percent,
    })
}

impl Sampled {
    fn mean(&self) -> f64 {
        let n = self.values.len();
        if n == 0 { 0.0 } else { self.values.iter().sum::<f64>() / n as f64 }
    }

    fn min(&self) -> f64 {
        self.values.iter().copied().reduce(f64::min).unwrap_or(0.0)
    }

    fn max(&self) -> f64 {
        self.values.iter().copied().reduce(f64::max).unwrap_or(0.0)
    }

    fn deviation(&self) -> f64 {
        let (n, mean) = (self.values.len(), self.mean());
        if n < 2 {
            return 0.0;
        }
        let squares: f64 = self.values.iter().map(|value| (value - mean).powi(2)).sum();
        (squares / (n - 1) as f64).sqrt()
    }
}
