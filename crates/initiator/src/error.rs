//! What goes wrong between a host and a target.

use std::io;
use std::path::PathBuf;

use narrows_nvme::authentication::Explanation;
use narrows_nvme::pdu::Violation;
use narrows_nvme::{Nqn, Status};
use narrows_nvme_tls::TlsError;

/// When a connection was closed that never was answered.
pub(crate) const UNANSWERED: &str = "before it answered";

/// Why a namespace can't be reached, or no longer.
#[derive(Debug, thiserror::Error)]
pub enum HostError {
    /// The network's or the system's word.
    #[error("cannot {action}: {source}")]
    System {
        /// What was tried.
        action: &'static str,
        /// What came of it.
        source: io::Error,
    },
    /// The target closed the connection.
    #[error("the target closed the connection {0}")]
    Closed(&'static str),
    /// The target said why before it closed.
    #[error("the target ended the connection: {0}")]
    Terminated(Violation),
    /// The target broke the protocol.
    #[error("the target broke the protocol: {0}")]
    Broken(String),
    /// A command failed.
    #[error("{command} failed: {status}")]
    Failed {
        /// Which.
        command: &'static str,
        /// How.
        status: Status,
        /// Its result: for Connect, where in it the error lies.
        result: u64,
    },
    /// The target has this host not on its list.
    #[error("the target does not allow {host} to connect to {subsystem}")]
    NotAllowed {
        /// The name by which this host connects.
        host: Nqn,
        /// To what.
        subsystem: Nqn,
    },
    /// Nothing came for too long.
    #[error("no answer to {command} for {seconds} s")]
    Silent {
        /// To what.
        command: &'static str,
        /// How long.
        seconds: u64,
    },
    /// A file of a secret can't be used; the reason has nothing of what is in it.
    #[error("{}: {reason}", path.display())]
    Secret {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// The file of a key of TLS can't be used; the reason has nothing of what is in it.
    #[error("{}: {reason}", path.display())]
    TlsKey {
        /// Which.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is no connection by TLS, or no longer.
    #[error("TLS: {0}")]
    Tls(TlsError),
    /// The target closed the connection before the handshake of TLS had ended.
    #[error("the target closed the connection within the handshake of TLS")]
    TlsUnanswered,
    /// The target demands TLS, and the address names no key.
    #[error("the target demands TLS of {host} at {subsystem}")]
    TlsRequired {
        /// The name by which this host connects.
        host: Nqn,
        /// To what.
        subsystem: Nqn,
    },
    /// The target demands authentication, and the address names no secret.
    #[error("the target demands authentication (DH-HMAC-CHAP) of {host}")]
    NoSecret {
        /// The name by which this host connects.
        host: Nqn,
    },
    /// The target has to prove itself, and demands no authentication.
    #[error(
        "the target demands no authentication, so it can't prove that it has the secret of dhchap-ctrl-key-file"
    )]
    NoAuthentication,
    /// The target demands TLS after the authentication.
    #[error("the target demands TLS derived from the authentication, which is not supported")]
    SecureChannel,
    /// The target refused this host.
    #[error("the target refused {host}: {explanation}")]
    Refused {
        /// The name by which this host connects.
        host: Nqn,
        /// Why.
        explanation: Explanation,
    },
    /// The target accepted this host, and has another secret than it should, or none.
    #[error("the target {}", if *answered { "has another secret than that of dhchap-ctrl-key-file" } else { "proved no secret of its own" })]
    TargetUnproven {
        /// It answered.
        answered: bool,
    },
    /// After the connection was made again, something else is there.
    #[error("after a reconnect {0}")]
    Changed(String),
    /// Given up.
    #[error(
        "the connection was lost ({lost}) and could not be made again (attempts: {attempts}, the last: {last})"
    )]
    GivenUp {
        /// How it was lost.
        lost: String,
        /// How often it was tried.
        attempts: u32,
        /// Why that failed.
        last: String,
    },
    /// The namespace isn't there, or can't be used.
    #[error("namespace {namespace}: {reason}")]
    Namespace {
        /// Which.
        namespace: u32,
        /// Why.
        reason: String,
    },
}

