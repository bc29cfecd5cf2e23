//! Opening a backing with its log: which log it is, what it holds, and moving that first.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};

use narrows_log_tier::{
    Geometry, HEAD_BYTES, Known, LEAST_CAPACITY, Log, LogContents, ReadMedium, Superblock,
    Unusable, scan_known,
};

use super::mark::{MarkedLife, check_can_be_marked, mark};
use super::opened::{Absent, OpenMedia, OpenMedium, newest_on, open_media};
use super::owner::{LogOwner, check_backing};
use super::peer::PeerMedium;
use super::recover::recover;
use super::{LogCounters, LogMedium, LoggedDisk, RingImage, Shared};
use crate::backing::file::FileDisk;
use crate::backing::open::{OpenError, check_memory_for, open_file_or_device, refused};
use crate::backing::{DeviceCache, MemoryCache};
use crate::buffer::{Buffer, LARGEST};
use crate::journal;
use crate::namespace::{DiskSpec, LogMediumSpec};

/// File systems whose files are memory (statfs(2)).
const IN_MEMORY: [(u64, &str); 3] =
    [(0x0102_1994, "tmpfs"), (0x8584_58F6, "ramfs"), (0x9584_58F6, "hugetlbfs")];

/// What helps where a log is larger than the memory that is there for it.
const LESS_LOG: &str = "stop what else takes memory, or make it smaller: `narrows-target log flush`, `log drop`, then `log make` on a smaller file; nothing was changed";

/// A log as it lies on its media.
#[derive(Debug)]
pub(crate) struct OpenLog {
    /// In the order in which they were named.
    pub(crate) media: Vec<OpenMedium>,
    /// Of each of these which of those that were named it is, from 0 on.
    pub(super) places: Vec<u8>,
    pub(crate) absent: Vec<Absent>,
    pub(crate) found: LogContents,
}

/// How strict opening is.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Consents {
    /// A medium may be missing.
    pub(crate) without_missing: bool,
    /// The backing may have been changed since.
    pub(crate) changed: bool,
    /// What follows the last record that was read may be unreadable.
    pub(crate) unreadable: bool,
}

/// Opens the media of a log and reads what it holds. Nothing is changed, but peers are reserved for what `owner` says that it is for.
///
/// # Errors
/// What can't be opened, and why it is no log that can be used.
pub(crate) fn open_log(
    places: &[LogMediumSpec],
    owner: Option<LogOwner>,
    consents: Consents,
) -> Result<OpenLog, OpenError> {
    let opened = open_media(places, owner.map(|owner| owner.reservation))?;
    let OpenMedia { media, places, absent } = opened;
    let names: Vec<String> = media.iter().map(OpenMedium::name).collect();
    let known = owner.map_or(Known::NotAsked, |owner| owner.known);
    let found = {
        let mut readers: Vec<Box<dyn ReadMedium + '_>> =
            media.iter().map(|medium| medium.reader(true)).collect();
        let mut given: Vec<&mut dyn ReadMedium> = Vec::new();
        given.extend(readers.iter_mut().map(|reader| &mut **reader as &mut dyn ReadMedium));
        scan_known(&mut given, known, consents.without_missing)
    };
    let found = found.map_err(|error| {
        let hint = hint_of(&error);
        let reason = match absent.as_slice() {
            [] => error.to_string(),
            absent => format!(
                "{error} (peers are numbered from 0 in the order of `log make`); not reached: {}",
                addresses_of(absent)
            ),
        };
        OpenError::Refused { path: names.join(" and "), reason, hint }
    })?;
    check_media(&media, &found)?;
    if let (Some(what), false) = (&found.unreadable, consents.unreadable) {
        return Err(OpenError::Refused {
            path: names.join(" and "),
            reason: format!(
                "it can't be read to its end ({what}), so that records may be missing behind the {} that were read",
                found.records.len()
            ),
            hint: "try to have the medium read; to go on with what was read: `narrows-target log flush --unreadable`",
        });
    }
    Ok(OpenLog { media, places, absent, found })
}

