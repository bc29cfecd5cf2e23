//! Which part of a file a clone of a job works in.

use std::path::Path;

use anyhow::Result;
use narrows_fio::{Amount, Job};
use narrows_units::Bytes;

use super::mapping::refuse;
use super::targets::TargetState;

/// Where in one of its `files` this clone works: offset and length, bytes.
pub fn span(
    job: &Job,
    path: &Path,
    found: &TargetState,
    files: u32,
    clone: u32,
) -> Result<(u64, u64)> {
    let there = match found {
        TargetState::File { bytes } => Some(*bytes),
        TargetState::Device { device, .. } => device.size_bytes,
        TargetState::Remote(namespace) => Some(namespace.bytes()),
        TargetState::Nothing { .. } => None,
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
