//! A run in which everything is in order, for tests that break one thing at a time.

use narrows_model::condition::Shape;

use narrows_model::{
    BlockDevice, DatabaseChoice, DeviceKind, FileSystem, Interval, IntervalMethod, Key, Layer,
    Measurement, Metric, MetricValue, PcieLink, Plan, Platform, Queue, Role, RolePath, Run, Series,
    Unit, condition, metric,
};
use serde_json::{Value, json};

pub const REPEATS: usize = 6;

/// Every layer's measurements with figures that agree with one another; no rule has anything to say.
pub fn run() -> Run {
    Run {
        id: "7f3a".to_string(),
        command: vec!["narrows".to_string(), "run".to_string()],
        started_at: "2026-11-20T14:02:00Z".to_string(),
        measurements: measurements(),
        ..Run::blank(plan(), platform())
    }
}

fn plan() -> Plan {
    Plan {
        layers: Layer::ALL.to_vec(),
        data_dir: "/data".to_string(),
        wal_dir: "/wal".to_string(),
        database: DatabaseChoice::Managed,
        sessions: 8,
        repeats: REPEATS as u32,
        seed: 1,
        file_bytes: 4 << 30,
        table_bytes: 8 << 30,
        shared_buffers_bytes: 1 << 30,
        server_cpus: vec![0, 1],
        client_cpus: vec![2, 3],
        ..Plan::default()
    }
}

fn platform() -> Platform {
    let mut platform = Platform {
        roles: vec![path(Role::Data, "nvme0n1"), path(Role::Wal, "nvme1n1")],
        ..Platform::default()
    };
    platform.cpu.threads = 4;
    platform.memory.total_bytes = 16 << 30;
    platform
}

fn path(role: Role, drive: &str) -> RolePath {
    RolePath {
        role,
        path: format!("/{}", role.word()),
        file_system: FileSystem {
            kind: "xfs".to_string(),
            mount_point: format!("/{}", role.word()),
            source: format!("/dev/{drive}"),
            ..FileSystem::default()
        },
        devices: vec![BlockDevice {
            name: drive.to_string(),
            number: "259:0".to_string(),
            kind: DeviceKind::Disk,
            level: None,
            model: None,
            transport: Some("nvme (pcie)".to_string()),
            size_bytes: Some(40_000_000_000),
            slaves: Vec::new(),
            queue: Some(Queue {
                write_cache: Some("write back".to_string()),
                iostats: Some(true),
                ..Queue::default()
            }),
            numa_node: Some(0),
            pcie: vec![PcieLink {
                address: "0000:01:00.0".to_string(),
                current_gts: Some(16.0),
                current_width: Some(4),
                max_gts: Some(16.0),
                max_width: Some(4),
                flit_mode: None,
            }],
        }],
    }
}

fn measurements() -> Vec<Measurement> {
    let mut all = vec![
        clock("clock.vdso", 25.0),
        clock("clock.syscall", 90.0),
        memory_latency("memory.latency.2m"),
        memory_bandwidth("memory.bandwidth.read.node0"),
        block_read("block.read.random.8k.d1", "io_uring", 1.0),
        block_read("block.read.random.8k.knee", "io_uring", 32.0),
        block_read("block.read.random.8k.server_knee", "buffered", 32.0),
        block_write("block.write.random.8k.knee"),
        block_read("block.read.random.8k.aio", "aio", 32.0),
        block_open("block.read.random.8k.open"),
        block_synced("block.write.random.8k.synced"),
        append("log.append.fdatasync.idle"),
    ];
    for workload in ["lookup_cached", "lookup_uncached", "update"] {
        all.push(database(workload, "closed"));
        all.push(database(&format!("{workload}.open"), "open"));
    }
    all
}

fn clock(id: &str, cost_ns: f64) -> Measurement {
    let mut m = measurement(id, Layer::Clock);
    set(&mut m, metric::COST, cost_ns);
    set(&mut m, metric::ERRORS, 0.0);
    m
}

fn memory_latency(id: &str) -> Measurement {
    let mut m = measurement(id, Layer::Memory);
    say(&mut m, condition::PAGE_BYTES, json!(2_097_152));
    set(&mut m, metric::COST, 95.0);
    m
}

fn memory_bandwidth(id: &str) -> Measurement {
    let mut m = measurement(id, Layer::Memory);
    say(&mut m, condition::THREADS, json!(2));
    say(&mut m, condition::SLOWEST_OVER_FASTEST_THREAD, json!(0.97));
    set(&mut m, metric::BANDWIDTH, 40e9);
    m
}

