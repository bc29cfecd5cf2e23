//! What was asked of `narrows plan`.

use std::path::PathBuf;

use clap::Args;
use narrows_units::Bytes;

use super::Format;

/// `narrows plan`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows plan box.toml                   limits and bottleneck of the described platform
  narrows plan old.toml new.toml          two designs side by side
  narrows plan new.toml --demand 7f3a     would the load of this run fit?
  narrows plan old.toml new.toml --demand 7f3a --core-ratio 1.4
  narrows plan box.toml --table 2TB --block 16KiB
  narrows plan box.toml --format html > box.html")]
#[command(after_long_help = "\
The book's page on plan (docs/src/guide/plan.md) shows how a platform is described; `narrows limits` lists classes.")]
pub struct PlanArgs {
    /// Descriptions of platforms, TOML
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// Size of the table whose scan is timed
    #[arg(long, value_name = "SIZE", default_value = "1TB", value_parser = size)]
    pub table: Bytes,
    /// Block size of random reads and writes
    #[arg(long, value_name = "SIZE", default_value = "8KiB", value_parser = block)]
    pub block: Bytes,
    /// A run (id or file): would its database workloads, or the transactions of an observed server, fit these
    /// platforms?
    #[arg(long, value_name = "RUN")]
    pub demand: Option<String>,
    /// With --demand: speed of one core there relative to one where it was measured, for platforms without their
    /// own core_ratio; without either, cores are taken as equal
    #[arg(long, value_name = "RATIO", requires = "demand", value_parser = core_ratio)]
    pub core_ratio: Option<f64>,
    /// Override the table of limits with this file's figures
    #[arg(long, value_name = "FILE")]
    pub limits: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

pub(super) fn core_ratio(text: &str) -> Result<f64, String> {
    let range = narrows_plan::CORE_RATIO;
    let ratio: f64 = text.parse().map_err(|_| "is no number, like 1.4".to_string())?;
    if range.contains(&ratio) {
        Ok(ratio)
    } else {
        Err(format!("a ratio is within {} and {}", range.start(), range.end()))
    }
}

fn size(text: &str) -> Result<Bytes, String> {
    let bytes: Bytes = text.parse().map_err(|error| format!("{error}"))?;
    if bytes.0 == 0 { Err("is nothing".to_string()) } else { Ok(bytes) }
}

fn block(text: &str) -> Result<Bytes, String> {
    const LARGEST: Bytes = Bytes(64 << 20);
    let bytes = size(text)?;
    if (512..=LARGEST.0).contains(&bytes.0) {
        Ok(bytes)
    } else {
        Err(format!("a block has 512 B to {}", LARGEST.iec()))
    }
}
