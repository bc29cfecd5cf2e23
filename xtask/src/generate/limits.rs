//! The tables of the book's page on limits as data, between two markers; the rest is written by hand.

use anyhow::{Context, Result};
use narrows_limits::table::Table;
use narrows_report::limits::{Shown, markdown};

use super::Generated;

const PAGE: &str = "docs/src/reference/limits.md";
const BEGIN: &str = "<!-- begin: written by `cargo xtask docs` from crates/limits -->\n";
const END: &str = "<!-- end -->\n";

pub(super) fn file() -> Result<Generated> {
    let path = crate::root().join(PAGE);
    let page = std::fs::read_to_string(&path).with_context(|| format!("{}", path.display()))?;
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) = parts.with_context(|| format!("{PAGE} has lost its markers"))?;
    let tables = markdown(&Shown::all(Table::builtin()));
    Ok(Generated::new(PAGE, format!("{before}{BEGIN}\n{tables}\n{END}{after}")))
}
