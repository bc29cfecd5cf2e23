//! The rows of the book's casebook, between two markers; the rest of the page is written by hand.

use anyhow::{Context, Result, anyhow};
use narrows_limits::table::Table;
use narrows_plan::{case_page, casebook, describe};

use super::Generated;

const PAGE: &str = "docs/src/casebook.md";
const CASES: &str = "cases";
const BEGIN: &str = "<!-- begin: written by `cargo xtask docs` from cases -->\n";
const END: &str = "<!-- end -->\n";

pub(super) fn file() -> Result<Generated> {
    let page = read(PAGE)?;
    let parts = page.split_once(BEGIN).and_then(|(before, rest)| {
        let (_, after) = rest.split_once(END)?;
        Some((before, after))
    });
    let (before, after) = parts.with_context(|| format!("{PAGE} has lost its markers"))?;
    Ok(Generated::new(PAGE, format!("{before}{BEGIN}\n{}\n{END}{after}", cases()?)))
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
