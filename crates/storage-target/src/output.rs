//! What commands print.

use std::cell::RefCell;
use std::io::{self, Write};

use anyhow::Result;
use narrows_units::shown_lines;
use serde::Serialize;

/// What a command did: an object whose field names stay, and the same in words.
pub(crate) trait Report: Serialize {
    /// In words.
    fn text(&self) -> String;
}

/// Remarks of a command before it is through: said at once, or kept for the field `notes` of its object.
#[derive(Debug)]
pub(crate) struct Notes {
    as_json: bool,
    kept: RefCell<Vec<String>>,
}

impl Notes {
    /// None yet, of a command that answers in JSON or in words.
    pub(crate) fn new(as_json: bool) -> Notes {
        Notes { as_json, kept: RefCell::default() }
    }

    /// One more.
    ///
    /// # Errors
    /// What writing gave.
    pub(crate) fn add(&self, text: &str) -> Result<()> {
        if self.as_json {
            self.kept.borrow_mut().push(text.to_string());
            return Ok(());
        }
        say(text)
    }

    /// Those that were kept.
    pub(crate) fn kept(&self) -> Vec<String> {
        self.kept.borrow().clone()
    }
}

/// Prints what was done, as JSON where that was asked for.
///
/// # Errors
/// What writing gave.
pub(crate) fn report(done: &impl Report, as_json: bool) -> Result<()> {
    if as_json { say(&serde_json::to_string_pretty(done)?) } else { say(&done.text()) }
}

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
