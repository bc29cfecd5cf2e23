//! One job's settings as pieces of a stream. What a stream cannot do stops the run, with the job's line; what it does in
//! another way is said.

use std::time::Duration;

use anyhow::Result;
use narrows_engine::{Arrivals, Rng};
use narrows_fio::options::limits::{self, Limit};
use narrows_fio::{Amount, Blocks, Counted, Direction, Engine, Job, OpenFlag, Order, Seed};
use narrows_io::{Access, Durable, Entropy, FileCall, Method, Op, Options};
use narrows_layer_block::{Load, Mix, Share, Sizes, Think};

use crate::failure::Failure;

/// A range of block sizes with more steps than this can't be dealt exactly.
const MOST_SIZES: u64 = 4096;
/// The largest operation.
const MOST_BLOCK_BYTES: u64 = 1 << 30;
/// Base of the order of jobs that are to be the same in every run.
const REPEATED_SEED: u64 = 0x05ee_d0ff_5e75;

/// An error about a job, with its line.
pub fn refuse(job: &Job, reason: impl AsRef<str>, hint: &str) -> anyhow::Error {
    Failure::hinted(format!("{} [{}]: {}", job.place, job.name, reason.as_ref()), hint)
}

/// An error about what the table of options says isn't done.
pub fn refuse_limit(job: &Job, limit: &Limit) -> anyhow::Error {
    refuse(job, limit.why, limit.hint)
}

/// Something the job gets in another way.
pub fn say(said: &mut Vec<String>, job: &Job, sentence: &str) {
    said.push(format!("{} [{}]: approximated: {sentence}", job.place, job.name));
}

/// Weights of more than this in all can't be dealt exactly.
const MOST_WEIGHT: u64 = 65_536;

/// The kinds of operation that one stream does: all of the job's, or in a mix in which one kind has a rate and the other
/// none, each for itself; the one without a rate comes first.
///
/// # Errors
/// Such a mix that ends by its work.
pub fn sides(job: &Job) -> Result<Vec<Mix>> {
    let Direction::Mixed { read_percent } = job.access.direction else {
        if job.access.direction == Direction::TrimThenWrite {
            return Ok(vec![Mix { read: 0, write: 1, trim: 1 }]);
        }
        return Ok(vec![Mix::only(match job.access.direction {
            Direction::Write => Op::Write,
            Direction::Trim => Op::Trim,
            Direction::Read | Direction::TrimThenWrite | Direction::Mixed { .. } => Op::Read,
        })]);
    };
    let Some(rate) = job.rate else { return Ok(vec![Mix::read_percent(u32::from(read_percent))]) };
    match (rate.per_second.read, rate.per_second.write) {
        (Some(read), Some(write)) => Ok(vec![weighed(job, read, write)]),
        _ if !job.ending.time_based => Err(refuse_limit(job, &limits::ONE_RATE_AND_WORK)),
        (Some(_), None) => Ok(vec![Mix::only(Op::Write), Mix::only(Op::Read)]),
        (None, _) => Ok(vec![Mix::only(Op::Read), Mix::only(Op::Write)]),
    }
}

/// Each kind keeps its own rate, so their shares follow from the rates.
fn weighed(job: &Job, read: u64, write: u64) -> Mix {
    let per_second = |blocks: &Blocks, rate: u64| match job.rate.map(|rate| rate.counted) {
        Some(Counted::Bytes) => rate as f64 / mean_bytes(blocks),
        _ => rate as f64,
    };
    let (read, write) = (per_second(&job.blocks.read, read), per_second(&job.blocks.write, write));
    let whole = |value: f64| value.fract() == 0.0 && value + read + write <= MOST_WEIGHT as f64;
    // Rates that don't fit are rounded to one part in sixty thousand.
    let scale =
        if whole(read) && whole(write) { 1.0 } else { MOST_WEIGHT as f64 / 2.0 / (read + write) };
    let weight = |rate: f64| ((rate * scale).round() as u32).max(1);
    Mix { read: weight(read), write: weight(write), trim: 0 }
}

/// Mean length of an operation, bytes.
fn mean_bytes(blocks: &Blocks) -> f64 {
    match blocks {
        Blocks::Fixed(bytes) => *bytes as f64,
        Blocks::Range { smallest_bytes, largest_bytes } => {
            (*smallest_bytes + *largest_bytes / smallest_bytes * smallest_bytes) as f64 / 2.0
        }
        Blocks::Split(shares) => {
            shares.iter().map(|s| s.bytes as f64 * f64::from(s.percent) / 100.0).sum()
        }
    }
}

