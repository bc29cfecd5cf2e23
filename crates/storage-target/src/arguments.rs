//! Arguments of `narrows-target`, and what is said when it can't serve.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use anyhow::{Context, Result, bail};
use clap::error::{ContextKind, ContextValue};
use clap::{Args, CommandFactory as _, Parser, Subcommand};
use narrows_nvme::Nqn;
use narrows_nvme::authentication::{Group, Hash};

use crate::cache_command::{self, CacheVerb};
use crate::config::subsystems_of_file;
use crate::control::{self, TierVerb};
use crate::credentials::{Authentication, CredentialFiles};
use crate::log_command::{self, LogVerb};
use crate::namespace::NamespaceSpec;
use crate::reactor::Wait;
use crate::serve::{Request, ServeError, SubsystemSpec, serve};
use crate::spec::{HOW_TLS, bytes_of, namespace_of, wait_of};
use crate::subsystem::AllowedHosts;
use crate::target::Limits;
use crate::tls_keys::{TlsKeys, tls_key_of};

/// Serves files, block devices and memory over NVMe/TCP, without a kernel module and without root.
#[derive(Debug, Parser)]
#[command(name = "narrows-target", version, subcommand_required = true, after_help = EXAMPLES)]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    /// Serves until SIGTERM or Ctrl-C, then answers what is here, flushes and ends.
    #[command(after_help = EXAMPLES)]
    Serve(ServeArguments),
    /// Logs on fast media that acknowledge writes before a slower file or device has them.
    #[command(subcommand, after_help = LOG_EXAMPLES)]
    Log(LogVerb),
    /// Files and devices as caches in front of slower ones: they answer reads of what was read before.
    #[command(subcommand, after_help = CACHE_EXAMPLES)]
    Cache(CacheVerb),
    /// Asks a target that serves about the logs and caches in front of its namespaces.
    #[command(subcommand, after_help = TIER_EXAMPLES)]
    Tier(TierVerb),
}

const EXAMPLES: &str = "\
Examples:
  Memory, for hosts of this machine:
    narrows-target serve --subsystem nqn.2026-11.org.example:ram --namespace ram:4GiB \\
      --allow-any-host

  A file, for one host of the network:
    truncate -s 100G /srv/disk.img
    narrows-target serve --subsystem nqn.2026-11.org.example:disk --namespace /srv/disk.img \\
      --listen 192.0.2.10:4420 --allow-host $(cat /etc/nvme/hostnqn)

  On a Linux host:
    nvme connect -t tcp -a 192.0.2.10 -s 4420 -n nqn.2026-11.org.example:disk

Nothing of a namespace ram or null is kept: they show what a network and a host can do without a drive.";

/// Examples of `narrows-target log`.
pub(crate) const LOG_EXAMPLES: &str = "\
Examples:
  A database's log on a slow drive, acknowledged by a fast one:
    truncate -s 1G /fast/wal.log
    narrows-target log make --for /slow/wal.img --log /fast/wal.log
    narrows-target serve --subsystem nqn.2026-11.org.example:wal --allow-any-host \\
      --namespace /slow/wal.img,log=/fast/wal.log

  What it holds, and how to do without it once the target has ended:
    narrows-target log status /fast/wal.log
    narrows-target log flush --for /slow/wal.img --log /fast/wal.log

  In the memory of two of three other machines. On each of them, at its own address, with
  this machine's NQN (/etc/nvme/hostnqn) as HOSTNQN:
    narrows-target serve --subsystem nqn.2026-11.org.example:peer --namespace ram:1GiB \\
      --listen 192.0.2.21:4420 --allow-host HOSTNQN

  Then here:
    narrows-target log make --for /slow/wal.img --copies 2 --separate-power \\
      --log nvme-tcp://192.0.2.21/nqn.2026-11.org.example:peer \\
      --log nvme-tcp://192.0.2.22/nqn.2026-11.org.example:peer \\
      --log nvme-tcp://192.0.2.23/nqn.2026-11.org.example:peer";

/// Examples of `narrows-target cache`.
pub(crate) const CACHE_EXAMPLES: &str = "\
Examples:
  A file on a fast drive that answers reads of a slow one:
    truncate -s 100G /fast/data.cache
    narrows-target cache make /fast/data.cache
    narrows-target serve --subsystem nqn.2026-11.org.example:data --allow-any-host \\
      --namespace /slow/data.img,cache=/fast/data.cache

  A whole drive, by its own serial, and an ordinary one of it again:
    narrows-target cache make /dev/nvme1n1,serial=S4EWNX0R
    narrows-target cache drop /dev/nvme1n1,serial=S4EWNX0R";