/// What to do about a log that can't be used.
fn hint_of(error: &Unusable) -> &'static str {
    match error {
        Unusable::NoLog => {
            "`narrows-target log make` makes one, for a file or device that it names"
        }
        Unusable::Missing { .. } => {
            "name all of its media, `log=` each; if one is lost for good: `narrows-target log flush --without-missing`"
        }
        Unusable::Out(_) => {
            "use the medium that stayed; if that is lost for good, so is what was written after this one was taken out: `narrows-target log drop --lost`"
        }
        Unusable::TooFew { .. } => {
            "name all of its peers, and have those answer that do not; what was on peers alone that lost their memory is lost: `narrows-target log flush --without-missing` goes on without it"
        }
        Unusable::OtherLife { .. } => {
            "name the peers that it was served with last; if these lost their memory, what was on them alone is lost: `narrows-target log drop --lost`, then `log make`"
        }
        Unusable::Version(_) => "use the version of narrows-target that made it, or a later one",
        Unusable::TwoLogs(..) | Unusable::Twice(_) => {
            "`narrows-target log status` shows whose a medium is"
        }
        Unusable::Read { .. } => "the medium is damaged, or was made smaller",
    }
}

/// Whether the media are what the superblock says of them.
fn check_media(media: &[OpenMedium], found: &LogContents) -> Result<(), OpenError> {
    let Geometry { capacity, .. } = found.superblock.geometry;
    // Of copies those as well that hold nothing yet.
    let all = found.copies().is_some();
    let numbered = media.iter().zip(&found.numbers);
    for (medium, _) in numbered.filter(|(_, number)| all || number.is_some()) {
        let path = medium.name();
        let bytes = medium.size().map_err(|source| OpenError::System {
            action: "ask for the size of",
            path: path.clone(),
            source,
        })?;
        if capacity < LEAST_CAPACITY || bytes < HEAD_BYTES + capacity {
            return Err(OpenError::Refused {
                path,
                reason: format!("it has {bytes} bytes, and its log {capacity} and 8 KiB"),
                hint: "the medium was made smaller, or holds something that only looks like a log",
            });
        }
    }
    Ok(())
}

/// Opens a medium, with the rules of everything that is written to.
pub(crate) fn open_medium(spec: &DiskSpec) -> Result<FileDisk, OpenError> {
    let disk = open_file_or_device(spec)?;
    if let Some(memory) = in_memory(&disk.file) {
        return Err(refused(
            &spec.path,
            format!(
                "it lies on {memory}, in memory: what is acknowledged by it would not outlive the power"
            ),
            "put the log on a drive that keeps what it is given",
        ));
    }
    Ok(disk)
}

fn in_memory(file: &File) -> Option<&'static str> {
    let kind = rustix::fs::fstatfs(file).ok()?.f_type as u64 & 0xFFFF_FFFF;
    IN_MEMORY.iter().find(|(magic, _)| *magic == kind).map(|(_, name)| *name)
}

/// Whether a medium holds something, and no log.
pub(super) fn holds_something_else(reader: &mut dyn ReadMedium) -> io::Result<bool> {
    let mut head = vec![0; HEAD_BYTES as usize];
    reader.read(0, &mut head)?;
    Ok(newest_on(reader).is_none() && head.iter().any(|byte| *byte != 0))
}

/// The newest whole superblock of a file or device.
pub(crate) fn newest_of(disk: &FileDisk) -> Option<Superblock> {
    newest_on(&mut MediumReader::new(&disk.file))
}

