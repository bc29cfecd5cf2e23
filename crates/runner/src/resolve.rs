//! From what was asked for to what will be done: folders, sizes, processors, repeats, minutes and bytes, all
//! decided before anything is measured.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Stop;
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Role, Workload};
use narrows_postgres::observe::Monitor;
use narrows_postgres::{Admitted, admit};
use narrows_units::{Bytes, shown};

use crate::database::external_server::LocalServer;
use crate::least_load::{self, LeastLoad};
use crate::named_folder::folder;
use crate::request::database::DatabaseTarget;
use crate::request::machine::MachineRequest;
use crate::resolved::Resolved;
use crate::split::{self, CostRatio};
use crate::ui::Ui;
use crate::{captures, database, failure, layers, prepared};

/// Where the roles are when nobody says: on a drive, writable for everybody, reachable for the server's user.
const DEFAULT_DIR: &str = "/var/tmp";
const MIB: u64 = Bytes::MIB.0;
const GIB: u64 = Bytes::GIB.0;

/// Decides everything.
pub fn resolve(request: &MachineRequest, ui: &dyn Ui) -> Result<Resolved> {
    let data_dir = folder(request.data.as_deref().unwrap_or(Path::new(DEFAULT_DIR)), "--data")?;
    let wal_dir = match &request.wal {
        Some(path) => folder(path, "--wal")?,
        None => data_dir.clone(),
    };
    let roles = [(Role::Data, data_dir.as_path()), (Role::Wal, wal_dir.as_path())];
    let platform = match &request.facts {
        None => narrows_platform::discover(&narrows_facts::Live, &roles),
        Some(capture) => captures::filled(capture, &roles, ui)?,
    };
    let (choice, address) = match &request.database {
        DatabaseTarget::Managed { .. } | DatabaseTarget::MariaDb => (DatabaseChoice::Managed, None),
        DatabaseTarget::None => (DatabaseChoice::None, None),
        DatabaseTarget::Url(address) => {
            (DatabaseChoice::Url(address.to_string()), Some(address.clone()))
        }
    };
    let split = split::split(&platform, cost_ratio(request));
    let server = split.server.len() as u32;
    let memory = memory_bytes(&platform);
    let free = |role: Role| {
        let path = platform.roles.iter().find(|path| path.role == role);
        path.and_then(|path| path.file_system.free_bytes).unwrap_or(u64::MAX)
    };
    let quick = request.quick;
    // An eighth of the free space, so that a small volume stays usable while we run.
    let room = free(Role::Data) / 8;
    let caches_bytes = narrows_layer_memory::last_level_bytes(&platform.caches);
    let machine = database::sizes::Machine { memory_bytes: memory, room_bytes: room, caches_bytes };
    let sizes = database::sizes::of(machine, quick);
    let mut plan = Plan {
        quick,
        layers: layers_of(request),
        data_dir: data_dir.display().to_string(),
        wal_dir: wal_dir.display().to_string(),
        database: choice,
        workloads: request.workloads.iter().map(|w| w.word().to_string()).collect(),
        sessions: request.sessions.unwrap_or((2 * server).clamp(8, 256)),
        repeats: if quick { 3 } else { 6 },
        seed: request.options.seed(),
        file_bytes: (if quick { GIB } else { 4 * GIB }).min(room) / MIB * MIB,
        table_bytes: sizes.table_bytes,
        shared_buffers_bytes: sizes.pool_bytes,
        // Where somebody's server runs is known once it was asked.
        server_cpus: if address.is_none() { split.server.clone() } else { Vec::new() },
        client_cpus: split.client.clone(),
        steps: Vec::new(),
    };
    let volatile = platform.roles.iter().any(|role| role.in_memory().is_some());
    if volatile {
        // In memory, files compete with everything else for it.
        plan.file_bytes = plan.file_bytes.min(memory / 8 / MIB * MIB);
        plan.table_bytes = plan.table_bytes.min(memory / 8 / MIB * MIB);
    }
    let unasked = unasked_bytes(free(Role::Data), quick);
    let mut resolved = Resolved {
        plan,
        platform,
        split,
        data_dir,
        wal_dir,
        address,
        version: None,
        found: None,
        mariadb: request.database == DatabaseTarget::MariaDb,
        postgres: match &request.database {
            DatabaseTarget::Managed { postgres } => postgres.clone(),
            _ => None,
        },
        window: Duration::from_millis(if quick { 300 } else { 1000 }),
        database_window: Duration::from_millis(if quick { 1500 } else { 3000 }),
        update_window: Duration::from_millis(if quick { 1500 } else { 11_000 }),
        max_depth: request.max_depth,
        least: least_load::wanted(),
        write_budget_bytes: request.write_budget.or(unasked),
        stays: None,
    };
    if let Some(least) = resolved.least {
        shrink(&mut resolved, least);
    }
    resolved.plan.steps = steps(&resolved);
    Ok(resolved)
}

/// What is written to a drive without having been asked for, at most: a tenth of what is free, and no more than that.
const UNASKED_BYTES: u64 = 16 * GIB;
/// What a sketch writes where there is room.
const QUICK_BYTES: u64 = 12 * GIB;
/// Less than this is no stream of writes.
const LEAST_WRITES: u64 = 256 * MIB;

