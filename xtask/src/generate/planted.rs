//! The page on the planted suite, and the table of its looks on the page on observed servers.

use anyhow::Result;

use super::{Generated, between_markers};

const OBSERVED: &str = "docs/src/methods/observe.md";

pub(super) fn files() -> Result<[Generated; 2]> {
    let (path, page, looks) = crate::plants::pages()?;
    Ok([
        Generated::new(path, page),
        between_markers(OBSERVED, "xtask/src/plants/results.json", &looks)?,
    ])
}
