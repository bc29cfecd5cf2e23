//! What was asked of `narrows log`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use narrows_runner::request::log::Style;
use narrows_units::{Bytes, BytesPerSecond, Nanos, ParseQuantityError};

use super::OutputArgs;
use super::block::{ArrivalsArg, binary_size, limit, percentile};
use super::number::{sessions, whole};

/// `narrows log`; without a command the ladder and the commits.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(before_help = "\
Examples:
  narrows log                              from the device's flush to the database's commit, here
  narrows log --wal /wal --data /data      with WAL and data files on these drives
  narrows log ladder --methods all --sizes 512,8k,128k --layouts all
  narrows log commits --within 2ms         commits per second with p99 within 2 ms
  narrows log streams --streams 10 --rate 4MB/s   ten databases that write 4 MB/s of WAL each
  narrows log ladder --write-to-device nvme-tcp://192.0.2.10/nqn.2026-11.org.example:wal --serial S
                                           Write and Flush, and Write with FUA, over NVMe/TCP
  narrows log postgres postgres://app@db7/shop    what a commit costs on a running server
  narrows log placement --wal /data --wal /wal --prove   another WAL location: predicted and tested")]
pub struct LogArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<LogCommand>,
    /// What to measure, without a command.
    #[command(flatten)]
    pub whole: WholeArgs,
}

/// What `narrows log` measures.
#[derive(Debug, Subcommand)]
pub enum LogCommand {
    /// From the device's flush to the database's commit: what each layer adds, idle and beside a load
    Ladder(LadderArgs),
    /// Highest rate of commits that keeps a wait percentile within a limit; sessions share flushes
    Commits(CommitsArgs),
    /// What this workload would commit with WAL on another location: predicted, and tested with --prove
    #[command(alias = "compare")]
    Placement(PlacementArgs),
    /// Does acknowledged data survive a power cut? Needs a second host
    Crashtest(super::crashtest::CrashtestArgs),
    /// The cost of a commit on a running PostgreSQL, and its bottleneck; only observes
    Postgres(super::live::LogPostgresArgs),
    /// Several WAL streams on one device: how they slow each other, and how many it holds
    Streams(StreamsArgs),
}

/// Where the files of a server would be.
#[derive(Debug, Clone, Args)]
pub struct LogMediumSpecArgs {
    /// Folder on the drives for WAL [default: the current folder]
    #[arg(long, value_name = "DIR")]
    pub wal: Option<PathBuf>,
    /// Folder on the drives for the data files [default: that of --wal]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
}

/// Where a log is measured.
#[derive(Debug, Clone, Args)]
pub struct LogTargetArgs {
    /// Folders.
    #[command(flatten)]
    pub dirs: LogMediumSpecArgs,
    /// A namespace that may be written, instead of folders: nvme-tcp://HOST:PORT/NQN; what is on it is lost
    #[arg(
        long,
        value_name = "ADDRESS",
        requires = "serial",
        conflicts_with_all = ["wal", "data"]
    )]
    pub write_to_device: Option<String>,
    /// The subsystem's serial number
    #[arg(long, value_name = "S", requires = "write_to_device")]
    pub serial: Option<String>,
}

/// How a write is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "snake_case")]
pub enum MethodArg {
    /// A write, then fdatasync (PostgreSQL's default on Linux)
    Fdatasync,
    /// A write, then fsync
    Fsync,
    /// One write to a file opened with O_DSYNC
    Dsync,
    /// The same with direct I/O (O_DIRECT), as Oracle writes
    DsyncDirect,
    /// One pwritev2 with RWF_DSYNC
    RwfDsync,
    /// io_uring: a write and a linked fdatasync, in one call
    Uring,
    /// All of them
    All,
}

/// What the file is when it is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayoutArg {
    /// Its blocks were written before, as in a recycled segment
    Overwrite,
    /// Each write extends it
    Extend,
    /// Its blocks are allocated and were never written
    Fallocated,
    /// All of them
    All,
}

/// The database at the top of the ladder.
#[derive(Debug, Clone, Args)]
pub struct LogDatabaseArgs {
    /// Leave out the database's own commit
    #[arg(long)]
    pub no_database: bool,
    /// The PostgreSQL to start: its `postgres` program or the folder it is in
    #[arg(long, value_name = "FILE", conflicts_with = "no_database")]
    pub postgres: Option<PathBuf>,
    /// A synchronous standby on this machine too: what its write and its flush add
    #[arg(long, conflicts_with = "no_database")]
    pub standby: bool,
}

