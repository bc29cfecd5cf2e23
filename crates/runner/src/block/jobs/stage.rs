//! Jobs side by side under one window, and one such group after the other: what fio's `stonewall` separates.

use std::time::Duration;

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Exit, Job};

use super::job_stream::Lane;
use super::job_streams;
use super::mapping::{self, refuse};
use super::targets::Targets;

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
pub struct Wall {
    /// Their streams.
    pub lanes: Vec<Lane>,
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

impl Wall {
    /// Length of a slice of the series.
    pub fn slice(&self) -> Duration {
        if self.length <= SHORT { SLICE } else { LONG_SLICE }
    }

    /// In words.
    pub fn what(&self) -> String {
        let streams = match self.lanes.len() {
            1 => "one stream".to_string(),
            n => format!("{n} streams"),
        };
        let unbounded = self.lanes.iter().any(|lane| lane.writes_bytes().is_none());
        let writes = if unbounded { ", writes as much as its time allows" } else { "" };
        format!("run {}: {streams}{writes}", self.names.join(" beside "))
    }

    /// How long it should take, seconds.
    pub fn expected_s(&self) -> f64 {
        let limited = |lane: &Lane| {
            let operations = lane.limit?.operations as f64;
            Some(operations * mapping::mean_length(&lane.mix, &lane.sizes) / ASSUMED_BYTES_PER_S)
        };
        let work = self.lanes.iter().map(limited).sum::<Option<f64>>();
        let window = self.length.as_secs_f64();
        (self.delay + self.warm_up).as_secs_f64() + work.map_or(window, |work| work.min(window))
    }

    /// Bytes written at most, as far as work and not time ends it.
    pub fn writes_bytes(&self) -> u64 {
        self.lanes.iter().filter_map(Lane::writes_bytes).sum()
    }
}

/// All walls; `targets` then knows every file with its length.
///
/// # Errors
/// What a stream can't do, files that can't be used, and jobs that can't share a window.
pub fn walls(jobs: &[Job], targets: &mut Targets, said: &mut Vec<String>) -> Result<Vec<Wall>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (number, job) in jobs.iter().enumerate() {
        match groups.last_mut() {
            Some(group) if !job.waits_for_previous => group.push(number),
            _ => groups.push(vec![number]),
        }
    }
    let mut walls = Vec::new();
    for group in groups {
        let members: Vec<(usize, &Job)> = group.iter().map(|&n| (n, &jobs[n])).collect();
        let wall = wall(&members, walls.len(), targets, said)?;
        let last = wall.last;
        walls.push(wall);
        if last {
            break;
        }
    }
    Ok(walls)
}

fn wall(
    members: &[(usize, &Job)],
    number: usize,
    targets: &mut Targets,
    said: &mut Vec<String>,
) -> Result<Wall> {
    let (_, first) = members[0];
    for (_, job) in members {
        let (one, other) = (&first.ending, &job.ending);
        if one.runtime != other.runtime
            || one.ramp != other.ramp
            || one.start_delay != other.start_delay
        {
            let limit = &limits::OTHER_TIMES;
            let reason = format!("it runs beside [{}]; {}", first.name, limit.why);
            return Err(refuse(job, reason, limit.hint));
        }
    }
    let time = |nanos: narrows_units::Nanos| Duration::from_nanos(nanos.0);
    let mut lanes = Vec::new();
    for (job_number, job) in members {
        lanes.extend(job_streams::of_job(job, *job_number, number, targets, said)?);
    }
    if first.ending.runtime.is_none() {
        said.push(format!(
            "{} [{}]: note: without a runtime it ends when its work is done, at the latest after an hour",
            first.place, first.name
        ));
    }
    unique(&mut lanes);
    Ok(Wall {
        lanes,
        delay: time(first.ending.start_delay),
        warm_up: time(first.ending.ramp),
        length: first.ending.runtime.map_or(LONGEST, time),
        last: members.iter().any(|(_, job)| job.exit == Some(Exit::All)),
        names: members.iter().map(|(_, job)| job.name.clone()).collect(),
    })
}

/// Sections may have one name; streams may not.
fn unique(lanes: &mut [Lane]) {
    for at in 0..lanes.len() {
        let name = lanes[at].name.clone();
        let before = lanes[..at].iter().filter(|lane| lane.name == name).count();
        if before > 0 {
            lanes[at].name = format!("{name}#{}", lanes[at].job);
        }
    }
}
