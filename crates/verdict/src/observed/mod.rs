//! A server that was only looked at: an open system whose clients choose the rate.
//!
//! Its sessions go round between their clients and the server: `X = N / (R + B)`, with `N` sessions that take part, `R` the time of
//! a transaction in statements and `B` the time between them. So the clients are a place like any other, and where the sessions
//! are theirs for most of the time the server waits for them and not they for it. How near the server is to its ends, and what
//! `R` consists of, is said beside it: see [`ObservedSituation`](narrows_model::ObservedSituation).
//!
//! The law takes all `N` to go round alike. Those that did nothing during the look don't go round and are left out; and where a group
//! that is at work for more than nine tenths of its time does almost all of the work, its round is the one that matters, and others
//! count only while they are at work.
//!
//! `R` is summed from what the scheduler and samples say and must come to the server's own account of the time in statements
//! (`pg_stat_database.active_time`), which knows neither; before version 14 there is none, and only the sampled part is
//! checked against the scheduler's. Nothing intervenes, so no grade is above LIKELY.

mod account;
mod ceilings;
mod doubt;
mod gains;
mod headroom;
mod mariadb;
mod phrase;
mod runnable;
mod sentences;
mod situation;
mod standstill;
mod time;
mod unexplained;

use narrows_model::{
    HotProcess, LockHolders, Measurement, Metric, Observation, ObservedProcesses, ProcessClass,
    Run, ServerReport, metric,
};

use narrows_units::{Ratio, significant};

use crate::analysis::LockHeld;
use crate::estimate::Estimate;
use crate::lock_holders;
use crate::threshold::{ALMOST_ALL_OF_THE_WORK, HOT_OVER_MEAN, MOST_OF_THE_WORK, SOME_OF_THE_WORK};

pub(crate) use account::sum;
pub(crate) use ceilings::ceilings;
pub(crate) use mariadb::of_mariadb;
pub(crate) use phrase::phrase;
pub(crate) use situation::standing;
pub(crate) use standstill::or_standstill;
pub(crate) use time::time_ns;

use runnable::Runnable;

/// A mean number of sessions that hardly changes: as a number of theirs where it is one.
fn how_many(sessions: f64) -> String {
    if (sessions - sessions.round()).abs() < 0.05 {
        format!("{sessions:.0}")
    } else {
        significant(sessions, 3)
    }
}

