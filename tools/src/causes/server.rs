//! A server with a trouble on it: PostgreSQL on one processor, its clients on another, all gone when dropped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_postgres::Connection;
use narrows_postgres::server::Cluster;

use super::disk::{Disk, Filled, Frozen};
use super::mariadb::MariaDbServer;
use super::suite::{Load, Product, Situation};
use crate::group::{Group, Limit};
use crate::program::{Program, output, pinned};
use crate::server::{self, Programs, Wanted, address};

/// Longer than any look.
pub(super) const LONGEST_S: u64 = 300;
pub(super) const WARM_UP_S: u64 = 3;
/// Before and between readings of the server's counters.
const SETTLE: Duration = Duration::from_secs(2);
const RATE_WINDOW: Duration = Duration::from_secs(6);
/// Between sessions of which one waits for the other.
pub(super) const ONE_AFTER_THE_OTHER: Duration = Duration::from_millis(300);

/// What all servers of the suite share.
pub(super) struct Machine<'a> {
    pub stop: &'a Stop,
    pub folder: &'a Path,
    pub programs: Programs,
    /// The first is the server's, the second the clients'.
    pub cpus: [u32; 2],
}

/// A server of the suite, without its trouble.
pub(super) trait SuiteServer {
    /// As narrows is given it.
    fn url(&self) -> String;

    /// Of the server.
    fn version(&self) -> String;

    /// Makes the trouble; it has warmed up when this returns.
    fn trouble(&self, of: &Situation) -> Result<Trouble>;

    /// Transactions of all loads per second, by the server's count.
    fn rate(&self, stop: &Stop) -> Result<f64>;

    /// Executes what the screen says to do.
    fn mend(&self, statements: &[String]) -> Result<()>;
}

/// The server that a situation asks for.
pub(super) fn start<'a>(
    machine: &'a Machine<'a>,
    of: &Situation,
) -> Result<Box<dyn SuiteServer + 'a>> {
    Ok(match of.server.product {
        Product::PostgreSql => Box::new(Healthy::start(machine, of)?),
        Product::MariaDb => Box::new(MariaDbServer::start(machine, of)?),
    })
}

/// A PostgreSQL without its trouble.
struct Healthy<'a> {
    machine: &'a Machine<'a>,
    cluster: Cluster,
    // Dropped after the server that is in it, and on it.
    _memory: Option<Group>,
    disk: Option<Disk>,
}

/// What is wrong, while it is.
#[derive(Default)]
pub(super) struct Trouble {
    // Before the programs that wait for it.
    _frozen: Option<Frozen>,
    _filled: Option<Filled>,
    // Ended before the sessions that they wait for.
    _programs: Vec<Program>,
    _sessions: Vec<Connection>,
}

impl Trouble {
    pub(super) fn of_programs(programs: Vec<Program>) -> Trouble {
        Trouble { _programs: programs, ..Trouble::default() }
    }
}