impl OpenLog {
    /// Its media by their numbers, to be written to. Peers that are not there get numbers that nobody has.
    fn into_media(self) -> io::Result<BTreeMap<u8, LogMedium>> {
        let bytes = HEAD_BYTES + self.found.superblock.geometry.capacity;
        let all = 0..self.found.superblock.media;
        let numbered = self.found.numbers.into_iter().zip(self.media);
        let numbered = numbered.filter_map(|(number, medium)| Some((number?, medium)));
        let media = numbered.map(|(number, medium)| Ok((number, medium.into_medium(bytes)?)));
        let mut media: BTreeMap<u8, LogMedium> = media.collect::<io::Result<_>>()?;
        for Absent { address, reason } in self.absent {
            let free = all.clone().find(|number| !media.contains_key(number));
            let Some(free) = free else { continue };
            let absent = PeerMedium::absent(address, reason);
            media.insert(free, LogMedium::Peer(Box::new(absent)));
        }
        Ok(media)
    }

    /// Whether what would become a member holds nothing but this log.
    fn check_newcomers(&self) -> Result<(), OpenError> {
        let numbered = self.media.iter().zip(&self.found.numbers);
        for (medium, _) in numbered.filter(|(_, number)| number.is_none()) {
            let read = holds_something_else(&mut *medium.reader(false));
            let holds = read.map_err(|source| OpenError::System {
                action: "read",
                path: medium.name(),
                source,
            })?;
            if holds {
                return Err(OpenError::Refused {
                    path: medium.name(),
                    reason: "it holds something, and no log".to_string(),
                    hint: "a peer that joins a log is empty: `narrows-target serve --namespace ram:SIZE` there",
                });
            }
        }
        Ok(())
    }

    /// Whether there are as many media as it takes to serve it, and no more than it has.
    fn check_number(&self) -> Result<(), OpenError> {
        let Some(copies) = self.found.copies() else { return Ok(()) };
        let (here, media) = (self.media.len(), usize::from(self.found.superblock.media));
        let named = here + self.absent.len();
        let (reason, hint) = if named > media {
            (
                format!("its log has {media} peers, and {named} are named"),
                "name as many; one that is lost for good is replaced by naming another in its place",
            )
        } else if here < usize::from(copies) {
            (
                format!("each write has to be on {copies} peers, and so many are reached: {here}"),
                "start the others; one that lost its memory joins again empty",
            )
        } else {
            return Ok(());
        };
        let reason = match self.absent.as_slice() {
            [] => reason,
            absent => format!("{reason}; not reached: {}", addresses_of(absent)),
        };
        let names: Vec<String> = self.media.iter().map(OpenMedium::name).collect();
        Err(OpenError::Refused { path: names.join(" and "), reason, hint })
    }
}

/// Peers that were not reached, by their addresses.
fn addresses_of(absent: &[Absent]) -> String {
    let addresses: Vec<String> = absent.iter().map(|peer| peer.address.to_string()).collect();
    addresses.join(", ")
}

/// A backing with its log, once what the log held is in the backing; `caches` are in front of both.
///
/// # Errors
/// Why it isn't served.
pub(crate) fn open_logged(
    backing: FileDisk,
    serial: Option<&str>,
    places: &[LogMediumSpec],
    caches: (Option<Arc<MemoryCache>>, Option<Arc<DeviceCache>>),
) -> Result<LoggedDisk, OpenError> {
    let path = backing.path().display().to_string();
    let system = |action| {
        let path = path.clone();
        move |source| OpenError::System { action, path, source }
    };
    let consents = Consents::default();
    let owner = LogOwner::of(&backing, serial).map_err(system("look at"))?;
    let mut log = open_log(places, Some(owner), consents)?;
    check_backing(&backing, serial, &log.found, consents)?;
    log.check_number()?;
    if log.found.copies().is_some() {
        check_can_be_marked(&backing)?;
        log.check_newcomers()?;
    }
    let Superblock { id, geometry, .. } = log.found.superblock;
    check_memory_of(&format!("log {id}"), geometry.capacity)?;
    let superblock =
        recover(&mut log, &backing, true).map_err(system("move what its log holds to"))?;
    if !log.found.superblock.clean {
        journal::line(
            "log-recovered",
            &[("backing", &path), ("records", &log.found.records.len()), ("log", &superblock.id)],
        );
    }
    // Without a mark where there could be one, a later start would take the log's records for old ones.
    let life = log
        .found
        .copies()
        .map(|_| MarkedLife { epoch: superblock.epoch, members: superblock.members });
    let marked = mark(&backing.file, superblock.id, life);
    let marked = marked.map_err(system("mark, as one with a log,"))?;
    if !marked {
        journal::line("log-not-marked", &[("backing", &path)]);
    }
    let capacity = usize::try_from(superblock.geometry.capacity);
    let image = capacity.map_err(|_| io::ErrorKind::OutOfMemory.into()).and_then(RingImage::new);
    let image = image.map_err(system("map memory for the log of"))?;
    let log_core = Log::new(superblock);
    let shared = Shared {
        log: log_core,
        image,
        waiting: Default::default(),
        for_room: Default::default(),
        stopping: false,
        taken: false,
        pausing: false,
        resizing: None,
        move_until: 0,
    };
    let reservation = log.found.copies().map(|_| owner.reservation);
    let media = log.into_media().map_err(system("open the media of the log of"))?;
    Ok(LoggedDisk {
        backing,
        media,
        superblock,
        reservation,
        resize_turn: Mutex::default(),
        returning: Mutex::default(),
        caches,
        marked,
        marked_life: Mutex::new(life),
        shared: Mutex::new(shared),
        bell: Condvar::new(),
        moved: Condvar::new(),
        counters: LogCounters::default(),
    })
}

