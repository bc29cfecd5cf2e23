//! Rules about single operations as pieces of a stream: zones, lists of blocks, pairs of a trim and a write, priorities, and waiting for
//! others.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{
    Amount, Blocks, Direction, Distribution, Job, Order, SerializedOverlap, StridedZones,
};
use narrows_io::Op;
use narrows_layer_block::{
    AccessPattern, ListedBlocks, Priorities, PriorityShare, RangesInFlight, Serialize,
    StridedZones as Zones, ZoneOrder,
};

use super::job_stream::JobStream;
use super::mapping::{refuse, refuse_limit};
use super::targets::{TargetState, Targets};

/// Whether a write follows each trim.
pub fn has_pairs(job: &Job) -> bool {
    job.access.direction == Direction::TrimThenWrite
}

/// Whether each clone goes along its own list of blocks.
pub fn has_list(job: &Job) -> bool {
    matches!(job.access.distribution, Distribution::Sequence { .. })
        && matches!(job.access.order, Order::Random { .. })
}

/// The parts of files with their lengths up to the end of the file, where zones go on behind what `size` says.
///
/// # Errors
/// Several files, among which fio has no zones.
pub fn reach(
    job: &Job,
    spans: Vec<(PathBuf, u64, u64)>,
    targets: &mut Targets,
) -> Result<Vec<(PathBuf, u64, u64)>> {
    if job.access.zones.is_none() {
        return Ok(spans);
    }
    let [(path, offset, bytes)] = spans.as_slice() else {
        return Err(refuse_limit(job, &limits::STRIDED_ALONE));
    };
    let there = match &targets.look(path)?.found {
        TargetState::File { bytes } => Some(*bytes),
        TargetState::Device { device, .. } => device.size_bytes,
        TargetState::Remote(namespace) => Some(namespace.bytes()),
        TargetState::Nothing { .. } | TargetState::Endless => job.region.file_size_bytes,
    };
    let to_its_end = there.map_or(*bytes, |end| end.saturating_sub(*offset));
    Ok(vec![(path.clone(), *offset, to_its_end.max(*bytes))])
}

/// Where operations of a job with such a rule go, in a region in which one pass moves `pass_bytes`; `None`: it has none.
///
/// # Errors
/// A block that lies behind the region.
pub fn place(job: &Job, bytes: u64, pass_bytes: u64) -> Result<Option<AccessPattern>> {
    if let Some(zones) = job.access.zones {
        if zone_order(job) != ZoneOrder::InOrder && zones.range_bytes > bytes {
            return Err(refuse(
                job,
                "its zonerange is longer than what its file has: fio ends such a job where the first operation lies behind the end",
                "write a smaller zonerange",
            ));
        }
        return Ok(Some(AccessPattern::Zones(Zones {
            range_bytes: zones.range_bytes,
            size_bytes: zones.size_bytes,
            skip_bytes: zones.skip_bytes,
            pass_bytes: if again(job) { pass_bytes } else { u64::MAX },
            order: zone_order(job),
        })));
    }
    let (Distribution::Sequence { blocks, moves_on }, Order::Random { run, random_percent }) =
        (&job.access.distribution, job.access.order)
    else {
        return Ok(None);
    };
    if run > 1 || [random_percent.read, random_percent.write, random_percent.trim] != [100; 3] {
        return Err(refuse(
            job,
            "runs and percentage_random beside random_distribution=sequence are not done",
            "leave them out",
        ));
    }
    let listed = ListedBlocks {
        blocks: blocks.iter().map(|block| u64::from(*block)).collect(),
        moves_on: *moves_on,
        align_bytes: aligns(job),
    };
    for (blocks, align) in used(job) {
        let last = bytes.saturating_sub(blocks.largest_bytes()) / align;
        if let Some(behind) = listed.blocks.iter().find(|block| **block > last) {
            return Err(refuse(
                job,
                format!(
                    "block {behind} of its sequence lies behind the region, whose last one is {last}"
                ),
                "raise size, or leave the block out",
            ));
        }
    }
    Ok(Some(AccessPattern::Listed(listed)))
}

/// Whether it begins again after a pass, and not only where the file ends.
fn again(job: &Job) -> bool {
    job.ending.loops > 1 && !job.ending.time_based
}

