//! What stands beside the measurement: counters, states of sessions, CPUs, parameters.

use std::collections::BTreeMap;

use narrows_model::{
    Activity, ActivityState, ActivityWhere, ClassUse, LiveSetting, Observation, ObservedCounts,
    ObservedProcesses, ObservedSessions, ProcessClass, ServerReport, Unknown, Workload,
};

use super::contradictions::contradictions;
use super::facts::Facts;
use super::{TOOL, events};

/// Names of events that are kept with a state.
const NAMED: usize = 8;

impl Facts<'_> {
    pub(super) fn observation(&self) -> Observation {
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
            consumers: None,
            measurement: Workload::Observed.measurement_id().to_string(),
            address,
            version: self.version(),
            interval_ns: self.interval_s * 1e9,
            load_change: None,
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
        let (flushes, flush_s) = self.flushes().unzip();
        ObservedCounts {
            commits,
            rollbacks: report.count("user rollbacks"),
            writers: commits.map(|commits| commits.min(waits)),
            block_hits: self.hits(),
            block_reads: report.count("physical reads cache"),
            active_ns: Some(self.db_time_s * 1e9),
            log_bytes: report.count("redo size"),
            flushes,
            flush_ns: flush_s.flatten().map(|s| s * 1e9),
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
            other_cpus: (!host.rest_unknown).then(|| host.others()),
            unattributed_cpus: host.unattributed(),
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
