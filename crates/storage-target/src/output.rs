//! What commands print.

use std::io::{self, Write};

use anyhow::Result;
use narrows_units::shown_lines;

/// Prints lines on standard output, without what steers a terminal; a pipe that was closed is no error.
///
/// # Errors
/// What writing gave.
pub(crate) fn say(text: &str) -> Result<()> {
    match writeln!(io::stdout().lock(), "{}", shown_lines(text)) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error.into()),
        _ => Ok(()),
    }
}
