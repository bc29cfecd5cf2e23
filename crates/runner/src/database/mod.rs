//! The database layer's turn: a server (ours or the user's), the workloads, the log ladder at the sizes they
//! showed, and the test of each verdict.

pub mod client;
pub mod external_server;
pub mod fit;
pub mod managed_server;
pub mod mariadb;
pub mod parts;
pub mod server;
pub mod sizes;

use std::time::Duration;

use anyhow::{Result, anyhow};
use managed_server::Installation;
use narrows_engine::{Context, Stop};
use narrows_judge::judge;
use narrows_layer_database::{Database, DatabaseError, Provisioner, Task, Variation};
use narrows_layer_wal::Committed;
use narrows_model::{
    Layer, Measurement, PlannedStep, Platform, Workload, condition, family, metric,
};
use narrows_verdict::{Intervention, MOST_TESTS};
use parts::{PlannedTest, begin_windows};
use server::{Tables, scan_workers};

use crate::layers;
use crate::resolved::{PlannedSession, Resolved};
use crate::session::Interrupted;
use crate::split::{self, Split};

/// Share of the closed loop's rate at which percentiles are taken in an open loop.
pub const OPEN_SHARE: f64 = 0.7;
/// One window of a lone session.
pub const SHORT: Duration = Duration::from_millis(1500);
/// One window of a test or of its baseline.
pub const TEST: Duration = Duration::from_millis(2500);
/// What another start of the server costs: it tidies up, ends, starts and fills its pool.
pub const START_S: f64 = 4.0;
/// What one repeat costs besides its window: warm-up, sessions opening and ending, eviction.
const OVERHEAD_S: f64 = 0.7;
/// Scans of a run: by one process, and by several.
const SCANS: usize = 2;
/// Guess at a scan's rate for the plan, bytes per second.
const SCAN_BYTES_PER_S: f64 = 1e9;

/// The steps for the printed plan.
pub fn planned(resolved: &Resolved) -> Vec<PlannedStep> {
    let plan = &resolved.plan;
    let once = |window: Duration| repeats_s(resolved, window);
    let tests = parts::planned_test_s(resolved, 2.0 * once(TEST));
    let lookups = once(resolved.database_window) * 2.0 + once(SHORT) + tests;
    let updates =
        once(resolved.update_window) + once(resolved.database_window) + once(SHORT) + tests;
    let scan = once(scan_time(plan.table_bytes));
    let step = |what: String, expected_s, writes_bytes| PlannedStep {
        layer: Layer::Database,
        what,
        expected_s,
        writes_bytes,
    };
    let ladder_s = layers::planned_ladder_s(resolved);
    let mut steps = vec![server::planned(resolved)];
    steps.extend(client::planned(resolved));
    steps.extend(dearest(resolved).map(|task| fit::planned(resolved, &task)));
    for (workload, task) in asked(resolved) {
        if task.is_scan() {
            // Both kinds take turns, so that neither ends before the other.
            let what = format!("{}, by 1 worker and by several in turns", workload.word());
            steps.push(step(what, parts::planned_scans(resolved, SCANS) * scan, 0));
            continue;
        }
        steps.push(match task {
            _ if task.commits() > 0.0 => {
                let what = format!("{}, with the log ladder at its flush size", workload.word());
                step(what, updates + ladder_s, plan.table_bytes)
            }
            _ => step(workload.name().into(), lookups, 0),
        });
        if task.commits() > 0.0 {
            steps.extend(planned_flush_after(resolved, workload.word()));
        }
    }
    steps
}

/// The step of the flush that is measured again, where it is.
pub fn planned_flush_after(resolved: &Resolved, word: &str) -> Option<PlannedStep> {
    let repeats = resolved.plan.repeats;
    layers::flushes_again(resolved).then(|| narrows_layer_wal::planned_after(repeats, word))
}

/// The usual workloads that were asked for, in their order, scans last: they claim the memory that the others work in.
fn asked(resolved: &Resolved) -> impl Iterator<Item = (Workload, Task)> {
    let usual = Workload::usual().filter(|workload| resolved.runs(*workload));
    usual.filter_map(|workload| Some((workload, Task::usual(workload)?)))
}

/// Of those the first in which sessions ask: it asks least of the server, and so most of the client.
fn dearest(resolved: &Resolved) -> Option<Task> {
    asked(resolved).map(|(_, task)| task).find(|task| !task.is_scan())
}

/// Seconds that all repeats of one window take.
pub fn repeats_s(resolved: &Resolved, window: Duration) -> f64 {
    f64::from(resolved.plan.repeats) * (window.as_secs_f64() + OVERHEAD_S)
}

/// What a scan of so many bytes may take.
pub fn scan_time(bytes: u64) -> Duration {
    Duration::from_secs_f64(bytes as f64 / SCAN_BYTES_PER_S)
}

