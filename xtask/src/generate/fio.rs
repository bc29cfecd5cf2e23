//! The table of options in the book's page on fio's job files, between two markers; the rest is written by hand.

use anyhow::Result;
use narrows_fio::options;

use super::{Generated, between_markers};

const PAGE: &str = "docs/src/reference/fio.md";

pub(super) fn file() -> Result<Generated> {
    between_markers(PAGE, "crates/fio", &options::page())
}
