//! What was asked of `narrows size`.

use std::path::PathBuf;

use clap::Args;
use narrows_cost::WhatIf;
use narrows_units::Nanos;

use super::Format;
use super::plan::core_ratio;

/// `narrows size`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows size small.toml large.toml --demand 7f3a --growth 20% --years 3
  narrows size small.toml large.toml --demand 7f3a --rate 3k/s --headroom 60%
  narrows size small.toml large.toml --demand 7f3a --p99 5ms --calibration 9c21
  narrows size small.toml large.toml --given demand.toml --core-ratio 1.4
  narrows size *.toml --demand 7f3a --only update --format html > size.html")]
#[command(after_long_help = "\
The book's page on costs (docs/src/guide/cost.md) shows how platforms, costs and a given demand are described. How busy CPUs \
may be comes from the run (narrows db update --p99 5ms, or --sessions 1,2,4,8,16 with --p99 here), how much of drives from a \
calibration (--calibration RUN), or both from --headroom; without them no platform is called large enough.")]
pub struct SizeArgs {
    /// Descriptions of platforms, TOML, with a table [cost] for what they cost
    #[arg(value_name = "FILE", required = true)]
    pub files: Vec<PathBuf>,
    /// A run (id or file) whose workloads are the demand
    #[arg(long, value_name = "RUN", required_unless_present = "given", conflicts_with = "given")]
    pub demand: Option<String>,
    /// A demand that is known from elsewhere, TOML
    #[arg(long, value_name = "FILE")]
    pub given: Option<PathBuf>,
    /// Of the run's workloads only this one
    #[arg(long, value_name = "NAME", requires = "demand")]
    pub only: Option<String>,
    /// The rate that is needed now, operations per second, instead of the one that was measured
    #[arg(long, value_name = "RATE", value_parser = rate)]
    pub rate: Option<f64>,
    /// Growth of the demand per year, -90% to 1000%
    #[arg(long, value_name = "PERCENT", default_value = "0%", value_parser = percent, allow_hyphen_values = true)]
    pub growth: f64,
    /// Years of growth, up to 20; costs have years of their own
    #[arg(long, value_name = "YEARS", default_value_t = 3.0, value_parser = years)]
    pub years: f64,
    /// How much of a ceiling may be used, whatever binds, instead of what runs measured
    #[arg(long, value_name = "PERCENT", value_parser = headroom, conflicts_with_all = ["p99", "calibration"])]
    pub headroom: Option<f64>,
    /// Limit of an operation's p99: how busy CPUs may be then, by the run's open loop or its numbers of sessions
    #[arg(long, value_name = "TIME")]
    pub p99: Option<Nanos>,
    /// Another run with a curve of latency against rate (narrows block calibrate for drives), repeatable
    #[arg(long, value_name = "RUN")]
    pub calibration: Vec<String>,
    /// Speed of one core there relative to one where the demand was measured, for platforms without their own core_ratio
    #[arg(long, value_name = "RATIO", value_parser = core_ratio)]
    pub core_ratio: Option<f64>,
    /// Take this figure instead of the given one; VALUE is a number or a range "12 to 15", repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = narrows_cost::what_if)]
    pub what_if: Vec<WhatIf>,
    /// Override licence rules, or add some, with this file's
    #[arg(long, value_name = "FILE")]
    pub rules: Vec<PathBuf>,
    /// Override the table of limits with this file's figures
    #[arg(long, value_name = "FILE")]
    pub limits: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

fn percent(text: &str) -> Result<f64, String> {
    let number = text.trim().strip_suffix('%').map(str::trim);
    let share: Option<f64> = number.and_then(|number| number.parse().ok());
    match share {
        Some(share) if (-90.0..=1000.0).contains(&share) => Ok(share / 100.0),
        Some(_) => Err("is not within -90 % and 1000 %".to_string()),
        None => Err("is no share, like 20%".to_string()),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    let text = text.trim().strip_suffix("/s").unwrap_or(text).trim();
    let (number, scale) = match text.chars().last() {
        Some('k') => (&text[..text.len() - 1], 1e3),
        Some('M') => (&text[..text.len() - 1], 1e6),
        _ => (text, 1.0),
    };
    match number.trim().parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate * scale <= 1e12 => Ok(rate * scale),
        _ => Err("is no rate, like 3000 or 3k/s".to_string()),
    }
}

fn headroom(text: &str) -> Result<f64, String> {
    match percent(text)? {
        share if share > 0.0 && share <= 1.0 => Ok(share),
        _ => Err("is not above 0 % and up to 100 %".to_string()),
    }
}

fn years(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(years) if (0.0..=20.0).contains(&years) => Ok(years),
        _ => Err("is no number of years up to 20".to_string()),
    }
}
