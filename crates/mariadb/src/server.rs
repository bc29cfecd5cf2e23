//! A MariaDB of our own: found, made by `mariadb-install-db` in new folders, started as a lesser user on a socket in a folder that admits
//! that user alone, without TCP, and gone afterwards with its folders. It dies with us.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use narrows_engine::{Scratch, Stop};
use narrows_files::Access;
use narrows_layer_database::{KindError, Provisioner};
use narrows_server::{Keeper, Made, ServerUser, SpawnError, in_path, run};

use crate::connection::Connection;
use crate::error::MariaError;
use crate::kind::{MariaDb, OWNER};

/// Bytes of a page: as large as a block of PostgreSQL and as what the block layer reads, so that figures of both mean the same drive.
pub(crate) const PAGE_BYTES: u64 = 8192;
const INSTALL_LIMIT: Duration = Duration::from_secs(300);
const START_LIMIT: Duration = Duration::from_secs(120);
const STOP_LIMIT: Duration = Duration::from_secs(60);
const KILL_LIMIT: Duration = Duration::from_secs(10);
const LOOK_EVERY: Duration = Duration::from_millis(20);
const LINES_IN_ERRORS: usize = 12;
/// Bytes of a socket's path, without the ending zero (`unix(7)`).
const LONGEST_SOCKET_PATH: usize = 107;
const SERVER: &str = "mariadbd";
const INSTALL: &str = "mariadb-install-db";
/// Where distributions put servers and scripts, beside `PATH`.
const USUAL: [&str; 4] = ["/usr/sbin", "/usr/bin", "/usr/local/sbin", "/usr/local/bin"];

/// The programs.
#[derive(Debug, Clone)]
pub struct Programs {
    server: PathBuf,
    install: PathBuf,
    user: ServerUser,
    /// What `mariadbd --version` says.
    pub version_text: String,
}

/// Looks for the programs, and for somebody they can run as.
///
/// # Errors
/// There are none, or nobody.
pub fn find(stop: &Stop) -> Result<Programs, MariaError> {
    let user = ServerUser::choose_of(&["mysql", "nobody"])?;
    let path = std::env::var_os("PATH").unwrap_or_default();
    let first = |program: &str| {
        let usual = USUAL.iter().map(|folder| Path::new(folder).join(program));
        in_path(&path, program).into_iter().chain(usual.filter(|path| path.is_file())).next()
    };
    let (Some(server), Some(install)) = (first(SERVER), first(INSTALL)) else {
        return Err(MariaError::NotFound);
    };
    let mut command = user.command(&server, Path::new("/"));
    command.arg("--version");
    let said = run(command, Duration::from_secs(10), stop)?;
    if !said.success() || !said.stdout.contains("MariaDB") {
        return Err(MariaError::NotFound);
    }
    let line = said.stdout.lines().next().unwrap_or_default();
    // Its path is nobody's business.
    let version = line.split_once("Ver ").map_or(line, |(_, version)| version);
    let version_text = narrows_units::shown(version).chars().take(200).collect();
    Ok(Programs { server, install, user, version_text })
}

/// How a server of ours is set: the whole durability of a production server.
#[derive(Debug, Clone, Copy)]
pub struct ServerSettings<'s> {
    /// Size of the buffer pool, MB.
    pub pool_mb: u64,
    /// Size of the log, MB.
    pub log_mb: u64,
    /// Most connections.
    pub connections: u32,
    /// Processors for the server; empty for all that are allowed.
    pub cpus: &'s [u32],
}

impl ServerSettings<'_> {
    fn list(&self) -> Vec<String> {
        let mut list: Vec<String> = [
            "innodb-flush-log-at-trx-commit=1",
            "sync-binlog=0",
            "skip-log-bin",
            "innodb-flush-method=O_DIRECT",
            "innodb-doublewrite=ON",
            // What the pool held before is no part of a window.
            "innodb-buffer-pool-dump-at-shutdown=OFF",
            "innodb-buffer-pool-load-at-startup=OFF",
            "performance-schema=ON",
            "performance-schema-consumer-events-waits-current=ON",
            "skip-networking",
            "skip-name-resolve",
            "skip-slave-start",
            "local-infile=OFF",
        ]
        .map(String::from)
        .into();
        list.push(format!("innodb-page-size={PAGE_BYTES}"));
        list.push(format!("innodb-buffer-pool-size={}M", self.pool_mb.max(16)));
        list.push(format!("innodb-log-file-size={}M", self.log_mb.max(64)));
        list.push(format!("max-connections={}", self.connections.max(20)));
        list.into_iter().map(|setting| format!("--{setting}")).collect()
    }
}

