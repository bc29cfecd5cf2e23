//! Opening what is served: by the rules of the crate `raw` for devices, and as strictly for files.

use std::fs::File;
use std::io;
use std::os::fd::AsFd;
use std::os::unix::fs::{FileTypeExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::{Duration, Instant};

use narrows_facts::{Live, Source};
use narrows_files::Access;
use narrows_raw::{ConsentError, Refusal};
use rustix::fs::{FlockOperation, OFlags};
use rustix::io::Errno;

use super::cache_index::{OpenIndex, open_index};
use super::check_tells;
use super::device_cache::{check_no_cache, open_device_cache};
use super::file::size_of;
use super::logged::{Mark, check_named_once, check_no_log, mark_of, open_logged};
use super::{Backing, CacheError, DeviceCache, FileDisk, MemoryCache, RamDisk};
use crate::namespace::{CacheSpec, DiskSpec, Medium, NamespaceSpec};

/// How long a lock that nobody who can be seen holds is waited for.
const LOCK_WITHIN: Duration = Duration::from_secs(2);
/// Between two tries.
const LOCK_PAUSE: Duration = Duration::from_millis(20);

/// Why something is not served.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The system's word.
    #[error("cannot {action} {path}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// On what.
        path: String,
        /// What came of it.
        source: io::Error,
    },
    /// A rule's.
    #[error("{path} is not served: {reason}")]
    Refused {
        /// What.
        path: String,
        /// Which rule speaks against it.
        reason: String,
        /// What to do.
        hint: &'static str,
    },
}

impl OpenError {
    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            OpenError::System { source, .. } if source.kind() == io::ErrorKind::NotFound => Some(
                "a path from here or from /; nothing is made: `truncate -s 1G FILE` makes an empty file",
            ),
            OpenError::System { source, .. } if source.raw_os_error() == Some(libc::ELOOP) => {
                Some("it is a symbolic link: name the file itself, as `readlink -f` prints it")
            }
            OpenError::System { source, .. }
                if source.kind() == io::ErrorKind::PermissionDenied
                    || source.kind() == io::ErrorKind::ReadOnlyFilesystem =>
            {
                Some(
                    "this user has to be able to write to it, or, where hosts may only read a file (`readonly`), to read it",
                )
            }
            OpenError::System { .. } => None,
            OpenError::Refused { hint, .. } => Some(hint),
        }
    }
}

/// What `spec` names, open and held, with its size in bytes.
///
/// # Errors
/// Why it isn't.
pub fn open(spec: &NamespaceSpec) -> Result<Opened, OpenError> {
    match &spec.medium {
        Medium::Null { bytes } => Ok(Opened::uncached(Backing::Null, *bytes)),
        Medium::Ram { bytes } => {
            let system = |source| OpenError::System {
                action: "map memory for",
                path: format!("ram:{bytes}"),
                source,
            };
            check_memory_for(&format!("ram:{bytes}"), *bytes)?;
            let size =
                usize::try_from(*bytes).map_err(|_| system(io::ErrorKind::OutOfMemory.into()))?;
            let disk = RamDisk::new(size).map_err(system)?;
            Ok(Opened::uncached(Backing::Ram(disk), *bytes))
        }
        Medium::Path(path) => {
            check_named_once(spec.paths())?;
            let disk = open_file_or_device(&DiskSpec {
                path: path.clone(),
                serial: spec.serial.clone(),
                keep_contents: spec.keep_contents,
                block_bytes: spec.block_bytes,
                // A cache on a drive marks the file that it is for.
                only_read: spec.read_only && spec.device_cache.is_none(),
            })?;
            open_with_log(disk, spec)
        }
    }
}

