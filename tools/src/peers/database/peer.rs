//! pgbench and sysbench: how they are run, and what they say.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use anyhow::{Context as _, Result, bail};
use narrows_postgres::server::Cluster;

use super::super::{WINDOW, spent};
use super::bench::{Bench, POINTS, SCALE, SESSIONS};
use crate::server;

/// Statements of a transaction of pgbench -N, each with an answer of its own: BEGIN, UPDATE, SELECT, INSERT, END.
pub(super) const STATEMENTS: f64 = 5.0;

pub(super) struct Pgbench {
    program: PathBuf,
    update: PathBuf,
}

impl Pgbench {
    /// Makes its tables.
    pub(super) fn prepare(bench: &Bench<'_>, folder: &Path) -> Result<Self> {
        let update = folder.join("update.sql");
        std::fs::write(
            &update,
            "\\set aid random(1, 100000 * :scale)\n\
             UPDATE pgbench_accounts SET abalance = abalance + 1 WHERE aid = :aid;\n",
        )?;
        let pgbench = Pgbench { program: bench.bin_dir.join("pgbench"), update };
        let mut command = Command::new(&pgbench.program);
        command.args(["-i", "-q", "-s", &SCALE.to_string()]);
        succeeded(&said_to(&mut command, bench).output().context("running pgbench")?)?;
        Ok(pgbench)
    }

    /// Transactions per second and processor time each, ns, of its select-only script.
    pub(super) fn select(&self, bench: &Bench<'_>) -> Result<(f64, f64)> {
        self.run(bench, |command| {
            command.arg("-S");
        })
    }

    /// The same of the one statement of ours.
    pub(super) fn update(&self, bench: &Bench<'_>) -> Result<(f64, f64)> {
        self.run(bench, |command| {
            command.arg("-f").arg(&self.update);
        })
    }

    /// The same of its simple update.
    pub(super) fn simple_update(&self, bench: &Bench<'_>) -> Result<(f64, f64)> {
        self.run(bench, |command| {
            command.arg("-N");
        })
    }

    fn run(&self, bench: &Bench<'_>, script: impl FnOnce(&mut Command)) -> Result<(f64, f64)> {
        let mut command = pinned(bench, &self.program);
        command.args(["-n", "-M", "prepared", "-j", "1", "-c", &SESSIONS.to_string()]);
        command.args(["-T", &WINDOW.as_secs().to_string(), "-s", &SCALE.to_string()]);
        script(&mut command);
        let (output, spent) = spent::by(said_to(&mut command, bench))?;
        let said = succeeded(&output)?;
        let read =
            field(&said, "number of transactions actually processed: ").zip(field(&said, "tps = "));
        let (transactions, per_s) = read.with_context(|| format!("pgbench said:\n{said}"))?;
        Ok((per_s, spent.cpu_s() * 1e9 / transactions))
    }
}

pub(super) struct Sysbench;

impl Sysbench {
    /// Makes its table; `None` where it isn't installed.
    pub(super) fn prepare(bench: &Bench<'_>) -> Result<Option<Self>> {
        if Command::new("sysbench").arg("--version").stdout(Stdio::null()).status().is_err() {
            eprintln!("sysbench is not installed; its part is left out");
            return Ok(None);
        }
        let mut command = Command::new("sysbench");
        arguments(&mut command, bench).arg("prepare");
        succeeded(&command.output().context("running sysbench")?)?;
        Ok(Some(Sysbench))
    }

    /// Selects per second and processor time each, ns.
    pub(super) fn point_select(&self, bench: &Bench<'_>) -> Result<(f64, f64)> {
        let mut command = pinned(bench, Path::new("sysbench"));
        let (output, spent) = spent::by(arguments(&mut command, bench).arg("run"))?;
        let said = succeeded(&output)?;
        let (selects, per_s) = transactions(&said).with_context(|| format!("sysbench: {said}"))?;
        Ok((per_s, spent.cpu_s() * 1e9 / selects))
    }
}

fn arguments<'c>(command: &'c mut Command, bench: &Bench<'_>) -> &'c mut Command {
    command
        .args(["oltp_point_select", "--db-driver=pgsql", "--tables=1", "--rand-type=uniform"])
        .arg(format!("--table-size={POINTS}"))
        .arg(format!("--threads={SESSIONS}"))
        .arg(format!("--time={}", WINDOW.as_secs()))
        .arg(format!("--pgsql-host={}", bench.cluster.socket_dir().display()))
        .arg(format!("--pgsql-port={}", bench.cluster.port()))
        .arg(format!("--pgsql-user={}", Cluster::USER))
        .arg(format!("--pgsql-db={}", Cluster::DATABASE))
}

fn pinned(bench: &Bench<'_>, program: &Path) -> Command {
    let mut command = Command::new("taskset");
    command.args(["-c", &bench.client[0].to_string()]).arg(program);
    command
}

/// With the server's address behind what it has.
fn said_to<'c>(command: &'c mut Command, bench: &Bench<'_>) -> &'c mut Command {
    server::to(&bench.cluster, command).arg(Cluster::DATABASE)
}

fn succeeded(output: &Output) -> Result<String> {
    let said = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        bail!(
            "a peer failed ({}):\n{said}{}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        );
    }
    Ok(said)
}

/// The number behind a name at the beginning of a line.
fn field(said: &str, name: &str) -> Option<f64> {
    let rest = said.lines().find_map(|line| line.strip_prefix(name))?;
    rest.split(['/', ' ']).next()?.parse().ok()
}

/// Of sysbench's summary: `transactions:   1234   (617.00 per sec.)`.
fn transactions(said: &str) -> Option<(f64, f64)> {
    let rest = said.lines().find_map(|line| line.trim_start().strip_prefix("transactions:"))?;
    let (count, rate) = rest.split_once('(')?;
    Some((count.trim().parse().ok()?, rate.split(' ').next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_peers_say_of_their_rate_is_read() {
        let pgbench = "scaling factor: 5\nnumber of transactions actually processed: 131072/131072\n\
                       tps = 65536.5 (without initial connection time)\n";
        assert_eq!(field(pgbench, "number of transactions actually processed: "), Some(131_072.0));
        assert_eq!(field(pgbench, "tps = "), Some(65_536.5));
        assert_eq!(field("pgbench: error", "tps = "), None);
        let sysbench = "SQL statistics:\n    transactions:                        97531  (48765.43 per sec.)\n";
        assert_eq!(transactions(sysbench), Some((97_531.0, 48_765.43)));
        assert_eq!(transactions("FATAL: no"), None);
    }
}
