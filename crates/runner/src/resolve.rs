//! From what was asked for to what will be done: folders, sizes, processors, repeats, minutes and bytes, all
//! decided before anything is measured.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Result;
use narrows_engine::{Context, Stop};
use narrows_layer_database::Workload;
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Role};
use narrows_postgres::Address;
use narrows_units::{Bytes, shown};

use crate::database::external_server::Found;
use crate::failure::Failure;
use crate::least_load::{self, LeastLoad};
use crate::request::database::DatabaseTarget;
use crate::request::machine::MachineRequest;
use crate::session::Session;
use crate::split::{self, Split};
use crate::ui::Ui;
use crate::{captures, database, layers, prepared};

/// Where the roles are when nobody says: on a drive, writable for everybody, reachable for the server's user.
const DEFAULT_DIR: &str = "/var/tmp";
const MIB: u64 = Bytes::MIB.0;
const GIB: u64 = Bytes::GIB.0;

/// A plan with what the run file must not hold (an address with its password) or doesn't need.
pub struct Resolved {
    /// As stored in the run.
    pub plan: Plan,
    /// The machine.
    pub platform: Platform,
    /// Processors of server and load.
    pub split: Split,
    /// Folder of the data role.
    pub data_dir: PathBuf,
    /// Folder of the log role.
    pub wal_dir: PathBuf,
    /// The user's server, if one was named.
    pub address: Option<Address>,
    /// That server, once it was asked, if it runs here.
    pub found: Option<Found>,
    /// The PostgreSQL that was named.
    pub postgres: Option<PathBuf>,
    /// One window of the storage and memory layers.
    pub window: Duration,
    /// One window of the database's lookups.
    pub database_window: Duration,
    /// One window of its updates: long enough that all together see two checkpoints.
    pub update_window: Duration,
    /// The load of tests that look at no figure.
    pub least: Option<LeastLoad>,
    /// What is written and stays, for the plan's last line.
    pub stays: Option<&'static str>,
}

impl Resolved {
    /// What the layers are handed.
    pub fn context<'a>(&self, session: &Session<'a>) -> Context<'a> {
        session.context(self.window)
    }

    /// What the layers are handed to say what they would do.
    pub fn ahead<'a>(&self, stop: &'a Stop) -> Context<'a> {
        prepared::ahead(&self.plan, stop, self.window)
    }

    /// The folders of both roles.
    pub fn folders(&self) -> Vec<PathBuf> {
        vec![self.data_dir.clone(), self.wal_dir.clone()]
    }

    /// Whether that workload was asked for.
    pub fn runs(&self, workload: Workload) -> bool {
        self.plan.workloads.iter().any(|word| word == workload.word())
    }

    /// Whether that layer was asked for.
    pub fn has(&self, layer: Layer) -> bool {
        self.plan.layers.contains(&layer)
    }
}

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
        DatabaseTarget::Managed { .. } => (DatabaseChoice::Managed, None),
        DatabaseTarget::None => (DatabaseChoice::None, None),
        DatabaseTarget::Url(address) => {
            (DatabaseChoice::Url(address.to_string()), Some(address.clone()))
        }
    };
    let split = split::split(&platform);
    let server = split.server.len() as u32;
    let memory = memory_bytes(&platform);
    let free = |role: Role| {
        let path = platform.roles.iter().find(|path| path.role == role);
        path.and_then(|path| path.file_system.free_bytes).unwrap_or(u64::MAX)
    };
    let quick = request.quick;
    // An eighth of the free space, so that a small volume stays usable while we run.
    let room = free(Role::Data) / 8;
    // The table is twice the buffer pool and more, so a small volume has a small one.
    let buffers = (memory / 8).min(room / 2).clamp(16 * MIB, 256 * MIB) / MIB * MIB;
    let table = if quick { 512 * MIB } else { 2 * GIB };
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
        table_bytes: table.min(room).max(2 * buffers) / MIB * MIB,
        shared_buffers_bytes: buffers,
        // Where somebody's server runs is known once it was asked.
        server_cpus: if address.is_none() { split.server.clone() } else { Vec::new() },
        client_cpus: split.client.clone(),
        steps: Vec::new(),
    };
    let volatile = platform.roles.iter().any(|role| role.file_system.volatile);
    if volatile {
        // In memory, files compete with everything else for it.
        plan.file_bytes = plan.file_bytes.min(memory / 8 / MIB * MIB);
        plan.table_bytes = plan.table_bytes.min(memory / 8 / MIB * MIB);
    }
    let mut resolved = Resolved {
        plan,
        platform,
        split,
        data_dir,
        wal_dir,
        address,
        found: None,
        postgres: match &request.database {
            DatabaseTarget::Managed { postgres } => postgres.clone(),
            _ => None,
        },
        window: Duration::from_millis(if quick { 300 } else { 1000 }),
        database_window: Duration::from_millis(if quick { 1500 } else { 3000 }),
        update_window: Duration::from_millis(if quick { 1500 } else { 11_000 }),
        least: least_load::wanted(),
        stays: None,
    };
    if let Some(least) = resolved.least {
        shrink(&mut resolved, least);
    }
    resolved.plan.steps = steps(&resolved);
    Ok(resolved)
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

/// The folder with links resolved, so that what is printed is where it is.
pub fn folder(path: &Path, option: &str) -> Result<PathBuf> {
    let shown = path.display();
    let real = std::fs::canonicalize(path).map_err(|error| {
        Failure::hinted(
            format!("{option} {shown}: {error}"),
            format!("create it, or name another folder with {option} DIR"),
        )
    })?;
    if !real.is_dir() {
        return Err(Failure::hinted(
            format!("{option} {shown} is not a folder"),
            "narrows writes into a folder on the file system that the database would use, never to a device",
        ));
    }
    Ok(real)
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
        if plan.quick { "sketch: " } else { "" },
        plan.repeats,
        plan.sessions,
        plan.seed
    );
    text += &format!("data     {}\nwal      {}\n", shown(&plan.data_dir), shown(&plan.wal_dir));
    let server = match &plan.server_cpus[..] {
        [] => "where it runs".to_string(),
        cpus => list(cpus),
    };
    text += &format!("CPUs     server {server}, load {}\n", list(&plan.client_cpus));
    let afterwards = match resolved.stays {
        None => "everything written is removed afterwards".to_string(),
        Some(stays) => format!("{stays}; everything else written is removed afterwards"),
    };
    let writes = Bytes(plan.writes_bytes());
    prepared::describe(&text, plan, &format!("writes up to {writes}; {afterwards}"))
}
