//! What was asked of `narrows tier`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use narrows_tier_forecast::{Quantity, bytes, bytes_per_s, number, per_s, share, time_us};

use super::Format;

/// `narrows tier`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tier forecast log --run 7f3a --medium-flush 14us   WAL on a faster medium
  narrows tier forecast reads --run 7f3a --tier-read 16us --hits 80%")]
pub struct TierArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: TierCommand,
}

/// What `narrows tier` does.
#[derive(Debug, Subcommand)]
pub enum TierCommand {
    /// Forecast what a tier would give: off and on, what stops the gain, what is unknown
    Forecast(ForecastArgs),
}

/// `narrows tier forecast`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tier forecast log --run 7f3a --medium-flush 10..20us   a medium by its data sheet
  narrows tier forecast log --run 7f3a --medium 8c21             one that `narrows log` measured
  narrows tier forecast reads --run 7f3a --tier-read 16us --curve misses.csv --tier-size 64GiB")]
pub struct ForecastArgs {
    /// Which tier.
    #[command(subcommand)]
    pub tier: ForecastTier,
}

/// Which tier.
#[derive(Debug, Subcommand)]
pub enum ForecastTier {
    /// A log tier: durable writes acknowledged from a faster medium, and destaged behind
    #[command(visible_alias = "wal")]
    Log(Box<LogTierArgs>),
    /// A read cache: reads served from a faster medium; it says nothing of commits
    #[command(visible_alias = "cache")]
    Reads(Box<ReadTierArgs>),
}

/// `narrows tier forecast log`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tier forecast log --run 7f3a --medium-flush 14us --added 21us
                                           a run's update workload, a medium over a network
  narrows tier forecast log --run 7f3a --medium 8c21 --fabric 91d0
                                           medium and network as these runs measured them
  narrows tier forecast log --rate 26566/s --sessions 64 --commit-wait 310us --flush 129us \\
      --cpu-per-transaction 400us --cpus 32 --medium-flush 14us
                                           an AWR report's figures
  narrows tier forecast log --run 7f3a --medium-flush 14us --log-size 960MB --backing 500MB/s
                                           does destaging keep up?")]
