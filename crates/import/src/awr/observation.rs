//! A report as what was observed of a server: a measurement of one transaction, and what stands beside it.
//!
//! A transaction is a commit or a rollback. The sessions are those at work: DB time over the interval (average active sessions). How many
//! others of a pool wait for their clients says nothing of the database. Parts of DB time are DB CPU and the foreground waits by what is
//! waited for. What is neither is the queue for a CPU as far as the operating system counted one (AIX, Solaris, HP-UX), or on a host
//! whose CPUs were full; anywhere else it is time that is not explained.

use std::collections::BTreeMap;

use narrows_model::{
    Activity, ActivityState, ActivityWhere, ClassUse, Layer, LiveSetting, Measurement, Metric,
    Observation, ObservedCounts, ObservedProcesses, ObservedSessions, ProcessClass, ServerReport,
    Unknown, Workload, condition, metric,
};

use super::contradictions::contradictions;
use super::report::{Report, Waits};
use super::{TOOL, events};
use crate::{ImportError, Imported, measurement, nothing, slug};

/// Of the host's CPUs, the share in use from which a session that wants one waits for it.
const FULL: f64 = 0.85;
/// The longest interval whose means still are those of a load.
const LONG_S: f64 = 3_900.0;
/// Waits for an event of which fewer give no mean.
const LEAST_WAITS: f64 = 10.0;
/// Names of events that are kept with a state.
const NAMED: usize = 8;
/// Parameters of the instance that bear on a figure; all others are in the report.
const PARAMETERS: [&str; 18] = [
    "commit_logging",
    "commit_wait",
    "commit_write",
    "cpu_count",
    "db_block_size",
    "db_cache_size",
    "db_flash_cache_size",
    "db_writer_processes",
    "disk_asynch_io",
    "fast_start_mttr_target",
    "filesystemio_options",
    "log_buffer",
    "memory_target",
    "parallel_max_servers",
    "pga_aggregate_target",
    "resource_manager_plan",
    "sga_target",
    "use_large_pages",
];

pub(super) fn imported(report: &Report, pluggable: bool) -> Result<Imported, ImportError> {
    let facts = Facts::of(report, pluggable)?;
    let observation = facts.observation();
    let mut measurements = vec![facts.transaction()];
    measurements.extend(facts.io());
    let mut left_out: Vec<String> = contradictions(report)
        .into_iter()
        .map(|sentence| format!("the report contradicts itself: {sentence}"))
        .collect();
    left_out.extend(facts.remarks());
    let release = report.release.as_deref().unwrap_or_default();
    Ok(Imported {
        tool: format!("{TOOL} {release}").trim_end().to_string(),
        at_unix_s: report.ended_unix_s,
        measurements,
        observation: Some(observation),
        left_out,
    })
}

/// What all of it needs.
struct Facts<'r> {
    report: &'r Report,
    interval_s: f64,
    db_time_s: f64,
    cpu_s: f64,
    transactions: Option<f64>,
    host: Option<HostUse>,
    /// DB time that is neither CPU nor a wait, s.
    unaccounted_s: f64,
    /// Of a pluggable database, beside which others use the host.
    pluggable: bool,
}

/// CPUs of the host, and how many were in use on average.
#[derive(Debug, Clone, Copy)]
struct HostUse {
    cpus: f64,
    busy: f64,
    /// By the instance.
    own: f64,
}

impl HostUse {
    fn others(self) -> f64 {
        (self.busy - self.own).max(0.0)
    }

    fn is_full(self) -> bool {
        self.busy >= FULL * self.cpus
    }
}