/// Refuses a server of our own that can't be made; somebody's was asked already. Nothing is written, and nothing is fetched.
///
/// # Errors
/// A folder that takes no files, too little room, no server of that kind, or nobody it could run as.
pub fn check(resolved: &Resolved) -> Result<()> {
    if resolved.address.is_some() {
        return Ok(());
    }
    server::check_dirs(resolved)?;
    if resolved.mariadb {
        narrows_mariadb::find(&Stop::new())?;
        return Ok(());
    }
    Installation::check(resolved.postgres.as_deref(), &resolved.folders())
}

/// What is well of the server that is used: somebody's, once it was asked, or the programs of one of our own.
pub fn server_checks(resolved: &Resolved) -> Vec<String> {
    match (&resolved.address, &resolved.version) {
        (Some(_), Some(version)) => {
            vec![format!("PostgreSQL {version} answers, and a schema may be made there")]
        }
        (Some(_), None) => Vec::new(),
        (None, _) if resolved.mariadb => {
            let found = narrows_mariadb::find(&Stop::new());
            found.map_or(Vec::new(), |found| vec![format!("MariaDB {}", found.version_text)])
        }
        (None, _) => Installation::in_words(resolved.postgres.as_deref()).into_iter().collect(),
    }
}

/// Tells how far the plan may be wrong until the verdicts are known that say which tests are made.
pub fn announce_tests(session: &PlannedSession<'_, '_>) {
    let resolved = session.resolved;
    if resolved.has(Layer::Database) {
        let test_s = 2.0 * repeats_s(resolved, TEST.min(resolved.database_window));
        for (_, task) in asked(resolved) {
            parts::announce_test(session, &task, test_s, SCANS);
        }
    }
}

/// Runs the layer if it was asked for.
pub fn execute(session: &mut PlannedSession<'_, '_>) -> Result<(), Interrupted> {
    if !session.resolved.has(Layer::Database) {
        return Ok(());
    }
    let tables = Tables::usual(session.resolved);
    match server::on(session, &tables, &mut workloads) {
        Ok(()) => Ok(()),
        Err(error) => session.absent("database", error),
    }
}

fn workloads(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    _: Option<&mut dyn Provisioner>,
) -> Result<()> {
    let ctx = session.resolved.context(session);
    database.prepare(&ctx)?;
    for (_, task) in asked(session.resolved) {
        parts::amend_scans(session, &task, parts::planned_scans(session.resolved, SCANS));
    }
    announce_tests(session);
    if let Some(task) = dearest(session.resolved) {
        fit::fit(session, database, &task)?;
    }
    for (workload, task) in asked(session.resolved) {
        let outcome = if task.is_scan() {
            let tidy = database.tidy().map_err(anyhow::Error::from);
            tidy.and_then(|()| scans(session, database, &task))
        } else {
            transactions(session, database, &task, None)
        };
        keep_going(session, workload.word(), outcome)?;
    }
    Ok(())
}

/// A workload that can't be had is absent; a stop ends the layer.
pub fn keep_going(
    session: &mut PlannedSession<'_, '_>,
    what: &str,
    outcome: Result<()>,
) -> Result<()> {
    match outcome {
        Err(error) => {
            session.absent(what, error).map_err(|Interrupted| anyhow!("stopped on request"))
        }
        Ok(()) => Ok(()),
    }
}

/// Runs variations and keeps what they gave.
pub fn take(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    ctx: &Context<'_>,
    task: &Task,
    variations: &[Variation],
) -> Result<Vec<Measurement>, DatabaseError> {
    let measured = database.measure(ctx, *task, variations)?;
    session.add(measured.clone());
    Ok(measured)
}

