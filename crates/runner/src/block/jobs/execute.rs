//! Runs the stages.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use narrows_engine::{Phase, Stop};
use narrows_fio::Job;
use narrows_fio::json::Device;
use narrows_io::{Durable, Method, Target, TargetKind};
use narrows_layer_block::{
    Route, Scenario, Stream, StreamOutcome, Verdict, keep_busy, run_scenario,
};
use narrows_model::{Layer, RolePath};
use narrows_raw::Consent;

use super::atomic_writes;
use super::by_priority;
use super::cpu_loads;
use super::disks::{self, Disks};
use super::files::Files;
use super::job_stream::JobStream;
use super::judges;
use super::mapping::refuse;
use super::measurements::{disjoint, measurements, say_write_states};
use super::read_back::read_back;
use super::so_far;
use super::stage::Stage;
use super::targets::{TargetState, Targets};
use super::verified::{self, JobReadBack};
use super::verify_state;
use crate::block::folder;
use crate::failure::Failure;
use crate::session::{Ended, Session};
use crate::ui::Ui;

/// What one job gave.
#[derive(Debug)]
pub struct Done {
    /// Its number in the plan.
    pub job: usize,
    /// When its window began, milliseconds since 1970.
    pub started_ms: u64,
    /// When its window ended, milliseconds since the run began.
    pub elapsed_ms: u64,
    /// Each of its streams, with the number of its clone where it is one clone's.
    pub parts: Vec<(Option<u32>, StreamOutcome)>,
    /// All of them as one.
    pub whole: StreamOutcome,
    /// What was read back afterwards to be verified.
    pub read_back: JobReadBack,
    /// What those found that end it by what it does, by clone where they look at each.
    pub verdicts: Vec<(Option<u32>, Verdict)>,
}

/// Runs all stages. What each job gave is in the session's run, and in `done` and, by drive, `devices` for fio's layout; blocks that are
/// not what was written are in `told`.
///
/// # Errors
/// What opening, filling or running gave.
pub fn execute(
    session: &mut Session<'_>,
    jobs: &[Job],
    stages: &[Stage],
    targets: &mut Targets,
    consent: Option<&Consent>,
    (done, devices, told): (&mut Vec<Done>, &mut Vec<Device>, &mut Vec<anyhow::Error>),
) -> Result<Ended> {
    let mut files = Files::default();
    let gave = (done, devices, &mut *told);
    let ended = run_stages(session, jobs, stages, targets, (&mut files, consent), gave);
    for (path, error) in files.stay(targets) {
        verify_state::withdraw(stages, &path);
        told.push(error);
    }
    ended
}

