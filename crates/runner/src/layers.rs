//! The layers below the database, one after the other.

use anyhow::Result;
use narrows_engine::{Context, Scratch};
use narrows_layer_block::{BlockPlan, Requested, generator_cpus};
use narrows_layer_wal::{Committed, LogPlan};
use narrows_model::{DatabaseChoice, Layer, Measurement, PlannedStep, Role, condition};
use narrows_observe::Watch;
use narrows_units::Bytes;
use serde_json::json;

use crate::database;
use crate::least_load;
use crate::log::target_dirs::LogScratch;
use crate::preflight::{self, MissingPart, SpaceNeed};
use crate::resolved::PlannedSession;
use crate::resolved::Resolved;
use crate::session::Interrupted;
use crate::space_check;

/// Committers of the log ladder, besides the database's own number of sessions.
const COMMITTERS: [u32; 3] = [1, 8, 64];
/// Log bytes of one commit where no database says how many: a small row's update.
pub const COMMIT_BYTES: u64 = 200;
/// File that is written to beside the log.
const BUSY_FILE_BYTES: u64 = 256 << 20;

/// The steps for the printed plan.
pub fn planned(resolved: &Resolved, ctx: &Context<'_>) -> Vec<PlannedStep> {
    let mut steps = Vec::new();
    if resolved.has(Layer::Clock) {
        steps.extend(narrows_layer_clock::planned(ctx));
    }
    if resolved.has(Layer::Memory) {
        steps.extend(narrows_layer_memory::planned(
            ctx,
            &least_load::memory_of(&resolved.platform),
            &resolved.split.server,
        ));
    }
    if resolved.has(Layer::Block) {
        let plan = block_plan(resolved);
        steps.extend(narrows_layer_block::planned(ctx, &plan, resolved.plan.file_bytes));
    }
    if resolved.has(Layer::Log) {
        // With a database the ladder waits for the flush size that the database shows.
        let ladder =
            if resolved.has(Layer::Database) { Vec::new() } else { ladder(resolved, COMMIT_BYTES) };
        steps.extend(narrows_layer_wal::planned(ctx, &log_plan(resolved, ladder)));
    }
    steps
}

/// Kernel names of the drives under those roles.
pub fn drives(resolved: &Resolved, roles: &[Role]) -> Vec<String> {
    let mut names: Vec<String> = resolved
        .platform
        .roles
        .iter()
        .filter(|path| roles.contains(&path.role))
        .flat_map(|path| path.drives())
        .map(|drive| drive.name.clone())
        .collect();
    names.sort();
    names.dedup();
    names
}

fn watch(resolved: &Resolved, roles: &[Role]) -> Watch {
    let watch = Watch::new(&resolved.platform, &drives(resolved, roles));
    // Kernel threads (the parent of all is process 2, where it is visible) write back and journal what we wrote.
    if narrows_facts::process::name(2).as_deref() == Some("kthreadd") {
        watch.with_pids(vec![2])
    } else {
        watch
    }
}

fn block_plan(resolved: &Resolved) -> BlockPlan {
    let usual = BlockPlan::default();
    let count = u32::try_from(drives(resolved, &[Role::Data]).len()).unwrap_or(u32::MAX);
    let deep = resolved.max_depth.unwrap_or(narrows_layer_block::deepest_by_drives(count));
    BlockPlan {
        sessions: resolved.plan.sessions,
        // By rule 9 the path is measured on the processors the server will have.
        cpus: resolved.split.server.clone(),
        capacity_bytes: capacity_bytes(resolved),
        write_budget_bytes: resolved
            .least
            .map(|least| least.written_bytes)
            .or(resolved.write_budget_bytes),
        max_depth: resolved.least.map_or(deep, |least| least.max_depth),
        drives: count,
        generator_cpus: generator_cpus(&resolved.platform, &resolved.split.server),
        ..usual
    }
}

/// What the drives under the data hold together; `None` where one of them doesn't tell.
fn capacity_bytes(resolved: &Resolved) -> Option<u64> {
    let mut roles = resolved.platform.roles.iter();
    let data = roles.find(|path| path.role == Role::Data)?;
    let sizes: Option<Vec<u64>> = data.drives().map(|drive| drive.size_bytes).collect();
    sizes.map(|sizes| sizes.iter().sum()).filter(|bytes| *bytes > 0)
}

fn log_plan(resolved: &Resolved, commit_bytes: Vec<(u32, u64)>) -> LogPlan {
    LogPlan {
        commit_bytes,
        cpus: resolved.split.server.clone(),
        busy_file_bytes: BUSY_FILE_BYTES.min(resolved.plan.file_bytes),
    }
}

