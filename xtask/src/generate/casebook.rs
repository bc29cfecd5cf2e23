//! The rows of the book's casebook, between two markers; the rest of the page is written by hand.

use anyhow::{Context, Result, anyhow};
use narrows_limits::table::Table;
use narrows_plan::{case_page, casebook, describe};

use super::{Generated, between_markers};

const PAGE: &str = "docs/src/casebook.md";
const CASES: &str = "cases";

pub(super) fn file() -> Result<Generated> {
    between_markers(PAGE, "cases", &cases()?)
}

fn cases() -> Result<String> {
    let book = casebook::read("casebook.toml", &read(&format!("{CASES}/casebook.toml"))?)?;
    let mut pages = Vec::new();
    for case in &book.cases {
        let text = read(&format!("{CASES}/{}", case.platform))?;
        let platform = describe(&case.platform, &text, Table::builtin())?;
        let run = |row| casebook::Row::run(row, &platform).map(|outcome| (row, outcome));
        let rows: Result<Vec<_>, String> = case.rows.iter().map(run).collect();
        pages.push(case_page(case, &rows.map_err(|why| anyhow!("{}: {why}", case.title))?));
    }
    Ok(pages.join("\n"))
}

fn read(path: &str) -> Result<String> {
    std::fs::read_to_string(crate::root().join(path)).with_context(|| path.to_string())
}
