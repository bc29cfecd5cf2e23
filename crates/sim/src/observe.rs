//! The same servers, not loaded by us but looked at: what `narrows run --observe` would store of them.
//!
//! Samples are as few as those of a minute. The server's own account of the time in statements is exact, and knows nothing of
//! samples or the scheduler.

use narrows_engine::Samples;
use narrows_model::{
    ClassUse, DatabaseChoice, HotProcess, Layer, Measurement, Observation, ObservedCounts,
    ObservedProcesses, ProcessClass, Run, condition, metric,
};
use serde_json::json;

use crate::account::{Account, State, Windows};
use crate::emit::{BLOCK_BYTES, MetricEntry, WAL_BYTES};
use crate::scene::Scene;
use crate::server::Server;
use crate::world::closed;

/// Looks at the sessions in each window: a minute of twenty a second, in six windows.
const LOOKS_PER_WINDOW: u64 = 200;
const ADDRESS: &str = "postgres://app@db7:5432/shop";

/// What is to be seen, and what not.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Visibility {
    /// Capacities of drives and log from a stored run.
    pub capacities: bool,
    /// The server's processes, on the same machine.
    pub processes: bool,
    /// The server keeps an account of the time in statements (PostgreSQL 14 and later).
    pub account: bool,
    /// Reads go through one process that copies blocks, and the drives' service time is its processor time.
    pub io_worker: bool,
}

impl Default for Visibility {
    fn default() -> Self {
        Visibility { capacities: true, processes: true, account: true, io_worker: false }
    }
}

/// The run of a look at the scene's server, not judged yet.
pub fn observe(scene: &Scene, look: Visibility) -> Run {
    let mut run = scene.blank_run();
    run.plan.database = DatabaseChoice::Url(ADDRESS.to_string());
    if look.capacities {
        run.measurements.extend(scene.capacities());
    }
    let windows = Windows { samples: LOOKS_PER_WINDOW, ..scene.windows() };
    let windows = closed(&scene.server, windows, scene.seed);
    run.measurements.push(measurement(&scene.server, &windows, look));
    run.observations.push(observation(&scene.server, &windows, look));
    run
}

fn measurement(server: &Server, windows: &[Account], look: Visibility) -> Measurement {
    let mut m =
        Measurement::new(narrows_model::Workload::Observed.measurement_id(), Layer::Database);
    let mut samples = Samples::new();
    for account in windows {
        samples.extend(rows(server, account, look));
    }
    m.metrics = samples.into_metrics();
    m.repeats = windows.len() as u32;
    m.conditions.insert(condition::SYNC_METHOD, json!("fdatasync"));
    m.conditions
        .insert(condition::HOT_THREAD_NAME, json!(hot(server, windows, look).class.words()));
    m
}

fn rows(server: &Server, account: &Account, look: Visibility) -> Vec<MetricEntry> {
    let operations = account.operations as f64;
    let rate = account.rate_per_s();
    let per_op = |total: f64| total / operations;
    let all: u64 = account.samples.iter().sum();
    let open = f64::from(server.sessions);
    // What one sample of one session stands for, per operation.
    let each_ns = open / all as f64 / rate * 1e9;
    let found = |state: State| account.samples[state as usize] as f64;
    let idle = found(State::Client) + found(State::Idle) + account.samples_idle_yet as f64;
    let on_cpu = found(State::Running) + found(State::RunQueue) - account.samples_idle_yet as f64;
    let reads = account.reads as f64;
    let mut rows = vec![
        (metric::THROUGHPUT, rate),
        (metric::WINDOW, account.window_ns),
        (metric::OPERATIONS, operations),
        (metric::SESSIONS, open * (1.0 - idle / all as f64)),
        (metric::OPEN_SESSIONS, open),
        (metric::SAMPLED_ON_CPU_PER_OP, on_cpu * each_ns),
        (metric::WAIT_READ_PER_OP, found(State::Read) * each_ns),
        (metric::WAIT_FLUSH_PER_OP, found(State::Flush) * each_ns),
        (metric::WAIT_LOCK_PER_OP, found(State::Lock) * each_ns),
        (metric::WAIT_CLIENT_PER_OP, 0.0),
        (metric::WAIT_OTHER_PER_OP, found(State::Other) * each_ns),
        (metric::WAIT_SAMPLES, all as f64 - idle),
        (metric::WORKER_TIME_PER_OP, 0.0),
        (metric::BLOCK_READS_PER_OP, per_op(reads)),
    ];
    if look.account {
        let ns = per_op(account.in_statements_ns);
        rows.push((metric::ACTIVE_TIME_PER_OP, ns));
    }
    if look.processes {
        rows.extend(seen_by_the_kernel(server, account, look));
    }
    if server.commits() && server.synchronous_commit && account.flushes > 0 {
        let flushes = account.flushes as f64;
        rows.extend([
            (metric::WAL_BYTES_PER_OP, WAL_BYTES),
            (metric::FLUSHES_PER_OP, per_op(flushes)),
            (metric::SERVER_FLUSH_TIME, account.flush_ns / flushes),
        ]);
    }
    rows
}