impl<'r> Facts<'r> {
    fn of(report: &'r Report, pluggable: bool) -> Result<Facts<'r>, ImportError> {
        let interval_s = report
            .interval_s()
            .ok_or_else(|| nothing(TOOL, "its snapshots and Elapsed are missing"))?;
        let db_time_s = report.db_time_s().ok_or_else(|| nothing(TOOL, "no DB time in it"))?;
        let cpu_s = report
            .time_model
            .get("dbcpu")
            .copied()
            .ok_or_else(|| nothing(TOOL, "no DB CPU in its time model"))?;
        if report.foreground.is_empty() {
            return Err(nothing(TOOL, "no foreground wait events in it"));
        }
        let background_s = report.time_model.get("backgroundcputime").copied().unwrap_or(0.0);
        // What others use of the host can't be told from the report where a part of an instance is reported, or where the system
        // counts the time of threads and the database that of processors: then the host's use is taken for the instance's.
        let whole_host =
            pluggable || report.platform.as_ref().is_some_and(|on| on.starts_with("AIX"));
        let host = report.cpus().zip(report.system.get("BUSY_TIME")).map(|(cpus, busy)| {
            let own = ((cpu_s + background_s) / interval_s).min(cpus);
            // Times of the operating system are in hundredths.
            let busy = (busy / 100.0 / interval_s).max(own).min(cpus);
            HostUse { cpus, busy, own: if whole_host { busy } else { own } }
        });
        Ok(Facts {
            report,
            interval_s,
            db_time_s,
            cpu_s,
            transactions: report.transactions().filter(|n| *n > 0.0),
            host,
            unaccounted_s: db_time_s - cpu_s - report.waited_s(),
            pluggable,
        })
    }

    /// Time of sessions in a state, s.
    fn state_s(&self, states: &[ActivityState]) -> f64 {
        self.waits_in(states).map(|waits| waits.total_s).sum()
    }

    fn waits_in(&self, states: &[ActivityState]) -> impl Iterator<Item = &'r Waits> {
        let states = states.to_vec();
        let waits = self.report.foreground.iter().filter(|waits| !waits.idle);
        waits.filter(move |waits| states.contains(&events::state(&waits.event)))
    }

    /// Time of sessions that were ready and had no CPU, s: what lies between CPU and waits, as far as the operating system counted such
    /// time or the host was full, and what the resource manager held back.
    fn run_queue_s(&self) -> f64 {
        let unaccounted = self.unaccounted_s.max(0.0);
        let counted =
            self.report.system.get("OS_CPU_WAIT_TIME").map(|hundredths| hundredths / 100.0);
        let full = self.host.is_some_and(HostUse::is_full);
        let queued = match counted.filter(|s| *s > 0.0) {
            Some(counted) => unaccounted.min(counted),
            None if full => unaccounted,
            None => 0.0,
        };
        queued + self.state_s(&[ActivityState::Running])
    }

    /// CPUs that the resource manager leaves the instance, where it caged it.
    fn caged(&self) -> Option<f64> {
        let (_, count) = self.parameters().find(|(name, _)| *name == "cpu_count")?;
        let count: f64 = count.parse().ok()?;
        let held_back = self.state_s(&[ActivityState::Running]) > 0.0;
        let cpus = self.host?.cpus;
        (held_back && count >= 1.0 && count < cpus).then_some(count)
    }

    /// Sessions that were open, mean of the two snapshots, background processes among them; `None` where more were at work in between.
    fn open(&self) -> Option<f64> {
        let counted = &self.report.sessions;
        let mean = counted.iter().sum::<f64>() / counted.len() as f64;
        (mean >= self.db_time_s / self.interval_s).then_some(mean)
    }

    /// Time of waits that begin so, s.
    fn waits_named(&self, names: &[&str]) -> f64 {
        let waits = self.report.foreground.iter().filter(|waits| !waits.idle);
        waits
            .filter(|w| names.iter().any(|name| w.event.starts_with(name)))
            .map(|w| w.total_s)
            .sum()
    }

    /// The event that says that commits wait for a standby.
    fn standby(&self) -> Option<String> {
        let all = self.report.foreground.iter().chain(&self.report.background);
        let of = |waits: &&Waits| {
            waits.total_s > 0.0 && events::STANDBY.iter().any(|name| waits.event.starts_with(name))
        };
        all.filter(of).map(|waits| waits.event.clone()).next()
    }