/// Whether there is memory for what a log has to remember of itself: as much as one of its media holds.
fn check_memory_of(log: &str, capacity: u64) -> Result<(), OpenError> {
    check_memory_for(log, capacity).map_err(|error| match error {
        OpenError::Refused { path, reason, .. } => {
            OpenError::Refused { path, reason, hint: LESS_LOG }
        }
        other => other,
    })
}

/// Whether a file or device is itself a medium of a log.
pub(crate) fn check_no_log(disk: &FileDisk) -> Result<(), OpenError> {
    match newest_of(disk) {
        Some(superblock) => Err(refused(
            disk.path(),
            format!("it is a medium of log {}", superblock.id),
            "`narrows-target log status` shows what it holds; `log drop` makes it an ordinary file again",
        )),
        None => Ok(()),
    }
}

/// Whether two of these are the same file or device.
pub(crate) fn check_named_once<'a>(
    paths: impl IntoIterator<Item = &'a Path>,
) -> Result<(), OpenError> {
    let mut seen = Vec::new();
    for path in paths {
        // What can't be found is told when it is opened.
        let Ok(real) = std::fs::canonicalize(path) else { continue };
        if seen.contains(&real) {
            return Err(refused(
                path,
                "it is named twice".to_string(),
                "a file, each medium of its log, its cache and the index of that are files of their own",
            ));
        }
        seen.push(real);
    }
    Ok(())
}

/// A medium, read through memory that direct I/O takes.
#[derive(Debug)]
pub(crate) struct MediumReader<'a> {
    file: &'a File,
    bounce: Buffer,
}

impl<'a> MediumReader<'a> {
    pub(crate) fn new(file: &'a File) -> MediumReader<'a> {
        MediumReader { file, bounce: Buffer::largest() }
    }
}

impl ReadMedium for MediumReader<'_> {
    fn read(&mut self, at: u64, out: &mut [u8]) -> io::Result<()> {
        for (index, chunk) in out.chunks_mut(LARGEST).enumerate() {
            let from = at + (index * LARGEST) as u64;
            let bytes = self.bounce.bytes_mut(chunk.len());
            self.file.read_exact_at(bytes, from)?;
            chunk.copy_from_slice(bytes);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_larger_than_the_memory_that_is_there_is_refused() {
        check_memory_of("log 1", LEAST_CAPACITY).unwrap();
        let refused = check_memory_of("log 1", 1 << 60).unwrap_err();
        assert!(refused.to_string().contains("it takes 1099511627776 MiB"), "{refused}");
        assert_eq!(refused.hint(), Some(LESS_LOG));
    }
}
