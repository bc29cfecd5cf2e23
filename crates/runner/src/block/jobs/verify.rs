//! Verification of jobs: what their blocks hold, and what can't be verified because nobody knows what is there.

use std::path::Path;
use std::sync::Arc;

use anyhow::Result;
use narrows_files::Refused;
use narrows_fio::options::limits;
use narrows_fio::verify::{Method, Pattern, PatternPart, VerifyBlocks};
use narrows_fio::{Direction, Distribution, Job, Order};
use narrows_io::Op;
use narrows_layer_block::{
    AccessPattern, Backlog, BlockFormat, BlockMismatch, Distribution as Places, FlowGroup, Verify,
};

use super::atomic_writes;
use super::job_stream::JobStream;
use super::mapping::{refuse, refuse_limit, say};
use super::targets::{TargetState, Targets};

/// So many writes are remembered at most, in some 3 GB.
const MOST_REMEMBERED: u64 = 1 << 26;
/// The longest file that a pattern may name, bytes.
const LONGEST_PATTERN: u64 = 1 << 20;

/// fio's blocks.
#[derive(Debug)]
struct FioBlocks(VerifyBlocks);

impl BlockFormat for FioBlocks {
    fn make(&self, block: &mut [u8], offset: u64, number: u64) {
        self.0.make(block, offset, number);
    }

    fn check(
        &self,
        block: &mut [u8],
        offset: u64,
        number: Option<u64>,
    ) -> Result<(), BlockMismatch> {
        self.0.check(block, offset, number).map_err(|mismatch| BlockMismatch {
            offset: mismatch.offset,
            what: mismatch.what.to_string(),
            expected: mismatch.expected,
            found: mismatch.found,
        })
    }
}

/// A pattern that nobody verifies.
#[derive(Debug)]
struct Patterned(Pattern);

impl BlockFormat for Patterned {
    fn make(&self, block: &mut [u8], _: u64, _: u64) {
        self.0.fill(block, 0);
    }

    fn check(&self, _: &mut [u8], _: u64, _: Option<u64>) -> Result<(), BlockMismatch> {
        Ok(())
    }
}

/// A job of `verify_only` as one that reads what it would write; any other as it is.
///
/// # Errors
/// One whose writes nobody can know.
pub fn only_reading(job: &Job) -> Result<Option<Job>> {
    if !job.verify.as_ref().is_some_and(|verify| verify.only) {
        return Ok(None);
    }
    let access = &job.access;
    let whole = access.direction == Direction::Write
        && match access.order {
            Order::Sequential { .. } => true,
            Order::Random { .. } => {
                access.once_each
                    && access.distribution == Distribution::Uniform
                    && job.region.io_size.is_none()
                    && job.ending.operations.is_none()
            }
        };
    if !whole {
        return Err(refuse_limit(job, &limits::VERIFYING_A_PART));
    }
    let mut reads = job.clone();
    reads.access.direction = Direction::Read;
    reads.blocks.read = job.blocks.write.clone();
    reads.flushes = narrows_fio::Flushes::default();
    Ok(Some(reads))
}

/// Another in every run: what an earlier one left there must not pass for this one's.
pub fn fresh_seed(order_seed: Option<u64>) -> u64 {
    jiff::Timestamp::now().as_nanosecond() as u64 ^ order_seed.unwrap_or(0)
}

