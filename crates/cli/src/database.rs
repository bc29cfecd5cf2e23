//! The database layer's turn: a server (ours or the user's), the workloads, the log ladder at the sizes they
//! showed, and the test of each verdict.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Result, anyhow};
use narrows_engine::{Context, Phase, Progress, Scratch};
use narrows_layer_database::server::{self, Cluster, Found, Options, Origin, ServerUser};
use narrows_layer_database::{
    Address, Connection, Database, DatabaseError, Endpoint, Settings, Variation, Workload,
};
use narrows_model::{DatabaseChoice, Layer, Measurement, PlannedStep, Role, metric};
use narrows_observe::Watch;
use narrows_verdict::Intervention;
use serde_json::{Value, json};

use crate::plan::Resolved;
use crate::report::judge;
use crate::run::{Interrupted, Session};
use crate::{client, cpus, layers, room};

/// The load's database on a server of our own.
const LOAD_DATABASE: &str = "narrows_load";
/// Share of the closed loop's rate at which percentiles are taken in an open loop.
const OPEN_SHARE: f64 = 0.7;
/// The cached workloads use this part of the buffer pool.
const CACHED_SHARE: u64 = 4;
/// Timed checkpoints this often: the shortest the server allows, so that two fall into the update windows.
const CHECKPOINT_S: u32 = 30;
/// One window of a lone session.
const SHORT: Duration = Duration::from_millis(1500);
/// One window of a test or of its baseline.
const TEST: Duration = Duration::from_millis(2500);
/// What one repeat costs besides its window: warm-up, sessions opening and ending, eviction.
const OVERHEAD_S: f64 = 0.7;
/// Guess at a scan's rate for the plan, bytes per second.
const SCAN_BYTES_PER_S: f64 = 700e6;

/// The steps for the printed plan.
pub fn planned(resolved: &Resolved) -> Vec<PlannedStep> {
    let plan = &resolved.plan;
    let repeats = f64::from(plan.repeats);
    let once = |window: Duration| repeats * (window.as_secs_f64() + OVERHEAD_S);
    let tests = if plan.quick { 0.0 } else { 2.0 * once(TEST) };
    let lookups = once(resolved.database_window) * 2.0 + once(SHORT) + tests;
    let updates =
        once(resolved.update_window) + once(resolved.database_window) + once(SHORT) + tests;
    let scan_s = plan.table_bytes as f64 / SCAN_BYTES_PER_S;
    let scans = repeats * (scan_s + OVERHEAD_S) * if plan.quick { 2.0 } else { 4.0 };
    let server = match &plan.database {
        DatabaseChoice::Url(address) => format!("a schema of our own on {address}"),
        _ => "a PostgreSQL of our own".to_string(),
    };
    let step = |what: String, expected_s, writes_bytes| PlannedStep {
        layer: Layer::Database,
        what,
        expected_s,
        writes_bytes,
    };
    // Loading into the user's server goes through its log as well.
    let load = match plan.database {
        DatabaseChoice::Url(_) => 5 * plan.table_bytes / 2,
        _ => 5 * plan.table_bytes / 4,
    };
    let load_s = 8.0 + plan.table_bytes as f64 / 100e6;
    let ladder_s = if resolved.has(Layer::Log) { 4.0 * once(resolved.window) } else { 0.0 };
    let mut steps = vec![step(server, load_s, load)];
    steps.extend(client::planned(resolved));
    for (workload, what, expected_s, writes) in [
        (Workload::LookupCached, "lookup, cached", lookups, 0),
        (Workload::LookupUncached, "lookup, uncached", lookups, 0),
        (
            Workload::Update,
            "update, with the log ladder at its flush size",
            updates + ladder_s,
            plan.table_bytes,
        ),
        (Workload::Scan, "scan with 1 and n workers", scans, 0),
    ] {
        if resolved.runs(workload) {
            steps.push(step(what.into(), expected_s, writes));
        }
    }
    steps
}

/// Runs the layer if it was asked for.
pub fn execute(session: &mut Session<'_>) -> Result<(), Interrupted> {
    if !session.resolved.has(Layer::Database) {
        return Ok(());
    }
    let outcome = match session.resolved.address.clone() {
        Some(address) => on_theirs(session, address),
        None => on_ours(session),
    };
    match outcome {
        Ok(()) => Ok(()),
        Err(error) => session.absent("database", error),
    }
}

