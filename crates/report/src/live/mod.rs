//! What a run says of logs that were only looked at: a live server's, and what `pg_test_fsync` measured.
//!
//! Tables with a heading, rows and remarks, so that each view lays them out in a few lines.

mod flush_test;
mod server;

use narrows_model::Grade;

use crate::notes::NoteMark;

pub(crate) use flush_test::{alone, views as flush_views};
pub(crate) use server::{looking, spread, views as live_views};

/// Figures with a heading.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Grid {
    /// What it is about.
    pub title: String,
    /// Headings of the figures.
    pub columns: Vec<String>,
    /// Heading of the remarks; empty without any.
    pub remark: String,
    /// The rows.
    pub rows: Vec<GridRow>,
}

/// One line of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct GridRow {
    /// What it is.
    pub name: String,
    /// Figures, one for each column; `-` where unknown.
    pub cells: Vec<String>,
    /// What else.
    pub remark: String,
}

/// A live server's log.
#[derive(Debug, Clone, PartialEq)]
pub struct LiveView {
    /// Server, address and length of the look.
    pub heading: String,
    /// Whether its figures are suspect.
    pub suspect: bool,
    /// Footnotes.
    pub notes: Vec<NoteMark>,
    /// What it counted, and what sessions were doing.
    pub grids: Vec<Grid>,
    /// What bounds commits; empty before it is judged.
    pub phrase: String,
    /// How sure that is.
    pub grade: Option<Grade>,
    /// Why, in sentences.
    pub sentences: Vec<String>,
    /// What would change it.
    pub changes: Vec<String>,
    /// Settings, standbys, what looking took: label and text.
    pub remarks: Vec<(String, String)>,
}
