//! What a log is written to: a recycled file of a file system, or a part of a namespace that a storage target serves.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use narrows_engine::{Rng, Stop};
use narrows_facts::file;

use crate::LogError;
use crate::page::{PAGE, Pages};
use crate::segment::Segment;

/// Written at a time while a part of a namespace is filled, bytes.
const PIECE: u64 = 256 << 10;

/// Room of a log, written all over before anything is measured in it.
pub(crate) trait LogMedium: fmt::Debug + Sync {
    /// Its name, for errors.
    fn path(&self) -> &Path;

    /// Its size.
    fn bytes(&self) -> u64;

    /// Writes at `offset`, all within it.
    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()>;

    /// Makes durable what was written (`fdatasync`, Flush).
    fn make_durable(&self) -> io::Result<()>;

    /// Reads from `offset`, from the medium where that can be had ([`forget`](LogMedium::forget)).
    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()>;

    /// Drops what this machine has cached of it.
    fn forget(&self) -> io::Result<()>;

    /// By what a write with [`make_durable`](LogMedium::make_durable) behind it is durable, where that is known beforehand.
    fn durable_by(&self) -> Option<&'static str>;

    /// Writes at `position` of the log, around the end of the medium to its beginning.
    fn write_around(&self, position: u64, pages: &[u8]) -> io::Result<()> {
        let offset = position % self.bytes();
        let first = pages.len().min((self.bytes() - offset) as usize);
        self.write_at(offset, &pages[..first])?;
        if first < pages.len() { self.write_at(0, &pages[first..]) } else { Ok(()) }
    }

    /// Reads the last `most` pages before position `end` back; gives how many were read and how many were not what was written.
    fn verify(&self, pages: &Pages, end: u64, most: u64) -> Result<(u64, u64), LogError> {
        let failed = |reason| LogError::of("reading back", self.path(), 0, reason);
        self.forget().map_err(failed)?;
        let page_bytes = PAGE as u64;
        let count = most.min(end / page_bytes).min(self.bytes() / page_bytes);
        let mut wrong = 0;
        let mut page = vec![0; PAGE];
        for back in 1..=count {
            let position = end - back * page_bytes;
            self.read_at(position % self.bytes(), &mut page).map_err(failed)?;
            wrong += u64::from(!pages.matches(position, &page));
        }
        Ok((count, wrong))
    }
}

impl LogMedium for Segment {
    fn path(&self) -> &Path {
        Segment::path(self)
    }

    fn bytes(&self) -> u64 {
        Segment::bytes(self)
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::write_all_at(self.file(), bytes, offset)
    }

    fn make_durable(&self) -> io::Result<()> {
        self.file().sync_data()
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        std::os::unix::fs::FileExt::read_exact_at(self.file(), bytes, offset)
    }

    fn forget(&self) -> io::Result<()> {
        file::evict(self.file())
    }

    fn durable_by(&self) -> Option<&'static str> {
        None
    }
}

/// A namespace that a storage target serves. Its maker knows the network; this layer doesn't.
pub trait LogNamespace: fmt::Debug + Sync {
    /// Its address.
    fn name(&self) -> &Path;

    /// Its size.
    fn bytes(&self) -> u64;

    /// Size of a block; writes are of whole blocks.
    fn block_bytes(&self) -> u32;

    /// Most data of a command.
    fn most_bytes(&self) -> u32;

    /// Whether the controller reports a volatile write cache (VWC): without one every write that was answered is durable.
    fn has_volatile_cache(&self) -> bool;

    /// A queue for one command at a time.
    ///
    /// # Errors
    /// What stood in the way.
    fn open(&self) -> io::Result<Box<dyn LogQueue>>;
}

/// A queue for one command at a time. Each call returns with its answer.
pub trait LogQueue: fmt::Debug + Send {
    /// Write, with FUA where it is to be durable when it returns.
    ///
    /// # Errors
    /// What the target or the connection says.
    fn write(&mut self, offset: u64, bytes: &[u8], durable: bool) -> io::Result<()>;

    /// Flush.
    ///
    /// # Errors
    /// What the target or the connection says.
    fn flush(&mut self) -> io::Result<()>;

    /// Read.
    ///
    /// # Errors
    /// What the target or the connection says.
    fn read(&mut self, offset: u64, bytes: &mut [u8]) -> io::Result<()>;
}

/// By what a write to a namespace is durable.
pub(crate) const BY_FLUSH: &str = "flush";
pub(crate) const BY_FUA: &str = "fua";
pub(crate) const BY_NOTHING: &str = "nothing: the controller reports no volatile write cache";

/// A part of a namespace.
#[derive(Debug)]
pub(crate) struct NamespacePart {
    name: PathBuf,
    begins: u64,
    bytes: u64,
    most: usize,
    volatile: bool,
    queue: Mutex<Box<dyn LogQueue>>,
}