/// Examples of `narrows-target tier`.
pub(crate) const TIER_EXAMPLES: &str = "\
Examples:
  A target that can be asked:
    narrows-target serve --subsystem nqn.2026-11.org.example:wal --allow-any-host \\
      --namespace /slow/wal.img,log=/fast/wal.log \\
      --control /run/narrows-target/control

  What is in front of its namespaces, and how it is:
    narrows-target tier list
    narrows-target tier list --json

  A log of another size, while hosts use it:
    narrows-target tier resize --log --size 4GiB";

#[derive(Debug, Args)]
struct ServeArguments {
    /// Name of the subsystem: nqn.YYYY-MM.REVERSED-DOMAIN:NAME.
    #[arg(long, value_name = "NQN", required_unless_present = "config")]
    subsystem: Option<Nqn>,

    /// Several subsystems: a file in TOML with [[subsystem]], and in each nqn, namespaces, and hosts or any-host = true.
    #[arg(long, value_name = "FILE",
        conflicts_with_all = ["subsystem", "namespace", "allow_host", "allow_any_host",
            "dhchap_key_file", "dhchap_ctrl_key_file", "dhchap_hash", "dhchap_group", "tls_key_file"])]
    config: Option<PathBuf>,

    /// What is served: FILE, DEVICE, ram:SIZE or null[:SIZE], then, with commas between, block=512|4096, readonly, nsid=N;
    /// for a device serial=S (its own) and contents=keep (what is on it was written through this target); log=FILE for the log in front of
    /// it (`narrows-target log make`), twice for two media, each log=DEVICE with log-serial=S, or log=nvme-tcp://HOST:PORT/NQN for each of its
    /// peers; cache=ram:SIZE for memory that answers reads of
    /// what was read before, or cache=FILE for a file or device that does (`narrows-target cache make`), a DEVICE with cache-serial=S; in
    /// either cache-keep=OFFSET+SIZE for a range that stays, cache-recycle=OFFSET+SIZE for one that doesn't, and
    /// cache-index=FILE to have the same pages after a restart. May be repeated.
    #[arg(long, value_name = "WHAT", required_unless_present = "config", value_parser = namespace_of)]
    namespace: Vec<NamespaceSpec>,

    /// Address and port to listen at; loopback where none is said. May be repeated.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:4420")]
    listen: Vec<SocketAddr>,

    /// NQN of a host that may connect (/etc/nvme/hostnqn on it). May be repeated. NQNs are no secret: without
    /// --dhchap-key-file, whoever reaches the port can claim one.
    #[arg(long, value_name = "NQN")]
    allow_host: Vec<Nqn>,

    /// Lets every host that reaches the port connect.
    #[arg(long, conflicts_with = "allow_host")]
    allow_any_host: bool,

    /// File of the secret that every host has to prove (DH-HMAC-CHAP), as `nvme gen-dhchap-key` prints it; of mode 0600. A secret
    /// for each host: --config.
    #[arg(long, value_name = "FILE")]
    dhchap_key_file: Option<PathBuf>,

    /// File of the secret that the target proves to hosts that ask for it.
    #[arg(long, value_name = "FILE", requires = "dhchap_key_file")]
    dhchap_ctrl_key_file: Option<PathBuf>,

    /// Hash of that: sha256, sha384 or sha512 [default: sha256].
    #[arg(long, value_name = "HASH", requires = "dhchap_key_file")]
    dhchap_hash: Option<Hash>,

    /// Diffie-Hellman group of that: null (none), ffdhe2048, ffdhe3072, ffdhe4096, ffdhe6144 or ffdhe8192 [default: ffdhe3072].
    #[arg(long, value_name = "GROUP", requires = "dhchap_key_file")]
    dhchap_group: Option<Group>,

    /// File of the key by which every host has to come (TLS 1.3 with a pre-shared key), as `nvme gen-tls-key` prints it; of mode 0600. Who
    /// comes without is refused. A key for each host: --config.
    #[arg(long, value_name = "FILE", alias = "tls-key")]
    tls_key_file: Option<PathBuf>,

    /// Threads; each takes connections in turn.
    #[arg(long, value_name = "N", default_value_t = 1,
        value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// While nothing is to be done: sleep; poll, which takes a whole CPU per thread; or look for so long before sleeping
    /// (50us).
    #[arg(long, value_name = "HOW", default_value = "sleep", value_parser = wait_of)]
    wait: Wait,

    /// Memory for data in flight.
    #[arg(long, value_name = "SIZE", default_value = "256MiB", value_parser = bytes_of)]
    memory: u64,

    /// Entries of each queue.
    #[arg(long, value_name = "N", default_value_t = 128,
        value_parser = clap::value_parser!(u32).range(2..=1024))]
    queue_entries: u32,

    /// Data that a command may carry with it; a larger write takes one more round trip.
    #[arg(long, value_name = "SIZE", default_value = "16KiB", value_parser = bytes_of)]
    in_capsule: u64,

    /// File for figures in OpenMetrics' format, written every 10 s.
    #[arg(long, value_name = "FILE")]
    metrics: Option<PathBuf>,

    /// Socket at which `narrows-target tier` asks, for this user and root.
    #[arg(long, value_name = "FILE")]
    control: Option<PathBuf>,
}

