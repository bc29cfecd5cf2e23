//! Jobs whose operations move no data: calls on whole files and folders, and on a file's space.
//!
//! To the block layer each of them is a trim, the kind of operation that moves nothing, so that nothing is said of bytes that a drive had
//! to move. As what fio counts them comes back in its layout.

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{
    Amount, CallEngine, Direction, Distribution, Job, OpenFlag, Order, PerDirection, StatCall,
};
use narrows_io::{FileCall, Op};

use super::mapping::{refuse, refuse_limit};

/// The call that a job's operations are, where they are calls.
///
/// # Errors
/// What such a job can't do.
pub fn call(job: &Job) -> Result<Option<FileCall>> {
    let Some(engine) = job.engine.calls() else { return Ok(None) };
    let direction = job.access.direction;
    let whole = engine.is_on_whole_files();
    if matches!(direction, Direction::Mixed { .. }) || whole && direction == Direction::Trim {
        return Err(refuse_limit(job, &limits::CALLS_OF_SEVERAL_KINDS));
    }
    let flushes = job.flushes;
    let at_the_end = flushes.fsync_at_end || flushes.fsync_on_close;
    let offsets = |amount| !matches!(amount, Amount::Bytes(0) | Amount::Percent(0));
    let region = &job.region;
    if job.verify.is_some()
        || flushes.open != OpenFlag::None
        || flushes.fsync_every + flushes.fdatasync_every > 0
        || whole && (at_the_end || offsets(region.offset) || offsets(region.offset_increment))
    {
        return Err(refuse_limit(job, &limits::CALLS_BESIDE_DATA));
    }
    let call = match (engine, direction) {
        (CallEngine::Filecreate, _) => FileCall::Create,
        (CallEngine::Filestat(how), _) => FileCall::Stat(stat(how)),
        (CallEngine::Filedelete, _) => FileCall::Delete,
        (CallEngine::Dircreate, _) => FileCall::CreateFolder,
        (CallEngine::Dirstat(how), _) => FileCall::StatFolder(stat(how)),
        (CallEngine::Dirdelete, _) => FileCall::DeleteFolder,
        (CallEngine::Falloc, Direction::Trim) => FileCall::PunchHole,
        (CallEngine::Falloc, direction) => {
            FileCall::Allocate { keep_size: direction == Direction::Read }
        }
        (CallEngine::Ftruncate, Direction::Write) => FileCall::Truncate,
        (CallEngine::Ftruncate, _) => {
            let reason = "ftruncate sets a size for each write, and fio fails with anything else";
            return Err(refuse(job, reason, "write rw=write or rw=randwrite"));
        }
    };
    let asks = matches!(call, FileCall::Stat(_) | FileCall::StatFolder(_));
    if job.files.read_only && !asks {
        let reason = format!("readonly, and {} changes files", engine.fio_name());
        return Err(refuse(job, reason, "leave readonly out"));
    }
    if call.is_once() && (job.ending.time_based || job.ending.loops > 1) {
        return Err(refuse_limit(job, &limits::MADE_AGAIN));
    }
    Ok(Some(call))
}

/// Whether a file that such calls alone work on begins without blocks.
pub fn begins_empty(call: Option<FileCall>) -> bool {
    matches!(call, Some(FileCall::Allocate { .. } | FileCall::Truncate))
}

fn stat(how: StatCall) -> narrows_files::StatCall {
    match how {
        StatCall::Stat => narrows_files::StatCall::Stat,
        StatCall::Lstat => narrows_files::StatCall::Lstat,
        StatCall::Statx => narrows_files::StatCall::Statx,
    }
}

/// As what fio counts the operations of a job that are trims here, where that is something else.
pub fn counted_as(job: &Job) -> Option<Op> {
    job.engine.calls()?;
    match job.access.direction {
        Direction::Read => Some(Op::Read),
        Direction::Write => Some(Op::Write),
        Direction::Trim | Direction::TrimThenWrite | Direction::Mixed { .. } => None,
    }
}