/// A workload by the plan's sessions: its closed loop, a session alone, percentiles in an open loop (at that rate, or at a share
/// of the closed loop's), and the test of its verdict.
///
/// # Errors
/// What the database layer gave.
pub fn transactions(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    task: &Task,
    open_rate_per_s: Option<f64>,
) -> Result<()> {
    let resolved = session.resolved;
    let sessions = resolved.plan.sessions;
    let id = task.workload().measurement_id();
    let ctx = resolved.context(session);
    let long = Context { window: closed_window(task, resolved), ..ctx };
    let short = Context { window: SHORT.min(resolved.database_window), ..ctx };
    let tests = Context { window: TEST.min(resolved.database_window), ..ctx };
    let closed = [Variation::closed(id, sessions)];
    let takes_s = 2.0 * repeats_s(resolved, tests.window);
    let mut test = PlannedTest::new(session, task.workload(), &closed[0], takes_s);
    begin_windows(session, task, long.window, 1);
    let measured = take(session, database, &long, task, &closed)?;
    if task.commits() > 0.0 {
        flush_after(session, &measured[0], sessions);
    }
    drives_after(session, &measured[0]);
    if task.commits() == 0.0 {
        // What commits is judged by the ladder as well.
        test.foresee(session);
    }
    begin_windows(session, task, short.window, 1);
    let alone = [Variation::closed(format!("{id}.alone"), 1)];
    take(session, database, &short, task, &alone)?;
    if task.commits() > 0.0 {
        session.ui.begin_part(task.workload(), layers::planned_ladder_s(resolved));
        ladder(session, &measured[0]);
        test.foresee(session);
    }
    let rate = measured[0].value(metric::THROUGHPUT).map(|rate| rate * OPEN_SHARE);
    if let Some(rate) = open_rate_per_s.or(rate).filter(|&rate| rate > 0.0) {
        let mut open = Variation::closed(format!("{id}.open"), sessions);
        open.open_rate_per_s = Some(rate);
        let medium = Context { window: resolved.database_window, ..ctx };
        // Pauses belong to sessions, and an open loop has a schedule.
        let unpaused = Task { think: Duration::ZERO, ..*task };
        begin_windows(session, task, medium.window, 1);
        take(session, database, &medium, &unpaused, &[open])?;
    }
    test.foresee(session);
    prove(session, database, &tests, task, &closed[0])
}

/// One window of the closed loop: updates take longer, for the checkpoints that come due.
pub fn closed_window(task: &Task, resolved: &Resolved) -> Duration {
    if task.commits() > 0.0 { resolved.update_window } else { resolved.database_window }
}

/// The flush again, with the committers and the bytes that the flushes of `workload` had, while the device is as it left it.
pub fn flush_after(session: &mut PlannedSession<'_, '_>, workload: &Measurement, sessions: u32) {
    let Some(word) = family::DATABASE.rest(&workload.id) else { return };
    let Some(committed) = committed(workload, word, sessions) else { return };
    let Err(error) = layers::flush_after(session, &committed) else { return };
    let id = family::LOG_AFTER.id(word);
    if session.resolved.has(Layer::Log) {
        // A stop is noticed by the next window.
        let _ = session.absent(&id, error);
    } else if !session.stop.is_set() {
        // Nobody asked for it, so nothing that was asked for is missing.
        session.ui.say(&format!("note: {id} is not measured: {error}"));
    }
}

/// The drives at the mix of reads and writes that `workload` had, where only that tells whether they hold it back; where the block layer was
/// asked for, because it is held against that layer's figures.
pub fn drives_after(session: &mut PlannedSession<'_, '_>, workload: &Measurement) {
    if !session.resolved.has(Layer::Block) {
        return;
    }
    let Some(word) = family::DATABASE.rest(&workload.id) else { return };
    let mut so_far = session.run.clone();
    judge(&mut so_far);
    let Some(read_share) = narrows_verdict::mix_to_measure(&so_far, &workload.id) else { return };
    if let Err(error) = layers::drives_after(session, word, read_share) {
        // A stop is noticed by the next window.
        let _ = session.absent(&family::BLOCK_AFTER.id(word), error);
    }
}

/// What its commits were like; `None` where nothing was logged.
fn committed<'a>(workload: &Measurement, word: &'a str, sessions: u32) -> Option<Committed<'a>> {
    let some = |metric| workload.value(metric).filter(|value| *value > 0.0);
    let bytes_per_op = some(metric::WAL_BYTES_PER_OP)?;
    // Flushes of data files among them say nothing of the log's.
    let of_the_log = workload.text(condition::FLUSHES_COUNTED).is_none();
    let flushes_per_op = some(metric::FLUSHES_PER_OP).filter(|_| of_the_log);
    Some(Committed {
        workload: word,
        committers: sessions,
        bytes_per_commit: bytes_per_op / some(metric::COMMITS_PER_OP).unwrap_or(1.0),
        bytes_per_flush: flushes_per_op.map(|flushes| bytes_per_op / flushes),
    })
}

/// The log ladder at the workload's own session count and flush size, on the processors the server uses.
pub fn ladder(session: &mut PlannedSession<'_, '_>, update: &Measurement) {
    let Some(bytes) = update.value(metric::WAL_BYTES_PER_OP) else { return };
    let commits = update.value(metric::COMMITS_PER_OP).filter(|n| *n > 0.0).unwrap_or(1.0);
    let outcome = layers::commit_ladder(session, (bytes / commits).max(1.0) as u64);
    if let Err(error) = outcome {
        // A stop is noticed by the next window.
        let _ = session.absent("log.commit", error);
    }
}

