//! Calls on files as a whole, or on a file's space: they move no data, and have a latency all the same.
//!
//! One call at a time on the calling thread, as [`crate::BlockingPath`]. The operation's kind plays no part: which call it is was decided
//! when the way was opened.

use std::collections::VecDeque;
use std::fs::File;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use narrows_files::{Names, StatCall};
use rustix::fs::FallocateFlags;
use rustix::io::Errno;

use crate::discard;
use crate::flights::Flights;
use crate::{Arena, Completion, DevicePath, Error, Method, Op};

/// What is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum FileCall {
    /// A file is made new and closed (`open(2)`, O_CREAT and O_EXCL; `close(2)`).
    Create,
    /// The kernel is asked about a file.
    Stat(StatCall),
    /// A file is removed (`unlink(2)`).
    Delete,
    /// A folder is made (`mkdir(2)`).
    CreateFolder,
    /// The kernel is asked about a folder.
    StatFolder(StatCall),
    /// An empty folder is removed (`rmdir(2)`).
    DeleteFolder,
    /// A file gets space for a range (`fallocate(2)`).
    Allocate {
        /// Whether its size stays as it is.
        keep_size: bool,
    },
    /// A file's space for a range is given back (`fallocate(2)`, FALLOC_FL_PUNCH_HOLE).
    PunchHole,
    /// A file's size becomes the operation's offset (`ftruncate(2)`).
    Truncate,
}

impl FileCall {
    /// The word for it in results.
    pub fn word(self) -> &'static str {
        match self {
            FileCall::Create => "create",
            FileCall::Stat(_) => "stat",
            FileCall::Delete => "delete",
            FileCall::CreateFolder => "create folder",
            FileCall::StatFolder(_) => "stat folder",
            FileCall::DeleteFolder => "delete folder",
            FileCall::Allocate { .. } => "allocate",
            FileCall::PunchHole => "punch hole",
            FileCall::Truncate => "truncate",
        }
    }

    /// Whether each call is on a file or folder of its own, and not on a range of one file.
    pub fn is_on_names(self) -> bool {
        !matches!(self, FileCall::Allocate { .. } | FileCall::PunchHole | FileCall::Truncate)
    }

    /// Whether it can be done only once for each name.
    pub fn is_once(self) -> bool {
        self.is_on_names() && !matches!(self, FileCall::Stat(_) | FileCall::StatFolder(_))
    }
}

/// Which call, on what.
#[derive(Debug, Clone)]
pub(crate) struct FileCalls {
    pub call: FileCall,
    /// The names, once they are known.
    pub names: Option<Arc<Names>>,
}

/// Equal where the names are the very same.
impl PartialEq for FileCalls {
    fn eq(&self, other: &FileCalls) -> bool {
        let same = match (&self.names, &other.names) {
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            (one, other) => one.is_none() && other.is_none(),
        };
        self.call == other.call && same
    }
}

impl Eq for FileCalls {}

/// Makes queued calls in order inside `reap`. Of calls on names the n-th operation of its length (offset divided by bytes) is on the n-th
/// name.
#[derive(Debug)]
pub struct FileCallPath {
    file: Arc<File>,
    calls: FileCalls,
    arena: Arena,
    flights: Flights,
    queued: VecDeque<(u32, u64, u32)>,
}

impl FileCallPath {
    pub(crate) fn new(file: Arc<File>, calls: FileCalls, arena: Arena) -> Self {
        let slots = arena.slots();
        let queued = VecDeque::with_capacity(slots as usize);
        FileCallPath { file, calls, arena, flights: Flights::new(slots), queued }
    }

    fn execute(&self, offset: u64, bytes: u32) -> i32 {
        let done = match self.calls.call {
            FileCall::Allocate { keep_size: true } => {
                self.allocate(FallocateFlags::KEEP_SIZE, offset, bytes)
            }
            FileCall::Allocate { keep_size: false } => {
                self.allocate(FallocateFlags::empty(), offset, bytes)
            }
            FileCall::PunchHole => return discard::discard(&self.file, false, offset, bytes),
            FileCall::Truncate => self.truncate(offset),
            call => self.on_name(call, offset / u64::from(bytes.max(1))),
        };
        match done {
            Ok(()) => 0,
            Err(error) => -error.raw_os_error().unwrap_or(libc::EIO),
        }
    }

    fn on_name(&self, call: FileCall, number: u64) -> io::Result<()> {
        let names = self.calls.names.as_ref().ok_or(io::ErrorKind::NotFound)?;
        let number = usize::try_from(number).unwrap_or(usize::MAX);
        match call {
            FileCall::Create => names.create_file(number),
            FileCall::Stat(how) | FileCall::StatFolder(how) => names.stat(number, how),
            FileCall::Delete => names.remove_file(number),
            FileCall::CreateFolder => names.create_dir(number),
            FileCall::DeleteFolder => names.remove_dir(number),
            FileCall::Allocate { .. } | FileCall::PunchHole | FileCall::Truncate => {
                Err(io::ErrorKind::Unsupported.into())
            }
        }
    }

    fn allocate(&self, how: FallocateFlags, offset: u64, bytes: u32) -> io::Result<()> {
        loop {
            match rustix::fs::fallocate(&self.file, how, offset, u64::from(bytes)) {
                Err(Errno::INTR) => {}
                done => return Ok(done?),
            }
        }
    }