fn zone_order(job: &Job) -> ZoneOrder {
    match job.access.order {
        Order::Sequential { .. } => ZoneOrder::InOrder,
        Order::Random { .. } if job.access.once_each => ZoneOrder::OnceEach,
        Order::Random { .. } => ZoneOrder::Uniform { align_bytes: aligns(job) },
    }
}

/// Length of a block by kind, bytes: as in fio the smallest, or what `blockalign` says.
fn aligns(job: &Job) -> [u32; 3] {
    if let Some(align) = &job.access.align_bytes {
        return [align.read, align.write, align.trim].map(|bytes| bytes as u32);
    }
    let blocks = &job.blocks;
    [&blocks.read, &blocks.write, &blocks.trim].map(|blocks| blocks.smallest_bytes() as u32)
}

/// The sizes of the kinds that occur, each with the length of a block.
fn used(job: &Job) -> Vec<(&Blocks, u64)> {
    let (blocks, aligns) = (&job.blocks, aligns(job).map(u64::from));
    match job.access.direction {
        Direction::Read => vec![(&blocks.read, aligns[0])],
        Direction::Write => vec![(&blocks.write, aligns[1])],
        Direction::Trim | Direction::TrimThenWrite => vec![(&blocks.trim, aligns[2])],
        Direction::Mixed { .. } => vec![(&blocks.read, aligns[0]), (&blocks.write, aligns[1])],
    }
}

/// Operations that one clone does before it is done, where such a rule ends it otherwise than a job without; `by_bytes` are those of all
/// its bytes, of `mean_bytes` each, in a region of `region_bytes` in a file that has `reach_bytes` from its offset on.
///
/// # Errors
/// A mix along a list that would come to its end: nobody knows when.
pub fn work(
    job: &Job,
    by_bytes: Option<u64>,
    mean_bytes: f64,
    (region_bytes, reach_bytes): (u64, u64),
) -> Result<Option<u64>> {
    if has_pairs(job) {
        return Ok(by_bytes.map(|trims| paired(job, trims, (region_bytes, mean_bytes))));
    }
    if let Some(zones) = &job.access.zones {
        let cut = until_cut(job, zones, reach_bytes).filter(|_| job.region.io_size.is_none());
        let cut = cut.map(|pass| pass.saturating_mul(job.ending.loops));
        return Ok(by_bytes.map(|all| cut.map_or(all, |cut| all.min(cut))));
    }
    let Some(end) = end_of_list(job, region_bytes) else { return Ok(by_bytes) };
    let mixed = matches!(job.access.direction, Direction::Mixed { .. });
    match by_bytes {
        Some(all) if all <= end => Ok(by_bytes),
        _ if mixed => Err(refuse(
            job,
            "a mix along a list that moves on would come to the end of its file, and nobody knows when",
            "give io_size, so that it ends before",
        )),
        _ => Ok(Some(end)),
    }
}

/// Trims and writes together. As in fio 3.33 a pass has as many trims as a job without writes has operations; with an io_size both kinds
/// count towards it, in whole passes.
fn paired(job: &Job, trims: u64, (region_bytes, mean_bytes): (u64, f64)) -> u64 {
    let bytes = match job.region.io_size {
        Some(Amount::Bytes(bytes)) => bytes,
        Some(Amount::Percent(percent)) => region_bytes / 100 * u64::from(percent),
        None => 0,
    };
    if bytes <= region_bytes || region_bytes == 0 {
        return trims.saturating_mul(2);
    }
    // `trims` are those of io_size and all loops: those of one pass are as many as fit in the region.
    let loops = job.ending.loops.max(1);
    let pass = match job.access.order {
        Order::Sequential { gap_bytes: 1.. } => trims / loops,
        _ => (region_bytes as f64 / mean_bytes).ceil() as u64,
    };
    // Another one begins while a block is missing.
    let missing = bytes.saturating_sub(job.blocks.trim.largest_bytes());
    let passes = (missing / region_bytes.saturating_mul(2) + 1).max(loops);
    pass.saturating_mul(2).saturating_mul(passes)
}

