//! Access past the page cache: opened, asked for its alignment, and tried.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use crate::{Arena, SECTOR, block_device};

/// How a file or device may be reached past the page cache.
#[derive(Debug, Clone)]
pub struct Direct {
    pub(crate) file: Arc<File>,
    /// Alignment of buffers, bytes.
    pub memory_alignment: usize,
    /// Alignment of offsets and lengths, bytes.
    pub offset_alignment: u64,
}

/// Opens for direct I/O and tries it: some file systems accept the flag and refuse the first read. `buffered` is the
/// same file, and `open` opens it with `O_DIRECT`.
pub(crate) fn open_direct(
    buffered: &File,
    open: impl FnOnce() -> io::Result<File>,
) -> Result<Direct, String> {
    let file = open().map_err(|error| format!("O_DIRECT refused: {error}"))?;
    // Kernels before 6.1 don't tell; a device's logical block is then enough, and for a file 4096 mostly is.
    let (memory, offset) = narrows_facts::file::dio_alignment(buffered)
        .or_else(|| block_device::logical_block_bytes(buffered).ok().map(|bytes| (bytes, bytes)))
        .map_or((4096, 4096), |(memory, offset)| (memory as usize, u64::from(offset)));
    let memory_alignment = memory.next_power_of_two().max(4096);
    let offset_alignment = offset.max(SECTOR as u64);
    let length = u32::try_from(offset_alignment.max(4096)).map_err(|error| error.to_string())?;
    let mut probe =
        Arena::new(1, length, memory_alignment).map_err(|error| format!("no buffer: {error}"))?;
    file.read_at(probe.slot_mut(0), 0)
        .map_err(|error| format!("the first direct read failed: {error}"))?;
    Ok(Direct { file: Arc::new(file), memory_alignment, offset_alignment })
}
