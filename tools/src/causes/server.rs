//! A server with a trouble on it: PostgreSQL on one processor, its clients on another, all gone when dropped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_postgres::Connection;
use narrows_postgres::server::Cluster;

use super::suite::{Load, Situation};
use crate::group::{Group, Limit};
use crate::program::{Program, output, pinned};
use crate::server::{self, Programs, Wanted, address};

/// Longer than any look.
const LONGEST_S: u64 = 300;
const WARM_UP_S: u64 = 3;
/// Before and between readings of the server's counters.
const SETTLE: Duration = Duration::from_secs(2);
const RATE_WINDOW: Duration = Duration::from_secs(6);
/// Between sessions of which one waits for the other.
const ONE_AFTER_THE_OTHER: Duration = Duration::from_millis(300);

/// What all servers of the suite share.
pub(super) struct Machine<'a> {
    pub stop: &'a Stop,
    pub folder: &'a Path,
    pub programs: Programs,
    /// The first is the server's, the second the clients'.
    pub cpus: [u32; 2],
}

/// A server without its trouble.
pub(super) struct Healthy<'a> {
    machine: &'a Machine<'a>,
    pub cluster: Cluster,
    // Dropped after the server that is in it.
    _memory: Option<Group>,
}

/// What is wrong, while it is.
pub(super) struct Trouble {
    // Ended before the sessions that they wait for.
    _programs: Vec<Program>,
    _sessions: Vec<Connection>,
}

impl<'a> Healthy<'a> {
    pub(super) fn start(machine: &'a Machine<'a>, of: &Situation) -> Result<Healthy<'a>> {
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
            ("shared_preload_libraries", "pg_stat_statements"),
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
        let cluster = machine.programs.start((machine.folder, "causes"), &wanted, machine.stop)?;
        let limits = of.server.memory_mb.map(|mb| [Limit::Memory(mb << 20)]);
        let memory = limits.map(|limits| Group::with("memory", &limits, false)).transpose()?;
        if let Some(memory) = &memory {
            cluster.pids().into_iter().try_for_each(|pid| memory.take(pid))?;
        }
        let healthy = Healthy { machine, cluster, _memory: memory };
        healthy.fill(of)?;
        Ok(healthy)
    }

    fn fill(&self, of: &Situation) -> Result<()> {
        let mut command = self.pgbench();
        server::to(&self.cluster, &mut command);
        command.args(["-i", "-q", "-s", &of.server.scale.to_string(), Cluster::DATABASE]);
        output(command, self.machine.stop, &[0])?;
        let setup = format!("CREATE EXTENSION pg_stat_statements;\n{}\n;\nCHECKPOINT;\n", of.setup);
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
    pub(super) fn connect(&self) -> Result<Connection> {
        let mut session = Connection::open(&address(&self.cluster), &[])?;
        session.execute("SET search_path TO public")?;
        Ok(session)
    }

    /// As narrows is given it.
    pub(super) fn url(&self) -> String {
        let folder = self.cluster.socket_dir().display().to_string().replace('/', "%2F");
        let (user, port) = (Cluster::USER, self.cluster.port());
        format!("postgres://{user}@{folder}:{port}/{}", Cluster::DATABASE)
    }

    /// Makes the trouble; it has warmed up when this returns.
    pub(super) fn trouble(&self, of: &Situation) -> Result<Trouble> {
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
        Ok(Trouble { _programs: programs, _sessions: sessions })
    }

    /// Transactions of all loads per second, by the server's count.
    pub(super) fn rate(&self, stop: &Stop) -> Result<f64> {
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

const SYNCHRONOUS: &str = "synchronous_standby_names";