impl HostError {
    /// Whether it stays so however often it is tried: the controller says so (DNR), something else is there, or one side has
    /// another secret, or none. Each further attempt would be another guess, and may lock the host out.
    pub(crate) fn is_for_good(&self) -> bool {
        match self {
            HostError::Failed { status, .. } => status.do_not_retry(),
            HostError::Changed(_)
            | HostError::Secret { .. }
            | HostError::TlsKey { .. }
            | HostError::TlsRequired { .. }
            | HostError::NoSecret { .. }
            | HostError::NoAuthentication
            | HostError::SecureChannel
            | HostError::NotAllowed { .. }
            | HostError::Refused { .. }
            | HostError::TargetUnproven { .. } => true,
            HostError::Tls(error) => error.is_of_key(),
            HostError::System { .. }
            | HostError::Closed(_)
            | HostError::Terminated(_)
            | HostError::Broken(_)
            | HostError::Silent { .. }
            | HostError::TlsUnanswered
            | HostError::GivenUp { .. }
            | HostError::Namespace { .. } => false,
        }
    }

    /// Whether another host's reservation of the namespace forbade it.
    pub fn is_reservation_conflict(&self) -> bool {
        let conflict = Status::RESERVATION_CONFLICT.code();
        matches!(self, HostError::Failed { status, .. } if status.code() == conflict)
    }

    /// Whether the connection is of no more use, and another one may be.
    pub fn is_of_connection(&self) -> bool {
        matches!(
            self,
            HostError::System { .. }
                | HostError::Closed(_)
                | HostError::Terminated(_)
                | HostError::Broken(_)
                | HostError::Silent { .. }
                | HostError::Tls(_)
                | HostError::TlsUnanswered
        )
    }

    pub(crate) fn system(action: &'static str) -> impl FnOnce(io::Error) -> HostError {
        move |source| HostError::System { action, source }
    }

    /// What to do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            HostError::System { source, .. } => match source.kind() {
                io::ErrorKind::ConnectionRefused => {
                    Some("nothing listens there; is it the right port?")
                }
                io::ErrorKind::TimedOut => {
                    Some("does a firewall drop it? `nvme discover` from here tells")
                }
                _ => None,
            },
            HostError::Closed(UNANSWERED) => Some(
                "is it NVMe/TCP that listens there? a target that demands TLS ends the connection, too: name the file of its key with `&tls-key-file=FILE`",
            ),
            HostError::NotAllowed { .. } => Some(
                "add this NQN at the target (narrows-target: --allow-host, nvmet: allowed_hosts), or say another with `&hostnqn=`",
            ),
            HostError::Failed { status, .. }
                if *status == Status::CONNECT_PARAMETERS.for_good() =>
            {
                Some(
                    "the target has no such subsystem for this host; `nvme discover` lists those it has",
                )
            }
            HostError::NoSecret { .. } => Some(
                "put the secret that the target has for this host into a file of mode 0600 and name it with `&dhchap-key-file=FILE`",
            ),
            HostError::Secret { .. } => Some(
                "`nvme gen-dhchap-key` prints a secret; the file holds that line alone, belongs to who runs this and has mode 0600",
            ),
            HostError::TlsKey { .. } => Some(
                "`nvme gen-tls-key` prints a key; the file holds that line alone, belongs to who runs this and has mode 0600",
            ),
            HostError::TlsRequired { .. } => Some(
                "put the key that the target has for this host into a file of mode 0600 and name it with `&tls-key-file=FILE`",
            ),
            HostError::TlsUnanswered | HostError::Tls(TlsError::NotTls) => Some(
                "does the target have TLS there? without, leave `tls-key-file` out, or name a key at it (narrows-target: --tls-key-file); its journal says why it closes",
            ),
            HostError::Tls(error) if error.is_of_key() => Some(
                "is the key the one that the target has for this NQN (`&hostnqn=` says another) and this subsystem? its journal says which it was asked for",
            ),
            HostError::NoAuthentication => Some(
                "have the target demand it of this host (nvmet: dhchap_key and dhchap_ctrl_key), or leave dhchap-ctrl-key-file out",
            ),
            HostError::SecureChannel => Some(
                "have the target demand authentication alone, over a network of its own, WireGuard or IPsec",
            ),
            HostError::Refused { explanation: Explanation::FAILED, .. } => Some(
                "is the secret the one that the target has for this NQN (`&hostnqn=` says another), and has it one of its own if dhchap-ctrl-key-file is said?",
            ),
            HostError::Refused { explanation: Explanation::HASH | Explanation::GROUP, .. } => Some(
                "offered were SHA-256, SHA-384, SHA-512 and null, ffdhe2048, ffdhe3072, ffdhe4096, ffdhe6144, ffdhe8192; set one of each at the target (nvmet: dhchap_hash, dhchap_dhgroup)",
            ),
            HostError::TargetUnproven { .. } => Some(
                "is it the right target, and is the file the secret that it has for itself (nvmet: dhchap_ctrl_key)?",
            ),
            _ => None,
        }
    }
}
