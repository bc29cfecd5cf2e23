//! Sections of commands that ask one question: SLB's loop, writers to one file, a rate of writes that lasts.

use crate::document::{Block, List, Section};
use crate::question;
use crate::report::Report;
use crate::slb::slb as lines;

/// SLB's lines and their meaning.
pub(crate) fn slb(report: &Report) -> Option<Section> {
    let view = lines(&report.run)?;
    let sentences = view.sentences.into_iter().map(|said| Block::Paragraph(said.into(), 2));
    let blocks = [Block::Verbatim(view.lines), Block::Gap].into_iter().chain(sentences);
    Some(Section::new("slb", "SLB").short("").with(blocks))
}

/// Writers together and apart.
pub(crate) fn file_sharing(report: &Report) -> Option<Section> {
    let view = question::file_sharing(&report.run)?;
    let sentences = Block::List(List::new(view.sentences, 2));
    let blocks = [Block::Table(view.table), sentences];
    Some(Section::new("writers", "Writers to one file").short("").with(blocks))
}

/// Whether writes last.
pub(crate) fn steady(report: &Report) -> Option<Section> {
    let said = question::steady(&report.run);
    let blocks: Vec<Block> =
        said.into_iter().map(|said| Block::Paragraph(said.into(), 2)).collect();
    let section = Section::new("steady", "Whether writes last").short("");
    (!blocks.is_empty()).then(|| section.with(blocks))
}
