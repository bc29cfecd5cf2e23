//! What is measured on: a file or a block device, whoever owns it, as handles with their size and alignment.
//!
//! Opening never creates, truncates or writes. Whether a device *may* be written is not decided here: that needs its
//! owner's consent, which whoever calls [`Target::open_write_exclusive`] has to have got.

use std::fs::{File, OpenOptions};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileTypeExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::direct::{Direct, open_direct};
use crate::nvme_generic::{self, Namespace};
use crate::{Error, Pattern, SECTOR, block_device};

/// What a target is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TargetKind {
    /// A regular file.
    File,
    /// A regular file among the names of devices in `/dev`: in memory, and mostly somebody's slip in a device's name.
    /// What has a file system of its own there (`/dev/shm`, a mounted drive) is meant to hold files.
    FileInDev,
    /// A block device or a partition of one.
    BlockDevice,
    /// The character device of an NVMe namespace, for [`crate::Method::Passthrough`] alone.
    NvmeGeneric,
    /// A namespace that a target serves over the network, for [`crate::Method::NvmeTcp`] alone.
    Remote,
    /// `/dev/null` or `/dev/zero`: calls into the kernel and nothing behind them.
    Endless,
    /// Many files or folders, for [`crate::Method::FileCalls`] alone.
    Names,
}

impl TargetKind {
    /// The word for it in results.
    pub fn word(self) -> &'static str {
        match self {
            TargetKind::File => "file",
            TargetKind::FileInDev => "file in /dev",
            TargetKind::BlockDevice => "block device",
            TargetKind::NvmeGeneric => "NVMe generic device",
            TargetKind::Remote => "NVMe/TCP namespace",
            TargetKind::Endless => "device without storage",
            TargetKind::Names => "files",
        }
    }
}

/// Folders in `/dev` that are meant to hold files, where they have no file system of their own, too.
const MEANT_FOR_FILES: [&str; 3] = ["/dev/shm", "/dev/hugepages", "/dev/mqueue"];

/// Whether a file lies on the file system of the devices' names.
fn in_dev(path: &Path) -> io::Result<bool> {
    let place = std::fs::canonicalize(path)?;
    if !place.starts_with("/dev") || MEANT_FOR_FILES.iter().any(|dir| place.starts_with(dir)) {
        return Ok(false);
    }
    Ok(std::fs::metadata(&place)?.dev() == std::fs::metadata("/dev")?.dev())
}

/// Memory devices 3 and 5 of major number 1 (`Documentation/admin-guide/devices.txt` of the kernel): `null` and `zero`.
const ENDLESS: [u64; 2] = [1 << 8 | 3, 1 << 8 | 5];

/// What a target is opened for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Purpose {
    Read,
    WriteExclusive,
    WriteHeld,
}

/// Whether each write is durable by itself (open(2), "Synchronized I/O").
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Durable {
    /// When something makes it so later.
    #[default]
    Later,
    /// Its data, and what is needed to find them again (O_DSYNC).
    Data,
    /// The file's times too (O_SYNC).
    Whole,
}

impl Durable {
    /// The word for it in results.
    pub fn word(self) -> &'static str {
        match self {
            Durable::Later => "none",
            Durable::Data => "dsync",
            Durable::Whole => "sync",
        }
    }

    fn flag(self) -> i32 {
        match self {
            Durable::Later => 0,
            Durable::Data => libc::O_DSYNC,
            Durable::Whole => libc::O_SYNC,
        }
    }
}

/// Handles to a file or device. Clones share them.
#[derive(Debug, Clone)]
pub struct Target {
    path: PathBuf,
    kind: TargetKind,
    bytes: u64,
    logical_block_bytes: Option<u32>,
    pub(crate) pattern: Option<Pattern>,
    pub(crate) direct: Result<Direct, String>,
    buffered: Arc<File>,
    writable: bool,
    durable: Durable,
    generation: Arc<AtomicU64>,
}

impl Target {
    /// Opens for reading; with `direct` also past the page cache, where that can be had.
    ///
    /// # Errors
    /// What opening or asking gave, and [`Error::NotATarget`] for folders, pipes, sockets and character devices, which
    /// are not opened.
    pub fn open_read(path: &Path, direct: bool) -> Result<Target, Error> {
        Target::open(path, direct, Purpose::Read)
    }