/// What only an observed server has. Times are per transaction.
#[derive(Debug, Clone)]
pub(crate) struct Observed<'a> {
    /// Sessions in a statement, mean; without their parallel workers.
    pub at_work: Option<Estimate>,
    /// Sessions open, mean.
    pub open: Option<f64>,
    /// Of these, those that did something during the look, mean; absent in runs from before it was counted.
    pub participating: Option<f64>,
    /// Sessions that were at work for more than nine tenths of their time, and how many of these at a moment; means.
    busy: Option<(f64, f64)>,
    /// Time in statements by the server's own account, ns.
    pub active_ns: Option<Estimate>,
    /// Time of parallel workers, ns.
    pub workers_ns: Option<Estimate>,
    /// Of processor time and run queue, what lies outside of statements, ns.
    pub outside_ns: f64,
    /// Of that, what is run queue, ns.
    pub outside_queue_ns: f64,
    /// Of the waits, what at most was none.
    runnable: Runnable,
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
        let at_least = |n: f64| n.max(at_work.map_or(0.0, |at_work| at_work.value));
        Observed {
            // More can't be at work than are open; the two are not counted at the same moments.
            open: measurement.value(metric::OPEN_SESSIONS).map(at_least),
            participating: measurement.value(metric::PARTICIPATING_SESSIONS).map(at_least),
            busy: measurement
                .value(metric::BUSY_SESSIONS)
                .zip(measurement.value(metric::BUSY_SESSIONS_AT_WORK)),
            at_work,
            // Nothing is an account too: of statements that did not end in the look it knows nothing.
            active_ns: get(metric::ACTIVE_TIME_PER_OP),
            workers_ns: get(metric::WORKER_TIME_PER_OP),
            outside_ns: measurement.value(metric::BETWEEN_STATEMENTS_PER_OP).unwrap_or(0.0),
            outside_queue_ns: measurement
                .value(metric::QUEUE_BETWEEN_STATEMENTS_PER_OP)
                .unwrap_or(0.0),
            runnable: Runnable::read(measurement),
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

    /// The server's own report, where all of it comes from one.
    pub fn report(&self) -> Option<&'a ServerReport> {
        self.seen?.report.as_ref()
    }

    /// The sessions that go round: `N`.
    pub fn sessions(&self) -> Option<f64> {
        let all = self.participating.or(self.open)?;
        let group = self.busy_share().filter(|share| *share >= ALMOST_ALL_OF_THE_WORK);
        let Some(((sessions, at_work), all_at_work)) =
            group.and(self.busy.zip(self.at_work.map(|n| n.value)))
        else {
            return Some(all);
        };
        Some((sessions + (all_at_work - at_work).max(0.0)).clamp(all_at_work, all.max(all_at_work)))
    }

    /// These, or at least those at work; zero where neither is known.
    pub fn sessions_or_at_work(&self) -> f64 {
        self.sessions().or(self.at_work.map(|n| n.value)).unwrap_or(0.0)
    }

    /// Of the sessions' work, the share of those that are always at it.
    fn busy_share(&self) -> Option<f64> {
        let (sessions, at_work) = self.busy.filter(|(sessions, _)| *sessions >= 0.5)?;
        let all = self.at_work.filter(|all| all.value > 0.0)?.value;
        Some((at_work.min(sessions) / all).min(1.0))
    }

    /// Sessions that did nothing during the look; `None` where less than one did, and where that is unknown.
    pub fn unused(&self) -> Option<f64> {
        Some(self.open? - self.participating?).filter(|n| *n >= 0.5)
    }

    /// `8.0 sessions are at work 97 % of the time, 20 now and then`; `None` where there are not both kinds, or the first hardly
    /// matter.
    pub fn two_populations(&self) -> Option<String> {
        self.busy_share().filter(|share| *share >= SOME_OF_THE_WORK)?;
        let (sessions, at_work) = self.busy?;
        let others = self.participating? - sessions;
        (others >= 0.5).then(|| {
            format!(
                "{} sessions are active {} of the time, {} now and then",
                significant(sessions, 2),
                Ratio((at_work / sessions).min(1.0)),
                significant(others, 2)
            )
        })
    }

    /// Sessions at work and their workers, mean; samples find no more than these.
    pub fn processes_at_work(&self, rate: &Estimate) -> f64 {
        let workers = self.workers_ns.map_or(0.0, |ns| ns.value * 1e-9 * rate.value);
        self.at_work.map_or(0.0, |n| n.value) + workers
    }

    /// Time that a session is its client's, per transaction, ns: `B`.
    pub fn between(&self, rate: &Estimate) -> Option<Estimate> {
        let active = self.active(rate)?;
        let idle =
            Estimate { value: (self.sessions()? - active.value).max(0.0), half: active.half };
        let ns = idle.over(*rate)?.times(1e9);
        Some(Estimate { value: (ns.value - self.outside_ns).max(0.0), half: ns.half })
    }

    /// What the kernel knows of the server's processes.
    pub fn processes(&self) -> Option<&'a ObservedProcesses> {
        self.seen?.processes.as_ref()
    }

    /// Processors that processes of others used; its clients are none, wherever they run: their work grows with its own.
    pub fn other_cpus(&self) -> Option<f64> {
        self.processes()?.strangers_cpus()
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

    /// What those were found doing who held the locks that others queued for; `None` where nobody queued when it was asked.
    pub fn holders(&self) -> Option<LockHolders> {
        self.seen?.sessions.holders.filter(|holders| holders.answers > 0)
    }

    /// Whether locks are held through flushes, by what their holders were found doing; `None` where that allows both.
    pub fn lock_held(&self) -> Option<LockHeld> {
        let through_flush = lock_holders::through_flush(self.holders()?)?;
        Some(if through_flush { LockHeld::ThroughFlush } else { LockHeld::OnCpu })
    }

    /// Sessions in a statement, mean: by the server's own account of their time where it has more of them than samples found. The
    /// server takes a sample itself, so that on its only CPU nobody else is found on it.
    pub fn active(&self, rate: &Estimate) -> Option<Estimate> {
        let sampled = self.at_work?;
        let counted = self.active_ns.map(|ns| ns.value * 1e-9 * rate.value);
        // A statement that began long before the look brings all of its time along.
        let counted = counted.filter(|n| self.open.is_some_and(|open| *n <= open));
        Some(Estimate { value: sampled.value.max(counted.unwrap_or(0.0)), half: sampled.half })
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
        if let Some(report) = &seen.report {
            // Those that waited: a transaction may have several, and a commit within PL/SQL none.
            return seen.per_transaction(report.commit_waits).filter(|waits| *waits > 0.0);
        }
        let off = |name: &str| seen.setting(name).is_some_and(|s| s.value == "off" && !s.is_ours());
        let writers = seen.per_transaction(seen.counted.writers)?.min(1.0);
        (writers > 0.0 && !off("fsync") && !off("synchronous_commit")).then_some(writers)
    }

    /// Of the wait for WAL, the share that is one for a standby's answer.
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