    fn truncate(&self, bytes: u64) -> io::Result<()> {
        loop {
            match rustix::fs::ftruncate(&self.file, bytes) {
                Err(Errno::INTR) => {}
                done => return Ok(done?),
            }
        }
    }
}

impl DevicePath for FileCallPath {
    fn method(&self) -> Method {
        Method::FileCalls
    }

    fn slots(&self) -> u32 {
        self.arena.slots()
    }

    fn buffer(&mut self, slot: u32) -> &mut [u8] {
        self.flights.assert_landed(slot);
        self.arena.slot_mut(slot)
    }

    #[inline]
    fn submit(&mut self, op: Op, slot: u32, offset: u64, bytes: u32) {
        self.arena.assert_fits(op, bytes);
        self.flights.take_off(slot);
        self.queued.push_back((slot, offset, bytes));
    }

    fn reap(&mut self, min: u32, out: &mut Vec<Completion>) -> Result<(), Error> {
        for _ in 0..min.max(1) {
            let Some((slot, offset, bytes)) = self.queued.pop_front() else { break };
            let result = self.execute(offset, bytes);
            self.flights.land(slot);
            out.push(Completion { slot, result });
        }
        Ok(())
    }

    fn reap_within(&mut self, _: u32, _: Duration, out: &mut Vec<Completion>) -> Result<(), Error> {
        self.reap(1, out)
    }

    fn in_flight(&self) -> u32 {
        self.flights.count()
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt;
    use std::path::Path;

    use narrows_files::Dir;

    use super::*;
    use crate::Access;

    /// Results of calls at these offsets, each of a block of 4096 bytes.
    fn results(access: &Access, file: File, offsets: &[u64]) -> Vec<i32> {
        let arena = Arena::new(1, 1, 512).unwrap();
        let mut path = access.open(Arc::new(file), Path::new("x"), arena, 1).unwrap();
        let mut out = Vec::new();
        for offset in offsets {
            path.submit(Op::Trim, 0, *offset, 4096);
            assert_eq!(path.in_flight(), 1);
            path.reap(1, &mut out).unwrap();
        }
        out.iter().map(|completion| completion.result).collect()
    }

    #[test]
    fn calls_on_names_take_them_by_their_number() {
        let folder = tempfile::tempdir().unwrap();
        let names = || {
            let dir = Dir::open(folder.path()).unwrap();
            Some(Arc::new(Names::new(dir, ["a", "b", "c"]).unwrap()))
        };
        let call = |call, offsets: &[u64]| {
            let access = Access::file_calls(call, names());
            results(&access, tempfile::tempfile().unwrap(), offsets)
        };
        let left = || {
            let mut names = Dir::open(folder.path()).unwrap().names().unwrap();
            names.sort();
            names
        };
        assert_eq!(call(FileCall::Create, &[0, 8192, 0]), [0, 0, -libc::EEXIST]);
        assert_eq!(left(), ["a", "c"]);
        let stat = FileCall::Stat(StatCall::Stat);
        assert_eq!(call(stat, &[8192, 4096, 1 << 40]), [0, -libc::ENOENT, -libc::EIO]);
        assert_eq!(call(FileCall::Delete, &[0, 0]), [0, -libc::ENOENT]);
        assert_eq!(call(FileCall::CreateFolder, &[0]), [0]);
        assert_eq!(call(FileCall::StatFolder(StatCall::Lstat), &[0]), [0]);
        assert_eq!(left(), ["a", "c"]);
        assert_eq!(call(FileCall::DeleteFolder, &[0, 8192]), [0, -libc::ENOTDIR]);
        assert_eq!(left(), ["c"]);
    }

    #[test]
    fn space_and_size_are_those_that_were_asked_for() {
        let file = || {
            let file = tempfile::tempfile().unwrap();
            file.set_len(1 << 20).unwrap();
            file
        };
        let call = |file: &File, call, offset| {
            let access = Access::file_calls(call, None);
            assert_eq!(results(&access, file.try_clone().unwrap(), &[offset]), [0], "{call:?}");
            let found = file.metadata().unwrap();
            (found.size(), found.blocks() * 512)
        };
        let one = file();
        assert_eq!(call(&one, FileCall::Truncate, 12_288), (12_288, 0));
        let allocate = |keep_size| FileCall::Allocate { keep_size };
        // Some file systems of tests allocate more than a block at a time, and a few nothing at all.
        let (size, kept) = call(&one, allocate(true), 1 << 16);
        assert_eq!(size, 12_288);
        let (size, grown) = call(&one, allocate(false), 1 << 17);
        assert_eq!(size, (1 << 17) + 4096);
        assert!(kept >= 4096 && grown >= kept + 4096, "{kept} {grown}");
        let (size, left) = call(&one, FileCall::PunchHole, 1 << 17);
        assert_eq!(size, (1 << 17) + 4096);
        assert!(left < grown, "{left} {grown}");
    }

    #[test]
    fn a_call_is_the_same_only_on_the_same_names() {
        let folder = tempfile::tempdir().unwrap();
        let names = || Some(Arc::new(Names::new(Dir::open(folder.path()).unwrap(), []).unwrap()));
        let one = Access::file_calls(FileCall::Delete, names());
        assert_eq!(one, one.clone());
        assert_ne!(one, Access::file_calls(FileCall::Delete, names()));
        assert_ne!(one, Access::file_calls(FileCall::Delete, None));
        assert_eq!(one.depth_per_thread(), Some(1));
        assert_eq!(one.method(), Method::FileCalls);
    }
}
