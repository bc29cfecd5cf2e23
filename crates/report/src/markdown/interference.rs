//! Reads beside writes, as Markdown.

use super::{marks, plain, table};
use crate::print::rate;
use crate::report::Report;

/// The grid.
pub(super) fn interference(report: &Report, out: &mut String) {
    let Some(grid) = &report.interference else { return };
    out.push_str(&format!(
        "## Reads beside writes\n\n{}: {}{}\n\n",
        plain(&grid.what),
        plain(&grid.sentence),
        marks(&grid.notes)
    ));
    let columns: Vec<String> = grid.columns().into_iter().map(rate).collect();
    let mut header = vec!["p99 at reads asked for"];
    header.extend(columns.iter().map(String::as_str));
    let right: Vec<usize> = (1..header.len()).collect();
    let rows: Vec<Vec<String>> = grid
        .lines()
        .into_iter()
        .map(|(name, cells)| std::iter::once(plain(&name)).chain(cells).collect())
        .collect();
    table(out, &header, &right, &rows);
    out.push_str(&format!("Method: {}\n\n", plain(&grid.method)));
}
