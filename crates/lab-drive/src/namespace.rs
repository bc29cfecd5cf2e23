//! A namespace of a storage target as a drive, where no kernel module reaches one: each request is one command of our initiator.

use std::io;
use std::sync::Arc;

use narrows_initiator::{Address, Association, NvmeTcpPath, PathOptions};
use narrows_io::{Arena, Completion, DevicePath, Op};

use crate::disk::Disk;
use crate::fuse::MOST_BYTES;

/// One queue, one command at a time.
pub(crate) struct Namespace {
    association: Arc<Association>,
    path: NvmeTcpPath,
    done: Vec<Completion>,
}

fn other(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

impl Namespace {
    /// Connects.
    pub(crate) fn connect(address: &str) -> io::Result<Namespace> {
        let address: Address = address.parse().map_err(other)?;
        let association = Arc::new(Association::connect(&address, 1).map_err(other)?);
        let most = association.reached().max_data.min(MOST_BYTES as u32);
        let path = association.path(Arena::new(1, most, 4096)?, PathOptions::default());
        Ok(Namespace { path: path.map_err(other)?, association, done: Vec::with_capacity(1) })
    }

    fn most(&self) -> usize {
        self.association.reached().max_data.min(MOST_BYTES as u32) as usize
    }

    fn execute(&mut self, op: Op, offset: u64, bytes: usize) -> io::Result<()> {
        self.done.clear();
        self.path.submit(op, 0, offset, bytes as u32);
        while self.done.is_empty() {
            self.path.reap(1, &mut self.done).map_err(other)?;
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

impl Disk for Namespace {
    fn size_bytes(&self) -> io::Result<u64> {
        Ok(self.association.reached().bytes())
    }

    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let most = self.most();
        for (at, part) in (offset..).step_by(most).zip(buffer.chunks_mut(most)) {
            self.execute(Op::Read, at, part.len())?;
            part.copy_from_slice(&self.path.buffer(0)[..part.len()]);
        }
        Ok(())
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        let most = self.most();
        for (at, part) in (offset..).step_by(most).zip(data.chunks(most)) {
            self.path.buffer(0)[..part.len()].copy_from_slice(part);
            self.execute(Op::Write, at, part.len())?;
        }
        Ok(())
    }

    /// As the kernel's host does it: a controller without a volatile cache is not asked.
    fn flush(&mut self) -> io::Result<()> {
        match self.association.reached().controller.write_cache & 1 {
            0 => Ok(()),
            _ => self.execute(Op::Sync, 0, 0),
        }
    }
}
