//! The file that keeps, from an end in order to the next start, which pages a cache had.
//!
//! It is read when the namespace is opened, and marked as in use before the first host is let in ([`CacheIndex::mark`]): from then on it is
//! believed by nobody until an end in order has written it whole ([`CacheIndex::save`]). It is locked all that time.
//!
//! Pages in memory are read again from the file or device ([`warmer`](crate::warmer)), so that an index that should not have been believed costs time and
//! nothing else. Pages on another device are there at once ([`DeviceCache::take_up`]): there an index must not be believed after somebody wrote to what
//! is cached. Of a file its times tell; of a device nothing does, so that it has no such index ([`check_tells`]).

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use narrows_facts::{Live, Source};
use narrows_files::Access;
use narrows_read_cache::{Identity, IndexRefusal, MARK_BYTES, SavedIndex, SavedPage, mark_of_use};
use rustix::fs::{AtFlags, StatxFlags};

use super::open::{OpenError, lock, refused};
use super::{DeviceCache, FileDisk, MemoryCache, numbered};

/// An index as it lies there, held against others.
#[derive(Debug)]
pub(crate) struct OpenIndex {
    path: PathBuf,
    file: File,
    image: Vec<u8>,
    /// How the file or device was when it was opened, before anything was done to it.
    state: [u8; 32],
    serial: Option<String>,
}

/// The index of a namespace's cache.
#[derive(Debug)]
pub(crate) struct CacheIndex {
    path: PathBuf,
    file: File,
    serial: Option<String>,
    namespace: [u8; 16],
    /// Of this use; the one before had one less.
    generation: u64,
    /// Size of the namespace when it was opened, pages.
    pages: u64,
    /// What it named, until somebody begins to read that again.
    found: Mutex<Vec<SavedPage>>,
    /// How many these were.
    named: u64,
    state: Mutex<WarmUp>,
    warmed: AtomicU64,
    stopped: AtomicBool,
}

/// How far a cache has come with the pages of its index.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum WarmUp {
    /// The index names no page, for this reason.
    Cold(String),
    /// Its pages are being read again.
    Warming,
    /// They have been.
    Warm,
    /// The rest of them is left where it is, for this reason.
    Stopped(String),
}

impl WarmUp {
    /// The word for it, and the reason.
    pub(crate) fn words(&self) -> (&'static str, Option<&str>) {
        match self {
            WarmUp::Cold(reason) => ("cold", Some(reason)),
            WarmUp::Warming => ("warming", None),
            WarmUp::Warm => ("warm", None),
            WarmUp::Stopped(reason) => ("stopped", Some(reason)),
        }
    }
}

/// Opens the index at a path, or makes an empty one, for what `disk` is: before anything is done to that.
///
/// # Errors
/// The system's; that it is something else, or somebody's already.
pub(crate) fn open_index(
    path: &Path,
    disk: &FileDisk,
    serial: Option<&str>,
) -> Result<OpenIndex, OpenError> {
    let system = |action| {
        move |source: io::Error| OpenError::System {
            action,
            path: path.display().to_string(),
            source,
        }
    };
    let file = match narrows_files::open_existing(path, Access::Write) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            narrows_files::create_new(path, Access::Write, 0o600)
                .map_err(system("make the index of a cache at"))?
        }
        opened => opened.map_err(system("open the index of a cache at"))?,
    };
    lock(&file).map_err(|_| {
        refused(
            path,
            "another program, or another namespace, holds its lock".to_string(),
            "each cache has an index of its own",
        )
    })?;
    let read = || system("read the index of a cache at");
    let length = file.metadata().map_err(read())?.len();
    let mut head = [0; MARK_BYTES];
    let got = file.read_at(&mut head, 0).map_err(read())?;
    // What was never written whole is of this size, and empty.
    let blank = length <= MARK_BYTES as u64 && head == [0; MARK_BYTES];
    if !blank && !SavedIndex::is_image(&head[..got]) {
        return Err(refused(
            path,
            "it is named as the index of a cache, and holds something else".to_string(),
            "name a file that isn't there yet",
        ));
    }
    let pages =
        disk.size().map_err(system("ask for the size of"))? / u64::from(MemoryCache::PAGE_BYTES);
    let state = state_of(disk, serial).map_err(system("look at what is cached by"))?;
    let mut image = Vec::new();
    if !blank && length <= SavedIndex::image_bytes(pages) {
        image.resize(length as usize, 0);
        file.read_exact_at(&mut image, 0).map_err(read())?;
    } else if !blank {
        // Of a larger namespace: its first sector says so.
        image.extend_from_slice(&head);
    }
    let serial = serial.map(str::to_string);
    Ok(OpenIndex { path: path.to_path_buf(), file, image, state, serial })
}

