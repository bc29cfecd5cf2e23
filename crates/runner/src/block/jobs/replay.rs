//! `read_iolog`: what a log recorded, as streams: one for each file, with its operations in their order and at their times.
//!
//! Logs are handed around, so a log alone leads to no file: what it names has to be named by `filename` or `replay_redirect` as well, and
//! goes through the same checks as any file of a job. With the engine null no file is touched, whatever its name.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Result;
use narrows_engine::Arrivals;
use narrows_fio::iolog::{self, Iolog, Logged, LoggedKind};
use narrows_fio::options::limits;
use narrows_fio::{
    Amount, Blocks, Direction, Engine, Job, Order, PerDirection, Region, Replay, Targets as Names,
};
use narrows_io::Op;
use narrows_layer_block::{
    AccessPattern, Limit, Load, Mix, RecordedOperation, RecordedOperations, Share, Sizes, Then,
};

use super::job_stream::JobStream;
use super::job_streams::of_job;
use super::mapping::{refuse, refuse_limit};
use super::targets::Targets;

/// The longest log that is read, bytes.
const LONGEST: u64 = 1 << 28;
/// More lengths than this are no shares of anything.
const MOST_LENGTHS: usize = 4096;
/// Weights of kinds and lengths add up to no more than this.
const MOST_WEIGHT: u64 = 60_000;

/// The streams of a job that does a log again.
///
/// # Errors
/// A log that can't be read or done, and files that it alone names.
pub fn streams(
    job: &Job,
    replay: &Replay,
    (job_number, stage): (usize, usize),
    targets: &mut Targets,
    said: &mut Vec<String>,
) -> Result<Vec<JobStream>> {
    if job.latency_target.is_some() || job.access.zones.is_some() {
        let reason = "a log has its own depth and places: latency_target and zonemode beside read_iolog are not done";
        return Err(refuse(job, reason, "leave one of them out"));
    }
    let mut all = Vec::new();
    let mut known: BTreeMap<&str, Iolog> = BTreeMap::new();
    let mut operations = 0;
    for clone in 0..job.clones {
        let log = replay.logs[clone as usize % replay.logs.len()].as_str();
        if !known.contains_key(log) {
            known.insert(log, read(job, replay, log, targets)?);
        }
        let read = &known[log];
        operations += read.operations.len();
        if operations > iolog::MOST_OPERATIONS {
            let reason = "its clones have more than 4 194 304 operations of logs together, which are held in memory";
            return Err(refuse(job, reason, "write a smaller numjobs, or cut the log"));
        }
        let files = read.files.len() as u32;
        if job.depth < files {
            return Err(refuse_limit(job, &limits::FILES_IN_TURN));
        }
        let mut of_files: Vec<Vec<&Logged>> = vec![Vec::new(); read.files.len()];
        read.operations.iter().for_each(|one| of_files[usize::from(one.file)].push(one));
        for (number, (name, of_file)) in read.files.iter().zip(&of_files).enumerate() {
            let alone = of_one_file(job, name, of_file, targets)?;
            let depth = (job.depth / files).max(1);
            for mut stream in of_job(&alone, job_number, stage, targets, said)? {
                if job.clones > 1 {
                    stream.clone = Some(clone);
                    stream.name += &format!(".{clone}");
                }
                if files > 1 {
                    stream.name += &format!("/{number}");
                }
                as_recorded(job, &mut stream, of_file, depth, read.timed)?;
                all.push(stream);
            }
        }
    }
    Ok(all)
}

fn read(job: &Job, replay: &Replay, log: &str, targets: &Targets) -> Result<Iolog> {
    let bytes = narrows_files::read(&targets.path(log), LONGEST).map_err(|refused| {
        refuse(job, format!("cannot read the log {log}: {refused}"), "name a log that fio wrote")
    })?;
    let read = iolog::parse(&bytes, replay)
        .map_err(|(why, hint)| refuse(job, format!("the log {log} {why}"), &hint))?;
    let named = match &job.targets {
        Names::Named(names) => names.as_slice(),
        Names::Made { .. } => &[],
    };
    let meant = |name: &String| {
        job.engine == Engine::Null || named.contains(name) || replay.redirect.as_ref() == Some(name)
    };
    if let Some(name) = read.files.iter().find(|name| !meant(name)) {
        let reason = format!("the log {log} names {name}, and the job does not");
        let hint = format!("if it is meant: filename={name}; or replay_redirect=FILE for another");
        return Err(refuse(job, reason, &hint));
    }
    Ok(read)
}

/// The job as one that works on the file as far as the log does.
fn of_one_file(
    job: &Job,
    name: &str,
    operations: &[&Logged],
    targets: &mut Targets,
) -> Result<Job> {
    let counts = Counts::of(operations);
    let writes = counts.writes.0 + counts.trims.0 > 0;
    if writes && job.files.read_only {
        let reason = format!("readonly, and the log writes to {name}");
        return Err(refuse(job, reason, "write replay_skip=write,trim"));
    }
    let reach = operations.iter().map(|one| one.offset + u64::from(one.bytes)).max().unwrap_or(0);
    let mut alone = job.clone();
    let name = if job.engine == Engine::Null {
        let label = format!("{name} (ioengine=null)");
        targets.pretend(&label);
        label
    } else {
        name.to_string()
    };
    alone.replay = None;
    alone.clones = 1;
    alone.targets = Names::Named(vec![name]);
    alone.access.direction = match (counts.reads.0 > 0, writes, counts.writes.0 > 0) {
        (true, true, _) => Direction::Mixed { read_percent: 50 },
        (false, true, true) => Direction::Write,
        (false, true, false) => Direction::Trim,
        _ => Direction::Read,
    };
    alone.access.order = Order::Sequential { gap_bytes: 0 };
    // What it is in truth comes from the log; here it has to be something that a job can have.
    let block = Blocks::Fixed(512);
    alone.blocks = PerDirection { read: block.clone(), write: block.clone(), trim: block };
    alone.region = Region {
        offset: Amount::Bytes(0),
        offset_increment: Amount::Bytes(0),
        size: Some(Amount::Bytes(reach.max(512))),
        file_size_bytes: None,
        io_size: None,
    };
    alone.ending.time_based = false;
    alone.ending.loops = 1;
    Ok(alone)
}

