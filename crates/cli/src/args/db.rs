//! What was asked of `narrows db`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use narrows_runner::request::database::WorkingSet;
use narrows_units::Nanos;

use super::block::{binary_size, limit};
use super::number::{at_least, sessions, whole};
use super::{LayerArg, OutputArgs};
pub use quantities::{KeysArg, keys};
use quantities::{think, window, working_set};

pub mod orders;
pub mod quantities;

/// `narrows db`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows db lookup                     random single blocks by index, from shared_buffers
  narrows db lookup --from drive        the same from the drives, 64 sessions: --sessions 64
  narrows db update --sessions 1,2,4,8,16,32
                                        durable updates, and how sessions scale
  narrows db lookup --p99 2ms           the highest rate with p99 within 2 ms
  narrows db update postgres://bob@db7/shop --load-here
                                        on that server, in a schema that is removed afterwards
  narrows db lookup --starts 5          five starts of the server: how much starts differ
  narrows db scan --workers 1,4         a whole table by one process and by four
  narrows db update --kind mariadb      durable updates on a private MariaDB instance
  narrows db clean postgres://bob@db7/shop
                                        what narrows left or kept there; --remove removes it")]
#[command(after_long_help = "\
Every workload is a few lines of SQL on one table with one row per block, so that a row is a block and an operation's
cost can be counted. They belong to no benchmark kit, and their results compare with no published ones.")]
pub struct DbArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: DbCommand,
}

/// The workloads.
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Random single blocks by index, from shared_buffers or from the drives
    Lookup(LookupArgs),
    /// Many random blocks per statement by a bitmap scan: sorted and prefetched by the server
    Batch(BatchArgs),
    /// One row and one durable commit, or a mix of updates and lookups
    Update(UpdateArgs),
    /// The smallest durable transaction: a commit and nothing else
    Commit(CommitArgs),
    /// The whole table by one process or several
    Scan(ScanArgs),
    /// Order-entry mix of five transactions: loads, runs, checks consistency
    Orders(Box<orders::OrdersArgs>),
    /// List what narrows left or kept on a server, and remove it
    Clean(CleanArgs),
}

/// `narrows db clean`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows db clean postgres://bob@db7/shop            list what narrows left or kept there
  narrows db clean postgres://bob@db7/shop --remove   and remove what is not in use")]
#[command(after_long_help = "\
Lists only schemas that narrows made, by its comment on them, and that belong to the user of the URL. What is in use is left alone.
Other databases of the same server need their own URL.")]
pub struct CleanArgs {
    /// The database: postgres://USER@HOST:PORT/DATABASE, the password in PGPASSWORD
    #[arg(value_name = "URL")]
    pub url: String,
    /// Remove all that is listed and not in use
    #[arg(long)]
    pub remove: bool,
}

/// Where blocks come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FromArg {
    /// shared_buffers, warmed up before
    Pool,
    /// The drives: evicted from memory, checked against the drives' own counts
    Drive,
}

/// Who calls for the blocks of a lookup.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CallsArg {
    /// One statement per block, one after the other
    Each,
    /// One statement with all keys, `= ANY`, still block by block in the server
    Any,
}

/// What an update changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RedoArg {
    /// One column: about a hundred bytes of WAL
    Light,
    /// Every column but the key: the whole row in WAL
    Heavy,
}

/// What a scan answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerArg {
    /// A sum over a column: every row is read
    Sum,
    /// count(*), as the server plans it: an index-only scan is reported
    Count,
}

/// What kind of server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum KindArg {
    /// PostgreSQL
    #[default]
    Postgres,
    /// MariaDB, from the distribution's package mariadb-server
    Mariadb,
}

