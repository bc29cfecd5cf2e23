//! Opening a backing with its log: which log it is, what it holds, and moving that first.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt};
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex};
use std::time::UNIX_EPOCH;

use narrows_log_tier::{
    Action, FoundRecord, Geometry, HEAD_BYTES, LEAST_CAPACITY, Log, LogContents, LogId, ReadMedium,
    SLOT_BYTES, Superblock, Unusable, scan,
};
use rustix::fs::{AtFlags, StatxFlags, XattrFlags};
use rustix::io::Errno;

use super::{LogCounters, LogMedium, LoggedDisk, RingImage, Shared, now_ms, write_superblock};
use crate::backing::file::FileDisk;
use crate::backing::open::{OpenError, open_file_or_device, refused};
use crate::backing::{DeviceCache, MemoryCache};
use crate::buffer::{Buffer, LARGEST};
use crate::journal;
use crate::namespace::DiskSpec;

/// The mark on a file whose log may hold what it lacks: the log's identity.
const MARK: &str = "user.narrows.log";
/// A file that was changed so long after the last record was changed by somebody else.
const CHANGED_AFTER_MS: u64 = 60_000;
/// File systems whose files are memory (statfs(2)).
const IN_MEMORY: [(u64, &str); 3] =
    [(0x0102_1994, "tmpfs"), (0x8584_58F6, "ramfs"), (0x9584_58F6, "hugetlbfs")];

