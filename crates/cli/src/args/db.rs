//! What was asked of `narrows db`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{LayerArg, OutputArgs};

/// `narrows db`
#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  narrows db lookup                     random single blocks by the index, from the buffer pool of our own server
  narrows db lookup --from drive        the same from the drives
  narrows db update postgres://bob@db7/shop --load-here
                                        durable updates on that server, in a schema of our own that goes again
  narrows db scan --workers 4           a whole table by four processes

Every workload is a few lines of SQL on one table that has one row in every block, so that a row is a block and an
operation's cost can be counted. They are no benchmark kit's, and their figures compare with no published ones.

Exit codes: 0 done and valid; 2 usage or environment, nothing measured; 3 nothing valid measured; 4 no verdict was
reached; 130 interrupted (the partial run is kept).")]
pub struct DbArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: DbCommand,
}

/// The workloads.
#[derive(Debug, Subcommand)]
pub enum DbCommand {
    /// Random single blocks by the index, from the buffer pool or from the drives
    Lookup(LookupArgs),
    /// One row and one durable commit
    Update(UpdateArgs),
    /// The whole table by one process or by several
    Scan(ScanArgs),
}

/// Where blocks come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FromArg {
    /// The server's buffer pool, warmed before
    Pool,
    /// The drives: evicted from memory, which the drives' own counts must confirm
    Drive,
}

/// Which server.
#[derive(Debug, Clone, Args)]
pub struct ServerArgs {
    /// The server: postgres://USER@HOST:PORT/DATABASE, the password in PGPASSWORD [default: a PostgreSQL of our own,
    /// started for this and removed]
    #[arg(value_name = "URL")]
    pub url: Option<String>,
    /// The PostgreSQL to start: its `postgres` program or the folder it is in
    #[arg(long, value_name = "FILE", conflicts_with = "url")]
    pub postgres: Option<PathBuf>,
    /// Folder on the drives that hold the data files [default: /var/tmp]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder on the drives that hold the commit log [default: that of --data]
    #[arg(long, value_name = "DIR")]
    pub wal: Option<PathBuf>,
    /// Layers to measure before, for the verdict's ceilings [default: those the workload uses; none with a URL, unless
    /// --data says where]
    #[arg(long, value_delimiter = ',', value_name = "LAYER,…")]
    pub layers: Option<Vec<LayerArg>>,
}

/// How much of it, and how it is told.
#[derive(Debug, Clone, Args)]
pub struct LoadArgs {
    /// Concurrent sessions [default: twice the server's CPUs, 8 to 256]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=1024))]
    pub sessions: Option<u32>,
    /// Three short repeats and no test of the verdict: no grade above LIKELY
    #[arg(long)]
    pub quick: bool,
    /// How to run and where the results go.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows db lookup`
#[derive(Debug, Args)]
pub struct LookupArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Where the blocks come from
    #[arg(long, value_enum, default_value_t = FromArg::Pool)]
    pub from: FromArg,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}

/// `narrows db update`
#[derive(Debug, Args)]
pub struct UpdateArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}

/// `narrows db scan`
#[derive(Debug, Args)]
pub struct ScanArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}
