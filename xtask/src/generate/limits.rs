//! The tables of the book's page on limits as data, between two markers; the rest is written by hand.

use anyhow::{Context, Result};
use narrows_limits::table::Table;
use narrows_report::{Screen, ShownLimits, form, limits, render};

use super::{Generated, between_markers};

const PAGE: &str = "docs/src/reference/limits.md";

pub(super) fn file() -> Result<Generated> {
    let document = limits(&ShownLimits::all(Table::builtin()), false);
    let markdown = form("markdown").context("a form of documents")?;
    between_markers(PAGE, "crates/limits", &render(&document, markdown, Screen::PLAIN))
}