impl NamespacePart {
    /// The `number`th part of that size, from 0, filled with incompressible data and flushed.
    pub(crate) fn create(
        namespace: &dyn LogNamespace,
        number: u64,
        bytes: u64,
        seed: u64,
        stop: &Stop,
    ) -> Result<NamespacePart, LogError> {
        let name = namespace.name().to_path_buf();
        let unfit = |reason: String| LogError::Namespace {
            what: "writing to",
            name: name.display().to_string(),
            reason,
        };
        let (block, most) = (namespace.block_bytes(), namespace.most_bytes());
        if !(PAGE as u32).is_multiple_of(block.max(1)) || most < PAGE as u32 {
            return Err(unfit(format!(
                "a log writes pages of 8 KiB, and the target takes whole blocks of {block} bytes, {most} bytes at most (MDTS)"
            )));
        }
        let begins = number * bytes.next_multiple_of(PIECE);
        if begins + bytes > namespace.bytes() {
            let (needed, has) = ((begins + bytes).div_ceil(1 << 20), namespace.bytes() >> 20);
            return Err(unfit(format!("it needs {needed} MiB, and the namespace has {has}")));
        }
        let failed = |reason| LogError::of("writing", &name, bytes, reason);
        let mut queue = namespace.open().map_err(failed)?;
        let mut rng = Rng::new(seed);
        let mut piece = vec![0; PIECE.min(u64::from(most)) as usize / PAGE * PAGE];
        let mut written = 0;
        while written < bytes {
            stop.check()?;
            rng.fill(&mut piece);
            let length = (bytes - written).min(piece.len() as u64) as usize;
            queue.write(begins + written, &piece[..length], false).map_err(failed)?;
            written += length as u64;
        }
        queue.flush().map_err(failed)?;
        Ok(NamespacePart {
            begins,
            bytes,
            most: piece.len(),
            volatile: namespace.has_volatile_cache(),
            queue: Mutex::new(queue),
            name,
        })
    }

    fn queue(&self) -> MutexGuard<'_, Box<dyn LogQueue>> {
        self.queue.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether what was answered may be in a volatile cache.
    pub(crate) fn is_volatile(&self) -> bool {
        self.volatile
    }

    /// One Flush.
    pub(crate) fn flush(&self) -> io::Result<()> {
        self.queue().flush()
    }

    /// One Write that is durable when it returns: with FUA, unless every write is.
    pub(crate) fn write_durable(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        self.queue().write(self.begins + offset, bytes, self.volatile)
    }

    /// Most data of a command.
    pub(crate) fn most(&self) -> usize {
        self.most
    }
}

impl LogMedium for NamespacePart {
    fn path(&self) -> &Path {
        &self.name
    }

    fn bytes(&self) -> u64 {
        self.bytes
    }

    fn write_at(&self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let mut queue = self.queue();
        let mut at = self.begins + offset;
        for part in bytes.chunks(self.most) {
            queue.write(at, part, false)?;
            at += part.len() as u64;
        }
        Ok(())
    }

    /// As the kernel does it: without a volatile cache there is nothing to flush.
    fn make_durable(&self) -> io::Result<()> {
        if self.volatile { self.flush() } else { Ok(()) }
    }

    fn read_at(&self, offset: u64, bytes: &mut [u8]) -> io::Result<()> {
        let mut queue = self.queue();
        let mut at = self.begins + offset;
        for part in bytes.chunks_mut(self.most) {
            queue.read(at, part)?;
            at += part.len() as u64;
        }
        Ok(())
    }

    /// This machine caches nothing of it.
    fn forget(&self) -> io::Result<()> {
        Ok(())
    }

    fn durable_by(&self) -> Option<&'static str> {
        Some(if self.volatile { BY_FLUSH } else { BY_NOTHING })
    }
}

/// Where logs are measured.
#[derive(Debug, Clone, Copy)]
pub enum LogGround<'a> {
    /// In files of ours in this folder.
    Folder(&'a Path),
    /// In parts of this namespace, from its beginning on.
    Namespace(&'a dyn LogNamespace),
}

impl LogGround<'_> {
    /// Room for the log with this number, called `name`.
    pub(crate) fn medium(
        self,
        (number, name): (u64, &str),
        bytes: u64,
        seed: u64,
        stop: &Stop,
    ) -> Result<Box<dyn LogMedium + Send>, LogError> {
        Ok(match self {
            LogGround::Folder(dir) => Box::new(Segment::create(dir, name, bytes, seed, stop)?),
            LogGround::Namespace(namespace) => {
                Box::new(NamespacePart::create(namespace, number, bytes, seed, stop)?)
            }
        })
    }

    /// Its name.
    pub(crate) fn name(&self) -> &Path {
        match self {
            LogGround::Folder(dir) => dir,
            LogGround::Namespace(namespace) => namespace.name(),
        }
    }
}
