//! What was asked of `narrows observe` and `narrows run --observe`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use narrows_units::{Nanos, ParseQuantityError};

use super::NamesArgs;
use super::live::LookArgs;

/// Observing a running server instead of measuring.
#[derive(Debug, Clone, Default, Args)]
pub struct ObserveArgs {
    /// Observe this server, postgres://USER@HOST:PORT/DATABASE, and load nothing
    ///
    /// The session is read only, with a statement_timeout of 5 s and a lock_timeout of 1 s. The password is best in PGPASSWORD. A
    /// member of pg_monitor sees what sessions do; others see the counters. On the server's own machine its processes and
    /// drives are observed too.
    #[arg(long, value_name = "URL")]
    pub observe: Option<String>,
    /// How to look.
    #[command(flatten)]
    pub how: HowToLook,
}

/// `narrows observe`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows observe postgres://monitor@db7/shop
  narrows observe shop                     the database here, as psql finds it
  narrows observe service=prod --for 10min
  narrows observe mariadb://root@/?socket=/run/mysqld/mysqld.sock
  narrows observe shop --watch             until Ctrl-C, ten lines per minute")]
#[command(after_long_help = "\
The address is taken as psql takes it: a URL, keywords (host=db7 dbname=shop), a database's name; the rest comes from PGHOST, \
PGPORT, PGUSER, PGDATABASE, PGSERVICE, the password from PGPASSWORD or ~/.pgpass. A MariaDB is reached by its Unix socket, without a \
password: mariadb://USER@/?socket=PATH.")]
pub struct ObserveCommand {
    /// The server: postgres://USER@HOST:PORT/DATABASE, keywords, or a database's name [default: as psql]
    ///
    /// Nothing is loaded. The session is read only, with a statement_timeout of 5 s and a lock_timeout of 1 s. A member of pg_monitor
    /// sees what sessions do; others see the counters. On the server's own machine its processes and drives are observed too.
    #[arg(value_name = "ADDRESS")]
    pub address: Option<String>,
    /// How to look.
    #[command(flatten)]
    pub how: HowToLook,
    /// Use hardware details from a capture made by root (`narrows gather --privileged`)
    #[arg(long, value_name = "FILE")]
    pub facts: Option<PathBuf>,
    /// Observe again and again until Ctrl-C, a minute each; ten lines of each, which is a run of its own
    #[arg(long, conflicts_with_all = ["dry_run", "capacities"])]
    pub watch: bool,
    /// What is told of names.
    #[command(flatten)]
    pub names: NamesArgs,
    /// Where the results go.
    #[command(flatten)]
    pub output: LookArgs,
}

/// How long to look at a server, and what to compare it with.
#[derive(Debug, Clone, Default, Args)]
pub struct HowToLook {
    /// How long to observe at most [default: 10min]
    ///
    /// Usually 60 s. With fewer than 100 transactions or 200 samples by then, it continues by
    /// windows of 10 s until there are enough, or until this time if that can be enough. Where the load changes
    /// by a factor of two or more, it observes a second time, if this time allows. Above 10min a window
    /// is a sixtieth of it, and six windows are the least.
    #[arg(long = "for", value_name = "TIME", value_parser = interval)]
    pub length: Option<Nanos>,
    /// Use drive, WAL and memory capacities from an earlier run of this machine: its id or its file
    #[arg(long, value_name = "RUN")]
    pub capacities: Option<String>,
    /// Don't ask for plans of the statements that take most (EXPLAIN, never ANALYZE)
    ///
    /// Planning executes no statement, but calls functions that are marked immutable or stable; statements with functions of a
    /// language other than C are left out anyway.
    #[arg(long)]
    pub no_explain: bool,
    /// Keep the literals in statements of sessions that wait for locks or hold rows from vacuum
    ///
    /// Their texts are otherwise kept without literals, on the screen and in the run file. Texts of pg_stat_statements have none.
    #[arg(long, conflicts_with = "anonymous")]
    pub show_queries: bool,
}

impl HowToLook {
    /// How long each of many observations takes at most: a minute, unless it was said.
    pub fn length_of_each(&self) -> Duration {
        const MINUTE: Nanos = Nanos(60_000_000_000);
        Duration::from_nanos(self.length.unwrap_or(MINUTE).0)
    }

    /// How long to observe at most.
    pub fn length(&self) -> Duration {
        const USUAL: Nanos = Nanos(600_000_000_000);
        Duration::from_nanos(self.length.unwrap_or(USUAL).0)
    }
}

/// How long to observe.
///
/// # Errors
/// A sentence, where it is no time or not from three seconds to a day.
fn interval(text: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    if (3_000_000_000..=86_400_000_000_000).contains(&time.0) {
        Ok(time)
    } else {
        Err("intervals are from 3s to 24h".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_bounds() {
        assert_eq!(interval("60s"), Ok(Nanos(60_000_000_000)));
        assert_eq!(interval("24h"), Ok(Nanos(86_400_000_000_000)));
        for text in ["1s", "25h", "long"] {
            assert!(interval(text).is_err(), "{text}");
        }
    }
}
