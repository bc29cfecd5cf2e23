//! What each layer adds to a durable write, from the device's flush upwards; behind it, where it is
//! asked for, the search for the rate of commits.

use std::path::PathBuf;
use std::time::Duration;

use anyhow::Result;
use narrows_layer_wal::{
    ForeignStep, LEADER, LadderPlace, LadderPlan, LadderTier, Laddered, LogGround, WriteVariant,
    measure_ladder, measure_namespace_ladder, planned_ladder,
};
use narrows_model::{
    DatabaseChoice, Layer, Plan, PlannedStep, Platform, Queue, Role, RolePath, Unknown, condition,
};
use serde_json::json;

use super::commits;
use super::database::LadderServer;
use super::target_dirs::{LogSpace, TargetDirs};
use crate::block::folder;
use crate::database::managed_server::Installation;
use crate::exit::Answers;
use crate::failure;
use crate::failure::Failure;
use crate::prepared::{self, Prepared};
use crate::program::Program;
use crate::request::RunOptions;
use crate::request::log::{LadderDatabase, LadderRequest};
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// One window of a step.
const WINDOW: Duration = Duration::from_millis(250);
/// The data file beside the log.
const BESIDE_BYTES: u64 = 256 << 20;
/// Log bytes of a commit where no database says how many: a small row's update.
const COMMIT_BYTES: u64 = 200;
/// Starting a server and counting its log's bytes.
const SERVER_S: f64 = 6.0;
/// What its folders take at first.
const SERVER_BYTES: u64 = 120 << 20;

/// The ladder.
pub struct Ladder {
    request: LadderRequest,
    dirs: TargetDirs,
    plan: LadderPlan,
    prepared: Prepared,
}

impl Program for Ladder {
    type Request = LadderRequest;

    fn options(request: &LadderRequest) -> &RunOptions {
        &request.options
    }

    fn plan(request: &LadderRequest, ui: &dyn Ui) -> Result<Ladder> {
        let dirs = TargetDirs::find_with_tier(&request.place, request.tier.as_deref())?;
        let request = match dirs.namespace {
            Some(_) => on_namespace(request)?,
            None => request.clone(),
        };
        if let Some(drives) = dirs.same_drives() {
            ui.say(&format!(
                "note: the folders of --wal and --tier are on the same drive ({drives}): no tier is seen in front of the second"
            ));
        }
        let plan = ladder_plan(&request, &dirs);
        let prepared = prepared(&request, &dirs, &plan);
        Ok(Ladder { request, dirs, plan, prepared })
    }

    fn planned(&self) -> (&Plan, &Platform) {
        (&self.prepared.plan, &self.prepared.platform)
    }

    fn describe(&self) -> String {
        self.dirs.describe(&self.prepared)
    }

    fn folders(&self) -> Vec<PathBuf> {
        self.dirs.folders()
    }

    fn check(&self) -> Result<()> {
        self.dirs.check()?;
        let named = self.request.database.as_ref().and_then(|asked| asked.postgres.as_deref());
        named.map_or(Ok(()), |named| Installation::check(Some(named), &self.folders()))
    }

    fn server_checks(&self) -> Vec<String> {
        let database = self.request.database.iter();
        database.filter_map(|asked| Installation::in_words(asked.postgres.as_deref())).collect()
    }

    fn run(&mut self, session: &mut Session<'_>) -> Result<Ended> {
        match &self.dirs.namespace {
            Some(_) => measure_on_namespace(session, &self.request, &self.dirs, &self.plan),
            None => measure(session, &self.request, &self.dirs, &mut self.plan),
        }
    }

    /// The ladder itself, as far as it was asked for; the cells beside it may be as bad as they like.
    fn answers(&self) -> Answers {
        let flush = Some(WriteVariant::POSTGRES).filter(|cell| self.request.cells.contains(cell));
        let mut steps = vec![LEADER.to_string()];
        steps.extend(flush.map(|cell| cell.name()));
        steps.extend(self.request.database.as_ref().map(|_| "commit".to_string()));
        Answers::Named(steps.iter().map(|step| format!("log.ladder.{step}.alone")).collect())
    }
}