/// Operations of one size until the file's end cuts a zone, where fio ends a pass; `None`: it does not, or sizes are several.
fn until_cut(job: &Job, zones: &StridedZones, reach_bytes: u64) -> Option<u64> {
    let [(Blocks::Fixed(block), _)] = used(job)[..] else { return None };
    let each = zones.size_bytes.div_ceil(*block);
    let in_order = matches!(job.access.order, Order::Sequential { .. });
    // How far a zone reaches, and how much of one that is cut is used.
    let turn = zones.range_bytes.div_ceil(*block).min(each) * block;
    let extent = if in_order { turn } else { zones.range_bytes };
    let stride = zones.range_bytes.saturating_add(zones.skip_bytes);
    let zones_begun = reach_bytes.div_ceil(stride);
    let whole = match reach_bytes.checked_sub(extent) {
        Some(last_start) => (last_start / stride + 1).min(zones_begun),
        None => 0,
    };
    if whole == zones_begun {
        return None;
    }
    let of_cut = if in_order { (reach_bytes - whole * stride) / block } else { 0 };
    Some(whole.saturating_mul(each).saturating_add(of_cut).max(1))
}

/// Operations of one kind until a list that moves on leads out of the region, where fio ends the job.
fn end_of_list(job: &Job, region_bytes: u64) -> Option<u64> {
    let Distribution::Sequence { blocks, moves_on: true } = &job.access.distribution else {
        return None;
    };
    if !has_list(job) {
        return None;
    }
    let length = blocks.len() as u64;
    let of_kind = |(sizes, align): (&Blocks, u64)| {
        let count = region_bytes.saturating_sub(sizes.largest_bytes()) / align + 1;
        let first_behind = |(at, block): (usize, &u32)| {
            let turns = count.saturating_sub(u64::from(*block)).div_ceil(length);
            turns.saturating_mul(length).saturating_add(at as u64)
        };
        blocks.iter().enumerate().map(first_behind).min()
    };
    used(job).into_iter().filter_map(of_kind).min()
}

/// Priorities of single operations.
///
/// # Errors
/// A way that knows none.
pub fn priorities(job: &Job, targets: &mut Targets, file: &Path) -> Result<Option<Priorities>> {
    if job.priorities.is_empty() {
        return Ok(None);
    }
    if let TargetState::Remote(_) = targets.look(file)?.found {
        return Err(refuse(
            job,
            "a namespace over NVMe/TCP knows no I/O priorities",
            "leave out cmdprio_percentage and cmdprio_bssplit",
        ));
    }
    // No operation is as long as what does not fit.
    let share = |one: &narrows_fio::PriorityShare| {
        let bytes = one.bytes.map(u32::try_from).transpose().ok()?;
        Some(PriorityShare {
            op: if one.writes { Op::Write } else { Op::Read },
            bytes,
            percent: one.percent,
            priority: one.priority.value(),
        })
    };
    Ok(Some(Priorities { shares: job.priorities.iter().filter_map(share).collect() }))
}

/// Which operations wait for others, as far as one stream knows, which `clones` share.
pub fn serialize(job: &Job, clones: u32) -> Option<Serialize> {
    job.serialized
        .map(|_| if clones > 1 { Serialize::ByThread } else { Serialize::Among(Arc::default()) })
}

/// Lets streams look at the same operations in flight: those of one clone, or of all jobs with `io_submit_mode=offload`. As in fio offsets
/// are compared, whatever the files.
pub fn share_ranges(streams: &mut [JobStream], jobs: &[Job]) {
    // A job and its clone; none: all jobs.
    type Group = Option<(usize, Option<u32>)>;
    let mut groups: Vec<(Group, Arc<RangesInFlight>)> = Vec::new();
    for stream in streams {
        let group = match (jobs[stream.job].serialized, &stream.serialize) {
            (Some(SerializedOverlap::OfAll), _) => None,
            (Some(SerializedOverlap::OfClone), Some(Serialize::Among(_))) => {
                Some((stream.job, stream.clone))
            }
            _ => continue,
        };
        let ranges = match groups.iter().find(|(other, _)| *other == group) {
            Some((_, ranges)) => Arc::clone(ranges),
            None => {
                groups.push((group, Arc::default()));
                Arc::clone(&groups[groups.len() - 1].1)
            }
        };
        stream.serialize = Some(Serialize::Among(ranges));
    }
}

#[cfg(test)]
mod tests;