fn seen_by_the_kernel(server: &Server, account: &Account, look: Visibility) -> Vec<MetricEntry> {
    let per_op = |total: f64| total / account.operations as f64;
    let copied_ns = if look.io_worker { copying_ns(server, account) } else { 0.0 };
    let hottest_ns = account.hottest_ns.max(copied_ns);
    let from_drives = if look.io_worker { 0.0 } else { account.reads as f64 };
    let mut rows = vec![
        (metric::SERVER_CPUS, f64::from(server.cpus)),
        (metric::SERVER_CPUS_AVAILABLE, server.available_cpus()),
        (metric::SERVER_CPUS_TAKEN, server.taken_cpus),
        (metric::SERVER_CPU_PER_OP, per_op(account.cpu_ns + copied_ns)),
        (metric::BACKEND_CPU_PER_OP, per_op(account.cpu_ns)),
        (metric::RUN_QUEUE_PER_OP, per_op(account.run_queue_ns)),
        (metric::BETWEEN_STATEMENTS_PER_OP, per_op(account.idle_yet_ns)),
        (metric::QUEUE_BETWEEN_STATEMENTS_PER_OP, per_op(account.idle_yet_ns)),
        (metric::HOT_THREAD, hottest_ns / account.window_ns),
        (metric::DEVICE_READS, from_drives),
        (metric::DEVICE_READ_BYTES, from_drives * BLOCK_BYTES),
    ];
    if server.quota_cpus.is_some() {
        rows.push((metric::THROTTLED, account.throttled as f64));
    }
    rows
}

fn copying_ns(server: &Server, account: &Account) -> f64 {
    account.reads as f64 * server.disk.service.mean_ns()
}

fn hot(server: &Server, windows: &[Account], look: Visibility) -> HotProcess {
    let all_ns: f64 = windows.iter().map(|w| w.window_ns).sum();
    let hottest_ns: f64 = windows.iter().map(|w| w.hottest_ns).sum();
    let copying_ns: f64 = windows.iter().map(|w| copying_ns(server, w)).sum();
    let copies = look.io_worker && copying_ns > hottest_ns;
    let (class, ns) = if copies {
        (ProcessClass::IoWorker, copying_ns)
    } else {
        (ProcessClass::Session, hottest_ns)
    };
    HotProcess { class, cpus: ns / all_ns, share_of_windows: 1.0 }
}

fn observation(server: &Server, windows: &[Account], look: Visibility) -> Observation {
    let sum = |of: &dyn Fn(&Account) -> f64| windows.iter().map(of).sum::<f64>();
    let interval_ns = sum(&|w| w.window_ns);
    let ended = sum(&|w| w.operations as f64);
    let cpus = sum(&|w| w.cpu_ns) / interval_ns;
    Observation {
        consumers: None,
        report: None,
        measurement: narrows_model::Workload::Observed.measurement_id().into(),
        address: ADDRESS.into(),
        version: "17.2".into(),
        interval_ns,
        load_change: None,
        windows: windows.len() as u32,
        counted: ObservedCounts {
            commits: Some(ended),
            writers: Some(if server.commits() { ended } else { 0.0 }),
            flushes: Some(sum(&|w| w.flushes as f64)),
            flush_ns: Some(sum(&|w| w.flush_ns)),
            ..ObservedCounts::default()
        },
        activity: Default::default(),
        sessions: Default::default(),
        processes: look.processes.then(|| ObservedProcesses {
            classes: vec![ClassUse { class: ProcessClass::Session, cpus, run_queue: None }],
            hot: Some(hot(server, windows, look)),
            machine_cpus: cpus + server.taken_cpus,
            kernel_cpus: None,
            other_cpus: Some(server.taken_cpus),
            unattributed_cpus: None,
            client_cpus: None,
            yielding_cpus: None,
            other_programs: Vec::new(),
            allowed_cpus: f64::from(server.cpus),
            quota_cpus: server.quota_cpus,
            throttled_share: None,
            drive_read_bytes: None,
        }),
        settings: Vec::new(),
        build: Vec::new(),
        capacities_from: Vec::new(),
        cost: Default::default(),
        unknown: Vec::new(),
    }
}