/// Mean length over all kinds of operation, bytes.
pub fn mean_length(mix: &Mix, sizes: &Sizes) -> f64 {
    let (mut bytes, mut weights) = (0.0, 0.0);
    for op in [Op::Read, Op::Write, Op::Trim] {
        let weight = f64::from(mix.weight(op));
        let shares = sizes.of(op);
        let all: f64 = shares.iter().map(|share| f64::from(share.weight)).sum();
        let sum: f64 =
            shares.iter().map(|share| f64::from(share.what) * f64::from(share.weight)).sum();
        bytes += weight * sum / all.max(1.0);
        weights += weight;
    }
    bytes / f64::max(weights, 1.0)
}

/// Lengths of operations.
///
/// # Errors
/// A range of too many, or a length that no operation can have.
pub fn sizes(job: &Job) -> Result<Sizes> {
    let one = |blocks: &Blocks| -> Result<Vec<Share<u32>>> {
        let share = |bytes: u64, weight: u32| -> Result<Share<u32>> {
            if bytes > MOST_BLOCK_BYTES {
                return Err(refuse_limit(job, &limits::BIG_BLOCKS));
            }
            Ok(Share { what: bytes as u32, weight })
        };
        match blocks {
            Blocks::Fixed(bytes) => Ok(vec![share(*bytes, 1)?]),
            Blocks::Split(shares) => {
                shares.iter().map(|s| share(s.bytes, u32::from(s.percent))).collect()
            }
            Blocks::Range { smallest_bytes, largest_bytes } => {
                let steps = largest_bytes / smallest_bytes;
                if steps > MOST_SIZES {
                    return Err(refuse_limit(job, &limits::FINE_RANGE));
                }
                (1..=steps).map(|step| share(step * smallest_bytes, 1)).collect()
            }
        }
    };
    Ok(Sizes {
        read: one(&job.blocks.read)?,
        write: one(&job.blocks.write)?,
        trim: one(&job.blocks.trim)?,
    })
}

/// The way to the device, or the `call` that its operations are.
///
/// # Errors
/// One that this kernel doesn't have.
pub fn access(job: &Job, call: Option<FileCall>) -> Result<Access> {
    if let Some(call) = call {
        return Ok(Access::file_calls(call, None));
    }
    let atomic_writes = job.atomic_writes;
    let (method, options) = match job.engine {
        Engine::Psync | Engine::Calls(_) => return Ok(Access::blocking()),
        Engine::Null | Engine::Cpu(_) => return Ok(Access::null()),
        Engine::Libaio => (Method::Aio, Options { atomic_writes, ..Options::default() }),
        Engine::Passthrough { registered_files, registered_buffers, polled } => {
            let registered_file = registered_files;
            let atomic_writes = false;
            (
                Method::Passthrough,
                Options { polled, registered_buffers, registered_file, atomic_writes },
            )
        }
        Engine::IoUring { registered_files, registered_buffers, polled } => {
            let registered_file = registered_files;
            (
                Method::IoUring,
                Options { polled, registered_buffers, registered_file, atomic_writes },
            )
        }
    };
    let access = Access::named(method, options);
    if access.method() != method {
        let why = access.refusals().first().map_or(String::new(), |refusal| refusal.why.clone());
        return Err(refuse(
            job,
            format!("{method} is not available here: {why}"),
            "write ioengine=psync, or ask the administrator of this machine",
        ));
    }
    Ok(access)
}

/// Depth or rate of one clone, for the kinds of `mix`: those without a rate keep their depth.
pub fn load(job: &Job, mix: &Mix, sizes: &Sizes) -> Load {
    let closed = Load::Closed { depth: job.depth };
    let Some(rate) = job.rate else { return closed };
    let per_second = rate.per_second;
    let kinds =
        [(Op::Read, per_second.read), (Op::Write, per_second.write), (Op::Trim, per_second.trim)];
    let rates = kinds.into_iter().filter(|(op, _)| mix.weight(*op) > 0);
    let one = |(op, rate): (Op, Option<u64>)| {
        let length = mean_length(&Mix::only(op), sizes);
        let per_op = if rate_counts_bytes(job) { length } else { 1.0 };
        rate.map_or(0.0, |rate| rate as f64 / per_op)
    };
    let rate_per_s: f64 = if job.access.direction == Direction::TrimThenWrite {
        // As in fio writes keep the rate, and trims go with them.
        2.0 * one((Op::Write, per_second.write))
    } else {
        rates.map(one).sum()
    };
    if rate_per_s == 0.0 {
        return closed;
    }
    let arrivals = if rate.poisson { Arrivals::Poisson } else { Arrivals::Constant };
    Load::Open { rate_per_s, arrivals, most_in_flight: job.depth }
}

fn rate_counts_bytes(job: &Job) -> bool {
    job.rate.is_some_and(|rate| rate.counted == Counted::Bytes)
}