/// 100k/s of 8 KiB for 10 s.
fn block(id: &str, method: &str, depth: f64) -> Measurement {
    let mut m = measurement(id, Layer::Block);
    say(&mut m, condition::METHOD, json!(method));
    say(&mut m, condition::LOOP, json!("closed"));
    say(&mut m, condition::BLOCK_BYTES, json!(8192));
    say(&mut m, condition::ROLE, json!("data"));
    rate(&mut m, 100e3);
    set(&mut m, metric::BANDWIDTH, 100e3 * 8192.0);
    set(&mut m, metric::IN_FLIGHT, depth * 0.99);
    set(&mut m, metric::DEPTH, depth);
    set(&mut m, metric::LATENCY_MEAN, depth * 9.9e3);
    for name in [metric::ERRORS, metric::SHORT_IOS] {
        set(&mut m, name, 0.0);
    }
    for name in [metric::ZERO_BLOCKS, metric::UNWRITTEN] {
        set(&mut m, name, 0.0);
    }
    for name in [metric::DEVICE_MERGES, metric::IO_LIMIT_CHANGED, metric::SEQUENCE_REPEATED] {
        set(&mut m, name, 0.0);
    }
    set(&mut m, metric::HEAT_STOPS, 0.0);
    set(&mut m, metric::DRIVE_HEAT, 0.6);
    say(&mut m, condition::PLACE, json!("once_each"));
    say(&mut m, condition::TARGET_KIND, json!("file"));
    say(&mut m, condition::THREADS, json!(1));
    say(&mut m, condition::FILE_BYTES, json!(4_u64 << 30));
    say(&mut m, condition::DIRECT, json!(method != "buffered"));
    set(&mut m, metric::GENERATOR_BUSY, 0.5);
    m
}

fn block_read(id: &str, method: &str, depth: f64) -> Measurement {
    let mut m = block(id, method, depth);
    set(&mut m, metric::ISSUED_READ_BYTES, 1e6 * 8192.0);
    set(&mut m, metric::DEVICE_READ_BYTES, 1e6 * 8192.0);
    set(&mut m, metric::UNIQUE_BYTES, 1e6 * 8192.0);
    if method == "aio" {
        set(&mut m, metric::SUBMIT_PER_OP, 4e3);
    }
    if method == "buffered" {
        set(&mut m, metric::RESIDENT_BEFORE, 0.0);
    }
    m
}

fn block_write(id: &str) -> Measurement {
    let mut m = block(id, "io_uring", 32.0);
    say(&mut m, condition::WRITE_STATE, json!("unknown"));
    set(&mut m, metric::ISSUED_WRITE_BYTES, 1e6 * 8192.0);
    set(&mut m, metric::DEVICE_WRITE_BYTES, 1.01e6 * 8192.0);
    m
}

/// In an open loop that kept its rate.
fn block_open(id: &str) -> Measurement {
    let mut m = block_read(id, "io_uring", 4.0);
    say(&mut m, condition::LOOP, json!("open"));
    set(&mut m, metric::LATENCY_P99, 2e5);
    set(&mut m, metric::LATENESS_P99, 2e3);
    for name in [metric::ASKED_RATE, metric::SENT_RATE, metric::OFFERED] {
        set(&mut m, name, 100e3);
    }
    for name in [metric::HELD, metric::BACKLOG_GROWTH, metric::SKIPPED] {
        set(&mut m, name, 0.0);
    }
    m
}

/// Writes with a flush after every hundred.
fn block_synced(id: &str) -> Measurement {
    let mut m = block_write(id);
    set(&mut m, metric::SYNC_THROUGHPUT, 1e3);
    set(&mut m, metric::SYNC_LATENCY_P50, 90e3);
    set(&mut m, metric::DEVICE_FLUSHES, 1e4);
    m
}

fn append(id: &str) -> Measurement {
    let mut m = measurement(id, Layer::Log);
    say(&mut m, condition::ROLE, json!("wal"));
    say(&mut m, condition::BLOCK_BYTES, json!(8192));
    rate(&mut m, 10e3);
    set(&mut m, metric::LATENCY_P50, 95e3);
    set(&mut m, metric::ISSUED_WRITE_BYTES, 1e5 * 8192.0);
    set(&mut m, metric::DEVICE_WRITE_BYTES, 1.5e5 * 8192.0);
    set(&mut m, metric::DEVICE_FLUSHES, 1e5);
    m
}

