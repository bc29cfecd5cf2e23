//! One window of one variation: the load, and what watches the server and the machine meanwhile.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use narrows_engine::{Context, Window, now_ns};
use narrows_observe::{HostWindow, Watch};

use crate::access_pattern::AccessPattern;
use crate::counters::Counters;
use crate::database::Database;
use crate::error::DatabaseError;
use crate::evict::Evictor;
use crate::kind::{Observer, Server};
use crate::load::{self, LoadError, LoadPlan, LoadResult, Programs};
use crate::processes::{ServerProcesses, Used};
use crate::repeat_sample::{RepeatSample, Shape};
use crate::sampling::{self, Processes, Sampled};
use crate::scan;
use crate::task::Task;
use crate::variation::Variation;

/// A scan is given up after this long.
const LONGEST_SCAN: Duration = Duration::from_secs(900);

/// What sessions do in a window.
pub struct WindowLoad<'a> {
    /// Run-time settings of every session, `name = value`.
    pub settings: &'a [String],
    /// What the sessions do.
    pub programs: &'a dyn Programs,
    /// Unmeasured start of the load.
    pub warm_up: Duration,
    /// Whether reads of our own tables are counted apart from the rest.
    pub table_reads: bool,
    /// Seed.
    pub seed: u64,
}

impl Database {
    pub(crate) fn once_load(
        &mut self,
        ctx: &Context<'_>,
        task: &Task,
        variation: &Variation,
        seed: u64,
        files: Option<&[PathBuf]>,
    ) -> Result<(RepeatSample, Option<String>), DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let settings = self.server.session_settings(task, variation);
        let window = ctx.window;
        let statements = self.tables.iter().map(|table| {
            let statements = self.server.statements(task, table, 1)?;
            Ok(statements.into_iter().map(|planned| planned.sql).collect())
        });
        let statements = statements.collect::<Result<_, DatabaseError>>()?;
        let programs = AccessPattern::new(task, statements, self.rows_of(task, &table));
        let asked = WindowLoad {
            settings: &settings,
            programs: &programs,
            warm_up: (window / 4).clamp(Duration::from_millis(200), Duration::from_secs(2)),
            table_reads: files.is_some(),
            seed,
        };
        let evictor = match files {
            Some(files) => Some(
                Evictor::start(files, &self.cpus.client)
                    .map_err(|reason| DatabaseError::Evict { reason: reason.to_string() })?,
            ),
            None => None,
        };
        let shape = |load: &LoadResult| Shape {
            blocks: programs.blocks_per_operation(),
            ..Shape::of(task, load)
        };
        let (began, before_ns) = (Instant::now(), evictor.as_ref().map_or(0, Evictor::cpu_ns));
        let (mut once, hot) = self.load_window(ctx, variation, &asked, table.block_bytes, shape)?;
        let after_ns = evictor.as_ref().map_or(0, Evictor::cpu_ns);
        // It runs from before the first session until the last has gone; the window is its part of that.
        let share = once.window_ns / began.elapsed().as_nanos() as f64;
        once.evictor_cpu_ns = ((after_ns - before_ns) as f64 * share) as u64;
        drop(evictor);
        if task.is_scan() {
            once.parties = scanners(self.processes, &mut once.used, &once.sampled);
        }
        Ok((once, hot))
    }

    /// One window of a load: run, watched, counted before and after by the server itself. What it was, `shape` says from what came of it.
    ///
    /// # Errors
    /// A session or the observer failed, or a stop.
    pub fn load_window(
        &mut self,
        ctx: &Context<'_>,
        variation: &Variation,
        asked: &WindowLoad<'_>,
        block_bytes: u64,
        shape: impl FnOnce(&LoadResult) -> Shape,
    ) -> Result<(RepeatSample, Option<String>), DatabaseError> {
        let limit_ns = variation.limit_ns.unwrap_or(u64::MAX);
        let server_cpus = self.cpus_of(variation).server;
        let table_reads = |server: &mut dyn Server| match asked.table_reads {
            true => server.table_reads(),
            false => Ok(None),
        };
        self.server.before_window(variation)?;
        let reads_before = table_reads(&mut *self.server)?;
        if asked.table_reads {
            // What it read to look is counted now, too.
            self.server.before_window(variation)?;
        }
        let counters_before = Counters { table_reads: reads_before, ..self.observer.counters()? };
        let span_before = self.watch.snapshot();
        let plan = LoadPlan {
            server: self.kind.sessions(),
            settings: asked.settings,
            programs: asked.programs,
            sessions: variation.sessions,
            cpus: &self.cpus.client,
            open_rate_per_s: variation.open_rate_per_s,
            warm_up: asked.warm_up,
            window: ctx.window,
            seed: asked.seed,
        };
        let (observer, watch, processes) = (&mut *self.observer, &self.watch, self.processes);
        let (load, during) = load::run_within(&plan, limit_ns, ctx.stop, |window, pids| {
            observe(observer, watch, processes, &server_cpus, window, pids, ctx)
        })?;
        self.observer.settle()?;
        let counters_after = self.observer.counters()?;
        let span = self.watch.since(&span_before);
        let reads_after = table_reads(&mut *self.server)?;
        let counters_after = Counters { table_reads: reads_after, ..counters_after };
        let (used, sampled, seen, hot) = during;
        let once = RepeatSample {
            shape: shape(&load),
            sessions: variation.sessions,
            parties: f64::from(variation.sessions),
            load,
            window_ns: ctx.window.as_nanos() as f64,
            used,
            sampled,
            evictor_cpu_ns: 0,
            seen,
            span,
            counters: counters_after.since(&counters_before),
            setup_transactions: self.opening_transactions(variation, asked.settings),
            block_bytes: block_bytes as f64,
            offered_per_s: variation.open_rate_per_s,
        };
        Ok((once, hot))
    }

    fn opening_transactions(&self, variation: &Variation, settings: &[String]) -> f64 {
        f64::from(variation.sessions) * self.server.opening_transactions(settings.len())
    }

    pub(crate) fn once_scan(
        &mut self,
        ctx: &Context<'_>,
        task: &Task,
        variation: &Variation,
    ) -> Result<(RepeatSample, Option<String>), DatabaseError> {
        let table = self.table.clone().expect("prepare comes before measure");
        let settings = self.server.session_settings(task, variation);
        let statements = self.server.statements(task, &table, variation.workers)?;
        let statement = &statements[0].sql;
        self.server.before_window(variation)?;
        let counters_before = self.observer.counters()?;
        let span_before = self.watch.snapshot();
        let (observer, watch, processes) = (&mut *self.observer, &self.watch, self.processes);
        let (stop, server_cpus) = (ctx.stop, &self.cpus.server);
        let (load, window, during) =
            scan::run(&*self.kind, &settings, (statement, LONGEST_SCAN), stop, |pid, ended| {
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
                    .map(|(server, before)| server.used(&before, &server.read(), &[pid]));
                Ok((used, sampled))
            })?;
        let seen = watch.since(&span_before);
        self.observer.settle()?;
        let counters_after = self.observer.counters()?;
        let (mut used, sampled) = during;
        let parties = scanners(self.processes, &mut used, &sampled);
        let once = RepeatSample {
            shape: Shape::of(task, &load),
            sessions: 1,
            parties,
            load,
            window_ns: window.length_ns() as f64,
            used,
            sampled,
            evictor_cpu_ns: 0,
            span: seen.clone(),
            seen,
            counters: counters_after.since(&counters_before),
            setup_transactions: self.opening_transactions(variation, &settings),
            block_bytes: table.block_bytes as f64,
            offered_per_s: None,
        };
        Ok((once, None))
    }
}

/// How many processes scanned together, with their processor time and waiting put together.
fn scanners(processes: Option<ServerProcesses>, used: &mut Option<Used>, sampled: &Sampled) -> f64 {
    if let Some((processes, together)) = processes.zip(used.take()) {
        let mut together = processes.together(together);
        // The workers' run queue ends with them; they wait in the same queue as the leader.
        together.backend_run_delay_ns *= sampled.most_workers + 1;
        *used = Some(together);
    }
    sampled.most_workers as f64 + 1.0
}

type During = (Option<Used>, Sampled, HostWindow, Option<String>);

/// Watches one window: processes, machine, waits.
fn observe(
    observer: &mut dyn Observer,
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
    let used =
        processes.zip(before).map(|(server, before)| server.used(&before, &server.read(), pids));
    let seen = watch.since(&machine_before);
    let busiest = used.as_ref().and_then(|used| used.busiest);
    let hot = processes.zip(busiest).map(|(server, (pid, _))| server.name_of(pid));
    Ok((used, sampled, seen, hot))
}
