//! The server that a load runs on: one of our own, made and removed here, or somebody's, in a schema that goes again.

use anyhow::Result;
use narrows_engine::Phase;
use narrows_layer_database::{Contents, Database, Provisioner, ServerKind, Settings};
use narrows_model::{Conditions, DatabaseChoice, Layer, PlannedStep, Role, condition};
use narrows_observe::Watch;
use narrows_postgres::Address;
use narrows_postgres::server::{Cluster, Origin, ServerBinaries};
use serde_json::json;

use super::managed_server::{Installation, ManagedServer, ServerPlace, ServerSettings};
use super::sizes::CACHED_SHARE;
use super::{client, keep_going};
use crate::resolved::PlannedSession;
use crate::resolved::Resolved;
use crate::split::Split;
use crate::{layers, preflight, space_check};

/// Timed checkpoints this often: the shortest the server allows, so that two fall into the update windows.
const CHECKPOINT_S: u32 = 30;

/// Guesses for the plan: making, starting and ending a server takes so long, filling its tables so many bytes per second.
const MADE_S: f64 = 3.0;
const FILL_BYTES_PER_S: f64 = 200e6;

/// The tables that a load has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tables {
    /// Of a hundred bytes of padding those that are random.
    pub entropy_percent: u32,
    /// The part of the pool's size that workloads from the pool use, bytes.
    pub cached_bytes: u64,
    /// One for each of so many sessions; `None` is one for all.
    pub private: Option<u32>,
    /// Whether the load has planned errors, of which a log full would hide others.
    pub planned_errors: bool,
}

impl Tables {
    /// As `narrows run` has them.
    pub fn usual(resolved: &Resolved) -> Tables {
        let cached_bytes = resolved.plan.shared_buffers_bytes / CACHED_SHARE;
        Tables { entropy_percent: 100, cached_bytes, private: None, planned_errors: false }
    }
}

/// The step that makes and fills them.
pub fn planned(resolved: &Resolved) -> PlannedStep {
    let plan = &resolved.plan;
    let (what, writes_bytes) = match &plan.database {
        // Loading into the user's server goes through its log as well.
        DatabaseChoice::Url(address) => {
            (format!("a schema of narrows on {address}"), 5 * plan.table_bytes / 2)
        }
        _ if resolved.mariadb => {
            ("a private MariaDB instance".to_string(), 5 * plan.table_bytes / 2)
        }
        _ => ("a private PostgreSQL instance".to_string(), 5 * plan.table_bytes / 4),
    };
    let expected_s = MADE_S + plan.table_bytes as f64 / FILL_BYTES_PER_S;
    PlannedStep { layer: Layer::Database, what, expected_s, writes_bytes }
}

/// What is measured on it, once it is there; a server of our own may be ended and started again.
pub type Body<'a> = &'a mut dyn FnMut(
    &mut PlannedSession<'_, '_>,
    &mut Database,
    Option<&mut dyn Provisioner>,
) -> Result<()>;

/// Connects to the server that the plan names, or makes it, and lets `body` measure on it; whatever was made is removed.
pub fn on(session: &mut PlannedSession<'_, '_>, tables: &Tables, body: Body<'_>) -> Result<()> {
    match session.resolved.address.clone() {
        Some(address) => on_theirs(session, address, tables, body),
        None => on_ours(session, tables, body),
    }
}

/// Refuses folders that don't take a server of ours.
///
/// # Errors
/// One takes no files, or has too little room.
pub fn check_dirs(resolved: &Resolved) -> Result<()> {
    preflight::folder(&resolved.data_dir, "--data")?;
    preflight::folder(&resolved.wal_dir, "--wal")?;
    space_check::check(resolved)
}

fn on_ours(session: &mut PlannedSession<'_, '_>, tables: &Tables, body: Body<'_>) -> Result<()> {
    let resolved = session.resolved;
    let stop = session.stop;
    check_dirs(resolved)?;
    session.ui.phase(Layer::Database, Phase::Prepare, "a private PostgreSQL instance");
    let installation = Installation::find(session, resolved.postgres.as_deref())?;
    let place = ServerPlace {
        data: &resolved.data_dir,
        wal: &resolved.wal_dir,
        name: "db",
        cpus: &session.split.server.clone(),
    };
    let settings = server_settings(resolved, tables);
    let mut server = ManagedServer::start(session, &installation, place, &settings)?;
    let address = server.make_load_database(stop)?;
    session.socket = Some(address.clone());
    let outcome = client::measure(session, &address);
    let outcome = keep_going(session, "database.client", outcome).and_then(|()| {
        let cluster = &mut server.cluster;
        let data_dir = Some(cluster.data_dir().into());
        let found = conditions(&installation.found, cluster);
        measure(session, (address.clone(), true), data_dir, found, (tables, Some(cluster), body))
    });
    // A server that died or crashed explains everything that failed after it.
    let health = if stop.is_set() { Ok(()) } else { server.cluster.check() };
    session.ui.phase(Layer::Database, Phase::CleanUp, "the server");
    server.end();
    health?;
    outcome
}

