//! Whether writes can be atomic, as statx(2) tells since Linux 6.11 (`STATX_WRITE_ATOMIC`).

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::path::Path;

use rustix::fs::{AtFlags, CWD, StatxFlags};

/// Lengths of writes that a file or device takes as a whole (`RWF_ATOMIC`); both zero: it takes none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AtomicWriteUnits {
    /// The shortest, bytes.
    pub min_bytes: u32,
    /// The longest, bytes.
    pub max_bytes: u32,
}

/// Those of an open file or block device; `None`: the kernel says nothing of it, as all do before 6.11.
///
/// # Errors
/// What statx(2) gave.
pub fn atomic_write_units(file: &File) -> io::Result<Option<AtomicWriteUnits>> {
    asked(file, c"", AtFlags::EMPTY_PATH)
}

/// Those of what lies at `path`, without opening it; links are followed.
///
/// # Errors
/// What statx(2) gave.
pub fn atomic_write_units_at(path: &Path) -> io::Result<Option<AtomicWriteUnits>> {
    asked(CWD, path, AtFlags::empty())
}

fn asked(
    place: impl AsFd,
    path: impl rustix::path::Arg,
    flags: AtFlags,
) -> io::Result<Option<AtomicWriteUnits>> {
    let wanted = StatxFlags::from_bits_retain(libc::STATX_WRITE_ATOMIC);
    let stat = rustix::fs::statx(place, path, flags, wanted)?;
    let told = stat.stx_mask & libc::STATX_WRITE_ATOMIC != 0;
    Ok(told.then_some(AtomicWriteUnits {
        min_bytes: stat.stx_atomic_write_unit_min,
        max_bytes: stat.stx_atomic_write_unit_max,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_has_the_same_limits_open_and_by_name() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let open = atomic_write_units(file.as_file()).unwrap();
        assert_eq!(open, atomic_write_units_at(file.path()).unwrap());
        if let Some(units) = open {
            assert!(units.min_bytes <= units.max_bytes, "{units:?}");
        }
        assert!(atomic_write_units_at(Path::new("/no/such/file")).is_err());
    }
}
