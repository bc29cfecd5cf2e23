//! What will be done: refused where it makes no sense, resolved, and told before it begins.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_layer_database::Address;
use narrows_layer_database::observe::Look;
use narrows_model::{DatabaseChoice, Layer, Plan, PlannedStep, Platform, Role};
use narrows_units::{Bytes, shown};

use super::drives;
use crate::args::{LayerArg, RunArgs};
use crate::failure::Failure;
use crate::plan::{self, Resolved};
use crate::{host, split};

/// Options that say how to measure, where nothing is measured.
pub fn refuse(args: &RunArgs) -> Result<()> {
    let refused = |what: &str, hint: &str| {
        Err(Failure::hinted(format!("{what} makes no sense with --observe"), hint))
    };
    if args.database != "managed" {
        return refuse_both();
    }
    let measuring = [
        ("--quick without --load-here", args.quick && !args.output.load_here),
        ("--layers", args.layers.is_some()),
        ("--workloads", args.workloads.is_some()),
        ("--sessions", args.sessions.is_some()),
        ("--postgres", args.postgres.is_some()),
    ];
    if let Some((option, _)) = measuring.into_iter().find(|(_, given)| *given) {
        return refused(
            option,
            "a look has no load to choose; leave it out, or leave out --observe",
        );
    }
    let folders = args.data.is_some() || args.wal.is_some();
    if args.output.load_here && args.observing.capacities.is_some() {
        return Err(Failure::hinted(
            "--load-here and --capacities both say where capacities come from",
            "leave one of the two out",
        ));
    }
    if folders && !args.output.load_here {
        return refused(
            "--data or --wal without --load-here",
            "the server says where its files are; with --load-here its drives are measured first, in these folders",
        );
    }
    if args.output.load_here && args.data.is_none() {
        return Err(Failure::hinted(
            "--load-here with --observe needs a folder of ours on the server's drives",
            "name one with --data DIR, and with --wal DIR one on the log's drives if they are others; never the server's \
             own folder",
        ));
    }
    Ok(())
}

fn refuse_both() -> Result<()> {
    Err(Failure::hinted(
        "--database names a server to load, and --observe one to look at",
        "leave one of the two out",
    ))
}

/// Decides everything; without a `look` nothing is known of the server.
///
/// # Errors
/// A folder isn't one, or isn't on the server's drives.
pub fn resolve(args: &RunArgs, address: &Address, look: Option<&Look>) -> Result<Resolved> {
    let server = look.map(drives::of_server);
    let mut resolved = if args.output.load_here {
        let below = RunArgs {
            layers: Some(vec![LayerArg::Block, LayerArg::Log]),
            database: "none".to_string(),
            ..args.clone()
        };
        plan::resolve(&below)?
    } else {
        let mut platform = server.as_ref().map(|of| of.platform.clone()).unwrap_or_default();
        if look.is_some_and(|look| look.postmaster().is_none()) {
            // Nothing rests on this machine, so that nobody misses what isn't known of it.
            platform.unknown.clear();
        }
        looking(args, platform)
    };
    if let (true, Some(look), Some(server)) = (args.output.load_here, look, &server) {
        on_the_servers_drives(look, &server.platform, &resolved)?;
        host::guard_storage(&resolved.platform, &[&resolved.data_dir, &resolved.wal_dir], true)?;
    }
    let plan = &mut resolved.plan;
    plan.database = DatabaseChoice::Url(address.to_string());
    plan.layers.push(Layer::Database);
    // The committers of the log's ladder are its own.
    plan.sessions = u32::from(args.output.load_here);
    plan.steps.push(PlannedStep {
        layer: Layer::Database,
        what: "read its counters, and ask what its sessions do about 20 times a second".to_string(),
        expected_s: args.observing.length().as_secs_f64(),
        writes_bytes: 0,
    });
    Ok(resolved)
}

/// A plan that loads nothing.
fn looking(args: &RunArgs, platform: Platform) -> Resolved {
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
        seed: args.output.seed.unwrap_or_else(plan::fresh_seed),
        file_bytes: 0,
        table_bytes: 0,
        shared_buffers_bytes: 0,
        server_cpus: Vec::new(),
        client_cpus: Vec::new(),
        steps: Vec::new(),
    };
    Resolved {
        plan,
        split: split::split(&platform),
        platform,
        data_dir: PathBuf::new(),
        wal_dir: PathBuf::new(),
        address: None,
        found: None,
        postgres: None,
        window: Duration::ZERO,
        database_window: Duration::ZERO,
        update_window: Duration::ZERO,
        least: None,
        stays: None,
    }
}

/// What is measured elsewhere says nothing of this server.
fn on_the_servers_drives(look: &Look, server: &Platform, ours: &Resolved) -> Result<()> {
    if look.postmaster().is_none() {
        return Err(Failure::hinted(
            "--load-here: the server's processes are not to be seen on this machine",
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
                format!("--load-here: which drives hold the server's {} is not known", role.word()),
                "narrows platform as root shows what can be seen of them",
            ));
        }
        let own = drives::under(&ours.platform, role);
        if !drives::same(&theirs, &own) {
            return Err(Failure::hinted(
                format!(
                    "{option} {folder} lies on {}, and the server's {} on {}",
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
pub fn describe(resolved: &Resolved, args: &RunArgs, look: Option<&Look>) -> String {
    let plan = &resolved.plan;
    let server = match &plan.database {
        DatabaseChoice::Url(address) => address.as_str(),
        _ => "the server",
    };
    let mut text = format!("plan     look at {}, seed {}\n", shown(server), plan.seed);
    if let Some(look) = look {
        text +=
            &format!("server   PostgreSQL {}, {}\n", shown(look.version()), shown(&place(look)));
    }
    for step in &plan.steps {
        let writes = match step.writes_bytes {
            0 => String::new(),
            bytes => format!(", writes up to {}", Bytes(bytes)),
        };
        let takes = plan::minutes(step.expected_s);
        text += &format!("{:8} {} ({takes}{writes})\n", step.layer.word(), shown(&step.what));
    }
    let takes = plan::minutes(plan.expected_s());
    if args.output.load_here {
        text += "warning  --load-here keeps the server's drives busy before the look: whoever uses the server waits longer for \
                 reads and commits meanwhile\n";
        let writes = Bytes(plan.writes_bytes());
        text += &format!(
            "in all   about {takes}, writes up to {writes}; everything written is removed afterwards\n"
        );
    } else {
        text += &format!("in all   about {takes}, loads nothing, writes the run file only\n");
    }
    text
}

fn place(look: &Look) -> String {
    match (look.postmaster(), look.data_dir()) {
        (None, _) => "its processes are not to be seen from here".to_string(),
        (Some(pid), None) => format!("here, process {pid}"),
        (Some(pid), Some(dir)) => format!("here, process {pid}, data in {}", dir.display()),
    }
}