fn server_settings(resolved: &Resolved, tables: &Tables) -> ServerSettings {
    let plan = &resolved.plan;
    let workers = 2 * scan_workers(&resolved.split);
    let mut more = vec![
        ("track_io_timing", "on".to_string()),
        ("max_worker_processes", (workers + 8).to_string()),
        ("max_parallel_workers", workers.max(8).to_string()),
    ];
    if tables.planned_errors {
        more.push(("log_min_messages", "log".into()));
    }
    ServerSettings {
        shared_buffers_mb: plan.shared_buffers_bytes >> 20,
        checkpoint_timeout: format!("{CHECKPOINT_S}s"),
        max_wal_mb: space_check::max_wal_bytes(resolved) >> 20,
        connections: 2 * plan.sessions + 20,
        replicates: false,
        more,
    }
}

fn conditions(found: &ServerBinaries, cluster: &Cluster) -> Conditions {
    let origin = match found.origin {
        Origin::Given => "given",
        Origin::Packaged => "packaged",
        Origin::Bundle => "bundle",
    };
    let mut conditions = Conditions::default();
    conditions.insert(condition::ORIGIN, origin);
    conditions.insert(condition::SERVER_BUILD, json!(found.version_text));
    if let Some(build) = &found.build {
        conditions.insert(condition::SERVER_BUILD_OPTIONS, json!(build));
    }
    if let Some(source) = &found.source {
        conditions.insert(condition::SERVER_SOURCE, json!(source));
    }
    if let Some(checksums) = cluster.data_checksums() {
        conditions.insert(condition::DATA_CHECKSUMS, json!(checksums));
    }
    conditions
}

fn on_theirs(
    session: &mut PlannedSession<'_, '_>,
    address: Address,
    tables: &Tables,
    body: Body<'_>,
) -> Result<()> {
    let mut conditions = Conditions::default();
    conditions.insert(condition::ORIGIN, "user");
    if let Some(found) = &session.resolved.found {
        conditions.insert(condition::SERVER_QUOTA_CPUS, json!(found.quota_cpus));
        if found.limits_hidden {
            conditions.insert(condition::SERVER_LIMITS, "hidden");
        }
    }
    let local = address.is_local();
    measure(session, (address, local), None, conditions, (tables, None, body))
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
pub fn scan_workers(split: &Split) -> u32 {
    (split.server.len() as u32).clamp(2, 64)
}

/// Connects to the server and lets `body` measure on it; whether it is on this machine is said with it.
pub(super) fn measure(
    session: &mut PlannedSession<'_, '_>,
    (kind, local): (impl ServerKind + Send + 'static, bool),
    data_dir: Option<std::path::PathBuf>,
    conditions: Conditions,
    (tables, ours, body): (&Tables, Option<&mut dyn Provisioner>, Body<'_>),
) -> Result<()> {
    let resolved = session.resolved;
    let own_server = resolved.plan.database == DatabaseChoice::Managed;
    let found = resolved.found.as_ref();
    let settings = Settings {
        run_id: session.run.id.clone(),
        monitor_database: own_server.then(|| Cluster::DATABASE.to_string()),
        table_bytes: resolved.plan.table_bytes,
        cached_bytes: tables.cached_bytes,
        contents: Contents { entropy_percent: tables.entropy_percent },
        private: tables.private,
        memory_bytes: local.then_some(resolved.platform.memory.total_bytes),
        cache_bytes: local
            .then(|| narrows_layer_memory::last_level_bytes(&resolved.platform.caches))
            .flatten(),
        server_cpus: if own_server {
            session.split.server.clone()
        } else {
            found.map_or_else(|| resolved.platform.cpu.online.clone(), |found| found.cpus.clone())
        },
        client_cpus: session.split.client.clone(),
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
        Some(found) => found.watch(&resolved.platform, &drives),
        None => Watch::new(&resolved.platform, &drives),
    };
    let mut database = Database::connect(kind, settings, watch, session.stop)?;
    if !database.sees_processes() {
        session.ui.say(
            "note: the server's processes are not visible from here: no CPU time per operation, no sums",
        );
    }
    let outcome = body(session, &mut database, ours);
    session.ui.phase(Layer::Database, Phase::CleanUp, "our schema");
    if let Err(error) = database.clean_up() {
        // Said also where the run was stopped and nothing else is.
        session.ui.say(&format!("warning: {error}"));
    }
    outcome
}