/// What of it a namespace has: no server keeps its log there, and no data files are beside it.
///
/// # Errors
/// A server was asked for.
fn on_namespace(request: &LadderRequest) -> Result<LadderRequest> {
    let asked = request.database.as_ref();
    if asked.is_some_and(|database| database.postgres.is_some() || database.standby) {
        return Err(Failure::hinted(
            "no server keeps its WAL on an nvme-tcp:// address: it needs a file system",
            "leave out --postgres and --standby; or connect the namespace (nvme connect), make a file system, and name a folder with --wal",
        ));
    }
    Ok(LadderRequest { database: None, beside: false, ..request.clone() })
}

fn measure_on_namespace(
    session: &mut Session<'_>,
    request: &LadderRequest,
    dirs: &TargetDirs,
    plan: &LadderPlan,
) -> Result<Ended> {
    let space = dirs.space(&session.run.id, session.stop)?;
    let ctx = session.context(WINDOW);
    if let LogSpace::Namespace(namespace) = &space {
        let laddered = measure_namespace_ladder(&ctx, namespace, &dirs.watch(), plan)?;
        keep(session, laddered);
    }
    for (what, needs) in [
        ("the database's own commit", "a server needs a file system, and a namespace has none"),
        (
            "the ladder beside a load on the data files",
            "it needs files; narrows block interference measures a namespace beside a WAL-like stream",
        ),
    ] {
        session.unknown_first([Unknown { what: what.to_string(), needs: needs.to_string() }]);
    }
    if let Some(goal) = &request.goal {
        let plan = commits::plan(dirs, goal, plan.bytes_per_commit);
        commits::search(session, dirs, space.ground(), &plan)?;
    }
    Ok(Ended::Whole)
}

/// Hands it to the session, with what could not be had.
fn keep(session: &mut Session<'_>, laddered: Laddered) {
    for absent in laddered.absent {
        let what = format!("the ladder's {}", absent.what);
        session.unknown_first([Unknown { what, needs: absent.reason }]);
    }
    session.add(laddered.measurements);
}

fn wal(dirs: &TargetDirs) -> Option<&RolePath> {
    dirs.platform.roles.iter().find(|path| path.role == Role::Wal)
}

fn ladder_plan(request: &LadderRequest, dirs: &TargetDirs) -> LadderPlan {
    let path = wal(dirs);
    let device = path.and_then(|path| path.devices.first());
    let queue = path.and_then(queue_under);
    LadderPlan {
        cells: request.cells.clone(),
        device: device.map(|device| PathBuf::from("/dev").join(&device.name)),
        queue,
        bytes_per_commit: COMMIT_BYTES,
        cpus: dirs.platform.cpu.allowed.clone(),
        beside_bytes: if request.beside { BESIDE_BYTES } else { 0 },
        with_tier: dirs.tier.is_some(),
    }
}

/// The queue of the drive under a path.
fn queue_under(path: &RolePath) -> Option<Queue> {
    path.drives().find_map(|drive| drive.queue.clone())
}