impl<'a> Healthy<'a> {
    fn start(machine: &'a Machine<'a>, of: &Situation) -> Result<Healthy<'a>> {
        let disk = of.server.disk_mb.map(|mb| Disk::mounted(machine.folder, mb)).transpose()?;
        let library =
            of.server.slow_flush_us.map(|_| server::library(machine.folder, "slow_flush"));
        let library = library.transpose()?;
        let slow = of.server.slow_flush_us.map(|us| ("SLOW_FLUSH_US".to_string(), us.to_string()));
        let env: Vec<(String, String)> = slow.into_iter().collect();
        let usual = [
            ("autovacuum", "off"),
            ("shared_buffers", "256MB"),
            ("max_wal_size", "4GB"),
            ("checkpoint_timeout", "1h"),
            ("track_io_timing", "on"),
            ("max_connections", "120"),
            (PRELOADED, "pg_stat_statements"),
        ];
        let usual = usual.into_iter().filter(|(name, _)| !of.server.settings.contains_key(*name));
        // A standby that is not there would hold up what fills the tables.
        let own = of.server.settings.iter().filter(|(name, _)| *name != SYNCHRONOUS);
        let own = own.map(|(name, value)| (name.as_str(), value.as_str()));
        let settings: Vec<(&str, &str)> = usual.chain(own).collect();
        let wanted = Wanted {
            settings: &settings,
            cpus: &machine.cpus[..1],
            library: library.as_deref(),
            env: &env,
        };
        let folder = disk.as_ref().map_or(machine.folder, |disk| &disk.mount);
        let cluster = machine.programs.start((folder, "causes"), &wanted, machine.stop)?;
        let limits = of.server.memory_mb.map(|mb| [Limit::Memory(mb << 20)]);
        let memory = limits.map(|limits| Group::with("memory", &limits, false)).transpose()?;
        if let Some(memory) = &memory {
            cluster.pids().into_iter().try_for_each(|pid| memory.take(pid))?;
        }
        let healthy = Healthy { machine, cluster, _memory: memory, disk };
        healthy.fill(of)?;
        Ok(healthy)
    }

    fn fill(&self, of: &Situation) -> Result<()> {
        let mut command = self.pgbench();
        server::to(&self.cluster, &mut command);
        command.args(["-i", "-q", "-s", &of.server.scale.to_string(), Cluster::DATABASE]);
        output(command, self.machine.stop, &[0])?;
        let counts_statements = !of.server.settings.contains_key(PRELOADED);
        let extension = if counts_statements { "CREATE EXTENSION pg_stat_statements;" } else { "" };
        let setup = format!("{extension}\n{}\n;\nCHECKPOINT;\n", of.setup);
        let file = self.machine.folder.join("setup.sql");
        std::fs::write(&file, setup).with_context(|| format!("writing {}", file.display()))?;
        let mut command = self.psql();
        command.args(["-q", "-v", "ON_ERROR_STOP=1", "-f"]).arg(&file);
        output(command, self.machine.stop, &[0])?;
        if let Some(standby) = of.server.settings.get(SYNCHRONOUS) {
            let mut control = self.connect()?;
            control.execute(&format!("ALTER SYSTEM SET {SYNCHRONOUS} = '{standby}'"))?;
            control.execute("SELECT pg_reload_conf()")?;
        }
        Ok(())
    }

    /// As an application connects: ours has no search path otherwise.
    fn connect(&self) -> Result<Connection> {
        let mut session = Connection::open(&address(&self.cluster), &[])?;
        session.execute("SET search_path TO public")?;
        Ok(session)
    }

    fn load(&self, load: &Load, number: usize) -> Result<Program> {
        let mut command = self.command(load, number)?;
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Program::start(command)
    }

    fn command(&self, load: &Load, number: usize) -> Result<Command> {
        let mut command = self.pgbench();
        server::to(&self.cluster, &mut command);
        // A thread of pgbench waits while it connects: with one, sessions would come one after the other.
        let threads = if load.reconnect { load.sessions } else { 1 };
        let protocol = load.protocol.as_deref().unwrap_or("prepared");
        command.args(["-n", "-M", protocol, "-j", &threads.to_string()]);
        command.args(["-c", &load.sessions.to_string(), "-T", &LONGEST_S.to_string()]);
        if load.reconnect {
            command.arg("-C");
        }
        if let Some(rate) = load.rate {
            command.args(["-R", &rate.to_string()]);
        }
        match (&load.builtin, load.text()) {
            (Some(name), _) => command.args(["-b", name]),
            (None, Some(script)) => {
                let file = self.machine.folder.join(format!("script-{number}.sql"));
                std::fs::write(&file, script)
                    .with_context(|| format!("writing {}", file.display()))?;
                command.arg("-f").arg(file)
            }
            (None, None) => &mut command,
        };
        if let Some(name) = &load.application {
            command.env("PGAPPNAME", name);
        }
        command.arg(Cluster::DATABASE);
        Ok(command)
    }

    fn shell(&self, line: &str) -> Result<Program> {
        let mut command = pinned(&self.machine.cpus[1..], Path::new("sh"));
        command.args(["-c", line]).envs(self.environment());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Program::start(command)
    }

    fn psql(&self) -> Command {
        let mut command = pinned(&self.machine.cpus[1..], Path::new("psql"));
        command.arg("-X").envs(self.environment());
        command
    }

    fn environment(&self) -> [(&'static str, String); 4] {
        [
            ("PGHOST", self.cluster.socket_dir().display().to_string()),
            ("PGPORT", self.cluster.port().to_string()),
            ("PGUSER", Cluster::USER.to_string()),
            ("PGDATABASE", Cluster::DATABASE.to_string()),
        ]
    }

    fn pgbench(&self) -> Command {
        let pgbench: PathBuf = self.machine.programs.pgbench();
        pinned(&self.machine.cpus[1..], &pgbench)
    }
}

