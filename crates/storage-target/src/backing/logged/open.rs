//! Opening a backing with its log: which log it is, what it holds, and moving that first.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::{Condvar, Mutex};
use std::time::UNIX_EPOCH;

use narrows_log_tier::{
    Action, FoundRecord, Log, LogContents, LogId, ReadMedium, SLOT_BYTES, Superblock, Unusable,
    scan,
};
use rustix::fs::{AtFlags, StatxFlags, XattrFlags};

use super::mover::write_superblock;
use super::{LogCounters, LoggedDisk, RingImage, Shared, now_ms};
use crate::backing::file::FileDisk;
use crate::backing::open::{OpenError, open_file_or_device, refused};
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
            Unusable::Version(_) => "use the version of narrows-target that made it, or a later one",
            Unusable::TwoLogs(..) | Unusable::Twice(_) => "`narrows-target log status` shows whose a medium is",
            Unusable::Read { .. } => "the medium is damaged, or was made smaller",
        };
        OpenError::Refused { path: names.join(" and "), reason: error.to_string(), hint }
    })?;
    drop(readers);
    Ok(OpenLog { media, found })
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
    if let (Some(last), Some(changed), false) = (last, changed, consents.changed)
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
pub(crate) fn recover(log: &OpenLog, backing: &FileDisk) -> io::Result<Superblock> {
    let mut bounce = Buffer::largest();
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

    /// Its media by their numbers.
    fn into_media(self) -> BTreeMap<u8, FileDisk> {
        let numbered = self.found.numbers.into_iter().zip(self.media);
        numbered.filter_map(|(number, disk)| Some((number?, disk))).collect()
    }

    /// The medium that has a record.
    fn reader_of(&self, record: &FoundRecord) -> MediumReader<'_> {
        MediumReader::new(&self.media[record.given].file)
    }
}

/// A backing with its log, once what the log held is in the backing.
///
/// # Errors
/// Why it isn't served.
pub(crate) fn open_logged(
    backing: FileDisk,
    serial: Option<&str>,
    specs: &[DiskSpec],
) -> Result<LoggedDisk, OpenError> {
    let consents = Consents::default();
    let log = open_log(specs, consents)?;
    check_backing(&backing, serial, &log.found, consents)?;
    let path = backing.path().display().to_string();
    let system = |action| {
        let path = path.clone();
        move |source| OpenError::System { action, path, source }
    };
    let superblock = recover(&log, &backing).map_err(system("move what its log holds to"))?;
    if !log.found.superblock.clean {
        journal::line(
            "log-recovered",
            &[("backing", &path), ("records", &log.found.records.len()), ("log", &superblock.id)],
        );
    }
    let marked = !backing.is_device() && mark(&backing.file, superblock.id);
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
        marked,
        shared: Mutex::new(shared),
        bell: Condvar::new(),
        moved: Condvar::new(),
        counters: LogCounters::default(),
    })
}

/// Says on a file that a log may hold what it lacks; whether its file system can.
fn mark(file: &File, id: LogId) -> bool {
    rustix::fs::fsetxattr(file, MARK, id.to_string().as_bytes(), XattrFlags::empty()).is_ok()
}

/// The log has nothing any more that the file lacks.
pub(crate) fn unmark(file: &File) -> io::Result<()> {
    match rustix::fs::fremovexattr(file, MARK) {
        Ok(()) | Err(rustix::io::Errno::NODATA | rustix::io::Errno::OPNOTSUPP) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

/// The log that may hold what a file lacks.
pub(crate) fn mark_of(file: &File) -> Option<String> {
    let mut value = [0; 64];
    let bytes = rustix::fs::fgetxattr(file, MARK, &mut value).ok()?;
    Some(String::from_utf8_lossy(&value[..bytes.min(value.len())]).into_owned())
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
