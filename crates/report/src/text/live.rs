//! Logs that were only looked at, as text.

use crate::layout::{Line, Style, paragraph, width};
use crate::live::{Grid, GridRow, LiveView};
use crate::words;

use super::with_marks;

const NAME: usize = 2;
/// A column of figures, with the space before it.
const STEP: usize = 12;
/// Remarks begin so far behind the last figure.
const GAP: usize = 2;
/// The phrase of a verdict.
const PHRASE: usize = 24;
const BODY: usize = 3;

/// One server.
pub(super) fn live(view: &LiveView, edge: usize) -> Vec<Line> {
    let mark = if view.suspect { "? " } else { "" };
    let heading = with_marks(&view.heading, &view.notes);
    let start = Line::of(Style::Careful, mark);
    let mut lines = paragraph(start, Style::Strong, &heading, BODY, edge);
    for table in &view.grids {
        lines.extend(grid(table, edge));
    }
    if !view.phrase.is_empty() {
        lines.push(Line::new());
        let line = Line::of(Style::Strong, "WHAT BOUNDS A COMMIT")
            .to(PHRASE)
            .put(Style::Strong, &view.phrase);
        lines.push(match view.grade {
            Some(grade) => line.right(Style::Strong, words::grade(grade), edge),
            None => line,
        });
    }
    for sentence in &view.sentences {
        lines.extend(paragraph(Line::new().to(BODY), Style::Plain, sentence, BODY, edge));
    }
    for (index, change) in view.changes.iter().enumerate() {
        let label = if index == 0 { "It would change with" } else { "or" };
        let start = Line::new().to(BODY).put(Style::Faint, label).put(Style::Plain, " ");
        lines.extend(paragraph(start, Style::Plain, change, BODY + 3, edge));
    }
    for (label, text) in &view.remarks {
        let start = Line::of(Style::Strong, label).to(10);
        lines.extend(paragraph(start, Style::Plain, text, 10, edge));
    }
    lines
}

/// A table of its own.
pub(super) fn grid(table: &Grid, edge: usize) -> Vec<Line> {
    let names = table.rows.iter().map(|row| width(&row.name)).max().unwrap_or(0);
    let column = |index: usize| NAME + names + (index + 1) * STEP;
    let mut heading = Line::of(Style::Strong, &table.title);
    // A long title stands alone.
    let long = width(&table.title) + width(table.columns.first().map_or("", |c| c)) + 1 > column(0);
    let mut lines = Vec::new();
    if long {
        lines.push(std::mem::take(&mut heading));
    }
    for (index, name) in table.columns.iter().enumerate() {
        heading = heading.right(Style::Faint, name, column(index));
    }
    lines.push(heading);
    lines.extend(table.rows.iter().flat_map(|row| grid_row(row, &column, edge)));
    lines
}

fn grid_row(row: &GridRow, column: &dyn Fn(usize) -> usize, edge: usize) -> Vec<Line> {
    let mut line = Line::new().to(NAME).put(Style::Plain, &row.name);
    for (index, cell) in row.cells.iter().enumerate() {
        let style = if index == 0 { Style::Strong } else { Style::Plain };
        line = line.right(style, cell, column(index));
    }
    if row.remark.is_empty() {
        return vec![line];
    }
    let indent = line.width() + GAP;
    paragraph(line.to(indent), Style::Plain, &row.remark, indent, edge)
}