/// The budget of writes where nobody gave one. A sketch has a smaller one of its own.
fn unasked_bytes(free_bytes: u64, quick: bool) -> Option<u64> {
    let bytes = (free_bytes / 10 / MIB * MIB).clamp(LEAST_WRITES, UNASKED_BYTES);
    (!quick || bytes < QUICK_BYTES).then_some(bytes)
}

/// What an operation costs the load's client beside the server, before it was measured.
fn cost_ratio(request: &MachineRequest) -> CostRatio {
    let scans = |workload: &Workload| *workload == Workload::ScanMany;
    let only_scans = !request.workloads.is_empty() && request.workloads.iter().all(scans);
    if request.database == DatabaseTarget::None || only_scans {
        CostRatio::NONE
    } else {
        CostRatio::PUBLISHED
    }
}

/// Shares the CPUs of a server of our own and its load by that ratio.
pub fn share(resolved: &mut Resolved, ratio: CostRatio) {
    if resolved.address.is_some() {
        return;
    }
    resolved.split = split::split(&resolved.platform, ratio);
    resolved.plan.server_cpus = resolved.split.server.clone();
    resolved.plan.client_cpus = resolved.split.client.clone();
}

/// What is small already stays as it is.
fn shrink(resolved: &mut Resolved, least: LeastLoad) {
    let plan = &mut resolved.plan;
    plan.repeats = least.repeats;
    plan.file_bytes = plan.file_bytes.min(least.file_bytes);
    plan.table_bytes = plan.table_bytes.min(least.table_bytes);
    plan.shared_buffers_bytes = plan.shared_buffers_bytes.min(least.buffers_bytes);
    resolved.window = least.window;
    resolved.database_window = least.database_window;
    resolved.update_window = least.database_window;
}

fn layers_of(request: &MachineRequest) -> Vec<Layer> {
    let mut layers = request.layers.clone();
    layers.retain(|layer| *layer != Layer::Database || request.database != DatabaseTarget::None);
    layers.sort();
    layers.dedup();
    layers
}

fn steps(resolved: &Resolved) -> Vec<PlannedStep> {
    let stop = Stop::new();
    let ctx = resolved.ahead(&stop);
    let mut steps = layers::planned(resolved, &ctx);
    if resolved.has(Layer::Database) {
        steps.extend(database::planned(resolved));
    }
    steps
}

/// Asks the server that was named, now and not after minutes of other layers; the plan learns where it runs. `None` where
/// none was named.
///
/// # Errors
/// Whatever would keep it from being measured.
pub fn ask(resolved: &mut Resolved) -> Result<Option<Admitted>> {
    let Some(address) = resolved.address.clone() else { return Ok(None) };
    let cannot =
        |error: anyhow::Error| failure::about(&address.masked(), "cannot be measured", error);
    let admitted = admit(&address).map_err(|error| cannot(error.into()))?;
    resolved.version = Some(admitted.version());
    if !address.is_local() {
        return Ok(Some(admitted));
    }
    let look = Monitor::open(&address).map_err(|error| cannot(error.into()))?;
    resolved.found = LocalServer::of(&look);
    if let Some(found) = &resolved.found {
        resolved.split = split::around(&found.cpus, &resolved.platform, CostRatio::PUBLISHED);
        resolved.plan.server_cpus = found.cpus.clone();
        resolved.plan.client_cpus = resolved.split.client.clone();
    }
    Ok(Some(admitted))
}

/// Memory this process may use, bytes.
fn memory_bytes(platform: &Platform) -> u64 {
    let total = platform.memory.available_bytes.unwrap_or(platform.memory.total_bytes);
    let limit = platform
        .cgroup
        .memory_limit_bytes
        .map(|limit| limit.saturating_sub(platform.cgroup.memory_used_bytes.unwrap_or(0)));
    limit.map_or(total, |limit| limit.min(total))
}

/// The plan for people: what, how long, how much is written.
pub fn describe(resolved: &Resolved) -> String {
    let plan = &resolved.plan;
    let list = |cpus: &[u32]| match cpus {
        [] => "-".to_string(),
        [first, .., last] if (last - first) as usize == cpus.len() - 1 => format!("{first}-{last}"),
        cpus => cpus.iter().map(u32::to_string).collect::<Vec<_>>().join(","),
    };
    let mut text = format!(
        "plan     {}{} repeats, {} sessions, seed {}\n",
        if plan.quick { "quick: " } else { "" },
        plan.repeats,
        plan.sessions,
        plan.seed
    );
    text += &format!("data     {}\nwal      {}\n", shown(&plan.data_dir), shown(&plan.wal_dir));
    let server = match &plan.server_cpus[..] {
        [] => "where it runs".to_string(),
        cpus => list(cpus),
    };
    text += &format!("CPUs     server {server}, load generator {}\n", list(&plan.client_cpus));
    let afterwards = match resolved.stays {
        None => "everything written is removed afterwards".to_string(),
        Some(stays) => format!("{stays}; everything else written is removed afterwards"),
    };
    let writes = Bytes(plan.writes_bytes());
    prepared::describe(&text, plan, &format!("writes up to {writes}; {afterwards}"))
}
