//! What was asked for on the command line. What is made of it is a request of `narrows-runner`.

pub mod block;
pub mod crashtest;
pub mod db;
mod detail;
mod format;
pub mod gather;
pub mod limits;
pub mod live;
pub mod log;
pub mod memory;
pub mod observe;
pub mod plan;
pub mod words;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use narrows_model::Workload;

pub use detail::DetailArgs;
pub use format::Format;
use narrows_runner::exit_codes;

/// How fast a database server could be, how fast it is, and which layer holds it back.
#[derive(Debug, Parser)]
#[command(name = "narrows", version, about, max_term_width = 100)]
#[command(after_help = concat!(
    "\
Examples:
  narrows run                         measure this machine as a database server
  narrows run --quick                 the same in about 2 min: 3 repeats, no tests
  narrows run --data /data --wal /wal say where the database would keep its files
  narrows run --dry-run               show the plan: minutes, bytes, folders
  narrows observe postgres://app@db7/shop  look at a server for a minute and load nothing
  narrows block                       operations per second with p99 within 1 ms, of this folder's drive
  narrows memory                      latency and bandwidth of memory, by footprint and beside loads
  narrows log                         what a durable commit costs, layer by layer, and how many per second
  narrows db update --sessions 16     one load on PostgreSQL, on a server of our own or by URL
  narrows list                        the stored runs
  narrows show 7f3a                   a stored run again; without an id the newest
  narrows explain device-saw-less     what a finding, verdict or metric means, and what to do
  narrows platform                    what this machine is, without measuring
  narrows gather -o db7.capture       this machine in a file, to be shown elsewhere
  narrows limits nvme-gen5-x4         what such a part can carry, and who says so
  narrows plan box.toml               what a machine on paper could do, and what would bind

",
    exit_codes!()
))]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure this server layer by layer and say where it is narrow
    Run(RunArgs),
    /// Look at a running PostgreSQL, load nothing, and say what its transactions wait for
    Observe(observe::ObserveCommand),
    /// Measure storage alone: calibrate it, run fio's job files, look at raw devices
    Block(block::BlockArgs),
    /// Measure memory and clocks alone: latency, bandwidth, and what one does to the other
    Memory(memory::MemoryArgs),
    /// Measure the commit log alone: from the device's flush to the database's commit, and how many share one
    Log(log::LogArgs),
    /// Put one load of our own on PostgreSQL: lookups, updates, scans, at chosen sessions
    Db(db::DbArgs),
    /// Show a stored run again, in any format
    #[command(visible_alias = "show")]
    Report(ReportArgs),
    /// List the stored runs
    List(words::ListArgs),
    /// Say what a finding, a verdict or a metric means, and what to do
    Explain(words::ExplainArgs),
    /// Show what this machine is: processors, memory, and the whole path under a folder
    Platform(PlatformArgs),
    /// Capture this machine in a small file that names nobody, for another place or another user
    Gather(gather::GatherArgs),
    /// Show what parts of a machine can carry, with the source of every figure
    Limits(limits::LimitsArgs),
    /// Say what platforms described in files could do, what binds, and what to widen first
    Plan(plan::PlanArgs),
    /// Show which settings are in force, and where they come from
    Config(words::ConfigArgs),
}

/// Prefixes of byte quantities.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum UnitsArg {
    /// 1 GB = 10^9 bytes
    Si,
    /// 1 GiB = 2^30 bytes
    Iec,
}

/// A layer that can be asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LayerArg {
    /// Cost of reading the time
    Clock,
    /// Latency and bandwidth
    Memory,
    /// Random and sequential reads and writes
    Block,
    /// Durable appends and group commit
    Log,
    /// PostgreSQL workloads and their verdicts
    Database,
}

/// A database workload that can be asked for: one of the usual ones, by its word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorkloadArg(pub Workload);

impl ValueEnum for WorkloadArg {
    fn value_variants<'a>() -> &'a [WorkloadArg] {
        static USUAL: LazyLock<Vec<WorkloadArg>> =
            LazyLock::new(|| Workload::usual().map(WorkloadArg).collect());
        &USUAL
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(PossibleValue::new(self.0.word()).help(self.0.operation()))
    }
}

/// `narrows run`
#[derive(Debug, Clone, Args)]
#[command(after_help = concat!(
    "\
Examples:
  narrows run                              all layers, on a PostgreSQL of our own, below /var/tmp
  narrows run --dry-run                    the plan, the space it needs, and what would be refused
  narrows run --quick                      3 repeats, no tests, in about 2 min
  narrows run --data /data --wal /wal      on the drives of these folders
  narrows run --layers block,log           storage alone
  narrows run --workloads update           one workload, with the layers below it
  narrows run --database postgres://app@db7/shop --load-here
                                           in a schema of our own on that server

