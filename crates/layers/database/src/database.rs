//! A database that is measured: its connections, its tables, and what it takes to keep those out of memory.
//!
//! What kind it is, only [`ServerKind`] knows. The loop over repeats is in `repeats.rs`, one window of it in `window.rs`.

use std::path::PathBuf;

use narrows_engine::{Context, Phase, Stop};
use narrows_model::{Conditions, Layer, condition};
use narrows_observe::Watch;
use serde_json::{Value, json};

use crate::error::DatabaseError;
use crate::evict::evict_once;
use crate::kind::{Connected, Observer, Server, ServerKind};
use crate::processes::ServerProcesses;
use crate::repeat_sample::Cpus;
use crate::table::{Contents, Table};

/// Share of the table's files that may stay in memory after an eviction.
const EVICTED: f64 = 0.02;

/// What the database layer is to use.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The run, after which the place of its tables is named; made and removed.
    pub run_id: String,
    /// Another database on the same server, from which the load is watched without being counted with it.
    pub monitor_database: Option<String>,
    /// Size of the table, bytes.
    pub table_bytes: u64,
    /// Size of the part that the cached workloads use, bytes.
    pub cached_bytes: u64,
    /// What the table is filled with.
    pub contents: Contents,
    /// A table for each of so many sessions, together of the table's size; `None` is one for all.
    pub private: Option<u32>,
    /// Memory of the server's machine, bytes; `None` where that is another.
    pub memory_bytes: Option<u64>,
    /// Last-level caches of that machine together, bytes, where they are known.
    pub cache_bytes: Option<u64>,
    /// Processors the server may use, as far as known.
    pub server_cpus: Vec<u32>,
    /// Processors of the client.
    pub client_cpus: Vec<u32>,
    /// Quota of the control group that the server is in, processors.
    pub cpu_quota: Option<f64>,
    /// Whether the client is in that group as well.
    pub quota_covers_client: bool,
    /// The server's data folder, where it is known; a visible server's is found otherwise.
    pub data_dir: Option<PathBuf>,
    /// Memory to claim before each scan, bytes: where the hypervisor takes back what an eviction frees.
    pub claim_bytes: Option<u64>,
    /// Whether its processes may be moved between processors: only on a server of our own.
    pub own_server: bool,
    /// What every measurement's conditions should say besides.
    pub conditions: Conditions,
}

/// A database to measure.
pub struct Database {
    pub(crate) kind: Box<dyn ServerKind + Send>,
    /// For setting up.
    pub(crate) server: Box<dyn Server>,
    /// For looking while the load runs.
    pub(crate) observer: Box<dyn Observer>,
    pub(crate) settings: Settings,
    pub(crate) cpus: Cpus,
    /// The first of the tables.
    pub(crate) table: Option<Table>,
    /// All of them: one, or one for each session.
    pub(crate) tables: Vec<Table>,
    pub(crate) processes: Option<ServerProcesses>,
    pub(crate) watch: Watch,
    pub(crate) server_settings: Value,
    /// Size of the buffer pool, bytes.
    pub(crate) pool_bytes: u64,
    /// Of the whole measurement.
    stop: Stop,
}

impl Database {
    /// Connects and learns the version; changes nothing. All that is asked here ends early when `stop` is set.
    ///
    /// # Errors
    /// The server can't be reached, or is none that can be measured.
    pub fn connect(
        kind: impl ServerKind + Send + 'static,
        mut settings: Settings,
        watch: Watch,
        stop: &Stop,
    ) -> Result<Database, DatabaseError> {
        let Connected { server, observer, processes, about } = kind.connect(&settings, stop)?;
        let watch = watch.with_pids(ours(processes));
        let cpus = Cpus {
            server: settings.server_cpus.clone(),
            client: settings.client_cpus.clone(),
            quota: settings.cpu_quota,
            quota_covers_client: settings.quota_covers_client,
        };
        let conditions = &mut settings.conditions;
        conditions.insert(condition::SERVER_VERSION, json!(about.version));
        conditions.insert(condition::ENCRYPTION, json!(about.encryption));
        if !about.build.is_empty() {
            conditions.insert(condition::SERVER_BUILD, json!(about.build));
        }
        Ok(Database {
            kind: Box::new(kind),
            server,
            observer,
            settings,
            cpus,
            table: None,
            tables: Vec::new(),
            processes,
            watch,
            server_settings: about.settings,
            pool_bytes: about.pool_bytes,
            stop: stop.clone(),
        })
    }

    /// After the same server was started again.
    pub(crate) fn connect_again(&mut self) -> Result<(), DatabaseError> {
        let again = self.kind.connect(&self.settings, &self.stop)?;
        (self.server, self.observer, self.processes) =
            (again.server, again.observer, again.processes);
        self.watch = std::mem::take(&mut self.watch).with_pids(ours(self.processes));
        // It starts on the CPUs it was made for, which may have been shared anew since.
        self.move_server(&self.cpus.server);
        Ok(())
    }

