//! A database that is measured: its control connection, its table, and the loop over repeats.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::{Context, Phase, Samples, Window, now_ns};
use narrows_model::{Layer, Measurement, Replication, condition};
use narrows_observe::{Seen, Watch};
use serde_json::{Value, json};

use crate::address::Address;
use crate::admission::{self, Admitted};
use crate::counters;
use crate::error::DatabaseError;
use crate::evict::{Evictor, evict_once, segments};
use crate::filling::Filling;
use crate::load::{self, LoadError, LoadPlan};
use crate::once::{Cpus, Once};
use crate::processes::{ServerProcesses, Used, title};
use crate::sampling::{self, Processes, Sampled};
use crate::scan;
use crate::schema::Schema;
use crate::session::APPLICATION_NAME;
use crate::table::Table;
use crate::variation::{Variation, Workload};
use crate::wire::Connection;

/// Share of the table's files that may stay in memory after an eviction.
const EVICTED: f64 = 0.02;
/// A scan is given up after this long.
const LONGEST_SCAN: Duration = Duration::from_secs(900);

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
    /// Processors the server may use, as far as known.
    pub server_cpus: Vec<u32>,
    /// Processors of the client.
    pub client_cpus: Vec<u32>,
    /// Quota of the control group that client and server are in, processors.
    pub cpu_quota: Option<f64>,
    /// The server's data folder, where its files may be read.
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
    control: Connection,
    /// In another database where there is one, for looking while the load runs.
    monitor: Connection,
    address: Address,
    version: u32,
    settings: Settings,
    cpus: Cpus,
    schema: Schema,
    table: Option<Table>,
    processes: Option<ServerProcesses>,
    watch: Watch,
    server_settings: Value,
}

impl Database {
    /// Connects and learns the version; changes nothing.
    pub fn connect(
        address: Address,
        settings: Settings,
        watch: Watch,
    ) -> Result<Database, DatabaseError> {
        let mut control = Connection::open(&address, &[("application_name", "narrows control")])?;
        let Admitted { version, version_text } = admission::look(&mut control, &address)?;
        let processes =
            address.is_local().then(|| ServerProcesses::of_backend(control.pid())).flatten();
        // The server under test is not one of the "others" on this machine.
        let watch = match processes {
            Some(server) => watch.with_pids([vec![server.postmaster()], kernel_threads()].concat()),
            None => watch.with_pids(kernel_threads()),
        };
        let cpus = Cpus {
            server: settings.server_cpus.clone(),
            client: settings.client_cpus.clone(),
            quota: settings.cpu_quota,
        };
        let elsewhere = Address {
            database: settings.monitor_database.clone().unwrap_or(address.database.clone()),
            ..address.clone()
        };
        let monitor = Connection::open(&elsewhere, &[("application_name", "narrows monitor")])?;
        let mut database = Database {
            control,
            monitor,
            address,
            version,
            schema: Schema::of_run(&settings.run_id),
            settings,
            cpus,
            table: None,
            processes,
            watch,
            server_settings: Value::Null,
        };
        database.settings.conditions.insert(condition::SERVER_VERSION.into(), json!(version_text));
        database.server_settings = database.changed_settings()?;
        Ok(database)
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
        self.table = Some(Table::create(&mut self.control, ctx, self.schema.name(), rows)?);
        Ok(())
    }

    /// Removes everything this layer made, also from a server that was restarted meanwhile. A stop doesn't cut it
    /// short.
    pub fn clean_up(&mut self) -> Result<(), DatabaseError> {
        self.table = None;
        if self.settings.own_server {
            // It goes as a whole.
            return Ok(());
        }
        self.control.heed(None);
        Ok(self.schema.drop(&mut self.control, &self.address)?)
    }

    /// Size of the table, bytes; zero before [`Database::prepare`].
    pub fn table_bytes(&self) -> u64 {
        self.table.as_ref().map_or(0, |table| table.bytes)
    }

    /// Removes what updates left in the table and writes everything out, so that a scan finds nothing to tidy on its
    /// way; the checkpoint only where the server grants it.
    pub fn tidy(&mut self) -> Result<(), DatabaseError> {
        if let Some(table) = &self.table {
            self.control.execute(&format!("VACUUM {}", table.name()))?;
        }
        match self.control.execute("CHECKPOINT") {
            Err(error) if error.code() != Some("42501") => Err(error.into()),
            _ => Ok(()),
        }
    }

