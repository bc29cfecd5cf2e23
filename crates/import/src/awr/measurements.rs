//! A transaction of the report as one measurement, and its events as others.

use std::collections::BTreeMap;

use narrows_model::{ActivityState, Layer, Measurement, Metric, Workload, condition, metric};

use super::events;
use super::facts::Facts;
use super::host::HostUse;
use crate::{measurement, slug};

/// Waits for an event of which fewer give no mean.
const LEAST_WAITS: f64 = 10.0;

impl<'r> Facts<'r> {
    pub(super) fn transaction(&self) -> Measurement {
        use ActivityState::{Client, Latch, Lock, Log, Other, Read, Write};
        let report = self.report;
        let each = |s: f64| self.transactions.map(|n| s * 1e9 / n);
        let per = |count: Option<f64>| self.transactions.and_then(|n| Some(count? / n));
        let wait = |states: &[ActivityState]| each(self.state_s(states));
        let (flushes, flush_s) = self.flushes().unzip();
        let host = self.host;
        let growing_s = |host: HostUse| host.growing() * self.interval_s;
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
            (metric::SERVER_CPU_PER_OP, host.and_then(|host| each(growing_s(host)))),
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
            (metric::FLUSHES_PER_OP, per(flushes)),
            (metric::SERVER_FLUSH_TIME, flush_s.flatten().zip(flushes).map(|(s, n)| s * 1e9 / n)),
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

    /// Events as what they are of the drives and the log, each with its mean. Not here: waits of asynchronous requests (`direct path read`,
    /// `db file parallel write`), which begin some time after the request.
    pub(super) fn io(&self) -> Vec<Measurement> {
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
}