fn ladder(resolved: &Resolved, bytes: u64) -> Vec<(u32, u64)> {
    let mut committers: Vec<u32> = COMMITTERS.into();
    if resolved.has(Layer::Database) {
        committers.push(resolved.plan.sessions);
    }
    committers.sort_unstable();
    committers.dedup();
    committers.into_iter().map(|n| (n, bytes)).collect()
}

/// How long the log ladder takes that follows a workload which commits, for a plan, seconds; none where the log layer was not asked for.
pub fn planned_ladder_s(resolved: &Resolved) -> f64 {
    if !resolved.has(Layer::Log) {
        return 0.0;
    }
    let step_s = narrows_layer_wal::planned_step_s(resolved.plan.repeats, resolved.window);
    ladder(resolved, COMMIT_BYTES).len() as f64 * step_s
}

/// Refuses a layer that can't be measured in the folders that were named. Nothing is written.
///
/// # Errors
/// Why it can't.
pub fn check(resolved: &Resolved, layer: Layer) -> Result<()> {
    match layer {
        Layer::Block => {
            preflight::block_file(&resolved.data_dir, resolved.plan.file_bytes, "--data")
        }
        Layer::Log => {
            let (wal, data) = (&resolved.wal_dir, &resolved.data_dir);
            preflight::log(wal, if wal == data { "--data" } else { "--wal" }, data)
        }
        _ => Ok(()),
    }
}

/// The layers that were asked for and can't be measured, and the database under that name.
pub fn missing(resolved: &Resolved, database: Option<&str>) -> Vec<MissingPart> {
    let below = [Layer::Block, Layer::Log].into_iter().filter(|layer| resolved.has(*layer));
    let below = below.map(|layer| (layer.word(), check(resolved, layer)));
    let above = database.map(|what| (what, database::check(resolved)));
    let checked = below.chain(above);
    let part = |(what, checked): (&str, Result<()>)| {
        checked.err().map(|why| MissingPart { what: what.to_string(), why })
    };
    checked.filter_map(part).collect()
}

/// The most space that files of a run take at a time in each of its folders.
pub fn space(resolved: &Resolved, database: bool) -> Vec<SpaceNeed> {
    let block = if resolved.has(Layer::Block) { resolved.plan.file_bytes } else { 0 };
    let managed = database && resolved.address.is_none();
    let server = if managed { space_check::needs(resolved) } else { Vec::new() };
    let of_server = |role| server.iter().find(|(of, _)| *of == role).map_or(0, |(_, bytes)| *bytes);
    let data = block.max(of_server(Role::Data));
    [(&resolved.data_dir, data), (&resolved.wal_dir, of_server(Role::Wal))]
        .into_iter()
        .filter(|(_, bytes)| *bytes > 0)
        .map(|(folder, bytes)| SpaceNeed { folder: folder.clone(), bytes })
        .collect()
}

/// Runs the layers that were asked for.
pub fn execute(session: &mut PlannedSession<'_, '_>) -> Result<(), Interrupted> {
    for (layer, measure) in [
        (Layer::Clock, clock as fn(&mut PlannedSession<'_, '_>) -> Result<()>),
        (Layer::Memory, memory),
        (Layer::Block, block),
        (Layer::Log, log),
    ] {
        if !session.resolved.has(layer) {
            continue;
        }
        let checked = check(session.resolved, layer);
        if let Err(error) = checked.and_then(|()| measure(session)) {
            session.absent(layer.word(), error)?;
        }
    }
    Ok(())
}

fn clock(session: &mut PlannedSession<'_, '_>) -> Result<()> {
    let ctx = session.resolved.context(session);
    let measured = narrows_layer_clock::measure(&ctx)?;
    session.add(measured);
    Ok(())
}

fn memory(session: &mut PlannedSession<'_, '_>) -> Result<()> {
    let resolved = session.resolved;
    let ctx = resolved.context(session);
    let watch = watch(resolved, &[]);
    let platform = least_load::memory_of(&resolved.platform);
    let measured = narrows_layer_memory::measure(&ctx, &platform, &resolved.split.server, &watch)?;
    session.add(measured.measurements);
    session.unknown(measured.absent);
    Ok(())
}

fn block(session: &mut PlannedSession<'_, '_>) -> Result<()> {
    let resolved = session.resolved;
    let ctx = resolved.context(session);
    let scratch = Scratch::create(&resolved.data_dir, &session.run.id)?;
    let file =
        narrows_layer_block::prepare(&ctx, scratch.path(), resolved.plan.file_bytes, ctx.seed)?;
    let watch = watch(resolved, &[Role::Data]);
    let measured = narrows_layer_block::measure(&ctx, &file, &watch, &block_plan(resolved))?;
    session.add(on_role(measured, Role::Data));
    Ok(())
}

