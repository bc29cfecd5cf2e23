//! What was asked of `narrows tier`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use narrows_tier_forecast::{
    BUFFERCACHE_SQL, Quantity, bytes, bytes_per_s, number, per_s, share, time_us,
};
use narrows_units::{Nanos, ParseQuantityError};

use super::block::binary_size;
use super::db::{KeysArg, keys};
use super::log::{PlacedLoadArgs, window};
use super::number::{sessions, whole};
use super::{Format, OutputArgs};

/// `narrows tier`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tier forecast log --run 7f3a --medium-flush 14us   WAL on a faster medium
  narrows tier forecast reads --run 7f3a --tier-read 16us --hits 80%
  narrows tier curve reads.txt                               misses by size, from a trace
  narrows tier prove log /wal-off /wal-on --data /data       off and on, measured")]
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
    /// Measure a tier off and on, and hold the forecast against it
    Prove(ProveArgs),
    /// What a read cache of each size would miss, from a trace of the reads that reach storage
    Curve(CurveArgs),
}

/// `narrows tier curve`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  blktrace -d /dev/nvme0n1 -a queue -w 600 -o - | blkparse -i - > reads.txt   ten minutes, as root
  narrows tier curve reads.txt > misses.csv
  narrows tier forecast reads --run 7f3a --tier-read 16us --curve misses.csv --tier-size 64GiB")]
#[command(after_long_help = "\
The trace is what blkparse prints of queued requests, or a log that fio wrote (write_iolog); `-` is standard input. Each line of the curve \
has a size and the share of the reads that an LRU cache of that size misses: least if blocks that come for the first time were there \
before, most if they were not.")]
pub struct CurveArgs {
    /// The trace; - is standard input
    #[arg(value_name = "FILE")]
    pub trace: PathBuf,
    /// Size of a block of the cache
    #[arg(long, value_name = "SIZE", value_parser = binary_size, default_value = "8k")]
    pub size: u64,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = CurveFormat::Csv)]
    pub format: CurveFormat,
}

/// How a curve is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CurveFormat {
    /// Lines of size and share, which --curve reads
    Csv,
    /// An object: from, block_bytes, and points with size_bytes, missed, missed_least, missed_most (shares)
    Json,
}

/// `narrows tier prove`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tier prove log /wal-off /wal-on --data /data    PostgreSQL with WAL on each, in turns
  narrows tier prove log --run 7f3a                       of a stored run, once more
  narrows tier prove reads /dev/nvme1n1 /dev/nvme2n1 --tier-size 64GiB --working-set 256GiB
  narrows tier prove reads --database postgres /data-off /data-on --tier-size 64GiB \\
      --working-set 256GiB
                                                          PostgreSQL with its data on each")]
pub struct ProveArgs {
    /// Which tier.
    #[command(subcommand)]
    pub tier: ProofTier,
}

/// Which tier is measured.
#[derive(Debug, Subcommand)]
pub enum ProofTier {
    /// A log tier: PostgreSQL with WAL on storage without the tier and with it
    #[command(visible_alias = "wal")]
    Log(Box<LogProofArgs>),
    /// A read cache: sessions, or PostgreSQL, that read storage without the tier and with it
    #[command(visible_alias = "cache")]
    Reads(Box<ReadProofArgs>),
}

/// `narrows tier prove log`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tier prove log /wal-off /wal-on --data /data    PostgreSQL with WAL on each, in turns
  narrows tier prove log /wal-off /wal-on --sessions 32 --window 10s
  narrows tier prove log --run 7f3a                       of a stored run, once more")]
