//! What is wrong with an archive.

use thiserror::Error;

/// Why a file is no capture that can be used.
#[derive(Debug, Error)]
pub enum CaptureError {
    /// It can't be read or written at all.
    #[error("{0}")]
    Io(#[from] std::io::Error),
    /// No gzip, or none that ends as it should.
    #[error(
        "it is cut off or damaged: {0}\nhint: copy it again from where it was made, or gather once more"
    )]
    Damaged(String),
    /// Gzip, and no capture inside.
    #[error("it is no capture of narrows\nhint: a capture is what `narrows gather -o FILE` writes")]
    Foreign,
    /// A capture of another format.
    #[error(
        "its format is {0:?}, and this narrows reads narrows.capture/1\nhint: use the narrows that wrote it, or gather again"
    )]
    Version(String),
    /// Larger than a machine can be.
    #[error(
        "{what} is more than {limit}, which no machine needs\nhint: gather again; do not trust this file"
    )]
    TooLarge {
        /// What.
        what: &'static str,
        /// How much is allowed, in words.
        limit: String,
    },
    /// A line that says nothing understandable, or contradicts another.
    #[error(
        "line {line}: {reason}\nhint: copy it again from where it was made, or gather once more"
    )]
    Line {
        /// Counted from 1.
        line: usize,
        /// What is wrong.
        reason: String,
    },
}
