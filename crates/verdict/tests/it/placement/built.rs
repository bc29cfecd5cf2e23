//! Runs of two places and more, made of figures that a pencil can follow.

use narrows_model::{
    BlockDevice, Comparison, DeviceKind, Durability, DurabilityWord, FileSystem, Interval,
    IntervalMethod, Layer, Measurement, Metric, MetricValue, Platform, Role, RolePath, Run, SCHEMA,
    condition, metric,
};
use serde_json::json;

/// Six windows that scatter by 1 % around their value, alike in all measurements: their ratios don't scatter at all.
pub fn measured(id: &str, layer: Layer, metrics: &[(Metric, f64)]) -> Measurement {
    let mut m = Measurement::new(id, layer);
    m.workload.insert(condition::SESSIONS, json!(8));
    m.metrics = metrics
        .iter()
        .map(|(name, value)| {
            MetricValue::new(
                *name,
                *value,
                Some(Interval {
                    low: value * 0.99,
                    high: value * 1.01,
                    method: IntervalMethod::OrderStatistic,
                }),
                [0.99, 1.01, 1.0, 1.0, 0.995, 1.005].map(|s| s * value).to_vec(),
            )
        })
        .collect();
    m
}

/// The database: commits per second, one write and flush, processor time, ns. Four commits share a flush.
pub fn database(number: u32, rate: f64, flush_ns: f64, cpu_ns: f64) -> Measurement {
    let figures = [
        (metric::THROUGHPUT, rate),
        (metric::PARALLEL_WRITE_MEAN, flush_ns),
        (metric::FLUSHES_PER_OP, 0.25),
        (metric::WAIT_FLUSH_PER_OP, flush_ns * 1.5),
        (metric::BACKEND_CPU_PER_OP, cpu_ns),
        (metric::WAIT_LOCK_PER_OP, 1000.0),
        (metric::LATENCY_P99, 5e6),
    ];
    measured(&format!("database.update.wal_{number}"), Layer::Database, &figures)
}

/// The database that flushes nothing.
pub fn free() -> Measurement {
    let figures = [
        (metric::THROUGHPUT, 30_000.0),
        (metric::BACKEND_CPU_PER_OP, 25e3),
        (metric::CLIENT_CPU_PER_OP, 20e3),
        (metric::WAL_BYTES_PER_OP, 240.0),
        (metric::WAIT_LOCK_PER_OP, 1000.0),
    ];
    measured("database.update.wal_1.test.fsync_off", Layer::Database, &figures)
}

/// The emulation, likewise.
pub fn working(number: u32, rate: f64, flush_ns: f64, cpu_ns: f64) -> Measurement {
    let figures = [
        (metric::THROUGHPUT, rate),
        (metric::PARALLEL_WRITE_MEAN, flush_ns),
        (metric::LOG_FILE_SYNC_MEAN, flush_ns * 1.5),
        (metric::BACKEND_CPU_PER_OP, cpu_ns),
    ];
    measured(&format!("log.working.wal_{number}"), Layer::Log, &figures)
}

fn path(role: Role, folder: &str, kind: &str) -> RolePath {
    let file_system = FileSystem {
        kind: kind.to_string(),
        source: "/dev/x".to_string(),
        volatile: kind == "tmpfs",
        ..FileSystem::default()
    };
    RolePath { role, path: folder.to_string(), file_system, devices: Vec::new() }
}

/// A device at the bottom of a path.
pub fn bottom(name: &str, kind: DeviceKind, transport: &str) -> BlockDevice {
    BlockDevice {
        name: name.to_string(),
        number: "7:0".to_string(),
        kind,
        level: None,
        model: None,
        transport: Some(transport.to_string()),
        size_bytes: None,
        slaves: Vec::new(),
        queue: None,
        numa_node: None,
        pcie: Vec::new(),
    }
}

/// The places' file systems in their order.
pub fn run(kinds: &[&str], measurements: Vec<Measurement>) -> Run {
    let mut roles = vec![path(Role::Data, "/data", "ext4")];
    for (at, kind) in kinds.iter().enumerate() {
        roles.push(path(Role::Wal, &format!("/w{}", at + 1), kind));
    }
    let platform = Platform { roles, ..Platform::default() };
    let text = json!({
        "schema": SCHEMA, "id": "1", "tool": {"name": "narrows", "version": "0"}, "command": [],
        "started_at": "", "completed": true, "findings": [], "verdicts": [],
        "plan": {"quick": false, "layers": ["log"], "data_dir": "", "wal_dir": "", "database": "managed",
                 "workloads": [], "sessions": 8, "repeats": 6, "seed": 1, "file_bytes": 0, "table_bytes": 0,
                 "shared_buffers_bytes": 0, "server_cpus": [0], "client_cpus": [1], "steps": []},
        "hosts": [{"role": "server_and_client", "platform": platform, "clock_offset_ns": 0}],
        "measurements": measurements,
    });
    Run::from_json(&text.to_string()).unwrap()
}

pub fn known(words: &[DurabilityWord]) -> Vec<Durability> {
    let one = |word: &DurabilityWord| Durability {
        role: Role::Wal,
        word: *word,
        sentence: "a sentence".to_string(),
        evidence: Vec::new(),
    };
    words.iter().map(one).collect()
}

pub fn all(comparison: &Comparison) -> String {
    comparison.sentences.join(" ")
}

/// The same with every second repeat a factor more, the others as much less: logarithms differ by `by` from their mean.
pub fn scattered(mut m: Measurement, by: f64) -> Measurement {
    for metric in &mut m.metrics {
        for (repeat, sample) in metric.samples.iter_mut().enumerate() {
            *sample *= if repeat % 2 == 0 { by.exp() } else { (-by).exp() };
        }
    }
    m
}

/// Another value of a metric, with its samples.
pub fn with(mut m: Measurement, name: Metric, value: f64) -> Measurement {
    let metric = m.metrics.iter_mut().find(|metric| metric.name == name).expect("a metric of it");
    let times = value / metric.value;
    metric.value = value;
    metric.samples.iter_mut().for_each(|sample| *sample *= times);
    m
}