/// `narrows log`
#[derive(Debug, Args)]
pub struct WholeArgs {
    /// Where.
    #[command(flatten)]
    pub place: LogTargetArgs,
    /// The database.
    #[command(flatten)]
    pub database: LogDatabaseArgs,
    /// What is searched for.
    #[command(flatten)]
    pub goal: CommitGoalArgs,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows log ladder`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log ladder --wal /wal                   what each layer adds to a commit there
  narrows log ladder --standby                    with a synchronous standby on this machine
  narrows log ladder --no-database --methods all  each way to make a write durable
  narrows log ladder --sizes 512,8k,128k --layouts all
  narrows log ladder --wal /wal-off --tier /wal-on
                                                  and what a log tier makes of the flush")]
pub struct LadderArgs {
    /// Where.
    #[command(flatten)]
    pub place: LogTargetArgs,
    /// Folder on the same storage with a log tier in front: the durable write there too, by one writer and by four
    #[arg(long, value_name = "DIR", conflicts_with = "write_to_device")]
    pub tier: Option<PathBuf>,
    /// Sync methods
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "METHOD,…",
        default_value = "fdatasync,dsync,dsync_direct,uring"
    )]
    pub methods: Vec<MethodArg>,
    /// What the file is
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        value_name = "LAYOUT,…",
        default_value = "overwrite"
    )]
    pub layouts: Vec<LayoutArg>,
    /// Bytes per write: 8k is 8 KiB
    #[arg(long, value_delimiter = ',', value_name = "SIZE,…", default_value = "8k", value_parser = write_size)]
    pub sizes: Vec<u64>,
    /// New windows of each; from 6 on there are intervals
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = whole::<1, 60>)]
    pub repeats: u32,
    /// Leave out the load on the data files
    #[arg(long)]
    pub alone: bool,
    /// The database.
    #[command(flatten)]
    pub database: LogDatabaseArgs,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What a commit's wait has to keep, and how commits come.
#[derive(Debug, Clone, Args)]
pub struct CommitGoalArgs {
    /// Percentile of the commit wait to keep within the limit
    #[arg(long, value_name = "P", default_value = "99", value_parser = percentile)]
    pub percentile: f64,
    /// Limit of the commit wait, from its scheduled start
    #[arg(long, value_name = "TIME", default_value = "5ms", value_parser = limit)]
    pub within: Nanos,
    /// Minutes for the search [default: 1]
    #[arg(long, value_name = "N", value_parser = whole::<1, 600>)]
    pub minutes: Option<u32>,
}

/// Who writes WAL.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum StyleArg {
    /// One of the committing sessions, for all that wait, as in PostgreSQL
    Leader,
    /// A process of its own that is posted, as in Oracle
    Writer,
}

impl From<StyleArg> for Style {
    fn from(arg: StyleArg) -> Style {
        match arg {
            StyleArg::Leader => Style::Leader,
            StyleArg::Writer => Style::Writer,
        }
    }
}

/// `narrows log commits`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log commits --wal /wal --within 2ms   commits per second with p99 within 2 ms
  narrows log commits --commit-delay 100us      with PostgreSQL's commit_delay
  narrows log commits --bytes 1k --style writer
                                                1 KiB of WAL each, by a process of its own")]
pub struct CommitsArgs {
    /// Where.
    #[command(flatten)]
    pub place: LogTargetArgs,
    /// What is searched for.
    #[command(flatten)]
    pub goal: CommitGoalArgs,
    /// How commits arrive
    #[arg(long, value_enum, default_value_t = ArrivalsArg::Poisson)]
    pub arrivals: ArrivalsArg,
    /// WAL bytes per commit
    #[arg(long, value_name = "SIZE", default_value = "200", value_parser = binary_size)]
    pub bytes: u64,
    /// Sizes of commits in place of --bytes: a file of lines with bytes and number of commits
    #[arg(long, value_name = "FILE", conflicts_with = "bytes")]
    pub size_histogram: Option<PathBuf>,
    /// Who writes WAL
    #[arg(long, value_enum, default_value_t = StyleArg::Leader)]
    pub style: StyleArg,
    /// commit_delay: how long a session waits before a flush so that others can join
    #[arg(long, value_name = "TIME", default_value = "0us", value_parser = delay)]
    pub commit_delay: Nanos,
    /// commit_siblings: only if that many others are committing
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = whole::<0, 1000>)]
    pub commit_siblings: u32,
    /// Most sessions of the closed loop
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = sessions::<1024>)]
    pub most_sessions: u32,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows log streams`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log streams --wal /wal                 ten streams of 4 MB/s on one device
  narrows log streams --streams 4 --rate 20MB/s  four of 20 MB/s
  narrows log streams --within 5ms               how many keep p99 within 5 ms")]
pub struct StreamsArgs {
    /// Where.
    #[command(flatten)]
    pub place: LogTargetArgs,
    /// WAL streams at once
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<1, 256>)]
    pub streams: u32,
    /// Bytes per second of each
    #[arg(long, value_name = "BYTES/s", default_value = "4MB/s", value_parser = stream_rate)]
    pub rate: BytesPerSecond,
    /// Bytes per write: 128k is 128 KiB
    #[arg(long, value_name = "SIZE", default_value = "128k", value_parser = write_size)]
    pub size: u64,
    /// Percentile of the write time to keep within the limit
    #[arg(long, value_name = "P", default_value = "99", value_parser = percentile)]
    pub percentile: f64,
    /// Limit of the write time, from its scheduled start
    #[arg(long, value_name = "TIME", default_value = "10ms", value_parser = limit)]
    pub within: Nanos,
    /// Most streams that the search tries
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = whole::<1, 256>)]
    pub most_streams: u32,
    /// Cache size whose turnover time to report: 4g is 4 GiB
    #[arg(long, value_name = "SIZE", value_parser = binary_size)]
    pub cache: Option<u64>,
    /// New windows of each number
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = whole::<1, 60>)]
    pub repeats: u32,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows log placement`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log placement --wal /data --wal /wal          WAL is in /data; what would /wal give?
  narrows log placement --wal /data --wal /wal --prove  and what it gives, measured")]
#[command(after_long_help = "\
The first folder is where the workload is measured. A folder in memory (a tmpfs) stands for a fast medium: it is
measured, marked as not durable, and never recommended.")]
pub struct PlacementArgs {
    /// Folders for WAL on different file systems, the one in use now first; two or more
    #[arg(long, value_name = "DIR", required = true)]
    pub wal: Vec<PathBuf>,
    /// Folder on the drives for the data files [default: the first --wal that is not in memory]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Run PostgreSQL with WAL on each location too, in turns, to test the prediction
    #[arg(long)]
    pub prove: bool,
    /// The database and its windows.
    #[command(flatten)]
    pub load: PlacedLoadArgs,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// A database with its WAL on several locations, in turns.
#[derive(Debug, Args)]
pub struct PlacedLoadArgs {
    /// Sessions that update and commit in a closed loop
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = sessions::<256>)]
    pub sessions: u32,
    /// New windows of everything; from 3 on there are intervals
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = whole::<1, 60>)]
    pub repeats: u32,
    /// Length of a window of the database; the emulation's is half of it
    #[arg(long, value_name = "TIME", default_value = "2s", value_parser = window)]
    pub window: Nanos,
    /// The PostgreSQL to start: its `postgres` program or the folder it is in
    #[arg(long, value_name = "FILE")]
    pub postgres: Option<PathBuf>,
}

/// The length of a window.
///
/// # Errors
/// A sentence, where it is no time or not from 100 ms to a minute.
pub fn window(text: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    if (100_000_000..=60_000_000_000).contains(&time.0) {
        Ok(time)
    } else {
        Err("windows are from 100ms to 60s".to_string())
    }
}

/// What a log writes.
///
/// # Errors
/// A sentence, where it is no rate or not from 1 kB/s to 10 GB/s.
pub fn stream_rate(text: &str) -> Result<BytesPerSecond, String> {
    let bytes: Bytes = text
        .strip_suffix("/s")
        .ok_or("write bytes per second, as 4MB/s")?
        .parse()
        .map_err(|error: ParseQuantityError| error.to_string())?;
    let rate = BytesPerSecond(bytes.0 as f64);
    if (1e3..=1e10).contains(&rate.0) {
        Ok(rate)
    } else {
        Err("rates are from 1kB/s to 10GB/s".to_string())
    }
}

/// A size of one write to the log.
///
/// # Errors
/// A sentence, where it isn't a multiple of 512 between 512 bytes and 1 MiB.
pub fn write_size(text: &str) -> Result<u64, String> {
    match binary_size(text)? {
        bytes @ 512..=1_048_576 if bytes.is_multiple_of(512) => Ok(bytes),
        _ => Err("writes are multiples of 512 bytes, up to 1m".to_string()),
    }
}

/// A wait before a flush.
///
/// # Errors
/// A sentence, where it is no time or longer than PostgreSQL allows.
pub fn delay(text: &str) -> Result<Nanos, String> {
    let delay: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    if delay.0 > 100_000_000 { Err("delays are at most 100ms".to_string()) } else { Ok(delay) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_delays_have_bounds() {
        assert_eq!(write_size("128k"), Ok(128 << 10));
        for text in ["0", "100", "2m", "8kB"] {
            assert!(write_size(text).is_err(), "{text}");
        }
        assert_eq!(delay("200us"), Ok(Nanos(200_000)));
        assert!(delay("1s").is_err());
        assert_eq!(stream_rate("4MB/s"), Ok(BytesPerSecond(4e6)));
        assert!(stream_rate("1B/s").is_err() && stream_rate("fast").is_err());
    }
}
