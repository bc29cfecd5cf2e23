//! What was asked of `narrows memory`.

use clap::{Args, Subcommand, ValueEnum};
use narrows_runner::request::memory::{self, Kit};

use super::OutputArgs;

use narrows_runner::exit_codes;

/// `narrows memory`; without a command all of it is measured.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(after_help = concat!(
    "\
Examples:
  narrows memory                    latency, bandwidth, and what one does to the other; under a minute
  narrows memory --quick            three repeats, over less memory
  narrows memory matrix             every node's CPUs and every node's memory, by distance
  narrows memory placement          on which nodes the shared memory of this machine's servers lies
  narrows memory baseline           keep this machine's figures; another day: has it aged?
  narrows memory slb 131072 600     SLB's line, and what it means

",
    exit_codes!()
))]
pub struct MemoryArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<MemoryCommand>,
    /// What to measure, without a command.
    #[command(flatten)]
    pub study: StudyArgs,
}

/// What can be asked of memory.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Measure latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side
    Matrix(MatrixArgs),
    /// Say on which nodes the memory of running databases lies; nothing is loaded, touched or moved
    Placement(PlacementArgs),
    /// Keep this machine's figures, and later say whether it has aged
    Baseline(BaselineArgs),
    /// Run the loop of SLB, the "silly little benchmark", print its line, and say what it means
    Slb(SlbArgs),
    /// One of several processes that work at the same moment
    #[command(hide = true)]
    Process(ProcessArgs),
}

/// Which kit of SLB.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum KitArg {
    /// Writes a word of a line of each page
    #[value(name = "2007")]
    Kit2007,
    /// Reads a word of a line of each page into a register
    #[value(name = "2010")]
    Kit2010,
}

impl From<KitArg> for Kit {
    fn from(arg: KitArg) -> Kit {
        match arg {
            KitArg::Kit2007 => Kit::Writes2007,
            KitArg::Kit2010 => Kit::Reads2010,
        }
    }
}

/// CPUs by number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CpuList(pub Vec<u32>);

fn cpu_list(text: &str) -> Result<CpuList, String> {
    memory::cpu_list(text).map(CpuList)
}

/// `narrows memory slb`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  narrows memory slb 131072 6000              the published command: 512 MiB, 786 million stores
  narrows memory slb 131072 600 --processes 4 as `memhammer` four times with one trigger")]
pub struct SlbArgs {
    /// Pages of 4 KiB that each process has
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1 << 26))]
    pub pages: u32,
    /// Loops over them; a loop is one access to each page
    #[arg(value_parser = clap::value_parser!(u64).range(1..=1 << 40))]
    pub ops: u64,
    /// Whose loop
    #[arg(long, value_enum, default_value = "2007")]
    pub kit: KitArg,
    /// Processes, started at the same moment
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub processes: u32,
    /// CPUs for them in this order, as 0,2 or 0-3 [default: one of each core first]
    #[arg(long, value_name = "CPUS", value_parser = cpu_list)]
    pub bind: Option<CpuList>,
    /// 2 MiB pages underneath; refused where they can't be had
    #[arg(long)]
    pub huge: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows memory process`
#[derive(Debug, Args)]
pub struct ProcessArgs {
    /// What to do, as JSON
    pub task: String,
}

/// `narrows memory matrix`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  narrows memory matrix               a few cells for each distance, and whatever they make suspicious
  narrows memory matrix --thorough    every cell")]
pub struct MatrixArgs {
    /// Every cell, and not some for each distance
    #[arg(long)]
    pub thorough: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows memory baseline`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  narrows memory baseline            the first time: keeps latency, bandwidth, the time to touch a pool, and what memory is free
  narrows memory baseline            later: measures the same and says what is worse, and why that may be
  narrows memory baseline --renew    this is the baseline from now on

It is kept in $XDG_DATA_HOME/narrows/baseline (~/.local/share without it).")]
pub struct BaselineArgs {
    /// Keep what is measured now in place of the baseline that there is
    #[arg(long)]
    pub renew: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What `narrows memory placement` can be asked for without naming anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Everybody {
    /// Every pool of shared memory that may be looked into
    All,
}

/// `narrows memory placement`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  narrows memory placement                                every pool of shared memory that may be looked into
  sudo narrows memory placement --pid 4711                of this process, its private memory too
  narrows memory placement --postgres postgres:/// --matrix m.narrows.json
                                                          of that server, and what it costs by a measured matrix

The pages of a pool are asked for through all processes that map it (move_pages(2) without targets, which moves nothing). That takes
their user or root; without it the nodes' own counters remain, which anybody may read.")]
pub struct PlacementArgs {
    /// All pools of shared memory; the same as naming nobody
    #[arg(value_enum, conflicts_with_all = ["pid", "postgres"])]
    pub everybody: Option<Everybody>,
    /// The pools of 16 MiB and more that this process maps, and its private memory
    #[arg(long, value_name = "PID", conflicts_with = "postgres")]
    pub pid: Option<u32>,
    /// The pools of this PostgreSQL server, which runs on this machine
    #[arg(long, value_name = "URL")]
    pub postgres: Option<String>,
    /// Say what it costs by the matrix of nodes in this run
    #[arg(long, value_name = "RUN")]
    pub matrix: Option<String>,
    /// Ask for every page and not for a sample of 65,536 of each pool
    #[arg(long)]
    pub every_page: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows memory`
#[derive(Debug, Args)]
pub struct StudyArgs {
    /// Quick: three repeats, over less memory
    #[arg(long)]
    pub quick: bool,
    /// Everything that takes longer: every cell of the matrix of nodes, 1 GiB pages, latency beside writes
    #[arg(long, conflicts_with = "quick")]
    pub thorough: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}
