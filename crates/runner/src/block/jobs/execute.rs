//! Runs the stages, and makes a measurement of each job.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use narrows_engine::{Phase, Stop};
use narrows_fio::Job;
use narrows_fio::json::Device;
use narrows_io::{Durable, Method, TargetKind};
use narrows_layer_block::{
    Record, Route, Scenario, Stream, StreamOutcome, run_scenario, write_state,
};
use narrows_model::{Layer, Measurement, RolePath, condition, metric};
use narrows_raw::Consent;
use serde_json::json;

use super::disks::{self, Disks};
use super::files::Files;
use super::in_step;
use super::job_stream::JobStream;
use super::mapping::refuse;
use super::read_back::read_back;
use super::so_far;
use super::stage::Stage;
use super::targets::{TargetState, Targets};
use super::verified::{self, JobReadBack};
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
    let platform = session.platform();
    let watch = folder::watch(platform);
    let capacity_bytes = folder::capacity_bytes(platform);
    let mut drives: Vec<String> =
        platform.roles.iter().flat_map(RolePath::drives).map(|drive| drive.name.clone()).collect();
    drives.dedup();
    let mut files = Files::default();
    let began = std::time::Instant::now();
    for (number, stage) in stages.iter().enumerate() {
        if session.stop.is_set() {
            return Ok(Ended::Interrupted);
        }
        let ctx = session.context(stage.length);
        let paths: Vec<PathBuf> = stage.streams.iter().map(|stream| stream.file.clone()).collect();
        files.ready(&ctx, &session.run.id, targets, paths.into_iter(), consent)?;
        let streams = streams(stage, jobs, targets, &files)?;
        ctx.stop.sleep(stage.delay)?;
        empty_caches(stage, &files)?;
        ctx.progress.phase(Layer::Block, Phase::Measure, &stage.what());
        let scenario = Scenario {
            streams,
            warm_up: stage.warm_up,
            length: stage.length,
            slice: stage.slice(),
            seed: ctx.seed ^ ((number as u64 + 1) << 40),
        };
        let started_ms = now_ms() + stage.warm_up.as_millis() as u64;
        let before = Disks::look(&drives);
        let mut outcomes =
            so_far::with_drive_rate(ctx.progress, &stage.what(), &watch, stage.warm_up, || {
                run_scenario(&ctx, &scenario, &watch)
            })?;
        disks::add(devices, Disks::look(&drives).since(&before));
        let elapsed_ms = began.elapsed().as_millis() as u64;
        let back = read_back(&ctx, stage, &scenario, &mut outcomes, &watch, (targets, &files))?;
        let mut stage_done = by_job(stage, jobs, outcomes, (started_ms, elapsed_ms));
        verified::add(stage, &mut stage_done, back, jobs);
        told.extend(tell(session.ui, stage, jobs, &stage_done));
        let mut measured = measurements(stage, jobs, &stage_done, &scenario.streams, number);
        say_write_states(&mut measured, capacity_bytes);
        done.extend(stage_done);
        session.add(measured);
        for stream in
            stage.streams.iter().filter(|stream| stream.sync_at_end && stream.mix.writes())
        {
            make_durable(stream, targets, &files, ctx.stop)?;
        }
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
        if let Some(whole) = StreamOutcome::combined(name, &all, whole, disjoint(&streams)) {
            let read_back = JobReadBack::default();
            done.push(Done { job: *number, started_ms, elapsed_ms, parts, whole, read_back });
        }
    }
    done
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
        errors.extend(verified::error(job, one, &stream.file));
    }
    errors
}

/// Whether no two of the streams share a byte.
pub fn disjoint(streams: &[&JobStream]) -> bool {
    streams.iter().enumerate().all(|(at, stream)| {
        streams[..at].iter().all(|other| {
            other.file != stream.file
                || other.offset_bytes + other.bytes <= stream.offset_bytes
                || stream.offset_bytes + stream.bytes <= other.offset_bytes
        })
    })
}

/// What the figures of those that wrote are worth, of drives that hold `capacity_bytes`.
fn say_write_states(measured: &mut [Measurement], capacity_bytes: Option<u64>) {
    for measurement in measured {
        if measurement.number(condition::WRITTEN_BYTES).is_some() {
            let range = measurement.number(condition::RANGE_BYTES).map(|bytes| bytes as u64);
            let state = write_state(measurement, 0, range, capacity_bytes);
            measurement.conditions.insert(condition::WRITE_STATE, json!(state.word()));
        }
    }
}

