//! Sections that are tables with sentences: a live log, orders, flush tests, memory, rates by sessions.

use narrows_model::{Grade, Validity};

use super::noted;
use crate::document::{AnnotatedTable, Block, Grade as Printed, Inline, List, Section, Style};
use crate::notes::NoteMark;
use crate::report::Report;
use crate::words;

/// Groups of blocks with an empty line between them.
pub(super) fn apart(groups: impl IntoIterator<Item = Vec<Block>>) -> Vec<Block> {
    let mut blocks = Vec::new();
    for group in groups {
        if !blocks.is_empty() {
            blocks.push(Block::Gap);
        }
        blocks.extend(group);
    }
    blocks
}

/// Tables, each with what follows from it.
fn tables<'a>(views: impl IntoIterator<Item = &'a AnnotatedTable>) -> Vec<Block> {
    let of = |AnnotatedTable { table, sentences }: &AnnotatedTable| {
        let sentences = List::new(sentences.iter().map(String::as_str), 2);
        vec![Block::Table(table.clone()), Block::List(sentences)]
    };
    apart(views.into_iter().map(of))
}

fn some(section: Section) -> Option<Section> {
    (!section.blocks.is_empty()).then_some(section)
}

/// Memory by footprint, by kind of traffic, and beside it.
pub(crate) fn memory(report: &Report) -> Option<Section> {
    if report.memory.is_empty() {
        return None;
    }
    let section = Section::new("memory", "Memory").short("");
    let pictures = crate::chart::memory::figures(report);
    some(section.with(pictures).with(tables(&report.memory)))
}

/// Rates by sessions, and the highest within a limit.
pub(crate) fn sweeps(report: &Report) -> Option<Section> {
    let section = Section::new("by-sessions", "By sessions and rate").short("");
    some(section.with(tables(&report.sweeps)))
}

/// Latencies over a fabric.
pub(crate) fn fabric(report: &Report) -> Option<Section> {
    some(Section::new("fabric", "Fabric").short("").with(tables(&report.fabric)))
}

/// The order-entry mix.
pub(crate) fn orders(report: &Report) -> Option<Section> {
    some(Section::new("orders", "Orders").short("").with(tables(&report.orders)))
}

/// What `pg_test_fsync` measured, beside the same here.
pub(crate) fn flush_tests(tests: &[AnnotatedTable]) -> Option<Section> {
    some(Section::new("flush-tests", "What pg_test_fsync measured").short("").with(tables(tests)))
}

/// Logs of servers that were looked at.
pub(crate) fn live(report: &Report) -> Option<Section> {
    let section = Section::new("live", "Looked at").short("");
    some(section.with(apart(report.live.iter().cloned())))
}

/// Which server, and for how long, with the mark of what is not to be trusted.
pub(crate) fn heading_of(
    heading: impl Into<String>,
    validity: Validity,
    notes: &[NoteMark],
) -> Block {
    let mark = match validity {
        Validity::Valid => "",
        Validity::Suspect => "? ",
        Validity::Invalid => "invalid: ",
    };
    let heading = Inline::of(Style::Careful, mark).put(Style::Plain, heading);
    Block::Heading(noted(heading, notes))
}

/// The grade as it is printed.
pub(crate) fn printed(grade: Grade) -> Printed {
    let style = match grade {
        Grade::Confirmed => Style::Good,
        Grade::Likely => Style::Careful,
        Grade::Undecided => Style::Strong,
    };
    Printed { word: words::grade(grade), style }
}
