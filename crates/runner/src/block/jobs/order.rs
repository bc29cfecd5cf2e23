//! Where the operations of a job go: in order, with gaps, at random, or at random with runs.

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Amount, Blocks, Direction, Job, Order, PerDirection};
use narrows_layer_block::{AccessPattern, Distribution, Jumping, Zone};

use super::mapping::{refuse_limit, say};
use super::operation_rules;

/// Where operations go, in a region of `bytes` of which a pass moves `pass_bytes`; `together` clones share a stream.
///
/// # Errors
/// An order that a stream can't keep.
pub fn place(
    job: &Job,
    (bytes, pass_bytes): (u64, u64),
    together: u32,
    said: &mut Vec<String>,
) -> Result<AccessPattern> {
    let place = match operation_rules::place(job, bytes, pass_bytes)? {
        Some(place) => place,
        None => usual(job, bytes, together, said)?,
    };
    let pairs = operation_rules::has_pairs(job);
    Ok(if pairs { AccessPattern::TrimThenWrite(Box::new(place)) } else { place })
}

fn usual(job: &Job, bytes: u64, together: u32, said: &mut Vec<String>) -> Result<AccessPattern> {
    let (run, random_percent) = match job.access.order {
        Order::Sequential { gap_bytes: 0 } if together > 1 => {
            return Ok(AccessPattern::SameOffsets);
        }
        Order::Sequential { gap_bytes: 0 } => return Ok(AccessPattern::Sequential),
        Order::Sequential { gap_bytes } => return Ok(AccessPattern::Stepped { gap_bytes }),
        Order::Random { run, random_percent } => (run, random_percent),
    };
    let distribution = distribution(job, bytes, said)?;
    let jump_percent = [random_percent.read, random_percent.write, random_percent.trim];
    let align_bytes = aligns(job, &distribution);
    if run <= 1 && jump_percent == [100; 3] && align_bytes == [0; 3] {
        return Ok(AccessPattern::Random(distribution));
    }
    Ok(AccessPattern::Jumping(Jumping { distribution, run, jump_percent, align_bytes }))
}

/// What random places are multiples of, by kind; 0: of the operation's length. As in fio that is the smallest length,
/// unless each block comes once: then lengths have passes of their own.
fn aligns(job: &Job, distribution: &Distribution) -> [u32; 3] {
    let each = |of: &PerDirection<u64>| [of.read, of.write, of.trim].map(|bytes| bytes as u32);
    if let Some(align) = &job.access.align_bytes {
        return each(align);
    }
    let blocks = [&job.blocks.read, &job.blocks.write, &job.blocks.trim];
    if blocks.iter().all(|blocks| matches!(blocks, Blocks::Fixed(_))) {
        return [0; 3];
    }
    if *distribution == Distribution::OnceEach {
        return [0; 3];
    }
    blocks.map(|blocks| blocks.smallest_bytes() as u32)
}

fn distribution(job: &Job, bytes: u64, said: &mut Vec<String>) -> Result<Distribution> {
    use narrows_fio::Distribution as Fio;
    Ok(match &job.access.distribution {
        Fio::Uniform if job.access.once_each => Distribution::OnceEach,
        // A list of blocks is a place of its own.
        Fio::Uniform | Fio::Sequence { .. } => Distribution::Uniform,
        Fio::Zipf { theta } => Distribution::Zipf { theta: *theta },
        Fio::Pareto { h } => {
            let sentence = format!(
                "pareto:{h} becomes a hot spot: {h} of the blocks get {} of the operations, uniform inside",
                1.0 - h
            );
            say(said, job, &sentence);
            Distribution::HotSpot { blocks_share: *h, accesses_share: 1.0 - h }
        }
        Fio::Zoned(zones) => {
            let used = match job.access.direction {
                Direction::Read => &zones.read,
                Direction::Write => &zones.write,
                Direction::Trim | Direction::TrimThenWrite => &zones.trim,
                Direction::Mixed { .. } if zones.read == zones.write => &zones.read,
                Direction::Mixed { .. } => {
                    return Err(refuse_limit(job, &limits::UNLIKE_ZONES));
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
}