fn prepared(request: &LadderRequest, dirs: &TargetDirs, plan: &LadderPlan) -> Prepared {
    let choice = match request.database {
        None => DatabaseChoice::None,
        Some(_) => DatabaseChoice::Managed,
    };
    let mut prepared = dirs.prepared(&request.options, request.repeats, choice, Vec::new());
    let stop = narrows_engine::Stop::new();
    let ctx = prepared::ahead(&prepared.plan, &stop, WINDOW);
    let mut steps = Vec::new();
    if request.database.is_some() {
        steps.push(PlannedStep {
            layer: Layer::Database,
            what: "start a private PostgreSQL instance".to_string(),
            expected_s: SERVER_S,
            writes_bytes: SERVER_BYTES,
        });
    }
    let foreign = match request.database {
        None => 0,
        Some(LadderDatabase { standby: true, .. }) => 4,
        Some(_) => 2,
    };
    steps.push(planned_ladder(&ctx, plan, foreign));
    if let Some(goal) = &request.goal {
        let plan = commits::plan(dirs, goal, COMMIT_BYTES);
        steps.extend(narrows_layer_wal::planned_commits(&plan));
    }
    prepared.plan.steps = steps;
    prepared
}

fn measure(
    session: &mut Session<'_>,
    request: &LadderRequest,
    dirs: &TargetDirs,
    plan: &mut LadderPlan,
) -> Result<Ended> {
    let mut from = None;
    let server = match &request.database {
        None => None,
        Some(database) => server(session, database, dirs)?,
    };
    let mut foreign: Vec<ForeignStep> = Vec::new();
    if let Some(server) = &server {
        plan.bytes_per_commit = server.bytes_per_commit()?;
        from = Some("a small update on PostgreSQL, counted in its WAL".to_string());
        for step in server.steps()? {
            foreign.push(Box::new(step));
        }
    }
    let scratch = dirs.scratch(&session.run.id)?;
    let ctx = session.context(WINDOW);
    // The server is ours, and not somebody else's load.
    let pids = server.as_ref().map(LadderServer::pids).unwrap_or_default();
    let ours = folder::kernel_and(&pids);
    let watch = dirs.watch().with_pids(ours.clone());
    let tier_scratch = dirs.tier_scratch(&session.run.id)?;
    let tier_watch = dirs.tier_watch().with_pids(ours);
    let tier_queue = dirs.tier_path().and_then(queue_under);
    let tier = tier_scratch.as_ref().zip(dirs.tier_path()).map(|(scratch, path)| LadderTier {
        folder: scratch.path(),
        asked: &path.path,
        watch: &tier_watch,
        queue: tier_queue.as_ref(),
    });
    let folders = LadderPlace { log: scratch.wal(), data: scratch.data(), tier };
    let laddered = measure_ladder(&ctx, folders, &watch, plan, foreign);
    // A server that died explains everything that failed after it.
    if let Some(server) = server.as_ref().filter(|_| !session.stop.is_set()) {
        server.check()?;
    }
    drop(server);
    let mut laddered = laddered?;
    if let Some(drives) = dirs.same_drives() {
        let rungs = laddered.measurements.iter_mut();
        for m in rungs.filter(|m| m.text(condition::WITHOUT_TIER).is_some()) {
            m.conditions.insert(condition::SAME_DRIVES, json!(drives));
        }
    }
    keep(session, laddered);
    if let Some(goal) = &request.goal {
        let mut plan = commits::plan(dirs, goal, plan.bytes_per_commit);
        plan.sizes_from = from.unwrap_or(plan.sizes_from);
        commits::search(session, dirs, LogGround::Folder(scratch.wal()), &plan)?;
    }
    Ok(Ended::Whole)
}

/// The server; `None` with a note where there is none to be had, because the ladder stands without its top.
fn server(
    session: &mut Session<'_>,
    database: &LadderDatabase,
    dirs: &TargetDirs,
) -> Result<Option<LadderServer>> {
    match LadderServer::start(session, dirs, database) {
        Ok(server) => Ok(Some(server)),
        Err(error) if session.stop.is_set() || database.postgres.is_some() => Err(error),
        Err(error) => {
            let reason = failure::render(&error);
            let first = reason.lines().next().unwrap_or_default().to_string();
            session.ui.say(&format!("note: no database at the top of the ladder: {first}"));
            let what = "the database's own commit".to_string();
            session.unknown_first([Unknown { what, needs: first }]);
            Ok(None)
        }
    }
}
