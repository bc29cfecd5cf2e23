//! Which parts of a file hold written data, by the `FIEMAP` ioctl (Linux `Documentation/filesystems/fiemap.rst`).
//!
//! Reading a hole or an allocated but never written extent returns zeros without touching the drive, so a read
//! test over them measures memory.

use std::fs::File;
use std::io;
use std::ops::Range;
use std::os::fd::AsRawFd;

/// How the bytes of a file or of a part of it are backed. The first three add up to its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Extents {
    /// Not allocated: reads are zeros from memory.
    pub holes_bytes: u64,
    /// Allocated and never written: reads are zeros from memory.
    pub unwritten_bytes: u64,
    /// Allocated and written.
    pub mapped_bytes: u64,
    /// The part of `mapped_bytes` that the file system stores compressed or encrypted, so that bytes read are not
    /// bytes on the drive.
    pub encoded_bytes: u64,
    /// The part of `mapped_bytes` that is shared with another file (reflink): its first overwrite allocates.
    pub shared_bytes: u64,
}

impl Extents {
    /// Share of the file that is a hole or unwritten; 0 for an empty file.
    pub fn unwritten_share(&self) -> f64 {
        let empty = self.holes_bytes + self.unwritten_bytes;
        let size = empty + self.mapped_bytes;
        if size == 0 { 0.0 } else { empty as f64 / size as f64 }
    }
}

const SYNC: u32 = 1;
const LAST: u32 = 0x1;
const ENCODED: u32 = 0x8;
const UNWRITTEN: u32 = 0x800;
const SHARED: u32 = 0x2000;
/// `_IOWR('f', 11, struct fiemap)`; the header is 32 bytes.
const FS_IOC_FIEMAP: u32 = 0xC020_660B;
/// Extents asked for per call: 56 bytes each.
const BATCH: usize = 256;

#[repr(C)]
#[derive(Clone, Copy, Default)]
struct FiemapExtent {
    logical: u64,
    physical: u64,
    length: u64,
    reserved64: [u64; 2],
    flags: u32,
    reserved: [u32; 3],
}

#[repr(C)]
struct Fiemap {
    start: u64,
    length: u64,
    flags: u32,
    mapped_extents: u32,
    extent_count: u32,
    reserved: u32,
    extents: [FiemapExtent; BATCH],
}

/// Maps the whole file, after writing its dirty pages out (else what is only in memory has no extent yet).
/// `None` where the file system can't tell, as tmpfs and network file systems.
///
/// # Errors
/// What the ioctl gave, other than that it is not supported.
pub fn extents(file: &File) -> io::Result<Option<Extents>> {
    extents_within(file, 0..u64::MAX)
}

/// As [`extents`], of the part of the file that lies in `range`, bytes.
///
/// # Errors
/// As [`extents`].
pub fn extents_within(file: &File, range: Range<u64>) -> io::Result<Option<Extents>> {
    let size = file.metadata()?.len().min(range.end);
    let mut total = Extents::default();
    let mut request = Box::new(Fiemap {
        start: 0,
        length: 0,
        flags: SYNC,
        mapped_extents: 0,
        extent_count: BATCH as u32,
        reserved: 0,
        extents: [FiemapExtent::default(); BATCH],
    });
    // Everything before this is accounted for.
    let mut done = range.start.min(size);
    while done < size {
        request.start = done;
        request.length = size - done;
        request.mapped_extents = 0;
        // SAFETY: the kernel writes the header and at most `extent_count` extents, which `request` has room for.
        let result = unsafe {
            libc::ioctl(file.as_raw_fd(), FS_IOC_FIEMAP as _, std::ptr::from_mut(&mut *request))
        };
        if result != 0 {
            let error = io::Error::last_os_error();
            return match error.raw_os_error() {
                Some(libc::EOPNOTSUPP | libc::ENOTTY | libc::ENOSYS | libc::EINVAL) => Ok(None),
                _ => Err(error),
            };
        }
        let found = &request.extents[..(request.mapped_extents as usize).min(BATCH)];
        for extent in found {
            add(&mut total, &mut done, size, extent);
        }
        // No extent at all, or the last one: the rest is a hole. A file that changes while it is mapped could
        // also give extents that end no further; going on would not end then.
        if found.last().is_none_or(|extent| extent.flags & LAST != 0) || done <= request.start {
            break;
        }
    }
    total.holes_bytes += size - done;
    Ok(Some(total))
}