    fn transaction(&self) -> Measurement {
        use ActivityState::{Client, Latch, Lock, Log, Other, Read, Write};
        let report = self.report;
        let each = |s: f64| self.transactions.map(|n| s * 1e9 / n);
        let per = |count: Option<f64>| self.transactions.and_then(|n| Some(count? / n));
        let wait = |states: &[ActivityState]| each(self.state_s(states));
        let flush = report.background("log file parallel write").filter(|waits| waits.count > 0.0);
        let host = self.host;
        let own_s = |host: HostUse| host.own * self.interval_s;
        let values: Vec<(Metric, Option<f64>)> = vec![
            (metric::THROUGHPUT, self.transactions.map(|n| n / self.interval_s)),
            (metric::OPERATIONS, self.transactions),
            (metric::WINDOW, Some(self.interval_s * 1e9)),
            (metric::SESSIONS, Some(self.db_time_s / self.interval_s)),
            (metric::ACTIVE_TIME_PER_OP, each(self.db_time_s)),
            (metric::BACKEND_CPU_PER_OP, each(self.cpu_s)),
            (metric::RUN_QUEUE_PER_OP, each(self.run_queue_s())),
            (metric::WAIT_READ_PER_OP, wait(&[Read])),
            (metric::WAIT_FLUSH_PER_OP, wait(&[Log])),
            (metric::WAIT_LOCK_PER_OP, wait(&[Lock, Latch])),
            (metric::WAIT_CLIENT_PER_OP, wait(&[Client])),
            (metric::WAIT_OTHER_PER_OP, wait(&[Write, Other])),
            (metric::SERVER_CPU_PER_OP, host.and_then(|host| each(own_s(host)))),
            (metric::SERVER_CPUS, host.map(|host| host.cpus)),
            (metric::SERVER_CPUS_TAKEN, host.map(HostUse::others)),
            (
                metric::SERVER_CPUS_AVAILABLE,
                host.map(|host| {
                    self.caged().unwrap_or(f64::INFINITY).min(host.cpus - host.others())
                }),
            ),
            (metric::BLOCK_HITS_PER_OP, per(self.hits())),
            (metric::BLOCK_READS_PER_OP, per(report.count("physical reads"))),
            (metric::WAL_BYTES_PER_OP, per(report.count("redo size"))),
            (metric::FLUSHES_PER_OP, per(self.flushes())),
            (metric::SERVER_FLUSH_TIME, flush.map(|waits| waits.total_s * 1e9 / waits.count)),
            (metric::DEVICE_READS, report.count("physical read total IO requests")),
            (metric::DEVICE_READ_BYTES, report.count("physical read total bytes")),
            (metric::DEVICE_WRITES, report.count("physical write total IO requests")),
            (metric::DEVICE_WRITE_BYTES, report.count("physical write total bytes")),
        ];
        let id = Workload::Observed.measurement_id().to_string();
        let mut found = measurement(id, Layer::Database, &values);
        found.workload.insert(condition::OF, "a running server, by its own report");
        found.workload.insert(condition::INTERVAL_S, self.interval_s);
        found.conditions.insert(condition::SERVER_VERSION, self.version());
        for (name, value) in self.parameters() {
            found.conditions.add_setting(name, value);
        }
        found
    }

    fn flushes(&self) -> Option<f64> {
        let waits = || self.report.background("log file parallel write").map(|waits| waits.count);
        self.report.count("redo writes").or_else(waits)
    }

    fn version(&self) -> String {
        let release = self.report.release.as_deref().unwrap_or("of an unknown release");
        format!("Oracle Database {release}")
    }

    fn parameters(&self) -> impl Iterator<Item = (&'r str, &'r str)> {
        let all = self.report.parameters.iter();
        all.map(|(name, value)| (name.as_str(), value.as_str()))
            .filter(|(name, _)| PARAMETERS.contains(name))
    }

    /// Blocks found in the buffer cache.
    fn hits(&self) -> Option<f64> {
        let all = self.report.count("session logical reads")?;
        let missed = self.report.count("physical reads cache")?
            + self.report.count("physical reads direct").unwrap_or(0.0);
        Some((all - missed).max(0.0))
    }

    /// Events as what they are of the drives and the log, each with its mean. Not here: waits of asynchronous requests (`direct path read`,
    /// `db file parallel write`), which begin some time after the request.
    fn io(&self) -> Vec<Measurement> {
        let of = [
            (Layer::Block, "db file sequential read", true),
            (Layer::Block, "db file scattered read", true),
            (Layer::Block, "cell single block physical read", true),
            (Layer::Log, "log file sync", true),
            (Layer::Log, "log file parallel write", false),
        ];
        of.into_iter()
            .filter_map(|(layer, event, foreground)| self.event(layer, event, foreground))
            .collect()
    }