impl SuiteServer for Healthy<'_> {
    fn url(&self) -> String {
        let folder = self.cluster.socket_dir().display().to_string().replace('/', "%2F");
        let (user, port) = (Cluster::USER, self.cluster.port());
        format!("postgres://{user}@{folder}:{port}/{}", Cluster::DATABASE)
    }

    fn version(&self) -> String {
        self.machine.programs.found.version.to_string()
    }

    fn trouble(&self, of: &Situation) -> Result<Trouble> {
        let mut sessions = Vec::new();
        for statements in &of.before {
            let mut session = self.connect()?;
            statements.iter().try_for_each(|statement| session.execute(statement))?;
            sessions.push(session);
        }
        let mut programs = Vec::new();
        let (after, first): (Vec<_>, Vec<_>) =
            of.loads.iter().enumerate().partition(|(_, load)| load.after);
        for (number, load) in first {
            programs.push(self.load(load, number)?);
        }
        for statements in &of.running {
            let mut command = self.psql();
            command.stdout(Stdio::null()).stderr(Stdio::null()).arg("-q");
            for statement in statements {
                command.arg("-c").arg(statement);
            }
            programs.push(Program::start(command)?);
            self.machine.stop.sleep(ONE_AFTER_THE_OTHER)?;
        }
        for (number, load) in after {
            programs.push(self.load(load, number)?);
        }
        for command in &of.shell {
            programs.push(self.shell(command)?);
        }
        let warm_up = Duration::from_secs(of.warm_up_s.unwrap_or(WARM_UP_S));
        self.machine.stop.sleep(warm_up)?;
        programs.iter_mut().try_for_each(Program::check)?;
        let disk = |wanted: bool| self.disk.as_ref().filter(|_| wanted);
        Ok(Trouble {
            _frozen: disk(of.frozen).map(Disk::freeze).transpose()?,
            _filled: disk(of.filled).map(Disk::fill).transpose()?,
            _programs: programs,
            _sessions: sessions,
        })
    }

    fn rate(&self, stop: &Stop) -> Result<f64> {
        const COUNT: &str = "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database";
        let mut session = self.connect()?;
        // Sessions report what they counted once a second.
        stop.sleep(SETTLE)?;
        let mut count = || -> Result<f64> {
            let said = session.one(COUNT)?.context("the server counts no transactions")?;
            said.parse().with_context(|| format!("{said} is no count"))
        };
        let (begun, before) = (Instant::now(), count()?);
        stop.sleep(RATE_WINDOW)?;
        Ok((count()? - before) / begun.elapsed().as_secs_f64())
    }

    fn mend(&self, statements: &[String]) -> Result<()> {
        let mut control = self.connect()?;
        statements.iter().try_for_each(|statement| Ok(control.execute(statement)?))
    }
}

const PRELOADED: &str = "shared_preload_libraries";
const SYNCHRONOUS: &str = "synchronous_standby_names";
