//! What was asked of `narrows log postgres`.

use std::path::PathBuf;

use clap::Args;
use narrows_units::{Nanos, ParseQuantityError};

use super::{DetailArgs, Format, NamesArgs, OutputArgs, UnitsArg};

/// `narrows log postgres`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log postgres postgres://app@db7/shop            over 30 s
  narrows log postgres postgres://app@db7/shop --for 10min
  narrows log postgres --pg-test-fsync fsync.txt          its output, in the terms used here")]
#[command(after_long_help = "\
The password is best in PGPASSWORD. A user who is a member of pg_monitor sees what all sessions wait for; others see the
counters. The session is read only, with a statement_timeout of 5 s and a lock_timeout of 1 s.")]
pub struct LogPostgresArgs {
    /// The server: postgres://USER@HOST:PORT/DATABASE
    #[arg(value_name = "URL", required_unless_present = "pg_test_fsync")]
    pub url: Option<String>,
    /// How long to observe; below 6 s chance cannot be excluded
    #[arg(long = "for", value_name = "TIME", default_value = "30s", value_parser = interval)]
    pub length: Nanos,
    /// Output of pg_test_fsync on the WAL drive, to compare with
    #[arg(long, value_name = "FILE")]
    pub pg_test_fsync: Vec<PathBuf>,
    /// What is told of names.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How and where to.
    #[command(flatten)]
    pub output: LookArgs,
}

/// Where the results go.
#[derive(Debug, Args)]
pub struct LookArgs {
    /// Show what would be read, and stop
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

impl LookArgs {
    /// As those who load something have it.
    pub fn as_output(&self) -> OutputArgs {
        OutputArgs {
            seed: None,
            load_here: false,
            dry_run: self.dry_run,
            output: self.output.clone(),
            format: self.format,
            detail: self.detail,
            units: self.units,
        }
    }
}

/// How long to observe.
///
/// # Errors
/// A sentence, where it is no time or not from three seconds to an hour.
pub fn interval(text: &str) -> Result<Nanos, String> {
    let time: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    if (3_000_000_000..=3_600_000_000_000).contains(&time.0) {
        Ok(time)
    } else {
        Err("intervals are from 3s to 60min".to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interval_has_bounds() {
        assert_eq!(interval("30s"), Ok(Nanos(30_000_000_000)));
        for text in ["1s", "2h", "long"] {
            assert!(interval(text).is_err(), "{text}");
        }
    }
}
