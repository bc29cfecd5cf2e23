//! What records are read from: a file, or a device.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::Path;

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
