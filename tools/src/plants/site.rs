//! A PostgreSQL of our own with pgbench's tables, on one processor, and pgbench on another.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use narrows_engine::Stop;
use narrows_facts::process;
use narrows_postgres::Connection;
use narrows_postgres::server::{Cluster, Options};

use super::suite::{Change, Load, Server};
use crate::group::{Group, Limit};
use crate::program::{Program, output, pinned};
use crate::server::{self, Programs, Wanted, address};

/// Longer than any look.
const LONGEST_S: u32 = 660;
const WARM_UP: Duration = Duration::from_secs(2);
/// Of the windows that decide which name is right.
const DECIDING_S: u32 = 2;
const DECIDING_ROUNDS: u32 = 3;
/// How a standby names itself to the server.
const STANDBY: &str = "planted_standby";
/// It has nothing to catch up with.
const LONGEST_CATCH_UP: Duration = Duration::from_secs(60);

/// What all servers of the suite share.
pub(super) struct Ground<'a> {
    pub stop: &'a Stop,
    pub folder: &'a Path,
    pub programs: Programs,
    /// The drive under the folder, `major:minor`.
    pub drive: String,
    /// The first is the server's, the second the client's.
    pub cpus: [u32; 2],
}

/// What a change did.
#[derive(Debug, Clone, Copy)]
pub(super) struct Effect {
    /// Relative growth of the rate.
    pub gain: f64,
    /// Processor time of a transaction before over that after.
    pub less_cpu: f64,
}

/// Sums over windows of one length.
#[derive(Debug, Default)]
struct Spent {
    rates: f64,
    cpu_ns: f64,
}

/// One server; gone when dropped.
pub(super) struct Site<'a> {
    pub ground: &'a Ground<'a>,
    pub of: Server,
    // Dropped before the server, whose end would wait for it.
    _standby: Option<Cluster>,
    pub cluster: Cluster,
    // Dropped after the server that is in it.
    _memory: Option<Group>,
}