/// A job of calls as one of trims of the same sizes, places and rate; any other as it is. Whole files are taken in turn, at random or not, as in
/// fio.
pub fn as_trims(job: &Job) -> Option<Job> {
    let engine = job.engine.calls()?;
    let mut trims = job.clone();
    let of = job.access.direction;
    trims.access.direction = Direction::Trim;
    trims.blocks.trim = one(&job.blocks, of).clone();
    if let Some(rate) = &mut trims.rate {
        rate.per_second.trim = *one(&rate.per_second, of);
    }
    if let Some(align) = &mut trims.access.align_bytes {
        align.trim = *one(align, of);
    }
    if let Distribution::Zoned(zones) = &mut trims.access.distribution {
        zones.trim = one(zones, of).clone();
    }
    match &mut trims.access.order {
        order if engine.is_on_whole_files() => *order = Order::Sequential { gap_bytes: 0 },
        Order::Random { random_percent, .. } => random_percent.trim = *one(random_percent, of),
        Order::Sequential { .. } => {}
    }
    Some(trims)
}

fn one<T>(each: &PerDirection<T>, of: Direction) -> &T {
    match of {
        Direction::Read | Direction::Mixed { .. } => &each.read,
        Direction::Write => &each.write,
        Direction::Trim | Direction::TrimThenWrite => &each.trim,
    }
}

#[cfg(test)]
mod tests {
    use narrows_fio::Blocks;

    use super::*;
    use crate::block::jobs::written_jobs::jobs;

    fn job(settings: &str) -> Job {
        jobs(&format!("[j]\nsize=1m\n{settings}\n")).remove(0)
    }

    #[test]
    fn what_is_called_follows_from_engine_and_direction() {
        let of = |settings: &str| call(&job(settings)).unwrap();
        assert_eq!(of("ioengine=psync"), None);
        assert_eq!(of("ioengine=filecreate\nrw=write"), Some(FileCall::Create));
        let lstat = FileCall::StatFolder(narrows_files::StatCall::Lstat);
        assert_eq!(of("ioengine=dirstat\nstat_type=lstat"), Some(lstat));
        let allocate = |keep_size| Some(FileCall::Allocate { keep_size });
        assert_eq!(of("ioengine=falloc\nrw=randwrite"), allocate(false));
        assert_eq!(of("ioengine=falloc\nrw=read"), allocate(true));
        assert_eq!(of("ioengine=falloc\nrw=randtrim"), Some(FileCall::PunchHole));
        assert_eq!(of("ioengine=ftruncate\nrw=write"), Some(FileCall::Truncate));
        assert!(call(&job("ioengine=ftruncate\nrw=read")).is_err());
        assert!(call(&job("ioengine=filedelete\nreadonly")).is_err());
        assert!(call(&job("ioengine=filestat\nreadonly")).is_ok());
    }

    #[test]
    fn calls_keep_sizes_and_rates_of_their_direction_and_files_their_order() {
        let settings = "rw=randwrite\nbssplit=4k/50:8k/50,16k/100\nrate_iops=10,20";
        let falloc = job(&format!("ioengine=falloc\n{settings}"));
        assert_eq!(counted_as(&falloc), Some(Op::Write));
        let trims = as_trims(&falloc).unwrap();
        assert_eq!(trims.access.direction, Direction::Trim);
        assert_eq!(trims.blocks.trim.largest_bytes(), 16_384);
        assert_eq!(trims.rate.unwrap().per_second.trim, Some(20));
        assert!(matches!(trims.access.order, Order::Random { .. }));
        assert_eq!(counted_as(&trims), None, "it is asked of the job as it was read");

        let stats = as_trims(&job("ioengine=filestat\nrw=randread\nbs=4k,8k")).unwrap();
        assert_eq!(stats.access.order, Order::Sequential { gap_bytes: 0 });
        assert_eq!(stats.blocks.trim, Blocks::Fixed(4096));
        assert_eq!(as_trims(&job("rw=write")), None);
    }
}
