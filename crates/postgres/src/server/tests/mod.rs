//! With a real server where the machine has one; skipped loudly elsewhere.

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::net::UnixStream;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use narrows_engine::Stop;
use narrows_facts::{affinity, process};

use super::*;

mod attacks;
mod ends;
mod lives;

struct Bench {
    dir: tempfile::TempDir,
    data: PathBuf,
    wal: PathBuf,
    settings: [(String, String); 1],
    user: ServerUser,
    found: ServerBinaries,
}

impl Bench {
    /// `None` after saying why, if the machine has no server.
    fn new() -> Option<Bench> {
        let user = ServerUser::choose().unwrap();
        match find(None, &user, None, &narrows_engine::Stop::new()) {
            Ok(found) => {
                let dir = open_dir();
                let (data, wal) = (dir.path().join("data"), dir.path().join("wal"));
                let settings = [pair("shared_buffers", "16MB")];
                Some(Bench { dir, data, wal, settings, user, found })
            }
            Err(error) => {
                eprintln!("SKIPPED: {error}");
                None
            }
        }
    }

    /// For programs that are none of PostgreSQL's.
    fn made_up() -> Bench {
        let dir = open_dir();
        let (data, wal) = (dir.path().join("data"), dir.path().join("wal"));
        let found = ServerBinaries {
            bin_dir: PathBuf::new(),
            version: Version { major: 15, minor: 0, preview: false },
            version_text: "15.0".to_owned(),
            origin: Origin::Given,
            build: None,
            source: None,
        };
        let settings = [pair("shared_buffers", "16MB")];
        Bench { dir, data, wal, settings, user: ServerUser::choose().unwrap(), found }
    }

    fn options(&self) -> Options<'_> {
        Options { settings: &self.settings, ..Options::new(&self.data, &self.wal) }
    }

    fn create(&self, options: &Options<'_>) -> Result<Cluster, ServerError> {
        Cluster::create(&self.found, &self.user, options, &Stop::new())
    }

    fn started(&self) -> Cluster {
        let mut cluster = self.create(&self.options()).unwrap();
        cluster.start(&Stop::new()).unwrap();
        cluster
    }

    fn assert_nothing_left(&self) {
        let left: Vec<_> =
            fs::read_dir(self.dir.path()).unwrap().map(|e| e.unwrap().path()).collect();
        assert!(left.is_empty(), "{left:?}");
    }
}

fn open_dir() -> tempfile::TempDir {
    let dir = tempfile::tempdir_in("/tmp").unwrap();
    fs::set_permissions(dir.path(), fs::Permissions::from_mode(0o755)).unwrap();
    dir
}

fn pair(name: &str, value: &str) -> (String, String) {
    (name.to_owned(), value.to_owned())
}

/// The first field of the first row, by the simple protocol written out by hand, so that nothing is shared with the
/// code that other tests are about.
fn query(cluster: &Cluster, sql: &str) -> String {
    let socket = cluster.socket_dir().join(format!(".s.PGSQL.{}", cluster.port()));
    let mut stream = UnixStream::connect(socket).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
    let mut hello = vec![0, 3, 0, 0];
    for word in ["user", Cluster::USER, "database", Cluster::DATABASE, ""] {
        hello.extend_from_slice(word.as_bytes());
        hello.push(0);
    }
    let frame = |body: &[u8]| [&(body.len() as u32 + 4).to_be_bytes(), body].concat();
    stream.write_all(&frame(&hello)).unwrap();
    let mut answer = None;
    let mut asked = false;
    loop {
        let mut head = [0; 5];
        stream.read_exact(&mut head).unwrap();
        let length = u32::from_be_bytes(head[1..].try_into().unwrap()) as usize - 4;
        let mut body = vec![0; length];
        stream.read_exact(&mut body).unwrap();
        match head[0] {
            b'E' => panic!("{sql}: {}", String::from_utf8_lossy(&body)),
            b'D' if answer.is_none() => {
                answer = Some(String::from_utf8(body[6..].to_vec()).unwrap());
            }
            b'Z' if asked => return answer.unwrap_or_default(),
            b'Z' => {
                asked = true;
                stream.write_all(b"Q").unwrap();
                stream.write_all(&frame(&[sql.as_bytes(), b"\0"].concat())).unwrap();
            }
            _ => {}
        }
    }
}

/// Waits for something that needs no more than a moment.
fn until(what: &str, mut done: impl FnMut() -> bool) {
    let end = Instant::now() + Duration::from_secs(30);
    while !done() {
        assert!(Instant::now() < end, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}