fn on_ours(session: &mut Session<'_>) -> Result<()> {
    let resolved = session.resolved;
    let stop = session.stop;
    room::check(resolved)?;
    let user = ServerUser::choose()?;
    session.display.phase(Layer::Database, Phase::Prepare, "a PostgreSQL of our own");
    let found = find_server(session, &user)?;
    let id = format!("{}-db", session.run.id);
    let data = Scratch::create(&resolved.data_dir, &id)?;
    // Two roles on one folder share its scratch; else the log's lies where the log would.
    let wal = if resolved.wal_dir == resolved.data_dir {
        None
    } else {
        Some(Scratch::create(&resolved.wal_dir, &id)?)
    };
    let data_dir = data.path().join("data");
    let wal_dir = wal.as_ref().unwrap_or(&data).path().join("wal");
    let settings = server_settings(resolved, &found);
    let options = Options {
        settings: &settings,
        cpus: &resolved.split.server,
        ..Options::new(&data_dir, &wal_dir)
    };
    let mut cluster = Cluster::create(&found, &user, &options, stop)?;
    cluster.start(stop)?;
    let address = Address {
        endpoint: Endpoint::Unix { folder: cluster.socket_dir().into(), port: cluster.port() },
        user: Cluster::USER.into(),
        password: None,
        database: LOAD_DATABASE.into(),
    };
    Connection::open(&Address { database: Cluster::DATABASE.into(), ..address.clone() }, &[])?
        .execute(&format!("CREATE DATABASE {LOAD_DATABASE}"))?;
    let outcome = client::measure(session, &address);
    let outcome = keep_going(session, "database.client", outcome).and_then(|()| {
        measure(session, address, Some(cluster.data_dir().into()), conditions(&found, &cluster))
    });
    // A server that died or crashed explains everything that failed after it.
    let health = if stop.is_set() { Ok(()) } else { cluster.check() };
    session.display.phase(Layer::Database, Phase::CleanUp, "the server");
    let _ = cluster.stop();
    health?;
    outcome
}

fn find_server(session: &Session<'_>, user: &ServerUser) -> Result<Found> {
    let display = session.display;
    let mut fetch = || {
        let cache = narrows_bundle::default_cache_dir()
            .unwrap_or_else(|| std::env::temp_dir().join("narrows-cache"));
        narrows_bundle::ensure(&cache, &mut |got, all| {
            let detail =
                format!("PostgreSQL bundle, {} of {} MB", got / 1_000_000, all / 1_000_000);
            display.phase(Layer::Database, Phase::Prepare, &detail);
        })
    };
    Ok(server::find(session.resolved.postgres.as_deref(), user, Some(&mut fetch))?)
}

fn server_settings(resolved: &Resolved, found: &Found) -> Vec<(String, String)> {
    let plan = &resolved.plan;
    let workers = 2 * scan_workers(resolved);
    let mut settings: Vec<(&str, String)> = vec![
        ("shared_buffers", format!("{}MB", plan.shared_buffers_bytes >> 20)),
        // The whole durability of a production server; only what would disturb single windows is off.
        ("fsync", "on".into()),
        ("full_page_writes", "on".into()),
        ("synchronous_commit", "on".into()),
        ("wal_level", "minimal".into()),
        ("max_wal_senders", "0".into()),
        ("checkpoint_timeout", format!("{CHECKPOINT_S}s")),
        ("max_wal_size", format!("{}MB", room::max_wal_bytes(resolved) >> 20)),
        ("autovacuum", "off".into()),
        ("track_io_timing", "on".into()),
        ("max_connections", (2 * plan.sessions + 20).to_string()),
        ("max_worker_processes", (workers + 8).to_string()),
        ("max_parallel_workers", workers.max(8).to_string()),
    ];
    if found.version.major >= 14 {
        settings.push(("track_wal_io_timing", "on".into()));
    }
    settings.into_iter().map(|(name, value)| (name.to_string(), value)).collect()
}

