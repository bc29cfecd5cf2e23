//! `narrows log ladder`: what each layer adds to a durable write, from the device's flush upwards; and `narrows log`, which also
//! searches for the rate of commits.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_layer_log::{
    Cell, ForeignRung, LEADER, LadderPlace, LadderPlan, Layout, Method, measure_ladder,
    planned_ladder,
};
use narrows_model::{DatabaseChoice, Layer, PlannedStep, Role, RolePath, Unknown};

use super::commits;
use super::database::Server;
use super::ground::Ground;
use crate::args::OutputArgs;
use crate::args::log::{
    CommitGoalArgs, LadderArgs, LayoutArg, LogDatabaseArgs, LogPlaceArgs, MethodArg, WholeArgs,
};
use crate::block::place;
use crate::exit::Exit;
use crate::session::{Answer, Ended, Prepared, Session};
use crate::{output, plan};

/// One window of a rung.
const WINDOW: Duration = Duration::from_millis(250);
/// Windows of each rung; from six on there are intervals.
const REPEATS: u32 = 6;
/// The data file beside the log.
const BESIDE_BYTES: u64 = 256 << 20;
/// Log bytes of a commit where no database says how many: a small row's update.
pub const COMMIT_BYTES: u64 = 200;
/// Starting a server and counting its log's bytes.
const SERVER_S: f64 = 6.0;
/// What its folders take at first.
const SERVER_BYTES: u64 = 120 << 20;

/// Everything that was asked of a ladder.
struct Asked<'a> {
    place: &'a LogPlaceArgs,
    database: &'a LogDatabaseArgs,
    output: &'a OutputArgs,
    cells: Vec<Cell>,
    repeats: u32,
    beside: bool,
    /// The search behind it.
    goal: Option<&'a CommitGoalArgs>,
}

/// Runs the command.
pub fn ladder(args: &LadderArgs) -> Result<Exit> {
    run(&Asked {
        place: &args.place,
        database: &args.database,
        output: &args.output,
        cells: Cell::all(&methods(&args.methods), &layouts(&args.layouts), &args.sizes),
        repeats: args.repeats,
        beside: !args.alone,
        goal: None,
    })
}

/// The ladder and the commits.
pub fn whole(args: &WholeArgs) -> Result<Exit> {
    let methods = [Method::Fdatasync, Method::Dsync, Method::DsyncDirect, Method::Uring];
    let mut cells = Cell::all(&methods, &[Layout::Overwrite], &[Cell::POSTGRES.bytes]);
    cells.push(Cell { layout: Layout::Extend, ..Cell::POSTGRES });
    run(&Asked {
        place: &args.place,
        database: &args.database,
        output: &args.output,
        cells,
        repeats: REPEATS,
        beside: true,
        goal: Some(&args.goal),
    })
}

fn methods(args: &[MethodArg]) -> Vec<Method> {
    let one = |arg: &MethodArg| match arg {
        MethodArg::Fdatasync => vec![Method::Fdatasync],
        MethodArg::Fsync => vec![Method::Fsync],
        MethodArg::Dsync => vec![Method::Dsync],
        MethodArg::DsyncDirect => vec![Method::DsyncDirect],
        MethodArg::RwfDsync => vec![Method::RwfDsync],
        MethodArg::Uring => vec![Method::Uring],
        MethodArg::All => Method::ALL.to_vec(),
    };
    args.iter().flat_map(one).collect()
}

fn layouts(args: &[LayoutArg]) -> Vec<Layout> {
    let one = |arg: &LayoutArg| match arg {
        LayoutArg::Overwrite => vec![Layout::Overwrite],
        LayoutArg::Extend => vec![Layout::Extend],
        LayoutArg::Fallocated => vec![Layout::Fallocated],
        LayoutArg::All => Layout::ALL.to_vec(),
    };
    args.iter().flat_map(one).collect()
}

fn run(asked: &Asked<'_>) -> Result<Exit> {
    let ground = Ground::find(asked.place)?;
    let mut plan = ladder_plan(asked, &ground);
    let prepared = prepared(asked, &ground, &plan);
    if asked.output.dry_run {
        output::print(&prepared.describe())?;
        return Ok(Exit::Done);
    }
    let mut session = Session::begin(prepared, &ground.folders(), asked.output)?;
    let outcome = measure(&mut session, asked, &ground, &mut plan);
    session.answer = Answer::Named(rungs(asked));
    session.end(outcome, asked.output, true)
}

/// The ladder itself, as far as it was asked for; the cells beside it may be as bad as they like.
fn rungs(asked: &Asked<'_>) -> Vec<String> {
    let flush = Some(Cell::POSTGRES).filter(|cell| asked.cells.contains(cell));
    let mut rungs = vec![LEADER.to_string()];
    rungs.extend(flush.map(|cell| cell.name()));
    rungs.extend((!asked.database.no_database).then(|| "commit".to_string()));
    rungs.iter().map(|rung| format!("log.ladder.{rung}.alone")).collect()
}

