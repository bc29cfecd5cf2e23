//! What verification of a stage came to, job by job: in measurements, in words, and as an error.

use std::path::Path;

use narrows_fio::Job;
use narrows_io::Op;
use narrows_layer_block::{Record, Sizes, Stream, StreamOutcome, Verified};
use narrows_model::{Measurement, condition};
use serde_json::json;

use super::execute::Done;
use super::job_stream::JobStream;
use super::measurements::disjoint;
use super::read_back::ReadBack;
use super::stage::Stage;
use crate::failure::Failure;

/// What reading back gave of one job.
#[derive(Debug, Default)]
pub struct JobReadBack {
    /// Each of its streams, with the number of its clone where it is one clone's.
    pub parts: Vec<(Option<u32>, StreamOutcome)>,
    /// All of them as one.
    pub whole: Option<StreamOutcome>,
    /// Blocks that were written and not read back.
    pub unread: u64,
}

/// Gives each job its part. A block that is not what was written is an error of the writes as well.
pub fn add(stage: &Stage, done: &mut [Done], back: ReadBack, jobs: &[Job]) {
    let mut parts: Vec<(usize, Option<StreamOutcome>, u64)> = stage
        .streams
        .iter()
        .zip(back.outcomes)
        .zip(back.unread)
        .map(|((stream, outcome), unread)| (stream.job, outcome, unread))
        .collect();
    for one in done {
        let streams: Vec<&JobStream> =
            stage.streams.iter().filter(|stream| stream.job == one.job).collect();
        let own = parts.iter_mut().filter(|(job, ..)| *job == one.job);
        let mut read = JobReadBack::default();
        for (stream, (_, outcome, unread)) in streams.iter().zip(own) {
            read.unread += *unread;
            read.parts.extend(outcome.take().map(|outcome| (stream.clone, outcome)));
        }
        let all: Vec<StreamOutcome> =
            read.parts.iter().map(|(_, outcome)| outcome.clone()).collect();
        let (alone, name) = (stage.streams.len() == streams.len(), &jobs[one.job].name);
        read.whole = StreamOutcome::combined(name, &all, alone, disjoint(&streams));
        one.whole.wrong += read.whole.as_ref().map_or(0, |whole| whole.verified.wrong);
        one.read_back = read;
    }
}

/// What was compared of a job's blocks: while it ran, and afterwards.
fn compared(done: &Done) -> Verified {
    let mut all = done.whole.verified.clone();
    if let Some(back) = &done.read_back.whole {
        all.add(&back.verified);
    }
    all
}

/// Says in the measurement of a job how its blocks were verified.
pub fn say_in(measurement: &mut Measurement, job: &Job, done: &Done) {
    if let Some(flow) = job.flow {
        measurement.workload.insert(condition::FLOW, json!(flow.weight));
    }
    let Some(verify) = &job.verify else { return };
    measurement.workload.insert(condition::VERIFY, json!(verify.method.name()));
    let compared = compared(done);
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::VERIFIED_BLOCKS, json!(compared.blocks));
    conditions.insert(condition::MISMATCHES, json!(compared.wrong));
    if done.read_back.unread > 0 {
        conditions.insert(condition::UNVERIFIED_BLOCKS, json!(done.read_back.unread));
    }
}

/// The figures of reading back, which stand beside those of the job.
pub fn measurement(job: &Job, done: &Done, id: &str, stream: &Stream) -> Option<Measurement> {
    let (whole, verify) = (done.read_back.whole.as_ref()?, job.verify.as_ref()?);
    let mut record = Record::new();
    record.add(whole);
    let mut read = stream.clone();
    read.name = format!("{} verify", job.name);
    read.mix = narrows_layer_block::Mix::only(Op::Read);
    read.sizes = Sizes { read: stream.sizes.of(Op::Write).to_vec(), ..stream.sizes.clone() };
    read.load = whole.load;
    (read.sync_after, read.think, read.limit) = (None, None, None);
    let mut measurement = record.into_measurement(format!("{id}.verify"), &read);
    let workload = &mut measurement.workload;
    workload.insert(condition::JOB, json!(read.name));
    workload.insert(condition::VERIFY, json!(verify.method.name()));
    workload.insert(condition::SECTION, json!(job.place.to_string()));
    workload.insert(condition::NUMJOBS, json!(job.clones));
    let conditions = &mut measurement.conditions;
    conditions.insert(condition::VERIFIED_BLOCKS, json!(whole.verified.blocks));
    conditions.insert(condition::MISMATCHES, json!(whole.verified.wrong));
    Some(measurement)
}

/// What is said of a job's verification when its stage is over.
pub fn sentence(job: &Job, done: &Done, moves: bool) -> Option<String> {
    let verify = job.verify.as_ref()?;
    let (name, method) = (&job.name, verify.method.name());
    if !moves {
        return Some(format!(
            "note: [{name}]: nothing was verified: the engine null moves no data"
        ));
    }
    let compared = compared(done);
    let right = compared.blocks - compared.wrong;
    let mut sentence = format!("[{name}]: verify={method}: {right} of {} blocks", compared.blocks);
    sentence += " that were read hold what was written";
    if compared.blocks == 0 {
        sentence = format!("note: [{name}]: verify={method}: no block was read and compared");
    }
    if done.read_back.unread > 0 {
        sentence +=
            &format!("; {} blocks were not read back: the runtime was over", done.read_back.unread);
    }
    Some(sentence)
}

/// The error about blocks that are not what was written, with the first of them.
pub fn error(job: &Job, done: &Done, file: &Path) -> Option<anyhow::Error> {
    let compared = compared(done);
    if compared.wrong == 0 {
        return None;
    }
    let mut reason = format!(
        "[{}]: {} of {} blocks of {} are not what was written",
        job.name,
        compared.wrong,
        compared.blocks,
        file.display()
    );
    for mismatch in &compared.first {
        reason += &format!("\n  {mismatch}");
    }
    let hint = "the device or file system changes or drops data, or something else wrote there; the kernel log (dmesg) names the drive";
    Some(Failure::hinted(reason, hint))
}
