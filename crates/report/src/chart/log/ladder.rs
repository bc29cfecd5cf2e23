//! The pictures of the ladder.

use super::{steps, ways};
use crate::document::Block;
use crate::log::StepRow;

/// What each step adds, and other ways to write.
pub(crate) fn ladder(rows: &[StepRow]) -> Vec<Block> {
    let steps = match steps::picture(rows) {
        Some(svg) => Block::figure(
            "What each step adds",
            "the coloured part, with its 95 % interval; the pale part is what lies below it; a frame is less than below",
            svg,
        ),
        None => Block::explanation("No picture: fewer than two steps can be compared."),
    };
    let ways = ways::picture(rows).map(|svg| {
        Block::figure(
            "Other ways to make a write durable",
            "dot p50, bar p99, short bar p99.9; the first line is the ladder's own write",
            svg,
        )
    });
    std::iter::once(steps).chain(ways).collect()
}