fn conditions(found: &Found, cluster: &Cluster) -> BTreeMap<String, Value> {
    let origin = match found.origin {
        Origin::Given => "given",
        Origin::Packaged => "packaged",
        Origin::Bundle => "bundle",
    };
    let mut conditions = BTreeMap::from([
        ("origin".to_string(), json!(origin)),
        ("server_build".to_string(), json!(found.version_text)),
    ]);
    if let Some(build) = &found.build {
        conditions.insert("server_build_options".into(), json!(build));
    }
    if let Some(source) = &found.source {
        conditions.insert("server_source".into(), json!(source));
    }
    if let Some(checksums) = cluster.data_checksums() {
        conditions.insert("data_checksums".into(), json!(checksums));
    }
    conditions
}

fn on_theirs(session: &mut Session<'_>, address: Address) -> Result<()> {
    let conditions = BTreeMap::from([("origin".to_string(), json!("user"))]);
    measure(session, address, None, conditions)
}

/// Memory to claim before each scan: as much as the table fills, where the hypervisor takes back what an eviction
/// frees, and no more than half of what a control group still allows.
fn claim_bytes(resolved: &Resolved) -> Option<u64> {
    let platform = &resolved.platform;
    platform.memory.free_page_reporting.filter(|&reports| reports)?;
    let used = platform.cgroup.memory_used_bytes.unwrap_or(0);
    let room = platform.cgroup.memory_limit_bytes.map(|limit| limit.saturating_sub(used) / 2);
    Some(resolved.plan.table_bytes.min(room.unwrap_or(u64::MAX)))
}

/// Processes of the scan with many: one per server processor, at least two.
fn scan_workers(resolved: &Resolved) -> u32 {
    (resolved.split.server.len() as u32).clamp(2, 64)
}

fn measure(
    session: &mut Session<'_>,
    address: Address,
    data_dir: Option<std::path::PathBuf>,
    conditions: BTreeMap<String, Value>,
) -> Result<()> {
    let resolved = session.resolved;
    let own_server = resolved.plan.database == DatabaseChoice::Managed;
    let settings = Settings {
        run_id: session.run.id.clone(),
        monitor_database: own_server.then(|| Cluster::DATABASE.to_string()),
        table_bytes: resolved.plan.table_bytes,
        cached_bytes: resolved.plan.shared_buffers_bytes / CACHED_SHARE,
        server_cpus: if own_server {
            resolved.split.server.clone()
        } else {
            resolved.platform.cpu.online.clone()
        },
        client_cpus: resolved.split.client.clone(),
        cpu_quota: resolved.platform.cgroup.cpu_quota_cpus,
        data_dir,
        claim_bytes: claim_bytes(resolved),
        own_server,
        conditions,
    };
    let watch = Watch::new(&resolved.platform, &layers::drives(resolved, &[Role::Data, Role::Wal]));
    let mut database = Database::connect(address, settings, watch)?;
    if !database.sees_processes() {
        session.display.say(
            "note: the server's processes are not visible from here: no processor time per operation, no sums",
        );
    }
    let outcome = workloads(session, &mut database);
    session.display.phase(Layer::Database, Phase::CleanUp, "our schema");
    if let Err(error) = database.clean_up() {
        // Said also where the run was stopped and nothing else is.
        session.display.say(&format!("warning: {error}"));
    }
    outcome
}

fn workloads(session: &mut Session<'_>, database: &mut Database) -> Result<()> {
    let ctx = session.resolved.context(session.stop, session.display);
    database.prepare(&ctx)?;
    for workload in [Workload::LookupCached, Workload::LookupUncached, Workload::Update] {
        if !session.resolved.runs(workload) {
            continue;
        }
        let outcome = transactions(session, database, workload);
        keep_going(session, workload.word(), outcome)?;
    }
    if !session.resolved.runs(Workload::Scan) {
        return Ok(());
    }
    let outcome = database.tidy().map_err(anyhow::Error::from);
    let outcome = outcome.and_then(|()| scans(session, database));
    keep_going(session, "scan", outcome)
}

/// A workload that can't be had is absent; a stop ends the layer.
fn keep_going(session: &mut Session<'_>, what: &str, outcome: Result<()>) -> Result<()> {
    match outcome {
        Err(error) => {
            session.absent(what, error).map_err(|Interrupted| anyhow!("stopped on request"))
        }
        Ok(()) => Ok(()),
    }
}

