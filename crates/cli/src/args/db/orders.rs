//! What was asked of `narrows db orders`.

use clap::{Args, ValueEnum};
use narrows_units::Nanos;

use super::quantities::window;
use super::{LoadArgs, ServerArgs};

use narrows_runner::exit_codes;

/// Where transactions run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum OrdersCallsArg {
    /// Functions of the server, in PL/pgSQL: a round trip for each transaction
    Functions,
    /// Statements of the client: a round trip for nearly each
    Statements,
}

/// The sessions' isolation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum IsolationArg {
    /// What PostgreSQL does unless told otherwise; keeps the consistency conditions, and is weaker than the specification asks
    ReadCommitted,
    /// A snapshot for each transaction; conflicts are tried again and counted
    RepeatableRead,
    /// As if one after the other; conflicts are tried again and counted
    Serializable,
}

/// Which warehouses sessions work for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HomeArg {
    /// Every transaction for any of them, all alike: the working set is all that is loaded
    All,
    /// Every session for one; few sessions touch few warehouses, which is said
    One,
}

/// `narrows db orders`
#[derive(Debug, Args)]
#[command(after_help = concat!(
    "\
Examples:
  narrows db orders --warehouses 20      load, run, check and remove, on a server of our own
  narrows db orders --warehouses 500 postgres://bob@db7/shop --load-here --keep
                                         the same on that server; what is loaded stays for the next run
  narrows db orders --warehouses 50 --paced
                                         500 terminals that key and think as the specification's do
  narrows db orders --crash              kill our own server under it, and look for every acknowledged order
  narrows db orders --drop postgres://bob@db7/shop
                                         remove what --load-only, --keep or an interrupted load left there

An order-entry mix of five transactions on nine tables, derived from the public specification of such a benchmark and not that
benchmark: its results compare with no published ones. A load that is interrupted goes on when the same command is typed again.
After the run eleven consistency conditions and the count of new orders are checked; where one does not hold, the measurement is
invalid.

",
    exit_codes!()
))]
pub struct OrdersArgs {
    /// Which server.
    #[command(flatten)]
    pub server: ServerArgs,
    /// Warehouses, each of about 100 MB and ten terminals
    #[arg(long, value_name = "N", default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub warehouses: u32,
    /// Connections that load [default: the machine's CPUs, up to 16]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64))]
    pub loaders: Option<u32>,
    /// Concurrent sessions [default: twice the server's CPUs, 8 to 256; ten for each warehouse with --paced]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
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
    /// Sessions key and think as the specification's terminals do: at most 12.6 new orders a minute for each warehouse
    #[arg(long, conflicts_with = "rate")]
    pub paced: bool,
    /// Open loop: so many transactions per second, due at random times whether or not sessions are free
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub rate: Option<u64>,
    /// Unmeasured start of every window [default: 2s; 30s with --paced]
    #[arg(long, value_name = "TIME", value_parser = window)]
    pub warm_up: Option<Nanos>,
    /// Loads and does not run; what is loaded stays, until --drop
    #[arg(long, requires = "url", conflicts_with = "starts")]
    pub load_only: bool,
    /// What this run loads stays; what was there before stays in any case
    #[arg(long, requires = "url")]
    pub keep: bool,
    /// Afterwards kills the server under the mix, starts it again and looks for every order that it acknowledged: a check of the
    /// server's recovery, and none of the drives
    #[arg(long, conflicts_with = "url")]
    pub crash: bool,
    /// Removes what is loaded there and does nothing else; with --dry-run says what that would be
    #[arg(long, requires = "url", conflicts_with_all = ["load_only", "keep", "paced", "rate", "sessions", "starts"])]
    pub drop: bool,
    /// How much.
    #[command(flatten)]
    pub load: LoadArgs,
}
