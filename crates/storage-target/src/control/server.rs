//! The target's end of the socket.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::os::fd::{AsRawFd, RawFd};
use std::os::unix::fs::FileTypeExt;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use serde::Serialize;

use super::done::{CacheEvicted, CacheResized, LogMoved, LogResized};
use super::overview::overview;
use super::question::{Answer, LONGEST, Question};
use crate::backing::Backing;
use crate::backing::logged::LoggedDisk;
use crate::journal;
use crate::namespace::Namespace;
use crate::target::Target;

/// Questions at once.
const AT_ONCE: usize = 4;
/// How long whoever asks may take to say what.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long a log may take to be moved.
const MOVED_WITHIN: Duration = Duration::from_secs(300);

/// A socket that is listened to; removed when dropped.
#[derive(Debug)]
pub(crate) struct ControlSocket {
    listener: UnixListener,
    path: PathBuf,
    asking: Arc<AtomicUsize>,
}

impl ControlSocket {
    /// Listens at `path`, for this user alone. A socket that nobody listens to any more is taken over.
    ///
    /// # Errors
    /// The system's; something else that is there.
    pub(crate) fn listen(path: &Path) -> io::Result<ControlSocket> {
        if let Ok(metadata) = std::fs::symlink_metadata(path) {
            if !metadata.file_type().is_socket() {
                return Err(io::Error::new(
                    io::ErrorKind::AlreadyExists,
                    "something else is there",
                ));
            }
            match UnixStream::connect(path) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {
                    narrows_files::remove_file(path)?;
                }
                Ok(_) => {
                    let said = "another target listens there";
                    return Err(io::Error::new(io::ErrorKind::AddrInUse, said));
                }
                Err(error) => return Err(error),
            }
        }
        // Before threads begin: the mask is the process's.
        let before = rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o177));
        let bound = UnixListener::bind(path);
        rustix::process::umask(before);
        let listener = bound?;
        listener.set_nonblocking(true)?;
        Ok(ControlSocket { listener, path: path.to_path_buf(), asking: Arc::default() })
    }

    /// To be polled.
    pub(crate) fn fd(&self) -> RawFd {
        self.listener.as_raw_fd()
    }

    /// Takes those who ask.
    pub(crate) fn accept(&self, target: &Arc<Target>) {
        while let Ok((stream, _)) = self.listener.accept() {
            if !is_ours(&stream) || self.asking.load(Ordering::Relaxed) >= AT_ONCE {
                continue;
            }
            self.asking.fetch_add(1, Ordering::Relaxed);
            let (target, asking) = (Arc::clone(target), Arc::clone(&self.asking));
            let serve = move || {
                if let Err(error) = answer_one(&stream, &target) {
                    journal::line("control-failed", &[("reason", &error)]);
                }
                asking.fetch_sub(1, Ordering::Relaxed);
            };
            let begun = thread::Builder::new().name("target-control".to_string()).spawn(serve);
            if begun.is_err() {
                self.asking.fetch_sub(1, Ordering::Relaxed);
            }
        }
    }
}

impl Drop for ControlSocket {
    fn drop(&mut self) {
        let _ = narrows_files::remove_file(&self.path);
    }
}

/// Whether this user or root is at the other end.
fn is_ours(stream: &UnixStream) -> bool {
    let peer = rustix::net::sockopt::socket_peercred(stream);
    peer.is_ok_and(|peer| peer.uid.is_root() || peer.uid == rustix::process::geteuid())
}

fn answer_one(stream: &UnixStream, target: &Target) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut line = String::new();
    BufReader::new(stream.take(LONGEST)).read_line(&mut line)?;
    let answer = match serde_json::from_str(&line) {
        Ok(question) => answer(&question, target),
        Err(error) => Answer::Refused(format!("the question is not understood: {error}")),
    };
    let mut stream = stream;
    stream.write_all(&serde_json::to_vec(&answer)?)
}

fn answer(question: &Question, target: &Target) -> Answer {
    let done = match question {
        Question::List => serde_json::to_value(overview(target)).map_err(|error| error.to_string()),
        Question::Flush { subsystem, nsid } => logged(target, subsystem.as_deref(), *nsid)
            .and_then(|(chosen, log)| flush(&chosen, log)),
        Question::ResizeLog { subsystem, nsid, bytes } => {
            logged(target, subsystem.as_deref(), *nsid)
                .and_then(|(chosen, log)| resize_log(&chosen, log, *bytes))
        }
        Question::Resize { subsystem, nsid, bytes } => {
            let named = (target, subsystem.as_deref(), *nsid);
            chosen(named.0, named.1, named.2, |it| it.cache_shards().is_some())
                .map_err(|found| no_cache(&found, named))
                .and_then(|chosen| resize(&chosen, *bytes))
        }
        Question::Evict { subsystem, nsid } => {
            chosen(target, subsystem.as_deref(), *nsid, |it| it.cache_shards().is_some())
                .map_err(|found| found.said("a cache"))
                .and_then(|chosen| evict(&chosen))
        }
    };
    done.map_or_else(Answer::Refused, Answer::Done)
}

