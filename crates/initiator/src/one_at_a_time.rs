//! A queue for one command at a time, as calls that return with the answer, by the way that loads go: connections are made again where the
//! address says so. Who must not write by another connection than the one that was reserved for has a [`CommandQueue`](crate::CommandQueue).

use std::fmt;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use narrows_io::{Arena, Completion, DevicePath, Op};

use crate::association::Association;
use crate::path::{NvmeTcpPath, PathOptions};

/// The queue.
pub struct OneAtATime {
    path: NvmeTcpPath,
    done: Vec<Completion>,
    stop: Arc<AtomicBool>,
}

impl fmt::Debug for OneAtATime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OneAtATime").finish_non_exhaustive()
    }
}

fn other(error: impl fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

impl OneAtATime {
    /// Opens it, for commands of at most `most` bytes of data; one that isn't answered is left when `stop` is set.
    ///
    /// # Errors
    /// What stood in the way.
    pub fn open(
        association: &Arc<Association>,
        most: u32,
        stop: Arc<AtomicBool>,
    ) -> io::Result<OneAtATime> {
        let arena = Arena::new(1, most, 4096)?;
        let path = association.path(arena, PathOptions::default()).map_err(other)?;
        Ok(OneAtATime { path, done: Vec::with_capacity(1), stop })
    }

    /// Write, with FUA where it is to be durable when it returns.
    ///
    /// # Errors
    /// What the target or the connection says; a stop.
    pub fn write(&mut self, offset: u64, bytes: &[u8], durable: bool) -> io::Result<()> {
        self.path.buffer(0)[..bytes.len()].copy_from_slice(bytes);
        self.path.force_unit_access(durable);
        self.execute(Op::Write, offset, bytes.len())
    }

    /// Flush.
    ///
    /// # Errors
    /// As [`OneAtATime::write`].
    pub fn flush(&mut self) -> io::Result<()> {
        self.execute(Op::Sync, 0, 0)
    }

    /// Read.
    ///
    /// # Errors
    /// As [`OneAtATime::write`].
    pub fn read(&mut self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.execute(Op::Read, offset, bytes.len())?;
        bytes.copy_from_slice(&self.path.buffer(0)[..bytes.len()]);
        Ok(())
    }

    fn execute(&mut self, op: Op, offset: u64, bytes: usize) -> io::Result<()> {
        self.done.clear();
        self.path.submit(op, 0, offset, bytes as u32);
        while self.done.is_empty() {
            self.path.reap(1, &mut self.done).map_err(other)?;
            if self.done.is_empty() && self.stop.load(Ordering::Relaxed) {
                return Err(io::Error::new(io::ErrorKind::Interrupted, "stopped on request"));
            }
        }
        let moved = self.done[0].bytes()? as usize;
        let wanted = if op.moves_data() { bytes } else { 0 };
        if moved == wanted {
            Ok(())
        } else {
            Err(io::Error::other(format!("{moved} of {wanted} bytes were moved")))
        }
    }
}
