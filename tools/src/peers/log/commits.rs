//! Commits of one and of several sessions beside pgbench, and the log writer without a database beside both.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use narrows_engine::Context;
use narrows_facts::affinity;
use narrows_layer_database::{ByKey, LoadPlan, run_load};
use narrows_model::metric;
use narrows_observe::Watch;
use narrows_postgres::server::Cluster;

use super::place::{self, ROWS};
use crate::peers::agree::{self, MeanTimes};
use crate::peers::{ROUNDS, WINDOW, order};
use crate::server::{self, Programs, Wanted, address};

pub(crate) const TITLE: &str = "## Commits";

const SESSIONS: [u32; 2] = [1, 8];
const STATEMENT: &str = "UPDATE public.peers SET v = v + 1 WHERE k = $1";

/// The server, who measures it, and where each of the two runs.
struct Bench<'a> {
    cluster: &'a Cluster,
    pgbench: PathBuf,
    script: PathBuf,
    folder: &'a Path,
    server_cpu: u32,
    client_cpu: u32,
}

pub(crate) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let programs = match Programs::here() {
        Ok(programs) => programs,
        Err(error) => return Ok(format!("Not measured: {error}\n\n")),
    };
    let cpus = affinity::current();
    let (Some(&server_cpu), Some(&client_cpu)) = (cpus.first(), cpus.get(1)) else {
        return Ok("Not measured: server and client need a processor each.\n\n".into());
    };
    let wanted = Wanted { cpus: &[server_cpu], ..Wanted::default() };
    let mut cluster = place::server(ctx, &programs, (folder, "commits"), wanted)?;
    let script = folder.join("update.sql");
    let statement = STATEMENT.replace("$1", ":k");
    std::fs::write(&script, format!("\\set k random(1, {ROWS})\n{statement};\n"))?;
    let pgbench = programs.found.bin_dir.join("pgbench");
    let bench = Bench { cluster: &cluster, pgbench, script, folder, server_cpu, client_cpu };
    bench.pgbench(&["-i", "-q", "-s", "1"])?;
    let mut text = format!(
        "PostgreSQL {} with `fsync` and `synchronous_commit` on, on one processor, the client on another, one client thread, \
         prepared statements over a Unix socket. The same thing twice: one update of a row as a transaction of its own, from our \
         client and from `pgbench -f`, the mean of what a session waits for its answer. Beside it the `END` alone of \
         `pgbench -N` (simple-update: update, select and insert before it), and our log writer without a database, with as many sessions and as \
         many log bytes per commit as the update takes. Medians of the means of {ROUNDS} windows.\n\n",
        programs.found.version_text
    );
    for sessions in SESSIONS {
        text += &bench.of(ctx, sessions)?;
    }
    cluster.stop()?;
    Ok(text)
}

