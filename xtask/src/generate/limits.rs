//! The tables of the book's page on limits as data, between two markers; the rest is written by hand.

use anyhow::Result;
use narrows_limits::table::Table;
use narrows_report::limits::{Shown, markdown};

use super::{Generated, between_markers};

const PAGE: &str = "docs/src/reference/limits.md";

pub(super) fn file() -> Result<Generated> {
    between_markers(PAGE, "crates/limits", &markdown(&Shown::all(Table::builtin())))
}
