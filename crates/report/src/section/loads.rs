//! Storage alone: what ran, and what writes did to reads.

use narrows_units::width;

use super::{invalid, noted};
use crate::chart::interference as chart;
use crate::document::{At, Block, Column, Inline, Remarks, Row, Section, Style, Table};
use crate::print::rate;
use crate::report::Report;

/// Room for a figure with its mark.
const STEP: usize = 11;

/// What ran, in a run of storage alone.
pub(crate) fn loads(report: &Report) -> Option<Section> {
    let columns = vec![
        Column::name("load", 2),
        Column::figure("rate", 39),
        Column::figure("bytes", 50),
        Column::figure("mean", 60),
        Column::figure("p50", 70),
        Column::figure("p99", 80),
        Column::figure("p99.9", 90),
        Column::figure("CPU/op", 100),
    ];
    let mut table = Table::new(columns).remarked("remark", Remarks::Below(4));
    table.screen.longest_name = 29;
    table.rows = report.loads.clone();
    let some = !table.rows.is_empty();
    some.then(|| Section::new("loads", "Loads").with([Block::Table(table)]))
}

/// Reads beside writes.
pub(crate) fn interference(report: &Report) -> Option<Section> {
    let grid = report.interference.as_ref()?;
    let said = Inline::of(Style::Plain, format!("{}: {}", grid.what, grid.sentence));
    let mut columns = vec![Column::name("p99 at offered reads/s", 2)];
    columns[0].under_title = false;
    let rates = grid.columns();
    columns.extend(rates.iter().map(|per_s| Column::words(rate(*per_s), At::Cut(STEP))));
    let mut table = Table::new(columns);
    let lines = grid.lines();
    // What has no room beside the names stands below.
    table.screen.names = lines.iter().map(|(name, _)| width(name)).max().unwrap_or(0);
    for (at, (name, cells)) in lines.into_iter().enumerate() {
        if at == grid.rows.len() {
            table.rows.push(Row::Heading("p99 of the writes themselves".to_string()));
        }
        let cells = cells.iter().map(|cell| match cell.as_str() {
            "invalid" => invalid(),
            cell => cell.into(),
        });
        table
            .rows
            .push(Row::Cells(std::iter::once(name.into()).chain(cells).collect(), Vec::new()));
    }
    let blocks = [
        Block::Paragraph(noted(said, &grid.notes), 2),
        chart::block(grid),
        Block::Table(table),
        Block::Paragraph(Inline::of(Style::Faint, grid.method.as_str()), 2),
    ];
    Some(Section::new("interference", "Reads beside writes").with(blocks))
}
