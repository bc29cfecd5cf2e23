//! Why a device could not be looked at, consented to, or opened.

use std::fmt;
use std::io;

use crate::{Identity, NodeKind, Refusal};

/// Why there is no device to look at.
#[derive(Debug, thiserror::Error)]
pub enum InspectError {
    /// Nothing there, or not to be reached.
    #[error(
        "cannot find the device {path}: {source}\nhint: `lsblk` lists the devices of this machine"
    )]
    Unreachable {
        /// As it was named.
        path: String,
        /// What the kernel said.
        source: io::Error,
    },
    /// Something else is there.
    #[error("{path} is {kind}, not a block device{}", plain_hint(*kind))]
    NotABlockDevice {
        /// As it was named.
        path: String,
        /// What it is.
        kind: NodeKind,
    },
    /// A node without a device.
    #[error(
        "cannot read anything about {path}: /sys has no block device {number}\nhint: the node may be left over from a removed device; or /sys is not mounted here"
    )]
    UnknownToSys {
        /// As it was named.
        path: String,
        /// `major:minor`.
        number: String,
    },
}

/// Why consent is not accepted.
#[derive(Debug, thiserror::Error)]
pub enum ConsentError {
    /// Something speaks against writing, consent or not.
    #[error("refusing to write to {path}:{}", Reasons(reasons))]
    Refused {
        /// As it was named.
        path: String,
        /// The reasons.
        reasons: Vec<Refusal>,
    },
    /// Device and serial don't belong together.
    #[error(
        "refusing to write to {path}: it is not the device with `{given}` ({identity})\nhint: read the serial from the device that you mean; for this one it would be --serial {}",
        identity.phrase()
    )]
    WrongSerial {
        /// As it was named.
        path: String,
        /// What was said.
        given: String,
        /// What it is.
        identity: Identity,
    },
}

/// Why a device was not opened. Nothing was written.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No device there.
    #[error(transparent)]
    Inspect(#[from] InspectError),
    /// The kernel refused.
    #[error("cannot open {path} for {purpose}: {source}{}", busy_hint(source))]
    System {
        /// As it was named.
        path: String,
        /// `reading`, `writing`.
        purpose: &'static str,
        /// What the kernel said.
        source: io::Error,
    },
    /// Between consent and opening something changed.
    #[error(
        "refusing to write to {path}: {what} since consent was given\n\
         hint: look at the device again, then name it and its serial again"
    )]
    Changed {
        /// As it was named.
        path: String,
        /// What.
        what: &'static str,
    },
    /// Between consent and opening somebody came.
    #[error(
        "refusing to write to {path}, although it was free when consent was given:{}",
        Reasons(reasons)
    )]
    Refused {
        /// As it was named.
        path: String,
        /// The reasons.
        reasons: Vec<Refusal>,
    },
}

struct Reasons<'a>(&'a [Refusal]);

impl fmt::Display for Reasons<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for reason in self.0 {
            write!(f, "\n  {reason}")?;
        }
        self.0.first().map_or(Ok(()), |reason| write!(f, "\nhint: {}", reason.hint()))
    }
}

fn plain_hint(kind: NodeKind) -> &'static str {
    match kind {
        NodeKind::File => {
            "\nhint: a regular file in /dev is memory, usually left by a copy to a device that did not exist; to measure a file system name a folder on it"
        }
        NodeKind::Folder => {
            "\nhint: a folder is measured through its file system, which needs no consent"
        }
        _ => "\nhint: `lsblk` lists the block devices of this machine",
    }
}

fn busy_hint(error: &io::Error) -> &'static str {
    match error.raw_os_error() {
        Some(libc::EBUSY) => {
            "\nhint: another process holds it; `lsblk` and `fuser -v` may show which"
        }
        Some(libc::EACCES | libc::EPERM) => "\nhint: root, or the group `disk`, may open devices",
        _ => "",
    }
}