/// Bytes of the files and devices that the streams work on, each counted once.
fn range_bytes(streams: &[(&JobStream, &Stream)]) -> u64 {
    let mut parts: Vec<(&Path, u64, u64)> = streams
        .iter()
        .map(|(source, stream)| {
            let from = source.offset_bytes;
            (source.file.as_path(), from, from + stream.region.bytes())
        })
        .collect();
    parts.sort_unstable();
    let mut reached: Option<(&Path, u64)> = None;
    let mut sum = 0;
    for (file, from, to) in parts {
        let from = reached.filter(|(last, _)| *last == file).map_or(from, |(_, to)| from.max(to));
        sum += to.saturating_sub(from);
        reached = Some((file, from.max(to)));
    }
    sum
}

/// One measurement of each job; of several side by side also one of all together, which has the devices' counters.
fn measurements(
    stage: &Stage,
    jobs: &[Job],
    done: &[Done],
    streams: &[Stream],
    number: usize,
) -> Vec<Measurement> {
    let mut measured: Vec<Measurement> = Vec::new();
    let mut read_back: Vec<Measurement> = Vec::new();
    for one in done {
        let job = &jobs[one.job];
        let streams: Vec<(&JobStream, &Stream)> =
            stage.streams.iter().zip(streams).filter(|(source, _)| source.job == one.job).collect();
        let Some((source, first)) = streams.first() else { continue };
        let mut record = Record::new();
        record.add(&one.whole);
        // What its streams are together.
        let mut stream = (*first).clone();
        stream.name = job.name.clone();
        stream.load = one.whole.load;
        stream.threads = streams.iter().map(|(_, stream)| stream.threads).sum();
        let mut id = format!("block.job.{}", job.name);
        if measured.iter().any(|other| other.id == id)
            || jobs[..one.job].iter().any(|j| j.name == job.name)
        {
            id += &format!("#{}", one.job);
        }
        let back = verified::measurement(job, one, &id, &stream);
        let mut measurement = record.into_measurement(id, &stream);
        verified::say_in(&mut measurement, job, one);
        let workload = &mut measurement.workload;
        workload.insert(condition::JOB, json!(job.name));
        if source.durable != Durable::Later {
            workload.insert(condition::SYNC, json!(source.durable.word()));
        }
        if let Some(think) = source.think {
            workload.insert(condition::THINK_PAUSE_NS, json!(think.pause.as_nanos() as u64));
            workload.insert(condition::THINK_AFTER, json!(think.after.unwrap_or(0)));
        }
        workload.insert(condition::SECTION, json!(job.place.to_string()));
        workload.insert(condition::NUMJOBS, json!(job.clones));
        workload.insert(condition::WINDOW, json!(number));
        let mut files: Vec<(&Path, u64)> = streams
            .iter()
            .map(|(source, stream)| (source.file.as_path(), stream.region.target().bytes()))
            .collect();
        files.sort_unstable();
        files.dedup();
        workload.insert(condition::FILE, json!(source.file.display().to_string()));
        workload.insert(condition::FILES, json!(files.len()));
        workload.insert(condition::FILE_BYTES, json!(files.iter().map(|(_, b)| b).sum::<u64>()));
        measurement.conditions.insert(condition::RANGE_BYTES, json!(range_bytes(&streams)));
        measured.push(measurement);
        read_back.extend(back);
    }
    if done.len() > 1 {
        let id = format!("block.together.{number}");
        for member in &mut measured {
            member.workload.insert(condition::PART_OF, json!(id));
        }
        let mut record = Record::new();
        let all: Vec<StreamOutcome> = done.iter().map(|one| one.whole.clone()).collect();
        record.add_together(&all);
        let parts: Vec<&StreamOutcome> =
            done.iter().flat_map(|one| one.parts.iter().map(|(_, outcome)| outcome)).collect();
        let in_step = in_step::unique_read_bytes(&stage.streams, &parts);
        if let Some(bytes) = in_step {
            record.note(metric::UNIQUE_BYTES, bytes);
        }
        let mut together = record.into_together(id, streams);
        if in_step.is_some() {
            together.workload.insert(condition::PLACE, json!("same_offsets"));
        }
        measured.push(together);
    }
    measured.extend(read_back);
    measured
}