/// A server of ours. Fields drop in this order: the server before its folders.
pub struct ManagedMariaDb {
    running: Option<Running>,
    found: Programs,
    settings: Vec<String>,
    cpus: Vec<u32>,
    data: PathBuf,
    run: PathBuf,
    log: File,
    _made: Made,
    _scratch: Scratch,
}

/// A server that was started; killed where nobody ends it otherwise.
struct Running(Keeper);

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.ended().is_none() {
            self.0.signal(libc::SIGKILL);
            self.0.wait(KILL_LIMIT, &Stop::new());
        }
    }
}

impl ManagedMariaDb {
    /// Makes one in a new scratch folder of that name below `parent`, and starts it.
    ///
    /// # Errors
    /// No room, what the programs said, or a stop.
    pub fn start_new(
        found: &Programs,
        parent: &Path,
        id: &str,
        settings: ServerSettings<'_>,
        stop: &Stop,
    ) -> Result<ManagedMariaDb, MariaError> {
        let scratch = Scratch::create(parent, id).map_err(io::Error::other)?;
        let mut made = Made::default();
        let (data, place) = (scratch.path().join("data"), scratch.path().join("run"));
        let log = scratch.dir().create_new_as("log", Access::Append, 0o600)?;
        made.add(scratch.dir().try_clone()?, "log".into());
        made.folder(&data, &found.user)?;
        made.folder(&place, &found.user)?;
        let mut server = ManagedMariaDb {
            running: None,
            found: found.clone(),
            settings: settings.list(),
            cpus: settings.cpus.to_vec(),
            data,
            run: place,
            log,
            _made: made,
            _scratch: scratch,
        };
        if server.socket().as_os_str().len() > LONGEST_SOCKET_PATH {
            return Err(MariaError::LongPath { path: server.socket() });
        }
        server.install(stop)?;
        server.launch(stop)?;
        Ok(server)
    }

    /// The data folder.
    pub fn data_dir(&self) -> &Path {
        &self.data
    }

    /// It, as the database layer measures it.
    pub fn kind(&self) -> MariaDb {
        MariaDb { socket: self.socket(), pid: self.pid() }
    }

    /// The server's process; `None` when it is not running.
    pub fn pid(&self) -> Option<u32> {
        let Running(keeper) = self.running.as_ref()?;
        keeper.ended().is_none().then(|| keeper.pid())
    }

    /// Whether it runs and always did.
    ///
    /// # Errors
    /// It ended by itself, with the end of its log.
    pub fn check(&self) -> Result<(), MariaError> {
        let Some(Running(keeper)) = &self.running else { return Err(MariaError::NotRunning) };
        match keeper.ended() {
            None => Ok(()),
            Some(status) => Err(self.failed("ended by itself", &status.to_string())),
        }
    }

    fn socket(&self) -> PathBuf {
        self.run.join("s")
    }

    fn install(&self, stop: &Stop) -> Result<(), MariaError> {
        let mut command = self.found.user.command(&self.found.install, &self.run);
        command
            .arg("--no-defaults")
            .arg(format!("--datadir={}", self.data.display()))
            .arg(format!("--tmpdir={}", self.run.display()))
            .arg(format!("--innodb-page-size={PAGE_BYTES}"))
            .args([
                "--auth-root-authentication-method=normal",
                "--skip-test-db",
                "--skip-name-resolve",
            ]);
        let ended = run(command, INSTALL_LIMIT, stop)?;
        stop.check()?;
        if ended.success() {
            return Ok(());
        }
        let output = last_lines(&format!("{}\n{}", ended.stdout, ended.stderr));
        let (what, status) = ("could not make a database", ended.status_text());
        Err(MariaError::Program { program: INSTALL, what, status, output })
    }

