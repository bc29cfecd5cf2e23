//! Arguments of `narrows export` and `narrows diff`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::Format;

/// `narrows export`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows export --as openmetrics -o /var/lib/node_exporter/narrows.prom
  narrows export before after --as csv -o runs.csv
  narrows export 1f3a --as hdr -o 1f3a.hlog
  narrows export nightly --as parquet -o nightly.parquet")]
#[command(after_long_help = "\
openmetrics is what Prometheus and its node_exporter read from a file: one run of a host, because a sample has no time of its own.
csv has a row for each figure and one for each of its repeats, of as many runs as are named. hdr is a log of HdrHistogram (1.3) with
the latencies of one run. parquet has csv's rows, for thousands of runs: of a build with `cargo build --features parquet`.")]
pub struct ExportArgs {
    /// Saved runs: ids, files or tags [default: the newest]
    #[arg(value_name = "RUN")]
    pub runs: Vec<String>,
    /// Form of the figures
    #[arg(long = "as", value_enum, value_name = "FORM")]
    pub form: ExportForm,
    /// File to write, replaced whole [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// A form for other programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportForm {
    /// Gauges in base units, for a collector of text files
    Openmetrics,
    /// A tidy table: a row for each figure and each of its repeats
    Csv,
    /// Latency histograms as a log of HdrHistogram
    Hdr,
    /// csv's table as Parquet
    Parquet,
}

/// `narrows diff`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows diff before after
  narrows diff 1f3a 20bc --format json")]
#[command(after_long_help = "\
Inventory, settings and plan of the runs; figures are compared by narrows compare.")]
pub struct DiffArgs {
    /// Two saved runs, or sets of runs: an id, a file, a folder, a tag, or several with commas
    #[arg(value_name = "RUN", num_args = 2, required = true)]
    pub sides: Vec<String>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}
