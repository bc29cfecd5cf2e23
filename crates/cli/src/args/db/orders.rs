//! What was asked of `narrows db orders`.

use clap::{Args, ValueEnum};
use narrows_units::Nanos;

use super::quantities::window;
use super::{LoadArgs, ServerArgs};
use crate::args::number::{at_least, sessions, whole};

/// Where transactions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrdersCallsArg {
    /// Functions in the server, PL/pgSQL: one round trip per transaction
    Functions,
    /// Statements of the client: a round trip for nearly each
    Statements,
}

/// The sessions' isolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IsolationArg {
    /// PostgreSQL's default; keeps the consistency conditions, and is weaker than the specification requires
    ReadCommitted,
    /// A snapshot per transaction; conflicts are retried and counted
    RepeatableRead,
    /// As if one after the other; conflicts are retried and counted
    Serializable,
}

/// Which warehouses sessions work for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HomeArg {
    /// Every transaction for any of them: the working set is all that is loaded
    All,
    /// Every session for one; few sessions use few warehouses, which is reported
    One,
}

/// `narrows db orders`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows db orders --warehouses 20      load, run, check and remove, on a private instance
  narrows db orders --warehouses 500 postgres://bob@db7/shop --load-here --keep
                                         the same on that server; the data stays for the next run
  narrows db orders --warehouses 50 --paced
                                         500 terminals with keying and thinking times
  narrows db orders --crash              kill it under load, look for each acknowledged order
  narrows db orders --drop postgres://bob@db7/shop
                                         remove what an earlier load left there")]
#[command(after_long_help = "\
An order-entry mix of five transactions on nine tables, derived from the public specification of such a benchmark and not that
benchmark: its results compare with no published ones. An interrupted load continues when the same command is typed again.
After the run eleven consistency conditions and the count of new orders are checked; where one does not hold, the measurement is
invalid.")]
pub struct OrdersArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Warehouses, each of about 100 MB and ten terminals
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = whole::<1, 100_000>)]
    pub warehouses: u32,
    /// Connections that load [default: the machine's CPUs, up to 16]
    #[arg(long, value_name = "N", value_parser = whole::<1, 64>)]
    pub loaders: Option<u32>,
    /// Concurrent sessions [default: twice the server's CPUs, 8 to 256; ten per warehouse with --paced]
    #[arg(long, value_name = "N", value_parser = sessions::<10_000>)]
    pub sessions: Option<u32>,
    /// Where the transactions run
    #[arg(long, value_enum, default_value_t = OrdersCallsArg::Functions)]
    pub calls: OrdersCallsArg,
    /// Isolation of the sessions
    #[arg(long, value_enum, default_value_t = IsolationArg::ReadCommitted)]
    pub isolation: IsolationArg,
    /// Which warehouses sessions work for [default: all; one with --paced]
    #[arg(long, value_enum)]
    pub home: Option<HomeArg>,
    /// Keying and thinking times as specified: at most 12.6 new orders per minute and warehouse
    #[arg(long, conflicts_with = "rate")]
    pub paced: bool,
    /// Open loop: transactions per second, scheduled at random times whether or not sessions are free
    #[arg(long, value_name = "N", value_parser = at_least::<1>)]
    pub rate: Option<u64>,
    /// Warm-up before every window [default: 2s; 30s with --paced]
    #[arg(long, value_name = "TIME", value_parser = window)]
    pub warm_up: Option<Nanos>,
    /// Load and do not run; the data stays until --drop
    #[arg(long, requires = "url", conflicts_with = "starts")]
    pub load_only: bool,
    /// Keep what this run loads; what was there before stays in any case
    #[arg(long, requires = "url")]
    pub keep: bool,
    /// Then kill the server under load, restart it and look for every acknowledged order: a test of the
    /// server's recovery, not of the drives
    #[arg(long, conflicts_with = "url")]
    pub crash: bool,
    /// Remove the loaded data and do nothing else; with --dry-run list it
    #[arg(long, requires = "url", conflicts_with_all = ["load_only", "keep", "paced", "rate", "sessions", "starts"])]
    pub drop: bool,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}