    /// Opens for reading and writing; a block device so that nobody else uses it, and nobody mounts it meanwhile
    /// (O_EXCL; an NVMe generic device knows no such claim: claim the block device beside it). The caller answers for the consent of whoever owns the contents.
    ///
    /// # Errors
    /// As [`open_read`](Target::open_read), and EBUSY for a block device in use.
    pub fn open_write_exclusive(path: &Path, direct: bool) -> Result<Target, Error> {
        Target::open(path, direct, Purpose::WriteExclusive)
    }

    /// Opens for reading and writing a block device that the caller holds exclusively already, and goes on holding as
    /// long as this lives: a second claim would be refused. `path` leads to the very device that is held
    /// (`/proc/self/fd/N`), so that nothing else can have taken its name.
    ///
    /// # Errors
    /// As [`open_read`](Target::open_read).
    pub fn open_write_held(path: &Path, direct: bool) -> Result<Target, Error> {
        Target::open(path, direct, Purpose::WriteHeld)
    }

    fn open(path: &Path, direct: bool, purpose: Purpose) -> Result<Target, Error> {
        // Before opening, because opening alone has effects on some (a tape rewinds, a pipe waits).
        let kind = Target::kind_of(path)?;
        let write = purpose != Purpose::Read;
        let exclusive = purpose == Purpose::WriteExclusive && kind == TargetKind::BlockDevice;
        // A file that is written to is one that we made a moment ago, in a folder that may be anybody's.
        let buffered = if write && matches!(kind, TargetKind::File | TargetKind::FileInDev) {
            narrows_files::open_existing(path, narrows_files::Access::Write)
        } else {
            OpenOptions::new()
                .read(true)
                .write(write)
                .custom_flags(if exclusive { libc::O_EXCL } else { 0 })
                .open(path)
        };
        let buffered = buffered.map_err(|source| Error::system("open", path, source))?;
        let mut target = Target::of(path, kind, buffered, write)?;
        if let (TargetKind::NvmeGeneric, Some(block)) = (kind, target.logical_block_bytes) {
            // There is no page cache on this way: the only handle is the direct one, asked for or not.
            target.direct = Ok(Direct {
                file: Arc::clone(&target.buffered),
                memory_alignment: 4096,
                offset_alignment: u64::from(block),
            });
        } else if direct {
            // Without O_EXCL: the claim is the first descriptor's, and a second would be refused.
            target.direct = open_direct(&target.buffered, || target.opened(libc::O_DIRECT));
        }
        Ok(target)
    }

    /// A target over an open file.
    pub(crate) fn of(
        path: &Path,
        kind: TargetKind,
        file: File,
        write: bool,
    ) -> Result<Target, Error> {
        let fail = |source| Error::system("ask for the size of", path, source);
        let (bytes, logical_block_bytes) = if kind == TargetKind::BlockDevice {
            let block = block_device::logical_block_bytes(&file).map_err(fail)?;
            (block_device::size_bytes(&file).map_err(fail)?, Some(block))
        } else if kind == TargetKind::NvmeGeneric {
            let namespace = Namespace::of(&file).map_err(fail)?;
            (namespace.bytes, Some(namespace.block_bytes))
        } else {
            (file.metadata().map_err(fail)?.len(), None)
        };
        Ok(Target {
            path: path.to_path_buf(),
            kind,
            bytes,
            logical_block_bytes,
            pattern: None,
            direct: Err("not asked for".to_string()),
            buffered: Arc::new(file),
            writable: write,
            durable: Durable::Later,
            generation: Arc::new(AtomicU64::new(1)),
        })
    }

    /// The block device of the same namespace, of an NVMe generic device that is open: by its number, whatever its name has come to mean.
    pub fn block_device_beside(&self) -> Option<PathBuf> {
        let found =
            self.buffered.metadata().ok().filter(|found| found.file_type().is_char_device())?;
        nvme_generic::node_beside(found.rdev())
    }

    /// Whether that is `/dev/null` or `/dev/zero`, by the kernel's numbers and not by its name.
    pub fn is_endless(path: &Path) -> bool {
        std::fs::metadata(path).is_ok_and(|found| {
            found.file_type().is_char_device() && ENDLESS.contains(&found.rdev())
        })
    }

    /// `/dev/null` or `/dev/zero`, as if it were a file of that length. There is no direct I/O to it.
    ///
    /// # Errors
    /// What opening gave, and [`Error::NotATarget`] for anything else.
    pub fn endless(path: &Path, bytes: u64) -> Result<Target, Error> {
        if !Target::is_endless(path) {
            return Err(Error::NotATarget {
                path: path.to_path_buf(),
                what: "device with contents",
            });
        }
        let file = OpenOptions::new().read(true).write(true).open(path);
        let file = file.map_err(|source| Error::system("open", path, source))?;
        let mut target = Target::of(path, TargetKind::Endless, file, true)?;
        target.bytes = bytes;
        Ok(target.without_direct("there is no page cache to go past"))
    }