    /// From now on server and client have these CPUs; a server of our own is moved to its.
    pub fn have_cpus(&mut self, server: &[u32], client: &[u32]) {
        self.settings.client_cpus = client.to_vec();
        self.cpus.client = client.to_vec();
        if self.settings.own_server {
            self.settings.server_cpus = server.to_vec();
            self.cpus.server = server.to_vec();
            self.move_server(server);
        }
    }

    /// What every measurement's conditions say besides, from now on.
    pub fn also_say<T: condition::Shape + ?Sized>(
        &mut self,
        key: condition::Key<T>,
        what: impl Into<Value>,
    ) {
        self.settings.conditions.insert(key, what);
    }

    /// The side of the server that sets up, for what only its kind has.
    pub fn server(&mut self) -> &mut dyn Server {
        &mut *self.server
    }

    /// What the database layer is to use.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Settings of the server that differ from its defaults.
    pub fn server_settings(&self) -> &Value {
        &self.server_settings
    }

    /// Whether the server's processes are visible from here: without them there is no processor time per
    /// operation and no sum.
    pub fn sees_processes(&self) -> bool {
        self.processes.is_some()
    }

    /// Whether it was asked to end.
    pub fn is_stopped(&self) -> bool {
        self.stop.is_set()
    }

    /// Makes and loads the table.
    ///
    /// # Errors
    /// The server refuses, or a stop.
    pub fn prepare(&mut self, ctx: &Context<'_>) -> Result<(), DatabaseError> {
        self.server.heed(Some(ctx.stop));
        for name in self.server.make_place()? {
            let what = format!("removed {name}, left by an interrupted run");
            ctx.progress.phase(Layer::Database, Phase::Prepare, &what);
        }
        let block_bytes = self.server.block_bytes()?;
        let blocks = (self.settings.table_bytes / block_bytes).max(1);
        let names: Vec<String> = match self.settings.private {
            None => vec!["rows".into()],
            Some(sessions) => (1..=sessions.max(1)).map(|n| format!("rows_{n}")).collect(),
        };
        let each = (blocks / names.len() as u64).max(1) * block_bytes;
        for (n, name) in names.iter().enumerate() {
            // Other contents in each, so that nothing below finds the same block twice.
            let ctx = Context { seed: ctx.seed.wrapping_add(n as u64), ..*ctx };
            let contents = self.settings.contents;
            self.tables.push(self.server.create_table(&ctx, name, each, contents)?);
        }
        self.table = self.tables.first().cloned();
        ctx.stop.check()?;
        ctx.progress.phase(Layer::Database, Phase::Settle, "a checkpoint");
        self.server.checkpoint()
    }

    /// Removes everything this layer made, also from a server that was restarted meanwhile. A stop doesn't cut it
    /// short.
    ///
    /// # Errors
    /// What is left, and where.
    pub fn clean_up(&mut self) -> Result<(), DatabaseError> {
        self.table = None;
        self.tables.clear();
        if self.settings.own_server {
            // It goes as a whole.
            return Ok(());
        }
        self.server.heed(None);
        self.server.remove_place(self.stop.is_set())
    }

    /// Size of the server's buffer pool, bytes.
    pub fn pool_bytes(&self) -> u64 {
        self.pool_bytes
    }

    /// Size of all tables, bytes; zero before [`Database::prepare`].
    pub fn table_bytes(&self) -> u64 {
        self.tables.iter().map(|table| table.bytes).sum()
    }

    /// Removes what updates left in the table and writes everything out, so that a scan finds nothing to tidy on its
    /// way; the checkpoint only where the server grants it.
    ///
    /// # Errors
    /// The server refuses.
    pub fn tidy(&mut self) -> Result<(), DatabaseError> {
        self.server.tidy(&self.tables)
    }

    /// The files of the table and its index, if they can be kept out of memory.
    pub(crate) fn evictable(&mut self) -> Result<Vec<PathBuf>, DatabaseError> {
        let fail = |reason: String| DatabaseError::Evict { reason };
        let files = self.server.table_files()?;
        if files.is_empty() {
            return Err(fail("no file of the table is visible".into()));
        }
        let resident = evict_once(&files)
            .map_err(|reason| fail(format!("its files cannot be read: {reason}")))?;
        if resident > EVICTED {
            return Err(fail(format!(
                "{:.0} % of the table stayed in memory after its eviction; the file system has a cache of its own",
                resident * 100.0
            )));
        }
        Ok(files)
    }
}

/// The server under test is not one of the "others" on this machine.
fn ours(server: Option<ServerProcesses>) -> Vec<u32> {
    server.map(|server| server.main()).into_iter().chain(kernel_threads()).collect()
}

/// The parent of all kernel threads, where it is visible: what they do in a window is mostly the workload's own I/O.
fn kernel_threads() -> Vec<u32> {
    const PARENT: u32 = 2;
    let visible = narrows_facts::process::name(PARENT).as_deref() == Some("kthreadd");
    if visible { vec![PARENT] } else { Vec::new() }
}
