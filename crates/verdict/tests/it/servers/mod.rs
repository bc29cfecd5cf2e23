//! Runs of drawn servers whose sums a pencil can do.

use narrows_model::{
    Cpu, DatabaseChoice, Interval, IntervalMethod, Layer, Measurement, Metric, MetricValue, Plan,
    Platform, Run, metric,
};

const REPEATS: usize = 6;

/// Known to ± 1 %.
pub fn known(name: Metric, value: f64) -> MetricValue {
    MetricValue::new(
        name,
        value,
        Some(Interval {
            low: value * 0.99,
            high: value * 1.01,
            method: IntervalMethod::OrderStatistic,
        }),
        vec![value; REPEATS],
    )
}

fn measured(id: &str, layer: Layer, metrics: &[(Metric, f64)]) -> Measurement {
    let mut m = Measurement::new(id, layer);
    m.repeats = REPEATS as u32;
    m.metrics = metrics.iter().map(|(name, value)| known(*name, *value)).collect();
    m
}

fn run(cpus: u32, measurements: Vec<Measurement>) -> Run {
    let plan = Plan {
        layers: Layer::ALL.to_vec(),
        database: DatabaseChoice::Managed,
        sessions: 128,
        repeats: REPEATS as u32,
        server_cpus: (0..cpus).collect(),
        ..Plan::default()
    };
    let cores_threads = (0..cpus).map(|id| vec![id]).collect();
    let cpu = Cpu { threads: cpus, smt_active: Some(false), cores_threads, ..Cpu::default() };
    Run { measurements, ..Run::blank(plan, Platform { cpu, ..Platform::default() }) }
}

/// Time per operation, µs.
#[derive(Default)]
struct Time {
    cpu: f64,
    run_queue: f64,
    read: f64,
    flush: f64,
    lock: f64,
    client: f64,
    other: f64,
}

impl Time {
    fn sum(&self) -> f64 {
        let waits = self.read + self.flush + self.lock + self.client + self.other;
        self.cpu + self.run_queue + waits
    }
}

/// As fast as its sessions and their time allow.
fn workload(id: &str, sessions: f64, cpus: f64, time: &Time) -> Measurement {
    let mut m = measured(
        id,
        Layer::Database,
        &[
            (metric::THROUGHPUT, sessions / time.sum() * 1e6),
            (metric::SERVER_CPU_PER_OP, time.cpu * 1e3),
            (metric::BACKEND_CPU_PER_OP, time.cpu * 1e3),
            (metric::RUN_QUEUE_PER_OP, time.run_queue * 1e3),
            (metric::WAIT_READ_PER_OP, time.read * 1e3),
            (metric::WAIT_FLUSH_PER_OP, time.flush * 1e3),
            (metric::WAIT_LOCK_PER_OP, time.lock * 1e3),
            (metric::WAIT_CLIENT_PER_OP, time.client * 1e3),
            (metric::WAIT_OTHER_PER_OP, time.other * 1e3),
            (metric::BLOCK_READS_PER_OP, if time.read > 0.0 { 1.0 } else { 0.0 }),
        ],
    );
    for (name, value) in [
        (metric::SESSIONS, sessions),
        (metric::SERVER_CPUS, cpus),
        (metric::SERVER_CPUS_AVAILABLE, cpus),
    ] {
        m.metrics.push(MetricValue { interval_95: None, ..known(name, value) });
    }
    m
}

/// Replaces a figure, or adds it.
pub fn set(m: &mut Measurement, name: Metric, value: f64) {
    m.metrics.retain(|metric| metric.name != name);
    m.metrics.push(known(name, value));
}

fn find<'a>(run: &'a mut Run, id: &str) -> &'a mut Measurement {
    run.measurements.iter_mut().find(|m| m.id == id).unwrap_or_else(|| panic!("no {id}"))
}

/// The book's example: 128 sessions on 96 CPUs, 260 µs a lookup, drives that read 2.31M/s.
pub fn lookups() -> Run {
    let time = Time {
        cpu: 96.0,
        run_queue: 3.0,
        read: 131.0,
        lock: 5.0,
        client: 20.0,
        other: 5.0,
        ..Time::default()
    };
    let drives = [(metric::THROUGHPUT, 2.31e6)];
    run(
        96,
        vec![
            measured("block.read.random.8k.knee", Layer::Block, &drives),
            workload("database.lookup_uncached", 128.0, 96.0, &time),
        ],
    )
}

/// What one read costs in processor time, ns.
pub fn cost_of_reads(run: &mut Run, ns: f64) {
    set(find(run, "block.read.random.8k.knee"), metric::CPU_PER_OP, ns);
}

/// A part that nobody saw.
pub fn hide_a_part(run: &mut Run) {
    set(find(run, "database.lookup_uncached"), metric::WAIT_READ_PER_OP, 100e3);
}

/// All CPUs busy with lookups of 50 µs, of which sharing makes a factor.
pub fn full_cpus(cpus: u32, sharing: f64) -> Run {
    let sessions = 64.0;
    // 97 % busy.
    let round = sessions * 50.0 / f64::from(cpus) / 0.97;
    let time = Time { cpu: 50.0, run_queue: round - 50.0, ..Time::default() };
    let id = "database.lookup_cached";
    let alone = [(metric::SERVER_CPU_PER_OP, 50e3 / sharing)];
    run(
        cpus,
        vec![
            workload(id, sessions, f64::from(cpus), &time),
            measured(&format!("{id}.alone"), Layer::Database, &alone),
        ],
    )
}