/// Pauses.
///
/// # Errors
/// Pauses beside a rate.
pub fn think(job: &Job) -> Result<Option<Think>> {
    let Some(think) = job.think else { return Ok(None) };
    if job.rate.is_some() {
        return Err(refuse_limit(job, &limits::THINKING_AT_A_RATE));
    }
    let time = |nanos: narrows_units::Nanos| Duration::from_nanos(nanos.0);
    Ok(Some(Think {
        pause: time(think.pause),
        spin: time(think.spin),
        after: think.after,
        counts_completed: think.counts_completed,
        every: think.every.map(time),
    }))
}

/// Whether each write is durable by itself.
pub fn durable(job: &Job) -> Durable {
    match job.flushes.open {
        OpenFlag::None => Durable::Later,
        OpenFlag::Sync => Durable::Whole,
        OpenFlag::Dsync => Durable::Data,
    }
}

/// That load `times` times.
pub fn times(load: Load, times: f64) -> Load {
    let many = |count: u32| ((f64::from(count) * times).round() as u32).max(1);
    match load {
        Load::Closed { depth } => Load::Closed { depth: many(depth) },
        Load::Open { rate_per_s, arrivals, most_in_flight } => Load::Open {
            rate_per_s: rate_per_s * times,
            arrivals,
            most_in_flight: many(most_in_flight),
        },
    }
}

/// Durable after so many writes.
pub fn sync_after(job: &Job, said: &mut Vec<String>) -> Option<u32> {
    match (job.flushes.fdatasync_every, job.flushes.fsync_every) {
        (0, 0) => None,
        (writes, 0) => Some(writes),
        (0, writes) => {
            say(said, job, "fsync becomes fdatasync: the file's time stamps are not made durable");
            Some(writes)
        }
        (one, other) => {
            say(
                said,
                job,
                "fsync and fdatasync together become fdatasync, as often as the more frequent",
            );
            Some(one.min(other))
        }
    }
}

/// What a file of ours is filled with and written with.
pub fn entropy(job: &Job, said: &mut Vec<String>) -> Entropy {
    let data = job.data;
    if data.zeros {
        say(
            said,
            job,
            "zeros and patterns become data of which 94 % can be compressed away: no block is all zeros",
        );
        return Entropy::new(100, 0);
    }
    Entropy::new(data.compress_percent, data.dedupe_percent)
}

/// Seed of the order, where it has to be the same in every run; streams differ, or they would walk in step.
pub fn order_seed(job: &Job, stream: u64) -> Option<u64> {
    let base = match job.access.seed {
        Seed::Fresh => return None,
        Seed::Repeated => REPEATED_SEED,
        Seed::Given(seed) => seed,
    };
    Some(Rng::new(base ^ stream.wrapping_mul(0x9e37_79b9_7f4a_7c15)).next_u64())
}

/// Operations that one clone does before it is done, of a mean length of `mean_bytes`, in a region of `region_bytes` in
/// all its files; `None`: only time ends it.
pub fn work(job: &Job, region_bytes: u64, mean_bytes: f64) -> Option<u64> {
    if job.ending.time_based {
        return None;
    }
    let bytes = match job.region.io_size {
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Percent(percent)) => region_bytes / 100 * u64::from(percent),
        None => region_bytes,
    };
    let by_bytes = (bytes as f64 / mean_bytes).ceil() as u64;
    let pass = match job.access.order {
        Order::Sequential { gap_bytes: 1.. } => steps(job, region_bytes).unwrap_or(by_bytes),
        _ => by_bytes,
    };
    Some(pass.min(by_bytes).saturating_mul(job.ending.loops))
}

/// Operations of one size until a walk with gaps comes to the end of its region, where fio ends it; `None` where the last
/// gap leads over the end, and it begins again.
fn steps(job: &Job, region_bytes: u64) -> Option<u64> {
    let blocks = match job.access.direction {
        Direction::Read => &job.blocks.read,
        Direction::Write => &job.blocks.write,
        Direction::Trim | Direction::TrimThenWrite => &job.blocks.trim,
        Direction::Mixed { .. } => return None,
    };
    let (Order::Sequential { gap_bytes }, Blocks::Fixed(block)) = (job.access.order, blocks) else {
        return None;
    };
    let step = block + gap_bytes.unsigned_abs();
    let last = region_bytes.checked_sub(1)? / step;
    (last * step + block >= region_bytes).then_some(last + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mean_length_weighs_kinds_and_sizes() {
        let mut sizes = Sizes::all(4096);
        sizes.write = vec![Share { what: 8192, weight: 1 }, Share { what: 16384, weight: 1 }];
        assert_eq!(mean_length(&Mix::read_percent(50), &sizes), 8192.0);
        assert_eq!(mean_length(&Mix::only(Op::Read), &sizes), 4096.0);
    }
}