/// Kinds, lengths, places and times of the log instead of the job's.
fn as_recorded(
    job: &Job,
    stream: &mut JobStream,
    operations: &[&Logged],
    depth: u32,
    timed: bool,
) -> Result<()> {
    let counts = Counts::of(operations);
    stream.mix = counts.mix();
    stream.sizes = counts.sizes(job)?;
    let recorded = |one: &&Logged| RecordedOperation {
        op: match one.kind {
            LoggedKind::Read => Op::Read,
            LoggedKind::Write => Op::Write,
            LoggedKind::Trim => Op::Trim,
            LoggedKind::Sync => Op::Sync,
        },
        offset: one.offset,
        bytes: one.bytes,
        due_ns: one.due_us.saturating_mul(1000),
    };
    let recorded: Vec<RecordedOperation> = operations.iter().map(recorded).collect();
    let (count, lasts_ns) = (recorded.len() as u64, recorded.last().map_or(0, |one| one.due_ns));
    stream.place = AccessPattern::Recorded(Arc::new(RecordedOperations::new(recorded)));
    stream.load = if timed && lasts_ns > 0 {
        let all = counts.reads.0 + counts.writes.0 + counts.trims.0;
        let rate_per_s = all.max(1) as f64 * 1e9 / lasts_ns as f64;
        Load::Open { rate_per_s, arrivals: Arrivals::Recorded, most_in_flight: depth }
    } else {
        Load::Closed { depth }
    };
    stream.threads = 1;
    let then = if job.exit.is_some() { Then::CloseWindow } else { Then::EndStream };
    stream.limit = Some(Limit { operations: count, then });
    Ok(())
}

/// How long a job's records last.
pub fn lasts(streams: &[JobStream]) -> Duration {
    let of_one = |stream: &JobStream| match &stream.place {
        AccessPattern::Recorded(record) => record.lasts(),
        _ => Duration::ZERO,
    };
    streams.iter().map(of_one).max().unwrap_or_default()
}

/// How many operations of each kind there are, and of which lengths.
#[derive(Debug, Default)]
struct Counts {
    reads: (u64, BTreeMap<u32, u64>),
    writes: (u64, BTreeMap<u32, u64>),
    trims: (u64, BTreeMap<u32, u64>),
}

impl Counts {
    fn of(operations: &[&Logged]) -> Counts {
        let mut counts = Counts::default();
        for one in operations {
            let kind = match one.kind {
                LoggedKind::Read => &mut counts.reads,
                LoggedKind::Write => &mut counts.writes,
                LoggedKind::Trim => &mut counts.trims,
                LoggedKind::Sync => continue,
            };
            kind.0 += 1;
            *kind.1.entry(one.bytes).or_default() += 1;
        }
        counts
    }

    /// A file that is only synced counts as read.
    fn mix(&self) -> Mix {
        let all = self.reads.0 + self.writes.0 + self.trims.0;
        let weight = |count: u64| weight(count, all);
        let (read, write, trim) =
            (weight(self.reads.0), weight(self.writes.0), weight(self.trims.0));
        if all == 0 { Mix::only(Op::Read) } else { Mix { read, write, trim } }
    }

    fn sizes(&self, job: &Job) -> Result<Sizes> {
        let shares = |(all, lengths): &(u64, BTreeMap<u32, u64>)| -> Result<Vec<Share<u32>>> {
            if lengths.len() > MOST_LENGTHS {
                let reason =
                    format!("its log has {} lengths, at most 4096 are done", lengths.len());
                return Err(refuse(job, reason, "cut the log into several jobs"));
            }
            let share =
                |(what, count): (&u32, &u64)| Share { what: *what, weight: weight(*count, *all) };
            let shares: Vec<Share<u32>> = lengths.iter().map(share).collect();
            Ok(if shares.is_empty() { vec![Share { what: 512, weight: 1 }] } else { shares })
        };
        Ok(Sizes {
            read: shares(&self.reads)?,
            write: shares(&self.writes)?,
            trim: shares(&self.trims)?,
        })
    }
}

/// A count as a weight of all, at least 1 where there is any.
fn weight(count: u64, all: u64) -> u32 {
    if count == 0 {
        return 0;
    }
    if all <= MOST_WEIGHT {
        return count as u32;
    }
    ((count as f64 * MOST_WEIGHT as f64 / all as f64) as u32).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_the_counts_or_their_shares() {
        assert_eq!((weight(0, 10), weight(3, 10)), (0, 3));
        assert_eq!((weight(1, 1 << 30), weight(1 << 29, 1 << 30)), (1, 30_000));
        let reads = Logged { kind: LoggedKind::Read, file: 0, offset: 0, bytes: 512, due_us: 0 };
        let trim = Logged { kind: LoggedKind::Trim, bytes: 1 << 31, ..reads };
        let counts = Counts::of(&[&reads, &reads, &trim]);
        assert_eq!(counts.mix(), Mix { read: 2, write: 0, trim: 1 });
    }
}
