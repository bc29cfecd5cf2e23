//! Logs that were only looked at, as Markdown.

use super::{marks, plain, table};
use crate::live::Grid;
use crate::report::Report;
use crate::words;

pub(super) fn live(report: &Report, out: &mut String) {
    for view in &report.live {
        let mark = if view.suspect { " ?" } else { "" };
        out.push_str(&format!("## {}{mark}{}\n\n", plain(&view.heading), marks(&view.notes)));
        for grid in &view.grids {
            tabled(grid, out);
        }
        if !view.phrase.is_empty() {
            let grade = view.grade.map_or("no grade", words::grade);
            out.push_str(&format!("**{}** ({grade})\n\n", plain(&view.phrase)));
        }
        for sentence in &view.sentences {
            out.push_str(&format!("- {}\n", plain(sentence)));
        }
        if !view.changes.is_empty() {
            out.push_str("\nIt would change with\n\n");
        }
        for change in &view.changes {
            out.push_str(&format!("- {}\n", plain(change)));
        }
        out.push('\n');
        for (label, text) in &view.remarks {
            out.push_str(&format!("- {}: {}\n", plain(&label.to_lowercase()), plain(text)));
        }
        out.push('\n');
    }
    for view in &report.orders {
        tabled(&view.grid, out);
        for sentence in &view.sentences {
            out.push_str(&format!("- {}\n", plain(sentence)));
        }
        out.push('\n');
    }
    for grid in &report.flush_tests {
        tabled(grid, out);
    }
}

pub(super) fn tabled(grid: &Grid, out: &mut String) {
    out.push_str(&format!("### {}\n\n", plain(&grid.title)));
    let mut header = vec![""];
    header.extend(grid.columns.iter().map(String::as_str));
    header.push("");
    let right: Vec<usize> = (1..=grid.columns.len()).collect();
    let rows: Vec<Vec<String>> = grid
        .rows
        .iter()
        .map(|row| {
            let texts = std::iter::once(&row.name).chain(&row.cells).chain([&row.remark]);
            texts.map(|text| plain(text)).collect()
        })
        .collect();
    table(out, &header, &right, &rows);
}