fn database(workload: &str, kind: &str) -> Measurement {
    let mut m = measurement(&format!("database.{workload}"), Layer::Database);
    say(&mut m, condition::LOOP, json!(kind));
    say(&mut m, condition::SERVER_SETTINGS, json!({ "fsync": "on" }));
    say(&mut m, condition::CPUS_SHARED, json!(false));
    say(&mut m, condition::ENCRYPTION, json!("none"));
    rate(&mut m, 20e3);
    set(&mut m, metric::LATENCY_P99, 2e6);
    // The server counts the warm-up too.
    set(&mut m, metric::SERVER_TRANSACTIONS, 2.2e5);
    set(&mut m, metric::SPAN_OPERATIONS, 2.2e5);
    set(&mut m, metric::ERRORS, 0.0);
    set(&mut m, metric::SESSIONS, 8.0);
    set(&mut m, metric::CLIENT_BUSY, 0.4);
    set(&mut m, metric::SERVER_CPUS, 2.0);
    set(&mut m, metric::SERVER_CPUS_TAKEN, 0.01);
    set(&mut m, metric::WAIT_SAMPLES, 4e3);
    if kind == "open" {
        set(&mut m, metric::LATENCY_MEAN, 2e5);
        set(&mut m, metric::OFFERED, 20e3);
        set(&mut m, metric::LATENESS_P99, 2e3);
        set(&mut m, metric::SKIPPED, 0.0);
    }
    if workload.starts_with("lookup_cached") {
        set(&mut m, metric::BLOCK_READS_PER_OP, 0.0);
    }
    if workload.starts_with("lookup_uncached") {
        say(&mut m, condition::UNCACHED_BY, json!("eviction"));
        set(&mut m, metric::BLOCK_READS_PER_OP, 1.0);
        set(&mut m, metric::SERVER_READ_BYTES, 2e5 * 8192.0);
        set(&mut m, metric::DEVICE_READ_BYTES, 2e5 * 8192.0);
    }
    if workload.starts_with("update") {
        set(&mut m, metric::FLUSHES_PER_OP, 0.4);
        set(&mut m, metric::WAL_BYTES_PER_OP, 500.0);
        set(&mut m, metric::DEVICE_FLUSHES, 8e4);
        set(&mut m, metric::DEVICE_WRITE_BYTES, 1e8);
        set(&mut m, metric::CHECKPOINTS, 1.0);
    }
    m
}

fn measurement(id: &str, layer: Layer) -> Measurement {
    let mut m = Measurement::new(id, layer);
    m.repeats = REPEATS as u32;
    for name in [metric::STEAL, metric::CPU_PRESSURE, metric::SENTINEL_DRIFT] {
        set(&mut m, name, 0.0);
    }
    set(&mut m, metric::OTHER_CPUS, 0.01);
    set(&mut m, metric::THROTTLED, 0.0);
    set(&mut m, metric::THROTTLED_CPUS, 0.0);
    set(&mut m, metric::WINDOW, 10e9);
    m
}

/// Operations per second over the 10 s window, with a level series of one value a second.
fn rate(m: &mut Measurement, per_s: f64) {
    set(m, metric::THROUGHPUT, per_s);
    set(m, metric::OPERATIONS, per_s * 10.0);
    m.series = (0..REPEATS as u32).map(|repeat| series(repeat, |_| per_s)).collect();
}

/// Throughput in 30 slices of a repeat; every second slice differs by 1 %, so that there is noise.
pub fn series(repeat: u32, value: impl Fn(usize) -> f64) -> Series {
    let noise = |slice: usize| if slice.is_multiple_of(2) { 1.0 } else { 0.99 };
    Series {
        name: metric::THROUGHPUT.to_string(),
        unit: Unit::OpsPerS,
        repeat,
        t0_ns: 0,
        interval_ns: 333_000_000,
        x: Vec::new(),
        values: (0..30).map(|slice| value(slice) * noise(slice)).collect(),
    }
}

/// Gives a metric the same value in every repeat.
pub fn set(m: &mut Measurement, name: Metric, value: f64) {
    let new = MetricValue::new(
        name,
        value,
        Some(Interval {
            low: value * 0.99,
            high: value * 1.01,
            method: IntervalMethod::OrderStatistic,
        }),
        vec![value; REPEATS],
    );
    match m.metrics.iter_mut().find(|metric| metric.name == name) {
        Some(metric) => *metric = new,
        None => m.metrics.push(new),
    }
}

/// Sets a key of the workload.
pub fn say<T: Shape + ?Sized>(m: &mut Measurement, key: Key<T>, value: Value) {
    m.workload.insert(key, value);
}
