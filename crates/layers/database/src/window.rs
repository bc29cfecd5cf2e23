//! One window of one variation: the load, and what watches the server and the machine meanwhile.

use std::path::PathBuf;
use std::time::Duration;

use narrows_engine::{Context, Window, now_ns};
use narrows_observe::{Seen, Watch};

use crate::database::{Database, count_own};
use crate::drawn::Drawn;
use crate::error::DatabaseError;
use crate::evict::Evictor;
use crate::kind::Observer;
use crate::load::{self, LoadError, LoadPlan};
use crate::once::{Once, Shape};
use crate::processes::{ServerProcesses, Used, title};
use crate::sampling::{self, Processes, Sampled};
use crate::scan;
use crate::table::Table;
use crate::task::Task;
use crate::variation::Variation;

/// A scan is given up after this long.
const LONGEST_SCAN: Duration = Duration::from_secs(900);

impl Database {
    pub(crate) fn once_load(
        &mut self,
        ctx: &Context<'_>,
        task: &Task,
        variation: &Variation,
        seed: u64,
        files: Option<&[PathBuf]>,
    ) -> Result<(Once, Option<String>), DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let settings = task.settings(variation);
        let window = ctx.window;
        let names: Vec<String> = self.tables.iter().map(Table::name).collect();
        let programs = Drawn::new(task, &names, self.rows_of(task, &table));
        let plan = LoadPlan {
            address: &self.address,
            settings: &settings,
            programs: &programs,
            sessions: variation.sessions,
            cpus: &self.cpus.client,
            open_rate_per_s: variation.open_rate_per_s,
            warm_up: (window / 4).clamp(Duration::from_millis(200), Duration::from_secs(2)),
            window,
            seed,
        };
        let limit_ns = variation.limit_ns.unwrap_or(u64::MAX);
        let evictor = match files {
            Some(files) => Some(
                Evictor::start(files)
                    .map_err(|reason| DatabaseError::Evict { reason: reason.to_string() })?,
            ),
            None => None,
        };
        let server_cpus = self.cpus_of(variation).server;
        count_own(&mut self.control, self.version)?;
        let counters_before = self.observer.counters()?;
        let span_before = self.watch.snapshot();
        let (observer, watch, processes) = (&mut self.observer, &self.watch, self.processes);
        let (load, during) = load::run_within(&plan, limit_ns, ctx.stop, |window, pids| {
            observe(observer, watch, processes, &server_cpus, window, pids, ctx)
        })?;
        drop(evictor);
        self.observer.settle()?;
        let counters_after = self.observer.counters()?;
        let span = self.watch.since(&span_before);
        let (mut used, sampled, seen, hot) = during;
        let parties = match task.is_scan() {
            true => scanners(&mut used, &sampled),
            false => f64::from(variation.sessions),
        };
        let once = Once {
            shape: Shape { blocks: programs.blocks_per_operation(), ..Shape::of(task, &load) },
            sessions: variation.sessions,
            parties,
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

    pub(crate) fn once_scan(
        &mut self,
        ctx: &Context<'_>,
        task: &Task,
        variation: &Variation,
    ) -> Result<(Once, Option<String>), DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let settings = task.settings(variation);
        let statement = &task.statements(&table.name(), variation.workers)[0].sql;
        count_own(&mut self.control, self.version)?;
        let counters_before = self.observer.counters()?;
        let span_before = self.watch.snapshot();
        let (observer, watch, processes) = (&mut self.observer, &self.watch, self.processes);
        let (stop, server_cpus) = (ctx.stop, &self.cpus.server);
        let (load, window, during) =
            scan::run(&self.address, &settings, (statement, LONGEST_SCAN), stop, |pid, ended| {
                let before = processes.map(|server| server.read());
                let start_ns = now_ns();
                let limit = Window { start_ns, end_ns: start_ns + LONGEST_SCAN.as_nanos() as u64 };
                let sampled = sampling::sample(
                    observer,
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
        let seen = watch.since(&span_before);
        self.observer.settle()?;
        let counters_after = self.observer.counters()?;
        let (mut used, sampled) = during;
        let parties = scanners(&mut used, &sampled);
        let once = Once {
            shape: Shape::of(task, &load),
            sessions: 1,
            parties,
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
}

/// How many processes scanned together, with their processor time and waiting put together.
fn scanners(used: &mut Option<Used>, sampled: &Sampled) -> f64 {
    if let Some(used) = used {
        // The leader and its workers are the scan; nearly nothing else runs on our server. The workers' run
        // queue ends with them; they wait in the same queue as the leader.
        used.backend_cpu_ns = used.total_cpu_ns;
        used.backend_run_delay_ns *= sampled.most_workers + 1;
    }
    sampled.most_workers as f64 + 1.0
}

/// A session's own start, the look at what it was given, each of its settings, and preparing are transactions too.
pub(crate) fn setup_transactions(sessions: u32, settings: usize) -> f64 {
    f64::from(sessions) * (settings as f64 + 3.0)
}

pub(crate) type During = (Option<Used>, Sampled, Seen, Option<String>);

/// Watches one window: processes, machine, waits.
pub(crate) fn observe(
    observer: &mut impl Observer,
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
    let sampled = sampling::sample(observer, visible, server_cpus, window, ctx.stop, || false)?;
    window.wait_end(ctx.stop)?;
    let used = processes.zip(before).map(|(server, before)| server.read().since(&before, pids));
    let seen = watch.since(&machine_before);
    let hot = used.as_ref().and_then(|used| used.busiest).map(|(pid, _)| title(pid));
    Ok((used, sampled, seen, hot))
}
