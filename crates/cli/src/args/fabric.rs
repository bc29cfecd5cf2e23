//! What was asked of `narrows fabric`.

use std::net::SocketAddr;

use clap::{Args, Subcommand};

use super::block::ConsentArgs;
use super::{NamesArgs, OutputArgs};

/// `narrows fabric`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows fabric split nvme-tcp://192.0.2.10/nqn.2026-11.org.example:a
                                           where the time of reads over NVMe/TCP goes
  narrows fabric echo --listen 192.0.2.10:4430
                                           on the target's machine, for --echo")]
pub struct FabricArgs {
    /// What to do.
    #[command(subcommand)]
    pub command: FabricCommand,
}

/// What `narrows fabric` does.
#[derive(Debug, Subcommand)]
pub enum FabricCommand {
    /// Divide the latency over NVMe/TCP into host, network, target, storage and wake-ups
    Split(SplitArgs),
    /// Send messages back until Ctrl-C: the network's part of a split, on the target's machine
    Echo(EchoArgs),
}

/// `narrows fabric split`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows fabric split nvme-tcp://192.0.2.10/nqn.2026-11.org.example:a
                                           reads; nothing is written
  narrows fabric split nvme-tcp://192.0.2.10/nqn.2026-11.org.example:a --echo 192.0.2.10:4430
                                           the network and the target's wake-up apart
  narrows fabric split nvme-tcp://192.0.2.10/nqn.2026-11.org.example:a --device-run 7f3a
                                           the drive as its own machine measured it
  narrows fabric split --write-to-device nvme-tcp://192.0.2.10/nqn.2026-11.org.example:a --serial S
                                           durable writes too; everything on it is lost")]
pub struct SplitArgs {
    /// The namespace, nvme-tcp://HOST:PORT/NQN?ns=1; it is only read, and may be in use
    #[arg(
        value_name = "ADDRESS",
        required_unless_present = "write_to_device",
        conflicts_with = "write_to_device"
    )]
    pub address: Option<String>,
    /// A namespace that may be written.
    #[command(flatten)]
    pub consent: ConsentArgs,
    /// `narrows fabric echo` on the target's machine
    #[arg(long, value_name = "HOST:PORT")]
    pub echo: Option<String>,
    /// Run of `narrows block run` on the target's machine that measured the drive behind it, one operation in flight: a file or an id
    #[arg(long, value_name = "RUN")]
    pub device_run: Option<String>,
    /// What is told of names.
    #[command(flatten)]
    pub names: NamesArgs,
    /// How and where to.
    #[command(flatten)]
    pub output: OutputArgs,
}

/// `narrows fabric echo`
#[derive(Debug, Args)]
#[command(before_help = "\
Examples:
  narrows fabric echo                            for programs of this machine
  narrows fabric echo --listen 192.0.2.10:4430   at an address of the storage network")]
pub struct EchoArgs {
    /// Address and port; whoever reaches it can use it
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4430")]
    pub listen: SocketAddr,
}
