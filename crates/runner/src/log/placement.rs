//! What a workload that is measured with its log in one place would commit with it in another, and, where it is
//! asked for, what it does.
//!
//! Everything takes turns within each repeat, forwards in the even ones and backwards in the odd ones: the database on the
//! first place (with `--prove` on each), the emulated log writer and a short ladder on each. So what drifts meets all of them. What
//! follows from it is drawn by the verdicts' crate from the run alone.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context as _, Result};
use narrows_engine::{Context, Scratch, Stop};
use narrows_layer_database::{Turns, Variation};
use narrows_layer_wal::{
    LogMediumSpec, Places as LogMediumSpecs, PlacesPlan, Work, on_places, planned_places,
};
use narrows_model::{
    CommitWork, DatabaseChoice, Layer, Measurement, Plan, PlannedStep, Platform, RolePath, Unknown,
    Workload,
};
use narrows_verdict::placement::{database_id, free_id, place_name, work, working_id};
use serde_json::json;

use super::placed::{self, DATA_BYTES, PlacedServer};
use super::places::Places;
use super::segments::{CACHED_BYTES, LogSize};
use crate::block::folder;
use crate::database::managed_server::Installation;
use crate::exit::Answers;
use crate::guard;
use crate::preflight;
use crate::prepared::{self, Prepared};
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::log::PlacementRequest;
use crate::session::{Ended, Session};
use crate::split::{self, CostRatio, Split};
use crate::ui::Ui;

/// One window of a step.
const STEP: Duration = Duration::from_millis(200);
/// Windows in which the emulation's work is fitted to the database's.
const FITTING: u32 = 3;
/// Windows of the database from which that work is taken.
const DEMANDS: u32 = 4;
/// Starting a server, loading its table, and filling its log.
const SERVER_S: f64 = 7.0;
/// A window of the database besides itself: its warm-up is a quarter, and sessions open and end.
const DATABASE_S: f64 = 0.7;
/// The log's segment of ours.
const SEGMENT_BYTES: u64 = 64 << 20;

/// The workload with its log in each of the places.
pub struct Placement {
    request: PlacementRequest,
    places: Places,
    split: Split,
    prepared: Prepared,
}

impl Program for Placement {
    type Request = PlacementRequest;

