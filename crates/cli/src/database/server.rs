//! The server that a load runs on: one of our own, made and removed here, or somebody's, in a schema that goes again.

use std::collections::BTreeMap;

use anyhow::Result;
use narrows_engine::{Phase, Progress, Scratch};
use narrows_layer_database::{Contents, Database, Provisioner, Settings};
use narrows_model::{DatabaseChoice, Layer, PlannedStep, Role, condition};
use narrows_observe::Watch;
use narrows_postgres::server::{self, Cluster, Found, Options, Origin, ServerUser};
use narrows_postgres::{Address, Connection, Endpoint};
use serde_json::{Value, json};

use super::keep_going;
use crate::plan::Resolved;
use crate::run::Session;
use crate::{client, layers, room};

/// The load's database on a server of our own.
const LOAD_DATABASE: &str = "narrows_load";
/// The cached workloads use this part of the buffer pool.
pub const CACHED_SHARE: u64 = 4;
/// Timed checkpoints this often: the shortest the server allows, so that two fall into the update windows.
const CHECKPOINT_S: u32 = 30;

/// The tables that a load has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tables {
    /// Of a hundred bytes of padding those that are random.
    pub entropy_percent: u32,
    /// The part of the pool's size that workloads from the pool use, bytes.
    pub cached_bytes: u64,
    /// One for each of so many sessions; `None` is one for all.
    pub private: Option<u32>,
}

impl Tables {
    /// As `narrows run` has them.
    pub fn usual(resolved: &Resolved) -> Tables {
        let cached_bytes = resolved.plan.shared_buffers_bytes / CACHED_SHARE;
        Tables { entropy_percent: 100, cached_bytes, private: None }
    }
}

/// The step that makes and fills them.
pub fn planned(resolved: &Resolved) -> PlannedStep {
    let plan = &resolved.plan;
    let (what, writes_bytes) = match &plan.database {
        // Loading into the user's server goes through its log as well.
        DatabaseChoice::Url(address) => {
            (format!("a schema of our own on {address}"), 5 * plan.table_bytes / 2)
        }
        _ => ("a PostgreSQL of our own".to_string(), 5 * plan.table_bytes / 4),
    };
    let expected_s = 8.0 + plan.table_bytes as f64 / 100e6;
    PlannedStep { layer: Layer::Database, what, expected_s, writes_bytes }
}

/// What is measured on it, once it is there; a server of our own may be ended and started again.
pub type Body<'a> =
    &'a mut dyn FnMut(&mut Session<'_>, &mut Database, Option<&mut dyn Provisioner>) -> Result<()>;

/// Connects to the server that the plan names, or makes it, and lets `body` measure on it; whatever was made is removed.
pub fn on(session: &mut Session<'_>, tables: &Tables, body: Body<'_>) -> Result<()> {
    match session.resolved.address.clone() {
        Some(address) => on_theirs(session, address, tables, body),
        None => on_ours(session, tables, body),
    }
}

fn on_ours(session: &mut Session<'_>, tables: &Tables, body: Body<'_>) -> Result<()> {
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
    let plain = Address { database: Cluster::DATABASE.into(), ..address.clone() };
    Connection::open_heeding(&plain, &[], &[stop])?
        .execute(&format!("CREATE DATABASE {LOAD_DATABASE}"))?;
    let outcome = client::measure(session, &address);
    let outcome = keep_going(session, "database.client", outcome).and_then(|()| {
        let data_dir = Some(cluster.data_dir().into());
        let found = conditions(&found, &cluster);
        measure(session, address.clone(), data_dir, found, (tables, Some(&mut cluster), body))
    });
    // A server that died or crashed explains everything that failed after it.
    let health = if stop.is_set() { Ok(()) } else { cluster.check() };
    session.display.phase(Layer::Database, Phase::CleanUp, "the server");
    let _ = cluster.stop();
    health?;
    outcome
}

pub fn find_server(session: &Session<'_>, user: &ServerUser) -> Result<Found> {
    let display = session.display;
    let mut fetch = || {
        let cache = narrows_bundle::default_cache_dir()
            .unwrap_or_else(|| std::env::temp_dir().join("narrows-cache"));
        narrows_bundle::ensure(&cache, &|| session.stop.is_set(), &mut |got, all| {
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
    if plan.workloads == ["orders"] {
        // Its planned rollbacks are errors, and a log full of them would hide others.
        settings.push(("log_min_messages", "log".into()));
    }
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

fn on_theirs(
    session: &mut Session<'_>,
    address: Address,
    tables: &Tables,
    body: Body<'_>,
) -> Result<()> {
    let mut conditions = BTreeMap::from([("origin".to_string(), json!("user"))]);
    if let Some(found) = &session.resolved.found {
        conditions.insert(condition::SERVER_QUOTA_CPUS.into(), json!(found.quota_cpus));
    }
    measure(session, address, None, conditions, (tables, None, body))
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
pub fn scan_workers(resolved: &Resolved) -> u32 {
    (resolved.split.server.len() as u32).clamp(2, 64)
}

fn measure(
    session: &mut Session<'_>,
    address: Address,
    data_dir: Option<std::path::PathBuf>,
    conditions: BTreeMap<String, Value>,
    (tables, ours, body): (&Tables, Option<&mut dyn Provisioner>, Body<'_>),
) -> Result<()> {
    let resolved = session.resolved;
    let own_server = resolved.plan.database == DatabaseChoice::Managed;
    let found = resolved.found.as_ref();
    let local = own_server || address.is_local();
    let settings = Settings {
        run_id: session.run.id.clone(),
        monitor_database: own_server.then(|| Cluster::DATABASE.to_string()),
        table_bytes: resolved.plan.table_bytes,
        cached_bytes: tables.cached_bytes,
        contents: Contents { entropy_percent: tables.entropy_percent },
        private: tables.private,
        memory_bytes: local.then_some(resolved.platform.memory.total_bytes),
        server_cpus: if own_server {
            resolved.split.server.clone()
        } else {
            found.map_or_else(|| resolved.platform.cpu.online.clone(), |found| found.cpus.clone())
        },
        client_cpus: resolved.split.client.clone(),
        cpu_quota: match found {
            Some(found) => found.quota_cpus,
            None => resolved.platform.cgroup.cpu_quota_cpus,
        },
        quota_covers_client: found.is_none_or(|found| found.with_us),
        data_dir,
        claim_bytes: claim_bytes(resolved),
        own_server,
        conditions,
    };
    let drives = layers::drives(resolved, &[Role::Data, Role::Wal]);
    let watch = match found {
        Some(found) => found.watch(resolved, &drives),
        None => Watch::new(&resolved.platform, &drives),
    };
    let mut database = Database::connect(address, settings, watch, session.stop)?;
    if !database.sees_processes() {
        session.display.say(
            "note: the server's processes are not visible from here: no processor time per operation, no sums",
        );
    }
    let outcome = body(session, &mut database, ours);
    session.display.phase(Layer::Database, Phase::CleanUp, "our schema");
    if let Err(error) = database.clean_up() {
        // Said also where the run was stopped and nothing else is.
        session.display.say(&format!("warning: {error}"));
    }
    outcome
}
