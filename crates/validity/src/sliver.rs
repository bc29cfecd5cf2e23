//! Was a small part of the drives read, and one that was just written? It may lie in a cache of the drive, of an array or of a
//! hypervisor's host; on a disk that turns its arm hardly moves.

use narrows_model::{Platform, RolePath, condition};
use narrows_units::{Bytes, Ratio};

use crate::evaluate::Case;
use crate::path;

/// Below this share of the drives' capacity a file is a small part: caches of flash for writes are up to a tenth of the drive or more.
const SMALL: f64 = 0.1;

/// The figures. `turning`: of disks that turn, or else of all other drives and of files of ours alone.
pub(crate) fn evidence(case: &Case<'_>, turning: bool) -> Option<String> {
    let m = case.measurement;
    let (platform, path) = (case.platform()?, path::of(case)?);
    let part = m.number(condition::REGION_BYTES).or_else(|| m.number(condition::FILE_BYTES))?;
    let capacity = capacity(path)?;
    if part <= 0.0 || part >= SMALL * capacity || turns(platform, path) != turning {
        return None;
    }
    let others = m.text(condition::CONTENTS) == Some("of others");
    (turning || !others).then(|| {
        format!(
            "{} of {} were read from: {}",
            Bytes(part as u64),
            Bytes(capacity as u64),
            Ratio(part / capacity)
        )
    })
}

fn capacity(path: &RolePath) -> Option<f64> {
    let sizes: Option<Vec<u64>> = path.drives().map(|drive| drive.size_bytes).collect();
    let sum: u64 = sizes?.iter().sum();
    (sum > 0).then_some(sum as f64)
}

/// Virtual drives say so of themselves whatever they are, so that it is believed outside of virtual machines alone.
fn turns(platform: &Platform, path: &RolePath) -> bool {
    let turns = |queue: &narrows_model::Queue| queue.rotational == Some(true);
    let mut drives = path.drives().peekable();
    platform.hypervisor.is_none()
        && drives.peek().is_some()
        && drives.all(|drive| drive.queue.as_ref().is_some_and(turns))
}