    /// What is no file of this machine but a namespace of `bytes` in blocks of `block_bytes`, called `name`: for streams whose
    /// [`crate::Access`] is remote, which has the way to it. The handles of such a target are of nothing.
    ///
    /// # Errors
    /// What opening `/dev/null` gave.
    pub fn remote(
        name: &Path,
        bytes: u64,
        block_bytes: u32,
        writable: bool,
    ) -> Result<Target, Error> {
        Target::of_nothing(name, TargetKind::Remote, (bytes, block_bytes), writable)
    }

    /// Many files or folders below the folder `name`, of which an operation of `block_bytes` stands for each: for streams whose
    /// [`crate::Access`] is of calls on names. The handles of such a target are of nothing.
    ///
    /// # Errors
    /// What opening `/dev/null` gave.
    pub fn names(name: &Path, bytes: u64, block_bytes: u32) -> Result<Target, Error> {
        Target::of_nothing(name, TargetKind::Names, (bytes, block_bytes), true)
    }

    fn of_nothing(
        name: &Path,
        kind: TargetKind,
        (bytes, block_bytes): (u64, u32),
        writable: bool,
    ) -> Result<Target, Error> {
        let nothing = OpenOptions::new().read(true).write(writable).open("/dev/null");
        let nothing =
            nothing.map_err(|source| Error::system("open", Path::new("/dev/null"), source))?;
        let nothing = Arc::new(nothing);
        Ok(Target {
            path: name.to_path_buf(),
            kind,
            bytes,
            logical_block_bytes: Some(block_bytes),
            pattern: None,
            direct: Ok(Direct {
                file: Arc::clone(&nothing),
                memory_alignment: 4096,
                offset_alignment: u64::from(block_bytes),
            }),
            buffered: nothing,
            writable,
            durable: Durable::Later,
            generation: Arc::new(AtomicU64::new(1)),
        })
    }

    /// What lies at `path`, without opening it; links are followed.
    ///
    /// # Errors
    /// [`Error::NotATarget`] for what is neither a file nor a block device, else what asking gave.
    pub fn kind_of(path: &Path) -> Result<TargetKind, Error> {
        let fail = |source| Error::system("look at", path, source);
        let found = std::fs::metadata(path).map_err(fail)?.file_type();
        let what = if found.is_block_device() {
            return Ok(TargetKind::BlockDevice);
        } else if found.is_file() {
            return Ok(if in_dev(path).map_err(fail)? {
                TargetKind::FileInDev
            } else {
                TargetKind::File
            });
        } else if found.is_dir() {
            "folder"
        } else if nvme_generic::is_generic(path) {
            return Ok(TargetKind::NvmeGeneric);
        } else if found.is_char_device() {
            "character device"
        } else if found.is_fifo() {
            "pipe"
        } else {
            "socket"
        };
        Err(Error::NotATarget { path: path.to_path_buf(), what })
    }

    /// The same target with contents that are known: readers then tell blocks that are not what they should be, and
    /// writers renew them.
    #[must_use]
    pub fn with_pattern(mut self, pattern: Pattern) -> Target {
        self.pattern = Some(pattern);
        self
    }

    /// The same target with contents that are somebody else's.
    #[must_use]
    pub fn without_pattern(mut self) -> Target {
        self.pattern = None;
        self
    }

    /// The same target as where there is no direct I/O, for `reason`.
    #[must_use]
    pub fn without_direct(mut self, reason: &str) -> Target {
        self.direct = Err(reason.to_string());
        self
    }