    /// The files of the table and its index, if they can be kept out of memory.
    fn evictable(&mut self) -> Result<Vec<PathBuf>, DatabaseError> {
        let fail = |reason: String| DatabaseError::Evict { reason };
        let data_dir = self.settings.data_dir.clone().ok_or_else(|| {
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

    /// Runs the variations interleaved (forward, then backward, and so on), so that what changes over time
    /// hits all of them alike, and returns a measurement for each.
    pub fn measure(
        &mut self,
        ctx: &Context<'_>,
        workload: Workload,
        variations: &[Variation],
    ) -> Result<Vec<Measurement>, DatabaseError> {
        let outcome = self.interleave(ctx, workload, variations);
        // However it ended, the server gets its processors back.
        if variations.iter().any(|variation| !variation.server_cpus.is_empty()) {
            self.move_server(&self.cpus.server);
        }
        outcome
    }

    fn interleave(
        &mut self,
        ctx: &Context<'_>,
        workload: Workload,
        variations: &[Variation],
    ) -> Result<Vec<Measurement>, DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let statement = workload.statement(&table.name());
        for variation in variations {
            let settings = variation.settings(workload);
            let wanted = workload.expected_plan(variation.workers);
            table.verify_plan(&mut self.control, &settings, &statement, wanted)?;
        }
        let files = match workload {
            Workload::LookupUncached | Workload::Scan => Some(self.evictable()?),
            Workload::LookupCached | Workload::Update => {
                ctx.progress.phase(Layer::Database, Phase::WarmUp, "the buffer pool");
                let rows = self.cached_rows(&table);
                table.warm(&mut self.control, rows)?;
                None
            }
        };
        let mut filling: Vec<Filling> = variations
            .iter()
            .map(|variation| self.begin(workload, variation, &statement))
            .collect();
        for repeat in 0..ctx.repeats {
            let mut order: Vec<usize> = (0..variations.len()).collect();
            if repeat % 2 == 1 {
                order.reverse();
            }
            for index in order {
                ctx.stop.check()?;
                let variation = &variations[index];
                let detail = format!("{} {}/{}", variation.id, repeat + 1, ctx.repeats);
                ctx.progress.phase(Layer::Database, Phase::Measure, &detail);
                if !variation.server_cpus.is_empty() || variations.len() > 1 {
                    let cpus = if variation.server_cpus.is_empty() {
                        self.cpus.server.clone()
                    } else {
                        variation.server_cpus.clone()
                    };
                    self.move_server(&cpus);
                }
                let seed = ctx.seed ^ (u64::from(repeat) << 32) ^ index as u64;
                let resident =
                    match &files {
                        Some(files) => Some(evict_once(files).map_err(|reason| {
                            DatabaseError::Evict { reason: reason.to_string() }
                        })?),
                        None => None,
                    };
                if workload == Workload::Scan {
                    self.claim(ctx);
                }
                let before = narrows_observe::sentinel();
                let (once, hot) = match workload {
                    Workload::Scan => self.once_scan(ctx, variation, &statement)?,
                    _ => self.once_load(
                        ctx,
                        workload,
                        variation,
                        &statement,
                        seed,
                        files.as_deref(),
                    )?,
                };
                let drift = narrows_observe::sentinel().0 as f64 / before.0.max(1) as f64 - 1.0;
                filling[index].take(repeat, &once, &self.cpus_of(variation), hot, resident, drift);
            }
        }
        Ok(filling.into_iter().map(Filling::finish).collect())
    }

    /// The pages that the scan's reads are about to fill. Lookups take theirs from small free blocks, which are not
    /// reported to the host.
    fn claim(&self, ctx: &Context<'_>) {
        if let Some(bytes) = self.settings.claim_bytes {
            // Without it the scan is slower, and the spread of its repeats says so.
            let _ = narrows_facts::claim(bytes, &|| !ctx.stop.is_set());
        }
    }

    fn cached_rows(&self, table: &Table) -> u64 {
        (self.settings.cached_bytes / table.block_bytes).clamp(1, table.rows)
    }

    fn cpus_of(&self, variation: &Variation) -> Cpus {
        let mut cpus = self.cpus.clone();
        if !variation.server_cpus.is_empty() {
            cpus.server = variation.server_cpus.clone();
        }
        cpus
    }

    /// Moves all processes of a server of our own; new sessions inherit from the main process.
    fn move_server(&self, cpus: &[u32]) {
        let Some(processes) = self.processes.filter(|_| self.settings.own_server) else { return };
        for pid in processes.pids() {
            // A process may end between the listing and the call.
            let _ = narrows_facts::affinity::pin_pid(pid, cpus);
        }
    }

    fn once_load(
        &mut self,
        ctx: &Context<'_>,
        workload: Workload,
        variation: &Variation,
        statement: &str,
        seed: u64,
        files: Option<&[PathBuf]>,
    ) -> Result<(Once, Option<String>), DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let settings = variation.settings(workload);
        let keys = match workload {
            Workload::LookupUncached => table.rows,
            _ => self.cached_rows(&table),
        };
        let window = ctx.window;
        let plan = LoadPlan {
            address: &self.address,
            settings: &settings,
            statement,
            keys,
            sessions: variation.sessions,
            cpus: &self.cpus.client,
            open_rate_per_s: variation.open_rate_per_s,
            warm_up: (window / 4).clamp(Duration::from_millis(200), Duration::from_secs(2)),
            window,
            seed,
        };
        let evictor = match files {
            Some(files) => Some(
                Evictor::start(files)
                    .map_err(|reason| DatabaseError::Evict { reason: reason.to_string() })?,
            ),
            None => None,
        };
        let server_cpus = self.cpus_of(variation).server;
        let counters_before =
            counters::read(&mut self.monitor, &self.address.database, self.version)?;
        let span_before = self.watch.snapshot();
        let (monitor, watch, processes) = (&mut self.monitor, &self.watch, self.processes);
        let (load, during) = load::run(&plan, ctx.stop, |window, pids| {
            observe(monitor, watch, processes, &server_cpus, window, pids, ctx)
        })?;
        drop(evictor);
        counters::settle(&mut self.monitor, self.version)?;
        let counters_after =
            counters::read(&mut self.monitor, &self.address.database, self.version)?;
        let span = self.watch.snapshot().since(&span_before);
        let (used, sampled, seen, hot) = during;
        let once = Once {
            sessions: variation.sessions,
            parties: f64::from(variation.sessions),
            load,
            window_ns: window.as_nanos() as f64,
            used,
            sampled,
            seen,
            span,
            counters: counters_after.since(&counters_before),
            setup_transactions: setup_transactions(variation.sessions, settings.len()),
            block_bytes: table.block_bytes as f64,
            offered_per_s: variation.open_rate_per_s,
        };
        Ok((once, hot))
    }

    fn once_scan(
        &mut self,
        ctx: &Context<'_>,
        variation: &Variation,
        statement: &str,
    ) -> Result<(Once, Option<String>), DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let settings = variation.settings(Workload::Scan);
        let counters_before =
            counters::read(&mut self.monitor, &self.address.database, self.version)?;
        let span_before = self.watch.snapshot();
        let (monitor, watch, processes) = (&mut self.monitor, &self.watch, self.processes);
        let (stop, server_cpus) = (ctx.stop, &self.cpus.server);
        let (load, window, during) =
            scan::run(&self.address, &settings, statement, stop, |pid, ended| {
                let before = processes.map(|server| server.read());
                let start_ns = now_ns();
                let limit = Window { start_ns, end_ns: start_ns + LONGEST_SCAN.as_nanos() as u64 };
                let sampled = sampling::sample(
                    monitor,
                    APPLICATION_NAME,
                    if processes.is_some() { Processes::Named } else { Processes::Hidden },
                    server_cpus,
                    &limit,
                    stop,
                    ended,
                )?;
                let used = processes
                    .zip(before)
                    .map(|(server, before)| server.read().since(&before, &[pid]));
                Ok((used, sampled))
            })?;
        let seen = watch.snapshot().since(&span_before);
        counters::settle(&mut self.monitor, self.version)?;
        let counters_after =
            counters::read(&mut self.monitor, &self.address.database, self.version)?;
        let (mut used, sampled) = during;
        if let Some(used) = &mut used {
            // The leader and its workers are the scan; nearly nothing else runs on our server. The workers' run
            // queue ends with them; they wait in the same queue as the leader.
            used.backend_cpu_ns = used.total_cpu_ns;
            used.backend_run_delay_ns *= sampled.most_workers + 1;
        }
        let once = Once {
            sessions: 1,
            parties: sampled.most_workers as f64 + 1.0,
            load,
            window_ns: window.length_ns() as f64,
            used,
            sampled,
            span: seen.clone(),
            seen,
            counters: counters_after.since(&counters_before),
            setup_transactions: setup_transactions(variation.sessions, settings.len()),
            block_bytes: table.block_bytes as f64,
            offered_per_s: None,
        };
        Ok((once, None))
    }