/// Runs variations and keeps what they gave.
fn take(
    session: &mut Session<'_>,
    database: &mut Database,
    ctx: &Context<'_>,
    workload: Workload,
    variations: &[Variation],
) -> Result<Vec<Measurement>, DatabaseError> {
    let measured = database.measure(ctx, workload, variations)?;
    session.add(measured.clone());
    Ok(measured)
}

fn transactions(
    session: &mut Session<'_>,
    database: &mut Database,
    workload: Workload,
) -> Result<()> {
    let resolved = session.resolved;
    let sessions = resolved.plan.sessions;
    let id = format!("database.{}", workload.word());
    let ctx = resolved.context(session.stop, session.display);
    let window = match workload {
        Workload::Update => resolved.update_window,
        _ => resolved.database_window,
    };
    let long = Context { window, ..ctx };
    let short = Context { window: SHORT.min(resolved.database_window), ..ctx };
    let closed = [Variation::closed(&id, sessions)];
    let measured = take(session, database, &long, workload, &closed)?;
    let alone = [Variation::closed(format!("{id}.alone"), 1)];
    take(session, database, &short, workload, &alone)?;
    if workload == Workload::Update {
        ladder(session, &measured[0]);
    }
    if let Some(rate) = measured[0].value(metric::THROUGHPUT).filter(|&rate| rate > 0.0) {
        let mut open = Variation::closed(format!("{id}.open"), sessions);
        open.open_rate_per_s = Some(rate * OPEN_SHARE);
        let medium = Context { window: resolved.database_window, ..ctx };
        take(session, database, &medium, workload, &[open])?;
    }
    let tests = Context { window: TEST.min(resolved.database_window), ..ctx };
    prove(session, database, &tests, workload, &closed[0])
}

/// The log ladder at the workload's own session count and flush size, on the processors the server uses.
fn ladder(session: &mut Session<'_>, update: &Measurement) {
    let Some(bytes) = update.value(metric::WAL_BYTES_PER_OP) else { return };
    let outcome = layers::commit_ladder(session, bytes.max(1.0) as u64);
    if let Err(error) = outcome {
        // A stop is noticed by the next window.
        let _ = session.absent("log.commit", error);
    }
}

fn scans(session: &mut Session<'_>, database: &mut Database) -> Result<()> {
    let ctx = session.resolved.context(session.stop, session.display);
    let many = Variation::scan("database.scan_n", scan_workers(session.resolved));
    let both = [Variation::scan("database.scan_1", 1), many.clone()];
    take(session, database, &ctx, Workload::Scan, &both)?;
    prove(session, database, &ctx, Workload::Scan, &many)
}

/// Tests the verdict by the intervention it proposes, interleaved with its own baseline.
fn prove(
    session: &mut Session<'_>,
    database: &mut Database,
    ctx: &Context<'_>,
    workload: Workload,
    base: &Variation,
) -> Result<()> {
    if session.resolved.plan.quick {
        return Ok(());
    }
    let mut so_far = session.run.clone();
    judge(&mut so_far);
    let Some(intervention) = narrows_verdict::propose(&so_far, &base.id) else { return Ok(()) };
    let baseline =
        Variation { id: format!("{}.base", intervention.measurement_id(&base.id)), ..base.clone() };
    let mut test = Variation {
        id: intervention.measurement_id(&base.id),
        intervention: Some(intervention.word().into()),
        baseline: Some(baseline.id.clone()),
        ..base.clone()
    };
    intervene(&mut test, intervention, session.resolved);
    take(session, database, ctx, workload, &[baseline, test])?;
    Ok(())
}

fn intervene(test: &mut Variation, intervention: Intervention, resolved: &Resolved) {
    let split = &resolved.split;
    match intervention {
        Intervention::SessionsX2 => test.sessions *= 2,
        Intervention::SyncOff => test.synchronous_commit = false,
        Intervention::WorkersX2 => test.workers *= 2,
        Intervention::FewerCpus => {
            test.server_cpus = cpus::fewer(&split.server, &resolved.platform);
        }
        Intervention::MoreCpus => {
            test.server_cpus = split.server.iter().chain(&split.client).copied().collect();
        }
    }
}