/// Which server.
#[derive(Debug, Clone, Args)]
pub struct ServerArgs {
    /// The server: postgres://USER@HOST:PORT/DATABASE, the password in PGPASSWORD [default: a private PostgreSQL instance,
    /// started for this and removed]
    #[arg(value_name = "URL")]
    pub url: Option<String>,
    /// Kind of server to start and load: lookups, updates and commits are measured on both
    #[arg(long, value_enum, default_value_t, conflicts_with_all = ["url", "postgres"])]
    pub kind: KindArg,
    /// The PostgreSQL to start: its `postgres` program or the folder it is in
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub postgres: Option<PathBuf>,
    /// shared_buffers of the private instance: 256m is 256 MiB [default: an eighth of the memory, 16m to 256m]
    #[arg(long, value_name = "SIZE", value_parser = binary_size, conflicts_with = "url")]
    pub pool: Option<u64>,
    /// Folder on the drives with the data files [default: /var/tmp]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder on the drives with WAL [default: that of --data]
    #[arg(long, value_name = "DIR")]
    pub wal: Option<PathBuf>,
    /// Layers to measure first, for the verdict's limits [default: those the workload uses; none with a URL, unless
    /// --data says where]
    #[arg(long, value_delimiter = ',', value_name = "LAYER,…")]
    pub layers: Option<Vec<LayerArg>>,
}

/// On what table.
#[derive(Debug, Clone, Args)]
pub struct TableArgs {
    /// Size of the table, one row per block: 2g is 2 GiB [default: 2g, 512m with --quick]
    #[arg(long, value_name = "SIZE", value_parser = binary_size)]
    pub table: Option<u64>,
    /// Incompressible share of each row's padding, in percent; the rest are zeros, which drives and file systems may
    /// compress. The server itself never does
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<0, 100>)]
    pub entropy: u32,
}

/// Which of its blocks.
#[derive(Debug, Clone, Args)]
pub struct KeyArgs {
    /// The table.
    #[command(flatten)]
    pub table: TableArgs,
    /// Working set: part of the table that keys are drawn from: 64m is 64 MiB, 50% is half of shared_buffers [default: half of
    /// shared_buffers; from the drives the whole table]
    #[arg(long, value_name = "SIZE", value_parser = working_set)]
    pub working_set: Option<WorkingSet>,
    /// Distribution of keys: uniform, zipf:0.99, or hot:80/20 (80 % of the calls on 20 % of the keys)
    #[arg(long, value_name = "LAW", default_value = "uniform", value_parser = keys)]
    pub keys: KeysArg,
    /// One table per session, so that none waits for another's rows; total size unchanged
    #[arg(long)]
    pub private: bool,
}

/// By how many sessions, and when.
#[derive(Debug, Clone, Args)]
pub struct PaceArgs {
    /// Concurrent sessions; several numbers are a sweep, with a scaling law from six on [default: twice the server's
    /// CPUs, 8 to 256]
    #[arg(long, value_delimiter = ',', value_name = "N,…", value_parser = sessions::<1024>)]
    pub sessions: Vec<u32>,
    /// Mean think time of a session after an answer: 10ms [default: none]
    #[arg(long, value_name = "TIME", value_parser = think)]
    pub think: Option<Nanos>,
    /// Open loop: operations per second, scheduled at random times whether or not sessions are free; latency counts
    /// from the scheduled start
    #[arg(long, value_name = "N", value_parser = at_least::<1>, conflicts_with = "think")]
    pub rate: Option<u64>,
    /// Find the highest open-loop rate with p99 within this limit
    #[arg(long, value_name = "TIME", value_parser = limit, conflicts_with_all = ["rate", "think"])]
    pub p99: Option<Nanos>,
}

/// How much of it, and how it is told.
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// Length of one window, 1s to 10min [default: 3s, updates 11s so that six cover two checkpoints]
    #[arg(long, value_name = "TIME", value_parser = window)]
    pub window: Option<Nanos>,
    /// Quick: three short repeats and no test of the verdict; no grade above LIKELY
    #[arg(long)]
    pub quick: bool,
    /// Starts of the private instance on which the load is repeated; from three on with the difference between starts
    #[arg(long, value_name = "N", default_value_t = 1, conflicts_with = "url", value_parser = whole::<1, 30>)]
    pub starts: u32,
    /// How to run and where the results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows db lookup`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows db lookup                                from shared_buffers of a private instance
  narrows db lookup --from drive --sessions 64     from the drives
  narrows db lookup --sessions 1,2,4,8,16,32       how sessions scale
  narrows db lookup --p99 2ms                      the highest rate with p99 within 2 ms
  narrows db lookup postgres://bob@db7/shop --load-here")]
