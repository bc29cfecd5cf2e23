//! The character device of an NVMe namespace (`/dev/ngXnY`): which namespace it is, and its size.
//!
//! Number, block and size are those of the block device beside it (`nvmeXnY`); a namespace whose command set
//! has no block device (key-value) is not for this program.

use std::fs::File;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};

/// One namespace.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Namespace {
    /// Its number on the drive.
    pub id: u32,
    /// Bytes of a block.
    pub block_bytes: u32,
    /// Size, bytes.
    pub bytes: u64,
    /// The folder in sysfs of the block device's queue.
    pub queue: String,
}

/// Whether the character device at `path` is one; asked without opening it.
pub(crate) fn is_generic(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|found| {
        found.file_type().is_char_device() && block_device_of(found.rdev()).is_some()
    })
}

/// The block device of the namespace whose character device is at `path`; `None` where it is no such device. Asked without opening it.
pub fn block_device_beside(path: &Path) -> Option<PathBuf> {
    let found = std::fs::metadata(path).ok().filter(|found| found.file_type().is_char_device())?;
    node_beside(found.rdev())
}

/// The same of an open file.
pub(crate) fn node_beside(generic: u64) -> Option<PathBuf> {
    Some(Path::new("/dev").join(block_device_of(generic)?.file_name()?))
}

/// The block device of the same namespace in sysfs.
fn block_device_of(generic: u64) -> Option<PathBuf> {
    let (major, minor) = (libc::major(generic), libc::minor(generic));
    let place = std::fs::canonicalize(format!("/sys/dev/char/{major}:{minor}")).ok()?;
    let name = place.file_name()?.to_str()?;
    let numbers = name.strip_prefix("ng")?;
    let block = PathBuf::from(format!("/sys/class/block/nvme{numbers}"));
    block.exists().then_some(block)
}

impl Namespace {
    pub(crate) fn of(file: &File) -> io::Result<Namespace> {
        let wrong = || io::Error::new(io::ErrorKind::Unsupported, "not an NVMe generic device");
        let found = file.metadata()?;
        if !found.file_type().is_char_device() {
            return Err(wrong());
        }
        let block = block_device_of(found.rdev()).ok_or_else(wrong)?;
        let number = |name: &str| -> io::Result<u64> {
            let text = std::fs::read_to_string(block.join(name))?;
            text.trim().parse().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))
        };
        Ok(Namespace {
            id: crate::uring::namespace_id(file)?,
            block_bytes: u32::try_from(number("queue/logical_block_size")?)
                .map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?,
            // The kernel counts sizes in 512 bytes, whatever the block.
            bytes: number("size")? * 512,
            queue: block.join("queue").display().to_string(),
        })
    }
}
