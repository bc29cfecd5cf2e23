//! Measurements with seeded spread and real histograms.

use narrows_model::*;
use narrows_stats::Recorder;
use serde_json::json;

/// Deterministic spread: splitmix64 to a number in 0..1.
pub fn unit(seed: &mut u64) -> f64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *seed;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
}

pub fn finding(severity: Severity, id: &str, about: Option<&str>, summary: &str) -> Finding {
    Finding {
        id: id.into(),
        severity,
        measurement: about.map(String::from),
        summary: summary.into(),
        evidence: "counted 41.2 GB written, capacity 7.68 TB".into(),
        advice: "write longer: --seconds 600".into(),
        places: Vec::new(),
    }
}

/// A metric whose repeats spread by `half` (relative) around `value`.
pub fn metric(metric: Metric, value: f64, half: f64, n: usize) -> MetricValue {
    let mut seed = metric.name.len() as u64 * 31 + value.to_bits();
    let mut samples: Vec<f64> =
        (0..n).map(|_| value * (1.0 + half * (unit(&mut seed) * 2.0 - 1.0))).collect();
    samples[0] = value;
    let low = value * (1.0 - half);
    let high = value * (1.0 + half);
    let interval_95 = (n >= 6 && half > 0.0).then_some(Interval {
        low,
        high,
        method: IntervalMethod::OrderStatistic,
    });
    MetricValue::new(metric, value, interval_95, samples)
}

pub fn m(id: &str, layer: Layer, n: usize, metrics: &[(Metric, f64, f64)]) -> Measurement {
    let mut m = Measurement::new(id, layer);
    m.repeats = n as u32;
    m.metrics = metrics.iter().map(|(of, v, half)| metric(*of, *v, *half, n)).collect();
    m
}

fn limit(mut m: Measurement, id: &str, value: f64, unit: Unit, share: f64) -> Measurement {
    m.limits.push(LimitShare {
        id: id.into(),
        basis: LimitBasis::Protocol,
        value,
        unit,
        share,
        source: "PCI Express base specification 4.0, after encoding and headers".into(),
    });
    m
}

fn with<T: narrows_model::condition::Shape + ?Sized>(
    mut m: Measurement,
    key: narrows_model::Key<T>,
    value: serde_json::Value,
) -> Measurement {
    m.conditions.insert(key, value);
    m
}

/// Latencies with a tail, as a drive gives them.
fn latencies(mut m: Measurement, name: &str, median_ns: f64) -> Measurement {
    for repeat in 0..m.repeats {
        let mut recorder = Recorder::new();
        let mut seed = u64::from(repeat) + median_ns as u64;
        for _ in 0..20_000 {
            let u = unit(&mut seed);
            let tail = if unit(&mut seed) < 0.01 { 6.0 } else { 1.0 };
            recorder.record((median_ns * (0.6 - 0.55 * (1.0 - u).max(1e-6).ln()) * tail) as u64);
        }
        m.histograms.push(Histogram {
            name: name.into(),
            unit: Unit::Ns,
            repeat,
            hdr_v2: recorder.to_hdr_v2(),
        });
    }
    m
}

fn sweep(mut m: Measurement, top: f64, half_depth: f64) -> Measurement {
    let x: Vec<f64> = (0..10).map(|i| f64::from(1 << i)).collect();
    let values = x.iter().map(|d| top * d / (d + half_depth) * 1.03).collect();
    m.series.push(Series {
        name: "curve.throughput".into(),
        unit: Unit::OpsPerS,
        repeat: 0,
        t0_ns: 0,
        interval_ns: 0,
        x,
        values,
    });
    m
}

fn over_time(mut m: Measurement, value: f64) -> Measurement {
    for repeat in 0..m.repeats {
        let mut seed = u64::from(repeat) * 7 + 1;
        m.series.push(Series {
            name: metric::THROUGHPUT.into(),
            unit: Unit::OpsPerS,
            repeat,
            t0_ns: 0,
            interval_ns: 1_000_000_000,
            x: Vec::new(),
            values: (0..10).map(|_| value * (0.96 + 0.08 * unit(&mut seed))).collect(),
        });
    }
    m
}

pub fn block_read(n: usize) -> Measurement {
    let read = m(
        "block.read.random.8k.knee",
        Layer::Block,
        n,
        &[
            (metric::THROUGHPUT, 2.31e6, 0.02),
            (metric::BANDWIDTH, 2.31e6 * 8192.0, 0.02),
            (metric::LATENCY_P99, 602e3, 0.05),
            (metric::CPU_PER_OP, 2_900.0, 0.02),
            (metric::OTHER_CPUS, 1.1, 0.2),
        ],
    );
    let read = with(read, condition::DEPTH, json!(512));
    let read =
        with(with(read, condition::BLOCK_BYTES, json!(8192)), condition::METHOD, json!("io_uring"));
    let read = limit(read, "pcie:md0", 3.52e6, Unit::OpsPerS, 0.656);
    latencies(sweep(read, 2.31e6, 40.0), "latency", 180e3)
}

fn memory(n: usize) -> Vec<Measurement> {
    let bandwidth = |node: u32, value: f64, ceiling: f64| {
        let id = format!("memory.bandwidth.read.node{node}");
        let m = m(&id, Layer::Memory, n, &[(metric::BANDWIDTH, value, 0.01)]);
        let m = with(m, condition::THREADS, json!(32));
        limit(m, &format!("dram:node{node}"), ceiling, Unit::BytesPerS, value / ceiling)
    };
    let latency = |id: &str, page: u64, value: f64| {
        let m = m(id, Layer::Memory, n, &[(metric::COST, value, 0.01)]);
        with(m, condition::PAGE_BYTES, json!(page))
    };
    // 2 / 1.212 is the SMT factor of the verdict.
    let mut smt_yield =
        m("memory.smt_yield", Layer::Memory, n, &[(metric::SMT_YIELD, 1.212, 0.01)]);
    smt_yield.workload.insert(narrows_model::condition::THREADS, json!(2));
    vec![
        bandwidth(0, 388e9, 461e9),
        bandwidth(1, 322e9, 384e9),
        latency("memory.latency.4k", 4096, 158.0),
        latency("memory.latency.2m", 2 << 20, 121.0),
        latency("memory.latency.4k.far", 4096, 255.0),
        latency("memory.latency.2m.far", 2 << 20, 214.0),
        smt_yield,
    ]
}