#[command(after_long_help = "\
Both folders are on the same backing, one without the tier and one with it: two namespaces of a target, one of them with log=FILE, each \
with a file system. Private PostgreSQL instances run in turns with WAL in OFF and in ON. The forecast is made from the windows in OFF \
and from the flush of one writer in each folder; nothing of the database's windows in ON goes into it. The book's page on tiers \
(docs/src/guide/tier.md) shows how to make the two.")]
pub struct LogProofArgs {
    /// Folder for WAL on the storage without the tier
    #[arg(value_name = "OFF", required_unless_present = "run")]
    pub off: Option<PathBuf>,
    /// Folder for WAL on the same storage with the tier
    #[arg(value_name = "ON", required_unless_present = "run")]
    pub on: Option<PathBuf>,
    /// A stored run (id or file) of this command or of `narrows log placement --prove`, instead
    #[arg(long, value_name = "RUN", conflicts_with_all = ["off", "on", "data", "sessions", "repeats", "window", "postgres"])]
    pub run: Option<String>,
    /// Folder on the drives for the data files [default: OFF]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// The database and its windows.
    #[command(flatten)]
    pub load: PlacedLoadArgs,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows tier prove reads`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows tier prove reads /dev/nvme1n1 /dev/nvme2n1 --tier-size 64GiB --working-set 256GiB
                                           two devices, or nvme-tcp:// addresses: only read
  narrows tier prove reads /off /on --tier-size 4GiB --working-set 16GiB
                                           files of that size, made and removed
  narrows tier prove reads --database postgres /data-off /data-on --tier-size 4GiB \\
      --working-set 16GiB
                                           PostgreSQL with its data in each, in turns
  narrows tier prove reads --run 7f3a      of a stored run, once more")]
#[command(after_long_help = "\
OFF and ON are the same storage without the tier and with it: addresses of namespaces or block devices, which are only read, or folders, \
in which a file of the working set's size is made. The share of hits is computed from --keys and --tier-size before anything is read: \
at least what LRU serves, at most the most popular blocks that fit. The forecast is made from it, from the windows on OFF, from the time of \
a read that the tier serves, measured between reads on OFF, and from one session's reads on OFF alone.

With --database, private PostgreSQL instances with a small shared_buffers run in turns with their data in OFF and in ON, folders on file systems \
of their own, and sessions look up single rows of a table of the working set's size. The times of reads are the server's (track_io_timing). PostgreSQL 16 \
and later read around the page cache (debug_io_direct); how many reads reached storage is counted, and where they did not it is no proof.")]
pub struct ReadProofArgs {
    /// Storage without the tier: nvme-tcp://…, a block device, or a folder
    #[arg(value_name = "OFF", required_unless_present = "run")]
    pub off: Option<String>,
    /// The same storage with the tier
    #[arg(value_name = "ON", required_unless_present = "run")]
    pub on: Option<String>,
    /// A stored run (id or file) of this command, instead
    #[arg(long, value_name = "RUN", conflicts_with_all = ["off", "on", "database", "pool", "postgres", "tier_size", "working_set", "size", "keys", "sessions", "warm_up", "repeats", "window"])]
    pub run: Option<String>,
    /// The server whose reads are measured, with its data in OFF and in ON [default: none, blocks are read without one]
    #[arg(long, value_name = "KIND")]
    pub database: Option<ReadingDatabase>,
    /// Its shared_buffers [default: 4m]
    #[arg(long, value_name = "SIZE", value_parser = binary_size, requires = "database")]
    pub pool: Option<u64>,
    /// The PostgreSQL to start: its `postgres` program or the folder it is in
    #[arg(long, value_name = "FILE", requires = "database")]
    pub postgres: Option<PathBuf>,
    /// Size of the tier: 64g is 64 GiB
    #[arg(long, value_name = "SIZE", value_parser = binary_size, required_unless_present = "run")]
    pub tier_size: Option<u64>,
    /// What is read of each side, from its beginning; with --database the table's size
    #[arg(long, value_name = "SIZE", value_parser = binary_size, default_value = "1GiB")]
    pub working_set: u64,
    /// Size of a read
    #[arg(long, value_name = "SIZE", value_parser = binary_size, default_value = "8k", conflicts_with = "database")]
    pub size: u64,
    /// Which blocks are read: uniform, zipf:0.99, or hot:80/20 (80 % of the reads on 20 % of the blocks)
    #[arg(long, value_name = "LAW", default_value = "zipf:0.99", value_parser = keys)]
    pub keys: KeysArg,
    /// Sessions, each with one read at a time
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = sessions::<256>)]
    pub sessions: u32,
    /// For how long the tier is read before anything counts
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = warm_up)]
    pub warm_up: Nanos,
    /// Windows on each side; from 3 on there are intervals
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = whole::<1, 60>)]
    pub repeats: u32,
    /// Length of a window
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = window)]
    pub window: Nanos,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A server whose reads are measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReadingDatabase {
    /// A private PostgreSQL for each side
    Postgres,
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
                                           does destaging keep up?
  pg_waldump --path PGDATA/pg_wal FIRST-FILE LAST-FILE > wal.txt
  narrows tier forecast log --trace wal.txt --commit-wait 2ms --flush 1ms --medium-flush 30us \\
      --backing 100MB/s
                                           by the WAL of some minutes")]
#[command(after_long_help = "\
A figure may be a range: 10..20us, 25k..28k/s. A figure that is not given stays unknown, and so does what rests on it. The book's page \
on tiers (docs/src/guide/tier.md) has the law and what it was held against.")]
pub struct LogTierArgs {
    /// A run (id or file) with a workload that commits, or an observed server
    #[arg(long, value_name = "RUN", conflicts_with_all = ["rate", "sessions", "commit_wait", "flush", "commits", "cpu_per_transaction", "trace"])]
    pub run: Option<String>,
    /// Which workload of the run [default: update, else the first that commits]
    #[arg(long, value_name = "NAME", requires = "run")]
    pub workload: Option<String>,
    /// Transactions per second now
    #[arg(long, value_name = "RATE", value_parser = per_s)]
    pub rate: Option<Quantity>,
    /// PostgreSQL's WAL, instead: what pg_waldump prints; - is standard input. Its commits per second, and WAL of one
    #[arg(long, value_name = "FILE", conflicts_with_all = ["rate", "wal_per_transaction", "commits"])]
    pub trace: Option<PathBuf>,
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
    /// WAL bytes per transaction: 2k is 2 KiB [default: the run's]
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
    /// Size of the log tier: 1g is 1 GiB, 960MB is decimal
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
  psql --csv -d shop -f buffercache.sql > pool.csv
  narrows tier forecast reads --run 7f3a --tier-read 16us --buffercache pool.csv --tier-size 64GiB
                                           by PostgreSQL's pool and counters, in part assumed
  narrows tier forecast reads --rate 125688/s --sessions 32 --read 233us --cpu-per-read 14us \\
      --cpus 16 --tier-read 16us --hits 95%
                                           an AWR report's figures")]
#[command(after_long_help = reads_notes())]
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
    /// One read by one session that has storage to itself: what --read takes longer is taken for a queue, which a cache makes shorter
    #[arg(long, value_name = "TIME", value_parser = time_us)]
    pub read_alone: Option<Quantity>,
    /// The server's CPU time per read, all that it does with the block included
    #[arg(long, value_name = "TIME", value_parser = time_us)]
    pub cpu_per_read: Option<Quantity>,
    /// CPUs that the server can use [default: the run's]
    #[arg(long, value_name = "N", value_parser = number)]
    pub cpus: Option<Quantity>,
    /// Bytes of one read: 8k is 8 KiB [default: the run's]
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
    /// Size of the tier: 64g is 64 GiB
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub tier_size: Option<Quantity>,
    /// A miss curve of the reads that reach storage: a file of lines with size and share missed
    #[arg(long, value_name = "FILE", requires = "tier_size", conflicts_with = "hits")]
    pub curve: Option<PathBuf>,
    /// A trace of the reads that reach storage, instead: what blkparse prints, or fio's write_iolog
    #[arg(long, value_name = "FILE", requires = "tier_size", conflicts_with_all = ["curve", "hits"])]
    pub trace: Option<PathBuf>,
    /// What shared_buffers holds of each relation, and its reads, instead: CSV of the statement below. Twice: the reads between two looks
    #[arg(long, value_name = "FILE", requires = "tier_size", conflicts_with_all = ["curve", "trace", "hits", "blocks_hit"])]
    pub buffercache: Vec<PathBuf>,
    /// Share of the reads that it serves, instead
    #[arg(long, value_name = "SHARE", value_parser = share)]
    pub hits: Option<Quantity>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// What a curve is, and the statement for `--buffercache`.
fn reads_notes() -> String {
    let sql: String = BUFFERCACHE_SQL.lines().map(|line| format!("  {line}\n")).collect();
    format!(
        "\
A miss curve has lines of a size and the share of the reads that a cache of that size misses, as in 64GiB,0.42; `narrows tier curve` makes \
one of a trace. It must be of the reads that reach storage, behind the server's own cache. Without a curve only a bound is known, or what \
--buffercache adds to it. The book's page on tiers (docs/src/guide/tier.md) has the law.

--buffercache takes what this statement prints with psql --csv in the database that reads (PostgreSQL 13 to 18; pg_monitor, and once \
CREATE EXTENSION pg_buffercache). It goes through the whole pool and locks each buffer's header in turn, as any use of pg_buffercache does:

{sql}"
    )
}

/// How long a tier is warmed: a large one takes hours.
///
/// # Errors
/// A sentence, where it is no time, or more than a day.
fn warm_up(text: &str) -> Result<Nanos, String> {
    const DAY_NS: u64 = 86_400_000_000_000;
    let time: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    let fits = (1..=DAY_NS).contains(&time.0);
    fits.then_some(time).ok_or_else(|| "a tier is warmed for at most a day, as in 10min".into())
}