/// What was opened.
#[derive(Debug)]
pub struct Opened {
    pub(crate) backing: Backing,
    /// Size, bytes.
    pub bytes: u64,
    /// Memory in front of it.
    pub(crate) cache: Option<Arc<MemoryCache>>,
    /// Another file or device in front of it.
    pub(crate) device_cache: Option<Arc<DeviceCache>>,
    /// What names the pages that it had before.
    pub(crate) index: Option<OpenIndex>,
}

impl Opened {
    fn uncached(backing: Backing, bytes: u64) -> Opened {
        Opened { backing, bytes, cache: None, device_cache: None, index: None }
    }
}

/// A file or device, behind its log where one is named.
fn open_with_log(disk: FileDisk, spec: &NamespaceSpec) -> Result<Opened, OpenError> {
    let path = disk.path().to_path_buf();
    let system = |source| OpenError::System {
        action: "ask for the size of",
        path: path.display().to_string(),
        source,
    };
    let bytes = disk.size().map_err(system)?;
    check_no_log(&disk)?;
    if !spec.keep_contents {
        check_no_cache(&disk)?;
    }
    // Before the log is: what can't be had changes nothing.
    let cache = spec.cache.as_ref().map(|cache| cache_for(&path, cache)).transpose()?;
    let device_cache = spec.device_cache.as_ref().map(open_device_cache).transpose();
    let device_cache = device_cache.map_err(|error| {
        of_what_is_gone(error, "without it nothing is lost: leave `cache=` out, or make it: `truncate -s SIZE FILE`, then `narrows-target cache make`")
    })?;
    if spec.device_cache.as_ref().is_some_and(|cache| cache.index.is_some()) {
        check_tells(&disk)?;
    }
    let index = spec
        .cache_index()
        .map(|index| open_index(index, &disk, spec.serial.as_deref()))
        .transpose()?;
    if !spec.log.is_empty() {
        let caches = (cache.clone(), device_cache.clone());
        let logged = open_logged(disk, spec.serial.as_deref(), &spec.log, caches);
        let logged = logged.map_err(|error| {
            of_what_is_gone(error, "the log may hold writes that the file lacks: find it; where it is lost for good, serve the file without `log=`: what is said then names the log that `narrows-target log drop --for FILE --lost LOG-ID` gives up")
        })?;
        let backing = Backing::Logged(Arc::new(logged));
        return Ok(Opened { backing, bytes, cache, device_cache, index });
    }
    if let Mark::Log { id, .. } = mark_of(&disk.file) {
        return Err(refused(
            &path,
            format!("its log {id} may hold writes that it lacks"),
            "serve it with that log, `log=FILE`, or move what the log holds: `narrows-target log flush`; if the log is lost for good: `narrows-target log drop --for FILE --lost LOG-ID`",
        ));
    }
    Ok(Opened { backing: Backing::File(Box::new(disk)), bytes, cache, device_cache, index })
}

/// A log or cache that is not there: an empty file in its place is none.
fn of_what_is_gone(error: OpenError, hint: &'static str) -> OpenError {
    match error {
        OpenError::System { source, path, .. } if source.kind() == io::ErrorKind::NotFound => {
            OpenError::Refused { path, reason: "it is not there".to_string(), hint }
        }
        other => other,
    }
}

/// Memory in front of what is at a path.
fn cache_for(path: &Path, cache: &CacheSpec) -> Result<Arc<MemoryCache>, OpenError> {
    let why = |error| match error {
        CacheError::System(source) => OpenError::System {
            action: "map memory for",
            path: format!("cache=ram:{}", cache.bytes),
            source,
        },
        CacheError::Segment(error) => refused(
            path,
            format!("its cache can't be divided so: {error}, of a part of it"),
            "say a larger `cache=ram:SIZE`, or less in `cache-keep=`",
        ),
    };
    check_memory_for(&format!("cache=ram:{}", cache.bytes), cache.bytes)?;
    MemoryCache::new(cache).map(Arc::new).map_err(why)
}

