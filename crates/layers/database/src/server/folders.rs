//! The folders of a cluster: data, write-ahead log, and a private one for socket and log file. Gone on drop,
//! with the shared memory that belongs to the data folder.

use std::fs::{self, DirBuilder};
use std::io;
use std::io::Write as _;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use narrows_engine::Scratch;

use super::leftovers::Leftovers;
use super::{ServerError, ServerUser};

/// The name of the socket comes from the port; the port is opened nowhere else, so it need not differ.
pub(super) const PORT: u16 = 5432;
/// Bytes of a socket's path, without the ending zero (`unix(7)`: `sun_path` has 108).
const LONGEST_SOCKET_PATH: usize = 107;

/// Created folders, each owned by the server's user with mode 0700.
#[derive(Debug)]
pub(super) struct Folders {
    pub data: PathBuf,
    pub wal: PathBuf,
    /// Log file and, where its path is short enough, the socket.
    pub run: PathBuf,
    pub socket: PathBuf,
    made: Vec<PathBuf>,
    leftovers: Option<Leftovers>,
    _elsewhere: Option<Scratch>,
}

impl Folders {
    /// Creates `data` and `wal`, which must not exist, and `DATA.run`, for a server of this major version.
    pub fn create(
        data: &Path,
        wal: &Path,
        user: &ServerUser,
        major: u32,
    ) -> Result<Folders, ServerError> {
        let mut run = data.as_os_str().to_owned();
        run.push(".run");
        let mut folders = Folders {
            data: absolute(data)?,
            wal: absolute(wal)?,
            run: absolute(Path::new(&run))?,
            socket: PathBuf::new(),
            made: Vec::new(),
            leftovers: None,
            _elsewhere: None,
        };
        for folder in [folders.data.clone(), folders.wal.clone(), folders.run.clone()] {
            user.open_way(&folder)?;
            folders.make(&folder, user)?;
        }
        let leftovers = Leftovers::of(&folders.data, major)
            .map_err(|reason| io_error("look at", &folders.data, reason))?;
        folders.leftovers = Some(leftovers);
        folders.socket = folders.run.clone();
        if socket_file(&folders.socket).as_os_str().len() > LONGEST_SOCKET_PATH {
            let (scratch, socket) = short_place(user)?;
            folders.socket = socket.clone();
            folders._elsewhere = Some(scratch);
            folders.make(&socket, user)?;
        }
        Ok(folders)
    }

    fn make(&mut self, folder: &Path, user: &ServerUser) -> Result<(), ServerError> {
        DirBuilder::new().mode(0o700).create(folder).map_err(|reason| match reason.kind() {
            io::ErrorKind::AlreadyExists => ServerError::Exists { path: folder.to_path_buf() },
            _ => io_error("create the folder", folder, reason),
        })?;
        self.made.push(folder.to_path_buf());
        Ok(user.own(folder)?)
    }

    pub fn log(&self) -> PathBuf {
        self.run.join("server.log")
    }

    pub fn socket_file(&self) -> PathBuf {
        socket_file(&self.socket)
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        // Nothing runs in the folders any more, and usually nothing is left of it in memory either.
        if let Some(leftovers) = &self.leftovers {
            leftovers.remove();
        }
        for folder in self.made.iter().rev() {
            if let Err(error) = fs::remove_dir_all(folder)
                && error.kind() != io::ErrorKind::NotFound
            {
                let warning = format!("warning: could not remove {}: {error}", folder.display());
                // Nobody to tell is no reason to fail.
                let _ = writeln!(std::io::stderr(), "{}", narrows_units::shown(&warning));
            }
        }
    }
}

fn socket_file(folder: &Path) -> PathBuf {
    folder.join(format!(".s.PGSQL.{PORT}"))
}

fn absolute(path: &Path) -> Result<PathBuf, ServerError> {
    std::path::absolute(path).map_err(|reason| io_error("use the folder", path, reason))
}

/// A scratch folder of ours with a short path, and the name of a folder in it.
fn short_place(user: &ServerUser) -> Result<(Scratch, PathBuf), ServerError> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    let mut last = None;
    for parent in [std::env::temp_dir(), PathBuf::from("/tmp"), PathBuf::from("/var/tmp")] {
        Scratch::sweep(&parent);
        let id = format!("{}-{}", std::process::id(), COUNTER.fetch_add(1, Ordering::Relaxed));
        match Scratch::create(&parent, &id) {
            Ok(scratch) => {
                let socket = scratch.path().join("s");
                let short = socket_file(&socket).as_os_str().len() <= LONGEST_SOCKET_PATH;
                if short && user.open_way(&socket).is_ok() {
                    return Ok((scratch, socket));
                }
            }
            Err(error) => last = Some(error.to_string()),
        }
    }
    let why = last.unwrap_or_else(|| "their paths are too long or closed to the user".to_owned());
    Err(io_error(
        "create a folder for the server's socket in",
        Path::new("/tmp"),
        io::Error::other(why),
    ))
}

pub(super) fn io_error(doing: &'static str, path: &Path, reason: io::Error) -> ServerError {
    let hint = match reason.kind() {
        io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => "free some space there",
        io::ErrorKind::ReadOnlyFilesystem => "the file system is read-only; name another folder",
        io::ErrorKind::NotFound => "create the folder above it first",
        io::ErrorKind::PermissionDenied => "name a folder you may write to",
        _ => "name another folder with --data and --wal",
    };
    ServerError::Io { doing, path: path.to_path_buf(), reason, hint }
}
