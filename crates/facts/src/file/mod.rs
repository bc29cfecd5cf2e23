//! What only system calls tell about a file: what holds it, how much of it is in memory, which parts were
//! ever written, how direct I/O must be aligned.

mod atomic_writes;
mod extents;
mod resident;
mod statfs;

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;

use rustix::fs::{AtFlags, StatxFlags};

pub use atomic_writes::{AtomicWriteUnits, atomic_write_units, atomic_write_units_at};
pub use extents::{Extents, extents, extents_within};
pub use resident::{drop_clean, evict, resident_share, resident_share_within};
pub use statfs::{FsStat, fs_kind, network, network_kind, statfs, volatile, volatile_kind};

/// (memory, offset) alignment that direct I/O on this file needs, bytes. `None` if the kernel doesn't say (before
/// Linux 6.1, or a file system that keeps it to itself) and if it says that the file can't do direct I/O;
/// callers then try with the device's logical block size.
pub fn dio_alignment(file: &File) -> Option<(u32, u32)> {
    let alignment = StatxFlags::from_bits_retain(libc::STATX_DIOALIGN);
    let stat = rustix::fs::statx(file, c"", AtFlags::EMPTY_PATH, alignment).ok()?;
    let told = stat.stx_mask & libc::STATX_DIOALIGN != 0 && stat.stx_dio_mem_align > 0;
    told.then_some((stat.stx_dio_mem_align, stat.stx_dio_offset_align))
}

/// A file's length and what is allocated for it on its file system, bytes: less where it has holes.
///
/// # Errors
/// What `stat(2)` gave.
pub fn allocation(path: &Path) -> io::Result<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let stat = std::fs::metadata(path)?;
    // Counted in units of 512 bytes, whatever the file system's blocks are.
    Ok((stat.len(), stat.blocks().saturating_mul(512)))
}

/// The id of the mount a path lies on, as in `mountinfo`. Unlike the longest mount point this is right
/// even where one mount hides another.
///
/// # Errors
/// What opening the path gave, or that `/proc` is not mounted.
pub fn mount_id(path: &Path) -> io::Result<u32> {
    use std::os::unix::fs::OpenOptionsExt;
    let file = std::fs::OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_PATH | libc::O_CLOEXEC)
        .open(path)?;
    let info = std::fs::read_to_string(format!("/proc/self/fdinfo/{}", file.as_raw_fd()))?;
    info.lines()
        .find_map(|line| line.strip_prefix("mnt_id:")?.trim().parse().ok())
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "fdinfo without mnt_id"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn direct_alignment_is_a_power_of_two_or_unknown() {
        let file = tempfile::NamedTempFile::new_in(".").unwrap();
        match dio_alignment(file.as_file()) {
            None => eprintln!("SKIPPED: the kernel or file system does not tell the alignment"),
            Some((memory, offset)) => {
                assert!(memory.is_power_of_two() && offset.is_power_of_two());
                assert!((1..=1 << 20).contains(&memory) && (512..=1 << 20).contains(&offset));
            }
        }
        // A pipe can't do direct I/O on any kernel.
        let (reader, _writer) = std::io::pipe().unwrap();
        assert_eq!(dio_alignment(&File::from(std::os::fd::OwnedFd::from(reader))), None);
    }

    #[test]
    fn the_mount_id_is_in_mountinfo() {
        let id = mount_id(Path::new("/proc/self/status")).unwrap();
        let mounts = crate::mounts(&crate::Live);
        let mount = mounts.iter().find(|mount| mount.id == id).unwrap();
        assert_eq!(mount.kind, "proc");
        assert!(mount_id(Path::new("/no/such/path")).is_err());
    }
}
