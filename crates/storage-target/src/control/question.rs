//! What is asked.

use serde::{Deserialize, Serialize};

/// Longest question, bytes.
pub(super) const LONGEST: u64 = 4096;

/// A question.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "verb", rename_all = "kebab-case", deny_unknown_fields)]
pub(super) enum Question {
    /// What there is, and how it is.
    List,
    /// Moves all that the log of a namespace holds now.
    Flush { subsystem: Option<String>, nsid: Option<u32> },
    /// Empties the cache of a namespace.
    Evict { subsystem: Option<String>, nsid: Option<u32> },
    /// Gives the cache of a namespace another size.
    Resize { subsystem: Option<String>, nsid: Option<u32>, bytes: u64 },
    /// Gives the log of a namespace another size.
    ResizeLog { subsystem: Option<String>, nsid: Option<u32>, bytes: u64 },
}

/// An answer: what was asked for, or why not.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Answer {
    /// What was asked for.
    Done(serde_json::Value),
    /// Why it can't be done.
    Refused(String),
}