fn add(total: &mut Extents, done: &mut u64, size: u64, extent: &FiemapExtent) {
    // The first extent may begin before the range asked for, the last may end after the file.
    let start = extent.logical.clamp(*done, size);
    let end = extent.logical.saturating_add(extent.length).clamp(start, size);
    total.holes_bytes += start - *done;
    let bytes = end - start;
    if extent.flags & UNWRITTEN != 0 {
        total.unwritten_bytes += bytes;
    } else {
        total.mapped_bytes += bytes;
        if extent.flags & ENCODED != 0 {
            total.encoded_bytes += bytes;
        }
        if extent.flags & SHARED != 0 {
            total.shared_bytes += bytes;
        }
    }
    *done = end;
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::FileExt;

    use super::*;

    const MIB: u64 = 1 << 20;

    fn here() -> tempfile::NamedTempFile {
        tempfile::NamedTempFile::new_in(env!("CARGO_MANIFEST_DIR")).unwrap()
    }

    #[test]
    fn written_hole_and_fallocated_parts_are_told_apart() {
        let file = here();
        let file = file.as_file();
        // [0, 2) written, [2, 5) hole, [5, 6) written, [6, 10) allocated only, [10, 12) hole.
        file.write_all_at(&vec![1; 2 * MIB as usize], 0).unwrap();
        file.write_all_at(&vec![1; MIB as usize], 5 * MIB).unwrap();
        let keep = rustix::fs::FallocateFlags::KEEP_SIZE;
        let allocated = rustix::fs::fallocate(file, keep, 6 * MIB, 4 * MIB);
        file.set_len(12 * MIB).unwrap();
        let Some(found) = extents(file).unwrap() else {
            eprintln!("SKIPPED: the file system of the sources can't map extents");
            return;
        };
        assert_eq!(found.holes_bytes + found.unwritten_bytes + found.mapped_bytes, 12 * MIB);
        assert_eq!(found.mapped_bytes, 3 * MIB, "{found:?}");
        if allocated.is_ok() {
            assert_eq!(found.unwritten_bytes, 4 * MIB, "{found:?}");
            assert!((found.unwritten_share() - 0.75).abs() < 1e-9);
        } else {
            eprintln!("SKIPPED: no fallocate here");
        }
        let part = |range| extents_within(file, range).unwrap().unwrap().unwritten_share();
        assert_eq!(part(0..2 * MIB), 0.0);
        assert_eq!(part(MIB..3 * MIB), 0.5);
        assert_eq!(part(11 * MIB..20 * MIB), 1.0);
        assert_eq!(part(20 * MIB..30 * MIB), 0.0, "nothing lies there");
        // What was allocated only becomes data once it is written.
        file.write_all_at(&vec![1; 4 * MIB as usize], 6 * MIB).unwrap();
        assert_eq!(extents(file).unwrap().unwrap().mapped_bytes, 7 * MIB);
    }

    #[test]
    fn more_extents_than_one_batch() {
        let file = here();
        let file = file.as_file();
        let pieces = BATCH as u64 + 44;
        for piece in 0..pieces {
            file.write_all_at(&[1; 4096], piece * 65536).unwrap();
        }
        let Some(found) = extents(file).unwrap() else {
            eprintln!("SKIPPED: the file system of the sources can't map extents");
            return;
        };
        let size = (pieces - 1) * 65536 + 4096;
        assert_eq!(found.mapped_bytes + found.holes_bytes + found.unwritten_bytes, size);
        assert!(found.mapped_bytes >= pieces * 4096 && found.holes_bytes > size / 2, "{found:?}");
    }

    #[test]
    fn nothing_and_nothing_to_ask() {
        assert_eq!(extents(here().as_file()).unwrap().unwrap_or_default(), Extents::default());
        let proc = File::open("/proc/self/status").unwrap();
        // Size 0, so nothing is asked.
        assert_eq!(extents(&proc).unwrap(), Some(Extents::default()));
        assert_eq!(Extents::default().unwritten_share(), 0.0);
    }

    #[test]
    fn extents_beyond_the_range_are_clipped() {
        let (mut total, mut done) = (Extents::default(), 100);
        let extent =
            |logical, length, flags| FiemapExtent { logical, length, flags, ..Default::default() };
        add(&mut total, &mut done, 1000, &extent(50, 100, 0));
        add(&mut total, &mut done, 1000, &extent(900, 4096, UNWRITTEN | LAST));
        assert_eq!((total.mapped_bytes, total.holes_bytes, total.unwritten_bytes), (50, 750, 100));
        assert_eq!(done, 1000);
    }
}