fn wal(ground: &Ground) -> Option<&RolePath> {
    ground.platform.roles.iter().find(|path| path.role == Role::Wal)
}

fn ladder_plan(asked: &Asked<'_>, ground: &Ground) -> LadderPlan {
    let path = wal(ground);
    let device = path.and_then(|path| path.devices.first());
    let queue = path.and_then(|path| path.drives().find_map(|drive| drive.queue.clone()));
    LadderPlan {
        cells: asked.cells.clone(),
        device: device.map(|device| PathBuf::from("/dev").join(&device.name)),
        queue,
        bytes_per_commit: COMMIT_BYTES,
        cpus: ground.platform.cpu.allowed.clone(),
        beside_bytes: if asked.beside { BESIDE_BYTES } else { 0 },
    }
}

fn prepared(asked: &Asked<'_>, ground: &Ground, plan: &LadderPlan) -> Prepared {
    let choice =
        if asked.database.no_database { DatabaseChoice::None } else { DatabaseChoice::Managed };
    let mut prepared = ground.prepared(asked.output, asked.repeats, choice, Vec::new());
    let stop = narrows_engine::Stop::new();
    let ctx = plan::ahead(&prepared.plan, &stop, WINDOW);
    let mut steps = Vec::new();
    if !asked.database.no_database {
        steps.push(PlannedStep {
            layer: Layer::Database,
            what: "start a PostgreSQL of our own".to_string(),
            expected_s: SERVER_S,
            writes_bytes: SERVER_BYTES,
        });
    }
    let foreign = match asked.database {
        LogDatabaseArgs { no_database: true, .. } => 0,
        LogDatabaseArgs { standby: true, .. } => 4,
        _ => 2,
    };
    steps.push(planned_ladder(&ctx, plan, foreign));
    if let Some(goal) = asked.goal {
        let plan = commits::plan(ground, goal, COMMIT_BYTES);
        steps.extend(narrows_layer_log::planned_commits(&plan));
    }
    prepared.plan.steps = steps;
    prepared
}

fn measure(
    session: &mut Session,
    asked: &Asked<'_>,
    ground: &Ground,
    plan: &mut LadderPlan,
) -> Result<Ended> {
    let mut from = None;
    let server = if asked.database.no_database { None } else { server(session, asked, ground)? };
    let mut foreign: Vec<ForeignRung> = Vec::new();
    if let Some(server) = &server {
        plan.bytes_per_commit = server.bytes_per_commit()?;
        from = Some("a small update on PostgreSQL, counted in its log".to_string());
        for rung in server.rungs()? {
            foreign.push(Box::new(rung));
        }
    }
    let scratch = ground.scratch(&session.run.id)?;
    let ctx = session.context(WINDOW);
    let watch = place::watch(&ground.platform);
    // The server is ours, and not somebody else's load.
    let pids = server.as_ref().map(Server::pids).unwrap_or_default();
    let watch = watch.with_pids(place::kernel_and(&pids));
    let folders = LadderPlace { log: scratch.wal(), data: scratch.data() };
    let laddered = measure_ladder(&ctx, folders, &watch, plan, foreign);
    // A server that died explains everything that failed after it.
    if let Some(server) = server.as_ref().filter(|_| !session.stop.is_set()) {
        server.check()?;
    }
    drop(server);
    let laddered = laddered?;
    for absent in laddered.absent {
        session.unknown(format!("the ladder's {}", absent.what), absent.reason);
    }
    session.add(laddered.measurements);
    if let Some(goal) = asked.goal {
        let mut plan = commits::plan(ground, goal, plan.bytes_per_commit);
        plan.sizes_from = from.unwrap_or(plan.sizes_from);
        commits::search(session, ground, scratch.wal(), &plan)?;
    }
    Ok(Ended::Whole)
}

/// The server; `None` with a note where there is none to be had, because the ladder stands without its top.
fn server(session: &mut Session, asked: &Asked<'_>, ground: &Ground) -> Result<Option<Server>> {
    match Server::start(session, ground, asked.database) {
        Ok(server) => Ok(Some(server)),
        Err(error) if session.stop.is_set() || asked.database.postgres.is_some() => Err(error),
        Err(error) => {
            let reason = crate::failure::render(&error);
            let first = reason.lines().next().unwrap_or_default().to_string();
            session.display.say(&format!("note: no database at the top of the ladder: {first}"));
            session.unknown("the database's own commit".to_string(), first);
            Ok(None)
        }
    }
}

impl Session {
    /// Keeps what could not be learned with what would show it; before what the machine doesn't tell, because somebody asked for it.
    fn unknown(&mut self, what: String, needs: String) {
        if let Some(host) = self.run.hosts.first_mut() {
            host.platform.unknown.insert(0, Unknown { what, needs });
        }
    }
}
