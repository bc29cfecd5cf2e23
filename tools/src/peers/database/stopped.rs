//! A server that is stopped for a second (SIGSTOP) in an open loop: does its p99 show it?

use std::process::Command;
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use narrows_facts::process;

use super::bench::{Bench, Statement};

const RATE_PER_S: f64 = 2000.0;
const WINDOW: Duration = Duration::from_secs(4);
const STALL_S: f64 = 1.0;
/// How far p99 may be from where it should be.
const WITHIN: f64 = 0.05;

pub(super) fn server_for_a_second(bench: &Bench<'_>) -> Result<String> {
    let pid = bench.cluster.pid().context("the server is not running")?;
    let seen = bench.load(Statement::Select, Some(RATE_PER_S), WINDOW, 0, || {
        std::thread::sleep(WINDOW / 4);
        stop_for_a_second(&process::tree(pid))
    })?;
    let p99_s = seen.latency.quantile(0.99).context("nothing was due")? as f64 / 1e9;
    // One in a hundred of all arrivals waited longer; they are the first ones of the stall.
    let should_be = STALL_S - 0.01 * WINDOW.as_secs_f64();
    let shown = if (p99_s / should_be - 1.0).abs() <= WITHIN { "**shown**" } else { "**missed**" };
    Ok(format!(
        "All processes of the server stopped for {STALL_S:.0} s in an open loop of {RATE_PER_S:.0} a second over {} s: a p99 of \
         {should_be:.2} s should be seen, {p99_s:.2} s was: {shown}.\n\n",
        WINDOW.as_secs()
    ))
}

/// By a shell that lets them go on even if both are interrupted.
fn stop_for_a_second(pids: &[u32]) -> Result<()> {
    let script = "trap '' INT TERM; kill -STOP \"$@\"; sleep 1; kill -CONT \"$@\"";
    let mut command = Command::new("sh");
    command.args(["-c", script, "sh"]).args(pids.iter().map(u32::to_string));
    let status = command.status().context("running sh")?;
    ensure!(status.success(), "the server could not be stopped for a second");
    Ok(())
}