fn run_stages(
    session: &mut Session<'_>,
    jobs: &[Job],
    stages: &[Stage],
    targets: &mut Targets,
    (files, consent): (&mut Files, Option<&Consent>),
    (done, devices, told): (&mut Vec<Done>, &mut Vec<Device>, &mut Vec<anyhow::Error>),
) -> Result<Ended> {
    let platform = session.platform();
    let watch = folder::watch(platform);
    let capacity_bytes = folder::capacity_bytes(platform);
    let mut drives: Vec<String> =
        platform.roles.iter().flat_map(RolePath::drives).map(|drive| drive.name.clone()).collect();
    drives.dedup();
    let began = std::time::Instant::now();
    let mut first_began = None;
    for (number, stage) in stages.iter().enumerate() {
        if session.stop.is_set() {
            return Ok(Ended::Interrupted);
        }
        let ctx = session.context(stage.length);
        let paths: Vec<PathBuf> = stage.streams.iter().map(|stream| stream.file.clone()).collect();
        files.ready(&ctx, &session.run.id, targets, paths.into_iter(), consent)?;
        files.lay_out(&ctx, &session.run.id, targets.sets.of_stage(number))?;
        let streams = streams(stage, jobs, targets, files)?;
        // As in fio delays count from the beginning of the first job.
        let first_began = *first_began.get_or_insert_with(std::time::Instant::now);
        ctx.stop.sleep(stage.delay.saturating_sub(first_began.elapsed()))?;
        empty_caches(stage, files)?;
        ctx.progress.phase(Layer::Block, Phase::Measure, &stage.what());
        let scenario = Scenario {
            streams,
            warm_up: stage.warm_up,
            length: stage.length,
            slice: stage.slice(),
            seed: ctx.seed ^ ((number as u64 + 1) << 40),
            cpu_loads: stage.loads.iter().map(|job| job.load.clone()).collect(),
        };
        let started_ms = now_ms() + stage.warm_up.as_millis() as u64;
        let before = Disks::look(&drives);
        let loaded = std::time::Instant::now();
        let outcomes = if scenario.streams.is_empty() {
            Ok(Vec::new())
        } else {
            so_far::with_drive_rate(ctx.progress, &stage.what(), &watch, stage.warm_up, || {
                run_scenario(&ctx, &scenario, &watch)
            })
        };
        // Also of a run that was stopped: that is what a state is for.
        if outcomes.is_ok() || ctx.stop.is_set() {
            for saved in verify_state::save(&stage.streams) {
                match saved {
                    Ok(sentence) => session.ui.say(&sentence),
                    Err(error) => told.push(error),
                }
            }
        }
        let mut outcomes = outcomes?;
        disks::add(devices, Disks::look(&drives).since(&before));
        let elapsed_ms = began.elapsed().as_millis() as u64;
        let back = read_back(&ctx, stage, &scenario, &mut outcomes, &watch, (targets, files))?;
        let mut stage_done = by_job(stage, jobs, outcomes, (started_ms, elapsed_ms));
        verified::add(stage, &mut stage_done, back, jobs);
        say_idle(session.ui, stage, jobs, &stage_done);
        told.extend(judges::tell(session.ui, jobs, &stage_done));
        told.extend(tell(session.ui, stage, jobs, &stage_done));
        let mut measured = measurements(stage, jobs, &stage_done, &scenario.streams, number);
        say_write_states(&mut measured, capacity_bytes);
        done.extend(stage_done);
        session.add(measured);
        if let Some((loads, longest)) = cpu_loads::left(&stage.loads, loaded.elapsed()) {
            keep_busy(&loads, longest, ctx.stop)?;
        }
        for stream in
            stage.streams.iter().filter(|stream| stream.sync_at_end && stream.mix.writes())
        {
            make_durable(stream, targets, files, ctx.stop)?;
        }
        files.remove_whole(&ctx);
        files.done(number, targets);
        if stage.last {
            break;
        }
    }
    Ok(Ended::Whole)
}

/// Makes durable what a stream wrote.
pub fn make_durable(
    stream: &JobStream,
    targets: &Targets,
    files: &Files,
    stop: &Stop,
) -> Result<()> {
    let fail = |error: &dyn std::fmt::Display| {
        Failure::hinted(
            format!("cannot make {} durable: {error}", stream.file.display()),
            "the kernel log (dmesg) names the drive; the window before it is saved",
        )
    };
    if let Some(TargetState::Remote(namespace)) =
        targets.get(&stream.file).map(|wanted| &wanted.found)
    {
        return namespace.flush(stop).map_err(|error| fail(&error));
    }
    let region = files.region(&stream.file).expect("it was opened for this stage");
    if region.target().kind() == TargetKind::Endless {
        return Ok(());
    }
    // The character device of a namespace cannot be flushed; the block device beside it can.
    if let Some(block) = region.target().block_device_beside() {
        let block = Target::open_read(&block, false).map_err(|error| fail(&error))?;
        return block.buffered_file().sync_all().map_err(|error| fail(&error));
    }
    region.target().buffered_file().sync_all().map_err(|error| fail(&error))
}

fn now_ms() -> u64 {
    jiff::Timestamp::now().as_millisecond().max(0) as u64
}

