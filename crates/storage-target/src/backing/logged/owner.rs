//! What a log is for: by what it is known, and whether what the log holds may be moved there.

use std::io;
use std::time::UNIX_EPOCH;

use narrows_log_tier::{Known, LogContents};
use rustix::fs::{AtFlags, StatxFlags};

use super::mark::{Mark, mark_of};
use super::open::Consents;
use super::peer::Reservation;
use crate::backing::file::FileDisk;
use crate::backing::open::{OpenError, refused};

/// A file that was changed so long after the last record was changed by somebody else.
const CHANGED_AFTER_MS: u64 = 60_000;

/// What a log is for, as far as its media have to know.
#[derive(Debug, Clone, Copy)]
pub(crate) struct LogOwner {
    pub(super) known: Known,
    pub(super) reservation: Reservation,
}

impl LogOwner {
    /// By the identity of what the log is for, and by its mark.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn of(backing: &FileDisk, serial: Option<&str>) -> io::Result<LogOwner> {
        let known = match mark_of(&backing.file) {
            Mark::None | Mark::Impossible | Mark::Without(_) => Known::All,
            Mark::Log { life: Some(life), .. } => Known::Life(life.epoch),
            // Of a log that is no log of copies.
            Mark::Log { life: None, .. } => Known::NotAsked,
        };
        let reservation = Reservation::of(&identity_of(backing, serial)?)?;
        Ok(LogOwner { known, reservation })
    }

    /// By what peers are reserved for it.
    pub(crate) fn reservation(&self) -> Reservation {
        self.reservation
    }
}

/// Whose a log is: of a device its serial and size, of a file its number and birth. A copy of a file is another file.
pub(crate) fn identity_of(disk: &FileDisk, serial: Option<&str>) -> io::Result<[u8; 16]> {
    let text = match serial {
        Some(serial) if disk.is_device() => format!("device {serial} {}", disk.size()?),
        _ => {
            let mask = StatxFlags::BTIME | StatxFlags::INO;
            let stat = rustix::fs::statx(&disk.file, "", AtFlags::EMPTY_PATH, mask)?;
            format!("file {} {}.{}", stat.stx_ino, stat.stx_btime.tv_sec, stat.stx_btime.tv_nsec)
        }
    };
    let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    Ok(std::array::from_fn(|index| hash.as_ref()[index]))
}

/// Whether a log may be moved to this backing.
///
/// # Errors
/// Why not.
pub(crate) fn check_backing(
    backing: &FileDisk,
    serial: Option<&str>,
    found: &LogContents,
    consents: Consents,
) -> Result<(), OpenError> {
    let path = backing.path();
    let system =
        |source| OpenError::System { action: "look at", path: path.display().to_string(), source };
    let superblock = &found.superblock;
    let identity = identity_of(backing, serial).map_err(system)?;
    match mark_of(&backing.file) {
        Mark::Log { id: other, .. } if other != superblock.id.to_string() => {
            return Err(refused(
                path,
                format!("its log is {other}, and {} is named", superblock.id),
                "name that one; if it is lost for good: `narrows-target log drop --lost`",
            ));
        }
        Mark::Log { life: None, .. } if found.copies().is_some() => {
            return Err(refused(
                path,
                "its mark (user.narrows.log) names no life of its log, and that is on peers"
                    .to_string(),
                "restore the mark, or give what the log holds up: `narrows-target log drop --lost`",
            ));
        }
        // Where too few are there for all that was acknowledged, `missing` says so. The file may have newer data than what was lost
        // before it was last written knows of.
        Mark::Log { life: Some(life), .. }
            if found.missing != 0
                && found.copies().is_some()
                && !found.records.is_empty()
                && found.present & life.members == 0 =>
        {
            return Err(refused(
                path,
                format!(
                    "the peers that are left had been lost before it was last written: moving the {} records that they have could put older data over newer",
                    found.records.len()
                ),
                "have the other peers answer; if they lost their memory, what was on them alone is lost: `narrows-target log drop --lost`, then `log make`",
            ));
        }
        // It is set before the first record, and goes when none is left.
        Mark::None if !found.records.is_empty() && !consents.changed => {
            return Err(refused(
                path,
                format!(
                    "it has no mark of a log (user.narrows.log): it had all that its log held when it was last served, or its log was given up since, and the {} records of the log that is named are old; or it is a copy that was made without its mark, and lacks them",
                    found.records.len()
                ),
                "of a copy drop nothing: have the original's log moved first (`narrows-target log flush`), then copy; of the original `narrows-target log drop` drops old records, and `narrows-target log flush --changed` moves them all the same",
            ));
        }
        Mark::Without(id) if id == superblock.id.to_string() && !found.records.is_empty() => {
            return Err(refused(
                path,
                "all that this log held was moved when its medium failed, and the file was served without it since".to_string(),
                "`narrows-target log drop` drops what is left on the medium",
            ));
        }
        _ => {}
    }
    if superblock.backing != identity {
        return Err(refused(
            path,
            "the log that is named was made for another file or device, or for what this one was copied from".to_string(),
            "`narrows-target log status` shows what a log holds; a log for this one is made by `narrows-target log make`",
        ));
    }
    let bytes = backing.size().map_err(system)?;
    if !found.records.is_empty() && bytes < superblock.backing_bytes {
        return Err(refused(
            path,
            format!(
                "it has {bytes} bytes, and had {} when its log was filled",
                superblock.backing_bytes
            ),
            "make it as large as it was",
        ));
    }
    check_unchanged(backing, found, consents)
}

/// Whether nobody wrote to the backing after the last record that its log has; a device doesn't say.
fn check_unchanged(
    backing: &FileDisk,
    found: &LogContents,
    consents: Consents,
) -> Result<(), OpenError> {
    let path = backing.path();
    let system =
        |source| OpenError::System { action: "look at", path: path.display().to_string(), source };
    let last = found.last_ms();
    let changed = changed_ms(backing).map_err(system)?;
    if let (Some(changed), false, false) = (changed, consents.changed, found.records.is_empty())
        && changed > last + CHANGED_AFTER_MS
    {
        let seconds = (changed - last) / 1000;
        let records = found.records.len();
        if found.copies().is_some() {
            return Err(refused(
                path,
                format!(
                    "it was changed {seconds} s after the last of the {records} records that the peers have, by this target or by somebody else: what followed these records was moved, or is lost, and moving them could put older data over newer"
                ),
                "take the file as it is: `narrows-target log drop`",
            ));
        }
        return Err(refused(
            path,
            format!(
                "it was changed {seconds} s after the last record of its log, so by somebody else: moving the log's {records} records could put older data over newer"
            ),
            "if the records are to be moved all the same: `narrows-target log flush --changed`; if they are to be lost: `narrows-target log drop`",
        ));
    }
    Ok(())
}

/// When a file's content was last changed, ms since 1970; `None` for a device, which doesn't say.
fn changed_ms(backing: &FileDisk) -> io::Result<Option<u64>> {
    if backing.is_device() {
        return Ok(None);
    }
    let modified = backing.file.metadata()?.modified()?;
    Ok(modified.duration_since(UNIX_EPOCH).ok().map(|since| since.as_millis() as u64))
}