    fn event(&self, layer: Layer, event: &str, foreground: bool) -> Option<Measurement> {
        let report = self.report;
        let waits = if foreground { report.foreground(event) } else { report.background(event) };
        let waits = waits.filter(|waits| waits.count >= LEAST_WAITS)?;
        let at = |share: f64| self.at_most(&waits.event, share);
        let values = [
            (metric::THROUGHPUT, Some(waits.count / self.interval_s)),
            (metric::LATENCY_MEAN, Some(waits.total_s * 1e9 / waits.count)),
            (metric::LATENCY_P50, at(0.5)),
            (metric::LATENCY_P99, at(0.99)),
            (metric::LATENCY_P999, at(0.999)),
            (metric::OPERATIONS, Some(waits.count)),
            (metric::WINDOW, Some(self.interval_s * 1e9)),
        ];
        let id = format!("{}.import.awr.{}", layer.word(), slug(event));
        let mut found = measurement(id, layer, &values);
        found.conditions.insert(condition::PERCENTILES_OF, "upper bounds of the event's histogram");
        Some(found)
    }

    /// The bound below which at least that share of an event's waits ended, ns; its histogram counts foreground and background together.
    fn at_most(&self, event: &str, share: f64) -> Option<f64> {
        let of = |(name, points): (&String, &'r BTreeMap<u64, f64>)| {
            (events::is(name, event) || events::is(event, name)).then_some(points)
        };
        let points = self.report.histograms.iter().find_map(of)?;
        // Shares are printed to a tenth of a per cent.
        points.iter().find(|(_, below)| **below >= share - 0.0005).map(|(bound, _)| *bound as f64)
    }

    fn observation(&self) -> Observation {
        let report = self.report;
        let instance = report.instance.as_deref().unwrap_or("an instance");
        let address = match &report.host {
            Some(host) => format!("{instance} on {host}"),
            None => instance.to_string(),
        };
        let parameters = self.parameters().map(|(name, value)| LiveSetting {
            name: name.to_string(),
            value: value.to_string(),
            source: "init.ora".to_string(),
        });
        let commits = report.foreground("log file sync");
        Observation {
            measurement: Workload::Observed.measurement_id().to_string(),
            address,
            version: self.version(),
            interval_ns: self.interval_s * 1e9,
            windows: 1,
            counted: self.counts(),
            activity: self.activity(),
            sessions: ObservedSessions { open: self.open(), ..ObservedSessions::default() },
            processes: self.processes(),
            settings: parameters.collect(),
            build: Vec::new(),
            capacities_from: Vec::new(),
            report: Some(ServerReport {
                kind: TOOL.to_string(),
                host: report.host.clone(),
                snapshots: report.snapshots.clone(),
                commit_waits: commits.map(|waits| waits.count),
                commit_wait_ns: commits.map(|waits| waits.total_s * 1e9),
                log_space_ns: Some(self.waits_named(&events::LOG_SPACE) * 1e9),
                data_write_ns: Some(self.waits_named(&events::DATA_WRITES) * 1e9),
                standby: self.standby(),
                unaccounted_ns: Some(self.unaccounted_s * 1e9),
                contradictions: contradictions(report),
            }),
            cost: Default::default(),
            unknown: self.unknown(),
        }
    }

    fn counts(&self) -> ObservedCounts {
        let report = self.report;
        let commits = report.count("user commits");
        // A commit that wrote nothing, or was not waited for, has no wait for the log.
        let waits = report.foreground("log file sync").map_or(0.0, |waits| waits.count);
        let flush = report.background("log file parallel write");
        ObservedCounts {
            commits,
            rollbacks: report.count("user rollbacks"),
            writers: commits.map(|commits| commits.min(waits)),
            block_hits: self.hits(),
            block_reads: report.count("physical reads cache"),
            active_ns: Some(self.db_time_s * 1e9),
            log_bytes: report.count("redo size"),
            flushes: flush.map(|waits| waits.count),
            flush_ns: flush.map(|waits| waits.total_s * 1e9),
            ..ObservedCounts::default()
        }
    }