/// Whether what is cached on another device tells when somebody wrote to it.
///
/// # Errors
/// That it doesn't.
pub(crate) fn check_tells(cached: &FileDisk) -> Result<(), OpenError> {
    if !cached.is_device() {
        return Ok(());
    }
    Err(refused(
        cached.path(),
        "its cache on a drive can have no index: a device doesn't tell whether somebody wrote to it meanwhile, and pages of before would be read"
            .to_string(),
        "leave `cache-index=` out: the cache begins empty then",
    ))
}

/// What changes when somebody else writes to a file: its size and its times. Of a device that doesn't tell, the serial and the size.
fn state_of(disk: &FileDisk, serial: Option<&str>) -> io::Result<[u8; 32]> {
    let text = if disk.is_device() {
        format!("device {} {}", serial.unwrap_or("-"), disk.size()?)
    } else {
        let mask = StatxFlags::BASIC_STATS | StatxFlags::BTIME;
        let stat = rustix::fs::statx(&disk.file, "", AtFlags::EMPTY_PATH, mask)?;
        let times = [stat.stx_btime, stat.stx_mtime, stat.stx_ctime];
        let times = times.map(|time| format!("{}.{:09}", time.tv_sec, time.tv_nsec));
        format!("file {} {} {}", stat.stx_ino, stat.stx_size, times.join(" "))
    };
    let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    Ok(std::array::from_fn(|index| hash.as_ref()[index]))
}

