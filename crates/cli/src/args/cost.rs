//! What was asked of `narrows cost`.

use std::path::PathBuf;

use clap::Args;
use narrows_cost::WhatIf;

use super::Format;

/// `narrows cost`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows cost box.toml                   costs over the years, per throughput, per core
  narrows cost old.toml new.toml          two side by side, and which differs how much
  narrows cost box.toml --run 7f3a        with the CPU time that this run measured
  narrows cost box.toml --what-if item.server.price=12000
  narrows cost box.toml --rules ours.toml --format html > cost.html
  narrows cost --list-rules               licence rules that are known, with their sources")]
#[command(after_long_help = "\
The book's page on costs (docs/src/guide/cost.md) shows how costs are described. A price without source and date is refused; \
an unknown one gives no total.")]
pub struct CostArgs {
    /// Descriptions with a table [cost], TOML
    #[arg(value_name = "FILE", required_unless_present = "list_rules")]
    pub files: Vec<PathBuf>,
    /// A run (id or file): the CPU time of its workloads and I/O becomes money
    #[arg(long, value_name = "RUN")]
    pub run: Option<String>,
    /// Take this figure instead of the given one; VALUE is a number or a range "12 to 15", repeatable
    #[arg(long, value_name = "KEY=VALUE", value_parser = narrows_cost::what_if)]
    pub what_if: Vec<WhatIf>,
    /// Override licence rules, or add some, with this file's
    #[arg(long, value_name = "FILE")]
    pub rules: Vec<PathBuf>,
    /// List the licence rules with their sources and end
    #[arg(long)]
    pub list_rules: bool,
    /// Override the table of limits with this file's figures, for descriptions of platforms
    #[arg(long, value_name = "FILE")]
    pub limits: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}