    /// Sessions in each state on average, with the events they wait for.
    fn activity(&self) -> Activity {
        let mut by_state: BTreeMap<ActivityState, Vec<(String, f64)>> = BTreeMap::new();
        for waits in self.report.foreground.iter().filter(|waits| !waits.idle) {
            let mean = waits.total_s / self.interval_s;
            by_state
                .entry(events::state(&waits.event))
                .or_default()
                .push((waits.event.clone(), mean));
        }
        let running = (self.cpu_s + self.run_queue_s()) / self.interval_s;
        // What the resource manager held back is in it already.
        let held_back = by_state.remove(&ActivityState::Running).unwrap_or_default();
        let waiting = by_state.into_iter().map(|(state, mut events)| {
            let processes = events.iter().map(|(_, mean)| mean).sum();
            events.sort_by(|a, b| b.1.total_cmp(&a.1));
            events.truncate(NAMED);
            found(state, processes, events)
        });
        let mut all: Vec<ActivityWhere> =
            std::iter::once(found(ActivityState::Running, running, held_back))
                .chain(waiting)
                .collect();
        all.retain(|found| found.processes > 0.0);
        all.sort_by_key(|found| found.state);
        Activity { counted: true, found: all, ..Activity::default() }
    }

    fn processes(&self) -> Option<ObservedProcesses> {
        let host = self.host?;
        let sessions = (self.cpu_s / self.interval_s).min(host.own);
        let class = |class, cpus| ClassUse { class, cpus, run_queue: None };
        Some(ObservedProcesses {
            classes: vec![
                class(ProcessClass::Session, sessions),
                class(ProcessClass::Other, host.own - sessions),
            ],
            hot: None,
            machine_cpus: host.busy,
            kernel_cpus: None,
            other_cpus: Some(host.others()),
            client_cpus: None,
            yielding_cpus: None,
            other_programs: Vec::new(),
            allowed_cpus: host.cpus,
            quota_cpus: self.caged(),
            throttled_share: None,
            drive_read_bytes: self.report.count("physical read total bytes"),
        })
    }

    fn unknown(&self) -> Vec<Unknown> {
        let mut unknown = vec![Unknown {
            what: "how the load changed within the interval".to_string(),
            needs: "reports of shorter intervals: snapshots every 10 minutes or less".to_string(),
        }];
        if self.host.is_none() {
            unknown.push(Unknown {
                what: "how busy the host's CPUs were".to_string(),
                needs: "a report with Operating System Statistics".to_string(),
            });
        }
        unknown
    }

    /// What a reader has to know of these figures.
    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.interval_s > LONG_S {
            remarks.push(format!(
                "its interval has {:.0} min: means over so long hide what users saw at the worst time",
                self.interval_s / 60.0
            ));
        }
        if self.report.cluster {
            remarks.push(
                "one instance of a cluster: the others share its drives, and are not in it"
                    .to_string(),
            );
        }
        if self.pluggable {
            remarks.push(
                "of a pluggable database: the host's CPUs and drives are used by others of the instance too".to_string(),
            );
        }
        let undone = self.report.count("transaction rollbacks").unwrap_or(0.0);
        let rollbacks = self.report.count("user rollbacks").filter(|n| *n > 2.0 * undone);
        if let Some((rollbacks, all)) =
            rollbacks.zip(self.transactions).filter(|(r, all)| *r > 0.1 * all)
        {
            remarks.push(format!(
                "{:.0} % of its transactions are rollbacks, most of which changed nothing: what is told per transaction is smaller by as much",
                100.0 * rollbacks / all
            ));
        }
        if self.transactions.is_none() {
            remarks.push("no transaction ended: nothing per transaction is known".to_string());
        }
        if self.report.ended_unix_s.is_some() {
            remarks.push(
                "its times are taken as UTC: a report does not name its time zone".to_string(),
            );
        }
        remarks
    }
}

fn found(state: ActivityState, processes: f64, events: Vec<(String, f64)>) -> ActivityWhere {
    ActivityWhere {
        class: ProcessClass::Session,
        state,
        processes,
        interval_95: None,
        windows: vec![processes],
        events,
    }
}