impl<'a> Site<'a> {
    pub(super) fn start(ground: &'a Ground<'a>, of: &Server) -> Result<Site<'a>> {
        let library = library(ground.folder, of)?;
        // Reads are slow while this file is there: filling takes them by the ten thousand.
        let slow = ground.folder.join("slow-reads");
        let _ = std::fs::remove_file(&slow);
        let slowed = [
            ("SLOW_FLUSH_US", of.slow_flush_us),
            ("SLOW_READ_US", of.slow_read_us),
            ("SLOW_READ_PER_S", of.reads_per_s),
        ];
        let env: Vec<(String, String)> = slowed
            .into_iter()
            .filter_map(|(name, value)| Some((name.to_string(), value?.to_string())))
            .chain([("SLOW_READ_WHILE".to_string(), slow.display().to_string())])
            .collect();
        let fixed = [("autovacuum", "off"), ("shared_buffers", "256MB"), ("max_wal_size", "8GB")];
        let fixed = fixed.into_iter().chain([("checkpoint_timeout", "1h")]);
        let fixed = fixed.filter(|(name, _)| !of.settings.contains_key(*name));
        let of_its_own = of.settings.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let settings: Vec<(&str, &str)> = fixed.chain(of_its_own).collect();
        let wanted = Wanted {
            settings: &settings,
            cpus: &ground.cpus[..of.cpus as usize],
            library: library.as_deref(),
            env: &env,
        };
        let at = (ground.folder, "site");
        let cluster = ground.programs.start(at, &wanted, ground.stop)?;
        let limits = of.memory_mb.map(|mb| [Limit::Memory(mb << 20)]);
        let memory = limits.map(|limits| Group::with("memory", &limits, false)).transpose()?;
        if let Some(memory) = &memory {
            cluster.pids().into_iter().try_for_each(|pid| memory.take(pid))?;
        }
        let mut site = Site { ground, of: of.clone(), cluster, _memory: memory, _standby: None };
        site.fill()?;
        if let Some(us) = of.standby_flush_us {
            site.add_standby(us)?;
        }
        // Where reads have a budget it holds the time of the next one, for all processes of the server.
        std::fs::write(&slow, [0; 8]).with_context(|| format!("writing {}", slow.display()))?;
        let all = std::fs::Permissions::from_mode(0o666);
        std::fs::set_permissions(&slow, all)
            .with_context(|| format!("setting rights of {}", slow.display()))?;
        Ok(site)
    }

    /// A copy that follows the server and confirms each commit, on the client's processor; its flushes take that much longer.
    fn add_standby(&mut self, flush_us: u32) -> Result<()> {
        let Ground { stop, folder, programs, .. } = self.ground;
        let library = server::library(folder, "slow_flush")?;
        let (data, wal) = (folder.join("standby-data"), folder.join("standby-wal"));
        let env = [("SLOW_FLUSH_US".to_string(), flush_us.to_string())];
        let options = Options {
            cpus: &self.ground.cpus[1..],
            preload: Some(&library),
            env: &env,
            ..Options::new(&data, &wal)
        };
        let mut standby = Cluster::create(&programs.found, &programs.user, &options, stop)?;
        self.cluster.stop()?;
        standby.follow(&self.cluster, STANDBY)?;
        self.cluster.start(stop)?;
        standby.start(stop)?;
        let mut control = Connection::open(&address(&self.cluster), &[])?;
        control.execute(&format!("ALTER SYSTEM SET synchronous_standby_names = '{STANDBY}'"))?;
        control.execute("SELECT pg_reload_conf()")?;
        let ends = Instant::now() + LONGEST_CATCH_UP;
        let state = format!(
            "SELECT sync_state FROM pg_stat_replication WHERE application_name = '{STANDBY}'"
        );
        while control.one(&state)?.as_deref() != Some("sync") {
            stop.sleep(Duration::from_millis(50))?;
            anyhow::ensure!(Instant::now() < ends, "the standby does not confirm commits");
        }
        self._standby = Some(standby);
        Ok(())
    }

    fn fill(&self) -> Result<()> {
        let mut command = self.pgbench(&self.ground.cpus);
        command.args(["-i", "-q", "-s", &self.of.scale.to_string()]);
        output(self.to(command, None), self.ground.stop, &[0])?;
        let mut control = Connection::open(&address(&self.cluster), &[])?;
        if self.of.memory_mb.is_none() {
            // Table and index are in the pool, or as much of them as it holds.
            control.execute(
                "SELECT count(*) FROM public.pgbench_accounts; SET enable_seqscan = off; \
                 SELECT count(aid) FROM public.pgbench_accounts WHERE aid > 0",
            )?;
        }
        if !self.of.setup.is_empty() {
            control.execute(&self.of.setup)?;
        }
        control.execute("CHECKPOINT")?;
        Ok(())
    }

    /// As narrows is given it.
    pub(super) fn url(&self) -> String {
        let folder = self.cluster.socket_dir().display().to_string().replace('/', "%2F");
        format!(
            "postgres://{}@{folder}:{}/{}",
            Cluster::USER,
            self.cluster.port(),
            Cluster::DATABASE
        )
    }

    /// The file of its socket.
    pub(super) fn socket(&self) -> PathBuf {
        self.cluster.socket_dir().join(format!(".s.PGSQL.{}", self.cluster.port()))
    }

    /// Loads it until the result is dropped, through a port of 127.0.0.1 if one is given, in a group if one is given; it has
    /// warmed up when this returns.
    pub(super) fn load(
        &self,
        load: &Load,
        port: Option<u16>,
        group: Option<&Group>,
    ) -> Result<Program> {
        Connection::open(&address(&self.cluster), &[])?.execute("CHECKPOINT")?;
        let mut command = match group {
            Some(group) => {
                let cpu = self.ground.cpus[1].to_string();
                let mut command = group.command(Path::new("taskset"));
                command.args(["-c", &cpu]).arg(self.ground.programs.pgbench());
                command
            }
            None => self.pgbench(&self.ground.cpus[1..]),
        };
        self.script(&mut command, load, load.sessions, LONGEST_S)?;
        let mut command = self.to(command, port);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut program = Program::start(command)?;
        self.ground.stop.sleep(WARM_UP)?;
        program.check()?;
        Ok(program)
    }

    /// So many sessions that have done one thing and do nothing until they are dropped.
    pub(super) fn unused(&self, sessions: u32) -> Result<Vec<Connection>> {
        let open = |_| {
            let mut connection = Connection::open(&address(&self.cluster), &[])?;
            connection.execute("SELECT 1")?;
            Ok(connection)
        };
        (0..sessions).map(open).collect()
    }

    /// What a change does to the rate and to the server's processor time of a transaction; base and change in turn.
    pub(super) fn effect(&self, load: &Load, change: Change) -> Result<Effect> {
        let (mut base, mut changed) = (Spent::default(), Spent::default());
        let (sessions, off) = (load.sessions, [("PGOPTIONS", "-c synchronous_commit=off")]);
        for _ in 0..DECIDING_ROUNDS {
            self.spend(load, sessions, &[], &mut base)?;
            match change {
                Change::NoWaitForCommits => self.spend(load, sessions, &off, &mut changed)?,
                Change::TwiceTheSessions => self.spend(load, 2 * sessions, &[], &mut changed)?,
            }
        }
        Ok(Effect {
            gain: changed.rates / base.rates - 1.0,
            less_cpu: (base.cpu_ns / base.rates) / (changed.cpu_ns / changed.rates),
        })
    }

    fn spend(
        &self,
        load: &Load,
        sessions: u32,
        env: &[(&str, &str)],
        to: &mut Spent,
    ) -> Result<()> {
        let mut command = self.pgbench(&self.ground.cpus[1..]);
        self.script(&mut command, load, sessions, DECIDING_S)?;
        let mut command = self.to(command, None);
        command.envs(env.iter().copied());
        let before_ns = self.cpu_ns()?;
        let said = output(command, self.ground.stop, &[0])?;
        to.rates += rate_of(&said).with_context(|| format!("pgbench said:\n{said}"))?;
        // Its sessions have ended: their time is the main process's children's.
        to.cpu_ns += self.cpu_ns()?.saturating_sub(before_ns) as f64;
        Ok(())
    }

    /// Processor time of the server since its start, that of sessions that have ended with it.
    fn cpu_ns(&self) -> Result<u64> {
        let main = self.cluster.pid().context("the server has ended")?;
        let ended = process::reaped_children_cpu_ns(main).context("its account can't be read")?;
        Ok(ended + process::tree(main).into_iter().filter_map(process::cpu_ns).sum::<u64>())
    }

    fn script(&self, command: &mut Command, load: &Load, sessions: u32, s: u32) -> Result<()> {
        // A thread of pgbench waits while it connects: with one, sessions would come one after the other.
        let threads = if load.reconnect { sessions } else { 1 };
        command.args(["-n", "-M", "prepared", "-j", &threads.to_string()]);
        command.args(["-c", &sessions.to_string()]);
        command.args(["-T", &s.to_string(), "-s", &self.of.scale.to_string()]);
        if load.reconnect {
            command.arg("-C");
        }
        match (&load.builtin, &load.script) {
            (Some(name), _) => command.args(["-b", name]),
            (None, Some(script)) => {
                let file = self.ground.folder.join("script.sql");
                std::fs::write(&file, script)
                    .with_context(|| format!("writing {}", file.display()))?;
                command.arg("-f").arg(file)
            }
            (None, None) => command,
        };
        Ok(())
    }

    fn pgbench(&self, cpus: &[u32]) -> Command {
        pinned(cpus, &self.ground.programs.pgbench())
    }

    /// With the server's address behind what it has.
    fn to(&self, mut command: Command, port: Option<u16>) -> Command {
        match port {
            Some(port) => {
                command.args(["-h", "127.0.0.1", "-p", &port.to_string(), "-U", Cluster::USER])
            }
            None => server::to(&self.cluster, &mut command),
        };
        command.arg(Cluster::DATABASE);
        command
    }
}

/// The library that such a server loads first, compiled.
pub(super) fn library(folder: &Path, server: &Server) -> Result<Option<PathBuf>> {
    let reads = server.slow_read_us.or(server.reads_per_s);
    let name = match (server.slow_flush_us, reads) {
        (Some(_), None) => "slow_flush",
        (None, Some(_)) => "slow_read",
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => anyhow::bail!("one library at a time"),
    };
    server::library(folder, name).map(Some)
}

/// Transactions per second, as pgbench tells them.
fn rate_of(said: &str) -> Option<f64> {
    let line = said.lines().find_map(|line| line.strip_prefix("tps = "))?;
    line.split(' ').next()?.parse().ok().filter(|per_s| *per_s > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_read() {
        let said = "latency average = 0.1 ms\ntps = 65536.5 (without initial connection time)\n";
        assert_eq!(rate_of(said), Some(65_536.5));
        assert_eq!(rate_of("tps = 0.000000 (x)"), None);
        assert_eq!(rate_of("pgbench: error"), None);
    }
}
