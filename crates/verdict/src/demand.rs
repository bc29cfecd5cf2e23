//! What one operation of a database workload took, read from its measurement.
//!
//! Nothing is invented here: a metric that is absent stays `None`, and whoever needs it says so.

use narrows_model::{Layer, Measurement, Metric, Run, condition, metric};

use crate::Workload;
use crate::estimate::Estimate;
use crate::observed::Observed;

/// The demands and the operating point of one measurement.
#[derive(Debug, Clone)]
pub(crate) struct Demand<'a> {
    pub measurement: &'a Measurement,
    pub workload: Workload,
    /// Operations per second (scans: whole scans).
    pub throughput: Estimate,
    /// Sessions; for a scan the processes that scan; for an observed server the sessions that take part.
    pub servers: f64,
    pub sessions: u32,
    pub workers: Option<u32>,
    pub think_ns: f64,
    pub cpu: CpuDemand,
    /// Time per operation in each state, ns.
    pub time: TimeDemand,
    pub io: IoDemand,
    /// Client processor time over what the client may use.
    pub client_busy: Option<f64>,
    pub client_cpu_ns: Option<Estimate>,
    /// Of the sessions' time, the share that could be accounted to the wrong side of blocked and not without the looks at their
    /// processes contradicting it; `None` where nobody looked.
    pub sampled_width: Option<f64>,
    /// Time of an operation in statements by the server's own account, ns.
    pub active_ns: Option<f64>,
    /// The busiest server thread's share of the window, and its name.
    pub hot_thread: Option<(f64, String)>,
    /// What only a server has that was looked at and not loaded.
    pub observed: Option<Observed<'a>>,
}

/// Processors: what there was, what was used.
#[derive(Debug, Clone)]
pub(crate) struct CpuDemand {
    /// Processors in the server's set.
    pub set: Option<f64>,
    /// What the server could use of it.
    pub available: Option<Estimate>,
    /// What others used of it.
    pub taken: Option<f64>,
    /// Processor time of all server processes, ns per operation.
    pub server_ns: Option<Estimate>,
    /// Whether the control group was throttled in the window.
    pub throttled: bool,
    /// Of the quota's periods, the share in which it was.
    pub throttled_share: Option<f64>,
}

/// The parts of the time that one operation takes inside its session. Of a scan, the sum over its processes: the
/// layer gives the waits of a mean process and the leader's run queue, and all processes do the same work.
#[derive(Debug, Clone)]
pub(crate) struct TimeDemand {
    pub cpu: Option<Estimate>,
    pub run_queue: Option<Estimate>,
    pub read: Option<Estimate>,
    pub flush: Option<Estimate>,
    pub lock: Option<Estimate>,
    pub client: Option<Estimate>,
    pub other: Option<Estimate>,
}

/// What an operation asks of storage.
#[derive(Debug, Clone)]
pub(crate) struct IoDemand {
    /// Blocks not found in the buffer pool.
    pub block_reads: Option<Estimate>,
    /// Read requests the drives completed.
    pub device_reads: Option<Estimate>,
    pub device_read_bytes: Option<Estimate>,
    pub device_writes: Option<Estimate>,
    pub device_write_bytes: Option<Estimate>,
    /// Mean time of a flush as the server measured it, ns.
    pub server_flush_ns: Option<f64>,
    /// Log bytes of one flush.
    pub flush_bytes: Option<f64>,
}