    fn options(request: &PlacementRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &PlacementRequest, _: &dyn Ui) -> Result<Placement> {
        let places = Places::find(request)?;
        let split = split::split(&places.platform, CostRatio::PUBLISHED);
        let prepared = prepared(request, &places, &split);
        Ok(Placement { request: request.clone(), places, split, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.prepared.describe()
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.places.folders()
    }

    fn admit(&mut self, load_here: bool, ui: &dyn Ui) -> Result<()> {
        let servers = servers(&self.request, &self.places) as u64;
        let log_bytes = log_size(&self.request).needed_bytes();
        let wal = |at: usize| SEGMENT_BYTES + if (at as u64) < servers { log_bytes } else { 0 };
        let less = ", or use a shorter --window or fewer --sessions";
        self.places.room(servers * DATA_BYTES, wal, less)?;
        guard::storage(&self.prepared.platform, &self.folders(), load_here, ui)
    }

    fn check(&self) -> Result<()> {
        preflight::folder(&self.places.data, "--data")?;
        self.places
            .wal
            .iter()
            .try_for_each(|folder| preflight::folder(folder, self.places.option))?;
        Installation::check(self.request.postgres.as_deref(), &self.folders())
    }

    fn server_checks(&self) -> Vec<String> {
        Installation::in_words(self.request.postgres.as_deref()).into_iter().collect()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        measure(session, &self.request, &self.places, &self.split)
    }

    fn answers(&self) -> Answers {
        Answers::Named(answers(&self.request, &self.places))
    }
}

/// On how many places the database runs: the first ones.
fn servers(request: &PlacementRequest, places: &Places) -> usize {
    if request.prove { places.wal.len() } else { 1 }
}

/// What the answer rests on; places in memory are no part of it.
fn answers(request: &PlacementRequest, places: &Places) -> Vec<String> {
    let mut ids = Vec::new();
    let durable = places.paths().enumerate().filter(|(_, path)| path.in_memory().is_none());
    for (at, _) in durable {
        ids.push(working_id(&place_name(at)));
        if at < servers(request, places) {
            ids.push(database_id(&place_name(at)));
        }
    }
    ids
}

fn log_size(request: &PlacementRequest) -> LogSize {
    LogSize::of(request.sessions, windows(request).0)
}

fn windows(request: &PlacementRequest) -> (Duration, Duration) {
    let database = Duration::from_nanos(request.window.0);
    (database, database / 2)
}

fn prepared(request: &PlacementRequest, places: &Places, split: &Split) -> Prepared {
    let shown: Vec<String> = places.wal.iter().map(|folder| folder.display().to_string()).collect();
    let mut plan = Plan {
        layers: vec![Layer::Log],
        data_dir: places.data.display().to_string(),
        wal_dir: shown.join(", "),
        database: DatabaseChoice::Managed,
        workloads: vec![Workload::Update.word().to_string()],
        sessions: request.sessions,
        repeats: request.repeats,
        seed: request.options.seed(),
        table_bytes: DATA_BYTES,
        shared_buffers_bytes: 128 << 20,
        server_cpus: split.server.clone(),
        client_cpus: split.client.clone(),
        ..Plan::default()
    };
    plan.steps = steps(request, places, &plan);
    let title = format!("WAL in {}, data files in {}", plan.wal_dir, plan.data_dir);
    Prepared { title, plan, platform: places.platform.clone() }
}

fn steps(request: &PlacementRequest, places: &Places, plan: &Plan) -> Vec<PlannedStep> {
    let stop = Stop::new();
    let (database, emulation) = windows(request);
    let ctx = prepared::ahead(plan, &stop, emulation);
    let servers = servers(request, places) as u64;
    let taken = servers * u64::from(request.repeats) + u64::from(DEMANDS);
    // Once at the start and once before the first repeat; again where the log needs it, at most before each window.
    let (warm_ups, most_warm_ups) = (2 * servers, servers + taken);
    let window_s = database.as_secs_f64() * 1.25;
    let size = log_size(request);
    let step = |what: String, expected_s: f64, writes_bytes: u64| PlannedStep {
        layer: Layer::Database,
        what,
        expected_s,
        writes_bytes,
    };
    let started = match servers {
        1 => "start a private PostgreSQL instance with WAL on the first location".to_string(),
        n => format!("start {n} private PostgreSQL instances, each with WAL on another location"),
    };
    vec![
        step(started, servers as f64 * SERVER_S, servers * (DATA_BYTES + size.most_bytes())),
        step(
            format!("{} sessions that update and commit", request.sessions),
            (taken + warm_ups) as f64 * (window_s + DATABASE_S),
            taken * size.window_bytes + most_warm_ups * (size.warm_up_bytes + CACHED_BYTES),
        ),
        planned_places(
            (u64::from(request.repeats), STEP.as_secs_f64()),
            (u64::from(request.repeats), &ctx),
            places.wal.len() as u64,
        ),
    ]
}

/// A database and its measurement in the making.
struct Running {
    server: PlacedServer,
    turns: Turns,
}

impl Running {
    fn finish(self) -> Measurement {
        let mut measurement = self.turns.finish();
        let recycled = json!(self.server.recycled());
        measurement.conditions.insert(narrows_model::condition::LOG_RECYCLED_TIMES, recycled);
        measurement
    }
}

/// The log's segments again, and a warm-up, on every server alike.
fn refresh(ctx: &Context<'_>, running: &mut [Running]) -> Result<()> {
    running.iter_mut().try_for_each(|running| running.server.refresh(ctx))
}

/// The same where one of them has too little of its log ready for the next repeat.
fn ready(ctx: &Context<'_>, running: &mut [Running]) -> Result<()> {
    for at in 0..running.len() {
        if running[at].server.is_short_of_log()? {
            return refresh(ctx, running);
        }
    }
    Ok(())
}

fn measure(
    session: &mut Session<'_>,
    request: &PlacementRequest,
    places: &Places,
    split: &Split,
) -> Result<Ended> {
    let mut running = start(session, request, places, split)?;
    let (database, emulation) = windows(request);
    let free = without_flushes(&session.context(database), request, &mut running[0].server)?;
    // The first server has used up segments that the others still have.
    refresh(&session.context(database), &mut running)?;
    let demand = work(&free).context(
        "the server's processes are not visible here, so the time of a commit cannot be divided into parts\nhint: mount /proc without hidepid, or run as the server's user",
    )?;
    let scratch: Vec<Scratch> = places
        .wal
        .iter()
        .map(|folder| Scratch::create(folder, &format!("{}-log", session.run.id)))
        .collect::<Result<_, _>>()?;
    let pids: Vec<u32> = running.iter().filter_map(|running| running.server.pid()).collect();
    let log_places: Vec<LogMediumSpec> = places
        .paths()
        .zip(&scratch)
        .enumerate()
        .map(|(at, (path, scratch))| log_place(places, (at, path), scratch, &pids))
        .collect();
    let plan = PlacesPlan {
        sessions: request.sessions,
        bytes_per_commit: (demand.wal_bytes.round() as u64).max(1),
        cpus: split.server.clone(),
        client_cpus: split.client.clone(),
    };
    let log = session.context(emulation);
    let taken = on_places::<anyhow::Error>(&log, &log_places, &plan, |logs| {
        let work = fit(&log, logs, &demand)?;
        for repeat in 0..request.repeats {
            ready(&Context { window: database, ..log }, &mut running)?;
            let mut order: Vec<usize> = (0..log_places.len()).collect();
            if repeat % 2 == 1 {
                order.reverse();
            }
            for at in order {
                if let Some(Running { server, turns }) = running.get_mut(at) {
                    server.turn(&Context { window: database, ..log }, turns)?;
                }
                logs.working(&log, at, work)?;
                logs.steps(&Context { window: STEP, ..log }, at)?;
            }
        }
        Ok(())
    });
    // A server that died explains everything that failed after it.
    for running in running.iter().filter(|_| !session.stop.is_set()) {
        running.server.check()?;
    }
    let taken = taken?;
    let mut measurements: Vec<Measurement> = running.into_iter().map(Running::finish).collect();
    measurements.push(free);
    measurements.extend(taken.measurements);
    session.unknown_first(taken.absent.into_iter().map(|absent| Unknown {
        what: format!("the ladder's {}", absent.what),
        needs: absent.reason,
    }));
    session.add(measurements);
    Ok(Ended::Whole)
}

/// Starts the servers and warms each.
fn start(
    session: &Session<'_>,
    request: &PlacementRequest,
    places: &Places,
    split: &Split,
) -> Result<Vec<Running>> {
    let installation = Installation::find(session, request.postgres.as_deref())?;
    let ctx = session.context(windows(request).0);
    let mut running = Vec::new();
    for (at, path) in places.paths().enumerate().take(servers(request, places)) {
        let how = (split, log_size(request));
        let mut server = PlacedServer::start(session, places, (at, path), &installation, how)
            .with_context(|| format!("no database with WAL in {}", path.path))?;
        server.warm(&ctx)?;
        let commits = Variation::closed(database_id(&place_name(at)), request.sessions);
        let turns = server.begin(&ctx, commits)?;
        running.push(Running { server, turns });
    }
    Ok(running)
}

/// The workload on the first place with fsync off: what a commit takes besides the log, and about what a log without flushes gives.
fn without_flushes(
    ctx: &Context<'_>,
    request: &PlacementRequest,
    server: &mut PlacedServer,
) -> Result<Measurement> {
    let variation = Variation {
        intervention: Some("fsync_off".into()),
        baseline: Some(database_id(&place_name(0))),
        ..Variation::closed(free_id(), request.sessions)
    };
    let mut turns = server.begin(ctx, variation)?;
    server.set_fsync(false)?;
    for _ in 0..DEMANDS {
        if server.is_short_of_log()? {
            server.refresh(ctx)?;
        }
        server.turn(ctx, &mut turns)?;
    }
    server.set_fsync(true)?;
    Ok(turns.finish())
}

fn log_place(
    places: &Places,
    (at, path): (usize, &RolePath),
    scratch: &Scratch,
    pids: &[u32],
) -> LogMediumSpec {
    LogMediumSpec {
        name: place_name(at),
        folder: scratch.path().to_path_buf(),
        asked: path.path.clone(),
        device: path.devices.first().map(|device| PathBuf::from("/dev").join(&device.name)),
        // The servers are ours, and not somebody else's load.
        watch: placed::watch(places, &[path]).with_pids(folder::kernel_and(pids)),
    }
}

/// The work with which the emulation's sessions and clients take the processor time that the database's were measured to take, both
/// without a flush: what handing over costs is not work, and only the emulation can tell it.
fn fit(ctx: &Context<'_>, logs: &mut LogMediumSpecs<'_>, demand: &CommitWork) -> Result<Work> {
    let mut work = Work {
        cpu_ns: demand.cpu_ns as u64,
        client_ns: demand.client_cpu_ns as u64,
        waits_ns: demand.waits_ns as u64,
    };
    let less = |wanted: f64, took: f64, work: u64| {
        let handing_over = (took - work as f64).max(0.0);
        (wanted - handing_over).max(0.0) as u64
    };
    for _ in 0..FITTING {
        let worked = logs.free(ctx, work)?;
        work.cpu_ns = less(demand.cpu_ns, worked.session_cpu_ns, work.cpu_ns);
        work.client_ns = less(demand.client_cpu_ns, worked.client_cpu_ns, work.client_ns);
    }
    Ok(work)
}