impl ServeArguments {
    fn subsystems(&self) -> Result<Vec<SubsystemSpec>> {
        let Some(nqn) = &self.subsystem else {
            let config = self.config.as_deref().context("--subsystem or --config is missing")?;
            return Ok(subsystems_of_file(config)?);
        };
        let hosts = if self.allow_any_host {
            AllowedHosts::Any
        } else if self.allow_host.is_empty() {
            bail!(
                "no host may connect\nhint: --allow-host with the NQN in /etc/nvme/hostnqn of the host, or --allow-any-host"
            );
        } else {
            AllowedHosts::These(self.allow_host.iter().cloned().collect::<BTreeSet<_>>())
        };
        let namespaces = self.namespace.clone();
        let files = CredentialFiles {
            key: self.dhchap_key_file.clone(),
            controller_key: self.dhchap_ctrl_key_file.clone(),
            hash: self.dhchap_hash,
            group: self.dhchap_group,
        };
        let authentication = Authentication { all: files.read()?, ..Authentication::default() };
        let all = self.tls_key_file.as_deref().map(tls_key_of).transpose()?;
        let tls = TlsKeys { all, ..TlsKeys::default() };
        Ok(vec![SubsystemSpec { nqn: nqn.clone(), hosts, authentication, tls, namespaces }])
    }

    fn request(self) -> Result<Request> {
        let subsystems = self.subsystems()?;
        let in_capsule_bytes = u32::try_from(self.in_capsule)
            .ok()
            .filter(|bytes| *bytes <= 1 << 20 && bytes.is_multiple_of(16));
        let in_capsule_bytes = in_capsule_bytes.context(
            "--in-capsule must be a multiple of 16 bytes and 1MiB at most\nhint: 8KiB, 16KiB and 64KiB are usual",
        )?;
        Ok(Request {
            subsystems,
            listen: self.listen,
            threads: usize::from(self.threads),
            wait: self.wait,
            memory_bytes: usize::try_from(self.memory).context("--memory is too large")?,
            limits: Limits {
                queue_entries: self.queue_entries,
                in_capsule_bytes,
                ..Limits::default()
            },
            metrics: self.metrics,
            control: self.control,
            logs_as_persistent_memory: false,
        })
    }
}

/// The whole command line: what it takes, its help, the man pages and completions that are made of it.
pub fn command() -> clap::Command {
    Arguments::command()
}

/// Does what the command line says: 0 when it was done (serving: a signal ended it, and all was answered and flushed), 2 otherwise.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => return misunderstood(&error),
    };
    let done = match arguments.verb {
        Verb::Serve(arguments) => {
            arguments.request().and_then(|request| serve(&request).map_err(explained))
        }
        Verb::Log(verb) => log_command::run(verb),
        Verb::Cache(verb) => cache_command::run(verb),
        Verb::Tier(verb) => control::run(verb),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            tell(&format!("{error:#}"));
            ExitCode::from(2)
        }
    }
}

/// What is said to a command line that can't be understood, to one that asks for help too. Options of TLS are looked for where they stand
/// in other programs, and are answered by more than that there is none of that name.
fn misunderstood(error: &clap::Error) -> ExitCode {
    let of_tls = |option: &str| {
        ["--tls", "--keyring", "--concat"].iter().any(|begin| option.starts_with(begin))
    };
    match error.get(ContextKind::InvalidArg) {
        Some(ContextValue::String(option)) if of_tls(option) => {
            tell(&format!("{option}: there is none of that name; {HOW_TLS}"));
        }
        _ => {
            // Nobody to tell is no reason for another end.
            let _ = error.print();
        }
    }
    ExitCode::from(error.exit_code() as u8)
}

fn tell(text: &str) {
    eprintln!("narrows-target: {}", narrows_units::shown_lines(text));
}

fn explained(error: ServeError) -> anyhow::Error {
    // Its text has the system's word already; the chain would repeat it.
    match error.hint() {
        Some(hint) => anyhow::anyhow!("{error}\nhint: {hint}"),
        None => anyhow::anyhow!("{error}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_example_is_broken_by_the_width_of_a_help_text() {
        for examples in [EXAMPLES, LOG_EXAMPLES, CACHE_EXAMPLES, TIER_EXAMPLES] {
            let commands = examples.lines().filter(|line| line.starts_with("    "));
            let long: Vec<&str> = commands.filter(|line| line.len() > 96).collect();
            assert!(long.is_empty(), "{long:?}");
        }
    }
}
