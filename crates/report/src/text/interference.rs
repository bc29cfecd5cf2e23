//! Reads beside writes, as text.

use super::with_marks;
use crate::interference::Interference;
use crate::layout::{Line, Style, paragraph};
use crate::print::rate;

/// The first column of figures ends here; the others follow at equal distances.
const FIRST: usize = 56;
const STEP: usize = 11;
const NAME: usize = 2;

/// The grid.
pub(super) fn interference(grid: &Interference, edge: usize) -> Vec<Line> {
    let start = Line::of(Style::Strong, "READS BESIDE WRITES").put(Style::Plain, "  ");
    let sentence = with_marks(&format!("{}: {}", grid.what, grid.sentence), &grid.notes);
    let mut lines = paragraph(start, Style::Plain, &sentence, NAME, edge);
    let mut heading = Line::new().to(NAME).put(Style::Faint, "p99 at reads asked for");
    for (i, per_s) in grid.columns().iter().enumerate() {
        heading = heading.right(Style::Faint, &rate(*per_s), FIRST + i * STEP);
    }
    lines.push(heading);
    let reads = grid.rows.len();
    for (at, (name, cells)) in grid.lines().into_iter().enumerate() {
        if at == reads {
            lines.push(Line::new().to(NAME).put(Style::Faint, "p99 of the writes themselves"));
        }
        let mut line = Line::new().to(NAME).put(Style::Plain, &name);
        for (i, cell) in cells.iter().enumerate() {
            line = line.right(Style::Plain, cell, FIRST + i * STEP);
        }
        lines.push(line);
    }
    let method = Line::new().to(NAME);
    lines.extend(paragraph(method, Style::Faint, &grid.method, NAME, edge));
    lines
}
