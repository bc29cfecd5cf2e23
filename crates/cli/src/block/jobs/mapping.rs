//! One job's settings as pieces of a stream. What a stream cannot do stops the run, with the job's line; what it does in
//! another way is said.

use anyhow::Result;
use narrows_engine::Arrivals;
use narrows_fio::{Amount, Blocks, Counted, Direction, Engine, Job, OpenFlag, Order, Seed};
use narrows_io::{Access, Entropy, Method, Op, Options};
use narrows_layer_block::{Distribution, Load, Mix, Place, Share, Sizes, Zone};

use crate::failure::Failure;

/// A range of block sizes with more steps than this can't be dealt exactly.
const MOST_SIZES: u64 = 1024;
/// The largest operation.
const MOST_BLOCK_BYTES: u64 = 1 << 30;
/// Base of the order of jobs that are to be the same in every run.
const REPEATED_SEED: u64 = 0x05ee_d0ff_5e75;

/// An error about a job, with its line.
pub fn refuse(job: &Job, reason: impl AsRef<str>, hint: &str) -> anyhow::Error {
    Failure::hinted(format!("{} [{}]: {}", job.place, job.name, reason.as_ref()), hint)
}

/// Something the job gets in another way.
pub fn say(said: &mut Vec<String>, job: &Job, sentence: &str) {
    said.push(format!("{} [{}]: approximated: {sentence}", job.place, job.name));
}

