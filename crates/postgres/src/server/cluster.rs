//! One data folder and its server, from `initdb` to removal.
//!
//! Invariants: the socket's folder admits only the server's user (so trusting local connections is safe) and no TCP
//! port is opened; what [`Cluster::create`] made is removed on drop, on every way out, and nothing else is; data is
//! durable, with the version's own defaults, unless the caller's settings say otherwise.

use std::collections::BTreeSet;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use narrows_engine::Stop;
use narrows_facts::{affinity, process};
use narrows_files::Dir;
use narrows_layer_database::{KindError, Provisioner};
use narrows_server::{Keeper, SpawnError, inherits, run};

use super::folders::{Folders, PORT, io_error};
use super::log::{self, hint, last_lines};
use super::socket::takes_connections;
use super::{ServerBinaries, ServerError, ServerUser, settings};

const INITDB_LIMIT: Duration = Duration::from_secs(300);
const START_LIMIT: Duration = Duration::from_secs(120);
/// A fast shutdown writes all dirty pages, which a slow device may need a while for.
const FAST_LIMIT: Duration = Duration::from_secs(60);
/// After SIGQUIT the server itself kills processes that don't end within five seconds.
const IMMEDIATE_LIMIT: Duration = Duration::from_secs(10);
/// The same where somebody waits for us to end.
const HURRIED_LIMIT: Duration = Duration::from_secs(2);
const LOOK_EVERY: Duration = Duration::from_millis(5);
const LINES_IN_ERRORS: usize = 12;
/// A server that starts processes faster than they can be bound is not what we run.
const MOST_BINDING_ROUNDS: u32 = 20;
/// Rounds in a row that find everything bound, and the time between them for a child that is just being made.
const UNCHANGED_ROUNDS: u32 = 3;
const HALF_MADE: Duration = Duration::from_millis(5);

/// What a cluster is made from.
#[derive(Debug, Clone)]
pub struct Options<'a> {
    /// The data folder, which must not exist; its parent must, and only we may write to it. Beside it lie `DATA.run`, which holds the
    /// socket, the server's log `DATA.log`, and a lock.
    pub data_dir: &'a Path,
    /// The folder of the write-ahead log, likewise.
    pub wal_dir: &'a Path,
    /// Server settings over the version's defaults. Those on sockets, ports and logging's place are ours and win.
    pub settings: &'a [(String, String)],
    /// Processors for the server and all its processes; empty for all that are allowed.
    pub cpus: &'a [u32],
    /// A library to load before all others (`LD_PRELOAD`), for planted faults.
    pub preload: Option<&'a Path>,
    /// More variables for the server's environment.
    pub env: &'a [(String, String)],
    /// Whether what `initdb` makes is durable before the server starts, as in ordinary use. Tests of anything else leave it to the
    /// kernel, which has written little of it when they remove it.
    pub durable: bool,
}

impl<'a> Options<'a> {
    /// Defaults in these two folders.
    pub fn new(data_dir: &'a Path, wal_dir: &'a Path) -> Options<'a> {
        Options {
            data_dir,
            wal_dir,
            settings: &[],
            cpus: &[],
            preload: None,
            env: &[],
            durable: !cfg!(test),
        }
    }
}

/// How a server came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HowStopped {
    /// With a last checkpoint.
    Clean,
    /// Without one: the fast way took too long.
    Immediate,
    /// It had to be killed.
    Killed,
}

/// A data folder of ours and, between [`start`](Cluster::start) and [`stop`](Cluster::stop), its server.
#[derive(Debug)]
pub struct Cluster {
    // Before the folders, because fields drop in this order and the server must have ended by then.
    running: Option<Running>,
    found: ServerBinaries,
    user: ServerUser,
    cpus: Vec<u32>,
    env: Vec<(String, String)>,
    checksums: Option<bool>,
    pub(super) folders: Folders,
}

/// A server that was started, and what says that nobody wants it any more.
#[derive(Debug)]
struct Running(Keeper, Stop);

impl Cluster {
    /// The database superuser, who needs no password on the private socket.
    pub const USER: &'static str = "narrows";
    /// The database `initdb` makes.
    pub const DATABASE: &'static str = "postgres";