impl<'a> Demand<'a> {
    /// Reads a measurement; the error says what is missing without which there is no operating point.
    pub fn read(measurement: &'a Measurement, workload: Workload) -> Result<Self, &'static str> {
        let get = |name: Metric| measurement.metric(name).and_then(Estimate::of);
        debug_assert_eq!(measurement.layer, Layer::Database);
        let throughput = get(metric::THROUGHPUT)
            .filter(|x| x.value > 0.0)
            .ok_or("no throughput was measured")?;
        let observed = (workload == Workload::Observed).then(|| Observed::read(measurement));
        let sessions = match &observed {
            Some(observed) => observed.sessions_or_at_work(),
            None => measurement
                .value(metric::SESSIONS)
                .or_else(|| measurement.number(condition::SESSIONS))
                .or(workload.is_scan().then_some(1.0))
                .filter(|n| *n >= 1.0)
                .ok_or("the number of sessions is unknown")?,
        };
        let workers = measurement
            .value(metric::WORKERS)
            .or_else(|| measurement.number(condition::WORKERS))
            .filter(|_| workload.is_scan());
        if workload.is_scan() && workers.is_none() {
            return Err("the number of workers that the scan obtained is unknown");
        }
        let from_afar = observed.as_ref().is_some_and(|o| o.from_afar);
        let operations = device_operations(measurement, throughput.value);
        let per_op =
            |name: Metric| get(name).zip(operations).and_then(|(total, ops)| total.over(ops));
        let looked_at = observed.as_ref().map_or(sessions, |o| o.processes_at_work(&throughput));
        let sampled = |name: Metric| {
            let doubt = |wait| with_sampling_doubt(wait, measurement, looked_at, throughput.value);
            get(name).map(doubt)
        };
        Ok(Demand {
            measurement,
            workload,
            throughput,
            servers: workers.map_or(sessions, |workers| workers.max(1.0)),
            sessions: sessions.round() as u32,
            workers: workers.map(|workers| workers as u32),
            // Only who has some says so.
            think_ns: measurement.number(condition::THINK_NS).unwrap_or(0.0),
            cpu: CpuDemand {
                set: measurement
                    .value(metric::SERVER_CPUS)
                    .or_else(|| measurement.get(condition::SERVER_CPUS)),
                available: get(metric::SERVER_CPUS_AVAILABLE).filter(|cpus| cpus.value > 0.0),
                taken: measurement.value(metric::SERVER_CPUS_TAKEN),
                server_ns: get(metric::SERVER_CPU_PER_OP).filter(|cpu| cpu.value > 0.0),
                throttled: measurement.value(metric::THROTTLED).is_some_and(|times| times > 0.0),
                throttled_share: measurement.value(metric::THROTTLED_SHARE),
            },
            time: TimeDemand {
                cpu: get(if from_afar {
                    metric::SAMPLED_ON_CPU_PER_OP
                } else {
                    metric::BACKEND_CPU_PER_OP
                }),
                // From afar it is among the time on a processor.
                run_queue: if from_afar {
                    Some(Estimate::exact(0.0))
                } else {
                    get(metric::RUN_QUEUE_PER_OP)
                },
                read: sampled(metric::WAIT_READ_PER_OP),
                flush: sampled(metric::WAIT_FLUSH_PER_OP),
                lock: sampled(metric::WAIT_LOCK_PER_OP),
                client: sampled(metric::WAIT_CLIENT_PER_OP),
                other: sampled(metric::WAIT_OTHER_PER_OP),
            },
            io: IoDemand {
                block_reads: get(metric::BLOCK_READS_PER_OP),
                device_reads: per_op(metric::DEVICE_READS),
                device_read_bytes: per_op(metric::DEVICE_READ_BYTES),
                device_writes: per_op(metric::DEVICE_WRITES),
                device_write_bytes: per_op(metric::DEVICE_WRITE_BYTES),
                server_flush_ns: measurement.value(metric::SERVER_FLUSH_TIME),
                flush_bytes: measurement
                    .value(metric::WAL_BYTES_PER_OP)
                    .zip(measurement.value(metric::FLUSHES_PER_OP).filter(|flushes| *flushes > 0.0))
                    .map(|(bytes, flushes)| bytes / flushes),
            },
            client_busy: measurement.value(metric::CLIENT_BUSY),
            client_cpu_ns: get(metric::CLIENT_CPU_PER_OP),
            sampled_width: measurement.value(metric::SAMPLED_WIDTH),
            active_ns: get(metric::ACTIVE_TIME_PER_OP).map(|ns| ns.value),
            hot_thread: measurement.value(metric::HOT_THREAD).map(|busy| {
                let name = measurement.text(condition::HOT_THREAD_NAME).unwrap_or("name not known");
                (busy, name.to_string())
            }),
            observed,
        })
    }

    /// Operations per second.
    pub fn rate(&self) -> f64 {
        self.throughput.value
    }

    /// Commits of one operation; `None` for workloads that commit nothing durable.
    pub fn commits_per_op(&self) -> Option<f64> {
        match &self.observed {
            Some(observed) => observed.commits_per_op(),
            None => {
                // Runs from before it was counted had no mixes.
                let all = (self.workload == Workload::Update).then_some(1.0);
                self.measurement.value(metric::COMMITS_PER_OP).filter(|n| *n > 0.0).or(all)
            }
        }
    }

    /// Mean time of a flush inside the server, ns.
    pub fn flush_ns(&self) -> Option<f64> {
        let counted = || self.observed.as_ref()?.flush_ns();
        self.io.server_flush_ns.or_else(counted)
    }

    /// Sessions (or workers) for a sentence.
    pub fn sessions_in_words(&self) -> String {
        self.count_in_words(self.servers)
    }

    /// So many sessions: of an observed server they are a mean.
    pub fn count_in_words(&self, sessions: f64) -> String {
        match self.observed {
            Some(_) => narrows_units::significant(sessions, 3),
            None => sessions.to_string(),
        }
    }

    /// The processor quota around the server: that of its own control group where it is somebody's, else ours.
    pub fn quota_cpus(&self, run: &Run) -> Option<f64> {
        if let Some(observed) = &self.observed {
            return observed.processes()?.quota_cpus;
        }
        match self.measurement.conditions.get(condition::SERVER_QUOTA_CPUS.any()) {
            Some(of_theirs) => of_theirs.as_f64(),
            None => run.platform()?.cgroup.cpu_quota_cpus,
        }
    }
}

/// Operations that the device's totals cover: the whole load where that is known, else one repeat's window,
/// counted or as rate times window.
fn device_operations(measurement: &Measurement, rate: f64) -> Option<Estimate> {
    let counted = measurement.value(metric::SPAN_OPERATIONS);
    let operations = counted
        .or_else(|| measurement.value(metric::OPERATIONS))
        .or_else(|| measurement.value(metric::WINDOW).map(|window_ns| rate * window_ns / 1e9))?;
    (operations > 0.0).then(|| Estimate::exact(operations))
}

/// A wait that has no interval over repeats still has the binomial one of its looks. Sessions that are seen in one look share a flush, a
/// lock or a checkpoint, so a look counts once, however many sessions it saw: at worst they all did the same.
fn with_sampling_doubt(
    wait: Estimate,
    measurement: &Measurement,
    sessions: f64,
    rate: f64,
) -> Estimate {
    if wait.half.is_some() {
        return wait;
    }
    let residence_ns = sessions / rate * 1e9;
    let looks = measurement.value(metric::WAIT_SAMPLES).map(|samples| samples / sessions);
    let half = looks.filter(|looks| *looks >= 1.0).map(|looks| {
        let hits = (wait.value / residence_ns * looks).clamp(0.0, looks);
        let (low, high) =
            narrows_stats::share_interval_95(hits.round() as u64, looks.round() as u64);
        (high - low) / 2.0 * residence_ns
    });
    Estimate { value: wait.value, half }
}
