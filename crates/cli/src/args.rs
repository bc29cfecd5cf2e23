//! What was asked for on the command line. What is made of it is a request of `narrows-runner`.

pub mod ab;
pub mod block;
pub mod compare;
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
#[command(name = "narrows", version, about, max_term_width = 100, disable_version_flag = true)]
#[command(after_help = concat!(
    "\
Examples:
  narrows run --quick              this machine as a database server, in about 2 min
  narrows run --data /u1 --wal /u2 all layers, on the drives of these folders
  narrows observe postgres://app@db7/shop   a running server, nothing is loaded
  narrows block                    8 KiB reads per second with p99 within 1 ms
  narrows block run JOBS.fio       a fio job file
  narrows log                      what a durable commit costs, layer by layer
  narrows show                     the newest run again
  narrows compare BEFORE AFTER     what changed between two runs, and what explains it
  narrows explain device-saw-less  what a finding means, and what to do

",
    exit_codes!()
))]
pub struct Cli {
    /// Print version; with --verbose how it was built
    #[arg(short = 'V', long, action = clap::ArgAction::Version)]
    pub version: Option<bool>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure this server layer by layer and find its bottleneck
    Run(RunArgs),
    /// Observe a running PostgreSQL, load nothing, and show what its transactions wait for
    Observe(observe::ObserveCommand),
    /// Storage alone: IOPS within a latency limit, fio job files, raw devices
    Block(block::BlockArgs),
    /// Memory and clocks alone: latency, bandwidth, NUMA
    Memory(memory::MemoryArgs),
    /// WAL commits alone: device flush, group commit, standby
    Log(log::LogArgs),
    /// Run one benchmark workload on PostgreSQL: lookups, updates, scans
    Db(db::DbArgs),
    /// Show a saved run in any format
    #[command(visible_alias = "show")]
    Report(ReportArgs),
    /// List the saved runs
    List(words::ListArgs),
    /// Compare saved runs: better, worse, equivalent or unresolved, and what else differs
    Compare(compare::CompareArgs),
    /// Compare two configurations by runs that take turns, as many as it takes
    Ab(ab::AbArgs),
    /// Find changes of level over many saved runs of one machine, and what changed there
    Trend(compare::TrendArgs),
    /// Save results of fio, pgbench or sysbench as runs, to show and compare them
    Import(compare::ImportArgs),
    /// Check claims of a write-up by its own figures: per cent, points, times
    CheckClaims(compare::CheckClaimsArgs),
    /// Name sets of saved runs, to compare them
    Tag(compare::TagArgs),
    /// Remove saved runs
    Rm(words::RemoveArgs),
    /// Explain a finding, a verdict or a metric, and what to do
    Explain(words::ExplainArgs),
    /// Show what this machine is: CPUs, memory, and the whole path to a folder's drives
    Platform(PlatformArgs),
    /// Save an anonymised hardware snapshot of this machine
    Gather(gather::GatherArgs),
    /// Component limits (DRAM, PCIe, NVMe, NICs, CPUs), with sources
    Limits(limits::LimitsArgs),
    /// Model a hardware design: its limits, its bottleneck, the best upgrade
    Plan(plan::PlanArgs),
    /// Show which settings are in force, and where they come from
    Config(words::ConfigArgs),
}

/// Units of bytes
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
    /// Time to read the clock
    Clock,
    /// Latency and bandwidth
    Memory,
    /// Random and sequential reads and writes
    Block,
    /// Durable writes and group commit
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
  narrows run                              all layers, with a private PostgreSQL instance in /var/tmp
  narrows run --dry-run                    the plan, the space it needs, and what would be refused
  narrows run --quick                      3 repeats, no tests, in about 2 min
  narrows run --data /data --wal /wal      on the drives of these folders
  narrows run --layers block,log           storage alone
  narrows run --workloads update           one workload, with the layers below it
  narrows run --database postgres://app@db7/shop --load-here
                                           in a schema of narrows on that server

",
    exit_codes!()
))]
pub struct RunArgs {
    /// Observing a server instead.
    #[command(flatten)]
    pub observing: observe::ObserveArgs,
    /// Quick, in about 2 min: three repeats and no tests, so nothing is CONFIRMED
    #[arg(long)]
    pub quick: bool,
    /// Use hardware details from a capture made by root (`narrows gather --privileged`)
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// Measure only these layers
    #[arg(long, value_delimiter = ',', value_name = "LAYER,…")]
    pub layers: Option<Vec<LayerArg>>,
    /// Folder on the drives for the data files [default: /var/tmp]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder on the drives for WAL [default: that of --data]
    #[arg(long, value_name = "DIR")]
    pub wal: Option<PathBuf>,
    /// managed (a private PostgreSQL instance), none, or postgres://… (a schema of narrows on that server)
    #[arg(long, default_value = "managed", value_name = "WHAT")]
    pub database: String,
    /// The PostgreSQL to start for --database managed: its `postgres` program or the folder it is in
    #[arg(long, value_name = "FILE")]
    pub postgres: Option<PathBuf>,
    /// Run only these database workloads
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
    /// Each name is replaced by a number of its kind (host-1, /folder-2). Models of CPUs and drives, versions, settings and
    /// figures stay.
    #[arg(long)]
    pub anonymous: bool,
}

/// How to run and where the results go.
#[derive(Debug, Clone, Args)]
pub struct OutputArgs {
    /// Seed of every random choice [default: a new one, saved in the run]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// Measure although a database runs on this machine: it will be slow for the whole run
    #[arg(long)]
    pub load_here: bool,
    /// Show the plan with its time, bytes and space, then what the run would refuse, and stop: 0, or 2 where it would refuse
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
    /// Units of bytes
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
    /// Re-evaluate with this version's rules instead of showing the stored verdicts
    #[arg(long)]
    pub rejudge: bool,
    /// Add the result of a crash test (`narrows log crashtest check --format json`), and re-evaluate
    #[arg(long, value_name = "FILE")]
    pub crash_test: Vec<PathBuf>,
    /// Add the output of pg_test_fsync, to compare with the ladder or the observed server's flushes
    #[arg(long, value_name = "FILE")]
    pub pg_test_fsync: Vec<PathBuf>,
    /// Estimate what a change would allow at most: storage=2x, data=2x, log=2x, log=flush:80us, log=RUN,
    /// cpu-per-io=-40%, cores=+8, sessions=2x, reads=-50%
    ///
    /// Several at once: with commas, or repeated. The run is re-evaluated. Queues are not predicted: the rate is "at
    /// most", and where the verdict's own sum does not agree there is no answer.
    #[arg(long, value_name = "CHANGE")]
    pub what_if: Vec<String>,
    /// How much of it is printed
    #[command(flatten)]
    pub detail: DetailArgs,
    /// Units of bytes
    #[arg(long, value_enum, default_value_t = UnitsArg::Si)]
    pub units: UnitsArg,
}

/// `narrows platform`
#[derive(Debug, Args)]
pub struct PlatformArgs {
    /// Show this instead of this machine: a capture (`narrows gather`), a run by its file or id, or a folder as with
    /// --root
    #[arg(value_name = "FILE", conflicts_with = "root")]
    pub of: Option<String>,
    /// Examine the machine whose files are copied below this folder, not this one
    ///
    /// The folder stands for `/` and holds at least /sys/devices/system or /proc. Links in it do not lead out of it. With
    /// it, the paths of data and WAL are shown only where --data or --wal names one.
    #[arg(long, value_name = "DIR")]
    pub root: Option<PathBuf>,
    /// Folder on the drives with the data files [default: /var/tmp]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder on the drives with WAL [default: that of --data]
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