fn scans(session: &mut PlannedSession<'_, '_>, database: &mut Database, task: &Task) -> Result<()> {
    let ctx = session.resolved.context(session);
    let many = Variation::scan(Workload::ScanMany.measurement_id(), scan_workers(&session.split));
    let both = [Variation::scan(Workload::ScanOne.measurement_id(), 1), many.clone()];
    let mut test = PlannedTest::of_scans(session, task.workload(), &many, SCANS);
    begin_windows(session, task, ctx.window, both.len());
    take(session, database, &ctx, task, &both)?;
    test.foresee(session);
    prove(session, database, &ctx, task, &many)
}

/// Starts the server again, so that `once` measures that workload on each start from the second to the last, and gets its number.
///
/// # Errors
/// The server does not come up again, what `once` gave, or a stop.
pub fn on_further_starts(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    server: &mut dyn Provisioner,
    (workload, starts): (Workload, u32),
    once: &mut dyn FnMut(&mut PlannedSession<'_, '_>, &mut Database, u32) -> Result<()>,
) -> Result<()> {
    for start in 2..=starts {
        session.ui.begin_part(workload, START_S);
        let ctx = session.resolved.context(session);
        database.restart(server, &ctx)?;
        once(session, database, start)?;
    }
    Ok(())
}

/// The same variation on another start.
pub fn on_start(base: &Variation, start: u32) -> Variation {
    Variation { id: format!("{}.start_{start}", base.id), ..base.clone() }
}

/// Tests the verdict by the interventions it proposes, each interleaved with its own baseline.
pub fn prove(
    session: &mut PlannedSession<'_, '_>,
    database: &mut Database,
    ctx: &Context<'_>,
    task: &Task,
    base: &Variation,
) -> Result<()> {
    for _ in 0..MOST_TESTS {
        let Some(pair) = intervention(session, base) else { break };
        begin_windows(session, task, ctx.window, pair.len());
        take(session, database, ctx, task, &pair)?;
    }
    Ok(())
}

/// What would test the verdict on `base`: its baseline, and the intervention that the verdict proposes. `None` where it proposes none, and
/// for a sketch.
pub fn intervention(session: &PlannedSession<'_, '_>, base: &Variation) -> Option<[Variation; 2]> {
    if session.resolved.plan.quick {
        return None;
    }
    let mut so_far = session.run.clone();
    judge(&mut so_far);
    let intervention = narrows_verdict::propose(&so_far, &base.id)?;
    let id = intervention.measurement_id(&base.id);
    let baseline = Variation { id: format!("{id}.base"), ..base.clone() };
    let mut test = Variation {
        id,
        intervention: Some(intervention.word().into()),
        baseline: Some(baseline.id.to_string()),
        ..base.clone()
    };
    intervene(&mut test, intervention, &session.split, &session.resolved.platform);
    Some([baseline, test])
}

/// Changes a variation as the intervention asks.
fn intervene(test: &mut Variation, intervention: Intervention, split: &Split, platform: &Platform) {
    match intervention {
        Intervention::SessionsX2 => test.sessions *= 2,
        Intervention::SyncOff => test.synchronous_commit = false,
        Intervention::WorkersX2 => test.workers *= 2,
        Intervention::FewerCpus => {
            test.server_cpus = split::fewer(&split.server, platform);
        }
        Intervention::MoreCpus => {
            test.server_cpus = split.server.iter().chain(&split.client).copied().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use narrows_engine::Samples;

    use super::*;

    fn update(metrics: &[(narrows_model::Metric, f64)]) -> Measurement {
        let mut samples = Samples::new();
        for (metric, value) in metrics {
            samples.add(*metric, *value);
        }
        let mut measurement = Measurement::new("database.update", Layer::Database);
        measurement.metrics = samples.into_metrics();
        measurement
    }

    #[test]
    fn a_flush_is_measured_again_as_the_workload_had_it() {
        let logged = (metric::WAL_BYTES_PER_OP, 4_500.0);
        let half = (metric::COMMITS_PER_OP, 0.5);
        let shared = (metric::FLUSHES_PER_OP, 0.0625);
        let of = |metrics: &[_]| committed(&update(metrics), "update", 32);
        let heavy = Committed {
            workload: "update",
            committers: 32,
            bytes_per_commit: 9_000.0,
            bytes_per_flush: Some(72_000.0),
        };
        assert_eq!(of(&[logged, half, shared]), Some(heavy));
        let uncounted = Committed { bytes_per_flush: None, ..heavy };
        assert_eq!(of(&[logged, half]), Some(uncounted), "PostgreSQL 13 counts no flushes");
        assert_eq!(of(&[half, shared]), None, "nothing was logged");
        let mut of_all_files = update(&[logged, half, shared]);
        of_all_files
            .conditions
            .insert(condition::FLUSHES_COUNTED, "every fsync, of data files too");
        assert_eq!(committed(&of_all_files, "update", 32), Some(uncounted));
    }
}