fn log(session: &mut PlannedSession<'_, '_>) -> Result<()> {
    let resolved = session.resolved;
    let ctx = resolved.context(session);
    let scratch = log_scratch(session)?;
    let steps =
        if resolved.has(Layer::Database) { Vec::new() } else { ladder(resolved, COMMIT_BYTES) };
    let watch = watch(resolved, &[Role::Wal]);
    let plan = log_plan(resolved, steps);
    let measured = narrows_layer_wal::measure(&ctx, scratch.wal(), scratch.data(), &watch, &plan)?;
    session.add(on_role(measured, Role::Wal));
    Ok(())
}

/// The ladder at the size of commit that the database showed; skipped where the log layer was not asked for.
pub fn commit_ladder(session: &mut PlannedSession<'_, '_>, bytes_per_commit: u64) -> Result<()> {
    let resolved = session.resolved;
    if !resolved.has(Layer::Log) {
        return Ok(());
    }
    let ctx = resolved.context(session);
    let scratch = log_scratch(session)?;
    let watch = watch(resolved, &[Role::Wal]);
    for (committers, bytes) in ladder(resolved, bytes_per_commit) {
        let cpus = &session.split.server;
        let dir = scratch.wal();
        let step = narrows_layer_wal::commit_ladder(&ctx, dir, &watch, committers, bytes, cpus)?;
        session.add(on_role(vec![step], Role::Wal));
    }
    Ok(())
}

/// Whether the flush is measured again after a workload that commits: on a server of our own, whose log lies where ours can, and where the
/// log layer was asked for.
pub fn flushes_again(resolved: &Resolved) -> bool {
    resolved.plan.database == DatabaseChoice::Managed || resolved.has(Layer::Log)
}

/// The flush again, as that workload had it and alone.
///
/// # Errors
/// As [`commit_ladder`].
pub fn flush_after(session: &mut PlannedSession<'_, '_>, committed: &Committed<'_>) -> Result<()> {
    let resolved = session.resolved;
    if !flushes_again(resolved) {
        return Ok(());
    }
    let ctx = resolved.context(session);
    let scratch = log_scratch(session)?;
    let watch = watch(resolved, &[Role::Wal]);
    let cpus = &session.split.server;
    let measured = narrows_layer_wal::after(&ctx, scratch.wal(), &watch, committed, cpus)?;
    session.add(on_role(measured, Role::Wal));
    Ok(())
}

/// The drives at the mix of reads and writes that `workload` had, on a file like the block layer's and with as much in flight as its
/// figures took.
///
/// # Errors
/// The file can't be made, or what the block layer gave.
pub fn drives_after(
    session: &mut PlannedSession<'_, '_>,
    workload: &str,
    read_share: f64,
) -> Result<()> {
    let resolved = session.resolved;
    let run = &session.run;
    let most = |key: condition::Key<f64>| {
        let knees = ["block.read.random.8k.knee", "block.write.random.8k.knee"];
        let of = |id: &&str| run.measurement(id).and_then(|m| m.number(key));
        knees.iter().filter_map(of).fold(1.0, f64::max) as u32
    };
    let (depth, threads) = (most(condition::DEPTH), most(condition::THREADS));
    let requested = Requested { workload, read_share, depth, threads };
    let ctx = resolved.context(session);
    let file_bytes = resolved.plan.file_bytes;
    let plan = block_plan(resolved);
    // The server's tables are there meanwhile, which the plan's space did not reckon with.
    check(resolved, Layer::Block)?;
    session.ui.say(&format!(
        "note: reads and writes of {workload} may share one limit of the drives: both are measured together, {:.0} % of them reads, for {:.0} s, with up to {} written beside a file of {}",
        read_share * 100.0,
        narrows_layer_block::after_s(&ctx),
        Bytes(narrows_layer_block::after_bytes(&plan, ctx.quick)),
        Bytes(file_bytes)
    ));
    let scratch = Scratch::create(&resolved.data_dir, &format!("{}-after", session.run.id))?;
    let file = narrows_layer_block::prepare(&ctx, scratch.path(), file_bytes, ctx.seed)?;
    let watch = watch(resolved, &[Role::Data]);
    let measured = narrows_layer_block::after(&ctx, &file, &watch, &plan, &requested)?;
    session.add(on_role(vec![measured], Role::Data));
    Ok(())
}

fn log_scratch(session: &PlannedSession<'_, '_>) -> Result<LogScratch> {
    let resolved = session.resolved;
    let id = format!("{}-log", session.run.id);
    LogScratch::create(&resolved.wal_dir, &resolved.data_dir, &id)
}

fn on_role(mut measured: Vec<Measurement>, role: Role) -> Vec<Measurement> {
    for measurement in &mut measured {
        measurement.workload.insert(condition::ROLE, json!(role.word()));
    }
    measured
}