    fn begin(&self, workload: Workload, variation: &Variation, statement: &str) -> Filling {
        let mut measurement = Measurement::new(&variation.id, Layer::Database);
        measurement.replication = Replication::PerWindow;
        let table = self.table.as_ref().expect("prepare comes before measure");
        let say = &mut measurement.workload;
        say.insert("workload".into(), json!(workload.word()));
        say.insert("statement".into(), json!(statement.replace(self.schema.name(), "narrows")));
        say.insert("settings".into(), json!(variation.settings(workload)));
        let open = variation.open_rate_per_s.is_some();
        say.insert(condition::LOOP.into(), json!(if open { "open" } else { "closed" }));
        say.insert(condition::SESSIONS.into(), json!(variation.sessions));
        say.insert("table_bytes".into(), json!(table.bytes));
        say.insert(
            "keys".into(),
            json!(match workload {
                Workload::LookupUncached | Workload::Scan => table.rows,
                _ => self.cached_rows(table),
            }),
        );
        if workload == Workload::Scan {
            say.insert(condition::WORKERS.into(), json!(variation.workers));
        }
        let cpus = self.cpus_of(variation);
        let found = &mut measurement.conditions;
        found.extend(self.settings.conditions.clone());
        found.insert(condition::SERVER_CPUS.into(), json!(cpus.server));
        found.insert(condition::CLIENT_CPUS.into(), json!(cpus.client));
        found.insert(condition::CPUS_SHARED.into(), json!(cpus.shared()));
        found.insert("server_settings".into(), self.server_settings.clone());
        found.insert("autovacuum_on_table".into(), json!(false));
        if let Some(intervention) = &variation.intervention {
            found.insert(condition::INTERVENTION.into(), json!(intervention));
        }
        if let Some(baseline) = &variation.baseline {
            found.insert(condition::BASELINE.into(), json!(baseline));
        }
        match workload {
            Workload::LookupUncached | Workload::Scan => {
                found.insert(condition::UNCACHED_BY.into(), json!("eviction"));
                found.insert(condition::METHOD.into(), json!("buffered"));
            }
            _ => {}
        }
        if let (Workload::Scan, Some(bytes)) = (workload, self.settings.claim_bytes) {
            found.insert("memory_claimed_bytes".into(), json!(bytes));
        }
        Filling {
            measurement,
            samples: Samples::new(),
            sampled: Sampled::default(),
            hot: None,
            scan_bytes: (workload == Workload::Scan).then_some(table.bytes),
            workers: variation.workers,
        }
    }
}

