//! A namespace of a storage target as a drive, where no kernel module reaches one: each request is one command of our initiator.

use std::io;
use std::sync::Arc;

use narrows_initiator::{Address, Association, OneAtATime};

use crate::disk::Disk;
use crate::fuse::MOST_BYTES;

/// A queue of it, one command at a time.
pub(crate) struct Namespace {
    association: Arc<Association>,
    queue: OneAtATime,
    most: usize,
}

fn other(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

impl Namespace {
    /// Connects once, with so many queues.
    pub(crate) fn connect(address: &str, queues: u16) -> io::Result<Vec<Namespace>> {
        let address: Address = address.parse().map_err(other)?;
        let association = Arc::new(Association::connect(&address, queues.max(1)).map_err(other)?);
        let most = association.reached().max_data.min(MOST_BYTES as u32);
        let one = |_| {
            let queue = OneAtATime::open(&association, most, Arc::default())?;
            Ok(Namespace { association: Arc::clone(&association), queue, most: most as usize })
        };
        (0..queues.max(1)).map(one).collect()
    }
}

impl Disk for Namespace {
    fn size_bytes(&self) -> io::Result<u64> {
        Ok(self.association.reached().bytes())
    }

    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        let mut parts = (offset..).step_by(self.most).zip(buffer.chunks_mut(self.most));
        parts.try_for_each(|(at, part)| self.queue.read(at, part))
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        let mut parts = (offset..).step_by(self.most).zip(data.chunks(self.most));
        parts.try_for_each(|(at, part)| self.queue.write(at, part, false))
    }

    /// As the kernel's host does it: a controller without a volatile cache is not asked.
    fn flush(&mut self) -> io::Result<()> {
        match self.association.reached().controller.write_cache & 1 {
            0 => Ok(()),
            _ => self.queue.flush(),
        }
    }
}
