//! What records are written to and read from: a file of ours, or a device that is held.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

use narrows_files::Access;

/// Opens it for writing with more of `open(2)`'s flags. A file is the one that was made: no link is followed and none with another name
/// is taken. Of a device the caller holds the only claim.
pub(crate) fn for_writing(path: &Path, flags: i32) -> io::Result<File> {
    if fs::metadata(path)?.file_type().is_block_device() {
        return OpenOptions::new().write(true).custom_flags(flags | libc::O_CLOEXEC).open(path);
    }
    narrows_files::open_existing(path, Access::WriteWith(flags))
}

/// Opens it for reading with more of `open(2)`'s flags.
///
/// # Errors
/// What is neither a file nor a block device is not opened: a pipe would wait.
pub(crate) fn for_reading(path: &Path, flags: i32) -> io::Result<File> {
    let kind = fs::metadata(path)?.file_type();
    if !kind.is_block_device() && !kind.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is neither a file nor a block device",
        ));
    }
    let flags = flags | libc::O_CLOEXEC | libc::O_NONBLOCK;
    OpenOptions::new().read(true).custom_flags(flags).open(path)
}
