//! What one operation of each measured database workload takes, for questions beyond the verdict: would it fit another
//! machine?

use narrows_model::{Measurement, Metric, Run, Validity, condition, metric};

use crate::Workload;
use crate::analysis::Analysis;
use crate::demand::Demand;
use crate::estimate::Estimate;
use crate::log;

/// What one operation waits for or works on.
#[derive(Debug, Clone, PartialEq)]
pub struct TimePart {
    /// `CPU`, `read`, `flush`, `lock`, `client`, `other`.
    pub name: &'static str,
    /// Time of one operation, of a scan all its processes together, ns.
    pub ns: Estimate,
}

/// Per operation; what wasn't measured is absent.
#[derive(Debug, Clone, PartialEq)]
pub struct PerOperation {
    /// The workload.
    pub workload: Workload,
    /// Operations per second.
    pub rate_per_s: Estimate,
    /// Sessions, of a scan the processes that scan.
    pub sessions: f64,
    /// Time a session spends between operations, ns.
    pub think_ns: f64,
    /// Whether something speaks against the measurement, and what.
    pub suspect: Option<String>,
    /// Processor time of all server processes, ns.
    pub cpu_ns: Option<Estimate>,
    /// Read requests that the drives completed.
    pub reads: Option<Estimate>,
    /// Bytes of them together.
    pub read_bytes: Option<Estimate>,
    /// One read there with nothing else to do, as the block layer measured it, ns.
    pub read_ns: Option<Estimate>,
    /// Write requests that the drives completed.
    pub writes: Option<Estimate>,
    /// Bytes of them together.
    pub write_bytes: Option<Estimate>,
    /// Bytes of the log.
    pub wal_bytes: Option<Estimate>,
    /// Flushes of the log.
    pub flushes: Option<Estimate>,
    /// One flush on that log with nothing else to do, by the server's method: of the log layer, else as the server itself
    /// measured it, ns.
    pub flush_ns: Option<Estimate>,
    /// What that log committed with as many committers that do nothing else, per second.
    pub log_commits_per_s: Option<Estimate>,
    /// The time of one operation without queues in front of what is saturated; `None` where parts are missing.
    pub time: Option<Vec<TimePart>>,
}

/// A database measurement that no demand is taken from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// The id of its measurement.
    pub measurement: String,
    /// Why, in words.
    pub why: String,
}

/// The demands of a run's database workloads in the order of the screen, and the measurements that give none.
pub fn per_operation(run: &Run) -> (Vec<PerOperation>, Vec<Refused>) {
    let (mut all, mut refused) = (Vec::new(), Vec::new());
    for workload in Workload::ALL {
        let Some(measurement) = run.measurement(workload.measurement_id()) else { continue };
        let findings = || measurement.findings.join(", ");
        let read = match measurement.validity {
            Validity::Invalid => Err(format!("it is invalid: {}", findings())),
            _ => Demand::read(measurement, workload).map_err(str::to_string),
        };
        match read {
            Ok(demand) => {
                let suspect = (measurement.validity == Validity::Suspect).then(findings);
                all.push(of(run, demand, suspect));
            }
            Err(why) => refused.push(Refused { measurement: measurement.id.to_string(), why }),
        }
    }
    (all, refused)
}

fn of(run: &Run, demand: Demand, suspect: Option<String>) -> PerOperation {
    let measurement = demand.measurement;
    let get = |name: Metric| measurement.metric(name).and_then(Estimate::of);
    let commits = demand.commits_per_op().is_some();
    let analysis = Analysis::of(run, demand.clone());
    let time = analysis.unqueued.as_ref().map(|parts| {
        let parts = parts.by_size().into_iter().filter(|(_, ns)| ns.value > 0.0);
        parts.map(|(part, ns)| TimePart { name: part.name(), ns }).collect()
    });
    let io = &demand.io;
    PerOperation {
        workload: demand.workload,
        rate_per_s: demand.throughput,
        sessions: demand.servers,
        think_ns: demand.think_ns,
        suspect,
        cpu_ns: demand.cpu.server_ns,
        reads: io.device_reads,
        read_bytes: io.device_read_bytes,
        read_ns: lone_read(run),
        writes: io.device_writes,
        write_bytes: io.device_write_bytes,
        wal_bytes: get(metric::WAL_BYTES_PER_OP),
        flushes: get(metric::FLUSHES_PER_OP),
        flush_ns: commits.then(|| lone_flush(run, measurement)).flatten(),
        log_commits_per_s: commits
            .then(|| log::bound(run, demand.servers))
            .flatten()
            .map(|bound| bound.rate),
        time,
    }
}

/// The time of a read that waits for nobody.
fn lone_read(run: &Run) -> Option<Estimate> {
    ["block.read.random.8k.d1", "block.read.random.8k.server_d1"]
        .iter()
        .filter_map(|id| run.measurement(id).filter(|m| m.usable()))
        .find_map(|m| m.metric(metric::LATENCY_MEAN).and_then(Estimate::of))
        .filter(|ns| ns.value > 0.0)
}

/// The time of a flush that waits for nobody.
fn lone_flush(run: &Run, workload: &Measurement) -> Option<Estimate> {
    let dsync = workload
        .text(condition::SYNC_METHOD)
        .is_some_and(|method| matches!(method, "open_dsync" | "open_datasync" | "dsync"));
    let method = if dsync { "dsync" } else { "fdatasync" };
    let layer = run.measurement(&format!("log.append.{method}.idle")).filter(|m| m.usable());
    let of = |m: &Measurement, name: Metric| m.metric(name).and_then(Estimate::of);
    layer
        .and_then(|m| of(m, metric::LATENCY_MEAN))
        .or_else(|| of(workload, metric::SERVER_FLUSH_TIME))
        .filter(|ns| ns.value > 0.0)
}
