//! `t/io_uring` of fio's source: a loop that submits and reaps and records nothing. No distribution packages it
//! (`make t/io_uring`); `NARROWS_PEER_T_IO_URING` names it.

use std::path::PathBuf;
use std::process::Command;

use anyhow::{Context as _, Result};

use super::{Cost, WINDOW, spent};

/// The program, where it was named.
pub(super) fn program() -> Option<PathBuf> {
    std::env::var_os("NARROWS_PEER_T_IO_URING").map(PathBuf::from)
}

/// What it does with those arguments: the median of the rates it prints each second, the first and last of which may
/// be short, and the processor time of its process.
pub(super) fn run(program: &PathBuf, arguments: &[String]) -> Result<Cost> {
    let runtime = format!("-r{}", WINDOW.as_secs() + 2);
    let (output, spent) = spent::by(Command::new(program).arg(runtime).args(arguments))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let rates: Vec<f64> = said.lines().filter_map(printed_rate).collect();
    let inner = rates.get(1..rates.len().saturating_sub(1)).unwrap_or_default();
    let rate_per_s = narrows_stats::median(inner)
        .with_context(|| format!("{} printed no rate:\n{said}", program.display()))?;
    let per_op_ns = |seconds: f64| seconds / spent.passed_s / rate_per_s * 1e9;
    Ok(Cost {
        rate_per_s,
        cpu_per_op_ns: per_op_ns(spent.cpu_s()),
        user_per_op_ns: per_op_ns(spent.user_s),
    })
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
