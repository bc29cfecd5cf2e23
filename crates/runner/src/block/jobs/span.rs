//! Which part of a file a clone of a job works in.

use std::path::Path;

use anyhow::Result;
use narrows_fio::options::limits;
use narrows_fio::{Amount, Job};
use narrows_io::Space;
use narrows_units::Bytes;

use super::mapping::{refuse, refuse_limit};
use super::targets::TargetState;

/// Where in one of its `files` this clone works: offset and length, bytes. What is not there yet has the length that is `planned` for it,
/// where the job says nothing of its own.
pub fn span(
    job: &Job,
    path: &Path,
    (found, planned): (&TargetState, Option<u64>),
    files: u32,
    clone: u32,
) -> Result<(u64, u64)> {
    let there = match found {
        TargetState::File { bytes } => Some(*bytes),
        TargetState::Device { device, .. } => device.size_bytes,
        TargetState::Remote(namespace) => Some(namespace.bytes()),
        TargetState::Nothing { .. } | TargetState::Endless => None,
    };
    let region = &job.region;
    let each = region.file_size_bytes.or(match region.size {
        Some(Amount::Bytes(bytes)) => Some(bytes / u64::from(files)),
        _ => None,
    });
    // The length that shares are of.
    let whole = there.or(each).or(planned).ok_or_else(|| {
        refuse(
            job,
            "its file does not exist, and no size is given",
            "write size= or filesize=, or name an existing file",
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
            format!("it begins at byte {offset}, which is not a multiple of 512"),
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
                "it needs {} at byte {offset} of {}, which has {}",
                Bytes(length),
                path.display(),
                Bytes(there)
            ),
            "use a smaller size, or name a file that does not exist: narrows makes it as long as needed",
        ));
    }
    Ok((offset, length))
}

/// The length of a file that fills its file system up to what stays free for others, bytes; `None` where the job says how long it is.
///
/// # Errors
/// Several files or clones that would fill it, and a folder whose free space is not known.
pub fn filled(job: &Job, files: u32, folder: &Path) -> Result<Option<u64>> {
    if job.region.size.is_some() {
        return Ok(None);
    }
    if files > 1 || job.clones > 1 {
        return Err(refuse_limit(job, &limits::FULL_FILE_SYSTEM));
    }
    if job.region.file_size_bytes.is_some() {
        return Ok(None);
    }
    let room = Space::of(folder)?.room_bytes();
    let block = job.blocks.write.largest_bytes().max(1);
    Ok(Some(room - room % block))
}

#[cfg(test)]
mod tests {
    use crate::block::jobs::stage;
    use crate::block::jobs::targets::Targets;
    use crate::block::jobs::written_jobs::jobs;

    #[test]
    fn a_file_that_fills_its_file_system_is_read_whole_by_the_job_after_it() {
        let folder = tempfile::tempdir().unwrap();
        let text = "[fill]\nfilename=x\nrw=write\nbs=64k\nfill_device=1\n[read]\nstonewall\nfilename=x\nrw=read\noffset=64k\n";
        let mut targets = Targets::new(folder.path(), None);
        let stages = stage::stages(&jobs(text), &mut targets, &mut Vec::new()).unwrap();
        let (filled, read) = (&stages[0].streams[0], &stages[1].streams[0]);
        assert!(filled.bytes > 0 && filled.bytes.is_multiple_of(64 << 10), "{}", filled.bytes);
        assert_eq!((read.offset_bytes, read.bytes), (64 << 10, filled.bytes - (64 << 10)));
        targets.check_space().unwrap();
    }
}