#[command(after_long_help = "\
A figure may be a range: 10..20us, 25k..28k/s. A figure that is not given stays unknown, and so does what rests on it. The book's page \
on tiers (docs/src/guide/tier.md) has the law and what it was held against.")]
pub struct LogTierArgs {
    /// A run (id or file) with a workload that commits, or an observed server
    #[arg(long, value_name = "RUN", conflicts_with_all = ["rate", "sessions", "commit_wait", "flush", "commits", "cpu_per_transaction"])]
    pub run: Option<String>,
    /// Which workload of the run [default: update, else the first that commits]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub workload: Option<String>,
    /// Transactions per second now
    #[arg(long, value_name = "RATE", value_parser = per_s)]
    pub rate: Option<Quantity>,
    /// Sessions that work now
    #[arg(long, value_name = "N", value_parser = number)]
    pub sessions: Option<Quantity>,
    /// Wait of one commit now, mean (Oracle: log file sync)
    #[arg(long, value_name = "TIME", value_parser = time_us, required_unless_present = "run")]
    pub commit_wait: Option<Quantity>,
    /// One write and flush of WAL now, mean (Oracle: log file parallel write)
    #[arg(long, value_name = "TIME", value_parser = time_us, required_unless_present = "run")]
    pub flush: Option<Quantity>,
    /// Commits per transaction [default: 1]
    #[arg(long, value_name = "N", value_parser = number)]
    pub commits: Option<Quantity>,
    /// The server's CPU time per transaction
    #[arg(long, value_name = "TIME", value_parser = time_us)]
    pub cpu_per_transaction: Option<Quantity>,
    /// CPUs that the server can use [default: the run's]
    #[arg(long, value_name = "N", value_parser = number)]
    pub cpus: Option<Quantity>,
    /// WAL bytes per transaction [default: the run's]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub wal_per_transaction: Option<Quantity>,
    /// One durable write of one writer on the medium
    #[arg(long, value_name = "TIME", value_parser = time_us, required_unless_present = "medium")]
    pub medium_flush: Option<Quantity>,
    /// A run of `narrows log` on the medium, instead
    #[arg(long, value_name = "RUN", conflicts_with = "medium_flush")]
    pub medium: Option<String>,
    /// What the network to the medium adds to a durable write
    #[arg(long, value_name = "TIME", value_parser = time_us)]
    pub added: Option<Quantity>,
    /// A run of `narrows fabric split` that divided durable writes, instead
    #[arg(long, value_name = "RUN", conflicts_with = "added")]
    pub fabric: Option<String>,
    /// Bytes written to the backing per byte of WAL
    #[arg(long, value_name = "FACTOR", value_parser = number)]
    pub growth: Option<Quantity>,
    /// Sequential writes that the backing takes
    #[arg(long, value_name = "BYTES/s", value_parser = bytes_per_s)]
    pub backing: Option<Quantity>,
    /// Size of the log tier
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub log_size: Option<Quantity>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// `narrows tier forecast reads`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tier forecast reads --run 7f3a --tier-read 16us --hits 70..90%
                                           a run's uncached lookups, a share of hits that is assumed
  narrows tier forecast reads --run 7f3a --tier-read 16us --curve misses.csv --tier-size 64GiB
                                           the share by a miss curve
  narrows tier forecast reads --rate 125688/s --sessions 32 --read 233us --cpu-per-read 14us \\
      --cpus 16 --tier-read 16us --hits 95%
                                           an AWR report's figures")]
#[command(after_long_help = "\
A miss curve has lines of a size and the share of the reads that a cache of that size misses, as in 64GiB,0.42. It must be of the reads \
that reach storage, behind the server's own cache. Without a curve only a bound is known. The book's page on tiers \
(docs/src/guide/tier.md) has the law.")]
pub struct ReadTierArgs {
    /// A run (id or file) with a workload that reads storage, or an observed server
    #[arg(long, value_name = "RUN", conflicts_with_all = ["rate", "sessions", "read", "cpu_per_read"])]
    pub run: Option<String>,
    /// Which workload of the run [default: lookup_uncached, else the first that reads]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub workload: Option<String>,
    /// Reads of storage per second now
    #[arg(long, value_name = "RATE", value_parser = per_s)]
    pub rate: Option<Quantity>,
    /// Sessions that work now
    #[arg(long, value_name = "N", value_parser = number)]
    pub sessions: Option<Quantity>,
    /// One read now, mean (Oracle: db file sequential read)
    #[arg(long, value_name = "TIME", value_parser = time_us, required_unless_present = "run")]
    pub read: Option<Quantity>,
    /// The server's CPU time per read, all that it does with the block included
    #[arg(long, value_name = "TIME", value_parser = time_us)]
    pub cpu_per_read: Option<Quantity>,
    /// CPUs that the server can use [default: the run's]
    #[arg(long, value_name = "N", value_parser = number)]
    pub cpus: Option<Quantity>,
    /// Bytes of one read [default: the run's]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub block: Option<Quantity>,
    /// Buffer hits that the server counted (blks_hit), with --blocks-read
    #[arg(long, value_name = "N", value_parser = number, requires = "blocks_read")]
    pub blocks_hit: Option<Quantity>,
    /// Reads that the server counted meanwhile (blks_read)
    #[arg(long, value_name = "N", value_parser = number, requires = "blocks_hit")]
    pub blocks_read: Option<Quantity>,
    /// One read that the tier serves, the network to it included
    #[arg(long, value_name = "TIME", value_parser = time_us)]
    pub tier_read: Quantity,
    /// What a read that it does not serve takes longer than now
    #[arg(long, value_name = "TIME", value_parser = time_us)]
    pub miss_added: Option<Quantity>,
    /// Size of the tier
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub tier_size: Option<Quantity>,
    /// A miss curve of the reads that reach storage: a file of lines with size and share missed
    #[arg(long, value_name = "FILE", requires = "tier_size", conflicts_with = "hits")]
    pub curve: Option<PathBuf>,
    /// Share of the reads that it serves, instead
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub hits: Option<Quantity>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}
