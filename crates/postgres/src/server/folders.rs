//! The folders of a cluster: data, write-ahead log, and a private one for the socket. Gone on drop,
//! with the shared memory that belongs to the data folder.
//!
//! They belong to the server's user, who may put links and pipes into them while we look; the folders that they are made in are ours.
//! So the log, which the server inherits open, and the lock that says that its programs live lie beside the data folder and not in it.

use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use narrows_engine::{Hold, Scratch};
use narrows_files::{Access, Dir};

use super::leftovers::{self, Leftovers};
use narrows_server::{Made, MadeError, ServerUser, empty_others};

use super::ServerError;

/// The name of the socket comes from the port; the port is opened nowhere else, so it need not differ.
pub(super) const PORT: u16 = 5432;
/// Programs that were killed are waited for so long.
const LAST_PROGRAM_ENDS: Duration = Duration::from_secs(10);
/// Bytes of a socket's path, without the ending zero (`unix(7)`: `sun_path` has 108).
const LONGEST_SOCKET_PATH: usize = 107;

/// Created folders, each owned by the server's user with mode 0700, and what of ours lies beside them.
#[derive(Debug)]
pub(super) struct Folders {
    pub data: PathBuf,
    pub wal: PathBuf,
    /// The server's home and, where its path is short enough, the socket's place.
    pub run: PathBuf,
    pub socket: PathBuf,
    /// The data folder, open. Its entries are the server's user's: nothing is done to them but as that user.
    pub data_dir: Dir,
    /// What the server says, for it to append to and for us to read.
    pub log: File,
    /// Inherited by its programs.
    pub hold: Hold,
    _made: Made,
    leftovers: Leftovers,
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
        let (data, wal) = (absolute(data)?, absolute(wal)?);
        let run = with_ending(&data, ".run");
        // Dropped on every error from here on, with what it has by then.
        let mut made = Made::default();
        let (above, name) = (above(&data)?, data.file_name().unwrap_or_default().to_os_string());
        let hold = Hold::beside(&above, &name)
            .map_err(|reason| io_error("create a lock beside", &data, reason))?;
        let again = above.try_clone().map_err(|reason| io_error("open", above.path(), reason))?;
        made.add(again, hold.name().to_os_string());
        let log_name = with_ending(Path::new(&name), ".log").into_os_string();
        let log_path = data.with_file_name(&log_name);
        let log = above
            .create_new_as(&log_name, Access::Append, 0o600)
            .map_err(|reason| not_made("create", &log_path, reason))?;
        made.add(above, log_name);
        let data_dir = made.folder(&data, user)?;
        made.folder(&wal, user)?;
        made.folder(&run, user)?;
        let leftovers = Leftovers::of(&data_dir, major, now_s())
            .map_err(|reason| io_error("look at", &data, reason))?;
        let (mut socket, mut elsewhere) = (run.clone(), None);
        if socket_file(&socket).as_os_str().len() > LONGEST_SOCKET_PATH {
            let (scratch, place) = short_place(user)?;
            made.folder(&place, user)?;
            (socket, elsewhere) = (place, Some(scratch));
        }
        Ok(Folders {
            data,
            wal,
            run,
            socket,
            data_dir,
            log,
            hold,
            _made: made,
            leftovers,
            _elsewhere: elsewhere,
        })
    }

    pub fn socket_file(&self) -> PathBuf {
        socket_file(&self.socket)
    }
}

impl Drop for Folders {
    fn drop(&mut self) {
        // A program that was killed is gone a moment later, and may be just making what it shares.
        if let Ok(above) = above(&self.data) {
            self.hold.wait_for_programs(&above, LAST_PROGRAM_ENDS);
        }
        // Usually nothing is left of it in memory either.
        self.leftovers.remove();
    }
}

/// Removes what runs that died have left in `dir`, and the shared memory of the servers that they had there.
pub fn sweep(dir: &Path) -> narrows_engine::Swept {
    Scratch::sweep(dir, &mut |scratch| {
        leftovers::remove_all(scratch);
        empty_others(scratch);
    })
}

fn above(path: &Path) -> Result<Dir, ServerError> {
    let above = path.parent().unwrap_or(Path::new("/"));
    Dir::open(above).map_err(|reason| io_error("open the folder", above, reason))
}

/// s since 1970, as the kernel has them in a segment's books.
fn now_s() -> i64 {
    // SAFETY: a null pointer asks for the value alone.
    unsafe { libc::time(std::ptr::null_mut()) }
}

fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
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
        sweep(&parent);
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

fn not_made(doing: &'static str, path: &Path, reason: io::Error) -> ServerError {
    match reason.kind() {
        io::ErrorKind::AlreadyExists => ServerError::Exists { path: path.to_path_buf() },
        _ => io_error(doing, path, reason),
    }
}

impl From<MadeError> for ServerError {
    fn from(error: MadeError) -> Self {
        match error {
            MadeError::User(error) => error.into(),
            MadeError::Open { path, reason } => io_error("open the folder", &path, reason),
            MadeError::Create { path, reason } => not_made("create the folder", &path, reason),
        }
    }
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