    /// Runs `initdb` and writes the settings. On error nothing is left behind.
    pub fn create(
        found: &ServerBinaries,
        user: &ServerUser,
        options: &Options<'_>,
        stop: &Stop,
    ) -> Result<Cluster, ServerError> {
        let settings = settings::text(options.settings)?;
        let mut env = options.env.to_vec();
        if let Some(library) = options.preload {
            user.reaches(library)?;
            env.push(("LD_PRELOAD".to_owned(), library.display().to_string()));
        }
        let folders =
            Folders::create(options.data_dir, options.wal_dir, user, found.version.major)?;
        let said = initdb(found, user, &folders, options.durable, stop)?;
        let cluster = Cluster {
            running: None,
            found: found.clone(),
            user: user.clone(),
            cpus: options.cpus.to_vec(),
            env,
            checksums: checksums(&said),
            folders,
        };
        cluster.write_in_data("postgresql.auto.conf", &settings)?;
        Ok(cluster)
    }

    /// Makes a file of the data folder anew, as the server's user: whatever was put there in its place has no more than that user's rights.
    pub(super) fn write_in_data(&self, name: &str, text: &str) -> Result<(), ServerError> {
        self.in_data(|data| {
            match data.remove_file(name) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
            data.create_new(name, 0o600)?.write_all(text.as_bytes())
        })
        .map_err(|reason| io_error("write", &self.folders.data.join(name), reason))
    }

    /// Does something in the data folder with the rights of the server's user.
    pub(super) fn in_data<T: Send>(&self, act: impl FnOnce(&Dir) -> T + Send) -> T {
        self.user.acting(|| act(&self.folders.data_dir))
    }

    /// Starts the server and waits until it accepts connections. Already running: nothing happens.
    pub fn start(&mut self, stop: &Stop) -> Result<(), ServerError> {
        if self.running.is_some() {
            return Ok(());
        }
        let command = self.command()?;
        let program = self.found.bin_dir.join("postgres");
        let postmaster =
            Keeper::spawn(command, &self.cpus, libc::SIGQUIT).map_err(|error| match error {
                SpawnError::Cpus(reason) => {
                    ServerError::Cpus { pid: std::process::id(), cpus: self.cpus.clone(), reason }
                }
                SpawnError::Program(reason) => spawn_error(&program, &self.user, reason),
            })?;
        // From here on every way out, also an error, ends the server: by `Running`'s drop.
        let running = Running(postmaster, stop.clone());
        let end = Instant::now() + START_LIMIT;
        while !self.accepts(running.0.pid()) {
            stop.check()?;
            if let Some(status) = running.0.ended() {
                let log = self.log_tail(LINES_IN_ERRORS);
                let hint = hint(&log);
                let status = status.to_string();
                return Err(ServerError::Died { when: "while starting", status, log, hint });
            }
            if Instant::now() >= end {
                let log = self.log_tail(LINES_IN_ERRORS);
                return Err(ServerError::StartTimeout { waited_s: START_LIMIT.as_secs(), log });
            }
            std::thread::sleep(LOOK_EVERY);
        }
        self.running = Some(running);
        Ok(())
    }

    fn crash(&self) -> Option<ServerError> {
        let log = self.log_tail(usize::MAX);
        // Backends end by SIGQUIT only because one of them crashed, so the first such line is the cause.
        let is_crash =
            |line: &&str| line.contains("PANIC:") || line.contains("was terminated by signal");
        let line = log.lines().find(is_crash)?;
        Some(ServerError::Crashed { line: line.to_owned(), hint: hint(line) })
    }

    /// Ends the server with a last checkpoint; if that takes longer than a minute, without one; if that fails too, by
    /// force; once the token of its start is set, without one and soon by force. The data stays and can be started again. Not running:
    /// [`ServerError::NotRunning`].
    pub fn stop(&mut self) -> Result<HowStopped, ServerError> {
        match self.check() {
            Ok(()) | Err(ServerError::Crashed { .. }) => {}
            Err(error) => return Err(error),
        }
        let Some(mut running) = self.running.take() else { return Err(ServerError::NotRunning) };
        running.0.signal(libc::SIGINT);
        if running.0.wait(FAST_LIMIT, &running.1).is_some() {
            return Ok(HowStopped::Clean);
        }
        Ok(running.end())
    }

    /// Kills all its processes at once, as a fault of the server's machine would: no process writes anything any more, and
    /// the next [`start`](Cluster::start) recovers. What the kernel and the drives have taken they keep, so this says nothing
    /// about them. Not running: [`ServerError::NotRunning`].
    pub fn kill(&mut self) -> Result<(), ServerError> {
        let Some(mut running) = self.running.take() else { return Err(ServerError::NotRunning) };
        running.kill();
        Ok(())
    }

