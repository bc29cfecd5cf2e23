//! Jobs side by side under one window, and one such group after the other: what fio's `stonewall` separates.

use std::time::Duration;

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Exit, Job};

use super::job_stream::JobStream;
use super::job_streams;
use super::mapping::{self, refuse};
use super::targets::Targets;
use super::verify;

/// A job that ends with its work and not with time has this long.
const LONGEST: Duration = Duration::from_secs(3600);
/// Slices of windows up to [`SHORT`], and of longer ones.
const SLICE: Duration = Duration::from_millis(100);
const LONG_SLICE: Duration = Duration::from_secs(1);
const SHORT: Duration = Duration::from_secs(600);
/// Assumed for plans of work that no time ends.
const ASSUMED_BYTES_PER_S: f64 = 500e6;

/// Jobs that run at the same time.
#[derive(Debug)]
pub struct Stage {
    /// Their streams.
    pub streams: Vec<JobStream>,
    /// Waited before.
    pub delay: Duration,
    /// Unmeasured lead-in.
    pub warm_up: Duration,
    /// The window.
    pub length: Duration,
    /// Whether nothing runs after it.
    pub last: bool,
    names: Vec<String>,
}

impl Stage {
    /// Length of a slice of the series.
    pub fn slice(&self) -> Duration {
        if self.length <= SHORT { SLICE } else { LONG_SLICE }
    }

    /// In words.
    pub fn what(&self) -> String {
        let streams = match self.streams.len() {
            1 => "one stream".to_string(),
            n => format!("{n} streams"),
        };
        let unbounded = self.streams.iter().any(|stream| stream.writes_bytes().is_none());
        let writes = if unbounded { ", writes as much as its time allows" } else { "" };
        format!("run {}: {streams}{writes}", self.names.join(" beside "))
    }

    /// How long it should take, seconds.
    pub fn expected_s(&self) -> f64 {
        let limited = |stream: &JobStream| {
            let operations = stream.limit?.operations as f64;
            Some(
                operations * mapping::mean_length(&stream.mix, &stream.sizes) / ASSUMED_BYTES_PER_S,
            )
        };
        let work = self.streams.iter().map(limited).sum::<Option<f64>>();
        let window = self.length.as_secs_f64();
        // Of those whose work has no end the one with the longest time.
        let endless = self.streams.iter().filter(|stream| stream.limit.is_none());
        let endless = endless.map(|one| one.ends_after.unwrap_or(self.length).as_secs_f64());
        let longest = endless.fold(0.0, f64::max);
        (self.delay + self.warm_up).as_secs_f64() + work.map_or(longest, |work| work.min(window))
    }

    /// Bytes written at most, as far as work and not time ends it.
    pub fn writes_bytes(&self) -> u64 {
        self.streams.iter().filter_map(JobStream::writes_bytes).sum()
    }
}

/// All stages; `targets` then knows every file with its length.
///
/// # Errors
/// What a stream can't do, files that can't be used, and jobs that can't share a window.
pub fn stages(jobs: &[Job], targets: &mut Targets, said: &mut Vec<String>) -> Result<Vec<Stage>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if !job.waits_for_previous => group.push(number),
            _ => groups.push(vec![number]),
        }
    }
    let mut stages = Vec::new();
    for group in groups {
        let members: Vec<(usize, &Job)> = group.iter().map(|&n| (n, &jobs[n])).collect();
        let mut stage = stage(&members, stages.len(), targets, said)?;
        verify::check_writers(&stage.streams, jobs)?;
        let before = stages.iter().flat_map(|stage: &Stage| &stage.streams);
        verify::check_written(before, &stage.streams, jobs, targets)?;
        verify::share_flows(&mut stage.streams, jobs, said);
        let last = stage.last;
        stages.push(stage);
        if last {
            break;
        }
    }
    Ok(stages)
}

fn stage(
    members: &[(usize, &Job)],
    number: usize,
    targets: &mut Targets,
    said: &mut Vec<String>,
) -> Result<Stage> {
    let (_, first) = members[0];
    for (_, job) in members {
        let (one, other) = (&first.ending, &job.ending);
        if one.ramp != other.ramp || one.start_delay != other.start_delay {
            let limit = &limits::OTHER_TIMES;
            let reason = format!("it runs beside [{}]; {}", first.name, limit.why);
            return Err(refuse(job, reason, limit.hint));
        }
    }
    let time = |nanos: narrows_units::Nanos| Duration::from_nanos(nanos.0);
    let mut streams = Vec::new();
    for (job_number, job) in members {
        streams.extend(job_streams::of_job(job, *job_number, number, targets, said)?);
    }
    if let Some((_, job)) = members.iter().find(|(_, job)| job.ending.runtime.is_none()) {
        said.push(format!(
            "{} [{}]: note: without a runtime it ends when its work is done, at the latest after an hour",
            job.place, job.name
        ));
    }
    let length_of = |job: &Job| job.ending.runtime.map_or(LONGEST, time);
    let length = members.iter().map(|(_, job)| length_of(job)).max().unwrap_or(LONGEST);
    for stream in &mut streams {
        let own = members.iter().find(|(number, _)| *number == stream.job);
        stream.ends_after = own.map(|(_, job)| length_of(job)).filter(|own| *own < length);
    }
    unique(&mut streams);
    Ok(Stage {
        streams,
        delay: time(first.ending.start_delay),
        warm_up: time(first.ending.ramp),
        length,
        last: members.iter().any(|(_, job)| job.exit == Some(Exit::All)),
        names: members.iter().map(|(_, job)| job.name.clone()).collect(),
    })
}

/// Sections may have one name; streams may not.
fn unique(streams: &mut [JobStream]) {
    for at in 0..streams.len() {
        let name = streams[at].name.clone();
        let before = streams[..at].iter().filter(|stream| stream.name == name).count();
        if before > 0 {
            streams[at].name = format!("{name}#{}", streams[at].job);
        }
    }
}
