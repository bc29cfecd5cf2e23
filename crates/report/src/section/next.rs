//! What to do next, what it may bring, and how to prove it.

use super::with_command;
use crate::advice::NextRow;
use crate::document::{At, Block, Column, Entry, Facts, Inline, List, Row, Section, Style, Table};
use crate::report::Report;

/// Its rows: causes with all that is needed to act on them, then a table of the others.
pub(crate) fn next(report: &Report) -> Option<Section> {
    let numbered: Vec<(u32, &NextRow)> = (1..).zip(&report.next).collect();
    let mut blocks: Vec<Block> =
        numbered.iter().filter_map(|(n, row)| of_cause(*n, row)).flatten().collect();
    let rows = numbered.iter().filter(|(_, row)| row.cause.is_none()).map(|(number, row)| {
        let cells = vec![
            Inline::of(Style::Strong, number.to_string()).into(),
            with_command(&row.sentence()).into(),
            Inline::of(Style::Strong, row.expect.as_str()).into(),
            with_command(&row.prove).into(),
        ];
        Row::Cells(cells, Vec::new())
    });
    let mut table = Table::new(vec![
        Column::name("", 0),
        Column::words("do", At::Wrapped(3, 46)).under_title(),
        Column::words("expected gain", At::Wrapped(51, 15)),
        Column::words("how to check", At::Wrapped(68, usize::MAX)),
    ]);
    table.rows = rows.collect();
    if !table.rows.is_empty() {
        blocks.push(Block::Table(table));
    }
    let some = !blocks.is_empty();
    some.then(|| Section::new("next", "What to do").leading().with(blocks))
}

/// A cause, and below it what to do, the statement to paste, what takes it back, how to see whether it helped.
fn of_cause(number: u32, row: &NextRow) -> Option<[Block; 2]> {
    let cause = row.cause.as_ref()?;
    let expect = match row.expect.as_str() {
        "-" => String::new(),
        gain => format!("  ({gain})"),
    };
    let head = Inline::of(Style::Strong, format!("{number}  {}", cause.summary));
    let head = List { at: (0, 3), ..List::new([head.put(Style::Faint, expect)], 0) };
    let statement = cause.statement.as_ref();
    let entries = [
        Some(Entry::new("do", with_command(&row.action))),
        statement.map(|sql| Entry::new("", Inline::of(Style::Code, sql.as_str()))),
        (!cause.undo.is_empty()).then(|| Entry::new("undo", with_command(&cause.undo))),
        Some(Entry::new("check", with_command(&row.prove))),
    ];
    let entries = entries.into_iter().flatten().collect();
    let facts = Facts { entries, labels: Style::Plain, at: (3, 10) };
    Some([Block::List(head), Block::Facts(facts)])
}
