//! What will be done: resolved, and told before it begins.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Role, Workload};
use narrows_postgres::observe::{Monitor, least};
use narrows_units::{Bytes, shown};

use super::drives;
use crate::failure::Failure;
use crate::prepared;
use crate::request::database::DatabaseTarget;
use crate::request::machine::{BelowRequest, MachineRequest, ObserveRequest};
use crate::resolve;
use crate::resolved::Resolved;
use crate::split::{self, CostRatio};
use crate::ui::Ui;

/// Decides everything; without a `look` nothing is known of the server.
///
/// # Errors
/// A folder isn't one, or isn't on the server's drives.
pub fn resolve(request: &ObserveRequest, look: Option<&Monitor>, ui: &dyn Ui) -> Result<Resolved> {
    let server = look.map(drives::of_server);
    let mut resolved = if let Some(below) = &request.below {
        resolve::resolve(&layers_below(request, below), ui)?
    } else {
        let mut platform = server.as_ref().map(|of| of.platform.clone()).unwrap_or_default();
        if look.is_some_and(|look| look.postmaster().is_none()) {
            // Nothing rests on this machine, so that nobody misses what isn't known of it.
            platform.unknown.clear();
        }
        looking(request, platform)
    };
    if let (Some(_), Some(look), Some(server)) = (&request.below, look, &server) {
        on_the_servers_drives(look, &server.platform, &resolved)?;
    }
    let plan = &mut resolved.plan;
    plan.database = DatabaseChoice::Url(request.address.to_string());
    plan.layers.push(Layer::Database);
    // The committers of the log's ladder are its own.
    plan.sessions = u32::from(request.below.is_some());
    plan.steps.push(PlannedStep {
        layer: Layer::Database,
        what: what(request.length),
        expected_s: least(request.length).as_secs_f64(),
        writes_bytes: 0,
    });
    Ok(resolved)
}

/// With its time, which depends on what happens there.
fn what(length: Duration) -> String {
    let name = Workload::Observed.name();
    let what = "the server's counters, and samples of what its sessions do, about 20 per second";
    let (least, words) = (least(length), |time: Duration| prepared::minutes(time.as_secs_f64()));
    let more = match (least == length, length >= 2 * least) {
        (true, _) => String::new(),
        (false, true) => {
            format!(", up to {} if too little happens or the load changes", words(length))
        }
        (false, false) => format!(", up to {} if too little happens", words(length)),
    };
    format!("{name}: {what}; {}{more}", words(least))
}

/// What is measured of the server's drives before the look.
fn layers_below(request: &ObserveRequest, below: &BelowRequest) -> MachineRequest {
    MachineRequest {
        quick: below.quick,
        facts: request.facts.clone(),
        layers: vec![Layer::Block, Layer::Log],
        data: Some(below.data.clone()),
        wal: below.wal.clone(),
        database: DatabaseTarget::None,
        workloads: Workload::usual().collect(),
        sessions: None,
        write_budget: None,
        max_depth: None,
        with: None,
        same_machine: false,
        options: request.options.clone(),
    }
}

/// A plan that loads nothing.
fn looking(request: &ObserveRequest, platform: Platform) -> Resolved {
    let role = |role| {
        let path = platform.roles.iter().find(|path| path.role == role);
        path.map_or(String::new(), |path| path.path.clone())
    };
    let plan = Plan {
        quick: false,
        layers: Vec::new(),
        data_dir: role(Role::Data),
        wal_dir: role(Role::Wal),
        database: DatabaseChoice::None,
        workloads: Vec::new(),
        sessions: 0,
        repeats: 1,
        seed: request.options.seed(),
        file_bytes: 0,
        table_bytes: 0,
        shared_buffers_bytes: 0,
        server_cpus: Vec::new(),
        client_cpus: Vec::new(),
        steps: Vec::new(),
    };
    Resolved {
        mariadb: false,
        plan,
        split: split::split(&platform, CostRatio::NONE),
        platform,
        data_dir: PathBuf::new(),
        wal_dir: PathBuf::new(),
        address: None,
        version: None,
        found: None,
        postgres: None,
        window: Duration::ZERO,
        database_window: Duration::ZERO,
        update_window: Duration::ZERO,
        write_budget_bytes: None,
        max_depth: None,
        least: None,
        stays: None,
    }
}

/// What is measured elsewhere says nothing of this server.
fn on_the_servers_drives(look: &Monitor, server: &Platform, ours: &Resolved) -> Result<()> {
    if look.postmaster().is_none() {
        return Err(Failure::hinted(
            "--load-here: the server's processes are not visible on this machine",
            "run narrows on the server's own machine, outside of its container",
        ));
    }
    for (option, folder) in [("--data", &ours.data_dir), ("--wal", &ours.wal_dir)] {
        let theirs = [look.data_dir(), look.wal_dir()].into_iter().flatten();
        if let Some(home) = theirs.into_iter().find(|home| folder.starts_with(home)) {
            return Err(Failure::hinted(
                format!(
                    "{option} {} is inside of the server's own {}",
                    folder.display(),
                    home.display()
                ),
                "name a folder beside it, on the same drives",
            ));
        }
    }
    for (role, option, folder) in
        [(Role::Data, "--data", &ours.plan.data_dir), (Role::Wal, "--wal", &ours.plan.wal_dir)]
    {
        let theirs = drives::under(server, role);
        if theirs.is_empty() {
            return Err(Failure::hinted(
                format!("--load-here: the drives of the server's {} are unknown", role.word()),
                "narrows platform as root shows what is visible of them",
            ));
        }
        let own = drives::under(&ours.platform, role);
        if !drives::same(&theirs, &own) {
            return Err(Failure::hinted(
                format!(
                    "{option} {folder} is on {}, and the server's {} on {}",
                    drives::words(&own),
                    role.word(),
                    drives::words(&theirs)
                ),
                format!("name a folder on the server's drives with {option}"),
            ));
        }
    }
    Ok(())
}

/// The plan for people.
pub fn describe(resolved: &Resolved, below: bool, look: Option<&Monitor>) -> String {
    let plan = &resolved.plan;
    let server = match &plan.database {
        DatabaseChoice::Url(address) => address.as_str(),
        _ => "the server",
    };
    let mut text = format!("plan     observe {}, seed {}\n", shown(server), plan.seed);
    if let Some(look) = look {
        text +=
            &format!("server   PostgreSQL {}, {}\n", shown(look.version()), shown(&place(look)));
    }
    if let Some((look, before)) = plan.steps.split_last() {
        text.extend(before.iter().map(prepared::step));
        // It has its time in it.
        text += &format!("{:8} {}\n", look.layer.word(), shown(&look.what));
    }
    if !below {
        return text + &prepared::total(plan, "loads nothing, writes the run file only");
    }
    let writes = Bytes(plan.writes_bytes());
    text += "warning  --load-here first keeps the server's drives busy: its users wait longer for reads and commits meanwhile\n";
    let closing = format!("writes up to {writes}; everything written is removed afterwards");
    text + &prepared::total(plan, &closing)
}

fn place(look: &Monitor) -> String {
    match (look.postmaster(), look.data_dir()) {
        (None, _) => "its processes are not visible from here".to_string(),
        (Some(pid), None) => format!("here, process {pid}"),
        (Some(pid), Some(dir)) => format!("here, process {pid}, data in {}", dir.display()),
    }
}