    /// Whether the server still runs and always did: [`ServerError::Died`] with the end of its log if it ended by
    /// itself, [`ServerError::Crashed`] if it lost a process and recovered.
    pub fn check(&self) -> Result<(), ServerError> {
        let Some(running) = &self.running else { return Err(ServerError::NotRunning) };
        let Some(status) = running.0.ended() else { return self.crash().map_or(Ok(()), Err) };
        let log = self.log_tail(LINES_IN_ERRORS);
        let (status, hint) = (status.to_string(), hint(&log));
        Err(ServerError::Died { when: "by itself", status, log, hint })
    }

    /// Binds the server, all its processes and those it will start to `cpus`, and reads back that it is so.
    pub fn set_cpus(&mut self, cpus: &[u32]) -> Result<(), ServerError> {
        self.cpus = cpus.to_vec();
        let pids = self.pids();
        let Some(&first) = pids.first() else { return Ok(()) };
        let wanted: BTreeSet<u32> = cpus.iter().copied().collect();
        // The first is bound first, so children started from now on inherit; those started meanwhile are met in the
        // next round. A child that was half made when its parent was bound appears some time after that, so that one round
        // without a change is not enough.
        let mut unchanged = 0;
        for _ in 0..MOST_BINDING_ROUNDS {
            let mut changed = false;
            for thread in self.pids().into_iter().flat_map(threads) {
                let bound = affinity::of_pid(thread).is_ok_and(|now| wanted.iter().eq(now.iter()));
                if bound {
                    continue;
                }
                changed = true;
                if let Err(reason) = affinity::pin_pid(thread, cpus)
                    && reason.raw_os_error() != Some(libc::ESRCH)
                {
                    return Err(ServerError::Cpus { pid: thread, cpus: cpus.to_vec(), reason });
                }
            }
            unchanged = if changed { 0 } else { unchanged + 1 };
            if unchanged == UNCHANGED_ROUNDS {
                return Ok(());
            }
            if !changed {
                std::thread::sleep(HALF_MADE);
            }
        }
        let reason = std::io::Error::other("new processes kept appearing elsewhere");
        Err(ServerError::Cpus { pid: first, cpus: cpus.to_vec(), reason })
    }

    /// The folder with the socket, for a client's host.
    pub fn socket_dir(&self) -> &Path {
        &self.folders.socket
    }

    /// The port, which is only part of the socket's name.
    pub fn port(&self) -> u16 {
        PORT
    }

    /// The server's first process; `None` when it is not running.
    pub fn pid(&self) -> Option<u32> {
        let running = self.running.as_ref()?;
        running.0.ended().is_none().then(|| running.0.pid())
    }

    /// The server's processes, the first one first; empty when it is not running.
    pub fn pids(&self) -> Vec<u32> {
        self.pid().map(process::tree).unwrap_or_default()
    }

    /// The binaries it runs.
    pub fn found(&self) -> &ServerBinaries {
        &self.found
    }

    /// Whether `initdb` switched data checksums on, which is the version's default and not our choice; `None` if it
    /// didn't say.
    pub fn data_checksums(&self) -> Option<bool> {
        self.checksums
    }

    /// The data folder.
    pub fn data_dir(&self) -> &Path {
        &self.folders.data
    }

    /// The folder of the write-ahead log.
    pub fn wal_dir(&self) -> &Path {
        &self.folders.wal
    }

    /// The last `lines` of the server's log; empty if there is none.
    pub fn log_tail(&self, lines: usize) -> String {
        log::tail(&self.folders.log, lines)
    }

    fn command(&self) -> Result<Command, ServerError> {
        let log = || {
            let again = self.folders.log.try_clone();
            again.map_err(|reason| io_error("open the log of", &self.folders.data, reason))
        };
        let mut command =
            self.user.command(&self.found.bin_dir.join("postgres"), &self.folders.run);
        command.arg("-D").arg(&self.folders.data);
        let sockets = settings::folder_in_list(&self.folders.socket.to_string_lossy());
        for (name, value) in [
            ("listen_addresses", ""),
            ("unix_socket_directories", &sockets),
            ("unix_socket_permissions", "0700"),
            ("port", &PORT.to_string()),
            ("logging_collector", "off"),
            ("log_destination", "stderr"),
            ("external_pid_file", ""),
        ] {
            command.arg("-c").arg(format!("{name}={value}"));
        }
        command.envs(self.env.iter().map(|(name, value)| (name, value)));
        command.stdout(log()?).stderr(log()?);
        inherits(&mut command, self.folders.hold.file());
        Ok(command)
    }

