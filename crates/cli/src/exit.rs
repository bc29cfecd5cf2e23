//! The exit codes, one list for code, man page and book.

use std::process::ExitCode;

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done, and what was asked for is valid.
    Done = 0,
    /// The arguments or the environment don't allow it; nothing was measured.
    Usage = 2,
    /// Measured, and what was asked for is invalid.
    Invalid = 3,
    /// Measured, and a layer that was asked for gave nothing, or no verdict could be reached.
    Inconclusive = 4,
    /// Stopped on request; a partial run was kept.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> ExitCode {
        ExitCode::from(exit as u8)
    }
}
