//! `atomic=1`: whether a file or device takes such writes, and what several jobs may write to one place with them.
//!
//! The kernel would refuse the first write with EINVAL or EOPNOTSUPP and say no more; statx(2) has the reason, and is asked before
//! anything is written.

use std::path::Path;

use anyhow::Result;
use narrows_facts::file::{AtomicWriteUnits, atomic_write_units, atomic_write_units_at};
use narrows_fio::{Blocks, Job};
use narrows_io::{Target, TargetKind};

use super::job_stream::JobStream;
use super::mapping::refuse;
use super::targets::TargetState;

const LEAVE_IT: &str = "name a drive or file system that has them (cat /sys/block/*/queue/atomic_write_unit_max_bytes), or leave out atomic";

/// Refuses a file or device that is there and takes no such writes.
///
/// # Errors
/// Its name, and what the kernel says of it.
pub fn check(job: &Job, path: &Path, found: &TargetState) -> Result<()> {
    if !job.atomic_writes {
        return Ok(());
    }
    match found {
        // Only when it is made it is known what it can.
        TargetState::Nothing { .. } => Ok(()),
        TargetState::File { .. } | TargetState::Device { .. } => {
            judge(job, path, atomic_write_units_at(path))
        }
        TargetState::Remote(_) => Err(none(job, path, "it is reached over NVMe/TCP by narrows")),
        TargetState::Endless => Err(none(job, path, "nothing is stored there")),
    }
}

/// Refuses, before the window, a target that takes no such writes, and writes that would lie across their own length.
///
/// # Errors
/// The name, and what the kernel says of it or what is not aligned.
pub fn check_open(job: &Job, stream: &JobStream, target: &Target) -> Result<()> {
    if !job.atomic_writes || !stream.mix.writes() {
        return Ok(());
    }
    let path = &stream.file;
    if matches!(target.kind(), TargetKind::File | TargetKind::FileInDev | TargetKind::BlockDevice) {
        judge(job, path, atomic_write_units(target.buffered_file()))?;
    }
    let Blocks::Fixed(length) = job.blocks.write else { return Ok(()) };
    let offset = ("an offset", stream.offset_bytes);
    let odd = stream.steps().chain([offset]).find(|(_, bytes)| !bytes.is_multiple_of(length));
    let Some((what, bytes)) = odd else { return Ok(()) };
    let reason = format!(
        "{what} of {bytes} bytes is not possible with atomic writes: each of {length} bytes has to begin at a multiple of that"
    );
    Err(refuse(job, reason, "use such a multiple, or leave out atomic"))
}

fn judge(job: &Job, path: &Path, asked: std::io::Result<Option<AtomicWriteUnits>>) -> Result<()> {
    let units = asked.map_err(|error| {
        none(job, path, &format!("statx(2), which knows them since Linux 6.11, gave {error}"))
    })?;
    let length = job.blocks.write.largest_bytes();
    match units {
        None => {
            let kernel = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
            let why = format!(
                "statx(2) has no limits of atomic writes for it (Linux {}; they came with 6.11)",
                kernel.trim()
            );
            Err(none(job, path, &why))
        }
        Some(AtomicWriteUnits { max_bytes: 0, .. }) => {
            Err(none(job, path, "its drive or file system has none: statx(2) says at most 0 bytes"))
        }
        Some(AtomicWriteUnits { min_bytes, max_bytes }) => {
            if (u64::from(min_bytes)..=u64::from(max_bytes)).contains(&length) {
                return Ok(());
            }
            let reason = format!(
                "{} takes atomic writes of {min_bytes} to {max_bytes} bytes, and bs is {length}",
                path.display()
            );
            let hint = format!("write a bs from {min_bytes} to {max_bytes}, a power of two");
            Err(refuse(job, reason, &hint))
        }
    }
}

fn none(job: &Job, path: &Path, why: &str) -> anyhow::Error {
    refuse(job, format!("{} takes no atomic writes: {why}", path.display()), LEAVE_IT)
}

/// Whether whatever is read back of a place that both write has to be one whole block of one of them, and a mixture is found: writes are
/// atomic, of the same length at the same multiples, and each is one unit of random data with its sum. Neither number nor seed is
/// compared.
pub fn leave_whole_blocks(one: &Job, other: &Job) -> bool {
    let form = |job: &Job| {
        let Blocks::Fixed(length) = job.blocks.write else { return None };
        let verify = job.verify.as_ref()?;
        let tells = verify.method.trailer_bytes() > 0
            && verify.pattern.is_empty()
            && u64::from(verify.unit_bytes) == length
            && job.data.compress_percent < 100;
        let compares = verify.compares_number || verify.compares_seed || verify.saves_state;
        (job.atomic_writes && tells && !compares).then_some((
            length,
            verify.method,
            verify.header_at,
        ))
    };
    form(one).is_some_and(|found| form(other) == Some(found))
}

#[cfg(test)]
mod tests;
