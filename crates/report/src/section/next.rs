//! What to do next, what it may bring, and how to prove it.

use super::with_command;
use crate::advice::NextRow;
use crate::document::{At, Block, Column, Inline, Row, Section, Style, Table};
use crate::report::Report;

/// The statement to paste, and what takes it back.
fn statements(row: &NextRow) -> Vec<Inline> {
    let paste = row.statement.as_ref().map(|sql| Inline::of(Style::Code, sql.as_str()));
    let undo = row.undo.as_ref().map(|undo| Inline::of(Style::Faint, format!("undo: {undo}")));
    paste.into_iter().chain(undo).collect()
}

/// Its rows.
pub(crate) fn next(report: &Report) -> Option<Section> {
    let columns = vec![
        Column::name("", 0),
        Column::words("do", At::Wrapped(3, 46)).under_title(),
        Column::words("expected gain", At::Wrapped(51, 15)),
        Column::words("how to check", At::Wrapped(68, usize::MAX)),
    ];
    let mut table = Table::new(columns);
    table.rows = report
        .next
        .iter()
        .zip(1..)
        .map(|(row, number): (_, u32)| {
            let cells = vec![
                Inline::of(Style::Strong, number.to_string()).into(),
                with_command(&row.sentence()).into(),
                Inline::of(Style::Strong, row.expect.as_str()).into(),
                with_command(&row.prove).into(),
            ];
            Row::Cells(cells, statements(row))
        })
        .collect();
    let some = !table.rows.is_empty();
    some.then(|| Section::new("next", "What to do").leading().with([Block::Table(table)]))
}
