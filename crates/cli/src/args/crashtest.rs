//! What was asked of `narrows log crashtest`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};
use narrows_runner::request::crashtest::LEAST_RECORDS;
use narrows_units::{Nanos, ParseQuantityError};

use super::Format;
use super::block::{ConsentArgs, binary_size, block_size};
use super::number::{at_least, whole};

/// `narrows log crashtest`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log crashtest listen acknowledged.list           on keeper, a second host
  narrows log crashtest write /wal/crash --to keeper:7717  on db1, half a minute; pull its plug
  narrows log crashtest check /wal/crash --acknowledged acknowledged.list
                                                           on db1 again, with keeper's list")]
#[command(after_long_help = "\
A killed process is not a power cut, and neither is a reset or a virtual machine that is destroyed:
only what lost its power was tested.")]
pub struct CrashtestArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: CrashtestCommand,
}

/// The three parts of a crash test.
#[derive(Debug, Subcommand)]
pub enum CrashtestCommand {
    /// On the second host: record which records were acknowledged as durable
    Listen(ListenArgs),
    /// On the machine whose power will be cut: write numbered records, and report each after its flush
    Write(WriteArgs),
    /// After the power cut: look for every acknowledged record
    Check(CheckArgs),
}

/// `narrows log crashtest listen`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log crashtest listen acknowledged.list                   on port 7717 of every address
  narrows log crashtest listen acknowledged.list --at 10.0.0.7:7717")]
pub struct ListenArgs {
    /// The record of acknowledgements, a new file
    #[arg(value_name = "LIST")]
    pub list: PathBuf,
    /// Address and port to listen on
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "0.0.0.0:7717")]
    pub at: String,
}

/// How a record is made durable.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
#[value(rename_all = "kebab-case")]
pub enum SyncArg {
    /// A write, then fdatasync (PostgreSQL's default on Linux)
    Fdatasync,
    /// A write, then fsync
    Fsync,
    /// One write to a file opened with O_DSYNC
    Dsync,
    /// One write with RWF_DSYNC
    RwfDsync,
    /// A write and no flush: a power cut must lose records, or it was none
    None,
}

/// `narrows log crashtest write`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log crashtest write /wal/crash --to keeper:7717
  narrows log crashtest write /wal/crash --to keeper:7717 --sync none
                                         without flushes: a power cut must lose records
  narrows log crashtest write --postgres postgres://app@localhost/shop --to keeper:7717 --load-here
                                         rows of a PostgreSQL instead of records of a file")]
pub struct WriteArgs {
    /// A new file on the file system to test; it stays until it is checked
    #[arg(value_name = "FILE", required_unless_present_any = ["write_to_device", "postgres"])]
    pub file: Option<PathBuf>,
    /// HOST:PORT where `narrows log crashtest listen` runs
    #[arg(long, value_name = "HOST:PORT")]
    pub to: String,
    /// A device instead of a file.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// Commit rows to a new table of this PostgreSQL instead: postgres://…
    #[arg(long, value_name = "URL", conflicts_with_all = ["file", "write_to_device"])]
    pub postgres: Option<String>,
    /// Writers at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = whole::<1, 256>)]
    pub streams: u32,
    /// Bytes of a record: 8k is 8 KiB
    #[arg(long, value_name = "SIZE", default_value = "8k", value_parser = record_size, conflicts_with = "postgres")]
    pub size: u32,
    /// How each record is made durable
    #[arg(long, value_enum, default_value_t = SyncArg::Fdatasync, conflicts_with = "postgres")]
    pub sync: SyncArg,
    /// Use direct I/O (O_DIRECT)
    #[arg(long, conflicts_with = "postgres")]
    pub direct: bool,
    /// Let the file grow instead of writing it in a circle
    #[arg(long, conflicts_with_all = ["postgres", "write_to_device"])]
    pub append: bool,
    /// Total file size of all writers: 64m is 64 MiB
    #[arg(long, value_name = "SIZE", default_value = "64m", value_parser = binary_size, conflicts_with_all = ["postgres", "append"])]
    pub ring: u64,
    /// End in order after this time [default: at the power cut, or at Ctrl-C]
    #[arg(long = "for", value_name = "TIME", value_parser = length)]
    pub length: Option<Nanos>,
    /// Allow the record on this machine: for a rehearsal, or where another machine loses its power
    #[arg(long)]
    pub same_host: bool,
    /// Write although a database runs on this machine, or to the database that --postgres names
    #[arg(long)]
    pub load_here: bool,
}

/// `narrows log crashtest check`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows log crashtest check /wal/crash --acknowledged acknowledged.list
  narrows log crashtest check /wal/crash --acknowledged acknowledged.list --format json > crash.json
                                         for narrows report --crash-test crash.json")]
pub struct CheckArgs {
    /// The file or raw device that was written; it is only read
    #[arg(value_name = "FILE", required_unless_present = "postgres")]
    pub file: Option<PathBuf>,
    /// The PostgreSQL whose table was written
    #[arg(long, value_name = "URL", conflicts_with = "file")]
    pub postgres: Option<String>,
    /// The record of acknowledgements from the second host
    #[arg(long, value_name = "LIST")]
    pub acknowledged: PathBuf,
    /// What lost its power, where it was not this machine as a whole: a drive shelf, a storage server, the host of this
    /// virtual machine. The result then rests on your word
    #[arg(long, value_name = "WHAT")]
    pub cut: Option<String>,
    /// The file system was mounted again since the cut, or the machine under the database restarted: no read comes
    /// from memory
    #[arg(long)]
    pub remounted: bool,
    /// Count a missing file, table or header as data loss
    #[arg(long)]
    pub gone: bool,
    /// Fewest acknowledged records for a result
    #[arg(long, value_name = "N", default_value_t = LEAST_RECORDS, value_parser = at_least::<0>)]
    pub least: u64,
    /// Remove the file or the table if every record is there
    #[arg(long)]
    pub remove: bool,
    /// Format of standard output
    #[arg(long, value_enum, default_value_t = Format::TEXT)]
    pub format: Format,
}

/// A length of time to write for.
///
/// # Errors
/// A sentence, where it is no time, or less than 1 s.
fn length(text: &str) -> Result<Nanos, String> {
    let length: Nanos = text.parse().map_err(|error: ParseQuantityError| error.to_string())?;
    if length.0 < 1_000_000_000 { Err("at least 1s".to_string()) } else { Ok(length) }
}

/// A size of a record.
///
/// # Errors
/// A sentence, where it isn't a multiple of 512 up to 1 MiB.
fn record_size(text: &str) -> Result<u32, String> {
    match block_size(text)? {
        bytes if bytes <= 1 << 20 => Ok(bytes),
        _ => Err("records have at most 1m".to_string()),
    }
}