#[command(after_long_help = "\
One row by its key is one block of the table and some of the index. The plan must be an index scan, before and after the
load, not a bitmap scan, which sorts and prefetches the blocks: that is `narrows db batch`.")]
pub struct LookupArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Where the blocks come from
    #[arg(long, value_enum, default_value_t = FromArg::Pool)]
    pub from: FromArg,
    /// Blocks per operation
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<1, 1024>)]
    pub blocks: u32,
    /// How the client requests them
    #[arg(long, value_enum, default_value_t = CallsArg::Each)]
    pub calls: CallsArg,
    /// A function inside the server reads them, so that the client's share is one call
    #[arg(long, conflicts_with = "calls")]
    pub inside: bool,
    /// Which blocks.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// How fast.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}

/// `narrows db batch`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows db batch                             64 blocks per statement, from the drives
  narrows db batch --blocks 256 --sessions 8   256 blocks, eight sessions")]
#[command(after_long_help = "\
The same blocks as `narrows db lookup --calls any` by a bitmap scan: blocks are read in their order on the drive and
prefetched (effective_io_concurrency).")]
pub struct BatchArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Where the blocks come from
    #[arg(long, value_enum, default_value_t = FromArg::Drive)]
    pub from: FromArg,
    /// Blocks per operation
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = whole::<1, 1024>)]
    pub blocks: u32,
    /// Which blocks.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// How fast.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}

/// `narrows db update`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows db update --data /data --wal /wal    durable updates, on these drives
  narrows db update --updates 30               30 % updates, 70 % lookups
  narrows db update --redo heavy               the whole row in WAL
  narrows db update --kind mariadb             on a private MariaDB instance")]
#[command(after_long_help = "\
Every update is a transaction of its own and waits for its commit. With --updates 30 each operation is drawn by itself, an
update with 30 %, else a lookup; their latencies are reported separately.")]
pub struct UpdateArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Update percentage, 0 to 100; the rest are lookups
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = whole::<0, 100>)]
    pub updates: u32,
    /// Columns that an update changes
    #[arg(long, value_enum, default_value_t = RedoArg::Light)]
    pub redo: RedoArg,
    /// Where the blocks come from
    #[arg(long, value_enum, default_value_t = FromArg::Pool)]
    pub from: FromArg,
    /// Which blocks.
    #[command(flatten)]
    pub keys: KeyArgs,
    /// How fast.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}

/// `narrows db commit`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows db commit --wal /wal                 commits per second with WAL on these drives
  narrows db commit --sessions 1,2,4,8,16,32   how sessions share flushes")]
#[command(after_long_help = "\
A transaction that writes no log is not flushed, so this one writes the smallest record there is: a message of no length
(pg_logical_emit_message), in no table. On a server with logical replication its decoders see the messages and pass over
them.")]
pub struct CommitArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How fast.
    #[command(flatten)]
    pub pace: PaceArgs,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}

/// `narrows db scan`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows db scan                      a whole table from the drives, by 1 and by n processes
  narrows db scan --workers 1,4,16     by 1, 4 and 16
  narrows db scan --from pool          from shared_buffers")]
#[command(after_long_help = "\
From shared_buffers the table must fit into a quarter of it: larger tables pass through a small ring of buffers and are read
from the operating system each time.")]
pub struct ScanArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Where the blocks come from
    #[arg(long, value_enum, default_value_t = FromArg::Drive)]
    pub from: FromArg,
    /// Parallel processes of a scan, the session's own included [default: 1 and one per server CPU]
    #[arg(long, value_delimiter = ',', value_name = "N,…", value_parser = whole::<1, 64>)]
    pub workers: Vec<u32>,
    /// What it computes
    #[arg(long, value_enum, default_value_t = AnswerArg::Sum)]
    pub answer: AnswerArg,
    /// Which table.
    #[command(flatten)]
    pub table: TableArgs,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}
