//! What was asked of `narrows gather`.

use std::path::PathBuf;

use clap::Args;

/// `narrows gather`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows gather -o db7.capture                    what this user can read of this machine
  sudo narrows gather --privileged -o db7.capture  and what only root can read of it
  narrows platform db7.capture                     show it, on any machine
  narrows run --facts db7.capture                  measure as a user, with what root saw")]
#[command(after_long_help = "\
Serial numbers, hardware and network addresses, UUIDs, names of hosts and users, and command lines are replaced or
left out before anything is written. Only reads; changes nothing.")]
pub struct GatherArgs {
    /// The capture, a new file
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Capture as root what other users cannot read
    #[arg(long)]
    pub privileged: bool,
    /// Replace FILE if it exists
    #[arg(long)]
    pub force: bool,
    /// Folder on the drives with the data files [default: /var/tmp]
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Folder on the drives with WAL [default: that of --data]
    #[arg(long, value_name = "DIR")]
    pub wal: Option<PathBuf>,
}
