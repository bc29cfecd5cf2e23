//! What was asked of `narrows limits`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// `narrows limits`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows limits                           the whole table
  narrows limits nvme ethernet             two families
  narrows limits nvme-gen5-x4              one class with every figure and its whole source
  narrows limits --limits ours.toml san-7  a class in your own file")]
#[command(after_long_help = "\
raw is the signal rate, encoded after the line code, protocol the payload after headers, expected what good systems
reach. The book's page on limits as data (docs/src/reference/limits.md) shows the format of a file.")]
pub struct LimitsArgs {
    /// Classes, families (dram, pcie, nvme, ethernet, cpu, …), or the first words of classes (epyc) [default: all]
    #[arg(value_name = "CLASS")]
    pub classes: Vec<String>,
    /// Override the table with this file's figures
    #[arg(long, value_name = "FILE")]
    pub limits: Vec<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}
