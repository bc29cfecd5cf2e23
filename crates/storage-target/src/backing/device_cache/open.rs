//! Opening a file or device as a cache: by the rules of everything that is written to, and only what was made one before.

use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

use narrows_facts::{Live, Source};

use super::{CacheSuperblock, DeviceCache, HEAD_BYTES, NoCache};
use crate::backing::FileDisk;
use crate::backing::open::{OpenError, available_memory, open_file_or_device, refused};
use crate::backing::shards::{CACHE_PAGE, CacheError, LEAST_BYTES};
use crate::buffer::Buffer;
use crate::namespace::DeviceCacheSpec;

/// Memory for what is known of a page, bytes: its frame (24), its slot's word (8), its places in the list of free ones (4), in the list of who
/// left (8), and in the two indexes where these are largest (16 each).
const BYTES_PER_PAGE: u64 = 76;

/// Opens what was made a cache, empty.
///
/// # Errors
/// What speaks against it.
pub(crate) fn open_device_cache(spec: &DeviceCacheSpec) -> Result<Arc<DeviceCache>, OpenError> {
    let path = &spec.disk.path;
    let disk = open_file_or_device(&spec.disk).map_err(of_a_cache)?;
    let superblock = read_superblock(&disk).map_err(|error| match error {
        ReadError::System(source) => system("read the head of the cache at", &disk, source),
        ReadError::None(why) => refused(
            path,
            why.to_string(),
            match why {
                NoCache::Version(_) => "make it anew: `narrows-target cache make`",
                _ => "`narrows-target cache make` makes a cache of an empty file or device",
            },
        ),
    })?;
    let bytes = disk.size().map_err(|source| system("ask for the size of", &disk, source))?;
    let Some(room) = bytes.checked_sub(HEAD_BYTES).filter(|room| *room >= LEAST_BYTES) else {
        let least = HEAD_BYTES + LEAST_BYTES;
        return Err(refused(
            path,
            format!("a cache needs {least} bytes, and this has {bytes}"),
            "make it larger: `truncate -s SIZE FILE`",
        ));
    };
    let meminfo = Live.read("/proc/meminfo").unwrap_or_default();
    check_memory(path, room, &String::from_utf8_lossy(&meminfo))?;
    let cache =
        DeviceCache::new(disk, superblock, room, &spec.ranges).map_err(|error| match error {
            CacheError::System(source) => OpenError::System {
                action: "number the pages of",
                path: path.display().to_string(),
                source,
            },
            CacheError::Segment(error) => refused(
                path,
                format!("this cache can't be divided so: {error}, of a part of it"),
                "take a larger file or device, or less in `cache-keep=`",
            ),
        })?;
    Ok(Arc::new(cache))
}

/// An error of opening, with the option that is a cache's.
fn of_a_cache(error: OpenError) -> OpenError {
    match error {
        OpenError::Refused { path, reason, hint } if hint.contains("`serial=`") => {
            let hint =
                "if that is the device that you mean, add `cache-serial=` with it behind `cache=`";
            OpenError::Refused { path, reason, hint }
        }
        other => other,
    }
}

/// Whether what is known of the pages of a cache leaves half of the memory that is available, so far as that is told.
///
/// # Errors
/// That it doesn't.
fn check_memory(path: &Path, room: u64, meminfo: &str) -> Result<(), OpenError> {
    let Some(available) = available_memory(meminfo) else { return Ok(()) };
    let needed = (room / CACHE_PAGE).saturating_mul(BYTES_PER_PAGE);
    if needed <= available / 2 {
        return Ok(());
    }
    Err(refused(
        path,
        format!(
            "what has to be known of its pages takes {} MiB of memory, and {} MiB are available here",
            needed >> 20,
            available >> 20
        ),
        "take a smaller file or a partition: each GiB takes 19 MiB of memory",
    ))
}

/// Why there is no superblock.
#[derive(Debug)]
pub(crate) enum ReadError {
    /// It can't be read.
    System(io::Error),
    /// It is none.
    None(NoCache),
}

/// The superblock of a file or device.
///
/// # Errors
/// Why there is none.
pub(crate) fn read_superblock(disk: &FileDisk) -> Result<CacheSuperblock, ReadError> {
    if disk.size().map_err(ReadError::System)? < HEAD_BYTES {
        return Err(ReadError::None(NoCache::Other));
    }
    let mut buffer = Buffer::largest();
    let head = buffer.bytes_mut(HEAD_BYTES as usize);
    disk.file.read_exact_at(head, 0).map_err(ReadError::System)?;
    CacheSuperblock::parse(head).map_err(ReadError::None)
}

/// Whether what is to be served is a cache.
///
/// # Errors
/// That it is.
pub(crate) fn check_no_cache(disk: &FileDisk) -> Result<(), OpenError> {
    match read_superblock(disk) {
        Ok(superblock) => Err(refused(
            disk.path(),
            format!("it is the cache {}", superblock.name()),
            "if a host wrote that into its namespace, add `contents=keep`; if it is a cache that nobody needs, `narrows-target cache drop` empties it",
        )),
        Err(_) => Ok(()),
    }
}

fn system(action: &'static str, disk: &FileDisk, source: io::Error) -> OpenError {
    OpenError::System { action, path: disk.path().display().to_string(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_serial_of_a_cache_is_said_by_its_own_option() {
        let refused = |hint| of_a_cache(refused(Path::new("/dev/a"), "why".to_string(), hint));
        let said = refused("if that is the device that you mean, add `serial=` with it");
        assert!(said.hint().unwrap().contains("`cache-serial=`"));
        assert_eq!(refused("name another").hint(), Some("name another"));
    }

    #[test]
    fn a_cache_may_take_half_of_the_memory_that_is_available() {
        // 1 GiB is available; 76 bytes for each page are half of it for 7,064,090 pages.
        let meminfo = "MemTotal:  4194304 kB\nMemFree: 1 kB\nMemAvailable:    1048576 kB\n";
        let pages = |pages: u64| check_memory(Path::new("/fast/a"), pages * CACHE_PAGE, meminfo);
        assert!(pages(7_064_090).is_ok());
        let said = pages(7_064_091).unwrap_err();
        assert!(said.to_string().contains("takes 512 MiB of memory, and 1024 MiB"), "{said}");
        // A kernel that doesn't tell.
        for meminfo in ["", "MemFree: 1 kB\n", "MemAvailable: much\n"] {
            assert!(check_memory(Path::new("/fast/a"), u64::MAX, meminfo).is_ok());
        }
    }
}