fn evict(chosen: &Chosen<'_>) -> Result<serde_json::Value, String> {
    let namespace = chosen.namespace;
    if let Some(index) = &namespace.cache_index {
        index.stop_warming();
    }
    let evicted = namespace.cache_shards().map_or(0, |its| its.total().used_pages);
    namespace.clear_caches();
    value_of(&CacheEvicted {
        subsystem: Some(chosen.subsystem.to_string()),
        nsid: Some(namespace.number),
        evicted_pages: evicted,
    })
}

fn value_of(done: &impl Serialize) -> Result<serde_json::Value, String> {
    serde_json::to_value(done).map_err(|error| error.to_string())
}

fn resize(chosen: &Chosen<'_>, bytes: u64) -> Result<serde_json::Value, String> {
    let namespace = chosen.namespace;
    if let Some(cache) = &namespace.device_cache {
        return Err(format!(
            "its cache is as large as {}\nhint: end the target, make that larger (`truncate -s SIZE FILE`), and serve it again",
            cache.disk().path().display()
        ));
    }
    let Some(cache) = &namespace.cache else { return Err("it has no cache".to_string()) };
    cache.resize(bytes)?;
    let pages = cache.shards().pages();
    journal::line("cache-resized", &[("nsid", &namespace.number), ("pages", &pages)]);
    let used = cache.shards().total().used_pages;
    value_of(&CacheResized {
        subsystem: Some(chosen.subsystem.to_string()),
        nsid: Some(namespace.number),
        pages,
        used_pages: used,
    })
}

/// Where a namespace has a log alone, its log may be meant.
fn no_cache(
    found: &NotOne,
    (target, subsystem, nsid): (&Target, Option<&str>, Option<u32>),
) -> String {
    match (found, logged(target, subsystem, nsid)) {
        (NotOne(0), Ok(_)) => {
            "it has a log, and no cache\nhint: `--log` gives the log another size".to_string()
        }
        _ => found.said("a cache"),
    }
}

fn resize_log(
    chosen: &Chosen<'_>,
    log: &LoggedDisk,
    bytes: u64,
) -> Result<serde_json::Value, String> {
    value_of(&LogResized {
        subsystem: chosen.subsystem.to_string(),
        nsid: chosen.namespace.number,
        capacity_bytes: log.resize(bytes, MOVED_WITHIN)?.capacity,
    })
}

fn flush(chosen: &Chosen<'_>, disk: &LoggedDisk) -> Result<serde_json::Value, String> {
    let namespace = chosen.namespace;
    let records = disk.status().records;
    if disk.move_all(MOVED_WITHIN) {
        value_of(&LogMoved {
            subsystem: Some(chosen.subsystem.to_string()),
            nsid: Some(namespace.number),
            moved_records: records as u64,
        })
    } else {
        let left = disk.status().records;
        Err(format!(
            "{left} records are still in the log: the file or device takes no writes, or takes them slowly"
        ))
    }
}

/// How many namespaces were meant, where it isn't one.
struct NotOne(usize);

impl NotOne {
    fn said(&self, what: &str) -> String {
        match self.0 {
            0 => format!("no such namespace has {what}; `narrows-target tier list` shows them"),
            several => {
                format!("{several} namespaces have {what}: say which, --subsystem NQN --nsid N")
            }
        }
    }
}

/// A namespace that is meant, and the subsystem that it is of.
struct Chosen<'a> {
    subsystem: &'a str,
    namespace: &'a Namespace,
}

/// The one namespace that is meant of those with a log, and that.
fn logged<'a>(
    target: &'a Target,
    subsystem: Option<&str>,
    nsid: Option<u32>,
) -> Result<(Chosen<'a>, &'a LoggedDisk), String> {
    let has_log = |it: &Namespace| matches!(it.backing, Backing::Logged(_));
    let chosen = chosen(target, subsystem, nsid, has_log).map_err(|found| found.said("a log"))?;
    match &chosen.namespace.backing {
        Backing::Logged(log) => Ok((chosen, log)),
        _ => Err(NotOne(0).said("a log")),
    }
}

/// The one namespace that is meant.
fn chosen<'a>(
    target: &'a Target,
    subsystem: Option<&str>,
    nsid: Option<u32>,
    fits: impl Fn(&Namespace) -> bool,
) -> Result<Chosen<'a>, NotOne> {
    let named = target
        .subsystems
        .values()
        .filter(|its| subsystem.is_none_or(|nqn| nqn == its.nqn.as_str()));
    let all = named.flat_map(|its| {
        let subsystem = its.nqn.as_str();
        its.namespaces.values().map(move |namespace| Chosen { subsystem, namespace })
    });
    let is_meant = |its: &Chosen<'_>| {
        nsid.is_none_or(|nsid| nsid == its.namespace.number) && fits(its.namespace)
    };
    let mut meant = all.filter(is_meant);
    match (meant.next(), meant.count()) {
        (Some(one), 0) => Ok(one),
        (None, _) => Err(NotOne(0)),
        (Some(_), others) => Err(NotOne(1 + others)),
    }
}