/// Whether so much memory is available, so far as that is told: what is served from memory is there as a whole from the start.
///
/// # Errors
/// That it isn't.
pub(crate) fn check_memory_for(what: &str, bytes: u64) -> Result<(), OpenError> {
    let meminfo = Live.read("/proc/meminfo").unwrap_or_default();
    match available_memory(&String::from_utf8_lossy(&meminfo)) {
        Some(available) if bytes > available => Err(OpenError::Refused {
            path: what.to_string(),
            reason: format!(
                "{} MiB of memory are available here, and it takes {} MiB",
                available >> 20,
                bytes >> 20
            ),
            hint: "name a smaller size; memory that a database or another program needs is no longer available to it then",
        }),
        _ => Ok(()),
    }
}

/// Memory that is available without swapping, bytes, by `/proc/meminfo`.
pub(super) fn available_memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.split_whitespace().next()?.parse::<u64>().ok()?.checked_mul(1024)
}

/// A file or block device, open and held.
pub(crate) fn open_file_or_device(spec: &DiskSpec) -> Result<FileDisk, OpenError> {
    let path = &spec.path;
    let system = |action| {
        move |source: io::Error| OpenError::System {
            action,
            path: path.display().to_string(),
            source,
        }
    };
    let kind = std::fs::metadata(path).map_err(system("look at"))?.file_type();
    let disk = if kind.is_block_device() {
        open_device(path, spec)?
    } else if kind.is_file() {
        if spec.serial.is_some() {
            return Err(refused(
                path,
                "it is a file, and a serial number is said, which a block device has".to_string(),
                "name the device, or leave the serial number out",
            ));
        }
        open_file(path, spec.only_read)?
    } else {
        return Err(refused(
            path,
            "it is neither a file nor a block device".to_string(),
            "name a file, a block device, `ram:SIZE` or `null:SIZE`",
        ));
    };
    let bytes = disk.size().map_err(system("ask for the size of"))?;
    if bytes < u64::from(spec.block_bytes) {
        return Err(refused(
            path,
            format!("it has {bytes} bytes, and a block has {}", spec.block_bytes),
            "`truncate -s SIZE FILE` makes a file larger",
        ));
    }
    if let Some(least) = disk.least_block().filter(|least| *least > spec.block_bytes) {
        return Err(refused(
            path,
            format!(
                "it takes no pieces of less than {least} bytes, and blocks are of {}",
                spec.block_bytes
            ),
            "add `block=4096`",
        ));
    }
    Ok(disk)
}

pub(crate) fn refused(path: &Path, reason: String, hint: &'static str) -> OpenError {
    OpenError::Refused { path: path.display().to_string(), reason, hint }
}

/// Why a device isn't served, in this program's options.
fn refused_device(path: &Path, error: ConsentError) -> OpenError {
    match error {
        ConsentError::Refused { reasons, .. } => {
            // Only what a host may have written: what is used here is no host's.
            let hint = match reasons.first() {
                Some(first) if !reasons.iter().all(Refusal::is_of_contents) => first.hint(),
                _ => {
                    "if a host of this target wrote that, add `contents=keep`; hosts may then change it"
                }
            };
            let reasons: Vec<String> = reasons.iter().map(ToString::to_string).collect();
            refused(path, reasons.join("; "), hint)
        }
        ConsentError::WrongSerial { identity, .. } => refused(
            path,
            format!("its own serial has to be said, and is `{}`", identity.phrase()),
            "if that is the device that you mean, add `serial=` with it",
        ),
    }
}

