//! Room on a file system that a file of ours takes as a whole, before it is used.

use std::io;
use std::ops::Range;

use anyhow::{Context as _, Result, bail};
use rustix::fs::{FallocateFlags, fallocate, fstat, fstatvfs};

use crate::backing::FileDisk;
use crate::buffer::{Buffer, LARGEST};

/// Bytes of a unit of `st_blocks`.
const STAT_BLOCK: u64 = 512;

/// What to do where a file that is made has no room.
pub(crate) const SMALLER_FILE: &str = "make it smaller, `truncate -s SIZE FILE`, or put it elsewhere; a database on the same file system needs room too";

/// Whether the file system has room for so many bytes of a file, beside what the file has already. What root alone may take is left.
///
/// # Errors
/// That it hasn't; the system's.
pub(crate) fn check_room(disk: &FileDisk, bytes: u64, hint: &str) -> Result<()> {
    let path = disk.path().display();
    let asked = || format!("asking for the room at {path}");
    let system = fstatvfs(&disk.file).with_context(asked)?;
    let has = fstat(&disk.file).with_context(asked)?.st_blocks as u64 * STAT_BLOCK;
    let free = system.f_bavail * system.f_frsize;
    let needed = bytes.saturating_sub(has);
    if needed > free {
        bail!(
            "{path} takes {} MiB of room, and its file system has {} MiB free\nhint: {hint}",
            needed >> 20,
            free >> 20
        );
    }
    Ok(())
}

/// Fills a range with zeros, durably, so that no write to it has to find room.
///
/// # Errors
/// What the file or device said.
pub(crate) fn fill_with_zeros(disk: &FileDisk, range: Range<u64>) -> io::Result<()> {
    let mut zeros = Buffer::largest();
    zeros.bytes_mut(LARGEST).fill(0);
    let mut at = range.start;
    while at < range.end {
        let bytes = (range.end - at).min(LARGEST as u64);
        disk.write_all_at(zeros.bytes(bytes as usize), at)?;
        at += bytes;
    }
    disk.sync()
}

/// Gives back what was taken of a file that holds nothing.
pub(crate) fn give_back(disk: &FileDisk, bytes: u64) {
    let hole = FallocateFlags::PUNCH_HOLE | FallocateFlags::KEEP_SIZE;
    // Where that can't be, the error that led here says enough.
    let _ = fallocate(&disk.file, hole, 0, bytes);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::backing::open::open_file_or_device;
    use crate::spec::made_at;

    #[test]
    fn what_has_no_room_is_refused_and_what_was_taken_is_given_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::File::create(&path).unwrap().set_len(1 << 20).unwrap();
        let spec = made_at(path.to_str().unwrap());
        let disk = open_file_or_device(&spec).unwrap();
        check_room(&disk, 1 << 20, SMALLER_FILE).unwrap();
        let said = check_room(&disk, 1 << 60, "ask for less").unwrap_err().to_string();
        assert!(
            said.contains("takes 1099511627776 MiB of room")
                && said.ends_with("hint: ask for less"),
            "{said}"
        );
        let taken = || fstat(&disk.file).unwrap().st_blocks;
        fallocate(&disk.file, FallocateFlags::empty(), 0, 1 << 20).unwrap();
        assert!(taken() > 0);
        give_back(&disk, 1 << 20);
        assert_eq!((taken(), disk.size().unwrap()), (0, 1 << 20));
    }
}
