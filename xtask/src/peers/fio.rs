//! fio and its bare benchmark `t/io_uring`, run as they are installed or named.
//!
//! `NARROWS_PEER_FIO` names another fio than the one in PATH, `NARROWS_PEER_T_IO_URING` the other program, which no
//! distribution packages: it comes with fio's source (`make t/io_uring`).

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

use super::{Cost, WINDOW};

fn program() -> PathBuf {
    std::env::var_os("NARROWS_PEER_FIO").map_or_else(|| "fio".into(), PathBuf::from)
}

/// fio's version; `None` where there is none.
pub(super) fn version() -> Option<String> {
    let output = Command::new(program()).arg("--version").output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).trim().to_string())
}

/// The best options that fio's io_uring engine has for that depth: registered files, fixed buffers, batches of an
/// eighth of the depth.
pub(super) fn best(depth: u32) -> Vec<String> {
    let batch = (depth / 8).max(1);
    vec![
        "--registerfiles=1".into(),
        "--fixedbufs=1".into(),
        format!("--iodepth_batch_submit={batch}"),
        format!("--iodepth_batch_complete_min={batch}"),
        format!("--iodepth_batch_complete_max={depth}"),
    ]
}

/// The first job of a run with those options, as fio's JSON has it.
pub(super) fn job(options: &[String]) -> Result<Value> {
    let output = Command::new(program())
        .args(["--name=peer", "--output-format=json"])
        .args(options)
        .output()
        .context("running fio")?;
    let said = String::from_utf8_lossy(&output.stdout);
    // Warnings may precede the document.
    let start = said.find('{').unwrap_or(0);
    let Ok(mut document) = serde_json::from_str::<Value>(&said[start..]) else {
        bail!("fio said:\n{said}{}", String::from_utf8_lossy(&output.stderr));
    };
    Ok(document["jobs"][0].take())
}

/// Random reads of `block` bytes at `depth`, for one window.
pub(super) fn reads(path: &Path, block: u32, depth: u32, options: &[String]) -> Result<Cost> {
    let fixed = ["--rw=randread", "--direct=1", "--ioengine=io_uring", "--time_based"];
    let mut all: Vec<String> = fixed.map(String::from).into();
    all.extend(["--norandommap", "--randrepeat=0"].map(String::from));
    all.push(format!("--filename={}", path.display()));
    all.push(format!("--bs={block}"));
    all.push(format!("--iodepth={depth}"));
    all.push(format!("--runtime={}", WINDOW.as_secs()));
    all.extend_from_slice(options);
    let job = job(&all)?;
    let rate_per_s = number(&job["read"]["iops"])?;
    let per_op_ns = |percent: f64| percent / 100.0 / rate_per_s * 1e9;
    let user_per_op_ns = per_op_ns(number(&job["usr_cpu"])?);
    let cpu_per_op_ns = user_per_op_ns + per_op_ns(number(&job["sys_cpu"])?);
    Ok(Cost { rate_per_s, cpu_per_op_ns, user_per_op_ns })
}

/// A figure of fio's answer.
pub(super) fn number(value: &Value) -> Result<f64> {
    value.as_f64().context("a figure is missing in fio's answer")
}

/// `t/io_uring`, where it was named.
pub(super) fn bare() -> Option<PathBuf> {
    std::env::var_os("NARROWS_PEER_T_IO_URING").map(PathBuf::from)
}

/// Its operations per second with those arguments for one window: the median of what it prints each second, the first
/// and last of which may be short.
pub(super) fn bare_rate(program: &Path, arguments: &[String]) -> Result<f64> {
    let output = Command::new(program)
        .arg(format!("-r{}", WINDOW.as_secs() + 2))
        .args(arguments)
        .output()
        .with_context(|| format!("running {}", program.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let rates: Vec<f64> = said.lines().filter_map(printed_rate).collect();
    let inner = rates.get(1..rates.len().saturating_sub(1)).unwrap_or_default();
    narrows_stats::median(inner)
        .with_context(|| format!("{} printed no rate:\n{said}", program.display()))
}

/// `IOPS=1.25M, BW=…` as a number.
fn printed_rate(line: &str) -> Option<f64> {
    let text = line.strip_prefix("IOPS=")?.split(',').next()?;
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" => 1.0,
        "K" => 1e3,
        "M" => 1e6,
        _ => return None,
    };
    Some(digits.parse::<f64>().ok()? * factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_are_read_as_they_are_printed() {
        assert_eq!(printed_rate("IOPS=1.25M, BW=4.88GiB/s, IOS/call=32/31"), Some(1.25e6));
        assert_eq!(printed_rate("IOPS=950K, BW=1MiB/s"), Some(950e3));
        assert_eq!(printed_rate("IOPS=950, BW=1MiB/s"), Some(950.0));
        assert_eq!(printed_rate("Maximum IOPS=1M"), None);
    }
}
