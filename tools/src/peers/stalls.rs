//! A second in which nothing moves, in a test of 1000 reads a second: who shows it?
//!
//! Twice: the process that measures is stopped (SIGSTOP, as by a hypervisor or a debugger) between two reads; and the
//! device stops answering, which only ours can be given here. Of n arrivals a second of stall delays 1000, evenly
//! by 0 to 1 s, so the p-th percentile should be 1 s − (1 − p) × n / 1000.

use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use narrows_engine::{Arrivals, Context};
use narrows_io::{Access, Effect, Fault, TestFile, When};
use narrows_layer_block::{Load, Region, Scenario, Stream, run_scenario};
use narrows_observe::Watch;
use serde_json::Value;

use super::fio::{self, Fio};
use super::{ROUNDS, figure};

const FILE_BYTES: u64 = 64 << 20;
const RATE_PER_S: f64 = 1000.0;
/// More than a second's arrivals: the stall holds nothing back.
const IN_FLIGHT: u32 = 2048;
const SECONDS: u64 = 4;
const STALL_NS: u64 = 1_000_000_000;
/// Of the arrivals: the stall begins in the middle of the window.
const STALLED_AT: u64 = 1500;
/// From its start until a process is stopped, seconds: beyond start and warm-up, well before the end.
const STOPPED_AT: &str = "1.7";
/// How far a percentile may be from where it should be.
const WITHIN: f64 = 0.05;

pub(super) const TITLE: &str = "## A second of stall";

/// Latency of one window, ns.
#[derive(Debug, Clone, Copy)]
struct Tail {
    p99_ns: f64,
    p99_9_ns: f64,
    max_ns: f64,
}

pub(super) fn compare(ctx: &Context<'_>, folder: &Path) -> Result<String> {
    let arrivals = RATE_PER_S * SECONDS as f64;
    let should_be = |quantile: f64| 1.0 - (1.0 - quantile) * arrivals / RATE_PER_S;
    let mut text = format!(
        "{RATE_PER_S:.0} reads a second for {SECONDS} s of a device that answers at once, one thread, constant arrivals, and in \
         the middle nothing moves for 1 s. A quarter of the arrivals comes late, by up to that second: p99 should be {:.2} s, p99.9 \
         {:.3} s, the longest 1 s. fio's p99 is `lat_ns`, `rate_iops` with its defaults.\n\n\
         | | what stops | p99 | p99.9 | longest |\n| --- | --- | ---: | ---: | ---: |\n",
        should_be(0.99),
        should_be(0.999),
    );
    let file = narrows_layer_block::prepare(ctx, folder, FILE_BYTES, ctx.seed)?;
    let fios = Fio::found();
    let (mut device, mut process) = (Vec::new(), Vec::new());
    let mut theirs: Vec<Vec<Tail>> = vec![Vec::new(); fios.len()];
    for _ in 0..ROUNDS {
        device.push(ours(ctx, &file, stalling())?);
        let mut stopper = stop_for_a_second(std::process::id())?;
        let tail = ours(ctx, &file, Access::null());
        ensure!(stopper.wait()?.success(), "this process could not be stopped for a second");
        process.push(tail?);
        for (fio, tails) in fios.iter().zip(&mut theirs) {
            tails.push(stopped_fio(fio)?);
        }
    }
    text += &row("narrows", "the device", &device);
    text += &row("narrows", "the process", &process);
    for (fio, tails) in fios.iter().zip(&theirs) {
        text += &row(&fio.version, "the process", tails);
    }
    let shows = |tail: &Tail| {
        let close = |ns: f64, seconds: f64| (ns / 1e9 / seconds - 1.0).abs() <= WITHIN;
        close(tail.p99_ns, should_be(0.99)) && close(tail.max_ns, 1.0)
    };
    let all = device.iter().chain(&process);
    let shown = all.clone().filter(|tail| shows(tail)).count();
    let outcome = if shown == all.count() { "reached" } else { "missed" };
    Ok(text
        + &format!(
            "\n- p99 and the longest of ours within {:.0} % of where they should be: **{outcome}** ({shown} of {} windows).\n\n",
            WITHIN * 100.0,
            2 * ROUNDS
        ))
}

