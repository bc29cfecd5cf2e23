//! What records are written to, and its state before the first of them.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use narrows_engine::Stop;
use narrows_files::{Access, create_new, open_existing};

use crate::medium::Medium;
use crate::record::{ENDED, HEADER_STREAM, encode};
use crate::{CrashTestError, HEADER_BYTES, Layout, Mode, RunId};

/// What is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// A file that doesn't exist yet.
    NewFile(PathBuf),
    /// A device, whose contents are lost. Whoever makes this has the user's consent.
    Device {
        /// A path that leads to it.
        path: PathBuf,
        /// Its size.
        size_bytes: u64,
    },
}

impl Target {
    /// The path.
    pub fn path(&self) -> &Path {
        match self {
            Target::NewFile(path) | Target::Device { path, .. } => path,
        }
    }

    /// Why a cut of this machine's power shows nothing of it, or why that can't be told; `None` where it does.
    pub fn elsewhere(&self) -> Option<String> {
        Medium::of_target(self).elsewhere
    }

    /// Fills the whole ring with records of number 0 and heads it, all flushed, the folder's entry too. A file that
    /// couldn't be finished is removed.
    pub(crate) fn prepare(
        &self,
        layout: &Layout,
        run: RunId,
        stop: &Stop,
    ) -> Result<(), CrashTestError> {
        match self {
            Target::NewFile(path) => {
                let file = create_new(path, Access::Write, 0o666);
                let file = file.map_err(|error| match error.kind() {
                    io::ErrorKind::AlreadyExists => CrashTestError::Exists(path.clone()),
                    _ => CrashTestError::file("creating", path)(error),
                })?;
                let filled = fill(&file, layout, run, stop).and_then(|()| sync_folder(path));
                filled.map_err(|error| {
                    self.remove();
                    unfilled(path, error, stop)
                })
            }
            Target::Device { path, size_bytes } => {
                if layout.mode == Mode::Append {
                    let text = "a device doesn't grow: --append needs a file";
                    return Err(CrashTestError::Settings(text.to_string()));
                }
                let (have, need) = (*size_bytes, layout.length());
                if have < need {
                    return Err(CrashTestError::Small { path: path.clone(), have, need });
                }
                let filled = self.open(0).and_then(|file| fill(&file, layout, run, stop));
                filled.map_err(|error| unfilled(path, error, stop))
            }
        }
    }

    /// Opens it for writing, with more of open(2)'s flags. The folder of a file may be another user's, who may have put a link
    /// in its place since it was made; a device's path is a link of the kernel's.
    pub(crate) fn open(&self, flags: i32) -> io::Result<File> {
        match self {
            Target::NewFile(path) => open_existing(path, Access::WriteWith(flags)),
            Target::Device { path, .. } => {
                let mut options = OpenOptions::new();
                options.write(true).custom_flags(flags | libc::O_CLOEXEC).open(path)
            }
        }
    }

    /// Removes a file that was made and is of no use; a device stays as it is.
    pub(crate) fn remove(&self) {
        if let Target::NewFile(path) = self {
            let _ = narrows_files::remove_file(path);
        }
    }

    /// Notes in the head, durably, that the writer outlived its connection.
    pub(crate) fn mark(&self, run: RunId) -> Result<(), CrashTestError> {
        let mut head = vec![0; HEADER_BYTES as usize];
        encode(&mut head, run, HEADER_STREAM, ENDED);
        let marked = self.open(0).and_then(|file| {
            file.write_all_at(&head, 0)?;
            file.sync_all()
        });
        marked.map_err(CrashTestError::file("marking the end in", self.path()))
    }
}

fn unfilled(path: &Path, error: io::Error, stop: &Stop) -> CrashTestError {
    if stop.is_set() {
        CrashTestError::Stopped
    } else {
        CrashTestError::file("filling", path)(error)
    }
}

fn fill(file: &File, layout: &Layout, run: RunId, stop: &Stop) -> io::Result<()> {
    let mut record = vec![0; layout.record_bytes as usize];
    if let Mode::Overwrite { slots } = layout.mode {
        for stream in 0..layout.streams {
            encode(&mut record, run, stream, 0);
            for slot in 1..=slots {
                if stop.is_set() {
                    return Err(io::Error::other("stopped on request"));
                }
                file.write_all_at(&record, layout.offset(stream, slot))?;
            }
        }
    }
    let mut head = vec![0; HEADER_BYTES as usize];
    encode(&mut head, run, HEADER_STREAM, 0);
    file.write_all_at(&head, 0)?;
    file.sync_all()
}

/// A new file is only there after a crash if its folder was flushed.
fn sync_folder(path: &Path) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))?.sync_all()
}
