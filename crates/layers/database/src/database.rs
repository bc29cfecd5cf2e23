//! A database that is measured: its connections, its table, and what it takes to keep that out of memory.
//!
//! The loop over repeats is in `repeats.rs`, one window of it in `window.rs`.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::{Context, Phase, Stop};
use narrows_model::{Layer, condition};
use narrows_observe::Watch;
use serde_json::{Value, json};

use crate::admission::{self, Admitted};
use crate::error::DatabaseError;
use crate::evict::{evict_once, segments};
use crate::observe::settings::build;
use crate::once::Cpus;
use crate::processes::ServerProcesses;
use crate::schema::Schema;
use crate::statistics::Statistics;
use crate::table::{Contents, Table};
use crate::wire::{Connection, Patience, WireError};
use narrows_postgres::Address;

/// Share of the table's files that may stay in memory after an eviction.
const EVICTED: f64 = 0.02;
/// How long a server may take to let us in once more to tidy up.
const AFTERWARDS: Duration = Duration::from_secs(3);

/// What the database layer is to use.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The run, whose schema is named after it; created and dropped.
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
    pub conditions: BTreeMap<String, Value>,
}

/// A database to measure.
pub struct Database {
    /// In the database of the load, for setting up.
    pub(crate) control: Connection,
    /// In another database where there is one, for looking while the load runs.
    pub(crate) observer: Statistics,
    pub(crate) address: Address,
    pub(crate) version: u32,
    pub(crate) settings: Settings,
    pub(crate) cpus: Cpus,
    pub(crate) schema: Schema,
    /// The server's data folder, where its files may be read.
    data_dir: Option<PathBuf>,
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
    pub fn connect(
        address: Address,
        settings: Settings,
        watch: Watch,
        stop: &Stop,
    ) -> Result<Database, DatabaseError> {
        let mut control = control(&address, stop)?;
        let Admitted { version, version_text, pool_bytes } =
            admission::look(&mut control, &address)?;
        let observer = observer(&address, &settings, version, stop)?;
        let processes = processes(&address, &control, &observer);
        let watch = watch.with_pids(ours(processes));
        let cpus = Cpus {
            server: settings.server_cpus.clone(),
            client: settings.client_cpus.clone(),
            quota: settings.cpu_quota,
            quota_covers_client: settings.quota_covers_client,
        };
        // The kernel's own way to the folder a server works in also leads into a container's files.
        let data_dir = settings.data_dir.clone().or_else(|| {
            let folder = PathBuf::from(format!("/proc/{}/cwd", processes?.postmaster()));
            folder.join("PG_VERSION").exists().then_some(folder)
        });
        let mut database = Database {
            control,
            observer,
            address,
            version,
            schema: Schema::of_run(&settings.run_id),
            data_dir,
            settings,
            cpus,
            table: None,
            tables: Vec::new(),
            processes,
            watch,
            server_settings: Value::Null,
            pool_bytes,
            stop: stop.clone(),
        };
        let encryption = database.control.encryption();
        let conditions = &mut database.settings.conditions;
        conditions.insert(condition::SERVER_VERSION.into(), json!(version_text));
        conditions.insert(condition::ENCRYPTION.into(), json!(encryption));
        let build = build(|sql| database.control.query(sql))?;
        if !build.is_empty() {
            let build: BTreeMap<String, String> = build.into_iter().collect();
            conditions.insert(condition::SERVER_BUILD.into(), json!(build));
        }
        database.server_settings = database.changed_settings()?;
        Ok(database)
    }

    /// After the same server was started again.
    pub(crate) fn connect_again(&mut self) -> Result<(), DatabaseError> {
        self.control = control(&self.address, &self.stop)?;
        self.observer = observer(&self.address, &self.settings, self.version, &self.stop)?;
        self.processes = processes(&self.address, &self.control, &self.observer);
        self.watch = std::mem::take(&mut self.watch).with_pids(ours(self.processes));
        Ok(())
    }

    /// Where the load goes.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Whether the server's processes are visible from here: without them there is no processor time per
    /// operation and no sum.
    pub fn sees_processes(&self) -> bool {
        self.processes.is_some()
    }

    /// Settings that differ from the server's defaults. Texts that may hold secrets or paths stay out.
    fn changed_settings(&mut self) -> Result<Value, DatabaseError> {
        let rows = self.control.query(
            "SELECT name, setting || coalesce(unit, '') FROM pg_settings \
             WHERE source NOT IN ('default', 'override', 'client') AND vartype <> 'string' ORDER BY name",
        )?;
        let pairs = rows.into_iter().filter_map(|row| {
            let mut row = row.into_iter();
            Some((row.next()??, Value::String(row.next()??)))
        });
        Ok(Value::Object(pairs.collect()))
    }

    /// Makes and loads the table.
    pub fn prepare(&mut self, ctx: &Context<'_>) -> Result<(), DatabaseError> {
        self.control.heed(Some(ctx.stop));
        for name in Schema::sweep(&mut self.control)? {
            let what = format!("removed {name}, left by a run that died");
            ctx.progress.phase(Layer::Database, Phase::Prepare, &what);
        }
        self.schema.create(&mut self.control)?;
        let block_bytes: u64 =
            self.control.one("SHOW block_size")?.and_then(|t| t.parse().ok()).unwrap_or(8192);
        let rows = (self.settings.table_bytes / block_bytes).max(1);
        let names: Vec<String> = match self.settings.private {
            None => vec!["rows".into()],
            Some(sessions) => (1..=sessions.max(1)).map(|n| format!("rows_{n}")).collect(),
        };
        let each = (rows / names.len() as u64).max(1);
        for (n, name) in names.iter().enumerate() {
            // Other contents in each, so that nothing below finds the same block twice.
            let ctx = Context { seed: ctx.seed.wrapping_add(n as u64), ..*ctx };
            let name = (self.schema.name(), name.as_str());
            let contents = self.settings.contents;
            self.tables.push(Table::create(&mut self.control, &ctx, name, each, contents)?);
        }
        self.table = self.tables.first().cloned();
        ctx.stop.check()?;
        ctx.progress.phase(Layer::Database, Phase::Settle, "a checkpoint");
        self.checkpoint()
    }