impl Bench<'_> {
    /// The table for so many sessions.
    fn of(&self, ctx: &Context<'_>, sessions: u32) -> Result<String> {
        let mut said = [
            MeanTimes::new("narrows, one update"),
            MeanTimes::new("pgbench, the same update"),
            MeanTimes::new("pgbench -N, its `END` alone"),
            MeanTimes::new("narrows, log writer without a database"),
        ];
        let mut bytes = Vec::new();
        // The first window tells how many bytes of log a commit takes.
        let (_, mut bytes_per_commit) = self.ours(ctx, sessions)?;
        for round in 0..ROUNDS {
            let ctx = Context { seed: ctx.seed ^ (u64::from(round) << 20), ..*ctx };
            for index in order(round, said.len()) {
                let mean_ns = match index {
                    0 => {
                        let (mean_ns, counted) = self.ours(&ctx, sessions)?;
                        bytes.push(counted);
                        bytes_per_commit = counted;
                        mean_ns
                    }
                    1 => self.same_update_ns(sessions)?,
                    2 => self.end_ns(sessions)?,
                    _ => self.writer_ns(&ctx, sessions, bytes_per_commit)?,
                };
                said[index].mean_ns.push(mean_ns);
            }
        }
        let bytes = narrows_stats::median(&bytes).unwrap_or_default();
        let caption = format!(
            "{sessions} session{}, {bytes:.0} bytes of log per update:",
            if sessions == 1 { "" } else { "s" }
        );
        Ok(agree::table(&caption, "mean", &said) + &agree::line(&said[1], &said[0]) + "\n")
    }

    /// One window of our client: the mean latency, ns, and the log's bytes per update.
    fn ours(&self, ctx: &Context<'_>, sessions: u32) -> Result<(f64, f64)> {
        let plan = LoadPlan {
            server: &address(self.cluster),
            settings: &[],
            programs: &ByKey::update(STATEMENT, ROWS),
            sessions,
            cpus: &[self.client_cpu],
            open_rate_per_s: None,
            warm_up: Duration::from_millis(300),
            window: WINDOW,
            seed: ctx.seed,
        };
        let before = place::log_end(self.cluster)?;
        let (result, ()) = run_load(&plan, ctx.stop, |window, _| Ok(window.wait_end(ctx.stop)?))?;
        let bytes = place::log_end(self.cluster)? - before;
        let failed = result.errors + result.conflicts + result.wrong;
        ensure!(failed == 0, "{failed} updates failed: {:?}", result.first_error);
        let mean_ns = result.latency.mean().context("no update ended in the window")?;
        Ok((mean_ns, bytes / result.span_operations as f64))
    }

    /// pgbench with the same statement.
    fn same_update_ns(&self, sessions: u32) -> Result<f64> {
        let script = self.script.display().to_string();
        let said = self.window(sessions, &["-f", &script])?;
        latency_ns(&said).with_context(|| format!("pgbench said no latency:\n{said}"))
    }

    /// The last statement of pgbench's simple-update.
    fn end_ns(&self, sessions: u32) -> Result<f64> {
        let said = self.window(sessions, &["-N", "-r"])?;
        statement_ns(&said, "END;").with_context(|| format!("pgbench said nothing of END:\n{said}"))
    }

    fn window(&self, sessions: u32, options: &[&str]) -> Result<String> {
        let (sessions, seconds) = (sessions.to_string(), WINDOW.as_secs().to_string());
        let mut all = vec!["-n", "-M", "prepared", "-j", "1", "-c", &sessions, "-T", &seconds];
        all.extend(options);
        self.pgbench(&all)
    }

    fn pgbench(&self, options: &[&str]) -> Result<String> {
        let mut command = Command::new("taskset");
        command.args(["-c", &self.client_cpu.to_string()]).arg(&self.pgbench);
        let command = server::to(self.cluster, &mut command).args(options).arg(Cluster::DATABASE);
        let output = command.output().context("running pgbench")?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if !output.status.success() {
            bail!("pgbench said:\n{said}{}", String::from_utf8_lossy(&output.stderr));
        }
        Ok(said)
    }

    /// The log writer with as many sessions on the server's processor: the mean wait of a commit, ns.
    fn writer_ns(&self, ctx: &Context<'_>, sessions: u32, bytes_per_commit: f64) -> Result<f64> {
        let ctx = Context { repeats: 1, ..*ctx };
        let measured = narrows_layer_wal::commit_ladder(
            &ctx,
            self.folder,
            &Watch::none(),
            sessions,
            bytes_per_commit.round() as u64,
            &[self.server_cpu],
        )?;
        measured.value(metric::LATENCY_MEAN).context("the log writer has no mean")
    }
}

/// `latency average = 0.237 ms` as ns.
fn latency_ns(said: &str) -> Option<f64> {
    let rest = said.lines().find_map(|line| line.strip_prefix("latency average = "))?;
    Some(rest.strip_suffix(" ms")?.parse::<f64>().ok()? * 1e6)
}

/// The first figure of the line that ends with that statement, ms, as ns.
fn statement_ns(said: &str, statement: &str) -> Option<f64> {
    let line = said.lines().find(|line| line.trim_end().ends_with(statement))?;
    Some(line.split_whitespace().next()?.parse::<f64>().ok()? * 1e6)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_pgbench_says_is_read() {
        let said = "latency average = 0.237 ms\ninitial connection time = 1.9 ms\n\
                    statement latencies in milliseconds and failures:\n         \
                    0.002           0  \\set aid random(1, 100000 * :scale)\n         \
                    0.151           0  END;\n";
        assert_eq!((latency_ns(said), statement_ns(said, "END;")), (Some(237e3), Some(151e3)));
        assert_eq!((latency_ns("tps = 4"), statement_ns("x", "END;")), (None, None));
    }
}