/// How the blocks of a stream of `job` are made and checked; `None`: they are narrows' own. The stream has all but this.
///
/// # Errors
/// A file of a pattern that can't be read.
pub fn of_stream(job: &Job, stream: &JobStream) -> Result<Option<Verify>> {
    let writes = stream.mix.weight(Op::Write) > 0;
    let Some(verify) = &job.verify else {
        if !writes || job.buffer_pattern.is_empty() {
            return Ok(None);
        }
        let pattern = pattern(job, &job.buffer_pattern, 0)?;
        return Ok(Some(Verify::of(Arc::new(Patterned(pattern)))));
    };
    let reads_only = job.access.direction == Direction::Read;
    if !writes && !reads_only {
        // Ordinary reads of a mix are not looked at, as in fio.
        return Ok(None);
    }
    let remembers = verify.reads_back && writes;
    let most = stream.limit.map(|limit| limit.operations);
    if remembers && verify.backlog.is_none() && most.is_some_and(|most| most > MOST_REMEMBERED) {
        return Err(refuse_limit(job, &limits::TOO_MANY_WRITES));
    }
    let pattern = match verify.pattern.as_slice() {
        [] => None,
        parts => Some(pattern(job, parts, verify.pattern_interval_bytes)?),
    };
    let blocks = VerifyBlocks {
        method: verify.method,
        unit_bytes: verify.unit_bytes,
        header_at: verify.header_at,
        pattern,
        seed: stream.verify_seed,
        compress_percent: job.data.compress_percent,
        job: u16::try_from(stream.job + 1).unwrap_or(u16::MAX),
        compares_number: verify.compares_number && verify.method != Method::Null,
        compares_seed: verify.compares_seed,
    };
    Ok(Some(Verify {
        checks_reads: reads_only,
        remembers,
        overwrites: !writes_once(stream),
        backlog: verify
            .backlog
            .filter(|_| writes)
            .map(|backlog| Backlog { every: backlog.every, batch: backlog.batch }),
        fatal: verify.fatal,
        ..Verify::of(Arc::new(FioBlocks(blocks)))
    }))
}

fn pattern(job: &Job, parts: &[PatternPart], interval_bytes: u32) -> Result<Pattern> {
    let read = |name: &str| {
        narrows_files::read(Path::new(name), LONGEST_PATTERN).map_err(|refused| match refused {
            Refused::System(error) => format!("cannot read {name}: {error}"),
            refused => format!("cannot read {name}: {refused}"),
        })
    };
    Pattern::of(parts, interval_bytes, read).map_err(|reason| {
        refuse(
            job,
            format!("its pattern: {reason}"),
            "name a file that is there, from the current folder",
        )
    })
}

/// Whether no place is written twice, for all that is known beforehand.
fn writes_once(stream: &JobStream) -> bool {
    let Some(bytes) = stream.sizes.single(&stream.mix).map(u64::from) else { return false };
    let Some(limit) = stream.limit else { return false };
    let in_turn =
        matches!(stream.place, AccessPattern::Random(Places::OnceEach) | AccessPattern::Sequential);
    in_turn && limit.operations.saturating_mul(bytes) <= stream.bytes
}

/// Whether each place comes once before any comes again.
fn writes_in_turn(stream: &JobStream) -> bool {
    matches!(stream.place, AccessPattern::Random(Places::OnceEach) | AccessPattern::Sequential)
}

/// Whether it looks at blocks at all.
fn verifies(stream: &JobStream, jobs: &[Job]) -> bool {
    stream.verify.is_some() && jobs[stream.job].verify.is_some()
}

fn overlap(one: &JobStream, other: &JobStream) -> bool {
    one.file == other.file
        && one.offset_bytes < other.offset_bytes + other.bytes
        && other.offset_bytes < one.offset_bytes + one.bytes
}

/// What is done in another way where several write one place.
const READ_WHEN_ALL_HAVE_WRITTEN: &str = "what several jobs or clones wrote at the same place is read back when all of them have written, where fio reads while others still write; with verify_backlog it is read meanwhile, too";

/// Refuses to verify what several write at the same time, but where each block has to be a whole one of one of them.
///
/// # Errors
/// The job that can't be verified.
pub fn check_writers(streams: &[JobStream], jobs: &[Job], said: &mut Vec<String>) -> Result<()> {
    let mut shared = None;
    for (number, stream) in streams.iter().enumerate().filter(|(_, one)| verifies(one, jobs)) {
        let job = &jobs[stream.job];
        let writes = stream.mix.writes();
        let same = stream.place == AccessPattern::SameOffsets || !writes_once(stream);
        let others: Vec<&Job> = streams
            .iter()
            .enumerate()
            .filter(|(other, one)| *other != number && one.mix.writes() && overlap(one, stream))
            .map(|(_, one)| &jobs[one.job])
            .collect();
        // Without reading back nobody minds.
        let looks = job.verify.as_ref().is_some_and(|verify| {
            verify.reads_back || verify.backlog.is_some() || verify.saves_state
        });
        let several = !others.is_empty() || writes && stream.threads > 1 && same;
        if !several || writes && !looks {
            continue;
        }
        let whole = |other: &Job| atomic_writes::leave_whole_blocks(job, other);
        if !writes || !whole(job) || !others.into_iter().all(whole) {
            return Err(refuse_limit(job, &limits::WRITERS_OF_ONE_PLACE));
        }
        if job.verify.as_ref().is_some_and(|verify| verify.reads_back) && shared != Some(stream.job)
        {
            say(said, job, READ_WHEN_ALL_HAVE_WRITTEN);
            shared = Some(stream.job);
        }
    }
    Ok(())
}