    fn launch(&mut self, stop: &Stop) -> Result<(), MariaError> {
        if self.running.is_some() {
            return Ok(());
        }
        // It ends at once when we do: what it holds is of no use to anyone any more.
        let keeper = Keeper::spawn(self.command()?, &self.cpus, libc::SIGKILL);
        let running = Running(keeper.map_err(|error| match error {
            SpawnError::Cpus(reason) | SpawnError::Program(reason) => reason,
        })?);
        let end = Instant::now() + START_LIMIT;
        loop {
            stop.check()?;
            if let Some(status) = running.0.ended() {
                return Err(self.failed("did not start", &status.to_string()));
            }
            if Connection::open(&self.socket(), OWNER, &[stop]).is_ok() {
                break;
            }
            if Instant::now() >= end {
                return Err(self.failed("did not start", "still trying"));
            }
            std::thread::sleep(LOOK_EVERY);
        }
        self.running = Some(running);
        Ok(())
    }

    fn command(&self) -> io::Result<Command> {
        let mut command = self.found.user.command(&self.found.server, &self.run);
        // Before all others: no file of the machine's has a say.
        command.arg("--no-defaults").args(&self.settings);
        command.arg(format!("--datadir={}", self.data.display()));
        command.arg(format!("--socket={}", self.socket().display()));
        command.arg(format!("--pid-file={}", self.run.join("pid").display()));
        command.arg(format!("--tmpdir={}", self.run.display()));
        command.stdout(self.log.try_clone()?).stderr(self.log.try_clone()?);
        Ok(command)
    }

    fn end(&mut self) -> Result<(), MariaError> {
        self.check()?;
        let Some(mut running) = self.running.take() else { return Err(MariaError::NotRunning) };
        running.0.signal(libc::SIGTERM);
        // Where that takes too long, the drop ends it.
        running.0.wait(STOP_LIMIT, &Stop::new());
        Ok(())
    }

    fn failed(&self, what: &'static str, status: &str) -> MariaError {
        const MOST_BYTES: u64 = 64 << 10;
        let read = || -> io::Result<Vec<u8>> {
            let length = self.log.metadata()?.len();
            let mut bytes = vec![0; length.min(MOST_BYTES) as usize];
            self.log.read_exact_at(&mut bytes, length.saturating_sub(MOST_BYTES))?;
            Ok(bytes)
        };
        let output = last_lines(&String::from_utf8_lossy(&read().unwrap_or_default()));
        MariaError::Program { program: SERVER, what, status: status.to_string(), output }
    }
}

impl Provisioner for ManagedMariaDb {
    fn start(&mut self, stop: &Stop) -> Result<(), KindError> {
        Ok(self.launch(stop)?)
    }

    fn stop(&mut self) -> Result<(), KindError> {
        Ok(self.end()?)
    }

    fn kill(&mut self) -> Result<(), KindError> {
        // The drop does.
        self.running.take().map(drop).ok_or_else(|| MariaError::NotRunning.into())
    }
}

impl Drop for ManagedMariaDb {
    fn drop(&mut self) {
        let _ = self.end();
    }
}

fn last_lines(text: &str) -> String {
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let last = lines[lines.len().saturating_sub(LINES_IN_ERRORS)..].iter();
    last.map(|line| format!("  {}", narrows_units::shown(line))).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_durable_and_opens_no_port_whatever_is_asked_for() {
        let settings = ServerSettings { pool_mb: 1, log_mb: 1, connections: 1, cpus: &[] };
        let list = settings.list();
        for setting in [
            "--innodb-flush-log-at-trx-commit=1",
            "--innodb-doublewrite=ON",
            "--skip-networking",
            "--innodb-buffer-pool-size=16M",
            "--innodb-log-file-size=64M",
        ] {
            assert!(list.iter().any(|found| found == setting), "{setting}");
        }
    }

    #[test]
    fn only_the_end_of_a_log_is_told_and_nothing_that_steers() {
        let log: String = (0..40).map(|n| format!("line {n}\x1b[2J\n\n")).collect();
        let last = last_lines(&log);
        assert_eq!(last.lines().count(), LINES_IN_ERRORS);
        assert!(last.contains("line 39") && !last.contains('\x1b'));
    }
}
