//! A server that was only looked at.

use narrows_model::Validity;

use super::noted;
use super::tables::{grid, labelled};
use crate::document::{Block, Inline, Section, Style};
use crate::observed::ObservedView;
use crate::report::Report;

/// What was seen, before the verdict.
pub(crate) fn observed(report: &Report) -> Option<Section> {
    let mut section = Section::new("observed", "What was seen").short("");
    for view in &report.observed {
        if !section.blocks.is_empty() {
            section.blocks.push(Block::Gap);
        }
        section.blocks.extend(of_server(view));
    }
    (!section.blocks.is_empty()).then_some(section)
}

fn of_server(view: &ObservedView) -> Vec<Block> {
    let mark = match view.validity {
        Validity::Valid => "",
        Validity::Suspect => "? ",
        Validity::Invalid => "invalid: ",
    };
    let heading = Inline::of(Style::Careful, mark).put(Style::Plain, view.heading.as_str());
    let mut blocks = vec![Block::Heading(noted(heading, &view.notes))];
    blocks.extend(view.demand.iter().map(|of| Block::Table(grid(of))));
    if !view.facts.is_empty() {
        blocks.push(Block::Facts(labelled(&view.facts, Style::Plain, (2, 16))));
    }
    if let Some(time) = &view.time {
        blocks.extend([Block::Gap, Block::Table(grid(time))]);
    }
    blocks
}

/// What stands under the verdict: settings, build, what looking took.
pub(crate) fn remarks(report: &Report) -> Option<Section> {
    let facts = report.observed.iter().filter(|view| !view.remarks.is_empty());
    let facts = facts.map(|view| Block::Facts(labelled(&view.remarks, Style::Strong, (0, 12))));
    let section = Section::new("remarks", "Server and look").short("").with(facts);
    (!section.blocks.is_empty()).then_some(section)
}