fn row(name: &str, what: &str, tails: &[Tail]) -> String {
    let cell = |of: fn(&Tail) -> f64| {
        let ns: Vec<f64> = tails.iter().map(of).collect();
        figure(&ns, |ns| narrows_units::Nanos(ns as u64).to_string())
    };
    format!(
        "| {name} | {what} | {} | {} | {} |\n",
        cell(|tail| tail.p99_ns),
        cell(|tail| tail.p99_9_ns),
        cell(|tail| tail.max_ns)
    )
}

/// No device, but one that stops answering for a second.
fn stalling() -> Access {
    Access::null().with_faults(vec![Fault::any(When::Nth(STALLED_AT), Effect::StallNs(STALL_NS))])
}

fn ours(ctx: &Context<'_>, file: &TestFile, access: Access) -> Result<Tail> {
    let mut stream = Stream::reads("stall", Region::of(file), 4096, IN_FLIGHT, access);
    stream.load = Load::Open {
        rate_per_s: RATE_PER_S,
        arrivals: Arrivals::Constant,
        most_in_flight: IN_FLIGHT,
    };
    let lengths = (Duration::from_millis(200), Duration::from_secs(SECONDS));
    let scenario = Scenario::of(stream, lengths.0, lengths.1, ctx.seed);
    let latency = run_scenario(ctx, &scenario, &Watch::none())?.remove(0).latency();
    let quantile = |q| latency.quantile(q).map(|ns| ns as f64).context("nothing was read");
    Ok(Tail {
        p99_ns: quantile(0.99)?,
        p99_9_ns: quantile(0.999)?,
        max_ns: latency.max().context("nothing was read")? as f64,
    })
}

fn stopped_fio(fio: &Fio) -> Result<Tail> {
    let mut options = fio::without_device();
    // One process, so that stopping it stops the job.
    options.extend(["--thread", "--lat_percentiles=1"].map(String::from));
    options.push(format!("--rate_iops={RATE_PER_S:.0}"));
    options.push(format!("--runtime={SECONDS}"));
    let child = fio.command(&options).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.context("running fio")?;
    let stopped = stop_for_a_second(child.id())?.wait()?.success();
    let output = child.wait_with_output()?;
    ensure!(stopped, "fio could not be stopped for a second");
    tail(&fio::job(&output)?["read"]["lat_ns"])
}

fn tail(latency: &Value) -> Result<Tail> {
    let percentile = |name: &str| fio::number(&latency["percentile"][name]);
    Ok(Tail {
        p99_ns: percentile("99.000000")?,
        p99_9_ns: percentile("99.900000")?,
        max_ns: fio::number(&latency["max"])?,
    })
}

/// A shell that stops a process some time from now and lets it go on a second later, even if both are interrupted.
fn stop_for_a_second(pid: u32) -> Result<Child> {
    let script =
        format!("trap '' INT TERM; sleep {STOPPED_AT}; kill -STOP $0; sleep 1; kill -CONT $0");
    let mut command = Command::new("sh");
    command.args(["-c", &script, &pid.to_string()]).stdout(Stdio::null());
    command.spawn().context("running sh")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_fio_says_of_its_latency_is_read() {
        let said = serde_json::json!({
            "max": 1_100_000, "percentile": { "99.000000": 4320, "99.900000": 22_016 }
        });
        let tail = tail(&said).unwrap();
        let row = row("fio", "the process", &[tail]);
        assert_eq!(row, "| fio | the process | 4.32 µs | 22.0 µs | 1.10 ms |\n");
        assert!(super::tail(&serde_json::json!({ "max": 1 })).is_err());
    }
}