fn open_device(path: &Path, spec: &DiskSpec) -> Result<FileDisk, OpenError> {
    let name = path.display().to_string();
    let device = narrows_raw::inspect(&Live, &name)
        .map_err(|error| refused(path, error.to_string(), "name a whole block device"))?;
    let serial = spec.serial.as_deref().unwrap_or_default();
    let consent = if spec.keep_contents {
        narrows_raw::consent_keeping_contents(&device, serial)
    } else {
        // A target runs in containers by design, where other users can't be seen. Data without a known mark is another matter:
        // Oracle ASM and raw databases look like that.
        narrows_raw::consent_accepting(&device, serial, &[narrows_raw::Doubt::UnseenUsers])
    };
    let consent = consent.map_err(|error| refused_device(path, error))?;
    let held = narrows_raw::open_for_writing(&consent, true)
        .map_err(|error| refused(path, error.to_string(), "stop what uses it, or name another"))?;
    let clone = |source| OpenError::System { action: "open", path: name.clone(), source };
    let file = held.file().try_clone().map_err(clone)?;
    let number = held.file().metadata().map_err(clone)?.rdev();
    Ok(FileDisk {
        write_through: says_write_through(number),
        file,
        path: path.to_path_buf(),
        direct: true,
        _held: Some(held),
        is_device: true,
    })
}

/// Whether the kernel holds the device's cache for write-through (`queue/write_cache`). A partition has its disk's.
fn says_write_through(number: u64) -> bool {
    let (major, minor) = (libc::major(number), libc::minor(number));
    let here = format!("/sys/dev/block/{major}:{minor}");
    let words = ["queue/write_cache", "../queue/write_cache"].map(|file| format!("{here}/{file}"));
    let said = words.iter().find_map(|path| Live.read(path).ok());
    said.is_some_and(|said| said.trim_ascii() == b"write through")
}

fn open_file(path: &Path, only_read: bool) -> Result<FileDisk, OpenError> {
    let name = path.display().to_string();
    let system = |action| {
        let path = name.clone();
        move |source: io::Error| OpenError::System { action, path, source }
    };
    if narrows_raw::plain_file_in_dev(&Live, &name).is_some() {
        return Err(refused(
            path,
            "it is a plain file among the names of devices, in memory".to_string(),
            "check the device's name; for memory name `ram:SIZE`",
        ));
    }
    let uses = narrows_raw::uses_of_file(&Live, &name);
    if let Some(used) = uses.first() {
        let used = used.to_string();
        let hint = match used.contains("narrows-target") {
            true => {
                "while a target serves it, `narrows-target tier list`, `tier flush`, `tier evict` and `tier resize` with its --control ask that target; else stop it, or name another file"
            }
            false => "stop what uses it, or name another",
        };
        return Err(refused(path, used, hint));
    }
    let (access, action) = match only_read {
        true => (Access::Read, "open"),
        false => (Access::Write, "open for writing"),
    };
    let buffered = narrows_files::open_existing(path, access).map_err(system(action))?;
    lock(&buffered).map_err(|_| {
        refused(path, "another program holds its lock".to_string(), "stop what serves it")
    })?;
    if size_of(&buffered).map_err(system("ask for the size of"))? == 0 {
        return Err(refused(path, "it is empty".to_string(), "`truncate -s SIZE FILE` makes room"));
    }
    // The status flag of the same open file, so that the lock and the file stay the same.
    let flags = rustix::fs::fcntl_getfl(&buffered);
    let direct =
        flags.and_then(|flags| rustix::fs::fcntl_setfl(&buffered, flags | OFlags::DIRECT)).is_ok();
    Ok(FileDisk {
        file: buffered,
        path: PathBuf::from(path),
        direct,
        _held: None,
        is_device: false,
        write_through: false,
    })
}

/// Takes the whole file's lock, as every target does. A target that was killed holds it until the kernel has ended what its rings had
/// under way, for a moment after it is gone.
pub(super) fn lock(file: &File) -> io::Result<()> {
    let begun = Instant::now();
    loop {
        match rustix::fs::flock(file.as_fd(), FlockOperation::NonBlockingLockExclusive) {
            Err(Errno::WOULDBLOCK) if begun.elapsed() < LOCK_WITHIN => thread::sleep(LOCK_PAUSE),
            taken => return taken.map_err(io::Error::from),
        }
    }
}
