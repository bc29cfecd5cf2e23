//! A server that was only looked at: an open system whose clients choose the rate.
//!
//! Its sessions go round between their clients and the server: `X = N / (R + B)`, with `N` sessions open, `R` the time of a
//! transaction in statements and `B` the time between them. So the clients are a place like any other, and where the sessions
//! are theirs for most of the time the server waits for them and not they for it. How near the server is to its ends, and what
//! `R` consists of, is said beside it: see [`Standing`](narrows_model::Standing).
//!
//! `R` is summed from what the scheduler and samples say and must come to the server's own account of the time in statements
//! (`pg_stat_database.active_time`), which knows neither; before version 14 there is none, and only the sampled part is
//! checked against the scheduler's. Nothing intervenes, so no grade is above LIKELY.

mod account;
mod ceilings;
mod doubt;
mod headroom;
mod phrase;
mod sentences;
mod standing;
mod time;

use narrows_model::{
    HotProcess, Measurement, Metric, Observation, ObservedProcesses, ProcessClass, Run, metric,
};

use crate::estimate::Estimate;
use crate::threshold::{HOT_OVER_MEAN, MOST_OF_THE_WORK};

pub(crate) use account::sum;
pub(crate) use ceilings::ceilings;
pub(crate) use phrase::phrase;
pub(crate) use standing::standing;
pub(crate) use time::time_ns;

/// What only an observed server has. Times are per transaction.
#[derive(Debug, Clone)]
pub(crate) struct Observed<'a> {
    /// Sessions in a statement, mean; without their parallel workers.
    pub at_work: Option<Estimate>,
    /// Sessions open, mean.
    pub open: Option<f64>,
    /// Time in statements by the server's own account, ns.
    pub active_ns: Option<Estimate>,
    /// Time of parallel workers, ns.
    pub workers_ns: Option<Estimate>,
    /// Of processor time and run queue, what lies outside of statements, ns.
    pub outside_ns: f64,
    /// Of that, what is run queue, ns.
    pub outside_queue_ns: f64,
    /// Whether the processes were out of sight, so that their processor time is how often they were found without a wait.
    pub from_afar: bool,
    /// Everything else that was seen.
    pub seen: Option<&'a Observation>,
}

impl<'a> Observed<'a> {
    /// What the measurement holds.
    pub fn read(measurement: &Measurement) -> Observed<'a> {
        let get = |name: Metric| measurement.metric(name).and_then(Estimate::of);
        let at_work = get(metric::SESSIONS);
        let known = |name: Metric| measurement.metric(name).is_some();
        Observed {
            // More can't be at work than are open; the two are not counted at the same moments.
            open: measurement
                .value(metric::OPEN_SESSIONS)
                .map(|open| open.max(at_work.map_or(0.0, |at_work| at_work.value))),
            at_work,
            // Nothing is an account too: of statements that did not end in the look it knows nothing.
            active_ns: get(metric::ACTIVE_TIME_PER_OP),
            workers_ns: get(metric::WORKER_TIME_PER_OP),
            outside_ns: measurement.value(metric::BETWEEN_STATEMENTS_PER_OP).unwrap_or(0.0),
            outside_queue_ns: measurement
                .value(metric::QUEUE_BETWEEN_STATEMENTS_PER_OP)
                .unwrap_or(0.0),
            from_afar: !known(metric::BACKEND_CPU_PER_OP) && known(metric::SAMPLED_ON_CPU_PER_OP),
            seen: None,
        }
    }

    /// Of processor time, what lies outside of statements, ns.
    pub fn outside_cpu_ns(&self) -> f64 {
        (self.outside_ns - self.outside_queue_ns).max(0.0)
    }

    /// Finds what was seen beside the measurement.
    pub fn look_up(&mut self, run: &'a Run, measurement: &Measurement) {
        self.seen = run.observations.iter().find(|seen| seen.measurement == measurement.id);
    }

    /// Sessions open, or at least those at work; zero where neither is known.
    pub fn open_or_at_work(&self) -> f64 {
        self.open.or(self.at_work.map(|n| n.value)).unwrap_or(0.0)
    }

    /// Sessions and their workers that samples can find in a state, mean.
    pub fn processes_at_work(&self, rate: &Estimate) -> f64 {
        let workers = self.workers_ns.map_or(0.0, |ns| ns.value * 1e-9 * rate.value);
        self.at_work.map_or(0.0, |n| n.value) + workers
    }

    /// Time that a session is its client's, per transaction, ns: `B`.
    pub fn between(&self, rate: &Estimate) -> Option<Estimate> {
        let at_work = self.at_work?;
        let idle = Estimate { value: (self.open? - at_work.value).max(0.0), half: at_work.half };
        let ns = idle.over(*rate)?.times(1e9);
        Some(Estimate { value: (ns.value - self.outside_ns).max(0.0), half: ns.half })
    }

    /// What the kernel knows of the server's processes.
    pub fn processes(&self) -> Option<&'a ObservedProcesses> {
        self.seen?.processes.as_ref()
    }

    /// Processors that processes of others used.
    pub fn other_cpus(&self) -> Option<f64> {
        self.processes()?.other_cpus
    }

    /// The busiest process.
    pub fn hottest(&self) -> Option<&'a HotProcess> {
        self.processes()?.hot.as_ref()
    }

    /// Mean time of a flush by the server's own times, ns.
    pub fn flush_ns(&self) -> Option<f64> {
        let counted = &self.seen?.counted;
        counted.flushes.filter(|flushes| *flushes > 0.0).and_then(|n| Some(counted.flush_ns? / n))
    }

    /// Whether commits are held back so that more of them share a flush.
    pub fn delays_commits(&self) -> bool {
        let delay = self.seen.and_then(|seen| seen.setting("commit_delay"));
        delay.is_some_and(|set| set.value != "0")
    }

    /// Durable commits of a transaction: those that wrote, unless nobody waits for them. A savepoint that wrote has an id of
    /// its own, so that there may be more ids than transactions.
    pub fn commits_per_op(&self) -> Option<f64> {
        let seen = self.seen?;
        let off = |name: &str| seen.setting(name).is_some_and(|s| s.value == "off" && !s.is_ours());
        let writers = seen.per_transaction(seen.counted.writers)?.min(1.0);
        (writers > 0.0 && !off("fsync") && !off("synchronous_commit")).then_some(writers)
    }

    /// Of the wait for the log, the share that is one for a standby's answer.
    pub fn behind_standby(&self) -> f64 {
        self.seen.and_then(|seen| seen.activity.behind_standby()).unwrap_or(0.0)
    }

    /// Whether commits wait for a standby more than for this server's log.
    pub fn waits_for_standby(&self) -> bool {
        self.seen.is_some_and(|seen| seen.activity.waits_for_standby())
    }

    /// Whether the server waits for its busiest process, which is always on a processor: one that others wait for by its
    /// kind (a log sender only where commits wait for the standby), or a session that does most of the work itself. Another session's long report is its neighbours' concern only
    /// where they wait for it, and that shows as locks.
    pub fn waits_for_hottest(&self, busy: f64, sessions_on_cpu: f64) -> bool {
        let Some(hot) = self.hottest() else { return false };
        match hot.class {
            ProcessClass::LogWriter | ProcessClass::IoWorker => true,
            ProcessClass::LogSender => self.waits_for_standby(),
            ProcessClass::Session => {
                let at_work = self.at_work.map_or(1.0, |n| n.value.max(1.0));
                busy >= MOST_OF_THE_WORK * sessions_on_cpu
                    && busy >= sessions_on_cpu / at_work * HOT_OVER_MEAN
            }
            _ => false,
        }
    }
}
