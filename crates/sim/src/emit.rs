//! What the simulation saw, as measurements with the metrics of the real layers.

use narrows_engine::Samples;
use narrows_model::{Layer, Measurement, Metric, condition, metric};
use serde_json::json;

use crate::account::{Account, State};
use crate::server::Server;

/// Bytes of a block.
pub(crate) const BLOCK_BYTES: f64 = 8192.0;
/// Log bytes of one commit.
pub(crate) const WAL_BYTES: f64 = 400.0;

/// What a scan adds: how many chunks one scan of the table is, and how many blocks a chunk.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Table {
    /// Chunks in one scan.
    pub chunks: f64,
    /// Blocks that one read brings in.
    pub blocks_per_read: f64,
}

/// A database workload, closed loop.
pub(crate) fn database(
    id: &str,
    server: &Server,
    windows: &[Account],
    table: Option<Table>,
) -> Measurement {
    let mut m = Measurement::new(id, Layer::Database);
    let mut samples = Samples::new();
    for account in windows {
        samples.extend(per_window(server, account, table));
    }
    m.metrics = samples.into_metrics();
    m.repeats = windows.len() as u32;
    m.workload.insert(condition::LOOP, json!("closed"));
    m.workload.insert(condition::SERVER_CPUS, json!(server.cpus));
    m.workload.insert(condition::CLIENT_CPUS, json!(server.client_cpus));
    m.workload.insert(condition::CPUS_SHARED, json!(server.shared_cpus));
    m.conditions.insert(condition::SYNC_METHOD, json!("fdatasync"));
    m.conditions.insert(condition::HOT_THREAD_NAME, json!("a session"));
    if server.reads_per_op() > 0 && table.is_none() {
        m.conditions.insert(condition::UNCACHED_BY, json!("debug_io_direct"));
        m.conditions.insert(condition::METHOD, json!("direct"));
    }
    if let Some(law) = server.think {
        m.workload.insert(condition::THINK_NS, json!(law.mean_ns()));
    }
    if table.is_some() {
        m.workload.insert(condition::WORKERS, json!(server.sessions));
    }
    m
}

/// States in which a session sleeps.
const BLOCKED: [State; 5] = [State::Read, State::Flush, State::Lock, State::Client, State::Other];
/// How far patient and impatient looks lie apart, as share of the sessions' time: about the least that was seen on real servers.
const LOOKS_APART: f64 = 0.05;

pub(crate) type MetricEntry = (Metric, f64);

