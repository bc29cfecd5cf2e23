//! Forms of a document, one file each. They know sections and lines, and nothing of runs.

pub(crate) mod html;
pub(crate) mod markdown;
pub(crate) mod text;