/// The parent of all kernel threads, where it is visible: what they do in a window is mostly the workload's own I/O.
fn kernel_threads() -> Vec<u32> {
    const PARENT: u32 = 2;
    let visible = narrows_facts::process::name(PARENT).as_deref() == Some("kthreadd");
    if visible { vec![PARENT] } else { Vec::new() }
}

/// A session's own start, each of its settings, and preparing are transactions too.
fn setup_transactions(sessions: u32, settings: usize) -> f64 {
    f64::from(sessions) * (settings as f64 + 2.0)
}

type During = (Option<Used>, Sampled, Seen, Option<String>);

/// Watches one window: processes, machine, waits.
fn observe(
    monitor: &mut Connection,
    watch: &Watch,
    processes: Option<ServerProcesses>,
    server_cpus: &[u32],
    window: &Window,
    pids: &[u32],
    ctx: &Context<'_>,
) -> Result<During, LoadError> {
    window.wait_start(ctx.stop)?;
    let before = processes.map(|server| server.read());
    let machine_before = watch.snapshot();
    let visible = match processes {
        Some(_) => Processes::Fixed(pids),
        None => Processes::Hidden,
    };
    let sampled = sampling::sample(
        monitor,
        APPLICATION_NAME,
        visible,
        server_cpus,
        window,
        ctx.stop,
        || false,
    )?;
    window.wait_end(ctx.stop)?;
    let used = processes.zip(before).map(|(server, before)| server.read().since(&before, pids));
    let seen = watch.snapshot().since(&machine_before);
    let hot = used.as_ref().and_then(|used| used.busiest).map(|(pid, _)| title(pid));
    Ok((used, sampled, seen, hot))
}