    /// Whether the server says that it is ready (the last line of `postmaster.pid`) and its socket takes a connection.
    fn accepts(&self, pid: u32) -> bool {
        const LONGEST_BYTES: u64 = 64 << 10;
        let text = self.in_data(|data| data.read_text("postmaster.pid", LONGEST_BYTES));
        let text = text.unwrap_or_default();
        let lines: Vec<&str> = text.lines().map(str::trim).collect();
        lines.first().is_some_and(|first| *first == pid.to_string())
            && lines.get(7) == Some(&"ready")
            && self.user.acting(|| takes_connections(&self.folders.socket_file()))
    }
}

impl Running {
    /// SIGQUIT, then SIGKILL to all.
    fn end(&mut self) -> HowStopped {
        if self.0.ended().is_none() {
            self.0.signal(libc::SIGQUIT);
            // Whoever asks us to end while this waits is not made to wait for all of it.
            let ended = self.0.wait(IMMEDIATE_LIMIT, &self.1);
            if ended.or_else(|| self.0.wait(HURRIED_LIMIT, &Stop::new())).is_some() {
                return HowStopped::Immediate;
            }
            self.kill();
        }
        HowStopped::Killed
    }

    /// SIGKILL to all, and waits until they are gone: one that still shares memory would keep a new server from starting.
    fn kill(&mut self) {
        let pids = process::tree(self.0.pid());
        self.0.signal(libc::SIGKILL);
        for pid in pids.iter().skip(1) {
            // A child listed a moment ago may have ended; the server's own children end when it does, and a number is
            // given out again only after all others have been.
            process::kill(*pid);
        }
        self.0.wait(IMMEDIATE_LIMIT, &Stop::new());
        let end = Instant::now() + IMMEDIATE_LIMIT;
        while pids.iter().any(|pid| runs(*pid)) && Instant::now() < end {
            std::thread::sleep(LOOK_EVERY);
        }
    }
}

impl Provisioner for Cluster {
    fn start(&mut self, stop: &Stop) -> Result<(), KindError> {
        Ok(Cluster::start(self, stop)?)
    }

    fn stop(&mut self) -> Result<(), KindError> {
        Cluster::stop(self)?;
        Ok(())
    }

    fn kill(&mut self) -> Result<(), KindError> {
        Ok(Cluster::kill(self)?)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

fn initdb(
    found: &ServerBinaries,
    user: &ServerUser,
    folders: &Folders,
    durable: bool,
    stop: &Stop,
) -> Result<String, ServerError> {
    let program = found.bin_dir.join("initdb");
    let mut command = user.command(&program, &folders.run);
    inherits(&mut command, folders.hold.file());
    if !durable {
        command.arg("--no-sync");
    }
    command.arg("-D").arg(&folders.data).arg("-X").arg(&folders.wal).args([
        "--auth=trust",
        "--encoding=UTF8",
        "--locale=C",
        "--username",
        Cluster::USER,
    ]);
    let ended =
        run(command, INITDB_LIMIT, stop).map_err(|reason| spawn_error(&program, user, reason))?;
    stop.check()?;
    if ended.success() {
        return Ok(ended.stdout);
    }
    let output = last_lines(&format!("{}{}", ended.stdout, ended.stderr), LINES_IN_ERRORS);
    Err(ServerError::Initdb {
        data_dir: folders.data.clone(),
        status: ended.status_text(),
        hint: hint(&output),
        output,
    })
}

fn spawn_error(program: &Path, user: &ServerUser, reason: std::io::Error) -> ServerError {
    let hint = match reason.raw_os_error() {
        Some(libc::EPERM | libc::EINVAL) if user.is_other() => {
            "root has no right to become that user here, as in some containers; run as an ordinary user"
        }
        Some(libc::EAGAIN) => "the limit of processes is reached (ulimit -u, pids cgroup)",
        _ => "name another server with --postgres FILE",
    };
    let (program, user) = (program.to_path_buf(), user.name().to_owned());
    ServerError::Spawn { program, user, reason, hint }
}

/// What `initdb` said about data checksums.
fn checksums(said: &str) -> Option<bool> {
    let line = said.lines().find(|line| line.starts_with("Data page checksums are "))?;
    Some(line.contains("enabled"))
}

/// Whether the process is there and is more than an entry that nobody has collected yet.
fn runs(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

fn threads(pid: u32) -> Vec<u32> {
    fs::read_dir(PathBuf::from(format!("/proc/{pid}/task")))
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
        .collect()
}
