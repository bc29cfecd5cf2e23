//! What to do next, what it may bring, and how to prove it.

use crate::document::{At, Block, Column, Inline, Row, Section, Style, Table};
use crate::report::Report;

/// The rows of NEXT.
pub(crate) fn next(report: &Report) -> Option<Section> {
    let columns = vec![
        Column::name("", 0),
        Column::words("do", At::Wrapped(3, 56)).under_title(),
        Column::words("expect", At::Left(60)),
        Column::words("prove", At::Wrapped(74, usize::MAX)),
    ];
    let mut table = Table::new(columns);
    table.rows = report
        .next
        .iter()
        .zip(1..)
        .map(|(row, number): (_, u32)| {
            let command = row.prove.starts_with("narrows ");
            let look = if command { Style::Code } else { Style::Plain };
            let cells = vec![
                Inline::of(Style::Strong, number.to_string()).into(),
                row.sentence().into(),
                Inline::of(Style::Strong, row.expect.as_str()).into(),
                Inline::of(look, row.prove.as_str()).into(),
            ];
            Row::Cells(cells, Vec::new())
        })
        .collect();
    let some = !table.rows.is_empty();
    some.then(|| Section::new("next", "Next").leading().with([Block::Table(table)]))
}
