//! The changes that can test a verdict, and whether this run can make them.

use narrows_model::{DatabaseChoice, Run, condition};

use crate::Workload;
use crate::demand::Demand;

/// One change to the server or the load, made for 10 to 20 s and undone.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Intervention {
    /// Twice the sessions: helps whoever waits, not whoever is full.
    SessionsX2,
    /// A quarter fewer processors for the server (see [`fewer_cpus`]): costs whoever is full.
    FewerCpus,
    /// The client's processors are lent to the server.
    MoreCpus,
    /// `synchronous_commit = off` in the workload's sessions.
    SyncOff,
    /// Twice the parallel workers.
    WorkersX2,
}

impl Intervention {
    /// Every intervention.
    pub const ALL: [Intervention; 5] = [
        Intervention::SessionsX2,
        Intervention::FewerCpus,
        Intervention::MoreCpus,
        Intervention::SyncOff,
        Intervention::WorkersX2,
    ];

    /// The word in a measurement's id: `database.<workload>.test.<word>`.
    pub fn word(self) -> &'static str {
        match self {
            Intervention::SessionsX2 => "sessions_x2",
            Intervention::FewerCpus => "fewer_cpus",
            Intervention::MoreCpus => "more_cpus",
            Intervention::SyncOff => "sync_off",
            Intervention::WorkersX2 => "workers_x2",
        }
    }

    /// The words on the screen.
    pub fn phrase(self) -> &'static str {
        match self {
            Intervention::SessionsX2 => "sessions x2",
            Intervention::FewerCpus => "fewer server CPUs",
            Intervention::MoreCpus => "the load generator's CPUs given to the server",
            Intervention::SyncOff => "synchronous_commit=off",
            Intervention::WorkersX2 => "workers x2",
        }
    }

    /// The id under which its measurement is stored.
    pub fn measurement_id(self, baseline_id: &str) -> String {
        format!("{baseline_id}.test.{}", self.word())
    }
}

/// How many of a server's processors remain when the test takes some away: a quarter fewer, at least one
/// fewer; `None` where only one is left to take.
pub fn fewer_cpus(server_cpus: usize) -> Option<usize> {
    (server_cpus >= 2).then(|| server_cpus - (server_cpus / 4).max(1))
}

/// Processors of server and client, as the measurement or else the plan has them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sets {
    pub server: Option<f64>,
    pub client: Option<f64>,
    pub apart: bool,
}

impl Sets {
    pub fn of(run: &Run, demand: &Demand) -> Sets {
        let planned = |cpus: &[u32]| (!cpus.is_empty()).then_some(cpus.len() as f64);
        let m = demand.measurement;
        let shared = m.get(condition::CPUS_SHARED);
        Sets {
            server: demand.cpu.set.or_else(|| planned(&run.plan.server_cpus)),
            client: m.get(condition::CLIENT_CPUS).or_else(|| planned(&run.plan.client_cpus)),
            apart: shared == Some(false),
        }
    }
}

/// Whether the run can make the change: on a user's server only settings of our own sessions are touched.
pub(crate) fn is_feasible(intervention: Intervention, run: &Run, demand: &Demand) -> bool {
    let ours = run.plan.database == DatabaseChoice::Managed;
    let sets = Sets::of(run, demand);
    match intervention {
        Intervention::SessionsX2 => !demand.workload.is_scan(),
        Intervention::FewerCpus => {
            ours && sets.server.is_some_and(|cpus| fewer_cpus(cpus as usize).is_some())
        }
        Intervention::MoreCpus => {
            ours && sets.apart
                && sets.server.is_some()
                && sets.client.is_some_and(|cpus| cpus >= 1.0)
        }
        Intervention::SyncOff => demand.commits_per_op().is_some(),
        Intervention::WorkersX2 => demand.workload == Workload::ScanMany,
    }
}
