//! Blocks in a file or on a block device, read and written past the page cache where that can be had.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};

use narrows_raw::WritableDevice;

/// An open file or device, held so that nobody else serves it.
#[derive(Debug)]
pub(crate) struct FileDisk {
    pub(crate) file: File,
    pub(super) path: PathBuf,
    /// Past the page cache.
    pub(super) direct: bool,
    /// What keeps others from a device.
    pub(super) _held: Option<WritableDevice>,
    pub(super) is_device: bool,
    /// A device whose queue says `write through`: a completed write is durable.
    pub(super) write_through: bool,
}

impl FileDisk {
    /// The descriptor, for as long as this lives.
    pub(crate) fn fd(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    /// Its path, as it was named.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a block device.
    pub(crate) fn is_device(&self) -> bool {
        self.is_device
    }

    /// Whether reads and writes pass by the page cache.
    pub(crate) fn is_direct(&self) -> bool {
        self.direct
    }

    /// Whether a completed write is durable without a flush: on a device that says so of its cache, past the page cache.
    pub(crate) fn keeps_each_write(&self) -> bool {
        self.is_device && self.write_through && self.direct
    }

    /// Its size now, bytes.
    ///
    /// # Errors
    /// What asking gave.
    pub(crate) fn size(&self) -> io::Result<u64> {
        size_of(&self.file)
    }

    /// The smallest piece that it can be asked for, bytes; `None` through the page cache, which takes any.
    pub(crate) fn least_block(&self) -> Option<u32> {
        let (_, offset) = narrows_facts::file::dio_alignment(&self.file)?;
        self.direct.then_some(offset)
    }

    /// Makes durable what was written.
    ///
    /// # Errors
    /// What the kernel says; the data may be lost.
    pub(crate) fn sync(&self) -> io::Result<()> {
        self.file.sync_data()
    }
}

/// Size of a file or block device, bytes.
pub(super) fn size_of(file: &File) -> io::Result<u64> {
    let metadata = file.metadata()?;
    if metadata.file_type().is_block_device() {
        // The end of a device is where seeking to its end leads.
        rustix::fs::seek(file, rustix::fs::SeekFrom::End(0)).map_err(io::Error::from)
    } else {
        Ok(metadata.len())
    }
}