impl CacheIndex {
    /// The index of a namespace of so many bytes: what it says, or why that is not believed. What it names of a cache on a device is taken up.
    pub(crate) fn new(
        opened: OpenIndex,
        namespace: [u8; 16],
        bytes: u64,
        device: Option<&DeviceCache>,
    ) -> CacheIndex {
        let OpenIndex { path, file, image, state, serial } = opened;
        let pages = bytes / u64::from(MemoryCache::PAGE_BYTES);
        let identity = identity_of(namespace, in_front(state, device), pages);
        let loaded = match image.is_empty() {
            true => Err("nothing was saved yet".to_string()),
            false => SavedIndex::load(&image, &identity, None)
                .map_err(|refusal| reason_of(refusal, device.is_some())),
        };
        let (generation, pages_named, cold) = match loaded {
            Ok(index) => {
                let generation = index.generation().saturating_add(1);
                let named = if device.is_some() { index.into_pages() } else { index.by_worth() };
                (generation, named, None)
            }
            Err(reason) => (1, Vec::new(), Some(reason)),
        };
        let named = pages_named.len() as u64;
        // On a device they are there; into memory they are read again.
        let (found, warmed) = match device {
            Some(device) => (Vec::new(), device.take_up(pages_named)),
            None => (pages_named, 0),
        };
        let state = match cold {
            Some(reason) => WarmUp::Cold(reason),
            None if found.is_empty() => WarmUp::Warm,
            None => WarmUp::Warming,
        };
        CacheIndex {
            path,
            file,
            serial,
            namespace,
            generation,
            pages,
            named,
            found: Mutex::new(found),
            state: Mutex::new(state),
            warmed: AtomicU64::new(warmed),
            stopped: AtomicBool::new(false),
        }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Says in it that it is in use, for good, before the first write.
    ///
    /// # Errors
    /// The system's.
    pub(crate) fn mark(&self) -> Result<(), OpenError> {
        let identity = identity_of(self.namespace, [0; 32], self.pages);
        let mark = mark_of_use(&identity, self.generation);
        let marked = self.file.write_all_at(&mark, 0).and_then(|()| self.file.sync_all());
        marked.map_err(|source| OpenError::System {
            action: "mark the index of a cache at",
            path: self.path.display().to_string(),
            source,
        })
    }

    /// Saves the pages of a cache in memory: nothing is written to the file or device any more, and all is durable there. `left` are those that its own
    /// index named and that were not read again yet. How many were saved.
    ///
    /// # Errors
    /// The system's; the index is believed by nobody then.
    pub(crate) fn save(
        &self,
        cache: &MemoryCache,
        left: Vec<SavedPage>,
        disk: &FileDisk,
    ) -> io::Result<usize> {
        let mut here = cache.saved_pages();
        let known: HashSet<_> = here.iter().map(SavedPage::page).collect();
        // Those that are worth least first, and before those that were asked for since.
        let mut all: Vec<SavedPage> = left.into_iter().rev().collect();
        all.retain(|saved| !known.contains(&saved.page()));
        all.append(&mut here);
        self.write(numbered(all).collect(), None, disk)
    }

    /// The same of a cache on a device, to which nothing is written any more either.
    ///
    /// # Errors
    /// The system's; that the cache is off; that the machine doesn't say which start this is.
    pub(crate) fn save_device(&self, cache: &DeviceCache, disk: &FileDisk) -> io::Result<usize> {
        if boot().is_none() {
            return Err(io::Error::other("/proc doesn't say which start of the machine this is"));
        }
        self.write(cache.saved_pages()?, Some(cache), disk)
    }

    fn write(
        &self,
        mut all: Vec<SavedPage>,
        device: Option<&DeviceCache>,
        disk: &FileDisk,
    ) -> io::Result<usize> {
        let pages = disk.size()? / u64::from(MemoryCache::PAGE_BYTES);
        let state = in_front(state_of(disk, self.serial.as_deref())?, device);
        all.retain(|saved| saved.page().0 < pages);
        let mut image = Vec::new();
        let identity = identity_of(self.namespace, state, pages);
        SavedIndex::write(&identity, self.generation, all.iter().copied(), &mut image);
        // Its sums are right only once all of it is there, whatever comes first.
        self.file.write_all_at(&image, 0)?;
        self.file.set_len(image.len() as u64)?;
        self.file.sync_all()?;
        Ok(all.len())
    }

    /// The pages that it named, those that are worth most first; once.
    pub(crate) fn take_found(&self) -> Vec<SavedPage> {
        std::mem::take(&mut *self.found.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// How far its pages have come.
    pub(crate) fn warm_up(&self) -> WarmUp {
        self.state().clone()
    }

    /// They have come so far.
    pub(crate) fn set_warm_up(&self, state: WarmUp) {
        *self.state() = state;
    }

    /// Pages that it named at the start, and how many of them were read again.
    pub(crate) fn counts(&self) -> (u64, u64) {
        (self.named, self.warmed.load(Ordering::Relaxed))
    }

    /// So many more were read again.
    pub(crate) fn count_warmed(&self, pages: u64) {
        self.warmed.fetch_add(pages, Ordering::Relaxed);
    }

    /// Somebody wants the cache to be empty: what its index names is not read again.
    pub(crate) fn stop_warming(&self) {
        self.stopped.store(true, Ordering::Release);
    }

    /// Whether somebody wants that.
    pub(crate) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Acquire)
    }

    fn state(&self) -> MutexGuard<'_, WarmUp> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why an index is not believed, for who wonders about a cold cache.
fn reason_of(refusal: IndexRefusal, on_device: bool) -> String {
    match refusal {
        IndexRefusal::InUse => "the target before did not end in order".to_string(),
        IndexRefusal::Other { what: "state of the backing" } => {
            let also = if on_device {
                ", the cache was used without its index, or the machine was started anew"
            } else {
                ""
            };
            format!("what is cached was changed since by somebody else{also}")
        }
        other => format!("of its index: {other}"),
    }
}

/// The same, and where the pages are on a device, which use of it left them there, and since which start of the machine: times of a file that
/// were changed after the index was saved may be gone with the power, and then tell nothing.
fn in_front(state: [u8; 32], device: Option<&DeviceCache>) -> [u8; 32] {
    match device {
        Some(device) => on_device(state, &device.use_in_words(), boot().as_deref()),
        None => state,
    }
}

/// Nothing is saved by a machine that doesn't say which start this is ([`CacheIndex::save_device`]).
fn on_device(state: [u8; 32], its_use: &str, boot: Option<&str>) -> [u8; 32] {
    let text = [&state[..], its_use.as_bytes(), boot.unwrap_or_default().as_bytes()].concat();
    let hash = ring::digest::digest(&ring::digest::SHA256, &text);
    std::array::from_fn(|index| hash.as_ref()[index])
}

/// Which start of the machine this is.
fn boot() -> Option<String> {
    let here: &dyn Source = &Live;
    here.text("/proc/sys/kernel/random/boot_id")
}

/// All shards of a cache are in one index.
fn identity_of(namespace: [u8; 16], backing: [u8; 32], pages: u64) -> Identity {
    let page_bytes = MemoryCache::PAGE_BYTES;
    Identity { namespace, backing, pages, page_bytes, shard: 0, shards: 1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_of_a_cache_on_a_device_is_of_one_use_and_one_start_of_the_machine() {
        let of = |its_use, boot| on_device([1; 32], its_use, boot);
        let same = of("cache a life 1", Some("boot 1"));
        assert_eq!(same, of("cache a life 1", Some("boot 1")));
        assert_ne!(same, of("cache a life 2", Some("boot 1")));
        assert_ne!(same, of("cache a life 1", Some("boot 2")));
        assert_ne!(same, on_device([2; 32], "cache a life 1", Some("boot 1")));
        assert_ne!(same, of("cache a life 1", None));
        assert!(boot().is_some_and(|boot| !boot.is_empty()));
    }
}