/// The streams with their open regions; what their alignment needs is looked at before the window.
fn streams(stage: &Stage, jobs: &[Job], targets: &Targets, files: &Files) -> Result<Vec<Stream>> {
    stage.streams
        .iter()
        .map(|stream| {
            if let Some(set) = &stream.set {
                return files.stream_on(set, stream);
            }
            let whole = files.region(&stream.file).expect("it was opened for this stage");
            let mut region = whole.part(stream.offset_bytes, stream.bytes)?;
            if targets.get(&stream.file).is_some_and(|wanted| wanted.formatted) {
                region = region.foreign();
            }
            // To a namespace of a target each write has FUA.
            let by_file = whole.target().kind() != TargetKind::Remote;
            if stream.durable != Durable::Later && stream.mix.writes() && by_file {
                region = region.durable(stream.durable)?;
            }
            atomic_writes::check_open(&jobs[stream.job], stream, region.target())?;
            let unit = region.target().offset_alignment();
            let odd = stream.steps().find(|(_, bytes)| !bytes.is_multiple_of(unit));
            if let (Route::Direct, Some((what, bytes))) = (stream.route, odd) {
                return Err(refuse(
                    &jobs[stream.job],
                    format!(
                        "{what} of {bytes} bytes is not possible with direct I/O: {} needs multiples of {unit}",
                        stream.file.display()
                    ),
                    "use such a multiple, or direct=0",
                ));
            }
            Ok(stream.stream(region))
        })
        .collect()
}

/// Drops cached pages where fio would.
fn empty_caches(stage: &Stage, files: &Files) -> Result<()> {
    for stream in
        stage.streams.iter().filter(|stream| stream.route == Route::Buffered && stream.invalidate)
    {
        let file = files.region(&stream.file).expect("it was opened for this stage").target();
        if file.kind() == TargetKind::Endless {
            continue;
        }
        narrows_facts::file::evict(file.buffered_file())
            .with_context(|| format!("emptying the page cache of {}", stream.file.display()))?;
    }
    Ok(())
}

/// The outcomes of a stage, job by job in the order of the plan.
fn by_job(
    stage: &Stage,
    jobs: &[Job],
    outcomes: Vec<StreamOutcome>,
    (started_ms, elapsed_ms): (u64, u64),
) -> Vec<Done> {
    let mut done: Vec<Done> = Vec::new();
    let mut outcomes = outcomes.into_iter();
    let numbers: Vec<usize> = {
        let mut numbers: Vec<usize> = stage.streams.iter().map(|stream| stream.job).collect();
        numbers.dedup();
        numbers
    };
    for number in &numbers {
        let streams: Vec<&JobStream> =
            stage.streams.iter().filter(|stream| stream.job == *number).collect();
        let parts: Vec<(Option<u32>, StreamOutcome)> =
            streams.iter().map(|stream| stream.clone).zip(outcomes.by_ref()).collect();
        let all: Vec<StreamOutcome> = parts.iter().map(|(_, outcome)| outcome.clone()).collect();
        let (whole, name) = (numbers.len() == 1, jobs[*number].name.as_str());
        let together = StreamOutcome::combined(name, &all, whole, disjoint(&streams));
        // One whose window never began has no figures.
        if let Some(whole) = together.filter(|whole| whole.window_ns > 0) {
            done.push(Done {
                job: *number,
                started_ms: started_ms + whole.begins_ns / 1_000_000,
                elapsed_ms,
                parts,
                whole,
                read_back: JobReadBack::default(),
                verdicts: judges::verdicts(stage, *number),
            });
        }
    }
    done
}

/// Says which jobs did nothing that counts.
fn say_idle(ui: &dyn Ui, stage: &Stage, jobs: &[Job], done: &[Done]) {
    let mut numbers: Vec<usize> = stage.streams.iter().map(|stream| stream.job).collect();
    numbers.dedup();
    for number in numbers.iter().filter(|number| done.iter().all(|one| one.job != **number)) {
        let name = &jobs[*number].name;
        ui.say(&format!("note: [{name}] has no figures: it ended before its window began"));
    }
}

/// Says what was verified; the errors about what is not what was written.
fn tell(ui: &dyn Ui, stage: &Stage, jobs: &[Job], done: &[Done]) -> Vec<anyhow::Error> {
    let mut errors = Vec::new();
    for one in done {
        let job = &jobs[one.job];
        let Some(stream) = stage.streams.iter().find(|stream| stream.job == one.job) else {
            continue;
        };
        let moves = stream.access.method() != Method::Null;
        if let Some(sentence) = verified::sentence(job, one, moves) {
            ui.say(&sentence);
        }
        by_priority::sentences(job, &one.whole).iter().for_each(|line| ui.say(line));
        errors.extend(verified::error(job, one, &stream.file));
    }
    errors
}
