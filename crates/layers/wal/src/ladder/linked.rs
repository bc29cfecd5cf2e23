//! A write and the `fdatasync` behind it as one submission to io_uring: the second begins when the first is done, without a
//! way back to the program between them.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;

use io_uring::{IoUring, opcode, squeue, types};

/// A ring for one such pair at a time.
pub struct LinkedRing {
    ring: IoUring,
}

const WRITE: u64 = 1;
const SYNC: u64 = 2;

impl LinkedRing {
    /// A ring of our own.
    pub fn new() -> io::Result<Self> {
        Ok(LinkedRing { ring: IoUring::new(4)? })
    }

    /// Writes all of `bytes` at `offset` and makes them durable.
    pub fn write(&mut self, file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
        let fd = types::Fd(file.as_raw_fd());
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        let write = opcode::Write::new(fd, bytes.as_ptr(), length)
            .offset(offset)
            .build()
            .flags(squeue::Flags::IO_LINK)
            .user_data(WRITE);
        let sync =
            opcode::Fsync::new(fd).flags(types::FsyncFlags::DATASYNC).build().user_data(SYNC);
        // SAFETY: `bytes` and `file` outlive both operations: this call returns only when both have completed, on errors too.
        unsafe { self.ring.submission().push_multiple(&[write, sync]) }
            .map_err(io::Error::other)?;
        let mut results = [None, None];
        while results.contains(&None) {
            let submitted = self.ring.submit_and_wait(1).map(|_| ());
            // What the kernel has taken can't be called back, and it reads our buffer: then the results are waited for.
            if let Err(error) = submitted
                && error.kind() != io::ErrorKind::Interrupted
                && results == [None, None]
                && !self.ring.submission().is_empty()
            {
                return Err(error);
            }
            for entry in self.ring.completion() {
                results[usize::from(entry.user_data() == SYNC)] = Some(entry.result());
            }
        }
        let [wrote, synced] = results.map(|result| result.unwrap_or(-libc::EIO));
        match (wrote, synced) {
            (wrote, _) if wrote < 0 => Err(io::Error::from_raw_os_error(-wrote)),
            (wrote, _) if wrote as u32 != length => {
                Err(io::Error::new(io::ErrorKind::WriteZero, "a short write"))
            }
            (_, synced) if synced < 0 => Err(io::Error::from_raw_os_error(-synced)),
            _ => Ok(()),
        }
    }
}
