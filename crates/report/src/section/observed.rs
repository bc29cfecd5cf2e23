//! A server that was only looked at.

use super::tables::apart;
use crate::document::{Block, Facts, Section, Style};
use crate::report::Report;

/// Where a transaction's time goes.
pub(crate) fn time(report: &Report) -> Option<Section> {
    let views = report.observed.iter().filter(|view| !view.time.is_empty());
    let blocks = apart(views.map(|view| view.time.clone()));
    (!blocks.is_empty()).then(|| Section::new("", "").with(blocks))
}

/// What was seen, before the verdict.
pub(crate) fn observed(report: &Report) -> Option<Section> {
    let section = Section::new("observed", "What was observed").short("");
    let blocks = apart(report.observed.iter().map(|view| view.seen.clone()));
    (!blocks.is_empty()).then(|| section.with(blocks))
}

/// What stands under the verdict: settings, build, what looking took.
pub(crate) fn remarks(report: &Report) -> Option<Section> {
    let facts = report.observed.iter().filter(|view| !view.remarks.is_empty());
    let facts = facts.map(|view| {
        let entries = view.remarks.clone();
        Block::Facts(Facts { entries, labels: Style::Strong, at: (0, 12) })
    });
    let section = Section::new("remarks", "Server and sampling").short("").with(facts);
    (!section.blocks.is_empty()).then_some(section)
}
