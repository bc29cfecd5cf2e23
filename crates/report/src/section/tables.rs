//! Sections that are tables with sentences: a live log, orders, flush tests, memory, rates by sessions.

use narrows_model::Grade;

use super::noted;
use crate::document::{
    Answer, Block, Column, Entry, Facts, Grade as Printed, Inline, List, Remarks, Row, Section,
    Style, Table,
};
use crate::live::{Grid, LiveView};
use crate::report::Report;
use crate::sweep::SweepView;
use crate::words;

/// Figures behind names; columns stand a step apart.
pub(crate) fn grid(grid: &Grid) -> Table {
    let figures = grid.columns.iter().map(|head| Column::step(head.as_str(), 12));
    let columns = std::iter::once(Column::name("", 2)).chain(figures).collect();
    let mut table = Table::new(columns)
        .titled(grid.title.as_str())
        .remarked(grid.remark.as_str(), Remarks::Behind(2));
    let rows = grid.rows.iter().map(|row| {
        let name = std::iter::once(row.name.as_str().into());
        let mut cells: Vec<_> =
            name.chain(row.cells.iter().map(|cell| cell.as_str().into())).collect();
        if let Some(first) = cells.get_mut(1) {
            *first = super::strong(std::mem::take(first));
        }
        let remark = Some(Inline::from(row.remark.as_str())).filter(|remark| !remark.is_empty());
        Row::Cells(cells, remark.into_iter().collect())
    });
    table.rows = rows.collect();
    table
}

/// Tables with an empty line between them, each with what follows from it.
fn tables<'a>(views: impl IntoIterator<Item = (&'a Grid, &'a [String])>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for (of, sentences) in views {
        if !blocks.is_empty() {
            blocks.push(Block::Gap);
        }
        blocks.push(Block::Table(grid(of)));
        if !sentences.is_empty() {
            blocks.push(Block::List(List::new(sentences.iter().map(String::as_str), 2)));
        }
    }
    blocks
}

fn some(section: Section) -> Option<Section> {
    (!section.blocks.is_empty()).then_some(section)
}

fn sweep(view: &SweepView) -> (&Grid, &[String]) {
    (&view.grid, &view.sentences)
}

/// Memory by footprint, by kind of traffic, and beside it.
pub(crate) fn memory(report: &Report) -> Option<Section> {
    if report.memory.is_empty() {
        return None;
    }
    let section = Section::new("memory", "Memory").short("");
    let pictures = crate::chart::memory::figures(report);
    some(section.with(pictures).with(tables(report.memory.iter().map(sweep))))
}

/// Rates by sessions, and the highest within a limit.
pub(crate) fn sweeps(report: &Report) -> Option<Section> {
    let section = Section::new("by-sessions", "By sessions and rate").short("");
    some(section.with(tables(report.sweeps.iter().map(sweep))))
}

/// The order-entry mix.
pub(crate) fn orders(report: &Report) -> Option<Section> {
    let views = report.orders.iter().map(|view| (&view.grid, view.sentences.as_slice()));
    some(Section::new("orders", "Orders").short("").with(tables(views)))
}

/// What `pg_test_fsync` measured, beside the same here.
pub(crate) fn flush_tests(tests: &[Grid]) -> Option<Section> {
    let views = tests.iter().map(|grid| (grid, [].as_slice()));
    some(Section::new("flush-tests", "What pg_test_fsync measured").short("").with(tables(views)))
}

/// Logs of servers that were looked at.
pub(crate) fn live(report: &Report) -> Option<Section> {
    let mut section = Section::new("live", "Looked at").short("");
    for view in &report.live {
        if !section.blocks.is_empty() {
            section.blocks.push(Block::Gap);
        }
        section.blocks.extend(of_server(view));
    }
    some(section)
}

/// The grade as it is printed.
pub(super) fn printed(grade: Grade) -> Printed {
    let style = match grade {
        Grade::Sure => Style::Good,
        Grade::Likely => Style::Careful,
        Grade::Open => Style::Strong,
    };
    Printed { word: words::grade(grade), style }
}

fn of_server(view: &LiveView) -> Vec<Block> {
    let mark = if view.suspect { "? " } else { "" };
    let heading = Inline::of(Style::Careful, mark).put(Style::Plain, view.heading.as_str());
    let mut blocks = vec![Block::Heading(noted(heading, &view.notes))];
    blocks.extend(view.grids.iter().map(|of| Block::Table(grid(of))));
    if !view.phrase.is_empty() {
        blocks.push(Block::Gap);
        blocks.push(Block::Answer(Answer {
            lead: Inline::of(Style::Strong, "WHAT BOUNDS A COMMIT"),
            suspect: false,
            sentence: Inline::of(Style::Strong, view.phrase.as_str()),
            grade: view.grade.map(printed),
        }));
    }
    let sentences = |of: &[String]| of.iter().map(|text| Inline::from(text.as_str())).collect();
    if !view.sentences.is_empty() {
        blocks.push(Block::List(List::new(view.sentences.iter().map(String::as_str), 3)));
    }
    if !view.changes.is_empty() {
        let lead = ("It would change with".to_string(), "or".to_string());
        blocks.push(Block::List(List { lead, items: sentences(&view.changes), at: (3, 6) }));
    }
    blocks.push(Block::Facts(labelled(&view.remarks, Style::Strong, (0, 10))));
    blocks
}

/// Labels and texts.
pub(super) fn labelled(of: &[(String, String)], labels: Style, at: (usize, usize)) -> Facts {
    let entry = |(label, text): &(String, String)| {
        // The screen's headings are capitals, no other form's.
        let label = if labels == Style::Strong { label.to_lowercase() } else { label.clone() };
        Entry::new(label, text.as_str())
    };
    Facts { entries: of.iter().map(entry).collect(), labels, at }
}
