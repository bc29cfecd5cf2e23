//! What was asked for on the command line. What is made of it is a request of `narrows-runner`.

pub mod ab;
pub mod block;
pub mod compare;
pub mod cost;
pub mod crashtest;
pub mod db;
mod detail;
pub mod export;
pub mod fabric;
mod format;
pub mod gather;
pub mod help;
pub mod hints;
pub mod limits;
pub mod live;
pub mod log;
pub mod memory;
mod number;
pub mod observe;
pub mod plan;
pub mod size;
pub mod tier;
pub mod words;

use std::path::PathBuf;
use std::sync::LazyLock;

use clap::builder::PossibleValue;
use clap::{Args, Parser, Subcommand, ValueEnum};
use narrows_model::Workload;

pub use detail::DetailArgs;
pub use format::Format;

/// Measures and observes database servers layer by layer and finds the bottleneck
#[derive(Debug, Parser)]
#[command(name = "narrows", version, max_term_width = 100, disable_version_flag = true)]
#[command(before_help = "\
Examples:
  narrows run --quick                      this machine, in about 2 min
  narrows observe postgres://app@db7/shop  a running server; nothing is loaded")]
pub struct Cli {
    /// Print version; with --verbose how it was built
    #[arg(short = 'V', long, action = clap::ArgAction::Version)]
    pub version: Option<bool>,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands. The first line of each stands in `narrows --help`, which has 57 columns for it; [`help`] groups them.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Measure this server layer by layer, find its bottleneck
    Run(RunArgs),
    /// Observe what a running PostgreSQL waits for; no load
    ///
    /// Nothing is loaded. For a minute or more it counts and samples, and shows what the server's transactions wait for.
    Observe(observe::ObserveCommand),
    /// Storage alone: IOPS within a latency limit, fio job files
    ///
    /// On a file system or a raw device: the highest rate within a latency limit, fio job files, steady state.
    Block(block::BlockArgs),
    /// Memory and clocks alone: latency, bandwidth, NUMA
    Memory(memory::MemoryArgs),
    /// Storage over NVMe/TCP: where the latency goes
    Fabric(fabric::FabricArgs),
    /// WAL commits alone: device flush, group commit, standby
    #[command(visible_alias = "wal")]
    Log(log::LogArgs),
    /// One benchmark workload on PostgreSQL or MariaDB
    ///
    /// Lookups, updates, commits, scans or an order-entry mix, on a private instance or on a server that is named.
    Db(db::DbArgs),
    /// Show a saved run in any format
    #[command(visible_alias = "show")]
    Report(ReportArgs),
    /// List the saved runs
    List(words::ListArgs),
    /// Compare saved runs: better, worse, equivalent, and why
    ///
    /// Each measurement of the sides is better, worse, equivalent or unresolved; what else differs between the runs is listed.
    Compare(compare::CompareArgs),
    /// List what differs between runs besides their figures
    Diff(export::DiffArgs),
    /// Compare two configurations by runs that take turns
    ///
    /// The number of runs follows from the smallest difference that is to be found.
    Ab(ab::AbArgs),
    /// Find when the results of one machine changed level
    ///
    /// Changes of level over many saved runs of one machine, and what else changed there at that time.
    Trend(compare::TrendArgs),
    /// Save results of fio, pgbench, AWR and others as runs
    ///
    /// So they can be shown and compared as what narrows measured.
    Import(compare::ImportArgs),
    /// Write figures for other programs: OpenMetrics, CSV, HDR
    Export(export::ExportArgs),
    /// Check the claims of a write-up by its own figures
    ///
    /// Whether the per cent, points or times that a text claims follow from the two figures that it gives.
    CheckClaims(compare::CheckClaimsArgs),
    /// Name sets of saved runs, to compare them
    Tag(compare::TagArgs),
    /// Remove saved runs
    Rm(words::RemoveArgs),
    /// Explain a finding, a verdict or a metric, and what to do
    Explain(words::ExplainArgs),
    /// Show this machine: CPUs, memory, the path to its drives
    Platform(PlatformArgs),
    /// Save an anonymised hardware snapshot of this machine
    Gather(gather::GatherArgs),
    /// Limits of components (DRAM, PCIe, NVMe, NICs, CPUs)
    ///
    /// Each figure with its source.
    Limits(limits::LimitsArgs),
    /// Model a hardware design: limits, bottleneck, best upgrade
    Plan(plan::PlanArgs),
    /// Cost per year, throughput, core and outage, with licences
    ///
    /// From a description with prices: every figure with its source and date, every sum to be redone with a pencil.
    Cost(cost::CostArgs),
    /// Which described platform carries a demand, and its cost
    ///
    /// With growth, headroom for latency, and one part gone; what binds in each; the smallest that does.
    Size(size::SizeArgs),
    /// Forecast what a log tier or a read cache gives; prove it
    ///
    /// A log tier acknowledges durable writes from a faster medium; a read cache serves reads. Off and on beside each other, what stops the
    /// gain, and what is unknown: forecast from a stored run or from given figures, or measured on storage without and with it.
    Tier(tier::TierArgs),
    /// Show which settings are in force, and where from
    Config(words::ConfigArgs),
    /// Print completions for bash, zsh, fish or elvish
    Completions(words::CompletionsArgs),
    /// Print the version, and how the program was built
    #[command(hide = true)]
    Version(words::VersionArgs),
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
    #[value(aliases = ["disk", "disks", "drive", "drives", "storage"])]
    Block,
    /// Durable writes and group commit
    #[value(alias = "wal")]
    Log,
    /// PostgreSQL workloads and their verdicts
    #[value(alias = "db")]
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
#[command(before_help = "\
Examples:
  narrows run                              all layers, with a private PostgreSQL in /var/tmp
  narrows run --dry-run                    the plan, the space it needs, and what would be refused
  narrows run --quick                      3 repeats, no tests, in about 2 min
  narrows run --data /data --wal /wal      on the drives of these folders
  narrows run --layers block,log           storage alone
  narrows run --workloads update           one workload, with the layers below it
  narrows run --database postgres://app@db7/shop --load-here
                                           in a schema of narrows on that server")]
pub struct RunArgs {
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
    #[arg(long, value_name = "N", value_parser = number::sessions::<1024>)]
    pub sessions: Option<u32>,
    /// Bytes that the block layer's writes may write after the file is made, at most [default: a tenth of the free space, up to 16g]
    #[arg(long, value_name = "SIZE", value_parser = block::write_budget)]
    pub write_budget: Option<u64>,
    /// Deepest queue that is tried on the drives, 1 to 16384 [default: 256 per drive]
    #[arg(long, value_name = "N", value_parser = number::whole::<1, 16_384>)]
    pub max_depth: Option<u32>,
    /// An Oracle database's AWR report of this machine (HTML or text), judged by what is measured here
    #[arg(long, value_name = "FILE")]
    pub with: Option<PathBuf>,
    /// The report is of this machine, whatever it calls its host
    #[arg(long, requires = "with")]
    pub same_machine: bool,
    /// Observing a server instead.
    #[command(flatten)]
    pub observing: observe::ObserveArgs,
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
    #[arg(long, value_name = "N", value_parser = number::at_least::<0>)]
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
#[command(before_help = "\
Examples:
  narrows show                           the newest run, on one screen
  narrows report 7f3a --explain          how each of its answers is known
  narrows report 7f3a --html             a page, narrows-7f3a.html
  narrows report 7f3a --format json      the run file, for programs
  narrows report 7f3a --what-if wal=2x   what WAL drives twice as fast would allow")]
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
    /// Estimate what a change would allow at most: storage=2x, data=2x, log=2x (or wal=2x), log=flush:80us, log=RUN,
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
#[command(before_help = "\
Examples:
  narrows platform                          this machine, and the path to /var/tmp
  narrows platform --data /u01 --wal /u02   and the paths to these folders
  narrows platform db7.capture              another machine, as narrows gather saved it
  narrows platform 7f3a                     the machine of a saved run")]
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
    use clap::{CommandFactory, ValueEnum};

    use super::LayerArg;

    #[test]
    fn the_table_of_arguments_is_consistent() {
        super::Cli::command().debug_assert();
    }

    #[test]
    fn a_layer_is_known_by_the_words_that_others_have_for_it() {
        for word in ["block", "disk", "drives", "storage"] {
            assert_eq!(LayerArg::from_str(word, false), Ok(LayerArg::Block), "{word}");
        }
        assert_eq!(LayerArg::from_str("wal", false), Ok(LayerArg::Log));
        assert_eq!(LayerArg::from_str("db", false), Ok(LayerArg::Database));
        assert!(LayerArg::from_str("cache", false).is_err());
    }
}