/// Refuses to verify what no job before has written: a file that is made for the run, or a part that others leave out.
///
/// # Errors
/// The job that reads it.
pub fn check_written<'a>(
    before: impl Iterator<Item = &'a JobStream> + Clone,
    streams: &[JobStream],
    jobs: &[Job],
    targets: &Targets,
) -> Result<()> {
    for stream in streams.iter().filter(|one| verifies(one, jobs) && !one.mix.writes()) {
        let Some(wanted) = targets.get(&stream.file) else { continue };
        let made = matches!(wanted.found, TargetState::Nothing { .. });
        let writers = || {
            before.clone().filter(|other| {
                other.verify.is_some() && other.mix.writes() && overlap(other, stream)
            })
        };
        let asked = made || writers().next().is_some();
        if asked && !wanted.hollow && !is_covered(stream, writers().filter(|one| covers(one))) {
            return Err(refuse_limit(&jobs[stream.job], &limits::UNWRITTEN));
        }
    }
    Ok(())
}

/// Whether it writes every block of its part.
fn covers(stream: &JobStream) -> bool {
    let bytes = stream.sizes.single(&stream.mix).map(u64::from);
    let work = stream.limit.zip(bytes).map(|(limit, bytes)| limit.operations.saturating_mul(bytes));
    stream.mix.single() == Some(Op::Write)
        && writes_in_turn(stream)
        && work.is_some_and(|work| work >= stream.bytes)
}

/// Whether the parts of `writers` leave nothing out of a stream's.
fn is_covered<'a>(stream: &JobStream, writers: impl Iterator<Item = &'a JobStream>) -> bool {
    let mut parts: Vec<(u64, u64)> =
        writers.map(|one| (one.offset_bytes, one.offset_bytes + one.bytes)).collect();
    parts.sort_unstable();
    let reached = parts.iter().fold(stream.offset_bytes, |reached, &(from, to)| {
        if from <= reached { reached.max(to) } else { reached }
    });
    reached >= stream.offset_bytes + stream.bytes
}

/// Parts of a weight, so that streams of one job can share it.
const PARTS: u64 = 1000;

/// Gives the streams of jobs with a `flow` their shares; only those side by side can have one.
pub fn share_flows(streams: &mut [JobStream], jobs: &[Job], said: &mut Vec<String>) {
    let mut groups: Vec<(u32, Arc<FlowGroup>)> = Vec::new();
    for at in 0..streams.len() {
        let number = streams[at].job;
        let Some(flow) = jobs[number].flow else { continue };
        let group = match groups.iter().find(|(id, _)| *id == flow.group) {
            Some((_, group)) => Arc::clone(group),
            None => {
                groups.push((flow.group, FlowGroup::empty()));
                Arc::clone(&groups[groups.len() - 1].1)
            }
        };
        let of_job = streams.iter().filter(|stream| stream.job == number).count() as u64;
        let weight = u64::from(flow.weight) * u64::from(jobs[number].clones) * PARTS / of_job;
        let pause = std::time::Duration::from_nanos(flow.sleep.0);
        streams[at].flow = Some(group.join(weight.max(1), streams[at].threads, pause));
    }
    for (id, _) in &groups {
        let side_by_side = |job: usize| streams.iter().any(|stream| stream.job == job);
        let elsewhere = jobs.iter().enumerate().find(|(number, job)| {
            job.flow.is_some_and(|flow| flow.group == *id) && !side_by_side(*number)
        });
        if let Some((_, job)) = elsewhere {
            say(
                said,
                job,
                "a flow is shared by jobs side by side; in fio those of other times count too",
            );
        }
    }
}
