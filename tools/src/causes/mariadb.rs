//! A MariaDB with a trouble on it: on one processor, its clients on another, under sysbench. All of it goes when dropped.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use narrows_engine::Stop;
use narrows_mariadb::{ManagedMariaDb, ServerSettings};

use super::server::{LONGEST_S, Machine, ONE_AFTER_THE_OTHER, SuiteServer, Trouble, WARM_UP_S};
use super::suite::{Load, Situation};
use crate::program::{Program, output, pinned};

const USER: &str = "root";
const DATABASE: &str = "shop";
/// What a load's script needs around it: a connection for each session.
const HEAD: &str = "function thread_init()\n  con = sysbench.sql.driver():connect()\nend\n";

/// A server without its trouble.
pub(super) struct MariaDbServer<'a> {
    machine: &'a Machine<'a>,
    server: ManagedMariaDb,
    version: String,
}

impl<'a> MariaDbServer<'a> {
    pub(super) fn start(machine: &'a Machine<'a>, of: &Situation) -> Result<MariaDbServer<'a>> {
        let found = narrows_mariadb::find(machine.stop)?;
        let settings = ServerSettings {
            pool_mb: of.server.pool_mb.unwrap_or(128),
            log_mb: 512,
            connections: 120,
            cpus: &machine.cpus[..1],
        };
        let version = found.version_text.split_whitespace().next().unwrap_or_default();
        let version = format!("MariaDB {}", version.split('-').next().unwrap_or_default());
        let server =
            ManagedMariaDb::start_new(&found, machine.folder, "maria", settings, machine.stop)?;
        let started = MariaDbServer { machine, server, version };
        let setup = format!("CREATE DATABASE {DATABASE};\nUSE {DATABASE};\n{};\n", of.setup);
        let file = started.file("setup.sql", &setup)?;
        let line = format!("exec mariadb {} < '{}'", started.reach(), file.display());
        output(started.shell(&line), machine.stop, &[0])?;
        Ok(started)
    }

    fn socket(&self) -> PathBuf {
        self.server.data_dir().with_file_name("run").join("s")
    }

    /// How its clients are told where it is.
    fn reach(&self) -> String {
        format!("--no-defaults -u {USER} -S '{}'", self.socket().display())
    }

    fn file(&self, name: &str, text: &str) -> Result<PathBuf> {
        let path = self.machine.folder.join(name);
        std::fs::write(&path, text).with_context(|| format!("writing {}", path.display()))?;
        Ok(path)
    }

    fn shell(&self, line: &str) -> Command {
        let mut command = pinned(&self.machine.cpus[1..], Path::new("sh"));
        command.args(["-c", line]);
        command
    }

    /// A session that executes these and stays.
    fn session(&self, number: usize, statements: &[String]) -> Result<Program> {
        let text: String = statements.iter().map(|statement| format!("{statement};\n")).collect();
        let file = self.file(&format!("session-{number}.sql"), &text)?;
        let line = format!(
            "(cat '{}'; exec sleep {LONGEST_S}) | exec mariadb {} -n {DATABASE}",
            file.display(),
            self.reach()
        );
        let mut command = self.shell(&line);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Program::start(command)
    }

    fn load(&self, load: &Load, number: usize) -> Result<Program> {
        let Some(script) = load.text() else { bail!("MariaDB's loads have scripts of their own") };
        let script = format!("{HEAD}function event()\n{script}\nend\n");
        let file = self.file(&format!("script-{number}.lua"), &script)?;
        let mut command = pinned(&self.machine.cpus[1..], Path::new("sysbench"));
        command.arg(&file).args(["--db-driver=mysql", "--verbosity=1"]);
        command.arg(format!("--mysql-socket={}", self.socket().display()));
        command.args([format!("--mysql-user={USER}"), format!("--mysql-db={DATABASE}")]);
        command.args([format!("--threads={}", load.sessions), format!("--time={LONGEST_S}")]);
        if let Some(rate) = load.rate {
            command.arg(format!("--rate={rate}"));
        }
        command.arg("run").stdout(Stdio::null()).stderr(Stdio::null());
        Program::start(command)
    }
}

impl SuiteServer for MariaDbServer<'_> {
    fn url(&self) -> String {
        format!("mariadb://{USER}@/?socket={}", self.socket().display())
    }

    fn version(&self) -> String {
        self.version.clone()
    }

    fn trouble(&self, of: &Situation) -> Result<Trouble> {
        let stop = self.machine.stop;
        let mut programs = Vec::new();
        let (after, first): (Vec<_>, Vec<_>) =
            of.loads.iter().enumerate().partition(|(_, load)| load.after);
        for (number, statements) in of.before.iter().enumerate() {
            programs.push(self.session(number, statements)?);
            stop.sleep(ONE_AFTER_THE_OTHER)?;
        }
        for (number, load) in first {
            programs.push(self.load(load, number)?);
        }
        for (number, statements) in of.running.iter().enumerate() {
            programs.push(self.session(of.before.len() + number, statements)?);
            stop.sleep(ONE_AFTER_THE_OTHER)?;
        }
        for (number, load) in after {
            programs.push(self.load(load, number)?);
        }
        stop.sleep(Duration::from_secs(of.warm_up_s.unwrap_or(WARM_UP_S)))?;
        programs.iter_mut().try_for_each(Program::check)?;
        Ok(Trouble::of_programs(programs))
    }

    fn rate(&self, _: &Stop) -> Result<f64> {
        bail!("gains are measured on PostgreSQL alone: MariaDB counts no transactions")
    }

    fn mend(&self, _: &[String]) -> Result<()> {
        bail!("gains are measured on PostgreSQL alone")
    }
}