/// A log as it lies on its media.
#[derive(Debug)]
pub(crate) struct OpenLog {
    /// As they were named.
    pub(crate) media: Vec<FileDisk>,
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

/// Opens the media of a log and reads what it holds. Nothing is changed.
///
/// # Errors
/// What can't be opened, and why it is no log that can be used.
pub(crate) fn open_log(specs: &[DiskSpec], consents: Consents) -> Result<OpenLog, OpenError> {
    let media: Vec<FileDisk> = specs.iter().map(open_medium).collect::<Result<_, _>>()?;
    let names: Vec<String> = specs.iter().map(|spec| spec.path.display().to_string()).collect();
    let mut readers: Vec<MediumReader<'_>> =
        media.iter().map(|disk| MediumReader::new(&disk.file)).collect();
    let mut given: Vec<&mut dyn ReadMedium> = Vec::new();
    given.extend(readers.iter_mut().map(|reader| reader as &mut dyn ReadMedium));
    let found = scan(&mut given, consents.without_missing).map_err(|error| {
        let hint = match error {
            Unusable::NoLog => "`narrows-target log make` makes one, for a file or device that it names",
            Unusable::Missing { .. } => "name all of its media, `log=` each; if one is lost for good: `narrows-target log flush --without-missing`",
            Unusable::Out(_) => "use the medium that stayed; if that is lost for good, so is what was written after this one was taken out: `narrows-target log drop --lost`",
            Unusable::Version(_) => "use the version of narrows-target that made it, or a later one",
            Unusable::TwoLogs(..) | Unusable::Twice(_) => "`narrows-target log status` shows whose a medium is",
            Unusable::Read { .. } => "the medium is damaged, or was made smaller",
        };
        OpenError::Refused { path: names.join(" and "), reason: error.to_string(), hint }
    })?;
    drop(readers);
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
    Ok(OpenLog { media, found })
}

/// Whether the media are what the superblock says of them.
fn check_media(media: &[FileDisk], found: &LogContents) -> Result<(), OpenError> {
    let Geometry { capacity, .. } = found.superblock.geometry;
    for (disk, _) in media.iter().zip(&found.numbers).filter(|(_, number)| number.is_some()) {
        let bytes = disk.size().map_err(|source| OpenError::System {
            action: "ask for the size of",
            path: disk.path().display().to_string(),
            source,
        })?;
        if capacity < LEAST_CAPACITY || bytes < HEAD_BYTES + capacity {
            return Err(refused(
                disk.path(),
                format!("it has {bytes} bytes, and its log {capacity} and 8 KiB"),
                "the medium was made smaller, or holds something that only looks like a log",
            ));
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

/// The newest whole superblock of a medium.
pub(crate) fn newest_of(disk: &FileDisk) -> Option<Superblock> {
    let mut reader = MediumReader::new(&disk.file);
    let slots = [0, SLOT_BYTES].map(|at| {
        let mut bytes = vec![0; SLOT_BYTES as usize];
        reader.read(at, &mut bytes).ok()?;
        Superblock::parse(&bytes)
    });
    slots.into_iter().flatten().max_by_key(|superblock| superblock.generation)
}

/// Whose a log is: of a device its serial and size, of a file its number and birth. A copy of a file is another file.
pub(crate) fn identity_of(disk: &FileDisk, serial: Option<&str>) -> io::Result<[u8; 16]> {
    let text = match serial {
        Some(serial) if disk.is_device() => format!("device {serial} {}", disk.size()?),
        _ => {
            let mask = StatxFlags::BTIME | StatxFlags::INO;
            let stat = rustix::fs::statx(&disk.file, "", AtFlags::EMPTY_PATH, mask)?;
            format!("file {} {}.{}", stat.stx_ino, stat.stx_btime.tv_sec, stat.stx_btime.tv_nsec)
        }
    };
    let hash = ring::digest::digest(&ring::digest::SHA256, text.as_bytes());
    Ok(std::array::from_fn(|index| hash.as_ref()[index]))
}

/// Whether a log may be moved to this backing.
///
/// # Errors
/// Why not.
pub(crate) fn check_backing(
    backing: &FileDisk,
    serial: Option<&str>,
    found: &LogContents,
    consents: Consents,
) -> Result<(), OpenError> {
    let path = backing.path();
    let system =
        |source| OpenError::System { action: "look at", path: path.display().to_string(), source };
    let superblock = &found.superblock;
    let identity = identity_of(backing, serial).map_err(system)?;
    match mark_of(&backing.file) {
        Mark::Log(other) if other != superblock.id.to_string() => {
            return Err(refused(
                path,
                format!("its log is {other}, and {} is named", superblock.id),
                "name that one; if it is lost for good: `narrows-target log drop --lost`",
            ));
        }
        // It is set before the first record, and goes when none is left.
        Mark::None if !found.records.is_empty() && !consents.changed => {
            return Err(refused(
                path,
                format!(
                    "it had all that its log held when it was last served, so the {} records of the log that is named are old",
                    found.records.len()
                ),
                "`narrows-target log drop` drops them; if they are to be moved all the same: `narrows-target log flush --changed`",
            ));
        }
        Mark::Without(id) if id == superblock.id.to_string() && !found.records.is_empty() => {
            return Err(refused(
                path,
                "all that this log held was moved when its medium failed, and the file was served without it since".to_string(),
                "`narrows-target log drop` drops what is left on the medium",
            ));
        }
        _ => {}
    }
    if superblock.backing != identity {
        return Err(refused(
            path,
            "the log that is named was made for another file or device, or for what this one was copied from".to_string(),
            "`narrows-target log status` shows what a log holds; a log for this one is made by `narrows-target log make`",
        ));
    }
    let bytes = backing.size().map_err(system)?;
    if !found.records.is_empty() && bytes < superblock.backing_bytes {
        return Err(refused(
            path,
            format!(
                "it has {bytes} bytes, and had {} when its log was filled",
                superblock.backing_bytes
            ),
            "make it as large as it was",
        ));
    }
    let last = found.last_ms();
    let changed = changed_ms(backing).map_err(system)?;
    if let (Some(changed), false, false) = (changed, consents.changed, found.records.is_empty())
        && changed > last + CHANGED_AFTER_MS
    {
        return Err(refused(
            path,
            format!(
                "it was changed {} s after the last record of its log, so by somebody else: moving the log's {} records could put older data over newer",
                (changed - last) / 1000,
                found.records.len()
            ),
            "if the records are to be moved all the same: `narrows-target log flush --changed`; if they are to be lost: `narrows-target log drop`",
        ));
    }
    Ok(())
}

/// When a file's content was last changed, ms since 1970; `None` for a device, which doesn't say.
fn changed_ms(backing: &FileDisk) -> io::Result<Option<u64>> {
    if backing.is_device() {
        return Ok(None);
    }
    let modified = backing.file.metadata()?.modified()?;
    Ok(modified.duration_since(UNIX_EPOCH).ok().map(|since| since.as_millis() as u64))
}

/// Moves what a log holds to its backing, and begins its next life on all of its media that are here.
///
/// # Errors
/// What the backing or a medium said; the log is as it was, or is empty.
pub(crate) fn recover(log: &mut OpenLog, backing: &FileDisk) -> io::Result<Superblock> {
    let mut bounce = Buffer::largest();
    if !log.found.records.is_empty() {
        let renewed = log.found.renewed(now_ms());
        for (number, medium) in log.members_of(&renewed) {
            write_superblock(medium, &Superblock { medium: number, ..renewed })?;
        }
    }
    for record in &log.found.records {
        replay(record, log, backing, &mut bounce)?;
    }
    backing.sync()?;
    let next = Superblock { backing_bytes: backing.size()?, ..log.found.next(now_ms()) };
    for (number, medium) in log.members_of(&next) {
        write_superblock(medium, &Superblock { medium: number, ..next })?;
    }
    Ok(next)
}

fn replay(
    record: &FoundRecord,
    log: &OpenLog,
    backing: &FileDisk,
    bounce: &mut Buffer,
) -> io::Result<()> {
    let FoundRecord { header, data_at, .. } = *record;
    let zeros = header.action != Action::Write;
    let unit = u64::from(log.found.superblock.geometry.unit);
    let mut done = 0;
    while done < header.bytes {
        let bytes = (header.bytes - done).min(LARGEST as u64);
        let whole = (bytes.div_ceil(unit) * unit) as usize;
        let out = bounce.bytes_mut(LARGEST);
        if zeros {
            out.fill(0);
        } else {
            log.reader_of(record).read(data_at + done, &mut out[..whole])?;
        }
        backing.write_all_at(&bounce.bytes(LARGEST)[..bytes as usize], header.offset + done)?;
        done += bytes;
    }
    Ok(())
}

impl OpenLog {
    /// The media that are members by a superblock, with their numbers.
    pub(crate) fn members_of(
        &self,
        superblock: &Superblock,
    ) -> impl Iterator<Item = (u8, &FileDisk)> {
        let members = superblock.members;
        let numbered = self.found.numbers.iter().zip(&self.media);
        let numbered = numbered.filter_map(|(number, disk)| Some(((*number)?, disk)));
        numbered.filter(move |(number, _)| members >> number & 1 == 1)
    }

    /// Its media by their numbers, to be written to.
    fn into_media(self) -> BTreeMap<u8, LogMedium> {
        let bytes = HEAD_BYTES + self.found.superblock.geometry.capacity;
        let numbered = self.found.numbers.into_iter().zip(self.media);
        numbered.filter_map(|(number, disk)| Some((number?, LogMedium::new(disk, bytes)))).collect()
    }

    /// The medium that has a record.
    fn reader_of(&self, record: &FoundRecord) -> MediumReader<'_> {
        MediumReader::new(&self.media[record.given].file)
    }
}

/// A backing with its log, once what the log held is in the backing; `caches` are in front of both.
///
/// # Errors
/// Why it isn't served.
pub(crate) fn open_logged(
    backing: FileDisk,
    serial: Option<&str>,
    specs: &[DiskSpec],
    caches: (Option<Arc<MemoryCache>>, Option<Arc<DeviceCache>>),
) -> Result<LoggedDisk, OpenError> {
    let consents = Consents::default();
    let mut log = open_log(specs, consents)?;
    check_backing(&backing, serial, &log.found, consents)?;
    let path = backing.path().display().to_string();
    let system = |action| {
        let path = path.clone();
        move |source| OpenError::System { action, path, source }
    };
    let superblock = recover(&mut log, &backing).map_err(system("move what its log holds to"))?;
    if !log.found.superblock.clean {
        journal::line(
            "log-recovered",
            &[("backing", &path), ("records", &log.found.records.len()), ("log", &superblock.id)],
        );
    }
    // Without a mark where there could be one, a later start would take the log's records for old ones.
    let marked = mark(&backing.file, superblock.id).map_err(system("mark, as one with a log,"))?;
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
        move_until: 0,
    };
    Ok(LoggedDisk {
        backing,
        media: log.into_media(),
        caches,
        marked,
        shared: Mutex::new(shared),
        bell: Condvar::new(),
        moved: Condvar::new(),
        counters: LogCounters::default(),
    })
}

/// What a file says of its log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It has no log, or has all that its log held.
    None,
    /// Its file system keeps no marks, or it is a device.
    Impossible,
    /// This one may hold what the file lacks.
    Log(String),
    /// It has all that this one held, whatever is still to be read on its medium.
    Without(String),
}

fn is_device(file: &File) -> bool {
    file.metadata().is_ok_and(|metadata| metadata.file_type().is_block_device())
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

/// What stands before the identity of a log that the file has everything of.
const WITHOUT: &str = "without ";

/// Says on a file that a log may hold what it lacks, for good before anything is acknowledged; `false` where it can't be said at all.
fn mark(file: &File, id: LogId) -> io::Result<bool> {
    if mark_of(file) == Mark::Impossible {
        return Ok(false);
    }
    rustix::fs::fsetxattr(file, MARK, id.to_string().as_bytes(), XattrFlags::empty())?;
    file.sync_all()?;
    Ok(true)
}

/// Says on a file that it has all that a log held whose medium failed.
///
/// # Errors
/// The system's.
pub(crate) fn mark_without(file: &File, id: LogId) -> io::Result<()> {
    let value = format!("{WITHOUT}{id}");
    rustix::fs::fsetxattr(file, MARK, value.as_bytes(), XattrFlags::empty())?;
    file.sync_all()
}

/// The log has nothing any more that the file lacks.
pub(crate) fn unmark(file: &File) -> io::Result<()> {
    match rustix::fs::fremovexattr(file, MARK) {
        Ok(()) | Err(Errno::NODATA | Errno::OPNOTSUPP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// What a file says of its log. A mark that can't be read is one of a log that isn't known.
pub(crate) fn mark_of(file: &File) -> Mark {
    let mut value = [0; 64];
    match rustix::fs::fgetxattr(file, MARK, &mut value) {
        Ok(bytes) => {
            let text = String::from_utf8_lossy(&value[..bytes.min(value.len())]).into_owned();
            match text.strip_prefix(WITHOUT) {
                Some(id) => Mark::Without(id.to_string()),
                None => Mark::Log(text),
            }
        }
        Err(Errno::OPNOTSUPP) => Mark::Impossible,
        Err(Errno::NODATA) if is_device(file) => Mark::Impossible,
        Err(Errno::NODATA) => Mark::None,
        Err(error) => Mark::Log(format!("? ({error})")),
    }
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