/// The same with a quota.
pub fn quota(cpus: u32, quota: f64) -> Run {
    let mut run = full_cpus(cpus, 1.0);
    run.hosts[0].platform.cgroup.cpu_quota_cpus = Some(quota);
    let m = find(&mut run, "database.lookup_cached");
    let round_us = 64.0 * 50.0 / quota / 0.97;
    set(m, metric::RUN_QUEUE_PER_OP, (round_us - 50.0) * 1e3);
    set(m, metric::THROUGHPUT, 64.0 / round_us * 1e6);
    set(m, metric::SERVER_CPUS_AVAILABLE, quota);
    run
}

/// 16 sessions, CPU 100 µs and 400 µs of waiting for flushes; the log layer's flush takes 200 µs, and 16 committers do 60k/s.
pub fn updates(server_flush_ns: f64) -> Run {
    let time = Time { cpu: 100.0, flush: 400.0, ..Time::default() };
    let mut m = workload("database.update", 16.0, 8.0, &time);
    set(&mut m, metric::SERVER_FLUSH_TIME, server_flush_ns);
    set(&mut m, metric::FLUSHES_PER_OP, 0.5);
    let flush = [(metric::LATENCY_MEAN, 200e3)];
    let ladder = [(metric::THROUGHPUT, 60e3)];
    run(
        8,
        vec![
            measured("log.append.fdatasync.idle", Layer::Log, &flush),
            measured("log.commit.16", Layer::Log, &ladder),
            m,
        ],
    )
}

/// A step of the log's ladder.
pub fn step(committers: u32, per_s: f64) -> Measurement {
    measured(&format!("log.commit.{committers}"), Layer::Log, &[(metric::THROUGHPUT, per_s)])
}

/// The log layer's flush beside writes.
pub fn flush(ns: f64) -> Measurement {
    measured("log.append.fdatasync.busy", Layer::Log, &[(metric::LATENCY_MEAN, ns)])
}

/// The log so many times as fast.
pub fn faster_log(run: &mut Run, factor: f64) {
    set(find(run, "log.append.fdatasync.idle"), metric::LATENCY_MEAN, 200e3 / factor);
    set(find(run, "log.commit.16"), metric::THROUGHPUT, 60e3 * factor);
}

/// 4 of 40 sessions at work, 2000 transactions a second of 2 ms: flush 1.2, CPU 0.6, other 0.2.
pub fn observed() -> Run {
    let time = Time { cpu: 600.0, flush: 1200.0, other: 200.0, ..Time::default() };
    let mut m = workload("database.observed", 4.0, 8.0, &time);
    set(&mut m, metric::ACTIVE_TIME_PER_OP, 2e6);
    set(&mut m, metric::OPEN_SESSIONS, 40.0);
    run(8, vec![m])
}

/// A server of three parts.
#[derive(Debug, Clone, Copy)]
pub struct Drawn {
    pub cpu_us: f64,
    pub read_us: f64,
    pub flush_us: f64,
    pub sessions: u32,
    pub cpus: u32,
    pub sharing: f64,
    pub observed: bool,
}

/// Its run, with everything that a change needs to know: drives and ladder twice as wide as needed, the cost of a read, the
/// time of a flush, CPU time alone.
pub fn drawn(of: &Drawn) -> Run {
    let (sessions, cpus) = (f64::from(of.sessions), f64::from(of.cpus));
    let mut time = Time { cpu: of.cpu_us, read: of.read_us, flush: of.flush_us, ..Time::default() };
    // CPUs that are full hold a queue.
    time.run_queue = (sessions * of.cpu_us / cpus / 0.97 - time.sum()).max(0.0);
    let rate = sessions / time.sum() * 1e6;
    let id = if of.observed { "database.observed" } else { "database.update" };
    let mut m = workload(id, sessions, cpus, &time);
    set(&mut m, metric::SERVER_FLUSH_TIME, of.flush_us * 1e3);
    set(&mut m, metric::FLUSHES_PER_OP, 1.0);
    set(&mut m, metric::DEVICE_READS, 1e6);
    set(&mut m, metric::OPERATIONS, 1e6);
    if of.observed {
        set(&mut m, metric::ACTIVE_TIME_PER_OP, time.sum() * 1e3);
        set(&mut m, metric::OPEN_SESSIONS, sessions * 2.0);
    }
    let cost = of.cpu_us * 200.0;
    let drives = [(metric::THROUGHPUT, rate * 2.0), (metric::CPU_PER_OP, cost)];
    let append = [(metric::LATENCY_MEAN, of.flush_us * 1e3), (metric::CPU_PER_OP, cost)];
    let alone = [(metric::SERVER_CPU_PER_OP, of.cpu_us * 1e3 / of.sharing)];
    let mut all = vec![
        measured("block.read.random.8k.knee", Layer::Block, &drives),
        measured("log.append.fdatasync.idle", Layer::Log, &append),
        measured(&format!("{id}.alone"), Layer::Database, &alone),
        m,
    ];
    all.extend([1u32, 8, 64, 512].map(|committers| {
        let ladder = rate * 2.0 * (f64::from(committers) / sessions).powf(0.7);
        let id = format!("log.commit.{committers}");
        measured(&id, Layer::Log, &[(metric::THROUGHPUT, ladder)])
    }));
    run(of.cpus, all)
}