fn block(n: usize) -> Vec<Measurement> {
    let depth_one = m(
        "block.read.random.8k.d1",
        Layer::Block,
        n,
        &[(metric::THROUGHPUT, 11.8e3, 0.01), (metric::LATENCY_MEAN, 84.6e3, 0.01)],
    );
    let server = m(
        "block.read.random.8k.server_knee",
        Layer::Block,
        n,
        &[
            (metric::THROUGHPUT, 1.24e6, 0.03),
            (metric::LATENCY_P99, 390e3, 0.05),
            (metric::CPU_PER_OP, 11_300.0, 0.02),
        ],
    );
    let server = with(server, condition::THREADS, json!(256));
    let in_order = m(
        "block.read.sequential.1m.knee",
        Layer::Block,
        n,
        &[(metric::BANDWIDTH, 21.9e9, 0.01), (metric::CPU_PER_OP, 41e3, 0.03)],
    );
    let in_order = limit(
        with(in_order, condition::DEPTH, json!(32)),
        "pcie:md0",
        28.8e9,
        Unit::BytesPerS,
        21.9 / 28.8,
    );
    let write = m(
        "block.write.random.8k.knee",
        Layer::Block,
        n,
        &[(metric::THROUGHPUT, 0.62e6, 0.04), (metric::CPU_PER_OP, 3_600.0, 0.04)],
    );
    let write = limit(
        with(with(write, condition::DEPTH, json!(128)), condition::WRITE_STATE, json!("burst")),
        "pcie:md0",
        1.76e6,
        Unit::OpsPerS,
        0.352,
    );
    let write = latencies(write, "latency", 150e3);
    vec![depth_one, block_read(n), server, in_order, write]
}

fn log(n: usize) -> Vec<Measurement> {
    let alone = m(
        "log.append.fdatasync.idle",
        Layer::Log,
        n,
        &[
            (metric::LATENCY_MEAN, 31.2e3, 0.03),
            (metric::LATENCY_P99, 78e3, 0.08),
            (metric::CPU_PER_OP, 9_400.0, 0.02),
        ],
    );
    let alone = latencies(with(alone, condition::BLOCK_BYTES, json!(8192)), "latency", 25e3);
    let busy = m(
        "log.append.fdatasync.busy",
        Layer::Log,
        n,
        &[
            (metric::LATENCY_MEAN, 388e3, 0.09),
            (metric::LATENCY_P99, 1.9e6, 0.2),
            (metric::CPU_PER_OP, 24e3, 0.04),
        ],
    );
    let busy = latencies(with(busy, condition::BLOCK_BYTES, json!(224 * 1024)), "latency", 300e3);
    let shared = m(
        "log.commit.8",
        Layer::Log,
        n,
        &[(metric::THROUGHPUT, 164e3, 0.02), (metric::COMMITS_PER_FLUSH, 6.3, 0.02)],
    );
    vec![alone, busy, shared]
}

fn database(n: usize) -> Vec<Measurement> {
    let base = |id: &str, rate: f64, half: f64| {
        let m = m(
            id,
            Layer::Database,
            n,
            &[
                (metric::THROUGHPUT, rate, half),
                (metric::CLIENT_CPU_PER_OP, 11e3, 0.02),
                (metric::CLIENT_BUSY, 0.31, 0.02),
            ],
        );
        let m = with(m, condition::SERVER_VERSION, json!("PostgreSQL 17.2 (Debian)"));
        over_time(with(m, condition::LOOP, json!("closed")), rate)
    };
    let open = |id: &str, median: f64, p99: f64| {
        let m = m(id, Layer::Database, n, &[(metric::LATENCY_P99, p99, 0.04)]);
        latencies(with(m, condition::LOOP, json!("open")), "latency_intended", median)
    };
    let uncached = with(
        base("database.lookup_uncached", 492e3, 0.03),
        condition::UNCACHED_BY,
        json!("debug_io_direct"),
    );
    let mut update = base("database.update", 152e3, 0.05);
    update.metrics.push(metric(metric::COMMITS_PER_FLUSH, 65.0, 0.02, n));
    let mut scan = base("database.scan_n", 6.9e9 / 64e9, 0.01);
    scan.metrics.push(metric(metric::BANDWIDTH, 6.9e9, 0.01, n));
    scan.series.clear();
    vec![
        base("database.lookup_cached", 1.52e6, 0.01),
        open("database.lookup_cached.open", 90e3, 240e3),
        uncached,
        open("database.lookup_uncached.open", 170e3, 410e3),
        update,
        open("database.update.open", 900e3, 3.8e6),
        scan,
    ]
}

pub fn measurements(n: usize) -> Vec<Measurement> {
    let clock = |id: &str, cost: f64| m(id, Layer::Clock, n, &[(metric::COST, cost, 0.004)]);
    let mut all =
        vec![clock("clock.vdso", 24.37), clock("clock.syscall", 181.2), clock("clock.tsc", 9.1)];
    all.extend(memory(n));
    all.extend(block(n));
    all.extend(log(n));
    all.extend(database(n));
    all
}
