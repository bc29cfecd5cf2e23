//! The mark on a file whose log may hold what it lacks: an extended attribute with the log's identity, and the life of a log of copies.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileTypeExt;

use narrows_log_tier::LogId;
use rustix::fs::XattrFlags;
use rustix::io::Errno;

use crate::backing::file::FileDisk;
use crate::backing::open::{OpenError, refused};

/// The attribute.
const MARK: &str = "user.narrows.log";

/// What a file says of its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It has no log, or has all that its log held.
    None,
    /// Its file system keeps no marks, or it is a device.
    Impossible,
    /// This one may hold what the file lacks.
    Log {
        /// Its identity.
        id: String,
        /// In which life, of a log of copies.
        life: Option<MarkedLife>,
    },
    /// It has all that this one held, whatever is still to be read on its medium.
    Without(String),
}

/// A life of a log of copies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct MarkedLife {
    pub(crate) epoch: u64,
    /// Who was a member when the file was last written, a bit for each number: whoever is none lacks what came after, and what the
    /// file has of that.
    pub(crate) members: u8,
}

impl MarkedLife {
    /// From `EPOCH MEMBERS`.
    fn parse(text: &str) -> Option<MarkedLife> {
        let (epoch, members) = text.split_once(' ')?;
        Some(MarkedLife { epoch: epoch.parse().ok()?, members: members.parse().ok()? })
    }
}

fn is_device(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.file_type().is_block_device())
}

/// What stands before the identity of a log that the file has everything of.
const WITHOUT: &str = "without ";

/// Whether a log of copies can be in front of this: which of its lives holds what is missing, the mark alone says.
///
/// # Errors
/// Why not.
pub(crate) fn check_can_be_marked(backing: &FileDisk) -> Result<(), OpenError> {
    if mark_of(&backing.file) == Mark::Impossible {
        return Err(refused(
            backing.path(),
            "it is a device, or its file system keeps no marks (user.narrows.log): a log on peers is for a file that has one".to_string(),
            "use a file on ext4, XFS or Btrfs",
        ));
    }
    Ok(())
}

/// Says on a file that a log may hold what it lacks, for good before anything is acknowledged; `false` where it can't be said at all.
pub(super) fn mark(file: &File, id: LogId, life: Option<MarkedLife>) -> io::Result<bool> {
    if mark_of(file) == Mark::Impossible {
        return Ok(false);
    }
    let value = match life {
        Some(MarkedLife { epoch, members }) => format!("{id} {epoch} {members}"),
        None => id.to_string(),
    };
    rustix::fs::fsetxattr(file, MARK, value.as_bytes(), XattrFlags::empty())?;
    file.sync_all()?;
    Ok(true)
}

/// Says on a file that it has all that a log held whose medium failed.
///
/// # Errors
/// The system's.
pub(crate) fn mark_without(file: &File, id: LogId) -> io::Result<()> {
    let value = format!("{WITHOUT}{id}");
    rustix::fs::fsetxattr(file, MARK, value.as_bytes(), XattrFlags::empty())?;
    file.sync_all()
}

/// The log has nothing any more that the file lacks.
pub(crate) fn unmark(file: &File) -> io::Result<()> {
    match rustix::fs::fremovexattr(file, MARK) {
        // A mark that comes back after a loss of power would ask for a log that is empty.
        Ok(()) => file.sync_all(),
        Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What a file says of its log. A mark that can't be read is one of a log that isn't known.
pub(crate) fn mark_of(file: &File) -> Mark {
    let mut value = [0; 64];
    match rustix::fs::fgetxattr(file, MARK, &mut value) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&value[..bytes.min(value.len())]).into_owned();
            match text.strip_prefix(WITHOUT) {
                Some(id) => Mark::Without(id.to_string()),
                None => match text.split_once(' ') {
                    Some((id, life)) => {
                        Mark::Log { id: id.to_string(), life: MarkedLife::parse(life) }
                    }
                    None => Mark::Log { id: text, life: None },
                },
            }
        }
        Err(Errno::OPNOTSUPP) => Mark::Impossible,
        Err(Errno::NODATA) if is_device(file) => Mark::Impossible,
        Err(Errno::NODATA) => Mark::None,
        Err(error) => Mark::Log { id: format!("? ({error})"), life: None },
    }
}