    pub(crate) fn set_bytes(&mut self, bytes: u64) {
        self.bytes = bytes;
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// What it is.
    pub fn kind(&self) -> TargetKind {
        self.kind
    }

    /// Its size, bytes.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Whether it was opened for writing.
    pub fn writable(&self) -> bool {
        self.writable
    }

    /// The smallest piece a block device moves, bytes; `None` for files.
    pub fn logical_block_bytes(&self) -> Option<u32> {
        self.logical_block_bytes
    }

    /// What it was filled with, where that is known.
    pub fn pattern(&self) -> Option<Pattern> {
        self.pattern
    }

    /// Access past the page cache, or why there is none.
    pub fn direct(&self) -> Result<&Direct, &str> {
        self.direct.as_ref().map_err(String::as_str)
    }

    /// A descriptor for direct I/O, or why there is none.
    pub fn direct_file(&self) -> Result<Arc<File>, &str> {
        self.direct().map(|direct| Arc::clone(&direct.file))
    }

    /// The descriptor through the page cache.
    pub fn buffered_file(&self) -> &Arc<File> {
        &self.buffered
    }

    /// A descriptor of its own through the page cache, as each session of a server has one: the kernel's read-ahead
    /// keeps its state per descriptor.
    pub fn reopen(&self) -> Result<Arc<File>, Error> {
        let fail = |source| Error::system("open", &self.path, source);
        self.opened(0).map(Arc::new).map_err(fail)
    }

    /// The same file or device through descriptors of its own whose writes are that durable by themselves. A claim to a
    /// block device stays with the descriptor that has it.
    ///
    /// # Errors
    /// What opening gave.
    pub fn durable(&self, durable: Durable) -> Result<Target, Error> {
        let fail = |source| Error::system("open for durable writes", &self.path, source);
        let mut target = Target { durable, ..self.clone() };
        target.buffered = Arc::new(target.opened(0).map_err(fail)?);
        if let Ok(direct) = &self.direct {
            let file = Arc::new(target.opened(libc::O_DIRECT).map_err(fail)?);
            target.direct = Ok(Direct { file, ..direct.clone() });
        }
        Ok(target)
    }

    /// Opens it again: the very file or device that is open, and no other that its path has come to lead to.
    fn opened(&self, flags: i32) -> io::Result<File> {
        if matches!(self.kind, TargetKind::Remote | TargetKind::Names) {
            return match self.durable {
                Durable::Later => self.buffered.try_clone(),
                _ => Err(io::ErrorKind::Unsupported.into()),
            };
        }
        let flags = flags | self.durable.flag();
        let file = matches!(self.kind, TargetKind::File | TargetKind::FileInDev);
        if file && self.writable {
            let access = narrows_files::Access::WriteWith(flags);
            return narrows_files::reopen(&self.buffered, &self.path, access);
        }
        // What is only read may be reached by a link of the user's; a pipe in its place is not waited for.
        let unwaited = if file { libc::O_NONBLOCK } else { 0 };
        let again = OpenOptions::new()
            .read(true)
            .write(self.writable)
            .custom_flags(flags | unwaited)
            .open(&self.path)?;
        let same = match self.kind {
            TargetKind::File | TargetKind::FileInDev => {
                narrows_files::same_file(&again, &*self.buffered)?
            }
            // A device has several nodes; what counts is the device.
            TargetKind::BlockDevice
            | TargetKind::NvmeGeneric
            | TargetKind::Remote
            | TargetKind::Endless
            | TargetKind::Names => again.metadata()?.rdev() == self.buffered.metadata()?.rdev(),
        };
        if same {
            Ok(again)
        } else {
            Err(io::Error::other("the path leads to another file than it did before"))
        }
    }

    /// Alignment that buffers need, bytes.
    pub fn memory_alignment(&self) -> usize {
        self.direct.as_ref().map_or(SECTOR, |direct| direct.memory_alignment)
    }

    /// Alignment that offsets and lengths of direct I/O need, bytes; 1 where there is only the page cache.
    pub fn offset_alignment(&self) -> u64 {
        self.direct.as_ref().map_or(1, |direct| direct.offset_alignment)
    }

    /// A generation nobody has written with, for the tags of one worker in one window; up to 2^32 writes may count
    /// on from it.
    pub fn next_generation(&self) -> u64 {
        self.generation.fetch_add(1, Ordering::Relaxed) << 32
    }

    /// Share of a file that is a hole or allocated without having been written; `None` where the file system does
    /// not tell, and for devices. The file must be synced.
    pub fn unwritten_share(&self) -> Option<f64> {
        self.unwritten_share_within(0..u64::MAX)
    }

    /// The same of a part of the file, bytes.
    pub fn unwritten_share_within(&self, range: Range<u64>) -> Option<f64> {
        if !matches!(self.kind, TargetKind::File | TargetKind::FileInDev) {
            return None;
        }
        let extents = narrows_facts::file::extents_within(&self.buffered, range);
        Some(extents.ok()??.unwritten_share())
    }

    pub(crate) fn fail(&self, action: &'static str, source: io::Error) -> Error {
        Error::system(action, &self.path, source)
    }
}
