//! What is wrong with a table, in which line.

use std::fmt;

/// The largest text that is read, bytes; the built-in table is a tenth of it.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// Why a table of limits was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TableError {
    /// The file's name, as the caller gave it.
    pub file: String,
    /// Counted from one.
    pub line: usize,
    /// The class and key, where it is known: `eth-25: signal`.
    pub key: Option<String>,
    /// What is wrong.
    pub reason: String,
    /// What to write instead.
    pub hint: String,
}

impl fmt::Display for TableError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, line {}: ", printable(&self.file), self.line)?;
        if let Some(key) = &self.key {
            write!(f, "{}: ", printable(key))?;
        }
        write!(f, "{}\nhint: {}", printable(&self.reason), printable(&self.hint))
    }
}

impl std::error::Error for TableError {}

/// Without what would move a terminal's cursor or fill its screen.
fn printable(text: &str) -> String {
    const LENGTH_MAX: usize = 600;
    let mut shown: String = text
        .chars()
        .take(LENGTH_MAX)
        .map(|c| if narrows_units::steers(c) { ' ' } else { c })
        .collect();
    if text.chars().nth(LENGTH_MAX).is_some() {
        shown.push('…');
    }
    shown
}

/// The line that a byte stands in, counted from one.
pub(super) fn line_of(text: &str, byte: usize) -> usize {
    text.as_bytes().iter().take(byte).filter(|b| **b == b'\n').count() + 1
}
