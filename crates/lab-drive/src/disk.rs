//! What is behind the one file that the drive shows.

use std::io;

use crate::cache::Cache;

/// Bytes that are read, written and flushed, one call at a time.
pub(crate) trait Disk: Send + 'static {
    /// Its size.
    fn size_bytes(&self) -> io::Result<u64>;

    /// Reads whole sectors.
    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()>;

    /// Writes whole sectors.
    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()>;

    /// Makes everything before permanent.
    fn flush(&mut self) -> io::Result<()>;
}

impl Disk for Cache {
    fn size_bytes(&self) -> io::Result<u64> {
        Cache::size_bytes(self)
    }

    fn read(&mut self, offset: u64, buffer: &mut [u8]) -> io::Result<()> {
        Cache::read(self, offset, buffer)
    }

    fn write(&mut self, offset: u64, data: &[u8]) -> io::Result<()> {
        Cache::write(self, offset, data)
    }

    fn flush(&mut self) -> io::Result<()> {
        Cache::flush(self)
    }
}