/// Reads, writes and trims.
///
/// # Errors
/// Rates per direction that a mix can't keep.
pub fn mix(job: &Job) -> Result<Mix> {
    Ok(match job.access.direction {
        Direction::Read => Mix::only(Op::Read),
        Direction::Write => Mix::only(Op::Write),
        Direction::Trim => Mix::only(Op::Trim),
        Direction::Mixed { read_percent } => match job.rate.map(|rate| rate.per_second) {
            None => Mix::read_percent(u32::from(read_percent)),
            Some(rate) => {
                let (Some(read), Some(write)) = (rate.read, rate.write) else {
                    return Err(refuse(
                        job,
                        "a mix in which only reads or only writes have a rate is not done",
                        "give both rates, as rate_iops=700,300",
                    ));
                };
                // Each kind keeps its own rate, so their shares follow from the rates.
                let per_op = |kind: &Blocks, rate: u64| {
                    let bytes = mean_bytes(kind);
                    match job.rate.map(|rate| rate.counted) {
                        Some(Counted::Bytes) => (rate as f64 / bytes * 1000.0).round() as u32,
                        _ => u32::try_from(rate).unwrap_or(u32::MAX),
                    }
                };
                let read = per_op(&job.blocks.read, read);
                Mix { read, write: per_op(&job.blocks.write, write), trim: 0 }
            }
        },
    })
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
                let reason = format!("blocks of {bytes} bytes are too large");
                return Err(refuse(job, reason, "blocks are at most 1g"));
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
                    let reason = format!("bsrange has {steps} sizes, and up to 1024 are done");
                    return Err(refuse(job, reason, "raise its smallest size, or write bssplit"));
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

/// Where operations go, in a region of `bytes`; `together` clones share a stream.
///
/// # Errors
/// An order that a stream can't keep.
pub fn place(job: &Job, bytes: u64, together: u32, said: &mut Vec<String>) -> Result<Place> {
    let aligned = job.access.align_bytes.is_some();
    if aligned {
        return Err(refuse(
            job,
            "blockalign other than the block size is not done",
            "leave blockalign out",
        ));
    }
    match job.access.order {
        Order::Sequential { gap_bytes: 0 } if together > 1 => Ok(Place::SameOffsets),
        Order::Sequential { gap_bytes: 0 } => Ok(Place::Sequential),
        Order::Sequential { .. } => Err(refuse(
            job,
            "gaps between operations in order are not done",
            "write rw=read or rw=write without the number after the colon",
        )),
        Order::Random { run, random_percent } => {
            let percent = [random_percent.read, random_percent.write, random_percent.trim];
            if run != 1 || percent != [100; 3] {
                return Err(refuse(
                    job,
                    "runs in order between jumps are not done",
                    "leave percentage_random and the number after rw's colon out",
                ));
            }
            distribution(job, bytes, together, said).map(Place::Random)
        }
    }
}

fn distribution(
    job: &Job,
    bytes: u64,
    together: u32,
    said: &mut Vec<String>,
) -> Result<Distribution> {
    use narrows_fio::Distribution as Fio;
    Ok(match &job.access.distribution {
        Fio::Uniform if job.access.once_each => {
            if together > 1 {
                let sentence = "clones share one order in which each block comes once, where fio gives each clone \
                                its own";
                say(said, job, sentence);
            }
            Distribution::OnceEach
        }
        Fio::Uniform => Distribution::Uniform,
        Fio::Zipf { theta } => Distribution::Zipf { theta: *theta },
        Fio::Pareto { h } => {
            let sentence = format!(
                "pareto:{h} becomes a hot spot: {h} of the blocks get {} of the operations, alike inside",
                1.0 - h
            );
            say(said, job, &sentence);
            Distribution::HotSpot { blocks_share: *h, accesses_share: 1.0 - h }
        }
        Fio::Zoned(zones) => {
            let used = match job.access.direction {
                Direction::Read => &zones.read,
                Direction::Write => &zones.write,
                Direction::Trim => &zones.trim,
                Direction::Mixed { .. } if zones.read == zones.write => &zones.read,
                Direction::Mixed { .. } => {
                    return Err(refuse(
                        job,
                        "zones of their own for reads and writes of one job are not done",
                        "make two jobs of it",
                    ));
                }
            };
            Distribution::Zoned(parts(used, bytes))
        }
    })
}

/// Zones as shares of the region; what they leave of it gets nothing.
fn parts(zones: &[narrows_fio::Zone], bytes: u64) -> Vec<Zone> {
    let mut left = 1.0_f64;
    let mut parts: Vec<Zone> = zones
        .iter()
        .map(|zone| {
            let space_share = match zone.size {
                Amount::Percent(percent) => f64::from(percent) / 100.0,
                Amount::Bytes(size) => size as f64 / bytes.max(1) as f64,
            }
            .min(left);
            left -= space_share;
            Zone { space_share, accesses_share: f64::from(zone.access_percent) / 100.0 }
        })
        .collect();
    if left > 1e-9 {
        parts.push(Zone { space_share: left, accesses_share: 0.0 });
    }
    parts
}

/// The way to the device.
///
/// # Errors
/// One that this kernel doesn't have.
pub fn access(job: &Job) -> Result<Access> {
    let (method, options) = match job.engine {
        Engine::Psync => return Ok(Access::blocking()),
        Engine::Null => return Ok(Access::null()),
        Engine::Libaio => (Method::Aio, Options::default()),
        Engine::IoUring { registered_files, registered_buffers, polled } => {
            let registered_file = registered_files;
            (Method::IoUring, Options { polled, registered_buffers, registered_file })
        }
    };
    let access = Access::named(method, options);
    if access.method() != method {
        let why = access.refusals().first().map_or(String::new(), |refusal| refusal.why.clone());
        return Err(refuse(
            job,
            format!("{method} cannot be had here: {why}"),
            "write ioengine=psync, or ask whoever runs this machine",
        ));
    }
    Ok(access)
}

/// Depth or rate of one clone.
///
/// # Errors
/// A rate without anything to count.
pub fn load(job: &Job, mix: &Mix, sizes: &Sizes) -> Result<Load> {
    let Some(rate) = job.rate else { return Ok(Load::Closed { depth: job.depth }) };
    let per_second = rate.per_second;
    let kinds =
        [(Op::Read, per_second.read), (Op::Write, per_second.write), (Op::Trim, per_second.trim)];
    let amount: u64 =
        kinds.iter().filter(|(op, _)| mix.weight(*op) > 0).filter_map(|(_, rate)| *rate).sum();
    if amount == 0 {
        return Err(refuse(job, "its operations have no rate", "give the rate of what rw= says"));
    }
    let rate_per_s = match rate.counted {
        Counted::Operations => amount as f64,
        Counted::Bytes => amount as f64 / mean_length(mix, sizes),
    };
    let arrivals = if rate.poisson { Arrivals::Poisson } else { Arrivals::Constant };
    Ok(Load::Open { rate_per_s, arrivals, most_in_flight: job.depth })
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
///
/// # Errors
/// Flags under which each write is durable by itself.
pub fn sync_after(job: &Job, said: &mut Vec<String>) -> Result<Option<u32>> {
    let flushes = job.flushes;
    if flushes.open != OpenFlag::None {
        return Err(refuse(
            job,
            "writes that are durable by themselves (sync) are not done",
            "write fdatasync=1, which makes each write durable after it",
        ));
    }
    Ok(match (flushes.fdatasync_every, flushes.fsync_every) {
        (0, 0) => None,
        (writes, 0) => Some(writes),
        (0, writes) => {
            say(said, job, "fsync becomes fdatasync: the file's times are not made durable");
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
    })
}

/// What a file of ours is filled with and written with.
pub fn entropy(job: &Job, said: &mut Vec<String>) -> Entropy {
    let data = job.data;
    if data.zeros {
        say(
            said,
            job,
            "zeros become data of which 94 % can be compressed away: no block is all zeros",
        );
        return Entropy::new(100, 0);
    }
    Entropy::new(data.compress_percent, data.dedupe_percent)
}

/// Seed of the order, where it has to be the same in every run.
pub fn order_seed(job: &Job, lane: u64) -> Option<u64> {
    match job.access.seed {
        Seed::Fresh => None,
        Seed::Repeated => Some(REPEATED_SEED ^ (lane << 32)),
        Seed::Given(seed) => Some(seed ^ (lane << 32)),
    }
}

/// Bytes that one clone moves before it is done, of a region of `region_bytes` in all its files; `None`: only time ends
/// it.
pub fn work_bytes(job: &Job, region_bytes: u64) -> Option<u64> {
    if job.ending.time_based {
        return None;
    }
    let bytes = match job.region.io_size {
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Percent(percent)) => region_bytes / 100 * u64::from(percent),
        None => region_bytes,
    };
    Some(bytes.saturating_mul(job.ending.loops))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zones_that_leave_something_leave_it_untouched() {
        let zone = |access_percent, size| narrows_fio::Zone { access_percent, size };
        let parts = parts(&[zone(60, Amount::Bytes(10)), zone(40, Amount::Bytes(30))], 100);
        assert_eq!(parts.len(), 3);
        let sum = |of: fn(&Zone) -> f64| parts.iter().map(of).sum::<f64>();
        assert!((sum(|zone| zone.space_share) - 1.0).abs() < 1e-9);
        assert!((sum(|zone| zone.accesses_share) - 1.0).abs() < 1e-9);
        assert_eq!(parts[2].accesses_share, 0.0);
    }

    #[test]
    fn the_mean_length_weighs_kinds_and_sizes() {
        let mut sizes = Sizes::all(4096);
        sizes.write = vec![Share { what: 8192, weight: 1 }, Share { what: 16384, weight: 1 }];
        assert_eq!(mean_length(&Mix::read_percent(50), &sizes), 8192.0);
        assert_eq!(mean_length(&Mix::only(Op::Read), &sizes), 4096.0);
    }
}
