//! The pictures of sessions that share flushes.

use super::{sharing, waits};
use crate::chart::swatch;
use crate::document::{Block, Depth, Inline, List, Style};
use crate::log::{CommitsRow, SharingPoint};

/// What a commit waits for, and how many commits go with one flush.
pub(crate) fn sessions(commits: &[CommitsRow], points: &[SharingPoint]) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(svg) = waits::picture(commits) {
        let how = "each session commits again at once; the line across a bar is what flush times alone explain";
        blocks.push(Block::figure("What a commit waits for", how, svg));
        let legend = waits::PARTS
            .map(|(name, class)| Inline::default().picture(swatch(class)).put(Style::Plain, name));
        blocks.push(Block::From(Depth::Page, vec![Block::List(List::new(legend, 0))]));
    }
    blocks.extend(sharing::picture(points).map(|svg| {
        let how = "against the rate; figures on the line are numbers of sessions";
        Block::figure("Commits per flush", how, svg)
    }));
    blocks
}