fn per_window(server: &Server, account: &Account, table: Option<Table>) -> Vec<MetricEntry> {
    let chunks = table.map_or(1.0, |table| table.chunks);
    let operations = account.operations as f64 / chunks;
    let rate = account.rate_per_s() / chunks;
    let per_op = |total: f64| total / operations;
    let servers = f64::from(server.sessions);
    let residence_ns = servers / rate * 1e9;
    // Thinking is a setting of the load, not a wait of the server's; the samples can't tell it from waiting.
    let think_ns = server.think.map_or(0.0, |law| law.mean_ns() * chunks);
    // As the layer does: what the scheduler's account leaves is the time blocked, and the server's labels share it out, those of
    // sessions among them that were woken and wait for a processor.
    let on_cpu_ns = per_op(account.cpu_ns + account.run_queue_ns);
    let blocked_ns = (residence_ns - on_cpu_ns).max(0.0);
    let labelled: f64 = BLOCKED.iter().map(|state| account.share(*state)).sum();
    let wait = |state: State| match labelled > 0.0 {
        true => account.share(state) / labelled * blocked_ns,
        false => 0.0,
    };
    let reads = account.reads as f64;
    let blocks = reads * table.map_or(1.0, |table| table.blocks_per_read);
    let client_busy = account.client_cpu_ns / account.window_ns / f64::from(server.client_cpus);
    let mut rows = vec![
        (metric::THROUGHPUT, rate),
        (metric::WINDOW, account.window_ns),
        (metric::OPERATIONS, operations),
        (metric::SERVER_CPUS, f64::from(server.cpus)),
        (metric::SERVER_CPUS_AVAILABLE, server.available_cpus()),
        (metric::SERVER_CPUS_TAKEN, server.taken_cpus),
        (metric::SERVER_CPU_PER_OP, per_op(account.cpu_ns)),
        (metric::BACKEND_CPU_PER_OP, per_op(account.cpu_ns)),
        (metric::CLIENT_CPU_PER_OP, per_op(account.client_cpu_ns)),
        (metric::CLIENT_BUSY, client_busy),
        (metric::RUN_QUEUE_PER_OP, per_op(account.run_queue_ns)),
        (metric::SAMPLED_ON_CPU_PER_OP, residence_ns - blocked_ns),
        (metric::SAMPLED_WIDTH, LOOKS_APART),
        (metric::WAIT_READ_PER_OP, wait(State::Read)),
        (metric::WAIT_FLUSH_PER_OP, wait(State::Flush)),
        (metric::WAIT_LOCK_PER_OP, wait(State::Lock)),
        (metric::WAIT_CLIENT_PER_OP, (wait(State::Client) - think_ns).max(0.0)),
        (metric::WAIT_OTHER_PER_OP, wait(State::Other)),
        (metric::WAIT_SAMPLES, account.samples.iter().sum::<u64>() as f64),
        (metric::BLOCK_READS_PER_OP, per_op(blocks)),
        (metric::DEVICE_READS, reads),
        (metric::DEVICE_READ_BYTES, blocks * BLOCK_BYTES),
        (metric::HOT_THREAD, account.hottest_ns / account.window_ns),
    ];
    if server.quota_cpus.is_some() {
        rows.push((metric::THROTTLED, account.throttled as f64));
    }
    if server.commits() && server.synchronous_commit && account.flushes > 0 {
        let flushes = account.flushes as f64;
        rows.extend([
            (metric::WAL_BYTES_PER_OP, WAL_BYTES),
            (metric::FLUSHES_PER_OP, per_op(flushes)),
            (metric::SERVER_FLUSH_TIME, account.flush_ns / flushes),
        ]);
    }
    match table {
        Some(_) => rows.push((metric::WORKERS, servers)),
        None => rows.push((metric::SESSIONS, servers)),
    }
    rows
}

/// The memory layer's yield of one core, from its two kinds of windows.
pub(crate) fn smt_yield(alone: &[Account], both: &[Account]) -> Measurement {
    let mut m = Measurement::new("memory.smt_yield", Layer::Memory);
    let mut samples = Samples::new();
    for (alone, both) in alone.iter().zip(both) {
        let (one, two) = (alone.rate_per_s(), both.rate_per_s());
        samples.add(metric::SMT_YIELD, two / one);
    }
    m.metrics = samples.into_metrics();
    m.repeats = both.len() as u32;
    m.workload.insert(condition::THREADS, json!(2));
    m
}

/// A block or log measurement: the rate, and the latency by Little's law.
pub(crate) fn device(id: &str, layer: Layer, depth: u32, windows: &[Account]) -> Measurement {
    let mut m = Measurement::new(id, layer);
    let mut samples = Samples::new();
    for account in windows {
        let rate = account.rate_per_s();
        let latency_ns = f64::from(depth) / rate * 1e9;
        samples.extend([(metric::THROUGHPUT, rate), (metric::LATENCY_MEAN, latency_ns)]);
        if account.flushes > 0 {
            let flushes_per_op = account.flushes as f64 / account.operations as f64;
            samples.add(metric::FLUSHES_PER_OP, flushes_per_op);
            samples.add(metric::FLUSH_BYTES, (WAL_BYTES / flushes_per_op).max(BLOCK_BYTES));
        }
    }
    m.metrics = samples.into_metrics();
    m.repeats = windows.len() as u32;
    m.workload.insert(condition::THREADS, json!(depth));
    m.workload.insert(condition::SESSIONS, json!(depth));
    m
}
