//! What the jobs of a stage gave, as measurements of the run file.

use std::path::Path;

use narrows_fio::Job;
use narrows_io::Durable;
use narrows_layer_block::{Record, Stream, StreamOutcome, write_state};
use narrows_model::{Measurement, condition, metric};
use serde_json::json;

use super::execute::Done;
use super::in_step;
use super::job_stream::JobStream;
use super::judges;
use super::stage::Stage;
use super::verified;
use super::whole_files::FileSet;

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
pub fn say_write_states(measured: &mut [Measurement], capacity_bytes: Option<u64>) {
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

/// What the streams of a job work on.
fn say_files(measurement: &mut Measurement, streams: &[(&JobStream, &Stream)]) {
    let workload = &mut measurement.workload;
    let whole: Vec<&FileSet> =
        streams.iter().filter_map(|(source, _)| source.set.as_deref()).collect();
    if let Some(first) = whole.first() {
        let count = whole.iter().map(|set| set.names.len()).sum::<usize>();
        workload.insert(condition::FILE, json!(first.named.display().to_string()));
        workload.insert(condition::FILES, json!(count));
        return;
    }
    let mut files: Vec<(&Path, u64)> = streams
        .iter()
        .map(|(source, stream)| (source.file.as_path(), stream.region.target().bytes()))
        .collect();
    files.sort_unstable();
    files.dedup();
    let first = streams.first().map(|(source, _)| source.file.display().to_string());
    workload.insert(condition::FILE, json!(first));
    workload.insert(condition::FILES, json!(files.len()));
    workload.insert(condition::FILE_BYTES, json!(files.iter().map(|(_, b)| b).sum::<u64>()));
    measurement.conditions.insert(condition::RANGE_BYTES, json!(range_bytes(streams)));
}

/// One measurement of each job; of several side by side also one of all together, which has the devices' counters.
pub fn measurements(
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
        judges::say_in(&mut measurement, one);
        let workload = &mut measurement.workload;
        workload.insert(condition::JOB, json!(job.name));
        if source.durable != Durable::Later {
            workload.insert(condition::SYNC, json!(source.durable.word()));
        }
        if job.atomic_writes {
            workload.insert(condition::ATOMIC_WRITES, json!(true));
        }
        if let Some(nodes) = &source.buffer_nodes {
            workload.insert(condition::MEMORY_POLICY, json!(nodes.to_string()));
        }
        if let Some(think) = source.think {
            workload.insert(condition::THINK_PAUSE_NS, json!(think.pause.as_nanos() as u64));
            workload.insert(condition::THINK_AFTER, json!(think.after.unwrap_or(0)));
        }
        workload.insert(condition::SECTION, json!(job.place.to_string()));
        workload.insert(condition::NUMJOBS, json!(job.clones));
        workload.insert(condition::WINDOW, json!(number));
        say_files(&mut measurement, &streams);
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