    /// A user's server may not grant it; there the writes settle by themselves, later.
    fn checkpoint(&mut self) -> Result<(), DatabaseError> {
        match self.control.execute("CHECKPOINT") {
            Err(error) if error.code() != Some("42501") => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// Removes everything this layer made, also from a server that was restarted meanwhile. A stop doesn't cut it
    /// short.
    pub fn clean_up(&mut self) -> Result<(), DatabaseError> {
        self.table = None;
        self.tables.clear();
        if self.settings.own_server {
            // It goes as a whole.
            return Ok(());
        }
        self.control.heed(None);
        let hurried = self.stop.is_set();
        self.schema.drop(&mut self.control, &self.address, hurried)?;
        // A run that was killed a moment before this one began still had its session in a long statement, and its lock, by then.
        match Schema::sweep(&mut self.control) {
            // What stays now is the next run's to remove, and this one's figures stand.
            Ok(_) | Err(_) => Ok(()),
        }
    }

    /// For what comes after the measurement, however it ended: no stop cuts it short, and a connection that was given up is
    /// replaced.
    pub(crate) fn undisturbed(&mut self) -> Result<&mut Connection, WireError> {
        if self.control.is_closed() {
            let options = [("application_name", "narrows control")];
            let login = Patience::within(AFTERWARDS);
            self.control = Connection::open_within(&self.address, &options, Vec::new(), login)?;
            self.control.end_with_us()?;
        }
        self.control.heed(None);
        // What was cut short may have left its transaction open; without one this is only a warning.
        self.control.execute("ROLLBACK")?;
        Ok(&mut self.control)
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
    pub fn tidy(&mut self) -> Result<(), DatabaseError> {
        for table in &self.tables {
            self.control.execute(&format!("VACUUM {}", table.name()))?;
        }
        self.checkpoint()
    }

    /// The files of the table and its index, if they can be kept out of memory.
    pub(crate) fn evictable(&mut self) -> Result<Vec<PathBuf>, DatabaseError> {
        let fail = |reason: String| DatabaseError::Evict { reason };
        let data_dir = self.data_dir.clone().ok_or_else(|| {
            fail("the server's data folder is not known or not on this machine".into())
        })?;
        let schema = self.schema.name();
        let relations = self.control.query(&format!(
            "SELECT pg_relation_filepath(c.oid) FROM pg_class c \
             JOIN pg_namespace n ON n.oid = c.relnamespace \
             WHERE n.nspname = '{schema}' AND c.relkind IN ('r', 'i')"
        ))?;
        let mut files = Vec::new();
        for path in relations.into_iter().flatten().flatten() {
            files.extend(segments(&data_dir, &path));
        }
        if files.is_empty() {
            return Err(fail(format!("no table file is visible below {}", data_dir.display())));
        }
        let resident = evict_once(&files)
            .map_err(|reason| fail(format!("its files can't be read: {reason}")))?;
        if resident > EVICTED {
            return Err(fail(format!(
                "{:.0} % of the table stayed in memory after it was told to go; the file system has a cache of its own",
                resident * 100.0
            )));
        }
        Ok(files)
    }
}

/// Has what the control connection did so far counted now, and not in the middle of a window: a session reports at most once a
/// second (before version 15 twice), and its transactions are no operation.
pub(crate) fn count_own(control: &mut Connection, version: u32) -> Result<(), WireError> {
    if version >= 150_000 {
        // Who may not is off by what the connection did in a second.
        return match control.execute("SELECT pg_stat_force_next_flush()") {
            Err(error) if error.code() != Some("42501") => Err(error),
            _ => Ok(()),
        };
    }
    std::thread::sleep(Duration::from_millis(500));
    control.execute("SELECT 1").map(drop)
}

fn control(address: &Address, stop: &Stop) -> Result<Connection, WireError> {
    let options = [("application_name", "narrows control")];
    let mut control = Connection::open_heeding(address, &options, &[stop])?;
    control.end_with_us()?;
    Ok(control)
}

fn observer(
    address: &Address,
    settings: &Settings,
    version: u32,
    stop: &Stop,
) -> Result<Statistics, WireError> {
    let database = settings.monitor_database.as_deref().unwrap_or(&address.database).to_string();
    let elsewhere = Address { database, ..address.clone() };
    let options = [("application_name", "narrows monitor")];
    let monitor = Connection::open_heeding(&elsewhere, &options, &[stop])?;
    Ok(Statistics::new(monitor, &address.database, version))
}

fn processes(
    address: &Address,
    control: &Connection,
    observer: &Statistics,
) -> Option<ServerProcesses> {
    let server =
        address.is_local().then(|| ServerProcesses::of_backend(control.pid())).flatten()?;
    Some(server.watched_by([control.pid(), observer.pid()]))
}

/// The server under test is not one of the "others" on this machine.
fn ours(server: Option<ServerProcesses>) -> Vec<u32> {
    server.map(|server| server.postmaster()).into_iter().chain(kernel_threads()).collect()
}

/// The parent of all kernel threads, where it is visible: what they do in a window is mostly the workload's own I/O.
fn kernel_threads() -> Vec<u32> {
    const PARENT: u32 = 2;
    let visible = narrows_facts::process::name(PARENT).as_deref() == Some("kthreadd");
    if visible { vec![PARENT] } else { Vec::new() }
}