",
    exit_codes!()
))]
pub struct RunArgs {
    /// To look at a server instead.
    #[command(flatten)]
    pub observing: observe::ObserveArgs,
    /// Quick, in about 2 min: three repeats and no tests, so nothing is CONFIRMED
    #[arg(long)]
    pub quick: bool,
    /// Answer from this capture of this machine what this user can't read (`narrows gather --privileged`)
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// Only these layers
    #[arg(long, value_delimiter = ',', value_name = "LAYER,…")]
    pub layers: Option<Vec<LayerArg>>,
    /// Folder on the drives that would hold the data files [default: /var/tmp]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder on the drives that would hold the commit log [default: that of --data]
    #[arg(long, value_name = "DIR")]
    pub wal: Option<PathBuf>,
    /// managed (a PostgreSQL of our own), none, or postgres://… (a schema of our own on that server)
    #[arg(long, default_value = "managed", value_name = "WHAT")]
    pub database: String,
    /// The PostgreSQL to start for --database managed: its `postgres` program or the folder it is in
    #[arg(long, value_name = "FILE")]
    pub postgres: Option<PathBuf>,
    /// Only these database workloads
    #[arg(long, value_delimiter = ',', value_name = "WORKLOAD,…")]
    pub workloads: Option<Vec<WorkloadArg>>,
    /// Concurrent sessions of the database workloads [default: twice the server's CPUs, 8 to 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub sessions: Option<u32>,
    /// What is told of names.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How to run and where the results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What the run file and the screen tell of names.
#[derive(Debug, Clone, Args)]
pub struct NamesArgs {
    /// Leave names out of the run file and the screen: machines, addresses, ports, users, databases, folders, mount points
    ///
    /// Each name is replaced by a number of its kind (host-1, /folder-2). Models of processors and drives, versions, settings and
    /// figures stay.
    #[arg(long)]
    pub anonymous: bool,
}

/// How to run and where the results go.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// Seed of every random choice [default: a new one, kept in the run]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Measure although a database runs on this machine: it will be slowed down for the whole run
    #[arg(long)]
    pub load_here: bool,
    /// Print the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse
    #[arg(long)]
    pub dry_run: bool,
    /// Folder for the run file and the report in every format [default: the run file alone, in the
    /// XDG data folder]
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
    /// How much of the report is printed
    #[command(flatten)]
    pub detail: DetailArgs,
    /// Prefixes of byte quantities
    #[arg(long, value_enum, default_value_t = UnitsArg::Si)]
    pub units: UnitsArg,
}

/// `narrows report`
#[derive(Debug, Args)]
pub struct ReportArgs {
    /// A run's id (or its first characters), or a run file [default: the newest]
    pub run: Option<String>,
    /// Format of the report
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
    /// The same as --format html
    #[arg(long, conflicts_with = "format")]
    pub html: bool,
    /// Write to this file; - is standard output [default: standard output, for a page on a terminal narrows-ID.html]
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Judge again with this version's rules instead of showing the stored verdicts
    #[arg(long)]
    pub rejudge: bool,
    /// Bring in the result of a crash test (`narrows log crashtest check --format json`), and judge again
    #[arg(long, value_name = "FILE")]
    pub crash_test: Vec<PathBuf>,
    /// Bring in what pg_test_fsync printed, to stand beside the ladder or the live server's flushes
    #[arg(long, value_name = "FILE")]
    pub pg_test_fsync: Vec<PathBuf>,
    /// Ask what a change would allow at most, by the law: storage=2x, data=2x, log=2x, log=flush:80us, log=RUN,
    /// cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%
    ///
    /// Several at once: with commas, or given again. The run is judged again. Queues are not predicted: the rate is "at
    /// most", and where the verdict's own sum doesn't agree there is no answer.
    #[arg(long, value_name = "CHANGE")]
    pub what_if: Vec<String>,
    /// How much of it is printed
    #[command(flatten)]
    pub detail: DetailArgs,
    /// Prefixes of byte quantities
    #[arg(long, value_enum, default_value_t = UnitsArg::Si)]
    pub units: UnitsArg,
}

/// `narrows platform`
#[derive(Debug, Args)]
pub struct PlatformArgs {
    /// Show this instead of the machine here: a capture (`narrows gather`), a run by its file or id, or a folder as with
    /// --root
    #[arg(value_name = "FILE", conflicts_with = "root")]
    pub of: Option<String>,
    /// Examine the machine whose files are copied below this folder, not this one
    ///
    /// The folder stands for `/` and holds at least /sys/devices/system or /proc. Links in it don't lead out of it. With
    /// it, paths under roles are told only where --data or --wal names one.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Folder on the drives that hold the data files [default: /var/tmp]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder on the drives that hold the commit log [default: that of --data]
    #[arg(long, value_name = "DIR")]
    pub wal: Option<PathBuf>,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_table_of_arguments_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
