//! A server that was only looked at.

use super::tables::apart;
use crate::document::{Block, Depth, Facts, Section, Style};
use crate::report::Report;

/// Where a transaction's time goes.
pub(crate) fn time(report: &Report) -> Option<Section> {
    let views = report.observed.iter().filter(|view| !view.time.is_empty());
    let blocks = apart(views.map(|view| view.time.clone()));
    (!blocks.is_empty()).then(|| Section::new("", "").with(blocks))
}

/// Who takes it.
pub(crate) fn takers(report: &Report) -> Option<Section> {
    let views = report.observed.iter().filter(|view| !view.takers.is_empty());
    let blocks = apart(views.map(|view| view.takers.clone()));
    (!blocks.is_empty()).then(|| Section::new("takers", "Who takes it").short("").with(blocks))
}

/// Causes, for whoever wants to know why, and how to take back what is done about one.
pub(crate) fn causes(report: &Report) -> Option<Section> {
    let views = report.observed.iter().filter(|view| !view.causes.is_empty());
    let blocks = apart(views.map(|view| view.causes.clone()));
    let section = Section::new("causes", "Causes").from(Depth::Explained);
    (!blocks.is_empty()).then(|| section.with(blocks))
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
