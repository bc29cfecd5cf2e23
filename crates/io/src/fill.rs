//! Writing the whole test file, as fast as the path allows, with a look at the stop token between blocks.

use std::io;
use std::os::fd::AsRawFd;
use std::sync::Arc;

use crate::{Access, Arena, Completion, Error, Op, Pattern, Target};

/// Written at once; sizes of files are multiples of it.
pub const FILE_UNIT: u64 = 1 << 20;

/// Writes in flight while filling.
const DEPTH: u32 = 8;
/// A write that moved too few bytes (a signal, a disk nearly full) is tried again so often.
const RETRIES: u32 = 3;
/// Through the page cache: written back every so many bytes, so that the final sync is short.
const WRITE_BACK_BYTES: u64 = 64 << 20;

/// Where the making of a file is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FillStep {
    /// Blocks are being written.
    Writing {
        /// Bytes done.
        done: u64,
        /// Bytes in all.
        total: u64,
    },
    /// Everything is written; the file system is asked to make it durable.
    Syncing,
    /// What was written is about to be checked.
    Verifying,
}

/// Writes every block of `file` with `pattern`.
pub(crate) fn fill(
    file: &Target,
    pattern: Pattern,
    watch: &mut dyn FnMut(FillStep) -> Result<(), Error>,
) -> Result<(), Error> {
    let block = u32::try_from(FILE_UNIT).expect("the unit is small");
    let arena = Arena::new(DEPTH, block, file.memory_alignment()).map_err(|source| {
        let wanted = Arena::mapped_bytes(DEPTH, block, file.memory_alignment());
        Error::buffers(wanted, file.path(), source)
    })?;
    let direct = file.direct_file().ok();
    let target = direct.clone().unwrap_or_else(|| Arc::clone(file.buffered_file()));
    let mut path = Access::best().open(target, file.path(), arena, DEPTH)?;

    let total = file.bytes();
    let mut places = [0u64; DEPTH as usize];
    let mut failures = 0;
    let mut free: Vec<u32> = (0..DEPTH).collect();
    let mut out: Vec<Completion> = Vec::with_capacity(DEPTH as usize);
    let (mut next, mut done, mut written_back) = (0u64, 0u64, 0u64);
    while done < total {
        watch(FillStep::Writing { done, total })?;
        while next < total
            && let Some(slot) = free.pop()
        {
            pattern.fill(path.buffer(slot), next, 0);
            places[slot as usize] = next;
            path.submit(Op::Write, slot, next, block);
            next += FILE_UNIT;
        }
        out.clear();
        path.reap(1, &mut out)?;
        for completion in &out {
            let offset = places[completion.slot as usize];
            let moved = completion
                .bytes()
                .map_err(|source| Error::system_at("write", file.path(), offset, source))?;
            if u64::from(moved) == FILE_UNIT {
                done += FILE_UNIT;
                free.push(completion.slot);
                continue;
            }
            failures += 1;
            if failures > RETRIES {
                return Err(Error::Short {
                    action: "write",
                    path: file.path().to_path_buf(),
                    offset,
                    asked: FILE_UNIT,
                    moved: u64::from(moved),
                });
            }
            // The buffer still holds the block.
            path.submit(Op::Write, completion.slot, offset, block);
        }
        if direct.is_none() && done - written_back >= WRITE_BACK_BYTES {
            write_back(file, written_back, done - written_back)?;
            written_back = done;
        }
    }
    Ok(())
}

fn write_back(file: &Target, offset: u64, length: u64) -> Result<(), Error> {
    let flags = libc::SYNC_FILE_RANGE_WAIT_BEFORE
        | libc::SYNC_FILE_RANGE_WRITE
        | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    let fd = file.buffered_file().as_raw_fd();
    // SAFETY: the descriptor is open; the call touches no memory of ours.
    if unsafe { libc::sync_file_range(fd, offset as i64, length as i64, flags) } == 0 {
        return Ok(());
    }
    match io::Error::last_os_error() {
        // Not every file system has it; the final sync does the work then.
        error
            if matches!(error.raw_os_error(), Some(libc::ENOSYS | libc::ESPIPE | libc::EINVAL)) =>
        {
            Ok(())
        }
        error => Err(Error::system_at("write back", file.path(), offset, error)),
    }
}
