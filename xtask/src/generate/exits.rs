//! The table of the book's page on exit codes.

use anyhow::Result;

use super::{Generated, between_markers};

const PAGE: &str = "docs/src/reference/exit-codes.md";

pub(super) fn file() -> Result<Generated> {
    let mut table = String::from("| code | | when |\n| --- | --- | --- |\n");
    for row in narrows::Exit::ALL {
        table += &format!("| {} | {} | {} |\n", row.exit.code(), row.word, row.when);
    }
    between_markers(PAGE, "crates/runner/src/exit", &table)
}
