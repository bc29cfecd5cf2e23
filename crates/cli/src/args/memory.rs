//! What was asked of `narrows memory`.

use clap::{Args, Subcommand, ValueEnum};
use narrows_runner::request::memory::{self, Kit};

use super::OutputArgs;
use super::number::{large, whole};

/// `narrows memory`; without a command all of it is measured.
#[derive(Debug, Args)]
#[command(args_conflicts_with_subcommands = true)]
#[command(before_help = "\
Examples:
  narrows memory                    latency and bandwidth, under a minute
  narrows memory --quick            three repeats, over less memory
  narrows memory matrix             every node's CPUs and every node's memory, by distance
  narrows memory placement          on which nodes the shared memory of this machine's servers is
  narrows memory baseline           keep this machine's figures; another day: has it aged?
  narrows memory slb 131072 600     SLB's line, explained")]
pub struct MemoryArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<MemoryCommand>,
    /// What to measure, without a command.
    #[command(flatten)]
    pub study: StudyArgs,
}

/// What `narrows memory` measures.
#[derive(Debug, Subcommand)]
pub enum MemoryCommand {
    /// Latency and bandwidth from the CPUs of each node to the memory of each, and placements side by side
    Matrix(MatrixArgs),
    /// Show on which nodes the memory of running databases is; nothing is loaded, touched or moved
    Placement(PlacementArgs),
    /// Keep this machine's figures, and compare with them later: memory fragments with age
    Baseline(BaselineArgs),
    /// Run the loop of SLB, the "silly little benchmark", print its line, and explain it
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
#[command(before_help = "\
Examples:
  narrows memory slb 131072 6000               the published command: 512 MiB, 786 million stores
  narrows memory slb 131072 600 --processes 4  as `memhammer` four times with one trigger")]
pub struct SlbArgs {
    /// Pages of 4 KiB per process
    #[arg(value_parser = whole::<1, { 1 << 26 }>)]
    pub pages: u32,
    /// Loops over them; a loop is one access per page
    #[arg(value_parser = large::<1, { 1 << 40 }>)]
    pub ops: u64,
    /// Kit of SLB
    #[arg(long, value_enum, default_value = "2007")]
    pub kit: KitArg,
    /// Processes, started at the same moment
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = whole::<1, 4096>)]
    pub processes: u32,
    /// CPUs for them in this order, as 0,2 or 0-3 [default: one of each core first]
    #[arg(long, value_name = "CPUS", value_parser = cpu_list)]
    pub bind: Option<CpuList>,
    /// Use 2 MiB pages; an error where they are not available
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
#[command(before_help = "\
Examples:
  narrows memory matrix               a few cells per distance, and all that differ
  narrows memory matrix --thorough    every cell")]
pub struct MatrixArgs {
    /// Every cell, not only some for each distance
    #[arg(long)]
    pub thorough: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows memory baseline`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows memory baseline            the first time: saves the figures; later: what is worse since
  narrows memory baseline --renew    this is the baseline from now on")]
#[command(after_long_help = "\
Latency, bandwidth, the time to touch a pool, and free memory. It is kept in $XDG_DATA_HOME/narrows/baseline (~/.local/share without it).")]
pub struct BaselineArgs {
    /// Replace the stored baseline with what is measured now
    #[arg(long)]
    pub renew: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// What `narrows memory placement` can be asked for without naming anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Everybody {
    /// All shared memory that this user may read
    All,
}

/// `narrows memory placement`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows memory placement                                all shared memory that this user may read
  sudo narrows memory placement --pid 4711                of this process, its private memory too
  narrows memory placement --postgres postgres:/// --matrix m.narrows.json
                                                          of that server, and what it costs")]
#[command(after_long_help = "\
Pages are located through all processes that map them (move_pages(2) without targets, which moves nothing). That needs
their user or root; without it only the nodes' own counters are shown.")]
pub struct PlacementArgs {
    /// All shared memory; the default
    #[arg(value_enum, conflicts_with_all = ["pid", "postgres"])]
    pub everybody: Option<Everybody>,
    /// Shared memory of 16 MiB and more that this process maps, and its private memory
    #[arg(long, value_name = "PID", conflicts_with = "postgres", value_parser = whole::<1, 2_147_483_647>)]
    pub pid: Option<u32>,
    /// Shared memory of this PostgreSQL server, which runs on this machine
    #[arg(long, value_name = "URL")]
    pub postgres: Option<String>,
    /// Compute the cost by the node matrix in this run
    #[arg(long, value_name = "RUN")]
    pub matrix: Option<String>,
    /// Ask for every page, not for a sample of 65,536 of each mapping
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
    /// All that takes longer: every cell of the node matrix, 1 GiB pages, latency beside writes
    #[arg(long, conflicts_with = "quick")]
    pub thorough: bool,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}
