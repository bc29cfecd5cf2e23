//! How a record is made durable.

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::FileExt;

/// A way to make one write durable, as databases do it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sync {
    /// `pwrite`, then `fdatasync`.
    Fdatasync,
    /// `pwrite`, then `fsync`.
    Fsync,
    /// `pwrite` to a file opened with `O_DSYNC`.
    Dsync,
    /// `pwritev2` with `RWF_DSYNC`.
    RwfDsync,
    /// `pwrite` alone: acknowledges what is not durable. A cut that loses nothing of it was none, or everything is
    /// protected.
    None,
}

impl Sync {
    /// Its name in lists and on the screen.
    pub fn name(self) -> &'static str {
        match self {
            Sync::Fdatasync => "write and fdatasync",
            Sync::Fsync => "write and fsync",
            Sync::Dsync => "write with O_DSYNC",
            Sync::RwfDsync => "write with RWF_DSYNC",
            Sync::None => "write without any flush",
        }
    }

    /// With what flags of open(2) records are written in this way; `direct` with direct I/O.
    pub(crate) fn flags(self, direct: bool) -> i32 {
        let direct = if direct { libc::O_DIRECT } else { 0 };
        direct | if self == Sync::Dsync { libc::O_DSYNC } else { 0 }
    }

    /// Writes `bytes` there; they are durable when it returns, if everything beneath is honest.
    pub(crate) fn write(self, file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
        match self {
            Sync::RwfDsync => return write_dsync(file, bytes, offset),
            _ => file.write_all_at(bytes, offset)?,
        }
        match self {
            Sync::Fdatasync => file.sync_data(),
            Sync::Fsync => file.sync_all(),
            Sync::Dsync | Sync::RwfDsync | Sync::None => Ok(()),
        }
    }
}

fn write_dsync(file: &File, bytes: &[u8], offset: u64) -> io::Result<()> {
    let part = libc::iovec { iov_base: bytes.as_ptr().cast_mut().cast(), iov_len: bytes.len() };
    // SAFETY: one part, which points to `bytes` and is only read; both live through the call.
    let written = unsafe {
        libc::pwritev2(file.as_raw_fd(), &part, 1, offset as libc::off_t, libc::RWF_DSYNC)
    };
    match usize::try_from(written) {
        Ok(written) if written == bytes.len() => Ok(()),
        Ok(_) => Err(io::Error::new(io::ErrorKind::WriteZero, "a part of the record was written")),
        Err(_) => Err(io::Error::last_os_error()),
    }
}

/// A buffer at an address that direct I/O takes.
pub(crate) struct Aligned {
    bytes: Vec<u8>,
    start: usize,
    length: usize,
}

/// What direct I/O asks of addresses and offsets, bytes; some devices ask for less.
pub(crate) const ALIGNMENT: usize = 4096;

impl Aligned {
    pub(crate) fn new(length: usize) -> Aligned {
        let bytes = vec![0; length + ALIGNMENT];
        let start = bytes.as_ptr().align_offset(ALIGNMENT);
        Aligned { bytes, start, length }
    }

    pub(crate) fn bytes(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + self.length]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_writes_what_it_was_given() {
        let folder = tempfile::tempdir_in("/var/tmp").unwrap();
        let path = folder.path().join("file");
        let mut buffer = Aligned::new(4096);
        assert!(buffer.bytes().as_ptr().addr().is_multiple_of(ALIGNMENT));
        for (value, sync) in
            (1..).zip([Sync::Fdatasync, Sync::Fsync, Sync::Dsync, Sync::RwfDsync, Sync::None])
        {
            std::fs::write(&path, [0; 8192]).unwrap();
            buffer.bytes().fill(value);
            let target = crate::Target::NewFile(path.clone());
            let file = target.open(sync.flags(false)).unwrap();
            sync.write(&file, buffer.bytes(), 4096).unwrap();
            let read = std::fs::read(&path).unwrap();
            assert_eq!((read[4095], read[4096], read[8191], read.len()), (0, value, value, 8192));
        }
    }
}
