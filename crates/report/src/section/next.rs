//! What to do next, what it may bring, and how to prove it.

use crate::document::{At, Block, Column, Depth, Inline, Row, Section, Style, Table};
use crate::report::Report;

/// Its rows.
pub(crate) fn next(report: &Report) -> Option<Section> {
    let columns = vec![
        Column::name("", 0),
        Column::words("do", At::Wrapped(3, 50)).under_title(),
        Column::words("expected gain", At::Wrapped(55, 17)),
        Column::words("how to check", At::Wrapped(74, usize::MAX)),
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
    some.then(|| {
        Section::new("next", "What to do").from(Depth::Brief).leading().with([Block::Table(table)])
    })
}
