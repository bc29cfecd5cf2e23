//! What goes wrong between a host and a target.

use std::io;

use narrows_nvme::Status;
use narrows_nvme::pdu::Violation;

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
    /// Nothing came for too long.
    #[error("no answer to {command} for {seconds} s")]
    Silent {
        /// To what.
        command: &'static str,
        /// How long.
        seconds: u64,
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
    /// Whether it stays so however often it is tried: the controller says so (DNR).
    pub(crate) fn is_for_good(&self) -> bool {
        match self {
            HostError::Failed { status, .. } => status.do_not_retry(),
            HostError::Changed(_) => true,
            _ => false,
        }
    }

    /// Whether the connection is of no more use, and another one may be.
    pub(crate) fn is_of_connection(&self) -> bool {
        matches!(
            self,
            HostError::System { .. }
                | HostError::Closed(_)
                | HostError::Terminated(_)
                | HostError::Broken(_)
                | HostError::Silent { .. }
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
            HostError::Failed { status, .. } if *status == Status::CONNECT_HOST.for_good() => Some(
                "the target doesn't allow this host's NQN; add it there, or say which with `&hostnqn=`",
            ),
            HostError::Failed { status, .. }
                if *status == Status::CONNECT_PARAMETERS.for_good() =>
            {
                Some(
                    "the target has no such subsystem for this host; `nvme discover` lists those it has",
                )
            }
            HostError::Failed { status, .. }
                if status.code() == Status::AUTHENTICATION_REQUIRED.code() =>
            {
                Some("the target wants authentication (DH-HMAC-CHAP), which is not supported here")
            }
            _ => None,
        }
    }
}
