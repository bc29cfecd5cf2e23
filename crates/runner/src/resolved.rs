//! What was decided for a run on a server: its plan and machine, folders, CPUs, windows; and the run with it.

use std::ops::{Deref, DerefMut};
use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::{Context, Stop};
use narrows_model::{Layer, Plan, Platform, Workload};
use narrows_postgres::Address;

use crate::database::external_server::LocalServer;
use crate::least_load::LeastLoad;
use crate::prepared;
use crate::session::Session;
use crate::split::Split;

/// A plan with what the run file must not hold (an address with its password) or doesn't need.
pub struct Resolved {
    /// As stored in the run.
    pub plan: Plan,
    /// The machine.
    pub platform: Platform,
    /// Processors of server and load.
    pub split: Split,
    /// Folder of the data role.
    pub data_dir: PathBuf,
    /// Folder of the log role.
    pub wal_dir: PathBuf,
    /// The user's server, if one was named.
    pub address: Option<Address>,
    /// What that server says of its version, once it was asked.
    pub version: Option<String>,
    /// That server, once it was asked, if it runs here.
    pub found: Option<LocalServer>,
    /// Whether the server of our own is a MariaDB.
    pub mariadb: bool,
    /// The PostgreSQL that was named.
    pub postgres: Option<PathBuf>,
    /// One window of the storage and memory layers.
    pub window: Duration,
    /// One window of the database's lookups.
    pub database_window: Duration,
    /// One window of its updates: long enough that all together see two checkpoints.
    pub update_window: Duration,
    /// Deepest queue that the searches of the block layer try, where one was named.
    pub max_depth: Option<u32>,
    /// The load of tests that look at no figure.
    pub least: Option<LeastLoad>,
    /// Most bytes that the block layer's writes may write; `None`: as many as it wants.
    pub write_budget_bytes: Option<u64>,
    /// What is written and stays, for the plan's last line.
    pub stays: Option<&'static str>,
}

impl Resolved {
    /// What the layers are handed.
    pub fn context<'a>(&self, session: &Session<'a>) -> Context<'a> {
        session.context(self.window)
    }

    /// What the layers are handed to say what they would do.
    pub fn ahead<'a>(&self, stop: &'a Stop) -> Context<'a> {
        prepared::ahead(&self.plan, stop, self.window)
    }

    /// The folders of both roles.
    pub fn folders(&self) -> Vec<PathBuf> {
        vec![self.data_dir.clone(), self.wal_dir.clone()]
    }

    /// Whether that workload was asked for.
    pub fn runs(&self, workload: Workload) -> bool {
        self.plan.workloads.iter().any(|word| word == workload.word())
    }

    /// Whether that layer was asked for.
    pub fn has(&self, layer: Layer) -> bool {
        self.plan.layers.contains(&layer)
    }
}

/// A run in progress with all that was resolved for a server: folders, CPUs, sessions, windows.
pub struct PlannedSession<'r, 's> {
    /// What was decided.
    pub resolved: &'r Resolved,
    /// CPUs of server and load: as planned, until a probe has measured what an operation costs each of them.
    pub split: Split,
    /// The server of our own, once it runs: the null server's socket may lie beside its.
    pub socket: Option<Address>,
    /// The run.
    pub session: &'r mut Session<'s>,
}

impl<'r, 's> PlannedSession<'r, 's> {
    /// A run as it was planned.
    pub fn new(resolved: &'r Resolved, session: &'r mut Session<'s>) -> Self {
        if let Some(found) = &resolved.found {
            session.tests_server(found.postmaster);
        }
        PlannedSession { resolved, split: resolved.split.clone(), socket: None, session }
    }
}

impl<'s> Deref for PlannedSession<'_, 's> {
    type Target = Session<'s>;

    fn deref(&self) -> &Session<'s> {
        self.session
    }
}

impl<'s> DerefMut for PlannedSession<'_, 's> {
    fn deref_mut(&mut self) -> &mut Session<'s> {
        self.session
    }
}
