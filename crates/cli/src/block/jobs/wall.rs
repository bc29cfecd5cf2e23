//! Jobs side by side under one window, and one such group after the other: what fio's `stonewall` separates.

use std::path::Path;
use std::time::Duration;

use anyhow::Result;
use narrows_fio::{Amount, Exit, Job, Order, Targets as Names};
use narrows_io::Entropy;
use narrows_layer_block::{Limit, Load, Mix, Stream, Then};
use narrows_units::Bytes;

use super::lane::Lane;
use super::mapping::{self, refuse};
use super::targets::{Found, Targets, may_write};

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
pub fn walls(jobs: &[Job], targets: &mut Targets<'_>, said: &mut Vec<String>) -> Result<Vec<Wall>> {
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
    targets: &mut Targets<'_>,
    said: &mut Vec<String>,
) -> Result<Wall> {
    let (_, first) = members[0];
    for (_, job) in members {
        let (one, other) = (&first.ending, &job.ending);
        if one.runtime != other.runtime
            || one.ramp != other.ramp
            || one.start_delay != other.start_delay
        {
            return Err(refuse(
                job,
                format!(
                    "it runs beside [{}] with another runtime, ramp_time or startdelay",
                    first.name
                ),
                "give jobs side by side the same, or put stonewall between them",
            ));
        }
    }
    let time = |nanos: narrows_units::Nanos| Duration::from_nanos(nanos.0);
    let mut lanes = Vec::new();
    for (job_number, job) in members {
        lanes.extend(lanes_of(job, *job_number, number, targets, said)?);
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

fn lanes_of(
    job: &Job,
    job_number: usize,
    wall: usize,
    targets: &mut Targets<'_>,
    said: &mut Vec<String>,
) -> Result<Vec<Lane>> {
    let mix = mapping::mix(job)?;
    let entropy = mapping::entropy(job, said);
    let apart = apart(job);
    let clones: Vec<Option<u32>> =
        if apart { (0..job.clones).map(Some).collect() } else { vec![None] };
    let mut lanes = Vec::new();
    // Said for one of them is said for all.
    let mut once = Vec::new();
    for clone in clones {
        let mut remarks = Vec::new();
        lanes.extend(clone_lanes(job, job_number, clone, &mix, targets, &mut remarks)?);
        once.extend(remarks.into_iter().filter(|remark| !said.contains(remark)));
        once.dedup();
    }
    said.extend(once);
    for lane in &lanes {
        let wanted = targets.look(&lane.file)?;
        let end = lane.offset_bytes + lane.bytes;
        wanted.bytes = wanted.bytes.max(end);
        wanted.hollow &= lane.access.method() == narrows_io::Method::Null;
        if wanted.entropy == Entropy::default() {
            wanted.entropy = entropy;
        }
        wanted.walls = (wanted.walls.0.min(wall), wanted.walls.1.max(wall));
    }
    Ok(lanes)
}

/// Whether clones need a stream each: files or offsets of their own, an order of their own that is reported apart, or a
/// CPU each.
fn apart(job: &Job) -> bool {
    let own_files = matches!(job.targets, Names::Made { .. });
    let own_offsets = job.region.offset_increment != Amount::Bytes(0)
        && job.region.offset_increment != Amount::Percent(0);
    let own_report = !job.group_reporting && !matches!(job.access.order, Order::Sequential { .. });
    let own_cpu = job.placement.one_each && job.placement.cpus.is_some();
    job.clones > 1 && (own_files || own_offsets || own_report || own_cpu)
}

fn clone_lanes(
    job: &Job,
    job_number: usize,
    clone: Option<u32>,
    mix: &Mix,
    targets: &mut Targets<'_>,
    said: &mut Vec<String>,
) -> Result<Vec<Lane>> {
    let names = job.targets.of_clone(clone.unwrap_or(0));
    let together = if clone.is_some() { 1 } else { job.clones };
    let sizes = mapping::sizes(job)?;
    let access = mapping::access(job)?;
    let load = mapping::load(job, mix, &sizes)?;
    let files = names.len() as u32;
    if files > 1 {
        let in_flight = job.depth;
        if in_flight < files {
            return Err(refuse(
                job,
                format!(
                    "{in_flight} operations in flight taken in turn over {files} files are not done"
                ),
                "give iodepth at least as many as files, or make a job for each file",
            ));
        }
        mapping::say(
            said,
            job,
            "its files are used at the same time, each with its part of depth and work",
        );
    }
    let mut spans = Vec::new();
    for name in &names {
        let path = targets.path(name);
        let found = targets.look(&path)?.found.clone();
        if mix.writes() {
            may_write(&path, &found)?;
        }
        let (offset_bytes, bytes) = span(job, &path, &found, files, clone.unwrap_or(0))?;
        spans.push((path, offset_bytes, bytes));
    }
    let region_bytes: u64 = spans.iter().map(|(_, _, bytes)| bytes).sum();
    let share = 1.0 / f64::from(files);
    let mean = mapping::mean_length(mix, &sizes);
    let mut lanes = Vec::new();
    for (number, (file, offset_bytes, bytes)) in spans.into_iter().enumerate() {
        if let Found::Nothing { .. } = targets.look(&file)?.found
            && mix.writes()
            && !job.files.overwrite
        {
            mapping::say(said, job, "files are written whole before the job, as with overwrite=1");
        }
        let own = mapping::times(load, f64::from(together) * share);
        let operations = mapping::work_bytes(job, region_bytes)
            .map(|work| (work as f64 * share / mean).ceil() as u64);
        let operations = match (operations, job.ending.operations) {
            (Some(work), Some(most)) => Some(work.min((most as f64 * share).ceil() as u64)),
            (work, most) => work.or(most),
        };
        let then = if job.exit.is_some() { Then::CloseWindow } else { Then::EndStream };
        let depth = match own {
            Load::Closed { depth } => depth,
            Load::Open { most_in_flight, .. } => most_in_flight,
        };
        let mut name = job.name.clone();
        if let Some(clone) = clone {
            name += &format!(".{clone}");
        }
        if files > 1 {
            name += &format!("/{number}");
        }
        let cpus = job.placement.cpus.clone().unwrap_or_default();
        let cpus = match (clone, job.placement.one_each, cpus.len()) {
            (Some(clone), true, 1..) => vec![cpus[clone as usize % cpus.len()]],
            _ => cpus,
        };
        lanes.push(Lane {
            job: job_number,
            name,
            clone,
            file,
            offset_bytes,
            bytes,
            mix: *mix,
            sizes: sizes.clone(),
            place: mapping::place(job, bytes, together, said)?,
            load: own,
            threads: Stream::threads_for(&access, depth, together),
            access: access.clone(),
            route: if job.files.direct {
                narrows_layer_block::Route::Direct
            } else {
                narrows_layer_block::Route::Buffered
            },
            cpus,
            sync_after: mapping::sync_after(job, said)?,
            limit: operations.map(|each| Limit {
                operations: each.saturating_mul(u64::from(together)).max(1),
                then,
            }),
            order_seed: mapping::order_seed(
                job,
                u64::from(clone.unwrap_or(0)) << 8 | number as u64,
            ),
            invalidate: job.files.invalidate,
            sync_at_end: job.flushes.fsync_at_end,
        });
    }
    Ok(lanes)
}

/// Where in one of its `files` this clone works: offset and length, bytes.
fn span(job: &Job, path: &Path, found: &Found, files: u32, clone: u32) -> Result<(u64, u64)> {
    let there = match found {
        Found::File { bytes } => Some(*bytes),
        Found::Device { device, .. } => device.size_bytes,
        Found::Nothing { .. } => None,
    };
    let region = &job.region;
    let each = region.file_size_bytes.or(match region.size {
        Some(Amount::Bytes(bytes)) => Some(bytes / u64::from(files)),
        _ => None,
    });
    // The length that shares are of.
    let whole = there.or(each).ok_or_else(|| {
        refuse(
            job,
            "its file isn't there, and no size says how long it shall be",
            "write size= or filesize=, or name a file that is there",
        )
    })?;
    let amount = |amount: Amount| match amount {
        Amount::Bytes(bytes) => bytes,
        Amount::Percent(percent) => (whole as f64 * f64::from(percent) / 100.0) as u64,
    };
    let offset = amount(region.offset)
        .saturating_add(amount(region.offset_increment).saturating_mul(u64::from(clone)));
    if !offset.is_multiple_of(512) && job.files.direct {
        return Err(refuse(
            job,
            format!("it begins at byte {offset}, which is no multiple of 512"),
            "direct I/O needs offsets at whole sectors",
        ));
    }
    let length = match region.size {
        Some(Amount::Bytes(bytes)) => bytes / u64::from(files),
        Some(share @ Amount::Percent(_)) => amount(share),
        // With filesize alone the file is that long, and the job works up to its end.
        None => each.unwrap_or(whole).min(whole).saturating_sub(offset),
    };
    if let Some(there) = there
        && (length == 0 || offset.saturating_add(length) > there)
    {
        return Err(refuse(
            job,
            format!(
                "it wants {} at byte {offset} of {}, which has {}",
                Bytes(length),
                path.display(),
                Bytes(there)
            ),
            "make the size smaller, or name a file that isn't there: narrows makes it as long as needed",
        ));
    }
    Ok((offset, length))
}
